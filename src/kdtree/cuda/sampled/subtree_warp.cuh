/* The lowest levels of a tree, by a warp whose lanes hold 8 points each in registers, down to single points.
 *
 * A subtree of up to 2^k points occupies 2^k slots, lane after lane: slot s is register s % 8 of lane s / 8. Each level
 * sorts the slots of every node by the node's coordinate. Slots without a point hold low or high pads, in numbers that
 * bring the median to the middle slot. The median is extracted (its slot is a pad from then on); the slots below it are
 * the less side, the slots above it the greater side. So no points move between levels, and the medians are in order
 * at the end.
 *
 * The sorted words have 19 bits of the coordinate, scaled to the warp's extent, and 13 bits with the number of the
 * point. If the 19 bits of a median equal those of a neighbour, the level is sorted again, exactly. */
#ifndef BI_KDTREE_CUDA_SAMPLED_SUBTREE_WARP_CUH
#define BI_KDTREE_CUDA_SAMPLED_SUBTREE_WARP_CUH

#include "kdtree/cuda/sampled/subtree.cuh"

enum { BI_KDTREE_POINT_BITS = BI_KDTREE_MOST_BLOCK_LOG, BI_KDTREE_KEY_BITS = 32 - BI_KDTREE_POINT_BITS };

__device__ __forceinline__ void bi_kdtree_sort_pair(uint32_t &a, uint32_t &b)
{
    const uint32_t less = min(a, b);
    b = max(a, b);
    a = less;
}

/* Sorts the 8 slots of each lane by an optimal network: 19 comparisons in 6 steps (Knuth, The Art of Computer
 * Programming 3, 5.3.4). */
__device__ __forceinline__ void bi_kdtree_sort_lane(uint32_t (&a)[BI_KDTREE_LANE_POINTS])
{
    bi_kdtree_sort_pair(a[0], a[2]), bi_kdtree_sort_pair(a[1], a[3]), bi_kdtree_sort_pair(a[4], a[6]),
        bi_kdtree_sort_pair(a[5], a[7]);
    bi_kdtree_sort_pair(a[0], a[4]), bi_kdtree_sort_pair(a[1], a[5]), bi_kdtree_sort_pair(a[2], a[6]),
        bi_kdtree_sort_pair(a[3], a[7]);
    bi_kdtree_sort_pair(a[0], a[1]), bi_kdtree_sort_pair(a[2], a[3]), bi_kdtree_sort_pair(a[4], a[5]),
        bi_kdtree_sort_pair(a[6], a[7]);
    bi_kdtree_sort_pair(a[2], a[4]), bi_kdtree_sort_pair(a[3], a[5]);
    bi_kdtree_sort_pair(a[1], a[4]), bi_kdtree_sort_pair(a[3], a[6]);
    bi_kdtree_sort_pair(a[1], a[2]), bi_kdtree_sort_pair(a[3], a[4]), bi_kdtree_sort_pair(a[5], a[6]);
}

/* Merges sorted groups of 2^(S - 1) slots in pairs; UPPER is the number of lanes of such a group. The first step of
 * the bitonic merge compares mirrored slots, so that all groups are sorted upwards: across lanes there, then across
 * lanes at smaller distances, then within a lane. The whole warp calls it; S is 4 to 8. */
template <int S> __device__ __forceinline__ void bi_kdtree_merge_slots(uint32_t (&a)[BI_KDTREE_LANE_POINTS])
{
    constexpr int UPPER = 1 << (S - 4);
    const uint32_t lane = threadIdx.x % 32;
    const bool keep_less = !(lane & UPPER);
    /* 1. Mirrored slots of both groups. */
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS / 2; r++) {
        const uint32_t p = __shfl_xor_sync(~0u, a[7 - r], 2 * UPPER - 1);
        const uint32_t q = __shfl_xor_sync(~0u, a[r], 2 * UPPER - 1);
        a[r] = (a[r] < p) == keep_less ? a[r] : p;
        a[7 - r] = (a[7 - r] < q) == keep_less ? a[7 - r] : q;
    }
    /* 2. Across lanes. */
