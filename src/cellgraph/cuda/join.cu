/* The join on the device. Vertices are partitioned by the top bits of the hash of their words outside a segment. A
 * block chains equal hashes of a partition in shared memory, compares the vertices, and appends the edges. Keys are
 * low bits of the hash, and a parity code of the words inside that rules out most pairs that differ in several
 * letters. The comparison rejects the rest, and hashes that agree by chance. */
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "cellgraph/cuda/cellgraph.cuh"

enum {
    PARTITION_THREADS = 512,
    /* Most vertices of a thread, times segments. Measured, 4 M: 1.475 ms, twice as many 1.535, half 1.498. */
    PARTITION_ITEMS = 16,
    RANK_BITS = 14,      /* rank in a tile of up to PARTITION_THREADS * PARTITION_ITEMS entries */
    MAX_COUNTED = 10240, /* partitions of all segments that fit counters in shared memory (40 KiB) */
    /* Vertices of a partition on average: limits. Measured, 1 M: 0.418 ms, with 2,048 and 256 threads 0.442. */
    MAX_PARTITION = 3072,
    MIN_PARTITION = 256, /* half of the threads of a block have a vertex; less would leave more idle. Not measured */
    PARTITION_CAPACITY = 4096,
    MATCH_THREADS = 512,
    MATCH_WARPS = MATCH_THREADS / 32,
    HEADS = 2048,     /* of chains, which have 1.5 entries on average. With QUEUE, keys and links 40 KB: four blocks of
                       * 512 threads fit the 228 KB and the 2,048 threads of compute capability 9.0 */
    QUEUE = 2048,     /* pairs to be compared; more are compared at once, one by one */
    NO_ENTRY = 0xffff /* ends a chain */
};

enum { CODE_BITS = 16 };

/* Aligned so that one store writes it. */
struct __align__(8) join_entry
{
    uint32_t key; /* hash << CODE_BITS | parity code */
    uint32_t vertex;
};

/* Arguments of a launch over `segments` segments from number `segment` on, and a slice of the partitions of each. */
struct join_args {
    struct bi_cellgraph_segments all;
    int32_t segment, segments; /* first segment, and their number */
    uint32_t partitions;       /* partitions of a segment */
    uint32_t begin, end;       /* the slice */
    uint32_t *counts;          /* (segments x partitions of the slice) entries */
    join_entry *entries;       /* (segments x partitions of a slice x PARTITION_CAPACITY) */
    int32_t per_thread;        /* vertices of a thread of the partition kernel */
};

/* Hashes of a vertex: of all its words (the sum of their hashes), and of each with its parities. WORDS: number of
 * words, even, which are read at once; 0: any number, read one by one. */
template <int WORDS> struct join_vertex {
    uint64_t hash, hashes[WORDS], parities[WORDS];

    __device__ __forceinline__ join_vertex(const join_args &a, int64_t i)
    {
        const ulonglong2 *x = (const ulonglong2 *)(a.all.view.vectors + i * WORDS);
        ulonglong2 words[WORDS / 2];
        hash = a.all.view.hashes[i];
#pragma unroll
        for (int s = 0; s < WORDS / 2; s++) words[s] = x[s];
#pragma unroll
        for (int s = 0; s < WORDS; s++) {
            const uint64_t word = s % 2 ? words[s / 2].y : words[s / 2].x;
            hashes[s] = bi_cellgraph_hash(word, bi_cellgraph_seed(s));
            parities[s] = bi_cellgraph_parities(&a.all.view.shape, word);
        }
    }

    /* The hash without the segment from word `from` on; *square: the XOR of the parities in it, read as a square of 8
     * by 8 bits by bi_cellgraph_parity_code. */
    __device__ __forceinline__ uint64_t without(const join_args &a, int32_t from, uint64_t *square) const
    {
        uint64_t rest = hash;
        *square = 0;
#pragma unroll
        for (int s = 0; s < WORDS; s++) {
            const bool inside = s >= from && s < from + a.all.span;
            rest -= inside ? hashes[s] : 0;
            *square ^= inside ? parities[s] : 0;
        }
        return rest;
    }
};

