/* Labels: the smallest vertex of each tree. */
#include "forest/cuda/msf.cuh"

/* The tree of a vertex by the pools of both levels; BI_MSF_NONE for a vertex without edges. */
static __device__ __forceinline__ uint32_t tree_of(const bi_msf_label_args &a, uint32_t v)
{
    uint32_t c = bi_msf_component(a.pointer[v], a.pool0);
    return a.pool1 && c != BI_MSF_NONE ? a.pool1[c] : c;
}

static __global__ void __launch_bounds__(256) bi_msf_smallest_vertices(const bi_msf_label_args a)
{
    uint32_t v = blockIdx.x * 256 + threadIdx.x;
    if (v >= a.n || a.control->overflow) return;
    uint32_t tree = tree_of(a, v);
    if (tree != BI_MSF_NONE && v < bi_load_hint(&a.smallest[tree])) atomicMin(&a.smallest[tree], v);
}

static __global__ void __launch_bounds__(256) bi_msf_label_vertices(const bi_msf_label_args a)
{
    uint32_t v = blockIdx.x * 256 + threadIdx.x;
    if (v >= a.n || a.control->overflow) return;
    uint32_t tree = tree_of(a, v);
    a.labels[v] = tree == BI_MSF_NONE ? v : a.smallest[tree];
}

bosc_status bi_msf_label_trees(bosc_ctx *ctx, const bi_msf_label_args &a)
{
    unsigned blocks = (unsigned)bi_div_up(a.n, 256);
    BI_TRY(ctx->backend->fill(ctx, a.smallest, 0xff, (size_t)a.n * sizeof *a.smallest));
    BI_TRY(BI_RUN(ctx, bi_msf_smallest_vertices, blocks, 256, 0, a));
    return BI_RUN(ctx, bi_msf_label_vertices, blocks, 256, 0, a);
}
