/* Connected components on CUDA. Each vertex starts below its first neighbour; edges to last neighbours then hook
 * trees. This makes most of the largest component. Then only vertices outside it process all their neighbours: an edge
 * inside it is not read, an edge leaving it is read from its other end. Sources: Sutton, Ben-Nun, Barak, Optimizing
 * Parallel Graph Connectivity Computation via Subgraph Sampling (2018); Dhulipala, Hong, Shun, ConnectIt: A Framework
 * for Static and Incremental Parallel Graph Connectivity Algorithms (2020); hooking by minima: Zhang, Azad, Hu,
 * FastSV: A Distributed-Memory Connected Component Algorithm with Fast Convergence (2020). */
#include "forest/cuda/components.cuh"
#include "forest/forest.h"
#include "forest/steps/rows.h"

enum {
    THREADS = BI_COMPONENTS_THREADS,
    HOOKS = 2,      /* passes of hooks: one leaves 0.38 ms of unions at 2^20 edges, two 6 us; measured */
    SAMPLES = 512,  /* vertices sampled for the largest component; one block, chosen */
    SHORT_ROW = 24, /* a lane processes rows of up to this many arcs, a warp longer ones; chosen */
    CHUNK = 2048    /* a row of more arcs is divided among all blocks, in chunks of this many; chosen */
};

/* A share of a long row. */
struct chunk {
    int64_t begin, end;
    uint32_t row;
};

struct components_state {
    struct bi_msf_rows rows;
    uint32_t *parent; /* n: a smaller vertex of the component, or the vertex itself */
    uint32_t *last;   /* n: the last neighbour, or the vertex itself */
    struct chunk *chunks;
    struct bi_components_control *control;
};

/* CHECKED kernels serve calls with masks or a limit. */
template <bool CHECKED>
__device__ __forceinline__ bool arc_is_edge(const struct components_state &s, uint32_t v, int64_t arc)
{
    return !CHECKED || bi_msf_arc_is_edge(&s.rows, v, arc);
}

__device__ __forceinline__ int64_t row_offset(const struct components_state &s, int64_t v)
{
    return (int64_t)bi_word(s.rows.offsets, s.rows.is_64bit, v);
}

/* Initialises each vertex's parent to its first (smallest) neighbour if that is smaller: no atomics, no cycles. */
template <bool CHECKED>
static __global__ void __launch_bounds__(THREADS) bi_components_join_first(struct components_state s)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= s.rows.n) return;
    uint32_t v = (uint32_t)i, first = v, last = v;
    int64_t begin = row_offset(s, i), end = row_offset(s, i + 1);
    if (begin < end) {
        first = s.rows.neighbours[begin];
        last = s.rows.neighbours[end - 1];
        if (!arc_is_edge<CHECKED>(s, v, begin)) first = v;
        if (!arc_is_edge<CHECKED>(s, v, end - 1)) last = v;
    }
    s.parent[v] = first < v ? first : v;
    s.last[v] = last;
}

/* Hooks trees by the edges to last neighbours. Parents must be roots. */
static __global__ void __launch_bounds__(THREADS) bi_components_hook_last(struct components_state s)
{
    int64_t v = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (v < s.rows.n && s.last[v] != (uint32_t)v) bi_components_hook(s.parent, (uint32_t)v, s.last[v]);
}

/* Finds the root of most of the sampled vertices. Writing count << 32 | root makes the choice by one maximum. */
static __global__ void __launch_bounds__(SAMPLES) bi_components_find_giant(struct components_state s)
{
    struct giant_shared {
        uint32_t root[SAMPLES];
        unsigned long long most;
    };
    BI_SHARED(giant_shared, sh);
    uint32_t v = (uint32_t)((uint64_t)threadIdx.x * (uint64_t)s.rows.n / SAMPLES);
    uint32_t root = s.parent[v], count = 0;
    sh.root[threadIdx.x] = root;
    if (threadIdx.x == 0) sh.most = 0;
    /* Wait for all samples and the zeroed maximum. */
    __syncthreads();
    for (int k = 0; k < SAMPLES; k++) count += sh.root[k] == root;
    atomicMax(&sh.most, (unsigned long long)count << 32 | root);
    __syncthreads(); /* all samples have been counted */
    if (threadIdx.x == 0) s.control->giant = (uint32_t)sh.most;
}

/* Unites v with its neighbours at from, from + step, ... */
template <bool CHECKED>
__device__ __forceinline__ void join_arcs(const struct components_state &s, uint32_t v, int64_t from, int64_t to,
                                          int step)
{
    for (int64_t arc = from; arc < to; arc += step)
        if (arc_is_edge<CHECKED>(s, v, arc)) bi_components_join(s.parent, v, s.rows.neighbours[arc]);
}

/* Queues a long row as chunks for bi_components_join_chunks. */
static __device__ void split_long_row(const struct components_state &s, uint32_t v, int64_t from, int64_t to)
{
    uint32_t at = atomicAdd(&s.control->chunks, (uint32_t)bi_div_up(to - from, CHUNK));
    for (; from < to; from += CHUNK) s.chunks[at++] = {from, from + CHUNK < to ? from + CHUNK : to, v};
}