template <> struct join_vertex<0> {
    int64_t i;

    __device__ __forceinline__ join_vertex(const join_args &, int64_t vertex) : i(vertex) {}

    __device__ __forceinline__ uint64_t without(const join_args &a, int32_t from, uint64_t *square) const
    {
        const bi_cellgraph_view &v = a.all.view;
        const uint64_t *x = bi_cellgraph_row(&v, i);
        uint64_t rest = v.hashes[i];
        *square = 0;
        for (int32_t s = from; s < from + a.all.span && s < v.shape.words; s++) {
            rest -= bi_cellgraph_hash(x[s], v.seeds[s]);
            *square ^= bi_cellgraph_parities(&v.shape, x[s]);
        }
        return rest;
    }
};

/* The partition of a vertex for segment number g of the launch, relative to the slice; ~0 if outside. */
template <int WORDS>
static __device__ __forceinline__ uint32_t partition_of(const join_args &a, const join_vertex<WORDS> &vertex, int32_t g,
                                                        uint32_t *key)
{
    uint64_t square;
    const uint64_t hash = vertex.without(a, (a.segment + g) * a.all.span, &square);
    const uint32_t partition = __umulhi((uint32_t)(hash >> 32), a.partitions);
    *key = (uint32_t)hash << CODE_BITS | bi_cellgraph_parity_code(square);
    return partition < a.begin || partition >= a.end ? ~0u : (uint32_t)g * (a.end - a.begin) + partition - a.begin;
}

/* Writes an entry, if the partition has capacity. */
static __device__ __forceinline__ void write_entry(const join_args &a, uint32_t partition, uint32_t slot, uint32_t key,
                                                   int64_t i)
{
    if (slot < PARTITION_CAPACITY) a.entries[(uint64_t)partition * PARTITION_CAPACITY + slot] = {key, (uint32_t)i};
}

/* Partitions the vertices of a tile for up to SEGMENTS segments: counts each partition, reserves its slots at once, and
 * writes the entries. Each thread keeps keys, partitions and ranks of up to PER_THREAD vertices in registers. a.counts
 * is 0 before. Entries beyond PARTITION_CAPACITY are counted, not written; the match then marks the segment skewed.
 * `counts` has a word for each partition of the launch. */
template <int WORDS, int PER_THREAD, int SEGMENTS>
static __global__ void __launch_bounds__(PARTITION_THREADS) bi_cellgraph_join_partition(const join_args a)
{
    BI_SHARED_DYNAMIC(uint32_t, counts);
    const uint32_t partitions = (uint32_t)a.segments * (a.end - a.begin);
    const int64_t first = blockIdx.x * (int64_t)PARTITION_THREADS * a.per_thread + threadIdx.x;
    uint32_t key[PER_THREAD * SEGMENTS], slot[PER_THREAD * SEGMENTS]; /* partition << RANK_BITS | rank; ~0: none */
    /* 1. Read the vertices; compute keys and partitions. */
    for (uint32_t p = threadIdx.x; p < partitions; p += PARTITION_THREADS) counts[p] = 0;
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const int64_t i = first + (int64_t)k * PARTITION_THREADS;
        const bool own = k < a.per_thread && i < a.all.view.count;
        const join_vertex<WORDS> vertex(a, own ? i : 0);
#pragma unroll
        for (int g = 0; g < SEGMENTS; g++) {
            slot[k * SEGMENTS + g] = ~0u;
            if (own && g < a.segments)
                slot[k * SEGMENTS + g] = partition_of<WORDS>(a, vertex, g, &key[k * SEGMENTS + g]);
        }
    }
    __syncthreads(); /* zeros of all threads */
    /* 2. Count the partitions; the old count is the rank. */
#pragma unroll
    for (int q = 0; q < PER_THREAD * SEGMENTS; q++)
        if (slot[q] != ~0u) slot[q] = slot[q] << RANK_BITS | atomicAdd(&counts[slot[q]], 1u);
    __syncthreads(); /* all counts */
    /* 3. Reserve slots, an atomic a partition. */
    for (uint32_t p = threadIdx.x; p < partitions; p += PARTITION_THREADS)
        if (counts[p] > 0) counts[p] = atomicAdd(&a.counts[p], counts[p]);
    __syncthreads(); /* all first slots */
    /* 4. Write the entries. */
