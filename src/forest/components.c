/* Labels of trees and components, the smallest vertex of each; and the connected components of a graph. */
#include "base/bits.h"
#include "core/call.h"
#include "forest/drivers.h"

/* ---- labels ---- */

static bosc_status flatten_trees(bosc_ctx *ctx, int64_t n, uint32_t *parent)
{
    struct bi_flatten args = {parent};
    return ctx->ops->forest->steps->flatten(ctx, n, &args);
}

bosc_status bi_msf_label_edges(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t entries, const void *ids,
                               int64_t count, uint32_t *labels)
{
    const struct bi_forest_steps *steps = ctx->ops->forest->steps;
    uint8_t *marks;
    BI_TRY(bi_scratch_of(ctx, entries, 1, (void **)&marks));
    BI_TRY(ctx->backend->core->iota(ctx, 4, labels, rows->n));
    if (count == 0) return BOSC_OK;
    BI_TRY(ctx->backend->fill(ctx, marks, 0, (size_t)entries));
    struct bi_msf_mark_ids mark = {ids, rows->is_64bit, marks};
    struct bi_msf_join_marked join = {*rows, marks, labels};
    BI_TRY(steps->msf_mark_ids(ctx, count, &mark));
    BI_TRY_WITH_COST(ctx, BI_MSF_ITEM_ARCS,
                     steps->msf_join_marked(ctx, bi_div_up(rows->arcs, BI_MSF_ITEM_ARCS), &join));
    return flatten_trees(ctx, rows->n, labels);
}

bosc_status bi_msf_label_parents(bosc_ctx *ctx, int64_t n, uint32_t *parent, uint32_t *labels)
{
    const struct bi_forest_steps *steps = ctx->ops->forest->steps;
    uint32_t *smallest;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *smallest, (void **)&smallest));
    if (n == 0) return BOSC_OK;
    struct bi_msf_smallest least = {parent, smallest};
    struct bi_msf_gather_labels gather = {parent, smallest, labels};
    BI_TRY(flatten_trees(ctx, n, parent));
    BI_TRY(ctx->backend->fill(ctx, smallest, 0xff, (size_t)n * sizeof *smallest));
    BI_TRY(steps->msf_smallest(ctx, n, &least));
    return steps->msf_gather_labels(ctx, n, &gather);
}

bosc_status bi_msf_count_roots(bosc_ctx *ctx, const struct bi_msf_rows *rows, const uint32_t *labels, int64_t *count)
{
    struct bi_msf_mark_roots roots = {.labels = labels, .mask = rows->order.vertex_mask};
    void *counted;
    *count = rows->n;
    if (rows->n == 0 || (!labels && !roots.mask)) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rows->n, 1, (void **)&roots.out));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof(int64_t), &counted));
    BI_TRY(ctx->ops->forest->steps->msf_mark_roots(ctx, rows->n, &roots));
    BI_TRY(ctx->backend->core->compact(ctx, 1, roots.out, roots.out, rows->n, NULL, counted));
    return bi_read_back(ctx, count, counted, sizeof *count);
}

bosc_status bi_msf_allocate_labels(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                                   const struct bi_out *out, uint32_t **labels)
{
    bool as_given = out->reachable && graph->id_bits == 32 && !rows->order.vertex_mask;
    if (!as_given) return bi_scratch_of(ctx, graph->n, sizeof **labels, (void **)labels);
    *labels = out->reachable;
    return BOSC_OK;
}

bosc_status bi_msf_store_labels(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                                const uint32_t *labels, const struct bi_out *out)
{
    if (labels == out->reachable) return bi_stage_back(ctx, out);
    struct bi_msf_write_labels write = {labels, rows->order.vertex_mask, out->reachable, graph->id_bits == 64};
    BI_TRY(ctx->ops->forest->steps->msf_write_labels(ctx, rows->n, &write));
    return bi_stage_back(ctx, out);
}

/* ---- components ---- */

static bosc_status compute_components(bosc_ctx *ctx, const struct bi_graph_view *graph, const bosc_msf_opts *opts,
                                      void *labels, int64_t *count)
{
    struct bi_msf_rows rows;
    struct bi_out out;
    uint32_t *found;
    int64_t roots;
    bool staged = false;
    BI_TRY(bi_msf_rows_of(ctx, graph, opts, &rows));
    BI_TRY(bi_stage_out(ctx, labels, labels ? (size_t)graph->n * (size_t)graph->id_bits / 8 : 0, &out, &staged));
    BI_TRY(bi_msf_allocate_labels(ctx, graph, &rows, &out, &found));
    BI_TRY(ctx->ops->forest->components(ctx, &rows, found, &roots));
    if (labels) BI_TRY(bi_msf_store_labels(ctx, graph, &rows, found, &out));
    if (labels && found != out.user) BI_TRY(ctx->backend->sync(ctx)); /* else reading the count has waited already */
    if (count) *count = roots;
    return BOSC_OK;
}

bosc_status bosc_components_compute(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, void *labels,
                                    int64_t *count)
{
    struct bi_graph_view view;
    bosc_msf_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_graph_view_of(ctx, graph, &view));
    BI_TRY(bi_msf_check_opts(ctx, &view, opts, &full));
    BI_TRY(bi_forest_check_ids(ctx, &view, "labels", labels));
    bi_progress_set_total(ctx, 9 * (double)view.n);
    BI_RETURN_WITH_SCRATCH(ctx, compute_components(ctx, &view, &full, labels, count));
}
