/* The levels of an edge list without a graph: lists the light entries, later the heavy entries between components of
 * level 0. The entries of a vertex are not grouped, so there is no round 0: all vertices are components. */
#include "forest/cuda/msf.cuh"
#include "graph/view.h"

enum { THREADS = BI_MSF_ROUND_THREADS, ITEMS = 4 /* entries of a thread: loads in flight */, TILE = THREADS * ITEMS };

template <class K> struct listed_sample {
    K key;
    uint32_t id;
    __device__ __forceinline__ bool precedes(const listed_sample &other) const
    {
        return key != other.key ? key < other.key : id < other.id;
    }
};

/* The key of a weight with these bits. */
__device__ __forceinline__ uint64_t key_of_bits(bosc_dtype dtype, uint32_t bits)
{
    if (dtype == BOSC_F32) return bi_graph_key_of_f32(bi_f32_from_bits(bits));
    return dtype == BOSC_I32 ? bi_key_u32_of_i32((int32_t)bits) : bits;
}
__device__ __forceinline__ uint64_t key_of_bits(bosc_dtype dtype, uint64_t bits)
{
    if (dtype == BOSC_F64) return bi_graph_key_of_f64(bi_f64_from_bits(bits));
    return dtype == BOSC_I64 ? bi_key_u64_of_i64((int64_t)bits) : bits;
}

/* An entry's rank. */
template <class K> __device__ __forceinline__ K entry_rank(const struct bi_msf_entries &entries, uint32_t i)
{
    return (K)bi_msf_rank(&entries.order, bi_graph_entry_weight(&entries.list, i));
}

/* The threshold is a quantile of sampled entries by (key, id); with light_fraction >= 1 all entries are light. */
template <class K>
static __device__ void choose_threshold(const struct bi_msf_entries &entries, struct bi_msf_control *control,
                                        float light_fraction)
{
    struct samples_shared {
        listed_sample<K> item[BI_MSF_SAMPLES];
    };
    BI_SHARED(samples_shared, sh);
    if (light_fraction >= 1) {
        if (threadIdx.x == 0) control->threshold_key = ~0ull, control->threshold_id = BI_MSF_NONE;
        return;
    }
    for (uint32_t i = threadIdx.x; i < BI_MSF_SAMPLES; i += THREADS) {
        const uint32_t id = bi_msf_sample_index(i, (uint32_t)entries.list.m);
        sh.item[i].key = entry_rank<K>(entries, id);
        sh.item[i].id = id;
    }
    bi_msf_sort_samples(sh.item);
    if (threadIdx.x == 0) {
        const listed_sample<K> &chosen = sh.item[(int)(light_fraction * BI_MSF_SAMPLES)];
        control->threshold_key = chosen.key;
        control->threshold_id = chosen.id;
    }
}

/* Block 0 chooses the threshold; the others make every vertex a component. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
    bi_msf_init_entries(struct bi_msf_entries entries, bi_msf_state<K> s, float light_fraction)
{
    if (blockIdx.x == 0) {
        choose_threshold<K>(entries, s.control, light_fraction);
        if (threadIdx.x == 0) s.control->components[0] = (uint32_t)entries.list.n;
        return;
    }
    const uint32_t v = (blockIdx.x - 1) * THREADS + threadIdx.x;
    if (v >= entries.list.n) return;
    s.pointer[v] = v;
    s.next[v] = v;
    s.best[v] = ~0ull;
    if (s.best_id) s.best_id[v] = BI_MSF_NONE;
}

/* Reads the weights of the requested entries, at `first` and every `step` after it. Loads are issued together, so they
 * overlap. */
