/* Builds graphs. The edges are listed as (u << bits | v, id), u <= v, and sorted, stably, so that those of equal
 * vertices stay in the order of their ids. The list is the forward half of the rows: the arcs u -> v. A stable sort of
 * it by v is the other half. A row is its back arcs, then its forward arcs, and so is ascending.
 *
 * All scratch is taken before a block of the graph is written to, so that a lack of memory leaves it as it was. */
#include "forest/graph_build.h"

#include "base/bits.h"
#include "forest/graph_front.h"
#include "forest/msf.h"

bosc_status bi_graph_clear_result(struct bi_graph_build *b, int byte)
{
    return b->ctx->backend->fill(b->ctx, b->result, byte, 64);
}

static size_t word_bytes(const struct bi_graph_build *b) { return b->wide ? 8 : 4; }
static bosc_dtype word_type(const struct bi_graph_build *b) { return b->wide ? BOSC_U64 : BOSC_U32; }

/* Reads one word of the build's width. */
static bosc_status read_word(struct bi_graph_build *b, const void *array, int64_t i, int64_t *word)
{
    uint64_t bits = 0;
    BI_TRY(bi_read_back(b->ctx, &bits, (const char *)array + (size_t)i * word_bytes(b), word_bytes(b)));
    *word = (int64_t)bits;
    return BOSC_OK;
}

static bosc_status read_vertex(struct bi_graph_build *b, const void *array, bool wide, int64_t i, int64_t *vertex)
{
    uint32_t narrow;
    if (wide) return bi_read_back(b->ctx, vertex, (const int64_t *)array + i, sizeof *vertex);
    BI_TRY(bi_read_back(b->ctx, &narrow, (const uint32_t *)array + i, sizeof narrow));
    *vertex = narrow;
    return BOSC_OK;
}

static bosc_status bad_entry(struct bi_graph_build *b, int64_t i)
{
    const struct bi_entries *e = &b->entries;
    int64_t u, v;
    BI_TRY(read_vertex(b, e->u, e->wide_u, i, &u));
    BI_TRY(read_vertex(b, e->v, e->wide_v, i, &v));
    if (u < 0 || u >= e->n)
        return bi_fail(b->ctx, BOSC_ERR_DATA, "u: entry %lld is %lld, which is no vertex of %lld", (long long)i,
                       (long long)u, (long long)e->n);
    if (v < 0 || v >= e->n)
        return bi_fail(b->ctx, BOSC_ERR_DATA, "v: entry %lld is %lld, which is no vertex of %lld", (long long)i,
                       (long long)v, (long long)e->n);
    return bi_fail(b->ctx, BOSC_ERR_DATA, "weights: entry %lld is NaN", (long long)i);
}

/* Vertices may be taken for granted, but not those of a graph that has none. */
static bool is_checked(const struct bi_graph_build *b)
{
    return b->entries.m > 0 && !(b->next->opts.assume_valid && b->entries.n > 0);
}

static bosc_status check_entries(struct bi_graph_build *b)
{
    const bosc_graph_opts *o = &b->next->opts;
    if (!is_checked(b)) return BOSC_OK;
    struct bi_check_entry check = {b->entries, o->nan == BOSC_NAN_REFUSE, b->result};
    int64_t bad = INT64_MAX;
    BI_TRY(b->ctx->backend->copy(b->ctx, b->result, &bad, sizeof bad));
    BI_TRY(BI_GRAPH_STEP(b, check_entry, b->entries.m, &check));
    BI_TRY(bi_read_back(b->ctx, &bad, b->result, sizeof bad));
    return bad == INT64_MAX ? BOSC_OK : bad_entry(b, bad);
}

bosc_status bi_graph_take_list(struct bi_graph_build *b, const void *all_ids, const uint8_t *is,
                               struct bi_edge_list *list)
{
    BI_TRY(b->ctx->backend->core->compact(b->ctx, word_bytes(b), all_ids, is, b->entries.m, list->ids, b->result));
    BI_TRY(bi_read_back(b->ctx, &list->count, b->result, sizeof list->count));
    struct bi_edge_keys keys = {b->entries, list->ids, b->wide, b->bits, list->keys};
    return BI_GRAPH_STEP(b, edge_keys, list->count, &keys);
}

