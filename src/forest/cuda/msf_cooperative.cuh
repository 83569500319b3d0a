/* State of the forest kernel in one cooperative launch: arguments, shared memory, a thread's view, and its barrier. */
#ifndef BI_FOREST_CUDA_MSF_COOPERATIVE_CUH
#define BI_FOREST_CUDA_MSF_COOPERATIVE_CUH

#include "core/cuda/cooperative.cuh"
#include "core/cuda/shared.cuh"
#include "forest/cuda/msf_one_launch.cuh"

#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { THREADS = 64, SLOTS = 64, TABLE_COMPONENTS = 16, EDGES_PER_BLOCK = 100, HOPS = 2 };
#else
enum {
    THREADS = 1024,
    SLOTS = 512,            /* of the table: four for each component, so probes are short */
    TABLE_COMPONENTS = 128, /* most components of rounds that use the table: measured, git log bench/results */
    EDGES_PER_BLOCK = 128,  /* least edges of a block: measured, same page */
    HOPS = 12               /* steps of ascend_to_roots() before it shortens paths; chosen */
};
#endif
enum {
    WARPS = THREADS / 32,
    LOADS = 4, /* loads in flight per thread */
    BATCH = 2, /* edges whose ends ascend together */
    TABLE_BYTES = SLOTS * (sizeof(unsigned long long) + 2 * sizeof(uint32_t))
};

/* In device memory, zeroed before the launch: words of the grid barrier, the forest's sums, and blocks that have
 * finished. */
struct cooperative_control {
    unsigned long long sums[2], edges, low, high;
    unsigned done;
};

template <class K> struct cooperative_args {
    bi_msf_csr<K> rows; /* for edge lists only the order is set */
    struct bi_msf_entries entries;
    uint32_t n, items, marks; /* vertices; arcs or entries; words of marks */
    uint32_t capacity;        /* edges in a block's shared memory */
    struct cooperative_control *control;
    uint32_t *parent, *smallest;              /* n */
    unsigned long long *best[2], *best_id[2]; /* n: alternately of this round and of the next */
    uint32_t *marked;                         /* a bit per edge id */
    uint32_t *ids, *labels;                   /* NULL: not requested */
    K *keys, *keys_by_id;                     /* NULL: not requested */
    unsigned long long *report;               /* words in host memory that the host polls */
};

struct cooperative_shared {
    uint32_t listed, counted, offset, warps[WARPS];
    unsigned long long sum, edges, low, high;
};

/* The block's least proposals to few components: a hash table with linear probing, keyed by component. */
struct lightest_table {
    unsigned long long *word;
    uint32_t *owner, *bits;

    __device__ __forceinline__ uint32_t slot(uint32_t c) const
    {
        /* Fibonacci hashing; the table never fills, as components <= SLOTS / 4. */
        for (uint32_t s = c * 0x9E3779B1u % SLOTS;; s = (s + 1) % SLOTS) {
            uint32_t found = bi_load_shared_relaxed(&owner[s]);
            if (found == BI_MSF_NONE) found = atomicCAS(&owner[s], BI_MSF_NONE, c);
            if (found == BI_MSF_NONE || found == c) return s;
        }
    }
};

/* A thread's view of the state; `edges`, `low` and `high` sum over the forest edges that it added. */
template <class K> struct cooperative_state {
    const cooperative_args<K> &a;
    cooperative_shared &sh;
    bi_msf_edge<K> *list;
    lightest_table table;
    bi_grid_sum sum;
    uint32_t count, round;
    uint32_t edges; /* forest edges that the thread added */
    unsigned long long low, high;

    /* The first item of the block's share, or with after = 1 of the next block's. */
    __device__ __forceinline__ uint32_t share(uint32_t items, uint32_t after) const
    {
        return (uint32_t)((uint64_t)items * (blockIdx.x + after) / gridDim.x);
    }
    __device__ __forceinline__ unsigned long long *best() const { return a.best[round % 2]; }
    __device__ __forceinline__ unsigned long long *best_id() const { return a.best_id[round % 2]; }
    /* True if edge e is the lightest of component c. */
    __device__ __forceinline__ bool is_best(const bi_msf_edge<K> &e, uint32_t c) const
    {
        if (bi_msf_word(e.key, e.id) != bi_load_hint(&best()[c])) return false;
        return sizeof(K) == 4 || bi_load_hint(&best_id()[c]) == e.id;
    }
    /* Calls f(edge, component) for both ends of the thread's edges between two components. */
    template <class F> __device__ __forceinline__ void for_each_end(const F &f) const
    {
        for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
            const bi_msf_edge<K> e = list[i];
            if (e.u == e.v) continue;
            f(e, e.u);
            f(e, e.v);
        }
    }
};

/* Finds the root of v by path splitting. Blocks share the trees, hence relaxed (L2) accesses. */
static __device__ __forceinline__ uint32_t find_root(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_load_relaxed(&parent[v]), above;
    while ((above = bi_load_relaxed(&parent[at])) != at) {
        bi_store_relaxed(&parent[v], above);
        v = at;
        at = above;
    }
    return at;
}

static __device__ __forceinline__ void store_word(uint32_t *p, uint32_t x) { bi_store_relaxed(p, x); }
static __device__ __forceinline__ void store_word(uint64_t *p, uint64_t x) { bi_store_relaxed(p, x); }
static __device__ __forceinline__ uint32_t load_word(const uint32_t *p) { return bi_load_relaxed(p); }
static __device__ __forceinline__ uint64_t load_word(const uint64_t *p)
{
    return bi_load_relaxed(reinterpret_cast<const unsigned long long *>(p));
}

/* Grid barrier. Returns the sum of `own` over all threads; all writes before it are visible to all threads after it. */
template <class K>
static __device__ __forceinline__ unsigned long long sync_grid_sum(cooperative_state<K> &b, uint32_t own)
{
    cooperative_shared &sh = b.sh;
    const uint32_t warp = bi_warp_sum(own);
    if (threadIdx.x % 32 == 0 && warp) atomicAdd(&sh.counted, warp);
    __syncthreads(); /* the block's writes and counts are complete */
    if (threadIdx.x == 0) {
        sh.sum = bi_grid_barrier_sum(&b.sum, sh.counted, true);
        sh.counted = 0;
    }
    __syncthreads(); /* the sum is visible to the block */
    return sh.sum;
}

#endif