#pragma unroll
    for (int far = UPPER / 2; far > 0; far /= 2) {
        const bool less = !(lane & far);
#pragma unroll
        for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
            const uint32_t p = __shfl_xor_sync(~0u, a[r], far);
            a[r] = (a[r] < p) == less ? a[r] : p;
        }
    }
    /* 3. Within a lane. */
#pragma unroll
    for (int near = BI_KDTREE_LANE_POINTS / 2; near > 0; near /= 2)
#pragma unroll
        for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++)
            if (!(r & near)) bi_kdtree_sort_pair(a[r], a[r + near]);
}

/* Sorts every group of 2^k slots (those of each lane, if k < 3). */
__device__ __forceinline__ void bi_kdtree_sort_slots(uint32_t (&a)[BI_KDTREE_LANE_POINTS], int k)
{
    bi_kdtree_sort_lane(a);
    if (k > 3) bi_kdtree_merge_slots<4>(a);
    if (k > 4) bi_kdtree_merge_slots<5>(a);
    if (k > 5) bi_kdtree_merge_slots<6>(a);
    if (k > 6) bi_kdtree_merge_slots<7>(a);
    if (k > 7) bi_kdtree_merge_slots<8>(a);
}

/* Returns the bits of the first n of a lane's slots, n clamped to 0 ... most. */
__device__ __forceinline__ uint32_t bi_kdtree_first_slots(int n, int most = BI_KDTREE_LANE_POINTS)
{
    return (1u << min(max(n, 0), most)) - 1;
}

/* Slots of a lane, by bit. pads: slots with a pad. low: slots with a low pad; bits of slots with points are arbitrary.
 * medians: slots for a median. */
struct bi_kdtree_slot_bits {
    uint32_t pads, low, medians;
};

/* Returns the slots of a node of `size` points in 2^k slots, the less or the greater side of its parent. The lane's
 * slots begin at `first` in the node; it has up to `most` of them. The less side begins with the parent's low pads; the
 * greater side begins with the slot of the parent's median, and ends with its high pads. */
__device__ __forceinline__ bi_kdtree_slot_bits bi_kdtree_node_slot_bits(int size, bool greater, int k, int first,
                                                                        int most)
{
    const int half = 1 << (k - 1), low = half - size / 2;
    bi_kdtree_slot_bits bits;
    if (greater) {
        bits.pads = bi_kdtree_first_slots(1 - first, most) |
                    (bi_kdtree_first_slots(most) & ~bi_kdtree_first_slots(size + 1 - first, most));
        bits.low = bi_kdtree_first_slots(size + low - first, most);
    } else {
        bits.pads = bi_kdtree_first_slots(2 * half - size - first, most);
        bits.low = bi_kdtree_first_slots(low - first, most);
    }
    bits.medians = size > 0 && half - first >= 0 && half - first < most ? 1u << (half - first) : 0;
    return bits;
}

/* Returns the slots of a lane at the level with 2^k slots a node. For k >= 3 they are in one node of `size` points; for
 * smaller k they are the nodes of a subtree of `size` points in 8 slots. */
__device__ __forceinline__ bi_kdtree_slot_bits bi_kdtree_lane_slot_bits(int size, bool greater, int k)
{
    const int lane = threadIdx.x % 32;
    if (k >= 3)
        return bi_kdtree_node_slot_bits(size, greater, k, (lane * BI_KDTREE_LANE_POINTS) & ((1 << k) - 1),
                                        BI_KDTREE_LANE_POINTS);
    bi_kdtree_slot_bits all = {0, 0, 0};
#pragma unroll
    for (int node = 0; node < BI_KDTREE_LANE_POINTS / 2; node++) {
        if (node << k >= BI_KDTREE_LANE_POINTS) break;
        int node_size = bi_kdtree_side_size(size, k == 2 ? node : node / 2);
        if (k == 1) node_size = bi_kdtree_side_size(node_size, node % 2);
        const bi_kdtree_slot_bits bits = bi_kdtree_node_slot_bits(node_size, node % 2, k, 0, 1 << k);
        all.pads |= bits.pads << (node << k);
        all.low |= bits.low << (node << k);
        all.medians |= bits.medians << (node << k);
    }
    return all;
}

/* bi_kdtree_lane_slot_bits where every node has 2^k points or one less: only the first slot of a node holds a pad, a
 * low one; the first slot of a full subtree holds a point. The constants list the first and middle slots of nodes of 4
 * and 2 slots. */