bosc_status bi_graph_check_order(struct bi_graph_build *b, const struct bi_edge_list *list, uint32_t *found)
{
    struct bi_check_order check = {list->keys, list->ids, b->wide, b->bits, b->result};
    BI_TRY(bi_graph_clear_result(b, 0));
    BI_TRY(BI_GRAPH_STEP(b, check_order, list->count, &check));
    return bi_read_back(b->ctx, found, b->result, sizeof *found);
}

bosc_status bi_graph_sort_by_key(struct bi_graph_build *b, const struct bi_edge_list *from,
                                 const struct bi_edge_list *to, uint32_t order)
{
    return b->ctx->backend->core->sort_pairs(b->ctx, BOSC_U64, from->keys, word_bytes(b), from->ids, from->count,
                                             to->keys, to->ids, order & BI_LARGER_FALL ? 0 : b->bits, 2 * b->bits);
}

static bosc_status take_room(struct bi_graph_build *b, struct bi_edge_list *list)
{
    BI_TRY(bi_forest_scratch(b->ctx, b->entries.m, sizeof *list->keys, (void **)&list->keys));
    return bi_forest_scratch(b->ctx, b->entries.m, word_bytes(b), &list->ids);
}

static void swap_lists(struct bi_graph_build *b)
{
    struct bi_edge_list edges = b->edges;
    b->edges = b->spare;
    b->spare = edges;
}

/* Sorts the list of edges if it must be; `order` is what is not in order. */
static bosc_status sort_edges(struct bi_graph_build *b, uint32_t order)
{
    if (!(order & BI_KEYS_FALL)) return BOSC_OK;
    b->spare.count = b->edges.count;
    BI_TRY(bi_graph_sort_by_key(b, &b->edges, &b->spare, order));
    swap_lists(b);
    return BOSC_OK;
}

/* The list of all entries, checked meanwhile. */
static bosc_status list_all(struct bi_graph_build *b)
{
    struct {
        int64_t bad;
        uint32_t found;
    } result = {INT64_MAX, 0};
    struct bi_list_entries list = {.entries = b->entries,
                                   .check = is_checked(b),
                                   .refuse_nan = b->next->opts.nan == BOSC_NAN_REFUSE,
                                   .wide = b->wide,
                                   .bits = b->bits,
                                   .keys = b->edges.keys,
                                   .ids = b->edges.ids,
                                   .bad = b->result,
                                   .found = (uint32_t *)((int64_t *)b->result + 1)};
    b->edges.count = b->entries.m;
    BI_TRY(b->ctx->backend->copy(b->ctx, b->result, &result, sizeof result));
    BI_TRY(BI_GRAPH_STEP(b, list_entries, b->entries.m, &list));
    BI_TRY(bi_read_back(b->ctx, &result, b->result, sizeof result));
    if (result.bad != INT64_MAX) return bad_entry(b, result.bad);
    b->ascending = !(result.found & BI_KEYS_FALL);
    return sort_edges(b, result.found);
}

/* The list of entries that are edges, where some may not be. */
static bosc_status list_some(struct bi_graph_build *b)
{
    const bosc_graph_opts *o = &b->next->opts;
    struct bi_iota iota = {b->edges.ids, b->wide};
    struct bi_classify classify = {
        .entries = b->entries, .drop_loops = o->drop_loops, .drop_nan = o->nan == BOSC_NAN_DROP};
    uint32_t order;
    BI_TRY(BI_GRAPH_STEP(b, iota, b->entries.m, &iota));
    BI_TRY(bi_forest_scratch(b->ctx, b->entries.m, 1, (void **)&classify.is[BI_FORWARD]));
    BI_TRY(BI_GRAPH_STEP(b, classify, b->entries.m, &classify));
    BI_TRY(bi_graph_take_list(b, b->edges.ids, classify.is[BI_FORWARD], &b->spare));
    swap_lists(b);
    BI_TRY(bi_graph_check_order(b, &b->edges, &order));
    return sort_edges(b, order);
}

/* Makes b->edges of the entries, checked and sorted. */
static bosc_status list_edges(struct bi_graph_build *b)
{
    const bosc_graph_opts *o = &b->next->opts;
    if (o->arcs == BOSC_ARCS_ONE && !o->drop_loops && o->nan != BOSC_NAN_DROP) return list_all(b);
    BI_TRY(check_entries(b));
    return o->arcs == BOSC_ARCS_BOTH ? bi_graph_pair_arcs(b) : list_some(b);
}

