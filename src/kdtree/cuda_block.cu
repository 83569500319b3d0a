/* The lower end of the fast builder: one block makes a whole subtree of up to 2^LOG points in shared memory, down to
 * single points, and writes it in order.
 *
 * Points stay where they were loaded; what moves is an array of their places, `index`, which is partitioned in place.
 * A level of the tree is a step of select_level: the keys of each node are counted in bins over its extent, the points
 * of the median's bin are ranked exactly, and the others are partitioned by it. The whole block takes the first levels;
 * from the level on that has a node for each warp, warps go on alone. Ranges of up to 32 points are left to
 * finish_leaf, where each lane holds a point and ranks it by comparing it with all others. */
#include <cfloat>

#include "kdtree/cuda_pass.cuh"

enum {
    WARPS = 16,
    BLOCK_THREADS = 32 * WARPS,
    BLOCK_LEVELS = 4, /* after which each warp has its own subtree: 2^4 = WARPS */
    MOST_LEVELS = 7,  /* before leaves */
    MOST_NODES = 1 << MOST_LEVELS,
    SMALL_CANDIDATES = 8 /* ranked by 8 lanes; more of them by a warp */
};

/* The median of a node: its key by the node's coordinate, and its place among the loaded points. */
struct kd_chosen {
    float x;
    uint32_t i;
};

template <int DIM, int LOG> struct block_shared {
    static constexpr int POINTS = 1 << LOG, BINS = POINTS / 2;
    float x[DIM][POINTS];
    uint32_t id[POINTS];
    union {
        uint32_t bins[BINS];
        uint16_t candidates[POINTS]; /* a node's begin where its range does, in the warp's own part when it is alone */
    };
    uint16_t index[POINTS];
    /* By heap index of nodes above the leaves; ranges also of leaves. */
    uint16_t begin[2 * MOST_NODES], end[2 * MOST_NODES];
    ushort2 base[MOST_NODES]; /* a point's new place is this and the points before it that go to the same side */
    float low[MOST_NODES][DIM], high[MOST_NODES][DIM];
    float2 bin_of[MOST_NODES];  /* of the level's coordinate: least value, bins a unit */
    uint32_t found[MOST_NODES]; /* candidates */
    uint16_t median_bin[MOST_NODES], median_rank[MOST_NODES];
    kd_chosen median[MOST_NODES];
    uint32_t warp_sums[WARPS]; /* in the partition: less | greater << 16 */
    uint32_t least[DIM], greatest[DIM];
    alignas(16) float keys[WARPS][32]; /* of a leaf */
    bool stop;
};

template <int DIM, int LOG> struct subtree {
    block_shared<DIM, LOG> &sh;
    int d0;                  /* coordinate of the root */
    int32_t candidates_from; /* of the node whose range begins at place 0 */

    __device__ __forceinline__ kd_point<DIM> point(uint32_t i) const
    {
        kd_point<DIM> p;
#pragma unroll
        for (int c = 0; c < DIM; c++) p.x[c] = sh.x[c][i];
        p.id = sh.id[i];
        return p;
    }

    __device__ __forceinline__ uint16_t *candidates(int h) const
    {
        return sh.candidates + (candidates_from + sh.begin[h]);
    }

    /* Whether point a comes before point b, which have equal or unequal coordinates d. */
    __device__ __forceinline__ bool before(uint32_t a, uint32_t b, int d) const
    {
        float x = sh.x[d][a], y = sh.x[d][b];
        if (x != y) return x < y;
        return kd_before<DIM>(point(a), point(b), d);
    }
};

__device__ __forceinline__ uint32_t lanes_below() { return (1u << (threadIdx.x % 32)) - 1; }

/* Member `rank` of candidates[0 .. count), which are reordered; by a warp. Candidates lie in no order, so the middle
 * one is a fair pivot, and rounds get shorter quickly, also where all coordinates are equal. */