#pragma unroll
    for (int q = 0; q < PER_THREAD * SEGMENTS; q++) {
        const uint32_t partition = slot[q] >> RANK_BITS, rank = slot[q] & ((1u << RANK_BITS) - 1);
        if (slot[q] != ~0u)
            write_entry(a, partition, counts[partition] + rank, key[q],
                        first + (int64_t)(q / SEGMENTS) * PARTITION_THREADS);
    }
}

/* The same with too many partitions to count in shared memory; then vertices of a tile seldom share one. */
static __global__ void __launch_bounds__(PARTITION_THREADS) bi_cellgraph_join_partition_many(const join_args a)
{
    const int64_t i = blockIdx.x * (int64_t)PARTITION_THREADS + threadIdx.x;
    const join_vertex<0> vertex(a, i);
    uint32_t key;
    /* One atomic an entry counts it and gives its slot. */
    for (int32_t g = 0; g < a.segments && i < a.all.view.count; g++) {
        const uint32_t partition = partition_of<0>(a, vertex, g, &key);
        if (partition != ~0u) write_entry(a, partition, atomicAdd(&a.counts[partition], 1u), key, i);
    }
}

struct match_shared {
    uint32_t heads[HEADS];
    uint32_t key[PARTITION_CAPACITY];
    uint16_t next[PARTITION_CAPACITY];
    uint32_t queue[QUEUE]; /* two entries, 16 bits each */
    uint32_t queued, skewed;
    uint32_t warps[MATCH_WARPS];
    uint64_t at;
};

struct match_found {
    uint32_t low, high, position;
};

/* Compares vertices i and j of any number of words; true if they are joined by a letter of the segment. */
static __device__ __forceinline__ bool compare_any_words(const join_args &a, int32_t segment, uint32_t i, uint32_t j,
                                                         match_found *found)
{
    const struct bi_cellgraph_view &v = a.all.view;
    const int32_t from = segment * a.all.span, to = min(from + a.all.span, v.shape.words);
    const int64_t position =
        bi_cellgraph_single_difference(&v.shape, bi_cellgraph_row(&v, i), bi_cellgraph_row(&v, j), from, to);
    *found = {min(i, j), max(i, j), (uint32_t)position};
    return position >= 0;
}

/* The same for WORDS words, an even number; all are read at once. */
template <int WORDS>
static __device__ __forceinline__ bool compare_fixed_words(const join_args &a, int32_t segment, uint32_t i, uint32_t j,
                                                           match_found *found)
{
    const struct bi_cellgraph_view &v = a.all.view;
    const ulonglong2 *x = (const ulonglong2 *)bi_cellgraph_row(&v, i), *y = (const ulonglong2 *)bi_cellgraph_row(&v, j);
    const int32_t from = segment * a.all.span, to = min(from + a.all.span, v.shape.words);
    ulonglong2 xs[WORDS / 2], ys[WORDS / 2];
    uint64_t bits = 0;
    int32_t differ = 0, word = 0;
#pragma unroll
    for (int k = 0; k < WORDS / 2; k++) {
        xs[k] = x[k];
        ys[k] = y[k];
    }
#pragma unroll
    for (int s = 0; s < WORDS; s++) {
        const uint64_t d = s % 2 ? xs[s / 2].y ^ ys[s / 2].y : xs[s / 2].x ^ ys[s / 2].x;
        differ += d != 0;
        word = d ? s : word;
        bits = d ? d : bits;
    }
    *found = {min(i, j), max(i, j),
              bi_cellgraph_position(&v.shape, word, bits | (bits == 0))}; /* equal rows need any bit */
    return differ == 1 && word >= from && word < to && bi_cellgraph_is_one_letter(bits, v.shape.letter_bits);
}

/* Chains the entries of a partition by hash. All keys of a thread are read before the first is used. */
static __device__ __forceinline__ void build_chains(match_shared &sh, const join_entry *entries, uint32_t count)
{
    enum { PER_THREAD = PARTITION_CAPACITY / MATCH_THREADS };
    uint32_t key[PER_THREAD];
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const uint32_t i = threadIdx.x + k * MATCH_THREADS;
        key[k] = i < count ? entries[i].key : 0;
    }
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const uint32_t i = threadIdx.x + k * MATCH_THREADS;
        if (i >= count) break;
        sh.key[i] = key[k];
        sh.next[i] = (uint16_t)atomicExch(&sh.heads[(key[k] >> CODE_BITS) % HEADS], i);
    }
}

