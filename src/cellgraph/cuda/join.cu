/* The join on the device. Vertices are partitioned by the top bits of the hash of their words outside a segment; a
 * block brings the equal hashes of a partition together by chains in shared memory, compares the vertices, and appends
 * the edges. Keys are low bits of the hashes, and sums of the words inside that show most of the pairs that differ in
 * more than a letter; what is left of them, and what agrees by chance, fails in the comparison. */
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "cellgraph/cuda/cellgraph.cuh"

enum {
    PARTITION_THREADS = 512,
    PARTITION_ITEMS = 16, /* vertices of a thread, times segments, at most */
    RANK_BITS = 14,       /* of a place among those of a tile, which has up to PARTITION_THREADS * PARTITION_ITEMS */
    MAX_COUNTED = 10240,  /* partitions of all segments that are counted in shared memory; else each vertex is alone */
    PARTITION = 3072,     /* vertices of a partition, on average and at most; fewer where partitions are few */
    MIN_PARTITION = 256,
    PARTITION_CAPACITY = 4096,
    MATCH_THREADS = 512,
    MATCH_WARPS = MATCH_THREADS / 32,
    HEADS = 2048,
    QUEUE = 2048, /* pairs that wait for their comparison */
    NOTHING = 0xffff
};

enum { SUM_BITS = 16 };

struct __align__(8) join_entry
{                 /* written at once */
    uint32_t key; /* hash << SUM_BITS | sum */
    uint32_t vertex;
};

struct join_args {
    struct bi_cellgraph_segments all;
    int32_t segment, segments; /* of this launch: the first, and how many */
    uint32_t partitions;       /* of a segment */
    uint32_t begin, end;       /* of which these are filled now */
    uint32_t *taken;           /* (segments x partitions of a slice) places taken of each partition */
    join_entry *entries;       /* (segments x partitions of a slice x PARTITION_CAPACITY) */
    int32_t each;              /* vertices of a thread that partitions */
};

/* Hashes of a vertex: of all its words, and of each of them, with their parities. Of WORDS words, an even number, which
 * are read at once; 0: of any, one by one. */
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

    /* Returns the hash without a segment, and the sum of the parities in it. */
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

/* The partition of a vertex in the launch's segment number g, counted from the first partition of the slice; or none,
 * ~0. */
template <int WORDS>
static __device__ __forceinline__ uint32_t partition_of(const join_args &a, const join_vertex<WORDS> &vertex, int32_t g,
                                                        uint32_t *key)
{
    uint64_t square;
    const uint64_t hash = vertex.without(a, (a.segment + g) * a.all.span, &square);
    const uint32_t partition = __umulhi((uint32_t)(hash >> 32), a.partitions);
    *key = (uint32_t)hash << SUM_BITS | bi_cellgraph_parity_code(square);
    return partition < a.begin || partition >= a.end ? ~0u : (uint32_t)g * (a.end - a.begin) + partition - a.begin;
}

static __device__ __forceinline__ void put(const join_args &a, uint32_t partition, uint32_t place, uint32_t key,
                                           int64_t i)
{
    if (place < PARTITION_CAPACITY) a.entries[(uint64_t)partition * PARTITION_CAPACITY + place] = {key, (uint32_t)i};
}

/* Partitions the vertices of a tile to LISTS segments at most: partitions are counted, capacity is taken for all of a
 * partition at once, and each vertex goes to its place in it. Threads remember up to EACH vertices' keys, partitions
 * and ranks among those of the tile. */
template <int WORDS, int EACH, int LISTS>
static __global__ void __launch_bounds__(PARTITION_THREADS) bi_cellgraph_join_partition(const join_args a)
{
    BI_SHARED_DYNAMIC(uint32_t, taken);
    const uint32_t partitions = (uint32_t)a.segments * (a.end - a.begin);
    const int64_t first = blockIdx.x * (int64_t)PARTITION_THREADS * a.each + threadIdx.x;
    uint32_t key[EACH * LISTS], place[EACH * LISTS]; /* partition << RANK_BITS | rank; or none, ~0 */
    for (uint32_t p = threadIdx.x; p < partitions; p += PARTITION_THREADS) taken[p] = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = first + (int64_t)k * PARTITION_THREADS;
        const bool own = k < a.each && i < a.all.view.count;
        const join_vertex<WORDS> vertex(a, own ? i : 0);
#pragma unroll
        for (int g = 0; g < LISTS; g++) {
            place[k * LISTS + g] = ~0u;
            if (own && g < a.segments) place[k * LISTS + g] = partition_of<WORDS>(a, vertex, g, &key[k * LISTS + g]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < EACH * LISTS; q++)
        if (place[q] != ~0u) place[q] = place[q] << RANK_BITS | atomicAdd(&taken[place[q]], 1u);
    __syncthreads();
    for (uint32_t p = threadIdx.x; p < partitions; p += PARTITION_THREADS)
        if (taken[p] > 0) taken[p] = atomicAdd(&a.taken[p], taken[p]);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < EACH * LISTS; q++) {
        const uint32_t partition = place[q] >> RANK_BITS, rank = place[q] & ((1u << RANK_BITS) - 1);
        if (place[q] != ~0u)
            put(a, partition, taken[partition] + rank, key[q], first + (int64_t)(q / LISTS) * PARTITION_THREADS);
    }
}

