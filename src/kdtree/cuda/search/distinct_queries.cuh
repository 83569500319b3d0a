/* Equal queries are searched once where points share coordinates, since such points are often searched by their own
 * coordinates: for the nearest, and for counts within a radius. Sorted queries, or nodes as queries, are gathered in
 * chunks. A chunk keeps one of equal ones and lists the others, to which the answers are copied after the search. The
 * order of threads decides which one is kept; the answers of all are the same. If there are far queries, all are kept
 * in their order, which these need. */
#ifndef BI_KDTREE_CUDA_SEARCH_DISTINCT_QUERIES_CUH
#define BI_KDTREE_CUDA_SEARCH_DISTINCT_QUERIES_CUH

#include "core/cuda/shared.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/query_keys.cuh"

enum {
    BI_KDTREE_DISTINCT_THREADS = 256,
    BI_KDTREE_DISTINCT_EACH = 4, /* queries of a thread: 32 groups of 32 in a chunk, which one warp can scan */
    BI_KDTREE_DISTINCT_CHUNK = BI_KDTREE_DISTINCT_THREADS * BI_KDTREE_DISTINCT_EACH,
    BI_KDTREE_DISTINCT_SLOT_BITS = 11, /* twice as many slots as queries of a chunk */
    BI_KDTREE_COPY_BLOCKS = 8          /* of a multiprocessor */
};

/* The shared memory of a chunk: at most 44 KB, for rows of four doubles. */
template <class T, int DIM> struct bi_kdtree_query_chunk {
    T row[DIM][BI_KDTREE_DISTINCT_CHUNK];
    uint32_t number[BI_KDTREE_DISTINCT_CHUNK];
    uint32_t slot[1 << BI_KDTREE_DISTINCT_SLOT_BITS]; /* hash table of positions in the chunk */
    uint32_t before[32]; /* distinct queries of a group of 32; later their sum over earlier groups */
    uint32_t distinct_base, repeated_base;

    /* Returns the slot at which probing for a query begins. Equal rows with zeros of both signs may differ in it, and
     * are then both kept. */
    __device__ __forceinline__ uint32_t home(uint32_t at) const
    {
        uint32_t h = 0;
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const uint32_t *words = reinterpret_cast<const uint32_t *>(&row[c][at]);
#pragma unroll
            for (size_t i = 0; i < sizeof(T) / 4; i++) {
                h = (h ^ words[i]) * 0x9E3779B1u; /* 2^32 over the golden ratio: multiplicative hashing (Knuth) */
                h ^= h >> 15;
            }
        }
        return h * 0x9E3779B1u >> (32 - BI_KDTREE_DISTINCT_SLOT_BITS);
    }

    __device__ __forceinline__ bool equal(uint32_t a, uint32_t b) const
    {
        bool same = true;
#pragma unroll
        for (int c = 0; c < DIM; c++) same &= row[c][a] == row[c][b];
        return same;
    }

    /* Inserts a query unless an equal one is there. Returns the position of the one that is kept. */
    __device__ __forceinline__ uint32_t insert(uint32_t at)
    {
        uint32_t s = home(at);
        for (;; s = (s + 1) & ((1u << BI_KDTREE_DISTINCT_SLOT_BITS) - 1)) {
            uint32_t kept = bi_load_shared_relaxed(&slot[s]);
            if (kept == BI_KDTREE_NONE) kept = atomicCAS(&slot[s], BI_KDTREE_NONE, at);
            if (kept == BI_KDTREE_NONE) return at;
            if (equal(at, kept)) return kept;
        }
    }
};

/* Gathers the rows of distinct queries, a chunk a block, with their numbers and keys, if they have any. Counts them in
 * a.distinct[0]. From the end of both arrays on, repeated queries are listed, each with the number of the one that is
 * kept; a.distinct[1] counts them. */
