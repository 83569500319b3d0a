/* Finds a graph's edges by one of the methods. Edges are appended to a list in any order; at the end they are
 * grouped by lower vertex, and each group is sorted. */
#include "cellgraph/drivers.h"
#include "core/call.h"

/* Copies the known edges, and looks up the edges of the new vertices. */
static bosc_status extend_edges(bosc_ctx *ctx, const bosc_cellgraph *old, const struct bi_cellgraph_view *view,
                                const struct bi_cellgraph_edge_list *found)
{
    struct bi_cellgraph_probe probe = {.view = *view, .found = *found, .known = old->vertices};
    struct bi_cellgraph_recode recode = {old->blocks[BI_CELLGRAPH_EDGES].data, old->blocks[BI_CELLGRAPH_POSITIONS].data,
                                         old->vertex_bits, *found};
    BI_TRY(ctx->backend->copy(ctx, found->count, &old->edges, sizeof old->edges));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_recode, old->edges, &recode));
    BI_TRY(bi_cellgraph_build_dictionary(ctx, view, &probe.dictionary));
    return BI_CELLGRAPH_STEP(ctx, cellgraph_probe_new, view->count - old->vertices, &probe);
}

/* Results of a method in the backend's memory. */
struct report {
    uint64_t count, compared;
    uint32_t any_skewed, skewed[BI_CELLGRAPH_SEGMENTS];
};

static bosc_status run_join(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct bi_cellgraph_view *view,
                            const struct bi_cellgraph_edge_list *found, struct bi_cellgraph_segments *all)
{
    const int32_t words = view->shape.words;
    *all = (struct bi_cellgraph_segments){.view = *view, .found = *found, .span = graph->span};
    all->count = (words + graph->span - 1) / graph->span;
    all->max_bytes = (size_t)graph->opts.max_bytes;
    all->any_skewed = &((struct report *)found->count)->any_skewed;
    all->skewed = ((struct report *)found->count)->skewed;
    if (words > 1) BI_RETURN_WITH_SCRATCH(ctx, ctx->ops->cellgraph->join(ctx, all));
    /* One word: all vertices agree in the words outside. Sets any_skewed, and skewed[0] behind it. */
    return ctx->backend->fill(ctx, all->any_skewed, 0xff, 2 * sizeof *all->any_skewed);
}

/* Empties the list. */
static bosc_status clear_list(bosc_ctx *ctx, int64_t vertices, const struct bi_cellgraph_edge_list *found)
{
    const size_t counts = found->counts ? (size_t)(vertices + 1) * sizeof *found->counts : 0;
    return ctx->backend->fill(ctx, found->count, 0, sizeof(struct report) + counts);
}

/* Allocates the list; also counters by vertex, if steps sort the edges. */
static bosc_status reserve_list(bosc_ctx *ctx, int64_t vertices, struct bi_cellgraph_edge_list *found)
{
    const bool counts = !ctx->ops->cellgraph->order;
    const size_t bytes = sizeof(struct report) + (counts ? (size_t)(vertices + 1) * sizeof *found->counts : 0);
    struct report *report;
    BI_TRY(bi_scratch_of(ctx, found->capacity, 8, &found->edges));
    BI_TRY(bi_scratch_of(ctx, found->capacity, 4, &found->positions));
    if (counts) BI_TRY(bi_scratch_of(ctx, found->capacity, 4, &found->ranks));
    BI_TRY(bi_scratch_of(ctx, (int64_t)bytes, 1, &report));
    found->count = &report->count;
    found->compared = &report->compared;
    if (counts) found->counts = (uint32_t *)(report + 1);
    return clear_list(ctx, vertices, found);
}

/* Joins, and reads the report; repeats with narrow segments if wide ones are skewed. */
static bosc_status join_and_report(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_edge_list *found,
                                   struct bi_cellgraph_segments *all, struct report *report)
{
    const struct bi_cellgraph_view view = bi_cellgraph_view_of(graph);
    BI_TRY(run_join(ctx, graph, &view, found, all));
    BI_TRY(bi_read_back(ctx, report, found->count, sizeof *report));
    if (!report->any_skewed || graph->span == bi_cellgraph_span(graph->shape.words)) return BOSC_OK;
    graph->span = bi_cellgraph_span(graph->shape.words);
    BI_TRY(clear_list(ctx, graph->vertices, found));
    BI_TRY(run_join(ctx, graph, &view, found, all));
    return bi_read_back(ctx, report, found->count, sizeof *report);
}

