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
    if (e.u != e.v) bi_msf_offer(s, e);
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

template <class K>
static __device__ __forceinline__ void offer_few(few_shared &sh, const bi_msf_state<K> &s, const bi_msf_edge<K> &e)
{
    unsigned long long word = bi_msf_word(e.key, e.id);
    uint32_t bits = first_bits(e.key);
    bool at_u = bits <= atomicMin(&sh.key[e.u], bits), at_v = bits <= atomicMin(&sh.key[e.v], bits);
    if (at_u && word < bi_load_hint(&s.best[e.u])) atomicMin(&s.best[e.u], word);
    if (at_v && word < bi_load_hint(&s.best[e.v])) atomicMin(&s.best[e.v], word);
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
    struct slice mine;
    uint32_t components, *pool; /* of this round */
    unsigned edges;
    unsigned long long low, high;
};

/* With 64-bit keys: of the edges that share the lightest key that of the smallest id. */
template <class K> static __device__ __forceinline__ void settle_ids(const rounds<K> &r)
{
    for (uint32_t i = r.mine.begin + threadIdx.x % 32; i < r.mine.end; i += 32) {
        bi_msf_edge<K> e = r.s.list[i];
        if (e.u == e.v) continue;
        unsigned long long word = bi_msf_word(e.key, e.id);
        if (word == r.s.best[e.u]) atomicMin(&r.s.best_id[e.u], e.id);
        if (word == r.s.best[e.v]) atomicMin(&r.s.best_id[e.v], e.id);
    }
}

template <class K>
__device__ __forceinline__ bool is_best(const bi_msf_state<K> &s, const bi_msf_edge<K> &e, uint32_t component)
{
    if (bi_msf_word(e.key, e.id) != s.best[component]) return false;
    return sizeof(K) == 4 || s.best_id[component] == e.id;
}

/* The lightest edge of a component says whom it joins. */
template <class K> static __device__ __forceinline__ void join(const rounds<K> &r)
{
    const bi_msf_state<K> &s = r.s;
    for (uint32_t i0 = r.mine.begin + threadIdx.x % 32; i0 < r.mine.end; i0 += 32 * BI_MSF_BATCH) {
        bi_msf_edge<K> e[BI_MSF_BATCH];
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            uint32_t i = i0 + k * 32;
            if (i < r.mine.end)
                e[k] = s.list[i];
            else
                e[k].u = e[k].v = 0;
        }
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            if (e[k].u == e[k].v) continue;
            if (is_best(s, e[k], e[k].u)) s.next[e[k].u] = e[k].v;
            if (is_best(s, e[k], e[k].v)) s.next[e[k].v] = e[k].u;
        }
    }
}

/* Numbers for the flagged lanes of a warp from a counter. */
__device__ __forceinline__ uint32_t take_numbers(unsigned *counter, bool flag)
{
    unsigned votes = __ballot_sync(~0u, flag), lane = threadIdx.x % 32;
    uint32_t base = 0;
    if (!votes) return 0;
    if (lane == 0) base = atomicAdd(counter, (unsigned)__popc(votes));
    return __shfl_sync(~0u, base, 0) + (uint32_t)__popc(votes & ((1u << lane) - 1));
}

template <class K> __device__ __forceinline__ void take_edge(rounds<K> &r, uint32_t component)
{
    unsigned long long word = r.s.best[component];
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
    const bi_msf_state<K> &s = r.s;
    uint32_t all = gridDim.x * BI_MSF_ROUND_THREADS;
    for (uint32_t i0 = blockIdx.x * BI_MSF_ROUND_THREADS; i0 < r.components; i0 += all) {
        uint32_t i = i0 + threadIdx.x, next = i < r.components ? s.next[i] : i;
        bool root = next > i && s.next[next] == i, done = next == i && i < r.components;
        uint32_t settled_as = BI_MSF_SETTLED | take_numbers(settled, root);
        uint32_t finished_as = BI_MSF_FINISHED | take_numbers(&s.control->finished[r.level], done);
        if (i >= r.components) continue;
        r.pool[i] = done ? finished_as : root ? settled_as : next;
        if (!done && !root) take_edge(r, i);
    }
}

