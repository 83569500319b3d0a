/* The filling of parts on CUDA: sizes, and the order of launches. */
#include <math.h>

#include "hash/cuda/fill.cuh"

enum { LAY_THREADS = 1024 };

/* What laying out the parts needs. */
struct lay_args {
    const uint32_t *starts;
    bosc_hash_part *parts;
    struct bi_hash_report *report;
    uint32_t count, crowd, most_keys, most_buckets;
    bool any, in_place;
    uint32_t placed; /* in place: the buckets in all */
    double load;
    uint32_t *large;
};

/* Lists the parts that shared memory has no room for; says whether parts are crowded. */
static __device__ void sort_out(const lay_args &a, uint32_t part, uint32_t keys, uint32_t buckets)
{
    const bool beyond = bi_hash_beyond(buckets), leave = beyond || (!a.any && keys > a.crowd);
    if (beyond) bi_store_relaxed(&a.report->beyond, 1u);
    if (leave) bi_store_relaxed(&a.report->crowded, 1u);
    if (leave || keys == 0 || (keys <= a.most_keys && buckets <= a.most_buckets)) return;
    a.large[atomicAdd(&a.report->large, 1u)] = part;
}

/* Lays out the parts one after the other: a block for LAY_THREADS of them, which adds up those before it by itself, as
 * there are few. */
static __global__ void __launch_bounds__(LAY_THREADS) kernel_lay(const lay_args a)
{
    struct lay_shared {
        uint32_t warps[2][LAY_THREADS / 32];
    };
    BI_SHARED(lay_shared, sh);
    const uint32_t begin = blockIdx.x * LAY_THREADS, part = begin + threadIdx.x;
    uint32_t sum = 0, before, buckets = 0, all;
    if (!a.in_place)
        for (uint32_t p = threadIdx.x; p < begin; p += LAY_THREADS)
            sum += bi_hash_part_buckets(a.load, a.starts[p + 1] - a.starts[p]);
    bi_block_exclusive_sum<LAY_THREADS / 32>(sum, sh.warps[0], &before);
    if (part < a.count) {
        const uint32_t keys = a.starts[part + 1] - a.starts[part];
        buckets = a.in_place ? a.parts[part].buckets_seed >> BOSC_HASH_SEED_BITS : bi_hash_part_buckets(a.load, keys);
        sort_out(a, part, keys, buckets);
    }
    const uint32_t first = before + bi_block_exclusive_sum<LAY_THREADS / 32>(buckets, sh.warps[1], &all);
    if (part < a.count && !a.in_place) a.parts[part] = {first, buckets << BOSC_HASH_SEED_BITS};
    if (part == a.count - 1) a.report->buckets = a.in_place ? a.placed : first + buckets;
}

/* Where things are in a block's shared memory: the hashes first, and in their place, once they are written, the
 * payload: the less memory a block takes, the more of them run at once. */
struct fill_room {
    size_t codes, over, less, bytes;
};
template <class K, class P> __host__ __device__ static fill_room fill_room_of(uint32_t keys, uint32_t buckets)
{
    fill_room room;
    const size_t marks = ((size_t)buckets + 31) / 32 * 4, widest = sizeof(K) > sizeof(P) ? sizeof(K) : sizeof(P);
    room.codes = ((size_t)keys * widest + 15) / 16 * 16;
    room.over = room.codes + (size_t)buckets * sizeof(uint4);
    room.less = room.over + marks;
    room.bytes = room.less + marks;
    return room;
}

/* 16 bytes of a bucket: those of its pairs' hashes or values that begin at `from` bytes of them. */
template <class T> __device__ __forceinline__ uint4 fill_piece(const T *array, uint4 order, uint32_t from, T filler)
{
    union {
        T items[16 / sizeof(T)];
        uint4 bytes;
    } piece;
#pragma unroll
    for (uint32_t i = 0; i < 16 / sizeof(T); i++) {
        const uint32_t place = from / (uint32_t)sizeof(T) + i;
        const uint32_t at = place == 0 ? order.x : place == 1 ? order.y : place == 2 ? order.z : order.w;
        piece.items[i] = at ? array[at - 1] : filler;
    }
    return piece.bytes;
}

