/* Spanning forests and components of an edge list without a graph. If some entry is not an edge by itself, or the
 * backend has no algorithm for lists, a temporary graph is built. */
#include "core/call.h"
#include "forest/drivers.h"

/* The parsed arguments of a call, with its entries staged. */
struct edge_list_job {
    bosc_graph_opts graph_opts;
    bosc_msf_opts opts;
    struct bi_graph_entries list;
    struct bi_graph_view view; /* counts and types, without rows */
};

static bosc_status parse_job(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                             const struct bi_graph_entries *given, struct edge_list_job *job)
{
    const struct bi_graph_entries *e = &job->list;
    BI_TRY(bi_graph_entries_of(ctx, graph_opts, given, &job->graph_opts, &job->list));
    job->view = (struct bi_graph_view){
        .n = e->n, .entries = e->m, .m = e->m, .weight = e->dtype, .id_bits = job->graph_opts.id_bits};
    return bi_msf_check_opts(ctx, &job->view, opts, &job->opts);
}

/* Stages the masks, and describes the entries to the backend with all options. *rows: without rows, for their order. */
static bosc_status describe_entries(bosc_ctx *ctx, const struct edge_list_job *job, struct bi_msf_rows *rows,
                                    struct bi_msf_entries *entries)
{
    const bosc_graph_opts *o = &job->graph_opts;
    BI_TRY(bi_msf_rows_of(ctx, &job->view, &job->opts, rows));
    *entries = (struct bi_msf_entries){.list = job->list,
                                       .order = rows->order,
                                       .drop_nan = o->nan == BOSC_GRAPH_NAN_DROP,
                                       .check_opts = o,
                                       .refuse_nan = bi_graph_refuses_nan(o, &job->list) &&
                                                     bi_graph_checks_entries(o, &job->list)};
    return BOSC_OK;
}

/* True if every entry is an edge by itself, or the second arc of one. A second arc is never chosen: it is not lighter
 * than the first and has a larger number. */
static bool entries_are_edges(const struct edge_list_job *job)
{
    const bosc_graph_opts *o = &job->graph_opts;
    if (o->parallel != BOSC_GRAPH_PARALLEL_KEEP) return false;
    return o->arcs == BOSC_GRAPH_ARCS_ONE || (o->assume_valid && !job->opts.edge_mask);
}

/* The same call on a graph. */
typedef bosc_status (*graph_fn)(bosc_ctx *ctx, const bosc_graph *graph, const struct edge_list_job *job, void *outputs);

/* Builds a graph for the call, calls `compute` on it, and frees it. */
static bosc_status compute_via_graph(bosc_ctx *ctx, const struct edge_list_job *job, graph_fn compute, void *outputs)
{
    const struct bi_graph_entries *e = &job->list;
    bosc_graph *graph;
    bi_progress_set_total(ctx, 38 * (double)e->m);
    BI_TRY(bosc_graph_create(ctx, &job->graph_opts, &graph));
    bosc_status status = bosc_graph_build(ctx, graph, e->u, e->v, e->weights, e->n, e->m);
    if (status == BOSC_OK) status = compute(ctx, graph, job, outputs);
    bosc_graph_free(graph);
    return status;
}

/* ---- forests ---- */

static bosc_status compute_graph_forest(bosc_ctx *ctx, const bosc_graph *graph, const struct edge_list_job *job,
                                        void *outputs)
{
    const struct bi_msf_outputs *to = outputs;
    return bosc_msf_compute(ctx, graph, &job->opts, to->edges, to->labels, to->info);
}

static bosc_status compute_forest(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                  const struct bi_graph_entries *given, struct bi_msf_outputs *to)
{
    struct edge_list_job job = {.view = {0}};
    struct bi_msf_entries entries;
    struct bi_msf_rows rows;
    BI_TRY(parse_job(ctx, graph_opts, opts, given, &job));
    BI_TRY(bi_msf_check_outputs(ctx, &job.view, to));
    /* The backend's list algorithm takes 32-bit ids, the AUTO algorithm and no cut. */
    bool narrow = !job.graph_opts.wide && given->m < (int64_t)UINT32_MAX && given->n < BI_FOREST_MOST_LISTED;
    bool plain = job.opts.algorithm == BOSC_MSF_AUTO && job.opts.trees == 0;
    if (!ctx->ops->forest->msf_entries || !narrow || !plain || !entries_are_edges(&job))
        return compute_via_graph(ctx, &job, compute_graph_forest, to);
    BI_TRY(describe_entries(ctx, &job, &rows, &entries));
    return bi_msf_compute_checked(ctx, &job.view, &entries, &job.opts, to);
}

