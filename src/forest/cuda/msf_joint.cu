/* The spanning forest of some ten thousand edges on CUDA, in one launch of blocks that run together, which tells the
 * host the sums itself. Each block keeps its share of the edges in shared memory from the first round to the last; the
 * trees and the lightest edges of components are in device memory, which the L2 cache holds. A round has two phases:
 * edges find the roots of their ends and offer themselves to both; those that were taken join what they lie between.
 * Components keep the number of one of their vertices. Entries that are in no graph are checked on the way. */
#include "core/call.h"
#include "forest/cuda/msf_joint.cuh"

/* Which of two offers of an edge: by its key, or, where 64-bit keys leave no room for it, by its id among those of the
 * lightest key. */
enum { BY_KEY, BY_ID };

static __device__ __forceinline__ uint32_t first_bits(uint32_t key) { return key; }
static __device__ __forceinline__ uint32_t first_bits(uint64_t key) { return (uint32_t)(key >> 32); }

/* ---- the list ---- */

/* Lists the flagged lanes' edges; the whole warp calls it. */
template <class K>
static __device__ __forceinline__ void list_edge(const joint_block<K> &b, bool listed, uint32_t u, uint32_t v,
                                                 uint32_t id, K key)
{
    bi_msf_append(&b.sh.listed, listed, [&](uint32_t at) {
        bi_msf_edge<K> e = {};
        e.u = u;
        e.v = v;
        e.key = key;
        e.id = id;
        b.list[at] = e;
    });
}

/* The rows of two arcs; the whole block asks. */
static __device__ __forceinline__ uint2 rows_of(const uint32_t *offsets, uint32_t n, uint32_t first, uint32_t last)
{
    uint2 row = make_uint2(0, 0); /* offsets[row] <= the arc < offsets[row + rows] */
    for (uint32_t rows = n, step; rows > 1; rows = step) {
        step = (rows + THREADS - 1) / THREADS;
        const uint32_t at = threadIdx.x * step;
        const bool below_first = at < rows && row.x + at < n && offsets[row.x + at] <= first,
                   below_last = at < rows && row.y + at < n && offsets[row.y + at] <= last;
        row.x += ((uint32_t)__syncthreads_count(below_first) - 1) * step;
        row.y += ((uint32_t)__syncthreads_count(below_last) - 1) * step;
    }
    return row;
}

/* Edges of a graph: of the two arcs of each the one that goes up, or down where one end is even and the other odd, so
 * that all blocks have about as many. */
template <bool CHECKED, class K> static __device__ __forceinline__ void list_arcs(const joint_block<K> &b)
{
    const bi_msf_csr<K> &r = b.a.rows;
    const uint32_t from = b.share(r.arcs, 0), to = b.share(r.arcs, 1);
    if (from == to) return;
    const uint2 rows = rows_of(r.offsets, b.a.n, from, to - 1);
    for (uint32_t first = from + threadIdx.x; first - threadIdx.x < to; first += THREADS * EACH) {
        uint32_t other[EACH], id[EACH], row[EACH];
        K key[EACH];
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++) { /* without conditions, so that all are read at once */
            const uint32_t arc = min(first + k * THREADS, to - 1);
            other[k] = r.neighbours[arc];
            id[k] = r.ids[arc];
            key[k] = bi_msf_arc_key(r, arc);
        }
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++)
            row[k] = bi_msf_row_of(r.offsets, rows.x, rows.y, min(first + k * THREADS, to - 1));
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++) {
            const uint32_t arc = min(first + k * THREADS, to - 1), u = row[k], v = other[k];
            const bool listed = first + k * THREADS < to && u != v && (u < v) == (((u ^ v) & 1) == 0) &&
                                !bi_msf_missing<CHECKED>(r, u, arc, key[k]);
            list_edge(b, listed, u, v, id[k], key[k]);
        }
    }
}

/* Entries that count; whether one of the thread's is no edge. */
template <class K> static __device__ __forceinline__ bool list_entries(const joint_block<K> &b)
{
    const uint32_t from = b.share(b.a.items, 0), to = b.share(b.a.items, 1);
    return bi_msf_read_entries<K, THREADS, EACH>(
        b.a.entries, b.a.n, from, to,
        [&](bool counts, uint32_t u, uint32_t v, uint32_t id, K key) { list_edge(b, counts, u, v, id, key); });
}

