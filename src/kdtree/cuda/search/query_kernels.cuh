/* The kernels of searches for points of one type; each type is compiled in a file of its own. Many queries are sorted
 * first: see query_keys.cuh. ORDER is that of the nodes: bi_kdtree_tree_order, or bi_kdtree_extent_order. */
#ifndef BI_KDTREE_CUDA_SEARCH_QUERY_KERNELS_CUH
#define BI_KDTREE_CUDA_SEARCH_QUERY_KERNELS_CUH

#include "core/cuda/dependent.cuh"
#include "core/cuda/sort_rows.cuh"
#include "kdtree/cuda/search/extent_walk.cuh"
#include "kdtree/cuda/search/index_walk.cuh"
#include "kdtree/cuda/search/collectors.cuh"
#include "kdtree/cuda/search/truncated_collector.cuh"
#include "kdtree/cuda/search/warp_walk.cuh"
#include "kdtree/cuda/search/distinct_queries.cuh"
#include "kdtree/cuda/search/query_keys.cuh"
#include "kdtree/steps/query.h"

enum {
    BI_KDTREE_LOCATE_THREADS = 1024,
    BI_KDTREE_LOCATE_BLOCKS = 2, /* of a multiprocessor */
    BI_KDTREE_GATHER_THREADS = 256,
    BI_KDTREE_WALK_THREADS = 128, /* measured, far queries: blocks of 64 and 512 threads are no faster */
    /* Of a multiprocessor: leaves registers for overlapping loads. Measured, k = 8: 3,077 us, unlimited 3,119. */
    BI_KDTREE_FAR_BLOCKS = 6,
    BI_KDTREE_SAMPLE_LANES = 4, /* samples per warp, 8 lanes each */
    BI_KDTREE_FAR_PROBES = 256, /* evenly spaced queries tested for being far */
    BI_KDTREE_FAR_SHARE = 8,    /* far queries are many from one in 8 on */
    BI_KDTREE_BUSY_WARPS = 16,  /* of a multiprocessor, that keep it busy */
    /* Queries of a multiprocessor: with fewer, k of 2 to 8 uses two lanes a query. Measured on an H100: 2^16 queries
     * take 84.0 us, with one lane 87.9; 2^17 take 141 and 115. */
    BI_KDTREE_SHORT_LISTS = 576,
    BI_KDTREE_LEAST_LANES = 4 /* measured, 2^13 queries: 36.7 us, with 2 43.8 */
};

/* The collector of the K nearest. From 16 entries on, lists of doubles store truncated distances (the limit is not
 * measured); samples store positions alone. */
template <class T, int DIM, int K, bool SAMPLE,
          bool TRUNCATED = sizeof(typename bi_kdtree_distance_of<T>::type) == 8 && (K >= 16) && !SAMPLE>
struct bi_kdtree_nearest_of {
    typedef bi_kdtree_nearest_collector<T, DIM, K, SAMPLE> type;
};
template <class T, int DIM, int K, bool SAMPLE> struct bi_kdtree_nearest_of<T, DIM, K, SAMPLE, true> {
    typedef bi_kdtree_truncated_collector<T, DIM, K> type;
};

/* Nodes in the order of the tree, with its index. */
template <class T, int DIM> struct bi_kdtree_tree_order {
    typedef T element;
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_tree_keys<T, DIM> keys;
    typedef bi_kdtree_deferred_side<D, DIM> waiting; /* an entry of the stack of walks */
    template <int K, bool SAMPLE = false> using nearest = typename bi_kdtree_nearest_of<T, DIM, K, SAMPLE>::type;
    template <class COLLECTOR> using walk = bi_kdtree_index_walk<T, DIM, COLLECTOR>;
    template <class SINK> using box_search = bi_kdtree_box_search<T, DIM, SINK>;
    static constexpr int DIMENSIONS = DIM;

    static __device__ __forceinline__ const bi_kdtree_cuda_index &index_of(const bi_kdtree_cuda_search &a)
    {
        return a.index;
    }
    /* Returns the leaf of a query, in a subtree of a level. */
    static __device__ __forceinline__ uint32_t locate(const bi_kdtree_cuda_search &a, const D *q, uint32_t subtree,
                                                      int level)
    {
        return bi_kdtree_locate<T, DIM>(a.nodes, a.index, q, subtree, level, a.index.levels).subtree;
    }
    static __device__ __forceinline__ bool has_far_walk(const bi_kdtree_cuda_search &a)
    {
        return a.index.forks != nullptr;
    }
    template <class WALK> static __device__ __forceinline__ void walk_far(WALK &w, bool live)
    {
        bi_kdtree_waiting_box stack[BI_KDTREE_WALK_STACK];
        bi_kdtree_far_walk<WALK, DIM>(w, stack).walk(live);
    }
};

