/* Connected components of a graph: bosc_components_compute. */
#include "core/call.h"
#include "forest/drivers.h"

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
