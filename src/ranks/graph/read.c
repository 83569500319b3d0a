/* Loads a saved graph over ranks. 1. Each rank reads a slice of the file's rows and arcs, and all check the checksum.
 * 2. Arcs go to the owners of their entries, which check that both arcs of an edge exist and agree. 3. Each rank
 * builds the graph of the entries that it owns. Nothing in the file is trusted. */
#include <boscage/ranks/graph.h>

#include "base/bits.h"
#include "core/call.h"
#include "core/check.h"
#include "graph/save.h"
#include "graph/view.h"
#include "ranks/exchange/route.h"
#include "ranks/ranks.h"
#include "ranks/steps/steps.h"

enum { OFFSETS, NEIGHBOURS, WEIGHTS, EDGE_IDS, ARRAYS };

struct graph_loader {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_loader loader; /* its context and words only */
    bosc_read_at_fn read;
    void *user;
    struct bi_graph_header header;
    struct bi_loaded arrays[ARRAYS];
    int64_t row, row_end; /* rows whose offsets belong to this rank */
    int64_t arc, arc_end; /* its arcs; the first may belong to the row before */
    int64_t rows_from;    /* the first row read: one before `row`, if there is one, since `arc` may belong to it */
    int64_t arcs_from;    /* likewise the first arc read: the order of `arc` is checked against it */
    char *state;          /* host: the hash state, then a sent list, a received list and a received state */
};

/* Returns the first entry of a rank: entry i belongs to rank i x ranks / entries. */
static inline int64_t first_entry_of(const struct graph_loader *r, int64_t rank)
{
    const int64_t ranks = r->comm->rank_count;
    return (rank * r->header.entries + ranks - 1) / ranks;
}

/* ---- file layout ---- */

enum {
    CHUNK_BYTES = 1 << 20, /* progress is reported by chunk; not measured */
    ALIGNMENT = 64         /* of arrays in the file (graph/save.h) */
};

static const char *const names[ARRAYS] = {"offsets", "neighbours", "weights", "edge ids"};

