/* Boruvka's rounds over the list of a level, in one cooperative kernel. Each warp holds a slice of the list and
 * compacts it in place. Components are renumbered in every round, so that the tables shrink with the list. */
#include "forest/cuda/msf.cuh"

/* Replaces the ends of the listed edges, which are vertices, by components of level 0, and proposes the edges. */
template <class K> static __global__ void __launch_bounds__(256) bi_msf_relabel_list(bi_msf_state<K> s)
{
    uint32_t count = s.control->listed[0], i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count || s.control->overflow) return;
    bi_msf_edge<K> e = s.list[i];
    e.u = s.pointer[e.u] & BI_MSF_ID;
    e.v = s.pointer[e.v] & BI_MSF_ID;
    s.list[i] = e;
    bi_msf_edge<K> one[1] = {e};
    const bool differ[1] = {e.u != e.v};
    bi_msf_propose_edges(s, one, differ, differ);
}

/* With few components and many edges the grid would serialise on atomics to the same words. So each block filters: it
 * keeps the least first 32 bits of the keys seen for each component, and only edges not above them reach the words.
 * Measured, 1 M vertices and 6 M edges: the rounds between 1,394, 193 and 22 components rename edges in 24, 6 and 6 us;
 * without filters in 26, 26 and 48. */
enum { FILTER_COMPONENTS = 4096 /* 16 KB: two blocks a multiprocessor fit the 64 KB of compute capability 7.5 */ };
struct filter_shared {
    uint32_t key[FILTER_COMPONENTS];
};

static __device__ __forceinline__ uint32_t first_bits(uint32_t key) { return key; }
static __device__ __forceinline__ uint32_t first_bits(uint64_t key) { return (uint32_t)(key >> 32); }

/* Ends with a barrier. */
static __device__ __forceinline__ void reset_filter(filter_shared &sh, uint32_t components)
{
    for (uint32_t i = threadIdx.x; i < components; i += BI_MSF_ROUND_THREADS) sh.key[i] = UINT32_MAX;
    __syncthreads(); /* the filter is clear */
}

/* Clears the flags of ends whose edge is heavier than one seen before; flags are set for edges with different ends. */
template <class K>
static __device__ __forceinline__ void filter_proposals(filter_shared &sh, const bi_msf_edge<K> (&e)[BI_MSF_BATCH],
                                                        bool (&at_u)[BI_MSF_BATCH], bool (&at_v)[BI_MSF_BATCH])
{
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        if (!at_u[k]) continue;
        const uint32_t bits = first_bits(e[k].key);
        at_u[k] = bits <= atomicMin(&sh.key[e[k].u], bits);
        at_v[k] = bits <= atomicMin(&sh.key[e[k].v], bits);
    }
}

/* A warp's slice of the list. */
struct slice {
    uint32_t begin, end;
};

/* A thread's view of the rounds; `edges`, `low` and `high` sum over the forest edges that it added. */
template <class K> struct rounds {
    bi_msf_state<K> s;
    bi_msf_csr<K> rows;
    int level;
    bi_grid_barrier barrier;
    struct slice own;
    uint32_t components, *pool; /* of this round: their number and pointers */
    unsigned edges;
    unsigned long long low, high;
};

/* Reads the edges at `first` and every 32 after it; equal ends mean no edge. */
template <class K>
static __device__ __forceinline__ void read_edges(const rounds<K> &r, uint32_t first, bi_msf_edge<K> (&e)[BI_MSF_BATCH])
{
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        const uint32_t i = first + k * 32;
        if (i < r.own.end)
            e[k] = r.s.list[i];
        else
            e[k].u = e[k].v = 0;
    }
}

/* Flags the ends at which an edge has its component's lightest word. All loads are issued before the comparisons. */
template <class K>
static __device__ __forceinline__ void find_lightest(const bi_msf_state<K> &s, const bi_msf_edge<K> (&e)[BI_MSF_BATCH],
                                                     bool (&at_u)[BI_MSF_BATCH], bool (&at_v)[BI_MSF_BATCH])
{
    unsigned long long best_u[BI_MSF_BATCH], best_v[BI_MSF_BATCH];
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        if (e[k].u == e[k].v) continue;
        best_u[k] = s.best[e[k].u];
        best_v[k] = s.best[e[k].v];
    }
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        at_u[k] = e[k].u != e[k].v && best_u[k] == bi_msf_word(e[k].key, e[k].id);
        at_v[k] = e[k].u != e[k].v && best_v[k] == bi_msf_word(e[k].key, e[k].id);
    }
}

