/* The collectors of searches: they store the nearest of the nodes that a walk finds, or count or list nodes. */
#ifndef BI_KDTREE_CUDA_SEARCH_COLLECTORS_CUH
#define BI_KDTREE_CUDA_SEARCH_COLLECTORS_CUH

#include "core/cuda/sort_rows.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/index_walk.cuh"
#include "kdtree/cuda/search/nearest_list.cuh"
#include "kdtree/cuda/search/query_keys.cuh"
#include "kdtree/cuda/search/index.cuh"

enum {
    /* Sorted far queries per sample, which is answered first. Measured, k = 8: 2,775 us, 96 take 2,877, 128 2,936. */
    BI_KDTREE_SAMPLE_STRIDE = 64,
    BI_KDTREE_SAMPLES_ASIDE = 4, /* samples on either side of a query's own that limit it; measured: with 2 2,922 us */
    BI_KDTREE_MANY_LEAVES = 6,   /* a warp has many leaves if those of this many lanes differ from the lane before */
};

/* Returns the sorted number of sample j, the middle of its stride. */
__device__ __forceinline__ uint32_t bi_kdtree_query_of_sample(uint32_t j)
{
    return j * BI_KDTREE_SAMPLE_STRIDE + BI_KDTREE_SAMPLE_STRIDE / 2;
}

