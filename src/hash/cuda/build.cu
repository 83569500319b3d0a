/* The fused build on CUDA, for tables of up to some millions of pairs: a launch that orders tiles of pairs by
 * partition, and one whose blocks gather a partition each, fill it and write it. Of few pairs one cluster of blocks
 * does both, in a launch; of very few each block picks its own out of all. The blocks tell the host themselves how it
 * went. What they cannot fill (keys that repeat, a partition that is too large) is left to others. */
#include <math.h>
#include <string.h>

#include "core/cuda/dependent.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/deal.cuh"
#include "hash/cuda/linked.cuh"
#include "hash/cuda/pick.cuh"
#include "hash/cuda/place.cuh"

enum {
    MANY_KEYS = 6144,      /* of a partition */
    IDLE_BLOCKS = 256,     /* fewer leave multiprocessors idle */
    EARLY_PAIRS = 1 << 18, /* with more, blocks that place keys and wait for tiles keep others from ordering them */
    SMALL_KEYS = 1024,
    SMALL_THREADS = 384, /* of blocks that place keys, for small partitions and others */
    LARGE_THREADS = 512,
    LINKED_THREADS = 1536 /* of a multiprocessor, which their registers suffice for */
};
/* Above it keys may have more priorities than linked partitions know; up to it, hardly ever more than three. */
static constexpr double LINKED_LOAD = 0.96;

template <class K, class P, int THREADS, bool PICKS>
using partition_of = bi_hash_matching<K, P, gathered<K, THREADS>, true, THREADS, PICKS>;

/* The block's partition, without its pairs: where its parts are. */
template <class M, class A> static __device__ M begin_partition(const A &a, unsigned char *memory)
{
    typedef typename M::key K;
    M partition;
    K *hashes = reinterpret_cast<K *>(memory);
    const auto words = [&](uint32_t at) { return reinterpret_cast<uint32_t *>(memory + at); };
    const segment_list segments = {words(a.at.segments), a.tiles.count, a.tiles.pairs, a.lanes};
    partition.number = blockIdx.x;
    partition.source = {a.at.apart ? hashes : nullptr, a.hashes, segments};
    partition.hashes = a.at.apart || !M::PICKS ? hashes : nullptr;
    partition.payload = reinterpret_cast<typename M::value *>(memory + a.at.payload);
    partition.picks = words(a.at.picks);
    partition.codes = words(a.at.codes);
    partition.spilled = words(a.at.spilled);
    partition.ascending = words(a.at.ascending);
    partition.seed = 0;
    return partition;
}

/* Takes its number of pairs; whether there is room for them. */
template <class M, class A> static __device__ bool take_keys(M &partition, const A &a, uint32_t keys)
{
    partition.keys = keys;
    partition.buckets = bi_hash_partition_buckets(a.load, keys);
    return keys <= a.block_keys && partition.buckets <= a.block_buckets;
}

/* Writes the descriptor and, by write(), the buckets of a partition that was filled, and then tells the host how it
 * went. All threads call it, after a barrier. */
template <bool TILED, class M, class A, class F>
static __device__ void write_and_tell(const M &partition, const A &a, const bi_hash_block_words<M::THREADS> &state,
                                      bool fits, bool filled, const F &write)
{
    const unsigned long long reseeded = filled && partition.seed > 0, failed = !filled;
    if (filled && threadIdx.x == 0)
        a.partitions[blockIdx.x] = {partition.first, partition.buckets << BOSC_HASH_SEED_BITS | partition.seed};
    if (filled) write();
    __syncthreads();
    if (threadIdx.x == 0)
        tell_host<TILED>(a, (filled ? state.second : 0) + (reseeded << TOLD_RESEEDED) + (failed << TOLD_FAILED),
                         !filled && fits && state.repeats, partition.first + partition.buckets);
}