/* Nodes in the order by extent, with its index. */
template <class T, int DIM> struct bi_kdtree_extent_order {
    typedef T element;
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_extent_keys<T, DIM> keys;
    typedef bi_kdtree_waiting_node<D> waiting;
    template <int K, bool SAMPLE = false> using nearest = typename bi_kdtree_nearest_of<T, DIM, K, SAMPLE>::type;
    template <class COLLECTOR> using walk = bi_kdtree_extent_walk<T, DIM, COLLECTOR>;
    template <class SINK> using box_search = bi_kdtree_extent_box_search<T, DIM, SINK>;
    static constexpr int DIMENSIONS = DIM;

    static __device__ __forceinline__ const bi_kdtree_extent_index &index_of(const bi_kdtree_cuda_search &a)
    {
        return a.extent_index;
    }
    static __device__ __forceinline__ uint32_t locate(const bi_kdtree_cuda_search &a, const D *q, uint32_t subtree,
                                                      int level)
    {
        const bi_kdtree_box_reader<T, DIM> boxes(a.nodes, a.extent_index, a.n);
        return bi_kdtree_locate_by_boxes<T, DIM>(a.extent_index, boxes, q, subtree, level);
    }
    static __device__ __forceinline__ bool has_far_walk(const bi_kdtree_cuda_search &)
    {
        return sizeof(D) == sizeof(float);
    }
    template <class WALK> static __device__ __forceinline__ void walk_far(WALK &w, bool live)
    {
        waiting stack[BI_KDTREE_WALK_STACK];
        w.stack = stack;
        w.walk_from_root(live);
    }
};

/* Writes keys by subtree; of boxes, by their low corner. The first warps of blocks also test FAR_PROBES queries for
 * being far. Counts of distinct queries begin with 0. */
template <class ORDER>
static __global__ void __launch_bounds__(BI_KDTREE_LOCATE_THREADS)
    bi_kdtree_make_keys(const bi_kdtree_cuda_search a, uint32_t *keys, uint32_t *numbers, uint32_t *far_probes)
{
    typedef typename ORDER::keys::tops tops_above;
    BI_SHARED(tops_above, tops);
    const int levels = ORDER::keys::prefix_levels(a);
    const typename ORDER::keys maker(a);
    /* 1. Load the planes; the barrier makes them visible. */
    typename ORDER::D q[ORDER::DIMENSIONS];
    maker.load(tops, levels);
    if (a.distinct && blockIdx.x == 0 && threadIdx.x < 2) a.distinct[threadIdx.x] = 0;
    __syncthreads();
    /* 2. Test probes. */
    for (uint32_t j = blockIdx.x * 32 + threadIdx.x; threadIdx.x < 32 && j < BI_KDTREE_FAR_PROBES;
         j += gridDim.x * 32) {
        bi_kdtree_load_query<typename ORDER::element, ORDER::DIMENSIONS>(a, j * (a.m / BI_KDTREE_FAR_PROBES), q);
        far_probes[j] = maker.is_far(q);
    }
    /* 3. Write keys. */
    for (uint32_t i = blockIdx.x * BI_KDTREE_LOCATE_THREADS + threadIdx.x; i < a.m;
         i += gridDim.x * BI_KDTREE_LOCATE_THREADS) {
        bi_kdtree_load_query<typename ORDER::element, ORDER::DIMENSIONS>(a, i, q);
        keys[i] = bi_kdtree_key_of(maker.subtree_of(tops, levels, q), levels);
        numbers[i] = i;
    }
    /* 4. The first block ends after the check of queries, for the kernels that read its result. */
    if (blockIdx.x == 0) bi_wait_for_previous_kernel();
}