/* Collects the K nearest. SAMPLE: of a sample, whose positions are stored. SHARES: queries may have helpers. */
template <class T, int DIM, int K, bool SAMPLE = false> struct bi_kdtree_nearest_collector {
    typedef typename bi_kdtree_distance_of<T>::type D;
    /* BY_ID: float records of 3-D hold their ids. */
    enum { POSITIONS = SAMPLE, SHARES = K > 1 && K <= 8, BY_ID = sizeof(D) == 4 && DIM == 3 && !SAMPLE };
    bi_kdtree_nearest_list<D, K> nearest;
    D limit;
    bool has_ties;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t)
    {
        limit = (D)a.limit;
        has_ties = a.has_ties;
        nearest.clear();
    }

    /* Lowers the limit by the nodes that samples near the warp's first query found: k of them are within some distance
     * of q, so nothing farther counts. All lanes of a warp call this; each loads one of 32 nodes. */
    __device__ __forceinline__ void narrow(const bi_kdtree_cuda_search &a, uint32_t i, const D *q)
    {
        typedef bi_kdtree_node_reader<T, DIM> space;
        const uint32_t own = __shfl_sync(~0u, i, 0) / BI_KDTREE_SAMPLE_STRIDE,
                       count = bi_kdtree_searched_queries(a) / BI_KDTREE_SAMPLE_STRIDE, aside = BI_KDTREE_SAMPLES_ASIDE,
                       lane = threadIdx.x % 32;
        if (!a.samples || own >= count || !bi_kdtree_has_cell(a.keys[bi_kdtree_query_of_sample(own)])) return;
        const uint32_t begin = (own > aside ? own - aside : 0) * a.k, end = min(own + aside + 1, count) * a.k;
        bi_kdtree_nearest_list<D, K> near; /* positions replace ids */
        near.clear();
        /* e - lane is uniform, so that all lanes stay in the loop. */
        for (uint32_t e = begin + lane; e - lane < end; e += 32) {
            uint32_t position = BI_KDTREE_NONE;
            if (e < end && bi_kdtree_has_cell(a.keys[bi_kdtree_query_of_sample(e / a.k)])) position = a.samples[e];
            const typename space::node p = space::load(a.nodes, position == BI_KDTREE_NONE ? 0 : position);
#pragma unroll 1
            for (uint32_t left = __ballot_sync(~0u, position != BI_KDTREE_NONE); left; left &= left - 1)
                narrow_by(near, q, p.x, position, __ffs((int)left) - 1);
        }
#pragma unroll
        for (int o = 0; o < K; o++) {
            const D d = near.at[o].distance();
            if (o + 1 == a.k && d < limit) limit = d;
        }
    }
    /* Considers the node that lane `from` has loaded, unless its position is in the list. */
    static __device__ __forceinline__ void narrow_by(bi_kdtree_nearest_list<D, K> &near, const D *q, const T *loaded,
                                                     uint32_t loaded_position, int from)
    {
        T x[DIM];
#pragma unroll
        for (int c = 0; c < DIM; c++) x[c] = __shfl_sync(~0u, loaded[c], from);
        const uint32_t position = __shfl_sync(~0u, loaded_position, from);
        bool known = false;
#pragma unroll
        for (int o = 0; o < K; o++) known = known || near.at[o].id() == position;
        if (known) return;
        near.add(bi_kdtree_neighbour<D>::of(bi_kdtree_node_reader<T, DIM>::distance(q, x), position));
    }
    __device__ __forceinline__ D worst() const
    {
        const D d = nearest.last().distance();
        return d < limit ? d : limit;
    }
    __device__ __forceinline__ bool below(D bound) const { return bound < worst(); }
    __device__ __forceinline__ bool beyond(D bound, uint32_t floor) const
    {
        const bi_kdtree_neighbour<D> first = bi_kdtree_neighbour<D>::of(bound, floor);
        return first.distance() > limit || !first.precedes(nearest.last());
    }
    __device__ __forceinline__ void add(D distance, uint32_t id)
    {
        const bi_kdtree_neighbour<D> x = bi_kdtree_neighbour<D>::of(distance, id);
        if (!(x.distance() > limit)) nearest.add(x);
    }

    __device__ __forceinline__ bool near(D d, D most) const { return !(d > most); }
    /* Entries with lesser bits count: those before the last one, up to the limit. */
    __device__ __forceinline__ unsigned long long reach() const
    {
        const unsigned long long last = bi_f64_bits(nearest.last().bits),
                                 most = (unsigned long long)bi_f32_bits(limit) << 32 | BI_KDTREE_NONE;
        return last < most ? last : most;
    }
    __device__ __forceinline__ bool reaches(D d, uint32_t id, unsigned long long most) const
    {
        return bi_f64_bits(bi_kdtree_neighbour<D>::of(d, id).bits) < most;
    }
    template <class WALK> __device__ __forceinline__ void scan(WALK &w, bool any, uint32_t leaf)
    {
        w.measure_near(any, leaf);
    }

    /* Returns node `at` as a neighbour; the empty one if it is not in [begin, end) or beyond the limit. */
    template <class WALK>
    __device__ __forceinline__ bi_kdtree_neighbour<D> measure(const WALK &w, uint32_t at, uint32_t begin, uint32_t end,
                                                              const bi_kdtree_node<T, DIM> &p) const
    {
        typedef bi_kdtree_node_reader<T, DIM> space;
        bi_kdtree_neighbour<D> x =
            bi_kdtree_neighbour<D>::of(space::distance(w.q, p.x), POSITIONS ? at : space::id(w.nodes, at, p));
        if (at < begin || at >= end || x.distance() > limit)
            x = bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
        return x;
    }

    /* Adds the nodes in [begin, end) among the LEAF nodes from `start` on, singly, but reads READ at once. */
    enum { LEAF = BI_KDTREE_CUDA_LEAF };
    template <class WALK>
    __device__ __forceinline__ void add_each(const WALK &w, uint32_t start, uint32_t begin, uint32_t end)
    {
        enum { READ = 8 }; /* measured, K = 1, first leaves, 2^24 points: 0.507 ms, one by one 0.551 */
#pragma unroll 1
        for (uint32_t at = start; at < start + LEAF; at += READ) {
            bi_kdtree_node<T, DIM> p[READ];
#pragma unroll
            for (int i = 0; i < READ; i++) p[i] = bi_kdtree_node_reader<T, DIM>::load(w.nodes, at + i);
#pragma unroll
            for (int i = 0; i < READ; i++) nearest.add(measure(w, at + i, begin, end, p[i]));
        }
    }

    /* add_each for a warp with many leaves and K = 1: eight lanes read the leaf of each of them in turn, so that reads
     * are contiguous. */
    template <class WALK> __device__ __forceinline__ void add_by_groups(const WALK &w, uint32_t begin, uint32_t end)
    {
        enum { GROUP = 8 }; /* lanes; measured, 2^24 points: 557 us, a lane a leaf 570 */
        const uint32_t lane = threadIdx.x % 32;
        bi_kdtree_neighbour<D> found = nearest.at[0];
#pragma unroll 1
        for (uint32_t j = 0; j < GROUP; j++) {
            /* Read and measure the leaf of the group's lane j, then reduce to its nearest. */
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
                const uint32_t position = from + i * GROUP, at = min(position, w.n - 1);
                const D d = bi_kdtree_node_reader<T, DIM>::distance(x, p[i].x);
                const bi_kdtree_neighbour<D> other = bi_kdtree_neighbour<D>::of(
                    d, POSITIONS ? at : bi_kdtree_node_reader<T, DIM>::id(w.nodes, at, p[i]));
                if (position < to && other.precedes(best)) best = other;
            }
#pragma unroll
            for (int step = GROUP / 2; step > 0; step /= 2) {
                const bi_kdtree_neighbour<D> other = bi_kdtree_of_lane(best, (int)lane ^ step);
                if (other.precedes(best)) best = other;
            }
            if ((int)lane == owner) found = best;
        }
        if (!(found.distance() > limit)) nearest.add(found);
    }

    /* add_each in sorted batches. The first SHARERS of the lanes of a query have a share each. */
    template <int SHARERS, class WALK>
    __device__ __forceinline__ void add_batches(const WALK &w, uint32_t start, uint32_t begin, uint32_t end)
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

    /* Adds the nodes of the first leaf without marking them: nearly all count. Doubles, and trees smaller than a leaf,
     * use the general scan. */
    template <class WALK> __device__ __forceinline__ void first(WALK &w, bool any, uint32_t leaf)
    {
        if (sizeof(D) == 8 || w.n < LEAF) {
            scan(w, any, leaf);
            return;
        }
        const uint32_t begin = w.leaf_begin(leaf), end = any ? w.leaf_end(leaf) : begin, start = min(begin, w.n - LEAF);
        /* 1. All lanes call add_by_groups, or none. */
        bool grouped = false;
        if (K == 1) {
            const uint32_t previous_leaf = __shfl_up_sync(~0u, leaf, 1);
            grouped = __popc(__ballot_sync(~0u, leaf != previous_leaf)) >= BI_KDTREE_MANY_LEAVES;
            if (grouped) add_by_groups(w, begin, end);
        }
        /* 2. Else each query adds its leaf, shared by up to 4 helpers. */
        if (any) {
            if (SHARES && w.helpers >= 4)
                add_batches<4>(w, start, begin, end);
            else if (SHARES && w.helpers == 2)
                add_batches<2>(w, start, begin, end);
            else if (K > 1)
                add_batches<1>(w, start, begin, end);
            else if (!grouped)
                add_each(w, start, begin, end);
        }
        if (SHARES && w.helpers > 1) merge_lists(w.helpers);
    }

    /* Splits the list of helpers, which search different sides for the same query. All have the nearest of the first
     * leaf: the first helper keeps them, the others keep their distance as limit. */
    __device__ __forceinline__ void split_list(uint32_t helpers)
    {
        limit = worst();
        if (threadIdx.x % helpers > 0) nearest.clear();
    }

    /* Lowers the limit of all helpers to the least: one of them has k nodes within it. */
    __device__ __forceinline__ void share_limit(uint32_t helpers)
    {
        limit = worst();
        for (uint32_t step = 1; step < helpers; step *= 2) {
            const D other = __shfl_xor_sync(~0u, limit, (int)step);
            limit = other < limit ? other : limit;
        }
    }

    /* Merges the lists of the helpers; each receives the nearest of all. */
    __device__ __forceinline__ void merge_lists(uint32_t helpers)
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
    __device__ __forceinline__ void write_sample(const bi_kdtree_cuda_search &a, uint32_t j) const
    {
        nearest.write(j, a.k, a.samples, nullptr, false);
    }
};

