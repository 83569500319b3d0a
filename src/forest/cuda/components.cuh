/* Trees of a union on CUDA, which components of graphs and of lists share: `parent` points to a smaller vertex of the
 * component, or to the vertex itself. */
#ifndef BI_FOREST_CUDA_COMPONENTS_CUH
#define BI_FOREST_CUDA_COMPONENTS_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "base/union_find.h"

enum { BI_COMPONENTS_THREADS = 256 };

/* The state that the kernels share; zeroed before the first. */
struct bi_components_control {
    uint32_t giant, roots, chunks;
};

/* Puts the larger of two vertices' trees below the smaller one, where the vertices point at roots; a root that several
 * would put below others goes below the smallest, and the other trees may stay apart. So one step does for all vertices
 * at once what joins do one after the other, and nobody climbs or tries again. No vertex but a root moves. */
__device__ __forceinline__ void bi_components_hook(uint32_t *parent, uint32_t u, uint32_t v)
{
    const uint32_t a = bi_load_hint(&parent[u]), b = bi_load_hint(&parent[v]);
    if (a == b) return;
    const uint32_t high = a > b ? a : b, low = a > b ? b : a;
    if (low < bi_load_hint(&parent[high])) atomicMin(&parent[high], low);
}

/* As bi_uf_find, but roots are read through the cache of the multiprocessor: all read the same few, and one that is a
 * root no more shows itself at the swap. */
__device__ __forceinline__ uint32_t bi_components_hinted_root(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_load_hint(&parent[v]), above;
    while ((above = bi_load_hint(&parent[at])) != at) {
        bi_atomic_store_u32(&parent[v], above);
        v = at;
        at = above;
    }
    return at;
}

/* As bi_uf_union. */
static __device__ __forceinline__ void bi_components_join(uint32_t *parent, uint32_t u, uint32_t v)
{
    uint32_t a = bi_components_hinted_root(parent, u), b = bi_components_hinted_root(parent, v);
    while (a != b) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a, above = atomicCAS(&parent[high], high, low);
        if (above == high) return;
        a = bi_uf_find(parent, above);
        b = low;
    }
}

/* Every vertex points at its root. */
bosc_status bi_components_flatten(bosc_ctx *ctx, uint32_t *parent, int64_t n);
/* The same at the end, when the root is the smallest vertex of the component. Counts the roots that are there (mask
 * NULL: all are). */
bosc_status bi_components_label(bosc_ctx *ctx, uint32_t *parent, int64_t n, const uint8_t *mask,
                                struct bi_components_control *control);

struct bi_msf_rows;
/* The whole call for a graph that is small. *done: it is, and all is as in struct bi_forest_ops. */
bosc_status bi_components_small(bosc_ctx *ctx, const struct bi_msf_rows *rows, bool checked, uint32_t *labels,
                                int64_t *count, bool *done);

#endif
