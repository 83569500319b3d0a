/* Fills small partitions of a fused build, whose parts are all in memory of their own. Each key first takes a slot of
 * its first bucket in the order in which they come by; only those that find it full propose (fill.cuh). Since the
 * matching does not depend on the order of the proposals, the result is the same. */
#ifndef BI_HASH_CUDA_PLACE_CUH
#define BI_HASH_CUDA_PLACE_CUH

#include "hash/cuda/write.cuh"

/* Where keys that wait for the matching are listed. */
struct bi_hash_places {
    uint32_t *taken;   /* (buckets) how many keys came to each first */
    uint16_t *waiting; /* (keys) positions of those that found their bucket full */
    uint32_t *count;   /* of them */
};

/* Begins, or begins again with another seed. A barrier follows. All threads call it. */
template <class M>
static __device__ void bi_hash_clear_places(const M &partition, const bi_hash_places &places, uint32_t buckets,
                                            bi_hash_block_state<M::THREADS> &state)
{
    for (uint32_t b = threadIdx.x; b < buckets; b += M::THREADS) {
        *reinterpret_cast<uint4 *>(partition.codes_of(b)) = {0, 0, 0, 0};
        places.taken[b] = 0;
    }
    for (uint32_t w = threadIdx.x; w < (buckets + 31) / 32; w += M::THREADS)
        partition.spilled[w] = partition.ascending[w] = 0;
    if (threadIdx.x == 0) state.failed = *places.count = 0;
}

/* Places the key at a position. */
template <class M>
static __device__ __forceinline__ void bi_hash_place(const M &partition, const bi_hash_places &places,
                                                     uint32_t position, typename M::key hash)
{
    uint32_t pair[2];
    partition.buckets_of(hash, pair);
    partition.picks[position] = pair[0] | pair[1] << 16;
    const uint32_t slot = atomicAdd(&places.taken[pair[0]], 1u);
    if (slot < BOSC_HASH_WIDTH)
        partition.codes_of(pair[0])[slot] = partition.first_code(position);
    else
        places.waiting[atomicAdd(places.count, 1u)] = (uint16_t)position;
}

/* Makes a proposal to a bucket and, where a key is rejected, that key's next one: code 0 when none is left. */
template <class M>
static __device__ __forceinline__ void bi_hash_propose_placed(const M &partition, uint32_t &code, uint32_t &bucket)
{
    const uint4 c = partition.hint(bucket);
    const uint32_t least = min(min(c.x, c.y), min(c.z, c.w));
    if (least <= code) {
        const uint32_t slot = least == c.x ? 0 : least == c.y ? 1 : least == c.z ? 2 : 3;
        const uint32_t there = atomicMax(&partition.codes_of(bucket)[slot], code);
        code = min(code, there);
        if (there != least || !code) return; /* others came first: once more */
    }
    const uint32_t both = partition.picks[partition.position(code)], first = both & 0xffff, other = both >> 16;
    const bool second = !(code & 1) && first != other;
    code += second ? 1 : partition.STEP - (code & 1);
    bucket = second ? other : first;
}

/* Matches the keys that wait. On failure sets state.failed, as bi_hash_match. All threads call it, after a barrier. */
template <class M>
static __device__ void bi_hash_match_waiting(const M &partition, const bi_hash_places &places,
                                             bi_hash_block_state<M::THREADS> &state)
{
    constexpr uint32_t WARPS = M::THREADS / 32;
    const uint32_t count = *places.count;
    for (uint32_t i = threadIdx.x / 32 + threadIdx.x % 32 * WARPS; __any_sync(~0u, i < count); i += M::THREADS) {
        bi_hash_proposal o = {0, 0};
        if (i < count) o = {partition.first_code(places.waiting[i]), partition.picks[places.waiting[i]] & 0xffff};
        while (__any_sync(~0u, o.code != 0)) {
            if (o.code) bi_hash_propose_placed(partition, o.code, o.bucket);
            const bool unusual = __any_sync(~0u, o.code >> BI_HASH_POSITION_BITS >= BI_HASH_UNUSUAL_PRIORITY);
            if (unusual && __any_sync(~0u, bi_hash_proposal_fails(partition, o, state))) return;
        }
    }
}

/* Places keys and matches them, with other seeds if need be; false if the partition must stay unfinished. pairs(f)
 * calls f(position, hash) for each pair; first_time(f) too, and may read them from elsewhere. All threads call it,
 * after bi_hash_clear_places and a barrier. */
template <class M, class G, class F>
static __device__ bool bi_hash_match_placed(M &partition, const bi_hash_places &places,
                                            bi_hash_block_state<M::THREADS> &state, const G &first_time, const F &pairs)
{
    const auto place = [&](uint32_t position, typename M::key hash) {
        bi_hash_place(partition, places, position, hash);
    };
    first_time(place);
    for (;;) {
        __syncthreads();
        bi_hash_match_waiting(partition, places, state);
        __syncthreads();
        if (!state.failed) return true;
        if (state.repeats || partition.seed + 1 == BOSC_HASH_LINEAR) break;
        partition.seed++;
        __syncthreads();
        bi_hash_clear_places(partition, places, partition.buckets, state);
        __syncthreads();
        pairs(place);
    }
    __syncthreads();
    if (threadIdx.x == 0) state.repeats = 1; /* or all seeds failed, which others look into */
    __syncthreads();
    return false;
}

/* Writes the buckets of a partition that was scanned. */
template <class M, class A> static __device__ void bi_hash_write_placed(const M &partition, const A &a)
{
#pragma unroll 1
    for (uint32_t b = threadIdx.x; b < partition.buckets; b += M::THREADS) {
        if (a.values)
            bi_hash_write_bucket(partition, a, b);
        else
            bi_hash_write_slots(partition, a, b, bi_hash_bucket_order(partition, b));
    }
}

#endif
