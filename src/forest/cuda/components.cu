/* Connected components on CUDA. Trees of vertices and their first neighbours are hooked by edges to last neighbours,
 * which makes most of the largest component; then vertices outside it join their neighbours. An edge between two
 * vertices in it is not read, and one that leads out of it is read from its other end. Sources: Sutton, Ben-Nun, Barak,
 * Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (2018); Dhulipala, Hong, Shun, ConnectIt: A
 * Framework for Static and Incremental Parallel Graph Connectivity Algorithms (2020); hooking by minima: Zhang, Azad,
 * Hu, FastSV: A Distributed-Memory Connected Component Algorithm with Fast Convergence (2020). */
#include "forest/cuda/components.cuh"
#include "forest/forest.h"
#include "forest/steps/rows.h"

enum {
    THREADS = BI_COMPONENTS_THREADS,
    HOOKS = 2, /* after one, few trees are left, each by itself less than all others; after two, mostly one */
    SAMPLES = 512,
    SHORT_ROW = 24, /* arcs that one lane joins; a warp those of a longer row */
    CHUNK = 2048    /* arcs of a row that is left to all blocks, a chunk for each */
};

struct chunk {
    int64_t begin, end;
    uint32_t row;
};

struct state {
    struct bi_msf_rows rows;
    uint32_t *parent; /* n: points to a smaller vertex of the component, or to the vertex itself */
    uint32_t *last;   /* n: the last neighbour, or the vertex itself */
    struct chunk *chunks;
    struct bi_components_control *control;
};

/* CHECKED kernels serve calls with masks or a limit. */
template <bool CHECKED> __device__ __forceinline__ bool there(const struct state &s, uint32_t v, int64_t place)
{
    return !CHECKED || bi_msf_there(&s.rows, v, place);
}

__device__ __forceinline__ int64_t offset(const struct state &s, int64_t v)
{
    return (int64_t)bi_word(s.rows.offsets, s.rows.wide, v);
}

/* Every vertex begins below its first neighbour, the smallest, if that is smaller: no atomics, no cycles. */
template <bool CHECKED> static __global__ void __launch_bounds__(THREADS) bi_components_join_first(struct state s)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= s.rows.n) return;
    uint32_t v = (uint32_t)i, first = v, last = v;
    int64_t begin = offset(s, i), end = offset(s, i + 1);
    if (begin < end) {
        first = s.rows.neighbours[begin];
        last = s.rows.neighbours[end - 1];
        if (!there<CHECKED>(s, v, begin)) first = v;
        if (!there<CHECKED>(s, v, end - 1)) last = v;
    }
    s.parent[v] = first < v ? first : v;
    s.last[v] = last;
}

/* By the edges to last neighbours; parents are roots. */
static __global__ void __launch_bounds__(THREADS) bi_components_hook_last(struct state s)
{
    int64_t v = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (v < s.rows.n && s.last[v] != (uint32_t)v) bi_components_hook(s.parent, (uint32_t)v, s.last[v]);
}

/* The component of most of the sampled vertices. */
static __global__ void __launch_bounds__(SAMPLES) bi_components_find_giant(struct state s)
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
    __syncthreads();
    for (int k = 0; k < SAMPLES; k++) count += sh.root[k] == root;
    atomicMax(&sh.most, (unsigned long long)count << 32 | root);
    __syncthreads();
    if (threadIdx.x == 0) s.control->giant = (uint32_t)sh.most;
}

template <bool CHECKED>
__device__ __forceinline__ void join_arcs(const struct state &s, uint32_t v, int64_t from, int64_t to, int step)
{
    for (int64_t place = from; place < to; place += step)
        if (there<CHECKED>(s, v, place)) bi_components_join(s.parent, v, s.rows.neighbours[place]);
}

static __device__ void leave_to_all(const struct state &s, uint32_t v, int64_t from, int64_t to)
{
    uint32_t at = atomicAdd(&s.control->chunks, (uint32_t)bi_div_up(to - from, CHUNK));
    for (; from < to; from += CHUNK) s.chunks[at++] = {from, from + CHUNK < to ? from + CHUNK : to, v};
}