__device__ __forceinline__ bi_kdtree_slot_bits bi_kdtree_even_slot_bits(bool full, int k)
{
    const uint32_t lane = threadIdx.x % 32, lanes = k > 3 ? 1u << (k - 3) : 1, at = lane & (lanes - 1);
    bi_kdtree_slot_bits bits;
    bits.pads = at == 0 && !(full && lane == 0);
    if (k < 3) bits.pads |= k == 2 ? 0x10 : 0x54;
    bits.low = bits.pads;
    bits.medians = k > 3 ? at == lanes / 2 : k == 3 ? 0x10 : k == 2 ? 0x44 : 0xaa;
    return bits;
}

__device__ __forceinline__ bool bi_kdtree_same_word_key(uint32_t a, uint32_t b)
{
    return (a ^ b) >> BI_KDTREE_POINT_BITS == 0;
}

/* Extracts the medians of a level from the sorted slots. With 16 slots and more a node, they are in register 0. Returns
 * true if one has a neighbour with an equal key. (level > 1) keeps the index in bounds where there is no right
 * neighbour. */
__device__ __forceinline__ bool bi_kdtree_extract_medians(const uint32_t (&a)[BI_KDTREE_LANE_POINTS], uint32_t medians,
                                                          int k, uint32_t (&median)[BI_KDTREE_LANE_POINTS])
{
    bool tie = false;
    if (k > 3) {
        const uint32_t left = __shfl_up_sync(~0u, a[BI_KDTREE_LANE_POINTS - 1], 1);
        if (medians) {
            median[0] = a[0];
            tie = bi_kdtree_same_word_key(a[0], left) || bi_kdtree_same_word_key(a[0], a[1]);
        }
        return tie;
    }
#pragma unroll
    for (int level = 3; level > 0; level--) {
        if (level != k) continue;
#pragma unroll
        for (int r = 1 << (level - 1); r < BI_KDTREE_LANE_POINTS; r += 1 << level) {
            const bool right = level > 1 && bi_kdtree_same_word_key(a[r], a[r + (level > 1)]);
            tie |= (medians >> r & 1) && (right || bi_kdtree_same_word_key(a[r], a[r - 1]));
            median[r] = a[r];
        }
    }
    return tie;
}

/* Returns the mask of the highest bits of words at the level with 2^k slots a node: below 8 slots, they hold the node's
 * number in the lane, so that sorting a lane sorts within nodes. */
__device__ __forceinline__ uint32_t bi_kdtree_prefix_mask(int k) { return k < 3 ? ~0u << (29 + k) : 0; }

/* Pads in place of point numbers, and bits of the superkey that one sort consumes. A word has 3 bits of prefix, then
 * the chunk in 21 bits, since 0 and the greatest value are the pads, then 8 bits of the slot. */
enum { BI_KDTREE_LOW_PAD = 0x8000, BI_KDTREE_HIGH_PAD = 0x8001, BI_KDTREE_CHUNK_BITS = 20 };

/* Return the coordinate of word t of the superkey that begins at d, and the index of its packing. */
template <int DIM, class KEYS> __device__ __forceinline__ int bi_kdtree_word_coordinate(int d, int t)
{
    return (d + t / KEYS::SORT_WORDS) % DIM;
}
template <int DIM, class KEYS> __device__ __forceinline__ int bi_kdtree_packing_index(int d, int t)
{
    constexpr int WORDS = DIM * KEYS::SORT_WORDS;
    return t == WORDS ? WORDS : (d * KEYS::SORT_WORDS + t) % WORDS;
}