/* Base of collectors for one lane per query. */
struct bi_kdtree_no_helpers {
    enum { SHARES = false, BY_ID = false };
    __device__ __forceinline__ void split_list(uint32_t) {}
    __device__ __forceinline__ void share_limit(uint32_t) {}
    __device__ __forceinline__ void merge_lists(uint32_t) {}
};

/* Returns the least id that counts for a query. */
static __device__ __forceinline__ int64_t bi_kdtree_least_id(const bi_kdtree_cuda_search &a, uint32_t number)
{
    return a.later ? a.first + number + 1 : 0;
}

/* Counts the nodes within the limit. NaN is infinite: a bound is NaN only if all distances are. LATER: only ids above
 * the number of the query. */
template <class T, int DIM, bool LATER = false> struct bi_kdtree_count_collector : bi_kdtree_no_helpers {
    enum { POSITIONS = false };
    typedef typename bi_kdtree_distance_of<T>::type D;
    D limit;
    int64_t count, least_id;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number)
    {
        limit = (D)a.limit;
        count = 0;
        least_id = bi_kdtree_least_id(a, number);
    }
    __device__ __forceinline__ void narrow(const bi_kdtree_cuda_search &, uint32_t, const D *) {}
    __device__ __forceinline__ D worst() const { return limit; }
    __device__ __forceinline__ bool below(D bound) const { return bound < limit; }
    __device__ __forceinline__ bool beyond(D bound, uint32_t) const { return bound != bound && limit < (D)INFINITY; }
    __device__ __forceinline__ bool counts(D distance) const { return distance <= limit || limit == (D)INFINITY; }
    __device__ __forceinline__ void add(D distance, uint32_t id)
    {
        count += counts(distance) && (!LATER || id >= least_id);
    }
    __device__ __forceinline__ bool near(D d, D) const { return counts(d); }
    template <class WALK> __device__ __forceinline__ void scan(WALK &w, bool any, uint32_t leaf)
    {
        uint32_t start = 0;
        if (LATER)
            w.measure_near(any, leaf);
        else
            count += __popc(w.mark(any, leaf, &start));
    }
    template <class WALK> __device__ __forceinline__ void first(WALK &w, bool any, uint32_t leaf)
    {
        scan(w, any, leaf);
    }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        a.counts[number] = count;
    }
};

