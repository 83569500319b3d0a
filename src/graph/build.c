/* Builds graphs. Edges are listed as (u << bits | v, id), u <= v, and sorted stably, so that parallel edges stay in
 * the order of their ids. The list is the forward half of the rows: arcs u -> v. A stable sort of the list by v is the
 * back half. A row is its back arcs, then its forward arcs, and so ascends.
 *
 * All scratch is allocated before a block of the graph is written, so that running out of memory leaves the graph as
 * it was. */
#include "base/bits.h"
#include "core/call.h"
#include "graph/drivers.h"
#include "graph/view.h"

static bosc_status allocate_list(struct bi_graph_build *b, struct bi_graph_edge_list *list)
{
    BI_TRY(bi_scratch_of(b->ctx, b->entries.m, sizeof *list->keys, (void **)&list->keys));
    return bi_scratch_of(b->ctx, b->entries.m, bi_graph_word_bytes(b), &list->ids);
}

static void swap_lists(struct bi_graph_build *b)
{
    struct bi_graph_edge_list edges = b->edges;
    b->edges = b->spare;
    b->spare = edges;
}

/* Sorts the list of edges if needed; `order` has the bits of bi_graph_read_order. */
static bosc_status sort_edges(struct bi_graph_build *b, uint32_t order)
{
    if (!(order & BI_GRAPH_KEYS_FALL)) return BOSC_OK;
    b->spare.count = b->edges.count;
    BI_TRY(bi_graph_sort_by_key(b, &b->edges, &b->spare, order));
    swap_lists(b);
    return BOSC_OK;
}

/* Lists all entries, and checks them in the same pass. */
static bosc_status list_all_entries(struct bi_graph_build *b)
{
    struct {
        int64_t bad;
        uint32_t found;
    } result = {INT64_MAX, 0};
    struct bi_graph_list_entries list = {.entries = b->entries,
                                         .check = bi_graph_checks_entries(&b->next->opts, &b->entries),
                                         .refuse_nan = b->next->opts.nan == BOSC_GRAPH_NAN_REFUSE,
                                         .is_64bit = b->is_64bit,
                                         .bits = b->bits,
                                         .keys = b->edges.keys,
                                         .ids = b->edges.ids,
                                         .bad = b->result,
                                         .found = (uint32_t *)((int64_t *)b->result + 1)};
    b->edges.count = b->entries.m;
    BI_TRY(b->ctx->backend->copy(b->ctx, b->result, &result, sizeof result));
    BI_TRY(BI_GRAPH_STEP(b, list_entries, b->entries.m, &list));
    BI_TRY(bi_read_back(b->ctx, &result, b->result, sizeof result));
    if (result.bad != INT64_MAX) return bi_graph_bad_entry(b->ctx, &b->entries, result.bad);
    b->ascending = !(result.found & BI_GRAPH_KEYS_FALL);
    return sort_edges(b, result.found);
}

/* Lists only the kept entries, if the options may drop some. */
static bosc_status list_kept_entries(struct bi_graph_build *b)
{
    const bosc_graph_opts *o = &b->next->opts;
    struct bi_graph_iota iota = {b->edges.ids, b->is_64bit};
    struct bi_graph_classify classify = {
        .entries = b->entries, .drop_loops = o->drop_loops, .drop_nan = o->nan == BOSC_GRAPH_NAN_DROP};
    uint32_t order;
    BI_TRY(BI_GRAPH_STEP(b, iota, b->entries.m, &iota));
    BI_TRY(bi_scratch_of(b->ctx, b->entries.m, 1, (void **)&classify.flags[BI_GRAPH_FORWARD]));
    BI_TRY(BI_GRAPH_STEP(b, classify, b->entries.m, &classify));
    BI_TRY(bi_graph_select_edges(b, b->edges.ids, classify.flags[BI_GRAPH_FORWARD], &b->spare));
    swap_lists(b);
    BI_TRY(bi_graph_read_order(b, &b->edges, &order));
    return sort_edges(b, order);
}