/* Launches make_keys: beside the check of the queries, if that is the kernel before it. */
template <class ORDER>
static bosc_status bi_kdtree_launch_keys(bosc_ctx *ctx, const bi_kdtree_cuda_search &a, uint32_t *keys,
                                         uint32_t *numbers, uint32_t *far_probes)
{
    const auto kernel = bi_kdtree_make_keys<ORDER>;
    const unsigned blocks = (unsigned)ctx->multiprocessors * BI_KDTREE_LOCATE_BLOCKS;
    if (!a.bad_queries || a.first > 0 || !bi_has_clusters(ctx))
        return BI_RUN(ctx, kernel, blocks, BI_KDTREE_LOCATE_THREADS, 0, a, keys, numbers, far_probes);
    BI_LAUNCH_EARLY(kernel, blocks, BI_KDTREE_LOCATE_THREADS, 0, ctx->stream, a, keys, numbers, far_probes);
    return bi_finish_launch(ctx, "bi_kdtree_make_keys");
}

/* Gathers the rows of the queries in sorted order, `width` elements of each. */
template <class T>
static __global__ void __launch_bounds__(BI_KDTREE_GATHER_THREADS)
    bi_kdtree_gather_rows(const bi_kdtree_cuda_search a, int32_t width, T *rows)
{
    const uint32_t i = blockIdx.x * BI_KDTREE_GATHER_THREADS + threadIdx.x;
    if (i >= a.m) return;
    const T *from = static_cast<const T *>(a.queries) + a.order[i] * a.stride;
    T *to = rows + (size_t)i * width;
    for (int32_t c = 0; c < width; c++) to[c] = from[c];
}

/* If many probes are far, replaces the keys of far queries by cells. */
template <class ORDER>
static __global__ void __launch_bounds__(BI_KDTREE_GATHER_THREADS)
    bi_kdtree_group_far(const bi_kdtree_cuda_search a, uint32_t *keys, const uint32_t *far_probes)
{
    enum { DIM = ORDER::DIMENSIONS };
    typedef typename ORDER::D D;
    const typename ORDER::keys maker(a);
    D q[DIM], low[DIM], high[DIM];
    uint32_t far = 0;
    for (uint32_t j = threadIdx.x % 32; j < BI_KDTREE_FAR_PROBES; j += 32) far += far_probes[j];
    if (bi_warp_sum(far) * BI_KDTREE_FAR_SHARE < BI_KDTREE_FAR_PROBES) return;
    maker.load_box(low, high);
    for (uint32_t i = blockIdx.x * BI_KDTREE_GATHER_THREADS + threadIdx.x; i < a.m;
         i += gridDim.x * BI_KDTREE_GATHER_THREADS) {
        bi_kdtree_load_query<typename ORDER::element, DIM>(a, i, q);
        if (maker.is_far(q)) keys[i] = bi_kdtree_cell_of<D, DIM>(low, high, q);
    }
}

/* Returns the leaf of query i. */
template <class ORDER>
__device__ __forceinline__ uint32_t bi_kdtree_leaf_of(const bi_kdtree_cuda_search &a, uint32_t i,
                                                      const typename ORDER::D *q)
{
    const int levels = bi_kdtree_has_keys(a) && !bi_kdtree_has_cell(a.keys[i]) ? ORDER::keys::prefix_levels(a) : 0;
    return ORDER::locate(a, q, levels ? bi_kdtree_prefix_of(a.keys[i], levels) : 0, levels);
}

/* The query of a thread: a warp has `lanes` queries, of `helpers` neighbouring lanes each. */
struct bi_kdtree_query_of_thread {
    uint32_t i;
    bool live, first;  /* first: of the lanes of the query */
    bool warp_is_idle; /* no lane of the warp has a query, as many are repeated */

    __device__ __forceinline__ bi_kdtree_query_of_thread(const bi_kdtree_cuda_search &a)
    {
        const uint32_t thread = blockIdx.x * BI_KDTREE_WALK_THREADS + threadIdx.x, lane = thread % 32;
        const uint32_t m = bi_kdtree_searched_queries(a);
        i = thread / 32 * a.lanes + lane / a.helpers;
        live = lane / a.helpers < a.lanes && i < m;
        first = live && lane % a.helpers == 0;
        i = min(i, m - 1);
        warp_is_idle = thread / 32 * a.lanes >= m;
    }
};

/* True if a query of the warp is far: then all of them walk over boxes (bi_kdtree_search_far). */
template <class ORDER>
static __device__ __forceinline__ bool bi_kdtree_walks_far(const bi_kdtree_cuda_search &a, uint32_t i)
{
    return a.samples && ORDER::has_far_walk(a) && __any_sync(~0u, bi_kdtree_has_cell(a.keys[i]));
}

