/* Connected components on CUDA.
 *
 * Graphs: each vertex starts below its first neighbour; edges to last neighbours then hook trees. This makes most of
 * the largest component. Then only vertices outside it process all their neighbours: an edge inside it is not read, an
 * edge leaving it is read from its other end. Sources: Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity
 * Computation via Subgraph Sampling (2018); Dhulipala, Hong, Shun, ConnectIt: A Framework for Static and Incremental
 * Parallel Graph Connectivity Algorithms (2020); hooking by minima: Zhang, Azad, Hu, FastSV: A Distributed-Memory
 * Connected Component Algorithm with Fast Convergence (2020).
 *
 * Forests have no such component. Sparse graphs (SPARSE_ARCS) therefore read every edge once, from its larger end:
 * vertices start below their first neighbours and unite with their other smaller ones, without hooks between. Source of
 * the start and the choice of the end: Jaiganesh, Burtscher, A High-Performance Connected Components Implementation for
 * GPUs (2018).
 *
 * Edge lists without a graph: a sample of the entries, from all parts of the list, hooks trees; then most entries have
 * both ends below one root and cost two reads. The others unite their ends. */
#include "core/call.h"
#include "core/cuda/warp.cuh"
#include "base/union_find.h"
#include "forest/cuda/trees.cuh"

#ifdef BI_EMULATE
enum { SPARSE_VERTICES = 1 << 13 }; /* a small grid must reach that branch, the long rows of the cases must not */
#else
enum { SPARSE_VERTICES = 1 << 20 };
#endif
enum {
    THREADS = 256,
    SHORT_PATH = 4, /* parents followed by cached reads; then bi_uf_compress() shortens it. Not measured */
    HOOKS = 2,      /* passes of hooks: one leaves 0.38 ms of unions at 2^20 edges, two 6 us; measured */
    /* Sparse graphs have fewer arcs a vertex than FOREST_ARCS, as forests have, or from SPARSE_VERTICES on at most
     * SPARSE_ARCS. Measured on an H200, random with 3 arcs a vertex: 2^16 vertices 0.10 ms and 0.07 otherwise, 2^20
     * vertices 0.16 and 0.75. Sizes between were not measured. */
    FOREST_ARCS = 2,
    SPARSE_ARCS = 4,
    SAMPLES = 512, /* vertices sampled for the largest component, a thread of one block each. A miss costs time only */
    SHORT_ROW = BI_COMPONENTS_SHORT_ROW, /* a lane processes rows of up to this many arcs, a warp longer ones */
    CHUNK = 8 * THREADS /* arcs. Longer rows are divided among all blocks: 8 arcs a thread; not measured */
};

/* ---- trees: parent[v] is a smaller vertex of the component, or v itself ---- */

/* Counters shared by the kernels; zeroed before the first. `labelled` counts the blocks that have labelled their
 * vertices, and, in the low bits, the roots. */
struct bi_components_control {
    uint32_t giant, chunks;
    unsigned long long labelled;
};
enum { ROOT_BITS = 33 };                                   /* 2^32 vertices are at most 2^24 blocks */
static constexpr unsigned long long LABELLED = 1ull << 63; /* flag of the published word; the low bits are roots */

/* Hooks the larger of two roots below the smaller by an atomic minimum; u and v must point at roots. A root hooked by
 * several edges goes below the smallest, and the other trees may stay separate. So one pass does most unions of all
 * vertices at once, without retries. Only roots move. */
__device__ __forceinline__ void hook_roots(uint32_t *parent, uint32_t u, uint32_t v)
{
    const uint32_t a = bi_load_hint(&parent[u]), b = bi_load_hint(&parent[v]);
    if (a == b) return;
    const uint32_t high = a > b ? a : b, low = a > b ? b : a;
    if (low < bi_load_hint(&parent[high])) atomicMin(&parent[high], low);
}

