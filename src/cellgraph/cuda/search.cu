/* Searches on the device, in one launch. A block keeps what it found as its own share of the next level, in shared
 * memory, so that levels pass between blocks through nothing but the words of `reach`: a level costs one round trip to
 * them and one barrier of the grid, at which the blocks learn whether the search goes on. What a block has no room for,
 * it spills to a queue that is distributed to all; and when levels get small, all is spilled, and the first block goes
 * on alone, without the grid. Neighbours are read while the blocks wait for each other. Source of the persistent loop:
 * Xiao, Feng, Inter-Block GPU Communication via Fast Barrier Synchronization (2010). */
#include "core/cuda/cooperative.cuh"
#include "cellgraph/cuda/cellgraph.cuh"
#include "cellgraph/steps/trace.h"

#ifdef BI_EMULATE /* small graphs should take all ways */
enum { THREADS = 64, SMALL = 4, LEAST = 2 };
#else
enum { THREADS = 1024, SMALL = 128 /* vertices for one block */, LEAST = 32 /* that a block keeps */ };
#endif
enum {
    LANES = 4 /* of a vertex */,
    AT_ONCE = 2 /* neighbours of a lane */,
    SLOTS = THREADS / LANES,
    VERTICES = 32 / LANES /* of a warp */,
    STEP = 61
};
typedef unsigned long long word64;
static const word64 NOWHERE = ~0ull;

/* What blocks tell each other at a barrier: how much they found on each side, no more than MOST (the sums tell then
 * that it was much), and how many blocks spilled or saw the sides meet. */
enum { MOST = 255, BLOCKS = 512, SECOND = 17, SPILLED = 34, MET = 44 };
static_assert((int)BLOCKS <= (int)BI_GRID_SUM_BLOCKS && BLOCKS * MOST < 1 << SECOND, "fields");
static_assert(MET + 10 <= (int)BI_GRID_SUM_BITS && SMALL < (int)MOST, "fields");

/* A vertex of a level: its neighbours from `begin` on. */
struct search_slot {
    int64_t begin;
    uint32_t vertex, count_side; /* 2 * count + side */
};

/* Of a round of a block; used by turns. */
struct search_found {
    uint32_t all, second; /* vertices; those of side 1 */
    uint32_t spilled, met;
};

struct block_shared {
    search_slot slots[2][SLOTS];
    search_found found[2];
    word64 sum;
};

/* Of the grid. */
struct search_shared {
    word64 sums[2];
    word64 meeting;       /* all bits set before */
    uint32_t tails[2][2]; /* vertices spilled on each side; they take turns like the sums, and only grow, too */
    uint32_t level;       /* at which the first block stopped going alone */
};

/* A vertex as its lanes hold it: `near` are neighbours at, at + LANES, ... as far as they are before `end`; -1 of no
 * vertex. */
struct search_held {
    int64_t at, end;
    uint32_t vertex, side;
    uint32_t near[AT_ONCE];
};

/* What all threads of the grid agree on. */
struct search_state {
    uint32_t level;            /* of the vertices that are expanded */
    uint32_t begin[2], end[2]; /* of the queue: those that were spilled */
    uint32_t turn;             /* of the tails */
    uint32_t tail[2], late[2]; /* as they were, those of this turn and the others */
    bool alone, gathering;     /* the first block goes alone; all is spilled to it */
    uint32_t capacity;         /* vertices that a block keeps of the next level */
};

static __device__ __forceinline__ void read_near(const bi_cellgraph_search &s, search_held *h)
{
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) h->near[k] = h->at + k * LANES < h->end ? s.neighbours[h->at + k * LANES] : 0;
}

static __device__ __forceinline__ search_held hold(const bi_cellgraph_search &s, const search_slot &slot, bool is)
{
    search_held h = {0, -1, 0, 0, {0}};
    if (!is) return h;
    h.vertex = slot.vertex;
    h.side = slot.count_side & 1;
    h.at = slot.begin + threadIdx.x % LANES;
    h.end = slot.begin + (slot.count_side >> 1);
    read_near(s, &h);
    return h;
}