static bosc_status malformed(struct graph_loader *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

static bosc_status read_bytes(struct graph_loader *r, int64_t at, void *bytes, size_t count, const char *array)
{
    if (bi_load_fault_injected() || r->read(r->user, at, bytes, count) != 0)
        return bi_fail(r->ctx, BOSC_ERR_FORMAT, "%s: it ends within its %s", r->loader.what, array);
    return BOSC_OK;
}

static int64_t item_size(const struct graph_loader *r, int which)
{
    const int64_t word = r->header.flags & BI_GRAPH_SAVE_WIDE ? 8 : 4;
    if (which == NEIGHBOURS) return sizeof(uint32_t);
    return which == WEIGHTS ? (int64_t)bosc_dtype_size((bosc_dtype)r->header.weight) : word;
}

static int64_t array_bytes(const struct graph_loader *r, int which)
{
    return (which == OFFSETS ? r->header.n + 1 : r->header.arcs) * item_size(r, which);
}

static int64_t padding_after(int64_t bytes) { return (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT; }

/* Returns the offset of array `which`; after the last one, that of the checksum. */
static int64_t array_begin(const struct graph_loader *r, int which)
{
    int64_t at = sizeof r->header;
    for (int k = 0; k < which; k++) at += array_bytes(r, k) + padding_after(array_bytes(r, k));
    return at;
}

/* ---- header ---- */

/* Reads the last byte of each array, so that no memory is allocated for a truncated file. */
static bosc_status check_array_ends(struct graph_loader *r)
{
    char last;
    uint64_t hash;
    for (int k = 0; k < ARRAYS; k++)
        if (array_bytes(r, k)) BI_TRY(read_bytes(r, array_begin(r, k + 1) - 1, &last, 1, names[k]));
    return read_bytes(r, array_begin(r, ARRAYS), &hash, sizeof hash, "checksum");
}

static bosc_status read_header(struct graph_loader *r)
{
    struct bi_graph_header *h = &r->header;
    BI_TRY(read_bytes(r, 0, h, sizeof *h, "header"));
    BI_TRY(bi_load_check_header(&r->loader, h, sizeof *h, BI_GRAPH_SAVE_MAGIC, BI_GRAPH_SAVE_VERSION));
    BI_TRY(bi_graph_check_header(&r->loader, h));
    return check_array_ends(r);
}

static bosc_status broadcast_header(struct graph_loader *r)
{
    const struct bi_graph_header *all = r->comm->gather;
    BI_TRY(bi_comm_agree(r->ctx, r->comm, r->comm->rank == 0 ? read_header(r) : BOSC_OK));
    BI_TRY(bi_comm_all_gather(r->ctx, r->comm, &r->header, sizeof r->header, r->comm->gather));
    r->header = all[0];
    return BOSC_OK;
}

/* ---- splitters ----
 *
 * Rows and arcs form one sequence, row u at position offset(u) + u, before its arcs. It is divided evenly (as by merge
 * path for sparse matrices: Merrill and Garland, 2016), so neither many empty rows nor a row of many arcs makes a slice
 * large. A binary search in the file finds the splitters. */

static bosc_status read_offset(struct graph_loader *r, int64_t row, uint64_t *offset)
{
    const int64_t size = item_size(r, OFFSETS);
    *offset = 0; /* little-endian: with 32 bits the upper half stays 0 */
    return read_bytes(r, array_begin(r, OFFSETS) + row * size, offset, (size_t)size, names[OFFSETS]);
}

/* Finds the first row and arc of a rank's slice; for rank = ranks, the ends. Offsets that descend are refused later, so
 * the arc may be out of order here. */
static bosc_status find_splitter(struct graph_loader *r, int64_t rank, int64_t *row, int64_t *arc)
{
    const int64_t n = r->header.n, arcs = r->header.arcs, ranks = r->comm->rank_count;
    const int64_t diagonal = (n + arcs) / ranks * rank + (n + arcs) % ranks * rank / ranks; /* without overflow */
    int64_t low = 0, high = n;
    while (low < high && rank < ranks) {
        const int64_t mid = low + (high - low) / 2;
        uint64_t offset;
        BI_TRY(read_offset(r, mid, &offset));
        if (offset < (uint64_t)diagonal && (int64_t)offset + mid < diagonal)
            low = mid + 1;
        else
            high = mid;
    }
    *row = rank < ranks ? low : n;
    *arc = rank < ranks ? diagonal - low : arcs;
    if (*arc > arcs) *arc = arcs;
    return BOSC_OK;
}

static bosc_status find_range(struct graph_loader *r)
{
    BI_TRY(find_splitter(r, r->comm->rank, &r->row, &r->arc));
    BI_TRY(find_splitter(r, r->comm->rank + 1, &r->row_end, &r->arc_end));
    if (r->arc_end < r->arc) r->arc_end = r->arc; /* of descending offsets */
    r->rows_from = r->row > 0 ? r->row - 1 : 0;
    r->arcs_from = r->arc > 0 ? r->arc - 1 : 0;
    return BOSC_OK;
}

/* ---- arrays ---- */

static bosc_status read_array(struct graph_loader *r, int which, int64_t first, int64_t end)
{
    struct bi_loaded *a = &r->arrays[which];
    const int64_t size = item_size(r, which), at = array_begin(r, which) + first * size;
    const size_t bytes = (size_t)((end - first) * size);
    BI_TRY(bi_load_reserve(&r->loader, a, bytes));
    for (; a->bytes < bytes; a->bytes += bytes - a->bytes < CHUNK_BYTES ? bytes - a->bytes : CHUNK_BYTES) {
        const size_t chunk = bytes - a->bytes < CHUNK_BYTES ? bytes - a->bytes : CHUNK_BYTES;
        BI_TRY(read_bytes(r, at + (int64_t)a->bytes, a->data + a->bytes, chunk, names[which]));
        BI_TRY(bi_progress_advance(r->ctx, bi_save_items(chunk)));
    }
    return BOSC_OK;
}

static bosc_status read_arrays(struct graph_loader *r)
{
    BI_TRY(find_range(r));
    BI_TRY(read_array(r, OFFSETS, r->rows_from, r->row_end + 1));
    for (int k = NEIGHBOURS; k < ARRAYS; k++) BI_TRY(read_array(r, k, r->arcs_from, r->arc_end));
    return BOSC_OK;
}

/* ---- checksum ---- */

/* The last rank hashes the padding after an array. */
static bosc_status hash_padding(struct graph_loader *r, int which)
{
    char zeros[ALIGNMENT];
    const int64_t padding = padding_after(array_bytes(r, which));
    if (padding == 0) return BOSC_OK;
    BI_TRY(read_bytes(r, array_begin(r, which + 1) - padding, zeros, (size_t)padding, names[which]));
    for (int64_t i = 0; i < padding; i++)
        if (zeros[i]) return malformed(r, "there is something between its arrays");
    bi_xxh3_add(r->state, zeros, (size_t)padding);
    return BOSC_OK;
}

/* Hashes this rank's items of an array, without the overlap that it also read. */
static bosc_status hash_range(struct graph_loader *r, int which)
{
    const bool offsets = which == OFFSETS, last = r->comm->rank == r->comm->rank_count - 1;
    const int64_t from = offsets ? r->rows_from : r->arcs_from, first = offsets ? r->row : r->arc,
                  end = offsets ? r->row_end + last : r->arc_end, size = item_size(r, which);
    if (end > first)
        bi_xxh3_add(r->state, r->arrays[which].data + (first - from) * size, (size_t)((end - first) * size));
    return last ? hash_padding(r, which) : BOSC_OK;
}

/* Passes the hash state from rank to rank, since the hash is sequential. */
static bosc_status pass_hash(struct graph_loader *r, int32_t from, int32_t to)
{
    const int32_t ranks = r->comm->rank_count, rank = r->comm->rank;
    int64_t *sent = (int64_t *)(void *)(r->state + BI_XXH3_STATE_BYTES), *received = sent + ranks + 1;
    char *received_state = (char *)(received + ranks + 1);
    for (int32_t i = 0; i <= ranks; i++) {
        sent[i] = rank == from && i > to ? BI_XXH3_STATE_BYTES : 0;
        received[i] = rank == to && i > from ? BI_XXH3_STATE_BYTES : 0;
    }
    BI_TRY(bi_comm_all_to_all(r->ctx, r->comm, true, r->state, sent, received_state, received));
    if (rank == to) bi_xxh3_resume(r->state, received_state);
    return BOSC_OK;
}

static bosc_status check_hash(struct graph_loader *r, bosc_status local_status)
{
    const int32_t ranks = r->comm->rank_count;
    uint64_t hash;
    /* The file is the header, then the arrays; each array is hashed rank by rank. */
    if (r->comm->rank == 0) bi_xxh3_add(r->state, &r->header, sizeof r->header);
    for (int k = 0; k < ARRAYS; k++)
        for (int32_t rank = 0; rank < ranks; rank++) {
            if (local_status == BOSC_OK && rank == r->comm->rank) local_status = hash_range(r, k);
            BI_TRY(pass_hash(r, rank, (rank + 1) % ranks));
        }
    if (local_status == BOSC_OK && r->comm->rank == 0)
        local_status = read_bytes(r, array_begin(r, ARRAYS), &hash, sizeof hash, "checksum");
    if (local_status == BOSC_OK && r->comm->rank == 0 && hash != bi_xxh3_end(r->state))
        local_status = malformed(r, "the checksum is wrong: it is damaged");
    return bi_comm_agree(r->ctx, r->comm, local_status);
}

/* ---- this rank's slice of the file ---- */

static size_t state_bytes(const struct graph_loader *r)
{
    return 2 * BI_XXH3_STATE_BYTES + 2 * (size_t)(r->comm->rank_count + 1) * sizeof(int64_t);
}

static bosc_status read_slice(struct graph_loader *r, bosc_status local_status)
{
    if (local_status == BOSC_OK) {
        r->state = bi_host_alloc(r->ctx, state_bytes(r));
        local_status = r->state ? BOSC_OK : BOSC_ERR_NOMEM;
    }
    if (local_status == BOSC_OK) bi_xxh3_begin(r->state);
    BI_TRY(bi_comm_agree(r->ctx, r->comm, local_status));
    BI_TRY(broadcast_header(r));
    bi_progress_set_total(r->ctx, 2 * bi_save_items((size_t)array_begin(r, ARRAYS)) / r->comm->rank_count);
    BI_TRY(bi_comm_agree(r->ctx, r->comm, read_arrays(r)));
    return check_hash(r, BOSC_OK);
}

static void release_loader(struct graph_loader *r)
{
    for (int k = 0; k < ARRAYS; k++) bi_load_release(&r->loader, &r->arrays[k]);
    bi_memory_release(&r->ctx->host, r->state, state_bytes(r));
}

/* ---- arcs in reach ---- */

/* Arcs as read, in reach; `overlap` of them (0 or 1) precede this rank's own. */
struct arcs {
    int64_t count, overlap;
    bool is_64bit, wide_keys; /* offsets and ids have 64 bits; keys of weights have */
    void *offsets, *neighbours, *ids, *weights, *keys;
    uint32_t *row_of;
    uint32_t *fault_bits; /* first the position of a bad offset (int64), then the bits of graph/steps/load.h */
};

static bosc_status stage_array(struct graph_loader *r, int which, void **to)
{
    struct bi_loaded *a = &r->arrays[which];
    BI_TRY(bi_scratch(r->ctx, a->bytes, to));
    if (a->bytes == 0) return BOSC_OK;
    BI_TRY(r->ctx->backend->copy(r->ctx, *to, a->data, a->bytes));
    BI_TRY(r->ctx->backend->sync(r->ctx));
    bi_load_release(&r->loader, a);
    return BOSC_OK;
}

static bosc_status stage_arcs(struct graph_loader *r, struct arcs *a)
{
    a->count = r->arc_end - r->arcs_from;
    a->overlap = r->arc - r->arcs_from;
    a->is_64bit = r->header.flags & BI_GRAPH_SAVE_WIDE;
    a->wide_keys = bi_graph_has_64bit_keys((bosc_dtype)r->header.weight);
    BI_TRY(bi_scratch(r->ctx, 64, (void **)&a->fault_bits));
    BI_TRY(stage_array(r, OFFSETS, &a->offsets));
    BI_TRY(stage_array(r, NEIGHBOURS, &a->neighbours));
    BI_TRY(stage_array(r, WEIGHTS, &a->weights));
    BI_TRY(stage_array(r, EDGE_IDS, &a->ids));
    BI_TRY(bi_scratch_of(r->ctx, a->count, sizeof *a->row_of, &a->row_of));
    return bi_scratch_of(r->ctx, a->count, a->wide_keys ? 8 : 4, &a->keys);
}

/* ---- checks ---- */

/* Offsets must ascend, from 0 on the first rank to the number of arcs on the last. */
static bosc_status check_offsets(struct graph_loader *r, const struct arcs *a)
{
    const int64_t rows = r->row_end - r->rows_from;
    struct bi_graph_offsets_scan scan;
    BI_TRY(bi_graph_scan_offsets(r->ctx, a->offsets, a->is_64bit, rows, (int64_t *)(void *)a->fault_bits, &scan));
    if (scan.bad != INT64_MAX || (r->rows_from == 0 && scan.first != 0) || scan.last > (uint64_t)r->header.arcs ||
        (r->row_end == r->header.n && scan.last != (uint64_t)r->header.arcs))
        return malformed(r, "its offsets do not ascend from 0 to its arcs");
    return BOSC_OK;
}

/* Encodes the weights as keys. Checks ids and neighbours, and their order within a row. */
static bosc_status check_arcs(struct graph_loader *r, const struct arcs *a)
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
    BI_TRY(r->ctx->ops->ranks->steps->graph_row_of(r->ctx, a->count, &rows));
    BI_TRY(r->ctx->backend->fill(r->ctx, a->fault_bits, 0, sizeof found));
    BI_TRY(steps->graph_encode_weights(r->ctx, a->count, &encode));
    BI_TRY(steps->graph_check_arcs(r->ctx, a->count, &check));
    BI_TRY(bi_read_back(r->ctx, &found, a->fault_bits, sizeof found));
    return bi_graph_bad_arc(&r->loader, found);
}

/* ---- arcs to the owners of their entries ---- */

/* Packs this rank's arcs, without the overlap, and finds their owners. */
static bosc_status list_arcs(struct graph_loader *r, const struct arcs *a, uint64_t **items, uint32_t **owners)
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
    return count ? r->ctx->ops->ranks->steps->graph_pack_arcs(r->ctx, count, &pack) : BOSC_OK;
}

