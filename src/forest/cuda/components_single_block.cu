/* Connected components of small inputs on CUDA, by one launch of one block with the trees in shared memory; the block
 * publishes the count to the host itself. Graphs: vertices unite with their first and last neighbours, which makes
 * most of the largest component; then vertices outside it process their other neighbours (components.cu does the same
 * with all blocks). Edge lists: entries are united one by one and checked on the way. */
#include "forest/cuda/trees.cuh"

#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { THREADS = 64, LONG_ROW = 40, MOST_ARCS = 300, MOST_ENTRIES = 150 };
#else
enum {
    THREADS = 1024,
    LONG_ROW = 1024,       /* a warp processes rows of up to this many arcs, the block longer ones */
    MOST_ARCS = 1 << 17,   /* 2^16 edges; measured on an H100: 42 us, all blocks 49 */
    MOST_ENTRIES = 1 << 12 /* measured on an H100: 30 us; at 2^13 67, where all blocks take 63 */
};
#endif
enum {
    LOADS = 4,                          /* loads in flight per lane */
    SHORT_ROW = BI_COMPONENTS_SHORT_ROW /* a lane processes rows of up to this many arcs, a warp longer ones */
};

/* Flags of the published word: it is written; some entry is not an edge, and nothing else was written. The low bits
 * are the number of components. */
static constexpr unsigned long long PUBLISHED = 1ull << 63, BAD_ENTRY = 1ull << 62;

struct output {
    uint32_t *labels;
    const uint8_t *mask;
    unsigned long long *report;
};

struct count_shared {
    uint32_t roots;
};

/* Writes the labels, counts the roots left by the mask, and publishes the count. All threads call it after a barrier.
 */
static __device__ void write_labels(const bi_shared_trees &t, uint32_t n, const output &to, count_shared &sh)
{
    uint32_t roots = 0;
    for (uint32_t v = threadIdx.x; v < n; v += THREADS) {
        const uint32_t root = t.root(v);
        to.labels[v] = root;
        roots += root == v && (!to.mask || to.mask[v]);
    }
    roots = bi_warp_sum(roots);
    if (threadIdx.x % 32 == 0 && roots) atomicAdd(&sh.roots, roots);
    /* Wait for the warps' counts, then order the labels of all threads before the word that the host polls. */
    __syncthreads();
    if (threadIdx.x > 0) return;
    __threadfence_system();
    bi_notify_host(to.report, PUBLISHED | sh.roots);
}

/* ---- rows ---- */

struct rows_args {
    struct bi_msf_rows rows;
    output to;
};

struct rows_shared {
    count_shared count;
    uint32_t giant, listed;
    uint32_t list[MOST_ARCS / LONG_ROW + 1]; /* rows longer than LONG_ROW */
};

