/* The spanning forest of a small graph on CUDA, in one launch of one block, which has the edges and the components in
 * shared memory and tells the host the sums itself: Boruvka's rounds, whose components keep the number of one of their
 * vertices, and the list of marked ids. Entries that are in no graph are checked on the way. */
#include "core/call.h"
#include "forest/cuda/msf_one_launch.cuh"
#include "forest/cuda/shared_trees.cuh"

#ifdef BI_EMULATE /* graphs of some edges should take all ways */
enum { THREADS = 64 };
#else
enum { THREADS = 1024 };
#endif
enum { WARPS = THREADS / 32, EACH = 4 /* reads of a lane at once */ };

template <class K> struct small_args {
    bi_msf_csr<K> rows; /* of entries: their order alone */
    struct bi_msf_entries entries;
    uint32_t n, items, marks;         /* vertices; arcs or entries; words of marks */
    uint32_t edges_at, components_at; /* where the parts of shared memory begin, after the marks */
    uint32_t *ids, *labels;           /* NULL: not wanted */
    K *keys, *keys_by_id;             /* likewise */
    unsigned long long *told;
};

struct small_shared {
    uint32_t listed, warps[WARPS];
    unsigned long long edges, low, high;
};

/* An edge; its ends are components, the second << 16 in `ends`. */
template <class K> struct small_edge {
    K key;
    uint32_t ends, id;
};

/* What a thread knows. */
template <class K> struct small_block {
    const small_args<K> &a;
    small_shared &sh;
    uint32_t *marks;              /* a bit for each id */
    small_edge<K> *list;          /* a slice for each warp */
    K *best_key;                  /* n: the lightest edge of a component, ~0: none yet */
    uint32_t *best_id;            /* n: BI_MSF_NONE: none yet */
    uint32_t *next, *parent;      /* n: the component at its other end; another vertex of the component */
    uint32_t begin, end;          /* the warp's slice */
    unsigned long long low, high; /* of the edges that the thread took */
    uint32_t edges;

    __device__ __forceinline__ uint32_t root(uint32_t v) const { return bi_shared_trees{parent}.root(v); }

    /* Calls f(component, other, edge) for both ends of the warp's edges. */
    template <class F> __device__ __forceinline__ void each_end(const F &f) const
    {
        for (uint32_t i = begin + threadIdx.x % 32; i < end; i += 32) {
            const small_edge<K> e = list[i];
            f(e.ends & 0xffff, e.ends >> 16, e);
            f(e.ends >> 16, e.ends & 0xffff, e);
        }
    }
};

/* Lists the flagged lanes' edges; the whole warp calls it. */
template <class K>
static __device__ __forceinline__ void list_edge(const small_block<K> &b, bool listed, uint32_t u, uint32_t v,
                                                 uint32_t id, K key)
{
    bi_msf_append(&b.sh.listed, listed, [&](uint32_t at) { b.list[at] = {key, u | v << 16, id}; });
}

/* Edges of a graph: its arcs to larger vertices. A warp has arcs that stand together. */
template <bool CHECKED, class K> static __device__ __forceinline__ void list_arcs(const small_block<K> &b)
{
    const bi_msf_csr<K> &r = b.a.rows;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t from = (uint32_t)((uint64_t)r.arcs * warp / WARPS);
    const uint32_t to = (uint32_t)((uint64_t)r.arcs * (warp + 1) / WARPS);
    for (uint32_t v = threadIdx.x; v < b.a.n; v += THREADS) b.next[v] = r.offsets[v];
    __syncthreads();
    if (from == to) return;
    uint32_t low = bi_msf_row_of(b.next, 0, b.a.n - 1, from);
    const uint32_t high = bi_msf_row_of(b.next, low, b.a.n - 1, to - 1);
    for (uint32_t first = from + lane; first - lane < to; first += 32 * EACH) {
        uint32_t other[EACH], id[EACH];
        K key[EACH];
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++) { /* without conditions, so that all are read at once */
            const uint32_t arc = min(first + k * 32, to - 1);
            other[k] = r.neighbours[arc];
            id[k] = r.ids[arc];
            key[k] = bi_msf_arc_key(r, arc);
        }
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++) {
            const uint32_t arc = min(first + k * 32, to - 1);
            low = bi_msf_row_of(b.next, low, high, arc);
            const bool listed = first + k * 32 < to && low < other[k] && !bi_msf_missing<CHECKED>(r, low, arc, key[k]);
            list_edge(b, listed, low, other[k], id[k], key[k]);
        }
    }
}

