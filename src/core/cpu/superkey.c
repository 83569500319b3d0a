/* Merge sort of rows by superkey. Each reference has the ordered key of its first coordinate beside it, so that most
 * comparisons read no coordinate. Source: Brown, Building a Balanced k-d Tree in O(k n log n) Time (2015), section 2.
 */
#include <string.h>

#include "base/bits.h"
#include "core/cpu/collectives.h"

enum { GRAIN = BI_THREAD_ITEMS / 8, INSERTION = 12, RUN = 1 << 16 };

struct sort {
    const void *points;
    int64_t n, stride;
    int32_t dim, first;
    int chunks, threads; /* runs that are sorted and then merged, and who does it */
};

/* As many runs as threads, or more where someone listens: between runs, and between rounds, the sort can end. */
static int runs_of(const bosc_ctx *ctx, int64_t n, int threads)
{
    int runs = threads;
    while (ctx->progress.listens && runs < 4096 && n / runs > RUN) runs *= 2;
    return runs;
}

#define S f32
#define C float
#define K uint32_t
#define KEY(x) bi_key_u32_of_f32(x)
#include "core/cpu/superkey_sort.inc"

#define S f64
#define C double
#define K uint64_t
#define KEY(x) bi_key_u64_of_f64(x)
#include "core/cpu/superkey_sort.inc"

#define S i32
#define C int32_t
#define K uint32_t
#define KEY(x) bi_key_u32_of_i32(x)
#include "core/cpu/superkey_sort.inc"

#define S i64
#define C int64_t
#define K uint64_t
#define KEY(x) bi_key_u64_of_i64(x)
#include "core/cpu/superkey_sort.inc"

bosc_status bi_cpu_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                 int64_t stride, int32_t first, uint32_t *perm, void *keys)
{
    int threads = bi_thread_count(ctx, n, GRAIN);
    struct sort s = {points, n, stride, dim, first, runs_of(ctx, n, threads), threads};
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status;
    switch (dtype) {
    case BOSC_F32: status = sort_f32(ctx, &s, perm, keys); break;
    case BOSC_F64: status = sort_f64(ctx, &s, perm, keys); break;
    case BOSC_I32: status = sort_i32(ctx, &s, perm, keys); break;
    case BOSC_I64: status = sort_i64(ctx, &s, perm, keys); break;
    default: status = bi_fail(ctx, BOSC_ERR_INTERNAL, "dtype: %d", (int)dtype); /* unreached: callers have checked it */
    }
    bi_arena_rewind(ctx, mark);
    return status;
}