/* Finds edges by any method but the join. */
static bosc_status find_by_method(bosc_ctx *ctx, bosc_cellgraph *graph, const bosc_cellgraph *old,
                                  const uint32_t *common, const struct bi_cellgraph_edge_list *found)
{
    const struct bi_cellgraph_view view = bi_cellgraph_view_of(graph);
    if (old) return extend_edges(ctx, old, &view, found);
    if (graph->method == BOSC_CELLGRAPH_TRIE) return bi_cellgraph_find_by_trie(ctx, graph, &view, found);
    if (graph->method == BOSC_CELLGRAPH_ZOBRIST) return bi_cellgraph_find_by_zobrist(ctx, &view, common, found);
    return bi_cellgraph_find_by_heuristic(ctx, &view, &graph->opts, found);
}

/* Finds edges, and stores as many as the list has capacity for; *count gets their number. If it exceeds the capacity,
 * the list is incomplete, and the caller repeats with a longer one. `old`, or NULL: the graph that this one extends.
 * The join, which finds edges in bulk, counts them by lower vertex at once; other methods would wait for each
 * counter. */
static bosc_status collect_edges(bosc_ctx *ctx, bosc_cellgraph *graph, const bosc_cellgraph *old,
                                 const uint32_t *common, struct bi_cellgraph_edge_list *found, int64_t *count)
{
    const bool joins = !old && graph->method == BOSC_CELLGRAPH_JOIN;
    struct bi_cellgraph_segments all;
    struct report report;
    BI_TRY(reserve_list(ctx, graph->vertices, found));
    struct bi_cellgraph_edge_list uncounted = *found;
    uncounted.ranks = NULL;
    /* 1. The method. */
    struct bi_mark mark = bi_arena_mark(ctx);
    if (joins) {
        BI_TRY(join_and_report(ctx, graph, found, &all, &report));
    } else {
        BI_TRY(find_by_method(ctx, graph, old, common, &uncounted));
        BI_TRY(bi_read_back(ctx, &report, found->count, sizeof report));
    }
    /* 2. Skewed segments of a join. */
    if (report.any_skewed && report.count <= (uint64_t)found->capacity) {
        BI_TRY(bi_cellgraph_join_halves(ctx, &all, report.skewed, (int64_t)report.count));
        BI_TRY(bi_read_back(ctx, &report, found->count, sizeof report));
    }
    bi_arena_rewind(ctx, mark);
    /* 3. Count edges by lower vertex, if not done. */
    *count = (int64_t)report.count;
    graph->compared = (int64_t)report.compared;
    if (found->ranks && !joins && *count <= found->capacity)
        return BI_CELLGRAPH_STEP(ctx, cellgraph_rank_edge, *count, found);
    return BOSC_OK;
}

/* Sorts edges by steps. They are scattered in passes, so that the slots of a pass stay in a device's cache, which
 * would otherwise write half-full lines. */
static bosc_status order_by_steps(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_edge_list *found,
                                  int64_t count)
{
    /* Edges of a pass: 24 MB, half of the 50 MB of an H200's L2 cache. Measured there, 4 M vectors: 263 us by three
     * passes, by one 392. */
    enum { CACHED = 3 << 20 };
    struct bi_cellgraph_edge_sort order = {.edges = found->edges,
                                           .positions = found->positions,
                                           .vertex_bits = found->vertex_bits,
                                           .ranks = found->ranks,
                                           .starts = found->counts};
    order.edges_out = graph->blocks[BI_CELLGRAPH_EDGES].data;
    order.positions_out = graph->blocks[BI_CELLGRAPH_POSITIONS].data;
    BI_TRY(bi_scratch_of(ctx, count, 8, &order.packed));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, order.starts, graph->vertices + 1,
                                    order.starts));
    const int64_t passes = bi_div_up(count, CACHED), vertices = bi_div_up(graph->vertices, passes);
    for (order.first = 0; order.first < (uint64_t)graph->vertices; order.first = order.last + 1) {
        order.last = order.first + (uint64_t)vertices - 1;
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_scatter_edge, count, &order));
    }
    return BI_CELLGRAPH_STEP(ctx, cellgraph_sort_row, graph->vertices, &order);
}

