/* Flattens and labels union-find trees on CUDA. */
#include "forest/cuda/components.cuh"

enum { THREADS = BI_COMPONENTS_THREADS, SHORT_PATH = 4 /* parents followed by cached reads; chosen */ };

/* As bi_uf_compress while no unions run, so roots are fixed. Most paths are short and are followed by L1-cached reads;
 * a stale value read there is still an ancestor. */
__device__ __forceinline__ uint32_t compress_path(uint32_t *parent, uint32_t v)
{
    const uint32_t first = bi_load_hint(&parent[v]);
    uint32_t at = first;
    bool root = false;
    for (int step = 0; step < SHORT_PATH && !root; step++) {
        const uint32_t above = bi_load_hint(&parent[at]);
        root = above == at;
        at = above;
    }
    if (at != first) bi_atomic_store_u32(&parent[v], at);
    return root ? at : bi_uf_compress(parent, v);
}

static __global__ void __launch_bounds__(THREADS) bi_components_flatten_trees(uint32_t *parent, int64_t n)
{
    int64_t v = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (v < n) compress_path(parent, (uint32_t)v);
}

bosc_status bi_components_flatten(bosc_ctx *ctx, uint32_t *parent, int64_t n)
{
    return BI_RUN(ctx, bi_components_flatten_trees, (unsigned)bi_div_up(n, THREADS), THREADS, 0, parent, n);
}

/* Points every vertex at its root, and counts the roots left by the mask: by warp, by block, in the control. */
static __global__ void __launch_bounds__(THREADS)
    bi_components_label_vertices(uint32_t *parent, int64_t n, const uint8_t *mask,
                                 struct bi_components_control *control)
{
    struct label_shared {
        uint32_t warp[THREADS / 32];
    };
    BI_SHARED(label_shared, sh);
    int64_t v = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    bool root = v < n && compress_path(parent, (uint32_t)v) == v && (!mask || mask[v]);
    unsigned votes = __ballot_sync(~0u, root);
    if (threadIdx.x % 32 == 0) sh.warp[threadIdx.x / 32] = (uint32_t)__popc(votes);
    /* Wait for the warps' counts. */
    __syncthreads();
    if (threadIdx.x > 0) return;
    uint32_t roots = 0;
    for (int w = 0; w < THREADS / 32; w++) roots += sh.warp[w];
    if (roots) atomicAdd(&control->roots, roots);
}

bosc_status bi_components_label(bosc_ctx *ctx, uint32_t *parent, int64_t n, const uint8_t *mask,
                                struct bi_components_control *control)
{
    return BI_RUN(ctx, bi_components_label_vertices, (unsigned)bi_div_up(n, THREADS), THREADS, 0, parent, n, mask,
                  control);
}
