/* Merge Path (Green, McColl, Bader, GPU Merge Path, 2012): the output is divided into tiles. A binary search on the
 * diagonal of each tile's begin finds the range of either input that the tile merges; a second one divides the tile
 * among threads. */
#ifndef BI_CORE_CUDA_MERGE_CUH
#define BI_CORE_CUDA_MERGE_CUH

#include "core/cuda/launch.cuh"

enum { BI_MERGE_THREADS = 256, BI_MERGE_EACH = 8, BI_MERGE_TILE = BI_MERGE_THREADS * BI_MERGE_EACH };

/* Order of the bits of a key. */
enum bi_key_kind { BI_KEY_UNSIGNED, BI_KEY_SIGNED, BI_KEY_FLOAT };

static inline enum bi_key_kind bi_key_kind_of(bosc_dtype dtype)
{
    bool is_float = dtype == BOSC_F32 || dtype == BOSC_F64;
    return is_float ? BI_KEY_FLOAT : dtype == BOSC_U32 || dtype == BOSC_U64 ? BI_KEY_UNSIGNED : BI_KEY_SIGNED;
}

__device__ __forceinline__ uint32_t bi_order_key(uint32_t bits, enum bi_key_kind kind)
{
    if (kind == BI_KEY_FLOAT) return bi_key_u32_of_f32(bi_f32_from_bits(bits));
    return kind == BI_KEY_SIGNED ? bits ^ 0x80000000u : bits;
}
__device__ __forceinline__ uint64_t bi_order_key(uint64_t bits, enum bi_key_kind kind)
{
    if (kind == BI_KEY_FLOAT) return bi_key_u64_of_f64(bi_f64_from_bits(bits));
    return kind == BI_KEY_SIGNED ? bits ^ 0x8000000000000000ull : bits;
}

/* Tie rule of stable merges: among equal keys those of `a` come first. */
template <class V> struct bi_no_tie {
    __device__ __forceinline__ bool b_first(const V *, const V *) const { return false; }
};

/* Two sorted arrays with values (or without: NULL) and where their merge goes. */
template <class K, class V> struct bi_merge_pair {
    const K *a, *b;
    const V *a_values, *b_values;
    int64_t na, nb;
    K *out; /* or NULL */
    V *values_out;
};

/* True if b[j] comes before a[i]. */
template <class K, class V, class TIE>
__device__ __forceinline__ bool bi_b_first(K a, K b, const V *a_value, const V *b_value, enum bi_key_kind kind,
                                           const TIE &tie)
{
    K x = bi_order_key(a, kind), y = bi_order_key(b, kind);
    return x == y ? tie.b_first(a_value, b_value) : y < x;
}

