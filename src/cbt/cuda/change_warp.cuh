/* What commands change in a block of 1,024 bits, by a warp: lane w has word w, of 32 bits. The rules are those of
 * word.h; but what has to be known of other blocks is read from the ranks, which stay as they were until all blocks
 * have met, so that bits can be changed at once where they lie. A node that starts with a block and has whole blocks is
 * a leaf exactly if one leaf starts in them, and its parent is split. */
#ifndef BI_CBT_CUDA_CHANGE_WARP_CUH
#define BI_CBT_CUDA_CHANGE_WARP_CUH

#include "cbt/cuda/cbt.cuh"

struct bi_cbt_commands {
    uint32_t split, merge;
};

/* A warp's block: the same in all lanes but for the word and the leaves before it in the block. */
struct bi_cbt_lane {
    int64_t block, rank;
    int n; /* leaves of the block */
    uint32_t word, before;
};

__device__ __forceinline__ uint32_t bi_cbt_level_mask32(int t)
{
    return t == 0 ? 0xaaaaaaaau : t == 1 ? 0x44444444u : t == 2 ? 0x10101010u : t == 3 ? 0x01000100u : 0x00010000u;
}

__device__ __forceinline__ uint32_t bi_cbt_shift_both32(uint32_t bits, int distance)
{
    return bits << distance | bits >> distance;
}

__device__ __forceinline__ int bi_cbt_command_of(const bi_cbt_change &a, int64_t leaf)
{
    return leaf >= 0 && leaf < a.count ? a.commands[leaf] : 0;
}

/* Bit k is set where byte k is `command`. */
__device__ __forceinline__ uint32_t bi_cbt_bytes_equal(uint32_t bytes, uint32_t command)
{
    const uint32_t x = bytes ^ command * 0x01010101u; /* a byte of 0 has bit 7 in what follows, and no other has it */
    const uint32_t same = ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x) & 0x80808080u;
    return (same >> 7) * 0x01020408u >> 24;
}

/* Commands of a block's leaves as bits; from that of the first byte of 16 in which they begin. */
struct bi_cbt_marks {
    uint16_t split[BI_CBT_BLOCK / 16 + 4], merge[BI_CBT_BLOCK / 16 + 4];
};

/* Of 16 leaves, from an address on that is a multiple of 16; 0 for those that are not there. */
static __device__ uint4 bi_cbt_load_edge(const bi_cbt_change &a, int64_t first)
{
    const int64_t there = a.count - first;
    uint64_t low = 0, high = 0;
    if (first >= 0 && there > 0) { /* the last ones: 8, 4, 2 and 1 of them, as their number has bits */
        const uint8_t *p = a.commands + first;
        if (there & 8) low = *reinterpret_cast<const uint64_t *>(p);
        if (there & 4) high = *reinterpret_cast<const uint32_t *>(p + (there & 8));
        if (there & 2) high |= (uint64_t) * reinterpret_cast<const uint16_t *>(p + (there & 12)) << 8 * (there & 4);
        if (there & 1) high |= (uint64_t)p[there & 14] << 8 * (there & 6);
        if (!(there & 8)) low = high, high = 0;
    } else {
        for (int i = 0; i < 8; i++) low |= (uint64_t)bi_cbt_command_of(a, first + i) << 8 * i;
        for (int i = 0; i < 8; i++) high |= (uint64_t)bi_cbt_command_of(a, first + 8 + i) << 8 * i;
    }
    return make_uint4((uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32));
}

__device__ __forceinline__ uint16_t bi_cbt_bytes_equal16(uint4 x, uint32_t command)
{
    return (uint16_t)(bi_cbt_bytes_equal(x.x, command) | bi_cbt_bytes_equal(x.y, command) << 4 |
                      bi_cbt_bytes_equal(x.z, command) << 8 | bi_cbt_bytes_equal(x.w, command) << 12);
}

/* Marks of the leaves first to first + n - 1, where `first` is at a multiple of 16; all loads come first. */
static __device__ void bi_cbt_load_marks(const bi_cbt_change &a, int64_t first, int n, bi_cbt_marks *marks)
{
    enum { PARTS = (BI_CBT_BLOCK / 16 + 2 + 31) / 32 };
    const int lane = (int)(threadIdx.x % 32);
    uint4 x[PARTS];
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        const int64_t at = first + 16 * (32 * k + lane);
        x[k] = make_uint4(0, 0, 0, 0);
        if (at < first + n && at >= 0 && at + 16 <= a.count) x[k] = *reinterpret_cast<const uint4 *>(a.commands + at);
    }
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        const int part = 32 * k + lane;
        const int64_t at = first + 16 * part;
        if (512 * k >= n) break;
        if (16 * part >= n) continue;
        if (at < 0 || at + 16 > a.count) x[k] = bi_cbt_load_edge(a, at);
        marks->split[part] = bi_cbt_bytes_equal16(x[k], BOSC_CBT_SPLIT);
        marks->merge[part] = bi_cbt_bytes_equal16(x[k], BOSC_CBT_MERGE);
    }
    __syncwarp();
}