template <int DIM, int LOG>
__device__ uint32_t quick_select(const subtree<DIM, LOG> &tree, uint16_t *candidates, uint32_t count, uint32_t rank,
                                 int d)
{
    const uint32_t lane = threadIdx.x % 32;
    while (true) {
        const uint32_t pivot = candidates[count / 2];
        uint32_t less = 0;
        for (uint32_t c = 0; c < count; c += 32) {
            bool in = c + lane < count && tree.before(candidates[min(c + lane, count - 1)], pivot, d);
            less += __popc(__ballot_sync(~0u, in));
        }
        if (rank == less || count <= 1) return pivot;
        const bool keep_less = rank < less;
        uint32_t kept = 0;
        for (uint32_t c = 0; c < count; c += 32) {
            uint32_t mine = candidates[min(c + lane, count - 1)];
            bool in_less = tree.before(mine, pivot, d);
            bool keep = c + lane < count && mine != pivot && in_less == keep_less;
            uint32_t kept_mask = __ballot_sync(~0u, keep);
            __syncwarp();
            if (keep) candidates[kept + __popc(kept_mask & lanes_below())] = (uint16_t)mine;
            kept += __popc(kept_mask);
            __syncwarp();
        }
        rank = keep_less ? rank : rank - less - 1;
        count = kept;
    }
}

/* Ranks the candidates of nodes first ... first + 3 of level j (those below `nodes`), 8 lanes each; by a warp. */
template <int DIM, int LOG>
__device__ __forceinline__ void pick_medians(const subtree<DIM, LOG> &tree, int j, int first, int nodes, int d)
{
    auto &sh = tree.sh;
    const int lane = threadIdx.x % 32, eighth = lane % 8, v = first + lane / 8, h = (1 << j) - 1 + v;
    const bool used = v < nodes;
    const uint32_t count = used ? sh.found[h] : 0, rank = used ? sh.median_rank[h] : 0;
    const uint16_t *candidates = tree.candidates(used ? h : 0);
    const bool mine = count <= SMALL_CANDIDATES && (uint32_t)eighth < count;
    const uint32_t i = mine ? candidates[eighth] : 0;
    const float x = sh.x[d][i];
    uint32_t less = 0, equal = 0;
#pragma unroll
    for (int o = 0; o < SMALL_CANDIDATES; o++) {
        float y = __shfl_sync(~0u, x, o, 8);
        less += (uint32_t)o < count && y < x;
        equal += (uint32_t)o < count && y == x;
    }
    if (mine && equal != 1) {
        less = 0;
        for (uint32_t o = 0; o < count; o++) less += tree.before(candidates[o], i, d);
    }
    if (mine && less == rank) sh.median[h] = {x, i};
    uint32_t many = __ballot_sync(~0u, used && count > SMALL_CANDIDATES && eighth == 0);
    for (; many; many &= many - 1) {
        int owner = __ffs(many) - 1, of = (1 << j) - 1 + first + owner / 8;
        uint32_t median = quick_select(tree, tree.candidates(of), sh.found[of], sh.median_rank[of], d);
        if (lane == 0) sh.median[of] = {sh.x[d][median], median};
    }
}

/* Finds in which bin the median of each node of level j lies. The block's bins in order hold all points but the
 * medians above, of which v come before node v; with ALONE those of warp w begin with its own subtree. */
template <bool ALONE, int DIM, int LOG>
__device__ __forceinline__ void find_median_bins(const subtree<DIM, LOG> &tree, int j)
{
    auto &sh = tree.sh;
    constexpr int EACH = block_shared<DIM, LOG>::BINS / BLOCK_THREADS;
    const int t = threadIdx.x, lane = t % 32, w = t / 32, log_bins = LOG - 1 - j;
    uint32_t c[EACH], mine = 0;
#pragma unroll
    for (int b = 0; b < EACH; b++) mine += c[b] = sh.bins[t * EACH + b];
    uint32_t sum = mine;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        uint32_t below = __shfl_up_sync(~0u, sum, o);
        if (lane >= o) sum += below;
    }
    uint32_t before = sum - mine;
    if (ALONE) {
        before += sh.begin[WARPS - 1 + w] - ((uint32_t)w << (j - BLOCK_LEVELS));
    } else {
        if (lane == 31) sh.warp_sums[w] = sum;
        __syncthreads();
        for (int o = 0; o < w; o++) before += sh.warp_sums[o];
    }
    const int v = (t * EACH) >> log_bins, h = (1 << j) - 1 + v;
    const uint32_t target = (sh.begin[h] + sh.end[h]) / 2 - v;
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        if (before <= target && target - before < c[b]) {
            sh.median_bin[h] = (uint16_t)(t * EACH + b);
            sh.median_rank[h] = (uint16_t)(target - before);
        }
        before += c[b];
    }
}

template <bool ALONE> __device__ __forceinline__ void level_barrier()
{
    if (ALONE)
        __syncwarp();
    else
        __syncthreads();
}

