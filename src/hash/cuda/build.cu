/* The fused build on CUDA, for tables of up to some millions of pairs: a launch that orders tiles of pairs by
 * partition, and one whose blocks gather a partition each, fill it and write it. Of few pairs each block picks its
 * own out of all, which spares the first launch. The blocks tell the host themselves how it went. What they cannot
 * fill (keys that repeat, a partition that is too large) is left to others. */
#include <math.h>
#include <string.h>

#include "hash/cuda/build.cuh"
#include "hash/cuda/write.cuh"

enum {
    PICK_THREADS = 1024,
    PICK_BYTES = 32,      /* of hashes that a thread holds, where blocks pick from all pairs */
    PICK_PARTITIONS = 8,  /* at most, there */
    GATHERED_AT_ONCE = 4, /* segments */
    MANY_KEYS = 6144,     /* of a partition */
    FEW_BLOCKS = 256
};

/* What the blocks tell the host, in words that are not 0 once they are there: the number of buckets; whether keys
 * repeat, which is there before the counts; counts, which add up, of one block or of all. */
enum { TOLD_BUCKETS, TOLD_REPEATS, TOLD_COUNTS };
enum { TOLD_RESEEDED = 24 /* below: keys in their second bucket */, TOLD_FAILED = 35, TOLD_BLOCKS = 46 };
enum { TOLD_COUNT_BITS = 11 };
static_assert((TOLD_COUNTS + PICK_PARTITIONS) * 8 <= BI_PINNED_BYTES, "a word of each block");
static constexpr unsigned long long TOLD = 1ull << 63;

/* Where the parts of a block's shared memory begin; the hashes are at 0. With `apart` payload and picks have memory of
 * their own; else they take turns with the hashes, so that more blocks run at once. */
struct build_layout {
    uint32_t payload, picks, codes, spilled, ascending, segments, bytes;
    bool apart;
};

template <class K, class P>
struct build_args : bi_hash_fill_args<K, P> { /* its hashes and payload are those of tiles */
    struct build_layout at;
    const K *keys; /* (n) */
    uint32_t n;
    uint64_t seed;
    struct bi_hash_tiles tiles;
    uint32_t lanes;           /* of a warp that read a segment */
    uint32_t *laid;           /* (partitions) their buckets; 0: not there yet */
    unsigned long long *done; /* counts of the blocks so far */
    unsigned long long *told;
};

/* The segments of a partition. words (count + 1), in shared memory: the position of each one's first pair among the
 * partition's, and its begin in the tile << BI_HASH_SEGMENT_BITS. */
struct segment_list {
    const uint32_t *words;
    uint32_t count, pairs, lanes;

    static __device__ __forceinline__ uint32_t position(uint32_t word)
    {
        return word & ((1u << BI_HASH_SEGMENT_BITS) - 1);
    }

    /* Calls f(position, index in the tiles' arrays) for each pair, several times at once. */
    template <int THREADS, class T, class F> __device__ __forceinline__ void each(const T *array, const F &f) const
    {
        const uint32_t lane = threadIdx.x & (lanes - 1), groups = THREADS / lanes;
        for (uint32_t s = threadIdx.x / lanes; s < count; s += GATHERED_AT_ONCE * groups) {
            uint32_t at[GATHERED_AT_ONCE], length[GATHERED_AT_ONCE];
            const T *from[GATHERED_AT_ONCE];
            T x[GATHERED_AT_ONCE];
#pragma unroll
            for (uint32_t k = 0; k < GATHERED_AT_ONCE; k++) {
                const uint32_t tile = min(s + k * groups, count - 1), word = words[tile];
                at[k] = position(word);
                length[k] = s + k * groups < count ? position(words[tile + 1]) - at[k] : 0;
                from[k] = array + (size_t)tile * pairs + (word >> BI_HASH_SEGMENT_BITS);
                if (lane < length[k]) x[k] = from[k][lane];
            }
#pragma unroll
            for (uint32_t k = 0; k < GATHERED_AT_ONCE; k++) {
                if (lane < length[k]) f(at[k] + lane, x[k]);
                for (uint32_t i = lane + lanes; i < length[k]; i += lanes) f(at[k] + i, from[k][i]);
            }
        }
    }
};

