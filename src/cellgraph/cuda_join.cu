/* The join on the device. Vertices are dealt to parts by the top bits of the hash of their words outside a segment; a
 * block brings the equal hashes of a part together by chains in shared memory, compares the vertices, and appends the
 * edges. Keys are the low bits of the hashes: what agrees by chance fails in the comparison. */
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "cellgraph/cuda.cuh"

enum {
    DEAL_THREADS = 512,
    DEAL_MOST = 16,      /* vertices of a thread, times segments, at most */
    DEAL_RANK_BITS = 14, /* of a place among those of a tile, which has up to DEAL_THREADS * DEAL_MOST */
    DEAL_COUNTS = 10240, /* parts of all segments that are counted in shared memory; else each vertex is alone */
    PART = 2048,         /* vertices of a part, on average and at most; fewer where parts are few */
    PART_LEAST = 256,
    PART_ROOM = 3072,
    PART_THREADS = 256,
    PART_WARPS = PART_THREADS / 32,
    HEADS = 2048,
    QUEUE = 3072, /* pairs that wait for their comparison */
    NOTHING = 0xffff
};

struct join_entry {
    uint32_t key, vertex;
};

struct join_args {
    struct bi_cell_segments all;
    int32_t segment, segments; /* of this launch: the first, and how many */
    uint32_t parts;            /* of a segment */
    uint32_t begin, end;       /* of which these are dealt now */
    uint32_t *taken;           /* (segments x parts dealt) places taken of each part */
    join_entry *entries;       /* (segments x parts dealt x PART_ROOM) */
    int32_t each;              /* vertices of a thread that deals */
};

/* The part of vertex i in the launch's segment number g, counted from the first part dealt; or none, ~0. */
static __device__ __forceinline__ uint32_t part_of(const join_args &a, int64_t i, int32_t g, uint32_t *key)
{
    const int32_t from = (a.segment + g) * a.all.span, to = min(from + a.all.span, a.all.view.shape.words);
    const uint64_t hash = bi_cell_outside(&a.all.view, i, from, to);
    const uint32_t part = __umulhi((uint32_t)(hash >> 32), a.parts);
    *key = (uint32_t)hash;
    return part < a.begin || part >= a.end ? ~0u : (uint32_t)g * (a.end - a.begin) + part - a.begin;
}

static __device__ __forceinline__ void put(const join_args &a, uint32_t part, uint32_t place, uint32_t key, int64_t i)
{
    if (place < PART_ROOM) a.entries[(uint64_t)part * PART_ROOM + place] = {key, (uint32_t)i};
}

/* Deals the vertices of a tile to LISTS segments at most: parts are counted, room is taken for all of a part at once,
 * and each vertex goes to its place in it. Threads remember up to EACH vertices' keys, parts and ranks among those of
 * the tile. */
template <int EACH, int LISTS> static __global__ void __launch_bounds__(DEAL_THREADS) kernel_deal(const join_args a)
{
    BI_SHARED_DYNAMIC(uint32_t, taken);
    const uint32_t parts = (uint32_t)a.segments * (a.end - a.begin);
    const int64_t first = blockIdx.x * (int64_t)DEAL_THREADS * a.each + threadIdx.x;
    uint32_t key[EACH * LISTS], place[EACH * LISTS]; /* part << DEAL_RANK_BITS | rank; or none, ~0 */
    for (uint32_t p = threadIdx.x; p < parts; p += DEAL_THREADS) taken[p] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = first + (int64_t)k * DEAL_THREADS;
        const bool mine = k < a.each && i < a.all.view.count;
#pragma unroll
        for (int g = 0; g < LISTS; g++) {
            uint32_t part = ~0u;
            if (mine && g < a.segments) part = part_of(a, i, g, &key[k * LISTS + g]);
            place[k * LISTS + g] = part;
            if (part != ~0u) place[k * LISTS + g] = part << DEAL_RANK_BITS | atomicAdd(&taken[part], 1u);
        }
    }
    __syncthreads();
    for (uint32_t p = threadIdx.x; p < parts; p += DEAL_THREADS)
        if (taken[p] > 0) taken[p] = atomicAdd(&a.taken[p], taken[p]);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < EACH * LISTS; q++) {
        const uint32_t part = place[q] >> DEAL_RANK_BITS, rank = place[q] & ((1u << DEAL_RANK_BITS) - 1);
        if (place[q] != ~0u) put(a, part, taken[part] + rank, key[q], first + (int64_t)(q / LISTS) * DEAL_THREADS);
    }
}

