/* The collector of many nearest nodes by double distances. A list of doubles and ids has three registers an entry, and
 * long lists leave few warps a multiprocessor. Here an entry has two: the high half of the distance, which decides
 * nearly all comparisons, and a word that identifies the node. If two high halves are equal, the distances are computed
 * again. So the order is that of (distance, id), as in bi_kdtree_nearest_list. */
#ifndef BI_KDTREE_CUDA_SEARCH_TRUNCATED_COLLECTOR_CUH
#define BI_KDTREE_CUDA_SEARCH_TRUNCATED_COLLECTOR_CUH

#include "kdtree/cuda/search/collectors.cuh"

/* An entry: the high half of the distance without its sign, a bit that is 1 if the low half is not 0, then a word of
 * 32 bits. Without that bit the distance is known, and the word is the id; with it the word is the node's position.
 * Entries with different high words are ordered as (distance, id); so are those of known distances. */
struct bi_kdtree_truncated {
    uint64_t bits;

    static __device__ __forceinline__ uint32_t high_of(double distance)
    {
        const uint64_t b = bi_f64_bits(distance);
        return (uint32_t)(b >> 32) << 1 | ((uint32_t)b != 0);
    }
    static __device__ __forceinline__ bi_kdtree_truncated of(double distance, uint32_t word)
    {
        return {(uint64_t)high_of(distance) << 32 | word};
    }
    static __device__ __forceinline__ bi_kdtree_truncated none() { return of((double)INFINITY, BI_KDTREE_NONE); }

    __device__ __forceinline__ uint32_t high() const { return (uint32_t)(bits >> 32); }
    __device__ __forceinline__ uint32_t word() const { return (uint32_t)bits; }
    __device__ __forceinline__ bool is_known() const { return !(high() & 1); }
    /* Returns the greatest distance with this high word: the distance itself, if it is known. */
    __device__ __forceinline__ double greatest() const
    {
        return bi_f64_from_bits((uint64_t)(high() >> 1) << 32 | (is_known() ? 0 : UINT32_MAX));
    }
};

/* Collects the K <= 32 nearest, which are ordered entries in registers. The walk calls first() before the members that
 * measure: it sets q. Distances are squared; limit is the greatest that counts. */