/* Blocks per multiprocessor that bound the registers; 0: the compiler chooses. 8 for 8 nearest lets loads overlap:
 * measured, 1,005 us, with 6 1,053, with 10 1,209. 4 for long lists of doubles: measured on an H200, 2^20 queries
 * for the 32 nearest of 2^22 points in 3-D, 7.1 ms, with 3 7.8, with 5 7.6. */
template <class COLLECTOR> constexpr int bi_kdtree_index_blocks = 0;
template <int DIM> constexpr int bi_kdtree_index_blocks<bi_kdtree_nearest_collector<float, DIM, 8>> = 8;
template <class T, int DIM, int K> constexpr int bi_kdtree_index_blocks<bi_kdtree_truncated_collector<T, DIM, K>> = 4;

/* The general search: a thread, or some neighbouring ones, a query. */
template <class ORDER, class COLLECTOR>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS, bi_kdtree_index_blocks<COLLECTOR>)
    bi_kdtree_search_index(const bi_kdtree_cuda_search a)
{
    typedef typename ORDER::D D;
    bi_trigger_dependents();
    const bi_kdtree_query_of_thread query(a);
    const uint32_t number = a.order ? a.order[query.i] : query.i;
    if (query.warp_is_idle || bi_kdtree_has_bad_query(a) || bi_kdtree_walks_far<ORDER>(a, query.i)) return;
    typename ORDER::waiting stack[BI_KDTREE_WALK_STACK];
    typename ORDER::template walk<COLLECTOR> w(a.nodes, ORDER::index_of(a), a.n, stack);
    bi_kdtree_load_query<typename ORDER::element, ORDER::DIMENSIONS>(a, query.i, w.q);
    w.found.begin(a, number);
    if constexpr (sizeof(D) == 8) w.found.narrow(a, query.i, w.q); /* floats do so in bi_kdtree_search_far */
    w.helpers = a.helpers;
    w.walk(bi_kdtree_leaf_of<ORDER>(a, query.i, w.q), query.live);
    if (query.first) w.found.end(a, number);
}

static inline unsigned bi_kdtree_search_blocks(const bi_kdtree_cuda_search &a)
{
    return (unsigned)bi_div_up(bi_div_up(a.m, a.lanes) * 32, BI_KDTREE_WALK_THREADS);
}

template <class KERNEL>
static bosc_status bi_kdtree_launch_walk(bosc_ctx *ctx, KERNEL kernel, const bi_kdtree_cuda_search &a)
{
    return BI_RUN(ctx, kernel, bi_kdtree_search_blocks(a), BI_KDTREE_WALK_THREADS, 0, a);
}

template <class ORDER, class COLLECTOR>
static bosc_status bi_kdtree_launch_search(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    return bi_kdtree_launch_walk(ctx, bi_kdtree_search_index<ORDER, COLLECTOR>, a);
}

struct bi_kdtree_pools {
    bi_kdtree_pool of[BI_KDTREE_WALK_THREADS / 32]; /* by warp of the block */
};

/* Finds one nearest. The walks of a warp are balanced among its lanes. */
template <int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS) bi_kdtree_search_pooled(const bi_kdtree_cuda_search a)
{
    typedef bi_kdtree_tree_order<float, DIM> tree_order;
    typedef bi_kdtree_index_walk<float, DIM, bi_kdtree_nearest_collector<float, DIM, 1>> walk;
    BI_SHARED(struct bi_kdtree_pools, sh);
    bi_trigger_dependents();
    const bi_kdtree_query_of_thread query(a);
    const uint32_t number = a.order ? a.order[query.i] : query.i;
    if (query.warp_is_idle || bi_kdtree_has_bad_query(a) || bi_kdtree_walks_far<tree_order>(a, query.i)) return;
    bi_kdtree_deferred_side<float, DIM> stack[BI_KDTREE_WALK_STACK];
    walk w(a.nodes, a.index, a.n, stack);
    bi_kdtree_load_query<float, DIM>(a, query.i, w.q);
    w.found.begin(a, number);
    const uint32_t leaf = bi_kdtree_leaf_of<tree_order>(a, query.i, w.q);
    bi_kdtree_pooled_walk<walk, DIM>(w, &sh.of[threadIdx.x / 32]).walk(leaf, query.live);
    if (query.live) w.found.end(a, number);
}