template <class K, int N>
__device__ __forceinline__ void read_weights(const struct bi_graph_entries &e, uint64_t first, uint32_t step,
                                             const bool (&requested)[N], uint64_t (&weight)[N])
{
    K bits[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        bits[k] = e.weights && requested[k] ? static_cast<const K *>(e.weights)[first + k * step] : 0;
#pragma unroll
    for (int k = 0; k < N; k++) weight[k] = e.weights ? key_of_bits(e.dtype, bits[k]) : bi_graph_key_of_one(e.dtype);
}

/* The same of their ends. */
template <class W, int N>
__device__ __forceinline__ void read_ends(const struct bi_graph_entries &e, uint64_t first, uint32_t step,
                                          const bool (&requested)[N], W (&u)[N], W (&v)[N])
{
    if (e.u_is_64bit) {
#pragma unroll
        for (int k = 0; k < N; k++) {
            u[k] = requested[k] ? (W) static_cast<const uint64_t *>(e.u)[first + k * step] : 0;
            v[k] = requested[k] ? (W) static_cast<const uint64_t *>(e.v)[first + k * step] : 0;
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; k++) {
            u[k] = requested[k] ? static_cast<const uint32_t *>(e.u)[first + k * step] : 0;
            v[k] = requested[k] ? static_cast<const uint32_t *>(e.v)[first + k * step] : 0;
        }
    }
}

struct list_shared {
    uint32_t counts[THREADS / 32 * ITEMS + 1], base;
};

/* Appends the block's flagged edges to the level's list, and proposes each to both its components. */
template <int LEVEL, class K>
static __device__ __forceinline__ void list_edges(list_shared &sh, const bi_msf_state<K> &s,
                                                  const bi_msf_edge<K> (&e)[ITEMS], bool (&listed)[ITEMS])
{
    uint32_t rank[ITEMS];
    /* 1. Rank the flagged edges; one atomic allocates the block's range of the list. */
    const uint32_t total = bi_msf_block_rank<THREADS, ITEMS>(listed, rank, sh.counts);
    if (threadIdx.x == 0) {
        sh.base = total ? atomicAdd(&s.control->listed[LEVEL], total) : 0;
        if ((uint64_t)sh.base + total > s.capacity) bi_store_relaxed(&s.control->overflow, (unsigned)BI_MSF_NO_ROOM);
    }
    __syncthreads(); /* all threads see the range */
    /* 2. Write the edges and propose them. */
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const uint64_t at = (uint64_t)sh.base + rank[k];
        listed[k] = listed[k] && at < s.capacity;
        if (listed[k]) s.list[at] = e[k];
    }
    bi_msf_propose_edges(s, e, listed, listed);
}

/* Lists the light entries, and proposes them to the vertices at their ends. `verify`: entries are not checked yet. One
 * that is not an edge sets control->overflow, as a full list does; then the rounds do nothing. Self loops and entries
 * that do not count are dropped. */
template <bool CHECKED, class K>
static __global__ void __launch_bounds__(THREADS)
    bi_msf_scan_light_entries(struct bi_msf_entries entries, bi_msf_state<K> s, bool verify)
{
    BI_SHARED(list_shared, sh);
    const uint32_t m = (uint32_t)entries.list.m, first = blockIdx.x * TILE + threadIdx.x,
                   threshold_id = s.control->threshold_id;
    const uint64_t n = (uint64_t)entries.list.n;
    const K threshold = (K)s.control->threshold_key;
    bi_msf_edge<K> e[ITEMS] = {};
    uint64_t weight[ITEMS], u[ITEMS], v[ITEMS];
    bool exists[ITEMS], light[ITEMS], listed[ITEMS], wrong = false;
    /* 1. Read weights (and ends, if all must be verified) and find the light entries. */
#pragma unroll
    for (int k = 0; k < ITEMS; k++) exists[k] = (uint64_t)first + k * THREADS < m;
    if (verify) read_ends(entries.list, first, THREADS, exists, u, v);
    read_weights<K>(entries.list, first, THREADS, exists, weight);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        e[k].key = (K)bi_msf_rank(&entries.order, weight[k]);
        e[k].id = first + k * THREADS;
        light[k] = exists[k] && (e[k].key < threshold || (e[k].key == threshold && e[k].id <= threshold_id));
    }
    /* 2. Otherwise read the ends of light entries only. */
    if (!verify) read_ends(entries.list, first, THREADS, light, u, v);
        /* 3. Verify, drop entries that do not count, and list the rest. */
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const bool edge = !verify || (u[k] < n && v[k] < n &&
                                      !(entries.refuse_nan && bi_graph_is_nan_key(entries.list.dtype, weight[k])));
        wrong = wrong || (exists[k] && !edge);
        e[k].u = (uint32_t)u[k];
        e[k].v = (uint32_t)v[k];
        listed[k] = light[k] && edge && e[k].u != e[k].v &&
                    (!CHECKED || bi_msf_entry_is_edge(&entries, e[k].id, weight[k], e[k].u, e[k].v));
    }
    if (wrong) bi_store_relaxed(&s.control->overflow, (unsigned)BI_MSF_NO_EDGE);
    list_edges<0>(sh, s, e, listed);
}