/* Calls f(edge, component, other component) for each end at which an edge has its component's lightest word. */
template <class K, class F> static __device__ __forceinline__ void for_each_lightest(const rounds<K> &r, const F &f)
{
    for (uint32_t i0 = r.own.begin + threadIdx.x % 32; i0 < r.own.end; i0 += 32 * BI_MSF_BATCH) {
        bi_msf_edge<K> e[BI_MSF_BATCH];
        bool at_u[BI_MSF_BATCH], at_v[BI_MSF_BATCH];
        read_edges(r, i0, e);
        find_lightest(r.s, e, at_u, at_v);
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            if (at_u[k]) f(e[k], e[k].u, e[k].v);
            if (at_v[k]) f(e[k], e[k].v, e[k].u);
        }
    }
}

/* With 64-bit keys: finds the smallest id among the edges that share a component's lightest key. */
template <class K> static __device__ __forceinline__ void propose_ids(const rounds<K> &r)
{
    for_each_lightest(
        r, [&](const bi_msf_edge<K> &e, uint32_t component, uint32_t) { atomicMin(&r.s.best_id[component], e.id); });
}

/* Stores the component at the other end of each component's lightest edge. Exactly one edge passes the test. */
template <class K> static __device__ __forceinline__ void choose_targets(const rounds<K> &r)
{
    for_each_lightest(r, [&](const bi_msf_edge<K> &e, uint32_t component, uint32_t other) {
        if (sizeof(K) == 4 || r.s.best_id[component] == e.id) r.s.next[component] = other;
    });
}

/* Assigns numbers from a counter to a warp's flagged items, by one atomic. */
__device__ __forceinline__ void assign_numbers(unsigned *counter, const bool (&flag)[BI_MSF_BATCH],
                                               uint32_t (&number)[BI_MSF_BATCH])
{
    const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t taken = 0, base = 0;
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        const unsigned votes = __ballot_sync(~0u, flag[k]);
        number[k] = taken + (uint32_t)__popc(votes & below);
        taken += (uint32_t)__popc(votes);
    }
    if (!taken) return;
    if (lane == 0) base = atomicAdd(counter, taken);
    base = __shfl_sync(~0u, base, 0);
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) number[k] += base;
}

/* Adds the lightest edge of a component to the forest; its key and id come from the words. */
template <class K> __device__ __forceinline__ void add_edge(rounds<K> &r, uint32_t component, unsigned long long word)
{
    K key = sizeof(K) == 4 ? (K)(word >> 32) : (K)word;
    uint32_t id = sizeof(K) == 4 ? (uint32_t)word : r.s.best_id[component];
    bi_msf_mark_edge(r.rows, r.s, id, key);
    r.edges++;
    r.low += (uint32_t)key;
    r.high += (uint64_t)key >> 32;
}

/* Decides each component: of two that chose each other the smaller is a root and gets a number of the next round. One
 * without a choice (s.next[i] is i) is finished in this level: no listed edge leaves it. Heavy edges of the next level
 * may leave it still. It gets a number among the level's finished ones, for which control->finished counts on over the
 * rounds. The others' edges enter the forest; flatten_pool follows their pointers to roots. *next_components, 0 before,
 * becomes the number of roots. Barriers of the grid precede and follow. */
