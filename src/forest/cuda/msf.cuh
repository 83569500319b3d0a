/* The AUTO minimum spanning forest on CUDA, on a graph's rows.
 *
 * 1. Round 0 streams the rows once: every vertex chooses its lightest edge (no worklist, no atomics), and the same
 * pass lists the light arcs u -> v with u < v, by a threshold from a sample. Of two vertices that chose each other the
 * smaller is a root. Pointers are flattened; about a quarter of the vertices remain as components.
 * 2. Level 0: Boruvka's rounds over the list of light edges, in one kernel with grid barriers between the phases.
 * 3. Level 1: heavy edges are read only from vertices outside the largest component, which by now holds most vertices.
 * Those between components are listed, and the same rounds finish.
 *
 * An edge list without a graph has no rows and no round 0: level 0 begins with the vertices and the light entries,
 * level 1 with the heavy entries between two components (msf_entries.cu).
 *
 * Filtering by weight is from Osipov, Sanders, Singler, The Filter-Kruskal Minimum Spanning Tree Algorithm (2009);
 * skipping the largest component from Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation via
 * Subgraph Sampling (2018). Edges are ordered by (key, edge id) throughout. So only the order of edges in a list and
 * the numbers of components depend on the timing of atomics, and neither affects the result. */
#ifndef BI_FOREST_CUDA_MSF_CUH
#define BI_FOREST_CUDA_MSF_CUH

#include "core/cuda/cooperative.cuh"
#include "core/cuda/warp.cuh"
#include "forest/steps/rows.h"

enum {
    BI_MSF_TILE = 2048, /* arcs of a block in round 0: 36 KB of shared memory for 64-bit keys; twice is above 48 KB */
    BI_MSF_TILE_THREADS = 256,
    BI_MSF_TILE_WARPS = BI_MSF_TILE_THREADS / 32,
    BI_MSF_TILE_ITEMS = BI_MSF_TILE / BI_MSF_TILE_THREADS,
    BI_MSF_TILE_BLOCKS = 6, /* per multiprocessor: 6 tiles of 37 KB fit the 228 KB of compute capability 9.0 */
    BI_MSF_LONG_ROW = 48,   /* a warp reads rows with more arcs in a tile, a lane others; not measured */
    /* Lanes read long rows too if the longest has at most this many arcs for each long row of the warp. A warp takes
     * some 2,000 cycles a row, 26 of 38 ms for 537 M edges at 16.8 M vertices; a lane some 80 an arc (estimate). */
    BI_MSF_LONG_SHARE = 16,
    BI_MSF_SAMPLES = 1024, /* of weights: the share of light edges has an error of 1 / (2 sqrt(1024)) = 1.6 % at most;
                             * and of ends for the largest component */
    BI_MSF_SAMPLE_THREADS = 512,
    BI_MSF_ROUND_THREADS = 512,
    BI_MSF_ROUND_BLOCKS = 2, /* blocks per multiprocessor; with three, registers spill (docs/design/forest.md) */
    BI_MSF_BATCH = 4,        /* items per lane at a time: loads in flight */
    BI_MSF_LEVELS = 2,
    BI_MSF_ROUNDS = 40 /* each at least halves the components with edges, fewer than 2^30 */
};
#define BI_MSF_NONE UINT32_MAX

/* Reasons for a failed run: the list was full; an entry is not an edge. */
enum { BI_MSF_NO_ROOM = 1, BI_MSF_NO_EDGE };

/* A component's pointer is one of three: another component of its round; RESOLVED | number in the next round, for a
 * root; FINISHED | number among the finished, for a component without edges. */
#define BI_MSF_RESOLVED 0x80000000u
#define BI_MSF_FINISHED 0xC0000000u
#define BI_MSF_ID 0x3FFFFFFFu

/* The rows of a graph and the filter on arcs. K is the unsigned type of the keys. */
template <class K> struct bi_msf_csr {
    const uint32_t *offsets, *neighbours, *ids;
    const K *keys;
    uint32_t n, arcs;
    K flip, number;                         /* as in struct bi_msf_order */
    K limit;                                /* arcs of a higher rank do not count */
    const uint8_t *vertex_mask, *edge_mask; /* NULL: none excluded */
};