/* Whether the order of a bucket is found, found and put in the place of its codes, or taken from there. */
enum fill_ordering { FILL_ORDER, FILL_ORDER_KEEP, FILL_ORDER_KEPT };

/* Writes the first PIECES of the ALL pieces of 16 bytes that each bucket of a part has from `to` on, in the order of
 * memory; what they consist of is taken from an array in shared memory. */
template <int PIECES, int ALL, fill_ordering ORDERING, class K, class P, int THREADS, bool PICKS, class T>
static __device__ __forceinline__ void fill_pieces(const fill_part<K, P, true, THREADS, PICKS> &part, uint4 *to,
                                                   const T *array, T filler)
{
    for (uint32_t i = threadIdx.x; i < part.buckets * PIECES; i += THREADS) {
        const uint32_t bucket = i / PIECES, piece = i % PIECES;
        uint4 *const kept = reinterpret_cast<uint4 *>(part.codes_of(bucket));
        const uint4 order = ORDERING == FILL_ORDER_KEPT ? *kept : fill_order(part, bucket);
        if (ORDERING == FILL_ORDER_KEEP) *kept = order;
        to[(size_t)bucket * ALL + piece] = fill_piece(array, order, piece * 16, filler);
    }
}

/* Writes the buckets of a part whose payload is the values; the hashes are in `memory`, which the payload gets. */
template <class K, class P, int THREADS, bool PICKS>
static __device__ void fill_stream(const fill_part<K, P, true, THREADS, PICKS> &part, const fill_args<K, P> &a,
                                   void *memory)
{
    constexpr int HASHES = BOSC_HASH_WIDTH * sizeof(K) / 16, VALUES = BOSC_HASH_WIDTH * hash_payload_bytes<P> / 16;
    constexpr bool ALONE = HASHES == 1; /* one thread finds the order of a bucket */
    uint4 *to = reinterpret_cast<uint4 *>(a.table) + (size_t)part.first * (HASHES + VALUES);
    fill_pieces<HASHES, HASHES + VALUES, ALONE ? FILL_ORDER_KEEP : FILL_ORDER>(
        part, to, part.hashes, hash_filler<K>(part.number, a.part_bits));
    if constexpr (hash_valued<P>) {
        P *payload = static_cast<P *>(memory);
        __syncthreads();
        fill_each<THREADS, PICKS>(part.payload, part.keys, [&](uint32_t i, P x) { payload[i] = x; });
        __syncthreads();
        fill_pieces<VALUES, HASHES + VALUES, ALONE ? FILL_ORDER_KEPT : FILL_ORDER>(part, to + HASHES, payload, (P)0);
    }
}

template <class K, class P, int THREADS, bool PICKS>
static __global__ void __launch_bounds__(THREADS) kernel_fill(const fill_args<K, P> a)
{
    BI_SHARED(fill_talk<THREADS>, talk);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    fill_part<K, P, true, THREADS, PICKS> part;
    part.number = blockIdx.x;
    const uint32_t begin = a.starts[part.number];
    const bosc_hash_part descriptor = a.parts[part.number];
    part.keys = a.starts[part.number + 1] - begin;
    part.first = descriptor.first;
    part.buckets = descriptor.buckets_seed >> BOSC_HASH_SEED_BITS;
    if (part.keys > a.most_keys || part.buckets > a.most_buckets || (!a.any && part.keys > a.crowd)) return;
    if (part.keys == 0 && a.in_place) return;
    const fill_room room = fill_room_of<K, P>(a.most_keys, a.most_buckets);
    part.hashes = a.hashes + begin;
    part.picks = reinterpret_cast<uint32_t *>(memory);
    part.payload = a.payload + (hash_valued<P> ? begin : 0);
    part.codes = reinterpret_cast<uint32_t *>(memory + room.codes);
    part.over = reinterpret_cast<uint32_t *>(memory + room.over);
    part.less = reinterpret_cast<uint32_t *>(memory + room.less);
    if constexpr (!PICKS) {
        K *hashes = reinterpret_cast<K *>(memory);
        fill_each<THREADS, PICKS>(part.hashes, part.keys, [&](uint32_t i, K hash) { hashes[i] = hash; });
        part.hashes = hashes;
    }
    fill_begin(part, talk, 0);
    if (threadIdx.x == 0) {
        talk.repeats = talk.second = 0;
        talk.skip = bi_load_relaxed(&a.report->repeats);
    }
    __syncthreads();
    if (talk.skip) return;
    const bool filled = fill_codes(part, talk, a.any, a.report);
    if (threadIdx.x == 0) fill_tell(part, talk, a, filled);
    if (!filled) return;
    if (!a.values)
        fill_stream(part, a, memory);
    else
        for (uint32_t b = threadIdx.x; b < part.buckets; b += THREADS) fill_write(part, a, b);
}

