/* Where queries stand among sorted keys: a thread a query. */
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
        const K wanted = bi_ordered(queries[q], kind);
        int64_t low = 0;
        for (int64_t left = n; left > 0;) { /* the rank is in low to low + left */
            const int64_t half = left - left / 2;
            if (bi_ordered(keys[low + half - 1], kind) < wanted) low += half;
            left -= half;
        }
        ranks[q] = low;
    }
}

template <class K>
static bosc_status run(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, const void *queries,
                       int64_t query_count, int64_t *ranks)
{
    struct bi_parts p = bi_parts_of(ctx, query_count, 1);
    while (bi_next_part(ctx, &p))
        BI_TRY(BI_RUN_PART(ctx, bi_core_search_sorted<K>, bi_grid(ctx, p.end - p.begin, THREADS), THREADS, 0,
                           (const K *)keys, n, (const K *)queries, p.begin, p.end, bi_kind_of(dtype), ranks));
    return p.status;
}

bosc_status bi_cuda_search_sorted(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, const void *queries,
                                  int64_t query_count, int64_t *ranks)
{
    const bool wide = bosc_dtype_size(dtype) == 8;
    return wide ? run<uint64_t>(ctx, dtype, keys, n, queries, query_count, ranks)
                : run<uint32_t>(ctx, dtype, keys, n, queries, query_count, ranks);
}