/* 32 marks from `at` on. */
__device__ __forceinline__ uint32_t bi_cbt_marks_from(const uint16_t *marks, int at)
{
    const uint16_t *part = marks + at / 16;
    const uint64_t all = (uint64_t)part[2] << 32 | (uint32_t)part[1] << 16 | part[0];
    return (uint32_t)(all >> at % 16);
}

/* The commands of the leaves that begin in the lane's word, from bit 0 on; *prior: of the leaf before them. */
static __device__ bi_cbt_commands bi_cbt_commands_in_order(const bi_cbt_change &a, const bi_cbt_lane &b,
                                                           bi_cbt_marks *marks, bi_cbt_commands *prior)
{
    const int ones = __popc(b.word), one_before = b.rank > 0;
    const int64_t first = b.rank - one_before;
    const int skew = (int)(((uintptr_t)a.commands + (uint64_t)first) % 16);
    bi_cbt_load_marks(a, first - skew, skew + one_before + b.n, marks);
    const int at = skew + one_before + (int)b.before;
    const uint32_t known = ones ? ~0u >> (32 - ones) : 0;
    const bi_cbt_commands asked = {bi_cbt_marks_from(marks->split, at) & known,
                                   bi_cbt_marks_from(marks->merge, at) & known};
    if (at > 0) {
        prior->split = marks->split[(at - 1) / 16] >> (at - 1) % 16 & 1;
        prior->merge = marks->merge[(at - 1) / 16] >> (at - 1) % 16 & 1;
    }
    __syncwarp();
    return asked;
}

/* Moved to the bits where the leaves begin. */
static __device__ bi_cbt_commands bi_cbt_commands_at_bits(bi_cbt_commands order, uint32_t word)
{
    bi_cbt_commands asked = {0, 0};
    if (word == ~0u) return order;
    for (uint32_t left = word; order.split | order.merge; left &= left - 1, order.split >>= 1, order.merge >>= 1) {
        const uint32_t bit = left & (0 - left);
        if (order.split & 1) asked.split |= bit;
        if (order.merge & 1) asked.merge |= bit;
    }
    return asked;
}

/* Bits 1 to 31 of the lane's word that change. Whether the word's node is one of the tree: `exists`. */
static __device__ uint32_t bi_cbt_changes_within(const bi_cbt_change &a, const bi_cbt_lane &b, bool exists,
                                                 bi_cbt_commands recorded, bi_cbt_commands leaves)
{
    const int32_t depth = a.view.depth;
    uint32_t leaf_splits = exists ? 1u << 16 : 0, splits = recorded.split, merges = recorded.merge, blocked = 0;
#pragma unroll
    for (int t = 0; t < 4; t++) leaf_splits |= bi_cbt_shift_both32(b.word & bi_cbt_level_mask32(t + 1), 1 << t);
    if (depth > 0 && depth < 5 && b.block == 0 && threadIdx.x % 32 == 0) leaf_splits |= 1u << (1 << depth >> 1);
    leaf_splits &= ~b.word;
#pragma unroll
    for (int t = 0; t < 5; t++) {
        splits |= leaf_splits & bi_cbt_level_mask32(t) & leaves.split << (1 << t);
        merges |= bi_cbt_level_mask32(t) & (leaves.merge | leaves.merge << (1 << t));
    }
#pragma unroll
    for (int t = 1; t < 5; t++) blocked |= bi_cbt_shift_both32(b.word | splits, 1 << (t - 1)) & bi_cbt_level_mask32(t);
    return ((splits & leaf_splits) | (merges & b.word & ~blocked)) & ~1u;
}

/* What is known of the node that the first bit of the lane's word splits or would split. */
struct bi_cbt_first_node {
    bool leaf;    /* it is a leaf */
    bool leaves;  /* it is split, and both halves are leaves */
    bool blocked; /* one of which is recorded to be split */
};

/* Within a block: lanes but the first. `starts` and `middles` have the bits 0 and 16 of all words, `to_split` and
 * `to_split_middles` those of the recorded splits. */