/* The same where partitions are too many to be counted in shared memory, and so are seldom the same. */
static __global__ void __launch_bounds__(PARTITION_THREADS) bi_cellgraph_join_partition_many(const join_args a)
{
    const int64_t i = blockIdx.x * (int64_t)PARTITION_THREADS + threadIdx.x;
    const join_vertex<0> vertex(a, i);
    uint32_t key;
    for (int32_t g = 0; g < a.segments && i < a.all.view.count; g++) {
        const uint32_t partition = partition_of<0>(a, vertex, g, &key);
        if (partition != ~0u) put(a, partition, atomicAdd(&a.taken[partition], 1u), key, i);
    }
}

struct match_shared {
    uint32_t heads[HEADS];
    uint32_t key[PARTITION_CAPACITY];
    uint16_t next[PARTITION_CAPACITY];
    uint32_t queue[QUEUE]; /* two places of a partition each */
    uint32_t queued, skewed;
    uint32_t warps[MATCH_WARPS];
    uint64_t at;
};

struct match_found {
    uint32_t low, high, position;
};

static __device__ __forceinline__ bool compare(const join_args &a, int32_t segment, uint32_t i, uint32_t j,
                                               match_found *found)
{
    const struct bi_cellgraph_view &v = a.all.view;
    const int32_t from = segment * a.all.span, to = min(from + a.all.span, v.shape.words);
    const int64_t position = bi_cellgraph_match(&v.shape, bi_cellgraph_row(&v, i), bi_cellgraph_row(&v, j), from, to);
    *found = {min(i, j), max(i, j), (uint32_t)position};
    return position >= 0;
}

/* The same for vertices of WORDS words, an even number: all of both is asked for at once. */
template <int WORDS>
static __device__ __forceinline__ bool compare_all(const join_args &a, int32_t segment, uint32_t i, uint32_t j,
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
    *found = {min(i, j), max(i, j), bi_cellgraph_position(&v.shape, word, bits | (bits == 0))};
    return differ == 1 && word >= from && word < to && bi_cellgraph_one_letter(bits, v.shape.letter_bits);
}

/* Chains the places of a partition by their hashes. All keys of a thread are asked for at once. */
static __device__ __forceinline__ void chain_up(match_shared &sh, const join_entry *entries, uint32_t count)
{
    enum { EACH = PARTITION_CAPACITY / MATCH_THREADS };
    uint32_t key[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const uint32_t i = threadIdx.x + k * MATCH_THREADS;
        key[k] = i < count ? entries[i].key : 0;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const uint32_t i = threadIdx.x + k * MATCH_THREADS;
        if (i >= count) break;
        sh.key[i] = key[k];
        sh.next[i] = (uint16_t)atomicExch(&sh.heads[(key[k] >> SUM_BITS) % HEADS], i);
    }
}

/* Places with equal keys become pairs that wait; those for which there is no capacity are compared at once. */
static __device__ void pair_up(match_shared &sh, const join_args &a, int32_t segment, const join_entry *entries,
                               uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += MATCH_THREADS) {
        int group = 0;
        for (uint32_t j = sh.next[i]; j != NOTHING && group <= BI_CELLGRAPH_MAX_GROUP; j = sh.next[j]) {
            const uint32_t differ = sh.key[j] ^ sh.key[i];
            if (differ >> SUM_BITS) continue;
            group++;
            if (!bi_cellgraph_may_be_one_bit(differ)) continue;
            const uint32_t at = atomicAdd(&sh.queued, 1u);
            match_found found;
            if (at < QUEUE)
                sh.queue[at] = i << 16 | j;
            else if (compare(a, segment, entries[i].vertex, entries[j].vertex, &found))
                bi_cellgraph_emit(&a.all.found, found.low, found.high, found.position);
        }
        if (group > BI_CELLGRAPH_MAX_GROUP) atomicOr(&sh.skewed, 1u);
    }
}

