/* Inside a concurrent binary tree, and the operations that a backend provides. */
#ifndef BI_CBT_CBT_H
#define BI_CBT_CBT_H

#include <boscage/device/cbt_heap.h>

#include "cbt/steps/sizes.h"
#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Between calls bits and ranks of a RANKED tree agree and encode a tree; bits beyond 2^depth are clear in the bit field
 * and in both fields of commands. A PUBLISHED tree has the heap alone: its sums encode a tree, and its bits differ from
 * that by the commands that were recorded. */
struct bosc_cbt {
    struct bi_memory memory, host;
    bosc_cbt_opts opts;           /* every field set */
    bosc_cbt_view view;           /* RANKED; splits and merges are NULL until the first command */
    bosc_cbt_heap_view heap_view; /* PUBLISHED */
    struct bi_block bits, ranks, commands, heap, exchange;
    bool pending; /* commands may have been recorded since the last reduction */
    bool shared;  /* a view of the commands is out: any may have been recorded at any time */
};

/* One update of a tree. */
struct bi_cbt_change {
    bosc_cbt_view view;
    bool recorded;           /* the view may hold commands: they are carried out and cleared */
    const uint8_t *commands; /* (count) one a leaf, in reach */
    int64_t count;
    int64_t *sources; /* (capacity) or NULL; the caller's */
    int64_t capacity;
    void *nodes; /* (node_capacity) or NULL, in reach: decoded afterwards by a backend that does so in the same pass */
    int64_t node_capacity;
    bool wide; /* nodes have 64 bits */
};

struct bi_cbt_outcome {
    bool decoded; /* nodes are written */
};

struct bi_cbt_decode;
struct bi_cbt_reduction;
struct bi_cbt_steps;
struct bi_cbt_cpu_steps;

/* The room's table. */
struct bi_cbt_ops {
    const struct bi_cbt_steps *steps;
    const struct bi_cbt_cpu_steps *cpu_steps; /* steps that CUDA has kernels of its own for; NULL there */
    /* Memory that each tree keeps for the backend, zeroed; 0: none. */
    size_t exchange_bytes;
    /* Scratch of `change` and `install` on a tree of this many blocks, whose arrays are in reach, at most. */
    int64_t (*change_scratch)(int64_t blocks);
    int64_t (*install_scratch)(int64_t blocks);
    bosc_status (*decode)(bosc_ctx *ctx, const struct bi_cbt_decode *a);
    /* Carries commands out. On failure the tree is as before, and the recorded commands are still there. */
    bosc_status (*change)(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a, struct bi_cbt_outcome *outcome);
    /* The tree takes over a bit field that encodes a tree, and counts its leaves. On failure it is as before. */
    bosc_status (*install)(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);
    /* Capability: visits every leaf with a function of the caller's and records what it returns. NULL where kernels
     * cannot call such functions. */
    bosc_status (*for_each)(bosc_ctx *ctx, const bosc_cbt_view *view, bosc_cbt_visit_fn visit, void *user);
    bosc_status (*for_each_in_heap)(bosc_ctx *ctx, const bosc_cbt_heap_view *view, bosc_cbt_visit_fn visit, void *user);
    /* PUBLISHED: changes the bits, then makes all sums anew. On failure the sums are as before. */
    bosc_status (*reduce_heap)(bosc_ctx *ctx, const struct bi_cbt_reduction *a);
};

#ifdef BOSC_HAVE_CUDA
extern const struct bi_cbt_ops bi_cbt_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