/* Queues the pairs with equal keys; compares at once where the queue is full. */
static __device__ void queue_pairs(match_shared &sh, const join_args &a, int32_t segment, const join_entry *entries,
                                   uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += MATCH_THREADS) {
        int group = 0;
        for (uint32_t j = sh.next[i]; j != NO_ENTRY && group <= BI_CELLGRAPH_MAX_GROUP; j = sh.next[j]) {
            const uint32_t differ = sh.key[j] ^ sh.key[i];
            if (differ >> CODE_BITS) continue;
            group++;
            if (!bi_cellgraph_may_be_one_bit(differ)) continue;
            const uint32_t at = atomicAdd(&sh.queued, 1u);
            match_found found;
            if (at < QUEUE)
                sh.queue[at] = i << 16 | j;
            else if (compare_any_words(a, segment, entries[i].vertex, entries[j].vertex, &found))
                bi_cellgraph_append_edge(&a.all.found, found.low, found.high, found.position);
        }
        if (group > BI_CELLGRAPH_MAX_GROUP) atomicOr(&sh.skewed, 1u);
    }
}

/* Compares the queued pairs, LOADS_IN_FLIGHT a thread at once, and appends the edges. All threads call it after a
 * barrier that completes the queue. Edges beyond the list's capacity are only counted. */
template <int WORDS, int LOADS_IN_FLIGHT>
static __device__ __forceinline__ void compare_queue(match_shared &sh, const join_args &a, int32_t segment,
                                                     const join_entry *entries)
{
    const uint32_t queued = min(sh.queued, (uint32_t)QUEUE);
    for (uint32_t begin = 0; begin < queued; begin += MATCH_THREADS * LOADS_IN_FLIGHT) {
        match_found found[LOADS_IN_FLIGHT];
        uint32_t i[LOADS_IN_FLIGHT], j[LOADS_IN_FLIGHT], own = 0, total;
        bool is_edge[LOADS_IN_FLIGHT];
        /* 1. Read the pairs. */
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++) {
            const uint32_t q = begin + k * MATCH_THREADS + threadIdx.x, pair = q < queued ? sh.queue[q] : 0;
            i[k] = entries[pair >> 16].vertex; /* beyond the queue: a vertex and itself, which do not differ */
            j[k] = entries[pair & 0xffff].vertex;
        }
        /* 2. Compare them. */
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++) {
            if (WORDS > 0) /* The 2 only compiles the branch that WORDS = 0 does not take. */
                is_edge[k] = compare_fixed_words<(WORDS < 2 ? 2 : WORDS)>(a, segment, i[k], j[k], &found[k]);
            else
                is_edge[k] = compare_any_words(a, segment, i[k], j[k], &found[k]);
            own += is_edge[k];
        }
        /* 3. Append the edges of the block by one atomic. */
        const uint32_t exclusive_prefix = bi_block_exclusive_sum<MATCH_WARPS>(own, sh.warps, &total);
        if (threadIdx.x == 0 && total > 0) sh.at = bi_atomic_fetch_add_u64(a.all.found.count, total);
        __syncthreads(); /* sh.at */
        uint64_t at = sh.at + exclusive_prefix;
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++)
            if (is_edge[k]) bi_cellgraph_write_edge(&a.all.found, at++, found[k].low, found[k].high, found[k].position);
    }
}

/* Joins one partition of one segment, a block each. */
template <int WORDS, int LOADS_IN_FLIGHT>
static __global__ void __launch_bounds__(MATCH_THREADS) bi_cellgraph_join_match(const join_args a)
{
    BI_SHARED(match_shared, sh);
    const uint32_t slice = a.end - a.begin, count = a.counts[blockIdx.x];
    const int32_t segment = a.segment + (int32_t)(blockIdx.x / slice);
    const join_entry *entries = a.entries + (uint64_t)blockIdx.x * PARTITION_CAPACITY;
    /* 1. Chain, queue pairs, compare. Barriers: empty heads, then all chains, then the queue are complete. */
    for (uint32_t h = threadIdx.x; h < HEADS; h += MATCH_THREADS) sh.heads[h] = NO_ENTRY;
    if (threadIdx.x == 0) sh.queued = sh.skewed = 0;
    __syncthreads(); /* empty heads */
    if (count <= PARTITION_CAPACITY) {
        build_chains(sh, entries, count);
        __syncthreads(); /* all chains */
        queue_pairs(sh, a, segment, entries, count);
        __syncthreads(); /* the queue */
        compare_queue<WORDS, LOADS_IN_FLIGHT>(sh, a, segment, entries);
    }
    /* 2. Report the compared pairs, and a partition or group that is too large. */
    if (threadIdx.x == 0 && sh.queued > 0) bi_atomic_fetch_add_u64(a.all.found.compared, sh.queued);
    if (threadIdx.x == 0 && (count > PARTITION_CAPACITY || sh.skewed)) {
        bi_atomic_or_u32(&a.all.skewed[segment], 1);
        bi_atomic_or_u32(a.all.any_skewed, 1);
    }
}