template <class T, int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_DISTINCT_THREADS)
    bi_kdtree_gather_distinct(const bi_kdtree_cuda_search a, T *rows, uint32_t *keys, uint32_t *numbers)
{
    typedef bi_kdtree_query_chunk<T, DIM> chunk;
    enum { EACH = BI_KDTREE_DISTINCT_EACH, THREADS = BI_KDTREE_DISTINCT_THREADS };
    BI_SHARED(chunk, sh);
    const uint32_t begin = blockIdx.x * BI_KDTREE_DISTINCT_CHUNK, lane = threadIdx.x % 32,
                   count = min(a.m - begin, (uint32_t)BI_KDTREE_DISTINCT_CHUNK);
    const bool keeps_all = a.keys && bi_kdtree_has_cell(a.keys[0]);
    uint32_t kept[EACH], distinct[EACH];
    /* 1. Load the queries. The barrier makes rows and free slots visible. */
    for (uint32_t s = threadIdx.x; s < 1u << BI_KDTREE_DISTINCT_SLOT_BITS; s += THREADS) sh.slot[s] = BI_KDTREE_NONE;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const uint32_t at = threadIdx.x + j * THREADS;
        if (at >= count) continue;
        const uint32_t number = a.order ? a.order[begin + at] : begin + at;
        const T *from = static_cast<const T *>(a.queries) + number * a.stride;
        sh.number[at] = number;
#pragma unroll
        for (int c = 0; c < DIM; c++) sh.row[c][at] = from[c];
    }
    __syncthreads();
    /* 2. Keep one of equal queries. The barrier makes the counts of groups visible. */
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const uint32_t at = threadIdx.x + j * THREADS;
        kept[j] = at < count && !keeps_all ? sh.insert(at) : at;
        distinct[j] = __ballot_sync(~0u, at < count && kept[j] == at);
        if (lane == 0) sh.before[at / 32] = (uint32_t)__popc(distinct[j]);
    }
    __syncthreads();
    /* 3. The first warp allocates the chunk's entries. The barrier makes sums and bases visible. */
    if (threadIdx.x < 32) {
        const uint32_t own = sh.before[lane], sum = bi_warp_inclusive_sum(own);
        sh.before[lane] = sum - own;
        if (lane == 31) {
            const uint32_t base = atomicAdd(a.distinct, sum);
            sh.distinct_base = keeps_all ? begin : base;
            sh.repeated_base = atomicAdd(a.distinct + 1, count - sum);
        }
    }
    __syncthreads();
    /* 4. Write distinct queries in their order, and list the others. */
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const uint32_t at = threadIdx.x + j * THREADS;
        if (at >= count) continue;
        const uint32_t rank = sh.before[at / 32] + (uint32_t)__popc(distinct[j] & bi_lanes_below());
        if (kept[j] == at) {
            const uint32_t to = sh.distinct_base + rank;
            if (a.keys) keys[to] = a.keys[begin + at];
            numbers[to] = sh.number[at];
#pragma unroll
            for (int c = 0; c < DIM; c++) rows[(size_t)to * DIM + c] = sh.row[c][at];
        } else {
            const uint32_t to = a.m - 1 - (sh.repeated_base + at - rank);
            keys[to] = sh.number[at];
            numbers[to] = sh.number[kept[j]];
        }
    }
}

/* Copies the answers of distinct queries to repeated ones, unless the search wrote none. An entry a thread. */
template <class D>
static __global__ void __launch_bounds__(BI_KDTREE_DISTINCT_THREADS)
    bi_kdtree_copy_answers(const bi_kdtree_cuda_search a)
{
    if (bi_kdtree_has_bad_query(a)) return;
    D *dist2 = static_cast<D *>(a.dist2);
    const uint32_t k = (uint32_t)a.k, entries = (a.m - a.distinct[0]) * k;
    for (uint32_t e = blockIdx.x * BI_KDTREE_DISTINCT_THREADS + threadIdx.x; e < entries;
         e += gridDim.x * BI_KDTREE_DISTINCT_THREADS) {
        const uint32_t at = a.m - 1 - e / k;
        const int64_t to = bi_kdtree_row_of(a, a.keys[at]) * k + e % k,
                      from = bi_kdtree_row_of(a, a.order[at]) * k + e % k;
        if (a.wide)
            static_cast<int64_t *>(a.ids)[to] = static_cast<const int64_t *>(a.ids)[from];
        else
            static_cast<uint32_t *>(a.ids)[to] = static_cast<const uint32_t *>(a.ids)[from];
        if (dist2) dist2[to] = dist2[from];
    }
}

#endif