/* Sorts the edges into the graph; 2^32 - 1 and more by a radix sort, as slots have 32 bits. */
static bosc_status sort_edges(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_edge_list *found,
                              int64_t count)
{
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_EDGES, count, 8));
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_POSITIONS, count, 4));
    if (count < (int64_t)UINT32_MAX) {
        const struct bi_cellgraph_ops *ops = ctx->ops->cellgraph;
        return ops->order ? ops->order(ctx, graph, found, count) : order_by_steps(ctx, graph, found, count);
    }
    return ctx->backend->core->sort_pairs(ctx, BOSC_U64, found->edges, 4, found->positions, count,
                                          graph->blocks[BI_CELLGRAPH_EDGES].data,
                                          graph->blocks[BI_CELLGRAPH_POSITIONS].data, 0, 2 * found->vertex_bits);
}

/* Estimated simple items of a build with n vertices, for progress. */
static double estimate_items(bosc_cellgraph_method method, double n)
{
    return method == BOSC_CELLGRAPH_HEURISTIC ? n * n : method == BOSC_CELLGRAPH_TRIE ? 250 * n : 40 * n;
}

/* Finds edges by TABLE; builds the table of the vertices unless the rows' one is there. */
static bosc_status find_by_table(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_table *table)
{
    struct bi_cellgraph_table own;
    if (!table) {
        const struct bi_cellgraph_rows vertices = {graph->blocks[BI_CELLGRAPH_VECTORS].data, graph->vertices, 1};
        BI_TRY(bi_cellgraph_build_table(ctx, &graph->shape, &vertices, &own));
        BI_TRY(bi_cellgraph_number_words(ctx, graph, &own));
        table = &own;
    }
    return ctx->ops->cellgraph->table_edges(ctx, graph, table);
}

/* The vertices are made; there is at least one. old: NULL for a build; else the graph before an addition, whose edges
 * are copied unless many vertices are new. graph->edges changes last. */
bosc_status bi_cellgraph_find_edges(bosc_ctx *ctx, bosc_cellgraph *graph, const bosc_cellgraph *old,
                                    const struct bi_cellgraph_sample_stats *stats, struct bi_cellgraph_table *table)
{
    /* A larger share of new vertices is not looked up one by one: a lookup of a vertex takes 3 to 6 times as long as
     * its share of a join of all. The limit itself is not measured. */
    enum { FRACTION = 16 };
    struct bi_cellgraph_edge_list found = {0};
    int64_t count = 0, capacity = (int64_t)(graph->blocks[BI_CELLGRAPH_EDGES].bytes / 8);
    int bits = bi_bit_length((uint64_t)graph->vertices - 1);
    const uint32_t *common = NULL;
    if (bits == 0) bits = 1;
    /* 1. Choose the method. */
    if (old && graph->vertices - old->vertices > graph->vertices / FRACTION) old = NULL;
    graph->method = old ? BOSC_CELLGRAPH_ZOBRIST : graph->opts.method;
    if (!old && (table || bi_cellgraph_uses_table(ctx, &graph->opts, graph->vertices))) {
        graph->method = BOSC_CELLGRAPH_TABLE;
        graph->vertex_bits = bits;
        return find_by_table(ctx, graph, table);
    }
    if (graph->method == BOSC_CELLGRAPH_AUTO) {
        struct bi_cellgraph_view view = bi_cellgraph_view_of(graph);
        BI_TRY(bi_cellgraph_choose_method(ctx, &view, stats, &graph->method, &common));
    }
    bi_progress_set_total(ctx, estimate_items(graph->method, (double)graph->vertices));
    /* 2. Find the edges; repeat if the list was too short. */
    if (old) capacity = old->edges + 2 * (graph->vertices - old->vertices);
    found.capacity = capacity > 2 * graph->vertices ? capacity : 2 * graph->vertices;
    found.vertex_bits = bits;
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(collect_edges(ctx, graph, old, common, &found, &count));
    while (count > found.capacity) {
        bi_arena_rewind(ctx, mark);
        found.capacity = count;
        BI_TRY(collect_edges(ctx, graph, old, common, &found, &count));
    }
    /* 3. Sort them into the graph. */
    BI_TRY(sort_edges(ctx, graph, &found, count));
    graph->vertex_bits = bits;
    graph->edges = count;
    return BOSC_OK;
}
