/* The smallest vertex of each tree. */
#include "forest/cuda_msf.cuh"

static __device__ __forceinline__ uint32_t tree_of(const msf_label_args &a, uint32_t v)
{
    uint32_t c = msf_component(a.pointer[v], a.pool0);
    return a.pool1 && c != MSF_NONE ? a.pool1[c] : c;
}

static __global__ void __launch_bounds__(256) kernel_smallest(const msf_label_args a)
{
    uint32_t v = blockIdx.x * 256 + threadIdx.x;
    if (v >= a.n || a.control->overflow) return;
    uint32_t tree = tree_of(a, v);
    if (tree != MSF_NONE && v < bi_load_hint(&a.smallest[tree])) atomicMin(&a.smallest[tree], v);
}

static __global__ void __launch_bounds__(256) kernel_label(const msf_label_args a)
{
    uint32_t v = blockIdx.x * 256 + threadIdx.x;
    if (v >= a.n || a.control->overflow) return;
    uint32_t tree = tree_of(a, v);
    a.labels[v] = tree == MSF_NONE ? v : a.smallest[tree];
}

bosc_status msf_labels(bosc_ctx *ctx, const msf_label_args &a)
{
    unsigned blocks = (unsigned)bi_div_up(a.n, 256);
    BI_TRY(ctx->backend->fill(ctx, a.smallest, 0xff, (size_t)a.n * sizeof *a.smallest));
    BI_TRY(BI_RUN(ctx, kernel_smallest, blocks, 256, 0, a));
    return BI_RUN(ctx, kernel_label, blocks, 256, 0, a);
}
