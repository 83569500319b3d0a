/* Boruvka's rounds over the list of a level: one kernel, whose warps keep a slice of the list each and compact it in
 * place. Components are numbered anew in every round, so that the tables shrink with the list. */
#include "forest/cuda/msf.cuh"

/* First pass over a list whose ends are vertices: they become components. */
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
    bi_msf_offer(s, one, differ, differ);
}

/* Few components that many edges lower would make the grid wait for atomics on the same words. A block keeps the
 * lightest key that it has seen of each, its first 32 bits; only edges that are no heavier get to the words. */
enum { FEW = 4096 };
struct few_shared {
    uint32_t key[FEW];
};

static __device__ __forceinline__ uint32_t first_bits(uint32_t key) { return key; }
static __device__ __forceinline__ uint32_t first_bits(uint64_t key) { return (uint32_t)(key >> 32); }

static __device__ __forceinline__ void begin_few(few_shared &sh, uint32_t components)
{
    for (uint32_t i = threadIdx.x; i < components; i += BI_MSF_ROUND_THREADS) sh.key[i] = UINT32_MAX;
    __syncthreads();
}

/* Which ends of edges may be offered, of those whose ends differ. */
template <class K>
static __device__ __forceinline__ void choose_few(few_shared &sh, const bi_msf_edge<K> (&e)[BI_MSF_BATCH],
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

/* What a thread of the rounds' kernel knows. */
template <class K> struct rounds {
    bi_msf_state<K> s;
    bi_msf_csr<K> rows;
    int level;
    bi_grid_barrier barrier;
    struct slice own;
    uint32_t components, *pool; /* of this round */
    unsigned edges;
    unsigned long long low, high;
};

/* The edges at `first` and every 32 on; equal ends stand for none. */
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

/* Which ends of the edges have the lightest words of their components. Reads do not wait for each other. */
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

/* Calls f(edge, component, the other one) for each end of the slice's edges that has its component's lightest word. */
template <class K, class F> static __device__ __forceinline__ void each_lightest(const rounds<K> &r, const F &f)
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

/* With 64-bit keys: of the edges that share the lightest key that of the smallest id. */
template <class K> static __device__ __forceinline__ void settle_ids(const rounds<K> &r)
{
    each_lightest(
        r, [&](const bi_msf_edge<K> &e, uint32_t component, uint32_t) { atomicMin(&r.s.best_id[component], e.id); });
}

/* The lightest edge of a component says whom it joins: of those with the lightest word one is it. */
template <class K> static __device__ __forceinline__ void join(const rounds<K> &r)
{
    each_lightest(r, [&](const bi_msf_edge<K> &e, uint32_t component, uint32_t other) {
        if (sizeof(K) == 4 || r.s.best_id[component] == e.id) r.s.next[component] = other;
    });
}

/* Numbers for the flagged items of a warp from a counter. */
__device__ __forceinline__ void take_numbers(unsigned *counter, const bool (&flag)[BI_MSF_BATCH],
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

template <class K> __device__ __forceinline__ void take_edge(rounds<K> &r, uint32_t component, unsigned long long word)
{
    K key = sizeof(K) == 4 ? (K)(word >> 32) : (K)word;
    uint32_t id = sizeof(K) == 4 ? (uint32_t)word : r.s.best_id[component];
    bi_msf_take(r.rows, r.s, id, key);
    r.edges++;
    r.low += (uint32_t)key;
    r.high += (uint64_t)key >> 32;
}

/* Of two that chose each other the smaller one is a root; one that chose nobody has no edge left; the others' edges are
 * of the forest. */
template <class K> static __device__ __forceinline__ void number_roots(rounds<K> &r, unsigned *settled)
{
    enum { EACH = BI_MSF_ROUND_THREADS * BI_MSF_BATCH };
    const bi_msf_state<K> &s = r.s;
    for (uint32_t i0 = blockIdx.x * EACH; i0 < r.components; i0 += gridDim.x * EACH) {
        uint32_t next[BI_MSF_BATCH], settled_as[BI_MSF_BATCH], finished_as[BI_MSF_BATCH];
        unsigned long long word[BI_MSF_BATCH];
        bool root[BI_MSF_BATCH], done[BI_MSF_BATCH];
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
        take_numbers(settled, root, settled_as);
        take_numbers(&s.control->finished[r.level], done, finished_as);
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            const uint32_t i = i0 + k * BI_MSF_ROUND_THREADS + threadIdx.x;
            if (i >= r.components) continue;
            r.pool[i] = done[k] ? BI_MSF_FINISHED | finished_as[k] : root[k] ? BI_MSF_SETTLED | settled_as[k] : next[k];
            if (!done[k] && !root[k]) take_edge(r, i, word[k]);
        }
    }
}

/* Points components at their roots' numbers. Others may be pointed there meanwhile: either way leads to the root. */
template <class K> static __device__ __forceinline__ void flatten(const rounds<K> &r, uint32_t settled)
{
    const bi_msf_state<K> &s = r.s;
    const uint32_t all = gridDim.x * BI_MSF_ROUND_THREADS;
    for (uint32_t i0 = blockIdx.x * BI_MSF_ROUND_THREADS + threadIdx.x; i0 < r.components; i0 += all * BI_MSF_BATCH) {
        uint32_t x[BI_MSF_BATCH];
        bool moves[BI_MSF_BATCH], climbs = false;
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++)
            x[k] = i0 + k * all < r.components ? bi_load_relaxed(&r.pool[i0 + k * all]) : BI_MSF_SETTLED;
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            const uint32_t i = i0 + k * all;
            if (i < settled) {
                s.best[i] = ~0ull;
                if (s.best_id) s.best_id[i] = BI_MSF_NONE;
                s.next[i] = i;
            }
            moves[k] = !(x[k] & BI_MSF_SETTLED);
            climbs = climbs || moves[k];
        }
        while (climbs) {
            uint32_t above[BI_MSF_BATCH];
#pragma unroll
            for (int k = 0; k < BI_MSF_BATCH; k++)
                above[k] = x[k] & BI_MSF_SETTLED ? x[k] : bi_load_relaxed(&r.pool[x[k]]);
            climbs = false;
#pragma unroll
            for (int k = 0; k < BI_MSF_BATCH; k++) {
                x[k] = above[k];
                climbs = climbs || !(x[k] & BI_MSF_SETTLED);
            }
        }
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++)
            if (moves[k]) bi_store_relaxed(&r.pool[i0 + k * all], x[k]);
    }
}