/* What is in device memory before the first round. */
template <class K> static __device__ __forceinline__ void begin(const joint_block<K> &b)
{
    const uint32_t all = gridDim.x * THREADS, own = blockIdx.x * THREADS + threadIdx.x;
    for (uint32_t v = own; v < b.a.n; v += all) {
        bi_store_relaxed(&b.a.parent[v], v);
        if (b.a.labels) bi_store_relaxed(&b.a.smallest[v], BI_MSF_NONE);
        for (int turn = 0; turn < 2; turn++) {
            bi_store_relaxed(&b.a.best[turn][v], ~0ull);
            if (sizeof(K) == 8) bi_store_relaxed(&b.a.best_id[turn][v], ~0ull);
        }
    }
    for (uint32_t i = own; i < b.a.marks; i += all) bi_store_relaxed(&b.a.marked[i], 0u);
}

/* ---- rounds ---- */

/* Climbs from all of `at` to their roots, at once; BI_MSF_NONE stays. No tree changes meanwhile but for shorter ways,
 * so an old value is as good. */
template <int COUNT> static __device__ __forceinline__ void climb(uint32_t *parent, uint32_t (&at)[COUNT])
{
    unsigned moving = 0; /* a bit for each */
#pragma unroll
    for (int k = 0; k < COUNT; k++) moving |= (at[k] != BI_MSF_NONE ? 1u : 0u) << k;
    for (int hop = 0; hop < HOPS && moving; hop++) {
        uint32_t above[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT; k++) above[k] = moving >> k & 1 ? bi_load_hint(&parent[at[k]]) : at[k];
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            if (above[k] == at[k]) moving &= ~(1u << k);
            at[k] = above[k];
        }
    }
    if (!moving) return;
#pragma unroll
    for (int k = 0; k < COUNT; k++) /* a long path: those on it shorten it for each other */
        if (moving >> k & 1) at[k] = joint_root(parent, at[k]);
}

/* The ends of the thread's edges become roots; whether an edge between two is left. */
template <class K> static __device__ __forceinline__ bool climb_all(const joint_block<K> &b)
{
    bool live = false;
    for (uint32_t first = threadIdx.x; first < b.count; first += THREADS * BATCH) {
        uint32_t at[2 * BATCH];
        uint2 *ends[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const uint32_t i = first + (uint32_t)k * THREADS;
            ends[k] = reinterpret_cast<uint2 *>(&b.list[i < b.count ? i : first]);
            const uint2 e = *ends[k];
            const bool is = i < b.count && e.x != e.y;
            at[2 * k] = is ? e.x : BI_MSF_NONE;
            at[2 * k + 1] = is ? e.y : BI_MSF_NONE;
        }
        climb(b.a.parent, at);
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            if (at[2 * k] == BI_MSF_NONE) continue;
            *ends[k] = make_uint2(at[2 * k], at[2 * k + 1]);
            live = live || at[2 * k] != at[2 * k + 1];
        }
    }
    return live;
}

/* An edge's offer to the component c: whether it makes one, and the word. */
template <int PASS, class K>
static __device__ __forceinline__ bool offers(const joint_block<K> &b, const bi_msf_edge<K> &e, uint32_t c)
{
    return PASS == BY_KEY || bi_msf_word(e.key, e.id) == bi_load_hint(&b.best()[c]);
}
template <int PASS, class K> static __device__ __forceinline__ unsigned long long word_of(const bi_msf_edge<K> &e)
{
    return PASS == BY_KEY ? bi_msf_word(e.key, e.id) : e.id;
}
template <int PASS, class K> static __device__ __forceinline__ uint32_t bits_of(const bi_msf_edge<K> &e)
{
    return PASS == BY_KEY ? first_bits(e.key) : e.id;
}

/* Offers of a round with few components: the block keeps the least of each, and makes one offer of it. Otherwise the
 * grid would wait for atomics on the same words. */