/* Launches the partition; few vertices a thread where there would be too few blocks otherwise. */
template <int WORDS, int PER_THREAD, int SEGMENTS>
static bosc_status partition_tile(bosc_ctx *ctx, join_args &a, size_t count_words)
{
    const int64_t n = a.all.view.count, per_thread = n / ((int64_t)ctx->multiprocessors * 4 * PARTITION_THREADS);
    a.per_thread = (int32_t)(per_thread < 1 ? 1 : per_thread > PER_THREAD ? PER_THREAD : per_thread);
    const unsigned tiles = (unsigned)bi_div_up(n, (int64_t)PARTITION_THREADS * a.per_thread);
    if (a.per_thread == 1)
        return BI_RUN(ctx, (bi_cellgraph_join_partition<WORDS, 1, SEGMENTS>), tiles, PARTITION_THREADS,
                      count_words * sizeof(uint32_t), a);
    return BI_RUN(ctx, (bi_cellgraph_join_partition<WORDS, PER_THREAD, SEGMENTS>), tiles, PARTITION_THREADS,
                  count_words * sizeof(uint32_t), a);
}

/* Partitions the vertices of WORDS words (0: any number), and joins the partitions. */
template <int WORDS, int LOADS_IN_FLIGHT>
static bosc_status partition_and_match(bosc_ctx *ctx, join_args &a, size_t count_words)
{
    const unsigned blocks = (unsigned)a.segments * (a.end - a.begin);
    const int64_t n = a.all.view.count;
    if (count_words > MAX_COUNTED)
        BI_TRY(BI_RUN(ctx, bi_cellgraph_join_partition_many, (unsigned)bi_div_up(n, PARTITION_THREADS),
                      PARTITION_THREADS, 0, a));
    else if (a.segments == 1)
        BI_TRY((partition_tile<WORDS, PARTITION_ITEMS, 1>(ctx, a, count_words)));
    else if (a.segments == 2)
        BI_TRY((partition_tile<WORDS, PARTITION_ITEMS / 2, 2>(ctx, a, count_words)));
    else
        BI_TRY((partition_tile<WORDS, PARTITION_ITEMS / BI_CELLGRAPH_SEGMENTS, BI_CELLGRAPH_SEGMENTS>(ctx, a,
                                                                                                      count_words)));
    return BI_RUN(ctx, (bi_cellgraph_join_match<WORDS, LOADS_IN_FLIGHT>), blocks, MATCH_THREADS, 0, a);
}

/* Joins the launch's segments in the partitions from a.begin to a.end - 1. */
static bosc_status join_partitions(bosc_ctx *ctx, join_args &a)
{
    const size_t count_words = (size_t)a.segments * (a.end - a.begin);
    BI_TRY(ctx->backend->fill(ctx, a.counts, 0, count_words * sizeof(uint32_t)));
    switch (a.all.view.shape.words) {
    case 2: return partition_and_match<2, 4>(ctx, a, count_words);
    case 4: return partition_and_match<4, 4>(ctx, a, count_words);
    case 8: return partition_and_match<8, 2>(ctx, a, count_words);
    default: return partition_and_match<0, 4>(ctx, a, count_words);
    }
}

/* Vertices of a partition: few enough to occupy all multiprocessors, yet enough for all blocks to be resident at once:
 * 2.5 partitions a multiprocessor, within limits, as it holds four blocks of MATCH_THREADS at most. Not measured. */
