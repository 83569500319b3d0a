/* Decodes the leaves of a block of 1,024 bits into nodes, by a warp. Lanes write the positions where the leaves of
 * their words begin to shared memory, compacted. A leaf ends where the next one begins, which gives its node; nodes are
 * stored in order. Nodes of a full block are consecutive numbers. The size of a single leaf, which may exceed the
 * block, follows from the ranks. */
#ifndef BI_CBT_CUDA_DECODE_WARP_CUH
#define BI_CBT_CUDA_DECODE_WARP_CUH

#include "cbt/cuda/cbt.cuh"

struct bi_cbt_starts {
    uint16_t positions[BI_CBT_BLOCK + 2];
};

/* 16 bytes of consecutive nodes. */
template <class N> struct bi_cbt_vector;
template <> struct bi_cbt_vector<uint32_t> {
    typedef uint4 type;
    enum { COUNT = 4 };
    static __device__ __forceinline__ uint4 from(uint32_t x) { return make_uint4(x, x + 1, x + 2, x + 3); }
};
template <> struct bi_cbt_vector<unsigned long long> {
    typedef ulonglong2 type;
    enum { COUNT = 2 };
    static __device__ __forceinline__ ulonglong2 from(unsigned long long x) { return make_ulonglong2(x, x + 1); }
};

/* log2 of the bits of the one leaf that begins in a block: a binary search over ranks for the largest aligned range
 * without another leaf. */
template <class R> static __device__ int32_t bi_cbt_single_size(const R *ranks, int32_t depth, int64_t block)
{
    if (depth <= BOSC_CBT_BLOCK_BITS) return depth;
    int32_t low = 0, high = block ? bosc_cbt_trailing_zeros((uint64_t)block) : depth - BOSC_CBT_BLOCK_BITS;
    const R upto = ranks[block] + 1;
    while (low < high) {
        const int32_t middle = (low + high + 1) / 2;
        if (ranks[block + ((int64_t)1 << middle)] == upto)
            low = middle;
        else
            high = middle - 1;
    }
    return BOSC_CBT_BLOCK_BITS + low;
}

/* Writes the positions of a block's n leaves, and after them its end. word: the lane's. */
static __device__ __forceinline__ void bi_cbt_find_starts(int32_t depth, uint32_t word, int n, bi_cbt_starts *starts)
{
    const int lane = (int)(threadIdx.x % 32);
    const uint32_t ones = (uint32_t)__popc(word);
    uint32_t i = bi_warp_inclusive_sum(ones) - ones;
    for (uint32_t left = word; left; left &= left - 1)
        starts->positions[i++] = (uint16_t)(32 * lane + __ffs((int)left) - 1);
    if (lane == 0) starts->positions[n] = (uint16_t)(1 << min(depth, (int32_t)BOSC_CBT_BLOCK_BITS));
    __syncwarp(); /* positions of all lanes */
}

/* Decodes leaves low to high - 1 of a block with several leaves to nodes[low] and on. */
template <class N>
static __device__ __forceinline__ void bi_cbt_decode_mixed(int32_t depth, int64_t block, N *nodes, int low, int high,
                                                           const bi_cbt_starts *starts)
{
    const N base = (N)(((uint64_t)1 << depth) + ((uint64_t)block << BOSC_CBT_BLOCK_BITS));
    for (int l = low + (int)(threadIdx.x % 32); l < high; l += 32) {
        const uint32_t begin = starts->positions[l], positions = starts->positions[l + 1] - begin;
        nodes[l] = (base + begin) >> (__ffs((int)positions) - 1);
    }
    __syncwarp(); /* all lanes have read positions before they are overwritten */
}

/* The same for a block of 1,024 leaves: 16-byte stores where the range is whole and aligned. */
template <class N>
static __device__ __forceinline__ void bi_cbt_decode_full(int32_t depth, int64_t block, N *nodes, int low, int high)
{
    typedef typename bi_cbt_vector<N>::type vector;
    const int lane = (int)(threadIdx.x % 32), count = bi_cbt_vector<N>::COUNT;
    const N base = (N)(((uint64_t)1 << depth) + ((uint64_t)block << BOSC_CBT_BLOCK_BITS));
    if (low == 0 && high == BI_CBT_BLOCK && (uintptr_t)nodes % sizeof(vector) == 0) {
        vector *to = reinterpret_cast<vector *>(nodes);
#pragma unroll
        for (int i = 0; i < BI_CBT_BLOCK / 32 / count; i++)
            to[i * 32 + lane] = bi_cbt_vector<N>::from(base + (N)(count * (i * 32 + lane)));
    } else {
        for (int l = low + lane; l < high; l += 32) nodes[l] = base + (N)l;
    }
}

#endif