template <class K> static __device__ __forceinline__ void number_roots(rounds<K> &r, unsigned *next_components)
{
    enum { BLOCK_ITEMS = BI_MSF_ROUND_THREADS * BI_MSF_BATCH };
    const bi_msf_state<K> &s = r.s;
    for (uint32_t i0 = blockIdx.x * BLOCK_ITEMS; i0 < r.components; i0 += gridDim.x * BLOCK_ITEMS) {
        uint32_t next[BI_MSF_BATCH], next_number[BI_MSF_BATCH], finished_number[BI_MSF_BATCH];
        unsigned long long word[BI_MSF_BATCH];
        bool root[BI_MSF_BATCH], done[BI_MSF_BATCH];
        /* 1. Load choices and words, then the choices' choices; loads overlap. */
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            const uint32_t i = i0 + k * BI_MSF_ROUND_THREADS + threadIdx.x;
            next[k] = i < r.components ? s.next[i] : i;
            word[k] = i < r.components ? s.best[i] : 0;
        }
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            const uint32_t i = i0 + k * BI_MSF_ROUND_THREADS + threadIdx.x;
            root[k] = next[k] > i && s.next[next[k]] == i;
            done[k] = next[k] == i && i < r.components;
        }
        /* 2. Number the roots and the finished components. */
        assign_numbers(next_components, root, next_number);
        assign_numbers(&s.control->finished[r.level], done, finished_number);
        /* 3. Write the pointers and add the edges. */
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            const uint32_t i = i0 + k * BI_MSF_ROUND_THREADS + threadIdx.x;
            if (i >= r.components) continue;
            r.pool[i] = done[k]   ? BI_MSF_FINISHED | finished_number[k]
                        : root[k] ? BI_MSF_RESOLVED | next_number[k]
                                  : next[k];
            if (!done[k] && !root[k]) add_edge(r, i, word[k]);
        }
    }
}

/* Points components at their roots' numbers, and initialises the next round's tables, which are no longer than this
 * round's. Finished components stay. Other threads may shorten the same path; every value still leads to the root. */
template <class K> static __device__ __forceinline__ void flatten_pool(const rounds<K> &r, uint32_t next_components)
{
    const bi_msf_state<K> &s = r.s;
    const uint32_t all = gridDim.x * BI_MSF_ROUND_THREADS;
    for (uint32_t i0 = blockIdx.x * BI_MSF_ROUND_THREADS + threadIdx.x; i0 < r.components; i0 += all * BI_MSF_BATCH) {
        uint32_t x[BI_MSF_BATCH];
        bool moves[BI_MSF_BATCH], unresolved = false;
        /* 1. Load the pointers; reset the words of next-round components. */
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++)
            x[k] = i0 + k * all < r.components ? bi_load_relaxed(&r.pool[i0 + k * all]) : BI_MSF_RESOLVED;
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            const uint32_t i = i0 + k * all;
            if (i < next_components) {
                s.best[i] = ~0ull;
                if (s.best_id) s.best_id[i] = BI_MSF_NONE;
                s.next[i] = i;
            }
            moves[k] = !(x[k] & BI_MSF_RESOLVED);
            unresolved = unresolved || moves[k];
        }
        /* 2. All paths of the batch advance together until each ends in a resolved pointer. */
        while (unresolved) {
            uint32_t above[BI_MSF_BATCH];
#pragma unroll
            for (int k = 0; k < BI_MSF_BATCH; k++)
                above[k] = x[k] & BI_MSF_RESOLVED ? x[k] : bi_load_relaxed(&r.pool[x[k]]);
            unresolved = false;
#pragma unroll
            for (int k = 0; k < BI_MSF_BATCH; k++) {
                x[k] = above[k];
                unresolved = unresolved || !(x[k] & BI_MSF_RESOLVED);
            }
        }
        /* 3. Store the ends of paths. */
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++)
            if (moves[k]) bi_store_relaxed(&r.pool[i0 + k * all], x[k]);
    }
}

/* Compacts the warp's slice: renames the ends of edges, drops edges inside a component, and proposes the others for the
 * next round. All threads call it: it may contain a barrier of the block. Adds the number of the others to *left. */
