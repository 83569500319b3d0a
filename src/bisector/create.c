/* Creates pools, and sets their leaves: the nodes of a level, or nodes of the caller. */
#include "bisector/steps/steps.h"

/* Runs a step that lowers *bad to the first invalid leaf; INT64_MAX: all are valid. Waits. */
static bosc_status run_check(bosc_ctx *ctx, bi_step_fn step, struct bi_bisector_connect *a, int64_t *bad)
{
    BI_TRY(bi_scratch(ctx, sizeof *a->bad, (void **)&a->bad));
    *bad = INT64_MAX;
    BI_TRY(ctx->backend->copy(ctx, a->bad, bad, sizeof *bad));
    BI_TRY(ctx->backend->sync(ctx)); /* the copy reads *bad, which is overwritten below */
    BI_TRY(step(ctx, a->view.leaves, a));
    return bi_read_back(ctx, bad, a->bad, sizeof *bad);
}

/* Finds the neighbours of the nodes in `next` and makes them the leaves. The nodes are sorted and tile the roots. *bad:
 * the first node without a neighbour, and the pool is unchanged; else INT64_MAX. Waits. */
static bosc_status find_neighbours(bosc_ctx *ctx, bosc_bisectors *bisectors, int64_t leaves, int64_t *bad)
{
    struct bi_bisector_connect a = {.view = bisectors->view, .neighbours = bisectors->next.neighbours.data};
    a.view.nodes = bisectors->next.nodes.data;
    a.view.leaves = leaves;
    BI_TRY(run_check(ctx, ctx->ops->bisector->steps->connect, &a, bad));
    if (*bad == INT64_MAX) bi_bisector_swap(bisectors, leaves);
    return BOSC_OK;
}

bosc_status bi_bisector_install(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t leaves,
                                int64_t *bad)
{
    struct bi_bisector_connect a = {.view = bisectors->view};
    BI_TRY(bi_bisector_reserve_leaves(ctx, bisectors, &bisectors->next, leaves));
    BI_TRY(ctx->backend->copy(ctx, bisectors->next.nodes.data, nodes, (size_t)leaves * sizeof *nodes));
    a.view.nodes = bisectors->next.nodes.data;
    a.view.leaves = leaves;
    BI_TRY(run_check(ctx, ctx->ops->bisector->steps->check, &a, bad));
    return *bad == INT64_MAX ? find_neighbours(ctx, bisectors, leaves, bad) : BOSC_OK;
}

/* Makes the nodes of a level the leaves. */
static bosc_status set_level(bosc_ctx *ctx, bosc_bisectors *bisectors, int32_t level)
{
    int64_t leaves, bad;
    BI_TRY(bi_bisector_level_size(ctx, bisectors->view.root_count, level, &leaves));
    bi_progress_set_total(ctx, 2 * (double)leaves);
    BI_TRY(bi_bisector_reserve_leaves(ctx, bisectors, &bisectors->next, leaves));
    const struct bi_bisector_fill fill = {bisectors->next.nodes.data,
                                          (uint64_t)1 << (level + bisectors->view.root_bits)};
    BI_TRY(BI_BISECTOR_STEP(ctx, fill, leaves, &fill));
    return find_neighbours(ctx, bisectors, leaves, &bad); /* nodes of one level conform: none is bad */
}

/* Converts the caller's 3 s + f to 4 s + f. *glued: NULL if no edge is glued. */
static bosc_status pack_roots(bosc_ctx *ctx, const bosc_bisectors_opts *o, uint32_t **glued)
{
    *glued = NULL;
    if (!o->glued) return BOSC_OK;
    BI_TRY(bi_host_scratch(ctx, (size_t)o->root_count * 3 * sizeof **glued, (void **)glued));
    for (int64_t e = 0; e < 3 * o->root_count; e++) {
        const int64_t to = o->glued[e];
        (*glued)[e] = to < 0 ? BI_BISECTOR_BORDER : (uint32_t)(4 * (to / 3) + to % 3);
    }
    return BOSC_OK;
}

bosc_status bosc_bisectors_create(bosc_ctx *ctx, const bosc_bisectors_opts *opts, bosc_bisectors **bisectors)
{
    bosc_bisectors_opts full;
    bosc_bisectors *fresh;
    uint32_t *glued;
    int64_t leaves;
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check_opts(ctx, opts, &full));
    if (!bisectors) return bi_fail(ctx, BOSC_ERR_ARG, "bisectors: NULL");
    BI_TRY(bi_bisector_level_size(ctx, full.root_count, full.level, &leaves));
    BI_TRY(pack_roots(ctx, &full, &glued));
    BI_TRY(bi_bisector_allocate(ctx, &full, glued, &fresh));
    BI_WITH_SCRATCH(ctx, status = set_level(ctx, fresh, full.level));
    if (status == BOSC_OK)
        *bisectors = fresh;
    else
        bosc_bisectors_free(fresh);
    return status;
}

bosc_status bosc_bisectors_reset(bosc_ctx *ctx, bosc_bisectors *bisectors, int32_t level)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    if (level < 0 || level > bisectors->view.depth)
        return bi_fail(ctx, BOSC_ERR_ARG, "level: %d is not in 0 to depth %d", (int)level, (int)bisectors->view.depth);
    BI_RETURN_WITH_SCRATCH(ctx, set_level(ctx, bisectors, level));
}

static bosc_status set_nodes(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t node_count)
{
    const void *reachable;
    bool staged = false;
    int64_t bad;
    bi_progress_set_total(ctx, 3 * (double)node_count);
    BI_TRY(bi_stage_in(ctx, nodes, (size_t)node_count * sizeof *nodes, &reachable, &staged));
    BI_TRY(bi_bisector_install(ctx, bisectors, reachable, node_count, &bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "nodes: number %lld does not conform with the others", (long long)bad);
}

bosc_status bosc_bisectors_set_nodes(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                     int64_t node_count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(bi_bisector_check_array(ctx, "node_count", node_count, "nodes", nodes, sizeof *nodes));
    if (node_count == 0) return bi_fail(ctx, BOSC_ERR_ARG, "node_count: 0, but a pool has a leaf at least");
    BI_TRY(bi_bisector_check_leaves(ctx, node_count));
    BI_RETURN_WITH_SCRATCH(ctx, set_nodes(ctx, bisectors, nodes, node_count));
}