/* Returns word t of the superkey that begins at coordinate d, of a point; the id after the last. Slots outside the
 * subtree may have the number of a point that was not loaded, whose id is invalid: they read the last point instead. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ uint32_t bi_kdtree_superkey_of(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                          uint32_t point, int d, int t)
{
    const uint32_t i = min(point, tree.count - 1);
    if (t == DIM * KEYS::SORT_WORDS) return tree.sh.id[i];
    const int c = bi_kdtree_word_coordinate<DIM, KEYS>(d, t);
    return tree.keys.sort_word(tree.sh.x[c][i], tree.sh.id[i], c, t % KEYS::SORT_WORDS);
}

/* Finds the packing of the warp's keys, from word `first` of the superkey on. `a` holds points and pads. */
template <int DIM, int LOG, class KEYS>
static __device__ void bi_kdtree_find_packing(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                              const uint32_t (&a)[BI_KDTREE_LANE_POINTS], int first)
{
    for (int t = first; t <= DIM * KEYS::SORT_WORDS; t++) {
        uint32_t most = 0, differences = 0;
#pragma unroll
        for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++)
            if (a[r] < BI_KDTREE_LOW_PAD) most = max(most, ~bi_kdtree_superkey_of(tree, a[r], 0, t));
        const uint32_t low = ~bi_warp_max(most);
#pragma unroll
        for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++)
            if (a[r] < BI_KDTREE_LOW_PAD) differences |= bi_kdtree_superkey_of(tree, a[r], 0, t) - low;
        for (int o = 16; o > 0; o >>= 1) differences |= __shfl_xor_sync(~0u, differences, o);
        if (threadIdx.x % 32 == 0) tree.sh.packing[threadIdx.x / 32][t] = bi_kdtree_packing_of(low, differences);
    }
    __syncwarp();
}

/* Gathers the chunk of bits [from, from + BI_KDTREE_CHUNK_BITS) of the packed keys of words 0 ... last, as
 * bi_kdtree_sort_keys concatenates them. Higher bits of value[] are arbitrary. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void bi_kdtree_gather_chunk(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                       const uint32_t (&a)[BI_KDTREE_LANE_POINTS], int d, int last,
                                                       int from, uint32_t (&value)[BI_KDTREE_LANE_POINTS])
{
    constexpr uint32_t POINT_MASK = bi_kdtree_block_shared<DIM, LOG, KEYS>::POINTS - 1;
    const bi_kdtree_packing *packing = tree.sh.packing[threadIdx.x / 32];
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) value[r] = 0;
    int at = -from; /* where a key begins in the chunk */
    for (int t = last; t >= 0; t--) {
        const bi_kdtree_packing of = packing[bi_kdtree_packing_index<DIM, KEYS>(d, t)];
        if (at < BI_KDTREE_CHUNK_BITS && at + (int)of.bits > 0) {
#pragma unroll
            for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
                const uint32_t key = (bi_kdtree_superkey_of(tree, a[r] & POINT_MASK, d, t) - of.low) >> of.shift;
                value[r] |= at < 0 ? key >> -at : key << at;
            }
        }
        at += (int)of.bits;
    }
}

/* Sorts the nodes' slots, which hold points or pads, by words 0 ... last of the superkey that begins at d. Words are
 * float keys, or halves of the exact keys of the caller's rows for other types. `last` is the last word of the
 * coordinates, or the id behind it; so the sum of bits is the same for every d. point_numbers: scratch of the warp, one
 * number a slot. The packed keys are concatenated, and stable sorts (radix, from the lowest chunk on) consume
 * BI_KDTREE_CHUNK_BITS bits each. The whole warp calls it, after it has found
 * tree.sh.packing. a: numbers of points or pads, sorted in place, each group of 2^k slots alone. */
template <int DIM, int LOG, class KEYS>
static __device__ __forceinline__ void bi_kdtree_sort_keys(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                           uint32_t (&a)[BI_KDTREE_LANE_POINTS], int k, int d, int last,
                                                           uint16_t *point_numbers)
{
    const uint32_t lane = threadIdx.x % 32, prefix = bi_kdtree_prefix_mask(k);
    const bi_kdtree_packing *packing = tree.sh.packing[threadIdx.x / 32];
    int bits = 0;
    for (int c = 0; c <= last; c++) bits += (int)packing[c].bits;
    /* At least one round, which moves the pads to the ends. */
    for (int from = 0; from == 0 || from < bits; from += BI_KDTREE_CHUNK_BITS) {
        /* 1. Gather the chunk. */
        uint32_t value[BI_KDTREE_LANE_POINTS];
        bi_kdtree_gather_chunk(tree, a, d, last, from, value);
        /* 2. Make words of the chunk and the slot, which keeps the sort stable; points wait in shared memory. The warp
         * barriers separate the reads of the round before from the writes, and these from the reads below. */
        __syncwarp();
#pragma unroll
        for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
            const uint32_t slot = lane * BI_KDTREE_LANE_POINTS + r,
                           chunk = value[r] & ((1u << BI_KDTREE_CHUNK_BITS) - 1);
            point_numbers[slot] = (uint16_t)a[r];
            const uint32_t field = a[r] == BI_KDTREE_LOW_PAD    ? 0
                                   : a[r] == BI_KDTREE_HIGH_PAD ? (2u << BI_KDTREE_CHUNK_BITS) - 1
                                                                : chunk + 1;
            a[r] = ((uint32_t)r << 29 & prefix) | field << BI_KDTREE_WARP_LOG | slot;
        }
        __syncwarp();
        /* 3. Sort, and load the points in their new order. */
        bi_kdtree_sort_slots(a, k);
#pragma unroll
        for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) a[r] = point_numbers[a[r] % BI_KDTREE_WARP_POINTS];
    }
}