template <class K>
static __device__ __forceinline__ void compact_slice(rounds<K> &r, filter_shared &sh, uint32_t next_components,
                                                     unsigned *left)
{
    const bi_msf_state<K> &s = r.s;
    unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t out = r.own.begin;
    bool filtered = next_components <= FILTER_COMPONENTS;
    if (filtered) reset_filter(sh, next_components);
    for (uint32_t i0 = r.own.begin; i0 < r.own.end; i0 += 32 * BI_MSF_BATCH) {
        bi_msf_edge<K> e[BI_MSF_BATCH];
        bool at_u[BI_MSF_BATCH], at_v[BI_MSF_BATCH];
        /* 1. Read a batch; then its memory may be overwritten. */
        read_edges(r, i0 + lane, e);
        __syncwarp(); /* all lanes have read */
                      /* 2. Rename the ends. */
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++)
            if (e[k].u != e[k].v) {
                e[k].u = r.pool[e[k].u] & BI_MSF_ID;
                e[k].v = r.pool[e[k].v] & BI_MSF_ID;
            }
            /* 3. Write the remaining edges to the front, in order. */
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            at_u[k] = at_v[k] = e[k].u != e[k].v;
            const unsigned kept = __ballot_sync(~0u, at_u[k]);
            if (at_u[k]) s.list[out + __popc(kept & below)] = e[k];
            out += (uint32_t)__popc(kept);
        }
        /* 4. Propose them. */
        if (filtered) filter_proposals(sh, e, at_u, at_v);
        bi_msf_propose_edges(s, e, at_u, at_v);
        __syncwarp(); /* all writes are complete, before the next batch is read */
    }
    r.own.end = out;
    if (lane == 0 && out > r.own.begin) atomicAdd(left, out - r.own.begin);
}

/* The final number of component i of round `first`, found through the pools of the later rounds; `pool` is that of
 * `first`. Numbers of the next level begin with the finished components. */
template <class K>
static __device__ __forceinline__ uint32_t final_number(const rounds<K> &r, uint32_t i, const uint32_t *pool,
                                                        unsigned first, unsigned rounds_done)
{
    const struct bi_msf_control *c = r.s.control;
    for (unsigned k = first; k < rounds_done; k++) {
        uint32_t x = pool[i];
        i = x & BI_MSF_ID;
        if ((x & BI_MSF_FINISHED) == BI_MSF_FINISHED) return i;
        /* the pool of the next round, behind that of round k */
        pool += k ? c->next_components[r.level][k - 1] : c->components[r.level];
    }
    return c->finished[r.level] + i;
}

/* Prepares the next level: maps components of this level to numbers of the next, and resets the tables. All threads of
 * the grid call it: it may contain a barrier. rounds_done: 0 if the list was empty. Later pools are read while the
 * second is written, each entry only by its own thread; then the first, which has most components, needs one lookup
 * each. */
template <class K> static __device__ __forceinline__ void finish_level(rounds<K> &r, unsigned rounds_done)
{
    const bi_msf_state<K> &s = r.s;
    struct bi_msf_control *c = s.control;
    uint32_t all = gridDim.x * BI_MSF_ROUND_THREADS, first = blockIdx.x * BI_MSF_ROUND_THREADS + threadIdx.x;
    uint32_t own_components = c->components[r.level], next_components = c->finished[r.level] + r.components;
    uint32_t *pool = s.pools[r.level], *second = pool + own_components;
    /* 1. Sizes and tables of the next level. */
    if (first == 0) {
        c->components[r.level + 1] = next_components;
        c->rounds[r.level] = rounds_done;
    }
    for (uint32_t i = first; i < next_components; i += all) {
        s.best[i] = ~0ull;
        if (s.best_id) s.best_id[i] = BI_MSF_NONE;
        s.next[i] = i;
    }
    /* 2. With at most one pool, map it directly. */
    if (rounds_done < 2) {
        for (uint32_t i = first; i < own_components; i += all) pool[i] = final_number(r, i, pool, 0, rounds_done);
        return;
    }
    /* 3. Map the second pool through all later ones. */
    for (uint32_t i = first; i < c->next_components[r.level][0]; i += all)
        second[i] = final_number(r, i, second, 1, rounds_done);
    /* 4. When all blocks have written the second pool, map the first through it. */
    bi_grid_sync(&r.barrier);
#pragma unroll BI_MSF_BATCH
    for (uint32_t i = first; i < own_components; i += all) {
        const uint32_t x = pool[i];
        pool[i] = (x & BI_MSF_FINISHED) == BI_MSF_FINISHED ? x & BI_MSF_ID : second[x & BI_MSF_ID];
    }
}

