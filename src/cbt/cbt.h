/* The inside of a concurrent binary tree, the functions that its drivers share, and the operations that a backend
 * provides. */
#ifndef BI_CBT_CBT_H
#define BI_CBT_CBT_H

#include <boscage/device/cbt_heap.h>

#include "cbt/steps/arrays.h"
#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Between calls bits and ranks of a RANKED tree agree and encode a tree; bits beyond 2^depth are clear in the bit field
 * and in both fields of commands. A PUBLISHED tree has only the heap: its sums encode the tree, and its bits differ
 * from that tree by the recorded commands. */
struct bosc_cbt {
    struct bi_memory memory, host;
    bosc_cbt_opts opts;           /* every field set */
    bosc_cbt_view view;           /* RANKED: what steps read; splits and merges are NULL until the first command */
    bosc_cbt_heap_view heap_view; /* PUBLISHED */
    struct bi_block bits, ranks, commands, heap, exchange;
    bool pending; /* commands may have been recorded since the last reduction */
    bool shared;  /* the caller has a view: commands may be recorded at any time */
};

/* One update of a tree. */
struct bi_cbt_change {
    bosc_cbt_view view;
    bool recorded;           /* the view may hold commands: apply and clear them */
    const uint8_t *commands; /* (count) one a leaf, in reach of the backend */
    int64_t count;
    int64_t *sources; /* (capacity) or NULL; the caller's array */
    int64_t capacity;
    void *nodes; /* (node_capacity) or NULL, in reach: for backends that decode in the same pass */
    int64_t node_capacity;
    bool is_64bit; /* nodes have 64 bits */
};

/* The nodes of an update: left to the caller, or written in the same pass. */
enum bi_cbt_outcome { BI_CBT_NODES_PENDING, BI_CBT_NODES_DECODED };

struct bi_cbt_decode;
struct bi_cbt_reduction;

/* ---- handle.c ---- */

/* A copy of the options with the defaults filled in. */
bosc_status bi_cbt_check_opts(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt_opts *full);
bosc_status bi_cbt_check_depth(bosc_ctx *ctx, int32_t depth);
/* BOSC_ERR_ARG with the reason if the context cannot reach the tree. */
bosc_status bi_cbt_check(bosc_ctx *ctx, const bosc_cbt *tree);
/* Checks an array of n elements of `size` bytes: present, aligned, and no larger than memory. */
bosc_status bi_cbt_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                               size_t size);
static inline size_t bi_cbt_id_size(const bosc_cbt *tree) { return (size_t)tree->opts.id_bits / 8; }

static inline bool bi_cbt_is_published(const bosc_cbt *tree) { return tree->opts.layout == BOSC_CBT_PUBLISHED; }

/* Reads the number of leaves as of the last reduction. Waits. */
bosc_status bi_cbt_read_leaf_count(bosc_ctx *ctx, const bosc_cbt *tree, int64_t *leaves);

/* Allocates a tree with these (full) options. Its bits and ranks, or its heap, are not set. */
bosc_status bi_cbt_allocate(bosc_ctx *ctx, const bosc_cbt_opts *full, bosc_cbt **tree);
/* Allocates empty fields of commands, unless the tree has them; a PUBLISHED tree needs none. */
bosc_status bi_cbt_reserve_commands(bosc_ctx *ctx, bosc_cbt *tree);
/* Clears the recorded commands. */
bosc_status bi_cbt_clear_commands(bosc_ctx *ctx, bosc_cbt *tree);

/* Bytes of the tree's memory. */
int64_t bi_cbt_kept_bytes(const bosc_cbt *tree);

/* ---- create.c ---- */

/* Installs a bit field in reach as the tree's bits and counts leaves. The field encodes a tree, has whole blocks, and
 * is clear beyond the tree. NULL: the tree's own field, which the caller has changed. Clears recorded commands. */
bosc_status bi_cbt_install_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);

