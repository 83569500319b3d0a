/* The fused build on CUDA, for tables of up to some millions of pairs, in two launches: order_tiles.cu orders tiles of
 * pairs by partition; then each block gathers a partition, fills it and writes it. In small partitions each key first
 * claims a slot of its first bucket by a counter; only keys that find it full make proposals (matching.cuh), which does
 * not change the result. The blocks publish the result to the host themselves. If they cannot fill a partition (keys
 * repeat, too many keys), the driver builds the table in another way. */
#ifndef BI_HASH_CUDA_BUILD_KERNELS_CUH
#define BI_HASH_CUDA_BUILD_KERNELS_CUH

#include <math.h>
#include <string.h>

#include "hash/cuda/write_buckets.cuh"
#include "core/cuda/dependent.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/fill_linked_codes.cuh"

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

enum {
    /* Mean keys of a partition above which blocks have more threads. Measured: 384 are faster with 5,000, 512 with
     * 8,192. */
    LARGE_PARTITION_KEYS = 6144,
    /* Up to this many blocks have more threads each. Measured at 0.95: 2^20 pairs in 256 blocks take 102.8 us by 512
     * threads, 107.7 by fewer. */
    MIN_BUSY_BLOCKS = 256,
    /* With more pairs, early blocks that wait for tiles would delay the ordering: measured, 3 to 5 us at 2^19. */
    MAX_OVERLAPPED_PAIRS = 1 << 18,
    SMALL_PARTITION_KEYS = 1024, /* mean keys of a partition up to which it counts as small; not measured */
    /* Of blocks that assign slots, for small partitions and others. Measured, 2^18 pairs: 384 threads 34.1 us, 512
     * 36.3. */
    SMALL_THREADS = 384,
    LARGE_THREADS = 512,    /* measured, 8,192 keys a partition, 2^22 pairs: 171 us, 384 threads 178 */
    LINKED_THREADS = 1536,  /* of a multiprocessor, whose registers suffice for them */
    RESIDENT_THREADS = 2048 /* limit of the threads of a multiprocessor */
};
/* Load factor up to which keys hardly ever have more than three priorities; above it linked codes run out of them. */
static constexpr double LINKED_LOAD = 0.96;
/* Load factor above which the last keys take long walks, as few slots are empty. Measured, see choose_variant. */
static constexpr double LONG_WALKS_LOAD = 0.87;
/* Load factor up to which partitions of 1,024 keys and more hardly ever run out of priorities: none of 32,768 simulated
 * ones did; at 0.96 24 did, and at 0.95 4 of 4,096 of 512 keys. */
static constexpr double SURELY_LINKED_LOAD = 0.95;

/* PICKS: the two buckets of each key ("picks") are computed once and stored, see matching.cuh. */
template <class K, class P, int THREADS, bool PICKS>
using partition_of = bi_hash_matching<K, P, gathered<K, THREADS>, true, THREADS, PICKS>;

/* Returns the block's partition without its pairs: addresses of its parts in shared memory. */
template <class M, class A> static __device__ M locate_partition(const A &a, unsigned char *memory)
{
    typedef typename M::key K;
    M partition;
    K *hashes = reinterpret_cast<K *>(memory);
    const auto words = [&](uint32_t at) { return reinterpret_cast<uint32_t *>(memory + at); };
    const segment_list segments = {words(a.at.segments), a.tiles.count, a.tiles.pairs, a.lanes};
    partition.number = blockIdx.x;
    partition.source = {a.at.separate ? hashes : nullptr, a.hashes, segments};
    /* Without separate parts, picks are in the memory of the hashes (offset 0) until all keys are matched. */
    partition.hashes = a.at.separate || !M::PICKS ? hashes : nullptr;
    partition.payload = reinterpret_cast<typename M::value *>(memory + a.at.payload);
    partition.picks = words(a.at.picks);
    partition.codes = words(a.at.codes);
    partition.spilled = words(a.at.spilled);
    partition.ascending = words(a.at.ascending);
    partition.seed = 0;
    return partition;
}

