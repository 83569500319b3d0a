/* The spanning forest of up to 2^19 edges on CUDA, in one cooperative launch. Each block holds its share of the edges
 * in shared memory for all rounds; trees and lightest edges of components are in device memory, cached in L2. A round
 * has two phases: edges replace their ends by roots and propose themselves to both; the chosen edges then join the
 * components at their ends. A component is named by one of its vertices. Entries without a graph are checked on the
 * way. The last block publishes the sums to the host. */
#include "core/call.h"
#include "core/cuda/cooperative.cuh"
#include "core/cuda/shared.cuh"
#include "forest/cuda/msf_one_launch.cuh"

/* ---- the state ---- */

#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { THREADS = 64, SLOTS = 64, TABLE_COMPONENTS = 16, EDGES_PER_BLOCK = 100, HOPS = 2 };
#else
enum {
    THREADS = 1024,
    SLOTS = 512,            /* of the table: four for each component, so probes are short */
    TABLE_COMPONENTS = 128, /* most components of rounds that use the table; measured, 2^18 edges: 99 us, 2,048 103 */
    EDGES_PER_BLOCK = 128,  /* least edges of a block; measured: 2^14 edges take 58 us by 132 blocks, as by 32 */
    HOPS = 12               /* steps of ascend_to_roots() before it shortens paths, which writes; not measured */
};
#endif
enum {
    WARPS = THREADS / 32,
    LOADS = 4, /* loads in flight per thread */
    BATCH = 2, /* edges whose ends ascend together */
    TABLE_BYTES = SLOTS * (sizeof(unsigned long long) + 2 * sizeof(uint32_t))
};

/* In device memory, zeroed before the launch: words of the grid barrier, the forest's sums, and blocks that have
 * finished. */
struct cooperative_control {
    unsigned long long sums[2], edges, low, high;
    unsigned done;
};

template <class K> struct cooperative_args {
    bi_msf_csr<K> rows; /* for edge lists only the order is set */
    struct bi_msf_entries entries;
    uint32_t n, items, marks; /* vertices; arcs or entries; words of marks */
    uint32_t capacity;        /* edges in a block's shared memory */
    struct cooperative_control *control;
    uint32_t *parent, *smallest;              /* n */
    unsigned long long *best[2], *best_id[2]; /* n: alternately of this round and of the next */
    uint32_t *marked;                         /* a bit per edge id */
    uint32_t *ids, *labels;                   /* NULL: not requested */
    K *keys, *keys_by_id;                     /* NULL: not requested */
    unsigned long long *report;               /* words in host memory that the host polls */
};

struct cooperative_shared {
    uint32_t listed, counted, offset, warps[WARPS];
    unsigned long long sum, edges, low, high;
};

/* The block's least proposals to few components: a hash table with linear probing, keyed by component. */
struct lightest_table {
    unsigned long long *word;
    uint32_t *owner, *bits;

    __device__ __forceinline__ uint32_t slot(uint32_t c) const
    {
        /* Fibonacci hashing; the table never fills, as components <= SLOTS / 4. */
        for (uint32_t s = c * 0x9E3779B1u % SLOTS;; s = (s + 1) % SLOTS) {
            uint32_t found = bi_load_shared_relaxed(&owner[s]);
            if (found == BI_MSF_NONE) found = atomicCAS(&owner[s], BI_MSF_NONE, c);
            if (found == BI_MSF_NONE || found == c) return s;
        }
    }
};

