/* What commands change in a block of 1,024 bits, by a warp: lane w has word w, of 32 bits. The rules are those of
 * word.h; but what has to be known of other blocks is read from the ranks, which stay as they were until all blocks
 * have met, so that bits can be changed at once where they lie. A node that begins with a block and has whole blocks is
 * a leaf exactly if one leaf begins in them, and its parent is split. */
#ifndef BI_CBT_CUDA_CHANGE_CUH
#define BI_CBT_CUDA_CHANGE_CUH

#include "cbt/cuda.cuh"

struct bi_cbt_asked {
    uint32_t split, merge;
};

/* A warp's block: the same in all lanes but for the word and the leaves before it in the block. */
struct bi_cbt_lane {
    int64_t block, rank;
    int n; /* leaves of the block */
    uint32_t word, before;
};

__device__ __forceinline__ uint32_t bi_cbt_places32(int t)
{
    return t == 0 ? 0xaaaaaaaau : t == 1 ? 0x44444444u : t == 2 ? 0x10101010u : t == 3 ? 0x01000100u : 0x00010000u;
}

__device__ __forceinline__ uint32_t bi_cbt_beside32(uint32_t bits, int distance)
{
    return bits << distance | bits >> distance;
}

__device__ __forceinline__ int bi_cbt_command_of(const bi_cbt_change &a, int64_t leaf)
{
    return leaf >= 0 && leaf < a.count ? a.commands[leaf] : 0;
}

/* The commands of the leaves that begin in the lane's word, at the bits where they do. */
static __device__ bi_cbt_asked bi_cbt_asked_of_leaves(const bi_cbt_change &a, const bi_cbt_lane &b)
{
    const int lane = (int)(threadIdx.x % 32);
    uint32_t splits = 0, merges = 0; /* of leaves 32 * lane and on of the block */
    for (int part = 0; part * 32 < b.n; part++) {
        const int l = part * 32 + lane;
        const int command = l < b.n ? bi_cbt_command_of(a, b.rank + l) : 0;
        const uint32_t s = __ballot_sync(~0u, command == BOSC_CBT_SPLIT);
        const uint32_t m = __ballot_sync(~0u, command == BOSC_CBT_MERGE);
        if (lane == part) splits = s, merges = m;
    }
    bi_cbt_asked asked = {0, 0};
    if (!__any_sync(~0u, (splits | merges) != 0)) return asked;
    const int part = (int)(b.before / 32 % 32), next = (part + 1) % 32, shift = (int)(b.before % 32);
    const uint64_t s_low = __shfl_sync(~0u, splits, part), s_high = __shfl_sync(~0u, splits, next);
    const uint64_t m_low = __shfl_sync(~0u, merges, part), m_high = __shfl_sync(~0u, merges, next);
    uint32_t s = (uint32_t)((s_high << 32 | s_low) >> shift), m = (uint32_t)((m_high << 32 | m_low) >> shift);
    for (uint32_t left = b.word; left; left &= left - 1, s >>= 1, m >>= 1) {
        const uint32_t bit = left & (0 - left);
        if (s & 1) asked.split |= bit;
        if (m & 1) asked.merge |= bit;
    }
    return asked;
}

/* Bits 1 to 31 of the lane's word that change. Whether the word's node is one of the tree: `exists`. */
static __device__ uint32_t bi_cbt_changes_within(const bi_cbt_change &a, const bi_cbt_lane &b, bool exists,
                                                 bi_cbt_asked recorded, bi_cbt_asked leaves)
{
    const int32_t depth = a.view.depth;
    uint32_t unsplit = exists ? 1u << 16 : 0, splits = recorded.split, merges = recorded.merge, held = 0;
#pragma unroll
    for (int t = 0; t < 4; t++) unsplit |= bi_cbt_beside32(b.word & bi_cbt_places32(t + 1), 1 << t);
    if (depth > 0 && depth < 5 && b.block == 0 && threadIdx.x % 32 == 0) unsplit |= 1u << (1 << depth >> 1);
    unsplit &= ~b.word;
#pragma unroll
    for (int t = 0; t < 5; t++) {
        splits |= unsplit & bi_cbt_places32(t) & leaves.split << (1 << t);
        merges |= bi_cbt_places32(t) & (leaves.merge | leaves.merge << (1 << t));
    }
#pragma unroll
    for (int t = 1; t < 5; t++) held |= bi_cbt_beside32(b.word | splits, 1 << (t - 1)) & bi_cbt_places32(t);
    return ((splits & unsplit) | (merges & b.word & ~held)) & ~1u;
}

/* What is known of the node that the first bit of the lane's word splits or would split. */
struct bi_cbt_first {
    bool leaf;   /* it is a leaf */
    bool leaves; /* it is split, and both halves are leaves */
    bool held;   /* one of which is recorded to be split */
};