/* Sets the number of keys and buckets. Returns false if they exceed the block's limits. */
template <class M, class A> static __device__ bool set_key_count(M &partition, const A &a, uint32_t keys)
{
    partition.keys = keys;
    partition.buckets = bi_hash_partition_buckets(a.load_factor, keys);
    return keys <= a.block_keys && partition.buckets <= a.block_buckets;
}

/* Writes the descriptor and, by write(), the buckets of a filled partition, then publishes the result. All threads
 * call it, after a barrier. */
template <class M, class A, class F>
static __device__ void write_and_notify(const M &partition, const A &a, const bi_hash_block_words<M::THREADS> &state,
                                        bool fits, bool filled, const F &write)
{
    const unsigned long long reseeded = filled && partition.seed > 0, failed = !filled;
    if (filled && threadIdx.x == 0)
        a.partitions[blockIdx.x] = {partition.first, partition.buckets << BOSC_HASH_SEED_BITS | partition.seed};
    if (filled) write();
    __syncthreads();      /* all threads have written, before thread 0 publishes */
    if (threadIdx.x == 0) /* each key in its second bucket costs an extra probe */
        notify_host<true>(a, (filled ? state.second : 0) + (reseeded << RESEEDED_SHIFT) + (failed << FAILED_SHIFT),
                          !filled && fits && state.repeats, partition.first + partition.buckets);
}

/* Assigns slots to keys in the memory of a block. */
template <class K, class P, int THREADS> struct slot_assigner {
    slot_assignment slots;
    K *hashes;
    P *payload;

    template <class A>
    __device__ __forceinline__ slot_assigner(const A &a, unsigned char *memory, uint32_t *waiting)
        : slots{reinterpret_cast<uint32_t *>(memory + a.at.claimed),
                reinterpret_cast<uint16_t *>(memory + a.at.waiting), waiting},
          hashes(reinterpret_cast<K *>(memory)), payload(reinterpret_cast<P *>(memory + a.at.payload))
    {
    }

    /* Matches and scans a partition; each_pair(f) calls f(position, hash, payload) for each pair, once; between()
     * runs between the two. Returns false if it could not be matched. All threads call it; a barrier comes last. */
    template <class M, class F, class G>
    __device__ __forceinline__ bool fill(M &partition, bi_hash_block_state<THREADS> &state, const F &each_pair,
                                         const G &between) const
    {
        const auto first_time = [&](const auto &assign) {
            each_pair([&](uint32_t i, K hash, P value) {
                hashes[i] = hash;
                if constexpr (bi_hash_has_value<P>) payload[i] = value;
                assign(i, hash);
            });
        };
        const auto again = [&](const auto &assign) {
            for (uint32_t i = threadIdx.x; i < partition.keys; i += THREADS) assign(i, hashes[i]);
        };
        const bool matched = assign_and_match(partition, slots, state, first_time, again);
        between();
        if (matched) bi_hash_scan_partition(partition, state, state.second_positions[threadIdx.x / 32]);
        __syncthreads(); /* marks and state are complete */
        return matched && !state.repeats;
    }
};

/* Builds small partitions from tiles, a block each. A partition that exceeds the block's limits, or cannot be matched,
 * is not written, which the block publishes. No block waits for another: find_first_bucket counts the keys of
 * partitions that have not published their buckets. The kernel may start before the one that orders the tiles ends. */
