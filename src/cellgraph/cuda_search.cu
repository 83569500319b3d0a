/* Searches on the device, in one launch. Blocks that all run at once expand a level and meet at a barrier of the grid;
 * while levels are small the first block goes on alone, and the others wait at one barrier. Source of the persistent
 * loop: Xiao, Feng, Inter-Block GPU Communication via Fast Barrier Synchronization (2010). */
#include "core/cuda/together.cuh"
#include "cellgraph/cuda.cuh"

enum { THREADS = 1024, BLOCKS = 1 /* of a multiprocessor */, AT_ONCE = 4 };
#ifdef BI_EMULATE /* small graphs should take both ways */
enum { SMALL = 8 };
#else
enum { SMALL = THREADS };
#endif
static const uint32_t NOBODY = UINT32_MAX;

/* A side of a search: queue[begin] to queue[end - 1] is its last level. */
struct search_side {
    uint32_t begin, end, depth;
};

/* What the blocks share. A round uses one of three pairs of counters, and clears the next one. */
struct search_shared {
    unsigned arrived;
    uint32_t found[3], meeting[3];
    search_side sides[2]; /* as the first block left them */
    uint32_t met;
};

static __device__ __forceinline__ uint32_t level_of(const search_side &s) { return s.end - s.begin; }

/* Is there a next level, and whose? */
static __device__ __forceinline__ bool goes_on(const bi_cell_search &s, const search_side sides[2], uint32_t met,
                                               int *which)
{
    *which = bi_cell_side(s.sides, level_of(sides[0]), level_of(sides[1]));
    return met == NOBODY && level_of(sides[0]) > 0 && (s.sides == 1 || level_of(sides[1]) > 0);
}

/* The vertices from queue[at] on, of which there are `left`, one for each lane: whole warps come. A lane asks for
 * AT_ONCE neighbours before it looks at any. */
static __device__ void expand(const bi_cell_search &s, int which, uint32_t at, uint32_t left, const search_side &side,
                              uint32_t *found, uint32_t *meeting)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned long long word = 0;
    int64_t e = 0, end = 0;
    if (lane < left) {
        const uint32_t u = bi_peek(&s.queue[which][at + lane]);
        word = (unsigned long long)(side.depth + 1) << BI_CELL_LEVEL_SHIFT | u;
        e = s.offsets[u];
        end = s.offsets[u + 1];
    }
    for (; __any_sync(~0u, e < end); e += AT_ONCE) {
        uint32_t v[AT_ONCE];
        unsigned long long old[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) v[k] = e + k < end ? s.neighbours[e + k] : 0;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            old[k] = e + k < end ? atomicMin((unsigned long long *)&s.reach[which][v[k]], word) : 0;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const bool fresh = old[k] == ~0ull;
            const unsigned all = __ballot_sync(~0u, fresh);
            if (!all) continue;
            uint32_t place = 0;
            if (lane == 0) place = atomicAdd(found, (uint32_t)__popc(all));
            place = __shfl_sync(~0u, place, 0) + (uint32_t)__popc(all & ((1u << lane) - 1));
            if (!fresh) continue;
            bi_poke(&s.queue[which][side.end + place], v[k]);
            if (s.sides == 2 && bi_peek_u64(&s.reach[1 - which][v[k]]) != ~0ull) atomicMin(meeting, v[k]);
        }
    }
}

static __device__ __forceinline__ void advance(search_side *side, uint32_t found)
{
    *side = {side->end, side->end + found, side->depth + (found > 0)};
}

struct alone_shared {
    uint32_t found, meeting;
};

/* The first block goes on while levels are small. */
static __device__ void go_alone(const bi_cell_search &s, search_side sides[2], uint32_t *met, alone_shared &sh)
{
    int which;
    while (goes_on(s, sides, *met, &which) && level_of(sides[which]) <= SMALL) {
        const search_side side = sides[which];
        if (threadIdx.x == 0) sh = {0, NOBODY};
        __syncthreads();
        for (uint32_t at = side.begin + threadIdx.x / 32 * 32; at < side.end; at += THREADS)
            expand(s, which, at, side.end - at, side, &sh.found, &sh.meeting);
        __syncthreads();
        advance(&sides[which], sh.found);
        *met = sh.meeting;
        __syncthreads();
    }
}