/* Places keys in the memory of a block. */
template <class K, class P, int THREADS> struct placing {
    bi_hash_places places;
    K *hashes;
    P *payload;

    template <class A>
    __device__ __forceinline__ placing(const A &a, unsigned char *memory, uint32_t *waiting)
        : places{reinterpret_cast<uint32_t *>(memory + a.at.taken), reinterpret_cast<uint16_t *>(memory + a.at.waiting),
                 waiting},
          hashes(reinterpret_cast<K *>(memory)), payload(reinterpret_cast<P *>(memory + a.at.payload))
    {
    }

    /* Matches and scans a partition; each_pair(f) calls f(position, hash, payload) for each pair, once. between() is
     * called between the two. Returns whether it could be matched. All threads call it; a barrier comes last. */
    template <class M, class F, class G>
    __device__ __forceinline__ bool fill(M &partition, bi_hash_block_state<THREADS> &state, const F &each_pair,
                                         const G &between) const
    {
        const auto first_time = [&](const auto &place) {
            each_pair([&](uint32_t i, K hash, P value) {
                hashes[i] = hash;
                if constexpr (bi_hash_has_value<P>) payload[i] = value;
                place(i, hash);
            });
        };
        const auto again = [&](const auto &place) {
            for (uint32_t i = threadIdx.x; i < partition.keys; i += THREADS) place(i, hashes[i]);
        };
        const bool matched = bi_hash_match_placed(partition, places, state, first_time, again);
        between();
        if (matched) bi_hash_scan_partition(partition, state, state.second_positions[threadIdx.x / 32]);
        __syncthreads();
        return matched && !state.repeats;
    }
};

/* Partitions of few pairs, which the blocks of one cluster deal out among them. */
template <class K, class P>
static __global__ void __launch_bounds__(DEAL_THREADS) bi_hash_build_dealt(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<DEAL_THREADS>, state);
    BI_SHARED(deal_shared, deal);
    BI_SHARED(uint32_t, waiting);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    auto partition = begin_partition<partition_of<K, P, DEAL_THREADS, true>>(a, memory);
    const placing<K, P, DEAL_THREADS> keys(a, memory, &waiting);
    dealt_tile<K, P> &tile = *reinterpret_cast<dealt_tile<K, P> *>(memory + a.at.tile);
    if (threadIdx.x == 0) state.repeats = state.second = 0;
    bi_hash_clear_places(partition, keys.places, a.block_buckets, state); /* a barrier comes in what follows */
    deal_tile(a, tile, deal);
    find_dealt(deal);
    const bool fits = take_keys(partition, a, deal.words[gridDim.x]);
    const segment_list segments = {deal.words, gridDim.x, 0, 0};
    const auto read = [&](uint32_t block, uint32_t i, K &hash, P &value) {
        hash = *bi_cluster_at(&tile.hashes[i], block);
        if constexpr (bi_hash_has_value<P>) value = *bi_cluster_at(&tile.payload[i], block);
    };
    partition.first = buckets_before(a, deal.totals);
    const auto each_pair = [&](const auto &keep) {
        segments.template each_pair<DEAL_THREADS, K, P>(partition.keys, read, keep);
        bi_cluster_arrive();
    };
    const bool filled = fits && keys.fill(partition, state, each_pair, [] {});
    if (!fits) bi_cluster_arrive();
    write_and_tell<false>(partition, a, state, fits, filled, [&] { bi_hash_write_placed(partition, a); });
    bi_cluster_wait(); /* others may still read the tile */
}

