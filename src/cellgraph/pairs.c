/* The drivers of the methods that find pairs. Edges are appended in any order to one list, and sorted at last. */
#include "cellgraph/driver.h"

bosc_status bi_cell_compare_all(bosc_ctx *ctx, const struct bi_cell_view *view, int32_t pivots,
                                const struct bi_cell_found *found)
{
    struct bi_cell_all all = {.view = *view, .found = *found, .pivots = pivots};
    if (all.pivots > view->count) all.pivots = (int32_t)view->count;
    BI_TRY(bi_cell_scratch(ctx, view->count * all.pivots, 4, &all.distances));
    BI_TRY(BI_CELL_STEP(ctx, cell_pivot, view->count, &all));
    return BI_CELL_STEP(ctx, cell_compare, (view->count + 1) / 2, &all);
}

bosc_status bi_cell_dictionary_of(bosc_ctx *ctx, const struct bi_cell_view *view, struct bi_cell_dictionary *d)
{
    int bits = bi_bit_length((uint64_t)view->count), sorted_bits = (bits + 7) / 8 * 8;
    int64_t entries = ((int64_t)1 << bits) + 1, words = (int64_t)1 << (bits - 1);
    *d = (struct bi_cell_dictionary){.count = view->count, .index_bits = bits};
    BI_TRY(bi_cell_scratch(ctx, view->count, 8, &d->hashes));
    BI_TRY(bi_cell_scratch(ctx, view->count, 4, &d->order));
    BI_TRY(bi_cell_scratch(ctx, entries, 4, &d->starts));
    BI_TRY(bi_cell_scratch(ctx, words, 4, &d->filter));
    BI_TRY(ctx->backend->fill(ctx, d->starts, 0, (size_t)entries * 4));
    BI_TRY(ctx->backend->fill(ctx, d->filter, 0, (size_t)words * 4));
    struct bi_mark mark = bi_arena_mark(ctx);
    struct bi_cell_iota iota;
    BI_TRY(bi_cell_scratch(ctx, view->count, 4, &iota.numbers));
    BI_TRY(BI_CELL_STEP(ctx, cell_iota, view->count, &iota));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, view->hashes, 4, iota.numbers, view->count, d->hashes,
                                          d->order, 64 - sorted_bits, 64));
    bi_arena_rewind(ctx, mark);
    BI_TRY(BI_CELL_STEP(ctx, cell_index, view->count, d));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, d->starts, entries, d->starts);
}

bosc_status bi_cell_probe_all(bosc_ctx *ctx, const struct bi_cell_view *view, const struct bi_cell_found *found)
{
    struct bi_cell_probe probe = {.view = *view, .found = *found};
    BI_TRY(bi_cell_dictionary_of(ctx, view, &probe.dictionary));
    return BI_CELL_STEP(ctx, cell_flip, view->count, &probe);
}

/* Bits by which the join sorts: runs of vertices that agree by chance have about one member more. */
static int join_bits(int64_t count) { return (bi_bit_length((uint64_t)count) + 7) / 8 * 8; }

/* The long runs of one word, whose varying letters are replaced. */
static bosc_status join_long_runs(bosc_ctx *ctx, struct bi_cell_join *join, const uint32_t *places)
{
    int64_t count = join->probe.view.count, *place;
    uint32_t *runs;
    if (!join->probe.dictionary.hashes) /* once for all words */
        BI_TRY(bi_cell_dictionary_of(ctx, &join->probe.view, &join->probe.dictionary));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_cell_scratch(ctx, 1, sizeof *place, &place));
    BI_TRY(bi_cell_scratch(ctx, count, 4, &runs));
    BI_TRY(ctx->backend->core->compact(ctx, 4, places, join->long_heads, count, runs, place));
    BI_TRY(bi_read_back(ctx, &join->run_count, place, sizeof *place));
    join->runs = runs;
    BI_TRY(bi_cell_scratch(ctx, join->run_count, 4, &join->ends));
    BI_TRY(bi_cell_scratch(ctx, join->run_count, 8, &join->vary));
    BI_TRY(ctx->backend->fill(ctx, join->vary, 0, (size_t)join->run_count * 8));
    BI_TRY(BI_CELL_STEP(ctx, cell_run_end, join->run_count, join));
    BI_TRY(BI_CELL_STEP(ctx, cell_vary, count, join));
    BI_TRY(BI_CELL_STEP(ctx, cell_long_run, count, join));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