/* Offsets of the runs whose ends are marked: before, `offsets` is all 0. */
static bosc_status finish_offsets(struct bi_graph_build *b, void *offsets)
{
    return b->ctx->backend->core->scan(b->ctx, BOSC_MAX, BOSC_INCLUSIVE, word_type(b), offsets, b->entries.n + 1,
                                       offsets);
}

static bosc_status take_offsets(struct bi_graph_build *b, void **offsets)
{
    int64_t n = b->entries.n + 1;
    BI_TRY(bi_forest_scratch(b->ctx, n, word_bytes(b), offsets));
    return b->ctx->backend->fill(b->ctx, *offsets, 0, (size_t)n * word_bytes(b));
}

/* The list of back arcs sorted by radix, and their offsets. */
static bosc_status sort_back(struct bi_graph_build *b, const struct bi_back_list *sorted, void *back)
{
    int64_t count = b->edges.count;
    struct bi_back_list list = *sorted;
    struct bi_mark mark = bi_arena_mark(b->ctx);
    BI_TRY(bi_forest_scratch(b->ctx, count, sizeof(uint32_t), (void **)&list.from));
    BI_TRY(bi_forest_scratch(b->ctx, count, word_bytes(b), &list.places));
    BI_TRY(BI_GRAPH_STEP(b, back_list, count, &list));
    BI_TRY(b->ctx->backend->core->sort_pairs(b->ctx, BOSC_U32, list.from, word_bytes(b), list.places, count,
                                             sorted->from, sorted->places, 0, bi_bit_length(list.n)));
    bi_arena_rewind(b->ctx, mark);
    struct bi_back_ends ends = {sorted->from, count, list.n, b->wide, back};
    BI_TRY(BI_GRAPH_STEP(b, back_ends, count, &ends));
    return finish_offsets(b, back);
}

/* The back half of the rows: larger vertices, sorted, and the places of their edges in the list. */
static bosc_status make_back(struct bi_graph_build *b, struct bi_place *place, int64_t *backs)
{
    const struct bi_forest_ops *ops = b->ctx->ops->forest;
    int64_t count = b->edges.count;
    void *back;
    bool served = false;
    struct bi_back_list list = {b->edges.keys, b->bits, (uint32_t)b->entries.n, b->wide, NULL, NULL};
    BI_TRY(bi_forest_scratch(b->ctx, count, sizeof(uint32_t), (void **)&list.from));
    BI_TRY(bi_forest_scratch(b->ctx, count, word_bytes(b), &list.places));
    BI_TRY(take_offsets(b, &back));
    struct bi_mark mark = bi_arena_mark(b->ctx);
    if (ops->back) BI_TRY(ops->back(b->ctx, &list, count, back, &served));
    bi_arena_rewind(b->ctx, mark);
    if (!served) BI_TRY(sort_back(b, &list, back));
    place->from = list.from;
    place->places = list.places;
    place->halves.back = back;
    return read_word(b, back, b->entries.n, backs);
}

static bosc_status make_halves(struct bi_graph_build *b, struct bi_place *place, int64_t *backs)
{
    void *forward;
    *place = (struct bi_place){.entries = b->entries, .weights = b->weights};
    place->halves = (struct bi_halves){
        .keys = b->edges.keys, .ids = b->edges.ids, .count = b->edges.count, .bits = b->bits, .wide = b->wide};
    BI_TRY(take_offsets(b, &forward));
    struct bi_forward_ends ends = {b->edges.keys, b->edges.count, b->bits, b->wide, forward};
    BI_TRY(BI_GRAPH_STEP(b, forward_ends, b->edges.count, &ends));
    BI_TRY(finish_offsets(b, forward));
    place->halves.forward = forward;
    return make_back(b, place, backs);
}

