/* The kernels of searches for points of one type; each type is compiled in a file of its own. Many queries are sorted
 * first: see query_keys.cuh. */
#ifndef BI_KDTREE_CUDA_SEARCH_QUERY_KERNELS_CUH
#define BI_KDTREE_CUDA_SEARCH_QUERY_KERNELS_CUH

#include "core/cuda/dependent.cuh"
#include "core/cuda/sort_rows.cuh"
#include "kdtree/cuda/search/box_walk.cuh"
#include "kdtree/cuda/search/collectors.cuh"
#include "kdtree/cuda/search/far_walk.cuh"
#include "kdtree/cuda/search/pooled_walk.cuh"
#include "kdtree/cuda/search/query_keys.cuh"
#include "kdtree/cuda/search/warp_walk.cuh"
#include "kdtree/steps/query.h"

enum {
    BI_KDTREE_LOCATE_THREADS = 1024,
    BI_KDTREE_LOCATE_BLOCKS = 2, /* of a multiprocessor */
    BI_KDTREE_GATHER_THREADS = 256,
    BI_KDTREE_WALK_THREADS = 128,
    BI_KDTREE_FAR_BLOCKS = 6,     /* of a multiprocessor: registers for loads that do not wait for each other */
    BI_KDTREE_SAMPLE_LANES = 4,   /* samples of a warp */
    BI_KDTREE_ASKED = 256,        /* queries that tell whether many are far, at equal distances in the batch */
    BI_KDTREE_FAR_SHARE = 8,      /* many: one in so many */
    BI_KDTREE_WARP_QUERIES = 64,  /* of a multiprocessor: each of these gets a warp, and of twice as many for lists */
    BI_KDTREE_LONG_LIST = 17,     /* of so many nearest and more */
    BI_KDTREE_FEW_QUERIES = 1024, /* of a multiprocessor: these are not sorted */
    BI_KDTREE_BUSY_WARPS = 16,    /* of a multiprocessor: it is busy with these */
    BI_KDTREE_SHORT_LISTS = 576,  /* of a multiprocessor: below, searches for 2 to 8 take half the lanes of a warp */
    BI_KDTREE_LEAST_LANES = 4
};

/* Keys by subtree; and the first warp of a block asks some queries whether they are far. */
template <class T, int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_LOCATE_THREADS)
    bi_kdtree_make_keys(const bi_kdtree_cuda_search a, uint32_t *keys, uint32_t *numbers, uint32_t *asked)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    BI_SHARED(bi_kdtree_tops<T>, tops);
    const int levels = bi_kdtree_prefix_levels<T>(a.index.levels);
    const uint32_t odd_levels = static_cast<const bi_kdtree_root<T, DIM> *>(a.index.root)->odd_levels;
    D q[DIM];
    for (uint32_t h = threadIdx.x; h + 1 < 1u << levels; h += BI_KDTREE_LOCATE_THREADS)
        tops.split[h + 1] = static_cast<const bi_kdtree_sides<T> *>(a.index.sides)[h].split;
    __syncthreads();
    for (uint32_t j = blockIdx.x * 32 + threadIdx.x; threadIdx.x < 32 && j < BI_KDTREE_ASKED; j += gridDim.x * 32) {
        bi_kdtree_load_query<T, DIM>(a, j * (a.m / BI_KDTREE_ASKED), q);
        asked[j] = bi_kdtree_is_far<T, DIM>(a.index, q);
    }
    for (uint32_t i = blockIdx.x * BI_KDTREE_LOCATE_THREADS + threadIdx.x; i < a.m;
         i += gridDim.x * BI_KDTREE_LOCATE_THREADS) {
        bi_kdtree_load_query<T, DIM>(a, i, q);
        keys[i] = bi_kdtree_key_of(bi_kdtree_below_planes<T, DIM>(a.index, tops, odd_levels, levels, q), levels);
        numbers[i] = i;
    }
}

/* The rows of the queries in their order, `width` elements of each. */
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

