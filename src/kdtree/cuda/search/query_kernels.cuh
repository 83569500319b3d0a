/* The kernels of searches for points of one type; each type is compiled in a file of its own. Queries are located in
 * the index and sorted by leaf, so that the threads of a warp walk nearly the same way. */
#ifndef BI_KDTREE_CUDA_SEARCH_QUERY_KERNELS_CUH
#define BI_KDTREE_CUDA_SEARCH_QUERY_KERNELS_CUH

#include "core/cuda/sort_rows.cuh"
#include "kdtree/cuda/search/box_walk.cuh"
#include "kdtree/cuda/search/nearest_list.cuh"
#include "kdtree/cuda/search/index_walk.cuh"
#include "kdtree/steps/query.h"

enum {
    BI_KDTREE_LOCATE_THREADS = 256,
    BI_KDTREE_WALK_THREADS = 128,
    BI_KDTREE_SORTED_BITS = 16,   /* of leaves, the upper ones, that queries are sorted by: two passes */
    BI_KDTREE_FEW_QUERIES = 1024, /* of a multiprocessor: these are not sorted */
    BI_KDTREE_BUSY_WARPS = 16,    /* of a multiprocessor: it is busy with these */
    BI_KDTREE_LEAST_LANES = 4
};

enum bi_kdtree_search_kind {
    BI_KDTREE_FIND_NEAREST,
    BI_KDTREE_FIND_COUNT,
    BI_KDTREE_FIND_ROWS,
    BI_KDTREE_FIND_BOX_COUNT, /* queries are the low and the high corner of each box */
    BI_KDTREE_FIND_BOX_ROWS
};

struct bi_kdtree_cuda_search {
    enum bi_kdtree_search_kind what;
    int32_t dim;
    bi_kdtree_array nodes;
    bi_kdtree_cuda_index index;
    uint32_t n, m;
    const void *queries;
    int64_t stride;
    uint32_t lanes;                 /* of a warp, which have a query each */
    uint32_t *scratch;              /* 4 m */
    const uint32_t *leaves, *order; /* of the sorted queries: leaf, and number of the query; NULL: in their order */
    const uint32_t *rows;           /* the row of the output of each query; NULL: its number */
    int32_t k;
    double limit; /* the largest distance that counts */
    void *ids, *dist2;
    bool wide;
    int64_t *counts, *bad;
    uint32_t *long_rows; /* long rows, to be sorted later: see bi_row_list_long */
    const int64_t *offsets;
    int64_t first; /* the number of query 0 in the whole call */
};

bosc_status bi_kdtree_cuda_search_f32(bosc_ctx *ctx, const bi_kdtree_cuda_search &a);
bosc_status bi_kdtree_cuda_search_f64(bosc_ctx *ctx, const bi_kdtree_cuda_search &a);
bosc_status bi_kdtree_cuda_search_i32(bosc_ctx *ctx, const bi_kdtree_cuda_search &a);
bosc_status bi_kdtree_cuda_search_i64(bosc_ctx *ctx, const bi_kdtree_cuda_search &a);

/* The leaf of a query. The loop is not unrolled: searches would need more registers then. */
template <class T, int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_locate(const bi_kdtree_cuda_index &index,
                                                     const typename bi_kdtree_distance_of<T>::type *q)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const uint32_t odd_levels = static_cast<const bi_kdtree_root<T, DIM> *>(index.root)->odd_levels;
    uint32_t h = 0;
#pragma unroll 1
    for (int level = 0, d = 0; level < index.levels; level++, d = d + 1 == DIM ? 0 : d + 1) {
        const int c = odd_levels >> level & 1 ? index.axes[h] : d;
        h = 2 * h + 1 +
            bi_kdtree_greater_is_nearer<T, D>(bi_kdtree_component<D, DIM>(q, c),
                                              static_cast<const bi_kdtree_sides<T> *>(index.sides)[h]);
    }
    return h + 1 - (1u << index.levels);
}

template <class T, int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_LOCATE_THREADS)
    bi_kdtree_locate_leaves(const bi_kdtree_cuda_search a, uint32_t *leaves, uint32_t *numbers)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const uint32_t i = blockIdx.x * BI_KDTREE_LOCATE_THREADS + threadIdx.x;
    if (i >= a.m) return;
    D q[DIM];