/* Fills b->edges from the entries, checked and sorted. */
static bosc_status list_edges(struct bi_graph_build *b)
{
    const bosc_graph_opts *o = &b->next->opts;
    if (o->arcs == BOSC_GRAPH_ARCS_ONE && !o->drop_loops && o->nan != BOSC_GRAPH_NAN_DROP) return list_all_entries(b);
    BI_TRY(bi_graph_check_entries(b->ctx, o, &b->entries));
    return o->arcs == BOSC_GRAPH_ARCS_BOTH ? bi_graph_pair_arcs(b) : list_kept_entries(b);
}

static bosc_status build_rows(struct bi_graph_build *b, const bosc_graph *graph)
{
    BI_TRY(bi_scratch(b->ctx, 64, &b->result));
    BI_TRY(allocate_list(b, &b->edges));
    BI_TRY(allocate_list(b, &b->spare));
    BI_TRY(list_edges(b));
    if (graph->opts.parallel != BOSC_GRAPH_PARALLEL_KEEP) BI_TRY(bi_graph_drop_parallel(b));
    return bi_graph_write_rows(b, graph);
}

static void set_empty(bosc_graph *graph)
{
    graph->n = graph->entries = graph->m = graph->arcs = graph->loops = graph->parallel = graph->isolated = 0;
    graph->least_degree = graph->most_degree = 0;
    graph->is_64bit = false;
    graph->ids_in_order = true;
}

/* Builds into a copy of the handle; commits it on success. After a device error the graph is empty. */
static bosc_status build_graph(bosc_ctx *ctx, bosc_graph *graph, const struct bi_graph_entries *entries)
{
    bosc_graph next = *graph;
    struct bi_graph_build b = {.ctx = ctx,
                               .steps = ctx->ops->graph->steps,
                               .next = &next,
                               .entries = *entries,
                               .is_64bit = bi_graph_needs_64bit(&graph->opts, entries->m),
                               .bits = entries->n > 2 ? bi_bit_length((uint64_t)entries->n - 1) : 1};
    bi_progress_set_total(ctx, 22 * (double)entries->m);
    bosc_status status = BOSC_OK;
    if (entries->n == 0 && entries->m == 0)
        set_empty(&next);
    else
        status = build_rows(&b, graph);
    if (status == BOSC_OK) {
        bi_graph_commit(graph, &next);
        return BOSC_OK;
    }
    bi_graph_abandon(graph, &next);
    if (status != BOSC_ERR_NOMEM && status != BOSC_ERR_DATA) set_empty(graph);
    return status;
}

static bosc_status stage_and_build(bosc_ctx *ctx, bosc_graph *graph, struct bi_graph_entries e)
{
    BI_TRY(bi_graph_stage_entries(ctx, &e));
    return build_graph(ctx, graph, &e);
}

bosc_status bosc_graph_build(bosc_ctx *ctx, bosc_graph *graph, const void *u, const void *v, const void *weights,
                             int64_t n, int64_t m)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    const bosc_graph_opts *o = &graph->opts;
    bool is_64bit = o->id_bits == 64;
    struct bi_graph_entries e = {.n = n,
                                 .m = m,
                                 .u = u,
                                 .v = v,
                                 .u_is_64bit = is_64bit,
                                 .v_is_64bit = is_64bit,
                                 .weights = weights,
                                 .dtype = o->weight};
    BI_TRY(bi_graph_check_arrays(ctx, o, &e));
    BI_RETURN_WITH_SCRATCH(ctx, stage_and_build(ctx, graph, e));
}

/* The edges are built under their positions as ids; in the end positions are mapped to the caller's ids. */
bosc_status bi_graph_build_with_ids(bosc_ctx *ctx, bosc_graph *graph, const struct bi_graph_entries *edges,
                                    const uint64_t *ids, int64_t entries)
{
    const bosc_graph_opts opts = graph->opts;
    graph->opts.wide = bi_graph_needs_64bit(&opts, entries);
    graph->opts.assume_valid = 1;
    const bosc_status status = build_graph(ctx, graph, edges);
    graph->opts = opts;
    BI_TRY(status);
    graph->entries = entries;
    if (graph->arcs == 0) return BOSC_OK;
    const struct bi_graph_map_ids map = {graph->edge_ids.data, graph->is_64bit, ids};
    BI_TRY(ctx->ops->graph->steps->graph_map_ids(ctx, graph->arcs, &map));
    return ctx->backend->sync(ctx);
}

