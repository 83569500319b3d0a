/* Connected components of small graphs on CUDA, in one launch of one block, which has the trees in shared memory and
 * tells the host their number itself. Vertices join their first and last neighbours, which makes most of the largest
 * component; then those outside it join the others (components.cu does the same with all blocks). Entries that are in
 * no graph join one after the other, and are checked on the way. */
#include "forest/cuda/components.cuh"
#include "forest/cuda/shared_trees.cuh"
#include "forest/forest.h"
#include "forest/steps/entries.h"
#include "forest/steps/rows.h"

#ifdef BI_EMULATE /* graphs of some edges should take all ways */
enum { THREADS = 64, LONG_ROW = 40, MOST_ARCS = 300, MOST_ENTRIES = 150 };
#else
enum {
    THREADS = 1024,
    LONG_ROW = 1024, /* arcs that a warp joins; the block those of a longer row */
    MOST_ARCS = 1 << 17,
    MOST_ENTRIES = 1 << 12 /* of more, all blocks are faster */
};
#endif
enum {
    EACH = 4,      /* reads of a lane at once */
    SHORT_ROW = 24 /* arcs that one lane joins; a warp those of a longer row */
};

/* What the host is told: the number of components; or that entries are no edges, and nothing was written. */
static constexpr unsigned long long TOLD = 1ull << 63, BAD = 1ull << 62;

struct answer {
    uint32_t *labels;
    const uint8_t *mask;
    unsigned long long *told;
};

struct count_shared {
    uint32_t roots;
};

/* Writes the labels, counts the roots that are there, and tells the host. All threads call it after a barrier. */
static __device__ void give_labels(const bi_shared_trees &t, uint32_t n, const answer &to, count_shared &sh)
{
    uint32_t roots = 0;
    for (uint32_t v = threadIdx.x; v < n; v += THREADS) {
        const uint32_t root = t.root(v);
        to.labels[v] = root;
        roots += root == v && (!to.mask || to.mask[v]);
    }
    roots = bi_warp_sum(roots);
    if (threadIdx.x % 32 == 0 && roots) atomicAdd(&sh.roots, roots);
    __syncthreads();
    if (threadIdx.x > 0) return;
    __threadfence_system();
    bi_notify_host(to.told, TOLD | sh.roots);
}

/* ---- rows ---- */

struct rows_args {
    struct bi_msf_rows rows;
    answer to;
};

struct rows_shared {
    count_shared count;
    uint32_t giant, listed;
    uint32_t list[MOST_ARCS / LONG_ROW + 1]; /* rows that the block joins */
};