/* Parts too large for shared memory, from their list; their codes are in the table. */
template <class K, class P>
static __global__ void __launch_bounds__(FILL_THREADS_LARGE)
    kernel_fill_large(const fill_args<K, P> a, uint32_t marks_room)
{
    BI_SHARED(fill_talk<FILL_THREADS_LARGE>, talk);
    const uint32_t count = a.report->large;
    for (uint32_t k = blockIdx.x; k < count; k += gridDim.x) {
        fill_part<K, P, false, FILL_THREADS_LARGE, false> part;
        part.number = a.large[k];
        const uint32_t begin = a.starts[part.number];
        const bosc_hash_part descriptor = a.parts[part.number];
        part.keys = a.starts[part.number + 1] - begin;
        part.first = descriptor.first;
        part.buckets = descriptor.buckets_seed >> BOSC_HASH_SEED_BITS;
        part.hashes = a.hashes + begin;
        part.payload = a.payload + (hash_valued<P> ? begin : 0);
        part.codes = reinterpret_cast<uint32_t *>(a.table + (size_t)part.first * (uint32_t)a.stride);
        part.step = (uint32_t)a.stride / 4;
        part.over = a.marks + part.first / 32 + part.number; /* no other part's: see marks_of */
        part.less = part.over + marks_room;
        fill_begin(part, talk, 0);
        if (threadIdx.x == 0) {
            talk.repeats = talk.second = 0;
            talk.skip = bi_load_relaxed(&a.report->repeats);
        }
        __syncthreads();
        if (talk.skip) return;
        const bool filled = fill_codes(part, talk, a.any, a.report);
        if (threadIdx.x == 0) fill_tell(part, talk, a, filled);
        if (filled)
            for (uint32_t b = threadIdx.x; b < part.buckets; b += FILL_THREADS_LARGE) fill_write(part, a, b);
        __syncthreads();
    }
}

/* How the parts of a table are filled by blocks of so many threads, with this much static shared memory. */
template <class K, class P> struct fill_form {
    void (*kernel)(fill_args<K, P>);
    uint32_t threads;
    size_t talk;
};

template <class K, class P, int THREADS, bool PICKS> static fill_form<K, P> form_of()
{
    return {kernel_fill<K, P, THREADS, PICKS>, THREADS, sizeof(fill_talk<THREADS>)};
}

/* With few free places the last keys of a part wander for long, and fewer threads wait for them. The buckets of a key
 * are computed once where it makes many offers; of keys of 128 bits that was no gain. */
template <class K, class P> static fill_form<K, P> choose_form(double load)
{
    constexpr int MIDDLE = hash_bits<K> == 32 ? 320 : 256;
    constexpr bool PICKS = hash_bits<K> <= 64;
    if (load > 0.87) return form_of<K, P, 256, PICKS>();
    if (load > 0.75) return form_of<K, P, MIDDLE, false>();
    return form_of<K, P, 384, false>();
}

/* Most keys and buckets of a part that a block takes: what parts of this mean hold but for few, up to eight standard
 * deviations from it, and fewer, down to five, if more blocks run at once then; or less where there is no room. */
template <class K, class P>
static void choose_most(const bosc_ctx *ctx, const fill_form<K, P> &form, double mean, double load, fill_args<K, P> *a)
{
    enum { FEWEST = 5, MOST = 8, RESERVED = 1024 /* of each block, by the device */ };
    const size_t room = hash_shared_room(ctx), all = hash_shared_of_multiprocessor(ctx);
    size_t blocks = 0;
    for (int deviations = FEWEST; deviations <= MOST; deviations++) {
        const double most = mean + deviations * sqrt(mean) + 8;
        uint32_t keys = most < a->crowd ? (uint32_t)most : a->crowd, buckets;
        size_t bytes;
        for (;; keys -= keys / 16 + 1) {
            buckets = bi_hash_part_buckets(load, keys);
            bytes = fill_room_of<K, P>(keys, buckets).bytes + form.talk;
            if (bytes <= room) break;
        }
        const size_t at_once = min(all / (bytes + RESERVED), (size_t)2048 / form.threads);
        if (at_once < blocks) return;
        blocks = at_once;
        a->most_keys = keys;
        a->most_buckets = buckets;
    }
}