/* Selects the kernel for the K nearest. */
template <class ORDER, int K> struct bi_kdtree_nearest_launch {
    static bosc_status run(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
    {
        return bi_kdtree_launch_search<ORDER, typename ORDER::template nearest<K>>(ctx, a);
    }
};
template <int DIM> struct bi_kdtree_nearest_launch<bi_kdtree_tree_order<float, DIM>, 1> {
    static bosc_status run(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
    {
        return bi_kdtree_launch_walk(ctx, bi_kdtree_search_pooled<DIM>, a);
    }
};

/* Finds the K nearest of far queries, which are sorted first. It is launched early (programmatic dependent launch),
 * when all blocks of the kernel for the others have begun, so that their last blocks do not leave the device idle. Both
 * kernels read only earlier results. The first block waits for the other kernel, so this one ends last. */
template <class ORDER, int K>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS, K < 32 ? BI_KDTREE_FAR_BLOCKS : 0)
    bi_kdtree_search_far(const bi_kdtree_cuda_search a)
{
    typedef typename ORDER::template nearest<K> collector;
    const bi_kdtree_query_of_thread query(a);
    if (bi_kdtree_has_cell(a.keys[0]) && !bi_kdtree_has_bad_query(a) && bi_kdtree_walks_far<ORDER>(a, query.i)) {
        typename ORDER::template walk<collector> w(a.nodes, ORDER::index_of(a), a.n, nullptr);
        bi_kdtree_load_query<float, ORDER::DIMENSIONS>(a, query.i, w.q);
        w.found.begin(a, a.order[query.i]);
        w.found.narrow(a, query.i, w.q);
        ORDER::walk_far(w, query.live);
        if (query.live) w.found.end(a, a.order[query.i]);
    }
    if (blockIdx.x == 0) bi_wait_for_previous_kernel();
}

template <class ORDER, int K> static bosc_status bi_kdtree_launch_far(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    const auto kernel = bi_kdtree_search_far<ORDER, K>;
    if (!bi_has_clusters(ctx)) return bi_kdtree_launch_walk(ctx, kernel, a);
    BI_LAUNCH_EARLY(kernel, bi_kdtree_search_blocks(a), BI_KDTREE_WALK_THREADS, 0, ctx->stream, a);
    return bi_finish_launch(ctx, "bi_kdtree_search_far");
}

/* Finds the nearest, a warp a query. */
template <class T, int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS)
    bi_kdtree_search_by_warps(const bi_kdtree_cuda_search a)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const uint32_t number = (blockIdx.x * BI_KDTREE_WALK_THREADS + threadIdx.x) / 32;
    if (number >= a.m || bi_kdtree_has_bad_query(a)) return;
    bi_kdtree_warp_walk<T, DIM> w = {a.nodes, a.index, {}, (D)a.limit, 0, {}};
    bi_kdtree_load_query<T, DIM>(a, number, w.q);
    w.nearest.clear(a.k);
    w.walk();
    w.nearest.write(bi_kdtree_row_of(a, number), a.ids, static_cast<D *>(a.dist2), a.wide);
}

/* Answers the samples of far queries, which are sorted first; often there are none. */
template <class ORDER, int K>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS) bi_kdtree_search_samples(const bi_kdtree_cuda_search a)
{
    typedef typename ORDER::template nearest<K, true> collector;
    enum { HELPERS = collector::SHARES ? 32 / BI_KDTREE_SAMPLE_LANES : 1 };
    if (!bi_kdtree_has_cell(a.keys[0])) return;
    const uint32_t thread = blockIdx.x * BI_KDTREE_WALK_THREADS + threadIdx.x, lane = thread % 32,
                   j = thread / 32 * BI_KDTREE_SAMPLE_LANES + lane / HELPERS;
    bool live = lane / HELPERS < BI_KDTREE_SAMPLE_LANES && j < a.m / BI_KDTREE_SAMPLE_STRIDE;
    const uint32_t i = live ? bi_kdtree_query_of_sample(j) : a.m - 1, number = a.order[i];
    live = live && bi_kdtree_has_cell(a.keys[i]);
    typename ORDER::waiting stack[BI_KDTREE_WALK_STACK];
    typename ORDER::template walk<collector> w(a.nodes, ORDER::index_of(a), a.n, stack);
    bi_kdtree_load_query<typename ORDER::element, ORDER::DIMENSIONS>(a, i, w.q);
    w.found.begin(a, number);
    w.helpers = HELPERS;
    w.walk(bi_kdtree_leaf_of<ORDER>(a, i, w.q), live);
    if (live && lane % HELPERS == 0) w.found.write_sample(a, j);
}