template <bool CHECKED> struct rows_block {
    const struct bi_msf_rows &rows;
    bi_shared_trees t;
    rows_shared &sh;

    __device__ __forceinline__ uint32_t row_offset(uint32_t v) const
    {
        return (uint32_t)bi_word(rows.offsets, rows.is_64bit, v);
    }
    __device__ __forceinline__ bool arc_is_edge(uint32_t v, uint32_t arc) const
    {
        return !CHECKED || bi_msf_arc_is_edge(&rows, v, arc);
    }

    /* Initialises each vertex's parent to its first (smallest) neighbour if that is smaller; last[v] = its last
     * neighbour. */
    __device__ __forceinline__ void init_parents(uint32_t *last) const
    {
        for (uint32_t v = threadIdx.x; v < rows.n; v += THREADS) {
            const uint32_t from = row_offset(v), to = row_offset(v + 1);
            uint32_t first = v, other = v;
            if (from < to) {
                first = arc_is_edge(v, from) ? rows.neighbours[from] : v;
                other = arc_is_edge(v, to - 1) ? rows.neighbours[to - 1] : v;
            }
            t.parent[v] = first < v ? first : v;
            last[v] = other;
        }
    }

    /* Finds the root of most of 32 sampled vertices. One warp calls it. */
    __device__ __forceinline__ void find_giant() const
    {
        const uint32_t root = t.root((uint32_t)((uint64_t)threadIdx.x * (uint64_t)rows.n / 32));
        unsigned long long most = 0;
        for (int k = 0; k < 32; k++) most += __shfl_sync(~0u, root, k) == root;
        most = bi_warp_max(most << 32 | root);
        if (threadIdx.x == 0) sh.giant = (uint32_t)most;
    }

    /* Unites v with its neighbours at from, from + step, ... */
    __device__ __forceinline__ void join_arcs(uint32_t v, uint32_t from, uint32_t to, uint32_t step) const
    {
        for (; from < to; from += LOADS * step) {
            uint32_t neighbour[LOADS];
#pragma unroll
            for (uint32_t k = 0; k < LOADS; k++) {
                const uint32_t arc = from + k * step;
                neighbour[k] = arc < to && arc_is_edge(v, arc) ? rows.neighbours[arc] : v;
            }
#pragma unroll
            for (uint32_t k = 0; k < LOADS; k++)
                if (neighbour[k] != v) t.join(v, neighbour[k]);
        }
    }

    /* Vertices outside the largest component unite with their neighbours. If a vertex gets into it meanwhile, its
     * remaining edges may be skipped: their other ends are still outside and read them. */
    __device__ __forceinline__ void join_outsiders() const
    {
        const uint32_t lane = threadIdx.x % 32;
        for (uint32_t v0 = 0; v0 < rows.n; v0 += THREADS) {
            const uint32_t v = v0 + threadIdx.x;
            uint32_t from = 0, to = 0;
            if (v < rows.n && t.root(v) != sh.giant) {
                from = row_offset(v);
                to = row_offset(v + 1);
            }
            const uint32_t arcs = to - from;
            /* Short rows by their lane; rows too long for a warp are listed for the block. */
            if (arcs > LONG_ROW)
                sh.list[atomicAdd(&sh.listed, 1u)] = v;
            else if (arcs <= SHORT_ROW)
                join_arcs(v, from, to, 1);
            /* The warp processes the other rows one by one, a lane per arc. */
            for (unsigned pending = __ballot_sync(~0u, arcs > SHORT_ROW && arcs <= LONG_ROW); pending;
                 pending &= pending - 1) {
                const int owner = __ffs((int)pending) - 1;
                const uint32_t row = __shfl_sync(~0u, v, owner), first = __shfl_sync(~0u, from, owner);
                join_arcs(row, first + lane, __shfl_sync(~0u, to, owner), 32);
            }
        }
    }

    __device__ __forceinline__ void join_long_rows() const
    {
        for (uint32_t k = 0; k < sh.listed; k++)
            join_arcs(sh.list[k], row_offset(sh.list[k]) + threadIdx.x, row_offset(sh.list[k] + 1), THREADS);
    }
};

template <bool CHECKED>
static __global__ void __launch_bounds__(THREADS) bi_components_single_block_rows(const rows_args a)
{
    BI_SHARED(rows_shared, sh);
    BI_SHARED_DYNAMIC(uint32_t, memory);
    const uint32_t n = (uint32_t)a.rows.n;
    uint32_t *last = memory + n;
    const rows_block<CHECKED> block = {a.rows, {memory}, sh};
    /* 1. Parents from first neighbours; unite with last neighbours. */
    if (threadIdx.x == 0) sh.count.roots = sh.listed = 0;
    block.init_parents(last);
    __syncthreads(); /* all parents are initialised */
    for (uint32_t v = threadIdx.x; v < n; v += THREADS)
        if (last[v] != v) block.t.join(v, last[v]);
    __syncthreads(); /* all unions are complete */
    /* 2. Find the largest component. */
    if (threadIdx.x < 32) block.find_giant();
    __syncthreads(); /* sh.giant is visible */
    /* 3. Vertices outside it unite with all neighbours; long rows by the whole block. */
    block.join_outsiders();
    __syncthreads(); /* unions and the list of long rows are complete */
    if (sh.listed) {
        block.join_long_rows();
        __syncthreads(); /* all unions are complete */
    }
    /* 4. Labels and count. */
    write_labels(block.t, n, a.to, sh.count);
}

/* ---- entries ---- */

struct entries_args {
    struct bi_msf_entries entries;
    bool weighed; /* weights matter */
    output to;
};

/* Unites the ends of the thread's entries; true if one of them is not an edge. */
static __device__ __forceinline__ bool join_entries(const entries_args &a, const bi_shared_trees &t)
{
    const struct bi_graph_entries *e = &a.entries.list;
    const uint32_t m = (uint32_t)e->m;
    bool bad = false;
    for (uint32_t first = threadIdx.x; first < m; first += LOADS * THREADS) {
        uint64_t u[LOADS], v[LOADS], key[LOADS];
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++) { /* unconditional loads overlap; indices past the end are clamped */
            const uint32_t i = min(first + k * THREADS, m - 1);
            u[k] = bi_word(e->u, e->u_is_64bit, i);
            v[k] = bi_word(e->v, e->v_is_64bit, i);
            key[k] = a.weighed || a.entries.refuse_nan ? bi_graph_entry_weight(e, i) : 0;
        }
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++) {
            const uint32_t i = min(first + k * THREADS, m - 1);
            if (u[k] >= (uint64_t)e->n || v[k] >= (uint64_t)e->n ||
                (a.entries.refuse_nan && bi_graph_is_nan_key(e->dtype, key[k])))
                bad = true;
            else if (bi_msf_entry_is_edge(&a.entries, i, key[k], (uint32_t)u[k], (uint32_t)v[k]))
                t.join((uint32_t)u[k], (uint32_t)v[k]);
        }
    }
    return bad;
}