/* As bi_uf_find, but reads through the L1 cache, as all threads read the same few roots. A stale root is detected by
 * the compare-and-swap of the union. */
__device__ __forceinline__ uint32_t hinted_root(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_load_hint(&parent[v]), above;
    while ((above = bi_load_hint(&parent[at])) != at) {
        bi_atomic_store_u32(&parent[v], above);
        v = at;
        at = above;
    }
    return at;
}

/* As bi_uf_union. */
static __device__ __forceinline__ void join_trees(uint32_t *parent, uint32_t u, uint32_t v)
{
    uint32_t a = hinted_root(parent, u), b = hinted_root(parent, v);
    while (a != b) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a, above = atomicCAS(&parent[high], high, low);
        if (above == high) return;
        a = bi_uf_find(parent, above);
        b = low;
    }
}

/* As bi_uf_compress while no unions run, so roots are fixed. Most paths are short and are followed by L1-cached reads;
 * a stale value read there is still an ancestor. */
__device__ __forceinline__ uint32_t compress_path(uint32_t *parent, uint32_t v)
{
    const uint32_t first = bi_load_hint(&parent[v]);
    uint32_t at = first;
    bool root = false;
    for (int step = 0; step < SHORT_PATH && !root; step++) {
        const uint32_t above = bi_load_hint(&parent[at]);
        root = above == at;
        at = above;
    }
    if (at != first) bi_atomic_store_u32(&parent[v], at);
    return root ? at : bi_uf_compress(parent, v);
}

static __global__ void __launch_bounds__(THREADS) bi_components_flatten_trees(uint32_t *parent, int64_t n)
{
    int64_t v = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (v < n) compress_path(parent, (uint32_t)v);
}

/* Points every vertex at its root. */
static bosc_status flatten_trees(bosc_ctx *ctx, uint32_t *parent, int64_t n)
{
    return BI_RUN(ctx, bi_components_flatten_trees, (unsigned)bi_div_up(n, THREADS), THREADS, 0, parent, n);
}

/* Points every vertex at its root, and counts the roots left by the mask: by warp, by block, in the control. The last
 * block publishes the count. */
static __global__ void __launch_bounds__(THREADS)
    bi_components_label_vertices(uint32_t *parent, int64_t n, const uint8_t *mask,
                                 struct bi_components_control *control, unsigned long long *report)
{
    struct label_shared {
        uint32_t warp[THREADS / 32];
    };
    BI_SHARED(label_shared, sh);
    /* 1. Label a vertex, and count roots by warp. */
    int64_t v = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    bool root = v < n && compress_path(parent, (uint32_t)v) == v && (!mask || mask[v]);
    unsigned votes = __ballot_sync(~0u, root);
    if (threadIdx.x % 32 == 0) sh.warp[threadIdx.x / 32] = (uint32_t)__popc(votes);
    /* Wait for the warps' counts, and for the labels. */
    __syncthreads();
    if (threadIdx.x > 0) return;
    /* 2. Add the block and its roots; the fences order all labels before the word that the host polls. */
    unsigned long long own = 1ull << ROOT_BITS, before;
    for (int w = 0; w < THREADS / 32; w++) own += sh.warp[w];
    __threadfence();
    before = atomicAdd(&control->labelled, own);
    if (before >> ROOT_BITS != gridDim.x - 1) return;
    __threadfence_system();
    bi_notify_host(report, LABELLED | ((before + own) & ((1ull << ROOT_BITS) - 1)));
}

/* Points every vertex at its root, which is the smallest vertex of the component once all unions are done. *count = the
 * roots left by the mask (NULL: all). Waits for it. */
static bosc_status label_trees(bosc_ctx *ctx, uint32_t *parent, int64_t n, const uint8_t *mask,
                               struct bi_components_control *control, int64_t *count)
{
    unsigned long long *report = (unsigned long long *)ctx->pinned;
    *report = 0;
    BI_TRY(BI_RUN(ctx, bi_components_label_vertices, (unsigned)bi_div_up(n, THREADS), THREADS, 0, parent, n, mask,
                  control, report));
    BI_TRY(bi_cuda_await(ctx, report, 1));
    *count = (int64_t)(*report & ~LABELLED);
    return BOSC_OK;
}