template <class K, class P, int THREADS>
static __global__ void __launch_bounds__(THREADS) bi_hash_build_small_partitions(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<THREADS>, state);
    BI_SHARED(uint32_t, waiting);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    auto partition = locate_partition<partition_of<K, P, THREADS, true>>(a, memory);
    const slot_assigner<K, P, THREADS> keys(a, memory, &waiting);
    /* 1. Clear the state while the tiles are still being ordered; then find the segments. */
    if (threadIdx.x == 0) state.repeats = state.second = 0;
    clear_slot_assignment(partition, keys.slots, a.block_buckets, state); /* a barrier follows below */
    bi_wait_for_previous_kernel();
    const bool fits =
        set_key_count(partition, a, find_segments(a, reinterpret_cast<uint32_t *>(memory + a.at.segments), state));
    /* 2. Publish the number of buckets, for later partitions; gather the pairs, assign slots and match. */
    if (threadIdx.x == 0) bi_store_relaxed(&a.bucket_counts[blockIdx.x], partition.buckets);
    const auto read = [&](uint32_t tile, uint32_t i, K &hash, P &value) {
        hash = a.hashes[(size_t)tile * a.tiles.pairs + i];
        if constexpr (bi_hash_has_value<P>) value = a.payload[(size_t)tile * a.tiles.pairs + i];
    };
    const auto each_pair = [&](const auto &visit) {
        partition.source.segments.template each_pair<THREADS, K, P>(partition.keys, read, visit);
    };
    uint32_t own_word = 0; /* buckets of partition threadIdx.x; loaded early to hide the latency */
    const auto read_own_word = [&] {
        own_word = threadIdx.x < blockIdx.x ? bi_load_relaxed(&a.bucket_counts[threadIdx.x]) : 0;
    };
    const bool filled = fits && keys.fill(partition, state, each_pair, read_own_word);
    /* 3. Find the first bucket, write, and publish the result. */
    partition.first = find_first_bucket(a, state, own_word);
    write_and_notify(partition, a, state, fits, filled, [&] { write_small_partition(partition, a); });
}

/* Builds larger partitions from tiles, a block each; failures as above. a.at.separate: hashes, payload and picks have
 * memory of their own; else they share one part in turn. With a.values the payload is row numbers, gathered as values
 * are, and a.at.separate is set. Starts after the kernel that orders the tiles has ended. */
template <class K, class P, int THREADS, bool PICKS>
static __global__ void __launch_bounds__(THREADS) bi_hash_build_partitions(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<THREADS>, state);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    auto partition = locate_partition<partition_of<K, P, THREADS, PICKS>>(a, memory);
    K *hashes = reinterpret_cast<K *>(memory);
    P *payload = const_cast<P *>(partition.payload);
    /* 1. Find the segments; publish the number of buckets, for later partitions; gather the pairs. */
    const bool fits =
        set_key_count(partition, a, find_segments(a, reinterpret_cast<uint32_t *>(memory + a.at.segments), state));
    const segment_list &segments = partition.source.segments;
    const auto gather_payload = [&] { segments.each<THREADS>(a.payload, [&](uint32_t i, P x) { payload[i] = x; }); };
    if (threadIdx.x == 0) {
        bi_store_relaxed(&a.bucket_counts[blockIdx.x], partition.buckets);
        state.repeats = state.second = 0;
    }
    if (fits && partition.hashes) segments.each<THREADS>(a.hashes, [&](uint32_t i, K x) { hashes[i] = x; });
    if constexpr (bi_hash_has_value<P>)
        if (fits && a.at.separate) gather_payload();
    /* 2. Match. */
    bool filled = false;
    if (fits) {
        if (PICKS && a.at.separate) __syncthreads(); /* the hashes are there, from which picks are computed */
        bi_hash_clear_matching(partition, state, 0);
        __syncthreads(); /* hashes, picks and the cleared state are there */
        filled = bi_hash_match_partition(partition, state, false, nullptr);
    }
    /* 3. Find the first bucket, write, and publish the result. */
    partition.first = find_first_bucket(a, state, 0);
    write_and_notify(partition, a, state, fits, filled, [&] {
        if (a.values) { /* the payload has the row of each value */
            for (uint32_t b = threadIdx.x; b < partition.buckets; b += THREADS) bi_hash_write_bucket(partition, a, b);
            return;
        }
        write_partition(partition, a, [&] {
            if (!a.at.separate) {
                gather_payload();
                __syncthreads(); /* the payload is there, in place of the hashes */
            }
            return payload;
        });
    });
}

