/* Reductions over ranks. Minima, maxima and integer sums: one result per rank, then a reduction of these. Sums of
 * floats follow the aligned tree over all items (core/tiles.h): a slice is a list of the longest aligned blocks of 2^k
 * items, whose sums are nodes of the tree. Every rank adds the blocks of all slices in order. */
#include <string.h>

#include <boscage/ranks/prims.h>

#include "core/call.h"
#include "core/tiles.h"
#include "ranks/exchange/slices.h"
#include "prims/check.h"

enum { MAX_BLOCKS = 128 }; /* of a slice: at most two of each size 2^k, k < 63 */

/* Returns the largest k for which the 2^k items from `at` on are an aligned block within [at, end); at < end. */
static int block_log2(int64_t at, int64_t end)
{
    int k = at ? bi_lowest_bit((uint64_t)at) : 62;
    while ((int64_t)1 << k > end - at) k--;
    return k;
}

#define DEFINE_SUMS(S, type)                                                                             \
    /* Sums a block of items in host memory. */                                                          \
    static void sum_items_##S(const void *items, int64_t n, void *sum)                                   \
    {                                                                                                    \
        struct bi_sum_##S s = {.n = 0};                                                                  \
        for (int64_t i = 0; i < n; i++) bi_sum_push_##S(&s, ((const type *)items)[i]);                   \
        *(type *)sum = bi_sum_total_##S(&s);                                                             \
    }                                                                                                    \
    /* Adds the sum x of the next 2^k items; equal blocks merge, as digits carry in a binary counter. */ \
    static void push_block_##S(struct bi_sum_##S *s, int k, type x)                                      \
    {                                                                                                    \
        const uint64_t items = (uint64_t)1 << k;                                                         \
        for (; (s->n >> k) & 1; k++) x = s->block[k] + x;                                                \
        s->block[k] = x;                                                                                 \
        s->n += items;                                                                                   \
    }                                                                                                    \
    /* Sums all slices from their blocks' sums. */                                                       \
    static void sum_slices_##S(const struct bi_ranks_slices *slices, const void *blocks, void *result)   \
    {                                                                                                    \
        struct bi_sum_##S s = {.n = 0};                                                                  \
        for (int32_t r = 0; r < slices->rank_count; r++) {                                               \
            const type *block = (const type *)blocks + (int64_t)r * MAX_BLOCKS;                          \
            for (int64_t at = slices->offsets[r], end = slices->offsets[r + 1]; at < end;) {             \
                const int k = block_log2(at, end);                                                       \
                push_block_##S(&s, k, *block++);                                                         \
                at += (int64_t)1 << k;                                                                   \
            }                                                                                            \
        }                                                                                                \
        const type sum = s.n ? bi_canonical_##S(bi_sum_total_##S(&s)) : 0;                               \
        memcpy(result, &sum, sizeof sum);                                                                \
    }
DEFINE_SUMS(f32, float)
DEFINE_SUMS(f64, double)

struct slice {
    bosc_dtype dtype;
    size_t size;
    const char *in;
    int64_t begin, end; /* among all items */
};

/* Items of a slice before its first whole tile and after its last one, copied to the host. */
struct slice_ends {
    char head[BI_TILE * sizeof(double)], tail[BI_TILE * sizeof(double)];
    int64_t tiles_begin, tiles_end; /* whole tiles: [tiles_begin, tiles_end) among all items */
};

/* Finds the whole tiles of a slice, and copies the items around them. */
static bosc_status fetch_ends(bosc_ctx *ctx, const struct slice *s, struct slice_ends *ends)
{
    ends->tiles_begin = bi_div_up(s->begin, BI_TILE) * BI_TILE;
    if (ends->tiles_begin > s->end) ends->tiles_begin = s->end;
    ends->tiles_end = ends->tiles_begin + (s->end - ends->tiles_begin) / BI_TILE * BI_TILE;
    const size_t head = (size_t)(ends->tiles_begin - s->begin) * s->size,
                 tail = (size_t)(s->end - ends->tiles_end) * s->size;
    if (head) BI_TRY(ctx->backend->copy(ctx, ends->head, s->in, head));
    if (tail) BI_TRY(ctx->backend->copy(ctx, ends->tail, s->in + (size_t)(ends->tiles_end - s->begin) * s->size, tail));
    return ctx->backend->sync(ctx);
}

/* Sums the blocks of one end of a slice, items `begin` to `end` - 1. Returns the number of blocks. */
static int64_t sum_end_blocks(const struct slice *s, const char *items, int64_t begin, int64_t end, char *sums)
{
    int64_t blocks = 0;
    for (int64_t at = begin; at < end; blocks++) {
        const int64_t n = (int64_t)1 << block_log2(at, end);
        const char *from = items + (at - begin) * (int64_t)s->size;
        char *to = sums + blocks * (int64_t)s->size;
        if (s->dtype == BOSC_F32)
            sum_items_f32(from, n, to);
        else
            sum_items_f64(from, n, to);
        at += n;
    }
    return blocks;
}