/* True if a point of the lane in the slots `medians` equals a neighbour in all coordinates; `a` holds points or pads.
 * Remainders keep the indices r - 1 and r + 1 in bounds. */
template <int DIM, int LOG, class KEYS>
static __device__ __forceinline__ bool bi_kdtree_has_twin(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                          const uint32_t (&a)[BI_KDTREE_LANE_POINTS], uint32_t medians)
{
    const uint32_t left_of_lane = __shfl_up_sync(~0u, a[BI_KDTREE_LANE_POINTS - 1], 1);
    bool twin = false;
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
        if (!(medians >> r & 1)) continue;
        const uint32_t left = r > 0 ? a[(r + 7) % 8] : left_of_lane,
                       right = r < 7 ? a[(r + 1) % 8] : (uint32_t)BI_KDTREE_HIGH_PAD;
        bool left_same = left < BI_KDTREE_LOW_PAD, right_same = right < BI_KDTREE_LOW_PAD;
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const float x = tree.sh.x[c][a[r]];
            left_same = left_same && tree.sh.x[c][left] == x;
            right_same = right_same && tree.sh.x[c][right] == x;
        }
        twin |= left_same || right_same;
    }
    return twin;
}

/* Returns the number of bits of the packed keys of coordinates. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ int bi_kdtree_packed_bits(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree)
{
    int bits = 0;
    for (int t = 0; t < DIM * KEYS::SORT_WORDS; t++) bits += (int)tree.sh.packing[threadIdx.x / 32][t].bits;
    return bits;
}

/* Sorts the nodes' slots, which hold points or pads, by superkey, and by id too if a median has an equal neighbour (on
 * a grid: any point), or if points are known to be equal. That sets *by_id: equal points ascend by id in all nodes.
 * Later levels keep this order, since sorts are stable, and need no ids. `point_numbers`: scratch of 256 words of the
 * warp. */
template <int DIM, int LOG, class KEYS>
static __device__ __forceinline__ void
bi_kdtree_sort_exactly(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, uint32_t (&a)[BI_KDTREE_LANE_POINTS], int k,
                       int d, bool has_copies, uint32_t medians, uint16_t *point_numbers, bool *by_id)
{
    constexpr int WORDS = DIM * KEYS::SORT_WORDS;
    for (int last = !*by_id && has_copies ? WORDS : WORDS - 1; last <= WORDS; last++) {
        bi_kdtree_sort_keys(tree, a, k, d, last, point_numbers);
        if (last == WORDS) *by_id = true;
        if (KEYS::ON_GRID) {
            medians = 0;
#pragma unroll
            for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) medians |= (uint32_t)(a[r] < BI_KDTREE_LOW_PAD) << r;
        }
        if (*by_id || !__any_sync(~0u, bi_kdtree_has_twin(tree, a, medians))) break;
    }
}

/* --- Short keys --------------------------------------------------------------------------------------------------- */

/* On a grid one sort consumes all coordinates. So the packed keys of a point stay in the sorted word for all levels: a
 * prefix, the keys + 1, and in the low 8 bits a number. It ascends by id among equal points. The next level rotates the
 * keys, so that its coordinate comes first. Measured, subtree blocks of 2^20 points of a lattice: 85 us, before
 * grids and with short keys from the first tie on 145, without short keys 168. */