/* Places of `index` that belong to a thread: SLOTS of them, 32 apart; the heap index of the node that each is in, or -1
 * for places of medians and beyond the subtree. */
template <int SLOTS> struct slots {
    uint32_t first;
    int32_t node[SLOTS];
};

/* A point of a level: its place among the loaded ones in the low half, its bin in the high half. */
__device__ __forceinline__ uint32_t place_in(uint32_t packed) { return packed & 0xffff; }
__device__ __forceinline__ uint32_t bin_in(uint32_t packed) { return packed >> 16; }

/* Gives every point a new place on a side of its node's median: as many points of the less (greater) side come before
 * it in the block, or in the warp that is alone, as it has places from the node's base. x: the points' keys. */
template <bool ALONE, int DIM, int LOG, int SLOTS>
__device__ __forceinline__ void partition_level(const subtree<DIM, LOG> &tree, slots<SLOTS> &mine,
                                                const uint32_t *packed, const float *x, int d)
{
    auto &sh = tree.sh;
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32;
    uint32_t rank[SLOTS]; /* on its side, in the warp; bit 16: the less side, 17: the greater side */
    uint32_t less_count = 0, greater_count = 0;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const int32_t h = mine.node[k];
        bool less = false, greater = false;
        if (h >= 0) {
            const kd_chosen median = sh.median[h];
            const uint32_t i = place_in(packed[k]);
            less = x[k] < median.x;
            greater = !less && i != median.i;
            if (greater && x[k] == median.x && tree.before(i, median.i, d)) {
                less = true;
                greater = false;
            }
        }
        const uint32_t all_less = __ballot_sync(~0u, less), all_greater = __ballot_sync(~0u, greater);
        rank[k] = less      ? 0x10000u + less_count + __popc(all_less & lanes_below())
                  : greater ? 0x20000u + greater_count + __popc(all_greater & lanes_below())
                            : 0;
        less_count += __popc(all_less);
        greater_count += __popc(all_greater);
    }
    uint32_t before = 0;
    if (!ALONE) {
        if (lane == 0) sh.warp_sums[w] = less_count | greater_count << 16;
        __syncthreads();
        for (uint32_t o = 0; o < w; o++) before += sh.warp_sums[o];
    }
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const int32_t h = mine.node[k];
        if (h < 0) continue;
        const uint32_t place = mine.first + k * 32 + lane, end = sh.end[h], mid = (sh.begin[h] + end) / 2;
        const ushort2 base = sh.base[h];
        uint32_t to = mid;
        if (rank[k] & 0x10000u) to = base.x + (before & 0xffff) + (rank[k] & 0xffff);
        if (rank[k] & 0x20000u) to = base.y + (before >> 16) + (rank[k] & 0xffff);
        if (to < end) sh.index[to] = (uint16_t)place_in(packed[k]); /* always, unless a NaN was let in */
        mine.node[k] = place == mid ? -1 : 2 * h + 1 + (place > mid);
    }
}

/* How node h of level j maps its level's coordinate to bins. */
template <int DIM, int LOG> __device__ __forceinline__ void set_bins(const subtree<DIM, LOG> &tree, int h, int j, int d)
{
    auto &sh = tree.sh;
    const float low = sh.low[h][d], extent = sh.high[h][d] - low;
    sh.bin_of[h] = make_float2(low, extent > 0 ? (float)((1 << (LOG - 1 - j)) - 1) / extent : 0);
}

/* The extent of child number `child` of the nodes of level j, which split by coordinate d. */
template <int DIM, int LOG>
__device__ __forceinline__ void cut_extents(const subtree<DIM, LOG> &tree, int j, int child, int d)
{
    auto &sh = tree.sh;
    const int parent = (1 << j) - 1 + child / 2, h = (2 << j) - 1 + child;
    const float cut = sh.median[parent].x;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        sh.low[h][c] = c == d && child % 2 ? cut : sh.low[parent][c];
        sh.high[h][c] = c == d && child % 2 == 0 ? cut : sh.high[parent][c];
    }
    set_bins(tree, h, j + 1, kd_next<DIM>(d));
}