/* Partitions of very few pairs, picked out of all. */
template <class K, class P>
static __global__ void __launch_bounds__(PICK_THREADS) bi_hash_build_picked(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<PICK_THREADS>, state);
    BI_SHARED(pick_shared, counts);
    BI_SHARED(uint32_t, waiting);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    auto partition = begin_partition<partition_of<K, P, PICK_THREADS, true>>(a, memory);
    const placing<K, P, PICK_THREADS> keys(a, memory, &waiting);
    picked_runs<K, P> runs = {keys.hashes, keys.payload, 0, 0};
    if (threadIdx.x == 0) state.repeats = state.second = 0;
    bi_hash_clear_places(partition, keys.places, a.block_buckets, state); /* a barrier comes in what follows */
    pick_pairs(a, counts, runs);
    const bool fits = take_keys(partition, a, counts.totals[blockIdx.x]);
    partition.first = buckets_before(a, counts.totals);
    const auto each = [&](const auto &place) { runs.each(place); };
    const bool matched = fits && bi_hash_match_placed(partition, keys.places, state, each, each);
    if (matched) bi_hash_scan_partition(partition, state, state.second_positions[threadIdx.x / 32]);
    __syncthreads();
    write_and_tell<false>(partition, a, state, fits, matched && !state.repeats,
                          [&] { bi_hash_write_placed(partition, a); });
}

/* Small partitions, from tiles. */
template <class K, class P, int THREADS>
static __global__ void __launch_bounds__(THREADS) bi_hash_build_placed(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<THREADS>, state);
    BI_SHARED(uint32_t, waiting);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    auto partition = begin_partition<partition_of<K, P, THREADS, true>>(a, memory);
    const placing<K, P, THREADS> keys(a, memory, &waiting);
    if (threadIdx.x == 0) state.repeats = state.second = 0;
    bi_hash_clear_places(partition, keys.places, a.block_buckets, state); /* a barrier comes in what follows */
    bi_wait_for_previous_kernel();
    const bool fits =
        take_keys(partition, a, find_segments(a, reinterpret_cast<uint32_t *>(memory + a.at.segments), state));
    if (threadIdx.x == 0) bi_store_relaxed(&a.laid[blockIdx.x], partition.buckets);
    const auto read = [&](uint32_t tile, uint32_t i, K &hash, P &value) {
        hash = a.hashes[(size_t)tile * a.tiles.pairs + i];
        if constexpr (bi_hash_has_value<P>) value = a.payload[(size_t)tile * a.tiles.pairs + i];
    };
    const auto each_pair = [&](const auto &keep) {
        partition.source.segments.template each_pair<THREADS, K, P>(partition.keys, read, keep);
    };
    uint32_t laid = 0; /* read early, as it takes long */
    const auto read_laid = [&] { laid = threadIdx.x < blockIdx.x ? bi_load_relaxed(&a.laid[threadIdx.x]) : 0; };
    const bool filled = fits && keys.fill(partition, state, each_pair, read_laid);
    partition.first = find_first_bucket(a, state, laid);
    write_and_tell<true>(partition, a, state, fits, filled, [&] { bi_hash_write_placed(partition, a); });
}

/* Larger partitions, from tiles. */
template <class K, class P, int THREADS, bool PICKS>
static __global__ void __launch_bounds__(THREADS) bi_hash_build_partitions(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<THREADS>, state);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    auto partition = begin_partition<partition_of<K, P, THREADS, PICKS>>(a, memory);
    K *hashes = reinterpret_cast<K *>(memory);
    P *payload = const_cast<P *>(partition.payload);
    const bool fits =
        take_keys(partition, a, find_segments(a, reinterpret_cast<uint32_t *>(memory + a.at.segments), state));
    const segment_list &segments = partition.source.segments;
    const auto gather_payload = [&] { segments.each<THREADS>(a.payload, [&](uint32_t i, P x) { payload[i] = x; }); };
    if (threadIdx.x == 0) {
        bi_store_relaxed(&a.laid[blockIdx.x], partition.buckets);
        state.repeats = state.second = 0;
    }
    if (fits && partition.hashes) segments.each<THREADS>(a.hashes, [&](uint32_t i, K x) { hashes[i] = x; });
    if constexpr (bi_hash_has_value<P>)
        if (fits && a.at.apart) gather_payload();
    bool filled = false;
    if (fits) {
        if (PICKS && a.at.apart) __syncthreads();
        bi_hash_begin_matching(partition, state, 0);
        __syncthreads();
        filled = bi_hash_match_partition(partition, state, false, nullptr);
    }
    partition.first = find_first_bucket(a, state, 0);
    write_and_tell<true>(partition, a, state, fits, filled, [&] {
        if (a.values) {
            for (uint32_t b = threadIdx.x; b < partition.buckets; b += THREADS) bi_hash_write_bucket(partition, a, b);
            return;
        }
        write_partition(partition, a, [&] {
            if (!a.at.apart) {
                gather_payload();
                __syncthreads();
            }
            return payload;
        });
    });
}

