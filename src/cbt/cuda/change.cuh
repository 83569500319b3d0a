/* Shared by the kernels that change trees: an exchange of counts between the blocks of a grid, and the bits that
 * commands change in a block of 1,024 bits, by a warp. */
#ifndef BI_CBT_CUDA_CHANGE_CUH
#define BI_CBT_CUDA_CHANGE_CUH

#include "cbt/cuda/cbt.cuh"

/* ---- exchange ----
 *
 * An all-to-all exchange of counts in a cooperative grid, which is also its only barrier: each block publishes one word
 * and waits for the words of all others. The words belong to the tree and are 0 at first: the number of the last launch
 * (the epoch), then one word a block with the epoch in its upper bits. So nothing has to be cleared, and a captured
 * launch can be replayed. Every launch on a tree publishes all words that earlier launches published: otherwise a stale
 * word could match once the epoch wraps around. */

/* A published word: 24 bits of epoch, a flag (the range has changed), and the number of leaves, up to 2^36. */
enum { BI_CBT_EPOCH_SHIFT = 40, BI_CBT_CHANGED_SHIFT = 39 };
#define BI_CBT_CHANGED (1ull << BI_CBT_CHANGED_SHIFT)

/* The number of this launch. */
__device__ __forceinline__ unsigned long long bi_cbt_next_epoch(const unsigned long long *words)
{
    return (bi_load_relaxed(words) + 1) & ((1ull << (64 - BI_CBT_EPOCH_SHIFT)) - 1);
}

/* Publishes word i. Release: whatever this thread has read is read before others act on the word. */
__device__ __forceinline__ void bi_cbt_publish(unsigned long long *words, unsigned long long epoch, int64_t i,
                                               unsigned long long published)
{
    bi_store_release(&words[1 + i], epoch << BI_CBT_EPOCH_SHIFT | published);
}

/* Waits for word i of this launch. Acquire: later writes of this thread follow the reads of the publisher. */
__device__ __forceinline__ unsigned long long bi_cbt_await_word(const unsigned long long *words,
                                                                unsigned long long epoch, int64_t i)
{
    unsigned long long word;
    while ((word = bi_load_acquire(&words[1 + i])) >> BI_CBT_EPOCH_SHIFT != epoch) __nanosleep(20);
    return word & ((1ull << BI_CBT_EPOCH_SHIFT) - 1);
}

/* Stores the number of this launch, once the block has received all words. */
__device__ __forceinline__ void bi_cbt_finish_epoch(unsigned long long *words, unsigned long long epoch)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) bi_store_relaxed(words, epoch);
}

struct bi_cbt_exchanged {
    unsigned long long exclusive_prefix, total; /* sums over the blocks before this one, and over all */
};

/* Exchanges the sums of the blocks: a barrier of the grid. All threads call it; those of a block get the same result.
 * published: the warp's sum, the same in all lanes. slots: shared memory, three a warp. The sums also count the blocks
 * that have changed, from bit 39 up. After it a thread may overwrite what other blocks have read before it. */
template <int WARPS>
static __device__ bi_cbt_exchanged bi_cbt_grid_exchange(unsigned long long *words, unsigned long long epoch,
                                                        unsigned long long published, unsigned long long *slots)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bi_cbt_exchanged exchanged = {0, 0};
    /* 1. Sum over the warps of the block, and publish. */
    if (lane == 0) slots[warp] = published;
    __syncthreads(); /* all warps have their sums in slots[], and have read what other blocks may change */
    if (warp == 0) {
        const unsigned long long sum = bi_warp_sum(lane < WARPS ? slots[lane] : 0);
        const unsigned long long leaves = sum & (BI_CBT_CHANGED - 1);
        if (lane == 0) bi_cbt_publish(words, epoch, blockIdx.x, leaves | (sum >= BI_CBT_CHANGED ? BI_CBT_CHANGED : 0));
    }
    /* 2. Receive the words of all blocks, a thread each. */
    for (unsigned i = threadIdx.x; i < gridDim.x; i += WARPS * 32) {
        const unsigned long long word = bi_cbt_await_word(words, epoch, i);
        exchanged.exclusive_prefix += i < blockIdx.x ? word : 0;
        exchanged.total += word;
    }
    __syncwarp(); /* lanes leave the loop one by one */
    exchanged.exclusive_prefix = bi_warp_sum(exchanged.exclusive_prefix);
    exchanged.total = bi_warp_sum(exchanged.total);
    if (lane == 0) {
        slots[WARPS + warp] = exchanged.exclusive_prefix;
        slots[2 * WARPS + warp] = exchanged.total;
    }
    __syncthreads(); /* the block has received all words: its threads may write */
    exchanged.exclusive_prefix = exchanged.total = 0;
    for (int w = 0; w < WARPS; w++) {
        exchanged.exclusive_prefix += slots[WARPS + w];
        exchanged.total += slots[2 * WARPS + w];
    }
    bi_cbt_finish_epoch(words, epoch);
    return exchanged;
}