/* The barrier with the vote completes all unions, and ends the kernel if an entry is not an edge. */
static __global__ void __launch_bounds__(THREADS) bi_components_single_block_entries(const entries_args a)
{
    BI_SHARED(count_shared, sh);
    BI_SHARED_DYNAMIC(uint32_t, memory);
    const uint32_t n = (uint32_t)a.entries.list.n;
    const bi_shared_trees t = {memory};
    if (threadIdx.x == 0) sh.roots = 0;
    /* Every vertex is a tree; unite the ends of entries; write labels and count. */
    for (uint32_t v = threadIdx.x; v < n; v += THREADS) t.parent[v] = v;
    __syncthreads(); /* all parents are initialised */
    if (__syncthreads_or(join_entries(a, t))) {
        if (threadIdx.x == 0) bi_notify_host(a.to.report, PUBLISHED | BAD_ENTRY);
        return;
    }
    write_labels(t, n, a.to, sh);
}

/* ---- launches ---- */

/* Waits for the published word: *count = number of components. *outcome: FOUND, or BAD_ENTRY if some entry is not an
 * edge. */
static bosc_status await_count(bosc_ctx *ctx, int64_t *count, enum bi_forest_outcome *outcome)
{
    const unsigned long long *report = (const unsigned long long *)ctx->pinned;
    BI_TRY(bi_cuda_await(ctx, report, 1));
    *outcome = *report & BAD_ENTRY ? BI_FOREST_BAD_ENTRY : BI_FOREST_FOUND;
    *count = (int64_t)(*report & ~(PUBLISHED | BAD_ENTRY));
    return BOSC_OK;
}

/* Clears the published word, which the host polls. */
static output prepare_output(bosc_ctx *ctx, uint32_t *labels, const uint8_t *mask)
{
    unsigned long long *report = (unsigned long long *)ctx->pinned;
    *report = 0;
    return {labels, mask, report};
}

bosc_status bi_components_launch_single_block(bosc_ctx *ctx, const struct bi_msf_rows *rows, bool checked,
                                              uint32_t *labels, int64_t *count, enum bi_forest_outcome *outcome)
{
    enum { STATIC = sizeof(rows_shared) + 1024 /* reserved by the device */ };
    const int64_t bytes = 2 * rows->n * (int64_t)sizeof(uint32_t);
    void (*const kernel)(rows_args) =
        checked ? bi_components_single_block_rows<true> : bi_components_single_block_rows<false>;
    *outcome = BI_FOREST_TOO_LARGE;
    if (rows->arcs > MOST_ARCS || bytes + STATIC > (int64_t)bi_shared_bytes(ctx)) return BOSC_OK;
    if (bytes > BI_SHARED_PLAIN)
        BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    const rows_args a = {*rows, prepare_output(ctx, labels, rows->order.vertex_mask)};
    BI_TRY(BI_RUN(ctx, kernel, 1, THREADS, (size_t)bytes, a));
    return await_count(ctx, count, outcome);
}

extern "C" bosc_status bi_components_cuda_entries_single_block(bosc_ctx *ctx, const struct bi_msf_entries *entries,
                                                               bool weighed, uint32_t *labels, int64_t *count,
                                                               enum bi_forest_outcome *outcome)
{
    const int64_t bytes = entries->list.n * (int64_t)sizeof(uint32_t);
    *outcome = BI_FOREST_TOO_LARGE; /* so is an empty list: it needs no kernel */
    if (bytes > BI_SHARED_PLAIN || entries->list.m > MOST_ENTRIES || entries->list.n == 0 || entries->list.m == 0)
        return BOSC_OK;
    const entries_args a = {*entries, weighed, prepare_output(ctx, labels, entries->order.vertex_mask)};
    BI_TRY(BI_RUN(ctx, bi_components_single_block_entries, 1, THREADS, (size_t)bytes, a));
    return await_count(ctx, count, outcome);
}