/* The hashes of a partition: in shared memory, or in segments. */
template <class K, int THREADS> struct gathered {
    const K *kept; /* NULL: in segments */
    const K *hashes;
    segment_list segments;

    template <class F> __device__ __forceinline__ void each_hash(uint32_t keys, const F &f) const
    {
        if (!kept) return segments.each<THREADS>(hashes, f);
        for (uint32_t i = threadIdx.x; i < keys; i += THREADS) f(i, kept[i]);
    }
    __device__ __forceinline__ const K *hashes_in_shared(uint32_t keys, uint32_t *memory) const
    {
        if (kept) return kept;
        K *there = reinterpret_cast<K *>(memory);
        each_hash(keys, [&](uint32_t i, K hash) { there[i] = hash; });
        return there;
    }
};

/* Finds the segments of the block's partition; returns its number of keys. All threads call it. */
template <int THREADS, class A>
static __device__ uint32_t find_segments(const A &a, uint32_t *words, bi_hash_block_state<THREADS> &state)
{
    const uint32_t *row = a.tiles.segments + (size_t)blockIdx.x * a.tiles.count;
    uint32_t keys = 0, all;
    for (uint32_t begin = 0; begin < a.tiles.count; begin += THREADS) {
        const uint32_t tile = begin + threadIdx.x, word = tile < a.tiles.count ? row[tile] : 0;
        const uint32_t before = bi_block_exclusive_sum<THREADS / 32>(word >> BI_HASH_SEGMENT_BITS, state.warps, &all);
        if (tile < a.tiles.count) words[tile] = segment_list::position(keys + before) | word << BI_HASH_SEGMENT_BITS;
        keys += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) words[a.tiles.count] = keys;
    __syncthreads();
    return keys;
}

/* What a warp counts of its rows of pairs: lane d has those of partition d. */
struct pick_shared {
    uint32_t counts[PICK_THREADS / 32][PICK_PARTITIONS];
};

/* Picks the block's partition out of all pairs, stably: hashes and payload into shared memory, where not more than
 * there is room for. *first gets its first bucket. Returns its number of keys. All threads call it. */
template <class K, class P>
static __device__ uint32_t pick_pairs(const build_args<K, P> &a, K *hashes, P *payload, pick_shared &sh,
                                      uint32_t *first)
{
    constexpr int ITEMS = PICK_BYTES / sizeof(K), WARPS = PICK_THREADS / 32;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = (a.n + PICK_THREADS - 1) / PICK_THREADS;
    const uint32_t from = warp * rows * 32 + lane, digit = lane % PICK_PARTITIONS;
    K hash[ITEMS];
    P value[ITEMS];
    uint32_t own[ITEMS], count = 0; /* the lanes that have a key of the block's */
#pragma unroll
    for (uint32_t k = 0; k < ITEMS; k++) { /* without conditions, so that all are read at once */
        const uint32_t i = min(from + 32 * k, a.n - 1);
        hash[k] = a.keys[i];
        if constexpr (bi_hash_has_value<P>) value[k] = a.payload ? a.payload[i] : (P)i;
    }
#pragma unroll
    for (uint32_t k = 0; k < ITEMS; k++) {
        if (k >= rows) continue;
        const bool in = from + 32 * k < a.n;
        if (in) hash[k] = bi_hash_key_hash(hash[k], a.seed);
        const uint32_t partition = in ? bi_hash_key_partition(hash[k], a.partition_bits) : 0;
        uint32_t equal = __ballot_sync(~0u, in);
        own[k] = equal;
        for (int b = 0; b < a.partition_bits; b++) {
            const uint32_t set = __ballot_sync(~0u, partition >> b & 1);
            equal &= digit >> b & 1 ? set : ~set;
            own[k] &= blockIdx.x >> b & 1 ? set : ~set;
        }
        count += (uint32_t)__popc(equal);
    }
    if (lane < PICK_PARTITIONS) sh.counts[warp][lane] = lane >> a.partition_bits ? 0 : count;
    __syncthreads();
    uint32_t total = 0, at = 0;
    for (uint32_t w = 0; w < WARPS; w++) {
        total += sh.counts[w][digit];
        if (w < warp) at += sh.counts[w][blockIdx.x];
    }
    *first = bi_warp_sum(lane < blockIdx.x ? bi_hash_partition_buckets(a.load, total) : 0u);
#pragma unroll
    for (uint32_t k = 0; k < ITEMS; k++) {
        if (k >= rows) continue;
        const uint32_t position = at + (uint32_t)__popc(own[k] & bi_lanes_below());
        at += (uint32_t)__popc(own[k]);
        if (!(own[k] >> lane & 1) || position >= a.block_keys) continue;
        hashes[position] = hash[k];
        if constexpr (bi_hash_has_value<P>) payload[position] = value[k];
    }
    return __shfl_sync(~0u, total, blockIdx.x);
}