#pragma unroll
    for (int c = 0; c < DIM; c++) q[c] = (D) static_cast<const T *>(a.queries)[i * a.stride + c];
    leaves[i] = bi_kdtree_locate<T, DIM>(a.index, q);
    numbers[i] = i;
}

/* The K nearest. */
template <class T, int DIM, int K> struct bi_kdtree_nearest_collector {
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_index_walk<T, DIM, bi_kdtree_nearest_collector> walk;
    bi_kdtree_nearest_list<D, K> nearest;
    D limit;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t)
    {
        limit = (D)a.limit;
        nearest.clear();
    }
    __device__ __forceinline__ D worst() const
    {
        const D d = nearest.last().distance();
        return d < limit ? d : limit;
    }
    __device__ __forceinline__ bool beyond(D bound, uint32_t floor) const
    {
        const bi_kdtree_neighbour<D> first = bi_kdtree_neighbour<D>::of(bound, floor);
        return first.distance() > limit || !first.before(nearest.last());
    }
    __device__ __forceinline__ void take(D distance, uint32_t id)
    {
        const bi_kdtree_neighbour<D> x = bi_kdtree_neighbour<D>::of(distance, id);
        if (!(x.distance() > limit)) nearest.add(x);
    }

    __device__ __forceinline__ bool near(D d, D most) const { return !(d > most); }
    __device__ __forceinline__ void scan(walk &w, bool any, uint32_t leaf) { w.measure_near(any, leaf); }

    /* Of the first leaf nearly all would be marked: they are taken in K at a time instead. */
    __device__ __forceinline__ void first(walk &w, bool any, uint32_t leaf)
    {
        if (sizeof(D) == 8 || w.n < BI_KDTREE_CUDA_LEAF) {
            scan(w, any, leaf);
            return;
        }
        if (!any) return;
        const uint32_t begin = w.index.leaves[leaf], end = w.index.leaves[leaf + 1] - 1;
        const uint32_t start = min(begin, w.n - BI_KDTREE_CUDA_LEAF);
#pragma unroll
        for (uint32_t group = 0; group < BI_KDTREE_CUDA_LEAF; group += K) {
            bi_kdtree_neighbour<D> x[K];
#pragma unroll
            for (int i = 0; i < K; i++) {
                const uint32_t at = start + group + i;
                const bi_kdtree_node<T, DIM> p = bi_kdtree_node_reader<T, DIM>::load(w.nodes, at);
                x[i] = bi_kdtree_neighbour<D>::of(bi_kdtree_node_reader<T, DIM>::distance(w.q, p.x),
                                                  bi_kdtree_node_reader<T, DIM>::id(w.nodes, at, p));
                if (at < begin || at >= end || x[i].distance() > limit)
                    x[i] = bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
            }
            nearest.add_all(x);
        }
    }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        nearest.write(a.rows ? a.rows[number] : number, a.k, a.ids, static_cast<D *>(a.dist2), a.wide);
    }
};

/* How many are within the limit. NaN is infinite. */
template <class T, int DIM> struct bi_kdtree_count_collector {
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_index_walk<T, DIM, bi_kdtree_count_collector> walk;
    D limit;
    int64_t count;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t)
    {
        limit = (D)a.limit;
        count = 0;
    }
    __device__ __forceinline__ D worst() const { return limit; }
    __device__ __forceinline__ bool beyond(D bound, uint32_t) const { return bound != bound && limit < (D)INFINITY; }
    __device__ __forceinline__ bool counts(D distance) const { return distance <= limit || limit == (D)INFINITY; }
    __device__ __forceinline__ void take(D distance, uint32_t) { count += counts(distance); }
    __device__ __forceinline__ bool near(D d, D) const { return counts(d); }
    __device__ __forceinline__ void scan(walk &w, bool any, uint32_t leaf)
    {
        uint32_t start = 0;
        count += __popc(w.mark(any, leaf, &start));
    }
    __device__ __forceinline__ void first(walk &w, bool any, uint32_t leaf) { scan(w, any, leaf); }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        a.counts[number] = count;
    }
};