/* Builds larger partitions from tiles, a block each, in little shared memory: it holds either hashes or payload.
 * Failures as above; it tries no further seed. The kernel may start before the one that orders the tiles ends. The code
 * of a key links to its other bucket (fill_linked_codes.cuh), so no picks are stored. For keys of up to 64 bits, whose
 * values, if any, are the payload, and up to LINKED_BUCKETS buckets. A partition fails if keys repeat, too many
 * share a first bucket or wait, or priorities run out. */
template <class K, class P, int THREADS>
static __global__ void __launch_bounds__(THREADS, LINKED_THREADS / THREADS)
    bi_hash_build_linked(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_words<THREADS>, state);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    const auto words = [&](uint32_t at) { return reinterpret_cast<uint32_t *>(memory + at); };
    const segment_list segments = {words(a.at.segments), a.tiles.count, a.tiles.pairs, a.lanes};
    linked_partition<K, P, THREADS> partition;
    partition.number = blockIdx.x;
    partition.hashes = reinterpret_cast<K *>(memory);
    partition.codes = words(a.at.codes);
    partition.spilled = words(a.at.spilled);
    partition.ascending = words(a.at.ascending);
    partition.counts = words(a.at.claimed);
    partition.waiting = reinterpret_cast<uint16_t *>(memory + a.at.waiting);
    partition.walkers = reinterpret_cast<uint2 *>(partition.counts);
    partition.max_waiting = max_waiting_keys(a.block_keys, THREADS);
    partition.seed = 0;
    /* 1. Clear the state while the tiles are still being ordered; then find the segments. */
    clear_linked(partition, a.block_buckets, state); /* all of `state`; a barrier follows below */
    bi_wait_for_previous_kernel();
    const bool fits = set_key_count(partition, a, find_segments(a, words(a.at.segments), state));
    /* 2. Publish the number of buckets, for later partitions; gather the hashes and match. */
    if (threadIdx.x == 0) bi_store_relaxed(&a.bucket_counts[blockIdx.x], partition.buckets);
    bool filled = false;
    if (fits) {
        copy_segments_to_shared<THREADS>(segments, a.hashes, partition.hashes);
        __syncthreads(); /* the hashes are there */
        filled = fill_linked_partition(partition, state);
    }
    /* 3. Find the first bucket, write hashes, then gather and write the payload, and publish the result. */
    partition.first = find_first_bucket(a, state, 0);
    write_and_notify(partition, a, state, fits, filled, [&] {
        write_partition(partition, a, [&] {
            P *payload = reinterpret_cast<P *>(memory);
            copy_segments_to_shared<THREADS>(segments, a.payload, payload);
            __syncthreads(); /* the payload is there, in place of the hashes */
            return payload;
        });
    });
}

/* A kernel that fills partitions, with the parameters of its shared memory. state_bytes: its static part; with slots
 * assigned it has 16 bytes more, for the counter of waiting keys. */
template <class K, class P> struct build_variant {
    void (*kernel)(build_args<K, P>);
    uint32_t threads;
    size_t state_bytes;
    bool picks, assigns_slots; /* picks are stored; keys claim slots by counters first */
    bool linked;               /* by fill_linked_codes.cuh */
};

enum { STATE_UNIT = 1024 }; /* more than the alignment of static memory may add */

template <class K, class P, int THREADS, bool PICKS> static build_variant<K, P> variant_of()
{
    const size_t state = bi_round_up(sizeof(bi_hash_block_state<THREADS>), STATE_UNIT);
    return {bi_hash_build_partitions<K, P, THREADS, PICKS>, THREADS, state, PICKS, false, false};
}