/* Larger partitions, from tiles, in little shared memory: of hashes and payload one is there at a time. */
template <class K, class P, int THREADS>
static __global__ void __launch_bounds__(THREADS, LINKED_THREADS / THREADS)
    bi_hash_build_linked(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_words<THREADS>, state);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    const auto words = [&](uint32_t at) { return reinterpret_cast<uint32_t *>(memory + at); };
    const segment_list segments = {words(a.at.segments), a.tiles.count, a.tiles.pairs, a.lanes};
    bi_hash_linked<K, P, THREADS> partition;
    partition.number = blockIdx.x;
    partition.hashes = reinterpret_cast<K *>(memory);
    partition.codes = words(a.at.codes);
    partition.spilled = words(a.at.spilled);
    partition.ascending = words(a.at.ascending);
    partition.counts = words(a.at.taken);
    partition.waiting = reinterpret_cast<uint16_t *>(memory + a.at.waiting);
    partition.walkers = reinterpret_cast<uint2 *>(partition.counts);
    partition.most_waiting = linked_most_waiting(a.block_keys, THREADS);
    partition.seed = 0;
    linked_begin(partition, a.block_buckets, state); /* a barrier comes in what follows */
    bi_wait_for_previous_kernel();
    const bool fits = take_keys(partition, a, find_segments(a, words(a.at.segments), state));
    if (threadIdx.x == 0) bi_store_relaxed(&a.laid[blockIdx.x], partition.buckets);
    bool filled = false;
    if (fits) {
        linked_gather<THREADS>(segments, a.hashes, partition.hashes);
        __syncthreads();
        filled = linked_fill(partition, state);
    }
    partition.first = find_first_bucket(a, state, 0);
    write_and_tell<true>(partition, a, state, fits, filled, [&] {
        write_partition(partition, a, [&] {
            P *payload = reinterpret_cast<P *>(memory);
            linked_gather<THREADS>(segments, a.payload, payload);
            __syncthreads();
            return payload;
        });
    });
}

/* A kernel that fills partitions. */
template <class K, class P> struct build_variant {
    void (*kernel)(build_args<K, P>);
    uint32_t threads;
    size_t state_bytes;
    bool picks, placed;
    uint32_t unit;     /* of positions: there are gaps between those that are picked; else 1 */
    size_t tile_bytes; /* of a tile in shared memory */
    bool linked;
};

enum { STATE_UNIT = 1024 }; /* more than what static memory may be padded to */

template <class K, class P, int THREADS, bool PICKS> static build_variant<K, P> variant_of()
{
    const size_t state = bi_round_up(sizeof(bi_hash_block_state<THREADS>), STATE_UNIT);
    return {bi_hash_build_partitions<K, P, THREADS, PICKS>, THREADS, state, PICKS, false, 1, 0, false};
}

template <class K, class P, int THREADS> static build_variant<K, P> placed_variant_of()
{
    const size_t state = bi_round_up(sizeof(bi_hash_block_state<THREADS>) + 16, STATE_UNIT);
    return {bi_hash_build_placed<K, P, THREADS>, THREADS, state, true, true, 1, 0, false};
}

template <class K, class P, int THREADS> static build_variant<K, P> linked_variant_of()
{
    enum { UNIT = 128 }; /* less than STATE_UNIT: one more block may run then */
    const size_t state = bi_round_up(sizeof(bi_hash_block_words<THREADS>), UNIT);
    return {bi_hash_build_linked<K, P, THREADS>, THREADS, state, false, false, 1, 0, true};
}