/* A row of the answer, whose entries come in any order. In the end short rows are put in order. D: of distances. */
template <class D> struct bi_kdtree_row_writer {
    int64_t count, capacity;
    bi_row_out row;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number)
    {
        count = 0;
        capacity = a.offsets[number + 1] - a.offsets[number];
        row = {a.ids, a.dist2, a.offsets[number], a.wide, sizeof(D) == 4, false};
    }
    __device__ __forceinline__ void put(D distance, uint32_t id)
    {
        if (count < capacity) bi_row_set(&row, count, (double)distance, id);
        count++;
    }

    /* Entry `e` goes down to its place among those before it. */
    __device__ __forceinline__ void insert(int64_t e) const
    {
        const uint32_t id = bi_row_id(&row, e);
        const double d = bi_row_dist2(&row, e);
        for (; e > 0 && bi_row_id(&row, e - 1) > id; e--)
            bi_row_set(&row, e, bi_row_dist2(&row, e - 1), bi_row_id(&row, e - 1));
        bi_row_set(&row, e, d, id);
    }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        if (count != capacity) {
            bi_atomic_min_i64(a.bad, a.first + number);
        } else if (!bi_row_list_long(a.long_rows, number, count)) {
            for (int64_t e = 1; e < count; e++) insert(e);
        }
    }
};

/* Those within the limit, to their row. */
template <class T, int DIM> struct bi_kdtree_row_collector {
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_index_walk<T, DIM, bi_kdtree_row_collector> walk;
    D limit;
    bi_kdtree_row_writer<D> row;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number)
    {
        limit = (D)a.limit;
        row.begin(a, number);
    }
    __device__ __forceinline__ D worst() const { return limit; }
    __device__ __forceinline__ bool beyond(D bound, uint32_t) const { return bound != bound && limit < (D)INFINITY; }
    __device__ __forceinline__ bool counts(D distance) const { return distance <= limit || limit == (D)INFINITY; }
    __device__ __forceinline__ void take(D distance, uint32_t id)
    {
        if (counts(distance)) row.put(distance == distance ? distance : (D)INFINITY, id);
    }
    __device__ __forceinline__ bool near(D d, D) const { return counts(d); }
    __device__ __forceinline__ void scan(walk &w, bool any, uint32_t leaf) { w.measure_near(any, leaf); }
    __device__ __forceinline__ void first(walk &w, bool any, uint32_t leaf) { scan(w, any, leaf); }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const { row.end(a, number); }
};

/* What is in a box: how many, or their ids. */
template <class T, int DIM> struct bi_kdtree_box_counter {
    int64_t count;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &, uint32_t) { count = 0; }
    __device__ __forceinline__ void take(uint32_t) { count++; }
    __device__ __forceinline__ void take(const bi_kdtree_array &, uint32_t, uint32_t marks) { count += __popc(marks); }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        a.counts[number] = count;
    }
};
template <class T, int DIM> struct bi_kdtree_box_lister {
    typedef bi_kdtree_node_reader<T, DIM> space;
    bi_kdtree_row_writer<typename space::D> row;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number) { row.begin(a, number); }
    __device__ __forceinline__ void take(uint32_t id) { row.put(0, id); }
    __device__ __forceinline__ void take(const bi_kdtree_array &nodes, uint32_t start, uint32_t marks)
    {
        for (; marks; marks &= marks - 1) {
            const uint32_t at = start + __ffs((int)marks) - 1;
            take(space::id(nodes, at, space::load(nodes, at)));
        }
    }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const { row.end(a, number); }
};

/* The query of a thread: `lanes` of each warp have one. */
struct bi_kdtree_query_of_thread {
    uint32_t i;
    bool live;

    __device__ __forceinline__ bi_kdtree_query_of_thread(const bi_kdtree_cuda_search &a)
    {
        const uint32_t thread = blockIdx.x * BI_KDTREE_WALK_THREADS + threadIdx.x, lane = thread % 32;
        i = thread / 32 * a.lanes + lane;
        live = lane < a.lanes && i < a.m;
        i = min(i, a.m - 1);
    }
};

template <class T, int DIM, class COLLECTOR>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS) bi_kdtree_search_index(const bi_kdtree_cuda_search a)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const bi_kdtree_query_of_thread query(a);
    const uint32_t number = a.order ? a.order[query.i] : query.i;
    bi_kdtree_deferred_side<D, DIM> stack[BI_KDTREE_WALK_STACK];
    bi_kdtree_index_walk<T, DIM, COLLECTOR> w(a.nodes, a.index, a.n, stack);
