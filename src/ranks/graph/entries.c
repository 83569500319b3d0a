/* Builds the edges of a saved graph from the arcs that ranks read. Nothing is trusted: rows must ascend, and the owner
 * of an entry checks that both of its arcs exist and agree. */
#include "base/bits.h"
#include "core/call.h"
#include "ranks/graph/read.h"
#include "ranks/exchange/route.h"
#include "ranks/steps/steps.h"
#include "graph/view.h"

/* Arcs as read, in reach; `overlap` of them precede this rank's own. */
struct arcs {
    int64_t count, overlap;
    bool is_64bit, wide_keys;
    void *offsets, *neighbours, *ids, *weights, *keys;
    uint32_t *row_of;
    uint32_t *fault_bits; /* fault bits or positions: 64 bytes */
};

static bosc_status malformed(struct bi_ranks_graph_loader *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

static bosc_status stage_array(struct bi_ranks_graph_loader *r, int which, void **to)
{
    struct bi_loaded *a = &r->arrays[which];
    BI_TRY(bi_scratch(r->ctx, a->bytes, to));
    if (a->bytes == 0) return BOSC_OK;
    BI_TRY(r->ctx->backend->copy(r->ctx, *to, a->data, a->bytes));
    BI_TRY(r->ctx->backend->sync(r->ctx));
    bi_load_release(&r->loader, a);
    return BOSC_OK;
}

static bosc_status stage_arcs(struct bi_ranks_graph_loader *r, struct arcs *a)
{
    a->count = r->arc_end - r->arcs_from;
    a->overlap = r->arc - r->arcs_from;
    a->is_64bit = r->header.flags & BI_GRAPH_SAVE_WIDE;
    a->wide_keys = bi_graph_has_64bit_keys((bosc_dtype)r->header.weight);
    BI_TRY(bi_scratch(r->ctx, 64, (void **)&a->fault_bits));
    BI_TRY(stage_array(r, BI_RANKS_OFFSETS, &a->offsets));
    BI_TRY(stage_array(r, BI_RANKS_NEIGHBOURS, &a->neighbours));
    BI_TRY(stage_array(r, BI_RANKS_WEIGHTS, &a->weights));
    BI_TRY(stage_array(r, BI_RANKS_EDGE_IDS, &a->ids));
    BI_TRY(bi_scratch_of(r->ctx, a->count, sizeof *a->row_of, &a->row_of));
    return bi_scratch_of(r->ctx, a->count, a->wide_keys ? 8 : 4, &a->keys);
}

/* ---- checks ---- */

static bosc_status check_offsets(struct bi_ranks_graph_loader *r, const struct arcs *a)
{
    const int64_t rows = r->row_end - r->rows_from;
    const size_t word = a->is_64bit ? 8 : 4;
    const struct bi_graph_check_offsets check = {a->offsets, a->is_64bit, rows, (int64_t *)(void *)a->fault_bits};
    int64_t bad = INT64_MAX;
    uint64_t first = 0, last = 0;
    BI_TRY(r->ctx->backend->copy(r->ctx, a->fault_bits, &bad, sizeof bad));
    if (rows) BI_TRY(r->ctx->ops->graph->steps->graph_check_offsets(r->ctx, rows, &check));
    BI_TRY(bi_read_back(r->ctx, &bad, a->fault_bits, sizeof bad));
    BI_TRY(bi_read_back(r->ctx, &first, a->offsets, word));
    BI_TRY(bi_read_back(r->ctx, &last, (const char *)a->offsets + (size_t)rows * word, word));
    if (bad != INT64_MAX || (r->rows_from == 0 && first != 0) || last > (uint64_t)r->header.arcs ||
        (r->row_end == r->header.n && last != (uint64_t)r->header.arcs))
        return malformed(r, "its offsets do not ascend from 0 to its arcs");
    return BOSC_OK;
}

static bosc_status check_arcs(struct bi_ranks_graph_loader *r, const struct arcs *a)
{
    const struct bi_graph_steps *steps = r->ctx->ops->graph->steps;
    const bosc_dtype type = (bosc_dtype)r->header.weight;
    const struct bi_ranks_graph_row_of rows = {a->offsets,   a->is_64bit,  r->row_end - r->rows_from,
                                               r->rows_from, r->arcs_from, a->row_of};
    const struct bi_graph_encode_weights encode = {a->weights, type, r->header.nan == BOSC_GRAPH_NAN_LAST, a->keys,
                                                   a->fault_bits};
    const struct bi_graph_check_arcs check = {{NULL, a->neighbours, a->keys, a->ids, a->is_64bit, type},
                                              a->row_of,
                                              r->header.n,
                                              r->header.entries,
                                              a->fault_bits};
    uint32_t found;
    if (a->count == 0) return BOSC_OK;
    BI_TRY(r->ctx->ops->dist->steps->graph_row_of(r->ctx, a->count, &rows));
    BI_TRY(r->ctx->backend->fill(r->ctx, a->fault_bits, 0, sizeof found));
    BI_TRY(steps->graph_encode_weights(r->ctx, a->count, &encode));
    BI_TRY(steps->graph_check_arcs(r->ctx, a->count, &check));
    BI_TRY(bi_read_back(r->ctx, &found, a->fault_bits, sizeof found));
    return bi_graph_bad_arc(&r->loader, found);
}

/* ---- arcs to the owners of their entries ---- */

static bosc_status list_arcs(struct bi_ranks_graph_loader *r, const struct arcs *a, uint64_t **items, uint32_t **owners)
{
    const int64_t count = a->count - a->overlap;
    const size_t at = (size_t)a->overlap, word = a->is_64bit ? 8 : 4, key = a->wide_keys ? 8 : 4;
    BI_TRY(bi_scratch_of(r->ctx, count, 3 * sizeof **items, items));
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof **owners, owners));
    const struct bi_ranks_graph_pack_arcs pack = {.row_of = a->row_of + at,
                                                  .neighbours = (const uint32_t *)a->neighbours + at,
                                                  .ids = (const char *)a->ids + at * word,
                                                  .keys = (const char *)a->keys + at * key,
                                                  .is_64bit = a->is_64bit,
                                                  .wide_keys = a->wide_keys,
                                                  .entries = r->header.entries,
                                                  .ranks = (uint32_t)r->comm->rank_count,
                                                  .items = *items,
                                                  .owners = *owners};
    return count ? r->ctx->ops->dist->steps->graph_pack_arcs(r->ctx, count, &pack) : BOSC_OK;
}