/* Where many queries are far, those get keys by cell. */
template <class T, int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_GATHER_THREADS)
    bi_kdtree_group_far(const bi_kdtree_cuda_search a, uint32_t *keys, const uint32_t *asked)
{
    const bi_kdtree_root<T, DIM> &root = *static_cast<const bi_kdtree_root<T, DIM> *>(a.index.root);
    typename bi_kdtree_distance_of<T>::type q[DIM];
    uint32_t far = 0;
    for (uint32_t j = threadIdx.x % 32; j < BI_KDTREE_ASKED; j += 32) far += asked[j];
    if (bi_warp_sum(far) * BI_KDTREE_FAR_SHARE < BI_KDTREE_ASKED) return;
    for (uint32_t i = blockIdx.x * BI_KDTREE_GATHER_THREADS + threadIdx.x; i < a.m;
         i += gridDim.x * BI_KDTREE_GATHER_THREADS) {
        bi_kdtree_load_query<T, DIM>(a, i, q);
        if (bi_kdtree_is_far<T, DIM>(a.index, q)) keys[i] = bi_kdtree_cell_of<T, DIM>(root, q);
    }
}

/* The leaf of query i. */
template <class T, int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_leaf_of(const bi_kdtree_cuda_search &a, uint32_t i,
                                                      const typename bi_kdtree_distance_of<T>::type *q)
{
    const int levels = a.order && !bi_kdtree_has_cell(a.keys[i]) ? bi_kdtree_prefix_levels<T>(a.index.levels) : 0;
    const uint32_t known = levels ? bi_kdtree_prefix_of(a.keys[i], levels) : 0;
    return bi_kdtree_locate<T, DIM>(a.index, q, known, levels, a.index.levels).subtree;
}

/* The query of a thread: each warp has `lanes` queries, and each of these as many neighbouring lanes as helpers. */
struct bi_kdtree_query_of_thread {
    uint32_t i;
    bool live, first; /* first: of the helpers of a query */

    __device__ __forceinline__ bi_kdtree_query_of_thread(const bi_kdtree_cuda_search &a)
    {
        const uint32_t thread = blockIdx.x * BI_KDTREE_WALK_THREADS + threadIdx.x, lane = thread % 32;
        i = thread / 32 * a.lanes + lane / a.helpers;
        live = lane / a.helpers < a.lanes && i < a.m;
        first = live && lane % a.helpers == 0;
        i = min(i, a.m - 1);
    }
};

/* Whether a query of the warp is far, so that all of them walk over boxes. */
static __device__ __forceinline__ bool bi_kdtree_walks_far(const bi_kdtree_cuda_search &a, uint32_t i)
{
    return a.samples && a.index.forks && __any_sync(~0u, bi_kdtree_has_cell(a.keys[i]));
}

/* Blocks of a multiprocessor that the compiler counts on; 0: it chooses. With as many for 8 nearest, loads of a walk do
 * not wait for each other. */
template <class COLLECTOR> constexpr int bi_kdtree_index_blocks = 0;
template <int DIM> constexpr int bi_kdtree_index_blocks<bi_kdtree_nearest_collector<float, DIM, 8>> = 8;

template <class T, int DIM, class COLLECTOR>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS, bi_kdtree_index_blocks<COLLECTOR>)
    bi_kdtree_search_index(const bi_kdtree_cuda_search a)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    bi_trigger_dependents();
    const bi_kdtree_query_of_thread query(a);
    const uint32_t number = a.order ? a.order[query.i] : query.i;
    if (bi_kdtree_has_bad_query(a) || bi_kdtree_walks_far(a, query.i)) return;
    bi_kdtree_deferred_side<D, DIM> stack[BI_KDTREE_WALK_STACK];
    bi_kdtree_index_walk<T, DIM, COLLECTOR> w(a.nodes, a.index, a.n, stack);
    bi_kdtree_load_query<T, DIM>(a, query.i, w.q);
    w.found.begin(a, number);
    if constexpr (sizeof(D) == 8) w.found.narrow(a, query.i, w.q); /* floats: bi_kdtree_search_far */
    w.helpers = a.helpers;
    w.run(bi_kdtree_leaf_of<T, DIM>(a, query.i, w.q), query.live);
    if (query.first) w.found.end(a, number);
}