#pragma unroll
    for (int c = 0; c < DIM; c++) w.q[c] = (D) static_cast<const T *>(a.queries)[number * a.stride + c];
    w.found.begin(a, number);
    w.run(a.order ? a.leaves[query.i] : bi_kdtree_locate<T, DIM>(a.index, w.q), query.live);
    if (query.live) w.found.end(a, number);
}

template <class T, int DIM, class SINK>
static __global__ void __launch_bounds__(BI_KDTREE_WALK_THREADS) bi_kdtree_search_boxes(const bi_kdtree_cuda_search a)
{
    const bi_kdtree_query_of_thread query(a);
    const uint32_t number = a.order ? a.order[query.i] : query.i;
    const T *corners = static_cast<const T *>(a.queries) + number * a.stride;
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

template <class KERNEL>
static bosc_status bi_kdtree_run_search(bosc_ctx *ctx, KERNEL kernel, const bi_kdtree_cuda_search &a)
{
    const int64_t threads = bi_div_up(a.m, a.lanes) * 32;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(threads, BI_KDTREE_WALK_THREADS), BI_KDTREE_WALK_THREADS, 0, a);
}

template <class T, int DIM, class COLLECTOR>
static bosc_status bi_kdtree_launch_search(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    return bi_kdtree_run_search(ctx, bi_kdtree_search_index<T, DIM, COLLECTOR>, a);
}

template <class T, int DIM, class SINK>
static bosc_status bi_kdtree_launch_boxes(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    return bi_kdtree_run_search(ctx, bi_kdtree_search_boxes<T, DIM, SINK>, a);
}

template <class T, int DIM> static bosc_status bi_kdtree_launch_nearest(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    if (a.k == 1) return bi_kdtree_launch_search<T, DIM, bi_kdtree_nearest_collector<T, DIM, 1>>(ctx, a);
    if (a.k <= 8) return bi_kdtree_launch_search<T, DIM, bi_kdtree_nearest_collector<T, DIM, 8>>(ctx, a);
    if (sizeof(T) == 4 && a.k <= 16)
        return bi_kdtree_launch_search<T, DIM, bi_kdtree_nearest_collector<T, DIM, 16>>(ctx, a);
    return bi_kdtree_launch_search<T, DIM, bi_kdtree_nearest_collector<T, DIM, 32>>(ctx, a);
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

/* Leaves of the queries and their order by leaf, both in the second half of the scratch. */
template <class T, int DIM> static bosc_status bi_kdtree_sort_queries(bosc_ctx *ctx, bi_kdtree_cuda_search *a)
{
    const size_t m = a->m;
    uint32_t *leaves = a->scratch, *numbers = leaves + m, *sorted = numbers + m, *order = sorted + m;
    const int levels = a->index.levels, bits = levels > 0 ? levels : 1;
    auto kernel = bi_kdtree_locate_leaves<T, DIM>;
    BI_TRY(BI_RUN(ctx, kernel, (unsigned)bi_div_up(a->m, BI_KDTREE_LOCATE_THREADS), BI_KDTREE_LOCATE_THREADS, 0, *a,
                  leaves, numbers));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, leaves, 4, numbers, a->m, sorted, order,
                                          bits > BI_KDTREE_SORTED_BITS ? bits - BI_KDTREE_SORTED_BITS : 0, bits));
    a->leaves = sorted;
    a->order = order;
    return BOSC_OK;
}

/* Few queries are answered in the caller's order: launches take longer than what their sort would gain. Where they do
 * not keep all warps busy, each warp has fewer. */
template <class T, int DIM> static bosc_status bi_kdtree_locate_and_run(bosc_ctx *ctx, bi_kdtree_cuda_search a)
{
    const uint32_t busy = BI_KDTREE_BUSY_WARPS * (uint32_t)ctx->multiprocessors;
    a.long_rows = a.scratch; /* 2 m words that a sort, if any, has done with */
    a.lanes = 32;
    if (a.m > BI_KDTREE_FEW_QUERIES * (uint32_t)ctx->multiprocessors) BI_TRY((bi_kdtree_sort_queries<T, DIM>(ctx, &a)));
    while (a.lanes > BI_KDTREE_LEAST_LANES && a.m < a.lanes / 2 * busy) a.lanes /= 2;
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
