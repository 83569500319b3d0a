/* Merge sort of rows by superkey. Each entry stores the row number beside the ordered key of its first coordinate, so
 * that most comparisons read no other coordinate. Source: Brown, Building a Balanced k-d Tree in O(k n log n) Time
 * (2015), section 2. */
#include <string.h>

#include "base/bits.h"
#include "base/search.h"
#include "core/cpu/collectives.h"

/* Entries that insertion sorts (12^2 / 4 moves; more cost more than the merges saved), and entries of a run where
 * progress is reported: some ms. Not measured. */
enum { GRAIN = BI_THREAD_ITEMS / 8, INSERTION = 12, RUN = 1 << 16 };

struct superkey_sort {
    const void *points;
    int64_t n, stride;
    int32_t dim, first;
    int chunks, threads; /* runs to sort and then merge */
};

/* As many runs as threads; or more if progress is reported, since the sort can be cancelled between runs and rounds. */
static int count_runs(const bosc_ctx *ctx, int64_t n, int threads)
{
    int runs = threads;
    while (ctx->progress.active && runs < 4096 && n / runs > RUN) runs *= 2;
    return runs;
}

#define SUPERKEY_NAME f32
#define SUPERKEY_COORDINATE float
#define SUPERKEY_KEY uint32_t
#define SUPERKEY_KEY_OF(x) bi_key_u32_of_f32(x)
#include "core/cpu/superkey_sort.inc"

#define SUPERKEY_NAME f64
#define SUPERKEY_COORDINATE double
#define SUPERKEY_KEY uint64_t
#define SUPERKEY_KEY_OF(x) bi_key_u64_of_f64(x)
#include "core/cpu/superkey_sort.inc"

#define SUPERKEY_NAME i32
#define SUPERKEY_COORDINATE int32_t
#define SUPERKEY_KEY uint32_t
#define SUPERKEY_KEY_OF(x) bi_key_u32_of_i32(x)
#include "core/cpu/superkey_sort.inc"

#define SUPERKEY_NAME i64
#define SUPERKEY_COORDINATE int64_t
#define SUPERKEY_KEY uint64_t
#define SUPERKEY_KEY_OF(x) bi_key_u64_of_i64(x)
#include "core/cpu/superkey_sort.inc"

bosc_status bi_cpu_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                 int64_t stride, int32_t first, uint32_t *perm, void *keys)
{
    int threads = bi_thread_count(ctx, n, GRAIN);
    struct superkey_sort s = {points, n, stride, dim, first, count_runs(ctx, n, threads), threads};
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status;
    switch (dtype) {
    case BOSC_F32: status = sort_f32(ctx, &s, perm, keys); break;
    case BOSC_F64: status = sort_f64(ctx, &s, perm, keys); break;
    case BOSC_I32: status = sort_i32(ctx, &s, perm, keys); break;
    case BOSC_I64: status = sort_i64(ctx, &s, perm, keys); break;
    default:
        status = bi_fail(ctx, BOSC_ERR_INTERNAL, "dtype: %d", (int)dtype); /* unreachable: callers check the type */
    }
    bi_arena_rewind(ctx, mark);
    return status;
}