template <class K, class P> static build_variant<K, P> dealt_variant()
{
    const size_t state = sizeof(bi_hash_block_state<DEAL_THREADS>) + sizeof(deal_shared) + 16;
    return {bi_hash_build_dealt<K, P>, DEAL_THREADS, bi_round_up(state, STATE_UNIT), true, true, 1,
            sizeof(dealt_tile<K, P>),  false};
}

template <class K, class P> static build_variant<K, P> picked_variant()
{
    const size_t state = sizeof(bi_hash_block_state<PICK_THREADS>) + sizeof(pick_shared) + 16;
    return {
        bi_hash_build_picked<K, P>, PICK_THREADS, bi_round_up(state, STATE_UNIT), true, true, PICK_THREADS, 0, false};
}

/* As for fill (choose_variant there), with more threads where partitions are large or blocks are few. */
template <class K, class P>
static build_variant<K, P> choose_variant(const build_args<K, P> &a, int64_t mean, uint32_t partitions)
{
    constexpr bool PICKS = bi_hash_key_bits<K> <= 64;
    const bool walks = a.load > 0.87, large = mean > MANY_KEYS, few = partitions <= IDLE_BLOCKS;
    if (walks) return large || few ? variant_of<K, P, 512, PICKS>() : variant_of<K, P, 256, PICKS>();
    return large ? variant_of<K, P, 512, false>() : variant_of<K, P, 384, false>();
}

/* positions: of keys; more than keys where there are gaps. */
template <class K, class P>
static build_layout layout_of(const build_variant<K, P> &variant, uint32_t positions, uint32_t keys, uint32_t buckets,
                              uint32_t tiles, bool apart)
{
    build_layout at = {};
    const auto place = [&](size_t bytes) {
        const uint32_t begin = at.bytes;
        at.bytes += (uint32_t)bi_round_up(bytes, 16);
        return begin;
    };
    const size_t payload = (size_t)bi_hash_payload_bytes<P> * positions, hashes = sizeof(K) * positions;
    at.apart = apart;
    place(apart ? hashes : hashes > payload ? hashes : payload);
    if (apart) {
        at.payload = place(payload);
        at.picks = place(variant.picks ? (size_t)positions * 4 : 0);
    }
    at.codes = place(buckets * sizeof(uint4));
    at.spilled = place(((size_t)buckets + 31) / 32 * 4);
    at.ascending = place(((size_t)buckets + 31) / 32 * 4);
    at.segments = place(((size_t)tiles + 1) * 4);
    const size_t waiting = variant.linked ? linked_most_waiting(keys, variant.threads) : variant.placed ? keys : 0;
    const size_t counts = bi_round_up(buckets, 4), walkers = LINKED_WALKERS * sizeof(uint2);
    at.taken = place(variant.placed ? (size_t)buckets * 4 : variant.linked ? max(counts, walkers) : 0);
    at.waiting = place(waiting * 2);
    at.tile = place(variant.tile_bytes);
    return at;
}

/* The most keys and buckets that a block takes, and its shared memory: the mean and eight standard deviations, each
 * part in memory of its own, where all blocks run at once so; else parts that take turns, and down to five
 * deviations if more blocks run at once then. false: there is too little memory. */
