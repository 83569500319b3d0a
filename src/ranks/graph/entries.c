/* The edges of a saved graph, from the arcs that ranks have read. Nothing is believed: rows ascend, and the rank that
 * has an entry sees that both of its arcs are there, and alike. */
#include "base/bits.h"
#include "core/call.h"
#include "ranks/graph/read.h"
#include "ranks/exchange/route.h"
#include "ranks/steps/steps.h"
#include "graph/view.h"

/* Arcs as they were read, in reach; `more` of them are before this rank's. */
struct arcs {
    int64_t count, more;
    bool wide, wide_keys;
    void *offsets, *neighbours, *ids, *weights, *keys;
    uint32_t *row_of;
    uint32_t *found; /* what is wrong: 64 bytes */
};

static bosc_status malformed(struct bi_ranks_graph_reading *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

static bosc_status move_array(struct bi_ranks_graph_reading *r, int which, void **place)
{
    struct bi_loaded *a = &r->arrays[which];
    BI_TRY(bi_scratch(r->ctx, a->bytes, place));
    if (a->bytes == 0) return BOSC_OK;
    BI_TRY(r->ctx->backend->copy(r->ctx, *place, a->data, a->bytes));
    BI_TRY(r->ctx->backend->sync(r->ctx));
    bi_load_release(&r->loader, a);
    return BOSC_OK;
}

static bosc_status take_arcs(struct bi_ranks_graph_reading *r, struct arcs *a)
{
    a->count = r->arc_end - r->arcs_from;
    a->more = r->arc - r->arcs_from;
    a->wide = r->header.flags & BI_GRAPH_SAVE_WIDE;
    a->wide_keys = bi_graph_has_wide_keys((bosc_dtype)r->header.weight);
    BI_TRY(bi_scratch(r->ctx, 64, (void **)&a->found));
    BI_TRY(move_array(r, BI_RANKS_OFFSETS, &a->offsets));
    BI_TRY(move_array(r, BI_RANKS_NEIGHBOURS, &a->neighbours));
    BI_TRY(move_array(r, BI_RANKS_WEIGHTS, &a->weights));
    BI_TRY(move_array(r, BI_RANKS_EDGE_IDS, &a->ids));
    BI_TRY(bi_scratch_of(r->ctx, a->count, sizeof *a->row_of, &a->row_of));
    return bi_scratch_of(r->ctx, a->count, a->wide_keys ? 8 : 4, &a->keys);
}

/* ---- checks ---- */

static bosc_status check_offsets(struct bi_ranks_graph_reading *r, const struct arcs *a)
{
    const int64_t rows = r->row_end - r->rows_from;
    const size_t word = a->wide ? 8 : 4;
    const struct bi_graph_check_offsets check = {a->offsets, a->wide, rows, (int64_t *)(void *)a->found};
    int64_t bad = INT64_MAX;
    uint64_t first = 0, last = 0;
    BI_TRY(r->ctx->backend->copy(r->ctx, a->found, &bad, sizeof bad));
    if (rows) BI_TRY(r->ctx->ops->graph->steps->graph_check_offsets(r->ctx, rows, &check));
    BI_TRY(bi_read_back(r->ctx, &bad, a->found, sizeof bad));
    BI_TRY(bi_read_back(r->ctx, &first, a->offsets, word));
    BI_TRY(bi_read_back(r->ctx, &last, (const char *)a->offsets + (size_t)rows * word, word));
    if (bad != INT64_MAX || (r->rows_from == 0 && first != 0) || last > (uint64_t)r->header.arcs ||
        (r->row_end == r->header.n && last != (uint64_t)r->header.arcs))
        return malformed(r, "its offsets do not ascend from 0 to its arcs");
    return BOSC_OK;
}

static bosc_status check_arcs(struct bi_ranks_graph_reading *r, const struct arcs *a)
{
    const struct bi_graph_steps *steps = r->ctx->ops->graph->steps;
    const bosc_dtype type = (bosc_dtype)r->header.weight;
    const struct bi_ranks_graph_row_of rows = {a->offsets,   a->wide,      r->row_end - r->rows_from,
                                               r->rows_from, r->arcs_from, a->row_of};
    const struct bi_graph_encode_weights encode = {a->weights, type, r->header.nan == BOSC_GRAPH_NAN_LAST, a->keys,
                                                   a->found};
    const struct bi_graph_check_arcs check = {
        {NULL, a->neighbours, a->keys, a->ids, a->wide, type}, a->row_of, r->header.n, r->header.entries, a->found};
    uint32_t found;
    if (a->count == 0) return BOSC_OK;
    BI_TRY(r->ctx->ops->dist->steps->graph_row_of(r->ctx, a->count, &rows));
    BI_TRY(r->ctx->backend->fill(r->ctx, a->found, 0, sizeof found));
    BI_TRY(steps->graph_encode_weights(r->ctx, a->count, &encode));
    BI_TRY(steps->graph_check_arcs(r->ctx, a->count, &check));
    BI_TRY(bi_read_back(r->ctx, &found, a->found, sizeof found));
    return bi_graph_bad_arc(&r->loader, found);
}

/* ---- arcs on their way to their entries ---- */

static bosc_status list_arcs(struct bi_ranks_graph_reading *r, const struct arcs *a, uint64_t **items,
                             uint32_t **owners)
{
    const int64_t count = a->count - a->more;
    const size_t at = (size_t)a->more, word = a->wide ? 8 : 4, key = a->wide_keys ? 8 : 4;
    BI_TRY(bi_scratch_of(r->ctx, count, 3 * sizeof **items, items));
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof **owners, owners));
    const struct bi_ranks_graph_send send = {.row_of = a->row_of + at,
                                             .neighbours = (const uint32_t *)a->neighbours + at,
                                             .ids = (const char *)a->ids + at * word,
                                             .keys = (const char *)a->keys + at * key,
                                             .wide = a->wide,
                                             .wide_keys = a->wide_keys,
                                             .entries = r->header.entries,
                                             .ranks = (uint32_t)r->comm->rank_count,
                                             .items = *items,
                                             .owners = *owners};
    return count ? r->ctx->ops->dist->steps->graph_send(r->ctx, count, &send) : BOSC_OK;
}

