/* Searches on the device, in one cooperative launch. A block keeps the vertices that it finds as its share of the
 * next level in shared memory, so blocks communicate only through the labels. A level costs one round trip to them
 * and one barrier of the grid, which also sums the new vertices. Vertices beyond a block's capacity are spilled to a
 * queue, shared by all. When levels get small, all are spilled, and the first block continues alone without barriers
 * of the grid. Neighbours are read while the blocks wait for each other. Source of the persistent loop: Xiao, Feng,
 * Inter-Block GPU Communication via Fast Barrier Synchronization (2010). */
#include "core/cuda/cooperative.cuh"
#include "cellgraph/cuda/cellgraph.cuh"
#include "cellgraph/steps/search.h"

/* ONE_BLOCK: largest level for one block alone. MIN_CAPACITY: vertices of a level that a block can always keep. */
#ifdef BI_EMULATE /* small, so that small graphs take all paths */
enum { THREADS = 64, ONE_BLOCK = 4, MIN_CAPACITY = 2 };
#else
/* THREADS: measured, 4 M: 1.28 ms, blocks of 512 1.73. ONE_BLOCK: half of the vertices that a block expands at once;
 * its levels take 1.4 us, with the barrier of all blocks more. MIN_CAPACITY: those of four warps. Not measured. */
enum { THREADS = 1024, ONE_BLOCK = 128, MIN_CAPACITY = 32 };
#endif
enum {
    LANES = 4,    /* of a vertex; measured, 4 M: 1.28 ms, 8 lanes 1.38 */
    PER_LANE = 2, /* neighbours that a lane reads at once */
    SLOTS = THREADS / LANES,
    VERTICES = 32 / LANES, /* of a warp */
    ROTATION = 61 /* of the first share, in blocks a level: prime, so that all blocks have the first share in turn */
};
typedef unsigned long long word64;
static const word64 UNREACHED = ~0ull;

/* Fields of the sum at a barrier: each block's new vertices on each side, at most MAX_COUNT (then the level is large
 * anyway); number of blocks that spilled, and that found a vertex of both sides. */
enum { MAX_COUNT = 255, MAX_BLOCKS = 512, SECOND_SHIFT = 17, SPILLED_SHIFT = 34, COLLIDED_SHIFT = 44 };
static_assert((int)MAX_BLOCKS <= (int)BI_GRID_SUM_BLOCKS && MAX_BLOCKS * MAX_COUNT < 1 << SECOND_SHIFT, "fields");
static_assert(COLLIDED_SHIFT + 10 <= (int)BI_GRID_SUM_BITS && ONE_BLOCK < (int)MAX_COUNT, "fields");

/* A vertex of a level, with its neighbours from `begin` on. */
struct search_slot {
    int64_t begin;
    uint32_t vertex, count_side; /* 2 * count + side */
};

/* A block's counts of a round; two are used alternately. */
struct search_found {
    uint32_t all, second; /* new vertices; those of side 1 */
    uint32_t spilled, collided;
};

struct block_shared {
    search_slot slots[2][SLOTS];
    search_found found[2];
    word64 sum;
};

/* State of the grid, in global memory. */
struct search_shared {
    word64 sums[2];
    word64 junction;      /* the vertex; bit 32: the path has even length. All bits set at first */
    uint32_t tails[2][2]; /* by parity of the level and side: vertices spilled so far; never reset */
    uint32_t level;       /* where the first block stopped working alone */
};

/* A vertex as its LANES lanes hold it: `neighbours` are those at `at`, `at` + LANES, ... below `end`; `end` is -1
 * for no vertex. */
struct lane_vertex {
    int64_t at, end;
    uint32_t vertex, side;
    uint32_t neighbours[PER_LANE];
};

/* State that all threads of the grid compute alike. */
struct search_state {
    uint32_t level;                  /* being expanded */
    uint32_t begin[2], end[2];       /* of the queue: spilled vertices of this level */
    uint32_t turn;                   /* parity of the tails */
    uint32_t tail[2], other_tail[2]; /* old values of the tails of this parity, and of the other */
    bool alone, gathering;           /* the first block works alone; all spill to it next */
    uint32_t capacity;               /* of a block for the next level */
};

