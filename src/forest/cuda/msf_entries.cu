/* The levels of a list of entries that is in no graph: which of them are light, and which of the others lie between
 * components of level 0. Nothing is known of a vertex's edges, so there is no round 0: all vertices are components. */
#include "forest/cuda/msf.cuh"

enum { THREADS = BI_MSF_ROUND_THREADS, ITEMS = 4, TILE = THREADS * ITEMS };

template <class K> struct listed_sample {
    K key;
    uint32_t id;
    __device__ __forceinline__ bool before(const listed_sample &other) const
    {
        return key != other.key ? key < other.key : id < other.id;
    }
};

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

/* Whether entry i with this rank is of the level; its ends, which are components. */
template <bool CHECKED, int LEVEL, class K>
__device__ __forceinline__ bool read_edge(const struct bi_msf_entries &entries, const bi_msf_state<K> &s, uint32_t i,
                                          K threshold, bi_msf_edge<K> *e)
{
    const bool light = e->key < threshold || (e->key == threshold && i <= s.control->threshold_id);
    if (light != (LEVEL == 0)) return false;
    const uint32_t u = (uint32_t)bi_word(entries.of.u, entries.of.wide_u, i);
    const uint32_t v = (uint32_t)bi_word(entries.of.v, entries.of.wide_v, i);
    if (CHECKED && !bi_msf_entry_there(&entries, i, bi_graph_entry_weight(&entries.of, i), u, v)) return false;
    e->u = LEVEL == 0 ? u : s.pools[0][u];
    e->v = LEVEL == 0 ? v : s.pools[0][v];
    e->id = i;
    return e->u != e->v;
}

template <bool CHECKED, int LEVEL, class K>
static __global__ void __launch_bounds__(THREADS) bi_msf_list_entries(struct bi_msf_entries entries, bi_msf_state<K> s)
{
    struct list_shared {
        uint32_t counts[THREADS / 32 * ITEMS + 1], base;
    };
    BI_SHARED(list_shared, sh);
    if (LEVEL > 0 && !s.control->components[1]) return; /* level 0 was given up */
    const uint32_t m = (uint32_t)entries.of.m, first = blockIdx.x * TILE + threadIdx.x;
    const K threshold = (K)s.control->threshold_key;
    bi_msf_edge<K> e[ITEMS] = {};
    bool listed[ITEMS];
    uint32_t rank[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (first + k * THREADS < m) e[k].key = rank_of<K>(entries, first + k * THREADS);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const uint32_t i = first + k * THREADS;
        listed[k] = i < m && read_edge<CHECKED, LEVEL>(entries, s, i, threshold, &e[k]);
    }
    const uint32_t total = bi_msf_block_rank<THREADS, ITEMS>(listed, rank, sh.counts);
    if (threadIdx.x == 0) {
        sh.base = total ? atomicAdd(&s.control->listed[LEVEL], total) : 0;
        if ((uint64_t)sh.base + total > s.capacity) bi_store_relaxed(&s.control->overflow, 1u);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const uint64_t at = (uint64_t)sh.base + rank[k];
        if (!listed[k] || at >= s.capacity) continue;
        s.list[at] = e[k];
        bi_msf_offer(s, e[k]);
    }
}

template <class K>
bosc_status bi_msf_list_light_entries(bosc_ctx *ctx, const struct bi_msf_entries &entries, const bi_msf_state<K> &s,
                                      bool checked, float light_fraction)
{
    const unsigned vertices = (unsigned)bi_div_up(entries.of.n, THREADS),
                   tiles = (unsigned)bi_div_up(entries.of.m, TILE);
    BI_TRY(BI_RUN(ctx, bi_msf_begin_entries<K>, vertices + 1, THREADS, 0, entries, s, light_fraction));
    if (checked) return BI_RUN(ctx, (bi_msf_list_entries<true, 0, K>), tiles, THREADS, 0, entries, s);
    return BI_RUN(ctx, (bi_msf_list_entries<false, 0, K>), tiles, THREADS, 0, entries, s);
}

template <class K>
bosc_status bi_msf_list_heavy_entries(bosc_ctx *ctx, const struct bi_msf_entries &entries, const bi_msf_state<K> &s,
                                      bool checked)
{
    const unsigned tiles = (unsigned)bi_div_up(entries.of.m, TILE);
    if (checked) return BI_RUN(ctx, (bi_msf_list_entries<true, 1, K>), tiles, THREADS, 0, entries, s);
    return BI_RUN(ctx, (bi_msf_list_entries<false, 1, K>), tiles, THREADS, 0, entries, s);
}

#define INSTANCE(K)                                                                                                    \
    template bosc_status bi_msf_list_light_entries(bosc_ctx *, const struct bi_msf_entries &, const bi_msf_state<K> &, \
                                                   bool, float);                                                       \
    template bosc_status bi_msf_list_heavy_entries(bosc_ctx *, const struct bi_msf_entries &, const bi_msf_state<K> &, \
                                                   bool);
INSTANCE(uint32_t)
INSTANCE(uint64_t)
