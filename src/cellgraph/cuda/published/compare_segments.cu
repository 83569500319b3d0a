/* HEURISTIC_BLOCKS: a block has a pair of vectors, and each thread a segment of consecutive letters, l / w of l letters
 * for w threads. Source: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015),
 * Algorithms 1 and 2. */
#include "core/cuda/shared.cuh"
#include "cellgraph/cuda/cellgraph.cuh"
#include "cellgraph/cuda/published/pairs.cuh"

struct pair_counts {
    unsigned letters[3]; /* that differ, of a pair and its successors in turn */
};

/* Letters [begin, end) of a thread. */
struct segment {
    int32_t begin, end;
};

static __device__ __forceinline__ segment segment_of_thread(const bi_letters &shape)
{
    const int64_t length = shape.length, t = threadIdx.x, threads = blockDim.x;
    return {(int32_t)(t * length / threads), (int32_t)((t + 1) * length / threads)};
}

/* The bits in which x and y differ in word s, of the segment's letters alone. */
static __device__ __forceinline__ uint64_t differing_bits(const bi_letters &shape, const segment &own,
                                                          const uint64_t *x, const uint64_t *y, int32_t s)
{
    const int32_t first = s * shape.per_word, begin = own.begin > first ? own.begin - first : 0;
    const int32_t end = own.end - first < shape.per_word ? own.end - first : shape.per_word;
    const int32_t bits = (end - begin) * shape.letter_bits;
    const uint64_t low = bits == 64 ? ~0ull : (1ull << bits) - 1;
    return (x[s] ^ y[s]) & low << begin * shape.letter_bits;
}

/* Algorithm 1: the distance of vertex i from pivot k, for pairs begin to end - 1 of number i * pivots + k. */
static __global__ void bi_cellgraph_measure_pivots(const bi_cellgraph_heuristic a, int64_t begin, int64_t end)
{
    BI_SHARED(struct pair_counts, sh);
    const bi_cellgraph_view &v = a.view;
    const segment own = segment_of_thread(v.shape);
    int turn = 0;
    if (threadIdx.x == 0) sh.letters[0] = sh.letters[1] = 0;
    __syncthreads(); /* the sums are 0 for all */
    for (int64_t p = begin + blockIdx.x; p < end; p += gridDim.x, turn = 1 - turn) {
        const uint64_t *x = bi_cellgraph_row(&v, p / a.pivots);
        const uint64_t *y = bi_cellgraph_row(&v, bi_cellgraph_pivot_vertex(&a, (int32_t)(p % a.pivots)));
        unsigned letters = 0;
        for (int32_t s = own.begin / v.shape.per_word; s * v.shape.per_word < own.end; s++)
            letters += bi_cellgraph_distance(differing_bits(v.shape, own, x, y, s), &v.shape);
        if (letters) atomicAdd(&sh.letters[turn], letters);
        __syncthreads(); /* all threads have added: the sum is complete for thread 0 */
        if (threadIdx.x == 0) {
            a.distances[p] = sh.letters[turn];
            sh.letters[turn] = 0; /* for the pair after the next one, which begins behind another barrier */
        }
    }
}

/* Algorithm 2: compares the pairs from `begin` to `end` - 1. A pair's comparison ends once two letters are found. The
 * count of a pair is cleared while its predecessor is compared: a third count then is the one that threads may still
 * read. */
static __global__ void bi_cellgraph_compare_segments(const bi_cellgraph_heuristic a, int64_t begin, int64_t end)
{
    BI_SHARED(struct pair_counts, sh);
    const bi_cellgraph_view &v = a.view;
    const segment own = segment_of_thread(v.shape);
    int turn = 0;
    if (threadIdx.x < 3) sh.letters[threadIdx.x] = 0;
    __syncthreads(); /* the counts are 0 for all */
    for (int64_t p = begin + blockIdx.x; p < end; p += gridDim.x) {
        int64_t i, j;
        bi_cellgraph_pair_of(p, v.count, &i, &j);
        if (bi_cellgraph_ruled_out(&a, i, j)) continue; /* the same for all threads */
        const uint64_t *x = bi_cellgraph_row(&v, i), *y = bi_cellgraph_row(&v, j);
        uint64_t differ = 0;
        int32_t at = 0;
        /* 1. Count the segment's differing letters, up to the second one of the block. */
        for (int32_t s = own.begin / v.shape.per_word;
             s * v.shape.per_word < own.end && bi_load_shared_relaxed(&sh.letters[turn]) < 2; s++) {
            const uint64_t bits = differing_bits(v.shape, own, x, y, s);
            if (!bits) continue;
            atomicAdd(&sh.letters[turn], bi_cellgraph_distance(bits, &v.shape));
            differ = bits;
            at = s;
        }
        const int next = turn == 2 ? 0 : turn + 1;
        if (threadIdx.x == 0) bi_store_shared_relaxed(&sh.letters[next], 0u);
        __syncthreads(); /* all threads have counted, and the next count is 0 */
        /* 2. With one letter no thread ended early, and one has it. */
        if (bi_load_shared_relaxed(&sh.letters[turn]) == 1 && differ)
            bi_cellgraph_append_edge(&a.found, i, j, bi_cellgraph_position(&v.shape, at, differ));
        turn = next;
    }
}

enum { BLOCKS = 4096, THREADS = 32 }; /* the paper's best launch of its searches */

/* Runs a kernel for items 0 to n - 1 with the launch of the options. */
template <class K>
static bosc_status launch_pairs(bosc_ctx *ctx, K kernel, const char *name, const struct bi_cellgraph_heuristic *all,
                                int64_t n)
{
    const int64_t blocks = all->blocks ? all->blocks : BLOCKS, threads = all->threads ? all->threads : THREADS;
    struct bi_batches p = bi_batches_of(ctx, n, 8);
    while (bi_next_batch(ctx, &p)) {
        const int64_t pairs = p.end - p.begin;
        BI_LAUNCH(kernel, (unsigned)(blocks < pairs ? blocks : pairs), (unsigned)threads, 0, ctx->stream, *all, p.begin,
                  p.end);
        BI_TRY(bi_launch_status(ctx, name));
    }
    return p.status;
}

bosc_status bi_cellgraph_cuda_measure_pivots(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all)
{
    return launch_pairs(ctx, bi_cellgraph_measure_pivots, "bi_cellgraph_measure_pivots", all,
                        all->view.count * all->pivots);
}

bosc_status bi_cellgraph_cuda_compare_segments(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all)
{
    return launch_pairs(ctx, bi_cellgraph_compare_segments, "bi_cellgraph_compare_segments", all,
                        all->view.count * (all->view.count - 1) / 2);
}
