/* The levels of a list of entries that is in no graph: which of them are light, and which of the others lie between
 * components of level 0. Nothing is known of a vertex's edges, so there is no round 0: all vertices are components. */
#include "forest/cuda/msf.cuh"
#include "graph/view.h"

enum { THREADS = BI_MSF_ROUND_THREADS, ITEMS = 4, TILE = THREADS * ITEMS };

template <class K> struct listed_sample {
    K key;
    uint32_t id;
    __device__ __forceinline__ bool before(const listed_sample &other) const
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
template <class K> __device__ __forceinline__ K rank_of(const struct bi_msf_entries &entries, uint32_t i)
{
    return (K)bi_msf_rank(&entries.order, bi_graph_entry_weight(&entries.of, i));
}

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
        const uint32_t id = bi_msf_sample_place(i, (uint32_t)entries.of.m);
        sh.item[i].key = rank_of<K>(entries, id);
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
    bi_msf_begin_entries(struct bi_msf_entries entries, bi_msf_state<K> s, float light_fraction)
{
    if (blockIdx.x == 0) {
        choose_threshold<K>(entries, s.control, light_fraction);
        if (threadIdx.x == 0) s.control->components[0] = (uint32_t)entries.of.n;
        return;
    }
    const uint32_t v = (blockIdx.x - 1) * THREADS + threadIdx.x;
    if (v >= entries.of.n) return;
    s.pointer[v] = v;
    s.next[v] = v;
    s.best[v] = ~0ull;
    if (s.best_id) s.best_id[v] = BI_MSF_NONE;
}

/* The weights of entries that are asked for, at `first` and every `step` on. Reads do not wait for each other. */
template <class K, int N>
__device__ __forceinline__ void read_weights(const struct bi_graph_entries &e, uint64_t first, uint32_t step,
                                             const bool (&asked)[N], uint64_t (&weight)[N])
{
    K bits[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        bits[k] = e.weights && asked[k] ? static_cast<const K *>(e.weights)[first + k * step] : 0;
#pragma unroll
    for (int k = 0; k < N; k++) weight[k] = e.weights ? key_of_bits(e.dtype, bits[k]) : bi_graph_key_of_one(e.dtype);
}

/* The same of their ends. */
template <class W, int N>
__device__ __forceinline__ void read_ends(const struct bi_graph_entries &e, uint64_t first, uint32_t step,
                                          const bool (&asked)[N], W (&u)[N], W (&v)[N])
{
    if (e.wide_u) {
#pragma unroll
        for (int k = 0; k < N; k++) {
            u[k] = asked[k] ? (W) static_cast<const uint64_t *>(e.u)[first + k * step] : 0;
            v[k] = asked[k] ? (W) static_cast<const uint64_t *>(e.v)[first + k * step] : 0;
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; k++) {
            u[k] = asked[k] ? static_cast<const uint32_t *>(e.u)[first + k * step] : 0;
            v[k] = asked[k] ? static_cast<const uint32_t *>(e.v)[first + k * step] : 0;
        }
    }
}

struct list_shared {
    uint32_t counts[THREADS / 32 * ITEMS + 1], base;
};

/* Those of a block's edges that are of the level go to its list, and are offered to their components. */
template <int LEVEL, class K>
static __device__ __forceinline__ void list_edges(list_shared &sh, const bi_msf_state<K> &s,
                                                  const bi_msf_edge<K> (&e)[ITEMS], bool (&listed)[ITEMS])
{
    uint32_t rank[ITEMS];
    const uint32_t total = bi_msf_block_rank<THREADS, ITEMS>(listed, rank, sh.counts);
    if (threadIdx.x == 0) {
        sh.base = total ? atomicAdd(&s.control->listed[LEVEL], total) : 0;
        if ((uint64_t)sh.base + total > s.capacity) bi_store_relaxed(&s.control->overflow, (unsigned)BI_MSF_NO_ROOM);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const uint64_t at = (uint64_t)sh.base + rank[k];
        listed[k] = listed[k] && at < s.capacity;
        if (listed[k]) s.list[at] = e[k];
    }
    bi_msf_offer(s, e, listed, listed);
}

/* `verify`: ends may be no vertices, and weights NaN, which ends all. */
template <bool CHECKED, class K>
static __global__ void __launch_bounds__(THREADS)
    bi_msf_list_light(struct bi_msf_entries entries, bi_msf_state<K> s, bool verify)
{
    BI_SHARED(list_shared, sh);
    const uint32_t m = (uint32_t)entries.of.m, first = blockIdx.x * TILE + threadIdx.x,
                   threshold_id = s.control->threshold_id;
    const uint64_t n = (uint64_t)entries.of.n;
    const K threshold = (K)s.control->threshold_key;
    bi_msf_edge<K> e[ITEMS] = {};
    uint64_t weight[ITEMS], u[ITEMS], v[ITEMS];
    bool there[ITEMS], asked[ITEMS], listed[ITEMS], wrong = false;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) there[k] = (uint64_t)first + k * THREADS < m;
    if (verify) read_ends(entries.of, first, THREADS, there, u, v);
    read_weights<K>(entries.of, first, THREADS, there, weight);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        e[k].key = (K)bi_msf_rank(&entries.order, weight[k]);
        e[k].id = first + k * THREADS;
        asked[k] = there[k] && (e[k].key < threshold || (e[k].key == threshold && e[k].id <= threshold_id));
    }
    if (!verify) read_ends(entries.of, first, THREADS, asked, u, v);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const bool edge = !verify || (u[k] < n && v[k] < n &&
                                      !(entries.refuse_nan && bi_graph_is_nan_key(entries.of.dtype, weight[k])));
        wrong = wrong || (there[k] && !edge);
        e[k].u = (uint32_t)u[k];
        e[k].v = (uint32_t)v[k];
        listed[k] = asked[k] && edge && e[k].u != e[k].v &&
                    (!CHECKED || bi_msf_entry_there(&entries, e[k].id, weight[k], e[k].u, e[k].v));
    }
    if (wrong) bi_store_relaxed(&s.control->overflow, (unsigned)BI_MSF_NO_EDGE);
    list_edges<0>(sh, s, e, listed);
}