template <bool CHECKED> struct rows_block {
    const struct bi_msf_rows &rows;
    bi_shared_trees t;
    rows_shared &sh;

    __device__ __forceinline__ uint32_t offset(uint32_t v) const
    {
        return (uint32_t)bi_word(rows.offsets, rows.wide, v);
    }
    __device__ __forceinline__ bool there(uint32_t v, uint32_t place) const
    {
        return !CHECKED || bi_msf_there(&rows, v, place);
    }

    /* Every vertex begins below its first neighbour, the smallest, if that is smaller. */
    __device__ __forceinline__ void begin(uint32_t *last) const
    {
        for (uint32_t v = threadIdx.x; v < rows.n; v += THREADS) {
            const uint32_t from = offset(v), to = offset(v + 1);
            uint32_t first = v, other = v;
            if (from < to) {
                first = there(v, from) ? rows.neighbours[from] : v;
                other = there(v, to - 1) ? rows.neighbours[to - 1] : v;
            }
            t.parent[v] = first < v ? first : v;
            last[v] = other;
        }
    }

    /* The component of most of the sampled vertices. One warp calls it. */
    __device__ __forceinline__ void find_giant() const
    {
        const uint32_t root = t.root((uint32_t)((uint64_t)threadIdx.x * (uint64_t)rows.n / 32));
        unsigned long long most = 0;
        for (int k = 0; k < 32; k++) most += __shfl_sync(~0u, root, k) == root;
        most = bi_warp_greatest(most << 32 | root);
        if (threadIdx.x == 0) sh.giant = (uint32_t)most;
    }

    __device__ __forceinline__ void join_arcs(uint32_t v, uint32_t from, uint32_t to, uint32_t step) const
    {
        for (; from < to; from += EACH * step) {
            uint32_t neighbour[EACH];
#pragma unroll
            for (uint32_t k = 0; k < EACH; k++) {
                const uint32_t place = from + k * step;
                neighbour[k] = place < to && there(v, place) ? rows.neighbours[place] : v;
            }
#pragma unroll
            for (uint32_t k = 0; k < EACH; k++)
                if (neighbour[k] != v) t.join(v, neighbour[k]);
        }
    }

    /* Vertices outside the largest component join their neighbours. One that gets into it meanwhile may be left out:
     * whoever is still outside reads their edge from there. */
    __device__ __forceinline__ void join_rest() const
    {
        const uint32_t lane = threadIdx.x % 32;
        for (uint32_t v0 = 0; v0 < rows.n; v0 += THREADS) {
            const uint32_t v = v0 + threadIdx.x;
            uint32_t from = 0, to = 0;
            if (v < rows.n && t.root(v) != sh.giant) {
                from = offset(v);
                to = offset(v + 1);
            }
            const uint32_t arcs = to - from;
            if (arcs > LONG_ROW)
                sh.list[atomicAdd(&sh.listed, 1u)] = v;
            else if (arcs <= SHORT_ROW)
                join_arcs(v, from, to, 1);
            for (unsigned rest = __ballot_sync(~0u, arcs > SHORT_ROW && arcs <= LONG_ROW); rest; rest &= rest - 1) {
                const int who = __ffs((int)rest) - 1;
                const uint32_t row = __shfl_sync(~0u, v, who), first = __shfl_sync(~0u, from, who);
                join_arcs(row, first + lane, __shfl_sync(~0u, to, who), 32);
            }
        }
    }

    __device__ __forceinline__ void join_long_rows() const
    {
        for (uint32_t k = 0; k < sh.listed; k++)
            join_arcs(sh.list[k], offset(sh.list[k]) + threadIdx.x, offset(sh.list[k] + 1), THREADS);
    }
};

template <bool CHECKED> static __global__ void __launch_bounds__(THREADS) bi_components_small_rows(const rows_args a)
{
    BI_SHARED(rows_shared, sh);
    BI_SHARED_DYNAMIC(uint32_t, memory);
    const uint32_t n = (uint32_t)a.rows.n;
    uint32_t *last = memory + n;
    const rows_block<CHECKED> block = {a.rows, {memory}, sh};
    if (threadIdx.x == 0) sh.count.roots = sh.listed = 0;
    block.begin(last);
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < n; v += THREADS)
        if (last[v] != v) block.t.join(v, last[v]);
    __syncthreads();
    if (threadIdx.x < 32) block.find_giant();
    __syncthreads();
    block.join_rest();
    __syncthreads();
    if (sh.listed) {
        block.join_long_rows();
        __syncthreads();
    }
    give_labels(block.t, n, a.to, sh.count);
}

/* ---- entries ---- */

struct entries_args {
    struct bi_msf_entries entries;
    bool weighed; /* weights matter */
    answer to;
};