static __device__ __forceinline__ void read_neighbours(const bi_cellgraph_search &s, lane_vertex *h)
{
#pragma unroll
    for (int k = 0; k < PER_LANE; k++)
        h->neighbours[k] = h->at + k * LANES < h->end ? s.neighbours[h->at + k * LANES] : 0;
}

/* Returns the lane's part of a vertex; of none unless `exists`. */
static __device__ __forceinline__ lane_vertex load_vertex(const bi_cellgraph_search &s, const search_slot &slot,
                                                          bool exists)
{
    lane_vertex h = {0, -1, 0, 0, {0}};
    if (!exists) return h;
    h.vertex = slot.vertex;
    h.side = slot.count_side & 1;
    h.at = slot.begin + threadIdx.x % LANES;
    h.end = slot.begin + (slot.count_side >> 1);
    read_neighbours(s, &h);
    return h;
}

/* Reads where a vertex's neighbours are. */
static __device__ __forceinline__ search_slot load_slot(const bi_cellgraph_search &s, uint32_t vertex, uint32_t side)
{
    const uint64_t row = s.rows[vertex];
    return {(int64_t)(row >> BI_CELLGRAPH_COUNT_BITS), vertex,
            (uint32_t)(row & ((1u << BI_CELLGRAPH_COUNT_BITS) - 1)) << 1 | side};
}

/* Appends vertices of a warp to the shared queue. */
template <int SIDES>
static __device__ void spill(const bi_cellgraph_search &s, search_shared *g, const search_state &t, bool is,
                             const search_slot &slot)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (uint32_t side = 0; side < SIDES; side++) {
        const bool on_side = is && (slot.count_side & 1) == side;
        const unsigned all = __ballot_sync(~0u, on_side);
        uint32_t slot_number = 0;
        if (!all) continue;
        if (lane == 0) slot_number = atomicAdd(&g->tails[t.turn][side], (uint32_t)__popc(all)) - t.tail[side];
        slot_number = __shfl_sync(~0u, slot_number, 0) + (uint32_t)__popc(all & ((1u << lane) - 1));
        if (on_side) bi_atomic_store_u32(&s.queue[side][t.end[side] + slot_number], slot.vertex);
    }
}

/* Appends newly reached vertices of a warp to the block's next level; spills those beyond its capacity. The whole warp
 * calls it. sh.found of the next level is 0 when a level begins, and counts the spilled ones too. t.capacity is SLOTS
 * at most. A vertex is new once on each side, so a queue needs one slot for each vertex. */
template <int SIDES>
static __device__ __forceinline__ void append_new(const bi_cellgraph_search &s, search_shared *g, block_shared &sh,
                                                  const search_state &t, const bool is_new[PER_LANE],
                                                  const search_slot slots[PER_LANE])
{
    /* 1. Count the new vertices of the warp, and of side 1. */
    const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
    const uint32_t next = (t.level + 1) & 1;
    uint32_t exclusive_prefix[PER_LANE], all = 0, second = 0, first = 0;
#pragma unroll
    for (int k = 0; k < PER_LANE; k++) {
        const unsigned lanes = __ballot_sync(~0u, is_new[k]);
        exclusive_prefix[k] = all + (uint32_t)__popc(lanes & below);
        all += (uint32_t)__popc(lanes);
        if (SIDES == 2) second += (uint32_t)__popc(__ballot_sync(~0u, is_new[k] && (slots[k].count_side & 1)));
    }
    /* 2. Reserve slots of the block. */
    if (!all) return;
    if (lane == 0) {
        first = atomicAdd(&sh.found[next].all, all);
        if (second) atomicAdd(&sh.found[next].second, second);
    }
    first = __shfl_sync(~0u, first, 0);
    /* 3. Store the vertices; spill those without a slot. */
#pragma unroll
    for (int k = 0; k < PER_LANE; k++)
        if (is_new[k] && first + exclusive_prefix[k] < t.capacity)
            sh.slots[next][first + exclusive_prefix[k]] = slots[k];
    if (first + all <= t.capacity) return;
#pragma unroll
    for (int k = 0; k < PER_LANE; k++)
        spill<SIDES>(s, g, t, is_new[k] && first + exclusive_prefix[k] >= t.capacity, slots[k]);
    if (lane == 0) atomicOr(&sh.found[next].spilled, 1u);
}

