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

/* ---- the rows of a list of edges ---- */

/* Reads one word of the build's width. */
static bosc_status read_word(struct bi_graph_build *b, const void *array, int64_t i, int64_t *word)
{
    uint64_t bits = 0;
    BI_TRY(
        bi_read_back(b->ctx, &bits, (const char *)array + (size_t)i * bi_graph_word_bytes(b), bi_graph_word_bytes(b)));
    *word = (int64_t)bits;
    return BOSC_OK;
}

/* Turns marked ends of runs into offsets by a maximum scan; unmarked offsets must be 0. */
static bosc_status finish_offsets(struct bi_graph_build *b, void *offsets)
{
    return b->ctx->backend->core->scan(b->ctx, BOSC_MAX, BOSC_INCLUSIVE, bi_graph_word_type(b), offsets,
                                       b->entries.n + 1, offsets);
}

static bosc_status allocate_offsets(struct bi_graph_build *b, void **offsets)
{
    int64_t n = b->entries.n + 1;
    BI_TRY(bi_scratch_of(b->ctx, n, bi_graph_word_bytes(b), offsets));
    return b->ctx->backend->fill(b->ctx, *offsets, 0, (size_t)n * bi_graph_word_bytes(b));
}

/* Sorts the list of back arcs by radix. */
static bosc_status sort_back(struct bi_graph_build *b, const struct bi_graph_back_list *sorted)
{
    int64_t count = b->edges.count;
    struct bi_graph_back_list list = *sorted;
    BI_TRY(bi_scratch_of(b->ctx, count, sizeof(uint32_t), (void **)&list.from));
    BI_TRY(bi_scratch_of(b->ctx, count, bi_graph_word_bytes(b), &list.positions));
    BI_TRY(BI_GRAPH_STEP(b, back_list, count, &list));
    return b->ctx->backend->core->sort_pairs(b->ctx, BOSC_U32, list.from, bi_graph_word_bytes(b), list.positions, count,
                                             sorted->from, sorted->positions, 0, bi_bit_length(list.n));
}

/* The same, and the offsets of the back arcs. */
static bosc_status sort_back_arcs(struct bi_graph_build *b, const struct bi_graph_back_list *sorted, void *back)
{
    int64_t count = b->edges.count;
    BI_TRY_WITH_SCRATCH(b->ctx, sort_back(b, sorted));
    struct bi_graph_back_ends ends = {sorted->from, count, sorted->n, b->is_64bit, back};
    BI_TRY(BI_GRAPH_STEP(b, back_ends, count, &ends));
    return finish_offsets(b, back);
}

/* Builds the back half of the rows: larger vertices, sorted, and the positions of their edges in the list. */
static bosc_status build_back_half(struct bi_graph_build *b, struct bi_graph_arc_writer *writer, int64_t *back_count)
{
    const struct bi_graph_ops *ops = b->ctx->ops->graph;
    int64_t count = b->edges.count;
    void *back;
    struct bi_graph_back_list list = {b->edges.keys, b->bits, (uint32_t)b->entries.n, b->is_64bit, NULL, NULL};
    BI_TRY(bi_scratch_of(b->ctx, count, sizeof(uint32_t), (void **)&list.from));
    BI_TRY(bi_scratch_of(b->ctx, count, bi_graph_word_bytes(b), &list.positions));
    BI_TRY(allocate_offsets(b, &back));
    if (ops->back_arcs && ops->counts_back_arcs(b->ctx, &list, count))
        BI_TRY_WITH_SCRATCH(b->ctx, ops->back_arcs(b->ctx, &list, count, back));
    else
        BI_TRY(sort_back_arcs(b, &list, back));
    writer->from = list.from;
    writer->positions = list.positions;
    writer->halves.back = back;
    return read_word(b, back, b->entries.n, back_count);
}

static bosc_status build_halves(struct bi_graph_build *b, struct bi_graph_arc_writer *writer, int64_t *back_count)
{
    void *forward;
    *writer = (struct bi_graph_arc_writer){.entries = b->entries, .weights = b->weights};
    writer->halves = (struct bi_graph_halves){
        .keys = b->edges.keys, .ids = b->edges.ids, .count = b->edges.count, .bits = b->bits, .is_64bit = b->is_64bit};
    BI_TRY(allocate_offsets(b, &forward));
    struct bi_graph_forward_ends ends = {b->edges.keys, b->edges.count, b->bits, b->is_64bit, forward};
    BI_TRY(BI_GRAPH_STEP(b, forward_ends, b->edges.count, &ends));
    BI_TRY(finish_offsets(b, forward));
    writer->halves.forward = forward;
    return build_back_half(b, writer, back_count);
}

/* Computes the counts that bosc_graph_get_info returns, for n > 0: build_graph handles n = 0. entries: of the input; m:
 * edges kept. A self loop has one arc, and counts twice in a degree. parallel: edges with the ends of the preceding
 * edge. */