static bosc_status prepare(struct bi_ranks_graph_reading *r, struct arcs *a, uint64_t **items, uint32_t **owners)
{
    BI_TRY(take_arcs(r, a));
    BI_TRY(check_offsets(r, a));
    BI_TRY(check_arcs(r, a));
    return list_arcs(r, a, items, owners);
}

/* ---- edges ---- */

/* This rank's, in reach, ascending by id. */
struct edges {
    struct bi_graph_entries list;
    uint64_t *ids; /* among this rank's entries */
};

struct sorted {
    uint64_t *keys, *values; /* two words each */
    uint8_t *is_edge;
};

static bosc_status sort_arcs(struct bi_ranks_graph_reading *r, const uint64_t *items, int64_t count, struct sorted *s)
{
    const int64_t first = bi_ranks_graph_share(r, r->comm->rank);
    const int bits = bi_bit_length((uint64_t)r->header.entries) + 1;
    struct bi_ranks_graph_take take = {.items = items, .first = first};
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof *take.keys, &take.keys));
    BI_TRY(bi_scratch_of(r->ctx, count, 2 * sizeof *take.values, &take.values));
    BI_TRY(r->ctx->ops->dist->steps->graph_take(r->ctx, count, &take));
    return r->ctx->backend->core->sort_pairs(r->ctx, BOSC_U64, take.keys, 2 * sizeof *take.values, take.values, count,
                                             s->keys, s->values, 0, bits);
}

/* s->is_edge, of arcs in pairs; *edges: how many there are. */
static bosc_status pair_arcs(struct bi_ranks_graph_reading *r, int64_t count, const struct sorted *s, int64_t *edges)
{
    int64_t faults[3] = {INT64_MAX, INT64_MAX, 0}, *found;
    BI_TRY(bi_scratch_of(r->ctx, 3, sizeof *found, &found));
    BI_TRY(r->ctx->backend->copy(r->ctx, found, faults, sizeof faults));
    const struct bi_ranks_graph_pair pair = {s->keys, s->values, count, s->is_edge, &found[0], &found[1]};
    BI_TRY(r->ctx->ops->dist->steps->graph_pair(r->ctx, count, &pair));
    BI_TRY(r->ctx->backend->core->compact(r->ctx, 1, s->is_edge, s->is_edge, count, NULL, &found[2]));
    BI_TRY(bi_read_back(r->ctx, faults, found, sizeof faults));
    if (faults[0] != INT64_MAX) return malformed(r, "an edge id is repeated");
    if (faults[1] != INT64_MAX) return malformed(r, "an arc lacks its way back");
    *edges = faults[2];
    return BOSC_OK;
}