/* Sums the blocks of whole tiles on the backend. */
static bosc_status sum_tiles(bosc_ctx *ctx, const struct slice *s, int64_t begin, int64_t end, char *sums,
                             int64_t *blocks)
{
    char *on_backend;
    BI_TRY(bi_scratch_of(ctx, MAX_BLOCKS, s->size, &on_backend));
    *blocks = 0;
    for (int64_t at = begin; at < end; ++*blocks) {
        const int64_t n = (int64_t)1 << block_log2(at, end);
        BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, s->dtype, s->in + (at - s->begin) * (int64_t)s->size, n,
                                          on_backend + *blocks * (int64_t)s->size));
        at += n;
    }
    if (*blocks) BI_TRY(ctx->backend->copy(ctx, sums, on_backend, (size_t)*blocks * s->size));
    return ctx->backend->sync(ctx);
}

/* Writes the sums of all blocks of a slice, in order: its head, its whole tiles, its tail. */
static bosc_status sum_blocks(bosc_ctx *ctx, struct slice *s, char *sums)
{
    struct slice_ends ends;
    int64_t blocks;
    const void *in;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, s->in, (size_t)(s->end - s->begin) * s->size, &in, &staged));
    s->in = in;
    BI_TRY(fetch_ends(ctx, s, &ends));
    sums += sum_end_blocks(s, ends.head, s->begin, ends.tiles_begin, sums) * (int64_t)s->size;
    BI_TRY(sum_tiles(ctx, s, ends.tiles_begin, ends.tiles_end, sums, &blocks));
    sum_end_blocks(s, ends.tail, ends.tiles_end, s->end, sums + blocks * (int64_t)s->size);
    return BOSC_OK;
}

/* Gathers the block sums of all slices (1 KB a rank at most); every rank adds them in the same order. */
static bosc_status sum_floats(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *in,
                              const struct bi_ranks_slices *slices, void *result)
{
    const size_t size = bosc_dtype_size(dtype), bytes = MAX_BLOCKS * size;
    struct slice s = {dtype, size, in, slices->offsets[slices->rank], slices->offsets[slices->rank + 1]};
    char own_blocks[MAX_BLOCKS * sizeof(double)] = {0};
    void *blocks = bi_host_alloc(ctx, bytes * (size_t)comm->rank_count);
    bosc_status status = blocks ? BOSC_OK : BOSC_ERR_NOMEM;
    if (status == BOSC_OK) BI_WITH_SCRATCH(ctx, status = sum_blocks(ctx, &s, own_blocks));
    status = bi_comm_agree(ctx, comm, status);
    BI_IF_OK(status, bi_comm_all_gather(ctx, comm, own_blocks, bytes, blocks));
    if (status == BOSC_OK && dtype == BOSC_F32) sum_slices_f32(slices, blocks, result);
    if (status == BOSC_OK && dtype == BOSC_F64) sum_slices_f64(slices, blocks, result);
    bi_memory_release(&ctx->host, blocks, bytes * (size_t)comm->rank_count);
    return status;
}

/* Reduces each slice, then the results of all ranks; valid where the order of the items does not matter. */
static bosc_status reduce_results(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_dtype dtype, const void *in,
                                  int64_t n, void *result)
{
    const size_t size = bosc_dtype_size(dtype);
    char own_result[sizeof(double)];
    BI_TRY(bi_comm_agree(ctx, comm, bosc_reduce(ctx, op, dtype, in, n, own_result)));
    BI_TRY(bi_comm_all_gather(ctx, comm, own_result, size, comm->gather));
    return bi_comm_agree(ctx, comm, bosc_reduce(ctx, op, dtype, comm->gather, comm->rank_count, result));
}

static bosc_status reduce_slices(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_dtype dtype, const void *in,
                                 int64_t n, void *result)
{
    struct bi_ranks_slices slices;
    if (op != BOSC_SUM || (dtype != BOSC_F32 && dtype != BOSC_F64))
        return reduce_results(ctx, comm, op, dtype, in, n, result);
    bosc_status status = bi_ranks_slices_begin(ctx, comm, BOSC_OK, n, &slices);
    BI_IF_OK(status, sum_floats(ctx, comm, dtype, in, &slices, result));
    bi_ranks_slices_end(ctx, &slices);
    return status;
}

static bosc_status check(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    BI_TRY(bi_check_op(ctx, op));
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    const size_t size = bosc_dtype_size(dtype);
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_array(ctx, "in", in, n, size));
    BI_TRY(bi_check_array(ctx, "result", result, 1, size));
    return bi_check_disjoint(ctx, "result", result, size, "in", in, (size_t)n * size, false);
}

bosc_status bosc_ranks_reduce(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_dtype dtype, const void *in, int64_t n,
                              void *result)
{
    uint64_t all;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"op", op}, {"dtype", dtype}};
    BI_TRY(bi_ranks_check_same(ctx, comm, check(ctx, op, dtype, in, n, result), shared, 2));
    bi_progress_set_total(ctx, (double)n);
    BI_TRY(reduce_slices(ctx, comm, op, dtype, in, n, &all));
    bosc_status local_status = ctx->backend->copy(ctx, result, &all, bosc_dtype_size(dtype));
    BI_IF_OK(local_status, ctx->backend->sync(ctx));
    return bi_comm_agree(ctx, comm, local_status);
}