/* Whether entry i with this rank, which is not light, lies between components of level 0; these. */
template <bool CHECKED, class K>
__device__ __forceinline__ bool read_heavy(const struct bi_msf_entries &entries, const bi_msf_state<K> &s, uint32_t i,
                                           K threshold, bi_msf_edge<K> *e)
{
    if (e->key < threshold || (e->key == threshold && i <= s.control->threshold_id)) return false;
    const uint32_t u = (uint32_t)bi_word(entries.of.u, entries.of.wide_u, i);
    const uint32_t v = (uint32_t)bi_word(entries.of.v, entries.of.wide_v, i);
    if (CHECKED && !bi_msf_entry_there(&entries, i, bi_graph_entry_weight(&entries.of, i), u, v)) return false;
    e->u = s.pools[0][u];
    e->v = s.pools[0][v];
    e->id = i;
    return e->u != e->v;
}

template <bool CHECKED, class K>
static __global__ void __launch_bounds__(THREADS) bi_msf_list_between(struct bi_msf_entries entries, bi_msf_state<K> s)
{
    BI_SHARED(list_shared, sh);
    if (!s.control->components[1]) return; /* level 0 was given up */
    const uint32_t m = (uint32_t)entries.of.m, first = blockIdx.x * TILE + threadIdx.x;
    const K threshold = (K)s.control->threshold_key;
    bi_msf_edge<K> e[ITEMS] = {};
    bool listed[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (first + k * THREADS < m) e[k].key = rank_of<K>(entries, first + k * THREADS);
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
    const unsigned vertices = (unsigned)bi_div_up(entries.of.n, THREADS),
                   tiles = (unsigned)bi_div_up(entries.of.m, TILE);
    const bool verify = bi_graph_checks_entries(entries.unchecked, &entries.of);
    BI_TRY(BI_RUN(ctx, bi_msf_begin_entries<K>, vertices + 1, THREADS, 0, entries, s, light_fraction));
    if (checked) return BI_RUN(ctx, (bi_msf_list_light<true, K>), tiles, THREADS, 0, entries, s, verify);
    return BI_RUN(ctx, (bi_msf_list_light<false, K>), tiles, THREADS, 0, entries, s, verify);
}

template <class K>
bosc_status bi_msf_list_heavy_entries(bosc_ctx *ctx, const struct bi_msf_entries &entries, const bi_msf_state<K> &s,
                                      bool checked)
{
    const unsigned tiles = (unsigned)bi_div_up(entries.of.m, TILE);
    if (checked) return BI_RUN(ctx, (bi_msf_list_between<true, K>), tiles, THREADS, 0, entries, s);
    return BI_RUN(ctx, (bi_msf_list_between<false, K>), tiles, THREADS, 0, entries, s);
}

#define INSTANCE(K)                                                                                                    \
    template bosc_status bi_msf_list_light_entries(bosc_ctx *, const struct bi_msf_entries &, const bi_msf_state<K> &, \
                                                   bool, float);                                                       \
    template bosc_status bi_msf_list_heavy_entries(bosc_ctx *, const struct bi_msf_entries &, const bi_msf_state<K> &, \
                                                   bool);
INSTANCE(uint32_t)
INSTANCE(uint64_t)