/* Upper bound of the scratch of bi_cbt_install_bits on a tree of this depth. */
int64_t bi_cbt_install_scratch(const bosc_ctx *ctx, int32_t depth);

/* Finds the lowest bit of a field in reach that no tree has, or INT64_MAX. Waits. */
bosc_status bi_cbt_find_invalid(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *invalid);

/* ---- query.c ---- */

/* The same as bosc_cbt_decode, without the checks. */
bosc_status bi_cbt_decode_leaves(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes);

/* ---- published/heap.c ---- */

/* Writes the published heap of the tree to `heap` in reach. */
bosc_status bi_cbt_make_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap);
/* Copies the words of the tree's bit field to `bits` anywhere. */
bosc_status bi_cbt_copy_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits);
/* PUBLISHED: computes all sums; afterwards no commands are pending. */
bosc_status bi_cbt_reduce_heap(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_reduction *a);
/* PUBLISHED: writes the sources of the leaves that the recorded commands will create, to sources (capacity)
 * anywhere. */
bosc_status bi_cbt_heap_write_sources(bosc_ctx *ctx, const bosc_cbt *tree, int64_t *sources, int64_t capacity);

/* ---- progress ---- */

/* The length of calls for progress, in simple items a block of the bit field: estimates. */
enum { BI_CBT_VISIT_ITEMS = 8, BI_CBT_INSTALL_ITEMS = 17, BI_CBT_CHANGE_ITEMS = 17, BI_CBT_MAKE_HEAP_ITEMS = 64 };
enum { BI_CBT_LEAF_ITEMS = 8 /* simple items a visited leaf, for the caller's function */ };
static inline int bi_cbt_heap_items(const bosc_cbt *tree)
{
    return bi_cbt_is_published(tree) ? BI_CBT_MAKE_HEAP_ITEMS : 0;
}
/* Sets the length of a call: `per_block` items a block of the bit field, and `more` items. */
static inline void bi_cbt_set_progress_total(bosc_ctx *ctx, int32_t depth, int per_block, int64_t more)
{
    bi_progress_set_total(ctx, (double)per_block * (double)bi_cbt_blocks(depth) + (double)more);
}

/* ---- the table ---- */

struct bi_cbt_steps;
struct bi_cbt_cpu_steps;

/* The room's table. */
struct bi_cbt_ops {
    const struct bi_cbt_steps *steps;
    const struct bi_cbt_cpu_steps *cpu_steps; /* steps that CUDA replaces by kernels; NULL there */
    /* Zeroed memory of each tree for the backend, in bytes; 0: none. */
    size_t exchange_bytes;
    /* Upper bounds of the scratch of `change` and `install` on a tree of this many blocks, with arrays in reach. */
    int64_t (*change_scratch)(int64_t blocks);
    int64_t (*install_scratch)(int64_t blocks);
    bosc_status (*decode)(bosc_ctx *ctx, const struct bi_cbt_decode *a);
    /* Applies commands. On failure the tree and the recorded commands are unchanged. */
    bosc_status (*change)(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a, enum bi_cbt_outcome *outcome);
    /* Replaces the bits of the tree by a field that encodes a tree, and counts leaves. On failure it is unchanged. */
    bosc_status (*install)(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);
    /* Capability: calls the caller's function for each leaf and records the command it returns. NULL if kernels cannot
     * call such functions. */
    bosc_status (*for_each)(bosc_ctx *ctx, const bosc_cbt_view *view, bosc_cbt_visit_fn visit, void *user);
    bosc_status (*for_each_in_heap)(bosc_ctx *ctx, const bosc_cbt_heap_view *view, bosc_cbt_visit_fn visit, void *user);
    /* PUBLISHED: changes the bits, then computes all sums. On failure the sums are unchanged. */
    bosc_status (*reduce_heap)(bosc_ctx *ctx, const struct bi_cbt_reduction *a);
};

#ifdef BOSC_HAVE_CUDA
extern const struct bi_cbt_ops bi_cbt_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
