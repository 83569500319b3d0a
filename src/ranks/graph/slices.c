/* A rank's slice of a saved graph's bytes. Rows and arcs form one sequence, row u at position offset(u) + u, before
 * its arcs. It is divided evenly (as by merge path for sparse matrices: Merrill and Garland, 2016), so neither many
 * empty rows nor a row of many arcs makes a slice large. A binary search in the file finds the splitters. */
#include <string.h>

#include "core/call.h"
#include "ranks/graph/read.h"

enum { CHUNK_BYTES = 1 << 20 /* chosen: progress is reported by chunk */, ALIGNMENT = 64 };

static const char *const names[BI_RANKS_GRAPH_ARRAYS] = {"offsets", "neighbours", "weights", "edge ids"};

static bosc_status malformed(struct bi_ranks_graph_loader *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

static bosc_status read_bytes(struct bi_ranks_graph_loader *r, int64_t at, void *bytes, size_t count, const char *array)
{
    if (bi_load_fault_injected() || r->read(r->user, at, bytes, count) != 0)
        return bi_fail(r->ctx, BOSC_ERR_FORMAT, "%s: it ends within its %s", r->loader.what, array);
    return BOSC_OK;
}

/* ---- file layout ---- */

static int64_t item_size(const struct bi_ranks_graph_loader *r, int which)
{
    const int64_t word = r->header.flags & BI_GRAPH_SAVE_WIDE ? 8 : 4;
    if (which == BI_RANKS_NEIGHBOURS) return sizeof(uint32_t);
    return which == BI_RANKS_WEIGHTS ? (int64_t)bosc_dtype_size((bosc_dtype)r->header.weight) : word;
}

static int64_t array_bytes(const struct bi_ranks_graph_loader *r, int which)
{
    return (which == BI_RANKS_OFFSETS ? r->header.n + 1 : r->header.arcs) * item_size(r, which);
}

static int64_t padding_after(int64_t bytes) { return (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT; }

/* Returns the offset of array `which`; after the last one, that of the checksum. */
static int64_t array_begin(const struct bi_ranks_graph_loader *r, int which)
{
    int64_t at = sizeof r->header;
    for (int k = 0; k < which; k++) at += array_bytes(r, k) + padding_after(array_bytes(r, k));
    return at;
}

/* ---- header ---- */

/* Reads the last byte of each array, so that no memory is allocated for a truncated file. */
static bosc_status check_array_ends(struct bi_ranks_graph_loader *r)
{
    char last;
    uint64_t hash;
    for (int k = 0; k < BI_RANKS_GRAPH_ARRAYS; k++)
        if (array_bytes(r, k)) BI_TRY(read_bytes(r, array_begin(r, k + 1) - 1, &last, 1, names[k]));
    return read_bytes(r, array_begin(r, BI_RANKS_GRAPH_ARRAYS), &hash, sizeof hash, "checksum");
}

static bosc_status read_header(struct bi_ranks_graph_loader *r)
{
    struct bi_graph_header *h = &r->header;
    BI_TRY(read_bytes(r, 0, h, sizeof *h, "header"));
    BI_TRY(bi_load_check_header(&r->loader, h, sizeof *h, BI_GRAPH_SAVE_MAGIC, BI_GRAPH_SAVE_VERSION));
    BI_TRY(bi_graph_check_header(&r->loader, h));
    return check_array_ends(r);
}

static bosc_status broadcast_header(struct bi_ranks_graph_loader *r)
{
    const struct bi_graph_header *all = r->comm->gather;
    BI_TRY(bi_comm_agree(r->ctx, r->comm, r->comm->rank == 0 ? read_header(r) : BOSC_OK));
    BI_TRY(bi_comm_all_gather(r->ctx, r->comm, &r->header, sizeof r->header, r->comm->gather));
    r->header = all[0];
    return BOSC_OK;
}

/* ---- splitters ---- */

static bosc_status read_offset(struct bi_ranks_graph_loader *r, int64_t row, uint64_t *offset)
{
    const int64_t size = item_size(r, BI_RANKS_OFFSETS);
    *offset = 0; /* little-endian: with 32 bits the upper half stays 0 */
    return read_bytes(r, array_begin(r, BI_RANKS_OFFSETS) + row * size, offset, (size_t)size, names[BI_RANKS_OFFSETS]);
}

/* Finds the first row and arc of a rank's slice. Offsets that descend are refused later. */
static bosc_status find_splitter(struct bi_ranks_graph_loader *r, int64_t rank, int64_t *row, int64_t *arc)
{
    const int64_t n = r->header.n, arcs = r->header.arcs, ranks = r->comm->rank_count;
    const int64_t diagonal = (n + arcs) / ranks * rank + (n + arcs) % ranks * rank / ranks;
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

static bosc_status find_range(struct bi_ranks_graph_loader *r)
{
    BI_TRY(find_splitter(r, r->comm->rank, &r->row, &r->arc));
    BI_TRY(find_splitter(r, r->comm->rank + 1, &r->row_end, &r->arc_end));
    if (r->arc_end < r->arc) r->arc_end = r->arc;
    r->rows_from = r->row > 0 ? r->row - 1 : 0;
    r->arcs_from = r->arc > 0 ? r->arc - 1 : 0;
    return BOSC_OK;
}

/* ---- arrays ---- */

static bosc_status read_array(struct bi_ranks_graph_loader *r, int which, int64_t first, int64_t end)
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

static bosc_status read_arrays(struct bi_ranks_graph_loader *r)
{
    BI_TRY(find_range(r));
    BI_TRY(read_array(r, BI_RANKS_OFFSETS, r->rows_from, r->row_end + 1));
    for (int k = BI_RANKS_NEIGHBOURS; k < BI_RANKS_GRAPH_ARRAYS; k++)
        BI_TRY(read_array(r, k, r->arcs_from, r->arc_end));
    return BOSC_OK;
}

/* ---- checksum ---- */

/* The last rank hashes the padding after an array. */
static bosc_status hash_padding(struct bi_ranks_graph_loader *r, int which)
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
static bosc_status hash_range(struct bi_ranks_graph_loader *r, int which)
{
    const bool offsets = which == BI_RANKS_OFFSETS, last = r->comm->rank == r->comm->rank_count - 1;
    const int64_t from = offsets ? r->rows_from : r->arcs_from, first = offsets ? r->row : r->arc,
                  end = offsets ? r->row_end + last : r->arc_end, size = item_size(r, which);
    if (end > first)
        bi_xxh3_add(r->state, r->arrays[which].data + (first - from) * size, (size_t)((end - first) * size));
    return last ? hash_padding(r, which) : BOSC_OK;
}

/* Passes the hash state from rank to rank, since the hash is sequential. */
static bosc_status pass_hash(struct bi_ranks_graph_loader *r, int32_t from, int32_t to)
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

static bosc_status check_hash(struct bi_ranks_graph_loader *r, bosc_status local_status)
{
    const int32_t ranks = r->comm->rank_count;
    uint64_t hash;
    /* The file is the header, then the arrays; each array is hashed rank by rank. */
    if (r->comm->rank == 0) bi_xxh3_add(r->state, &r->header, sizeof r->header);
    for (int k = 0; k < BI_RANKS_GRAPH_ARRAYS; k++)
        for (int32_t rank = 0; rank < ranks; rank++) {
            if (local_status == BOSC_OK && rank == r->comm->rank) local_status = hash_range(r, k);
            BI_TRY(pass_hash(r, rank, (rank + 1) % ranks));
        }
    if (local_status == BOSC_OK && r->comm->rank == 0)
        local_status = read_bytes(r, array_begin(r, BI_RANKS_GRAPH_ARRAYS), &hash, sizeof hash, "checksum");
    if (local_status == BOSC_OK && r->comm->rank == 0 && hash != bi_xxh3_end(r->state))
        local_status = malformed(r, "the checksum is wrong: it is damaged");
    return bi_comm_agree(r->ctx, r->comm, local_status);
}

/* ---- the call ---- */

static size_t state_bytes(const struct bi_ranks_graph_loader *r)
{
    return 2 * BI_XXH3_STATE_BYTES + 2 * (size_t)(r->comm->rank_count + 1) * sizeof(int64_t);
}

bosc_status bi_ranks_graph_read_arrays(struct bi_ranks_graph_loader *r, bosc_status local_status)
{
    if (local_status == BOSC_OK) {
        r->state = bi_host_alloc(r->ctx, state_bytes(r));
        local_status = r->state ? BOSC_OK : BOSC_ERR_NOMEM;
    }
    if (local_status == BOSC_OK) bi_xxh3_begin(r->state);
    BI_TRY(bi_comm_agree(r->ctx, r->comm, local_status));
    BI_TRY(broadcast_header(r));
    bi_progress_set_total(r->ctx,
                          2 * bi_save_items((size_t)array_begin(r, BI_RANKS_GRAPH_ARRAYS)) / r->comm->rank_count);
    BI_TRY(bi_comm_agree(r->ctx, r->comm, read_arrays(r)));
    return check_hash(r, BOSC_OK);
}

void bi_ranks_graph_release(struct bi_ranks_graph_loader *r)
{
    for (int k = 0; k < BI_RANKS_GRAPH_ARRAYS; k++) bi_load_release(&r->loader, &r->arrays[k]);
    bi_memory_release(&r->ctx->host, r->state, state_bytes(r));
}