/* A thread's view of the state; `edges`, `low` and `high` sum over the forest edges that it added. */
template <class K> struct cooperative_state {
    const cooperative_args<K> &a;
    cooperative_shared &sh;
    bi_msf_edge<K> *list;
    lightest_table table;
    bi_grid_sum sum;
    uint32_t count, round;
    uint32_t edges; /* forest edges that the thread added */
    unsigned long long low, high;

    /* The first item of the block's share, or with after = 1 of the next block's. */
    __device__ __forceinline__ uint32_t share(uint32_t items, uint32_t after) const
    {
        return (uint32_t)((uint64_t)items * (blockIdx.x + after) / gridDim.x);
    }
    __device__ __forceinline__ unsigned long long *best() const { return a.best[round % 2]; }
    __device__ __forceinline__ unsigned long long *best_id() const { return a.best_id[round % 2]; }
    /* True if edge e is the lightest of component c. */
    __device__ __forceinline__ bool is_best(const bi_msf_edge<K> &e, uint32_t c) const
    {
        if (bi_msf_word(e.key, e.id) != bi_load_hint(&best()[c])) return false;
        return sizeof(K) == 4 || bi_load_hint(&best_id()[c]) == e.id;
    }
    /* Calls f(edge, component) for both ends of the thread's edges between two components. */
    template <class F> __device__ __forceinline__ void for_each_end(const F &f) const
    {
        for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
            const bi_msf_edge<K> e = list[i];
            if (e.u == e.v) continue;
            f(e, e.u);
            f(e, e.v);
        }
    }
};

/* Finds the root of v by path splitting. Blocks share the trees, hence relaxed (L2) accesses. */
static __device__ __forceinline__ uint32_t find_root(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_load_relaxed(&parent[v]), above;
    while ((above = bi_load_relaxed(&parent[at])) != at) {
        bi_store_relaxed(&parent[v], above);
        v = at;
        at = above;
    }
    return at;
}

static __device__ __forceinline__ void store_word(uint32_t *p, uint32_t x) { bi_store_relaxed(p, x); }
static __device__ __forceinline__ void store_word(uint64_t *p, uint64_t x) { bi_store_relaxed(p, x); }
static __device__ __forceinline__ uint32_t load_word(const uint32_t *p) { return bi_load_relaxed(p); }
static __device__ __forceinline__ uint64_t load_word(const uint64_t *p)
{
    return bi_load_relaxed(reinterpret_cast<const unsigned long long *>(p));
}

/* Grid barrier. Returns the sum of `own` over all threads; all writes before it are visible to all threads after it. */
template <class K>
static __device__ __forceinline__ unsigned long long sync_grid_sum(cooperative_state<K> &b, uint32_t own)
{
    cooperative_shared &sh = b.sh;
    const uint32_t warp = bi_warp_sum(own);
    if (threadIdx.x % 32 == 0 && warp) atomicAdd(&sh.counted, warp);
    __syncthreads(); /* the block's writes and counts are complete */
    if (threadIdx.x == 0) {
        sh.sum = bi_grid_barrier_sum(&b.sum, sh.counted, true);
        sh.counted = 0;
    }
    __syncthreads(); /* the sum is visible to the block */
    return sh.sum;
}

/* The passes of proposals: by key; then, for 64-bit keys, by id among the edges of the lightest key. */
enum { BY_KEY, BY_ID };

static __device__ __forceinline__ uint32_t first_bits(uint32_t key) { return key; }
static __device__ __forceinline__ uint32_t first_bits(uint64_t key) { return (uint32_t)(key >> 32); }

/* ---- the list of edges ---- */