template <class K, class P, int THREADS> static build_variant<K, P> small_variant_of()
{
    const size_t state = bi_round_up(sizeof(bi_hash_block_state<THREADS>) + 16, STATE_UNIT);
    return {bi_hash_build_small_partitions<K, P, THREADS>, THREADS, state, true, true, false};
}

template <class K, class P, int THREADS> static build_variant<K, P> linked_variant_of()
{
    enum { UNIT = 128 }; /* less than STATE_UNIT, so that one more block may run */
    const size_t state = bi_round_up(sizeof(bi_hash_block_words<THREADS>), UNIT);
    return {bi_hash_build_linked<K, P, THREADS>, THREADS, state, false, false, true};
}

/* As choose_variant of fill.cu, with more threads where partitions are large or blocks are few. */
template <class K, class P>
static build_variant<K, P> choose_variant(const build_args<K, P> &a, int64_t mean, uint32_t partitions)
{
    constexpr bool PICKS = bi_hash_key_bits<K> <= 64;
    const bool long_walks = a.load_factor > LONG_WALKS_LOAD, large = mean > LARGE_PARTITION_KEYS,
               few = partitions <= MIN_BUSY_BLOCKS;
    if (long_walks) return large || few ? variant_of<K, P, 512, PICKS>() : variant_of<K, P, 256, PICKS>();
    return large ? variant_of<K, P, 512, false>() : variant_of<K, P, 384, false>();
}

/* Lays out a block's shared memory. */
template <class K, class P>
static build_layout layout_of(const build_variant<K, P> &variant, uint32_t keys, uint32_t buckets, uint32_t tiles,
                              bool separate)
{
    build_layout at = {};
    const auto reserve = [&](size_t bytes) {
        const uint32_t begin = at.bytes;
        at.bytes += (uint32_t)bi_round_up(bytes, 16);
        return begin;
    };
    const size_t payload = (size_t)bi_hash_payload_bytes<P> * keys, hashes = sizeof(K) * keys;
    at.separate = separate;
    reserve(separate ? hashes : hashes > payload ? hashes : payload); /* the hashes, at 0 */
    if (separate) {
        at.payload = reserve(payload);
        at.picks = reserve(variant.picks ? (size_t)keys * 4 : 0);
    }
    at.codes = reserve(buckets * sizeof(uint4));
    at.spilled = reserve(((size_t)buckets + 31) / 32 * 4);
    at.ascending = reserve(((size_t)buckets + 31) / 32 * 4);
    at.segments = reserve(((size_t)tiles + 1) * 4);
    const size_t waiting = variant.linked ? max_waiting_keys(keys, variant.threads) : variant.assigns_slots ? keys : 0;
    /* Linked: the counters, a byte each, and later the walkers share memory. */
    const size_t counts = bi_round_up(buckets, 4), walkers = LINKED_WALKERS * sizeof(uint2);
    at.claimed = reserve(variant.assigns_slots ? (size_t)buckets * 4 : variant.linked ? max(counts, walkers) : 0);
    at.waiting = reserve(waiting * 2);
    return at;
}

/* Chooses the limits of keys and buckets of a block, and its shared memory. First choice: the mean and eight standard
 * deviations, each part in memory of its own, if all blocks run at once then. Else parts take turns, with eight down to
 * five deviations, whichever lets more blocks run at once. Returns false, with *a unchanged, if there is too little
 * memory, or another kernel may let more blocks run at once. */