/* Entries that count; whether one of the thread's is no edge. */
template <class K> static __device__ __forceinline__ bool list_entries(const small_block<K> &b)
{
    return bi_msf_read_entries<K, THREADS, EACH>(
        b.a.entries, b.a.n, 0, b.a.items,
        [&](bool counts, uint32_t u, uint32_t v, uint32_t id, K key) { list_edge(b, counts, u, v, id, key); });
}

static __device__ __forceinline__ void lower(uint32_t *p, uint32_t x)
{
    if (x < bi_load_shared(p)) atomicMin(p, x);
}
static __device__ __forceinline__ void lower(uint64_t *p, uint64_t x)
{
    unsigned long long *word = reinterpret_cast<unsigned long long *>(p);
    if (x < bi_load_shared(word)) atomicMin(word, (unsigned long long)x);
}

/* The lightest edge of each component, and of those the one of the smallest id: whom the component joins. */
template <class K> static __device__ __forceinline__ void choose(const small_block<K> &b)
{
    b.each_end([&](uint32_t c, uint32_t, const small_edge<K> &e) { lower(&b.best_key[c], e.key); });
    __syncthreads();
    b.each_end([&](uint32_t c, uint32_t, const small_edge<K> &e) {
        if (e.key == b.best_key[c]) lower(&b.best_id[c], e.id);
    });
    __syncthreads();
    b.each_end([&](uint32_t c, uint32_t other, const small_edge<K> &e) {
        if (e.id == b.best_id[c]) b.next[c] = other;
    });
    __syncthreads();
}

/* Components join those they chose, but the smaller of two that chose each other; their edges are of the forest. */
template <class K> static __device__ __forceinline__ void hook(small_block<K> &b)
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
    __syncthreads();
}

/* Renames the ends of edges, drops those within a component, and forgets what was chosen; whether the warp has edges
 * left. */
template <class K> static __device__ __forceinline__ bool compact(small_block<K> &b)
{
    uint32_t out = b.begin;
    for (uint32_t i0 = b.begin; i0 < b.end; i0 += 32) {
        const uint32_t i = i0 + threadIdx.x % 32;
        small_edge<K> e = {};
        uint32_t u = 0, v = 0;
        if (i < b.end) {
            e = b.list[i];
            u = b.root(e.ends & 0xffff);
            v = b.root(e.ends >> 16);
        }
        e.ends = u | v << 16;
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

/* The marked ids, ascending, and their keys. */
template <class K> static __device__ __forceinline__ void list_marked(const small_block<K> &b)
{
    uint32_t before = 0, all;
    for (uint32_t first = 0; first < b.a.marks; first += THREADS) {
        const uint32_t word = first + threadIdx.x;
        const uint32_t bits = word < b.a.marks ? b.marks[word] : 0;
        const uint32_t at = before + bi_block_exclusive_sum<WARPS>((uint32_t)__popc(bits), b.sh.warps, &all);
        bi_msf_list_word(b.a, word, bits, at, [](const K *key) { return *key; });
        before += all;
        __syncthreads();
    }
}

/* The smallest vertex of each tree. */
template <class K> static __device__ __forceinline__ void label(const small_block<K> &b)
{
    for (uint32_t v = threadIdx.x; v < b.a.n; v += THREADS) b.next[v] = BI_MSF_NONE;
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < b.a.n; v += THREADS) lower(&b.next[b.root(v)], v);
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < b.a.n; v += THREADS) b.a.labels[v] = b.next[b.root(v)];
}

template <class K> static __device__ void tell_host(const small_block<K> &b, uint32_t rounds)
{
    bi_msf_add_up(b);
    if (threadIdx.x > 0) return;
    bi_msf_tell(b.a.told, b.sh.edges, rounds, b.sh.low, b.sh.high);
}