/* Lists the edges of the flagged lanes. The whole warp calls it. */
template <class K>
static __device__ __forceinline__ void list_edge(const cooperative_state<K> &b, bool listed, uint32_t u, uint32_t v,
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

/* The rows of two arcs, by a search of THREADS ways. The whole block calls it. */
static __device__ __forceinline__ uint2 rows_of(const uint32_t *offsets, uint32_t n, uint32_t first, uint32_t last)
{
    uint2 row = make_uint2(0, 0); /* invariant: offsets[row] <= the arc < offsets[row + rows] */
    for (uint32_t rows = n, step; rows > 1; rows = step) {
        step = (rows + THREADS - 1) / THREADS;
        const uint32_t at = threadIdx.x * step;
        const bool below_first = at < rows && row.x + at < n && offsets[row.x + at] <= first,
                   below_last = at < rows && row.y + at < n && offsets[row.y + at] <= last;
        /* Each barrier counts the candidate rows that begin at or before the arc. */
        row.x += ((uint32_t)__syncthreads_count(below_first) - 1) * step;
        row.y += ((uint32_t)__syncthreads_count(below_last) - 1) * step;
    }
    return row;
}

/* Lists the edges of a graph. Of an edge's two arcs the ascending one is listed, or the descending one if the ends
 * differ in parity, so that all blocks list about as many. Both arcs have the edge's id and key. sh.listed is 0 before,
 * and the list has room for all arcs of the share. CHECKED: masks or a limit of keys may exclude arcs. The caller adds
 * a barrier. */
template <bool CHECKED, class K> static __device__ __forceinline__ void list_arcs(const cooperative_state<K> &b)
{
    const bi_msf_csr<K> &r = b.a.rows;
    const uint32_t from = b.share(r.arcs, 0), to = b.share(r.arcs, 1);
    if (from == to) return;
    const uint2 rows = rows_of(r.offsets, b.a.n, from, to - 1);
    for (uint32_t first = from + threadIdx.x; first - threadIdx.x < to; first += THREADS * LOADS) {
        uint32_t other[LOADS], id[LOADS], row[LOADS];
        K key[LOADS];
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++) { /* unconditional loads overlap; indices past the end are clamped */
            const uint32_t arc = min(first + k * THREADS, to - 1);
            other[k] = r.neighbours[arc];
            id[k] = r.ids[arc];
            key[k] = bi_msf_arc_key(r, arc);
        }
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++)
            row[k] = bi_msf_row_of(r.offsets, rows.x, rows.y, min(first + k * THREADS, to - 1));
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++) {
            const uint32_t arc = min(first + k * THREADS, to - 1), u = row[k], v = other[k];
            const bool listed = first + k * THREADS < to && u != v && (u < v) == (((u ^ v) & 1) == 0) &&
                                !bi_msf_arc_excluded<CHECKED>(r, u, arc, key[k]);
            list_edge(b, listed, u, v, id[k], key[k]);
        }
    }
}

/* Lists the entries that count; true if one of the thread's is not an edge. */
template <class K> static __device__ __forceinline__ bool list_entries(const cooperative_state<K> &b)
{
    const uint32_t from = b.share(b.a.items, 0), to = b.share(b.a.items, 1);
    return bi_msf_read_entries<K, THREADS, LOADS>(
        b.a.entries, b.a.n, from, to,
        [&](bool counts, uint32_t u, uint32_t v, uint32_t id, K key) { list_edge(b, counts, u, v, id, key); });
}

/* Initialises the state in device memory. */
template <class K> static __device__ __forceinline__ void init_state(const cooperative_state<K> &b)
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

/* Ascends from all of `at` to their roots together, so that loads overlap; BI_MSF_NONE stays. Meanwhile trees only get
 * shorter paths, so stale cached values are valid. */
template <int COUNT> static __device__ __forceinline__ void ascend_to_roots(uint32_t *parent, uint32_t (&at)[COUNT])
{
    unsigned moving = 0; /* a bit for each element */
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
    for (int k = 0; k < COUNT; k++) /* after HOPS steps: a search that shortens the path for others on it */
        if (moving >> k & 1) at[k] = find_root(parent, at[k]);
}

/* Replaces the ends of the thread's edges by their roots; true if an edge between two components remains. */
template <class K> static __device__ __forceinline__ bool move_ends_to_roots(const cooperative_state<K> &b)
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
            const bool live_edge = i < b.count && e.x != e.y;
            at[2 * k] = live_edge ? e.x : BI_MSF_NONE;
            at[2 * k + 1] = live_edge ? e.y : BI_MSF_NONE;
        }
        ascend_to_roots(b.a.parent, at);
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            if (at[2 * k] == BI_MSF_NONE) continue;
            *ends[k] = make_uint2(at[2 * k], at[2 * k + 1]);
            live = live || at[2 * k] != at[2 * k + 1];
        }
    }
    return live;
}

/* True if edge e competes for component c in this pass. */
template <int PASS, class K>
static __device__ __forceinline__ bool is_candidate(const cooperative_state<K> &b, const bi_msf_edge<K> &e, uint32_t c)
{
    return PASS == BY_KEY || bi_msf_word(e.key, e.id) == bi_load_hint(&b.best()[c]);
}
/* The proposed word (the component receives the least one), and its first 32 bits for the table. */
template <int PASS, class K> static __device__ __forceinline__ unsigned long long proposal_word(const bi_msf_edge<K> &e)
{
    return PASS == BY_KEY ? bi_msf_word(e.key, e.id) : e.id;
}
template <int PASS, class K> static __device__ __forceinline__ uint32_t proposal_bits(const bi_msf_edge<K> &e)
{
    return PASS == BY_KEY ? first_bits(e.key) : e.id;
}