static bosc_status prepare_arcs(struct graph_loader *r, struct arcs *a, uint64_t **items, uint32_t **owners)
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

/* Sorts arcs by entry, each forward arc before its reverse. */
static bosc_status sort_arcs(struct graph_loader *r, const uint64_t *items, int64_t count, struct sorted_arcs *s)
{
    const int64_t first = first_entry_of(r, r->comm->rank);
    const int bits = bi_bit_length((uint64_t)r->header.entries) + 1;
    struct bi_ranks_graph_unpack_arcs unpack = {.items = items, .first = first};
    BI_TRY(bi_scratch_of(r->ctx, count, sizeof *unpack.keys, &unpack.keys));
    BI_TRY(bi_scratch_of(r->ctx, count, 2 * sizeof *unpack.values, &unpack.values));
    BI_TRY(r->ctx->ops->ranks->steps->graph_unpack_arcs(r->ctx, count, &unpack));
    return r->ctx->backend->core->sort_pairs(r->ctx, BOSC_U64, unpack.keys, 2 * sizeof *unpack.values, unpack.values,
                                             count, s->keys, s->values, 0, bits);
}

/* Checks that each entry has a forward arc and its reverse. s->is_edge marks the forward ones; *edges: their number. */
static bosc_status pair_arcs(struct graph_loader *r, int64_t count, const struct sorted_arcs *s, int64_t *edges)
{
    int64_t faults[3] = {INT64_MAX, INT64_MAX, 0}, *found; /* first repeated, first unpaired arc; number of edges */
    BI_TRY(bi_scratch_of(r->ctx, 3, sizeof *found, &found));
    BI_TRY(r->ctx->backend->copy(r->ctx, found, faults, sizeof faults));
    const struct bi_ranks_graph_pair_arcs pair = {s->keys, s->values, count, s->is_edge, &found[0], &found[1]};
    BI_TRY(r->ctx->ops->ranks->steps->graph_pair_arcs(r->ctx, count, &pair));
    BI_TRY(r->ctx->backend->core->compact(r->ctx, 1, s->is_edge, s->is_edge, count, NULL, &found[2]));
    BI_TRY(bi_read_back(r->ctx, faults, found, sizeof faults));
    if (faults[0] != INT64_MAX) return malformed(r, "an edge id is repeated");
    if (faults[1] != INT64_MAX) return malformed(r, "an arc lacks its way back");
    *edges = faults[2];
    return BOSC_OK;
}