static __device__ __forceinline__ search_slot slot_of(const bi_cellgraph_search &s, uint32_t vertex, uint32_t side)
{
    const uint64_t row = s.rows[vertex];
    return {(int64_t)(row >> BI_CELLGRAPH_COUNT_BITS), vertex,
            (uint32_t)(row & ((1u << BI_CELLGRAPH_COUNT_BITS) - 1)) << 1 | side};
}

/* Puts vertices of a warp into the queue. */
template <int SIDES>
static __device__ void spill(const bi_cellgraph_search &s, search_shared *g, const search_state &t, bool is,
                             const search_slot &slot)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (uint32_t side = 0; side < SIDES; side++) {
        const bool mine = is && (slot.count_side & 1) == side;
        const unsigned all = __ballot_sync(~0u, mine);
        uint32_t place = 0;
        if (!all) continue;
        if (lane == 0) place = atomicAdd(&g->tails[t.turn][side], (uint32_t)__popc(all)) - t.tail[side];
        place = __shfl_sync(~0u, place, 0) + (uint32_t)__popc(all & ((1u << lane) - 1));
        if (mine) bi_atomic_store_u32(&s.queue[side][t.end[side] + place], slot.vertex);
    }
}

/* Those of a warp's vertices that were not reached before become vertices of the next level. */
template <int SIDES>
static __device__ __forceinline__ void push(const bi_cellgraph_search &s, search_shared *g, block_shared &sh,
                                            const search_state &t, const bool fresh[AT_ONCE],
                                            const search_slot slots[AT_ONCE])
{
    const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
    const uint32_t next = (t.level + 1) & 1;
    uint32_t before[AT_ONCE], all = 0, second = 0, first = 0;
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        const unsigned which = __ballot_sync(~0u, fresh[k]);
        before[k] = all + (uint32_t)__popc(which & below);
        all += (uint32_t)__popc(which);
        if (SIDES == 2) second += (uint32_t)__popc(__ballot_sync(~0u, fresh[k] && (slots[k].count_side & 1)));
    }
    if (!all) return;
    if (lane == 0) {
        first = atomicAdd(&sh.found[next].all, all);
        if (second) atomicAdd(&sh.found[next].second, second);
    }
    first = __shfl_sync(~0u, first, 0);
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
        if (fresh[k] && first + before[k] < t.capacity) sh.slots[next][first + before[k]] = slots[k];
    if (first + all <= t.capacity) return;
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) spill<SIDES>(s, g, t, fresh[k] && first + before[k] >= t.capacity, slots[k]);
    if (lane == 0) atomicOr(&sh.found[next].spilled, 1u);
}

/* Goes from the vertices that a warp holds to their neighbours. Whether a neighbour is new, and where its own
 * neighbours are, is asked at once. */
template <int SIDES>
static __device__ __forceinline__ void expand(const bi_cellgraph_search &s, search_shared *g, block_shared &sh,
                                              const search_state &t, search_held h)
{
    const word64 word = (word64)(t.level + 1) << BI_CELLGRAPH_LEVEL_SHIFT | h.vertex;
    word64 *reach = (word64 *)(h.side ? s.reach[1] : s.reach[0]), other = NOWHERE;
    const bool meets = SIDES == 2 && h.side == 0 && h.end >= 0 && threadIdx.x % LANES == 0;
    if (meets) other = bi_atomic_load_u64(&s.reach[1][h.vertex]) >> BI_CELLGRAPH_LEVEL_SHIFT;
    while (__any_sync(~0u, h.at < h.end)) {
        bool fresh[AT_ONCE];
        search_slot slots[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const uint32_t v = h.near[k];
            fresh[k] = false;
            slots[k] = {0, 0, 0};
            if (h.at + k * LANES >= h.end) continue;
            fresh[k] = atomicMin(&reach[v], word) == NOWHERE;
            slots[k] = slot_of(s, v, h.side);
        }
        h.at += AT_ONCE * LANES;
        read_near(s, &h);
        push<SIDES>(s, g, sh, t, fresh, slots);
    }
    if (!meets || (other != t.level && other + 1 != t.level)) return;
    atomicMin(&g->meeting, (word64)(other == t.level) << 32 | h.vertex);
    atomicOr(&sh.found[(t.level + 1) & 1].met, 1u);
}

/* One level: the block's own share, by its first warps, and its share of what was spilled, by its last ones. The blocks
 * take turns to be the first to get some. */
