/* The spanning forest of a small graph or list on CUDA, by one launch of one block: Boruvka's rounds with edges and
 * components in shared memory, then the list of marked ids. A component is named by one of its vertices. Entries
 * without a graph are checked on the way. The block publishes the sums to the host itself. */
#include "core/call.h"
#include "forest/cuda/msf_one_launch.cuh"
#include "forest/cuda/trees.cuh"

#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { THREADS = 64 };
#else
enum { THREADS = 1024 };
#endif
enum { WARPS = THREADS / 32, LOADS = 4 /* loads in flight per lane */ };

template <class K> struct block_args {
    bi_msf_csr<K> rows; /* for edge lists only the order is set */
    struct bi_msf_entries entries;
    uint32_t n, items, marks;         /* vertices; arcs or entries; words of marks */
    uint32_t edges_at, components_at; /* offsets in shared memory, after the marks */
    uint32_t *ids, *labels;           /* NULL: not requested */
    K *keys, *keys_by_id;             /* NULL: not requested */
    unsigned long long *report;       /* words in host memory that the host polls */
};

struct block_shared {
    uint32_t listed, warps[WARPS];
    unsigned long long edges, low, high;
};

/* An edge; `ends` packs two components of 16 bits. */
template <class K> struct block_edge {
    K key;
    uint32_t ends, id;
};

/* A thread's view of the block; `edges`, `low` and `high` sum over the forest edges that it added. */
template <class K> struct block_state {
    const block_args<K> &a;
    block_shared &sh;
    uint32_t *marks;              /* a bit per edge id */
    block_edge<K> *list;          /* the edges, a slice for each warp */
    K *best_key;                  /* n: key of the component's lightest edge; ~0: none yet */
    uint32_t *best_id;            /* n: its id; BI_MSF_NONE: none yet */
    uint32_t *next, *parent;      /* n: the component at its other end; the union-find parent */
    uint32_t begin, end;          /* the warp's slice */
    unsigned long long low, high; /* sums over the forest edges of the thread */
    uint32_t edges;

    __device__ __forceinline__ uint32_t root(uint32_t v) const { return bi_shared_trees{parent}.root(v); }

    /* Calls f(component, other, edge) for both ends of the warp's edges. */
    template <class F> __device__ __forceinline__ void for_each_end(const F &f) const
    {
        for (uint32_t i = begin + threadIdx.x % 32; i < end; i += 32) {
            const block_edge<K> e = list[i];
            f(e.ends & 0xffff, e.ends >> 16, e);
            f(e.ends >> 16, e.ends & 0xffff, e);
        }
    }
};

/* Lists the edges of the flagged lanes. The whole warp calls it. */
template <class K>
static __device__ __forceinline__ void list_edge(const block_state<K> &b, bool listed, uint32_t u, uint32_t v,
                                                 uint32_t id, K key)
{
    bi_msf_append(&b.sh.listed, listed, [&](uint32_t at) { b.list[at] = {key, u | v << 16, id}; });
}

/* Lists a graph's edges by their arcs to larger vertices. All threads call it; sh.listed is 0 before, and the caller
 * adds a barrier. CHECKED: masks or a limit of keys may exclude arcs. Each warp reads consecutive arcs; offsets are
 * copied to shared memory (`next` is free yet) for the searches of rows. */
template <bool CHECKED, class K> static __device__ __forceinline__ void list_arcs(const block_state<K> &b)
{
    const bi_msf_csr<K> &r = b.a.rows;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t from = (uint32_t)((uint64_t)r.arcs * warp / WARPS);
    const uint32_t to = (uint32_t)((uint64_t)r.arcs * (warp + 1) / WARPS);
    for (uint32_t v = threadIdx.x; v < b.a.n; v += THREADS) b.next[v] = r.offsets[v];
    __syncthreads(); /* the offsets are visible */
    if (from == to) return;
    uint32_t low = bi_msf_row_of(b.next, 0, b.a.n - 1, from);
    const uint32_t high = bi_msf_row_of(b.next, low, b.a.n - 1, to - 1);
    for (uint32_t first = from + lane; first - lane < to; first += 32 * LOADS) {
        uint32_t other[LOADS], id[LOADS];
        K key[LOADS];
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++) { /* unconditional loads overlap; indices past the end are clamped */
            const uint32_t arc = min(first + k * 32, to - 1);
            other[k] = r.neighbours[arc];
            id[k] = r.ids[arc];
            key[k] = bi_msf_arc_key(r, arc);
        }
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++) {
            const uint32_t arc = min(first + k * 32, to - 1);
            low = bi_msf_row_of(b.next, low, high, arc);
            const bool listed =
                first + k * 32 < to && low < other[k] && !bi_msf_arc_excluded<CHECKED>(r, low, arc, key[k]);
            list_edge(b, listed, low, other[k], id[k], key[k]);
        }
    }
}