static bosc_status prepare(struct bi_ranks_graph_loader *r, struct arcs *a, uint64_t **items, uint32_t **owners)
{
    BI_TRY(stage_arcs(r, a));
    BI_TRY(check_offsets(r, a));
    BI_TRY(check_arcs(r, a));
    return list_arcs(r, a, items, owners);
}

/* ---- edges ---- */

/* This rank's edges, in reach, ascending by id. */
struct edges {
    struct bi_graph_entries list;
    uint64_t *ids; /* among this rank's entries */
};

struct sorted_arcs {
    uint64_t *keys, *values; /* keys: one word each; values: two */
    uint8_t *is_edge;
};

static bosc_status sort_arcs(struct bi_ranks_graph_loader *r, const uint64_t *items, int64_t count,
                             struct sorted_arcs *s)
{
    const int64_t first = bi_ranks_graph_chunk_begin(r, r->comm->rank);
    const int bits = bi_bit_length((uint64_t)r->header.entries) + 1;
    struct bi_ranks_graph_unpack_arcs unpack = {.items = items, .first = first};
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof *unpack.keys, &unpack.keys));
    BI_TRY(bi_scratch_of(r->ctx, count, 2 * sizeof *unpack.values, &unpack.values));
    BI_TRY(r->ctx->ops->dist->steps->graph_unpack_arcs(r->ctx, count, &unpack));
    return r->ctx->backend->core->sort_pairs(r->ctx, BOSC_U64, unpack.keys, 2 * sizeof *unpack.values, unpack.values,
                                             count, s->keys, s->values, 0, bits);
}

/* Fills s->is_edge from pairs of arcs. *edges: number of edges. */
static bosc_status pair_arcs(struct bi_ranks_graph_loader *r, int64_t count, const struct sorted_arcs *s,
                             int64_t *edges)
{
    int64_t faults[3] = {INT64_MAX, INT64_MAX, 0}, *found;
    BI_TRY(bi_scratch_of(r->ctx, 3, sizeof *found, &found));
    BI_TRY(r->ctx->backend->copy(r->ctx, found, faults, sizeof faults));
    const struct bi_ranks_graph_pair_arcs pair = {s->keys, s->values, count, s->is_edge, &found[0], &found[1]};
    BI_TRY(r->ctx->ops->dist->steps->graph_pair_arcs(r->ctx, count, &pair));
    BI_TRY(r->ctx->backend->core->compact(r->ctx, 1, s->is_edge, s->is_edge, count, NULL, &found[2]));
    BI_TRY(bi_read_back(r->ctx, faults, found, sizeof faults));
    if (faults[0] != INT64_MAX) return malformed(r, "an edge id is repeated");
    if (faults[1] != INT64_MAX) return malformed(r, "an arc lacks its way back");
    *edges = faults[2];
    return BOSC_OK;
}