/* Visits the neighbours of the vertices that a warp holds. The label's atomic and the read of the neighbour's row
 * overlap. The whole warp calls it, lanes without a vertex too; h holds the first PER_LANE neighbours. A label is
 * level << BI_CELLGRAPH_LEVEL_SHIFT | parent; sources have level 0. The search ends after a level with a collision. */
template <int SIDES>
static __device__ __forceinline__ void expand(const bi_cellgraph_search &s, search_shared *g, block_shared &sh,
                                              const search_state &t, lane_vertex h)
{
    const word64 word = (word64)(t.level + 1) << BI_CELLGRAPH_LEVEL_SHIFT | h.vertex;
    word64 *level_parent = (word64 *)(h.side ? s.level_parent[1] : s.level_parent[0]), other = UNREACHED;
    const bool checks_other = SIDES == 2 && h.side == 0 && h.end >= 0 && threadIdx.x % LANES == 0;
    if (checks_other) other = bi_atomic_load_u64(&s.level_parent[1][h.vertex]) >> BI_CELLGRAPH_LEVEL_SHIFT;
    /* 1. Lower the labels of the neighbours; those not reached before join the next level. */
    while (__any_sync(~0u, h.at < h.end)) {
        bool is_new[PER_LANE];
        search_slot slots[PER_LANE];
#pragma unroll
        for (int k = 0; k < PER_LANE; k++) {
            const uint32_t v = h.neighbours[k];
            is_new[k] = false;
            slots[k] = {0, 0, 0};
            if (h.at + k * LANES >= h.end) continue;
            is_new[k] = atomicMin(&level_parent[v], word) == UNREACHED;
            slots[k] = load_slot(s, v, h.side);
        }
        h.at += PER_LANE * LANES;
        read_neighbours(s, &h);
        append_new<SIDES>(s, g, sh, t, is_new, slots);
    }
    /* 2. A vertex of side 0 that side 1 has reached, on this level or the one before, is on a shortest path. The
     * minimum prefers the path that is shorter by one, then the smallest vertex. */
    if (!checks_other || (other != t.level && other + 1 != t.level)) return;
    atomicMin(&g->junction, (word64)(other == t.level) << 32 | h.vertex);
    atomicOr(&sh.found[(t.level + 1) & 1].collided, 1u);
}

/* Expands a level: the block's own share by its first warps, its share of the queue by its last ones. The first
 * share rotates over the blocks. */
template <int SIDES>
static __device__ __forceinline__ void expand_all(const bi_cellgraph_search &s, search_shared *g, block_shared &sh,
                                                  const search_state &t, const lane_vertex &own)
{
    const uint32_t workers = t.alone ? 1 : gridDim.x, block = (blockIdx.x + t.level * ROTATION) % workers;
    const uint32_t warp = (THREADS / 32 - 1 - threadIdx.x / 32) * workers + block, group = threadIdx.x % 32 / LANES;
    const uint32_t firsts = t.end[0] - t.begin[0], all = SIDES == 2 ? firsts + (t.end[1] - t.begin[1]) : firsts;
    expand<SIDES>(s, g, sh, t, own);
    for (uint64_t at = (uint64_t)warp * VERTICES; at < all; at += (uint64_t)workers * SLOTS) {
        const uint32_t k = (uint32_t)at + group;
        const bool is = at + group < all, second = SIDES == 2 && k >= firsts;
        search_slot slot = {0, 0, 0};
        if (is)
            slot = load_slot(
                s, bi_atomic_load_u32(second ? &s.queue[1][t.begin[1] + (k - firsts)] : &s.queue[0][t.begin[0] + k]),
                second);
        expand<SIDES>(s, g, sh, t, load_vertex(s, slot, is));
    }
}

static __device__ __forceinline__ word64 clamp_count(uint32_t count)
{
    return count < MAX_COUNT ? count : (word64)MAX_COUNT;
}