/* The rank of a key (see forest/forest.h), and the key of a rank. */
template <class K> __device__ __forceinline__ K bi_msf_key_rank(const bi_msf_csr<K> &r, K key)
{
    return key > r.number ? key : key ^ r.flip;
}

/* An arc's rank. The kernels call it a key. */
template <class K> __device__ __forceinline__ K bi_msf_arc_key(const bi_msf_csr<K> &r, uint32_t arc)
{
    return bi_msf_key_rank(r, r.keys[arc]);
}

/* True if an arc does not count. CHECKED kernels serve graphs with self loops, masks or a limit. */
template <bool CHECKED, class K>
__device__ __forceinline__ bool bi_msf_arc_excluded(const bi_msf_csr<K> &r, uint32_t row, uint32_t arc, K key)
{
    if (!CHECKED) return false;
    uint32_t other = r.neighbours[arc];
    if (other == row || key > r.limit) return true;
    if (r.vertex_mask && !(r.vertex_mask[row] && r.vertex_mask[other])) return true;
    return r.edge_mask && !r.edge_mask[r.ids[arc]];
}

/* An edge in the list of a level. Its ends are components; equal ends mean no edge. */
template <class K> struct bi_msf_edge;
template <> struct __align__(16) bi_msf_edge<uint32_t> { uint32_t u, v, key, id; };
template <> struct __align__(8) bi_msf_edge<uint64_t>
{
    uint32_t u, v;
    uint64_t key;
    uint32_t id, unused;
};

/* The word that atomic minima compare: (key, id) for 32-bit keys. For 64-bit keys it is the key, and a pass of its own
 * finds the least id. */
__device__ __forceinline__ unsigned long long bi_msf_word(uint32_t key, uint32_t id)
{
    return (unsigned long long)key << 32 | id;
}
__device__ __forceinline__ unsigned long long bi_msf_word(uint64_t key, uint32_t) { return key; }

/* Counters shared by the kernels; zeroed before the first. */
struct bi_msf_control {
    /* Members up to `listed` are read back. The number of edges, and the sums of the low and high halves of their
     * ranks. */
    unsigned long long edges, low, high;
    unsigned overflow; /* BI_MSF_NO_ROOM or BI_MSF_NO_EDGE */
    unsigned rounds[BI_MSF_LEVELS];
    unsigned own_edges; /* of this rank among several (msf_gathered.cu) */

    unsigned long long threshold_key; /* an edge is light up to this (key, id) */
    unsigned threshold_id, giant;
    unsigned listed[BI_MSF_LEVELS]; /* edges found for each level's list: more than its capacity if it is full */
    unsigned components[BI_MSF_LEVELS + 1]; /* at the start of each level, and at the end */
    unsigned finished[BI_MSF_LEVELS];
    unsigned arrived[BI_MSF_LEVELS];
    /* By level and round: components that remain for the next round, and edges left. */
    unsigned next_components[BI_MSF_LEVELS][BI_MSF_ROUNDS], left[BI_MSF_LEVELS][BI_MSF_ROUNDS];
};

template <class K> struct bi_msf_state {
    struct bi_msf_control *control;
    uint32_t *tile_row; /* by tile: the row of its first arc */
    uint2 *tile_ends;   /* by tile: the lightest arcs, inside the tile, of the row begun in an earlier tile and of
                           the row continued in the next */
    uint32_t *next;     /* n: the other end of the lightest edge of a vertex, later of a component */
    K *row_key;         /* n: the key of a vertex's edge */
    uint32_t *pointer;  /* n: from vertices to components of level 0 */
    /* By level: one pool of pointers a round, one after the other, for twice the components. In the end pool entry i
     * is the number of component i in the next level. */
    uint32_t *pools[BI_MSF_LEVELS];
    unsigned long long *best; /* lightest word of each component: n / 2 + 1; for lists n */
    uint32_t *best_id;        /* the same of ids, for 64-bit keys */
    bi_msf_edge<K> *list;
    uint32_t capacity;  /* of list, in edges */
    uint8_t *marks;     /* by edge id: 1 for edges of the forest */
    K *keys_by_id;      /* NULL, or by edge id: keys (not ranks) of the forest's edges */
    bi_msf_share share; /* of a rank among several: replaces the list, and the choices of round 0; else its arrays are
                           NULL */
};