template <class K, class P>
static bool choose_limits(const bosc_ctx *ctx, const build_variant<K, P> &variant, uint32_t partitions,
                          build_args<K, P> *a)
{
    enum { FEWEST = 5, MOST = 8, RESERVED = 1024 /* bytes that CUDA reserves for each block */ };
    const double mean = (double)a->n / partitions;
    const size_t block_bytes = bi_shared_bytes(ctx);
    const size_t multiprocessor_bytes = bi_hash_multiprocessor_shared_bytes(ctx);
    size_t max_at_once = 0;
    bool found = false;
    for (int choice = MOST - FEWEST + 1; choice >= 0; choice--) { /* the first one is with separate parts */
        /* 1. Compute limits and memory of this choice. */
        const bool separate = choice > MOST - FEWEST;
        if (separate && variant.linked) continue;
        if (!separate && (variant.assigns_slots || a->values)) break;
        const double most = mean + (separate ? MOST : FEWEST + choice) * sqrt(mean) + 8;
        const uint32_t limit = a->n < a->max_keys ? a->n : a->max_keys, keys = most < limit ? (uint32_t)most : limit;
        const uint32_t buckets = bi_hash_partition_buckets(a->load_factor, keys);
        if (variant.linked && buckets > LINKED_BUCKETS) continue;
        const build_layout at = layout_of(variant, keys, buckets, a->tiles.count, separate);
        const size_t bytes = at.bytes + variant.state_bytes;
        /* 2. Keep it if it fits and lets more blocks run at once. */
        const size_t at_once =
            min(multiprocessor_bytes / (bytes + RESERVED), (size_t)RESIDENT_THREADS / variant.threads);
        if (bytes > block_bytes || (found && at_once <= max_at_once)) continue;
        const bool all_at_once = at_once * (size_t)ctx->multiprocessors >= partitions;
        if (separate && !all_at_once && (variant.assigns_slots ? mean > SMALL_PARTITION_KEYS : !a->values))
            continue; /* with parts that take turns, by this kernel or another, more blocks may run at once */
        found = true;
        max_at_once = at_once;
        a->at = at;
        a->block_keys = keys;
        a->block_buckets = buckets;
        if (separate) break;
    }
    return found;
}

/* Orders the tiles. Their kernel also zeroes words of the next one: `done`, of two words, and `bucket_counts`. */
template <class K, class P>
static bosc_status order_tiles(bosc_ctx *ctx, const struct bi_hash_shape *s, build_args<K, P> *a)
{
    const uint32_t partitions = 1u << s->partition_bits;
    void *words;
    a->tiles.zeros = partitions + 2;
    BI_TRY(bi_scratch(ctx, a->tiles.zeros * 4, &words));
    a->tiles.zeroed = (uint32_t *)words;
    a->done = (unsigned long long *)words;
    a->bucket_counts = a->tiles.zeroed + 2;
    BI_TRY(bi_hash_order_tiles_cuda(ctx, s, a->keys, a->payload, a->n, bi_hash_payload_bytes<P>, &a->tiles));
    const uint32_t mean = a->tiles.pairs >> s->partition_bits; /* pairs of a segment. Lanes: 1.25 rounds or less */
    a->hashes = (const K *)a->tiles.hashes;
    a->payload = (const P *)a->tiles.payload;
    a->lanes = mean <= 10 ? 8 : mean <= 20 ? 16 : 32;
    return BOSC_OK;
}

