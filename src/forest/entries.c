/* Spanning forests and components of entries that are in no graph. Those that are not edges as they stand, or that a
 * backend has no algorithm for, become a graph for the call. */
#include "core/call.h"
#include "forest/drivers.h"

/* What is asked, of entries in reach. */
struct question {
    bosc_graph_opts graph_opts;
    bosc_msf_opts opts;
    struct bi_msf_entries entries;
    struct bi_graph_view view; /* numbers and types, without rows */
};

static bosc_status take_question(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                 const struct bi_graph_entries *given, struct question *q)
{
    struct bi_graph_entries *e = &q->entries.of;
    BI_TRY(bi_graph_entries_of(ctx, graph_opts, given, &q->graph_opts, e));
    q->entries.drop_nan = q->graph_opts.nan == BOSC_GRAPH_NAN_DROP;
    q->entries.refuse_nan = bi_graph_refuses_nan(&q->graph_opts, e) && bi_graph_checks_entries(&q->graph_opts, e);
    q->view = (struct bi_graph_view){
        .n = e->n, .entries = e->m, .m = e->m, .weight = e->dtype, .id_bits = q->graph_opts.id_bits};
    return bi_msf_check_opts(ctx, &q->view, opts, &q->opts);
}

/* Whether every entry is an edge of its own, or the second arc of one that is not lighter and has a larger number. */
static bool are_edges(const struct question *q)
{
    const bosc_graph_opts *o = &q->graph_opts;
    if (o->parallel != BOSC_GRAPH_PARALLEL_KEEP) return false;
    return o->arcs == BOSC_GRAPH_ARCS_ONE || (o->assume_valid && !q->opts.edge_mask);
}

typedef bosc_status (*ask_fn)(bosc_ctx *ctx, const bosc_graph *graph, const struct question *q, void *answer);

static bosc_status ask_graph(bosc_ctx *ctx, const struct question *q, ask_fn ask, void *answer)
{
    const struct bi_graph_entries *e = &q->entries.of;
    bosc_graph *graph;
    bi_progress_set_total(ctx, 38 * (double)e->m);
    BI_TRY(bosc_graph_create(ctx, &q->graph_opts, &graph));
    bosc_status status = bosc_graph_build(ctx, graph, e->u, e->v, e->weights, e->n, e->m);
    if (status == BOSC_OK) status = ask(ctx, graph, q, answer);
    bosc_graph_free(graph);
    return status;
}

/* ---- forests ---- */

static bosc_status ask_forest(bosc_ctx *ctx, const bosc_graph *graph, const struct question *q, void *answer)
{
    const struct bi_msf_outputs *to = answer;
    return bosc_msf_compute(ctx, graph, &q->opts, to->edges, to->labels, to->info);
}

static bosc_status forest(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                          const struct bi_graph_entries *given, struct bi_msf_outputs *to)
{
    struct question q = {.view = {0}};
    BI_TRY(take_question(ctx, graph_opts, opts, given, &q));
    BI_TRY(bi_msf_check_outputs(ctx, &q.view, to));
    bool narrow = !q.graph_opts.wide && given->m < (int64_t)UINT32_MAX && given->n < BI_FOREST_MOST_LISTED;
    bool plain = q.opts.algorithm == BOSC_MSF_AUTO && q.opts.trees == 0;
    if (!ctx->ops->forest->msf_entries || !narrow || !plain || !are_edges(&q))
        return ask_graph(ctx, &q, ask_forest, to);
    q.entries.unchecked = &q.graph_opts;
    return bi_msf_answer(ctx, &q.view, &q.entries, &q.opts, to);
}

bosc_status bosc_msf_compute_edges(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                   const void *u, const void *v, const void *weights, int64_t n, int64_t m, void *edges,
                                   void *labels, bosc_msf_info *info)
{
    const struct bi_graph_entries given = {.n = n, .m = m, .u = u, .v = v, .weights = weights};
    struct bi_msf_outputs to = {edges, labels, info};
    BI_ENTER(ctx);
    BI_RETURN_WITH_SCRATCH(ctx, forest(ctx, graph_opts, opts, &given, &to));
}

/* ---- components ---- */

struct parts {
    void *labels;
    int64_t *count;
};

static bosc_status ask_components(bosc_ctx *ctx, const bosc_graph *graph, const struct question *q, void *answer)
{
    const struct parts *to = answer;
    return bosc_components_compute(ctx, graph, &q->opts, to->labels, to->count);
}

/* As the backend's operation. */
static bosc_status find_components(bosc_ctx *ctx, const struct question *q, uint32_t *labels, int64_t *count)
{
    const struct bi_forest_ops *ops = ctx->ops->forest;
    const bool weighed = q->opts.limit || q->entries.drop_nan;
    bool done = false;
    if (ops->components_few_entries)
        BI_TRY(ops->components_few_entries(ctx, &q->entries, weighed, labels, count, &done));
    if (done) return BOSC_OK;
    BI_TRY(bi_graph_check_entries(ctx, &q->graph_opts, &q->entries.of));
    return ops->components_entries(ctx, &q->entries, weighed, labels, count);
}

static bosc_status components(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                              const struct bi_graph_entries *given, struct parts *to)
{
    struct question q = {.view = {0}};
    struct bi_msf_rows rows;
    struct bi_out out;
    uint32_t *labels;
    int64_t count;
    bool staged = false;
    BI_TRY(take_question(ctx, graph_opts, opts, given, &q));
    BI_TRY(bi_forest_check_ids(ctx, &q.view, "labels", to->labels));
    if (!are_edges(&q)) return ask_graph(ctx, &q, ask_components, to);
    bi_progress_set_total(ctx, 9 * (double)q.view.n + 4 * (double)q.view.m);
    BI_TRY(bi_msf_rows_of(ctx, &q.view, &q.opts, &rows));
    q.entries.order = rows.order;
    BI_TRY(
        bi_stage_out(ctx, to->labels, to->labels ? (size_t)q.view.n * (size_t)q.view.id_bits / 8 : 0, &out, &staged));
    BI_TRY(bi_msf_take_labels(ctx, &q.view, &rows, &out, &labels));
    BI_TRY(find_components(ctx, &q, labels, &count));
    if (to->labels) BI_TRY(bi_msf_give_labels(ctx, &q.view, &rows, labels, &out));
    if (to->labels && labels != out.user) BI_TRY(ctx->backend->sync(ctx)); /* else nothing came after the count */
    if (to->count) *to->count = count;
    return BOSC_OK;
}

bosc_status bosc_components_compute_edges(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                          const void *u, const void *v, const void *weights, int64_t n, int64_t m,
                                          void *labels, int64_t *count)
{
    const struct bi_graph_entries given = {.n = n, .m = m, .u = u, .v = v, .weights = weights};
    struct parts to = {labels, count};
    BI_ENTER(ctx);
    BI_RETURN_WITH_SCRATCH(ctx, components(ctx, graph_opts, opts, &given, &to));
}