/* The first bucket of the block's partition: sums up what the blocks before have laid down, and counts for those that
 * have not come to it. All threads call it. */
template <int THREADS, class A>
static __device__ uint32_t find_first_bucket(const A &a, bi_hash_block_state<THREADS> &state)
{
    uint32_t sum = 0, first;
    for (uint32_t p = threadIdx.x; p < blockIdx.x; p += THREADS) {
        uint32_t buckets = bi_load_relaxed(&a.laid[p]);
        if (!buckets) {
            uint32_t keys = 0;
            const uint32_t *row = a.tiles.segments + (size_t)p * a.tiles.count;
            for (uint32_t tile = 0; tile < a.tiles.count; tile++) keys += row[tile] >> BI_HASH_SEGMENT_BITS;
            buckets = bi_hash_partition_buckets(a.load, keys);
        }
        sum += buckets;
    }
    bi_block_exclusive_sum<THREADS / 32>(sum, state.warps, &first);
    return first;
}

/* Tells the host, after all that the block wrote: its counts; with tiles, the last block to come here, those of all.
 * Thread 0 calls it, after a barrier. */
template <bool TILED, class A>
static __device__ void tell_host(const A &a, unsigned long long counts, bool repeats, uint32_t buckets)
{
    if (blockIdx.x == gridDim.x - 1) bi_tell_host(&a.told[TOLD_BUCKETS], TOLD | buckets);
    if (repeats) bi_tell_host(&a.told[TOLD_REPEATS], TOLD);
    __threadfence_system();
    if (!TILED) {
        bi_tell_host(&a.told[TOLD_COUNTS + blockIdx.x], TOLD | counts);
        return;
    }
    counts += 1ull << TOLD_BLOCKS;
    counts += atomicAdd(a.done, counts);
    if (counts >> TOLD_BLOCKS < gridDim.x) return;
    __threadfence_system();
    bi_tell_host(&a.told[TOLD_COUNTS], TOLD | counts);
}

template <class K, class P, int THREADS, bool PICKS, bool TILED>
static __global__ void __launch_bounds__(THREADS) bi_hash_build_partitions(const build_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<THREADS>, state);
    BI_SHARED(pick_shared, counts);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    K *hashes = reinterpret_cast<K *>(memory);
    P *payload = reinterpret_cast<P *>(memory + a.at.payload);
    uint32_t *words = reinterpret_cast<uint32_t *>(memory + a.at.segments), first = 0;
    bi_hash_matching<K, P, gathered<K, THREADS>, true, THREADS, PICKS> partition;
    partition.number = blockIdx.x;
    partition.keys = TILED ? find_segments(a, words, state) : pick_pairs(a, hashes, payload, counts, &first);
    partition.buckets = bi_hash_partition_buckets(a.load, partition.keys);
    partition.source = {a.at.apart ? hashes : nullptr, a.hashes, {words, a.tiles.count, a.tiles.pairs, a.lanes}};
    partition.hashes = a.at.apart || !PICKS ? hashes : nullptr;
    partition.payload = payload;
    partition.picks = reinterpret_cast<uint32_t *>(memory + a.at.picks);
    partition.codes = reinterpret_cast<uint32_t *>(memory + a.at.codes);
    partition.spilled = reinterpret_cast<uint32_t *>(memory + a.at.spilled);
    partition.ascending = reinterpret_cast<uint32_t *>(memory + a.at.ascending);
    const bool fits = partition.keys <= a.block_keys && partition.buckets <= a.block_buckets;
    const segment_list &segments = partition.source.segments;
    const auto gather_payload = [&] { segments.each<THREADS>(a.payload, [&](uint32_t i, P x) { payload[i] = x; }); };
    if (threadIdx.x == 0) {
        if (TILED) bi_store_relaxed(&a.laid[blockIdx.x], partition.buckets);
        state.repeats = state.second = 0;
    }
    if (TILED && fits && partition.hashes) segments.each<THREADS>(a.hashes, [&](uint32_t i, K x) { hashes[i] = x; });
    if constexpr (TILED && bi_hash_has_value<P>)
        if (fits && a.at.apart) gather_payload();
    bool filled = false;
    if (fits) {
        if (PICKS && a.at.apart) __syncthreads();
        bi_hash_begin_matching(partition, state, 0);
        __syncthreads();
        filled = bi_hash_match_partition(partition, state, false, nullptr);
    }
    if (TILED) first = find_first_bucket(a, state);
    partition.first = first;
    if (filled && !a.values) {
        write_partition(partition, a, [&] {
            if constexpr (TILED)
                if (!a.at.apart) {
                    gather_payload();
                    __syncthreads();
                }
            return payload;
        });
    } else if (filled) {
        for (uint32_t b = threadIdx.x; b < partition.buckets; b += THREADS) bi_hash_write_bucket(partition, a, b);
    }
    if (filled && threadIdx.x == 0)
        a.partitions[blockIdx.x] = {first, partition.buckets << BOSC_HASH_SEED_BITS | partition.seed};
    __syncthreads();
    if (threadIdx.x > 0) return;
    const unsigned long long reseeded = filled && partition.seed > 0, failed = !filled;
    tell_host<TILED>(a, (filled ? state.second : 0) + (reseeded << TOLD_RESEEDED) + (failed << TOLD_FAILED),
                     !filled && fits && state.repeats, first + partition.buckets);
}

