/* The walks of a warp's queries, balanced among its lanes, for one nearest each. After the first leaf most queries have
 * no far side or one that is near enough, and some have several: idle lanes walk far sides of other lanes' queries. The
 * nearest of each query so far is in shared memory. */
#ifndef BI_KDTREE_CUDA_SEARCH_POOLED_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_POOLED_WALK_CUH

#include "core/cuda/shared.cuh"
#include "kdtree/cuda/search/index_walk.cuh"
#include "kdtree/cuda/search/nearest_list.cuh"

/* The shared memory of a warp. */
struct bi_kdtree_pool {
    unsigned long long nearest[32]; /* by query: bits of a bi_kdtree_neighbour<float> */
    uint32_t assigned[32];          /* far sides for idle lanes: lane of the query, and level of the plane << 5 */
};

/* WALK: a bi_kdtree_index_walk of floats with a list of one. It walks for the query of lane `owner`. All lanes of a
 * warp call these. */
template <class WALK, int DIM> struct bi_kdtree_pooled_walk {
    WALK &w;
    bi_kdtree_pool *pool;
    float own_query[DIM], limit; /* of the query of this lane */
    uint32_t home, planes;       /* its leaf; levels above it whose far sides are unassigned */
    uint32_t owner;

    __device__ __forceinline__ bi_kdtree_pooled_walk(WALK &index_walk, bi_kdtree_pool *of_warp)
        : w(index_walk), pool(of_warp)
    {
    }

    /* Assigns the deepest far side of each query with any to an idle lane. Returns false if either is lacking. The warp
     * barriers publish the assignments, and end their use. */
    __device__ __forceinline__ bool assign_sides(bool idle)
    {
        const uint32_t lanes = __ballot_sync(~0u, idle), donors = __ballot_sync(~0u, planes != 0);
        const int count = min(__popc(lanes), __popc(donors)), donor_rank = __popc(donors & bi_lanes_below()),
                  idle_rank = __popc(lanes & bi_lanes_below());
        if (planes && donor_rank < count) {
            const int level = 31 - __clz((int)planes);
            planes -= 1u << level;
            pool->assigned[donor_rank] = (uint32_t)level << 5 | threadIdx.x % 32;
        }
        __syncwarp();
        if (idle && idle_rank < count) {
            owner = pool->assigned[idle_rank] % 32;
            w.planes = 1u << (pool->assigned[idle_rank] >> 5);
        }
        __syncwarp();
        return count > 0;
    }

    /* Returns the nearest known to this lane; smaller numbers are nearer. */
    __device__ __forceinline__ unsigned long long bits() const { return bi_f64_bits(w.found.nearest.at[0].bits); }
    __device__ __forceinline__ void load_nearest(uint32_t lane)
    {
        w.found.nearest.at[0].bits = bi_f64_from_bits(bi_load_shared_relaxed(&pool->nearest[lane]));
    }

    /* Switches the walk to the query of the owner, and reloads the nearest so far. */
    __device__ __forceinline__ void switch_query()
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) w.q[c] = __shfl_sync(~0u, own_query[c], (int)owner);
        w.found.limit = __shfl_sync(~0u, limit, (int)owner);
        w.home = __shfl_sync(~0u, home, (int)owner);
        load_nearest(owner);
    }

    /* Walks all far sides. A lane takes the next side of its own stack, descends to a leaf, and the warp measures the
     * leaves; improvements go to shared memory. Warp barriers reconverge lanes. ODD: see bi_kdtree_index_walk. */
    template <bool ODD> __device__ __forceinline__ void walk_sides()
    {
        w.depth = ODD;
        w.planes = 0;
        for (;;) {
            /* 1. Assign sides to idle lanes, as long as both exist. */
            while (assign_sides(w.depth <= ODD && !w.planes)) {
            }
            const bool busy = w.planes || w.depth > ODD;
            if (!__any_sync(~0u, busy)) break;
            switch_query();
            if (ODD && w.planes) w.start_path();
            /* 2. Search a side, and publish an improvement. */
            uint32_t side, leaf = 0;
            typename WALK::path path_to_side;
            const unsigned long long previous = bits();
            bool any = busy && w.template next<ODD>(&side, &path_to_side);
            __syncwarp();
            if (any) any = w.template descend<ODD>(side, path_to_side, &leaf);
            __syncwarp();
            w.found.scan(w, any, leaf);
            if (bits() != previous) atomicMin(&pool->nearest[owner], bits());
            __syncwarp();
        }
    }

    /* Searches from the leaf of each query; the warp barrier publishes the nearest of first leaves. */
    __device__ __forceinline__ void walk(uint32_t leaf, bool live)
    {
        const uint32_t lane = threadIdx.x % 32;
        w.found.first(w, live, leaf);
        w.odd_levels = w.root().odd_levels;
        planes = live ? w.near_planes(leaf) : 0;
        home = leaf;
        owner = lane;
        limit = w.found.limit;
#pragma unroll
        for (int c = 0; c < DIM; c++) own_query[c] = w.q[c];
        pool->nearest[lane] = bits();
        __syncwarp();
        if (w.odd_levels)
            walk_sides<true>();
        else
            walk_sides<false>();
        load_nearest(lane);
    }
};

#endif