template <class K, class P>
static bool choose_limits(const bosc_ctx *ctx, const build_variant<K, P> &variant, uint32_t partitions,
                          build_args<K, P> *a)
{
    enum { FEWEST = 5, MOST = 8, RESERVED = 1024 /* bytes of each block, by the device */ };
    const double mean = (double)a->n / partitions;
    const size_t available = bi_hash_shared_bytes(ctx), all = bi_hash_multiprocessor_shared_bytes(ctx);
    size_t most_at_once = 0;
    bool found = false;
    for (int d = MOST - FEWEST + 1; d >= 0; d--) { /* the first one is apart */
        const bool apart = d > MOST - FEWEST;
        if (apart && variant.linked) continue;
        if (!apart && (variant.placed || a->values)) break;
        const double most = mean + (apart ? MOST : FEWEST + d) * sqrt(mean) + 8;
        const uint32_t limit = a->n < a->max_keys ? a->n : a->max_keys, keys = most < limit ? (uint32_t)most : limit;
        const uint32_t buckets = bi_hash_partition_buckets(a->load, keys);
        const uint32_t positions = variant.unit > 1 ? (uint32_t)bi_round_up(a->n, variant.unit) : keys;
        if (variant.linked && buckets > LINKED_BUCKETS) continue;
        const build_layout at = layout_of(variant, positions, keys, buckets, a->tiles.count, apart);
        const size_t bytes = at.bytes + variant.state_bytes;
        const size_t at_once = min(all / (bytes + RESERVED), (size_t)2048 / variant.threads);
        if (bytes > available || (found && at_once <= most_at_once)) continue;
        const bool whole = at_once * (size_t)ctx->multiprocessors >= partitions;
        if (apart && !whole && (variant.placed ? a->tiles.count && mean > SMALL_KEYS : !a->values))
            continue; /* turns may be better */
        found = true;
        most_at_once = at_once;
        a->at = at;
        a->block_keys = keys;
        a->block_buckets = buckets;
        if (apart) break;
    }
    return found;
}

/* Gathers partitions from tiles: those are ordered first. *ready: the device has the shared memory for it. */
template <class K, class P>
static bosc_status order_tiles(bosc_ctx *ctx, const struct bi_hash_shape *s, build_args<K, P> *a, bool *ready)
{
    const uint32_t partitions = 1u << s->partition_bits;
    void *words;
    a->tiles.zeros = partitions + 2;
    BI_TRY(bi_scratch(ctx, a->tiles.zeros * 4, &words));
    a->tiles.zeroed = (uint32_t *)words;
    a->done = (unsigned long long *)words;
    a->laid = a->tiles.zeroed + 2;
    BI_TRY(bi_hash_order_tiles_cuda(ctx, s, a->keys, a->payload, a->n, bi_hash_payload_bytes<P>, &a->tiles));
    const uint32_t mean = a->tiles.pairs >> s->partition_bits;
    a->hashes = (const K *)a->tiles.hashes;
    a->payload = (const P *)a->tiles.payload;
    a->lanes = mean <= 10 ? 8 : mean <= 20 ? 16 : 32;
    *ready = a->tiles.count > 0;
    return BOSC_OK;
}

static bool is_told(const unsigned long long *told, uint32_t reports)
{
    bool all = __atomic_load_n(&told[TOLD_BUCKETS], __ATOMIC_ACQUIRE) != 0;
    for (uint32_t r = 0; r < reports; r++) all &= __atomic_load_n(&told[TOLD_COUNTS + r], __ATOMIC_ACQUIRE) != 0;
    return all;
}

/* Adds up what was told. *built: no partition is left unfinished for want of room. */
static void take_told(const unsigned long long *told, uint32_t reports, struct bi_hash_report *found, bool *built)
{
    enum { MASK = (1 << TOLD_COUNT_BITS) - 1 };
    uint64_t counts = 0;
    for (uint32_t r = 0; r < reports; r++) counts += told[TOLD_COUNTS + r] & ~TOLD;
    *found = {};
    found->repeats = told[TOLD_REPEATS] != 0;
    found->buckets = (uint32_t)told[TOLD_BUCKETS];
    found->reseeded = (uint32_t)(counts >> TOLD_RESEEDED) & MASK;
    found->extra_probes = counts & ((1u << TOLD_RESEEDED) - 1);
    *built = found->repeats || (counts >> TOLD_FAILED & MASK) == 0;
}