/* Searches boxes, a thread each. */
template <class ORDER, class SINK>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS) bi_kdtree_search_boxes(const bi_kdtree_cuda_search a)
{
    enum { DIM = ORDER::DIMENSIONS };
    typedef typename ORDER::element T;
    const bi_kdtree_query_of_thread query(a);
    const uint32_t number = a.order ? a.order[query.i] : query.i;
    const T *corners = static_cast<const T *>(a.queries) + query.i * a.stride;
    typename ORDER::template box_search<SINK> w(a.nodes, ORDER::index_of(a), a.n);
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        w.low[c] = corners[c];
        w.high[c] = corners[DIM + c];
    }
    w.found.begin(a, number);
    w.walk(query.live);
    if (query.live) w.found.end(a, number);
}

template <class ORDER, class SINK>
static bosc_status bi_kdtree_launch_boxes(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    return bi_kdtree_launch_walk(ctx, bi_kdtree_search_boxes<ORDER, SINK>, a);
}

/* Copies the answers to the repeated queries, if any. */
template <class D> static bosc_status bi_kdtree_launch_copy(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    auto kernel = bi_kdtree_copy_answers<D>;
    if (!a.distinct) return BOSC_OK;
    return BI_RUN(ctx, kernel, (unsigned)ctx->multiprocessors * BI_KDTREE_COPY_BLOCKS, BI_KDTREE_DISTINCT_THREADS, 0,
                  a);
}

/* Counts nodes within a radius. Counts of repeated queries are copied as rows of one id of 64 bits. */
template <class ORDER> static bosc_status bi_kdtree_launch_counts(bosc_ctx *ctx, bi_kdtree_cuda_search a)
{
    typedef bi_kdtree_count_collector<typename ORDER::element, ORDER::DIMENSIONS> collector;
    BI_TRY((bi_kdtree_launch_search<ORDER, collector>(ctx, a)));
    a.k = 1;
    a.wide = true;
    a.ids = a.counts;
    a.dist2 = nullptr;
    return bi_kdtree_launch_copy<typename ORDER::D>(ctx, a);
}

/* Launches the searches for at most K nearest. Sorted queries have samples, in scratch that the sort no longer needs:
 * the half of it without keys and numbers. */
template <class ORDER, int K> static bosc_status bi_kdtree_launch_nearest_k(bosc_ctx *ctx, bi_kdtree_cuda_search a)
{
    if (bi_kdtree_has_keys(a)) {
        auto kernel = bi_kdtree_search_samples<ORDER, K>;
        const int64_t threads = bi_div_up(a.m / BI_KDTREE_SAMPLE_STRIDE, BI_KDTREE_SAMPLE_LANES) * 32;
        a.samples = a.scratch + (a.distinct ? (size_t)2 * a.m : 0);
        BI_TRY(BI_RUN(ctx, kernel, (unsigned)bi_div_up(threads, BI_KDTREE_WALK_THREADS), BI_KDTREE_WALK_THREADS, 0, a));
    }
    BI_TRY((bi_kdtree_nearest_launch<ORDER, K>::run(ctx, a)));
    if constexpr (sizeof(typename ORDER::D) == sizeof(float))
        if (bi_kdtree_has_keys(a)) BI_TRY((bi_kdtree_launch_far<ORDER, K>(ctx, a)));
    return bi_kdtree_launch_copy<typename ORDER::D>(ctx, a);
}

/* Selects the length of lists: `two` serves k = 2, and so on. Short lists need few registers, so float distances have
 * more lengths: 9 and 17 serve 8 and 16 neighbours of nodes, as each node finds itself too. */
template <class ORDER> static bosc_status bi_kdtree_launch_nearest(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    constexpr bool floats = sizeof(typename ORDER::D) == sizeof(float);
    constexpr int two = floats ? 2 : 8, four = floats ? 4 : 8, sixteen = sizeof(typename ORDER::element) == 4 ? 16 : 32,
                  nine = floats ? 9 : sixteen, seventeen = floats ? 17 : 32;
    if (a.k == 1) return bi_kdtree_launch_nearest_k<ORDER, 1>(ctx, a);
    if (a.k == 2) return bi_kdtree_launch_nearest_k<ORDER, two>(ctx, a);
    if (a.k <= 4) return bi_kdtree_launch_nearest_k<ORDER, four>(ctx, a);
    if (a.k <= 8) return bi_kdtree_launch_nearest_k<ORDER, 8>(ctx, a);
    if (a.k == 9) return bi_kdtree_launch_nearest_k<ORDER, nine>(ctx, a);
    if (a.k <= 16) return bi_kdtree_launch_nearest_k<ORDER, sixteen>(ctx, a);
    if (a.k == 17) return bi_kdtree_launch_nearest_k<ORDER, seventeen>(ctx, a);
    return bi_kdtree_launch_nearest_k<ORDER, 32>(ctx, a);
}

