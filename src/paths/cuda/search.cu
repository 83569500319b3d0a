/* The search on CUDA: one cooperative launch. Ranges of distances are processed in turn: near vertices are in the
 * present range, far ones beyond it. In a round every block relaxes its share of the near list, and then, without the
 * other blocks, the vertices that become near by that, a few hops far; so a long path of few vertices needs a barrier
 * of the grid for several arcs alone. Results do not depend on the order, as distances only fall.
 *
 * A vertex is listed as far when it is first reached beyond the range: once at most. It is listed as near at each fall
 * of its distance, with the distance; entries of earlier distances have no effect. If the near list overflows, a round
 * reads the distances of all vertices instead.
 *
 * Sources: Davidson, Baxter, Garland, Owens, Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths
 * (IPDPS 2014); Wang, Fussell, Lin, A Fast Work-Efficient SSSP Algorithm for GPUs (PPoPP 2021). */
#include "core/call.h"
#include "core/cuda/cooperative.cuh"
#include "core/cuda/warp.cuh"
#include "paths/paths.h"

#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { THREADS = 64, QUEUE = 32, PART = 8, MOST_LISTED = 48 };
#else
enum {
    THREADS = 1024,
    QUEUE = 1024,         /* vertices near a block, in shared memory */
    PART = 256,           /* arcs of a row that one entry stands for */
    MOST_LISTED = 1 << 16 /* entries of the near list beyond half of the vertices */
};
#endif
/* HOPS: rounds of a block between two barriers of the grid. Measured, a road network of 23.9 M vertices on an H200: 46
 * ms with 0, 27 with 4, 23 with 16.
 * FEW_FAR: far vertices up to which the next range is wider: the frontier of a road network is below, that of a graph
 * whose distances are a few arcs soon above. */
enum { WARPS = THREADS / 32, HOPS = 16, FEW_FAR = 1 << 16 };
/* Widths of ranges, in mean lengths of arcs: of the first, and of the widest. */
static constexpr double FIRST_WIDTH = 0.5, MOST_WIDTH = 64, GROWTH = 1.25;

/* ---- the state ---- */

/* `part`: of the vertex's row, PART arcs each. */
struct alignas(16) entry {
    unsigned long long distance;
    uint32_t vertex, part;
};

/* Counters of lists rotate: one is read, one written, one cleared. */
struct control {
    unsigned long long sums[2], least[3];
    unsigned near_count[3], far_count[3];
};

struct args {
    bi_paths_rows rows;
    unsigned long long *distances;
    const uint32_t *list; /* the first vertices */
    uint32_t count, capacity;
    double width, most_width; /* of the first range, and of the widest */
    entry *near_list[2];
    uint32_t *far_list[2];
    struct control *control;
};

struct queue {
    unsigned long long distance[QUEUE];
    uint32_t vertex[QUEUE], begin[QUEUE], end[QUEUE];
    unsigned count;
};

struct shared {
    struct queue queue[2];
    unsigned long long sum;
    unsigned pushed, base; /* entries of the near list by this block; the first of a flush */
    bool lost;             /* an entry did not fit */
};

static constexpr unsigned long long LOST = 1ull << 40; /* flag of a block's sum: an entry did not fit */

/* A thread's view. `side`: the queue that is read. */
struct search {
    const args &a;
    const bi_paths_rows &rows;
    struct shared &sh;
    bi_grid_sum barrier;
    unsigned long long range_begin, range_end;
    double width;
    unsigned near_turn, far_turn, side;
};

/* One arc range of a vertex, owned by a lane. */
struct item {
    unsigned long long distance;
    uint32_t vertex, end, length;
};

/* ---- lists ---- */

/* The near list that is written, and its counter. */
static __device__ __forceinline__ entry *written_list(const search &s) { return s.a.near_list[(s.near_turn + 1) % 2]; }