/* Proposals for few components: the block finds the least for each in a shared table, then proposes it once. Otherwise
 * the grid would serialise on atomics to the same words. All threads call it. The edges have at most TABLE_COMPONENTS
 * different ends, all roots. A grid barrier must follow before `words` is read, and before the pass BY_ID. */
template <int PASS, class K>
static __device__ __forceinline__ void propose_through_table(const cooperative_state<K> &b, unsigned long long *words)
{
    const lightest_table &t = b.table;
    /* 1. Clear the table. */
    for (uint32_t s = threadIdx.x; s < SLOTS; s += THREADS) {
        t.owner[s] = BI_MSF_NONE;
        t.bits[s] = UINT32_MAX;
        t.word[s] = ~0ull;
    }
    __syncthreads(); /* the table is clear */
    /* 2. The least first 32 bits of each component: 32-bit shared atomics are fast. */
    b.for_each_end([&](const bi_msf_edge<K> &e, uint32_t c) {
        if (!is_candidate<PASS>(b, e, c)) return;
        const uint32_t s = t.slot(c), bits = proposal_bits<PASS>(e);
        if (bits < bi_load_shared_relaxed(&t.bits[s])) atomicMin(&t.bits[s], bits);
    });
    __syncthreads(); /* all bits are minimal */
    /* 3. Among edges with these bits, the least word. */
    b.for_each_end([&](const bi_msf_edge<K> &e, uint32_t c) {
        if (!is_candidate<PASS>(b, e, c)) return;
        const uint32_t s = t.slot(c);
        if (proposal_bits<PASS>(e) != t.bits[s]) return;
        const unsigned long long word = proposal_word<PASS>(e);
        if (word < bi_load_shared_relaxed(&t.word[s])) atomicMin(&t.word[s], word);
    });
    __syncthreads(); /* all words are minimal */
    /* 4. One global atomic per component. */
    for (uint32_t s = threadIdx.x; s < SLOTS; s += THREADS)
        if (t.owner[s] != BI_MSF_NONE) atomicMin(&words[t.owner[s]], t.word[s]);
}

/* Proposes each edge to the components at its ends, by an atomic minimum. */
template <int PASS, class K>
static __device__ __forceinline__ void propose_edges(const cooperative_state<K> &b, bool use_table)
{
    unsigned long long *words = PASS == BY_KEY ? b.best() : b.best_id();
    if (use_table) {
        propose_through_table<PASS>(b, words);
        return;
    }
    b.for_each_end([&](const bi_msf_edge<K> &e, uint32_t c) {
        const unsigned long long word = proposal_word<PASS>(e);
        if (is_candidate<PASS>(b, e, c) && word < bi_load_hint(&words[c])) atomicMin(&words[c], word);
    });
}

/* Component c joins `other` by edge e, which enters the forest. */
template <class K>
static __device__ __forceinline__ void join_component(cooperative_state<K> &b, const bi_msf_edge<K> &e, uint32_t c,
                                                      uint32_t other)
{
    bi_store_relaxed(&b.a.parent[c], other);
    atomicOr(&b.a.marked[e.id / 32], 1u << e.id % 32);
    if (b.a.keys_by_id) store_word(&b.a.keys_by_id[e.id], bi_msf_key_rank(b.a.rows, e.key));
    b.edges++;
    b.low += (uint32_t)e.key;
    b.high += (uint64_t)e.key >> 32;
}

/* Components join along their lightest edges. Of two that chose each other the smaller is the root of the new
 * component. Returns the thread's number of such roots. Each root's words are reset for the next round. */