/* Writes a row of the output, whose entries arrive in any order, and at last sorts it if it is short. D: type of
 * distances. */
template <class D> struct bi_kdtree_row_writer {
    int64_t count, capacity;
    bi_row_out row;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number)
    {
        count = 0;
        capacity = a.offsets[number + 1] - a.offsets[number];
        row = {a.ids, a.dist2, a.offsets[number], a.wide, sizeof(D) == 4, false};
    }
    __device__ __forceinline__ void append(D distance, uint32_t id)
    {
        if (count < capacity) bi_row_set(&row, count, (double)distance, id);
        count++;
    }

    /* Moves entry `e` to its sorted position among the earlier ones. */
    __device__ __forceinline__ void insert(int64_t e) const
    {
        const uint32_t id = bi_row_id(&row, e);
        const double d = bi_row_dist2(&row, e);
        for (; e > 0 && bi_row_id(&row, e - 1) > id; e--)
            bi_row_set(&row, e, bi_row_dist2(&row, e - 1), bi_row_id(&row, e - 1));
        bi_row_set(&row, e, d, id);
    }
    /* Reports a row of the wrong length; lists a long row, to be sorted by a later kernel; sorts a short one. */
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        if (count != capacity) {
            bi_atomic_min_i64(a.bad, a.first + number);
        } else if (!bi_row_list_long(a.long_rows, number, count)) {
            for (int64_t e = 1; e < count; e++) insert(e);
        }
    }
};

/* Lists the nodes within the limit in a row. NaN is infinite, as in counts. */
template <class T, int DIM> struct bi_kdtree_row_collector : bi_kdtree_no_helpers {
    enum { POSITIONS = false };
    typedef typename bi_kdtree_distance_of<T>::type D;
    D limit;
    int64_t least_id;
    bi_kdtree_row_writer<D> row;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number)
    {
        limit = (D)a.limit;
        least_id = bi_kdtree_least_id(a, number);
        row.begin(a, number);
    }
    __device__ __forceinline__ void narrow(const bi_kdtree_cuda_search &, uint32_t, const D *) {}
    __device__ __forceinline__ D worst() const { return limit; }
    __device__ __forceinline__ bool below(D bound) const { return bound < limit; }
    __device__ __forceinline__ bool beyond(D bound, uint32_t) const { return bound != bound && limit < (D)INFINITY; }
    __device__ __forceinline__ bool counts(D distance) const { return distance <= limit || limit == (D)INFINITY; }
    __device__ __forceinline__ void add(D distance, uint32_t id)
    {
        if (counts(distance) && id >= least_id) row.append(distance == distance ? distance : (D)INFINITY, id);
    }
    __device__ __forceinline__ bool near(D d, D) const { return counts(d); }
    template <class WALK> __device__ __forceinline__ void scan(WALK &w, bool any, uint32_t leaf)
    {
        w.measure_near(any, leaf);
    }
    template <class WALK> __device__ __forceinline__ void first(WALK &w, bool any, uint32_t leaf)
    {
        scan(w, any, leaf);
    }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const { row.end(a, number); }
};

/* Sinks of box searches: count nodes, or list their ids. */
template <class T, int DIM> struct bi_kdtree_box_counter {
    int64_t count;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &, uint32_t) { count = 0; }
    __device__ __forceinline__ void add(uint32_t) { count++; }
    __device__ __forceinline__ void add(const bi_kdtree_array &, uint32_t, uint32_t marks) { count += __popc(marks); }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        a.counts[number] = count;
    }
};
template <class T, int DIM> struct bi_kdtree_box_lister {
    typedef bi_kdtree_node_reader<T, DIM> space;
    bi_kdtree_row_writer<typename space::D> row;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number) { row.begin(a, number); }
    __device__ __forceinline__ void add(uint32_t id) { row.append(0, id); }
    __device__ __forceinline__ void add(const bi_kdtree_array &nodes, uint32_t start, uint32_t marks)
    {
        for (; marks; marks &= marks - 1) {
            const uint32_t at = start + __ffs((int)marks) - 1;
            add(space::id(nodes, at, space::load(nodes, at)));
        }
    }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const { row.end(a, number); }
};

#endif