/* Adds entries for a row of `length` arcs to the near list of the next round. */
static __device__ __forceinline__ void push_near(const search &s, uint32_t v, unsigned long long distance,
                                                 uint32_t length)
{
    const uint32_t parts = (uint32_t)(((uint64_t)length + PART - 1) / PART);
    const uint32_t at = atomicAdd(&s.a.control->near_count[(s.near_turn + 1) % 3], parts);
    const bool fits = at < s.a.capacity && parts <= s.a.capacity - at;
    if (!fits) {
        s.sh.lost = true;
        return;
    }
    atomicAdd(&s.sh.pushed, parts);
    entry *to = written_list(s) + at;
    for (uint32_t k = 0; k < parts; k++) to[k] = {distance, v, k};
}

static __device__ __forceinline__ void push_far(const search &s, uint32_t v)
{
    const unsigned at = atomicAdd(&s.a.control->far_count[s.far_turn % 3], 1u);
    s.a.far_list[s.far_turn % 2][at] = v;
}

/* Adds a vertex that has become near to the block's queue, or to the list. */
static __device__ __forceinline__ void push_queue(const search &s, uint32_t v, unsigned long long distance,
                                                  uint32_t begin, uint32_t end)
{
    struct queue &q = s.sh.queue[s.side ^ 1];
    if (begin == end) return;
    const unsigned at = end - begin <= PART ? atomicAdd(&q.count, 1u) : (unsigned)QUEUE;
    if (at >= QUEUE) {
        push_near(s, v, distance, end - begin);
        return;
    }
    q.distance[at] = distance;
    q.vertex[at] = v;
    q.begin[at] = begin;
    q.end[at] = end;
}

/* ---- relaxation ---- */

/* Relaxes one arc of u, unless u has fallen since. The row of its end is read beside the atomic minimum. `checked`:
 * most arcs change nothing, so that a read comes first. */
static __device__ __forceinline__ void relax_arc(const search &s, unsigned long long from, uint32_t u, int64_t arc,
                                                 bool checked)
{
    const bi_paths_rows &r = s.rows;
    const unsigned long long now = bi_load_relaxed(&s.a.distances[u]);
    const uint32_t v = r.neighbours[arc];
    const unsigned long long sum = bi_paths_sum(&r, from, u, arc);
    if (now != from || sum >= r.bound || (checked && sum >= bi_load_hint(&s.a.distances[v]))) return;
    const uint32_t begin = (uint32_t)bi_paths_row_begin(&r, v), end = (uint32_t)bi_paths_row_begin(&r, (int64_t)v + 1);
    const unsigned long long previous = atomicMin(&s.a.distances[v], sum);
    if (sum >= previous) return;
    if (sum < s.range_end)
        push_queue(s, v, sum, begin, end);
    else if (previous == r.none)
        push_far(s, v);
}

/* Relaxes the arcs of the lanes' items; lanes without one have length 0. The whole warp calls it. */
static __device__ __forceinline__ void relax_items(const search &s, const item &own, bool checked)
{
    const unsigned lane = threadIdx.x % 32;
    const uint32_t inclusive = bi_warp_inclusive_sum(own.length), total = __shfl_sync(~0u, inclusive, 31);
    for (uint32_t first = 0; first < total; first += 32) {
        const uint32_t k = first + lane;
        const unsigned owner = bi_find_entry_lane(inclusive, k);
        const unsigned long long from = __shfl_sync(~0u, own.distance, owner);
        const uint32_t u = __shfl_sync(~0u, own.vertex, owner), end = __shfl_sync(~0u, own.end, owner);
        const uint32_t beyond = __shfl_sync(~0u, inclusive, owner);
        if (k < total) relax_arc(s, from, u, (int64_t)end - (beyond - k), checked);
    }
}

/* The item of an entry of the near list; empty if the distance has fallen since. */
static __device__ __forceinline__ item read_entry(const search &s, const entry &e)
{
    const unsigned long long now = bi_load_relaxed(&s.a.distances[e.vertex]);
    const uint32_t begin = (uint32_t)bi_paths_row_begin(&s.rows, e.vertex) + e.part * PART,
                   end = (uint32_t)bi_paths_row_begin(&s.rows, (int64_t)e.vertex + 1);
    item own = {e.distance, e.vertex, end - begin <= PART ? end : begin + PART, 0};
    if (now == e.distance) own.length = own.end - begin;
    return own;
}