/* ---- graphs ---- */

/* A share of a long row. */
struct chunk {
    int64_t begin, end;
    uint32_t row;
};

struct components_state {
    struct bi_msf_rows rows;
    uint32_t *parent; /* n: a smaller vertex of the component, or the vertex itself */
    uint32_t *last;   /* n: the last neighbour, or the vertex itself; unused in sparse graphs */
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
    if (v < s.rows.n && s.last[v] != (uint32_t)v) hook_roots(s.parent, (uint32_t)v, s.last[v]);
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
        if (arc_is_edge<CHECKED>(s, v, arc)) join_trees(s.parent, v, s.rows.neighbours[arc]);
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

/* The passes of graphs with most vertices in one component, before labels. */
template <bool CHECKED> static bosc_status join_graph(bosc_ctx *ctx, const struct components_state &s)
{
    unsigned blocks = (unsigned)bi_div_up(s.rows.n, THREADS);
    BI_TRY(BI_RUN(ctx, bi_components_join_first<CHECKED>, blocks, THREADS, 0, s));
    if (s.rows.arcs == 0) return BOSC_OK;
    BI_TRY(flatten_trees(ctx, s.parent, s.rows.n));
    for (int k = 0; k < HOOKS; k++) {
        BI_TRY(BI_RUN(ctx, bi_components_hook_last, blocks, THREADS, 0, s));
        BI_TRY(flatten_trees(ctx, s.parent, s.rows.n));
    }
    BI_TRY(BI_RUN(ctx, bi_components_find_giant, 1, SAMPLES, 0, s));
    BI_TRY(BI_RUN(ctx, bi_components_join_outsiders<CHECKED>, blocks, THREADS, 0, s));
    if (!s.chunks) return BOSC_OK;
    return BI_RUN(ctx, bi_components_join_chunks<CHECKED>, bi_grid_size(ctx, s.rows.arcs, CHUNK), THREADS, 0, s);
}

/* ---- sparse graphs ---- */

/* Unites v with its smaller neighbours at from, from + step, ... */
template <bool CHECKED>
__device__ __forceinline__ void join_smaller(const struct components_state &s, uint32_t v, int64_t from, int64_t to,
                                             int step)
{
    for (int64_t arc = from; arc < to; arc += step) {
        const uint32_t other = s.rows.neighbours[arc];
        if (other >= v) return; /* rows ascend */
        if (arc_is_edge<CHECKED>(s, v, arc)) bi_uf_union_interleaved(s.parent, v, other);
    }
}

/* Initialises each vertex's parent to its first (smallest) neighbour if that is smaller. Queues rows too long for a
 * warp, if they have smaller neighbours. */
template <bool CHECKED>
static __global__ void __launch_bounds__(THREADS) bi_components_start_below_first(struct components_state s)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= s.rows.n) return;
    const uint32_t v = (uint32_t)i;
    uint32_t parent = v;
    const int64_t begin = row_offset(s, i), end = row_offset(s, i + 1);
    if (begin < end && s.rows.neighbours[begin] < v) {
        if (arc_is_edge<CHECKED>(s, v, begin)) parent = s.rows.neighbours[begin];
        if (end - begin > CHUNK) split_long_row(s, v, begin + 1, end);
    }
    s.parent[v] = parent;
}

/* Unites vertices with their smaller neighbours but the first: short rows by a lane, longer ones by a warp, and those
 * queued by blocks. */