/* Writes an edge to the list of a rank. */
template <class K>
__device__ __forceinline__ void bi_msf_store_shared(const bi_msf_share &share, uint64_t at, const bi_msf_edge<K> &e)
{
    share.keys[at] = sizeof(K) == 4 ? (uint64_t)e.key << 32 | e.id : (uint64_t)e.key;
    share.ends[at] = (uint64_t)e.u << 32 | e.v;
    if (sizeof(K) == 8) share.ids[at] = share.first + e.id;
}

/* Writes an edge to the list. */
template <class K>
__device__ __forceinline__ void bi_msf_store_edge(const bi_msf_state<K> &s, uint64_t at, const bi_msf_edge<K> &e)
{
    if (s.share.keys)
        bi_msf_store_shared(s.share, at, e);
    else
        s.list[at] = e;
}

/* Marks an edge of the forest. In round 0 both ends may mark it from different blocks, hence the relaxed stores. */
template <class K>
__device__ __forceinline__ void bi_msf_mark_edge(const bi_msf_csr<K> &r, const bi_msf_state<K> &s, uint32_t id, K key)
{
    bi_store_relaxed(&s.marks[id], (uint8_t)1);
    if (s.keys_by_id) bi_store_relaxed(&s.keys_by_id[id], bi_msf_key_rank(r, key));
}

/* Proposes edges as the lightest of the components at their flagged ends, by atomic minima. All loads are issued
 * before the first atomic, so they overlap; a stale value only causes a redundant atomic. */
template <class K, int N>
__device__ __forceinline__ void bi_msf_propose_edges(const bi_msf_state<K> &s, const bi_msf_edge<K> (&e)[N],
                                                     const bool (&at_u)[N], const bool (&at_v)[N])
{
    unsigned long long best_u[N], best_v[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
        best_u[k] = at_u[k] ? bi_load_hint(&s.best[e[k].u]) : 0;
        best_v[k] = at_v[k] ? bi_load_hint(&s.best[e[k].v]) : 0;
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        const unsigned long long word = bi_msf_word(e[k].key, e[k].id);
        if (word < best_u[k]) atomicMin(&s.best[e[k].u], word);
        if (word < best_v[k]) atomicMin(&s.best[e[k].v], word);
    }
}

/* Adds the block's sums of (edges, low, high) to the control. All threads call it. */
__device__ __forceinline__ void bi_msf_add_sums(struct bi_msf_control *control, unsigned edges, unsigned long long low,
                                                unsigned long long high)
{
    /* Sums of each warp by shuffles, of the block in shared memory, then one atomic per block and sum. */
    for (int d = 16; d > 0; d /= 2) {
        edges += __shfl_xor_sync(~0u, edges, d);
        low += __shfl_xor_sync(~0u, low, d);
        high += __shfl_xor_sync(~0u, high, d);
    }
    struct sums {
        unsigned long long edges, low, high;
    };
    BI_SHARED(sums, sh);
    if (threadIdx.x == 0) sh.edges = sh.low = sh.high = 0;
    __syncthreads(); /* the sums are zero */
    if (threadIdx.x % 32 == 0 && edges) {
        atomicAdd(&sh.edges, (unsigned long long)edges);
        atomicAdd(&sh.low, low);
        atomicAdd(&sh.high, high);
    }
    __syncthreads(); /* all warps have added */
    if (threadIdx.x == 0 && sh.edges) {
        atomicAdd(&control->edges, sh.edges);
        atomicAdd(&control->low, sh.low);
        atomicAdd(&control->high, sh.high);
    }
}

/* Ranks the flagged among THREADS * ITEMS items of a block; item k of thread t is number k * THREADS + t. Returns the
 * number of flagged items to all threads, which all call it. `counts` is shared, WARPS * ITEMS + 1 words; a barrier
 * must precede its next use. Two barriers. */