static int64_t partition_size(const bosc_ctx *ctx, int64_t n, int64_t segments)
{
    const int64_t size = n * segments * 2 / ((int64_t)ctx->multiprocessors * 5);
    return size < MIN_PARTITION ? MIN_PARTITION : size > MAX_PARTITION ? MAX_PARTITION : size;
}

/* Scratch bytes of the partitions: as many partitions as can be counted in shared memory, or those of one segment if
 * half of the free memory holds them. */
static bosc_status partitions_bytes(bosc_ctx *ctx, const join_args &a, size_t partition_bytes, size_t *bytes)
{
    const size_t counted = MAX_COUNTED * partition_bytes, small = (size_t)1 << 30 /* less than a device has */,
                 one = (size_t)a.partitions * partition_bytes;
    size_t unused, total;
    *bytes = a.all.max_bytes ? a.all.max_bytes : one > counted ? one : counted;
    if (a.all.max_bytes || one <= small) return BOSC_OK;
    BI_CUDA_TRY(ctx, cudaMemGetInfo(&unused, &total));
    *bytes = (unused + ctx->arena.held) / 2;
    return BOSC_OK;
}

/* All segments take at most four times the bytes of one; with less, launches do some segments, or slices. */
int64_t bi_cellgraph_cuda_join_bytes(const bosc_ctx *ctx, int64_t n, int64_t max_bytes)
{
    const int64_t partition_bytes = PARTITION_CAPACITY * sizeof(join_entry) + sizeof(uint32_t),
                  counted = MAX_COUNTED * partition_bytes;
    const int64_t one = bi_div_up(n, partition_size(ctx, n, 2)) * partition_bytes, all = BI_CELLGRAPH_SEGMENTS * one;
    const int64_t most = max_bytes ? max_bytes : one > counted ? one : counted;
    return most > all ? all : most < partition_bytes ? partition_bytes : most;
}

/* Appends the edges of all segments; each gets a rank among the edges of its lower vertex if counts are requested.
 * Joins as many segments at once as memory and counters allow; if not even one, slices of its partitions. There is at
 * least one vertex, of two words or more. The list may hold edges of skewed segments, which the caller drops. */
bosc_status bi_cellgraph_cuda_join(bosc_ctx *ctx, const struct bi_cellgraph_segments *all)
{
    const size_t partition_bytes = PARTITION_CAPACITY * sizeof(join_entry) + sizeof(uint32_t);
    join_args a = {};
    a.all = *all;
    a.partitions = (uint32_t)bi_div_up(all->view.count, partition_size(ctx, all->view.count, all->count));
    /* 1. Partitions that fit the scratch, and segments a launch. */
    size_t bytes, capacity;
    BI_TRY(partitions_bytes(ctx, a, partition_bytes, &bytes));
    capacity = bytes < partition_bytes ? 1 : bytes / partition_bytes;
    const uint32_t slice = capacity < a.partitions ? (uint32_t)capacity : a.partitions;
    const size_t counted = capacity < MAX_COUNTED ? capacity : MAX_COUNTED;
    const int32_t fit = counted < a.partitions                        ? 1
                        : counted / a.partitions < (size_t)all->count ? (int32_t)(counted / a.partitions)
                                                                      : all->count;
    const int32_t launches = (all->count + fit - 1) / fit, at_once = (all->count + launches - 1) / launches;
    /* 2. Scratch. */
    void *counts, *entries;
    BI_TRY(bi_scratch(ctx, (size_t)slice * (size_t)at_once * sizeof(uint32_t), &counts));
    BI_TRY(bi_scratch(ctx, (size_t)slice * (size_t)at_once * PARTITION_CAPACITY * sizeof(join_entry), &entries));
    a.counts = (uint32_t *)counts;
    a.entries = (join_entry *)entries;
    /* 3. Launches, a slice of the partitions each. */
    for (a.segment = 0; a.segment < all->count; a.segment += a.segments) {
        a.segments = all->count - a.segment < at_once ? all->count - a.segment : at_once;
        for (a.begin = 0; a.begin < a.partitions; a.begin = a.end) {
            a.end = a.partitions - a.begin < slice ? a.partitions : a.begin + slice;
            BI_TRY(join_partitions(ctx, a));
        }
    }
    return BOSC_OK;
}