static inline unsigned bi_kdtree_search_blocks(const bi_kdtree_cuda_search &a)
{
    return (unsigned)bi_div_up(bi_div_up(a.m, a.lanes) * 32, BI_KDTREE_WALK_THREADS);
}

template <class KERNEL>
static bosc_status bi_kdtree_run_search(bosc_ctx *ctx, KERNEL kernel, const bi_kdtree_cuda_search &a)
{
    return BI_RUN(ctx, kernel, bi_kdtree_search_blocks(a), BI_KDTREE_WALK_THREADS, 0, a);
}

template <class T, int DIM, class COLLECTOR>
static bosc_status bi_kdtree_launch_search(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    return bi_kdtree_run_search(ctx, bi_kdtree_search_index<T, DIM, COLLECTOR>, a);
}

struct bi_kdtree_pools {
    bi_kdtree_pool of[BI_KDTREE_WALK_THREADS / 32]; /* of each warp of a block */
};

/* The nearest one. The walks of a warp are shared. */
template <int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS) bi_kdtree_search_pooled(const bi_kdtree_cuda_search a)
{
    typedef bi_kdtree_index_walk<float, DIM, bi_kdtree_nearest_collector<float, DIM, 1>> walk;
    BI_SHARED(struct bi_kdtree_pools, sh);
    bi_trigger_dependents();
    const bi_kdtree_query_of_thread query(a);
    const uint32_t number = a.order ? a.order[query.i] : query.i;
    if (bi_kdtree_has_bad_query(a) || bi_kdtree_walks_far(a, query.i)) return;
    bi_kdtree_deferred_side<float, DIM> stack[BI_KDTREE_WALK_STACK];
    walk w(a.nodes, a.index, a.n, stack);
    bi_kdtree_load_query<float, DIM>(a, query.i, w.q);
    w.found.begin(a, number);
    const uint32_t leaf = bi_kdtree_leaf_of<float, DIM>(a, query.i, w.q);
    bi_kdtree_pooled_walk<walk, DIM>(w, &sh.of[threadIdx.x / 32]).run(leaf, query.live);
    if (query.live) w.found.end(a, number);
}

/* Which kernel finds the K nearest. */
template <class T, int DIM, int K> struct bi_kdtree_nearest_launch {
    static bosc_status run(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
    {
        return bi_kdtree_launch_search<T, DIM, bi_kdtree_nearest_collector<T, DIM, K>>(ctx, a);
    }
};
template <int DIM> struct bi_kdtree_nearest_launch<float, DIM, 1> {
    static bosc_status run(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
    {
        return bi_kdtree_run_search(ctx, bi_kdtree_search_pooled<DIM>, a);
    }
};

/* The K nearest of the queries of warps that walk over boxes, which are the first ones. It begins when the blocks for
 * the others have begun, whose few last ones would leave the device idle, and ends after them; both read what was
 * there before either began. */
template <int DIM, int K>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS, K < 32 ? BI_KDTREE_FAR_BLOCKS : 0)
    bi_kdtree_search_far(const bi_kdtree_cuda_search a)
{
    typedef bi_kdtree_index_walk<float, DIM, bi_kdtree_nearest_collector<float, DIM, K>> walk;
    const bi_kdtree_query_of_thread query(a);
    if (bi_kdtree_has_cell(a.keys[0]) && !bi_kdtree_has_bad_query(a) && bi_kdtree_walks_far(a, query.i)) {
        bi_kdtree_waiting_box stack[BI_KDTREE_WALK_STACK];
        walk w(a.nodes, a.index, a.n, nullptr);
        bi_kdtree_load_query<float, DIM>(a, query.i, w.q);
        w.found.begin(a, a.order[query.i]);
        w.found.narrow(a, query.i, w.q);
        bi_kdtree_far_walk<walk, DIM>(w, stack).run(query.live);
        if (query.live) w.found.end(a, a.order[query.i]);
    }
    if (blockIdx.x == 0) bi_wait_for_previous_kernel();
}

template <int DIM, int K> static bosc_status bi_kdtree_launch_far(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    const auto kernel = bi_kdtree_search_far<DIM, K>;
    if (!bi_has_clusters(ctx)) return bi_kdtree_run_search(ctx, kernel, a);
    BI_LAUNCH_EARLY(kernel, bi_kdtree_search_blocks(a), BI_KDTREE_WALK_THREADS, 0, ctx->stream, a);
    return bi_launched(ctx, "bi_kdtree_search_far");
}

/* The nearest, a warp a query. */
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
    w.run();
    w.nearest.write(bi_kdtree_row_of(a, number), a.ids, static_cast<D *>(a.dist2), a.wide);
}

