/* The inside of a concurrent binary tree, and the operations that a backend provides. */
#ifndef BI_CBT_CBT_H
#define BI_CBT_CBT_H

#include <boscage/device/cbt_heap.h>

#include "cbt/steps/sizes.h"
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
    bosc_cbt_view view;           /* RANKED; splits and merges are NULL until the first command */
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

struct bi_cbt_outcome {
    bool decoded; /* the backend has written the nodes */
};

struct bi_cbt_decode;
struct bi_cbt_reduction;
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
    bosc_status (*change)(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a, struct bi_cbt_outcome *outcome);
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
