/* Ranks of queries among sorted keys: one thread a query, by binary search. */
#include "core/cuda/collectives.cuh"
#include "core/cuda/merge.cuh"

enum { THREADS = 256 };

template <class K>
static __global__ void __launch_bounds__(THREADS)
    bi_core_search_sorted(const K *keys, int64_t n, const K *queries, int64_t begin, int64_t end, enum bi_key_kind kind,
                          int64_t *ranks)
{
    int64_t q = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x;
    for (; q < end; q += (int64_t)gridDim.x * THREADS) {
        const K target = bi_order_key(queries[q], kind);
        int64_t low = 0;
        for (int64_t left = n; left > 0;) { /* the rank is in low to low + left */
            const int64_t half = left - left / 2;
            if (bi_order_key(keys[low + half - 1], kind) < target) low += half;
            left -= half;
        }
        ranks[q] = low;
    }
}

template <class K>
static bosc_status launch_search(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, const void *queries,
                                 int64_t query_count, int64_t *ranks)
{
    struct bi_batches p = bi_batches_of(ctx, query_count, 1);
    while (bi_next_batch(ctx, &p))
        BI_TRY(BI_RUN_BATCH(ctx, bi_core_search_sorted<K>, bi_grid_size(ctx, p.end - p.begin, THREADS), THREADS, 0,
                            (const K *)keys, n, (const K *)queries, p.begin, p.end, bi_key_kind_of(dtype), ranks));
    return p.status;
}

bosc_status bi_cuda_search_sorted(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, const void *queries,
                                  int64_t query_count, int64_t *ranks)
{
    const bool is_64bit = bosc_dtype_size(dtype) == 8;
    return is_64bit ? launch_search<uint64_t>(ctx, dtype, keys, n, queries, query_count, ranks)
                    : launch_search<uint32_t>(ctx, dtype, keys, n, queries, query_count, ranks);
}