/* What bosc_graph_get_info tells. */
static bosc_status count_all(struct bi_graph_build *b, const struct bi_halves *halves, int64_t backs)
{
    const struct bi_core_ops *core = b->ctx->backend->core;
    bosc_graph *g = b->next;
    int64_t n = b->entries.n, found[4], *result = b->result;
    uint32_t order = 0;
    g->n = n;
    g->entries = b->entries.m;
    g->m = b->edges.count;
    g->arcs = g->m + backs;
    g->loops = g->m - backs;
    g->wide = b->wide;
    struct bi_degrees degrees = {.halves = *halves, .loops = g->loops > 0};
    struct bi_mark_parallel parallel = {b->edges.keys, b->wide, NULL};
    if (!b->ascending) BI_TRY(bi_graph_check_order(b, &b->edges, &order));
    g->ids_in_order = !(order & BI_IDS_FALL);
    BI_TRY(bi_forest_scratch(b->ctx, n, sizeof *degrees.degrees, (void **)&degrees.degrees));
    BI_TRY(bi_forest_scratch(b->ctx, n, sizeof *degrees.isolated, (void **)&degrees.isolated));
    BI_TRY(bi_forest_scratch(b->ctx, g->m, word_bytes(b), &parallel.is));
    BI_TRY(bi_graph_clear_result(b, 0));
    BI_TRY(BI_GRAPH_STEP(b, degrees, n, &degrees));
    BI_TRY(BI_GRAPH_STEP(b, mark_parallel, g->m, &parallel));
    BI_TRY(core->reduce(b->ctx, BOSC_SUM, word_type(b), parallel.is, g->m, &result[0]));
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

/* Writes the graph's blocks: no scratch from here on. */
static bosc_status place_arcs(struct bi_graph_build *b, struct bi_place *place)
{
    bosc_graph *g = b->next;
    struct bi_add_offsets offsets = {place->halves, g->offsets.data};
    place->neighbours = g->neighbours.data;
    place->keys = g->keys.data;
    place->ids = g->edge_ids.data;
    BI_TRY(BI_GRAPH_STEP(b, add_offsets, g->n + 1, &offsets));
    BI_TRY(BI_GRAPH_STEP(b, place_forward, g->m, place));
    BI_TRY(BI_GRAPH_STEP(b, place_back, g->arcs - g->m, place));
    return b->ctx->backend->sync(b->ctx);
}

static bosc_status build_rows(struct bi_graph_build *b, const bosc_graph *graph)
{
    const bosc_graph_opts *o = &graph->opts;
    struct bi_place place;
    int64_t backs;
    BI_TRY(bi_progress(b->ctx, "build", 0));
    BI_TRY(bi_scratch(b->ctx, 64, &b->result));
    BI_TRY(take_room(b, &b->edges));
    BI_TRY(take_room(b, &b->spare));
    BI_TRY(list_edges(b));
    if (o->parallel != BOSC_PARALLEL_KEEP) BI_TRY(bi_graph_drop_parallel(b));
    BI_TRY(bi_progress(b->ctx, "build", 0.5));
    BI_TRY(make_halves(b, &place, &backs));
    BI_TRY(count_all(b, &place.halves, backs));
    if (!b->wide && bosc_dtype_size(o->weight) == 4)
        BI_TRY(bi_forest_scratch(b->ctx, b->edges.count, 3 * sizeof(uint32_t), (void **)&place.shared));
    BI_TRY(bi_progress(b->ctx, "build", 0.8));
    BI_TRY(bi_graph_reserve_blocks(b->ctx, graph, b->entries.n, b->entries.m, b->next));
    BI_TRY(place_arcs(b, &place));
    return bi_progress(b->ctx, "build", 1);
}

static void set_empty(bosc_graph *graph)
{
    graph->n = graph->entries = graph->m = graph->arcs = graph->loops = graph->parallel = graph->isolated = 0;
    graph->least_degree = graph->most_degree = 0;
    graph->wide = false;
    graph->ids_in_order = true;
}

bosc_status bi_graph_build(bosc_ctx *ctx, bosc_graph *graph, const struct bi_entries *entries)
{
    bosc_graph next = *graph;
    struct bi_graph_build b = {.ctx = ctx,
                               .steps = ctx->ops->forest_steps,
                               .next = &next,
                               .entries = *entries,
                               .wide = bi_graph_is_wide(&graph->opts, entries->m),
                               .bits = entries->n > 2 ? bi_bit_length((uint64_t)entries->n - 1) : 1};
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
