/* A rank's part of the bytes of a saved graph. Row u stands before its arcs in one line of rows and arcs, at offset(u)
 * + u; the line is cut into equal parts (as merge path does for sparse matrices: Merrill and Garland, 2016), so neither
 * many empty rows nor one of many arcs makes a part large. Where a cut lies is found by binary search in the file. */
#include <string.h>

#include "core/call.h"
#include "ranks/graph/read.h"

enum { SLICE = 1 << 20, ALIGNMENT = 64 };

static const char *const names[BI_RANKS_GRAPH_ARRAYS] = {"offsets", "neighbours", "weights", "edge ids"};

static bosc_status malformed(struct bi_ranks_graph_reading *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

static bosc_status get(struct bi_ranks_graph_reading *r, int64_t at, void *bytes, size_t count, const char *part)
{
    if (bi_load_faulty() || r->read(r->user, at, bytes, count) != 0)
        return bi_fail(r->ctx, BOSC_ERR_FORMAT, "%s: it ends within its %s", r->loader.what, part);
    return BOSC_OK;
}

/* ---- where arrays lie ---- */

static int64_t item_size(const struct bi_ranks_graph_reading *r, int which)
{
    const int64_t word = r->header.flags & BI_GRAPH_SAVE_WIDE ? 8 : 4;
    if (which == BI_RANKS_NEIGHBOURS) return sizeof(uint32_t);
    return which == BI_RANKS_WEIGHTS ? (int64_t)bosc_dtype_size((bosc_dtype)r->header.weight) : word;
}

static int64_t bytes_of(const struct bi_ranks_graph_reading *r, int which)
{
    return (which == BI_RANKS_OFFSETS ? r->header.n + 1 : r->header.arcs) * item_size(r, which);
}

static int64_t padding_of(int64_t bytes) { return (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT; }

/* Where array `which` begins; behind the last one, where the checksum lies. */
static int64_t begin_of(const struct bi_ranks_graph_reading *r, int which)
{
    int64_t at = sizeof r->header;
    for (int k = 0; k < which; k++) at += bytes_of(r, k) + padding_of(bytes_of(r, k));
    return at;
}

/* ---- header ---- */

/* No memory is taken for arrays that end before their last byte. */
static bosc_status check_ends(struct bi_ranks_graph_reading *r)
{
    char last;
    uint64_t hash;
    for (int k = 0; k < BI_RANKS_GRAPH_ARRAYS; k++)
        if (bytes_of(r, k)) BI_TRY(get(r, begin_of(r, k + 1) - 1, &last, 1, names[k]));
    return get(r, begin_of(r, BI_RANKS_GRAPH_ARRAYS), &hash, sizeof hash, "checksum");
}

static bosc_status get_header(struct bi_ranks_graph_reading *r)
{
    struct bi_graph_header *h = &r->header;
    BI_TRY(get(r, 0, h, sizeof *h, "header"));
    BI_TRY(bi_load_check_header(&r->loader, h, sizeof *h, BI_GRAPH_SAVE_MAGIC, BI_GRAPH_SAVE_VERSION));
    BI_TRY(bi_graph_check_header(&r->loader, h));
    return check_ends(r);
}

static bosc_status share_header(struct bi_ranks_graph_reading *r)
{
    const struct bi_graph_header *all = r->comm->gather;
    BI_TRY(bi_comm_agree(r->ctx, r->comm, r->comm->rank == 0 ? get_header(r) : BOSC_OK));
    BI_TRY(bi_comm_all_gather(r->ctx, r->comm, &r->header, sizeof r->header, r->comm->gather));
    r->header = all[0];
    return BOSC_OK;
}

/* ---- cuts ---- */

static bosc_status get_offset(struct bi_ranks_graph_reading *r, int64_t row, uint64_t *offset)
{
    const int64_t size = item_size(r, BI_RANKS_OFFSETS);
    *offset = 0; /* little-endian: of 32 bits the upper half stays */
    return get(r, begin_of(r, BI_RANKS_OFFSETS) + row * size, offset, (size_t)size, names[BI_RANKS_OFFSETS]);
}

/* The first row, and the first arc, of a rank's part; what falling offsets give is refused later. */
static bosc_status find_cut(struct bi_ranks_graph_reading *r, int64_t rank, int64_t *row, int64_t *arc)
{
    const int64_t n = r->header.n, arcs = r->header.arcs, ranks = r->comm->rank_count;
    const int64_t place = (n + arcs) / ranks * rank + (n + arcs) % ranks * rank / ranks;
    int64_t low = 0, high = n;
    while (low < high && rank < ranks) {
        const int64_t mid = low + (high - low) / 2;
        uint64_t offset;
        BI_TRY(get_offset(r, mid, &offset));
        if (offset < (uint64_t)place && (int64_t)offset + mid < place)
            low = mid + 1;
        else
            high = mid;
    }
    *row = rank < ranks ? low : n;
    *arc = rank < ranks ? place - low : arcs;
    if (*arc > arcs) *arc = arcs;
    return BOSC_OK;
}

static bosc_status find_part(struct bi_ranks_graph_reading *r)
{
    BI_TRY(find_cut(r, r->comm->rank, &r->row, &r->arc));
    BI_TRY(find_cut(r, r->comm->rank + 1, &r->row_end, &r->arc_end));
    if (r->arc_end < r->arc) r->arc_end = r->arc;
    r->rows_from = r->row > 0 ? r->row - 1 : 0;
    r->arcs_from = r->arc > 0 ? r->arc - 1 : 0;
    return BOSC_OK;
}

/* ---- arrays ---- */

static bosc_status get_array(struct bi_ranks_graph_reading *r, int which, int64_t first, int64_t end)
{
    struct bi_loaded *a = &r->arrays[which];
    const int64_t size = item_size(r, which), at = begin_of(r, which) + first * size;
    const size_t bytes = (size_t)((end - first) * size);
    BI_TRY(bi_load_reserve(&r->loader, a, bytes));
    for (; a->bytes < bytes; a->bytes += bytes - a->bytes < SLICE ? bytes - a->bytes : SLICE) {
        const size_t part = bytes - a->bytes < SLICE ? bytes - a->bytes : SLICE;
        BI_TRY(get(r, at + (int64_t)a->bytes, a->data + a->bytes, part, names[which]));
        BI_TRY(bi_progress_advance(r->ctx, bi_save_items(part)));
    }
    return BOSC_OK;
}

static bosc_status get_arrays(struct bi_ranks_graph_reading *r)
{
    BI_TRY(find_part(r));
    BI_TRY(get_array(r, BI_RANKS_OFFSETS, r->rows_from, r->row_end + 1));
    for (int k = BI_RANKS_NEIGHBOURS; k < BI_RANKS_GRAPH_ARRAYS; k++) BI_TRY(get_array(r, k, r->arcs_from, r->arc_end));
    return BOSC_OK;
}

/* ---- checksum ---- */

/* What lies behind an array is the last rank's. */
static bosc_status hash_padding(struct bi_ranks_graph_reading *r, int which)
{
    char zeros[ALIGNMENT];
    const int64_t padding = padding_of(bytes_of(r, which));
    if (padding == 0) return BOSC_OK;
    BI_TRY(get(r, begin_of(r, which + 1) - padding, zeros, (size_t)padding, names[which]));
    for (int64_t i = 0; i < padding; i++)
        if (zeros[i]) return malformed(r, "there is something between its arrays");
    bi_hash_add(r->state, zeros, (size_t)padding);
    return BOSC_OK;
}

/* This rank's part of an array: beside it items were read that are others'. */
static bosc_status hash_part(struct bi_ranks_graph_reading *r, int which)
{
    const bool offsets = which == BI_RANKS_OFFSETS, last = r->comm->rank == r->comm->rank_count - 1;
    const int64_t from = offsets ? r->rows_from : r->arcs_from, first = offsets ? r->row : r->arc,
                  end = offsets ? r->row_end + last : r->arc_end, size = item_size(r, which);
    if (end > first)
        bi_hash_add(r->state, r->arrays[which].data + (first - from) * size, (size_t)((end - first) * size));
    return last ? hash_padding(r, which) : BOSC_OK;
}

/* The hash goes on where it was left. */
static bosc_status pass_on(struct bi_ranks_graph_reading *r, int32_t from, int32_t to)
{
    const int32_t ranks = r->comm->rank_count, rank = r->comm->rank;
    int64_t *sent = (int64_t *)(void *)(r->state + BI_HASH_STATE), *received = sent + ranks + 1;
    char *came = (char *)(received + ranks + 1);
    for (int32_t i = 0; i <= ranks; i++) {
        sent[i] = rank == from && i > to ? BI_HASH_STATE : 0;
        received[i] = rank == to && i > from ? BI_HASH_STATE : 0;
    }
    BI_TRY(bi_comm_all_to_all(r->ctx, r->comm, true, r->state, sent, came, received));
    if (rank == to) bi_hash_adopt(r->state, came);
    return BOSC_OK;
}

static bosc_status check_hash(struct bi_ranks_graph_reading *r, bosc_status local_status)
{
    const int32_t ranks = r->comm->rank_count;
    uint64_t hash;
    if (r->comm->rank == 0) bi_hash_add(r->state, &r->header, sizeof r->header);
    for (int k = 0; k < BI_RANKS_GRAPH_ARRAYS; k++)
        for (int32_t rank = 0; rank < ranks; rank++) {
            if (local_status == BOSC_OK && rank == r->comm->rank) local_status = hash_part(r, k);
            BI_TRY(pass_on(r, rank, (rank + 1) % ranks));
        }
    if (local_status == BOSC_OK && r->comm->rank == 0)
        local_status = get(r, begin_of(r, BI_RANKS_GRAPH_ARRAYS), &hash, sizeof hash, "checksum");
    if (local_status == BOSC_OK && r->comm->rank == 0 && hash != bi_hash_end(r->state))
        local_status = malformed(r, "the checksum is wrong: it is damaged");
    return bi_comm_agree(r->ctx, r->comm, local_status);
}

/* ---- all of it ---- */

static size_t state_bytes(const struct bi_ranks_graph_reading *r)
{
    return 2 * BI_HASH_STATE + 2 * (size_t)(r->comm->rank_count + 1) * sizeof(int64_t);
}

bosc_status bi_ranks_graph_read_slices(struct bi_ranks_graph_reading *r, bosc_status local_status)
{
    if (local_status == BOSC_OK) {
        r->state = bi_host_alloc(r->ctx, state_bytes(r));
        local_status = r->state ? BOSC_OK : BOSC_ERR_NOMEM;
    }
    if (local_status == BOSC_OK) bi_hash_begin(r->state);
    BI_TRY(bi_comm_agree(r->ctx, r->comm, local_status));
    BI_TRY(share_header(r));
    bi_progress_set_total(r->ctx, 2 * bi_save_items((size_t)begin_of(r, BI_RANKS_GRAPH_ARRAYS)) / r->comm->rank_count);
    BI_TRY(bi_comm_agree(r->ctx, r->comm, get_arrays(r)));
    return check_hash(r, BOSC_OK);
}

void bi_ranks_graph_release(struct bi_ranks_graph_reading *r)
{
    for (int k = 0; k < BI_RANKS_GRAPH_ARRAYS; k++) bi_load_release(&r->loader, &r->arrays[k]);
    bi_memory_release(&r->ctx->host, r->state, state_bytes(r));
}