/* One level of the tree, by the block, or by each warp alone. `levels` is how many there are before leaves. */
template <bool ALONE, int DIM, int LOG, int SLOTS>
__device__ __forceinline__ void select_level(const subtree<DIM, LOG> &tree, slots<SLOTS> &mine, int j, int levels,
                                             int d)
{
    auto &sh = tree.sh;
    constexpr int EACH = block_shared<DIM, LOG>::BINS / BLOCK_THREADS;
    const int t = threadIdx.x, w = t / 32, log_bins = LOG - 1 - j, base = (1 << j) - 1;
    const float most = (float)((1 << log_bins) - 1);
    uint32_t packed[SLOTS];
    float x[SLOTS];
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const int32_t h = mine.node[k];
        packed[k] = 0;
        x[k] = 0;
        if (h < 0) continue;
        const uint32_t i = sh.index[mine.first + k * 32 + t % 32];
        const float2 of = sh.bin_of[h];
        x[k] = sh.x[d][i];
        const float f = fminf(fmaxf((x[k] - of.x) * of.y, 0.0f), most);
        const uint32_t bin = ((uint32_t)(h - base) << log_bins) + (uint32_t)f;
        packed[k] = i | bin << 16;
        atomicAdd(&sh.bins[bin], 1u);
    }
    level_barrier<ALONE>();
    find_median_bins<ALONE>(tree, j);
    level_barrier<ALONE>();
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const int32_t h = mine.node[k];
        if (h >= 0 && bin_in(packed[k]) == sh.median_bin[h])
            tree.candidates(h)[atomicAdd(&sh.found[h], 1u)] = (uint16_t)place_in(packed[k]);
    }
    level_barrier<ALONE>();
    if (ALONE) {
        int own = 1 << (j - BLOCK_LEVELS);
        pick_medians(tree, j, w * own, (w + 1) * own, d);
    } else if (w * 4 < (1 << j)) {
        pick_medians(tree, j, w * 4, 1 << j, d);
    }
    level_barrier<ALONE>();
    partition_level<ALONE>(tree, mine, packed, x, d);
    if (j + 1 < levels) {
        int own = ALONE ? 2 << (j - BLOCK_LEVELS) : 2 << j, which = ALONE ? t % 32 : t;
        if (which < own) cut_extents(tree, j, ALONE ? w * own + which : which, d);
    }
#pragma unroll
    for (int b = 0; b < EACH; b++) sh.bins[t * EACH + b] = 0;
    level_barrier<ALONE>();
}

/* How many of `count` keys, which are aligned, are less than x. */
template <int COUNT> __device__ __forceinline__ int count_less(const float *keys, float x)
{
    int less = 0;
#pragma unroll
    for (int o = 0; o < COUNT; o += 4) {
        const float4 v = *reinterpret_cast<const float4 *>(keys + o);
        less += (v.x < x) + (v.y < x) + (v.z < x) + (v.w < x);
    }
    return less;
}

template <> __device__ __forceinline__ int count_less<2>(const float *keys, float x)
{
    const float2 v = *reinterpret_cast<const float2 *>(keys);
    return (v.x < x) + (v.y < x);
}

/* Where a lane of a leaf is: its point, and its range of lanes, which is empty once its point is in place. */
struct leaf_lane {
    uint32_t begin; /* of the leaf */
    uint32_t i;
    int first, last, range;
};

/* Orders every range of up to COUNT points of a leaf by coordinate d, so that its median comes to its place. Where
 * keys are equal, all are ranked by the whole order. */
template <int COUNT, int DIM, int LOG>
__device__ __forceinline__ void order_ranges(const subtree<DIM, LOG> &tree, leaf_lane &at, int d)
{
    auto &sh = tree.sh;
    const int lane = threadIdx.x % 32, size = at.last - at.first;
    float *keys = sh.keys[threadIdx.x / 32];
    const float x = sh.x[d][at.i];
    keys[lane] = INFINITY;
    __syncwarp();
    if (size > 0) keys[at.range * COUNT + lane - at.first] = x;
    __syncwarp();
    int less = count_less<COUNT>(keys + at.range * COUNT, x);
    /* Fewer places than points are claimed where keys are equal. */
    uint32_t claimed = size > 0 ? 1u << (at.first + less) : 0;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) claimed |= __shfl_xor_sync(~0u, claimed, o);
    if (__popc(claimed) != __popc(__ballot_sync(~0u, size > 0))) {
        less = 0;
        for (int o = 0; o < COUNT; o++) {
            uint32_t other = __shfl_sync(~0u, at.i, at.first + o);
            less += o < size && tree.before(other, at.i, d);
        }
    }
    uint16_t *index = sh.index + at.begin;
    if (size > 0) index[at.first + less] = (uint16_t)at.i;
    __syncwarp();
    if (size > 0) at.i = index[lane];
    __syncwarp();
    const int mid = at.first + size / 2;
    at.range = 2 * at.range + (lane > mid);
    if (lane < mid)
        at.last = mid;
    else
        at.first = mid + 1;
    if (size == 0 || lane == mid || at.first >= at.last) at.first = at.last = at.range = 0;
}