/* The samples of far queries, which come first: often there are none. */
template <class T, int DIM, int K>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS) bi_kdtree_search_samples(const bi_kdtree_cuda_search a)
{
    typedef bi_kdtree_nearest_collector<T, DIM, K, true> collector;
    enum { HELPERS = collector::SHARES ? 32 / BI_KDTREE_SAMPLE_LANES : 1 };
    if (!bi_kdtree_has_cell(a.keys[0])) return;
    const uint32_t thread = blockIdx.x * BI_KDTREE_WALK_THREADS + threadIdx.x, lane = thread % 32,
                   j = thread / 32 * BI_KDTREE_SAMPLE_LANES + lane / HELPERS;
    bool live = lane / HELPERS < BI_KDTREE_SAMPLE_LANES && j < a.m / BI_KDTREE_SAMPLED;
    const uint32_t i = live ? bi_kdtree_sampled(j) : a.m - 1, number = a.order[i];
    live = live && bi_kdtree_has_cell(a.keys[i]);
    bi_kdtree_deferred_side<typename collector::D, DIM> stack[BI_KDTREE_WALK_STACK];
    bi_kdtree_index_walk<T, DIM, collector> w(a.nodes, a.index, a.n, stack);
    bi_kdtree_load_query<T, DIM>(a, i, w.q);
    w.found.begin(a, number);
    w.helpers = HELPERS;
    w.run(bi_kdtree_leaf_of<T, DIM>(a, i, w.q), live);
    if (live && lane % HELPERS == 0) w.found.end_sample(a, j);
}

template <class T, int DIM, class SINK>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS) bi_kdtree_search_boxes(const bi_kdtree_cuda_search a)
{
    const bi_kdtree_query_of_thread query(a);
    const uint32_t number = a.order ? a.order[query.i] : query.i;
    const T *corners = static_cast<const T *>(a.queries) + query.i * a.stride;
    bi_kdtree_box_search<T, DIM, SINK> w = {a.nodes, a.index, a.n, {}, {}, {}, 0, 0};
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        w.low[c] = corners[c];
        w.high[c] = corners[DIM + c];
    }
    w.found.begin(a, number);
    w.run(query.live);
    if (query.live) w.found.end(a, number);
}

template <class T, int DIM, class SINK>
static bosc_status bi_kdtree_launch_boxes(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    return bi_kdtree_run_search(ctx, bi_kdtree_search_boxes<T, DIM, SINK>, a);
}

/* Sorted queries have room for samples in what the sort has done with. */
template <class T, int DIM, int K> static bosc_status bi_kdtree_launch_nearest_k(bosc_ctx *ctx, bi_kdtree_cuda_search a)
{
    if (a.order) {
        auto kernel = bi_kdtree_search_samples<T, DIM, K>;
        const int64_t threads = bi_div_up(a.m / BI_KDTREE_SAMPLED, BI_KDTREE_SAMPLE_LANES) * 32;
        a.samples = a.scratch;
        BI_TRY(BI_RUN(ctx, kernel, (unsigned)bi_div_up(threads, BI_KDTREE_WALK_THREADS), BI_KDTREE_WALK_THREADS, 0, a));
    }
    BI_TRY((bi_kdtree_nearest_launch<T, DIM, K>::run(ctx, a)));
    if constexpr (sizeof(typename bi_kdtree_distance_of<T>::type) == 4)
        if (a.order) return bi_kdtree_launch_far<DIM, K>(ctx, a);
    return BOSC_OK;
}