bosc_status bosc_msf_compute_edges(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                   const void *u, const void *v, const void *weights, int64_t n, int64_t m, void *edges,
                                   void *labels, bosc_msf_info *info)
{
    const struct bi_graph_entries given = {.n = n, .m = m, .u = u, .v = v, .weights = weights};
    struct bi_msf_outputs to = {edges, labels, info};
    BI_ENTER(ctx);
    BI_RETURN_WITH_SCRATCH(ctx, compute_forest(ctx, graph_opts, opts, &given, &to));
}

/* ---- components ---- */

struct component_outputs {
    void *labels;
    int64_t *count;
};

static bosc_status compute_graph_components(bosc_ctx *ctx, const bosc_graph *graph, const struct edge_list_job *job,
                                            void *outputs)
{
    const struct component_outputs *to = outputs;
    return bosc_components_compute(ctx, graph, &job->opts, to->labels, to->count);
}

/* Tries the single-block kernel, which checks entries itself; otherwise checks, then runs the general operation. */
static bosc_status find_components(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool limited, uint32_t *labels,
                                   int64_t *count)
{
    const struct bi_forest_ops *ops = ctx->ops->forest;
    const bool weighed = limited || entries->drop_nan;
    enum bi_forest_outcome outcome = BI_FOREST_TOO_LARGE;
    if (ops->components_entries_single_block)
        BI_TRY(ops->components_entries_single_block(ctx, entries, weighed, labels, count, &outcome));
    if (outcome == BI_FOREST_FOUND) return BOSC_OK;
    BI_TRY(bi_graph_check_entries(ctx, entries->check_opts, &entries->list));
    return ops->components_entries(ctx, entries, weighed, labels, count);
}

static bosc_status compute_components(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                      const struct bi_graph_entries *given, struct component_outputs *to)
{
    struct edge_list_job job = {.view = {0}};
    struct bi_msf_entries entries;
    struct bi_msf_rows rows;
    struct bi_out out;
    uint32_t *labels;
    int64_t count;
    bool staged = false;
    BI_TRY(parse_job(ctx, graph_opts, opts, given, &job));
    BI_TRY(bi_forest_check_ids(ctx, &job.view, "labels", to->labels));
    if (!entries_are_edges(&job)) return compute_via_graph(ctx, &job, compute_graph_components, to);
    bi_progress_set_total(ctx, 9 * (double)job.view.n + 4 * (double)job.view.m);
    BI_TRY(describe_entries(ctx, &job, &rows, &entries));
    BI_TRY(bi_stage_out(ctx, to->labels, to->labels ? (size_t)job.view.n * (size_t)job.view.id_bits / 8 : 0, &out,
                        &staged));
    BI_TRY(bi_msf_allocate_labels(ctx, &job.view, &rows, &out, &labels));
    BI_TRY(find_components(ctx, &entries, job.opts.limit != NULL, labels, &count));
    if (to->labels) BI_TRY(bi_msf_store_labels(ctx, &job.view, &rows, labels, &out));
    if (to->labels && labels != out.user)
        BI_TRY(ctx->backend->sync(ctx)); /* else reading the count has waited already */
    if (to->count) *to->count = count;
    return BOSC_OK;
}

bosc_status bosc_components_compute_edges(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                          const void *u, const void *v, const void *weights, int64_t n, int64_t m,
                                          void *labels, int64_t *count)
{
    const struct bi_graph_entries given = {.n = n, .m = m, .u = u, .v = v, .weights = weights};
    struct component_outputs to = {labels, count};
    BI_ENTER(ctx);
    BI_RETURN_WITH_SCRATCH(ctx, compute_components(ctx, graph_opts, opts, &given, &to));
}
