/* Shared by the kernels that find a forest in one launch: reading edges, listing ids, publishing the sums to the host.
 */
#ifndef BI_FOREST_CUDA_MSF_ONE_LAUNCH_CUH
#define BI_FOREST_CUDA_MSF_ONE_LAUNCH_CUH

#include "forest/cuda/msf.cuh"

/* The row of an arc, known to be in rows `low` to `high`. */
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

/* Appends the edges of the flagged lanes to a list: calls write(position) on each. The whole warp calls it. */
template <class F> static __device__ __forceinline__ void bi_msf_append(uint32_t *listed, bool flag, const F &write)
{
    const unsigned votes = __ballot_sync(~0u, flag);
    uint32_t at = 0;
    if (!votes) return;
    if (threadIdx.x % 32 == 0) at = atomicAdd(listed, (unsigned)__popc(votes));
    at = __shfl_sync(~0u, at, 0) + (uint32_t)__popc(votes & bi_lanes_below());
    if (flag) write(at);
}

/* A block reads entries `from` to `to`, LOADS of a thread at a time, and calls list(counts, u, v, id, rank) with all
 * lanes of a warp. Returns true if one of the thread's entries is not an edge. */
template <class K, uint32_t THREADS, uint32_t LOADS, class F>
static __device__ __forceinline__ bool bi_msf_read_entries(const struct bi_msf_entries &entries, uint32_t n,
                                                           uint32_t from, uint32_t to, const F &list)
{
    const struct bi_graph_entries &e = entries.list;
    bool bad = false;
    for (uint32_t first = from + threadIdx.x; first - threadIdx.x < to; first += THREADS * LOADS) {
        uint64_t u[LOADS], v[LOADS], key[LOADS];
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++) { /* unconditional loads overlap; indices past the end are clamped */
            const uint32_t i = min(first + k * THREADS, to - 1);
            u[k] = bi_word(e.u, e.u_is_64bit, i);
            v[k] = bi_word(e.v, e.v_is_64bit, i);
            key[k] = bi_graph_entry_weight(&e, i);
        }
#pragma unroll
        for (uint32_t k = 0; k < LOADS; k++) {
            const uint32_t i = min(first + k * THREADS, to - 1), one = (uint32_t)u[k], other = (uint32_t)v[k];
            const bool wrong = u[k] >= n || v[k] >= n || (entries.refuse_nan && bi_graph_is_nan_key(e.dtype, key[k]));
            bad = bad || wrong;
            const bool counts =
                first + k * THREADS < to && !wrong && bi_msf_entry_is_edge(&entries, i, key[k], one, other);
            list(counts, one, other, i, (K)bi_msf_rank(&entries.order, key[k]));
        }
    }
    return bad;
}

/* Lists the ids of a word of marks from position `at`, and their keys, which load(pointer) reads. */
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

/* Adds the sums of a block's threads in its shared memory. All threads call it; it ends with a barrier. */
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

/* The three words published to the host: (1) flags, rounds and edges, written last; or the flag of a bad entry; (2),
 * (3) sums of the low and high halves of the ranks. */
enum { BI_MSF_ROUNDS_SHIFT = 32 }; /* of the rounds, in 8 bits; the edges are below */
static constexpr unsigned long long BI_MSF_PUBLISHED = 1ull << 63, BI_MSF_BAD_ENTRY = 1ull << 62;

__device__ __forceinline__ void bi_msf_publish_bad_entry(unsigned long long *report)
{
    bi_notify_host(report, BI_MSF_PUBLISHED | BI_MSF_BAD_ENTRY);
}

__device__ __forceinline__ void bi_msf_publish(unsigned long long *report, unsigned long long edges, uint32_t rounds,
                                               unsigned long long low, unsigned long long high)
{
    bi_notify_host(&report[1], low);
    bi_notify_host(&report[2], high);
    __threadfence_system(); /* the sums reach the host before the flag */
    bi_notify_host(&report[0], BI_MSF_PUBLISHED | edges | (unsigned long long)rounds << BI_MSF_ROUNDS_SHIFT);
}

/* Waits for the published words and unpacks them: BI_FOREST_FOUND or BI_FOREST_BAD_ENTRY. */
static inline bosc_status bi_msf_await_result(bosc_ctx *ctx, const unsigned long long *words,
                                              struct bi_msf_control *result, enum bi_forest_outcome *outcome)
{
    BI_TRY(bi_cuda_await(ctx, words, 1));
    *outcome = words[0] & BI_MSF_BAD_ENTRY ? BI_FOREST_BAD_ENTRY : BI_FOREST_FOUND;
    *result = {};
    result->edges = words[0] & UINT32_MAX;
    result->rounds[0] = (unsigned)(words[0] >> BI_MSF_ROUNDS_SHIFT & 0xff);
    result->low = words[1];
    result->high = words[2];
    return BOSC_OK;
}

#endif
