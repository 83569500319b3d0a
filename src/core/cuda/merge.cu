/* Merges of two sorted arrays, with or without values; ranks of queries among sorted keys, one thread a query. */
#include <type_traits>

#include "core/cuda/collectives.cuh"
#include "core/cuda/merge.cuh"

enum { THREADS = 256, SPLIT_THREADS = 128 };

/* Items of a tile. EACH is odd, so that threads access different banks of shared memory. Measured on an H200, 10^8 keys
 * of 4 bytes: .384 ms with 15, .376 with 17, .367 with 21; pairs: .716 ms with 7, .682 with 9, .714 with 11. With 21,
 * keys of 8 bytes need 43 KB of shared memory; neither they nor smaller inputs were measured. */
template <bool HAS_VALUES> struct merge_tile {
    static constexpr int EACH = HAS_VALUES ? 9 : 17, SIZE = THREADS * EACH;
};

/* Type of the values of merges of keys alone. */
struct no_value {
};

/* True if a key of b comes before one of a: equal keys of a come first. */
template <class K> static __device__ __forceinline__ bool is_b_first(K a, K b, enum bi_key_kind kind)
{
    return bi_order_key(b, kind) < bi_order_key(a, kind);
}

/* Two sorted arrays and where their merge goes; of keys alone the values are NULL. */
template <class K, class V> struct merge_arrays {
    static constexpr bool HAS_VALUES = !std::is_empty<V>::value;
    typedef merge_tile<HAS_VALUES> tile;
    const K *a, *b;
    const V *a_values, *b_values;
    int64_t na, nb;
    K *out; /* or NULL, with values */
    V *values_out;
    enum bi_key_kind kind;
    int64_t *splits; /* number of items of `a` before each tile */
};

/* A warp a split. */
template <class K, class V>
static __global__ void __launch_bounds__(SPLIT_THREADS) bi_core_merge_splits(merge_arrays<K, V> p, int64_t tiles)
{
    typedef typename merge_arrays<K, V>::tile tile;
    const int64_t t = blockIdx.x * (int64_t)(SPLIT_THREADS / 32) + threadIdx.x / 32;
    if (t >= tiles) return;
    const int64_t split = bi_merge_path_by_warp(
        p.na, p.nb, t * tile::SIZE, [&](int64_t i, int64_t j) { return is_b_first(p.a[i], p.b[j], p.kind); });
    if (threadIdx.x % 32 == 0) p.splits[t] = split;
}

template <class K, class V> struct merge_shared {
    typedef typename merge_arrays<K, V>::tile tile;
    K key[tile::SIZE + 1]; /* the last one is read behind the last item of b, and not used */
    uint16_t source[merge_arrays<K, V>::HAS_VALUES ? tile::SIZE : 1];
};

/* Merges the keys in sh->key, `na` of a followed by `nb` of b, in place, and stores the source index of each if there
 * are values. All threads of the block call it. */
template <class K, class V>
static __device__ __forceinline__ void merge_in_shared(merge_shared<K, V> *sh, int na, int nb, enum bi_key_kind kind)
{
    typedef typename merge_arrays<K, V>::tile tile;
    const int begin = min((int)threadIdx.x * tile::EACH, na + nb), b_end = na + nb;
    K key[tile::EACH];
    uint16_t source[tile::EACH];
    /* 1. Each thread merges its share into registers. Of the next keys of either input one changes in a step; those
     * behind the end are not used. */
    int i = bi_merge_path(na, nb, begin, [&](int a, int b) { return is_b_first(sh->key[a], sh->key[na + b], kind); });
    int j = na + begin - i;
    K a = sh->key[i], b = sh->key[j], a_order = bi_order_key(a, kind), b_order = bi_order_key(b, kind);
#pragma unroll
    for (int k = 0; k < tile::EACH; k++) {
        const bool from_b = i >= na || (j < b_end && b_order < a_order);
        key[k] = from_b ? b : a;
        source[k] = (uint16_t)(from_b ? j : i);
        const K next = sh->key[min(from_b ? ++j : ++i, tile::SIZE)], order = bi_order_key(next, kind);
        a = from_b ? a : next;
        b = from_b ? next : b;
        a_order = from_b ? a_order : order;
        b_order = from_b ? order : b_order;
    }
    __syncthreads(); /* all threads have read the keys; now they overwrite them */
    /* 2. Store. */
#pragma unroll
    for (int k = 0; k < tile::EACH; k++) {
        if (begin + k >= b_end) break;
        sh->key[begin + k] = key[k];
        if (merge_arrays<K, V>::HAS_VALUES) sh->source[begin + k] = source[k];
    }
    __syncthreads(); /* the merged tile is complete */
}