/* Whether the giant is not above the vertex, which is pointed at its root. */
__device__ __forceinline__ bool is_outside(uint32_t *parent, uint32_t v, uint32_t giant)
{
    uint32_t at = bi_atomic_load_u32(&parent[v]), above;
    while (at != giant && (above = bi_atomic_load_u32(&parent[at])) != at) {
        bi_atomic_store_u32(&parent[v], above);
        at = above;
    }
    return at != giant;
}

/* Vertices outside the largest component join their neighbours, but for the first where that is above them. One that
 * gets into it meanwhile may be left out: whoever is still outside reads their edge from there. */
template <bool CHECKED> static __global__ void __launch_bounds__(THREADS) bi_components_join_rest(struct state s)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, from = 0, to = 0;
    uint32_t v = (uint32_t)i, giant = s.control->giant, lane = threadIdx.x % 32;
    if (i < s.rows.n && is_outside(s.parent, v, giant)) {
        from = offset(s, i);
        to = offset(s, i + 1);
        if (from < to && s.rows.neighbours[from] < v) from++;
    }
    int64_t arcs = to - from;
    if (arcs > CHUNK)
        leave_to_all(s, v, from, to);
    else if (arcs <= SHORT_ROW)
        join_arcs<CHECKED>(s, v, from, to, 1);
    for (unsigned rest = __ballot_sync(~0u, arcs > SHORT_ROW && arcs <= CHUNK); rest; rest &= rest - 1) {
        int who = __ffs((int)rest) - 1;
        uint32_t row = __shfl_sync(~0u, v, who);
        int64_t begin = __shfl_sync(~0u, from, who), end = __shfl_sync(~0u, to, who);
        join_arcs<CHECKED>(s, row, begin + lane, end, 32);
    }
}

/* The chunks of long rows. */
template <bool CHECKED> static __global__ void __launch_bounds__(THREADS) bi_components_join_chunks(struct state s)
{
    for (uint32_t k = blockIdx.x; k < s.control->chunks; k += gridDim.x) {
        struct chunk c = s.chunks[k];
        join_arcs<CHECKED>(s, c.row, c.begin + threadIdx.x, c.end, THREADS);
    }
}

template <bool CHECKED> static bosc_status launch(bosc_ctx *ctx, const struct state &s)
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
        BI_TRY(BI_RUN(ctx, bi_components_join_rest<CHECKED>, blocks, THREADS, 0, s));
        if (s.chunks)
            BI_TRY(BI_RUN(ctx, bi_components_join_chunks<CHECKED>, bi_grid(ctx, s.rows.arcs, CHUNK), THREADS, 0, s));
    }
    return bi_components_label(ctx, s.parent, s.rows.n, s.rows.order.vertex_mask, s.control);
}

extern "C" bosc_status bi_components_cuda(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels,
                                          int64_t *count)
{
    struct state s = {};
    struct bi_components_control told;
    void *last, *chunks, *control;
    bool limited = rows->order.limit != (rows->wide_keys ? UINT64_MAX : UINT32_MAX);
    bool checked = rows->order.vertex_mask || rows->order.edge_mask || limited;
    bool done;
    *count = 0;
    if (rows->n == 0) return BOSC_OK;
    BI_TRY(bi_components_small(ctx, rows, checked, labels, count, &done));
    if (done) return BOSC_OK;
    BI_TRY(bi_scratch(ctx, (size_t)rows->n * sizeof(uint32_t), &last));
    BI_TRY(bi_scratch(ctx, sizeof(struct bi_components_control), &control));
    BI_TRY(bi_scratch(ctx, (size_t)(2 * rows->arcs / CHUNK) * sizeof(struct chunk), &chunks));
    s.rows = *rows;
    s.parent = labels;
    s.last = (uint32_t *)last;
    s.chunks = (struct chunk *)chunks;
    s.control = (struct bi_components_control *)control;
    BI_TRY(ctx->backend->fill(ctx, control, 0, sizeof(struct bi_components_control)));
    BI_TRY(checked ? launch<true>(ctx, s) : launch<false>(ctx, s));
    BI_TRY(bi_read_back(ctx, &told, control, sizeof told));
    *count = told.roots;
    return BOSC_OK;
}