bosc_status bi_cell_join_all(bosc_ctx *ctx, const struct bi_cell_view *view, const struct bi_cell_found *found)
{
    struct bi_cell_join join = {.probe = {.view = *view, .found = *found}, .shift = 64 - join_bits(view->count)};
    struct bi_cell_iota iota;
    uint64_t *sorted;
    uint32_t *order, any_long;
    BI_TRY(bi_cell_scratch(ctx, view->count, 8, &join.keys));
    BI_TRY(bi_cell_scratch(ctx, view->count, 8, &sorted));
    BI_TRY(bi_cell_scratch(ctx, view->count, 4, &order));
    BI_TRY(bi_cell_scratch(ctx, view->count, 4, &iota.numbers));
    BI_TRY(bi_cell_scratch(ctx, view->count, 1, &join.long_heads));
    BI_TRY(bi_cell_scratch(ctx, 1, sizeof any_long, &join.any_long));
    join.sorted = sorted;
    join.order = order;
    BI_TRY(BI_CELL_STEP(ctx, cell_iota, view->count, &iota));
    for (join.word = 0; join.word < view->shape.words; join.word++) {
        BI_TRY(bi_progress(ctx, "join", (double)join.word / view->shape.words));
        BI_TRY(ctx->backend->fill(ctx, join.any_long, 0, sizeof any_long));
        BI_TRY(BI_CELL_STEP(ctx, cell_rest, view->count, &join));
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, join.keys, 4, iota.numbers, view->count, sorted, order,
                                              join.shift, 64));
        BI_TRY(BI_CELL_STEP(ctx, cell_run, view->count, &join));
        BI_TRY(bi_read_back(ctx, &any_long, join.any_long, sizeof any_long));
        if (any_long) BI_TRY(join_long_runs(ctx, &join, iota.numbers));
    }
    return BOSC_OK;
}

static bosc_cell_method choose(const bosc_cellgraph *graph, const bosc_cellgraph *old)
{
    enum { FEW = 64 }; /* vertices for which sorts cost more than all pairs */
    if (old) return BOSC_CELL_ZOBRIST;
    if (graph->opts.method != BOSC_CELL_AUTO) return graph->opts.method;
    if (graph->vertices <= FEW) return BOSC_CELL_HEURISTIC;
    return graph->shape.words == 1 ? BOSC_CELL_ZOBRIST : BOSC_CELL_JOIN; /* one word: all vertices are one run */
}

/* The known edges, and those of the vertices that are not known. */
static bosc_status extend(bosc_ctx *ctx, const bosc_cellgraph *old, const struct bi_cell_view *view,
                          const struct bi_cell_found *found)
{
    struct bi_cell_probe probe = {.view = *view, .found = *found, .known = old->vertices};
    struct bi_cell_recode recode = {old->blocks[BI_CELL_EDGES].data, old->blocks[BI_CELL_POSITIONS].data,
                                    old->vertex_bits, *found};
    BI_TRY(ctx->backend->copy(ctx, found->count, &old->edges, sizeof old->edges));
    BI_TRY(BI_CELL_STEP(ctx, cell_recode, old->edges, &recode));
    BI_TRY(bi_cell_dictionary_of(ctx, view, &probe.dictionary));
    return BI_CELL_STEP(ctx, cell_flip_new, view->count - old->vertices, &probe);
}

/* Finds edges and writes the first `room` of them; *count gets their number. */
static bosc_status find(bosc_ctx *ctx, const bosc_cellgraph *graph, const bosc_cellgraph *old,
                        struct bi_cell_found *found, int64_t *count)
{
    struct bi_cell_view view = bi_cell_view_of(graph);
    BI_TRY(bi_cell_scratch(ctx, found->room, 8, &found->edges));
    BI_TRY(bi_cell_scratch(ctx, found->room, 4, &found->positions));
    BI_TRY(bi_cell_scratch(ctx, 1, 8, &found->count));
    BI_TRY(ctx->backend->fill(ctx, found->count, 0, 8));
    struct bi_mark mark = bi_arena_mark(ctx);
    if (old)
        BI_TRY(extend(ctx, old, &view, found));
    else if (graph->method == BOSC_CELL_HEURISTIC)
        BI_TRY(bi_cell_compare_all(ctx, &view, graph->opts.method == BOSC_CELL_AUTO ? 0 : graph->opts.pivots, found));
    else if (graph->method == BOSC_CELL_ZOBRIST)
        BI_TRY(bi_cell_probe_all(ctx, &view, found));
    else
        BI_TRY(bi_cell_join_all(ctx, &view, found));
    bi_arena_rewind(ctx, mark);
    return bi_read_back(ctx, count, found->count, 8);
}

bosc_status bi_cell_find_edges(bosc_ctx *ctx, bosc_cellgraph *graph, const bosc_cellgraph *old)
{
    enum { PART = 16 }; /* of the vertices: more new ones than that are not looked up one by one */
    struct bi_cell_found found = {0};
    int64_t count = 0, room = (int64_t)(graph->blocks[BI_CELL_EDGES].bytes / 8);
    int bits = bi_bit_length((uint64_t)graph->vertices - 1);
    struct bi_mark mark = bi_arena_mark(ctx);
    if (bits == 0) bits = 1;
    if (old && graph->vertices - old->vertices > graph->vertices / PART) old = NULL;
    graph->method = choose(graph, old);
    if (old) room = old->edges + 2 * (graph->vertices - old->vertices);
    found.room = room > 2 * graph->vertices ? room : 2 * graph->vertices;
    found.vertex_bits = bits;
    BI_TRY(find(ctx, graph, old, &found, &count));
    if (count > found.room) { /* more than there was room for: their number is known now */
        bi_arena_rewind(ctx, mark);
        found.room = count;
        BI_TRY(find(ctx, graph, old, &found, &count));
    }
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_EDGES, count, 8));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_POSITIONS, count, 4));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, found.edges, 4, found.positions, count,
                                          graph->blocks[BI_CELL_EDGES].data, graph->blocks[BI_CELL_POSITIONS].data, 0,
                                          2 * bits));
    graph->vertex_bits = bits;
    graph->edges = count;
    return BOSC_OK;
}