/* Short lists take few registers, so distances of floats have more sizes: 9 and 17 for 8 and 16 neighbours of nodes,
 * each of which finds itself too. */
template <class T, int DIM> static bosc_status bi_kdtree_launch_nearest(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    constexpr bool floats = sizeof(typename bi_kdtree_distance_of<T>::type) == 4;
    constexpr int two = floats ? 2 : 8, four = floats ? 4 : 8, sixteen = sizeof(T) == 4 ? 16 : 32,
                  nine = floats ? 9 : sixteen, seventeen = floats ? 17 : 32;
    if (a.k == 1) return bi_kdtree_launch_nearest_k<T, DIM, 1>(ctx, a);
    if (a.k == 2) return bi_kdtree_launch_nearest_k<T, DIM, two>(ctx, a);
    if (a.k <= 4) return bi_kdtree_launch_nearest_k<T, DIM, four>(ctx, a);
    if (a.k <= 8) return bi_kdtree_launch_nearest_k<T, DIM, 8>(ctx, a);
    if (a.k == 9) return bi_kdtree_launch_nearest_k<T, DIM, nine>(ctx, a);
    if (a.k <= 16) return bi_kdtree_launch_nearest_k<T, DIM, sixteen>(ctx, a);
    if (a.k == 17) return bi_kdtree_launch_nearest_k<T, DIM, seventeen>(ctx, a);
    return bi_kdtree_launch_nearest_k<T, DIM, 32>(ctx, a);
}

/* Whether queries are so few that a warp for each is faster. A thread finds one nearest in the same time. */
static inline bool bi_kdtree_takes_warps(const bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    const uint32_t most = BI_KDTREE_WARP_QUERIES * (uint32_t)ctx->multiprocessors;
    return a.what == BI_KDTREE_FIND_NEAREST && a.k > 1 && a.m <= (a.k < BI_KDTREE_LONG_LIST ? most : 2 * most);
}

template <class T, int DIM> static bosc_status bi_kdtree_launch_warps(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    auto kernel = bi_kdtree_search_by_warps<T, DIM>;
    const int64_t threads = (int64_t)a.m * 32;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(threads, BI_KDTREE_WALK_THREADS), BI_KDTREE_WALK_THREADS, 0, a);
}

/* Rows: what `run` does, and then those of the list of long ones are put in order. */
template <class T>
static bosc_status bi_kdtree_launch_rows(bosc_ctx *ctx, bosc_status (*run)(bosc_ctx *, const bi_kdtree_cuda_search &),
                                         const bi_kdtree_cuda_search &a)
{
    BI_TRY(ctx->backend->fill(ctx, a.long_rows, 0, sizeof *a.long_rows));
    BI_TRY(run(ctx, a));
    const bi_row_out rows = {a.ids, a.dist2, 0, a.wide, sizeof(typename bi_kdtree_distance_of<T>::type) == 4, false};
    return bi_cuda_sort_rows(ctx, &rows, a.offsets, a.long_rows);
}

