/* A look at the sample on the device: a block for each segment, whose threads find those with their hash in a table in
 * shared memory. */
#include "core/cuda/launch.cuh"
#include "cellgraph/cuda/cellgraph.cuh"

enum { THREADS = BI_CELLGRAPH_CUDA_SAMPLE, SLOTS = 4 * BI_CELLGRAPH_CUDA_SAMPLE };

struct sample_shared {
    unsigned long long hashes[SLOTS]; /* 0: none */
    uint32_t members[SLOTS];
    uint32_t pairs, largest, leading;
};

static __global__ void __launch_bounds__(THREADS)
    bi_cellgraph_sample_vertices(bi_cellgraph_view view, int64_t capacity, bi_cellgraph_unique_result *result)
{
    BI_SHARED(sample_shared, sh);
    const int32_t g = (int32_t)blockIdx.x;
    view.count = result->vertices;
    if (view.count > capacity) return;
    const bi_cellgraph_sample a = bi_cellgraph_sample_of(&view, BI_CELLGRAPH_CUDA_SAMPLE);
    for (uint32_t s = threadIdx.x; s < SLOTS; s += THREADS) {
        sh.hashes[s] = 0;
        sh.members[s] = 0;
    }
    if (threadIdx.x == 0) sh.pairs = sh.largest = sh.leading = 0;
    __syncthreads();
    for (int64_t k = threadIdx.x; k < a.count; k += THREADS) {
        const unsigned long long hash = bi_cellgraph_sample_hash(&a, k, g) | 1;
        uint32_t slot = (uint32_t)(hash >> 32) % SLOTS;
        for (;; slot = (slot + 1) % SLOTS) {
            const unsigned long long old = atomicCAS(&sh.hashes[slot], 0ull, hash);
            if (old == 0 || old == hash) break;
        }
        const uint32_t before = atomicAdd(&sh.members[slot], 1u);
        atomicMax(&sh.largest, before + 1);
        if (before > 0) atomicAdd(&sh.pairs, before);
        const uint32_t leading = g == 0 ? bi_cellgraph_leading(&a, k) : 0;
        if (leading > 0) atomicAdd(&sh.leading, leading);
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    result->stats.pairs[g] = sh.pairs;
    result->stats.largest[g] = sh.largest;
    if (g == 0) result->stats.leading = sh.leading;
}

bosc_status bi_cellgraph_cuda_sample(bosc_ctx *ctx, const struct bi_cellgraph_view *view, int64_t capacity,
                                     bi_cellgraph_unique_result *result)
{
    return BI_RUN(ctx, bi_cellgraph_sample_vertices, (unsigned)bi_cellgraph_segment_count(view->shape.words), THREADS,
                  0, *view, capacity, result);
}