/* Lists the entries that count; true if one of the thread's is not an edge. */
template <class K> static __device__ __forceinline__ bool list_entries(const block_state<K> &b)
{
    return bi_msf_read_entries<K, THREADS, LOADS>(
        b.a.entries, b.a.n, 0, b.a.items,
        [&](bool counts, uint32_t u, uint32_t v, uint32_t id, K key) { list_edge(b, counts, u, v, id, key); });
}

/* Atomic minimum in shared memory, skipped if it would not change the word. */
static __device__ __forceinline__ void lower_minimum(uint32_t *p, uint32_t x)
{
    if (x < bi_load_shared_relaxed(p)) atomicMin(p, x);
}
static __device__ __forceinline__ void lower_minimum(uint64_t *p, uint64_t x)
{
    unsigned long long *word = reinterpret_cast<unsigned long long *>(p);
    if (x < bi_load_shared_relaxed(word)) atomicMin(word, (unsigned long long)x);
}

/* Chooses each component's lightest edge: the least key, then the least id of that key, then the component at its
 * other end. Each barrier completes a step for the next. */
template <class K> static __device__ __forceinline__ void choose_edges(const block_state<K> &b)
{
    b.for_each_end([&](uint32_t c, uint32_t, const block_edge<K> &e) { lower_minimum(&b.best_key[c], e.key); });
    __syncthreads();
    b.for_each_end([&](uint32_t c, uint32_t, const block_edge<K> &e) {
        if (e.key == b.best_key[c]) lower_minimum(&b.best_id[c], e.id);
    });
    __syncthreads();
    b.for_each_end([&](uint32_t c, uint32_t other, const block_edge<K> &e) {
        if (e.id == b.best_id[c]) b.next[c] = other;
    });
    __syncthreads();
}

/* Components join the ones they chose; of two that chose each other the smaller stays as the root. Their edges enter
 * the forest. */
template <class K> static __device__ __forceinline__ void hook_components(block_state<K> &b)
{
    for (uint32_t c = threadIdx.x; c < b.a.n; c += THREADS) {
        const uint32_t id = b.best_id[c];
        if (id == BI_MSF_NONE || (b.best_id[b.next[c]] == id && c < b.next[c])) continue;
        const K key = b.best_key[c];
        b.parent[c] = b.next[c];
        atomicOr(&b.marks[id / 32], 1u << id % 32);
        if (b.a.keys_by_id) b.a.keys_by_id[id] = bi_msf_key_rank(b.a.rows, key);
        b.edges++;
        b.low += (uint32_t)key;
        b.high += (uint64_t)key >> 32;
    }
    __syncthreads(); /* all parents are set */
}

/* Compacts the warp's slice: renames the ends of edges, drops edges inside a component; also resets the choices. True
 * if the warp has edges left. */
template <class K> static __device__ __forceinline__ bool compact_slice(block_state<K> &b)
{
    uint32_t out = b.begin;
    for (uint32_t i0 = b.begin; i0 < b.end; i0 += 32) {
        const uint32_t i = i0 + threadIdx.x % 32;
        block_edge<K> e = {};
        uint32_t u = 0, v = 0;
        if (i < b.end) {
            e = b.list[i];
            u = b.root(e.ends & 0xffff);
            v = b.root(e.ends >> 16);
        }
        e.ends = u | v << 16;
        /* All lanes have read their edges before any is overwritten. */
        const unsigned kept = __ballot_sync(~0u, u != v);
        __syncwarp();
        if (u != v) b.list[out + (uint32_t)__popc(kept & bi_lanes_below())] = e;
        out += (uint32_t)__popc(kept);
    }
    b.end = out;
    for (uint32_t c = threadIdx.x; c < b.a.n; c += THREADS) {
        b.best_key[c] = (K) ~(K)0;
        b.best_id[c] = BI_MSF_NONE;
    }
    return out > b.begin;
}

