/* What searches do with the nodes that a walk finds: the nearest are kept, others are counted or listed. */
#ifndef BI_KDTREE_CUDA_SEARCH_COLLECTORS_CUH
#define BI_KDTREE_CUDA_SEARCH_COLLECTORS_CUH

#include "core/cuda/sort_rows.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/index_walk.cuh"
#include "kdtree/cuda/search/nearest_list.cuh"
#include "kdtree/cuda/search/query_keys.cuh"
#include "kdtree/cuda/search/search.cuh"

enum {
    BI_KDTREE_SAMPLED = 64,      /* of so many sorted queries that are far, one is answered first */
    BI_KDTREE_SAMPLES_ASIDE = 4, /* that limit a query, on either side of its own */
    BI_KDTREE_MANY_LEAVES = 6,   /* times that the leaf changes from lane to lane: a warp has many leaves */
};

/* The query that is sample j: from the middle of those that it stands for. */
__device__ __forceinline__ uint32_t bi_kdtree_sampled(uint32_t j)
{
    return j * BI_KDTREE_SAMPLED + BI_KDTREE_SAMPLED / 2;
}

/* The K nearest. SAMPLE: of a sample, whose places are kept. SHARES: queries may have helpers. */
template <class T, int DIM, int K, bool SAMPLE = false> struct bi_kdtree_nearest_collector {
    enum { PLACES = SAMPLE, SHARES = K > 1 && K <= 8 };
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_index_walk<T, DIM, bi_kdtree_nearest_collector> walk;
    bi_kdtree_nearest_list<D, K> nearest;
    D limit;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t)
    {
        limit = (D)a.limit;
        nearest.clear();
    }

    /* What the samples near the warp's first query found: as far as k of these are from q, nothing counts that is
     * farther. All lanes of a warp call this; each loads what one of 32 places has. */
    __device__ __forceinline__ void narrow(const bi_kdtree_cuda_search &a, uint32_t i, const D *q)
    {
        typedef bi_kdtree_node_reader<T, DIM> space;
        const uint32_t own = __shfl_sync(~0u, i, 0) / BI_KDTREE_SAMPLED, count = a.m / BI_KDTREE_SAMPLED,
                       aside = BI_KDTREE_SAMPLES_ASIDE, lane = threadIdx.x % 32;
        if (!a.samples || own >= count || !bi_kdtree_has_cell(a.keys[bi_kdtree_sampled(own)])) return;
        const uint32_t begin = (own > aside ? own - aside : 0) * a.k, end = min(own + aside + 1, count) * a.k;
        bi_kdtree_nearest_list<D, K> near; /* by place */
        near.clear();
        for (uint32_t e = begin + lane; e - lane < end; e += 32) {
            uint32_t place = BI_KDTREE_NONE;
            if (e < end && bi_kdtree_has_cell(a.keys[bi_kdtree_sampled(e / a.k)])) place = a.samples[e];
            const typename space::node p = space::load(a.nodes, place == BI_KDTREE_NONE ? 0 : place);
#pragma unroll 1
            for (uint32_t left = __ballot_sync(~0u, place != BI_KDTREE_NONE); left; left &= left - 1)
                narrow_by(near, q, p.x, place, __ffs((int)left) - 1);
        }
#pragma unroll
        for (int o = 0; o < K; o++) {
            const D d = near.at[o].distance();
            if (o + 1 == a.k && d < limit) limit = d;
        }
    }
    /* By what lane `from` has loaded, if its place is new. */
    static __device__ __forceinline__ void narrow_by(bi_kdtree_nearest_list<D, K> &near, const D *q, const T *loaded,
                                                     uint32_t loaded_place, int from)
    {
        T x[DIM];
#pragma unroll
        for (int c = 0; c < DIM; c++) x[c] = __shfl_sync(~0u, loaded[c], from);
        const uint32_t place = __shfl_sync(~0u, loaded_place, from);
        bool known = false;
#pragma unroll
        for (int o = 0; o < K; o++) known = known || near.at[o].id() == place;
        if (known) return;
        near.add(bi_kdtree_neighbour<D>::of(bi_kdtree_node_reader<T, DIM>::distance(q, x), place));
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

    /* Node `at` as a neighbour: none if it is not in [begin, end). */
    __device__ __forceinline__ bi_kdtree_neighbour<D> measure(const walk &w, uint32_t at, uint32_t begin, uint32_t end,
                                                              const bi_kdtree_node<T, DIM> &p) const
    {
        typedef bi_kdtree_node_reader<T, DIM> space;
        bi_kdtree_neighbour<D> x =
            bi_kdtree_neighbour<D>::of(space::distance(w.q, p.x), PLACES ? at : space::id(w.nodes, at, p));
        if (at < begin || at >= end || x.distance() > limit)
            x = bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
        return x;
    }

    /* Takes the LEAF nodes from `start` on that are in [begin, end): one after the other, but read many at a time. */
    enum { LEAF = BI_KDTREE_CUDA_LEAF };
    __device__ __forceinline__ void take_each(const walk &w, uint32_t start, uint32_t begin, uint32_t end)
    {
        enum { READ = 8 };
#pragma unroll 1
        for (uint32_t at = start; at < start + LEAF; at += READ) {
            bi_kdtree_node<T, DIM> p[READ];
#pragma unroll
            for (int i = 0; i < READ; i++) p[i] = bi_kdtree_node_reader<T, DIM>::load(w.nodes, at + i);
#pragma unroll
            for (int i = 0; i < READ; i++) nearest.add(measure(w, at + i, begin, end, p[i]));
        }
    }

    /* The same where a warp has many leaves: eight lanes read the leaf of one of them after the other, so that what
     * they read lies together. */
    __device__ __forceinline__ void take_by_groups(const walk &w, uint32_t begin, uint32_t end)
    {
        enum { GROUP = 8 };
        const uint32_t lane = threadIdx.x % 32;
        bi_kdtree_neighbour<D> found = nearest.at[0];
#pragma unroll 1
        for (uint32_t j = 0; j < GROUP; j++) {
            const int owner = (int)(lane / GROUP * GROUP + j);
            const uint32_t from = __shfl_sync(~0u, begin, owner) + lane % GROUP, to = __shfl_sync(~0u, end, owner);
            bi_kdtree_neighbour<D> best = bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
            bi_kdtree_node<T, DIM> p[LEAF / GROUP];
            D x[DIM];
#pragma unroll
            for (int c = 0; c < DIM; c++) x[c] = __shfl_sync(~0u, w.q[c], owner);
#pragma unroll
            for (int i = 0; i < LEAF / GROUP; i++)
                p[i] = bi_kdtree_node_reader<T, DIM>::load(w.nodes, min(from + i * GROUP, w.n - 1));
#pragma unroll
            for (int i = 0; i < LEAF / GROUP; i++) {
                const uint32_t place = from + i * GROUP, at = min(place, w.n - 1);
                const D d = bi_kdtree_node_reader<T, DIM>::distance(x, p[i].x);
                const bi_kdtree_neighbour<D> other =
                    bi_kdtree_neighbour<D>::of(d, PLACES ? at : bi_kdtree_node_reader<T, DIM>::id(w.nodes, at, p[i]));
                if (place < to && other.before(best)) best = other;
            }
#pragma unroll
            for (int step = GROUP / 2; step > 0; step /= 2) {
                const bi_kdtree_neighbour<D> other = bi_kdtree_of_lane(best, (int)lane ^ step);
                if (other.before(best)) best = other;
            }
            if ((int)lane == owner) found = best;
        }
        if (!(found.distance() > limit)) nearest.add(found);
    }

    /* The same, many at a time. The first SHARERS of the lanes of a query have a part each. */
    template <int SHARERS>
    __device__ __forceinline__ void take_batches(const walk &w, uint32_t start, uint32_t begin, uint32_t end)
    {
        enum { BATCH = bi_kdtree_nearest_list<D, K>::BATCH };
        const uint32_t own = SHARERS > 1 ? threadIdx.x % w.helpers : 0;
        if (own >= SHARERS) return;
        start += own * BATCH;
#pragma unroll
        for (uint32_t group = 0; group < LEAF; group += SHARERS * BATCH) {
            bi_kdtree_neighbour<D> x[BATCH];
#pragma unroll
            for (int i = 0; i < BATCH; i++) {
                const uint32_t at = start + group + i;
                x[i] = measure(w, at, begin, end, bi_kdtree_node_reader<T, DIM>::load(w.nodes, at));
            }
            nearest.add_all(x);
        }
    }

    /* Of the first leaf nearly all nodes would be marked. */
    __device__ __forceinline__ void first(walk &w, bool any, uint32_t leaf)
    {
        if (sizeof(D) == 8 || w.n < LEAF) {
            scan(w, any, leaf);
            return;
        }
        const uint32_t begin = w.index.leaves[leaf], end = any ? w.index.leaves[leaf + 1] - 1 : begin,
                       start = min(begin, w.n - LEAF);
        bool grouped = false;
        if (K == 1) {
            const uint32_t before = __shfl_up_sync(~0u, leaf, 1);
            grouped = __popc(__ballot_sync(~0u, leaf != before)) >= BI_KDTREE_MANY_LEAVES;
            if (grouped) take_by_groups(w, begin, end);
        }
        if (any) {
            if (SHARES && w.helpers >= 4)
                take_batches<4>(w, start, begin, end);
            else if (SHARES && w.helpers == 2)
                take_batches<2>(w, start, begin, end);
            else if (K > 1)
                take_batches<1>(w, start, begin, end);
            else if (!grouped)
                take_each(w, start, begin, end);
        }
        if (SHARES && w.helpers > 1) join(w.helpers);
    }

    /* Helpers look for the same query in different places. All of them know the nearest of the first leaf: the first
     * keeps these, the others how far they reach. */
    __device__ __forceinline__ void keep_by_first(uint32_t helpers)
    {
        limit = worst();
        if (threadIdx.x % helpers > 0) nearest.clear();
    }

    /* As far as what one of them has, k nodes, none of them looks. */
    __device__ __forceinline__ void limit_together(uint32_t helpers)
    {
        limit = worst();
        for (uint32_t step = 1; step < helpers; step *= 2) {
            const D other = __shfl_xor_sync(~0u, limit, (int)step);
            limit = other < limit ? other : limit;
        }
    }

    /* The nearest of what all of them have, to each of them. */
    __device__ __forceinline__ void join(uint32_t helpers)
    {
        for (uint32_t step = 1; step < helpers; step *= 2) {
            bi_kdtree_neighbour<D> x[K];
#pragma unroll
            for (int i = 0; i < K; i++) x[i] = bi_kdtree_of_lane(nearest.at[i], (int)(threadIdx.x % 32 ^ step));
            nearest.merge(x);
        }
    }

    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        nearest.write(bi_kdtree_row_of(a, number), a.k, a.ids, static_cast<D *>(a.dist2), a.wide);
    }
    __device__ __forceinline__ void end_sample(const bi_kdtree_cuda_search &a, uint32_t j) const
    {
        nearest.write(j, a.k, a.samples, nullptr, false);
    }
};