/* Within a block: lanes but the first. `starts` and `middles` have the bits 0 and 16 of all words, `to_split` and
 * `to_split_middles` those of the recorded splits. */
static __device__ bi_cbt_first bi_cbt_first_within(const bosc_cbt_view &v, const bi_cbt_lane &b, uint32_t starts,
                                                   uint32_t middles, uint32_t to_split, uint32_t to_split_middles)
{
    const int lane = (int)(threadIdx.x % 32), lowest = lane & -lane;
    bi_cbt_first first = {false, false, false};
    if ((uint64_t)lane << 5 >> v.depth && b.block == 0 && v.depth < 10) return first; /* beyond the tree */
    if (b.word & 1) {
        const uint32_t splits = lowest == 1 ? middles : starts, wanted = lowest == 1 ? to_split_middles : to_split;
        const int right = lowest == 1 ? lane : lane + lowest / 2, left = lowest == 1 ? lane - 1 : lane - lowest / 2;
        first.leaves = !((splits >> right | splits >> left) & 1);
        first.held = (wanted >> right | wanted >> left) & 1;
        return first;
    }
    const int64_t at = b.block * 32 + lane, parent = at & 2 * lowest ? at - lowest : at + lowest;
    if ((uint64_t)parent << 5 >> v.depth)
        first.leaf = true; /* the root */
    else if (parent - b.block * 32 < 32)
        first.leaf = starts >> (parent - b.block * 32) & 1;
    else
        first.leaf = v.ranks[b.block + 2] != v.ranks[b.block + 1];
    return first;
}

/* Of the block's first bit: lane 0. */
static __device__ bi_cbt_first bi_cbt_first_of_block(const bi_cbt_change &a, const bi_cbt_lane &b)
{
    const bosc_cbt_view &v = a.view;
    const int64_t lowest = b.block & -b.block, left = b.block - lowest, right = b.block + lowest;
    bi_cbt_first first = {false, false, false};
    if (b.block == 0) return first;
    const int64_t begin = v.ranks[left], end = v.ranks[right];
    if (b.word & 1) {
        first.leaves = end - b.rank == 1 && b.rank - begin == 1;
        if (!a.recorded) return first;
        const uint32_t *splits = (const uint32_t *)v.splits;
        const int64_t half = 16 * lowest;
        first.held = (splits[b.block * 32 + half] | splits[b.block * 32 - half]) & 1;
        return first;
    }
    const int64_t above = left & ~(4 * lowest - 1);
    first.leaf = end - begin == 1 && (2 * lowest == v.blocks || v.ranks[above + 4 * lowest] - v.ranks[above] > 1);
    return first;
}

/* The bits of the lane's word that change. All lanes call it. */
static __device__ uint32_t bi_cbt_changes32(const bi_cbt_change &a, const bi_cbt_lane &b, bi_cbt_asked recorded)
{
    const int lane = (int)(threadIdx.x % 32);
    const bosc_cbt_view &v = a.view;
    if (!a.count && !__any_sync(~0u, (recorded.split | recorded.merge) != 0)) return 0;
    const uint32_t starts = __ballot_sync(~0u, b.word & 1), middles = __ballot_sync(~0u, b.word >> 16 & 1);
    const uint32_t to_split = __ballot_sync(~0u, recorded.split & 1);
    const uint32_t to_split_middles = __ballot_sync(~0u, recorded.split >> 16 & 1);
    bi_cbt_asked leaves = {0, 0};
    if (a.count) leaves = bi_cbt_asked_of_leaves(a, b);
    const bool exists = v.depth <= 5 ? v.depth == 5 && lane == 0 : starts >> (lane | 1) & 1;
    uint32_t changes = bi_cbt_changes_within(a, b, exists, recorded, leaves);
    if (!a.count && !((recorded.split | recorded.merge) & 1)) return changes;
    const bi_cbt_first first =
        lane ? bi_cbt_first_within(v, b, starts, middles, to_split, to_split_middles) : bi_cbt_first_of_block(a, b);
    const int64_t leaf = b.rank + b.before; /* the one that begins here, or the next one */
    if (first.leaf) {
        changes |= (recorded.split & 1) || bi_cbt_command_of(a, leaf - 1) == BOSC_CBT_SPLIT;
    } else if (first.leaves && !first.held) {
        const int left = bi_cbt_command_of(a, leaf - 1), right = bi_cbt_command_of(a, leaf);
        const bool merge = (recorded.merge & 1) || left == BOSC_CBT_MERGE || right == BOSC_CBT_MERGE;
        changes |= merge && left != BOSC_CBT_SPLIT && right != BOSC_CBT_SPLIT;
    }
    return changes;
}

#endif
