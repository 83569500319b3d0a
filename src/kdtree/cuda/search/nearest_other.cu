/* The nearest node with another label, from nodes of the tree: a thread a search, over the boxes of bi_kdtree_blocks.
 * As bi_step_nearest_other_label, with the type and the dimension known: coordinates stay in registers, loads of 16
 * bytes read the two boxes below a box, and the threads of a warp descend, then measure, at the same time. */
#include "kdtree/cuda/search/index.cuh"
#include "kdtree/cuda/search/nearest_other.cuh"

enum {
    THREADS = 128, /* not measured */
    STACK = 32     /* boxes that wait: at most one a level, and blocks of a tree of 2^32 nodes have 28 levels */
};

/* Two boxes, the least coordinates of each before the greatest. */
template <class D, int DIM> struct alignas(16) box_pair {
    D coordinates[2][2 * DIM];
};

struct alignas(8) label_pair {
    uint32_t label[2];
};

/* CORES: distances are under mutual reachability. */
template <class D, int DIM, bool CORES> struct other_search {
    const bi_kdtree_nearest_other_label &a;
    const bi_kdtree_array &nodes;
    bi_kdtree_node<D, DIM> query;
    uint32_t label, first_block;
    D limit;          /* the largest distance that still counts */
    uint32_t best;    /* the result, or BI_KDTREE_NONE */
    uint64_t *shared; /* the shared distance of the label; NULL: none */
    D core;           /* the node's core distance; 0 without CORES */

    /* Returns the larger of a distance, the node's core distance and core distance `at` of an array. */
    __device__ __forceinline__ D mutual(D distance, const void *cores, uint32_t at) const
    {
        if (!CORES) return distance;
        const D other = static_cast<const D *>(cores)[at], most = other > core ? other : core;
        return most > distance ? most : distance;
    }

    /* Returns a lower bound of the distances from box h, as bi_kdtree_block_box_bound does. */
    __device__ __forceinline__ D box_bound(uint32_t h, const D (&box)[2 * DIM]) const
    {
        D s = 0;
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const D q = query.x[c];
            const D gap = box[c] > q ? box[c] - q : q > box[DIM + c] ? q - box[DIM + c] : 0;
            s = c == 0 ? gap * gap : s + gap * gap;
        }
        return mutual(s, a.blocks.least_cores, h);
    }

    /* As bi_kdtree_block_is_beyond. */
    __device__ __forceinline__ bool is_beyond(uint32_t h, D bound) const
    {
        return bound >= limit && (bound > limit || a.blocks.least_ids[h] >= best);
    }

    /* Measures the nodes of a block; each nearer one lowers the limit. */
    __device__ __forceinline__ void measure_block(uint32_t block)
    {
        const uint32_t end = a.blocks.begins[block + 1];
        for (uint32_t at = a.blocks.begins[block]; at < end; at++) {
            if (a.blocks.node_labels[at] == label || mutual(0, a.blocks.node_cores, at) > limit) continue;
            const bi_kdtree_node<D, DIM> p = bi_kdtree_node_reader<D, DIM>::load(nodes, at);
            const D sum = bi_kdtree_node_reader<D, DIM>::distance(query.x, p.x),
                    d = mutual(sum == sum ? sum : (D)INFINITY, a.blocks.node_cores, at);
            if (d > limit) continue;
            const uint32_t id = bi_kdtree_node_reader<D, DIM>::id(nodes, at, p);
            if (d == limit && id >= best) continue;
            limit = d;
            best = id;
        }
    }

    /* Shares the result, or lowers the limit to the result of another search. */
    __device__ __forceinline__ void share_limit()
    {
        double lowered = (double)limit;
        bi_kdtree_share_limit(shared, sizeof(D) == sizeof(float), &lowered, &best);
        limit = (D)lowered;
    }

    /* Walks the boxes, near ones first, until none is left or the limit is below `least`. No node of another label is
     * nearer than `least`, so no later box can improve the result. */
    __device__ __forceinline__ void walk(D least)
    {
        uint32_t waiting[STACK], h = 0;
        D bounds[STACK];
        int depth = 0;
        bool more = a.blocks.same[0] != label && limit >= least;
        while (more) {
            /* 1. Descend to a block, or back to a box that waits. */
            bool descends = h < first_block;
            while (descends) {
                const D *below = static_cast<const D *>(a.blocks.boxes) + (size_t)(2 * h + 1) * (2 * DIM);
                const box_pair<D, DIM> boxes = *reinterpret_cast<const box_pair<D, DIM> *>(below);
                const label_pair labels = *reinterpret_cast<const label_pair *>(a.blocks.same + 2 * h + 1);
                const D bound[2] = {box_bound(2 * h + 1, boxes.coordinates[0]),
                                    box_bound(2 * h + 2, boxes.coordinates[1])};
                const bool near[2] = {labels.label[0] != label && !is_beyond(2 * h + 1, bound[0]),
                                      labels.label[1] != label && !is_beyond(2 * h + 2, bound[1])};
                if (near[0] || near[1]) {
                    const bool second = !near[0] || (near[1] && bound[1] < bound[0]);
                    if (near[0] && near[1]) {
                        waiting[depth] = 2 * h + (second ? 1 : 2);
                        bounds[depth++] = second ? bound[0] : bound[1];
                    }
                    h = 2 * h + (second ? 2 : 1);
                } else {
                    more = pop_box(waiting, bounds, &depth, &h);
                }
                descends = more && h < first_block;
            }
            if (!more) break;
            /* 2. Measure the block, and leave it. */
            measure_block(h - first_block);
            if (shared) share_limit();
            more = limit >= least && pop_box(waiting, bounds, &depth, &h);
        }
    }

    /* *h = the last box that waits and is not beyond the limit; false if there is none. */
    __device__ __forceinline__ bool pop_box(const uint32_t *waiting, const D *bounds, int *depth, uint32_t *h) const
    {
        while (*depth > 0) {
            *h = waiting[--*depth];
            if (!is_beyond(*h, bounds[*depth])) return true;
        }
        return false;
    }
};

