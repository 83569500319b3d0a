/* Labels of components: merges the labels of each rank's edges into those of all edges. */
#include <string.h>

#include "core/call.h"
#include "ranks/forest/forest.h"

bosc_status bi_ranks_forest_reset_labels(bosc_ctx *ctx, int64_t n, uint32_t *parent)
{
    const struct bi_msf_iota iota = {parent};
    return ctx->ops->forest->steps->msf_iota(ctx, n, &iota);
}

bosc_status bi_ranks_forest_flatten(bosc_ctx *ctx, int64_t n, uint32_t *parent)
{
    const struct bi_flatten flatten = {parent};
    return ctx->ops->forest->steps->flatten(ctx, n, &flatten);
}

bosc_status bi_ranks_forest_label_rounds(bosc_ctx *ctx, const struct bi_ranks_rounds *rounds, uint32_t *labels)
{
    struct bi_ranks_forest_tree tree = {.next = rounds->next, .labels = labels};
    if (rounds->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rounds->n, 2 * sizeof *tree.smallest, &tree.smallest));
    memcpy(tree.level_begin, rounds->level_begin, sizeof tree.level_begin);
    BI_TRY(ctx->backend->fill(ctx, tree.smallest, 0xff, (size_t)rounds->n * 2 * sizeof *tree.smallest));
    BI_TRY(ctx->ops->dist->steps->forest_min_vertex(ctx, rounds->n, &tree));
    return ctx->ops->dist->steps->forest_label(ctx, rounds->n, &tree);
}

/* Sends `bytes` bytes to the rank `distance` above this one, cyclically, and receives as many from the one below. */
static bosc_status exchange_cyclically(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                       int32_t distance, int64_t bytes, const void *sent, void *received)
{
    const int64_t ranks = comm->rank_count, to = (comm->rank + distance) % ranks,
                  from = (comm->rank + ranks - distance) % ranks;
    for (int64_t r = 0; r <= ranks; r++) {
        slice->sent_offsets[r] = r > to ? bytes : 0;
        slice->received_offsets[r] = r > from ? bytes : 0;
    }
    return bi_comm_all_to_all(ctx, comm, false, sent, slice->sent_offsets, received, slice->received_offsets);
}

/* Dissemination: each exchange doubles the number of ranks whose labels are merged here. Merging labels twice is
 * harmless, so any number of ranks works. */
static bosc_status merge_labels(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                bosc_status local_status, uint32_t *labels)
{
    const int64_t n = slice->view.n;
    uint32_t *other_labels = NULL;
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, n, sizeof *other_labels, &other_labels);
    const struct bi_ranks_forest_union_labels unite = {other_labels, labels};
    for (int32_t distance = 1; distance < comm->rank_count; distance *= 2) {
        BI_TRY(bi_comm_agree(ctx, comm, local_status));
        local_status =
            exchange_cyclically(ctx, comm, slice, distance, n * (int64_t)sizeof *labels, labels, other_labels);
        if (local_status == BOSC_OK) local_status = ctx->ops->dist->steps->forest_union_labels(ctx, n, &unite);
    }
    if (local_status == BOSC_OK && comm->rank_count > 1) local_status = bi_ranks_forest_flatten(ctx, n, labels);
    return bi_comm_agree(ctx, comm, local_status);
}

bosc_status bi_ranks_forest_merge_labels(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_forest_slice *slice,
                                         bosc_status local_status, uint32_t *labels)
{
    BI_RETURN_WITH_SCRATCH(ctx, merge_labels(ctx, comm, slice, local_status, labels));
}