template <int SIDES>
static __device__ __forceinline__ void expand_all(const bi_cellgraph_search &s, search_shared *g, block_shared &sh,
                                                  const search_state &t, const search_held &own)
{
    const uint32_t workers = t.alone ? 1 : gridDim.x, block = (blockIdx.x + t.level * STEP) % workers;
    const uint32_t warp = (THREADS / 32 - 1 - threadIdx.x / 32) * workers + block, group = threadIdx.x % 32 / LANES;
    const uint32_t firsts = t.end[0] - t.begin[0], all = SIDES == 2 ? firsts + (t.end[1] - t.begin[1]) : firsts;
    expand<SIDES>(s, g, sh, t, own);
    for (uint64_t at = (uint64_t)warp * VERTICES; at < all; at += (uint64_t)workers * SLOTS) {
        const uint32_t k = (uint32_t)at + group;
        const bool is = at + group < all, second = SIDES == 2 && k >= firsts;
        search_slot slot = {0, 0, 0};
        if (is)
            slot = slot_of(
                s, bi_atomic_load_u32(second ? &s.queue[1][t.begin[1] + (k - firsts)] : &s.queue[0][t.begin[0] + k]),
                second);
        expand<SIDES>(s, g, sh, t, hold(s, slot, is));
    }
}

static __device__ __forceinline__ word64 least(uint32_t count) { return count < MOST ? count : (word64)MOST; }

/* What a block brings to the barrier. */
static __device__ __forceinline__ word64 summary(const search_found &f)
{
    return least(f.all - f.second) | least(f.second) << SECOND | (word64)f.spilled << SPILLED | (word64)f.met << MET;
}

static __device__ __forceinline__ uint32_t field(word64 sum, int from, int to)
{
    return (uint32_t)(sum >> from) & ((1u << (to - from)) - 1);
}

template <int SIDES> static __device__ __forceinline__ bool goes_on(word64 sum)
{
    return !field(sum, MET, BI_GRID_SUM_BITS) && field(sum, 0, SECOND) && (SIDES == 1 || field(sum, SECOND, SPILLED));
}

/* After a barrier of the grid: what is next. */
template <int SIDES> static __device__ __forceinline__ void turn(const search_shared *g, search_state *t, word64 sum)
{
    const bool spilled = field(sum, SPILLED, MET) > 0, was_alone = t->alone;
#pragma unroll
    for (int side = 0; side < SIDES; side++) {
        const uint32_t tail = spilled ? bi_atomic_load_u32(&g->tails[t->turn][side]) : t->tail[side];
        t->begin[side] = t->end[side];
        t->end[side] += tail - t->tail[side];
        t->tail[side] = t->late[side];
        t->late[side] = tail;
    }
    t->turn ^= 1;
    if (t->alone) t->level = bi_atomic_load_u32(&g->level);
    t->alone = t->gathering;
    const uint32_t all = field(sum, 0, SECOND) + field(sum, SECOND, SPILLED), fair = 2 * all / gridDim.x;
    t->gathering = !was_alone && !t->alone && !spilled && all <= SMALL;
    t->capacity = t->alone ? (uint32_t)SLOTS : t->gathering ? 0 : min(max(fair, (uint32_t)LEAST), (uint32_t)SLOTS);
}

/* The block's part of a level, and the end of it: whether the search goes on. */
template <int SIDES>
static __device__ __forceinline__ bool go(const bi_cellgraph_search &s, search_shared *g, block_shared &sh,
                                          search_state *t, bi_grid_sum *sums, search_held *own, uint32_t found[2])
{
    const bool works = !t->alone || blockIdx.x == 0;
    const uint32_t next = (t->level + 1) & 1;
    word64 sum = 0;
    if (works) expand_all<SIDES>(s, g, sh, *t, *own);
    __syncthreads();
    const search_found f = works ? sh.found[next] : search_found{0, 0, 0, 0};
    const bool meet = !t->alone || blockIdx.x > 0 || f.spilled || !goes_on<SIDES>(summary(f));
    found[0] += f.all - f.second;
    found[1] += f.second;
    if (works) {
        const uint32_t slot = threadIdx.x / LANES;
        const bool is = slot < f.all && slot < t->capacity;
        *own = hold(s, is ? sh.slots[next][slot] : search_slot{0, 0, 0}, is);
    }
    if (threadIdx.x == 0) {
        sh.found[t->level & 1] = {0, 0, 0, 0};
        if (!works) sh.found[next] = {0, 0, 0, 0};
        const bool leaves = t->alone && blockIdx.x == 0;
        if (leaves) bi_atomic_store_u32(&g->level, t->level);
        sh.sum = meet ? bi_grid_barrier_sum(sums, summary(f), leaves || f.spilled || f.met) : summary(f);
    }
    __syncthreads();
    sum = sh.sum;
    if (meet)
        turn<SIDES>(g, t, sum);
    else
        for (int side = 0; side < SIDES; side++) t->begin[side] = t->end[side];
    if (goes_on<SIDES>(sum)) t->level++;
    return goes_on<SIDES>(sum);
}

