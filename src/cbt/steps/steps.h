/* The steps of concurrent binary trees: what happens to item i, for the CPU and the device. */
#ifndef BI_CBT_STEPS_STEPS_H
#define BI_CBT_STEPS_STEPS_H

#include "cbt/steps/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cbt_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cbt/steps/steps.def"
#undef BI_STEP
};

/* What is to be done to a tree at once. */
struct bi_cbt_change {
    bosc_cbt_view view;
    bool recorded;           /* there may be commands in the view: they are carried out, and forgotten */
    const uint8_t *commands; /* (count) by the number of the leaf, in reach */
    int64_t count;
    int64_t *sources; /* (room) or NULL; the caller's */
    int64_t room;
    void *nodes; /* (nodes_room) or NULL, in reach: to be decoded after, by backends that do it in passing */
    int64_t nodes_room;
    bool wide;
};

struct bi_cbt_outcome {
    bool unchanged; /* it is known that the commands changed nothing */
    bool decoded;
};

/* What a backend does for trees. */
struct bi_cbt_ops {
    const struct bi_cbt_steps *steps;
    size_t meeting_bytes; /* of memory that a tree keeps for it, zeroed */
    bosc_status (*decode)(bosc_ctx *ctx, const struct bi_cbt_decode *a);
    /* Carries commands out. Either all is done or the tree is as before, and the commands that were recorded are there
     * still. */
    bosc_status (*change)(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a, struct bi_cbt_outcome *outcome);
    /* The tree takes over a field, which is that of a tree. As a whole, too. */
    bosc_status (*install)(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);
    /* Calls `visit` for every leaf and records what it returns; NULL where the caller's functions cannot be called. */
    bosc_status (*for_each)(bosc_ctx *ctx, const bosc_cbt_view *view, bosc_cbt_visit_fn visit, void *user);
};

#ifdef BOSC_HAVE_CUDA
extern const struct bi_cbt_ops bi_cbt_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
