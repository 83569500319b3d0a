/* Fills partitions on CUDA from lists: layout, kernels and their launches. */
#include <math.h>

#include "core/cuda/shared.cuh"
#include "hash/cuda/write_buckets.cuh"

enum {
    LAY_THREADS = 1024,
    RESIDENT_THREADS = 2048, /* limit of the threads of a multiprocessor */
    /* Up to this many, the blocks that fill partitions lay them out too: a launch less. Not measured. */
    SELF_LAID_PARTITIONS = 1024
};

/* Arguments of the layout kernel. */
struct lay_args {
    const uint32_t *starts;
    bosc_hash_partition *partitions;
    struct bi_hash_report *report;
    uint32_t count, max_keys, block_keys, block_buckets;
    bool distinct;             /* no key repeats: oversized partitions are filled too */
    bool in_place;             /* partitions keep the buckets that they have */
    uint32_t buckets_in_place; /* with in_place: the number of buckets in all */
    double load_factor;
    uint32_t *large; /* (report->large) partitions that do not fit in shared memory */
};

/* Lists a partition that does not fit in shared memory; reports an oversized one. A: lay_args or the arguments of
 * filling. */
template <class A>
static __device__ void list_or_report_large(const A &a, uint32_t partition, uint32_t keys, uint32_t buckets)
{
    const bool too_large = bi_hash_too_many_buckets(buckets),
               left_unfilled = too_large || (!a.distinct && keys > a.max_keys);
    if (too_large) bi_store_relaxed(&a.report->too_large, 1u);
    if (left_unfilled) bi_store_relaxed(&a.report->oversized, 1u);
    if (left_unfilled || keys == 0 || (keys <= a.block_keys && buckets <= a.block_buckets)) return;
    a.large[atomicAdd(&a.report->large, 1u)] = partition;
}

/* Lays out the partitions one after the other. A block handles LAY_THREADS of them and sums up the ones before by
 * itself, as they are few. */
static __global__ void __launch_bounds__(LAY_THREADS) bi_hash_lay_out(const lay_args a)
{
    struct lay_shared {
        uint32_t warps[2][LAY_THREADS / 32];
    };
    BI_SHARED(lay_shared, sh);
    const uint32_t begin = blockIdx.x * LAY_THREADS, partition = begin + threadIdx.x;
    /* 1. Sum up the buckets of partitions of earlier blocks. */
    uint32_t sum = 0, preceding, buckets = 0, all;
    if (!a.in_place)
        for (uint32_t p = threadIdx.x; p < begin; p += LAY_THREADS)
            sum += bi_hash_partition_buckets(a.load_factor, a.starts[p + 1] - a.starts[p]);
    bi_block_exclusive_sum<LAY_THREADS / 32>(sum, sh.warps[0], &preceding);
    /* 2. Scan the buckets of the block's partitions, and write their descriptors. */
    if (partition < a.count) {
        const uint32_t keys = a.starts[partition + 1] - a.starts[partition];
        buckets = a.in_place ? a.partitions[partition].buckets_seed >> BOSC_HASH_SEED_BITS
                             : bi_hash_partition_buckets(a.load_factor, keys);
        list_or_report_large(a, partition, keys, buckets);
    }
    const uint32_t first = preceding + bi_block_exclusive_sum<LAY_THREADS / 32>(buckets, sh.warps[1], &all);
    if (partition < a.count && !a.in_place) a.partitions[partition] = {first, buckets << BOSC_HASH_SEED_BITS};
    if (partition == a.count - 1) a.report->buckets = a.in_place ? a.buckets_in_place : first + buckets;
}

/* Layout of a block's shared memory: the hashes, replaced by the payload once they are written; then codes, a uint4 a
 * bucket, and marks, a bit a bucket (bi_hash_matching). The less memory a block needs, the more blocks run at once. */
struct shared_layout {
    size_t codes, spilled, ascending, bytes;
};
template <class K, class P> __host__ __device__ static shared_layout shared_layout_of(uint32_t keys, uint32_t buckets)
{
    shared_layout layout;
    const size_t marks = ((size_t)buckets + 31) / 32 * 4, widest = sizeof(K) > sizeof(P) ? sizeof(K) : sizeof(P);
    layout.codes = ((size_t)(keys + bi_hash_is_span<P>)*widest + 15) / 16 * 16;
    layout.spilled = layout.codes + (size_t)buckets * sizeof(uint4);
    layout.ascending = layout.spilled + marks;
    layout.bytes = layout.ascending + marks;
    return layout;
}