static_assert((int)BI_KDTREE_GRID_BITS <= (int)BI_KDTREE_CHUNK_BITS, "one sort consumes the keys of a grid");

/* Replaces the points of sorted slots by such words; numbers of pads are arbitrary. The warp barrier publishes
 * point_numbers[], the points by number. */
template <int DIM, int LOG, class KEYS>
static __device__ __forceinline__ void bi_kdtree_begin_short_keys(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                                  uint32_t (&a)[BI_KDTREE_LANE_POINTS], int d, int bits,
                                                                  uint16_t *point_numbers)
{
    uint32_t value[BI_KDTREE_LANE_POINTS];
    bi_kdtree_gather_chunk(tree, a, d, DIM * KEYS::SORT_WORDS - 1, 0, value);
    __syncwarp();
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
        const uint32_t slot = threadIdx.x % 32 * BI_KDTREE_LANE_POINTS + r;
        point_numbers[slot] = (uint16_t)a[r];
        a[r] = ((value[r] & ((1u << bits) - 1)) + 1) << BI_KDTREE_WARP_LOG | slot;
    }
    __syncwarp();
}

/* Returns the bits by which keys that begin with coordinate `from` are rotated to begin with coordinate `to`. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ int bi_kdtree_rotation(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, int from, int to)
{
    int shift = 0;
    for (int c = from; c != to; c = bi_kdtree_next_coordinate<DIM>(c))
        for (int w = 0; w < KEYS::SORT_WORDS; w++)
            shift += (int)tree.sh.packing[threadIdx.x / 32][c * KEYS::SORT_WORDS + w].bits;
    return shift;
}

/* Makes the words of a level from those of the level above, whose prefix is `above`. Pads are those of `slots`. */
__device__ __forceinline__ void bi_kdtree_rotate_keys(const bi_kdtree_slot_bits &slots, uint32_t above, uint32_t prefix,
                                                      int shift, int bits, uint32_t (&a)[BI_KDTREE_LANE_POINTS])
{
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
        const uint32_t first = (uint32_t)r << 29 & prefix, value = ((a[r] & ~above) >> BI_KDTREE_WARP_LOG) - 1;
        const uint32_t rotated = (value << shift | value >> (bits - shift)) & ((1u << bits) - 1);
        a[r] = first | (rotated + 1) << BI_KDTREE_WARP_LOG | (a[r] & (BI_KDTREE_WARP_POINTS - 1));
        if (slots.pads >> r & 1) a[r] = first | (slots.low >> r & 1 ? 0 : ~prefix);
    }
}

/* --- The subtree of a warp ---------------------------------------------------------------------------------------- */

/* Distributes a subtree's `size` points to its 2^k slots, round robin over lanes; low pads follow, then high pads.
 * Lanes outside the subtree receive pads only. */
template <uint32_t POINT_MASK>
__device__ __forceinline__ bi_kdtree_slot_bits bi_kdtree_distribute_points(const uint16_t *point_numbers, int size,
                                                                           int k, uint32_t (&a)[BI_KDTREE_LANE_POINTS])
{
    const int lane = threadIdx.x % 32, lanes = 1 << (k - 3), low = (1 << (k - 1)) - size / 2;
    const bool outside = lane >= lanes;
    bi_kdtree_slot_bits bits;
    bits.pads = outside ? 0xff : ~bi_kdtree_first_slots((size - lane + lanes - 1) >> (k - 3)) & 0xff;
    bits.low = bi_kdtree_first_slots((size + low - lane + lanes - 1) >> (k - 3));
    bits.medians = outside ? 0 : bi_kdtree_lane_slot_bits(size, false, k).medians;
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++)
        a[r] = (bits.pads >> r) & 1 ? 0 : point_numbers[(r << (k - 3)) + lane] & POINT_MASK;
    return bits;
}

/* A level with 2^k slots a node and coordinate d. */
struct bi_kdtree_warp_level {
    int k, d;
    uint32_t prefix; /* bi_kdtree_prefix_mask(k) */
};