/* ---- changes ----
 *
 * Bits that commands change in a block of 1,024 bits, by a warp: lane w has word w, of 32 bits. The rules are those of
 * steps/bits.h. Facts about other blocks are derived from the ranks, which keep their old values until the barrier of
 * the grid; so bits can be changed in place. A node of whole blocks is a leaf exactly if one leaf begins in them, and
 * its parent is split. */

/* Commands of a word of 32 bits, as bit masks. */
struct bi_cbt_commands {
    uint32_t split, merge;
};

/* A warp's block of bits; the last two members differ between lanes. */
struct bi_cbt_lane {
    int64_t block, rank;             /* rank: number of leaves before the block */
    int n;                           /* leaves of the block */
    uint32_t word, exclusive_prefix; /* the lane's word, and the leaves of the block before it */
};

/* The odd multiples of 2^t in a word: split bits of the nodes of 2^(t + 1) positions. */
__device__ __forceinline__ uint32_t bi_cbt_level_mask32(int t)
{
    return t == 0 ? 0xaaaaaaaau : t == 1 ? 0x44444444u : t == 2 ? 0x10101010u : t == 3 ? 0x01000100u : 0x00010000u;
}

/* From the split bits of nodes to those of their children, or back: they are `distance` to both sides. */
__device__ __forceinline__ uint32_t bi_cbt_shift_both32(uint32_t bits, int distance)
{
    return bits << distance | bits >> distance;
}

/* The command of a leaf; 0 outside the array. */
__device__ __forceinline__ int bi_cbt_command_of(const bi_cbt_change &a, int64_t leaf)
{
    return leaf >= 0 && leaf < a.count ? a.commands[leaf] : 0;
}

/* Bit k of the result is 1 if byte k equals `command`. */
__device__ __forceinline__ uint32_t bi_cbt_bytes_equal(uint32_t bytes, uint32_t command)
{
    const uint32_t x = bytes ^ command * 0x01010101u; /* then sets bit 7 of each byte of x that is 0 */
    const uint32_t same = ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x) & 0x80808080u;
    return (same >> 7) * 0x01020408u >> 24; /* gathers the four bits in the highest byte */
}

/* Commands of a block's leaves as bit masks. Bit 0 belongs to the aligned group of 16 bytes in which they begin. */
struct bi_cbt_marks {
    uint16_t split[BI_CBT_BLOCK / 16 + 4], merge[BI_CBT_BLOCK / 16 + 4];
};