template <class K> static __device__ __forceinline__ uint32_t join_components(cooperative_state<K> &b)
{
    uint32_t pairs = 0;
    for (uint32_t i = threadIdx.x; i < b.count; i += THREADS) {
        const bi_msf_edge<K> e = b.list[i];
        if (e.u == e.v) continue;
        const bool at_u = b.is_best(e, e.u), at_v = b.is_best(e, e.v);
        if (!at_u && !at_v) continue;
        if (!at_u || !at_v) {
            join_component(b, e, at_u ? e.u : e.v, at_u ? e.v : e.u);
            continue;
        }
        const uint32_t root = min(e.u, e.v);
        join_component(b, e, max(e.u, e.v), root);
        bi_store_relaxed(&b.a.best[(b.round + 1) % 2][root], ~0ull);
        if (sizeof(K) == 8) bi_store_relaxed(&b.a.best_id[(b.round + 1) % 2][root], ~0ull);
        pairs++;
    }
    return pairs;
}

/* Boruvka's rounds until no edge lies between two components, or one component is left. */
template <class K> static __device__ __forceinline__ void run_rounds(cooperative_state<K> &b)
{
    uint32_t components = b.a.n; /* upper bound on components with edges to others */
    while (true) {
        /* 1. Replace ends by roots (in round 0 every vertex is a root), and propose edges by key. */
        bool live = b.round == 0 && threadIdx.x < b.count;
        if (b.round > 0) live = move_ends_to_roots(b);
        const bool use_table = components <= TABLE_COMPONENTS;
        propose_edges<BY_KEY>(b, use_table);
        if (!sync_grid_sum(b, live)) return;
        /* 2. The barrier completed all proposals; equal 64-bit keys are decided by id. */
        if (sizeof(K) == 8) {
            propose_edges<BY_ID>(b, use_table);
            sync_grid_sum(b, 0);
        }
        /* 3. Join; the barrier completes all joins before the next round ascends. */
        components = (uint32_t)sync_grid_sum(b, join_components(b));
        b.round++;
        if (components == 1) return;
    }
}

/* ---- results ---- */

/* Lists the marked ids, ascending, and their keys. Each block has a share of the words of marks, and counts the marks
 * in the words of earlier blocks. */
template <class K> static __device__ __forceinline__ void list_marked(const cooperative_state<K> &b)
{
    const uint32_t from = b.share(b.a.marks, 0), to = b.share(b.a.marks, 1);
    uint32_t own = 0, all;
    /* 1. Count the marks in earlier blocks' words: the block's offset in the list. */
    for (uint32_t first = threadIdx.x; first < from; first += THREADS * LOADS)
#pragma unroll
        for (uint32_t i = first; i < first + THREADS * LOADS; i += THREADS)
            own += i < from ? (uint32_t)__popc(bi_load_hint(&b.a.marked[i])) : 0;
    own = bi_warp_sum(own);
    if (threadIdx.x % 32 == 0 && own) atomicAdd(&b.sh.offset, own);
    __syncthreads(); /* all warps have counted */
    /* 2. The block's ids, a word of marks a thread. */
    uint32_t offset = b.sh.offset;
    for (uint32_t first = from; first < to; first += THREADS) {
        const uint32_t word = first + threadIdx.x;
        const uint32_t bits = word < to ? bi_load_hint(&b.a.marked[word]) : 0;
        const uint32_t at = offset + bi_block_exclusive_sum<WARPS>((uint32_t)__popc(bits), b.sh.warps, &all);
        bi_msf_list_word(b.a, word, bits, at, [](const K *key) { return load_word(key); });
        offset += all;
        __syncthreads(); /* before the shared words of the scan are reused */
    }
}

/* Labels each vertex by the smallest vertex of its tree. Lanes with the same root send one atomic. */
template <class K> static __device__ __forceinline__ void label_vertices(cooperative_state<K> &b)
{
    const uint32_t all = gridDim.x * THREADS, first = blockIdx.x * THREADS;
    for (uint32_t v0 = first; v0 < b.a.n; v0 += all) {
        const uint32_t v = v0 + threadIdx.x, root = v < b.a.n ? find_root(b.a.parent, v) : BI_MSF_NONE;
        const unsigned same = __match_any_sync(~0u, root);
        if (v < b.a.n && !(same & bi_lanes_below()) && v < bi_load_hint(&b.a.smallest[root]))
            atomicMin(&b.a.smallest[root], v);
    }
    sync_grid_sum(b, 0); /* all blocks have finished the minima */
    for (uint32_t v = first + threadIdx.x; v < b.a.n; v += all)
        b.a.labels[v] = bi_load_relaxed(&b.a.smallest[find_root(b.a.parent, v)]);
}