template <class K, class P> struct build_variant {
    void (*kernel)(build_args<K, P>);
    uint32_t threads;
    size_t state_bytes;
    bool picks, tiled;
};

template <class K, class P, int THREADS, bool PICKS, bool TILED> static build_variant<K, P> variant_of()
{
    enum { UNIT = 1024 }; /* more than what static memory may be padded to */
    const size_t state = bi_round_up(sizeof(bi_hash_block_state<THREADS>) + sizeof(pick_shared), UNIT);
    return {bi_hash_build_partitions<K, P, THREADS, PICKS, TILED>, THREADS, state, PICKS, TILED};
}

/* As for fill (choose_variant there); more threads where partitions are large or blocks are few. */
template <class K, class P>
static build_variant<K, P> choose_variant(double load, int64_t n, uint32_t partitions, bool tiled)
{
    constexpr bool PICKS = bi_hash_key_bits<K> <= 64;
    const bool walks = load > 0.87, large = n / partitions > MANY_KEYS, few = partitions <= FEW_BLOCKS;
    if (!tiled)
        return walks ? variant_of<K, P, PICK_THREADS, PICKS, false>() : variant_of<K, P, PICK_THREADS, false, false>();
    if (walks) return large || few ? variant_of<K, P, 512, PICKS, true>() : variant_of<K, P, 256, PICKS, true>();
    return large ? variant_of<K, P, 512, false, true>() : variant_of<K, P, 384, false, true>();
}