/* Loads 16 commands at a multiple of 16 where the array begins or ends; 0 for leaves outside it. */
static __device__ uint4 bi_cbt_load_partial(const bi_cbt_change &a, int64_t first)
{
    const int64_t valid = a.count - first;
    uint64_t low = 0, high = 0;
    if (first >= 0 && valid > 0) { /* at the end: one load of 8, 4, 2 and 1 bytes for each bit of their number */
        const uint8_t *p = a.commands + first;
        if (valid & 8) low = *reinterpret_cast<const uint64_t *>(p);
        if (valid & 4) high = *reinterpret_cast<const uint32_t *>(p + (valid & 8));
        if (valid & 2) high |= (uint64_t) * reinterpret_cast<const uint16_t *>(p + (valid & 12)) << 8 * (valid & 4);
        if (valid & 1) high |= (uint64_t)p[valid & 14] << 8 * (valid & 6);
        if (!(valid & 8)) low = high, high = 0; /* they are the first bytes */
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

/* Sets the marks of the leaves first to first + n - 1, whose commands start at a multiple of 16 bytes. */
static __device__ void bi_cbt_load_marks(const bi_cbt_change &a, int64_t first, int n, bi_cbt_marks *marks)
{
    enum { LOADS = (BI_CBT_BLOCK / 16 + 2 + 31) / 32 };
    const int lane = (int)(threadIdx.x % 32);
    uint4 x[LOADS];
    /* 1. All loads, before any is used, so that they overlap. */
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        const int64_t at = first + 16 * (32 * k + lane);
        x[k] = make_uint4(0, 0, 0, 0);
        if (at < first + n && at >= 0 && at + 16 <= a.count) x[k] = *reinterpret_cast<const uint4 *>(a.commands + at);
    }
    /* 2. Groups cut by an end of the array, and the marks. */
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        const int part = 32 * k + lane;
        const int64_t at = first + 16 * part;
        if (512 * k >= n) break;
        if (16 * part >= n) continue;
        if (at < 0 || at + 16 > a.count) x[k] = bi_cbt_load_partial(a, at);
        marks->split[part] = bi_cbt_bytes_equal16(x[k], BOSC_CBT_SPLIT);
        marks->merge[part] = bi_cbt_bytes_equal16(x[k], BOSC_CBT_MERGE);
    }
    __syncwarp(); /* marks of all lanes are visible */
}

/* The 32 marks from number `at` on. */
__device__ __forceinline__ uint32_t bi_cbt_marks_from(const uint16_t *marks, int at)
{
    const uint16_t *part = marks + at / 16;
    const uint64_t all = (uint64_t)part[2] << 32 | (uint32_t)part[1] << 16 | part[0];
    return (uint32_t)(all >> at % 16);
}

/* The commands of the leaves that begin in the lane's word, packed from bit 0 on. *prior: that of the leaf before. */
static __device__ bi_cbt_commands bi_cbt_commands_in_order(const bi_cbt_change &a, const bi_cbt_lane &b,
                                                           bi_cbt_marks *marks, bi_cbt_commands *prior)
{
    const int ones = __popc(b.word), one_before = b.rank > 0;
    const int64_t first = b.rank - one_before;
    /* Leaves in the aligned group before the first one. */
    const int skew = (int)(((uintptr_t)a.commands + (uint64_t)first) % 16);
    bi_cbt_load_marks(a, first - skew, skew + one_before + b.n, marks);
    const int at = skew + one_before + (int)b.exclusive_prefix;
    const uint32_t mask = ones ? ~0u >> (32 - ones) : 0;
    const bi_cbt_commands packed = {bi_cbt_marks_from(marks->split, at) & mask,
                                    bi_cbt_marks_from(marks->merge, at) & mask};
    if (at > 0) {
        prior->split = marks->split[(at - 1) / 16] >> (at - 1) % 16 & 1;
        prior->merge = marks->merge[(at - 1) / 16] >> (at - 1) % 16 & 1;
    }
    __syncwarp(); /* all lanes have read the marks before they are overwritten */
    return packed;
}

/* Moves packed commands to the bits where their leaves begin. */
static __device__ bi_cbt_commands bi_cbt_commands_at_bits(bi_cbt_commands order, uint32_t word)
{
    bi_cbt_commands at_bits = {0, 0};
    if (word == ~0u) return order;
    for (uint32_t left = word; order.split | order.merge; left &= left - 1, order.split >>= 1, order.merge >>= 1) {
        const uint32_t bit = left & (0 - left);
        if (order.split & 1) at_bits.split |= bit;
        if (order.merge & 1) at_bits.merge |= bit;
    }
    return at_bits;
}

/* Bits 1 to 31 of the lane's word that change. exists: the node of the word's 32 bits is in the tree, so that bit 16
 * may split it. leaf_commands: by the bit where the leaf begins. */