/* The same where parts are too many to be counted in shared memory, and so are seldom the same. */
static __global__ void __launch_bounds__(DEAL_THREADS) kernel_deal_alone(const join_args a)
{
    const int64_t i = blockIdx.x * (int64_t)DEAL_THREADS + threadIdx.x;
    uint32_t key;
    for (int32_t g = 0; g < a.segments && i < a.all.view.count; g++) {
        const uint32_t part = part_of(a, i, g, &key);
        if (part != ~0u) put(a, part, atomicAdd(&a.taken[part], 1u), key, i);
    }
}

struct match_shared {
    uint32_t heads[HEADS];
    uint32_t key[PART_ROOM];
    uint16_t next[PART_ROOM];
    uint32_t queue[QUEUE]; /* two places of a part each */
    uint32_t queued, skewed;
    uint32_t warps[PART_WARPS];
    uint64_t at;
};

struct match_found {
    uint64_t edge;
    uint32_t position;
};

static __device__ __forceinline__ bool compare(const join_args &a, int32_t segment, uint32_t i, uint32_t j,
                                               match_found *found)
{
    const struct bi_cell_view &v = a.all.view;
    const int32_t from = segment * a.all.span, to = min(from + a.all.span, v.shape.words);
    const int64_t position = bi_cell_match(&v.shape, bi_cell_row(&v, i), bi_cell_row(&v, j), from, to);
    found->edge = (uint64_t)min(i, j) << a.all.found.vertex_bits | max(i, j);
    found->position = (uint32_t)position;
    return position >= 0;
}

/* The same for vertices of WORDS words, an even number: all of both is asked for at once. */
template <int WORDS>
static __device__ __forceinline__ bool compare_all(const join_args &a, int32_t segment, uint32_t i, uint32_t j,
                                                   match_found *found)
{
    const struct bi_cell_view &v = a.all.view;
    const ulonglong2 *x = (const ulonglong2 *)bi_cell_row(&v, i), *y = (const ulonglong2 *)bi_cell_row(&v, j);
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
    found->edge = (uint64_t)min(i, j) << a.all.found.vertex_bits | max(i, j);
    found->position = bi_cell_position(&v.shape, word, bits | (bits == 0));
    return differ == 1 && word >= from && word < to && bi_cell_one_letter(bits, v.shape.letter_bits);
}

static __device__ __forceinline__ void write(const struct bi_cell_found &to, uint64_t at, const match_found &found)
{
    if (at >= (uint64_t)to.room) return;
    to.edges[at] = found.edge;
    to.positions[at] = found.position;
}

/* Places with equal keys become pairs that wait; those for which there is no room are compared at once. */
static __device__ void pair_up(match_shared &sh, const join_args &a, int32_t segment, const join_entry *entries,
                               uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += PART_THREADS) {
        int mates = 0;
        for (uint32_t j = sh.next[i]; j != NOTHING && mates <= BI_CELL_MATES; j = sh.next[j]) {
            if (sh.key[j] != sh.key[i]) continue;
            mates++;
            const uint32_t at = atomicAdd(&sh.queued, 1u);
            match_found found;
            if (at < QUEUE)
                sh.queue[at] = i << 16 | j;
            else if (compare(a, segment, entries[i].vertex, entries[j].vertex, &found))
                write(a.all.found, bi_take(a.all.found.count, 1), found);
        }
        if (mates > BI_CELL_MATES) atomicOr(&sh.skewed, 1u);
    }
}