static bosc_status write_edges(struct bi_ranks_graph_loader *r, int64_t count, const struct sorted_arcs *s,
                               struct edges *e)
{
    const struct bi_core_ops *core = r->ctx->backend->core;
    struct bi_ranks_graph_write_edges edge = {.dtype = e->list.dtype, .ids = e->ids};
    uint64_t *values;
    int64_t *counter;
    BI_TRY(bi_scratch_of(r->ctx, e->list.m, sizeof *edge.u, &edge.u));
    BI_TRY(bi_scratch_of(r->ctx, e->list.m, sizeof *edge.v, &edge.v));
    BI_TRY(bi_scratch_of(r->ctx, e->list.m, bosc_dtype_size(e->list.dtype), &edge.weights));
    BI_TRY(bi_scratch_of(r->ctx, count, 2 * sizeof *values, &values));
    BI_TRY(bi_scratch_of(r->ctx, 1, sizeof *counter, &counter));
    BI_TRY(core->compact(r->ctx, sizeof *e->ids, s->keys, s->is_edge, count, e->ids, counter));
    BI_TRY(core->compact(r->ctx, 2 * sizeof *values, s->values, s->is_edge, count, values, counter));
    edge.keys = e->ids;
    edge.values = values;
    e->list.u = edge.u;
    e->list.v = edge.v;
    e->list.weights = edge.weights;
    return e->list.m ? r->ctx->ops->dist->steps->graph_write_edges(r->ctx, e->list.m, &edge) : BOSC_OK;
}

static bosc_status find_edges(struct bi_ranks_graph_loader *r, const uint64_t *items, int64_t count, struct edges *e)
{
    struct sorted_arcs s;
    e->list.m = 0;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof *e->ids, &e->ids));
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof *s.keys, &s.keys));
    BI_TRY(bi_scratch_of(r->ctx, count, 2 * sizeof *s.values, &s.values));
    BI_TRY(bi_scratch_of(r->ctx, count, 1, &s.is_edge));
    BI_TRY_WITH_SCRATCH(r->ctx, sort_arcs(r, items, count, &s));
    BI_TRY(pair_arcs(r, count, &s, &e->list.m));
    return write_edges(r, count, &s, e);
}

static bosc_status build_graph(struct bi_ranks_graph_loader *r, const struct edges *e, int64_t entries,
                               bosc_graph **graph)
{
    const bosc_graph_opts opts = {.size = sizeof opts,
                                  .weight = e->list.dtype,
                                  .id_bits = (int32_t)r->header.id_bits,
                                  .nan = (bosc_graph_nan)r->header.nan,
                                  .wide = !!(r->header.flags & BI_GRAPH_SAVE_ALWAYS_WIDE)};
    BI_TRY(bosc_graph_create(r->ctx, &opts, graph));
    return bi_graph_build_with_ids(r->ctx, *graph, &e->list, e->ids, entries);
}

static bosc_status exchange_arcs(struct bi_ranks_graph_loader *r, struct bi_ranks_route *route, struct edges *e)
{
    struct arcs arcs;
    uint64_t *items = NULL;
    uint32_t *owners = NULL;
    void *received;
    int64_t edges;
    bosc_status local_status = prepare(r, &arcs, &items, &owners);
    BI_TRY(bi_ranks_route_to_owners(r->ctx, r->comm, local_status, owners,
                                    local_status == BOSC_OK ? arcs.count - arcs.overlap : 0, route));
    BI_TRY(bi_ranks_route_items(r->ctx, r->comm, BOSC_OK, route, 3 * sizeof *items, items, &received));
    local_status = find_edges(r, received, route->x.received, e);
    edges = e->list.m;
    BI_TRY(bi_comm_sum(r->ctx, r->comm, local_status, &edges, 1));
    return edges == r->header.m ? BOSC_OK : malformed(r, "its number of edges is wrong");
}

bosc_status bi_ranks_graph_build_loaded(struct bi_ranks_graph_loader *r, bosc_graph **graph)
{
    const int64_t first = bi_ranks_graph_chunk_begin(r, r->comm->rank),
                  end = bi_ranks_graph_chunk_begin(r, r->comm->rank + 1);
    struct edges e = {.list = {.n = r->header.n, .dtype = (bosc_dtype)r->header.weight}};
    struct bi_ranks_route route = {.rows = NULL};
    const bosc_status status = exchange_arcs(r, &route, &e);
    bi_ranks_route_end(r->ctx, &route);
    return status == BOSC_OK ? bi_comm_agree(r->ctx, r->comm, build_graph(r, &e, end - first, graph)) : status;
}
