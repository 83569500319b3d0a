/* Merge Path (Green, McColl, Bader, GPU Merge Path, 2012): the output is divided into tiles. A search on the diagonal
 * of each tile's begin finds the range of either input that the tile merges; a second one divides the tile among
 * threads. */
#ifndef BI_CORE_CUDA_MERGE_CUH
#define BI_CORE_CUDA_MERGE_CUH

#include "core/cuda/launch.cuh"

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

/* Number of items of `a` among the first `diagonal` results of a merge. b_first(i, j): true if item j of b comes before
 * item i of a. */
template <class I, class F> __device__ __forceinline__ I bi_merge_path(I na, I nb, I diagonal, const F &b_first)
{
    I low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (low < high) {
        const I i = low + (high - low) / 2;
        if (b_first(i, diagonal - 1 - i))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

/* The same by a whole warp: its lanes test 32 positions of the diagonal at once. */
template <class F>
__device__ __forceinline__ int64_t bi_merge_path_by_warp(int64_t na, int64_t nb, int64_t diagonal, const F &b_first)
{
    int64_t low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (low < high) {
        const int64_t step = (high - low + 31) / 32, i = low + (threadIdx.x % 32) * step;
        const uint32_t lanes = __ballot_sync(~0u, i >= high || b_first(i, diagonal - 1 - i));
        /* The first lane whose position is beyond the split; 32 if there is none. */
        const int64_t first = lanes ? __ffs((int)lanes) - 1 : 32;
        high = min(high, low + first * step);
        if (first > 0) low += (first - 1) * step + 1;
    }
    return low;
}

#endif