template <int SIDES>
static __global__ void __launch_bounds__(THREADS)
    bi_cellgraph_search_levels(const bi_cellgraph_search s, search_shared *g)
{
    BI_SHARED(block_shared, sh);
    bi_grid_sum sums = {g->sums, 0, 0, 0};
    search_state t = {0, {0, 0}, {0, 0}, 0, {0, 0}, {0, 0}, true, false, SLOTS};
    uint32_t found[2] = {0, 0};
    if (threadIdx.x < 2) sh.found[threadIdx.x] = {0, 0, 0, 0};
#pragma unroll
    for (uint32_t side = 0; side < SIDES; side++) {
        if (blockIdx.x > 0 || threadIdx.x != side) continue;
        sh.slots[0][side] = slot_of(s, s.source[side], side);
        atomicMin((word64 *)&s.reach[side][s.source[side]], (word64)s.source[side]);
    }
    __syncthreads();
    const bool is = blockIdx.x == 0 && threadIdx.x / LANES < SIDES;
    search_held own = hold(s, is ? sh.slots[0][threadIdx.x / LANES] : search_slot{0, 0, 0}, is);
    while (go<SIDES>(s, g, sh, &t, &sums, &own, found)) {
    }
    if (threadIdx.x == 0)
        for (int side = 0; side < SIDES; side++) atomicAdd(&s.result->reached[side], found[side] + (blockIdx.x == 0));
    if (blockIdx.x > 0 || (threadIdx.x != 0 && threadIdx.x != 32)) return;
    const word64 meeting = bi_atomic_load_u64((const uint64_t *)&g->meeting);
    const bool met = meeting != NOWHERE, even = meeting >> 32 > 0;
    const bi_cellgraph_searched result = {
        {0, 0}, {t.level, t.level - (met && !even)}, met ? (uint32_t)meeting : UINT32_MAX};
    if (threadIdx.x == 0) {
        s.result->depth[0] = result.depth[0];
        s.result->depth[1] = result.depth[1];
        s.result->meeting = result.meeting;
        if (met) bi_cellgraph_trace(&s, &result, 0);
    } else if (met) {
        bi_cellgraph_trace(&s, &result, 1);
    }
}

template <int SIDES> static bosc_status launch(bosc_ctx *ctx, const struct bi_cellgraph_search *search)
{
    unsigned blocks;
    search_shared *shared;
    void *memory;
    BI_TRY(bi_scratch(ctx, sizeof *shared, &memory));
    shared = (search_shared *)memory;
    BI_TRY(ctx->backend->fill(ctx, shared, 0, sizeof *shared));
    BI_TRY(ctx->backend->fill(ctx, &shared->meeting, 0xff, sizeof shared->meeting));
    BI_TRY(ctx->backend->fill(ctx, search->result, 0, sizeof *search->result));
    BI_TRY(bi_cooperative_grid(ctx, bi_cellgraph_search_levels<SIDES>, THREADS, 1, &blocks));
    if (blocks > BLOCKS) blocks = BLOCKS;
    return BI_RUN_COOPERATIVE(ctx, bi_cellgraph_search_levels<SIDES>, blocks, THREADS, *search, shared);
}

bosc_status bi_cellgraph_cuda_search(bosc_ctx *ctx, const struct bi_cellgraph_search *search)
{
    return search->sides == 1 ? launch<1>(ctx, search) : launch<2>(ctx, search);
}
