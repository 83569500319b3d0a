/* Removes duplicates from a sorted list of references, as published. A warp compares each of 32 references with its
 * left neighbour by superkey, and compacts the kept ones by ballot and population count. So each warp compacts a piece
 * of the list; a second pass closes the gaps between pieces. The comparisons also verify the order of the list. */
#include "kdtree/cuda/published/published.cuh"

#include "base/atomic.h"

enum { THREADS = BI_KDTREE_BROWN_THREADS, EACH = BI_KDTREE_BROWN_EACH, ROUND = BI_KDTREE_BROWN_ROUND };

struct pieces {
    int64_t n, size;                   /* references; references of a piece */
    uint32_t *kept, *exclusive_prefix; /* number of kept references by piece, and its scan */
};

/* Returns the key of the reference at a position. */
template <class K>
static __device__ __forceinline__ K key_at(const bi_superkey<K> &by, const bi_kdtree_removal &a, int64_t position,
                                           uint32_t row)
{
    return a.keys ? static_cast<const K *>(a.keys)[position] : by.key(row);
}

/* True if the reference begins a run of equal rows; `left` is its left neighbour, of key left_key. */
template <class K>
static __device__ __forceinline__ bool begins_run(const bi_superkey<K> &by, uint32_t left, K left_key, uint32_t row,
                                                  K key, int64_t position, int64_t *bad)
{
    if (left_key < key) return true;
    const int order = left_key > key ? 1 : by.compare_rest(left, row);
    if (order > 0 || (order == 0 && left >= row)) bi_atomic_min_i64(bad, position);
    return order != 0;
}

/* Compacts 32 references, the one at `position` by this lane; `kept` were kept of the piece so far. */
template <class K>
static __device__ __forceinline__ uint32_t compact_round(const bi_superkey<K> &by, const bi_kdtree_removal &a,
                                                         uint32_t row, K key, int64_t begin, int64_t position,
                                                         int64_t end, uint32_t kept)
{
    uint32_t left = __shfl_up_sync(~0u, row, 1);
    K left_key = __shfl_up_sync(~0u, key, 1);
    if (threadIdx.x % 32 == 0 && position > 0 && position < end) {
        left = a.from[position - 1];
        left_key = key_at(by, a, position - 1, left);
    }
    const bool keep = position < end && (position == 0 || begins_run(by, left, left_key, row, key, position, a.bad));
    const uint32_t kept_mask = __ballot_sync(~0u, keep), at = kept + (uint32_t)__popc(kept_mask & bi_lanes_below());
    if (keep) a.spare[begin + at] = row;
    if (a.ranks && position < end) a.ranks[position] = at + keep;
    return kept + (uint32_t)__popc(kept_mask);
}

/* Compacts each piece within its range of the spare list. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_compact_pieces(const bi_superkey<K> by, const bi_kdtree_removal a, const struct pieces p)
{
    const int64_t piece = bi_kdtree_brown_warp(), begin = piece * p.size, end = min(begin + p.size, p.n);
    if (begin >= p.n) return;
    uint32_t kept = 0;
    for (int64_t base = begin; base < end; base += ROUND) {
        /* Read references, then their keys, so that loads overlap; then compact 32 at a time. */
        uint32_t row[EACH];
        K key[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t position = base + 32 * k + threadIdx.x % 32;
            row[k] = position < end ? a.from[position] : 0;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t position = base + 32 * k + threadIdx.x % 32;
            key[k] = position < end ? key_at(by, a, position, row[k]) : 0;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++)
            kept = compact_round(by, a, row[k], key[k], begin, base + 32 * k + threadIdx.x % 32, end, kept);
    }
    if (threadIdx.x % 32 == 0) p.kept[piece] = kept;
}

/* Moves the kept references of each piece behind those of the pieces before it. */
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_close_piece_gaps(const bi_kdtree_removal a, const struct pieces p)
{
    const int64_t piece = bi_kdtree_brown_warp(), begin = piece * p.size, end = min(begin + p.size, p.n);
    if (begin >= p.n) return;
    const uint32_t kept = p.kept[piece], exclusive_prefix = p.exclusive_prefix[piece], lane = threadIdx.x % 32;
    for (uint32_t i = lane; i < kept; i += 32) a.to[exclusive_prefix + i] = a.spare[begin + i];
    for (int64_t i = begin + lane; a.ranks && i < end; i += 32) a.ranks[i] += exclusive_prefix;
    if (end == p.n && lane == 0) *a.count = (int64_t)exclusive_prefix + kept;
}

template <class K> static bosc_status launch_removal(bosc_ctx *ctx, const struct bi_kdtree_removal &a)
{
    struct pieces p = {a.n, bi_kdtree_brown_piece_size(ctx, a.n), nullptr, nullptr};
    const int64_t count = bi_div_up(a.n, p.size);
    const bi_superkey<K> by = bi_kdtree_superkey_rows<K>(a.rows, a.dtype, a.dim, a.first);
    const unsigned blocks = bi_kdtree_brown_blocks(count);
    BI_TRY(bi_scratch_of(ctx, count, sizeof *p.kept, &p.kept));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *p.exclusive_prefix, &p.exclusive_prefix));
    BI_TRY(BI_RUN(ctx, bi_kdtree_brown_compact_pieces<K>, blocks, THREADS, 0, by, a, p));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, p.kept, count, p.exclusive_prefix));
    return BI_RUN(ctx, bi_kdtree_brown_close_piece_gaps, blocks, THREADS, 0, a, p);
}

bosc_status bi_kdtree_cuda_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *removal)
{
    if (bosc_dtype_size(removal->dtype) == 4) return launch_removal<uint32_t>(ctx, *removal);
    return launch_removal<uint64_t>(ctx, *removal);
}