/* Compares the pairs that wait, AT_ONCE for each thread at once, and appends the edges. */
template <int WORDS, int AT_ONCE>
static __device__ __forceinline__ void compare_queue(match_shared &sh, const join_args &a, int32_t segment,
                                                     const join_entry *entries)
{
    const uint32_t queued = min(sh.queued, (uint32_t)QUEUE);
    for (uint32_t begin = 0; begin < queued; begin += MATCH_THREADS * AT_ONCE) {
        match_found found[AT_ONCE];
        uint32_t i[AT_ONCE], j[AT_ONCE], own = 0, total;
        bool is[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const uint32_t q = begin + k * MATCH_THREADS + threadIdx.x, pair = q < queued ? sh.queue[q] : 0;
            i[k] = entries[pair >> 16].vertex; /* of no pair: a vertex and itself, which do not differ */
            j[k] = entries[pair & 0xffff].vertex;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (WORDS > 0)
                is[k] = compare_all < WORDS < 2 ? 2 : WORDS > (a, segment, i[k], j[k], &found[k]);
            else
                is[k] = compare(a, segment, i[k], j[k], &found[k]);
            own += is[k];
        }
        const uint32_t before = bi_block_exclusive_sum<MATCH_WARPS>(own, sh.warps, &total);
        if (threadIdx.x == 0 && total > 0) sh.at = bi_atomic_fetch_add_u64(a.all.found.count, total);
        __syncthreads();
        uint64_t at = sh.at + before;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (is[k]) bi_cellgraph_put(&a.all.found, at++, found[k].low, found[k].high, found[k].position);
    }
}

/* One partition of one segment. */
template <int WORDS, int AT_ONCE>
static __global__ void __launch_bounds__(MATCH_THREADS) bi_cellgraph_join_match(const join_args a)
{
    BI_SHARED(match_shared, sh);
    const uint32_t slice = a.end - a.begin, count = a.taken[blockIdx.x];
    const int32_t segment = a.segment + (int32_t)(blockIdx.x / slice);
    const join_entry *entries = a.entries + (uint64_t)blockIdx.x * PARTITION_CAPACITY;
    for (uint32_t h = threadIdx.x; h < HEADS; h += MATCH_THREADS) sh.heads[h] = NOTHING;
    if (threadIdx.x == 0) sh.queued = sh.skewed = 0;
    __syncthreads();
    if (count <= PARTITION_CAPACITY) {
        chain_up(sh, entries, count);
        __syncthreads();
        pair_up(sh, a, segment, entries, count);
        __syncthreads();
        compare_queue<WORDS, AT_ONCE>(sh, a, segment, entries);
    }
    if (threadIdx.x == 0 && sh.queued > 0) bi_atomic_fetch_add_u64(a.all.found.compared, sh.queued);
    if (threadIdx.x == 0 && (count > PARTITION_CAPACITY || sh.skewed)) {
        bi_atomic_or_u32(&a.all.skewed[segment], 1);
        bi_atomic_or_u32(a.all.any_skewed, 1);
    }
}

/* Few vertices for each thread, where multiprocessors would have none otherwise. */
template <int WORDS, int EACH, int LISTS> static bosc_status partition_tile(bosc_ctx *ctx, join_args &a, size_t counts)
{
    const int64_t n = a.all.view.count, each = n / ((int64_t)ctx->multiprocessors * 4 * PARTITION_THREADS);
    a.each = (int32_t)(each < 1 ? 1 : each > EACH ? EACH : each);
    const unsigned tiles = (unsigned)bi_div_up(n, (int64_t)PARTITION_THREADS * a.each);
    if (a.each == 1)
        return BI_RUN(ctx, (bi_cellgraph_join_partition<WORDS, 1, LISTS>), tiles, PARTITION_THREADS,
                      counts * sizeof(uint32_t), a);
    return BI_RUN(ctx, (bi_cellgraph_join_partition<WORDS, EACH, LISTS>), tiles, PARTITION_THREADS,
                  counts * sizeof(uint32_t), a);
}

/* Partitions the vertices of WORDS words (0: of any number), unless that is done; and compares them. */
template <int WORDS, int AT_ONCE> static bosc_status partition_and_match(bosc_ctx *ctx, join_args &a, size_t counts)
{
    const unsigned blocks = (unsigned)a.segments * (a.end - a.begin);
    const int64_t n = a.all.view.count;
    if (counts > MAX_COUNTED)
        BI_TRY(BI_RUN(ctx, bi_cellgraph_join_partition_many, (unsigned)bi_div_up(n, PARTITION_THREADS),
                      PARTITION_THREADS, 0, a));
    else if (a.segments == 1)
        BI_TRY((partition_tile<WORDS, PARTITION_ITEMS, 1>(ctx, a, counts)));
    else if (a.segments == 2)
        BI_TRY((partition_tile<WORDS, PARTITION_ITEMS / 2, 2>(ctx, a, counts)));
    else
        BI_TRY((partition_tile<WORDS, PARTITION_ITEMS / BI_CELLGRAPH_SEGMENTS, BI_CELLGRAPH_SEGMENTS>(ctx, a, counts)));
    return BI_RUN(ctx, (bi_cellgraph_join_match<WORDS, AT_ONCE>), blocks, MATCH_THREADS, 0, a);
}

