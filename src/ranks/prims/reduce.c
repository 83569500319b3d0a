/* Reductions over ranks. What may be joined in any order is: a result a rank. Sums of floats follow the aligned tree
 * over all items (core/tiles.h): a slice is a list of aligned blocks of 2^k items, as long as they may be, whose sums
 * are nodes of the tree wherever the slice begins and ends; every rank then pushes the blocks of all in their order. */
#include <string.h>

#include <boscage/ranks/prims.h>

#include "core/call.h"
#include "core/tiles.h"
#include "ranks/exchange/slices.h"
#include "prims/check.h"

enum { MOST_BLOCKS = 128 }; /* of a slice: up to two of each size */

/* The largest k for which the 2^k items from `at` on are an aligned block that ends by `end`; at < end. */
static int block_at(int64_t at, int64_t end)
{
    int k = at ? bi_lowest_bit((uint64_t)at) : 62;
    while ((int64_t)1 << k > end - at) k--;
    return k;
}

#define SUMS(S, type)                                                                                  \
    /* The sum of a block of items; host memory. */                                                    \
    static void sum_items_##S(const void *items, int64_t n, void *sum)                                 \
    {                                                                                                  \
        struct bi_sum_##S s = {.n = 0};                                                                \
        for (int64_t i = 0; i < n; i++) bi_sum_push_##S(&s, ((const type *)items)[i]);                 \
        *(type *)sum = bi_sum_total_##S(&s);                                                           \
    }                                                                                                  \
    /* The next 2^k items, by their sum. */                                                            \
    static void push_block_##S(struct bi_sum_##S *s, int k, type x)                                    \
    {                                                                                                  \
        const uint64_t items = (uint64_t)1 << k;                                                       \
        for (; (s->n >> k) & 1; k++) x = s->block[k] + x;                                              \
        s->block[k] = x;                                                                               \
        s->n += items;                                                                                 \
    }                                                                                                  \
    /* The sum of all slices, from the blocks of each. */                                              \
    static void sum_slices_##S(const struct bi_ranks_slices *slices, const void *blocks, void *result) \
    {                                                                                                  \
        struct bi_sum_##S s = {.n = 0};                                                                \
        for (int32_t r = 0; r < slices->rank_count; r++) {                                             \
            const type *block = (const type *)blocks + (int64_t)r * MOST_BLOCKS;                       \
            for (int64_t at = slices->offsets[r], end = slices->offsets[r + 1]; at < end;) {           \
                const int k = block_at(at, end);                                                       \
                push_block_##S(&s, k, *block++);                                                       \
                at += (int64_t)1 << k;                                                                 \
            }                                                                                          \
        }                                                                                              \
        const type sum = s.n ? bi_canonical_##S(bi_sum_total_##S(&s)) : 0;                             \
        memcpy(result, &sum, sizeof sum);                                                              \
    }
SUMS(f32, float)
SUMS(f64, double)

struct slice {
    bosc_dtype dtype;
    size_t size;
    const char *in;
    int64_t begin, end; /* among all items */
};

/* The items of a slice before the first whole tile and behind the last, on the host. */
struct rims {
    char before[BI_TILE * sizeof(double)], after[BI_TILE * sizeof(double)];
    int64_t tiles, rest; /* where whole tiles begin and end */
};

static bosc_status fetch_rims(bosc_ctx *ctx, const struct slice *s, struct rims *r)
{
    r->tiles = bi_div_up(s->begin, BI_TILE) * BI_TILE;
    if (r->tiles > s->end) r->tiles = s->end;
    r->rest = r->tiles + (s->end - r->tiles) / BI_TILE * BI_TILE;
    const size_t before = (size_t)(r->tiles - s->begin) * s->size, after = (size_t)(s->end - r->rest) * s->size;
    if (before) BI_TRY(ctx->backend->copy(ctx, r->before, s->in, before));
    if (after) BI_TRY(ctx->backend->copy(ctx, r->after, s->in + (size_t)(r->rest - s->begin) * s->size, after));
    return ctx->backend->sync(ctx);
}

/* The sums of the blocks of a rim, which begins at `begin`; returns their number. */
static int64_t sum_rim(const struct slice *s, const char *items, int64_t begin, int64_t end, char *sums)
{
    int64_t blocks = 0;
    for (int64_t at = begin; at < end; blocks++) {
        const int64_t n = (int64_t)1 << block_at(at, end);
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

/* Those of whole tiles, which are summed where they lie. */
static bosc_status sum_tiles(bosc_ctx *ctx, const struct slice *s, int64_t begin, int64_t end, char *sums,
                             int64_t *blocks)
{
    char *on_backend;
    BI_TRY(bi_scratch_of(ctx, MOST_BLOCKS, s->size, &on_backend));
    *blocks = 0;
    for (int64_t at = begin; at < end; ++*blocks) {
        const int64_t n = (int64_t)1 << block_at(at, end);
        BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, s->dtype, s->in + (at - s->begin) * (int64_t)s->size, n,
                                          on_backend + *blocks * (int64_t)s->size));
        at += n;
    }
    if (*blocks) BI_TRY(ctx->backend->copy(ctx, sums, on_backend, (size_t)*blocks * s->size));
    return ctx->backend->sync(ctx);
}