/* Keys of the queries and their order by key, both in the second half of the scratch, whose beginning serves before. */
template <class T, int DIM> static bosc_status bi_kdtree_sort_queries(bosc_ctx *ctx, bi_kdtree_cuda_search *a)
{
    const size_t m = a->m;
    uint32_t *keys = a->scratch, *numbers = keys + m, *sorted = numbers + m, *order = sorted + m;
    const bool asks = a->what == BI_KDTREE_FIND_NEAREST; /* whether many are far */
    const int unused = asks ? 0 : BI_KDTREE_CELL_BITS - bi_kdtree_prefix_levels<T>(a->index.levels); /* lowest bits */
    const bool boxes = a->what == BI_KDTREE_FIND_BOX_COUNT || a->what == BI_KDTREE_FIND_BOX_ROWS;
    auto kernel = bi_kdtree_make_keys<T, DIM>;
    auto gather = bi_kdtree_gather_rows<T>;
    T *rows = static_cast<T *>(a->sorted_rows);
    BI_TRY(BI_RUN(ctx, kernel, (unsigned)ctx->multiprocessors * BI_KDTREE_LOCATE_BLOCKS, BI_KDTREE_LOCATE_THREADS, 0,
                  *a, keys, numbers, sorted));
    if (asks) {
        auto group = bi_kdtree_group_far<T, DIM>;
        BI_TRY(BI_RUN(ctx, group, (unsigned)ctx->multiprocessors * 4, BI_KDTREE_GATHER_THREADS, 0, *a, keys, sorted));
    }
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, keys, 4, numbers, a->m, sorted, order, unused,
                                          BI_KDTREE_CELL_BITS + 1));
    a->keys = sorted;
    a->order = order;
    BI_TRY(BI_RUN(ctx, gather, (unsigned)bi_div_up(a->m, BI_KDTREE_GATHER_THREADS), BI_KDTREE_GATHER_THREADS, 0, *a,
                  boxes ? 2 * DIM : DIM, rows));
    a->queries = rows;
    a->stride = boxes ? 2 * DIM : DIM;
    return BOSC_OK;
}

/* The nearest of so few queries that threads would not fill the device are found by a warp for each. Few queries are
 * answered in the caller's order: launches take longer than what their sort would gain. Where they do not keep all
 * warps busy, each warp has fewer, and the lanes that are left help to find 2 to 8 nearest. */
template <class T, int DIM> static bosc_status bi_kdtree_locate_and_run(bosc_ctx *ctx, bi_kdtree_cuda_search a)
{
    const uint32_t busy = BI_KDTREE_BUSY_WARPS * (uint32_t)ctx->multiprocessors;
    if (bi_kdtree_takes_warps(ctx, a)) return bi_kdtree_launch_warps<T, DIM>(ctx, a);
    a.long_rows = a.scratch; /* 2 m words that a sort, if any, has done with */
    a.lanes = 32;
    a.helpers = 1;
    if (!a.rows && a.m > BI_KDTREE_FEW_QUERIES * (uint32_t)ctx->multiprocessors)
        BI_TRY((bi_kdtree_sort_queries<T, DIM>(ctx, &a)));
    while (a.lanes > BI_KDTREE_LEAST_LANES && a.m < a.lanes / 2 * busy) a.lanes /= 2;
    if (a.lanes == 32 && a.what == BI_KDTREE_FIND_NEAREST && a.k > 1 && a.k <= 8 &&
        a.m < BI_KDTREE_SHORT_LISTS * (uint32_t)ctx->multiprocessors)
        a.lanes = 16;
    if (a.what == BI_KDTREE_FIND_NEAREST && a.k > 1 && a.k <= 8) a.helpers = 32 / a.lanes;
    switch (a.what) {
    case BI_KDTREE_FIND_NEAREST: return bi_kdtree_launch_nearest<T, DIM>(ctx, a);
    case BI_KDTREE_FIND_COUNT: return bi_kdtree_launch_search<T, DIM, bi_kdtree_count_collector<T, DIM>>(ctx, a);
    case BI_KDTREE_FIND_ROWS:
        return bi_kdtree_launch_rows<T>(ctx, bi_kdtree_launch_search<T, DIM, bi_kdtree_row_collector<T, DIM>>, a);
    case BI_KDTREE_FIND_BOX_COUNT: return bi_kdtree_launch_boxes<T, DIM, bi_kdtree_box_counter<T, DIM>>(ctx, a);
    default: return bi_kdtree_launch_rows<T>(ctx, bi_kdtree_launch_boxes<T, DIM, bi_kdtree_box_lister<T, DIM>>, a);
    }
}

template <class T> static bosc_status bi_kdtree_cuda_search_dim(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    switch (a.dim) {
    case 1: return bi_kdtree_locate_and_run<T, 1>(ctx, a);
    case 2: return bi_kdtree_locate_and_run<T, 2>(ctx, a);
    case 3: return bi_kdtree_locate_and_run<T, 3>(ctx, a);
    default: return bi_kdtree_locate_and_run<T, 4>(ctx, a);
    }
}

#endif