/* LISTED: of entries that are in no graph, which are always checked. */
template <class K, bool LISTED, bool CHECKED>
static __global__ void __launch_bounds__(THREADS) bi_msf_small_forest(const small_args<K> a)
{
    BI_SHARED(small_shared, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    K *best_key = reinterpret_cast<K *>(memory + a.components_at);
    uint32_t *best_id = reinterpret_cast<uint32_t *>(best_key + a.n);
    small_block<K> b = {a,
                        sh,
                        reinterpret_cast<uint32_t *>(memory),
                        reinterpret_cast<small_edge<K> *>(memory + a.edges_at),
                        best_key,
                        best_id,
                        best_id + a.n,
                        best_id + 2 * a.n,
                        0,
                        0,
                        0,
                        0,
                        0};
    if (threadIdx.x == 0) sh.listed = 0, sh.edges = sh.low = sh.high = 0;
    for (uint32_t i = threadIdx.x; i < a.marks; i += THREADS) b.marks[i] = 0;
    for (uint32_t v = threadIdx.x; v < a.n; v += THREADS) {
        best_key[v] = (K) ~(K)0;
        best_id[v] = BI_MSF_NONE;
        b.parent[v] = v;
    }
    __syncthreads();
    bool bad = false;
    if constexpr (LISTED)
        bad = list_entries(b);
    else
        list_arcs<CHECKED>(b);
    if (__syncthreads_or(bad)) {
        if (threadIdx.x == 0) bi_msf_tell_bad(a.told);
        return;
    }
    const uint32_t warp = threadIdx.x / 32;
    uint32_t rounds = 0;
    b.begin = (uint32_t)((uint64_t)sh.listed * warp / WARPS);
    b.end = (uint32_t)((uint64_t)sh.listed * (warp + 1) / WARPS);
    while (__syncthreads_or(b.begin < b.end)) {
        choose(b);
        hook(b);
        compact(b);
        rounds++;
    }
    if (a.ids) list_marked(b);
    if (a.labels) label(b);
    tell_host(b, rounds);
}

/* Where the parts are; the bytes of all. */
template <class K> static int64_t lay_out(small_args<K> *a, int64_t edges)
{
    a->edges_at = (uint32_t)bi_round_up((size_t)a->marks * 4, 16);
    const int64_t components_at = a->edges_at + edges * (int64_t)sizeof(small_edge<K>);
    a->components_at = (uint32_t)components_at;
    return components_at + a->n * (int64_t)(sizeof(K) + 3 * sizeof(uint32_t));
}

template <class K, bool LISTED, bool CHECKED>
static bosc_status launch(bosc_ctx *ctx, const small_args<K> &a, int64_t bytes)
{
    void (*const kernel)(small_args<K>) = bi_msf_small_forest<K, LISTED, CHECKED>;
    if (bytes > BI_SHARED_PLAIN)
        BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return BI_RUN(ctx, kernel, 1, THREADS, (size_t)bytes, a);
}

template <class K>
bosc_status bi_msf_small(bosc_ctx *ctx, const struct bi_graph_view *g, const bi_msf_csr<K> &rows,
                         const struct bi_msf_entries *entries, bool checked, const struct bi_msf_found *found,
                         struct bi_msf_control *told, bool *done)
{
    enum { MOST_VERTICES = 1 << 16, STATIC = sizeof(small_shared) + 1024 /* of the device's own */ };
    unsigned long long *words = (unsigned long long *)ctx->pinned;
    small_args<K> a = {};
    *done = false;
    if (g->n > MOST_VERTICES || g->m > BI_MSF_SMALL_EDGES || g->entries > 4 * BI_MSF_SMALL_EDGES) return BOSC_OK;
    a.rows = rows;
    if (entries) a.entries = *entries;
    a.n = (uint32_t)g->n;
    a.items = (uint32_t)(entries ? g->m : g->arcs);
    a.marks = (uint32_t)bi_div_up(g->entries, 32);
    a.ids = (uint32_t *)found->ids;
    a.keys = (K *)found->keys;
    a.labels = found->labels;
    a.told = words;
    const int64_t bytes = lay_out(&a, g->m);
    if (bytes + STATIC > (int64_t)bi_shared_bytes(ctx)) return BOSC_OK;
    if (a.keys) {
        void *memory;
        BI_TRY(bi_scratch(ctx, (size_t)g->entries * sizeof(K), &memory));
        a.keys_by_id = (K *)memory;
    }
    words[0] = 0;
    if (entries)
        BI_TRY((launch<K, true, true>(ctx, a, bytes)));
    else if (checked)
        BI_TRY((launch<K, false, true>(ctx, a, bytes)));
    else
        BI_TRY((launch<K, false, false>(ctx, a, bytes)));
    return bi_msf_hear(ctx, words, told, done);
}

#define INSTANCE(K)                                                                                     \
    template bosc_status bi_msf_small(bosc_ctx *, const struct bi_graph_view *, const bi_msf_csr<K> &,  \
                                      const struct bi_msf_entries *, bool, const struct bi_msf_found *, \
                                      struct bi_msf_control *, bool *);
INSTANCE(uint32_t)
INSTANCE(uint64_t)