/* Reads entry i, whose rank is in *e. True if it is heavy and lies between two components of level 0, which become its
 * ends. */
template <bool CHECKED, class K>
__device__ __forceinline__ bool read_heavy(const struct bi_msf_entries &entries, const bi_msf_state<K> &s, uint32_t i,
                                           K threshold, bi_msf_edge<K> *e)
{
    if (e->key < threshold || (e->key == threshold && i <= s.control->threshold_id)) return false;
    const uint32_t u = (uint32_t)bi_word(entries.list.u, entries.list.u_is_64bit, i);
    const uint32_t v = (uint32_t)bi_word(entries.list.v, entries.list.v_is_64bit, i);
    if (CHECKED && !bi_msf_entry_is_edge(&entries, i, bi_graph_entry_weight(&entries.list, i), u, v)) return false;
    e->u = s.pools[0][u];
    e->v = s.pools[0][v];
    e->id = i;
    return e->u != e->v;
}

/* Lists the heavy entries between components of level 0: ranks are read first, ends only for heavy entries. */
template <bool CHECKED, class K>
static __global__ void __launch_bounds__(THREADS)
    bi_msf_scan_heavy_entries(struct bi_msf_entries entries, bi_msf_state<K> s)
{
    BI_SHARED(list_shared, sh);
    if (!s.control->components[1]) return; /* level 0 has failed */
    const uint32_t m = (uint32_t)entries.list.m, first = blockIdx.x * TILE + threadIdx.x;
    const K threshold = (K)s.control->threshold_key;
    bi_msf_edge<K> e[ITEMS] = {};
    bool listed[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (first + k * THREADS < m) e[k].key = entry_rank<K>(entries, first + k * THREADS);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const uint32_t i = first + k * THREADS;
        listed[k] = i < m && read_heavy<CHECKED>(entries, s, i, threshold, &e[k]);
    }
    list_edges<1>(sh, s, e, listed);
}

template <class K>
bosc_status bi_msf_list_light_entries(bosc_ctx *ctx, const struct bi_msf_entries &entries, const bi_msf_state<K> &s,
                                      bool checked, float light_fraction)
{
    const unsigned vertices = (unsigned)bi_div_up(entries.list.n, THREADS),
                   tiles = (unsigned)bi_div_up(entries.list.m, TILE);
    const bool verify = bi_graph_checks_entries(entries.check_opts, &entries.list);
    BI_TRY(BI_RUN(ctx, bi_msf_init_entries<K>, vertices + 1, THREADS, 0, entries, s, light_fraction));
    if (checked) return BI_RUN(ctx, (bi_msf_scan_light_entries<true, K>), tiles, THREADS, 0, entries, s, verify);
    return BI_RUN(ctx, (bi_msf_scan_light_entries<false, K>), tiles, THREADS, 0, entries, s, verify);
}

template <class K>
bosc_status bi_msf_list_heavy_entries(bosc_ctx *ctx, const struct bi_msf_entries &entries, const bi_msf_state<K> &s,
                                      bool checked)
{
    const unsigned tiles = (unsigned)bi_div_up(entries.list.m, TILE);
    if (checked) return BI_RUN(ctx, (bi_msf_scan_heavy_entries<true, K>), tiles, THREADS, 0, entries, s);
    return BI_RUN(ctx, (bi_msf_scan_heavy_entries<false, K>), tiles, THREADS, 0, entries, s);
}

#define INSTANCE(K)                                                                                                    \
    template bosc_status bi_msf_list_light_entries(bosc_ctx *, const struct bi_msf_entries &, const bi_msf_state<K> &, \
                                                   bool, float);                                                       \
    template bosc_status bi_msf_list_heavy_entries(bosc_ctx *, const struct bi_msf_entries &, const bi_msf_state<K> &, \
                                                   bool);
INSTANCE(uint32_t)
INSTANCE(uint64_t)
