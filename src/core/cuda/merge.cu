/* Merges of two sorted arrays, with or without values; ranks of queries among sorted keys, one thread a query. */
#include "core/cuda/collectives.cuh"
#include "core/cuda/merge.cuh"

struct merge_call {
    enum bi_key_kind kind;
    const void *a, *a_values;
    int64_t na;
    const void *b, *b_values;
    int64_t nb;
    void *out, *values_out;
};

template <class K, class V> static bosc_status launch_merge(bosc_ctx *ctx, const struct merge_call *c)
{
    bi_merge_pair<K, V> pair = {(const K *)c->a, (const K *)c->b, (const V *)c->a_values, (const V *)c->b_values, c->na,
                                c->nb,           (K *)c->out,     (V *)c->values_out};
    void *splits;
    BI_TRY(bi_scratch(ctx, (size_t)bi_div_up(c->na + c->nb, BI_MERGE_TILE) * sizeof(int64_t), &splits));
    return bi_run_merge(ctx, pair, c->kind, bi_no_tie<V>(), (int64_t *)splits);
}

bosc_status bi_cuda_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                                const void *a_values, int64_t na, const void *b_keys, const void *b_values, int64_t nb,
                                void *keys_out, void *values_out)
{
    if (na + nb == 0) return BOSC_OK;
    struct merge_call call = {bi_key_kind_of(dtype), a_keys, a_values, na, b_keys, b_values, nb, keys_out, values_out};
    struct bi_mark mark = bi_arena_mark(ctx);
    bool key_64bit = bosc_dtype_size(dtype) == 8, value_64bit = value_size == 8;
    bosc_status status = key_64bit ? (value_64bit ? launch_merge<uint64_t, uint64_t>(ctx, &call)
                                                  : launch_merge<uint64_t, uint32_t>(ctx, &call))
                                   : (value_64bit ? launch_merge<uint32_t, uint64_t>(ctx, &call)
                                                  : launch_merge<uint32_t, uint32_t>(ctx, &call));
    bi_arena_rewind(ctx, mark);
    return status;
}

/* ---- searches ---- */

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
