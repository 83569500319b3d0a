/* Union-find trees on CUDA, shared by components of graphs and of edge lists. parent[v] is a smaller vertex of the
 * component, or v itself. */
#ifndef BI_FOREST_CUDA_COMPONENTS_CUH
#define BI_FOREST_CUDA_COMPONENTS_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "base/union_find.h"

enum { BI_COMPONENTS_THREADS = 256 };

/* Counters shared by the kernels; zeroed before the first. */
struct bi_components_control {
    uint32_t giant, roots, chunks;
};

/* Hooks the larger of two roots below the smaller by an atomic minimum; u and v must point at roots. A root hooked by
 * several edges goes below the smallest, and the other trees may stay separate. So one pass does most unions of all
 * vertices at once, without retries. Only roots move. */
__device__ __forceinline__ void bi_components_hook(uint32_t *parent, uint32_t u, uint32_t v)
{
    const uint32_t a = bi_load_hint(&parent[u]), b = bi_load_hint(&parent[v]);
    if (a == b) return;
    const uint32_t high = a > b ? a : b, low = a > b ? b : a;
    if (low < bi_load_hint(&parent[high])) atomicMin(&parent[high], low);
}

/* As bi_uf_find, but reads through the L1 cache, as all threads read the same few roots. A stale root is detected by
 * the compare-and-swap of the union. */
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

/* Points every vertex at its root. */
bosc_status bi_components_flatten(bosc_ctx *ctx, uint32_t *parent, int64_t n);
/* The same at the end, when the root is the smallest vertex of the component. Counts the roots left by the mask (NULL:
 * all). */
bosc_status bi_components_label(bosc_ctx *ctx, uint32_t *parent, int64_t n, const uint8_t *mask,
                                struct bi_components_control *control);

struct bi_msf_rows;
/* Computes the components of a small graph by one block. *done: the graph was small enough, and the results are
 * written as in struct bi_forest_ops. */
bosc_status bi_components_launch_single_block(bosc_ctx *ctx, const struct bi_msf_rows *rows, bool checked,
                                              uint32_t *labels, int64_t *count, bool *done);

#endif