/* Allows the kernel the shared memory that it is launched with. All contexts set the same limit. */
template <class K, class P>
static bosc_status allow_shared(bosc_ctx *ctx, const build_variant<K, P> &variant, const build_args<K, P> &a)
{
    if (a.at.bytes + variant.state_bytes <= BI_SHARED_PLAIN) return BOSC_OK;
    const int limit = (int)(bi_shared_bytes(ctx) - variant.state_bytes);
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(variant.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
    return BOSC_OK;
}

/* Chooses the kernel that assigns slots, and its limits. Returns false as choose_limits. */
template <class K, class P>
static bool choose_small(const bosc_ctx *ctx, int64_t mean, uint32_t partitions, build_args<K, P> *a,
                         build_variant<K, P> *variant)
{
    *variant = mean <= SMALL_PARTITION_KEYS ? small_variant_of<K, P, SMALL_THREADS>()
                                            : small_variant_of<K, P, LARGE_THREADS>();
    return choose_limits(ctx, *variant, partitions, a);
}

/* Launches the build in two kernels: the tiles, then the partitions. completion gets the stream and the number of words
 * that the blocks will publish. *outcome becomes BI_HASH_PENDING; if shared memory is too small, it stays and the table
 * is not written. */
template <class K, class P>
static bosc_status launch_tiled(bosc_ctx *ctx, const struct bi_hash_shape *s, build_args<K, P> a,
                                struct bi_hash_completion *completion, enum bi_hash_outcome *outcome)
{
    const uint32_t partitions = 1u << s->partition_bits;
    const int64_t mean = a.n / partitions;
    /* 1. Order the tiles. */
    BI_TRY(order_tiles(ctx, s, &a));
    if (a.tiles.count == 0) return BOSC_OK; /* the device has too little shared memory */
    /* 2. Choose a kernel: assigning slots if all blocks run at once, else linked codes, else the general one. Linked
     * codes come first where walks are long. Measured, builds that wait, H200, 2^19 pairs of 32 bits, us by linked
     * codes and by assigning slots: load factor 0.95 53, 72; 0.90 39, 45; 0.70 34, 35, but 2^20 pairs 55, 45. */
    const bool may_link = bi_hash_key_bits<K> <= 64 && a.load_factor <= LINKED_LOAD && !a.values,
               link_first = may_link && a.load_factor > LONG_WALKS_LOAD && a.load_factor <= SURELY_LINKED_LOAD &&
                            mean >= SMALL_PARTITION_KEYS;
    build_variant<K, P> variant = {};
    bool ready = false;
    if (!link_first) ready = choose_small(ctx, mean, partitions, &a, &variant);
    if constexpr (bi_hash_key_bits<K> <= 64)
        if (!ready && may_link) {
            variant = mean > LARGE_PARTITION_KEYS ? linked_variant_of<K, P, 512>() : linked_variant_of<K, P, 384>();
            ready = choose_limits(ctx, variant, partitions, &a);
        }
    if (!ready && link_first) ready = choose_small(ctx, mean, partitions, &a, &variant);
    if (!ready) variant = choose_variant(a, mean, partitions);
    if (!ready && !choose_limits(ctx, variant, partitions, &a)) return BOSC_OK;
    /* 3. Launch it, early where it overlaps the first kernel. */
    clear_host_words(ctx, completion, 1);
    BI_TRY(allow_shared(ctx, variant, a));
    *outcome = BI_HASH_PENDING;
    if ((variant.linked || (variant.assigns_slots && a.n <= MAX_OVERLAPPED_PAIRS)) && bi_has_clusters(ctx)) {
        BI_LAUNCH_EARLY(variant.kernel, partitions, variant.threads, a.at.bytes, ctx->stream, a);
        return bi_finish_launch(ctx, variant.linked ? "bi_hash_build_linked" : "bi_hash_build_small_partitions");
    }
    return BI_RUN(ctx, variant.kernel, partitions, variant.threads, a.at.bytes, a);
}

template <class K, class P>
bosc_status bi_hash_launch_fused(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, bool rows,
                                 int64_t n, struct bi_hash_completion *completion, enum bi_hash_outcome *outcome)
{
    const struct bi_hash_shape *s = &h->shape;
    build_args<K, P> a = {};
    a.keys = (const K *)keys;
    a.payload = rows ? NULL : (const P *)values;
    a.values = rows ? (const unsigned char *)values : NULL;
    a.n = (uint32_t)n;
    a.partitions = (bosc_hash_partition *)h->blocks[BI_HASH_DESCRIPTORS].data;
    a.table = (unsigned char *)h->blocks[BI_HASH_TABLE].data;
    a.partition_bits = s->partition_bits;
    a.stride = s->stride;
    a.value_bytes = s->value_bytes;
    a.max_keys = bi_hash_max_partition_keys(s->key_bits);
    a.load_factor = s->load_factor;
    a.host_words = (unsigned long long *)completion->words;
    return launch_tiled(ctx, s, a, completion, outcome);
}

#endif