template <int THREADS, int ITEMS>
__device__ __forceinline__ uint32_t bi_msf_block_rank(const bool (&flag)[ITEMS], uint32_t (&rank)[ITEMS],
                                                      uint32_t *counts)
{
    constexpr int WARPS = THREADS / 32, ENTRIES = WARPS * ITEMS, EACH = (ENTRIES + 31) / 32;
    int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    unsigned votes[ITEMS], below = (1u << lane) - 1;
    /* 1. Count the flags of each warp and item by votes. */
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        votes[k] = __ballot_sync(~0u, flag[k]);
        if (lane == 0) counts[k * WARPS + warp] = (uint32_t)__popc(votes[k]);
    }
    __syncthreads(); /* all warps have counted */
    /* 2. The first warp scans the counts of all warps. */
    if (warp == 0) {
        uint32_t own[EACH], sum = 0;
        for (int e = 0; e < EACH; e++) {
            int i = lane * EACH + e;
            own[e] = i < ENTRIES ? counts[i] : 0;
            sum += own[e];
        }
        uint32_t upto = bi_warp_inclusive_sum(sum);
        uint32_t prefix = upto - sum;
        for (int e = 0; e < EACH; e++) {
            int i = lane * EACH + e;
            if (i < ENTRIES) counts[i] = prefix;
            prefix += own[e];
        }
        if (lane == 31) counts[ENTRIES] = upto;
    }
    __syncthreads(); /* the counts are scanned */
    /* 3. Ranks: the scanned count, and the lower votes of the warp. */
#pragma unroll
    for (int k = 0; k < ITEMS; k++) rank[k] = counts[k * WARPS + warp] + (uint32_t)__popc(votes[k] & below);
    return counts[ENTRIES];
}

/* Bitonic sort of BI_MSF_SAMPLES shared items by a block of BI_MSF_SAMPLE_THREADS. Each barrier completes the
 * exchanges of a stage. Source: Batcher, Sorting Networks (1968). */
template <class T> static __device__ void bi_msf_sort_samples(T *items)
{
    for (unsigned size = 2; size <= BI_MSF_SAMPLES; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            /* Thread t has pair t of items at distance `stride`. */
            unsigned i = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), j = i + stride;
            bool ascending = (i & size) == 0;
            T a = items[i], b = items[j];
            if (b.precedes(a) == ascending) {
                items[i] = b;
                items[j] = a;
            }
        }
    __syncthreads();
}

/* The index of sample i among `count` items: a mixed number, scaled. The offset is arbitrary: without it sample 0 would
 * always be item 0, since bi_mix_u32(0) is 0. */
__device__ __forceinline__ uint32_t bi_msf_sample_index(uint32_t i, uint32_t count)
{
    return (uint32_t)(((uint64_t)bi_mix_u32(i + 12345) * count) >> 32);
}

/* A component's number in the next level, or BI_MSF_NONE for a vertex without edges. `pool` may be NULL. */
__device__ __forceinline__ uint32_t bi_msf_component(uint32_t pointer, const uint32_t *pool)
{
    return (pointer & BI_MSF_FINISHED) == BI_MSF_FINISHED ? BI_MSF_NONE
           : pool                                         ? pool[pointer & BI_MSF_ID]
                                                          : pointer & BI_MSF_ID;
}

/* Returns the rows of a graph, with the order of its edges. */
template <class K> bi_msf_csr<K> bi_msf_rows_of_view(const struct bi_graph_view *g, const struct bi_msf_order *order)
{
    bi_msf_csr<K> r = {};
    r.offsets = (const uint32_t *)g->offsets;
    r.neighbours = (const uint32_t *)g->neighbours;
    r.ids = (const uint32_t *)g->edge_ids;
    r.keys = (const K *)g->keys;
    r.n = (uint32_t)g->n;
    r.arcs = (uint32_t)g->arcs;
    r.flip = (K)order->flip;
    r.number = (K)order->number;
    r.limit = (K)order->limit;
    r.vertex_mask = order->vertex_mask;
    r.edge_mask = order->edge_mask;
    return r;
}