/* Makes words of a level from slots whose low bits are point numbers. `ragged`: pads may be anywhere; else all pads are
 * low and in even slots. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void
bi_kdtree_make_words(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, const bi_kdtree_slot_bits &bits, bool ragged,
                     const bi_kdtree_warp_level &level, uint32_t (&a)[BI_KDTREE_LANE_POINTS])
{
    constexpr uint32_t POINT_MASK = bi_kdtree_block_shared<DIM, LOG, KEYS>::POINTS - 1;
    const float2 unit = tree.sh.unit[threadIdx.x / 32][level.d];
    const float most = (float)((1 << (level.k < 3 ? BI_KDTREE_KEY_BITS - 3 + level.k : BI_KDTREE_KEY_BITS)) - 3);
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
        const uint32_t i = a[r] & POINT_MASK, first = (uint32_t)r << 29 & level.prefix;
        /* Adding 2^23 leaves the key in the low bits of the float. Keys run from 1 to the greatest value less 1, as 0
         * and the greatest value are the pads'. */
        const float key = fmaf(bi_kdtree_to_unit(unit, tree.sh.x[level.d][i]), most, 0x1p23f + 1);
        a[r] = first | bi_f32_bits(key) << BI_KDTREE_POINT_BITS | i;
        if (r % 2 == 0 && (bits.pads & bits.low) >> r & 1) a[r] = first;
    }
    if (!ragged) return;
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++)
        if (bits.pads >> r & 1) a[r] = ((uint32_t)r << 29 & level.prefix) | (bits.low >> r & 1 ? 0 : ~level.prefix);
}

/* Replaces words by points and pads, at a level whose slots hold sorted words or, if the level above was sorted exactly
 * (`exact`), points with pads as in `bits`. */
template <uint32_t POINT_MASK>
__device__ __forceinline__ void bi_kdtree_find_pads(const bi_kdtree_slot_bits &bits, bool exact, uint32_t prefix,
                                                    uint32_t (&a)[BI_KDTREE_LANE_POINTS])
{
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
        /* Pads among sorted words have moved: their words identify them. */
        const uint32_t word = a[r] & ~prefix;
        const bool low = exact ? bits.pads & bits.low & 1u << r : word == 0;
        const bool pad = exact ? bits.pads & 1u << r : low || word == ~prefix;
        a[r] = !pad ? a[r] & POINT_MASK : low ? (uint32_t)BI_KDTREE_LOW_PAD : (uint32_t)BI_KDTREE_HIGH_PAD;
    }
}

/* True if a node on a grid has fewer cells than points. */
template <class KEYS, int DIM> __device__ __forceinline__ bool bi_kdtree_is_crowded(const bi_kdtree_subnode<DIM> &node)
{
    if (!KEYS::ON_GRID) return false;
    float cells = 1;
#pragma unroll
    for (int c = 0; c < DIM; c++) cells *= node.high[c] - node.low[c] + 1;
    return cells < (float)node.size;
}

/* Sorts a level exactly; its slots are as above. Returns the number of bits of the packed keys of coordinates. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ int
bi_kdtree_resolve_ties(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, const bi_kdtree_subnode<DIM> &node,
                       const bi_kdtree_slot_bits &bits, bool exact, bool &packed, bool *by_id,
                       const bi_kdtree_warp_level &level, uint16_t *point_numbers, uint32_t (&a)[BI_KDTREE_LANE_POINTS])
{
    bi_kdtree_find_pads<bi_kdtree_block_shared<DIM, LOG, KEYS>::POINTS - 1>(bits, exact, level.prefix, a);
    bool has_copies = false;
    if (!packed) {
        has_copies = bi_kdtree_is_crowded<KEYS>(node);
        bi_kdtree_find_packing(tree, a, KEYS::ON_GRID ? DIM * KEYS::SORT_WORDS : 0);
    }
    packed = true;
    const int key_bits = bi_kdtree_packed_bits(tree);
    bi_kdtree_sort_exactly(tree, a, level.k, level.d, has_copies || key_bits < level.k - 1, bits.medians, point_numbers,
                           by_id);
    return key_bits;
}

/* Makes the subtree of this warp, the given node, in 2^k slots. point_numbers[0 ... size): the numbers of its points,
 * in an array of 256 words that is overwritten. axes: from the root of the subtree on. Writes its points in order to
 * order[0 ... size). k is 3 (one lane) to BI_KDTREE_WARP_LOG. The caller has set the warp's tree.sh.unit, and on a grid
 * tree.sh.packing but for ids. The whole warp calls it. */
