/* Connected components and the labels of trees. */
#include "core/call.h"
#include "forest/msf_driver.h"

#include "base/bits.h"

static bosc_status flatten(bosc_ctx *ctx, int64_t n, uint32_t *parent)
{
    struct bi_flatten args = {parent};
    return ctx->ops->forest_steps->flatten(ctx, n, &args);
}

bosc_status bi_label_edges(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t entries, const void *ids,
                           int64_t count, uint32_t *labels)
{
    const struct bi_forest_steps *steps = ctx->ops->forest_steps;
    struct bi_iota iota = {labels, false};
    uint8_t *marks;
    BI_TRY(bi_forest_scratch(ctx, entries, 1, (void **)&marks));
    BI_TRY(steps->iota(ctx, rows->n, &iota));
    if (count == 0) return BOSC_OK;
    BI_TRY(ctx->backend->fill(ctx, marks, 0, (size_t)entries));
    struct bi_mark_ids mark = {ids, rows->wide, marks};
    struct bi_join_marked join = {*rows, marks, labels};
    BI_TRY(steps->mark_ids(ctx, count, &mark));
    BI_TRY(steps->join_marked(ctx, bi_div_up(rows->arcs, BI_MSF_TILE), &join));
    return flatten(ctx, rows->n, labels);
}

bosc_status bi_label_parents(bosc_ctx *ctx, int64_t n, uint32_t *parent, uint32_t *labels)
{
    const struct bi_forest_steps *steps = ctx->ops->forest_steps;
    uint32_t *smallest;
    BI_TRY(bi_forest_scratch(ctx, n, sizeof *smallest, (void **)&smallest));
    if (n == 0) return BOSC_OK;
    struct bi_smallest least = {parent, smallest};
    struct bi_gather_labels gather = {parent, smallest, labels};
    BI_TRY(flatten(ctx, n, parent));
    BI_TRY(ctx->backend->fill(ctx, smallest, 0xff, (size_t)n * sizeof *smallest));
    BI_TRY(steps->smallest(ctx, n, &least));
    return steps->gather_labels(ctx, n, &gather);
}

bosc_status bi_count_roots(bosc_ctx *ctx, const struct bi_msf_rows *rows, const uint32_t *labels, int64_t *count)
{
    struct bi_count_roots roots = {.labels = labels, .mask = rows->order.vertex_mask};
    void *counted;
    *count = rows->n;
    if (rows->n == 0 || (!labels && !roots.mask)) return BOSC_OK;
    BI_TRY(bi_forest_scratch(ctx, rows->n, 1, (void **)&roots.out));
    BI_TRY(bi_forest_scratch(ctx, 1, sizeof(int64_t), &counted));
    BI_TRY(ctx->ops->forest_steps->count_roots(ctx, rows->n, &roots));
    BI_TRY(ctx->backend->core->compact(ctx, 1, roots.out, roots.out, rows->n, NULL, counted));
    return bi_read_back(ctx, count, counted, sizeof *count);
}

bosc_status bi_give_labels(bosc_ctx *ctx, const bosc_graph *graph, const struct bi_msf_rows *rows,
                           const uint32_t *labels, const struct bi_out *out)
{
    struct bi_write_labels write = {labels, rows->order.vertex_mask, out->reachable, graph->opts.id_bits == 64};
    BI_TRY(ctx->ops->forest_steps->write_labels(ctx, rows->n, &write));
    return bi_stage_back(ctx, out);
}

static bosc_status components(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, void *labels,
                              int64_t *count)
{
    struct bi_msf_rows rows;
    struct bi_out out;
    uint32_t *found;
    int64_t roots;
    bool staged = false;
    BI_TRY(bi_msf_rows_of(ctx, graph, opts, &rows));
    BI_TRY(bi_stage_out(ctx, labels, labels ? (size_t)graph->n * (size_t)graph->opts.id_bits / 8 : 0, &out, &staged));
    BI_TRY(bi_forest_scratch(ctx, graph->n, sizeof *found, (void **)&found));
    BI_TRY(ctx->ops->forest->components(ctx, &rows, found, &roots));
    if (labels) BI_TRY(bi_give_labels(ctx, graph, &rows, found, &out));
    BI_TRY(ctx->backend->sync(ctx));
    if (count) *count = roots;
    return BOSC_OK;
}

bosc_status bosc_components(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, void *labels,
                            int64_t *count)
{
    bosc_msf_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    BI_TRY(bi_msf_check_opts(ctx, graph, opts, &full));
    if ((uintptr_t)labels % (uintptr_t)(graph->opts.id_bits / 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "labels: not aligned to elements of %d bits", (int)graph->opts.id_bits);
    BI_RETURN_WITH_SCRATCH(ctx, components(ctx, graph, &full, labels, count));
}