/* Copies a list to shared memory: up to 8 bytes an item without registers, so that all reads are in flight at once. The
 * caller adds a barrier. */
template <int THREADS, bool PICKS, class T>
static __device__ __forceinline__ void copy_list_to_shared(const T *list, uint32_t count, T *to)
{
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        for (uint32_t i = threadIdx.x; i < count; i += THREADS) bi_copy_async(&to[i], &list[i]);
        bi_wait_copies();
    } else {
        bi_hash_for_each<THREADS, PICKS>(list, count, [&](uint32_t i, T x) { to[i] = x; });
    }
}

/* Copies the block's share of the carried words, four at once, and the first block those left over. The copy overlaps
 * the matching of other blocks, which moves few bytes. */
template <class A> static __device__ __forceinline__ void copy_carried(const A &a)
{
    enum { AT_ONCE = 4 }; /* loads in flight; not measured */
    const size_t pieces = a.carried_words / 4, end = pieces * (blockIdx.x + 1) / gridDim.x;
    const uint4 *from = reinterpret_cast<const uint4 *>(a.carried);
    uint4 *to = reinterpret_cast<uint4 *>(a.carried_to);
    for (size_t i = pieces * blockIdx.x / gridDim.x + threadIdx.x; i < end; i += AT_ONCE * blockDim.x) {
        uint4 piece[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (i + j * blockDim.x < end) piece[j] = __ldcs(&from[i + j * blockDim.x]);
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (i + j * blockDim.x < end) __stcs(&to[i + j * blockDim.x], piece[j]);
    }
    if (blockIdx.x == 0 && threadIdx.x < a.carried_words % 4)
        a.carried_to[pieces * 4 + threadIdx.x] = a.carried[pieces * 4 + threadIdx.x];
}

/* Lays out the block's partition, of `keys` keys, where there are few: each block sums up the partitions before its
 * own. Not in place. All threads call it. */
template <class K, class P, int THREADS>
static __device__ bosc_hash_partition lay_out(const bi_hash_fill_args<K, P> &a, uint32_t keys,
                                              bi_hash_block_state<THREADS> &state)
{
    const uint32_t number = blockIdx.x, buckets = bi_hash_partition_buckets(a.load_factor, keys);
    uint32_t sum = 0, first;
    for (uint32_t p = threadIdx.x; p < number; p += THREADS)
        sum += bi_hash_partition_buckets(a.load_factor, a.starts[p + 1] - a.starts[p]);
    bi_block_exclusive_sum<THREADS / 32>(sum, state.warps, &first);
    const bosc_hash_partition laid = {first, buckets << BOSC_HASH_SEED_BITS};
    if (threadIdx.x > 0) return laid;
    list_or_report_large(a, number, keys, buckets);
    a.partitions[number] = laid;
    if (number == gridDim.x - 1) a.report->buckets = first + buckets;
    return laid;
}

/* The lists of a partition: contiguous, or spans in pieces. */
template <class K, class P, int THREADS, bool PICKS> struct list_type {
    typedef bi_hash_list<K, THREADS, PICKS> type;
};
template <class K, int THREADS, bool PICKS> struct list_type<K, bi_hash_span_begin, THREADS, PICKS> {
    typedef bi_hash_pieces<K, THREADS> type;
};
template <class K, class P, int THREADS, bool PICKS> using list_of = typename list_type<K, P, THREADS, PICKS>::type;

template <int THREADS, class K, class P>
static __device__ __forceinline__ bi_hash_pieces<K, THREADS> pieces_of(const bi_hash_fill_args<K, P> &a,
                                                                       uint32_t partition)
{
    const size_t first = (size_t)partition << a.piece_shift;
    return {a.hashes, a.piece_begins + first, a.piece_starts + first, 1u << a.piece_shift};
}

/* Fills a partition that fits in shared memory. PICKS: the buckets of each key are computed once and stored. In place,
 * an empty list means that no key was added: the partition stays, with its pairs. Otherwise an empty partition has one
 * bucket, of fillers. With a.values the payload is row numbers; a set has no payload. A block tries all seeds of a
 * partition. It leaves the partition unfinished, and reports that, if the partition is oversized, or a key repeats or
 * may repeat. The table is then built again, from groups. */
template <class K, class P, int THREADS, bool PICKS>
static __global__ void __launch_bounds__(THREADS) bi_hash_fill_partitions(const bi_hash_fill_args<K, P> a)
{
    BI_SHARED(bi_hash_block_state<THREADS>, state);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    bi_hash_matching<K, P, list_of<K, P, THREADS, PICKS>, true, THREADS, PICKS> partition;
    if constexpr (bi_hash_is_span<P>)
        if (a.carried) copy_carried(a);
    /* 1. Find the partition; skip one that is too large, or empty and in place. */
    partition.number = blockIdx.x;
    const uint32_t begin = a.starts[partition.number];
    partition.keys = a.starts[partition.number + 1] - begin;
    const bosc_hash_partition descriptor =
        a.lay_out ? lay_out(a, partition.keys, state) : a.partitions[partition.number];
    partition.first = descriptor.first;
    partition.buckets = descriptor.buckets_seed >> BOSC_HASH_SEED_BITS;
    if (partition.keys > a.block_keys || partition.buckets > a.block_buckets ||
        (!a.distinct && partition.keys > a.max_keys))
        return;
    if (partition.keys == 0 && a.in_place) return;
    /* 2. Set up its parts in shared memory; without PICKS load the hashes. With PICKS the picks have their memory. */
    const shared_layout layout = shared_layout_of<K, P>(a.block_keys, a.block_buckets);
    if constexpr (bi_hash_is_span<P>) {
        partition.source = pieces_of<THREADS>(a, partition.number);
        partition.hashes = nullptr;
    } else {
        partition.source.hashes = partition.hashes = a.hashes + begin;
    }
    partition.picks = reinterpret_cast<uint32_t *>(memory);
    partition.payload = a.payload + (bi_hash_has_value<P> ? begin : 0);
    partition.codes = reinterpret_cast<uint32_t *>(memory + layout.codes);
    partition.spilled = reinterpret_cast<uint32_t *>(memory + layout.spilled);
    partition.ascending = reinterpret_cast<uint32_t *>(memory + layout.ascending);
    if constexpr (!PICKS) {
        K *hashes = reinterpret_cast<K *>(memory);
        if constexpr (bi_hash_is_span<P>)
            partition.source.copy(a.hashes, hashes);
        else
            copy_list_to_shared<THREADS, PICKS>(partition.hashes, partition.keys, hashes);
        partition.hashes = hashes;
    }
    /* 3. Match, with further seeds where one fails, and report, unless a repeated key was already found elsewhere. */
    bi_hash_clear_matching(partition, state, 0);
    if (threadIdx.x == 0) {
        state.repeats = state.second = 0;
        state.skip = bi_load_relaxed(&a.report->repeats);
    }
    __syncthreads(); /* hashes and the cleared state are there */
    if (state.skip) return;
    const bool filled = bi_hash_match_partition(partition, state, a.distinct, &a.report->repeats);
    if (threadIdx.x == 0) bi_hash_report_partition(partition, state, a, filled);
    if (!filled) return;
    /* 4. Write the buckets: hashes, then the payload in their memory, loaded after a barrier that ends the reads of the
     * hashes; other values straight from their rows. */
    if (!a.values)
        write_partition(partition, a, [&] {
            P *payload = reinterpret_cast<P *>(memory);
            if constexpr (bi_hash_is_span<P>) {
                partition.source.copy(a.payload, payload);
                if (threadIdx.x == 0) payload[partition.keys].begin = partition.source.begins[partition.source.pieces];
            } else {
                copy_list_to_shared<THREADS, PICKS>(partition.payload, partition.keys, payload);
            }
            __syncthreads(); /* the payload is there */
            return payload;
        });
    else
        for (uint32_t b = threadIdx.x; b < partition.buckets; b += THREADS) bi_hash_write_bucket(partition, a, b);
}

/* Makes the lists of a partition's spans contiguous, in their part of the arrays, which no other block uses. The caller
 * adds a barrier. */
template <class M, class K>
static __device__ void join_pieces(const bi_hash_fill_args<K, bi_hash_span_begin> &a, M &partition)
{
    const auto source = pieces_of<M::THREADS>(a, partition.number);
    const uint32_t begin = source.begins[0], end = source.begins[source.pieces];
    bi_hash_span_begin *spans = const_cast<bi_hash_span_begin *>(a.payload);
    source.close_gaps(const_cast<K *>(a.hashes));
    source.close_gaps(spans);
    /* Without a gap the next partition's first span is there. */
    if (threadIdx.x == 0 && partition.keys < end - begin) spans[begin + partition.keys].begin = end;
    partition.hashes = a.hashes + begin;
    partition.payload = a.payload + begin;
}

/* Fills the listed partitions, which are too large for shared memory; their codes are in the table. marks_words: words
 * of one of the two kinds of marks. The grid has any size. Once a repeated key is known, a block leaves its further
 * partitions unfinished. */
template <class K, class P>
static __global__ void __launch_bounds__(BI_HASH_LARGE_THREADS)
    bi_hash_fill_large(const bi_hash_fill_args<K, P> a, uint32_t marks_words)
{
    BI_SHARED(bi_hash_block_state<BI_HASH_LARGE_THREADS>, state);
    const uint32_t count = a.report->large;
    for (uint32_t k = blockIdx.x; k < count; k += gridDim.x) {
        bi_hash_matching<K, P, bi_hash_list<K, BI_HASH_LARGE_THREADS, false>, false, BI_HASH_LARGE_THREADS, false>
            partition;
        /* 1. Set up the partition, with codes in the table and marks in memory. */
        partition.number = a.large[k];
        const uint32_t begin = a.starts[partition.number];
        const bosc_hash_partition descriptor = a.partitions[partition.number];
        partition.keys = a.starts[partition.number + 1] - begin;
        partition.first = descriptor.first;
        partition.buckets = descriptor.buckets_seed >> BOSC_HASH_SEED_BITS;
        if constexpr (bi_hash_is_span<P>) {
            join_pieces(a, partition);
        } else {
            partition.hashes = a.hashes + begin;
            partition.payload = a.payload + (bi_hash_has_value<P> ? begin : 0);
        }
        partition.codes = reinterpret_cast<uint32_t *>(a.table + (size_t)partition.first * (uint32_t)a.stride);
        partition.step = (uint32_t)a.stride / 4;
        /* words that no other partition uses: see marks_of */
        partition.spilled = a.marks + partition.first / 32 + partition.number;
        partition.ascending = partition.spilled + marks_words;
        /* 2. Match and report, unless a repeated key was already found elsewhere. */
        bi_hash_clear_matching(partition, state, 0);
        if (threadIdx.x == 0) {
            state.repeats = state.second = 0;
            state.skip = bi_load_relaxed(&a.report->repeats);
        }
        __syncthreads(); /* the cleared state is there */
        if (state.skip) return;
        const bool filled = bi_hash_match_partition(partition, state, a.distinct, &a.report->repeats);
        if (threadIdx.x == 0) bi_hash_report_partition(partition, state, a, filled);
        /* 3. Write the buckets over the codes: a thread reads a bucket's codes before it writes the bucket. */
        if (filled)
            for (uint32_t b = threadIdx.x; b < partition.buckets; b += BI_HASH_LARGE_THREADS)
                bi_hash_write_bucket(partition, a, b);
        __syncthreads(); /* the state is free for the next partition */
    }
}

/* A kernel that fills partitions, its threads a block, and its static shared memory. */
template <class K, class P> struct fill_variant {
    void (*kernel)(bi_hash_fill_args<K, P>);
    uint32_t threads;
    size_t state_bytes;
};

template <class K, class P, int THREADS, bool PICKS> static fill_variant<K, P> variant_of()
{
    enum { UNIT = 1024 }; /* more than the alignment of static memory may add */
    const size_t state = bi_round_up(sizeof(bi_hash_block_state<THREADS>), UNIT);
    return {bi_hash_fill_partitions<K, P, THREADS, PICKS>, THREADS, state};
}

/* Chooses the kernel by load factor (measured, 32 bits: 5 M at 0.85 take 0.226 ms by 384 threads, 0.221 by 320; 100 M
 * at 0.88 take 3.33 by 320, 3.22 by 256 with picks). With few empty slots the last keys of a partition take long walks,
 * so fewer threads should wait for them, and the buckets of a key are computed once; with keys of 128 bits that was no
 * gain. Multimaps of 2^24 pairs take 20 to 50 us less by 448 threads than by 320; 384 and 512 differ by 1 %. When spans
 * were payload of 8 bytes, they took 45 us less by 448 threads than by 320, and 20 to 40 us more by 512 to 1,024. */
template <class K, class P> static fill_variant<K, P> choose_variant(double load_factor)
{
    constexpr bool is_span = bi_hash_is_span<P>, two_words = bi_hash_payload_bytes<P> == 8;
    constexpr int MIDDLE = is_span ? 448 : bi_hash_key_bits<K> != 32 ? 256 : two_words ? 448 : 320;
    constexpr bool PICKS = bi_hash_key_bits<K> <= 64;
    if (load_factor > 0.87) return variant_of<K, P, 256, PICKS>();
    if (load_factor > 0.75) return variant_of<K, P, MIDDLE, false>();
    return variant_of<K, P, 384, false>();
}

/* Sets the limits of keys and buckets of a block in *a, whose max_keys is set; bi_hash_fill_large fills larger
 * partitions. The limits are the maximum of a partition if all blocks run at once then; else the mean and eight down to
 * five standard deviations, whichever lets more blocks run at once; or what fits in shared memory. */
template <class K, class P>
static void choose_block_limits(const bosc_ctx *ctx, const fill_variant<K, P> &variant, int64_t n, uint32_t partitions,
                                double load_factor, bi_hash_fill_args<K, P> *a)
{
    const double mean = (double)n / partitions;
    enum { FEWEST = 5, MOST = 8, RESERVED = 1024 /* bytes that CUDA reserves for each block */ };
    const size_t block_bytes = bi_shared_bytes(ctx);
    const size_t multiprocessor_bytes = bi_hash_multiprocessor_shared_bytes(ctx);
    const auto bytes_of = [&](uint32_t keys, uint32_t buckets) {
        return shared_layout_of<K, P>(keys, buckets).bytes + variant.state_bytes;
    };
    const auto at_once_of = [&](size_t bytes) {
        return min(multiprocessor_bytes / (bytes + RESERVED), (size_t)RESIDENT_THREADS / variant.threads);
    };
    a->block_keys = a->max_keys;
    a->block_buckets = bi_hash_partition_buckets(load_factor, a->max_keys);
    const size_t largest = bytes_of(a->block_keys, a->block_buckets);
    if (largest <= block_bytes && at_once_of(largest) * (size_t)ctx->multiprocessors >= partitions) return;
    size_t max_at_once = 0;
    for (int deviations = FEWEST; deviations <= MOST; deviations++) {
        const double most = mean + deviations * sqrt(mean) + 8;
        uint32_t keys = most < a->max_keys ? (uint32_t)most : a->max_keys, buckets;
        size_t bytes;
        for (;; keys -= keys / 16 + 1) { /* down to what fits in shared memory, to a sixteenth */
            buckets = bi_hash_partition_buckets(load_factor, keys);
            bytes = bytes_of(keys, buckets);
            if (bytes <= block_bytes) break;
        }
        const size_t at_once = at_once_of(bytes);
        if (at_once < max_at_once) return; /* more room would let fewer blocks run */
        max_at_once = at_once;
        a->block_keys = keys;
        a->block_buckets = buckets;
    }
}

/* Returns the words of marks for all buckets: those of a partition begin at first / 32 + its number, so that no two
 * share a word. */
static size_t marks_of(int64_t buckets, int32_t partition_bits)
{
    return (size_t)(buckets / 32) + ((size_t)1 << partition_bits) + 1;
}

/* Returns a bound of the buckets of n keys: each partition rounds up. */
static int64_t max_buckets(const struct bi_hash_shape *s, int64_t n)
{
    return (int64_t)((double)n / (s->load_factor * BOSC_HASH_WIDTH)) + ((int64_t)1 << s->partition_bits) + 1;
}

/* Launches the layout and the fill of the table's blocks, which have room; does not wait. *report is device memory,
 * zero before. distinct: no key repeats, so that oversized partitions are filled too. */
template <class K, class P>
static bosc_status launch_fill(bosc_ctx *ctx, const bosc_hash *h, const struct bi_hash_lists *lists, bool distinct,
                               struct bi_hash_report *report)
{
    const struct bi_hash_shape *s = &h->shape;
    const uint32_t partitions = 1u << s->partition_bits;
    /* keys that the mean of a partition is computed from: lists in place leave some partitions out */
    const int64_t n = lists->in_place && h->keys > lists->n ? h->keys : lists->n;
    const size_t marks_words = marks_of(lists->in_place ? h->buckets : max_buckets(s, n), s->partition_bits);
    /* 1. Allocate marks and the list of large partitions; pack the arguments. */
    void *marks, *large;
    BI_TRY(bi_scratch(ctx, marks_words * 8, &marks));
    BI_TRY(bi_scratch(ctx, (size_t)partitions * 4, &large));
    if (lists->overwritten) *lists->overwritten = true;
    bi_hash_fill_args<K, P> a = {};
    a.hashes = (const K *)lists->hashes;
    a.payload = (const P *)lists->payload;
    a.values = (const unsigned char *)lists->values;
    a.carried = (const uint32_t *)lists->carried;
    a.carried_to = (uint32_t *)lists->carried_to;
    a.carried_words = lists->carried_bytes / 4;
    a.starts = lists->starts;
    a.piece_begins = lists->piece_begins;
    a.piece_starts = lists->piece_starts;
    a.piece_shift = lists->spans ? lists->piece_bits - s->partition_bits : 0;
    a.partitions = (bosc_hash_partition *)h->blocks[BI_HASH_DESCRIPTORS].data;
    a.table = (unsigned char *)h->blocks[BI_HASH_TABLE].data;
    a.report = report;
    a.partition_bits = s->partition_bits;
    a.stride = s->stride;
    a.value_bytes = s->value_bytes;
    a.max_keys = bi_hash_max_partition_keys(s->key_bits);
    a.distinct = distinct;
    a.in_place = lists->in_place;
    a.large = (uint32_t *)large;
    a.lay_out = !lists->in_place && partitions <= SELF_LAID_PARTITIONS;
    a.load_factor = s->load_factor;
    a.marks = (uint32_t *)marks;
    /* 2. Choose the kernel and its limits; lay the partitions out. */
    const fill_variant<K, P> variant = choose_variant<K, P>(s->load_factor);
    choose_block_limits(ctx, variant, n, partitions, s->load_factor, &a);
    const lay_args lay = {a.starts,        a.partitions,         report,          partitions,
                          a.max_keys,      a.block_keys,         a.block_buckets, distinct,
                          lists->in_place, (uint32_t)h->buckets, s->load_factor,  (uint32_t *)large};
    if (!a.lay_out)
        BI_TRY(BI_RUN(ctx, bi_hash_lay_out, (unsigned)bi_div_up(partitions, LAY_THREADS), LAY_THREADS, 0, lay));
    /* 3. Fill the partitions that fit in shared memory, then the large ones, if there may be any. */
    auto fill_large = bi_hash_fill_large<K, P>;
    const size_t bytes = shared_layout_of<K, P>(a.block_keys, a.block_buckets).bytes;
    /* The attribute belongs to the kernel on the device, so other contexts share it; all set the same maximum. */
    const int limit = (int)(bi_shared_bytes(ctx) - variant.state_bytes);
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(variant.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
    BI_TRY(BI_RUN(ctx, variant.kernel, partitions, variant.threads, bytes, a));
    const bool none_large = !distinct && !lists->in_place && a.block_keys >= a.max_keys;
    const unsigned blocks = min(partitions, (unsigned)ctx->multiprocessors);
    return none_large ? BOSC_OK : BI_RUN(ctx, fill_large, blocks, BI_HASH_LARGE_THREADS, 0, a, (uint32_t)marks_words);
}

bosc_status bi_hash_fill_cuda(bosc_ctx *ctx, const bosc_hash *h, const struct bi_hash_lists *lists, bool distinct,
                              struct bi_hash_report *report)
{
    const auto run_typed = [&](auto k, auto p) {
        return launch_fill<decltype(k), decltype(p)>(ctx, h, lists, distinct, report);
    };
    if (lists->spans) /* only of keys of 32 and 64 bits: bi_hash_group_pairs_cuda */
        BI_RETURN_WITH_SCRATCH(ctx, h->shape.key_bits == 32 ? run_typed(uint32_t(), bi_hash_span_begin())
                                                            : run_typed(uint64_t(), bi_hash_span_begin()));
    BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_types(h->shape.key_bits, lists->payload_bytes, run_typed));
}

/* Returns the bytes of both kinds of marks and of the list of large partitions; two allocations, aligned to 256. */
size_t bi_hash_fill_bytes_cuda(const struct bi_hash_shape *s, int64_t n)
{
    return marks_of(max_buckets(s, n), s->partition_bits) * 8 + ((size_t)4 << s->partition_bits) + 2 * 256;
}
