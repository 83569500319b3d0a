/* The walks of a warp's queries shared among its lanes, where each query wants one nearest. After the first leaf most
 * queries have no far side that is near enough, or one, and some have several: far sides of ancestors go to lanes that
 * are free. The nearest so far of each query lies in shared memory. */
#ifndef BI_KDTREE_CUDA_SEARCH_POOLED_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_POOLED_WALK_CUH

#include "core/cuda/shared.cuh"
#include "kdtree/cuda/search/index_walk.cuh"
#include "kdtree/cuda/search/nearest_list.cuh"

/* Of a warp. */
struct bi_kdtree_pool {
    unsigned long long nearest[32]; /* of each query: bits of a bi_kdtree_neighbour<float> */
    uint32_t given[32];             /* lane of a query, and above 5 bits the level of a plane whose far side is given */
};

/* WALK: a bi_kdtree_index_walk of floats whose COLLECTOR wants one nearest. It walks for the query of lane `owner`. All
 * lanes of a warp call these. */
template <class WALK, int DIM> struct bi_kdtree_pooled_walk {
    WALK &w;
    bi_kdtree_pool *pool;
    float own[DIM], limit; /* of the query of this lane */
    uint32_t home, planes; /* its leaf; levels above it whose far sides are to be given */
    uint32_t owner;

    __device__ __forceinline__ bi_kdtree_pooled_walk(WALK &walk, bi_kdtree_pool *of_warp) : w(walk), pool(of_warp) {}

    /* Gives the deepest far side of queries that have any to lanes that are idle. Whether there were both. */
    __device__ __forceinline__ bool give(bool idle)
    {
        const uint32_t lanes = __ballot_sync(~0u, idle), offers = __ballot_sync(~0u, planes != 0);
        const int count = min(__popc(lanes), __popc(offers)), offer = __popc(offers & bi_lanes_below()),
                  place = __popc(lanes & bi_lanes_below());
        if (planes && offer < count) {
            const int level = 31 - __clz((int)planes);
            planes -= 1u << level;
            pool->given[offer] = (uint32_t)level << 5 | threadIdx.x % 32;
        }
        __syncwarp();
        if (idle && place < count) {
            owner = pool->given[place] % 32;
            w.planes = 1u << (pool->given[place] >> 5);
        }
        __syncwarp();
        return count > 0;
    }

    /* The nearest that this lane knows; smaller numbers are nearer. */
    __device__ __forceinline__ unsigned long long bits() const { return bi_f64_bits(w.found.nearest.at[0].bits); }
    __device__ __forceinline__ void learn(uint32_t lane)
    {
        w.found.nearest.at[0].bits = bi_f64_from_bits(bi_load_shared(&pool->nearest[lane]));
    }

    /* Turns the walk to the query of the owner. */
    __device__ __forceinline__ void turn()
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) w.q[c] = __shfl_sync(~0u, own[c], (int)owner);
        w.found.limit = __shfl_sync(~0u, limit, (int)owner);
        w.home = __shfl_sync(~0u, home, (int)owner);
        learn(owner);
    }

    template <bool ODD> __device__ __forceinline__ void walk()
    {
        w.depth = ODD;
        w.planes = 0;
        for (;;) {
            while (give(w.depth <= ODD && !w.planes)) {
            }
            const bool busy = w.planes || w.depth > ODD;
            if (!__any_sync(~0u, busy)) break;
            turn();
            if (ODD && w.planes) w.begin();
            uint32_t side, leaf = 0;
            typename WALK::path way;
            const unsigned long long before = bits();
            bool any = busy && w.template next<ODD>(&side, &way);
            __syncwarp();
            if (any) any = w.template descend<ODD>(side, way, &leaf);
            __syncwarp();
            w.found.scan(w, any, leaf);
            if (bits() != before) atomicMin(&pool->nearest[owner], bits());
            __syncwarp();
        }
    }

    /* From the leaf of each query. */
    __device__ __forceinline__ void run(uint32_t leaf, bool live)
    {
        const uint32_t lane = threadIdx.x % 32;
        w.found.first(w, live, leaf);
        w.odd_levels = w.root().odd_levels;
        planes = live ? w.near_planes(leaf) : 0;
        home = leaf;
        owner = lane;
        limit = w.found.limit;
#pragma unroll
        for (int c = 0; c < DIM; c++) own[c] = w.q[c];
        pool->nearest[lane] = bits();
        __syncwarp();
        if (w.odd_levels)
            walk<true>();
        else
            walk<false>();
        learn(lane);
    }
};

#endif
