/* The fused build on CUDA, for tables of up to some millions of pairs, in two launches: order_tiles.cu orders tiles
 * of pairs by partition; then each block gathers a partition, fills it and writes it. Builds of few pairs take one
 * launch: up to 2^12 pairs each block selects its pairs from all, up to 2^14 one cluster of blocks partitions them.
 * The blocks publish the result to the host themselves. If they cannot fill a partition (keys repeat, too many keys),
 * the driver builds the table in another way. */
#ifndef BI_HASH_CUDA_BUILD_KERNELS_CUH
#define BI_HASH_CUDA_BUILD_KERNELS_CUH

#include <math.h>
#include <string.h>

#include "core/cuda/dependent.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/partition_in_cluster.cuh"
#include "hash/cuda/fill_linked_codes.cuh"
#include "hash/cuda/select_own_pairs.cuh"
#include "hash/cuda/assign_slots.cuh"

enum {
    LARGE_PARTITION_KEYS = 6144,    /* mean keys of a partition above which blocks have more threads; chosen */
    MIN_BUSY_BLOCKS = 256,          /* with fewer blocks, multiprocessors are idle; chosen */
    MAX_OVERLAPPED_PAIRS = 1 << 18, /* with more pairs, early blocks that wait for tiles would delay the ordering */
    SMALL_PARTITION_KEYS = 1024,    /* mean keys of a partition up to which it counts as small; chosen */
    SMALL_THREADS = 384,            /* of blocks that assign slots, for small partitions and others */
    LARGE_THREADS = 512,
    LINKED_THREADS = 1536,  /* of a multiprocessor, whose registers suffice for them */
    RESIDENT_THREADS = 2048 /* limit of the threads of a multiprocessor */
};
/* Load factor up to which keys hardly ever have more than three priorities; above it linked codes run out of them. */
static constexpr double LINKED_LOAD = 0.96;

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
template <bool TILED, class M, class A, class F>
static __device__ void write_and_notify(const M &partition, const A &a, const bi_hash_block_words<M::THREADS> &state,
                                        bool fits, bool filled, const F &write)
{
    const unsigned long long reseeded = filled && partition.seed > 0, failed = !filled;
    if (filled && threadIdx.x == 0)
        a.partitions[blockIdx.x] = {partition.first, partition.buckets << BOSC_HASH_SEED_BITS | partition.seed};
    if (filled) write();
    __syncthreads();      /* all threads have written, before thread 0 publishes */
    if (threadIdx.x == 0) /* each key in its second bucket costs an extra probe */
        notify_host<TILED>(a, (filled ? state.second : 0) + (reseeded << RESEEDED_SHIFT) + (failed << FAILED_SHIFT),
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

/* Builds partitions of few pairs: the blocks of one cluster order a tile each, and gather their partitions from all
 * tiles. */
template <class K, class P>
static __global__ void __launch_bounds__(CLUSTER_THREADS) bi_hash_build_in_cluster(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<CLUSTER_THREADS>, state);
    BI_SHARED(cluster_shared, cluster);
    BI_SHARED(uint32_t, waiting);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    auto partition = locate_partition<partition_of<K, P, CLUSTER_THREADS, true>>(a, memory);
    const slot_assigner<K, P, CLUSTER_THREADS> keys(a, memory, &waiting);
    cluster_tile<K, P> &tile = *reinterpret_cast<cluster_tile<K, P> *>(memory + a.at.tile);
    /* 1. Clear the state; partition the pairs within the cluster. */
    if (threadIdx.x == 0) state.repeats = state.second = 0;
    clear_slot_assignment(partition, keys.slots, a.block_buckets, state); /* a barrier follows below */
    order_own_tile(a, tile, cluster);
    find_own_segments(cluster);
    /* 2. Assign slots and match, with pairs read from the tiles of all blocks. */
    const bool fits = set_key_count(partition, a, cluster.words[gridDim.x]);
    const segment_list segments = {cluster.words, gridDim.x, 0, 0}; /* each_pair uses the first two members only */
    const auto read = [&](uint32_t block, uint32_t i, K &hash, P &value) {
        hash = *bi_cluster_map(&tile.hashes[i], block);
        if constexpr (bi_hash_has_value<P>) value = *bi_cluster_map(&tile.payload[i], block);
    };
    partition.first = count_preceding_buckets(a, cluster.totals);
    const auto each_pair = [&](const auto &visit) {
        segments.template each_pair<CLUSTER_THREADS, K, P>(partition.keys, read, visit);
        bi_cluster_arrive(); /* this thread has finished reading other tiles */
    };
    const bool filled = fits && keys.fill(partition, state, each_pair, [] {});
    if (!fits) bi_cluster_arrive(); /* each_pair did not run; every thread arrives exactly once */
    /* 3. Write the buckets and publish the result. */
    write_and_notify<false>(partition, a, state, fits, filled, [&] { write_small_partition(partition, a); });
    bi_cluster_wait(); /* until all blocks have finished reading this block's tile */
}

/* Builds partitions of very few pairs: each block selects its pairs from all. */
template <class K, class P>
static __global__ void __launch_bounds__(SELECT_THREADS) bi_hash_build_by_selection(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<SELECT_THREADS>, state);
    BI_SHARED(select_shared, counts);
    BI_SHARED(uint32_t, waiting);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    auto partition = locate_partition<partition_of<K, P, SELECT_THREADS, true>>(a, memory);
    const slot_assigner<K, P, SELECT_THREADS> keys(a, memory, &waiting);
    selected_runs<K, P> runs = {keys.hashes, keys.payload, 0, 0};
    /* 1. Clear the state; select the block's pairs. */
    if (threadIdx.x == 0) state.repeats = state.second = 0;
    clear_slot_assignment(partition, keys.slots, a.block_buckets, state); /* a barrier follows below */
    select_own_pairs(a, counts, runs);
    /* 2. Assign slots and match. */
    const bool fits = set_key_count(partition, a, counts.totals[blockIdx.x]);
    partition.first = count_preceding_buckets(a, counts.totals);
    const auto each = [&](const auto &assign) { runs.each(assign); };
    const bool matched = fits && assign_and_match(partition, keys.slots, state, each, each);
    if (matched) bi_hash_scan_partition(partition, state, state.second_positions[threadIdx.x / 32]);
    __syncthreads(); /* marks and state are complete */
    /* 3. Write the buckets and publish the result. */
    write_and_notify<false>(partition, a, state, fits, matched && !state.repeats,
                            [&] { write_small_partition(partition, a); });
}