static __device__ uint32_t bi_cbt_changes_within(const bi_cbt_change &a, const bi_cbt_lane &b, bool exists,
                                                 bi_cbt_commands recorded, bi_cbt_commands leaf_commands)
{
    const int32_t depth = a.view.depth;
    uint32_t leaf_splits = exists ? 1u << 16 : 0, splits = recorded.split, merges = recorded.merge, blocked = 0;
    /* 1. The split bits of leaves: the parent is split, the node is not. */
#pragma unroll
    for (int t = 0; t < 4; t++) leaf_splits |= bi_cbt_shift_both32(b.word & bi_cbt_level_mask32(t + 1), 1 << t);
    /* The root of a tree of less than a word has no parent; its split bit is in the middle. */
    if (depth > 0 && depth < 5 && b.block == 0 && threadIdx.x % 32 == 0) leaf_splits |= 1u << (1 << depth >> 1);
    leaf_splits &= ~b.word;
    /* 2. Commands of leaves, moved from the bit where the leaf begins to the bit that splits or merges it. */
#pragma unroll
    for (int t = 0; t < 5; t++) {
        splits |= leaf_splits & bi_cbt_level_mask32(t) & leaf_commands.split << (1 << t);
        merges |= bi_cbt_level_mask32(t) & (leaf_commands.merge | leaf_commands.merge << (1 << t));
    }
    /* 3. Merges are blocked where a child is split or will be. */
#pragma unroll
    for (int t = 1; t < 5; t++) blocked |= bi_cbt_shift_both32(b.word | splits, 1 << (t - 1)) & bi_cbt_level_mask32(t);
    return ((splits & leaf_splits) | (merges & b.word & ~blocked)) & ~1u;
}

/* The state of the node whose split bit is the first bit of the lane's word. */
struct bi_cbt_first_node {
    bool leaf;                /* it is a leaf */
    bool children_are_leaves; /* it is split, and both children are leaves */
    bool blocked;             /* a split of a child is recorded */
};

/* The same for all lanes but the first; a parent in the next block is found by the ranks. Bit w of `starts` and
 * `middles` is bit 0 and 16 of word w; `to_split` and `to_split_middles` have these bits of the recorded splits. */
static __device__ bi_cbt_first_node bi_cbt_first_within_block(const bosc_cbt_view &v, const bi_cbt_lane &b,
                                                              uint32_t starts, uint32_t middles, uint32_t to_split,
                                                              uint32_t to_split_middles)
{
    const int lane = (int)(threadIdx.x % 32), lowest = lane & -lane;
    bi_cbt_first_node first = {false, false, false};
    if ((uint64_t)lane << 5 >> v.depth && b.block == 0 && v.depth < 10) return first; /* beyond the tree */
    if (b.word & 1) { /* split: its children's split bits lie in words of this block */
        const uint32_t splits = lowest == 1 ? middles : starts,
                       recorded_splits = lowest == 1 ? to_split_middles : to_split;
        const int right = lowest == 1 ? lane : lane + lowest / 2, left = lowest == 1 ? lane - 1 : lane - lowest / 2;
        first.children_are_leaves = !((splits >> right | splits >> left) & 1);
        first.blocked = (recorded_splits >> right | recorded_splits >> left) & 1;
        return first;
    }
    /* not split: it is a leaf if its parent is split */
    const int64_t at = b.block * 32 + lane, parent = at & 2 * lowest ? at - lowest : at + lowest;
    if ((uint64_t)parent << 5 >> v.depth)
        first.leaf = true; /* the root */
    else if (parent - b.block * 32 < 32)
        first.leaf = starts >> (parent - b.block * 32) & 1;
    else
        first.leaf = v.ranks[b.block + 2] != v.ranks[b.block + 1];
    return first;
}

/* The same for the block's first bit, of lane 0: by the ranks of the blocks that the node covers. */
static __device__ bi_cbt_first_node bi_cbt_first_of_block(const bi_cbt_change &a, const bi_cbt_lane &b)
{
    const bosc_cbt_view &v = a.view;
    const int64_t lowest = b.block & -b.block, left = b.block - lowest, right = b.block + lowest;
    bi_cbt_first_node first = {false, false, false};
    if (b.block == 0) return first;
    const int64_t begin = v.ranks[left], end = v.ranks[right];
    if (b.word & 1) {
        first.children_are_leaves = end - b.rank == 1 && b.rank - begin == 1;
        if (!a.recorded) return first;
        const uint32_t *splits = (const uint32_t *)v.splits;
        const int64_t half = 16 * lowest;
        first.blocked = (splits[b.block * 32 + half] | splits[b.block * 32 - half]) & 1;
        return first;
    }
    /* not split: it is a leaf if one leaf begins in it, and more than one in its parent */
    const int64_t above = left & ~(4 * lowest - 1);
    first.leaf = end - begin == 1 && (2 * lowest == v.blocks || v.ranks[above + 4 * lowest] - v.ranks[above] > 1);
    return first;
}