static bosc_status write_edges(struct graph_loader *r, int64_t count, const struct sorted_arcs *s, struct edges *e)
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
    return e->list.m ? r->ctx->ops->ranks->steps->graph_write_edges(r->ctx, e->list.m, &edge) : BOSC_OK;
}

/* Finds the edges among received arcs. */
static bosc_status find_edges(struct graph_loader *r, const uint64_t *items, int64_t count, struct edges *e)
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

static bosc_status build_graph(struct graph_loader *r, const struct edges *e, int64_t entries, bosc_graph **graph)
{
    const bosc_graph_opts opts = {.size = sizeof opts,
                                  .weight = e->list.dtype,
                                  .id_bits = (int32_t)r->header.id_bits,
                                  .nan = (bosc_graph_nan)r->header.nan,
                                  .wide = !!(r->header.flags & BI_GRAPH_SAVE_ALWAYS_WIDE)};
    BI_TRY(bosc_graph_create(r->ctx, &opts, graph));
    return bi_graph_build_with_ids(r->ctx, *graph, &e->list, e->ids, entries);
}

/* Sends arcs to the owners of their entries. The edges found by all ranks must be as many as the header says. */
static bosc_status exchange_arcs(struct graph_loader *r, struct bi_ranks_route *route, struct edges *e)
{
    struct arcs arcs;
    uint64_t *items = NULL;
    uint32_t *owners = NULL;
    void *received;
    int64_t edges;
    bosc_status local_status = prepare_arcs(r, &arcs, &items, &owners);
    BI_TRY(bi_ranks_route_to_owners(r->ctx, r->comm, local_status, owners,
                                    local_status == BOSC_OK ? arcs.count - arcs.overlap : 0, route));
    BI_TRY(bi_ranks_route_items(r->ctx, r->comm, BOSC_OK, route, 3 * sizeof *items, items, &received));
    local_status = find_edges(r, received, route->x.received, e);
    edges = e->list.m;
    BI_TRY(bi_comm_sum(r->ctx, r->comm, local_status, &edges, 1));
    return edges == r->header.m ? BOSC_OK : malformed(r, "its number of edges is wrong");
}