/* One level by all blocks. */
static __device__ void go_together(const bi_cell_search &s, search_shared *g, bi_grid_barrier *barrier, uint32_t round,
                                   int which, search_side *side, uint32_t *met)
{
    const uint32_t now = round % 3, next = (round + 1) % 3, first = (blockIdx.x * THREADS + threadIdx.x) / 32 * 32;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        bi_poke(&g->found[next], 0);
        bi_poke(&g->meeting[next], NOBODY);
    }
    for (uint64_t at = (uint64_t)side->begin + first; at < side->end; at += (uint64_t)gridDim.x * THREADS)
        expand(s, which, (uint32_t)at, side->end - (uint32_t)at, *side, &g->found[now], &g->meeting[now]);
    bi_grid_sync(barrier);
    advance(side, bi_peek(&g->found[now]));
    *met = bi_peek(&g->meeting[now]);
}

static __device__ void give(search_shared *g, const search_side sides[2], uint32_t met)
{
    for (int k = 0; k < 2; k++) {
        bi_poke(&g->sides[k].begin, sides[k].begin);
        bi_poke(&g->sides[k].end, sides[k].end);
        bi_poke(&g->sides[k].depth, sides[k].depth);
    }
    bi_poke(&g->met, met);
}

static __device__ void take(const search_shared *g, search_side sides[2], uint32_t *met)
{
    for (int k = 0; k < 2; k++)
        sides[k] = {bi_peek(&g->sides[k].begin), bi_peek(&g->sides[k].end), bi_peek(&g->sides[k].depth)};
    *met = bi_peek(&g->met);
}

static __global__ void __launch_bounds__(THREADS) kernel_search(const bi_cell_search s, search_shared *g)
{
    BI_SHARED(alone_shared, sh);
    bi_grid_barrier barrier = {&g->arrived, 0};
    search_side sides[2] = {{0, 1, 0}, {0, 1, 0}};
    uint32_t met = s.sides == 2 && s.source[0] == s.source[1] ? s.source[0] : NOBODY;
    int which;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int k = 0; k < s.sides; k++) {
            bi_poke(&s.queue[k][0], s.source[k]);
            atomicMin((unsigned long long *)&s.reach[k][s.source[k]], (unsigned long long)s.source[k]);
        }
    __syncthreads(); /* the first level is small: the first block alone reads it */
    for (uint32_t round = 0; goes_on(s, sides, met, &which); round++) {
        if (level_of(sides[which]) > SMALL) {
            go_together(s, g, &barrier, round, which, &sides[which], &met);
            continue;
        }
        if (blockIdx.x == 0) {
            go_alone(s, sides, &met, sh);
            if (threadIdx.x == 0) {
                give(g, sides, met);
                bi_poke(&g->found[(round + 1) % 3], 0);
                bi_poke(&g->meeting[(round + 1) % 3], NOBODY);
            }
        }
        bi_grid_sync(&barrier);
        take(g, sides, &met);
    }
    if (blockIdx.x > 0 || threadIdx.x % 32 != 0 || (int)threadIdx.x / 32 >= s.sides) return;
    const bi_cell_searched result = {{sides[0].end, sides[1].end}, {sides[0].depth, sides[1].depth}, met};
    if (threadIdx.x == 0) *s.result = result;
    if (met != NOBODY) bi_cell_trace(&s, &result, (int)threadIdx.x / 32);
}

bosc_status cell_search(bosc_ctx *ctx, const struct bi_cell_search *search)
{
    unsigned blocks;
    search_shared *shared;
    void *room;
    BI_TRY(bi_scratch(ctx, sizeof *shared, &room));
    shared = (search_shared *)room;
    BI_TRY(ctx->backend->fill(ctx, shared, 0, sizeof *shared));
    BI_TRY(ctx->backend->fill(ctx, shared->meeting, 0xff, sizeof shared->meeting));
    BI_TRY(bi_blocks_together(ctx, kernel_search, THREADS, BLOCKS, &blocks));
    return BI_RUN_TOGETHER(ctx, kernel_search, blocks, THREADS, *search, shared);
}