static __device__ bi_cbt_first_node bi_cbt_first_within_block(const bosc_cbt_view &v, const bi_cbt_lane &b,
                                                              uint32_t starts, uint32_t middles, uint32_t to_split,
                                                              uint32_t to_split_middles)
{
    const int lane = (int)(threadIdx.x % 32), lowest = lane & -lane;
    bi_cbt_first_node first = {false, false, false};
    if ((uint64_t)lane << 5 >> v.depth && b.block == 0 && v.depth < 10) return first; /* beyond the tree */
    if (b.word & 1) {
        const uint32_t splits = lowest == 1 ? middles : starts, wanted = lowest == 1 ? to_split_middles : to_split;
        const int right = lowest == 1 ? lane : lane + lowest / 2, left = lowest == 1 ? lane - 1 : lane - lowest / 2;
        first.leaves = !((splits >> right | splits >> left) & 1);
        first.blocked = (wanted >> right | wanted >> left) & 1;
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
static __device__ bi_cbt_first_node bi_cbt_first_of_block(const bi_cbt_change &a, const bi_cbt_lane &b)
{
    const bosc_cbt_view &v = a.view;
    const int64_t lowest = b.block & -b.block, left = b.block - lowest, right = b.block + lowest;
    bi_cbt_first_node first = {false, false, false};
    if (b.block == 0) return first;
    const int64_t begin = v.ranks[left], end = v.ranks[right];
    if (b.word & 1) {
        first.leaves = end - b.rank == 1 && b.rank - begin == 1;
        if (!a.recorded) return first;
        const uint32_t *splits = (const uint32_t *)v.splits;
        const int64_t half = 16 * lowest;
        first.blocked = (splits[b.block * 32 + half] | splits[b.block * 32 - half]) & 1;
        return first;
    }
    const int64_t above = left & ~(4 * lowest - 1);
    first.leaf = end - begin == 1 && (2 * lowest == v.blocks || v.ranks[above + 4 * lowest] - v.ranks[above] > 1);
    return first;
}

/* The bits of the lane's word that change. All lanes call it. */
static __device__ uint32_t bi_cbt_changes32(const bi_cbt_change &a, const bi_cbt_lane &b, bi_cbt_commands recorded,
                                            bi_cbt_marks *marks)
{
    const int lane = (int)(threadIdx.x % 32);
    const bosc_cbt_view &v = a.view;
    bi_cbt_commands leaves = {0, 0}, prior = {0, 0};
    if (a.count) leaves = bi_cbt_commands_in_order(a, b, marks, &prior);
    const uint32_t any = recorded.split | recorded.merge | leaves.split | leaves.merge | prior.split | prior.merge;
    if (!__any_sync(~0u, any)) return 0;
    leaves = bi_cbt_commands_at_bits(leaves, b.word);
    const uint32_t starts = __ballot_sync(~0u, b.word & 1), middles = __ballot_sync(~0u, b.word >> 16 & 1);
    const uint32_t to_split = __ballot_sync(~0u, recorded.split & 1);
    const uint32_t to_split_middles = __ballot_sync(~0u, recorded.split >> 16 & 1);
    const bool exists = v.depth <= 5 ? v.depth == 5 && lane == 0 : starts >> (lane | 1) & 1;
    uint32_t changes = bi_cbt_changes_within(a, b, exists, recorded, leaves);
    if (!a.count && !((recorded.split | recorded.merge) & 1)) return changes;
    const bi_cbt_first_node first = lane ? bi_cbt_first_within_block(v, b, starts, middles, to_split, to_split_middles)
                                         : bi_cbt_first_of_block(a, b);
    if (first.leaf) {
        changes |= (recorded.split | prior.split) & 1;
    } else if (first.leaves && !first.blocked) { /* the leaf before and the one that starts here */
        const bool merge = (recorded.merge | prior.merge | leaves.merge) & 1;
        changes |= merge && !((prior.split | leaves.split) & 1);
    }
    return changes;
}

/* The commands recorded in the lane's word of a block. */
__device__ __forceinline__ bi_cbt_commands bi_cbt_recorded(const bosc_cbt_view &v, int64_t block)
{
    const int64_t at = block * 32 + threadIdx.x % 32;
    const bi_cbt_commands recorded = {((const uint32_t *)v.splits)[at], ((const uint32_t *)v.merges)[at]};
    return recorded;
}

__device__ __forceinline__ bi_cbt_lane bi_cbt_lane_of(int64_t block, int64_t rank, uint32_t word)
{
    const uint32_t ones = (uint32_t)__popc(word), upto = bi_warp_inclusive_sum(ones);
    const bi_cbt_lane lane = {block, rank, (int)__shfl_sync(~0u, upto, 31), word, upto - ones};
    return lane;
}

/* Where the lane's leaves come from: those that begin at the bits `is`, of which there are `leaf` before, and were at
 * `was`, with `old` before. */
__device__ __forceinline__ void bi_cbt_give_sources(const bi_cbt_change &a, uint32_t was, uint32_t is, int64_t old,
                                                    int64_t leaf)
{
    old--;
    for (uint32_t left = was | is; left; left &= left - 1) {
        const uint32_t bit = left & (0 - left);
        if (was & bit) old++;
        if (!(is & bit)) continue;
        if (leaf < a.capacity) a.sources[leaf] = old;
        leaf++;
    }
}

#endif