template <class K, class P>
static build_layout layout_of(uint32_t keys, uint32_t buckets, uint32_t tiles, bool picks, bool apart)
{
    build_layout at = {};
    const auto place = [&](size_t bytes) {
        const uint32_t begin = at.bytes;
        at.bytes += (uint32_t)bi_round_up(bytes, 16);
        return begin;
    };
    const size_t payload = (size_t)bi_hash_payload_bytes<P> * keys, hashes = sizeof(K) * keys;
    at.apart = apart;
    place(apart ? hashes : hashes > payload ? hashes : payload);
    if (apart) {
        at.payload = place(payload);
        at.picks = place(picks ? (size_t)keys * 4 : 0);
    }
    at.codes = place((size_t)buckets * sizeof(uint4));
    at.spilled = place(((size_t)buckets + 31) / 32 * 4);
    at.ascending = place(((size_t)buckets + 31) / 32 * 4);
    at.segments = place(((size_t)tiles + 1) * 4);
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
        if (!apart && (!variant.tiled || a->values)) break;
        const double most = mean + (apart ? MOST : FEWEST + d) * sqrt(mean) + 8;
        const uint32_t limit = a->n < a->max_keys ? a->n : a->max_keys, keys = most < limit ? (uint32_t)most : limit;
        const uint32_t buckets = bi_hash_partition_buckets(a->load, keys);
        const build_layout at = layout_of<K, P>(keys, buckets, a->tiles.count, variant.picks, apart);
        const size_t bytes = at.bytes + variant.state_bytes;
        const size_t at_once = min(all / (bytes + RESERVED), (size_t)2048 / variant.threads);
        if (bytes > available || (found && at_once <= most_at_once)) continue;
        const bool whole = at_once * (size_t)ctx->multiprocessors >= partitions;
        if (apart && !whole && variant.tiled && !a->values) continue; /* turns may be better */
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

template <class K, class P>
static bosc_status run(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, bool rows, int64_t n,
                       struct bi_hash_report *found, bool *built)
{
    const struct bi_hash_shape *s = &h->shape;
    const uint32_t partitions = 1u << s->partition_bits;
    const bool tiled = n > PICK_THREADS * (PICK_BYTES / (int64_t)sizeof(K)) || partitions > PICK_PARTITIONS;
    const build_variant<K, P> variant = choose_variant<K, P>(s->load, n, partitions, tiled);
    const uint32_t reports = tiled ? 1 : partitions;
    unsigned long long *told = (unsigned long long *)ctx->pinned;
    bool ready = true;
    build_args<K, P> a = {};
    a.keys = (const K *)keys;
    a.payload = rows ? NULL : (const P *)values;
    a.values = rows ? (const unsigned char *)values : NULL;
    a.n = (uint32_t)n;
    a.seed = s->seed;
    a.partitions = (bosc_hash_partition *)h->blocks[BI_HASH_DESCRIPTORS].data;
    a.table = (unsigned char *)h->blocks[BI_HASH_TABLE].data;
    a.partition_bits = s->partition_bits;
    a.stride = s->stride;
    a.value_bytes = s->value_bytes;
    a.max_keys = bi_hash_max_partition_keys(s->key_bits);
    a.load = s->load;
    a.told = told;
    if (tiled) BI_TRY(order_tiles(ctx, s, &a, &ready));
    if (!ready || !choose_limits(ctx, variant, partitions, &a)) return BOSC_OK;
    const int limit = (int)(bi_hash_shared_bytes(ctx) - variant.state_bytes); /* the kernel's, in all contexts */
    memset(told, 0, (TOLD_COUNTS + reports) * sizeof *told);
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(variant.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
    BI_TRY(BI_RUN(ctx, variant.kernel, partitions, variant.threads, a.at.bytes, a));
    BI_TRY(bi_cuda_await(ctx, &told[TOLD_BUCKETS], 1));
    BI_TRY(bi_cuda_await(ctx, &told[TOLD_COUNTS], reports));
    take_told(told, reports, found, built);
    return BOSC_OK;
}

bosc_status bi_hash_build_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, int64_t n,
                               struct bi_hash_report *found, bool *built)
{
    const struct bi_hash_shape *s = &h->shape;
    const bool rows = values && s->value_bytes != 4 && s->value_bytes != 8;
    const int32_t payload_bytes = !values ? 0 : s->value_bytes == 8 ? 8 : 4;
    *built = false;
    if (n == 0 || s->partition_bits > BI_HASH_TILED_BITS) return BOSC_OK;
    const auto run_typed = [&](auto k, auto p) {
        return run<decltype(k), decltype(p)>(ctx, h, keys, values, rows, n, found, built);
    };
    BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_types(s->key_bits, payload_bytes, run_typed));
}

/* The tiles, their segments, and a word for each partition. */
size_t bi_hash_build_bytes_cuda(const struct bi_hash_shape *s, int64_t n)
{
    if (s->partition_bits > BI_HASH_TILED_BITS) return 0;
    const int32_t payload = s->value_bytes == 0 ? 0 : s->value_bytes == 8 ? 8 : 4;
    const size_t tiles = bi_hash_tile_count(s, payload, n), partitions = (size_t)1 << s->partition_bits;
    return (size_t)n * (size_t)(s->key_bytes + payload) + (tiles + 1) * partitions * 4 + 5 * 256;
}