template <class T, int DIM> static bosc_status bi_kdtree_launch_warps(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    auto kernel = bi_kdtree_search_by_warps<T, DIM>;
    const int64_t threads = (int64_t)a.m * 32;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(threads, BI_KDTREE_WALK_THREADS), BI_KDTREE_WALK_THREADS, 0, a);
}

/* Runs a search that writes rows, then sorts the long rows. */
template <class T>
static bosc_status bi_kdtree_launch_rows(bosc_ctx *ctx, bosc_status (*run)(bosc_ctx *, const bi_kdtree_cuda_search &),
                                         const bi_kdtree_cuda_search &a)
{
    BI_TRY(ctx->backend->fill(ctx, a.long_rows, 0, sizeof *a.long_rows));
    BI_TRY(run(ctx, a));
    const bi_row_out rows = {a.ids, a.dist2, 0, a.wide, sizeof(typename bi_kdtree_distance_of<T>::type) == 4, false};
    return bi_cuda_sort_rows(ctx, &rows, a.offsets, a.long_rows);
}

/* Gathers the distinct queries. a->queries and a->stride then describe their rows, a->order maps them to the caller's,
 * and their keys and numbers are in the first half of the scratch. a->distinct counts them. */
template <class T, int DIM> static bosc_status bi_kdtree_keep_distinct(bosc_ctx *ctx, bi_kdtree_cuda_search *a)
{
    auto gather = bi_kdtree_gather_distinct<T, DIM>;
    T *rows = static_cast<T *>(a->sorted_rows);
    uint32_t *keys = a->scratch, *numbers = keys + a->m;
    BI_TRY(BI_RUN(ctx, gather, (unsigned)bi_div_up(a->m, BI_KDTREE_DISTINCT_CHUNK), BI_KDTREE_DISTINCT_THREADS, 0, *a,
                  rows, keys, numbers));
    a->keys = keys;
    a->order = numbers;
    a->queries = rows;
    a->stride = DIM;
    return BOSC_OK;
}

/* Sorts the queries by key. Sorted keys and numbers are in the second half of the scratch, 4 m words; unsorted ones in
 * the first, and later those of distinct queries. a->queries and a->stride then describe the sorted rows, and a->order
 * maps them to the caller's. */
template <class ORDER> static bosc_status bi_kdtree_sort_queries(bosc_ctx *ctx, bi_kdtree_cuda_search *a)
{
    enum { DIM = ORDER::DIMENSIONS };
    typedef typename ORDER::element T;
    /* 1. Write keys. The memory of sorted keys holds the results of far probes until the sort. */
    const size_t m = a->m;
    uint32_t *keys = a->scratch, *numbers = keys + m, *sorted = numbers + m, *order = sorted + m;
    const bool find_far = a->kind == BI_KDTREE_FIND_NEAREST;
    const int unused = find_far ? 0 : BI_KDTREE_CELL_BITS - ORDER::keys::prefix_levels(*a); /* lowest bits */
    const bool boxes = a->kind == BI_KDTREE_FIND_BOX_COUNT || a->kind == BI_KDTREE_FIND_BOX_ROWS;
    auto gather = bi_kdtree_gather_rows<T>;
    T *rows = static_cast<T *>(a->sorted_rows);
    if (a->has_ties && (find_far || (a->kind == BI_KDTREE_FIND_COUNT && !a->later)))
        a->distinct = bi_kdtree_distinct_counts(*a);
    BI_TRY(bi_kdtree_launch_keys<ORDER>(ctx, *a, keys, numbers, sorted));
    if (find_far) {
        auto group = bi_kdtree_group_far<ORDER>;
        BI_TRY(BI_RUN(ctx, group, (unsigned)ctx->multiprocessors * 4, BI_KDTREE_GATHER_THREADS, 0, *a, keys, sorted));
    }
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, keys, 4, numbers, a->m, sorted, order, unused,
                                          BI_KDTREE_CELL_BITS + 1));
    /* 2. Gather the rows in sorted order. */
    a->keys = sorted;
    a->order = order;
    if (a->distinct) return bi_kdtree_keep_distinct<T, DIM>(ctx, a);
    BI_TRY(BI_RUN(ctx, gather, (unsigned)bi_div_up(a->m, BI_KDTREE_GATHER_THREADS), BI_KDTREE_GATHER_THREADS, 0, *a,
                  boxes ? 2 * DIM : DIM, rows));
    a->queries = rows;
    a->stride = boxes ? 2 * DIM : DIM;
    return BOSC_OK;
}

