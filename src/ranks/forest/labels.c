/* Labels of components: those of each rank's edges become those of all edges. */
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
    memcpy(tree.begin, rounds->begin, sizeof tree.begin);
    BI_TRY(ctx->backend->fill(ctx, tree.smallest, 0xff, (size_t)rounds->n * 2 * sizeof *tree.smallest));
    BI_TRY(ctx->ops->dist->steps->forest_smallest(ctx, rounds->n, &tree));
    return ctx->ops->dist->steps->forest_label(ctx, rounds->n, &tree);
}

/* `bytes` bytes go to the rank that is `distance` above this one, counted around, and come from that below. */
static bosc_status shift(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_part *part, int32_t distance,
                         int64_t bytes, const void *sent, void *received)
{
    const int64_t ranks = comm->rank_count, to = (comm->rank + distance) % ranks,
                  from = (comm->rank + ranks - distance) % ranks;
    for (int64_t r = 0; r <= ranks; r++) {
        part->sent_offsets[r] = r > to ? bytes : 0;
        part->received_offsets[r] = r > from ? bytes : 0;
    }
    return bi_comm_all_to_all(ctx, comm, false, sent, part->sent_offsets, received, part->received_offsets);
}

/* With each exchange twice as many ranks' labels are in those of this one. That some come twice does no harm. */
static bosc_status merge(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_part *part, bosc_status local_status,
                         uint32_t *labels)
{
    const int64_t n = part->view.n;
    uint32_t *others = NULL;
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, n, sizeof *others, &others);
    const struct bi_ranks_forest_join_labels join = {others, labels};
    for (int32_t distance = 1; distance < comm->rank_count; distance *= 2) {
        BI_TRY(bi_comm_agree(ctx, comm, local_status));
        local_status = shift(ctx, comm, part, distance, n * (int64_t)sizeof *labels, labels, others);
        if (local_status == BOSC_OK) local_status = ctx->ops->dist->steps->forest_join_labels(ctx, n, &join);
    }
    if (local_status == BOSC_OK && comm->rank_count > 1) local_status = bi_ranks_forest_flatten(ctx, n, labels);
    return bi_comm_agree(ctx, comm, local_status);
}

bosc_status bi_ranks_forest_merge_labels(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_part *part,
                                         bosc_status local_status, uint32_t *labels)
{
    BI_RETURN_WITH_SCRATCH(ctx, merge(ctx, comm, part, local_status, labels));
}
