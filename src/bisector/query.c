/* Queries about the leaves of a pool. */
#include "bisector/steps/steps.h"
#include "core/check.h"

/* The arrays of a call, of `count` items: up to two inputs and two outputs. */
struct query_arrays {
    int64_t count;
    const void *in[2];
    size_t in_size[2]; /* bytes an item */
    void *out[2];
    size_t out_size[2];
    const void *from[2]; /* the inputs in reach, after staging */
    struct bi_out to[2];
};

static bosc_status stage_arrays(bosc_ctx *ctx, struct query_arrays *a, bool *staged)
{
    for (int k = 0; k < 2; k++) {
        const size_t bytes = (size_t)a->count * a->in_size[k];
        if (a->in[k]) BI_TRY(bi_stage_in(ctx, a->in[k], bytes, &a->from[k], staged));
    }
    for (int k = 0; k < 2; k++)
        BI_TRY(bi_stage_out(ctx, a->out[k], (size_t)a->count * a->out_size[k], &a->to[k], staged));
    return BOSC_OK;
}

static bosc_status unstage_arrays(bosc_ctx *ctx, const struct query_arrays *a, bool staged)
{
    for (int k = 0; k < 2; k++) BI_TRY(bi_stage_back(ctx, &a->to[k]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

/* Stages the arrays and runs a step over them; each step uses some of the fields. */
static bosc_status run_query(bosc_ctx *ctx, const bosc_bisectors *b, bi_step_fn step, int64_t first,
                             struct query_arrays *a)
{
    bool staged = false;
    bi_progress_set_total(ctx, (double)a->count);
    BI_TRY(stage_arrays(ctx, a, &staged));
    const struct bi_bisector_query q = {.view = b->view,
                                        .first = first,
                                        .nodes = a->from[0],
                                        .numbers = a->from[0],
                                        .points = a->from[1],
                                        .nodes_out = a->to[0].reachable,
                                        .answers = a->to[0].reachable,
                                        .corners = a->to[1].reachable};
    BI_TRY(step(ctx, a->count, &q));
    return unstage_arrays(ctx, a, staged);
}

bosc_status bosc_bisectors_decode(bosc_ctx *ctx, const bosc_bisectors *bisectors, int64_t first, int64_t count,
                                  uint64_t *nodes)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(bi_bisector_check_array(ctx, "count", count, "nodes", nodes, sizeof *nodes));
    BI_TRY(bi_check_range(ctx, first, count));
    struct query_arrays a = {.count = count, .out = {nodes}, .out_size = {sizeof *nodes}};
    BI_RETURN_WITH_SCRATCH(ctx, run_query(ctx, bisectors, ctx->ops->bisector->steps->decode, first, &a));
}

bosc_status bosc_bisectors_encode(bosc_ctx *ctx, const bosc_bisectors *bisectors, const uint64_t *nodes,
                                  int64_t node_count, int64_t *leaves)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(bi_bisector_check_array(ctx, "node_count", node_count, "nodes", nodes, sizeof *nodes));
    BI_TRY(bi_bisector_check_array(ctx, "node_count", node_count, "leaves", leaves, sizeof *leaves));
    struct query_arrays a = {
        .count = node_count, .in = {nodes}, .in_size = {sizeof *nodes}, .out = {leaves}, .out_size = {sizeof *leaves}};
    BI_RETURN_WITH_SCRATCH(ctx, run_query(ctx, bisectors, ctx->ops->bisector->steps->encode, 0, &a));
}

bosc_status bosc_bisectors_get_neighbours(bosc_ctx *ctx, const bosc_bisectors *bisectors, const int64_t *leaves,
                                          int64_t leaf_count, int64_t *neighbours)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(bi_bisector_check_array(ctx, "leaf_count", leaf_count, "leaves", leaves, sizeof *leaves));
    BI_TRY(bi_bisector_check_array(ctx, "leaf_count", leaf_count, "neighbours", neighbours, sizeof *neighbours));
    struct query_arrays a = {.count = leaf_count,
                             .in = {leaves},
                             .in_size = {sizeof *leaves},
                             .out = {neighbours},
                             .out_size = {3 * sizeof *neighbours}};
    BI_RETURN_WITH_SCRATCH(ctx, run_query(ctx, bisectors, ctx->ops->bisector->steps->neighbours, 0, &a));
}

bosc_status bosc_bisectors_get_corners(bosc_ctx *ctx, const bosc_bisectors *bisectors, int64_t first, int64_t count,
                                       int64_t *roots, double *corners)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(bi_bisector_check_array(ctx, "count", count, "corners", corners, sizeof *corners));
    BI_TRY(bi_check_aligned(ctx, "roots", roots, sizeof *roots));
    BI_TRY(bi_check_range(ctx, first, count));
    struct query_arrays a = {.count = count, .out = {roots, corners}, .out_size = {sizeof *roots, 6 * sizeof *corners}};
    BI_RETURN_WITH_SCRATCH(ctx, run_query(ctx, bisectors, ctx->ops->bisector->steps->corners, first, &a));
}

bosc_status bosc_bisectors_locate(bosc_ctx *ctx, const bosc_bisectors *bisectors, const int64_t *roots,
                                  const double *points, int64_t point_count, int64_t *leaves)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(bi_bisector_check_array(ctx, "point_count", point_count, "roots", roots, sizeof *roots));
    BI_TRY(bi_bisector_check_array(ctx, "point_count", point_count, "points", points, sizeof *points));
    BI_TRY(bi_bisector_check_array(ctx, "point_count", point_count, "leaves", leaves, sizeof *leaves));
    struct query_arrays a = {.count = point_count,
                             .in = {roots, points},
                             .in_size = {sizeof *roots, 2 * sizeof *points},
                             .out = {leaves},
                             .out_size = {sizeof *leaves}};
    BI_RETURN_WITH_SCRATCH(ctx, run_query(ctx, bisectors, ctx->ops->bisector->steps->locate, 0, &a));
}

static bosc_status find_deepest(bosc_ctx *ctx, const bosc_bisectors *b, int32_t *deepest)
{
    struct bi_bisector_query q = {.view = b->view};
    uint32_t level;
    bi_progress_set_total(ctx, (double)b->view.leaves);
    BI_TRY(bi_scratch(ctx, sizeof *q.deepest, (void **)&q.deepest));
    BI_TRY(ctx->backend->fill(ctx, q.deepest, 0, sizeof *q.deepest));
    BI_TRY(BI_BISECTOR_STEP(ctx, deepest, b->view.leaves, &q));
    BI_TRY(bi_read_back(ctx, &level, q.deepest, sizeof level));
    *deepest = (int32_t)level;
    return BOSC_OK;
}

static size_t leaf_bytes(const struct bi_bisector_leaves *l) { return l->nodes.bytes + l->neighbours.bytes; }

bosc_status bosc_bisectors_get_info(bosc_ctx *ctx, const bosc_bisectors *bisectors, bosc_bisectors_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_bisectors_info));
    const size_t bytes = leaf_bytes(&bisectors->current) + leaf_bytes(&bisectors->next);
    bosc_bisectors_info full = {.leaves = bisectors->view.leaves,
                                .bytes = (int64_t)(bytes + bisectors->roots.bytes + bisectors->marks.bytes +
                                                   bisectors->exchange.bytes + bisectors->next_marks.bytes),
                                .capacity = (int64_t)(bisectors->current.nodes.bytes / sizeof(uint64_t)),
                                .root_count = bisectors->view.root_count,
                                .depth = bisectors->view.depth};
    BI_TRY_WITH_SCRATCH(ctx, find_deepest(ctx, bisectors, &full.deepest));
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