/* Lists the marked ids, ascending, and their keys, a word of marks a thread. */
template <class K> static __device__ __forceinline__ void list_marked(const block_state<K> &b)
{
    uint32_t offset = 0, all;
    for (uint32_t first = 0; first < b.a.marks; first += THREADS) {
        const uint32_t word = first + threadIdx.x;
        const uint32_t bits = word < b.a.marks ? b.marks[word] : 0;
        const uint32_t at = offset + bi_block_exclusive_sum<WARPS>((uint32_t)__popc(bits), b.sh.warps, &all);
        bi_msf_list_word(b.a, word, bits, at, [](const K *key) { return *key; });
        offset += all;
        __syncthreads(); /* before the scan's shared words are reused */
    }
}

/* Labels each vertex by the smallest vertex of its tree: clear, minima, read, with barriers between. */
template <class K> static __device__ __forceinline__ void label_vertices(const block_state<K> &b)
{
    for (uint32_t v = threadIdx.x; v < b.a.n; v += THREADS) b.next[v] = BI_MSF_NONE;
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < b.a.n; v += THREADS) lower_minimum(&b.next[b.root(v)], v);
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < b.a.n; v += THREADS) b.a.labels[v] = b.next[b.root(v)];
}

template <class K> static __device__ void publish_result(const block_state<K> &b, uint32_t rounds)
{
    bi_msf_add_up(b);
    if (threadIdx.x > 0) return;
    bi_msf_publish(b.a.report, b.sh.edges, rounds, b.sh.low, b.sh.high);
}

/* FROM_ENTRIES: of an edge list, which is always checked. CHECKED: self loops, masks or a limit may exclude arcs. The
 * grid has one block, with the shared memory of lay_out_shared(). If an entry is not an edge, writes no result but the
 * report, without the entry's index. */