/* Of searches that have one lane for each query. */
struct bi_kdtree_no_helpers {
    enum { SHARES = false };
    __device__ __forceinline__ void keep_by_first(uint32_t) {}
    __device__ __forceinline__ void limit_together(uint32_t) {}
    __device__ __forceinline__ void join(uint32_t) {}
};

/* How many are within the limit. NaN is infinite. */
template <class T, int DIM> struct bi_kdtree_count_collector : bi_kdtree_no_helpers {
    enum { PLACES = false };
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_index_walk<T, DIM, bi_kdtree_count_collector> walk;
    D limit;
    int64_t count;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t)
    {
        limit = (D)a.limit;
        count = 0;
    }
    __device__ __forceinline__ void narrow(const bi_kdtree_cuda_search &, uint32_t, const D *) {}
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
template <class T, int DIM> struct bi_kdtree_row_collector : bi_kdtree_no_helpers {
    enum { PLACES = false };
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_index_walk<T, DIM, bi_kdtree_row_collector> walk;
    D limit;
    bi_kdtree_row_writer<D> row;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number)
    {
        limit = (D)a.limit;
        row.begin(a, number);
    }
    __device__ __forceinline__ void narrow(const bi_kdtree_cuda_search &, uint32_t, const D *) {}
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

#endif