/* Lets the kernel have the shared memory that it is launched with. All contexts set the same. */
template <class K, class P>
static bosc_status allow_shared(bosc_ctx *ctx, const build_variant<K, P> &variant, const build_args<K, P> &a)
{
    if (a.at.bytes + variant.state_bytes <= BI_SHARED_PLAIN) return BOSC_OK;
    const int limit = (int)(bi_hash_shared_bytes(ctx) - variant.state_bytes);
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(variant.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
    return BOSC_OK;
}

/* Few pairs, as one cluster, if the device has it. */
template <class K, class P>
static bosc_status run_dealt(bosc_ctx *ctx, build_args<K, P> a, uint32_t partitions, struct bi_hash_outcome *outcome,
                             bool *launched)
{
    const build_variant<K, P> variant = dealt_variant<K, P>();
    if (partitions > FEW_BLOCKS || a.n > partitions * DEAL_PAIRS || !bi_has_clusters(ctx)) return BOSC_OK;
    if (!choose_limits(ctx, variant, partitions, &a)) return BOSC_OK;
    begin_outcome(ctx, outcome, partitions);
    BI_TRY(allow_shared(ctx, variant, a));
    const cudaError_t error =
        bi_launch_cluster_shared(variant.kernel, partitions, variant.threads, a.at.bytes, ctx->stream, a);
    if (error != cudaSuccess) return BOSC_OK; /* the cluster is too large */
    *launched = true;
    return bi_launched(ctx, "bi_hash_build_dealt");
}

/* Very few pairs, which each block reads; more on devices without clusters. */
template <class K, class P>
static bosc_status run_picked(bosc_ctx *ctx, build_args<K, P> a, uint32_t partitions, struct bi_hash_outcome *outcome,
                              bool *launched)
{
    const build_variant<K, P> variant = picked_variant<K, P>();
    if (partitions > PICK_PARTITIONS || a.n > (bi_has_clusters(ctx) ? PICK_PAIRS : PICK_PAIRS_ALONE)) return BOSC_OK;
    if (!choose_limits(ctx, variant, partitions, &a)) return BOSC_OK;
    begin_outcome(ctx, outcome, partitions);
    BI_TRY(allow_shared(ctx, variant, a));
    *launched = true;
    return BI_RUN(ctx, variant.kernel, partitions, variant.threads, a.at.bytes, a);
}

template <class K, class P>
static bosc_status run_tiled(bosc_ctx *ctx, const struct bi_hash_shape *s, build_args<K, P> a,
                             struct bi_hash_outcome *outcome, bool *launched)
{
    const uint32_t partitions = 1u << s->partition_bits;
    const int64_t mean = a.n / partitions;
    bool ready;
    BI_TRY(order_tiles(ctx, s, &a, &ready));
    if (!ready) return BOSC_OK;
    build_variant<K, P> variant =
        mean <= SMALL_KEYS ? placed_variant_of<K, P, SMALL_THREADS>() : placed_variant_of<K, P, LARGE_THREADS>();
    ready = choose_limits(ctx, variant, partitions, &a);
    if constexpr (bi_hash_key_bits<K> <= 64)
        if (!ready && a.load <= LINKED_LOAD && !a.values) {
            variant = mean > MANY_KEYS ? linked_variant_of<K, P, 512>() : linked_variant_of<K, P, 384>();
            ready = choose_limits(ctx, variant, partitions, &a);
        }
    if (!ready) variant = choose_variant(a, mean, partitions);
    if (!ready && !choose_limits(ctx, variant, partitions, &a)) return BOSC_OK;
    begin_outcome(ctx, outcome, 1);
    BI_TRY(allow_shared(ctx, variant, a));
    *launched = true;
    if ((variant.linked || (variant.placed && a.n <= EARLY_PAIRS)) && bi_has_clusters(ctx)) {
        BI_LAUNCH_EARLY(variant.kernel, partitions, variant.threads, a.at.bytes, ctx->stream, a);
        return bi_launched(ctx, variant.linked ? "bi_hash_build_linked" : "bi_hash_build_placed");
    }
    return BI_RUN(ctx, variant.kernel, partitions, variant.threads, a.at.bytes, a);
}

template <class K, class P>
static bosc_status run(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, bool rows, int64_t n,
                       struct bi_hash_outcome *outcome, bool *launched)
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
    a.load = s->load;
    a.told = (unsigned long long *)outcome->words;
    BI_TRY(run_picked(ctx, a, 1u << s->partition_bits, outcome, launched));
    if (!*launched) BI_TRY(run_dealt(ctx, a, 1u << s->partition_bits, outcome, launched));
    return *launched ? BOSC_OK : run_tiled(ctx, s, a, outcome, launched);
}