/* Checks staged offsets: they begin with 0, ascend, and end with the number of entries. */
static bosc_status check_offsets(bosc_ctx *ctx, const bosc_graph *graph, int64_t n, const int64_t *offsets, int64_t *m)
{
    int64_t first, bad = INT64_MAX;
    void *found;
    BI_TRY(bi_scratch(ctx, sizeof bad, &found));
    BI_TRY(bi_read_back(ctx, &first, offsets, sizeof first));
    BI_TRY(bi_read_back(ctx, m, offsets + n, sizeof *m));
    if (first != 0) return bi_fail(ctx, BOSC_ERR_DATA, "offsets: they begin with %lld, not 0", (long long)first);
    if (*m < 0) return bi_fail(ctx, BOSC_ERR_DATA, "offsets: they end with %lld", (long long)*m);
    struct bi_graph_check_offsets check = {offsets, true, n, found};
    BI_TRY(ctx->backend->copy(ctx, found, &bad, sizeof bad));
    BI_TRY(ctx->ops->graph->steps->graph_check_offsets(ctx, n, &check));
    BI_TRY(bi_read_back(ctx, &bad, found, sizeof bad));
    if (bad != INT64_MAX) return bi_fail(ctx, BOSC_ERR_DATA, "offsets: they do not ascend at %lld", (long long)bad);
    return bi_graph_check_sizes(ctx, &graph->opts, n, *m);
}

/* Expands offsets to the row of each entry. */
static bosc_status expand_rows(bosc_ctx *ctx, const int64_t *offsets, int64_t n, int64_t m, const void **rows)
{
    void *row_of;
    BI_TRY(bi_scratch_of(ctx, m, sizeof(uint32_t), &row_of));
    *rows = row_of;
    return bi_graph_expand_rows(ctx, offsets, true, n, m, row_of);
}

static bosc_status stage_and_build_rows(bosc_ctx *ctx, bosc_graph *graph, int64_t n, const void *offsets,
                                        struct bi_graph_entries e)
{
    bool staged = false;
    size_t id_bytes = (size_t)graph->opts.id_bits / 8;
    BI_TRY(bi_stage_in(ctx, offsets, ((size_t)n + 1) * sizeof(int64_t), &offsets, &staged));
    BI_TRY(check_offsets(ctx, graph, n, offsets, &e.m));
    BI_TRY(bi_graph_check_array(ctx, "neighbours", e.v, e.m, id_bytes));
    BI_TRY(bi_stage_in(ctx, e.v, (size_t)e.m * id_bytes, &e.v, &staged));
    BI_TRY(bi_graph_stage_weights(ctx, &e));
    BI_TRY(expand_rows(ctx, offsets, n, e.m, &e.u));
    return build_graph(ctx, graph, &e);
}

bosc_status bosc_graph_build_rows(bosc_ctx *ctx, bosc_graph *graph, const int64_t *offsets, const void *neighbours,
                                  const void *weights, int64_t n)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    const bosc_graph_opts *o = &graph->opts;
    BI_TRY(bi_graph_check_sizes(ctx, o, n, 0));
    BI_TRY(bi_graph_check_array(ctx, "offsets", offsets, n + 1, sizeof *offsets));
    BI_TRY(bi_graph_check_array(ctx, "neighbours", neighbours, 0, (size_t)o->id_bits / 8));
    BI_TRY(bi_graph_check_array(ctx, "weights", weights, 0, bosc_dtype_size(o->weight)));
    struct bi_graph_entries e = {
        .n = n, .v = neighbours, .v_is_64bit = o->id_bits == 64, .weights = weights, .dtype = o->weight};
    BI_RETURN_WITH_SCRATCH(ctx, stage_and_build_rows(ctx, graph, n, offsets, e));
}