template <class K, bool FROM_ENTRIES, bool CHECKED>
static __global__ void __launch_bounds__(THREADS) bi_msf_single_block_forest(const block_args<K> a)
{
    BI_SHARED(block_shared, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    K *best_key = reinterpret_cast<K *>(memory + a.components_at);
    uint32_t *best_id = reinterpret_cast<uint32_t *>(best_key + a.n);
    block_state<K> b = {a,
                        sh,
                        reinterpret_cast<uint32_t *>(memory),
                        reinterpret_cast<block_edge<K> *>(memory + a.edges_at),
                        best_key,
                        best_id,
                        best_id + a.n,
                        best_id + 2 * a.n,
                        0,
                        0,
                        0,
                        0,
                        0};
    /* 1. Initialise shared memory. */
    if (threadIdx.x == 0) sh.listed = 0, sh.edges = sh.low = sh.high = 0;
    for (uint32_t i = threadIdx.x; i < a.marks; i += THREADS) b.marks[i] = 0;
    for (uint32_t v = threadIdx.x; v < a.n; v += THREADS) {
        best_key[v] = (K) ~(K)0;
        best_id[v] = BI_MSF_NONE;
        b.parent[v] = v;
    }
    __syncthreads(); /* shared memory is initialised */
    /* 2. List the edges; the vote ends the kernel if an entry is not an edge. */
    bool bad = false;
    if constexpr (FROM_ENTRIES)
        bad = list_entries(b);
    else
        list_arcs<CHECKED>(b);
    if (__syncthreads_or(bad)) {
        if (threadIdx.x == 0) bi_msf_publish_bad_entry(a.report);
        return;
    }
    /* 3. Divide the list among the warps; rounds until no warp has an edge left. */
    const uint32_t warp = threadIdx.x / 32;
    uint32_t rounds = 0;
    b.begin = (uint32_t)((uint64_t)sh.listed * warp / WARPS);
    b.end = (uint32_t)((uint64_t)sh.listed * (warp + 1) / WARPS);
    while (__syncthreads_or(b.begin < b.end)) {
        choose_edges(b);
        hook_components(b);
        compact_slice(b);
        rounds++;
    }
    /* 4. Write the requested results and publish the sums. */
    if (a.ids) list_marked(b);
    if (a.labels) label_vertices(b);
    publish_result(b, rounds);
}

/* Computes the offsets in shared memory; returns its bytes. */
template <class K> static int64_t lay_out_shared(block_args<K> *a, int64_t edges)
{
    a->edges_at = (uint32_t)bi_round_up((size_t)a->marks * 4, 16);
    const int64_t components_at = a->edges_at + edges * (int64_t)sizeof(block_edge<K>);
    a->components_at = (uint32_t)components_at;
    return components_at + a->n * (int64_t)(sizeof(K) + 3 * sizeof(uint32_t));
}

template <class K, bool FROM_ENTRIES, bool CHECKED>
static bosc_status launch_forest(bosc_ctx *ctx, const block_args<K> &a, int64_t bytes)
{
    void (*const kernel)(block_args<K>) = bi_msf_single_block_forest<K, FROM_ENTRIES, CHECKED>;
    if (bytes > BI_SHARED_PLAIN)
        BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return BI_RUN(ctx, kernel, 1, THREADS, (size_t)bytes, a);
}

/* An input that is too large, or an entry that is no edge, is no failure: returns BOSC_OK with that outcome, and no
 * other result. NULL arrays of `found` are not requested. With entries, `g` holds only their counts. Waits for a
 * launch. */
template <class K>
bosc_status bi_msf_launch_single_block(bosc_ctx *ctx, const struct bi_graph_view *g, const bi_msf_csr<K> &rows,
                                       const struct bi_msf_entries *entries, bool checked,
                                       const struct bi_msf_found *found, struct bi_msf_control *result,
                                       enum bi_forest_outcome *outcome)
{
    enum {
        MOST_VERTICES = 1 << 16 /* block_edge has 16 bits for each end */,
        STATIC = sizeof(block_shared) + 1024 /* reserved by the device */
    };
    unsigned long long *words = (unsigned long long *)ctx->pinned;
    block_args<K> a = {};
    *outcome = BI_FOREST_TOO_LARGE;
    if (g->n > MOST_VERTICES || g->m > BI_MSF_SINGLE_BLOCK_EDGES || g->entries > 4 * BI_MSF_SINGLE_BLOCK_EDGES)
        return BOSC_OK;
    a.rows = rows;
    if (entries) a.entries = *entries;
    a.n = (uint32_t)g->n;
    a.items = (uint32_t)(entries ? g->m : g->arcs);
    a.marks = (uint32_t)bi_div_up(g->entries, 32);
    a.ids = (uint32_t *)found->ids;
    a.keys = (K *)found->keys;
    a.labels = found->labels;
    a.report = words;
    const int64_t bytes = lay_out_shared(&a, g->m);
    if (bytes + STATIC > (int64_t)bi_shared_bytes(ctx)) return BOSC_OK;
    if (a.keys) {
        void *memory;
        BI_TRY(bi_scratch(ctx, (size_t)g->entries * sizeof(K), &memory));
        a.keys_by_id = (K *)memory;
    }
    words[0] = 0;
    if (entries)
        BI_TRY((launch_forest<K, true, true>(ctx, a, bytes)));
    else if (checked)
        BI_TRY((launch_forest<K, false, true>(ctx, a, bytes)));
    else
        BI_TRY((launch_forest<K, false, false>(ctx, a, bytes)));
    return bi_msf_await_result(ctx, words, result, outcome);
}

#define INSTANCE(K)                                                                                                   \
    template bosc_status bi_msf_launch_single_block(bosc_ctx *, const struct bi_graph_view *, const bi_msf_csr<K> &,  \
                                                    const struct bi_msf_entries *, bool, const struct bi_msf_found *, \
                                                    struct bi_msf_control *, enum bi_forest_outcome *);
INSTANCE(uint32_t)
INSTANCE(uint64_t)