/* A block's summand at the barrier. */
static __device__ __forceinline__ word64 pack_counts(const search_found &f)
{
    return clamp_count(f.all - f.second) | clamp_count(f.second) << SECOND_SHIFT | (word64)f.spilled << SPILLED_SHIFT |
           (word64)f.collided << COLLIDED_SHIFT;
}

static __device__ __forceinline__ uint32_t unpack_field(word64 sum, int from, int to)
{
    return (uint32_t)(sum >> from) & ((1u << (to - from)) - 1);
}

/* True if the search continues: no common vertex, and new vertices on every side. */
template <int SIDES> static __device__ __forceinline__ bool has_more_levels(word64 sum)
{
    return !unpack_field(sum, COLLIDED_SHIFT, BI_GRID_SUM_BITS) && unpack_field(sum, 0, SECOND_SHIFT) &&
           (SIDES == 1 || unpack_field(sum, SECOND_SHIFT, SPILLED_SHIFT));
}

/* Computes the next state after a barrier of the grid. */
template <int SIDES>
static __device__ __forceinline__ void advance_state(const search_shared *g, search_state *t, word64 sum)
{
    const bool spilled = unpack_field(sum, SPILLED_SHIFT, COLLIDED_SHIFT) > 0, was_alone = t->alone;
#pragma unroll
    for (int side = 0; side < SIDES; side++) {
        const uint32_t tail = spilled ? bi_atomic_load_u32(&g->tails[t->turn][side]) : t->tail[side];
        t->begin[side] = t->end[side];
        t->end[side] += tail - t->tail[side];
        t->tail[side] = t->other_tail[side];
        t->other_tail[side] = tail;
    }
    t->turn ^= 1;
    if (t->alone) t->level = bi_atomic_load_u32(&g->level);
    t->alone = t->gathering;
    const uint32_t all = unpack_field(sum, 0, SECOND_SHIFT) + unpack_field(sum, SECOND_SHIFT, SPILLED_SHIFT),
                   fair = 2 * all / gridDim.x; /* twice the mean */
    /* First a level in which all blocks spill (capacity 0), then the first block alone. */
    t->gathering = !was_alone && !t->alone && !spilled && all <= ONE_BLOCK;
    t->capacity = t->alone       ? (uint32_t)SLOTS
                  : t->gathering ? 0
                                 : min(max(fair, (uint32_t)MIN_CAPACITY), (uint32_t)SLOTS);
}

/* Processes the block's part of a level, and synchronises; true if the search continues. All threads of the grid call
 * it. *own: the lane's vertex of this level, then of the next one. found: adds the block's new vertices by side. While
 * the first block works alone, the others wait in the barrier of the grid until it leaves. */
template <int SIDES>
static __device__ __forceinline__ bool process_level(const bi_cellgraph_search &s, search_shared *g, block_shared &sh,
                                                     search_state *t, bi_grid_sum *sums, lane_vertex *own,
                                                     uint32_t found[2])
{
    const bool works = !t->alone || blockIdx.x == 0;
    const uint32_t next = (t->level + 1) & 1;
    word64 sum = 0;
    /* 1. Expand. */
    if (works) expand_all<SIDES>(s, g, sh, *t, *own);
    __syncthreads(); /* the counts and slots of the block */
    const search_found f = works ? sh.found[next] : search_found{0, 0, 0, 0};
    const bool syncs = !t->alone || blockIdx.x > 0 || f.spilled || !has_more_levels<SIDES>(pack_counts(f));
    found[0] += f.all - f.second;
    found[1] += f.second;
    /* 2. Load the next vertices of the block before waiting. */
    if (works) {
        const uint32_t slot = threadIdx.x / LANES;
        const bool is = slot < f.all && slot < t->capacity;
        *own = load_vertex(s, is ? sh.slots[next][slot] : search_slot{0, 0, 0}, is);
    }
    /* 3. Sum over the grid, unless the first block works alone. The last argument adds a fence:
     * plain stores (spills, level) and the junction must be visible to all blocks. */
    if (threadIdx.x == 0) {
        sh.found[t->level & 1] = {0, 0, 0, 0};
        if (!works) sh.found[next] = {0, 0, 0, 0};
        const bool leaves = t->alone && blockIdx.x == 0;
        if (leaves) bi_atomic_store_u32(&g->level, t->level);
        sh.sum = syncs ? bi_grid_barrier_sum(sums, pack_counts(f), leaves || f.spilled || f.collided) : pack_counts(f);
    }
    __syncthreads(); /* the sum */
    /* 4. The next state. */
    sum = sh.sum;
    if (syncs)
        advance_state<SIDES>(g, t, sum);
    else
        for (int side = 0; side < SIDES; side++) t->begin[side] = t->end[side];
    if (has_more_levels<SIDES>(sum)) t->level++;
    return has_more_levels<SIDES>(sum);
}

