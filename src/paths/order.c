/* The order of a breadth-first search with one queue, level by level. The backend may have an operation for it. */
#include "base/bits.h"
#include "paths/drivers.h"

/* Appends the next level to the list, whose last `l->count` vertices are the present one. */
static bosc_status append_level(struct bi_paths_call *c, struct bi_paths_level *l, struct bi_paths_order *order,
                                int64_t *found)
{
    bosc_ctx *ctx = c->ctx;
    int64_t arcs;
    void *count;
    *found = 0;
    l->vertices = order->vertices + order->count - l->count;
    /* 1. Number the arcs. */
    BI_TRY(bi_scratch_of(ctx, l->count + 1, sizeof *l->begins, &l->begins));
    BI_TRY(c->steps->paths_measure_rows(ctx, l->count + 1, l));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, l->begins, l->count + 1, l->begins));
    BI_TRY(bi_read_back(ctx, &arcs, l->begins + l->count, sizeof arcs));
    if (arcs == 0) return BOSC_OK;
    /* 2. Find the first arc to each vertex, and append its end. */
    BI_TRY(bi_scratch_of(ctx, arcs, sizeof *l->ends, &l->ends));
    BI_TRY(bi_scratch_of(ctx, arcs, 1, &l->keep));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *found, &count));
    BI_TRY(c->steps->paths_claim_ends(ctx, l->count, l));
    BI_TRY(c->steps->paths_keep_first(ctx, l->count, l));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *l->ends, l->ends, l->keep, arcs, order->vertices + order->count,
                                       count));
    BI_TRY(bi_read_back(ctx, found, count, sizeof *found));
    l->walked += (uint64_t)arcs;
    return BOSC_OK;
}

/* Lists all levels after the source, by steps and collectives. */
static bosc_status append_levels(struct bi_paths_call *c, struct bi_paths_order *order)
{
    bosc_ctx *ctx = c->ctx;
    const uint64_t zero = 0;
    struct bi_paths_level l = {.rows = c->rows, .count = 1, .predecessors = order->predecessors};
    uint32_t source;
    BI_TRY(bi_scratch_of(ctx, c->rows.n, sizeof *l.claims, &l.claims));
    BI_TRY(ctx->backend->fill(ctx, l.claims, 0xff, (size_t)c->rows.n * sizeof *l.claims));
    BI_TRY(bi_read_back(ctx, &source, order->vertices, sizeof source));
    BI_TRY(ctx->backend->copy(ctx, l.claims + source, &zero, sizeof zero));
    for (uint64_t level = 1; l.count > 0 && level < c->rows.bound; level++) {
        int64_t found;
        BI_TRY_WITH_SCRATCH(ctx, append_level(c, &l, order, &found));
        order->count += found;
        l.count = found;
    }
    return BOSC_OK;
}

/* The caller's arrays. */
struct outputs {
    void *order, *predecessors;
    int64_t *count;
};

static bosc_status list_vertices(struct bi_paths_call *c, const void *offsets, const void *neighbours, int64_t source,
                                 const struct outputs *to)
{
    bosc_ctx *ctx = c->ctx;
    const int64_t n = c->rows.n;
    const size_t id_bytes = (size_t)c->id_bits / 8;
    const uint32_t first = (uint32_t)source;
    struct bi_paths_order order = {.count = 1};
    struct bi_out list, predecessors;
    bool staged = false;
    /* 1. The rows and the list with the source. */
    BI_TRY(bi_stage_out(ctx, to->order, (size_t)n * id_bytes, &list, &staged));
    BI_TRY(bi_stage_out(ctx, to->predecessors, (size_t)n * id_bytes, &predecessors, &staged));
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *order.vertices, &order.vertices));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *order.predecessors, &order.predecessors));
    BI_TRY(bi_paths_convert_rows(c, offsets, neighbours, NULL));
    order.rows = c->rows;
    BI_TRY(ctx->backend->fill(ctx, order.predecessors, 0xff, (size_t)n * sizeof *order.predecessors));
    BI_TRY(ctx->backend->copy(ctx, order.vertices, &first, sizeof first));
    BI_TRY(ctx->backend->copy(ctx, order.predecessors + source, &first, sizeof first));
    /* 2. The others. */
    bi_progress_set_total(ctx, 2 * (double)n + (double)c->rows.arcs);
    if (ctx->ops->paths->order && c->opts.algorithm == BOSC_PATHS_AUTO)
        BI_TRY(ctx->ops->paths->order(ctx, &order));
    else
        BI_TRY_WITH_SCRATCH(ctx, append_levels(c, &order));
    /* 3. The caller's arrays. */
    const struct bi_paths_write write = {
        .predecessors = order.predecessors, .to = predecessors.reachable, .is_64bit = c->id_bits == 64};
    if (to->predecessors) BI_TRY(c->steps->paths_write(ctx, n, &write));
    if (to->order)
        BI_TRY(bi_graph_convert_words(ctx, order.vertices, false, list.reachable, c->id_bits == 64, order.count));
    if (to->predecessors) BI_TRY(bi_stage_back(ctx, &predecessors));
    if (to->order) BI_TRY(bi_stage_back(ctx, &list));
    BI_TRY(ctx->backend->sync(ctx));
    *to->count = order.count;
    return BOSC_OK;
}

bosc_status bosc_paths_order_rows(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const void *offsets,
                                  const void *neighbours, int64_t n, int64_t source, const bosc_paths_opts *opts,
                                  void *order, void *predecessors, int64_t *count)
{
    const struct outputs to = {order, predecessors, count};
    BI_ENTER(ctx);
    struct bi_paths_call c = {.ctx = ctx, .steps = ctx->ops->paths->steps, .rows = {.n = n}};
    BI_TRY(bi_paths_check_rows(&c, graph_opts, opts, offsets, neighbours, true));
    if (c.opts.each) return bi_fail(ctx, BOSC_ERR_ARG, "opts: each is not 0; an order has one source");
    if (source < 0 || source >= n)
        return bi_fail(ctx, BOSC_ERR_ARG, "source: %lld is no vertex of %lld", (long long)source, (long long)n);
    BI_TRY(bi_paths_check_array(ctx, "order", order, c.id_bits));
    BI_TRY(bi_paths_check_array(ctx, "predecessors", predecessors, c.id_bits));
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    BI_RETURN_WITH_SCRATCH(ctx, list_vertices(&c, offsets, neighbours, source, &to));
}
