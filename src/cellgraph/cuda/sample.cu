/* Statistics of the sample on the device: a block a segment, whose threads count equal hashes in a table in shared
 * memory. */
#include "core/cuda/launch.cuh"
#include "cellgraph/cuda/cellgraph.cuh"

enum { THREADS = BI_CELLGRAPH_CUDA_SAMPLE, SLOTS = 4 * BI_CELLGRAPH_CUDA_SAMPLE };

struct sample_shared {
    unsigned long long hashes[SLOTS]; /* 0: none */
    uint32_t members[SLOTS];
    uint32_t pairs, largest, leading;
};

/* Fills the statistics of segment blockIdx.x: pairs and the largest group of sample vertices with one hash of the words
 * outside the segment. Block 0 also adds up the leading words that consecutive sample vertices share. Vertices beyond
 * the capacity are not stored; then the kernel does nothing, and the host enlarges the blocks and launches it again.
 * view.count is not read: result->vertices is the number. */
static __global__ void __launch_bounds__(THREADS)
    bi_cellgraph_sample_vertices(bi_cellgraph_view view, int64_t capacity, bi_cellgraph_unique_result *result)
{
    BI_SHARED(sample_shared, sh);
    const int32_t g = (int32_t)blockIdx.x;
    view.count = result->vertices;
    if (view.count > capacity) return;
    const bi_cellgraph_sample a = bi_cellgraph_sample_of(&view, BI_CELLGRAPH_CUDA_SAMPLE);
    /* 1. Empty the table. */
    for (uint32_t s = threadIdx.x; s < SLOTS; s += THREADS) {
        sh.hashes[s] = 0;
        sh.members[s] = 0;
    }
    if (threadIdx.x == 0) sh.pairs = sh.largest = sh.leading = 0;
    __syncthreads(); /* the empty table */
    /* 2. Insert the hash of each sample vertex; earlier ones with the hash are its pairs. */
    for (int64_t k = threadIdx.x; k < a.count; k += THREADS) {
        const unsigned long long hash = bi_cellgraph_sample_hash(&a, k, g) | 1;
        uint32_t slot = (uint32_t)(hash >> 32) % SLOTS;
        for (;; slot = (slot + 1) % SLOTS) {
            const unsigned long long old = atomicCAS(&sh.hashes[slot], 0ull, hash);
            if (old == 0 || old == hash) break;
        }
        const uint32_t earlier = atomicAdd(&sh.members[slot], 1u);
        atomicMax(&sh.largest, earlier + 1);
        if (earlier > 0) atomicAdd(&sh.pairs, earlier);
        const uint32_t leading = g == 0 ? bi_cellgraph_common_prefix(&a, k) : 0;
        if (leading > 0) atomicAdd(&sh.leading, leading);
    }
    __syncthreads(); /* the sums of all threads */
    /* 3. Report. */
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