/* Compares the pairs that wait, AT_ONCE for each thread at once, and appends the edges. */
template <int WORDS, int AT_ONCE>
static __device__ __forceinline__ void compare_queue(match_shared &sh, const join_args &a, int32_t segment,
                                                     const join_entry *entries)
{
    const uint32_t queued = min(sh.queued, (uint32_t)QUEUE);
    for (uint32_t begin = 0; begin < queued; begin += PART_THREADS * AT_ONCE) {
        match_found found[AT_ONCE];
        uint32_t i[AT_ONCE], j[AT_ONCE], mine = 0, total;
        bool is[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const uint32_t q = begin + k * PART_THREADS + threadIdx.x, pair = q < queued ? sh.queue[q] : 0;
            i[k] = entries[pair >> 16].vertex; /* of no pair: a vertex and itself, which do not differ */
            j[k] = entries[pair & 0xffff].vertex;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (WORDS > 0)
                is[k] = compare_all < WORDS < 2 ? 2 : WORDS > (a, segment, i[k], j[k], &found[k]);
            else
                is[k] = compare(a, segment, i[k], j[k], &found[k]);
            mine += is[k];
        }
        const uint32_t before = bi_block_sum_before<PART_WARPS>(mine, sh.warps, &total);
        if (threadIdx.x == 0 && total > 0) sh.at = bi_take(a.all.found.count, total);
        __syncthreads();
        uint64_t at = sh.at + before;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (is[k]) write(a.all.found, at++, found[k]);
    }
}

/* One part of one segment. */
template <int WORDS, int AT_ONCE> static __global__ void __launch_bounds__(PART_THREADS) kernel_match(const join_args a)
{
    BI_SHARED(match_shared, sh);
    const uint32_t dealt = a.end - a.begin, count = a.taken[blockIdx.x];
    const int32_t segment = a.segment + (int32_t)(blockIdx.x / dealt);
    const join_entry *entries = a.entries + (uint64_t)blockIdx.x * PART_ROOM;
    for (uint32_t h = threadIdx.x; h < HEADS; h += PART_THREADS) sh.heads[h] = NOTHING;
    if (threadIdx.x == 0) sh.queued = sh.skewed = 0;
    __syncthreads();
    if (count <= PART_ROOM) {
        for (uint32_t i = threadIdx.x; i < count; i += PART_THREADS) {
            const uint32_t key = entries[i].key;
            sh.key[i] = key;
            sh.next[i] = (uint16_t)atomicExch(&sh.heads[key % HEADS], i);
        }
        __syncthreads();
        pair_up(sh, a, segment, entries, count);
        __syncthreads();
        compare_queue<WORDS, AT_ONCE>(sh, a, segment, entries);
    }
    if (threadIdx.x == 0 && sh.queued > 0) bi_take(a.all.found.compared, sh.queued);
    if (threadIdx.x == 0 && (count > PART_ROOM || sh.skewed)) {
        bi_raise(&a.all.skewed[segment], 1);
        bi_raise(a.all.any_skewed, 1);
    }
}

template <int WORDS, int AT_ONCE> static bosc_status match(bosc_ctx *ctx, const join_args &a)
{
    const unsigned blocks = (unsigned)a.segments * (a.end - a.begin);
    return BI_RUN(ctx, (kernel_match<WORDS, AT_ONCE>), blocks, PART_THREADS, 0, a);
}

/* Few vertices for each thread, where multiprocessors would have none otherwise. */
template <int EACH, int LISTS> static bosc_status deal(bosc_ctx *ctx, join_args &a, size_t counts)
{
    const int64_t n = a.all.view.count, each = n / ((int64_t)ctx->multiprocessors * 4 * DEAL_THREADS);
    a.each = (int32_t)(each < 1 ? 1 : each > EACH ? EACH : each);
    const unsigned tiles = (unsigned)bi_div_up(n, (int64_t)DEAL_THREADS * a.each);
    return BI_RUN(ctx, (kernel_deal<EACH, LISTS>), tiles, DEAL_THREADS, counts * sizeof(uint32_t), a);
}

/* Deals and compares the vertices of a launch's segments, in the parts from a.begin to before a.end. */
static bosc_status join_some(bosc_ctx *ctx, join_args &a)
{
    const int64_t n = a.all.view.count;
    const size_t counts = (size_t)a.segments * (a.end - a.begin);
    BI_TRY(ctx->backend->fill(ctx, a.taken, 0, counts * sizeof(uint32_t)));
    if (counts <= DEAL_COUNTS) {
        if (a.segments == 1)
            BI_TRY((deal<DEAL_MOST, 1>(ctx, a, counts)));
        else if (a.segments == 2)
            BI_TRY((deal<DEAL_MOST / 2, 2>(ctx, a, counts)));
        else
            BI_TRY((deal<DEAL_MOST / BI_CELL_SEGMENTS, BI_CELL_SEGMENTS>(ctx, a, counts)));
    } else {
        BI_TRY(BI_RUN(ctx, kernel_deal_alone, (unsigned)bi_div_up(n, DEAL_THREADS), DEAL_THREADS, 0, a));
    }
    switch (a.all.view.shape.words) {
    case 2: return match<2, 4>(ctx, a);
    case 4: return match<4, 4>(ctx, a);
    case 8: return match<8, 2>(ctx, a);
    default: return match<0, 4>(ctx, a);
    }
}