/* Merges a tile: the grid has one block per tile. */
template <class K, class V> static __global__ void __launch_bounds__(THREADS) bi_core_merge(merge_arrays<K, V> p)
{
    typedef typename merge_arrays<K, V>::tile tile;
    typedef merge_shared<K, V> shared_type;
    BI_SHARED(shared_type, sh);
    /* 1. The range of either input that this tile merges. */
    const int64_t begin = blockIdx.x * (int64_t)tile::SIZE, end = min(begin + tile::SIZE, p.na + p.nb);
    const int64_t a0 = p.splits[blockIdx.x], a1 = end == p.na + p.nb ? p.na : p.splits[blockIdx.x + 1];
    const int na = (int)(a1 - a0), count = (int)(end - begin);
    const int64_t b0 = begin - a0 - na; /* item k of the tile is a0 + k of a or, from na on, b0 + k of b */
    /* 2. Load the keys, all before the first is stored, and merge them in shared memory. */
    K key[tile::EACH];
#pragma unroll
    for (int k = 0; k < tile::EACH; k++) {
        const int at = (int)threadIdx.x + k * THREADS;
        if (at < count) key[k] = at < na ? p.a[a0 + at] : p.b[b0 + at];
    }
#pragma unroll
    for (int k = 0; k < tile::EACH; k++)
        if ((int)threadIdx.x + k * THREADS < count) sh.key[threadIdx.x + k * THREADS] = key[k];
    __syncthreads(); /* the keys of all threads */
    merge_in_shared<K, V>(&sh, na, count - na, p.kind);
    /* 3. Store the keys, and the values from their sources. */
    for (int k = (int)threadIdx.x; p.out && k < count; k += THREADS) p.out[begin + k] = sh.key[k];
    if constexpr (merge_arrays<K, V>::HAS_VALUES) {
#pragma unroll 5
        for (int k = (int)threadIdx.x; k < count; k += THREADS) {
            const int from = sh.source[k];
            p.values_out[begin + k] = from < na ? p.a_values[a0 + from] : p.b_values[b0 + from];
        }
    }
}

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
    typedef typename merge_arrays<K, V>::tile tile;
    const int64_t tiles = bi_div_up(c->na + c->nb, tile::SIZE);
    merge_arrays<K, V> arrays = {(const K *)c->a,
                                 (const K *)c->b,
                                 (const V *)c->a_values,
                                 (const V *)c->b_values,
                                 c->na,
                                 c->nb,
                                 (K *)c->out,
                                 (V *)c->values_out,
                                 c->kind,
                                 nullptr};
    void *splits;
    BI_TRY(bi_scratch(ctx, (size_t)tiles * sizeof(int64_t), &splits));
    arrays.splits = (int64_t *)splits;
    BI_TRY(BI_RUN(ctx, (bi_core_merge_splits<K, V>), (unsigned)bi_div_up(tiles, SPLIT_THREADS / 32), SPLIT_THREADS, 0,
                  arrays, tiles));
    return BI_RUN(ctx, (bi_core_merge<K, V>), (unsigned)tiles, THREADS, 0, arrays);
}

template <class K> static bosc_status merge_keys(bosc_ctx *ctx, size_t value_size, const struct merge_call *c)
{
    if (!c->values_out) return launch_merge<K, no_value>(ctx, c);
    return value_size == 8 ? launch_merge<K, uint64_t>(ctx, c) : launch_merge<K, uint32_t>(ctx, c);
}

bosc_status bi_cuda_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                                const void *a_values, int64_t na, const void *b_keys, const void *b_values, int64_t nb,
                                void *keys_out, void *values_out)
{
    if (na + nb == 0) return BOSC_OK;
    struct merge_call call = {bi_key_kind_of(dtype), a_keys, a_values, na, b_keys, b_values, nb, keys_out, values_out};
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = bosc_dtype_size(dtype) == 8 ? merge_keys<uint64_t>(ctx, value_size, &call)
                                                     : merge_keys<uint32_t>(ctx, value_size, &call);
    bi_arena_rewind(ctx, mark);
    return status;
}

/* ---- searches ---- */

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