static bosc_status take_edges(struct bi_ranks_graph_reading *r, int64_t count, const struct sorted *s, struct edges *e)
{
    const struct bi_core_ops *core = r->ctx->backend->core;
    struct bi_ranks_graph_edge edge = {.dtype = e->list.dtype, .ids = e->ids};
    uint64_t *values;
    int64_t *counted;
    BI_TRY(bi_scratch_of(r->ctx, e->list.m, sizeof *edge.u, &edge.u));
    BI_TRY(bi_scratch_of(r->ctx, e->list.m, sizeof *edge.v, &edge.v));
    BI_TRY(bi_scratch_of(r->ctx, e->list.m, bosc_dtype_size(e->list.dtype), &edge.weights));
    BI_TRY(bi_scratch_of(r->ctx, count, 2 * sizeof *values, &values));
    BI_TRY(bi_scratch_of(r->ctx, 1, sizeof *counted, &counted));
    BI_TRY(core->compact(r->ctx, sizeof *e->ids, s->keys, s->is_edge, count, e->ids, counted));
    BI_TRY(core->compact(r->ctx, 2 * sizeof *values, s->values, s->is_edge, count, values, counted));
    edge.keys = e->ids;
    edge.values = values;
    e->list.u = edge.u;
    e->list.v = edge.v;
    e->list.weights = edge.weights;
    return e->list.m ? r->ctx->ops->dist->steps->graph_edge(r->ctx, e->list.m, &edge) : BOSC_OK;
}

static bosc_status find_edges(struct bi_ranks_graph_reading *r, const uint64_t *items, int64_t count, struct edges *e)
{
    struct sorted s;
    e->list.m = 0;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof *e->ids, &e->ids));
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof *s.keys, &s.keys));
    BI_TRY(bi_scratch_of(r->ctx, count, 2 * sizeof *s.values, &s.values));
    BI_TRY(bi_scratch_of(r->ctx, count, 1, &s.is_edge));
    BI_TRY_WITH_SCRATCH(r->ctx, sort_arcs(r, items, count, &s));
    BI_TRY(pair_arcs(r, count, &s, &e->list.m));
    return take_edges(r, count, &s, e);
}

static bosc_status build(struct bi_ranks_graph_reading *r, const struct edges *e, int64_t entries, bosc_graph **graph)
{
    const bosc_graph_opts opts = {.size = sizeof opts,
                                  .weight = e->list.dtype,
                                  .id_bits = (int32_t)r->header.id_bits,
                                  .nan = (bosc_graph_nan)r->header.nan,
                                  .wide = !!(r->header.flags & BI_GRAPH_SAVE_ALWAYS_WIDE)};
    BI_TRY(bosc_graph_create(r->ctx, &opts, graph));
    return bi_graph_build_named(r->ctx, *graph, &e->list, e->ids, entries);
}

static bosc_status exchange(struct bi_ranks_graph_reading *r, struct bi_ranks_route *route, struct edges *e)
{
    struct arcs arcs;
    uint64_t *items = NULL;
    uint32_t *owners = NULL;
    void *came;
    int64_t edges;
    bosc_status local_status = prepare(r, &arcs, &items, &owners);
    BI_TRY(bi_ranks_route_to_owners(r->ctx, r->comm, local_status, owners,
                                    local_status == BOSC_OK ? arcs.count - arcs.more : 0, route));
    BI_TRY(bi_ranks_route_items(r->ctx, r->comm, BOSC_OK, route, 3 * sizeof *items, items, &came));
    local_status = find_edges(r, came, route->x.received, e);
    edges = e->list.m;
    BI_TRY(bi_comm_sum(r->ctx, r->comm, local_status, &edges, 1));
    return edges == r->header.m ? BOSC_OK : malformed(r, "its number of edges is wrong");
}

bosc_status bi_ranks_graph_build_read(struct bi_ranks_graph_reading *r, bosc_graph **graph)
{
    const int64_t first = bi_ranks_graph_share(r, r->comm->rank), end = bi_ranks_graph_share(r, r->comm->rank + 1);
    struct edges e = {.list = {.n = r->header.n, .dtype = (bosc_dtype)r->header.weight}};
    struct bi_ranks_route route = {.rows = NULL};
    const bosc_status status = exchange(r, &route, &e);
    bi_ranks_route_end(r->ctx, &route);
    return status == BOSC_OK ? bi_comm_agree(r->ctx, r->comm, build(r, &e, end - first, graph)) : status;
}
