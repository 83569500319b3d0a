/* What the blocks of a forest in one launch know, keep and share, and how they meet. */
#ifndef BI_FOREST_CUDA_MSF_JOINT_CUH
#define BI_FOREST_CUDA_MSF_JOINT_CUH

#include "core/cuda/cooperative.cuh"
#include "core/cuda/shared.cuh"
#include "forest/cuda/msf_one_launch.cuh"

#ifdef BI_EMULATE /* graphs of some edges should take all ways */
enum { THREADS = 64, SLOTS = 64, FEW = 16, EACH_BLOCK = 100, HOPS = 2 };
#else
enum { THREADS = 1024, SLOTS = 512, FEW = 128, EACH_BLOCK = 128 /* edges, where blocks suffice */, HOPS = 12 };
#endif
enum {
    WARPS = THREADS / 32,
    EACH = 4,  /* reads of a thread at once */
    BATCH = 2, /* edges whose ends climb at once */
    TABLE_BYTES = SLOTS * (sizeof(unsigned long long) + 2 * sizeof(uint32_t))
};

/* In device memory, 0 at first. */
struct joint_control {
    unsigned long long sums[2], edges, low, high;
    unsigned done;
};

template <class K> struct joint_args {
    bi_msf_csr<K> rows; /* of entries: their order alone */
    struct bi_msf_entries entries;
    uint32_t n, items, marks; /* vertices; arcs or entries; words of marks */
    uint32_t capacity;        /* edges of a block */
    struct joint_control *control;
    uint32_t *parent, *smallest;              /* n */
    unsigned long long *best[2], *best_id[2]; /* n: of this round and of the next, by turns */
    uint32_t *marked;                         /* a bit for each id */
    uint32_t *ids, *labels;                   /* NULL: not wanted */
    K *keys, *keys_by_id;                     /* likewise */
    unsigned long long *told;
};

struct joint_shared {
    uint32_t listed, counted, before, warps[WARPS];
    unsigned long long sum, edges, low, high;
};

/* The least offers to few components: slots found by the component's number. */
struct joint_table {
    unsigned long long *word;
    uint32_t *owner, *bits;

    __device__ __forceinline__ uint32_t slot(uint32_t c) const
    {
        for (uint32_t s = c * 0x9E3779B1u % SLOTS;; s = (s + 1) % SLOTS) {
            uint32_t found = bi_load_shared(&owner[s]);
            if (found == BI_MSF_NONE) found = atomicCAS(&owner[s], BI_MSF_NONE, c);
            if (found == BI_MSF_NONE || found == c) return s;
        }
    }
};

/* What a thread knows. */
template <class K> struct joint_block {
    const joint_args<K> &a;
    joint_shared &sh;
    bi_msf_edge<K> *list;
    joint_table table;
    bi_grid_sum sum;
    uint32_t count, round;
    uint32_t edges; /* that the thread took */
    unsigned long long low, high;

    __device__ __forceinline__ uint32_t share(uint32_t items, uint32_t after) const
    {
        return (uint32_t)((uint64_t)items * (blockIdx.x + after) / gridDim.x);
    }
    __device__ __forceinline__ unsigned long long *best() const { return a.best[round % 2]; }
    __device__ __forceinline__ unsigned long long *best_id() const { return a.best_id[round % 2]; }
    __device__ __forceinline__ bool is_best(const bi_msf_edge<K> &e, uint32_t c) const
    {
        if (bi_msf_word(e.key, e.id) != bi_load_hint(&best()[c])) return false;
        return sizeof(K) == 4 || bi_load_hint(&best_id()[c]) == e.id;
    }
    /* Calls f(edge, component) for both ends of the thread's edges that are left. */
    template <class F> __device__ __forceinline__ void each_end(const F &f) const
    {
        for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
            const bi_msf_edge<K> e = list[i];
            if (e.u == e.v) continue;
            f(e, e.u);
            f(e, e.v);
        }
    }
};

/* The root of v, whose path becomes shorter. */
static __device__ __forceinline__ uint32_t joint_root(uint32_t *parent, uint32_t v)
{
    uint32_t at = bi_load_relaxed(&parent[v]), above;
    while ((above = bi_load_relaxed(&parent[at])) != at) {
        bi_store_relaxed(&parent[v], above);
        v = at;
        at = above;
    }
    return at;
}

static __device__ __forceinline__ void joint_store(uint32_t *p, uint32_t x) { bi_store_relaxed(p, x); }
static __device__ __forceinline__ void joint_store(uint64_t *p, uint64_t x) { bi_store_relaxed(p, x); }
static __device__ __forceinline__ uint32_t joint_load(const uint32_t *p) { return bi_load_relaxed(p); }
static __device__ __forceinline__ uint64_t joint_load(const uint64_t *p)
{
    return bi_load_relaxed(reinterpret_cast<const unsigned long long *>(p));
}

/* All blocks meet, and know the sum of what their threads give. What they wrote before, all see after it. */
template <class K> static __device__ __forceinline__ unsigned long long meet(joint_block<K> &b, uint32_t own)
{
    joint_shared &sh = b.sh;
    const uint32_t warp = bi_warp_sum(own);
    if (threadIdx.x % 32 == 0 && warp) atomicAdd(&sh.counted, warp);
    __syncthreads();
    if (threadIdx.x == 0) {
        sh.sum = bi_grid_barrier_sum(&b.sum, sh.counted, true);
        sh.counted = 0;
    }
    __syncthreads();
    return sh.sum;
}

#endif