/* Renames the ends of the warp's edges, drops those within a component, and offers the others for the next round. */
template <class K>
static __device__ __forceinline__ void compact(rounds<K> &r, few_shared &sh, uint32_t settled, unsigned *left)
{
    const bi_msf_state<K> &s = r.s;
    unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t out = r.own.begin;
    bool few = settled <= FEW;
    if (few) begin_few(sh, settled);
    for (uint32_t i0 = r.own.begin; i0 < r.own.end; i0 += 32 * BI_MSF_BATCH) {
        bi_msf_edge<K> e[BI_MSF_BATCH];
        bool at_u[BI_MSF_BATCH], at_v[BI_MSF_BATCH];
        read_edges(r, i0 + lane, e);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++)
            if (e[k].u != e[k].v) {
                e[k].u = r.pool[e[k].u] & BI_MSF_ID;
                e[k].v = r.pool[e[k].v] & BI_MSF_ID;
            }
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            at_u[k] = at_v[k] = e[k].u != e[k].v;
            const unsigned kept = __ballot_sync(~0u, at_u[k]);
            if (at_u[k]) s.list[out + __popc(kept & below)] = e[k];
            out += (uint32_t)__popc(kept);
        }
        if (few) choose_few(sh, e, at_u, at_v);
        bi_msf_offer(s, e, at_u, at_v);
        __syncwarp();
    }
    r.own.end = out;
    if (lane == 0 && out > r.own.begin) atomicAdd(left, out - r.own.begin);
}

/* Where component i of round `first` went: through the pools of the rounds from there on, of which `pool` is the first,
 * to a number of the next level. Components that are finished come first. */