template <int PASS, class K>
static __device__ __forceinline__ void offer_least(const joint_block<K> &b, unsigned long long *words)
{
    const joint_table &t = b.table;
    for (uint32_t s = threadIdx.x; s < SLOTS; s += THREADS) {
        t.owner[s] = BI_MSF_NONE;
        t.bits[s] = UINT32_MAX;
        t.word[s] = ~0ull;
    }
    __syncthreads();
    b.each_end([&](const bi_msf_edge<K> &e, uint32_t c) {
        if (!offers<PASS>(b, e, c)) return;
        const uint32_t s = t.slot(c), bits = bits_of<PASS>(e);
        if (bits < bi_load_shared(&t.bits[s])) atomicMin(&t.bits[s], bits);
    });
    __syncthreads();
    b.each_end([&](const bi_msf_edge<K> &e, uint32_t c) {
        if (!offers<PASS>(b, e, c)) return;
        const uint32_t s = t.slot(c);
        if (bits_of<PASS>(e) != t.bits[s]) return;
        const unsigned long long word = word_of<PASS>(e);
        if (word < bi_load_shared(&t.word[s])) atomicMin(&t.word[s], word);
    });
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < SLOTS; s += THREADS)
        if (t.owner[s] != BI_MSF_NONE) atomicMin(&words[t.owner[s]], t.word[s]);
}

template <int PASS, class K> static __device__ __forceinline__ void offer_all(const joint_block<K> &b, bool few)
{
    unsigned long long *words = PASS == BY_KEY ? b.best() : b.best_id();
    if (few) {
        offer_least<PASS>(b, words);
        return;
    }
    b.each_end([&](const bi_msf_edge<K> &e, uint32_t c) {
        const unsigned long long word = word_of<PASS>(e);
        if (offers<PASS>(b, e, c) && word < bi_load_hint(&words[c])) atomicMin(&words[c], word);
    });
}

/* Component c joins `other` by this edge, which is of the forest. */
template <class K>
static __device__ __forceinline__ void join(joint_block<K> &b, const bi_msf_edge<K> &e, uint32_t c, uint32_t other)
{
    bi_store_relaxed(&b.a.parent[c], other);
    atomicOr(&b.a.marked[e.id / 32], 1u << e.id % 32);
    if (b.a.keys_by_id) joint_store(&b.a.keys_by_id[e.id], bi_msf_key_rank(b.a.rows, e.key));
    b.edges++;
    b.low += (uint32_t)e.key;
    b.high += (uint64_t)e.key >> 32;
}

/* Components join those that their lightest edges lead to, but the smaller of two that chose each other, which is the
 * root of the new one; returns how many of these the thread has. Each gets its words for the next round. */
template <class K> static __device__ __forceinline__ uint32_t join_all(joint_block<K> &b)
{
    uint32_t pairs = 0;
    for (uint32_t i = threadIdx.x; i < b.count; i += THREADS) {
        const bi_msf_edge<K> e = b.list[i];
        if (e.u == e.v) continue;
        const bool at_u = b.is_best(e, e.u), at_v = b.is_best(e, e.v);
        if (!at_u && !at_v) continue;
        if (!at_u || !at_v) {
            join(b, e, at_u ? e.u : e.v, at_u ? e.v : e.u);
            continue;
        }
        const uint32_t root = min(e.u, e.v);
        join(b, e, max(e.u, e.v), root);
        bi_store_relaxed(&b.a.best[(b.round + 1) % 2][root], ~0ull);
        if (sizeof(K) == 8) bi_store_relaxed(&b.a.best_id[(b.round + 1) % 2][root], ~0ull);
        pairs++;
    }
    return pairs;
}

template <class K> static __device__ __forceinline__ void run_rounds(joint_block<K> &b)
{
    uint32_t components = b.a.n; /* that may have edges to others; their number at most */
    while (true) {
        bool live = b.round == 0 && threadIdx.x < b.count;
        if (b.round > 0) live = climb_all(b);
        const bool few = components <= FEW;
        offer_all<BY_KEY>(b, few);
        if (!meet(b, live)) return;
        if (sizeof(K) == 8) {
            offer_all<BY_ID>(b, few);
            meet(b, 0);
        }
        components = (uint32_t)meet(b, join_all(b));
        b.round++;
        if (components == 1) return;
    }
}