template <class T, int DIM, int K> struct bi_kdtree_truncated_collector : bi_kdtree_no_helpers {
    enum { POSITIONS = true, LEAF = BI_KDTREE_CUDA_LEAF };
    typedef bi_kdtree_node_reader<T, DIM> space;
    typedef double D;
    typedef bi_kdtree_truncated entry;
    static_assert(K <= 32, "a bit for each entry");

    bi_kdtree_array nodes;
    D q[DIM], limit;
    entry at[K];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < K; i++) at[i] = entry::none();
    }
    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t)
    {
        nodes = a.nodes;
        limit = (D)a.limit;
        clear();
    }
    __device__ __forceinline__ void narrow(const bi_kdtree_cuda_search &a, uint32_t i, const D *query)
    {
        bi_kdtree_nearest_collector<T, DIM, K> exact;
        exact.limit = limit;
        exact.narrow(a, i, query);
        limit = exact.limit;
    }

    /* Loads the node at a position, and computes its distance. */
    __device__ __forceinline__ bi_kdtree_neighbour<D> neighbour_at(uint32_t position) const
    {
        const typename space::node p = space::load(nodes, position);
        return bi_kdtree_neighbour<D>::of(space::distance(q, p.x), space::id(nodes, position, p));
    }
    __device__ __forceinline__ bi_kdtree_neighbour<D> neighbour_of(entry e) const
    {
        return e.is_known() ? bi_kdtree_neighbour<D>::of(e.greatest(), e.word()) : neighbour_at(e.word());
    }

    /* Distances up to worst() may count; those with a lesser high word than the last entry do. */
    __device__ __forceinline__ D worst() const
    {
        const D d = at[K - 1].greatest();
        return d < limit ? d : limit;
    }
    /* True if a node at this distance counts for sure. */
    __device__ __forceinline__ bool below(D bound) const
    {
        return entry::high_of(bound) < at[K - 1].high() && bound < limit;
    }
    /* True if no node from (bound, floor) on counts, in the order of distance and id. */
    __device__ __forceinline__ bool beyond(D bound, uint32_t floor) const
    {
        const bi_kdtree_neighbour<D> first = bi_kdtree_neighbour<D>::of(bound, floor);
        return first.distance() > limit || !first.precedes(neighbour_of(at[K - 1]));
    }

    /* Inserts a node before the entries from `rank` on. */
    __device__ __forceinline__ void insert(entry x, int rank)
    {
#pragma unroll
        for (int i = K - 1; i > 0; i--) at[i] = i > rank ? at[i - 1] : i == rank ? x : at[i];
        at[0] = rank == 0 ? x : at[0];
    }

    /* Inserts node `own`, whose high word entries of unknown distance have too, unless it follows all K entries:
     * compares the distances of these. */
    __device__ __forceinline__ void insert_tied(const bi_kdtree_neighbour<D> &own, entry x)
    {
        /* 1. Find the entries before it, and those with its high word, as bits: with numbers of entries, the compiler
         * moves the list from registers to memory. Copies of a point mostly follow the last entry. */
        uint32_t before = 0, tied = 0;
#pragma unroll
        for (int i = 0; i < K; i++) {
            before |= (uint32_t)(at[i].high() < x.high()) << i;
            tied |= (uint32_t)(at[i].high() == x.high()) << i;
        }
        if (tied >> (K - 1) && !own.precedes(neighbour_at(at[K - 1].word()))) return;
            /* 2. Compare the middle one of these, which are in order, until none is left. */
#pragma unroll 1
        while (tied) {
            const int middle = __ffs((int)tied) - 1 + __popc(tied) / 2;
            const uint32_t below = (1u << middle) - 1;
            uint32_t position = 0;
#pragma unroll
            for (int e = 0; e < K; e++) position = e == middle ? at[e].word() : position;
            if (neighbour_at(position).precedes(own)) {
                before |= 1u << middle | below;
                tied &= ~(1u << middle | below);
            } else {
                tied &= below;
            }
        }
        /* 3. Insert it. Entries are in order, so entries before it have the lowest bits. */
        insert(x, __popc(before));
    }

    /* Inserts an entry whose high word no other has. */
    __device__ __forceinline__ void insert_apart(entry x)
    {
        bool before = true;
#pragma unroll
        for (int i = K - 1; i > 0; i--) {
            const bool further = x.high() < at[i - 1].high();
            at[i] = further ? at[i - 1] : before ? x : at[i];
            before = further;
        }
        at[0] = before ? x : at[0];
    }

    /* Adds node `position`. */
    __device__ __forceinline__ void add(D distance, uint32_t position)
    {
        /* 1. Make an entry; return if it is behind the last one. */
        const D d = distance == distance ? distance : (D)INFINITY;
        const entry last = at[K - 1];
        entry x = entry::of(d, position);
        if (d > limit || x.high() > last.high()) return;
        if (x.is_known()) {
            x = entry::of(d, nodes.ids[position]);
            if (x.bits >= last.bits) return;
        } else {
            /* 2. Compare distances where high words are equal: four flags, which do not wait for each other. */
            bool tied[4] = {false, false, false, false};
#pragma unroll
            for (int i = 0; i < K; i++) tied[i % 4] = tied[i % 4] || at[i].high() == x.high();
            if (tied[0] || tied[1] || tied[2] || tied[3]) {
                insert_tied(bi_kdtree_neighbour<D>::of(d, nodes.ids[position]), x);
                return;
            }
            insert_apart(x);
            return;
        }
        /* 3. Insert it. */
        bool before = true;
#pragma unroll
        for (int i = K - 1; i > 0; i--) {
            const bool further = x.bits < at[i - 1].bits;
            at[i] = further ? at[i - 1] : before ? x : at[i];
            before = further;
        }
        at[0] = before ? x : at[0];
    }

    __device__ __forceinline__ bool near(D d, D most) const { return !(d > most); }
    template <class WALK> __device__ __forceinline__ void scan(WALK &w, bool any, uint32_t leaf)
    {
        w.measure_near(any, leaf);
    }

    /* Sets the list to the nodes in [begin, end) among the LEAF nodes from `start` on, sorted by Batcher's bitonic
     * network. Returns false if distances are to be compared. */
    __device__ __forceinline__ bool sort_leaf(uint32_t start, uint32_t begin, uint32_t end)
    {
        /* 1. Make entries. */
#pragma unroll
        for (int i = 0; i < K; i++) {
            const uint32_t position = start + (uint32_t)i;
            const typename space::node p = space::load(nodes, position);
            D d = space::distance(q, p.x);
            d = d == d ? d : (D)INFINITY;
            at[i] = entry::of(d, position);
            if (at[i].is_known()) at[i] = entry::of(d, space::id(nodes, position, p));
            if (position < begin || position >= end || d > limit) at[i] = entry::none();
        }
        /* 2. Sort them. */
#pragma unroll
        for (int run = 2; run <= K; run *= 2)
#pragma unroll
            for (int step = run / 2; step > 0; step /= 2)
#pragma unroll
                for (int i = 0; i < K; i++) {
                    if (i & step) continue;
                    const int less = i & run ? i + step : i, more = i & run ? i : i + step;
                    const uint64_t a = at[less].bits, b = at[more].bits;
                    at[less].bits = b < a ? b : a;
                    at[more].bits = b < a ? a : b;
                }
        /* 3. Find neighbours of one high word. */
        bool tied = false;
#pragma unroll
        for (int i = 1; i < K; i++) tied = tied || (at[i].high() == at[i - 1].high() && !at[i].is_known());
        return !tied;
    }

    /* Adds the nodes of the first leaf. Small trees use the general scan, and so do lanes with equal high words. All
     * lanes call it. any: this lane has a query. */
    template <class WALK> __device__ __forceinline__ void first(WALK &w, bool any, uint32_t leaf)
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) q[c] = w.q[c];
        bool left = any;
        if constexpr (K == LEAF) {
            if (w.n >= LEAF && any) {
                const uint32_t begin = w.leaf_begin(leaf), end = w.leaf_end(leaf), last = w.n - LEAF;
                left = !sort_leaf(begin < last ? begin : last, begin, end);
                if (left) clear();
            }
            __syncwarp();
            if (!__any_sync(~0u, left)) return;
        }
        scan(w, left, leaf);
    }

    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        const int64_t row = bi_kdtree_row_of(a, number) * a.k;
        D *dist2 = static_cast<D *>(a.dist2);
        if (bi_kdtree_writes_vectors(a.k, a.ids, dist2, a.wide)) {
#pragma unroll
            for (int i = 0; i < K; i += 4) {
                if (i >= a.k) break;
                const bi_kdtree_neighbour<D> x[4] = {neighbour_of(at[i]), neighbour_of(at[i + 1]),
                                                     neighbour_of(at[i + 2]), neighbour_of(at[i + 3])};
                bi_kdtree_write_vectors(x, row + i, a.ids, dist2);
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < K; i++) {
            if (i >= a.k) break;
            bi_kdtree_write_neighbour(neighbour_of(at[i]), row + i, a.ids, dist2, a.wide);
        }
    }
};

#endif