template <class K> static __device__ __forceinline__ void flatten(const rounds<K> &r, uint32_t settled)
{
    const bi_msf_state<K> &s = r.s;
    uint32_t all = gridDim.x * BI_MSF_ROUND_THREADS;
    for (uint32_t i = blockIdx.x * BI_MSF_ROUND_THREADS + threadIdx.x; i < r.components; i += all) {
        if (i < settled) {
            s.best[i] = ~0ull;
            if (s.best_id) s.best_id[i] = BI_MSF_NONE;
            s.next[i] = i;
        }
        uint32_t x = bi_load_relaxed(&r.pool[i]);
        if (x & BI_MSF_SETTLED) continue;
        while (!(x & BI_MSF_SETTLED)) x = bi_load_relaxed(&r.pool[x]);
        bi_store_relaxed(&r.pool[i], x);
    }
}

/* Renames the ends of the warp's edges, drops those within a component, and offers the others for the next round. */
template <class K>
static __device__ __forceinline__ void compact(rounds<K> &r, few_shared &sh, uint32_t settled, unsigned *left)
{
    const bi_msf_state<K> &s = r.s;
    unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
    uint32_t out = r.mine.begin;
    bool few = settled <= FEW;
    if (few) begin_few(sh, settled);
    for (uint32_t i0 = r.mine.begin; i0 < r.mine.end; i0 += 32 * BI_MSF_BATCH) {
        bi_msf_edge<K> e[BI_MSF_BATCH];
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            uint32_t i = i0 + k * 32 + lane;
            if (i < r.mine.end)
                e[k] = s.list[i];
            else
                e[k].u = e[k].v = 0;
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++)
            if (e[k].u != e[k].v) {
                e[k].u = r.pool[e[k].u] & BI_MSF_ID;
                e[k].v = r.pool[e[k].v] & BI_MSF_ID;
            }
#pragma unroll
        for (int k = 0; k < BI_MSF_BATCH; k++) {
            unsigned kept = __ballot_sync(~0u, e[k].u != e[k].v);
            if (e[k].u != e[k].v) {
                s.list[out + __popc(kept & below)] = e[k];
                if (few)
                    offer_few(sh, s, e[k]);
                else
                    bi_msf_offer(s, e[k]);
            }
            out += (uint32_t)__popc(kept);
        }
        __syncwarp();
    }
    r.mine.end = out;
    if (lane == 0 && out > r.mine.begin) atomicAdd(left, out - r.mine.begin);
}

/* Where component i of the level's begin went: through the pools of all rounds to a number of the next level.
 * Components that are finished come first. */
template <class K>
static __device__ __forceinline__ uint32_t final_number(const rounds<K> &r, uint32_t i, unsigned rounds_done)
{
    const struct bi_msf_control *c = r.s.control;
    const uint32_t *pool = r.s.pools[r.level];
    uint32_t size = c->components[r.level];
    for (unsigned k = 0; k < rounds_done; k++) {
        uint32_t x = pool[i];
        i = x & BI_MSF_ID;
        if ((x & BI_MSF_FINISHED) == BI_MSF_FINISHED) return i;
        pool += size;
        size = c->settled[r.level][k];
    }
    return c->finished[r.level] + i;
}

/* Prepares the tables of the next level: numbers from `all` on are unused. Pools of later rounds are read while that of
 * the first is written, by those who read it. */
template <class K> static __device__ __forceinline__ void finish_level(const rounds<K> &r, unsigned rounds_done)
{
    const bi_msf_state<K> &s = r.s;
    struct bi_msf_control *c = s.control;
    uint32_t all = gridDim.x * BI_MSF_ROUND_THREADS, first = blockIdx.x * BI_MSF_ROUND_THREADS + threadIdx.x;
    uint32_t begun = c->components[r.level], ended = c->finished[r.level] + r.components;
    if (first == 0) {
        c->components[r.level + 1] = ended;
        c->rounds[r.level] = rounds_done;
    }
    for (uint32_t i = first; i < begun; i += all) s.pools[r.level][i] = final_number(r, i, rounds_done);
    for (uint32_t i = first; i < ended; i += all) {
        s.best[i] = ~0ull;
        if (s.best_id) s.best_id[i] = BI_MSF_NONE;
        s.next[i] = i;
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
    r.mine.begin = (uint32_t)((uint64_t)count * warp / warps);
    r.mine.end = (uint32_t)((uint64_t)count * (warp + 1) / warps);
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