/* Makes single points of the range [begin, end) of up to 32 places; by a warp. */
template <int DIM, int LOG>
__device__ __forceinline__ void finish_leaf(const subtree<DIM, LOG> &tree, uint32_t begin, uint32_t end, int d)
{
    const int lane = threadIdx.x % 32, size = (int)(end - begin);
    leaf_lane at = {begin, 0, 0, lane < size ? size : 0, 0};
    if (lane < size) at.i = tree.sh.index[begin + lane];
    if (size > 1) order_ranges<32>(tree, at, d);
    d = kd_next<DIM>(d);
    if (size >> 1 > 1) order_ranges<16>(tree, at, d);
    d = kd_next<DIM>(d);
    if (size >> 2 > 1) order_ranges<8>(tree, at, d);
    d = kd_next<DIM>(d);
    if (size >> 3 > 1) order_ranges<4>(tree, at, d);
    d = kd_next<DIM>(d);
    if (size >> 4 > 1) order_ranges<2>(tree, at, d);
}

/* Loads the subtree, its extent, and the ranges of its nodes. */
template <int DIM, int LOG>
__device__ __forceinline__ void load_subtree(const subtree<DIM, LOG> &tree, const kd_source &from, uint32_t begin,
                                             uint32_t count, int levels)
{
    auto &sh = tree.sh;
    const int t = threadIdx.x, lane = t % 32;
    uint32_t least[DIM], greatest[DIM];
#pragma unroll
    for (int c = 0; c < DIM; c++) least[c] = greatest[c] = 0;
    for (uint32_t i = t; i < count; i += BLOCK_THREADS) {
        kd_point<DIM> p = kd_read<DIM>(from, begin + i);
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            uint32_t key = bi_key_u32_of_f32(p.x[c]);
            least[c] = max(least[c], ~key);
            greatest[c] = max(greatest[c], key);
            sh.x[c][i] = p.x[c];
        }
        sh.id[i] = p.id;
        sh.index[i] = (uint16_t)i;
    }
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        for (int o = 16; o > 0; o >>= 1) {
            least[c] = max(least[c], __shfl_xor_sync(~0u, least[c], o));
            greatest[c] = max(greatest[c], __shfl_xor_sync(~0u, greatest[c], o));
        }
        if (lane == 0) {
            atomicMax(&sh.least[c], least[c]);
            atomicMax(&sh.greatest[c], greatest[c]);
        }
    }
    if (t < (2 << levels) - 1) {
        int depth = kd_depth_of(t);
        struct bi_kd_range r = bi_kd_subtree(count, depth, (uint64_t)(t + 1 - (1 << depth)));
        sh.begin[t] = (uint16_t)r.begin;
        sh.end[t] = (uint16_t)r.end;
    }
    __syncthreads();
    if (t < DIM) {
        sh.low[0][t] = fmaxf(bi_f32_of_key(~sh.least[t]), -FLT_MAX);
        sh.high[0][t] = fminf(bi_f32_of_key(sh.greatest[t]), FLT_MAX);
        if (t == tree.d0) set_bins(tree, 0, 0, t);
    }
    if (t < (1 << levels) - 1) {
        /* Nodes of the same level before this one, of the block or of the warp. */
        const int depth = kd_depth_of(t), own = depth >= BLOCK_LEVELS ? depth - BLOCK_LEVELS : depth;
        uint32_t less = 0, greater = 0;
        for (int h = (((t + 1) >> own) << own) - 1; h < t; h++) {
            const uint32_t mid = (sh.begin[h] + sh.end[h]) / 2;
            less += mid - sh.begin[h];
            greater += sh.end[h] - mid - 1;
        }
        const uint32_t mid = (sh.begin[t] + sh.end[t]) / 2;
        sh.base[t] = make_ushort2((unsigned short)(sh.begin[t] - less), (unsigned short)(mid + 1 - greater));
    }
}