bosc_status bi_hash_launch_build_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values,
                                      int64_t n, struct bi_hash_outcome *outcome, bool *launched)
{
    const struct bi_hash_shape *s = &h->shape;
    const bool rows = values && s->value_bytes != 4 && s->value_bytes != 8;
    const int32_t payload_bytes = !values ? 0 : s->value_bytes == 8 ? 8 : 4;
    *launched = false;
    if (h->opts.layout == BOSC_HASH_ORDERED)
        return bi_hash_launch_ordered_cuda(ctx, h, keys, values, n, outcome, launched);
    if (n == 0 || s->partition_bits > BI_HASH_TILED_BITS) return BOSC_OK;
    const auto run_typed = [&](auto k, auto p) {
        return run<decltype(k), decltype(p)>(ctx, h, keys, values, rows, n, outcome, launched);
    };
    BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_types(s->key_bits, payload_bytes, run_typed));
}

bosc_status bi_hash_await_build_cuda(bosc_ctx *ctx, const struct bi_hash_outcome *outcome, struct bi_hash_report *found,
                                     bool *built)
{
    const unsigned long long *told = (const unsigned long long *)outcome->words;
    if (outcome->stream != ctx->stream && !is_told(told, outcome->reports)) /* that stream may be gone */
        BI_CUDA_TRY(ctx, cudaDeviceSynchronize());
    BI_TRY(bi_cuda_await(ctx, &told[TOLD_BUCKETS], 1));
    BI_TRY(bi_cuda_await(ctx, &told[TOLD_COUNTS], outcome->reports));
    take_told(told, outcome->reports, found, built);
    return BOSC_OK;
}

bosc_status bi_hash_build_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, int64_t n,
                               struct bi_hash_report *found, bool *built)
{
    struct bi_hash_outcome outcome = {ctx->pinned, ctx->stream, 0};
    bool launched;
    *built = false;
    BI_TRY(bi_hash_launch_build_cuda(ctx, h, keys, values, n, &outcome, &launched));
    return launched ? bi_hash_await_build_cuda(ctx, &outcome, found, built) : BOSC_OK;
}

bosc_status bi_hash_open_outcome_cuda(bosc_ctx *ctx, struct bi_hash_outcome *outcome)
{
    if (!bi_fault(BI_FAULT_ALLOC) && cudaMallocHost(&outcome->words, TOLD_WORDS * 8) == cudaSuccess) return BOSC_OK;
    (void)cudaGetLastError();
    outcome->words = NULL;
    return bi_fail(ctx, BOSC_ERR_NOMEM, "out of page-locked memory: %d bytes were refused", TOLD_WORDS * 8);
}

void bi_hash_close_outcome_cuda(const bosc_hash *h)
{
    (void)cudaSetDevice(h->memory.device);
    if (h->pending.state != BI_HASH_SETTLED) (void)cudaDeviceSynchronize();
    (void)cudaFreeHost(h->pending.outcome.words);
}

/* The tiles, their segments, and a word for each partition. */
size_t bi_hash_build_bytes_cuda(const struct bi_hash_shape *s, int64_t n)
{
    if (s->partition_bits > BI_HASH_TILED_BITS) return 0;
    const int32_t payload = s->value_bytes == 0 ? 0 : s->value_bytes == 8 ? 8 : 4;
    const size_t tiles = bi_hash_tile_count(s, payload, n), partitions = (size_t)1 << s->partition_bits;
    return (size_t)n * (size_t)(s->key_bytes + payload) + (tiles + 1) * partitions * 4 + 5 * 256;
}