/* Number of items of `a` among the first `diagonal` results. */
template <class K, class V, class TIE>
__device__ __forceinline__ int64_t bi_merge_path(const K *a, int64_t na, const K *b, int64_t nb, const V *a_values,
                                                 const V *b_values, int64_t diagonal, enum bi_key_kind kind,
                                                 const TIE &tie)
{
    int64_t low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (low < high) {
        int64_t i = low + (high - low) / 2, j = diagonal - 1 - i;
        if (bi_b_first(a[i], b[j], a_values + i, b_values + j, kind, tie))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

/* splits[t]: number of items of `a` before tile t. */
template <class K, class V, class TIE>
static __global__ void bi_core_merge_splits(bi_merge_pair<K, V> p, int64_t tiles, enum bi_key_kind kind, TIE tie,
                                            int64_t *splits)
{
    int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (t >= tiles) return;
    splits[t] = bi_merge_path(p.a, p.na, p.b, p.nb, p.a_values, p.b_values, t * BI_MERGE_TILE, kind, tie);
}

template <class K> struct bi_merge_shared {
    K key[BI_MERGE_TILE];
    uint16_t source[BI_MERGE_TILE];
};

/* Merges the keys in sh->key, `na` of a followed by `nb` of b, in place, and stores the source index of each. */
template <class K, class V, class TIE>
static __device__ void bi_merge_in_shared(bi_merge_shared<K> *sh, int na, int nb, const V *a_values, const V *b_values,
                                          enum bi_key_kind kind, const TIE &tie)
{
    int begin = min((int)threadIdx.x * BI_MERGE_EACH, na + nb), end = min(begin + BI_MERGE_EACH, na + nb);
    int i = (int)bi_merge_path(sh->key, na, sh->key + na, nb, a_values, b_values, begin, kind, tie), j = begin - i;
    /* Each thread merges its share into registers (constant indices by unrolling). */
    K key[BI_MERGE_EACH];
    uint16_t source[BI_MERGE_EACH];
#pragma unroll
    for (int k = 0; k < BI_MERGE_EACH; k++) {
        if (begin + k >= end) break;
        bool from_b =
            i == na || (j < nb && bi_b_first(sh->key[i], sh->key[na + j], a_values + i, b_values + j, kind, tie));
        int at = from_b ? na + j++ : i++;
        key[k] = sh->key[at];
        source[k] = (uint16_t)at;
    }
    __syncthreads(); /* all threads have read the keys; now they overwrite them */
#pragma unroll
    for (int k = 0; k < BI_MERGE_EACH; k++) {
        if (begin + k >= end) break;
        sh->key[begin + k] = key[k];
        sh->source[begin + k] = source[k];
    }
    __syncthreads(); /* the merged tile is complete */
}

template <class K, class V, class TIE>
static __global__ void __launch_bounds__(BI_MERGE_THREADS)
    bi_core_merge(bi_merge_pair<K, V> p, enum bi_key_kind kind, const int64_t *splits, TIE tie)
{
    typedef bi_merge_shared<K> shared_type;
    BI_SHARED(shared_type, sh);
    /* 1. The range of either input that this tile merges. */
    int64_t tile = blockIdx.x, begin = tile * BI_MERGE_TILE;
    int64_t end = min(begin + BI_MERGE_TILE, p.na + p.nb);
    int64_t a0 = splits[tile], a1 = end == p.na + p.nb ? p.na : splits[tile + 1], b0 = begin - a0, b1 = end - a1;
    int na = (int)(a1 - a0), nb = (int)(b1 - b0);
    /* 2. Load the keys and merge them in shared memory. */
    for (int k = (int)threadIdx.x; k < na + nb; k += BI_MERGE_THREADS)
        sh.key[k] = k < na ? p.a[a0 + k] : p.b[b0 + k - na];
    __syncthreads(); /* the keys of all threads */
    bi_merge_in_shared(&sh, na, nb, p.a_values + a0, p.b_values + b0, kind, tie);
    /* 3. Store the keys, and the values from their sources. */
    for (int k = (int)threadIdx.x; k < na + nb; k += BI_MERGE_THREADS) {
        int from = sh.source[k];
        if (p.out) p.out[begin + k] = sh.key[k];
        if (p.values_out) p.values_out[begin + k] = from < na ? p.a_values[a0 + from] : p.b_values[b0 + from - na];
    }
}

/* Merges the pair; `splits` has room for one number a tile. */
template <class K, class V, class TIE>
static bosc_status bi_run_merge(bosc_ctx *ctx, const bi_merge_pair<K, V> &pair, enum bi_key_kind kind, const TIE &tie,
                                int64_t *splits)
{
    int64_t tiles = bi_div_up(pair.na + pair.nb, BI_MERGE_TILE);
    BI_TRY(BI_RUN(ctx, (bi_core_merge_splits<K, V, TIE>), (unsigned)bi_div_up(tiles, 64), 64, 0, pair, tiles, kind, tie,
                  splits));
    return BI_RUN(ctx, (bi_core_merge<K, V, TIE>), (unsigned)tiles, BI_MERGE_THREADS, 0, pair, kind, splits, tie);
}

#endif
