/* Fills small partitions of a fused build, whose hashes, payload and codes are all in shared memory at once. Each
 * key first claims a slot of its first bucket by a counter; only keys that find it full make proposals
 * (matching.cuh). Since the matching does not depend on the order of the proposals, the result is the same. */
#ifndef BI_HASH_CUDA_ASSIGN_SLOTS_CUH
#define BI_HASH_CUDA_ASSIGN_SLOTS_CUH

#include "hash/cuda/write_buckets.cuh"

/* State of the assignment of slots. */
struct slot_assignment {
    uint32_t *claimed; /* (buckets) number of keys that have claimed a slot of it as their first bucket */
    uint16_t *waiting; /* (keys) positions of keys whose first bucket was full */
    uint32_t *count;   /* number of waiting keys */
};

/* Clears the state for a seed. The caller adds a barrier. All threads call it. */
template <class M>
static __device__ void clear_slot_assignment(const M &partition, const slot_assignment &slots, uint32_t buckets,
                                             bi_hash_block_state<M::THREADS> &state)
{
    for (uint32_t b = threadIdx.x; b < buckets; b += M::THREADS) {
        *reinterpret_cast<uint4 *>(partition.codes_of(b)) = {0, 0, 0, 0};
        slots.claimed[b] = 0;
    }
    for (uint32_t w = threadIdx.x; w < (buckets + 31) / 32; w += M::THREADS)
        partition.spilled[w] = partition.ascending[w] = 0;
    if (threadIdx.x == 0) state.failed = *slots.count = 0;
}

/* Assigns a slot of its first bucket to the key at a position, or lists it as waiting; stores its buckets. */
template <class M>
static __device__ __forceinline__ void assign_slot(const M &partition, const slot_assignment &slots, uint32_t position,
                                                   typename M::key hash)
{
    uint32_t pair[2];
    partition.buckets_of(hash, pair);
    partition.picks[position] = pair[0] | pair[1] << 16;
    const uint32_t slot = atomicAdd(&slots.claimed[pair[0]], 1u);
    if (slot < BOSC_HASH_WIDTH)
        partition.codes_of(pair[0])[slot] = partition.first_code(position);
    else
        slots.waiting[atomicAdd(slots.count, 1u)] = (uint16_t)position;
}

/* Makes a proposal to a bucket; replaces code and bucket by the next proposal of the rejected key, code 0 if none
 * was rejected. */
template <class M>
static __device__ __forceinline__ void propose_and_advance(const M &partition, uint32_t &code, uint32_t &bucket)
{
    /* Replace the least code of the bucket if the new one is greater. */
    const uint4 c = partition.hint(bucket);
    const uint32_t least = min(min(c.x, c.y), min(c.z, c.w));
    if (least <= code) {
        const uint32_t slot = least == c.x ? 0 : least == c.y ? 1 : least == c.z ? 2 : 3;
        const uint32_t previous = atomicMax(&partition.codes_of(bucket)[slot], code);
        code = min(code, previous);
        if (previous != least || !code) return; /* another thread changed the slot: propose again */
    }
    /* The rejected key proposes to its other bucket, or to its first one with the next priority. */
    const uint32_t both = partition.picks[partition.position(code)], first = both & 0xffff, other = both >> 16;
    const bool second = !(code & 1) && first != other;
    code += second ? 1 : partition.STEP - (code & 1);
    bucket = second ? other : first;
}

/* Matches the waiting keys. On failure sets state.failed, as bi_hash_match. All threads call it, after a barrier. */
template <class M>
static __device__ void match_waiting_keys(const M &partition, const slot_assignment &slots,
                                          bi_hash_block_state<M::THREADS> &state)
{
    constexpr uint32_t WARPS = M::THREADS / 32;
    const uint32_t count = *slots.count;
    for (uint32_t i = threadIdx.x / 32 + threadIdx.x % 32 * WARPS; __any_sync(~0u, i < count); i += M::THREADS) {
        bi_hash_proposal proposal = {0, 0};
        if (i < count) proposal = {partition.first_code(slots.waiting[i]), partition.picks[slots.waiting[i]] & 0xffff};
        while (__any_sync(~0u, proposal.code != 0)) {
            if (proposal.code) propose_and_advance(partition, proposal.code, proposal.bucket);
            /* Rarely a priority is so high that the partition may fail. */
            const bool unusual = __any_sync(~0u, proposal.code >> BI_HASH_POSITION_BITS >= BI_HASH_UNUSUAL_PRIORITY);
            if (unusual && __any_sync(~0u, bi_hash_proposal_fails(partition, proposal, state))) return;
        }
    }
}

/* Assigns slots and matches, with further seeds if one fails; returns false if the partition must stay unfinished.
 * pairs(f) calls f(position, hash) for each pair; so does first_time(f), which may read them from elsewhere. All
 * threads call it, after clear_slot_assignment and a barrier. */
template <class M, class G, class F>
static __device__ bool assign_and_match(M &partition, const slot_assignment &slots,
                                        bi_hash_block_state<M::THREADS> &state, const G &first_time, const F &pairs)
{
    const auto assign = [&](uint32_t position, typename M::key hash) { assign_slot(partition, slots, position, hash); };
    first_time(assign);
    for (;;) {
        __syncthreads(); /* all keys have claimed a slot or are listed */
        match_waiting_keys(partition, slots, state);
        __syncthreads(); /* the matching is complete, or state.failed is set */
        if (!state.failed) return true;
        if (state.repeats || partition.seed + 1 == BOSC_HASH_LINEAR) break;
        partition.seed++;
        __syncthreads(); /* all threads have read the state */
        clear_slot_assignment(partition, slots, partition.buckets, state);
        __syncthreads(); /* codes and counters are zero */
        pairs(assign);
    }
    __syncthreads();                         /* all threads have read state.repeats */
    if (threadIdx.x == 0) state.repeats = 1; /* or all seeds failed; the driver then groups the keys */
    __syncthreads();
    return false;
}

/* Writes the buckets of a scanned partition. */
template <class M, class A> static __device__ void write_small_partition(const M &partition, const A &a)
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