/* Relaxes the block's share of the near list. A warp has few items if there are few. */
static __device__ void relax_share(const search &s, uint32_t count)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t each = (count + gridDim.x - 1) / gridDim.x;
    const uint32_t begin = each * blockIdx.x < count ? each * blockIdx.x : count;
    const uint32_t end = count - begin < each ? count : begin + each;
    const uint32_t step = (end - begin + WARPS - 1) / WARPS < 32 ? (end - begin + WARPS - 1) / WARPS : 32;
    const entry *list = s.a.near_list[s.near_turn % 2];
    for (uint32_t first = begin + warp * step; first < end; first += WARPS * step) {
        item own = {};
        if (lane < step && lane < end - first) own = read_entry(s, list[first + lane]);
        relax_items(s, own, each >= THREADS);
    }
}

/* Relaxes the vertices of the block's queue. */
static __device__ void relax_queue(const search &s)
{
    const struct queue &q = s.sh.queue[s.side];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned count = q.count < QUEUE ? q.count : (unsigned)QUEUE;
    const unsigned step = (count + WARPS - 1) / WARPS < 32 ? (count + WARPS - 1) / WARPS : 32;
    for (unsigned first = warp * step; first < count; first += WARPS * step) {
        item own = {};
        const unsigned at = first + lane;
        if (lane < step && at < count) own = {q.distance[at], q.vertex[at], q.end[at], q.end[at] - q.begin[at]};
        relax_items(s, own, false);
    }
}

/* Relaxes all vertices of the range. */
static __device__ void relax_all(const search &s)
{
    const uint32_t n = (uint32_t)s.rows.n;
    for (uint32_t first = (blockIdx.x * WARPS + threadIdx.x / 32) * 32; first < n; first += gridDim.x * THREADS) {
        const uint32_t v = first + threadIdx.x % 32;
        item own = {};
        if (v < n) {
            const unsigned long long at = bi_load_relaxed(&s.a.distances[v]);
            const uint32_t begin = (uint32_t)bi_paths_row_begin(&s.rows, v),
                           end = (uint32_t)bi_paths_row_begin(&s.rows, (int64_t)v + 1);
            if (at >= s.range_begin && at < s.range_end) own = {at, v, end, end - begin};
        }
        relax_items(s, own, true);
        if (n - first <= gridDim.x * THREADS) break; /* the sum would overflow for n near 2^32 */
    }
}

/* ---- rounds ---- */

/* Adds the queue that was written to the near list. Barriers of the block precede and follow. */
static __device__ void flush_queue(const search &s)
{
    struct queue &q = s.sh.queue[s.side ^ 1];
    const unsigned count = q.count < QUEUE ? q.count : (unsigned)QUEUE;
    if (threadIdx.x == 0 && count) s.sh.base = atomicAdd(&s.a.control->near_count[(s.near_turn + 1) % 3], count);
    __syncthreads(); /* all see the position in the list */
    if (count == 0) return;
    const unsigned base = s.sh.base;
    const bool fits = base < s.a.capacity && count <= s.a.capacity - base;
    if (threadIdx.x == 0 && fits) atomicAdd(&s.sh.pushed, count);
    if (threadIdx.x == 0 && !fits) s.sh.lost = true;
    if (!fits) return;
    for (unsigned k = threadIdx.x; k < count; k += THREADS) written_list(s)[base + k] = {q.distance[k], q.vertex[k], 0};
}

/* Waits for all blocks; returns the number of near entries that they added, and LOST or more if some did not fit. All
 * writes of the blocks are visible afterwards. */
static __device__ unsigned long long finish_round(search &s)
{
    __syncthreads(); /* the block has added all entries */
    if (threadIdx.x == 0) {
        s.sh.sum = bi_grid_barrier_sum(&s.barrier, s.sh.pushed + (s.sh.lost ? LOST : 0), true);
        s.sh.pushed = 0;
        s.sh.lost = false;
        s.sh.queue[0].count = s.sh.queue[1].count = 0;
        /* The counter of the round that has ended is written two rounds later. */
        if (blockIdx.x == 0) s.a.control->near_count[s.near_turn % 3] = 0;
    }
    __syncthreads(); /* all threads see the sum */
    s.near_turn++;
    return s.sh.sum;
}