template <bool CHECKED>
static __global__ void __launch_bounds__(THREADS) bi_components_join_smaller(struct components_state s)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint32_t v = (uint32_t)i, lane = threadIdx.x % 32;
    int64_t from = 0, to = 0;
    /* 1. Short rows by their lane. */
    if (i < s.rows.n) {
        from = row_offset(s, i);
        to = row_offset(s, i + 1);
    }
    const int64_t arcs = to - from;
    if (arcs <= SHORT_ROW) join_smaller<CHECKED>(s, v, from + 1, to, 1);
    /* 2. The warp processes the other rows one by one, a lane per arc. */
    for (unsigned pending = __ballot_sync(~0u, arcs > SHORT_ROW && arcs <= CHUNK); pending; pending &= pending - 1) {
        const int owner = __ffs((int)pending) - 1;
        const uint32_t row = __shfl_sync(~0u, v, owner);
        const int64_t begin = __shfl_sync(~0u, from, owner), end = __shfl_sync(~0u, to, owner);
        join_smaller<CHECKED>(s, row, begin + 1 + lane, end, 32);
    }
    /* 3. Chunks of long rows, a block each. */
    for (uint32_t k = blockIdx.x; s.chunks && k < s.control->chunks; k += gridDim.x) {
        const struct chunk c = s.chunks[k];
        join_smaller<CHECKED>(s, c.row, c.begin + threadIdx.x, c.end, THREADS);
    }
}

/* The passes of sparse graphs, before labels. */
template <bool CHECKED> static bosc_status join_sparse_graph(bosc_ctx *ctx, const struct components_state &s)
{
    const unsigned blocks = (unsigned)bi_div_up(s.rows.n, THREADS);
    BI_TRY(BI_RUN(ctx, bi_components_start_below_first<CHECKED>, blocks, THREADS, 0, s));
    /* Chains below first neighbours are long in grids, whose neighbours have near numbers. Measured on an H200: a grid
     * of 4 M vertices takes 0.15 ms, without this 0.84. Paths in random order would take 0.01 ms more. */
    if (s.rows.arcs >= FOREST_ARCS * s.rows.n) BI_TRY(flatten_trees(ctx, s.parent, s.rows.n));
    return BI_RUN(ctx, bi_components_join_smaller<CHECKED>, blocks, THREADS, 0, s);
}

/* ---- calls ---- */

/* Allocates the arrays of s; the caller has set the rows and the parents. */
static bosc_status allocate_arrays(bosc_ctx *ctx, bool sparse, struct components_state *s)
{
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *s->control, &s->control));
    /* A row of more than CHUNK arcs has less than 2 * arcs / CHUNK chunks; NULL if no row can be so long. */
    BI_TRY(bi_scratch_of(ctx, 2 * s->rows.arcs / CHUNK, sizeof *s->chunks, &s->chunks));
    return sparse ? BOSC_OK : bi_scratch_of(ctx, s->rows.n, sizeof *s->last, &s->last);
}

extern "C" bosc_status bi_components_cuda(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels,
                                          int64_t *count)
{
    struct components_state s = {};
    const bool limited = rows->order.limit != (rows->keys_64bit ? UINT64_MAX : UINT32_MAX);
    const bool checked = rows->order.vertex_mask || rows->order.edge_mask || limited;
    const bool sparse =
        rows->arcs < FOREST_ARCS * rows->n || (rows->n >= SPARSE_VERTICES && rows->arcs <= SPARSE_ARCS * rows->n);
    enum bi_forest_outcome outcome;
    *count = 0;
    if (rows->n == 0) return BOSC_OK;
    BI_TRY(bi_components_launch_single_block(ctx, rows, checked, labels, count, &outcome));
    if (outcome == BI_FOREST_FOUND) return BOSC_OK;
    s.rows = *rows;
    s.parent = labels;
    BI_TRY(allocate_arrays(ctx, sparse, &s));
    BI_TRY(ctx->backend->fill(ctx, s.control, 0, sizeof *s.control));
    if (sparse)
        BI_TRY(checked ? join_sparse_graph<true>(ctx, s) : join_sparse_graph<false>(ctx, s));
    else
        BI_TRY(checked ? join_graph<true>(ctx, s) : join_graph<false>(ctx, s));
    return label_trees(ctx, labels, rows->n, rows->order.vertex_mask, s.control, count);
}