/* Runs the rounds of a level until its list is empty. Each grid barrier completes a phase for all blocks. Before, the
 * ends of the listed edges are components of the level, s.next[i] is i, and s.best has the proposals of all listed
 * edges; for 64-bit keys best_id is clear. After an overflow it does nothing, and components[level + 1] stays 0. */
template <class K>
static __global__ void __launch_bounds__(BI_MSF_ROUND_THREADS, BI_MSF_ROUND_BLOCKS)
    bi_msf_boruvka_rounds(bi_msf_csr<K> rows, bi_msf_state<K> s, int level)
{
    BI_SHARED(filter_shared, sh);
    struct bi_msf_control *c = s.control;
    if (c->overflow) return;
    /* Slices of the list, spread over the blocks. */
    uint32_t count = c->listed[level], warps = gridDim.x * (BI_MSF_ROUND_THREADS / 32);
    uint32_t warp = (threadIdx.x / 32) * gridDim.x + blockIdx.x;
    rounds<K> r = {};
    r.s = s;
    r.rows = rows;
    r.level = level;
    r.barrier.arrived = &c->arrived[level];
    r.own.begin = (uint32_t)((uint64_t)count * warp / warps);
    r.own.end = (uint32_t)((uint64_t)count * (warp + 1) / warps);
    r.components = c->components[level];
    r.pool = s.pools[level];
    unsigned k = 0;
    while (count && k < BI_MSF_ROUNDS) {
        /* 1. Equal 64-bit keys: find the least ids. */
        if (sizeof(K) == 8) {
            propose_ids(r);
            bi_grid_sync(&r.barrier);
        }
        /* 2. Store each component's choice. */
        choose_targets(r);
        bi_grid_sync(&r.barrier);
        /* 3. Decide roots, finished components and forest edges. */
        number_roots(r, &c->next_components[level][k]);
        bi_grid_sync(&r.barrier);
        /* 4. Flatten the pointers. */
        uint32_t next_components = c->next_components[level][k];
        flatten_pool(r, next_components);
        bi_grid_sync(&r.barrier);
        /* 5. Compact the list and propose its edges for the next round. */
        compact_slice(r, sh, next_components, &c->left[level][k]);
        bi_grid_sync(&r.barrier);
        count = c->left[level][k];
        r.pool += r.components;
        r.components = next_components;
        k++;
    }
    finish_level(r, k);
    bi_msf_add_sums(c, r.edges, r.low, r.high);
}

template <class K> bosc_status bi_msf_relabel_light(bosc_ctx *ctx, const bi_msf_state<K> &s)
{
    return BI_RUN(ctx, bi_msf_relabel_list<K>, (unsigned)bi_div_up(s.capacity, 256), 256, 0, s);
}

template <class K>
bosc_status bi_msf_level_rounds(bosc_ctx *ctx, const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, int level)
{
    unsigned blocks;
    BI_TRY(bi_cooperative_grid(ctx, bi_msf_boruvka_rounds<K>, BI_MSF_ROUND_THREADS, BI_MSF_ROUND_BLOCKS, &blocks));
    /* Blocks without edges would only slow the barriers. */
    const unsigned busy = (unsigned)bi_div_up(s.capacity, BI_MSF_ROUND_THREADS * BI_MSF_BATCH);
    if (busy < blocks) blocks = busy;
    return BI_RUN_COOPERATIVE(ctx, bi_msf_boruvka_rounds<K>, blocks, BI_MSF_ROUND_THREADS, rows, s, level);
}

template bosc_status bi_msf_relabel_light(bosc_ctx *, const bi_msf_state<uint32_t> &);
template bosc_status bi_msf_relabel_light(bosc_ctx *, const bi_msf_state<uint64_t> &);
template bosc_status bi_msf_level_rounds(bosc_ctx *, const bi_msf_csr<uint32_t> &, const bi_msf_state<uint32_t> &, int);
template bosc_status bi_msf_level_rounds(bosc_ctx *, const bi_msf_csr<uint64_t> &, const bi_msf_state<uint64_t> &, int);