/* Partitions and compares the vertices of a launch's segments, in the partitions from a.begin to before a.end. */
static bosc_status join_some(bosc_ctx *ctx, join_args &a)
{
    const size_t counts = (size_t)a.segments * (a.end - a.begin);
    BI_TRY(ctx->backend->fill(ctx, a.taken, 0, counts * sizeof(uint32_t)));
    switch (a.all.view.shape.words) {
    case 2: return partition_and_match<2, 4>(ctx, a, counts);
    case 4: return partition_and_match<4, 4>(ctx, a, counts);
    case 8: return partition_and_match<8, 2>(ctx, a, counts);
    default: return partition_and_match<0, 4>(ctx, a, counts);
    }
}

/* Vertices of a partition: few enough for all multiprocessors to be busy, but so many that all partitions are there at
 * once. */
static int64_t partition_size(const bosc_ctx *ctx, int64_t n, int64_t segments)
{
    const int64_t size = n * segments * 2 / ((int64_t)ctx->multiprocessors * 5);
    return size < MIN_PARTITION ? MIN_PARTITION : size > PARTITION ? PARTITION : size;
}

/* Bytes of scratch for the partitions: as many as are counted, or one segment's where there is memory for that. */
static bosc_status partitions_bytes(bosc_ctx *ctx, const join_args &a, size_t partition_bytes, size_t *bytes)
{
    const size_t counted = MAX_COUNTED * partition_bytes, plenty = (size_t)1 << 30,
                 one = (size_t)a.partitions * partition_bytes;
    size_t unused, total;
    *bytes = a.all.max_bytes ? a.all.max_bytes : one > counted ? one : counted;
    if (a.all.max_bytes || one <= plenty) return BOSC_OK;
    BI_CUDA_TRY(ctx, cudaMemGetInfo(&unused, &total));
    *bytes = (unused + ctx->arena.held) / 2;
    return BOSC_OK;
}

/* All segments take no more than four times what one does; where they are given less, launches do some, or slices. */
int64_t bi_cellgraph_cuda_join_bytes(const bosc_ctx *ctx, int64_t n, int64_t max_bytes)
{
    const int64_t partition_bytes = PARTITION_CAPACITY * sizeof(join_entry) + sizeof(uint32_t),
                  counted = MAX_COUNTED * partition_bytes;
    const int64_t one = bi_div_up(n, partition_size(ctx, n, 2)) * partition_bytes, all = BI_CELLGRAPH_SEGMENTS * one;
    const int64_t most = max_bytes ? max_bytes : one > counted ? one : counted;
    return most > all ? all : most < partition_bytes ? partition_bytes : most;
}

/* As many segments at once as there is memory for, and counts; if not even one, slices of its partitions. */
bosc_status bi_cellgraph_cuda_join(bosc_ctx *ctx, const struct bi_cellgraph_segments *all)
{
    const size_t partition_bytes = PARTITION_CAPACITY * sizeof(join_entry) + sizeof(uint32_t);
    join_args a = {};
    a.all = *all;
    a.partitions = (uint32_t)bi_div_up(all->view.count, partition_size(ctx, all->view.count, all->count));
    size_t bytes, capacity;
    BI_TRY(partitions_bytes(ctx, a, partition_bytes, &bytes));
    capacity = bytes < partition_bytes ? 1 : bytes / partition_bytes;
    const uint32_t slice = capacity < a.partitions ? (uint32_t)capacity : a.partitions;
    const size_t counted = capacity < MAX_COUNTED ? capacity : MAX_COUNTED;
    const int32_t fit = counted < a.partitions                        ? 1
                        : counted / a.partitions < (size_t)all->count ? (int32_t)(counted / a.partitions)
                                                                      : all->count;
    const int32_t launches = (all->count + fit - 1) / fit, at_once = (all->count + launches - 1) / launches;
    void *taken, *entries;
    BI_TRY(bi_scratch(ctx, (size_t)slice * (size_t)at_once * sizeof(uint32_t), &taken));
    BI_TRY(bi_scratch(ctx, (size_t)slice * (size_t)at_once * PARTITION_CAPACITY * sizeof(join_entry), &entries));
    a.taken = (uint32_t *)taken;
    a.entries = (join_entry *)entries;
    for (a.segment = 0; a.segment < all->count; a.segment += a.segments) {
        a.segments = all->count - a.segment < at_once ? all->count - a.segment : at_once;
        for (a.begin = 0; a.begin < a.partitions; a.begin = a.end) {
            a.end = a.partitions - a.begin < slice ? a.partitions : a.begin + slice;
            BI_TRY(join_some(ctx, a));
        }
    }
    return BOSC_OK;
}