/* True if the vertex is outside the largest component; shortens its path to the root. */
__device__ __forceinline__ bool is_outside(uint32_t *parent, uint32_t v, uint32_t giant)
{
    uint32_t at = bi_atomic_load_u32(&parent[v]), above;
    while (at != giant && (above = bi_atomic_load_u32(&parent[at])) != at) {
        bi_atomic_store_u32(&parent[v], above);
        at = above;
    }
    return at != giant;
}

/* Vertices outside the largest component unite with their neighbours; the first neighbour is skipped if it was the
 * initial parent. If a vertex gets into the largest component meanwhile, its remaining edges may be skipped: their
 * other ends are still outside and read them. */
template <bool CHECKED>
static __global__ void __launch_bounds__(THREADS) bi_components_join_outsiders(struct components_state s)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, from = 0, to = 0;
    uint32_t v = (uint32_t)i, giant = s.control->giant, lane = threadIdx.x % 32;
    /* 1. Each lane finds the arcs of its vertex. */
    if (i < s.rows.n && is_outside(s.parent, v, giant)) {
        from = row_offset(s, i);
        to = row_offset(s, i + 1);
        if (from < to && s.rows.neighbours[from] < v) from++;
    }
    int64_t arcs = to - from;
    /* 2. Short rows by their lane; rows too long for a warp are queued for all blocks. */
    if (arcs > CHUNK)
        split_long_row(s, v, from, to);
    else if (arcs <= SHORT_ROW)
        join_arcs<CHECKED>(s, v, from, to, 1);
    /* 3. The warp processes the other rows one by one, a lane per arc. */
    for (unsigned pending = __ballot_sync(~0u, arcs > SHORT_ROW && arcs <= CHUNK); pending; pending &= pending - 1) {
        int owner = __ffs((int)pending) - 1;
        uint32_t row = __shfl_sync(~0u, v, owner);
        int64_t begin = __shfl_sync(~0u, from, owner), end = __shfl_sync(~0u, to, owner);
        join_arcs<CHECKED>(s, row, begin + lane, end, 32);
    }
}

/* Unites the ends of the arcs in the chunks of long rows, a block per chunk. */
template <bool CHECKED>
static __global__ void __launch_bounds__(THREADS) bi_components_join_chunks(struct components_state s)
{
    for (uint32_t k = blockIdx.x; k < s.control->chunks; k += gridDim.x) {
        struct chunk c = s.chunks[k];
        join_arcs<CHECKED>(s, c.row, c.begin + threadIdx.x, c.end, THREADS);
    }
}

template <bool CHECKED> static bosc_status launch_kernels(bosc_ctx *ctx, const struct components_state &s)
{
    unsigned blocks = (unsigned)bi_div_up(s.rows.n, THREADS);
    BI_TRY(BI_RUN(ctx, bi_components_join_first<CHECKED>, blocks, THREADS, 0, s));
    if (s.rows.arcs > 0) {
        BI_TRY(bi_components_flatten(ctx, s.parent, s.rows.n));
        for (int k = 0; k < HOOKS; k++) {
            BI_TRY(BI_RUN(ctx, bi_components_hook_last, blocks, THREADS, 0, s));
            BI_TRY(bi_components_flatten(ctx, s.parent, s.rows.n));
        }
        BI_TRY(BI_RUN(ctx, bi_components_find_giant, 1, SAMPLES, 0, s));
        BI_TRY(BI_RUN(ctx, bi_components_join_outsiders<CHECKED>, blocks, THREADS, 0, s));
        if (s.chunks)
            BI_TRY(
                BI_RUN(ctx, bi_components_join_chunks<CHECKED>, bi_grid_size(ctx, s.rows.arcs, CHUNK), THREADS, 0, s));
    }
    return bi_components_label(ctx, s.parent, s.rows.n, s.rows.order.vertex_mask, s.control);
}

extern "C" bosc_status bi_components_cuda(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels,
                                          int64_t *count)
{
    struct components_state s = {};
    struct bi_components_control result;
    void *last, *chunks, *control;
    bool limited = rows->order.limit != (rows->keys_64bit ? UINT64_MAX : UINT32_MAX);
    bool checked = rows->order.vertex_mask || rows->order.edge_mask || limited;
    bool done;
    *count = 0;
    if (rows->n == 0) return BOSC_OK;
    BI_TRY(bi_components_launch_single_block(ctx, rows, checked, labels, count, &done));
    if (done) return BOSC_OK;
    BI_TRY(bi_scratch(ctx, (size_t)rows->n * sizeof(uint32_t), &last));
    BI_TRY(bi_scratch(ctx, sizeof(struct bi_components_control), &control));
    /* A row of more than CHUNK arcs has less than 2 * arcs / CHUNK chunks; NULL if no row can be so long. */
    BI_TRY(bi_scratch(ctx, (size_t)(2 * rows->arcs / CHUNK) * sizeof(struct chunk), &chunks));
    s.rows = *rows;
    s.parent = labels;
    s.last = (uint32_t *)last;
    s.chunks = (struct chunk *)chunks;
    s.control = (struct bi_components_control *)control;
    BI_TRY(ctx->backend->fill(ctx, control, 0, sizeof(struct bi_components_control)));
    BI_TRY(checked ? launch_kernels<true>(ctx, s) : launch_kernels<false>(ctx, s));
    BI_TRY(bi_read_back(ctx, &result, control, sizeof result));
    *count = result.roots;
    return BOSC_OK;
}