template <class K>
static __device__ __forceinline__ uint32_t final_number(const rounds<K> &r, uint32_t i, const uint32_t *pool,
                                                        unsigned first, unsigned rounds_done)
{
    const struct bi_msf_control *c = r.s.control;
    for (unsigned k = first; k < rounds_done; k++) {
        uint32_t x = pool[i];
        i = x & BI_MSF_ID;
        if ((x & BI_MSF_FINISHED) == BI_MSF_FINISHED) return i;
        pool += k ? c->settled[r.level][k - 1] : c->components[r.level];
    }
    return c->finished[r.level] + i;
}

/* Prepares the tables of the next level: numbers from `all` on are unused. Pools of later rounds are read while that of
 * the second is written, by those who read it; then that of the first, whose components are most. */
template <class K> static __device__ __forceinline__ void finish_level(rounds<K> &r, unsigned rounds_done)
{
    const bi_msf_state<K> &s = r.s;
    struct bi_msf_control *c = s.control;
    uint32_t all = gridDim.x * BI_MSF_ROUND_THREADS, first = blockIdx.x * BI_MSF_ROUND_THREADS + threadIdx.x;
    uint32_t begun = c->components[r.level], ended = c->finished[r.level] + r.components;
    uint32_t *pool = s.pools[r.level], *second = pool + begun;
    if (first == 0) {
        c->components[r.level + 1] = ended;
        c->rounds[r.level] = rounds_done;
    }
    for (uint32_t i = first; i < ended; i += all) {
        s.best[i] = ~0ull;
        if (s.best_id) s.best_id[i] = BI_MSF_NONE;
        s.next[i] = i;
    }
    if (rounds_done < 2) {
        for (uint32_t i = first; i < begun; i += all) pool[i] = final_number(r, i, pool, 0, rounds_done);
        return;
    }
    for (uint32_t i = first; i < c->settled[r.level][0]; i += all)
        second[i] = final_number(r, i, second, 1, rounds_done);
    bi_grid_sync(&r.barrier);
#pragma unroll BI_MSF_BATCH
    for (uint32_t i = first; i < begun; i += all) {
        const uint32_t x = pool[i];
        pool[i] = (x & BI_MSF_FINISHED) == BI_MSF_FINISHED ? x & BI_MSF_ID : second[x & BI_MSF_ID];
    }
}

template <class K>
static __global__ void __launch_bounds__(BI_MSF_ROUND_THREADS, BI_MSF_ROUND_BLOCKS)
    bi_msf_boruvka_rounds(bi_msf_csr<K> rows, bi_msf_state<K> s, int level)
{
    BI_SHARED(few_shared, sh);
    struct bi_msf_control *c = s.control;
    if (c->overflow) return;
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
        if (sizeof(K) == 8) {
            settle_ids(r);
            bi_grid_sync(&r.barrier);
        }
        join(r);
        bi_grid_sync(&r.barrier);
        number_roots(r, &c->settled[level][k]);
        bi_grid_sync(&r.barrier);
        uint32_t settled = c->settled[level][k];
        flatten(r, settled);
        bi_grid_sync(&r.barrier);
        compact(r, sh, settled, &c->left[level][k]);
        bi_grid_sync(&r.barrier);
        count = c->left[level][k];
        r.pool += r.components;
        r.components = settled;
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
    /* Blocks without edges would only make barriers slower. */
    const unsigned busy = (unsigned)bi_div_up(s.capacity, BI_MSF_ROUND_THREADS * BI_MSF_BATCH);
    if (busy < blocks) blocks = busy;
    return BI_RUN_COOPERATIVE(ctx, bi_msf_boruvka_rounds<K>, blocks, BI_MSF_ROUND_THREADS, rows, s, level);
}

template bosc_status bi_msf_relabel_light(bosc_ctx *, const bi_msf_state<uint32_t> &);
template bosc_status bi_msf_relabel_light(bosc_ctx *, const bi_msf_state<uint64_t> &);
template bosc_status bi_msf_level_rounds(bosc_ctx *, const bi_msf_csr<uint32_t> &, const bi_msf_state<uint32_t> &, int);
template bosc_status bi_msf_level_rounds(bosc_ctx *, const bi_msf_csr<uint64_t> &, const bi_msf_state<uint64_t> &, int);