/* A round: the share, then hops within the block. */
static __device__ unsigned long long relax_round(search &s, unsigned long long near_sum)
{
    if (near_sum >= LOST)
        relax_all(s);
    else
        relax_share(s, (uint32_t)near_sum);
    __syncthreads(); /* the queue is complete */
    for (int hop = 0; hop < HOPS; hop++) {
        s.side ^= 1;
        const unsigned count = s.sh.queue[s.side].count;
        if (count == 0 || count > QUEUE / 2) { /* full queues are shared with other blocks */
            s.side ^= 1;
            break;
        }
        relax_queue(s);
        __syncthreads(); /* the queue is read, and the other one complete */
        if (threadIdx.x == 0) s.sh.queue[s.side].count = 0;
        __syncthreads(); /* all see that it is empty */
    }
    flush_queue(s);
    return finish_round(s);
}

/* Advances to the next range with vertices: far vertices of the range become near, those of earlier ranges are
 * dropped, and all others stay far. Returns the sum of the round; 0: none is left. */
static __device__ unsigned long long advance_range(search &s)
{
    struct control *c = s.a.control;
    for (;;) {
        const unsigned count = bi_load_relaxed(&c->far_count[s.far_turn % 3]), turn = s.far_turn;
        const uint32_t *list = s.a.far_list[turn % 2];
        unsigned long long least = ~0ull;
        if (count == 0) return 0;
        s.range_begin = s.range_end;
        if (count < FEW_FAR && s.width < s.a.most_width) s.width *= GROWTH;
        s.range_end = bi_paths_range_end(&s.rows, s.range_begin, s.width);
        s.far_turn++;
        if (blockIdx.x == 0 && threadIdx.x == 0) { /* those of two turns before */
            c->far_count[(turn + 2) % 3] = 0;
            c->least[(turn + 1) % 3] = ~0ull;
        }
        for (uint64_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
            const uint32_t v = list[i];
            const unsigned long long at = bi_load_relaxed(&s.a.distances[v]);
            if (at < s.range_begin) continue;
            if (at >= s.range_end) {
                least = at < least ? at : least;
                push_far(s, v);
                continue;
            }
            push_near(s, v, at,
                      (uint32_t)(bi_paths_row_begin(&s.rows, (int64_t)v + 1) - bi_paths_row_begin(&s.rows, v)));
        }
        least = bi_warp_min(least);
        if (threadIdx.x % 32 == 0 && least != ~0ull) atomicMin(&c->least[turn % 3], least);
        const unsigned long long sum = finish_round(s);
        if (sum) return sum;
        /* No distance lies between the ranges. Vertices without arcs may have been the only ones. */
        const unsigned long long next = bi_load_relaxed(&c->least[turn % 3]);
        if (next != ~0ull) s.range_end = next;
    }
}

/* The rows with the members that select code as constants: of KIND's type, offsets of 32 bits, no plateau. */
enum kind { ANY, OF_U32, OF_F32, OF_F64, UNWEIGHTED };
template <int KIND> static __device__ __forceinline__ bi_paths_rows rows_of(const bi_paths_rows &given)
{
    bi_paths_rows r = given;
    r.offsets_64bit = false;
    if (KIND == ANY) return r;
    r.weight = KIND == OF_F32 ? BOSC_F32 : KIND == OF_F64 ? BOSC_F64 : BOSC_U32;
    r.keys_64bit = KIND == OF_F64;
    r.unweighted = KIND == UNWEIGHTED;
    r.plateau = NULL;
    return r;
}