static bosc_status count_graph(struct bi_graph_build *b, const struct bi_graph_halves *halves, int64_t back_count)
{
    const struct bi_core_ops *core = b->ctx->backend->core;
    bosc_graph *g = b->next;
    int64_t n = b->entries.n, found[4], *result = b->result;
    uint32_t order = 0;
    g->n = n;
    g->entries = b->entries.m;
    g->m = b->edges.count;
    g->arcs = g->m + back_count;
    g->loops = g->m - back_count;
    g->is_64bit = b->is_64bit;
    struct bi_graph_degrees degrees = {.halves = *halves, .loops = g->loops > 0};
    struct bi_graph_mark_parallel parallel = {b->edges.keys, b->is_64bit, NULL};
    /* 1. Do ids ascend in row order? */
    if (!b->ascending) BI_TRY(bi_graph_read_order(b, &b->edges, &order));
    g->ids_in_order = !(order & BI_GRAPH_IDS_FALL);
    /* 2. Degrees, isolated vertices and parallel edges by steps and reductions. */
    BI_TRY(bi_scratch_of(b->ctx, n, sizeof *degrees.degrees, (void **)&degrees.degrees));
    BI_TRY(bi_scratch_of(b->ctx, n, sizeof *degrees.isolated, (void **)&degrees.isolated));
    BI_TRY(bi_scratch_of(b->ctx, g->m, bi_graph_word_bytes(b), &parallel.flags));
    BI_TRY(bi_graph_clear_result(b, 0)); /* sums of 32 bits write half of a word */
    BI_TRY(BI_GRAPH_STEP(b, degrees, n, &degrees));
    BI_TRY(BI_GRAPH_STEP(b, mark_parallel, g->m, &parallel));
    BI_TRY(core->reduce(b->ctx, BOSC_SUM, bi_graph_word_type(b), parallel.flags, g->m, &result[0]));
    BI_TRY(core->reduce(b->ctx, BOSC_SUM, BOSC_U32, degrees.isolated, n, &result[1]));
    BI_TRY(core->reduce(b->ctx, BOSC_MIN, BOSC_I64, degrees.degrees, n, &result[2]));
    BI_TRY(core->reduce(b->ctx, BOSC_MAX, BOSC_I64, degrees.degrees, n, &result[3]));
    BI_TRY(bi_read_back(b->ctx, found, b->result, sizeof found));
    g->parallel = found[0];
    g->isolated = found[1];
    g->least_degree = found[2];
    g->most_degree = found[3];
    return BOSC_OK;
}

/* Writes the graph's blocks. Allocates no scratch. */
static bosc_status write_arcs(struct bi_graph_build *b, struct bi_graph_arc_writer *writer)
{
    bosc_graph *g = b->next;
    struct bi_graph_add_offsets offsets = {writer->halves, g->offsets.data};
    writer->neighbours = g->neighbours.data;
    writer->keys = g->keys.data;
    writer->ids = g->edge_ids.data;
    b->overwritten = true;
    BI_TRY(BI_GRAPH_STEP(b, add_offsets, g->n + 1, &offsets));
    BI_TRY(BI_GRAPH_STEP(b, write_forward, g->m, writer));
    BI_TRY(BI_GRAPH_STEP(b, write_back, g->arcs - g->m, writer));
    return b->ctx->backend->sync(b->ctx);
}

/* Builds the rows from b->edges: degrees and counts, then the blocks of b->next, which reuse the blocks of `graph` if
 * large enough. Allocates no scratch once a block is written. */
static bosc_status write_rows(struct bi_graph_build *b, const bosc_graph *graph)
{
    struct bi_graph_arc_writer writer;
    int64_t back_count;
    BI_TRY(build_halves(b, &writer, &back_count));
    BI_TRY(count_graph(b, &writer.halves, back_count));
    if (!b->is_64bit && bosc_dtype_size(graph->opts.weight) == 4)
        BI_TRY(bi_scratch_of(b->ctx, b->edges.count, 3 * sizeof(uint32_t), (void **)&writer.shared));
    BI_TRY(bi_graph_reserve_blocks(b->ctx, graph, b->entries.n, b->entries.m, b->next));
    return write_arcs(b, &writer);
}

/* ---- a build ---- */

static bosc_status build_rows(struct bi_graph_build *b, const bosc_graph *graph)
{
    BI_TRY(bi_scratch(b->ctx, 64, &b->result));
    BI_TRY(bi_graph_fill_edges(b));
    return write_rows(b, graph);
}

static void set_empty(bosc_graph *graph)
{
    graph->n = graph->entries = graph->m = graph->arcs = graph->loops = graph->parallel = graph->isolated = 0;
    graph->least_degree = graph->most_degree = 0;
    graph->is_64bit = false;
    graph->ids_in_order = true;
}

/* Builds into a copy of the handle; commits it on success. A lack of scratch or bad data leave the graph as it was;
 * after another failure its blocks may be overwritten, so it is empty. */
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
    if ((status != BOSC_ERR_NOMEM && status != BOSC_ERR_DATA) || b.overwritten) set_empty(graph);
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
    /* Words must hold ids below `entries`, not only positions; the edges were checked before. */
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
    struct bi_graph_offsets_scan scan;
    int64_t *found;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *found, &found));
    BI_TRY(bi_graph_scan_offsets(ctx, offsets, true, n, found, &scan));
    *m = (int64_t)scan.last;
    if (scan.first != 0)
        return bi_fail(ctx, BOSC_ERR_DATA, "offsets: they begin with %lld, not 0", (long long)scan.first);
    if (*m < 0) return bi_fail(ctx, BOSC_ERR_DATA, "offsets: they end with %lld", (long long)*m);
    if (scan.bad != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "offsets: they do not ascend at %lld", (long long)scan.bad);
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