/* ---- answers ---- */

/* The marked ids, ascending, and their keys: each block has a share of the words of marks, and counts those before. */
template <class K> static __device__ __forceinline__ void list_marked(const joint_block<K> &b)
{
    const uint32_t from = b.share(b.a.marks, 0), to = b.share(b.a.marks, 1);
    uint32_t own = 0, all;
    for (uint32_t first = threadIdx.x; first < from; first += THREADS * EACH)
#pragma unroll
        for (uint32_t i = first; i < first + THREADS * EACH; i += THREADS)
            own += i < from ? (uint32_t)__popc(bi_load_hint(&b.a.marked[i])) : 0;
    own = bi_warp_sum(own);
    if (threadIdx.x % 32 == 0 && own) atomicAdd(&b.sh.before, own);
    __syncthreads();
    uint32_t before = b.sh.before;
    for (uint32_t first = from; first < to; first += THREADS) {
        const uint32_t word = first + threadIdx.x;
        const uint32_t bits = word < to ? bi_load_hint(&b.a.marked[word]) : 0;
        const uint32_t at = before + bi_block_exclusive_sum<WARPS>((uint32_t)__popc(bits), b.sh.warps, &all);
        bi_msf_list_word(b.a, word, bits, at, [](const K *key) { return joint_load(key); });
        before += all;
        __syncthreads();
    }
}

/* The smallest vertex of each tree. */
template <class K> static __device__ __forceinline__ void label(joint_block<K> &b)
{
    const uint32_t all = gridDim.x * THREADS, begun = blockIdx.x * THREADS;
    for (uint32_t v0 = begun; v0 < b.a.n; v0 += all) {
        const uint32_t v = v0 + threadIdx.x, root = v < b.a.n ? joint_root(b.a.parent, v) : BI_MSF_NONE;
        const unsigned same = __match_any_sync(~0u, root);
        if (v < b.a.n && !(same & bi_lanes_below()) && v < bi_load_hint(&b.a.smallest[root]))
            atomicMin(&b.a.smallest[root], v);
    }
    meet(b, 0);
    for (uint32_t v = begun + threadIdx.x; v < b.a.n; v += all)
        b.a.labels[v] = bi_load_relaxed(&b.a.smallest[joint_root(b.a.parent, v)]);
}

/* The block that is done last tells the host. */
template <class K> static __device__ void tell_host(const joint_block<K> &b)
{
    struct joint_control *c = b.a.control;
    bi_msf_add_up(b);
    if (threadIdx.x > 0) return;
    atomicAdd(&c->edges, b.sh.edges);
    atomicAdd(&c->low, b.sh.low);
    atomicAdd(&c->high, b.sh.high);
    __threadfence();
    if (atomicAdd(&c->done, 1u) + 1 < gridDim.x) return;
    __threadfence();
    bi_msf_tell(b.a.told, bi_load_relaxed(&c->edges), b.round, bi_load_relaxed(&c->low), bi_load_relaxed(&c->high));
}