/* The last block to finish publishes the sums. The fences order each block's sums before its count, and the last
 * block's reads after all counts. */
template <class K> static __device__ void publish_result(const cooperative_state<K> &b)
{
    struct cooperative_control *c = b.a.control;
    bi_msf_add_up(b);
    if (threadIdx.x > 0) return;
    atomicAdd(&c->edges, b.sh.edges);
    atomicAdd(&c->low, b.sh.low);
    atomicAdd(&c->high, b.sh.high);
    __threadfence();
    if (atomicAdd(&c->done, 1u) + 1 < gridDim.x) return;
    __threadfence();
    bi_msf_publish(b.a.report, bi_load_relaxed(&c->edges), b.round, bi_load_relaxed(&c->low),
                   bi_load_relaxed(&c->high));
}

/* FROM_ENTRIES: of an edge list, which is always checked. CHECKED: self loops, masks or a limit may exclude arcs. The
 * launch has zeroed *a.control, and a.capacity suffices for each block's share. The sums are of the low and the high
 * halves of the ranks. A bad entry is reported without its index. */
template <class K, bool FROM_ENTRIES, bool CHECKED>
static __global__ void __launch_bounds__(THREADS, 1) bi_msf_cooperative_forest(const cooperative_args<K> a)
{
    BI_SHARED(cooperative_shared, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    cooperative_state<K> b = {a, sh, reinterpret_cast<bi_msf_edge<K> *>(memory), {}, {}, 0, 0, 0, 0, 0};
    /* 1. Shared memory: the block's edges, then the table. */
    b.table.word = reinterpret_cast<unsigned long long *>(b.list + a.capacity);
    b.table.owner = reinterpret_cast<uint32_t *>(b.table.word + SLOTS);
    b.table.bits = b.table.owner + SLOTS;
    b.sum.words = a.control->sums;
    if (threadIdx.x == 0) sh.listed = sh.counted = sh.offset = 0, sh.edges = sh.low = sh.high = 0;
    __syncthreads(); /* the counters are zero */
    init_state(b);
    /* 2. List the block's edges. The grid barrier also completes init_state(), and adds up the bad entries. */
    bool bad = false;
    if constexpr (FROM_ENTRIES)
        bad = list_entries(b);
    else
        list_arcs<CHECKED>(b);
    if (sync_grid_sum(b, bad)) {
        if (blockIdx.x == 0 && threadIdx.x == 0) bi_msf_publish_bad_entry(a.report);
        return;
    }
    /* 3. Rounds, then the requested results. */
    b.count = sh.listed;
    run_rounds(b);
    if (a.ids) list_marked(b);
    if (a.labels) label_vertices(b);
    publish_result(b);
}

/* ---- the launch ---- */

/* Launches as many blocks as give each EDGES_PER_BLOCK, at most max_blocks. If shared memory is short, nothing is
 * launched and *outcome stays. */
template <class K, bool FROM_ENTRIES, bool CHECKED>
static bosc_status launch_forest(bosc_ctx *ctx, cooperative_args<K> *a, unsigned max_blocks,
                                 enum bi_forest_outcome *outcome)
{
    enum { STATIC = sizeof(cooperative_shared) + 1024 /* reserved by the device */ };
    unsigned blocks = (unsigned)bi_div_up(a->items, FROM_ENTRIES ? EDGES_PER_BLOCK : 2 * EDGES_PER_BLOCK);
    if (blocks > max_blocks) blocks = max_blocks;
    a->capacity = (uint32_t)bi_div_up(a->items, blocks) + 1;
    const size_t bytes = a->capacity * sizeof(bi_msf_edge<K>) + TABLE_BYTES;
    if (bytes + STATIC > bi_shared_bytes(ctx)) return BOSC_OK;
    *outcome = BI_FOREST_FOUND;
    BI_TRY(ctx->backend->fill(ctx, a->control, 0, sizeof *a->control));
    void (*const kernel)(cooperative_args<K>) = bi_msf_cooperative_forest<K, FROM_ENTRIES, CHECKED>;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return BI_RUN_COOPERATIVE_SHARED(ctx, kernel, blocks, THREADS, bytes, *a);
}

template <class T> static bosc_status allocate_array(bosc_ctx *ctx, int64_t count, T **p)
{
    return bi_scratch_of(ctx, count, sizeof(T), p);
}

template <class K>
static bosc_status allocate_scratch(bosc_ctx *ctx, const struct bi_graph_view *g, cooperative_args<K> *a)
{
    BI_TRY(allocate_array(ctx, 1, &a->control));
    BI_TRY(allocate_array(ctx, g->n, &a->parent));
    if (a->labels) BI_TRY(allocate_array(ctx, g->n, &a->smallest));
    for (int turn = 0; turn < 2; turn++) {
        BI_TRY(allocate_array(ctx, g->n, &a->best[turn]));
        if (sizeof(K) == 8) BI_TRY(allocate_array(ctx, g->n, &a->best_id[turn]));
    }
    BI_TRY(allocate_array(ctx, a->marks, &a->marked));
    if (a->keys) BI_TRY(allocate_array(ctx, g->entries, &a->keys_by_id));
    return BOSC_OK;
}

/* An input that is too large, or an entry that is no edge, is no failure: returns BOSC_OK with that outcome, and no
 * other result. NULL arrays of `found` are not requested. With entries, `g` holds only their counts. There is at least
 * one edge. g->m counts edges or entries, g->entries edge ids. *result sums ranks: keys in the order of the forest.
 * Waits for a launch. */
template <class K>
bosc_status bi_msf_launch_cooperative(bosc_ctx *ctx, const struct bi_graph_view *g, const bi_msf_csr<K> &rows,
                                      const struct bi_msf_entries *entries, bool checked,
                                      const struct bi_msf_found *found, struct bi_msf_control *result,
                                      enum bi_forest_outcome *outcome)
{
    unsigned long long *words = (unsigned long long *)ctx->pinned;
    cooperative_args<K> a = {};
    *outcome = BI_FOREST_TOO_LARGE;
    if (g->n > 4 * BI_MSF_COOPERATIVE_EDGES || g->m > BI_MSF_COOPERATIVE_EDGES ||
        g->entries > 4 * BI_MSF_COOPERATIVE_EDGES)
        return BOSC_OK;
    /* Arguments, scratch, then one launch of at most one block per multiprocessor. */
    a.rows = rows;
    if (entries) a.entries = *entries;
    a.n = (uint32_t)g->n;
    a.items = (uint32_t)(entries ? g->m : g->arcs);
    a.marks = (uint32_t)bi_div_up(g->entries, 32);
    a.ids = (uint32_t *)found->ids;
    a.keys = (K *)found->keys;
    a.labels = found->labels;
    a.report = words;
    BI_TRY(allocate_scratch(ctx, g, &a));
    words[0] = 0;
    const unsigned max_blocks = bi_launch_cooperative_limit(THREADS, (unsigned)ctx->multiprocessors);
    if (entries)
        BI_TRY((launch_forest<K, true, true>(ctx, &a, max_blocks, outcome)));
    else if (checked)
        BI_TRY((launch_forest<K, false, true>(ctx, &a, max_blocks, outcome)));
    else
        BI_TRY((launch_forest<K, false, false>(ctx, &a, max_blocks, outcome)));
    return *outcome == BI_FOREST_FOUND ? bi_msf_await_result(ctx, words, result, outcome) : BOSC_OK;
}

#define INSTANCE(K)                                                                                                  \
    template bosc_status bi_msf_launch_cooperative(bosc_ctx *, const struct bi_graph_view *, const bi_msf_csr<K> &,  \
                                                   const struct bi_msf_entries *, bool, const struct bi_msf_found *, \
                                                   struct bi_msf_control *, enum bi_forest_outcome *);
INSTANCE(uint32_t)
INSTANCE(uint64_t)