/* Builds small partitions from tiles. */
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
    write_and_notify<true>(partition, a, state, fits, filled, [&] { write_small_partition(partition, a); });
}

/* Builds larger partitions from tiles. */
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
    write_and_notify<true>(partition, a, state, fits, filled, [&] {
        if (a.values) {
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

/* Builds larger partitions from tiles in little shared memory: it holds either hashes or payload. */
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
    clear_linked(partition, a.block_buckets, state); /* a barrier follows below */
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
    write_and_notify<true>(partition, a, state, fits, filled, [&] {
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
    bool picks, assigns_slots; /* picks are stored; keys claim slots by counters first (assign_slots.cuh) */
    uint32_t unit;             /* unit of positions: with selected pairs they have gaps; else 1 */
    size_t tile_bytes;         /* bytes of a tile in shared memory */
    bool linked;               /* by fill_linked_codes.cuh */
};

enum { STATE_UNIT = 1024 }; /* more than the alignment of static memory may add */

template <class K, class P, int THREADS, bool PICKS> static build_variant<K, P> variant_of()
{
    const size_t state = bi_round_up(sizeof(bi_hash_block_state<THREADS>), STATE_UNIT);
    return {bi_hash_build_partitions<K, P, THREADS, PICKS>, THREADS, state, PICKS, false, 1, 0, false};
}

template <class K, class P, int THREADS> static build_variant<K, P> small_variant_of()
{
    const size_t state = bi_round_up(sizeof(bi_hash_block_state<THREADS>) + 16, STATE_UNIT);
    return {bi_hash_build_small_partitions<K, P, THREADS>, THREADS, state, true, true, 1, 0, false};
}

template <class K, class P, int THREADS> static build_variant<K, P> linked_variant_of()
{
    enum { UNIT = 128 }; /* less than STATE_UNIT, so that one more block may run */
    const size_t state = bi_round_up(sizeof(bi_hash_block_words<THREADS>), UNIT);
    return {bi_hash_build_linked<K, P, THREADS>, THREADS, state, false, false, 1, 0, true};
}

template <class K, class P> static build_variant<K, P> cluster_variant()
{
    const size_t state = sizeof(bi_hash_block_state<CLUSTER_THREADS>) + sizeof(cluster_shared) + 16;
    return {bi_hash_build_in_cluster<K, P>,
            CLUSTER_THREADS,
            bi_round_up(state, STATE_UNIT),
            true,
            true,
            1,
            sizeof(cluster_tile<K, P>),
            false};
}

template <class K, class P> static build_variant<K, P> selection_variant()
{
    const size_t state = sizeof(bi_hash_block_state<SELECT_THREADS>) + sizeof(select_shared) + 16;
    return {bi_hash_build_by_selection<K, P>,
            SELECT_THREADS,
            bi_round_up(state, STATE_UNIT),
            true,
            true,
            SELECT_THREADS,
            0,
            false};
}

/* As choose_variant of fill.cu, with more threads where partitions are large or blocks are few. */
template <class K, class P>
static build_variant<K, P> choose_variant(const build_args<K, P> &a, int64_t mean, uint32_t partitions)
{
    constexpr bool PICKS = bi_hash_key_bits<K> <= 64;
    /* with few empty slots the last keys take long walks */
    const bool long_walks = a.load_factor > 0.87, large = mean > LARGE_PARTITION_KEYS,
               few = partitions <= MIN_BUSY_BLOCKS;
    if (long_walks) return large || few ? variant_of<K, P, 512, PICKS>() : variant_of<K, P, 256, PICKS>();
    return large ? variant_of<K, P, 512, false>() : variant_of<K, P, 384, false>();
}

/* Lays out a block's shared memory. positions: of keys; more than keys if there are gaps. */
template <class K, class P>
static build_layout layout_of(const build_variant<K, P> &variant, uint32_t positions, uint32_t keys, uint32_t buckets,
                              uint32_t tiles, bool separate)
{
    build_layout at = {};
    const auto reserve = [&](size_t bytes) {
        const uint32_t begin = at.bytes;
        at.bytes += (uint32_t)bi_round_up(bytes, 16);
        return begin;
    };
    const size_t payload = (size_t)bi_hash_payload_bytes<P> * positions, hashes = sizeof(K) * positions;
    at.separate = separate;
    reserve(separate ? hashes : hashes > payload ? hashes : payload); /* the hashes, at 0 */
    if (separate) {
        at.payload = reserve(payload);
        at.picks = reserve(variant.picks ? (size_t)positions * 4 : 0);
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
    at.tile = reserve(variant.tile_bytes);
    return at;
}

/* Chooses the limits of keys and buckets of a block, and its shared memory. First choice: the mean and eight
 * standard deviations, each part in memory of its own, if all blocks run at once then. Else parts take turns, with
 * eight down to five deviations, whichever lets more blocks run at once. Returns false if there is too little
 * memory. */
template <class K, class P>
static bool choose_limits(const bosc_ctx *ctx, const build_variant<K, P> &variant, uint32_t partitions,
                          build_args<K, P> *a)
{
    enum { FEWEST = 5, MOST = 8, RESERVED = 1024 /* bytes that CUDA reserves for each block */ };
    const double mean = (double)a->n / partitions;
    const size_t block_bytes = bi_hash_shared_bytes(ctx);
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
        const uint32_t positions = variant.unit > 1 ? (uint32_t)bi_round_up(a->n, variant.unit) : keys;
        if (variant.linked && buckets > LINKED_BUCKETS) continue;
        const build_layout at = layout_of(variant, positions, keys, buckets, a->tiles.count, separate);
        const size_t bytes = at.bytes + variant.state_bytes;
        /* 2. Keep it if it fits and lets more blocks run at once. */
        const size_t at_once =
            min(multiprocessor_bytes / (bytes + RESERVED), (size_t)RESIDENT_THREADS / variant.threads);
        if (bytes > block_bytes || (found && at_once <= max_at_once)) continue;
        const bool all_at_once = at_once * (size_t)ctx->multiprocessors >= partitions;
        if (separate && !all_at_once &&
            (variant.assigns_slots ? a->tiles.count && mean > SMALL_PARTITION_KEYS : !a->values))
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

/* Orders the tiles. Their kernel also zeroes the words of the next one: `done`, of two words, and `bucket_counts`.
 * *ready: false
 * if the device has too little shared memory. */
template <class K, class P>
static bosc_status order_tiles(bosc_ctx *ctx, const struct bi_hash_shape *s, build_args<K, P> *a, bool *ready)
{
    const uint32_t partitions = 1u << s->partition_bits;
    void *words;
    a->tiles.zeros = partitions + 2;
    BI_TRY(bi_scratch(ctx, a->tiles.zeros * 4, &words));
    a->tiles.zeroed = (uint32_t *)words;
    a->done = (unsigned long long *)words;
    a->bucket_counts = a->tiles.zeroed + 2;
    BI_TRY(bi_hash_order_tiles_cuda(ctx, s, a->keys, a->payload, a->n, bi_hash_payload_bytes<P>, &a->tiles));
    const uint32_t mean = a->tiles.pairs >> s->partition_bits; /* pairs of a segment; the limits below are chosen */
    a->hashes = (const K *)a->tiles.hashes;
    a->payload = (const P *)a->tiles.payload;
    a->lanes = mean <= 10 ? 8 : mean <= 20 ? 16 : 32;
    *ready = a->tiles.count > 0;
    return BOSC_OK;
}

/* Allows the kernel the shared memory that it is launched with. All contexts set the same limit. */
template <class K, class P>
static bosc_status allow_shared(bosc_ctx *ctx, const build_variant<K, P> &variant, const build_args<K, P> &a)
{
    if (a.at.bytes + variant.state_bytes <= BI_SHARED_PLAIN) return BOSC_OK;
    const int limit = (int)(bi_hash_shared_bytes(ctx) - variant.state_bytes);
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(variant.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
    return BOSC_OK;
}

/* Launches the build of few pairs as one cluster, if the device supports it. */
template <class K, class P>
static bosc_status launch_cluster(bosc_ctx *ctx, build_args<K, P> a, uint32_t partitions,
                                  struct bi_hash_completion *completion, bool *launched)
{
    const build_variant<K, P> variant = cluster_variant<K, P>();
    if (partitions > ONE_LAUNCH_BLOCKS || a.n > partitions * CLUSTER_PAIRS || !bi_has_clusters(ctx)) return BOSC_OK;
    if (!choose_limits(ctx, variant, partitions, &a)) return BOSC_OK;
    clear_host_words(ctx, completion, partitions);
    BI_TRY(allow_shared(ctx, variant, a));
    const cudaError_t error =
        bi_launch_cluster_shared(variant.kernel, partitions, variant.threads, a.at.bytes, ctx->stream, a);
    if (error != cudaSuccess) return BOSC_OK; /* the cluster is too large */
    *launched = true;
    return bi_finish_launch(ctx, "bi_hash_build_in_cluster");
}

/* Launches the build of very few pairs; devices without clusters use it for more. */
template <class K, class P>
static bosc_status launch_selection(bosc_ctx *ctx, build_args<K, P> a, uint32_t partitions,
                                    struct bi_hash_completion *completion, bool *launched)
{
    const build_variant<K, P> variant = selection_variant<K, P>();
    if (partitions > SELECT_PARTITIONS || a.n > (bi_has_clusters(ctx) ? SELECT_PAIRS : SELECT_PAIRS_NO_CLUSTER))
        return BOSC_OK;
    if (!choose_limits(ctx, variant, partitions, &a)) return BOSC_OK;
    clear_host_words(ctx, completion, partitions);
    BI_TRY(allow_shared(ctx, variant, a));
    *launched = true;
    return BI_RUN(ctx, variant.kernel, partitions, variant.threads, a.at.bytes, a);
}

/* Launches the build in two kernels: the tiles, then the partitions. completion gets the stream and the number of
 * words that the blocks will publish. */
template <class K, class P>
static bosc_status launch_tiled(bosc_ctx *ctx, const struct bi_hash_shape *s, build_args<K, P> a,
                                struct bi_hash_completion *completion, bool *launched)
{
    const uint32_t partitions = 1u << s->partition_bits;
    const int64_t mean = a.n / partitions;
    /* 1. Order the tiles. */
    bool ready;
    BI_TRY(order_tiles(ctx, s, &a, &ready));
    if (!ready) return BOSC_OK;
    /* 2. Choose a kernel: assigning slots if all blocks run at once, else linked codes, else the general one. */
    build_variant<K, P> variant = mean <= SMALL_PARTITION_KEYS ? small_variant_of<K, P, SMALL_THREADS>()
                                                               : small_variant_of<K, P, LARGE_THREADS>();
    ready = choose_limits(ctx, variant, partitions, &a);
    if constexpr (bi_hash_key_bits<K> <= 64)
        if (!ready && a.load_factor <= LINKED_LOAD && !a.values) {
            variant = mean > LARGE_PARTITION_KEYS ? linked_variant_of<K, P, 512>() : linked_variant_of<K, P, 384>();
            ready = choose_limits(ctx, variant, partitions, &a);
        }
    if (!ready) variant = choose_variant(a, mean, partitions);
    if (!ready && !choose_limits(ctx, variant, partitions, &a)) return BOSC_OK;
    /* 3. Launch it, early where it overlaps the first kernel. */
    clear_host_words(ctx, completion, 1);
    BI_TRY(allow_shared(ctx, variant, a));
    *launched = true;
    if ((variant.linked || (variant.assigns_slots && a.n <= MAX_OVERLAPPED_PAIRS)) && bi_has_clusters(ctx)) {
        BI_LAUNCH_EARLY(variant.kernel, partitions, variant.threads, a.at.bytes, ctx->stream, a);
        return bi_finish_launch(ctx, variant.linked ? "bi_hash_build_linked" : "bi_hash_build_small_partitions");
    }
    return BI_RUN(ctx, variant.kernel, partitions, variant.threads, a.at.bytes, a);
}

template <class K, class P>
bosc_status bi_hash_launch_fused(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, bool rows,
                                 int64_t n, struct bi_hash_completion *completion, bool *launched)
{
    const struct bi_hash_shape *s = &h->shape;
    build_args<K, P> a = {};
    a.keys = (const K *)keys;
    a.payload = rows ? NULL : (const P *)values;
    a.values = rows ? (const unsigned char *)values : NULL;
    a.n = (uint32_t)n;
    a.seed = s->seed;
    a.digit = {(sizeof(K) == 4 ? 32 : 64) - s->partition_bits, s->partition_bits};
    a.partitions = (bosc_hash_partition *)h->blocks[BI_HASH_DESCRIPTORS].data;
    a.table = (unsigned char *)h->blocks[BI_HASH_TABLE].data;
    a.partition_bits = s->partition_bits;
    a.stride = s->stride;
    a.value_bytes = s->value_bytes;
    a.max_keys = bi_hash_max_partition_keys(s->key_bits);
    a.load_factor = s->load_factor;
    a.host_words = (unsigned long long *)completion->words;
    BI_TRY(launch_selection(ctx, a, 1u << s->partition_bits, completion, launched));
    if (!*launched) BI_TRY(launch_cluster(ctx, a, 1u << s->partition_bits, completion, launched));
    return *launched ? BOSC_OK : launch_tiled(ctx, s, a, completion, launched);
}

#endif