template <int KIND> static __global__ void __launch_bounds__(THREADS, 1) bi_paths_search_ranges(const args a)
{
    BI_SHARED(struct shared, sh);
    const bi_paths_rows rows = rows_of<KIND>(a.rows);
    search s = {a, rows, sh, {a.control->sums, 0, 0, 0}, 0, bi_paths_range_end(&rows, 0, a.width), a.width, 0, 0, 0};
    if (threadIdx.x == 0) {
        sh.pushed = 0;
        sh.lost = false;
        sh.queue[0].count = sh.queue[1].count = 0;
    }
    __syncthreads(); /* all see the counters */
    /* 1. List the first vertices. */
    for (uint64_t i = blockIdx.x * THREADS + threadIdx.x; i < a.count; i += gridDim.x * THREADS) {
        const uint32_t v = a.list[i];
        push_near(s, v, bi_load_relaxed(&a.distances[v]),
                  (uint32_t)(bi_paths_row_begin(&rows, (int64_t)v + 1) - bi_paths_row_begin(&rows, v)));
    }
    unsigned long long near_sum = finish_round(s);
    /* 2. Rounds until a range is finished, then the next range. */
    for (;;) {
        while (near_sum) near_sum = relax_round(s, near_sum);
        near_sum = advance_range(s);
        if (near_sum == 0) break;
    }
}

/* ---- launch ---- */

static int64_t near_capacity(int64_t n, int64_t arcs)
{
    const int64_t most = n + arcs / PART + 1, some = n / 2 + MOST_LISTED;
    return most < some ? most : some;
}

template <int KIND> static bosc_status launch_search(bosc_ctx *ctx, const args &a)
{
    unsigned blocks;
    BI_TRY(bi_cooperative_grid(ctx, bi_paths_search_ranges<KIND>, THREADS, 1, &blocks));
    const int64_t busy = bi_div_up(a.rows.n, THREADS); /* more blocks would only slow the barriers */
    if (busy < (int64_t)blocks) blocks = (unsigned)busy;
    if (blocks > BI_GRID_SUM_BLOCKS) blocks = BI_GRID_SUM_BLOCKS;
    return BI_RUN_COOPERATIVE(ctx, bi_paths_search_ranges<KIND>, blocks, THREADS, a);
}

bosc_status bi_paths_cuda_search(bosc_ctx *ctx, bi_paths_search *search)
{
    const bi_paths_rows &r = search->rows;
    /* 1. Arguments and lists. */
    args a = {};
    a.rows = r;
    a.distances = (unsigned long long *)search->distances;
    a.list = search->list;
    a.count = (uint32_t)search->count;
    a.capacity = (uint32_t)near_capacity(r.n, r.arcs);
    const double mean = search->mean_length > 0 ? search->mean_length : 1;
    a.width = search->width > 0 ? search->width : mean * FIRST_WIDTH;
    a.most_width = search->width > 0 ? search->width : mean * MOST_WIDTH;
    for (int k = 0; k < 2; k++) {
        BI_TRY(bi_scratch_of(ctx, a.capacity, sizeof(entry), &a.near_list[k]));
        BI_TRY(bi_scratch_of(ctx, r.n, sizeof(uint32_t), &a.far_list[k]));
    }
    BI_TRY(bi_scratch_of(ctx, 1, sizeof(control), &a.control));
    BI_TRY(ctx->backend->fill(ctx, a.control, 0, sizeof *a.control));
    BI_TRY(ctx->backend->fill(ctx, a.control->least, 0xff, sizeof a.control->least));
    /* 2. The kernel of the type. */
    if (r.plateau) return launch_search<ANY>(ctx, a);
    if (r.unweighted) return launch_search<UNWEIGHTED>(ctx, a);
    switch (r.weight) {
    case BOSC_U32: return launch_search<OF_U32>(ctx, a);
    case BOSC_F32: return launch_search<OF_F32>(ctx, a);
    case BOSC_F64: return launch_search<OF_F64>(ctx, a);
    default: return launch_search<ANY>(ctx, a);
    }
}

int64_t bi_paths_cuda_search_bytes(const bosc_ctx *, int64_t n, int64_t arcs)
{
    return 2 * near_capacity(n, arcs) * (int64_t)sizeof(entry) + 2 * n * (int64_t)sizeof(uint32_t) +
           (int64_t)sizeof(control);
}