template <int DIM, int LOG, class KEYS>
static __device__ __forceinline__ void
bi_kdtree_sort_subtree(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, const bi_kdtree_subnode<DIM> &node,
                       uint16_t *point_numbers, int k, uint32_t axes, uint16_t *order)
{
    constexpr uint32_t POINT_MASK = bi_kdtree_block_shared<DIM, LOG, KEYS>::POINTS - 1;
    /* 1. Distribute the points. full, even: every slot, or all but the first, has a point, so that pads are simple. */
    const int lane = threadIdx.x % 32;
    int size = (int)node.size;
    const bool outside = lane >= 1 << (k - 3), full = size == 1 << k, even = size >= (1 << k) - 1;
    uint32_t a[BI_KDTREE_LANE_POINTS], median[BI_KDTREE_LANE_POINTS], medians = 0; /* slots that have their median */
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) median[r] = 0;
    bi_kdtree_slot_bits bits = bi_kdtree_distribute_points<POINT_MASK>(point_numbers, size, k, a);
    if (outside) size = 0;
    /* 2. Level by level: sort, extract the medians, and find the slots of the next level. After a tie, all levels are
     * sorted exactly if that is no slower, or if points are equal. On a grid the first level is, and the others are
     * sorted by short keys. */
    bool packed = false, exact = KEYS::ON_GRID, by_id = false;
    const int first = k;
    for (bool ragged = true; k > 0; k--, axes = bi_kdtree_next_axes<DIM>(axes), ragged = !even) {
        const bi_kdtree_warp_level level = {k, bi_kdtree_axis(axes, 0), bi_kdtree_prefix_mask(k)};
        bool tie = exact;
        if (KEYS::ON_GRID && k < first) { /* rotated axes end with that of the level above */
            bi_kdtree_rotate_keys(bits, bi_kdtree_prefix_mask(k + 1), level.prefix,
                                  bi_kdtree_rotation(tree, bi_kdtree_axis(axes, DIM - 1), level.d),
                                  bi_kdtree_packed_bits(tree), a);
            bi_kdtree_sort_slots(a, k);
            bi_kdtree_extract_medians(a, bits.medians, k, median);
            tie = false;
        } else if (!exact) {
            bi_kdtree_make_words(tree, bits, ragged, level, a);
            bi_kdtree_sort_slots(a, k);
            tie = __any_sync(~0u, bi_kdtree_extract_medians(a, bits.medians, k, median));
        }
        if (tie) {
            const int key_bits =
                bi_kdtree_resolve_ties(tree, node, bits, exact, packed, &by_id, level, point_numbers, a);
            exact = by_id || key_bits <= BI_KDTREE_CHUNK_BITS;
            if (KEYS::ON_GRID) bi_kdtree_begin_short_keys(tree, a, level.d, key_bits, point_numbers);
            bi_kdtree_extract_medians(a, bits.medians, k, median);
        }
        medians |= bits.medians;
        if (k == 1) break;
        if (even) {
            bits = bi_kdtree_even_slot_bits(full, k - 1);
            if (outside) bits.medians = 0;
        } else {
            const bool greater = ((lane * BI_KDTREE_LANE_POINTS) >> (k - 1)) & 1;
            if (k > 3) size = (int)bi_kdtree_side_size(size, greater);
            bits = bi_kdtree_lane_slot_bits(size, k == 3 ? false : greater, k - 1);
        }
    }
    /* 3. Write the medians in order. In a full subtree the first slot's point is never in the middle of a node. */
    if (full && lane == 0) {
        median[0] = a[0];
        medians |= 1;
    }
    uint32_t rank = bi_warp_inclusive_sum((uint32_t)__popc(medians)) - __popc(medians);
#pragma unroll
    for (int r = 0; r < BI_KDTREE_LANE_POINTS; r++) {
        if (!((medians >> r) & 1)) continue;
        order[rank++] =
            KEYS::ON_GRID ? point_numbers[median[r] % BI_KDTREE_WARP_POINTS] : (uint16_t)(median[r] & POINT_MASK);
    }
}

#endif