/* The bits of the lane's word that change; the caller flips them, and clears the recorded commands. Called by all
 * lanes; changes nothing but `marks`, scratch of the warp in shared memory. recorded: the commands recorded for the
 * lane's word. Bit 0 of the tree's first block never changes. */
static __device__ uint32_t bi_cbt_changes32(const bi_cbt_change &a, const bi_cbt_lane &b, bi_cbt_commands recorded,
                                            bi_cbt_marks *marks)
{
    const int lane = (int)(threadIdx.x % 32);
    const bosc_cbt_view &v = a.view;
    /* 1. Commands of the leaves in the word; done if the block has no command. */
    bi_cbt_commands leaf_commands = {0, 0}, prior = {0, 0};
    if (a.count) leaf_commands = bi_cbt_commands_in_order(a, b, marks, &prior);
    const uint32_t any =
        recorded.split | recorded.merge | leaf_commands.split | leaf_commands.merge | prior.split | prior.merge;
    if (!__any_sync(~0u, any)) return 0;
    leaf_commands = bi_cbt_commands_at_bits(leaf_commands, b.word);
    /* 2. Bits 1 to 31. */
    const uint32_t starts = __ballot_sync(~0u, b.word & 1), middles = __ballot_sync(~0u, b.word >> 16 & 1);
    const uint32_t to_split = __ballot_sync(~0u, recorded.split & 1);
    const uint32_t to_split_middles = __ballot_sync(~0u, recorded.split >> 16 & 1);
    const bool exists = v.depth <= 5 ? v.depth == 5 && lane == 0 : starts >> (lane | 1) & 1;
    uint32_t changes = bi_cbt_changes_within(a, b, exists, recorded, leaf_commands);
    if (!a.count && !((recorded.split | recorded.merge) & 1)) return changes;
    /* 3. Bit 0, whose node spans words or blocks. A leaf there begins before the word, and no other leaf begins
     * between: its command is `prior`. */
    const bi_cbt_first_node first = lane ? bi_cbt_first_within_block(v, b, starts, middles, to_split, to_split_middles)
                                         : bi_cbt_first_of_block(a, b);
    if (first.leaf) {
        changes |= (recorded.split | prior.split) & 1;
    } else if (first.children_are_leaves && !first.blocked) { /* a merge of the left or of the right child */
        const bool merge = (recorded.merge | prior.merge | leaf_commands.merge) & 1;
        changes |= merge && !((prior.split | leaf_commands.split) & 1);
    }
    return changes;
}

/* The commands recorded for the lane's word of a block. */
__device__ __forceinline__ bi_cbt_commands bi_cbt_recorded(const bosc_cbt_view &v, int64_t block)
{
    const int64_t at = block * 32 + threadIdx.x % 32;
    const bi_cbt_commands recorded = {((const uint32_t *)v.splits)[at], ((const uint32_t *)v.merges)[at]};
    return recorded;
}

/* Counts the leaves of a block. Called by all lanes. */
__device__ __forceinline__ bi_cbt_lane bi_cbt_lane_of(int64_t block, int64_t rank, uint32_t word)
{
    const uint32_t ones = (uint32_t)__popc(word), inclusive = bi_warp_inclusive_sum(ones);
    const bi_cbt_lane lane = {block, rank, (int)__shfl_sync(~0u, inclusive, 31), word, inclusive - ones};
    return lane;
}

/* Writes the sources of the leaves that begin in the lane's word. old_word, new_word: the word before and after;
 * old_rank, leaf: numbers of leaves before it. */
__device__ __forceinline__ void bi_cbt_write_sources(const bi_cbt_change &a, uint32_t old_word, uint32_t new_word,
                                                     int64_t old_rank, int64_t leaf)
{
    old_rank--;
    for (uint32_t left = old_word | new_word; left; left &= left - 1) {
        const uint32_t bit = left & (0 - left);
        if (old_word & bit) old_rank++;
        if (!(new_word & bit)) continue;
        if (leaf < a.capacity) a.sources[leaf] = old_rank;
        leaf++;
    }
}

#endif
