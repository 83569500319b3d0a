/* Single-linkage dendrograms: the backend sorts the edges, then one host thread merges clusters by union-find. */
#include "base/bits.h"
#include "core/call.h"
#include "forest/drivers.h"

/* Host memory of the merge. */
struct host_arrays {
    double *z, *lengths; /* sorted */
    void *pairs;
    uint32_t *order;  /* the row of each merge */
    uint32_t *parent; /* n: union-find over vertices */
    uint32_t *number; /* at roots: the cluster's number */
    uint32_t *size;   /* at roots: its number of vertices */
};

/* Bytes of the arrays below, in the order of lay_out_arrays(), with 64 bytes of slack. */
static size_t host_bytes(int64_t n)
{
    return (size_t)(n - 1) * (4 * sizeof(double) + sizeof(double) + 2 * sizeof(int64_t) + sizeof(uint32_t)) +
           (size_t)n * 3 * sizeof(uint32_t) + 64;
}

/* Divides one block into the arrays, largest alignment first. */
static struct host_arrays lay_out_arrays(void *memory, int64_t n)
{
    struct host_arrays h = {.z = memory};
    h.lengths = h.z + 4 * (n - 1);
    h.pairs = h.lengths + (n - 1);
    h.order = (uint32_t *)((int64_t *)h.pairs + 2 * (n - 1));
    h.parent = h.order + (n - 1);
    h.number = h.parent + n;
    h.size = h.number + n;
    return h;
}

/* Sorts by (length, row) and copies lengths, rows and pairs to the host's memory. A NaN is an error. */
static bosc_status sort_edges(bosc_ctx *ctx, int64_t n, size_t id_size, const void *pairs, const double *lengths,
                              struct host_arrays *h)
{
    int64_t rows = n - 1, bad = INT64_MAX, *position;
    double *sorted;
    uint32_t *order[2];
    bool staged = false;
    const void *in = lengths;
    BI_TRY(bi_stage_in(ctx, lengths, (size_t)rows * sizeof *lengths, &in, &staged));
    BI_TRY(bi_scratch_of(ctx, rows, sizeof *sorted, (void **)&sorted));
    for (int k = 0; k < 2; k++) BI_TRY(bi_scratch_of(ctx, rows, sizeof(uint32_t), (void **)&order[k]));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof bad, (void **)&position));
    struct bi_linkage_find_nan find = {in, position};
    BI_TRY(ctx->backend->copy(ctx, position, &bad, sizeof bad));
    BI_TRY(ctx->ops->forest->steps->linkage_find_nan(ctx, rows, &find));
    BI_TRY(bi_read_back(ctx, &bad, position, sizeof bad));
    if (bad != INT64_MAX) return bi_fail(ctx, BOSC_ERR_DATA, "lengths: row %lld is NaN", (long long)bad);
    BI_TRY(ctx->backend->core->iota(ctx, 4, order[0], rows));
    BI_TRY(
        ctx->backend->core->sort_pairs(ctx, BOSC_F64, in, sizeof(uint32_t), order[0], rows, sorted, order[1], 0, 64));
    BI_TRY(ctx->backend->copy(ctx, h->lengths, sorted, (size_t)rows * sizeof *sorted));
    BI_TRY(ctx->backend->copy(ctx, h->order, order[1], (size_t)rows * sizeof(uint32_t)));
    BI_TRY(ctx->backend->copy(ctx, h->pairs, pairs, 2 * (size_t)rows * id_size));
    return ctx->backend->sync(ctx);
}

/* Finds the root of v by path halving. */
static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* Does the merges `begin` to `end` - 1: row t of z is {smaller cluster, larger cluster, length, vertices} (scipy's
 * form). */
static bosc_status merge_part(bosc_ctx *ctx, int64_t n, bool is_64bit, const struct host_arrays *h, int64_t begin,
                              int64_t end)
{
    for (int64_t t = begin; t < end; t++) {
        int64_t row = h->order[t];
        uint64_t u = bi_word(h->pairs, is_64bit, 2 * row), v = bi_word(h->pairs, is_64bit, 2 * row + 1);
        if (u >= (uint64_t)n || v >= (uint64_t)n)
            return bi_fail(ctx, BOSC_ERR_DATA, "pairs: row %lld does not name two of %lld vertices", (long long)row,
                           (long long)n);
        uint32_t a = root_of(h->parent, (uint32_t)u), b = root_of(h->parent, (uint32_t)v);
        if (a == b) return bi_fail(ctx, BOSC_ERR_DATA, "pairs: no tree: row %lld closes a cycle", (long long)row);
        uint32_t x = h->number[a], y = h->number[b];
        /* The smaller tree goes below the larger one. */
        if (h->size[a] < h->size[b]) {
            uint32_t larger = b;
            b = a;
            a = larger;
        }
        h->parent[b] = a;
        h->size[a] += h->size[b];
        h->number[a] = (uint32_t)(n + t);
        h->z[4 * t] = (double)(x < y ? x : y);
        h->z[4 * t + 1] = (double)(x < y ? y : x);
        h->z[4 * t + 2] = h->lengths[t];
        h->z[4 * t + 3] = (double)h->size[a];
    }
    return BOSC_OK;
}

static bosc_status merge_clusters(bosc_ctx *ctx, int64_t n, bool is_64bit, const struct host_arrays *h)
{
    for (int64_t v = 0; v < n; v++) {
        h->parent[v] = h->number[v] = (uint32_t)v;
        h->size[v] = 1;
    }
    struct bi_batches p = bi_batches_of(ctx, n - 1, 16);
    while (bi_next_batch(ctx, &p)) BI_TRY(merge_part(ctx, n, is_64bit, h, p.begin, p.end));
    return p.status;
}

static bosc_status compute_linkage(bosc_ctx *ctx, int64_t n, int32_t id_bits, const void *pairs, const double *lengths,
                                   double *z)
{
    void *memory;
    BI_TRY(bi_host_scratch(ctx, host_bytes(n), &memory));
    struct host_arrays h = lay_out_arrays(memory, n);
    BI_TRY(sort_edges(ctx, n, (size_t)id_bits / 8, pairs, lengths, &h));
    BI_TRY(merge_clusters(ctx, n, id_bits == 64, &h));
    BI_TRY(ctx->backend->copy(ctx, z, h.z, 4 * (size_t)(n - 1) * sizeof *z));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_linkage_compute(bosc_ctx *ctx, const void *pairs, const double *lengths, int64_t n,
                                 const bosc_linkage_opts *opts, double *z)
{
    bosc_linkage_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_read_opts(ctx, "bosc_linkage_opts", opts, &full, sizeof full));
    int32_t id_bits = full.id_bits ? full.id_bits : 64;
    BI_TRY(bi_forest_check_id_bits(ctx, id_bits));
    BI_TRY(bi_forest_check_tree(ctx, pairs, n, id_bits));
    if (n > 1 && !lengths) return bi_fail(ctx, BOSC_ERR_ARG, "lengths: NULL");
    if (n > 1 && !z) return bi_fail(ctx, BOSC_ERR_ARG, "z: NULL");
    if ((uintptr_t)lengths % sizeof *lengths) return bi_fail(ctx, BOSC_ERR_ARG, "lengths: not aligned to doubles");
    if ((uintptr_t)z % sizeof *z) return bi_fail(ctx, BOSC_ERR_ARG, "z: not aligned to doubles");
    if (n < 2) return BOSC_OK;
    bi_progress_set_total(ctx, 25 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, compute_linkage(ctx, n, id_bits, pairs, lengths, z));
}