/* Launches a search. Few queries are searched in the caller's order, as launches for a sort would cost more than it
 * gains. If they do not keep all warps busy, a warp has fewer queries, and the other lanes help to find 2 to 8
 * nearest. */
template <class ORDER> static bosc_status bi_kdtree_launch_ordered(bosc_ctx *ctx, bi_kdtree_cuda_search a)
{
    typedef typename ORDER::element T;
    enum { DIM = ORDER::DIMENSIONS };
    const uint32_t busy = BI_KDTREE_BUSY_WARPS * (uint32_t)ctx->multiprocessors;
    a.long_rows = a.scratch; /* 2 m words, free after the sort */
    a.lanes = 32;
    a.helpers = 1;
    if (a.distinct) { /* of nodes as queries */
        BI_TRY(ctx->backend->fill(ctx, a.distinct, 0, 2 * sizeof *a.distinct));
        BI_TRY((bi_kdtree_keep_distinct<T, DIM>(ctx, &a)));
    }
    if (!a.rows && a.m > BI_KDTREE_UNSORTED_QUERIES * (uint32_t)ctx->multiprocessors)
        BI_TRY((bi_kdtree_sort_queries<ORDER>(ctx, &a)));
    /* Choose the queries per warp, and lanes per query. */
    while (a.lanes > BI_KDTREE_LEAST_LANES && a.m < a.lanes / 2 * busy) a.lanes /= 2;
    if (a.lanes == 32 && a.kind == BI_KDTREE_FIND_NEAREST && a.k > 1 && a.k <= 8 &&
        a.m < BI_KDTREE_SHORT_LISTS * (uint32_t)ctx->multiprocessors)
        a.lanes = 16;
    if (a.kind == BI_KDTREE_FIND_NEAREST && a.k > 1 && a.k <= 8) a.helpers = 32 / a.lanes;
    switch (a.kind) {
    case BI_KDTREE_FIND_NEAREST: return bi_kdtree_launch_nearest<ORDER>(ctx, a);
    case BI_KDTREE_FIND_COUNT:
        if (a.later) return bi_kdtree_launch_search<ORDER, bi_kdtree_count_collector<T, DIM, true>>(ctx, a);
        return bi_kdtree_launch_counts<ORDER>(ctx, a);
    case BI_KDTREE_FIND_ROWS:
        return bi_kdtree_launch_rows<T>(ctx, bi_kdtree_launch_search<ORDER, bi_kdtree_row_collector<T, DIM>>, a);
    case BI_KDTREE_FIND_BOX_COUNT: return bi_kdtree_launch_boxes<ORDER, bi_kdtree_box_counter<T, DIM>>(ctx, a);
    default: return bi_kdtree_launch_rows<T>(ctx, bi_kdtree_launch_boxes<ORDER, bi_kdtree_box_lister<T, DIM>>, a);
    }
}

/* Launches a search of DIM dimensions. Very few queries get a warp each for their nearest. */
template <class T, int DIM> bosc_status bi_kdtree_launch_dim(bosc_ctx *ctx, bi_kdtree_cuda_search a)
{
    if (bi_kdtree_use_warps(ctx, a.kind == BI_KDTREE_FIND_NEAREST ? a.k : 0, a.m))
        return bi_kdtree_launch_warps<T, DIM>(ctx, a);
    return bi_kdtree_launch_ordered<bi_kdtree_tree_order<T, DIM>>(ctx, a);
}

template <class T, int DIM> bosc_status bi_kdtree_launch_extent(bosc_ctx *ctx, bi_kdtree_cuda_search a)
{
    return bi_kdtree_launch_ordered<bi_kdtree_extent_order<T, DIM>>(ctx, a);
}

#endif