/* True if some arcs or entries do not count, so that kernels must check each. entries: NULL for rows. */
template <class K>
bool bi_msf_is_checked(const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                       const struct bi_msf_order *order)
{
    if (g->loops || order->vertex_mask || order->edge_mask || (K)order->limit != (K) ~(K)0) return true;
    return entries && entries->drop_nan;
}

/* The launches, in their order. `light_fraction`: share of light edges; 1 or more: all are light. */
template <class K>
bosc_status bi_msf_first_round(bosc_ctx *, const bi_msf_csr<K> &, const bi_msf_state<K> &, bool checked,
                               float light_fraction);
/* The first part of bi_msf_first_round: the choices and the list. light_fraction below 0: the caller has set the
 * threshold in s.control. */
template <class K>
bosc_status bi_msf_choose_at_vertices(bosc_ctx *, const bi_msf_csr<K> &, const bi_msf_state<K> &, bool checked,
                                      float light_fraction);
/* The second part: s.next has the choices. */
template <class K> bosc_status bi_msf_contract_choices(bosc_ctx *, const bi_msf_csr<K> &, const bi_msf_state<K> &);
template <class K> bosc_status bi_msf_relabel_light(bosc_ctx *, const bi_msf_state<K> &);
template <class K>
bosc_status bi_msf_level_rounds(bosc_ctx *, const bi_msf_csr<K> &, const bi_msf_state<K> &, int level);
template <class K>
bosc_status bi_msf_list_heavy(bosc_ctx *, const bi_msf_csr<K> &, const bi_msf_state<K> &, bool checked);
/* The same of an edge list; the first replaces round 0 and relabelling. */
template <class K>
bosc_status bi_msf_list_light_entries(bosc_ctx *, const struct bi_msf_entries &, const bi_msf_state<K> &, bool checked,
                                      float light_fraction);
template <class K>
bosc_status bi_msf_list_heavy_entries(bosc_ctx *, const struct bi_msf_entries &, const bi_msf_state<K> &, bool checked);

/* Lists the marked ids of `entries`, ascending, and their keys (NULL: not requested). number: NULL, or
 * receives theirs, in device memory. There is an entry. */
template <class K>
bosc_status bi_msf_list_marked(bosc_ctx *, const bi_msf_state<K> &, int64_t entries, uint32_t *ids, K *keys,
                               unsigned *number);
/* Bytes of the marks, padded to whole tiles with zeros. */
size_t bi_msf_marks_bytes(int64_t entries);
/* Labels the vertices of trees, unless labels is NULL; the smallest vertices go to s.next, free after the rounds. */
template <class K> bosc_status bi_msf_label_trees(bosc_ctx *, uint32_t n, const bi_msf_state<K> &, uint32_t *labels);

/* The whole forest by one block, for a small graph or list; entries are not checked before. If the outcome is
 * BI_FOREST_FOUND, *found (requested results) and *result are filled. Otherwise the caller uses the next larger method.
 */
#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { BI_MSF_SINGLE_BLOCK_EDGES = 100 };
#else
enum { BI_MSF_SINGLE_BLOCK_EDGES = 1 << 12 };
#endif
template <class K>
bosc_status bi_msf_launch_single_block(bosc_ctx *, const struct bi_graph_view *, const bi_msf_csr<K> &,
                                       const struct bi_msf_entries *, bool checked, const struct bi_msf_found *,
                                       struct bi_msf_control *result, enum bi_forest_outcome *outcome);
/* The same of more edges, by one cooperative launch of all multiprocessors. Limit: measured on an H100, 2^19 edges:
 * 169 us; the levels below, in eleven launches, 198. */
#ifdef BI_EMULATE
enum { BI_MSF_COOPERATIVE_EDGES = 250 };
#else
enum { BI_MSF_COOPERATIVE_EDGES = 1 << 19 };
#endif
template <class K>
bosc_status bi_msf_launch_cooperative(bosc_ctx *, const struct bi_graph_view *, const bi_msf_csr<K> &,
                                      const struct bi_msf_entries *, bool checked, const struct bi_msf_found *,
                                      struct bi_msf_control *result, enum bi_forest_outcome *outcome);

#endif