static bosc_status build_loaded(struct graph_loader *r, bosc_graph **graph)
{
    const int64_t first = first_entry_of(r, r->comm->rank), end = first_entry_of(r, r->comm->rank + 1);
    struct edges e = {.list = {.n = r->header.n, .dtype = (bosc_dtype)r->header.weight}};
    struct bi_ranks_route route;
    const bosc_status status = exchange_arcs(r, &route, &e);
    bi_ranks_route_end(r->ctx, &route);
    return status == BOSC_OK ? bi_comm_agree(r->ctx, r->comm, build_graph(r, &e, end - first, graph)) : status;
}

/* ---- the call ---- */

static bosc_status check(bosc_ctx *ctx, bosc_read_at_fn read, bosc_graph **graph, const bosc_ranks_graph_info *info)
{
    if (!read) return bi_fail(ctx, BOSC_ERR_ARG, "read: NULL");
    if (!graph) return bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
    return info ? bi_check_info(ctx, "info", "bosc_ranks_graph_info", info->size, sizeof *info) : BOSC_OK;
}

static bosc_status read_graph(struct graph_loader *r, bosc_status local_status, bosc_graph **graph)
{
    BI_TRY(read_slice(r, local_status));
    BI_RETURN_WITH_SCRATCH(r->ctx, build_loaded(r, graph));
}

static void write_info(const struct graph_loader *r, bosc_ranks_graph_info *info)
{
    const int64_t first = first_entry_of(r, r->comm->rank);
    const bosc_ranks_graph_info full = {.n = r->header.n,
                                        .m = r->header.m,
                                        .entries = r->header.entries,
                                        .own_entries = first_entry_of(r, r->comm->rank + 1) - first,
                                        .first_entry = first};
    bi_copy_info(info, &full, sizeof full);
}

bosc_status bosc_ranks_graph_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_at_fn read, void *user, bosc_graph **graph,
                                  bosc_ranks_graph_info *info)
{
    struct graph_loader r = {
        .ctx = ctx, .comm = comm, .loader = {.ctx = ctx, .what = "saved graph"}, .read = read, .user = user};
    bosc_graph *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const bosc_status status = read_graph(&r, check(ctx, read, graph, info), &fresh);
    release_loader(&r);
    if (status == BOSC_OK) {
        *graph = fresh;
        if (info) write_info(&r, info);
    } else {
        bosc_graph_free(fresh);
    }
    return status;
}