/* LISTED: of entries that are in no graph, which are always checked. */
template <class K, bool LISTED, bool CHECKED>
static __global__ void __launch_bounds__(THREADS, 1) bi_msf_joint_forest(const joint_args<K> a)
{
    BI_SHARED(joint_shared, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    joint_block<K> b = {a, sh, reinterpret_cast<bi_msf_edge<K> *>(memory), {}, {}, 0, 0, 0, 0, 0};
    b.table.word = reinterpret_cast<unsigned long long *>(b.list + a.capacity);
    b.table.owner = reinterpret_cast<uint32_t *>(b.table.word + SLOTS);
    b.table.bits = b.table.owner + SLOTS;
    b.sum.words = a.control->sums;
    if (threadIdx.x == 0) sh.listed = sh.counted = sh.before = 0, sh.edges = sh.low = sh.high = 0;
    __syncthreads();
    begin(b);
    bool bad = false;
    if constexpr (LISTED)
        bad = list_entries(b);
    else
        list_arcs<CHECKED>(b);
    if (meet(b, bad)) {
        if (blockIdx.x == 0 && threadIdx.x == 0) bi_msf_tell_bad(a.told);
        return;
    }
    b.count = sh.listed;
    run_rounds(b);
    if (a.ids) list_marked(b);
    if (a.labels) label(b);
    tell_host(b);
}

/* ---- the launch ---- */

template <class K, bool LISTED, bool CHECKED>
static bosc_status launch(bosc_ctx *ctx, joint_args<K> *a, unsigned most, bool *done)
{
    enum { STATIC = sizeof(joint_shared) + 1024 /* of the device's own */ };
    unsigned blocks = (unsigned)bi_div_up(a->items, LISTED ? EACH_BLOCK : 2 * EACH_BLOCK);
    if (blocks > most) blocks = most;
    a->capacity = (uint32_t)bi_div_up(a->items, blocks) + 1;
    const size_t bytes = a->capacity * sizeof(bi_msf_edge<K>) + TABLE_BYTES;
    if (bytes + STATIC > bi_shared_bytes(ctx)) return BOSC_OK;
    *done = true;
    BI_TRY(ctx->backend->fill(ctx, a->control, 0, sizeof *a->control));
    void (*const kernel)(joint_args<K>) = bi_msf_joint_forest<K, LISTED, CHECKED>;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return BI_RUN_COOPERATIVE_SHARED(ctx, kernel, blocks, THREADS, bytes, *a);
}

template <class T> static bosc_status take(bosc_ctx *ctx, int64_t count, T **p)
{
    return bi_scratch_of(ctx, count, sizeof(T), p);
}

template <class K> static bosc_status take_scratch(bosc_ctx *ctx, const struct bi_graph_view *g, joint_args<K> *a)
{
    BI_TRY(take(ctx, 1, &a->control));
    BI_TRY(take(ctx, g->n, &a->parent));
    if (a->labels) BI_TRY(take(ctx, g->n, &a->smallest));
    for (int turn = 0; turn < 2; turn++) {
        BI_TRY(take(ctx, g->n, &a->best[turn]));
        if (sizeof(K) == 8) BI_TRY(take(ctx, g->n, &a->best_id[turn]));
    }
    BI_TRY(take(ctx, a->marks, &a->marked));
    if (a->keys) BI_TRY(take(ctx, g->entries, &a->keys_by_id));
    return BOSC_OK;
}

template <class K>
bosc_status bi_msf_joint(bosc_ctx *ctx, const struct bi_graph_view *g, const bi_msf_csr<K> &rows,
                         const struct bi_msf_entries *entries, bool checked, const struct bi_msf_found *found,
                         struct bi_msf_control *told, bool *done)
{
    unsigned long long *words = (unsigned long long *)ctx->pinned;
    joint_args<K> a = {};
    *done = false;
    if (g->n > 4 * BI_MSF_JOINT_EDGES || g->m > BI_MSF_JOINT_EDGES || g->entries > 4 * BI_MSF_JOINT_EDGES)
        return BOSC_OK;
    a.rows = rows;
    if (entries) a.entries = *entries;
    a.n = (uint32_t)g->n;
    a.items = (uint32_t)(entries ? g->m : g->arcs);
    a.marks = (uint32_t)bi_div_up(g->entries, 32);
    a.ids = (uint32_t *)found->ids;
    a.keys = (K *)found->keys;
    a.labels = found->labels;
    a.told = words;
    BI_TRY(take_scratch(ctx, g, &a));
    words[0] = 0;
    const unsigned most = bi_launch_cooperative_limit(THREADS, (unsigned)ctx->multiprocessors);
    if (entries)
        BI_TRY((launch<K, true, true>(ctx, &a, most, done)));
    else if (checked)
        BI_TRY((launch<K, false, true>(ctx, &a, most, done)));
    else
        BI_TRY((launch<K, false, false>(ctx, &a, most, done)));
    return *done ? bi_msf_hear(ctx, words, told, done) : BOSC_OK;
}

#define INSTANCE(K)                                                                                     \
    template bosc_status bi_msf_joint(bosc_ctx *, const struct bi_graph_view *, const bi_msf_csr<K> &,  \
                                      const struct bi_msf_entries *, bool, const struct bi_msf_found *, \
                                      struct bi_msf_control *, bool *);
INSTANCE(uint32_t)
INSTANCE(uint64_t)