/* Searches from one source or two. */
template <int SIDES>
static __global__ void __launch_bounds__(THREADS)
    bi_cellgraph_search_levels(const bi_cellgraph_search s, search_shared *g)
{
    BI_SHARED(block_shared, sh);
    bi_grid_sum sums = {g->sums, 0, 0, 0};
    /* The first block begins alone. */
    search_state t = {0, {0, 0}, {0, 0}, 0, {0, 0}, {0, 0}, true, false, SLOTS};
    uint32_t found[2] = {0, 0};
    /* 1. The sources: block 0 has them as its first level. */
    if (threadIdx.x < 2) sh.found[threadIdx.x] = {0, 0, 0, 0};
#pragma unroll
    for (uint32_t side = 0; side < SIDES; side++) {
        if (blockIdx.x > 0 || threadIdx.x != side) continue;
        sh.slots[0][side] = load_slot(s, s.source[side], side);
        atomicMin((word64 *)&s.level_parent[side][s.source[side]], (word64)s.source[side]);
    }
    __syncthreads(); /* slots of the sources */
    const bool is = blockIdx.x == 0 && threadIdx.x / LANES < SIDES;
    lane_vertex own = load_vertex(s, is ? sh.slots[0][threadIdx.x / LANES] : search_slot{0, 0, 0}, is);
    /* 2. Levels. */
    while (process_level<SIDES>(s, g, sh, &t, &sums, &own, found)) {
    }
    /* 3. Results; two threads of block 0 write the halves of the path. */
    if (threadIdx.x == 0)
        for (int side = 0; side < SIDES; side++) atomicAdd(&s.result->reached[side], found[side] + (blockIdx.x == 0));
    if (blockIdx.x > 0 || (threadIdx.x != 0 && threadIdx.x != 32)) return;
    const word64 junction = bi_atomic_load_u64((const uint64_t *)&g->junction);
    const bool collided = junction != UNREACHED, even = junction >> 32 > 0;
    const bi_cellgraph_search_result result = {
        {0, 0}, {t.level, t.level - (collided && !even)}, collided ? (uint32_t)junction : UINT32_MAX};
    if (threadIdx.x == 0) {
        s.result->depth[0] = result.depth[0];
        s.result->depth[1] = result.depth[1];
        s.result->junction = result.junction;
        if (collided) bi_cellgraph_write_path(&s, &result, 0);
    } else if (collided) {
        bi_cellgraph_write_path(&s, &result, 1);
    }
}

template <int SIDES> static bosc_status launch_search(bosc_ctx *ctx, const struct bi_cellgraph_search *search)
{
    unsigned blocks;
    search_shared *shared;
    void *memory;
    BI_TRY(bi_scratch(ctx, sizeof *shared, &memory));
    shared = (search_shared *)memory;
    BI_TRY(ctx->backend->fill(ctx, shared, 0, sizeof *shared));
    BI_TRY(ctx->backend->fill(ctx, &shared->junction, 0xff, sizeof shared->junction));
    BI_TRY(ctx->backend->fill(ctx, search->result, 0, sizeof *search->result));
    BI_TRY(bi_cooperative_grid(ctx, bi_cellgraph_search_levels<SIDES>, THREADS, 1, &blocks));
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    return BI_RUN_COOPERATIVE(ctx, bi_cellgraph_search_levels<SIDES>, blocks, THREADS, *search, shared);
}

bosc_status bi_cellgraph_cuda_search(bosc_ctx *ctx, const struct bi_cellgraph_search *search)
{
    return search->sides == 1 ? launch_search<1>(ctx, search) : launch_search<2>(ctx, search);
}