/* Joins the ends of the thread's entries; whether one of them is no edge. */
static __device__ __forceinline__ bool join_entries(const entries_args &a, const bi_shared_trees &t)
{
    const struct bi_graph_entries *e = &a.entries.of;
    const uint32_t m = (uint32_t)e->m;
    bool bad = false;
    for (uint32_t first = threadIdx.x; first < m; first += EACH * THREADS) {
        uint64_t u[EACH], v[EACH], key[EACH];
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++) { /* without conditions, so that all are read at once */
            const uint32_t i = min(first + k * THREADS, m - 1);
            u[k] = bi_word(e->u, e->wide_u, i);
            v[k] = bi_word(e->v, e->wide_v, i);
            key[k] = a.weighed || a.entries.refuse_nan ? bi_graph_entry_weight(e, i) : 0;
        }
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++) {
            const uint32_t i = min(first + k * THREADS, m - 1);
            if (u[k] >= (uint64_t)e->n || v[k] >= (uint64_t)e->n ||
                (a.entries.refuse_nan && bi_graph_is_nan_key(e->dtype, key[k])))
                bad = true;
            else if (bi_msf_entry_there(&a.entries, i, key[k], (uint32_t)u[k], (uint32_t)v[k]))
                t.join((uint32_t)u[k], (uint32_t)v[k]);
        }
    }
    return bad;
}

static __global__ void __launch_bounds__(THREADS) bi_components_small_entries(const entries_args a)
{
    BI_SHARED(count_shared, sh);
    BI_SHARED_DYNAMIC(uint32_t, memory);
    const uint32_t n = (uint32_t)a.entries.of.n;
    const bi_shared_trees t = {memory};
    if (threadIdx.x == 0) sh.roots = 0;
    for (uint32_t v = threadIdx.x; v < n; v += THREADS) t.parent[v] = v;
    __syncthreads();
    if (__syncthreads_or(join_entries(a, t))) {
        if (threadIdx.x == 0) bi_notify_host(a.to.told, TOLD | BAD);
        return;
    }
    give_labels(t, n, a.to, sh);
}

/* ---- launches ---- */

/* *count = what the kernel just launched tells; *bad where it found entries that are none. */
static bosc_status await_count(bosc_ctx *ctx, int64_t *count, bool *bad)
{
    const unsigned long long *told = (const unsigned long long *)ctx->pinned;
    BI_TRY(bi_cuda_await(ctx, told, 1));
    *bad = (*told & BAD) != 0;
    *count = (int64_t)(*told & ~(TOLD | BAD));
    return BOSC_OK;
}

static answer answer_to(bosc_ctx *ctx, uint32_t *labels, const uint8_t *mask)
{
    unsigned long long *told = (unsigned long long *)ctx->pinned;
    *told = 0;
    return {labels, mask, told};
}

bosc_status bi_components_small(bosc_ctx *ctx, const struct bi_msf_rows *rows, bool checked, uint32_t *labels,
                                int64_t *count, bool *done)
{
    enum { STATIC = sizeof(rows_shared) + 1024 /* of the device's own */ };
    const int64_t bytes = 2 * rows->n * (int64_t)sizeof(uint32_t);
    void (*const kernel)(rows_args) = checked ? bi_components_small_rows<true> : bi_components_small_rows<false>;
    bool bad;
    *done = rows->arcs <= MOST_ARCS && bytes + STATIC <= (int64_t)bi_shared_bytes(ctx);
    if (!*done) return BOSC_OK;
    if (bytes > BI_SHARED_PLAIN)
        BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    const rows_args a = {*rows, answer_to(ctx, labels, rows->order.vertex_mask)};
    BI_TRY(BI_RUN(ctx, kernel, 1, THREADS, (size_t)bytes, a));
    return await_count(ctx, count, &bad);
}

extern "C" bosc_status bi_components_cuda_few_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                                      uint32_t *labels, int64_t *count, bool *done)
{
    const int64_t bytes = entries->of.n * (int64_t)sizeof(uint32_t);
    bool bad;
    *done = bytes <= BI_SHARED_PLAIN && entries->of.m <= MOST_ENTRIES && entries->of.n > 0 && entries->of.m > 0;
    if (!*done) return BOSC_OK;
    const entries_args a = {*entries, weighed, answer_to(ctx, labels, entries->order.vertex_mask)};
    BI_TRY(BI_RUN(ctx, bi_components_small_entries, 1, THREADS, (size_t)bytes, a));
    BI_TRY(await_count(ctx, count, &bad));
    *done = !bad;
    return BOSC_OK;
}
