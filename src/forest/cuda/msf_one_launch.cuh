/* What the kernels have in common that find a forest in one launch: how they read edges, what they tell the host. */
#ifndef BI_FOREST_CUDA_MSF_ONE_LAUNCH_CUH
#define BI_FOREST_CUDA_MSF_ONE_LAUNCH_CUH

#include "forest/cuda/msf.cuh"

/* The row of an arc that is not before row `low` nor after `high`. */
__device__ __forceinline__ uint32_t bi_msf_row_of(const uint32_t *offsets, uint32_t low, uint32_t high, uint32_t arc)
{
    while (low < high) {
        const uint32_t mid = (low + high + 1) / 2;
        if (offsets[mid] <= arc)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* Appends the flagged lanes' edges to a list: calls put(place, lane's) for each. The whole warp calls it. */
template <class F> static __device__ __forceinline__ void bi_msf_append(uint32_t *listed, bool flag, const F &put)
{
    const unsigned votes = __ballot_sync(~0u, flag);
    uint32_t at = 0;
    if (!votes) return;
    if (threadIdx.x % 32 == 0) at = atomicAdd(listed, (unsigned)__popc(votes));
    at = __shfl_sync(~0u, at, 0) + (uint32_t)__popc(votes & bi_lanes_below());
    if (flag) put(at);
}

/* Reads entries `from` to `to` by a block, EACH of a thread at once, and calls list(whether it counts, u, v, id, rank)
 * for each lane of a warp together; whether one of the thread's is no edge. */
template <class K, uint32_t THREADS, uint32_t EACH, class F>
static __device__ __forceinline__ bool bi_msf_read_entries(const struct bi_msf_entries &entries, uint32_t n,
                                                           uint32_t from, uint32_t to, const F &list)
{
    const struct bi_graph_entries &e = entries.of;
    bool bad = false;
    for (uint32_t first = from + threadIdx.x; first - threadIdx.x < to; first += THREADS * EACH) {
        uint64_t u[EACH], v[EACH], key[EACH];
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++) { /* without conditions, so that all are read at once */
            const uint32_t i = min(first + k * THREADS, to - 1);
            u[k] = bi_word(e.u, e.wide_u, i);
            v[k] = bi_word(e.v, e.wide_v, i);
            key[k] = bi_graph_entry_weight(&e, i);
        }
#pragma unroll
        for (uint32_t k = 0; k < EACH; k++) {
            const uint32_t i = min(first + k * THREADS, to - 1), one = (uint32_t)u[k], other = (uint32_t)v[k];
            const bool wrong = u[k] >= n || v[k] >= n || (entries.refuse_nan && bi_graph_is_nan_key(e.dtype, key[k]));
            bad = bad || wrong;
            const bool counts =
                first + k * THREADS < to && !wrong && bi_msf_entry_there(&entries, i, key[k], one, other);
            list(counts, one, other, i, (K)bi_msf_rank(&entries.order, key[k]));
        }
    }
    return bad;
}

/* Lists the ids of a word of marks from place `at` on, and their keys, which load(pointer) reads. */
template <class A, class F>
static __device__ __forceinline__ void bi_msf_list_word(const A &a, uint32_t word, uint32_t bits, uint32_t at,
                                                        const F &load)
{
    for (; bits; bits &= bits - 1, at++) {
        const uint32_t id = word * 32 + (uint32_t)__ffs((int)bits) - 1;
        a.ids[at] = id;
        if (a.keys) a.keys[at] = load(&a.keys_by_id[id]);
    }
}

/* Adds what the threads of a block have taken in its shared memory. All threads call it; a barrier comes last. */
template <class B> static __device__ __forceinline__ void bi_msf_add_up(const B &b)
{
    const unsigned long long edges = bi_warp_sum((unsigned long long)b.edges), low = bi_warp_sum(b.low),
                             high = bi_warp_sum(b.high);
    if (threadIdx.x % 32 == 0 && edges) {
        atomicAdd(&b.sh.edges, edges);
        atomicAdd(&b.sh.low, low);
        atomicAdd(&b.sh.high, high);
    }
    __syncthreads();
}

/* The host is told three words: edges and rounds, once all else is there, or that entries are no edges; and the sums of
 * the ranks' halves. */
enum { BI_MSF_TOLD_ROUNDS = 32 };
static constexpr unsigned long long BI_MSF_TOLD = 1ull << 63, BI_MSF_BAD = 1ull << 62;

__device__ __forceinline__ void bi_msf_tell_bad(unsigned long long *told)
{
    bi_notify_host(told, BI_MSF_TOLD | BI_MSF_BAD);
}

__device__ __forceinline__ void bi_msf_tell(unsigned long long *told, unsigned long long edges, uint32_t rounds,
                                            unsigned long long low, unsigned long long high)
{
    bi_notify_host(&told[1], low);
    bi_notify_host(&told[2], high);
    __threadfence_system();
    bi_notify_host(&told[0], BI_MSF_TOLD | edges | (unsigned long long)rounds << BI_MSF_TOLD_ROUNDS);
}

/* Waits for it. */
static inline bosc_status bi_msf_hear(bosc_ctx *ctx, const unsigned long long *words, struct bi_msf_control *told,
                                      bool *done)
{
    BI_TRY(bi_cuda_await(ctx, words, 1));
    *done = !(words[0] & BI_MSF_BAD);
    *told = {};
    told->edges = words[0] & UINT32_MAX;
    told->rounds[0] = (unsigned)(words[0] >> BI_MSF_TOLD_ROUNDS & 0xff);
    told->low = words[1];
    told->high = words[2];
    return BOSC_OK;
}

#endif