/* Vertices of a part: few enough for all multiprocessors to be busy. */
static int64_t part_size(const bosc_ctx *ctx, int64_t n, int64_t segments)
{
    const int64_t size = n * segments / ((int64_t)ctx->multiprocessors * 6);
    return size < PART_LEAST ? PART_LEAST : size > PART ? PART : size;
}

/* Bytes of scratch for the parts. What is dealt should stay in the cache: lines that leave it half full are read again.
 * But one segment is dealt at once where there is memory for that. */
static bosc_status parts_bytes(bosc_ctx *ctx, const join_args &a, size_t part_bytes, size_t *bytes)
{
    const size_t cached = (size_t)48 << 20, plenty = (size_t)1 << 30, one = (size_t)a.parts * part_bytes;
    size_t unused, total;
    *bytes = a.all.max_bytes ? a.all.max_bytes : one > cached ? one : cached;
    if (a.all.max_bytes || one <= plenty) return BOSC_OK;
    BI_CUDA_TRY(ctx, cudaMemGetInfo(&unused, &total));
    *bytes = (unused + ctx->arena.held) / 2;
    return BOSC_OK;
}

/* No more than one segment takes, or what is cached: where that is less, launches do all segments, or slices. */
int64_t cell_join_bytes(const bosc_ctx *ctx, int64_t n, int64_t max_bytes)
{
    const int64_t part_bytes = PART_ROOM * sizeof(join_entry) + sizeof(uint32_t);
    const int64_t one = bi_div_up(n, part_size(ctx, n, 2)) * part_bytes, cached = (int64_t)48 << 20;
    const int64_t most = one > cached ? one : cached;
    return max_bytes == 0 || max_bytes > 4 * one ? (most > 4 * one && max_bytes ? 4 * one : most)
           : max_bytes < part_bytes              ? part_bytes
                                                 : max_bytes;
}

/* As many segments at once as there is memory for, and counts; if not even one, slices of its parts. */
bosc_status cell_join(bosc_ctx *ctx, const struct bi_cell_segments *all)
{
    const size_t part_bytes = PART_ROOM * sizeof(join_entry) + sizeof(uint32_t);
    join_args a = {};
    a.all = *all;
    a.parts = (uint32_t)bi_div_up(all->view.count, part_size(ctx, all->view.count, all->count));
    size_t bytes, room;
    BI_TRY(parts_bytes(ctx, a, part_bytes, &bytes));
    room = bytes < part_bytes ? 1 : bytes / part_bytes;
    const uint32_t slice = room < a.parts ? (uint32_t)room : a.parts;
    const size_t counted = room < DEAL_COUNTS ? room : DEAL_COUNTS;
    const int32_t fit = counted < a.parts                        ? 1
                        : counted / a.parts < (size_t)all->count ? (int32_t)(counted / a.parts)
                                                                 : all->count;
    const int32_t launches = (all->count + fit - 1) / fit, at_once = (all->count + launches - 1) / launches;
    void *taken, *entries;
    BI_TRY(bi_scratch(ctx, (size_t)slice * (size_t)at_once * sizeof(uint32_t), &taken));
    BI_TRY(bi_scratch(ctx, (size_t)slice * (size_t)at_once * PART_ROOM * sizeof(join_entry), &entries));
    a.taken = (uint32_t *)taken;
    a.entries = (join_entry *)entries;
    for (a.segment = 0; a.segment < all->count; a.segment += a.segments) {
        a.segments = all->count - a.segment < at_once ? all->count - a.segment : at_once;
        BI_TRY(bi_progress(ctx, "join", (double)a.segment / all->count));
        for (a.begin = 0; a.begin < a.parts; a.begin = a.end) {
            a.end = a.parts - a.begin < slice ? a.parts : a.begin + slice;
            BI_TRY(join_some(ctx, a));
        }
    }
    return BOSC_OK;
}
