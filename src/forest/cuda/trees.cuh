/* Union-find trees in the shared memory of a block, and the components that one block computes with them. */
#ifndef BI_FOREST_CUDA_TREES_CUH
#define BI_FOREST_CUDA_TREES_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/shared.cuh"
#include "core/cuda/warp.cuh"
#include "forest/steps/rows.h"

/* A lane processes rows of up to this many arcs alone; a longer row leaves few of a warp's 32 lanes without an arc.
 * Less: more idle lanes; more: lanes that wait for the longest row. Not measured. */
enum { BI_COMPONENTS_SHORT_ROW = 24 };

/* Trees united by all threads of a block at once; as in base/union_find.h. parent[v] is a smaller vertex of the
 * component, or v itself. */
struct bi_shared_trees {
    uint32_t *parent;

    /* Finds the root by path splitting. */
    __device__ __forceinline__ uint32_t root(uint32_t v) const
    {
        uint32_t at = bi_load_shared_relaxed(&parent[v]), above;
        while ((above = bi_load_shared_relaxed(&parent[at])) != at) {
            bi_store_shared_relaxed(&parent[v], above);
            v = at;
            at = above;
        }
        return at;
    }
    /* Unites two trees: the larger root goes below the smaller; a lost compare-and-swap is retried. */
    __device__ __forceinline__ void join(uint32_t u, uint32_t v) const
    {
        uint32_t a = root(u), b = root(v);
        while (a != b) {
            const uint32_t high = a > b ? a : b, low = a > b ? b : a;
            if (atomicCAS(&parent[high], high, low) == high) return;
            a = root(high);
            b = root(low);
        }
    }
};

/* Computes the components of a small graph by one block: BI_FOREST_FOUND or BI_FOREST_TOO_LARGE. */
bosc_status bi_components_launch_single_block(bosc_ctx *ctx, const struct bi_msf_rows *rows, bool checked,
                                              uint32_t *labels, int64_t *count, enum bi_forest_outcome *outcome);

#endif