/* Searches from the active nodes begin to end - 1. */
template <class D, int DIM, bool CORES>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_search_other(const bi_kdtree_nearest_other_label a, int64_t begin, int64_t end)
{
    const int64_t i = begin + (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= end) return;
    /* 1. Load the node, its bound and the shared distance of its label. */
    const bi_kdtree_array nodes = {const_cast<void *>(a.blocks.view.points), const_cast<uint32_t *>(a.blocks.view.ids)};
    const uint32_t node = a.active_nodes[i], label = a.blocks.node_labels[node];
    const bi_kdtree_node<D, DIM> query = bi_kdtree_node_reader<D, DIM>::load(nodes, node);
    const uint32_t row = bi_kdtree_node_reader<D, DIM>::id(nodes, node, query);
    other_search<D, DIM, CORES> s = {a,
                                     nodes,
                                     query,
                                     label,
                                     (uint32_t)(((int64_t)1 << a.blocks.levels) - 1),
                                     a.bounds ? static_cast<const D *>(a.bounds)[row] : (D)INFINITY,
                                     BI_KDTREE_NONE,
                                     a.best ? &a.best[label] : nullptr,
                                     CORES ? static_cast<const D *>(a.blocks.node_cores)[node] : 0};
    /* 2. Search. */
    if (s.shared) s.share_limit();
    s.walk(s.shared ? static_cast<const D *>(a.least)[row] : 0);
    /* 3. Write the result, or the distance within which there is none. */
    if (s.best != BI_KDTREE_NONE) {
        static_cast<uint32_t *>(a.ids)[row] = s.best;
        if (a.dist2) static_cast<D *>(a.dist2)[row] = s.limit;
    } else if (s.shared) {
        static_cast<D *>(a.shared_bounds)[row] = s.limit;
    }
}

template <class D, int DIM>
static bosc_status launch_search(bosc_ctx *ctx, const bi_kdtree_nearest_other_label &a, int64_t count)
{
    auto kernel = a.blocks.node_cores ? bi_kdtree_search_other<D, DIM, true> : bi_kdtree_search_other<D, DIM, false>;
    struct bi_batches p = bi_batches_of(ctx, count, 1);
    while (bi_next_batch(ctx, &p))
        BI_TRY(BI_RUN_BATCH(ctx, kernel, (unsigned)bi_div_up(p.end - p.begin, THREADS), THREADS, 0, a, p.begin, p.end));
    return p.status;
}

template <class D> static bosc_status launch_dim(bosc_ctx *ctx, const bi_kdtree_nearest_other_label &a, int64_t count)
{
    switch (a.blocks.view.dim) {
    case 1: return launch_search<D, 1>(ctx, a, count);
    case 2: return launch_search<D, 2>(ctx, a, count);
    case 3: return launch_search<D, 3>(ctx, a, count);
    default: return launch_search<D, 4>(ctx, a, count);
    }
}

bool bi_kdtree_cuda_supports_nearest_other(const bi_kdtree_nearest_other_label &search)
{
    const bosc_kdtree_view *view = &search.blocks.view;
    return search.active_nodes && !search.wide && view->dim <= 4 && !(search.blocks.p > 0) &&
           !search.blocks.excluded.pairs && (view->dtype == BOSC_F32 || view->dtype == BOSC_F64);
}

bosc_status bi_kdtree_cuda_nearest_other(bosc_ctx *ctx, const bi_kdtree_nearest_other_label &search, int64_t count)
{
    return search.blocks.view.dtype == BOSC_F32 ? launch_dim<float>(ctx, search, count)
                                                : launch_dim<double>(ctx, search, count);
}
