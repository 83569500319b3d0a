/* Rows numbered anew, by their places in the list of a level. The published method reads a coordinate of each reference
 * of each list at each level, in random places of all rows. From the level on at which the rows of a segment fit in a
 * part of the L2 cache, rows that stand in the order of a list are read from there. Which reference goes where is as
 * before: equal rows stand in the order of their numbers in any list. */
#include "kdtree/cuda/brown/brown.cuh"
#include "kdtree/drivers.h"

enum { THREADS = BI_KDTREE_BROWN_THREADS, PARTS_OF_CACHE = 3, LEAST_LEVELS = 4 /* that must gain by it */ };

/* The segments of a level, in `chunks` chunks of THREADS items each, `each` items a place. Places between segments are
 * the holes of medians of former levels, and what they hold is nothing's number. */
struct places {
    int64_t n;
    int32_t level, each;
    uint32_t chunks;
};

/* The place of the thread and its item there; less than 0 if it has none. */
static __device__ __forceinline__ int64_t place_of_thread(const places &p, int32_t *item)
{
    const struct bi_kdtree_range r = bi_kdtree_subtree(p.n, p.level, blockIdx.x / p.chunks);
    const uint32_t t = blockIdx.x % p.chunks * THREADS + threadIdx.x, place = t / (uint32_t)p.each;
    *item = (int32_t)(t - place * (uint32_t)p.each);
    return r.begin + place < r.end ? r.begin + place : -1;
}

/* A place's coordinates of its row, `names` being rows by place; and the inverse of that. The list of the level, which
 * `names` was, becomes 0, 1, 2, ... */
template <class W> struct numbering {
    const W *rows;
    int64_t stride;
    const uint32_t *names;
    W *packed;
    uint32_t *numbers, *own;
};

template <class W>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_brown_number_rows(const places p, const numbering<W> a)
{
    int32_t c;
    const int64_t i = place_of_thread(p, &c);
    if (i < 0) return;
    const uint32_t row = a.names[i];
    a.packed[i * p.each + c] = a.rows[row * a.stride + c];
    if (c > 0) return;
    a.numbers[row] = (uint32_t)i;
    a.own[i] = (uint32_t)i;
}

static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_rename(const places p, const uint32_t *numbers, uint32_t *list)
{
    int32_t item;
    const int64_t i = place_of_thread(p, &item);
    if (i >= 0) list[i] = numbers[list[i]];
}

int32_t bi_kdtree_brown_numbering_level(const bosc_ctx *ctx, const struct bi_kdtree_references *r)
{
    const int32_t last = bi_kdtree_last_list_level(r->n);
    const int64_t row = r->dim * (int64_t)bosc_dtype_size(r->dtype);
    int cache = 0;
    if (r->used < 2) return 0; /* no list but the sorted one */
    if (cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, ctx->memory.device) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    int32_t level = 0;
    while (level < last && (r->n >> level) * row > cache / PARTS_OF_CACHE) level++;
    return level >= r->level && last - level >= LEAST_LEVELS ? level : 0;
}

static places places_of(int64_t n, int32_t level, int32_t each)
{
    return {n, level, each, (uint32_t)bi_div_up(bi_div_up(n, (int64_t)1 << level) * each, THREADS)};
}

template <class W> static bosc_status number_rows(bosc_ctx *ctx, struct bi_kdtree_references *r, int32_t level)
{
    const int32_t own = level % r->dim;
    const places all = places_of(r->n, level, r->dim), one = places_of(r->n, level, 1);
    numbering<W> a = {static_cast<const W *>(r->rows.data), r->rows.stride, r->list[own], nullptr, r->spare, nullptr};
    auto kernel = bi_kdtree_brown_number_rows<W>;
    BI_TRY(bi_scratch_of(ctx, r->n * r->dim, sizeof *a.packed, &a.packed));
    BI_TRY(bi_scratch_of(ctx, r->n, sizeof *a.own, &a.own));
    BI_TRY(BI_RUN(ctx, kernel, all.chunks << level, THREADS, 0, all, a));
    r->rows = {a.packed, r->n, r->dim};
    r->list[own] = a.own;
    for (int32_t q = 0; q < r->used; q++)
        if (q != own && bi_kdtree_next_use(q, level, r->dim) <= bi_kdtree_last_list_level(r->n))
            BI_TRY(BI_RUN(ctx, bi_kdtree_brown_rename, one.chunks << level, THREADS, 0, one, r->spare, r->list[q]));
    return BOSC_OK;
}

bosc_status bi_kdtree_brown_number_rows_of(bosc_ctx *ctx, struct bi_kdtree_references *r, int32_t level,
                                           const uint32_t **names)
{
    *names = r->list[level % r->dim];
    return bosc_dtype_size(r->dtype) == 4 ? number_rows<uint32_t>(ctx, r, level) : number_rows<uint64_t>(ctx, r, level);
}
