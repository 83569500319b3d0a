/* Makes the index that queries read. */
#include "kdtree/cuda_index.cuh"

size_t kd_index_bytes(const bosc_kdtree_opts *opts, int64_t n)
{
    if (!kd_is_fast(opts) || n <= 0) return 0;
    size_t leaves = (size_t)1 << kd_index_levels(n);
    return (leaves + 1) * sizeof(uint32_t) + (leaves - 1) * sizeof(float);
}

template <int DIM>
static __global__ void __launch_bounds__(256) fill_index(const kd_array nodes, const kd_index index, int64_t n)
{
    const uint32_t leaves = 1u << index.levels, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > leaves) return;
    if (i == leaves) {
        index.leaves[i] = (uint32_t)(n + 1);
        return;
    }
    index.leaves[i] = (uint32_t)bi_kd_subtree(n, index.levels, i).begin;
    if (i == leaves - 1) return;
    int level = 31 - __clz((int)(i + 1));
    int64_t place = bi_kd_mid(bi_kd_subtree(n, level, i + 1 - (1u << level)));
    index.splits[i] = kd_coordinate<DIM>(kd_load<DIM>(nodes, (uint32_t)place), level % DIM);
}

template <int DIM> static bosc_status make_index(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    auto kernel = fill_index<DIM>;
    kd_index index = kd_index_of(tree);
    unsigned blocks = (unsigned)bi_div_up(((int64_t)1 << index.levels) + 1, 256);
    return BI_RUN(ctx, kernel, blocks, 256, 0, kd_array_of(tree), index, tree->nodes);
}

bosc_status kd_make_index(bosc_ctx *ctx, bosc_kdtree *tree)
{
    if (!kd_is_fast(&tree->opts) || tree->nodes == 0) return BOSC_OK;
    if (tree->opts.dim == 2) return make_index<2>(ctx, tree);
    return tree->opts.dim == 3 ? make_index<3>(ctx, tree) : make_index<4>(ctx, tree);
}