static bosc_status sum_blocks(bosc_ctx *ctx, struct slice *s, char *sums)
{
    struct rims rims;
    int64_t blocks;
    const void *in;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, s->in, (size_t)(s->end - s->begin) * s->size, &in, &staged));
    s->in = in;
    BI_TRY(fetch_rims(ctx, s, &rims));
    sums += sum_rim(s, rims.before, s->begin, rims.tiles, sums) * (int64_t)s->size;
    BI_TRY(sum_tiles(ctx, s, rims.tiles, rims.rest, sums, &blocks));
    sum_rim(s, rims.after, rims.rest, s->end, sums + blocks * (int64_t)s->size);
    return BOSC_OK;
}

static bosc_status sum_floats(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *in,
                              const struct bi_ranks_slices *slices, void *result)
{
    const size_t size = bosc_dtype_size(dtype), bytes = MOST_BLOCKS * size;
    struct slice s = {dtype, size, in, slices->offsets[slices->rank], slices->offsets[slices->rank + 1]};
    char own_blocks[MOST_BLOCKS * sizeof(double)] = {0};
    void *blocks = bi_host_alloc(ctx, bytes * (size_t)comm->rank_count);
    bosc_status status = blocks ? BOSC_OK : BOSC_ERR_NOMEM;
    if (status == BOSC_OK) BI_WITH_SCRATCH(ctx, status = sum_blocks(ctx, &s, own_blocks));
    status = bi_comm_agree(ctx, comm, status);
    if (status == BOSC_OK) status = bi_comm_all_gather(ctx, comm, own_blocks, bytes, blocks);
    if (status == BOSC_OK && dtype == BOSC_F32) sum_slices_f32(slices, blocks, result);
    if (status == BOSC_OK && dtype == BOSC_F64) sum_slices_f64(slices, blocks, result);
    bi_memory_release(&ctx->host, blocks, bytes * (size_t)comm->rank_count);
    return status;
}

/* A result a rank, and then one of these, which is that of all items: nothing but the order differs. */
static bosc_status reduce_twice(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_dtype dtype, const void *in, int64_t n,
                                void *result)
{
    const size_t size = bosc_dtype_size(dtype);
    char part[sizeof(double)];
    BI_TRY(bi_comm_agree(ctx, comm, bosc_reduce(ctx, op, dtype, in, n, part)));
    BI_TRY(bi_comm_all_gather(ctx, comm, part, size, comm->gather));
    return bi_comm_agree(ctx, comm, bosc_reduce(ctx, op, dtype, comm->gather, comm->rank_count, result));
}

static bosc_status reduce(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_dtype dtype, const void *in, int64_t n,
                          void *result)
{
    struct bi_ranks_slices slices;
    if (op != BOSC_SUM || (dtype != BOSC_F32 && dtype != BOSC_F64))
        return reduce_twice(ctx, comm, op, dtype, in, n, result);
    bosc_status status = bi_ranks_slices_begin(ctx, comm, BOSC_OK, n, &slices);
    if (status == BOSC_OK) status = sum_floats(ctx, comm, dtype, in, &slices, result);
    bi_ranks_slices_end(ctx, &slices);
    return status;
}

static bosc_status check(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    BI_TRY(bi_check_op(ctx, op));
    BI_TRY(bi_check_number(ctx, dtype));
    const size_t size = bosc_dtype_size(dtype);
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_array(ctx, "in", in, n, size));
    BI_TRY(bi_check_array(ctx, "result", result, 1, size));
    return bi_check_apart(ctx, "result", result, size, "in", in, (size_t)n * size, false);
}

bosc_status bosc_ranks_reduce(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_dtype dtype, const void *in, int64_t n,
                              void *result)
{
    uint64_t all;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"op", op}, {"dtype", dtype}};
    BI_TRY(bi_ranks_same(ctx, comm, check(ctx, op, dtype, in, n, result), shared, 2));
    bi_progress_set_total(ctx, (double)n);
    BI_TRY(reduce(ctx, comm, op, dtype, in, n, &all));
    bosc_status local_status = ctx->backend->copy(ctx, result, &all, bosc_dtype_size(dtype));
    if (local_status == BOSC_OK) local_status = ctx->backend->sync(ctx);
    return bi_comm_agree(ctx, comm, local_status);
}