/* ---- edge lists ---- */

enum {
    RUN = 128,       /* consecutive entries of the sample: four warps, so that reads are coalesced */
    SAMPLE_EACH = 2, /* sampled entries per vertex; measured: with one, unions take 1.3 to 1.6 ms */
    LIST_HOOKS = 3   /* measured: after two passes 0.75 ms of unions remain, after three 26 us */
};

struct list_state {
    struct bi_msf_entries entries;
    bool weighed;       /* weights matter */
    int64_t run_stride; /* distance between runs of the sample, in runs */
    uint32_t *parent;
};

/* Reads the ends of entry i; false if it does not count. */
__device__ __forceinline__ bool read_entry(const struct list_state &s, int64_t i, uint32_t *u, uint32_t *v)
{
    const struct bi_graph_entries *e = &s.entries.list;
    if (i >= e->m) return false;
    *u = (uint32_t)bi_word(e->u, e->u_is_64bit, i);
    *v = (uint32_t)bi_word(e->v, e->v_is_64bit, i);
    const uint64_t key = s.weighed ? bi_graph_entry_weight(e, i) : 0;
    return bi_msf_entry_is_edge(&s.entries, i, key, *u, *v);
}

/* Hooks trees by the sampled entries. */
static __global__ void __launch_bounds__(THREADS) bi_components_hook_sample(struct list_state s)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    uint32_t u, v;
    /* run number item / RUN of the sample, and the entry in it */
    if (read_entry(s, item / RUN * s.run_stride * RUN + item % RUN, &u, &v)) hook_roots(s.parent, u, v);
}

/* Unites the ends of all entries. */
static __global__ void __launch_bounds__(THREADS) bi_components_join_entries(struct list_state s)
{
    enum { EACH = 4 /* entries a thread: loads in flight */ };
    const int64_t first = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint32_t u[EACH], v[EACH], a[EACH], b[EACH];
    bool is_edge[EACH];
    /* Read the ends of all entries, then their parents, so that the loads overlap; unite ends below different parents.
     */
#pragma unroll
    for (int k = 0; k < EACH; k++) is_edge[k] = read_entry(s, first + k * THREADS, &u[k], &v[k]);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (!is_edge[k]) continue;
        a[k] = bi_load_hint(&s.parent[u[k]]);
        b[k] = bi_load_hint(&s.parent[v[k]]);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (is_edge[k] && a[k] != b[k]) join_trees(s.parent, u[k], v[k]);
}

extern "C" bosc_status bi_components_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                                  uint32_t *labels, int64_t *count)
{
    const int64_t n = entries->list.n, m = entries->list.m, sample = m < SAMPLE_EACH * n ? m : SAMPLE_EACH * n;
    struct list_state s = {*entries, weighed, sample > 0 ? m / sample : 1, labels};
    struct bi_components_control *control;
    *count = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *control, &control));
    BI_TRY(ctx->backend->fill(ctx, control, 0, sizeof *control));
    BI_TRY(ctx->backend->core->iota(ctx, sizeof *labels, labels, n)); /* each vertex is a tree */
    for (int k = 0; k < LIST_HOOKS && m > 0; k++) {
        BI_TRY(BI_RUN(ctx, bi_components_hook_sample, (unsigned)bi_div_up(sample, THREADS), THREADS, 0, s));
        BI_TRY(flatten_trees(ctx, labels, n));
    }
    if (m > 0) BI_TRY(BI_RUN(ctx, bi_components_join_entries, (unsigned)bi_div_up(m, THREADS * 4), THREADS, 0, s));
    return label_trees(ctx, labels, n, entries->order.vertex_mask, control, count);
}