/* Words of marks for so many buckets in all: a part's begin at first / 32 + its number, so that no two share one. */
static size_t marks_of(int64_t buckets, int32_t part_bits)
{
    return (size_t)(buckets / 32) + ((size_t)1 << part_bits) + 1;
}

static int64_t most_buckets(const struct bi_hash_shape *s, int64_t n)
{
    return (int64_t)((double)n / (s->load * BOSC_HASH_WIDTH)) + ((int64_t)1 << s->part_bits) + 1;
}

template <class K, class P>
static bosc_status run(bosc_ctx *ctx, const bosc_hash *h, const struct bi_hash_lists *lists, bool any,
                       struct bi_hash_report *report)
{
    const struct bi_hash_shape *s = &h->shape;
    const uint32_t parts = 1u << s->part_bits;
    const int64_t n = lists->in_place && h->keys > lists->n ? h->keys : lists->n;
    const size_t marks_room = marks_of(lists->in_place ? h->buckets : most_buckets(s, n), s->part_bits);
    void *marks, *large;
    BI_TRY(bi_scratch(ctx, marks_room * 8, &marks));
    BI_TRY(bi_scratch(ctx, (size_t)parts * 4, &large));
    fill_args<K, P> a = {};
    a.hashes = (const K *)lists->hashes;
    a.payload = (const P *)lists->payload;
    a.values = (const unsigned char *)lists->values;
    a.starts = lists->starts;
    a.parts = (bosc_hash_part *)h->blocks[BI_HASH_PARTS].data;
    a.table = (unsigned char *)h->blocks[BI_HASH_TABLE].data;
    a.report = report;
    a.part_bits = s->part_bits;
    a.stride = s->stride;
    a.value_bytes = s->value_bytes;
    a.crowd = bi_hash_crowd(s->key_bits);
    a.any = any;
    a.in_place = lists->in_place;
    a.large = (const uint32_t *)large;
    a.marks = (uint32_t *)marks;
    const fill_form<K, P> form = choose_form<K, P>(s->load);
    choose_most(ctx, form, (double)n / parts, s->load, &a);
    const lay_args lay = {a.starts,    a.parts,          report, parts,           a.crowd,
                          a.most_keys, a.most_buckets,   any,    lists->in_place, (uint32_t)h->buckets,
                          s->load,     (uint32_t *)large};
    BI_TRY(BI_RUN(ctx, kernel_lay, (unsigned)bi_div_up(parts, LAY_THREADS), LAY_THREADS, 0, lay));
    auto fill_large = kernel_fill_large<K, P>;
    const size_t bytes = fill_room_of<K, P>(a.most_keys, a.most_buckets).bytes;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(form.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    BI_TRY(BI_RUN(ctx, form.kernel, parts, form.threads, bytes, a));
    const bool none_large = !any && !lists->in_place && a.most_keys >= a.crowd;
    const unsigned blocks = min(parts, (unsigned)ctx->multiprocessors);
    return none_large ? BOSC_OK : BI_RUN(ctx, fill_large, blocks, FILL_THREADS_LARGE, 0, a, (uint32_t)marks_room);
}

bosc_status hash_fill(bosc_ctx *ctx, const bosc_hash *h, const struct bi_hash_lists *lists, bool any,
                      struct bi_hash_report *report)
{
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = hash_with_types(h->shape.key_bits, lists->payload_bytes, [&](auto k, auto p) {
        return run<decltype(k), decltype(p)>(ctx, h, lists, any, report);
    });
    bi_arena_rewind(ctx, mark);
    return status;
}

size_t hash_fill_bytes(const struct bi_hash_shape *s, int64_t n)
{
    return marks_of(most_buckets(s, n), s->part_bits) * 8 + ((size_t)4 << s->part_bits) + 2 * 256;
}