template <int DIM, int LOG>
static __global__ void __launch_bounds__(BLOCK_THREADS, 2)
    build_block(int64_t n, int32_t level, const kd_source from, const kd_array nodes, const uint32_t *failed)
{
    using shared = struct block_shared<DIM, LOG>;
    constexpr int SLOTS = shared::POINTS / BLOCK_THREADS, EACH = shared::BINS / BLOCK_THREADS;
    BI_SHARED_DYNAMIC(shared, memory);
    shared &sh = *memory;
    subtree<DIM, LOG> tree = {sh, level % DIM, 0};
    const uint32_t t = threadIdx.x, w = t / 32;
    if (t == 0) {
        struct bi_kd_range r = bi_kd_subtree(n, level, blockIdx.x);
        sh.warp_sums[0] = (uint32_t)r.begin;
        sh.warp_sums[1] = (uint32_t)r.end;
        sh.stop = *failed != 0;
    }
    if (t < MOST_NODES) sh.found[t] = 0;
    if (t < DIM) sh.least[t] = sh.greatest[t] = 0;
#pragma unroll
    for (int b = 0; b < EACH; b++) sh.bins[t * EACH + b] = 0;
    __syncthreads();
    if (sh.stop) return;
    const uint32_t begin = sh.warp_sums[0], count = sh.warp_sums[1] - begin;
    int levels = 0;
    while ((33u << levels) < count + 1) levels++;
    load_subtree(tree, from, begin, count, levels);
    __syncthreads();
    slots<SLOTS> mine;
    mine.first = w * 32 * SLOTS;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) mine.node[k] = mine.first + k * 32 + t % 32 < count ? 0 : -1;
    int d = tree.d0;
    const int together = min(levels, (int)BLOCK_LEVELS);
    for (int j = 0; j < together; j++, d = kd_next<DIM>(d)) select_level<false>(tree, mine, j, levels, d);
    if (levels > BLOCK_LEVELS) {
        const int own = WARPS - 1 + w;
        mine.first = sh.begin[own];
        tree.candidates_from = (int32_t)(w * (shared::POINTS / WARPS)) - (int32_t)mine.first;
#pragma unroll
        for (int k = 0; k < SLOTS; k++) mine.node[k] = mine.first + k * 32 + t % 32 < sh.end[own] ? own : -1;
        for (int j = BLOCK_LEVELS; j < levels; j++, d = kd_next<DIM>(d)) select_level<true>(tree, mine, j, levels, d);
    }
    if (w < (1u << together)) {
        const int each = 1 << (levels - together);
        for (int leaf = w * each; leaf < (int)(w + 1) * each; leaf++) {
            const int h = (1 << levels) - 1 + leaf;
            finish_leaf(tree, sh.begin[h], sh.end[h], d);
        }
    }
    __syncthreads();
    for (uint32_t i = t; i < count; i += BLOCK_THREADS) kd_store<DIM>(nodes, begin + i, tree.point(sh.index[i]));
}

template <int DIM>
bosc_status kd_run_blocks(bosc_ctx *ctx, int64_t n, int32_t level, const kd_source &from, const kd_array &nodes,
                          const uint32_t *failed)
{
    bool large = kd_block_log(ctx, DIM) == KD_BLOCK_LOG;
    auto kernel = large ? build_block<DIM, KD_BLOCK_LOG> : build_block<DIM, KD_BLOCK_LOG - 1>;
    size_t bytes = large ? sizeof(block_shared<DIM, KD_BLOCK_LOG>) : sizeof(block_shared<DIM, KD_BLOCK_LOG - 1>);
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return BI_RUN(ctx, kernel, 1u << level, BLOCK_THREADS, bytes, n, level, from, nodes, failed);
}

int kd_block_log(const bosc_ctx *ctx, int32_t dim)
{
    int most = 0;
    size_t need = dim == 4 ? sizeof(block_shared<4, KD_BLOCK_LOG>) : sizeof(block_shared<3, KD_BLOCK_LOG>);
    if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx->memory.device) != cudaSuccess)
        (void)cudaGetLastError();
    return (size_t)most >= need ? KD_BLOCK_LOG : KD_BLOCK_LOG - 1;
}

template bosc_status kd_run_blocks<2>(bosc_ctx *, int64_t, int32_t, const kd_source &, const kd_array &,
                                      const uint32_t *);
template bosc_status kd_run_blocks<3>(bosc_ctx *, int64_t, int32_t, const kd_source &, const kd_array &,
                                      const uint32_t *);
template bosc_status kd_run_blocks<4>(bosc_ctx *, int64_t, int32_t, const kd_source &, const kd_array &,
                                      const uint32_t *);
