/* The join on the device. Vertices are dealt to parts by the top bits of the hash of their words outside a segment; a
 * block brings the equal hashes of a part together by chains in shared memory, compares the vertices, and appends the
 * edges. Keys are the low bits of the hashes: what agrees by chance fails in the comparison. */
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "cellgraph/cuda.cuh"

enum {
    DEAL_THREADS = 512,
    DEAL_MOST = 32,    /* vertices of a thread, at most */
    DEAL_PARTS = 4096, /* counted in shared memory; of more, each vertex takes its place alone */
    PART = 2048,       /* vertices of a part, on average */
    PART_ROOM = 3072,
    PART_THREADS = 256,
    PART_WARPS = PART_THREADS / 32,
    HEADS = 2048,
    QUEUE = 3072, /* pairs that wait for their comparison */
    AT_ONCE = 4,  /* of them a thread compares */
    NOTHING = 0xffff
};

struct join_entry {
    uint32_t key, vertex;
};

struct join_args {
    struct bi_cell_segments all;
    int32_t segment;     /* the first of this launch */
    uint32_t parts;      /* of a segment */
    uint32_t begin, end; /* of which these are dealt now */
    uint32_t *taken;     /* (segments of the launch x parts dealt) places taken of each part */
    join_entry *entries; /* (segments of the launch x parts dealt x PART_ROOM) */
    int32_t each;        /* vertices of a thread that deals */
};

static __device__ __forceinline__ void part_of(const join_args &a, int64_t i, int32_t segment, uint32_t *part,
                                               uint32_t *key)
{
    const int32_t from = segment * a.all.span, to = min(from + a.all.span, a.all.view.shape.words);
    const uint64_t hash = bi_cell_outside(&a.all.view, i, from, to);
    *part = __umulhi((uint32_t)(hash >> 32), a.parts);
    *key = (uint32_t)hash;
}

static __device__ __forceinline__ void put(const join_args &a, uint32_t part, uint32_t place, uint32_t key, int64_t i)
{
    if (place < PART_ROOM) a.entries[(uint64_t)part * PART_ROOM + place] = {key, (uint32_t)i};
}

/* Deals the vertices of a tile: parts are counted, room is taken for all of a part at once, and each vertex goes to its
 * place in it. blockIdx.y: the segment. */
static __global__ void __launch_bounds__(DEAL_THREADS) kernel_deal(const join_args a)
{
    struct deal_shared {
        uint32_t taken[DEAL_PARTS];
    };
    BI_SHARED(deal_shared, sh);
    const uint32_t parts = a.end - a.begin, base = blockIdx.y * parts;
    const int64_t first = blockIdx.x * (int64_t)DEAL_THREADS * a.each + threadIdx.x;
    const int32_t segment = a.segment + (int32_t)blockIdx.y;
    uint32_t part, key;
    for (uint32_t p = threadIdx.x; p < parts; p += DEAL_THREADS) sh.taken[p] = 0;
    __syncthreads();
    for (int32_t k = 0; k < a.each; k++) {
        const int64_t i = first + (int64_t)k * DEAL_THREADS;
        if (i >= a.all.view.count) break;
        part_of(a, i, segment, &part, &key);
        if (part >= a.begin && part < a.end) atomicAdd(&sh.taken[part - a.begin], 1u);
    }
    __syncthreads();
    for (uint32_t p = threadIdx.x; p < parts; p += DEAL_THREADS)
        if (sh.taken[p] > 0) sh.taken[p] = atomicAdd(&a.taken[base + p], sh.taken[p]);
    __syncthreads();
    for (int32_t k = 0; k < a.each; k++) {
        const int64_t i = first + (int64_t)k * DEAL_THREADS;
        if (i >= a.all.view.count) break;
        part_of(a, i, segment, &part, &key);
        if (part >= a.begin && part < a.end)
            put(a, base + part - a.begin, atomicAdd(&sh.taken[part - a.begin], 1u), key, i);
    }
}

/* The same where parts are too many to be counted in shared memory, and so are seldom the same. */
static __global__ void __launch_bounds__(DEAL_THREADS) kernel_deal_alone(const join_args a)
{
    const uint32_t parts = a.end - a.begin, base = blockIdx.y * parts;
    const int64_t i = blockIdx.x * (int64_t)DEAL_THREADS + threadIdx.x;
    uint32_t part, key;
    if (i >= a.all.view.count) return;
    part_of(a, i, a.segment + (int32_t)blockIdx.y, &part, &key);
    if (part < a.begin || part >= a.end) return;
    part += base - a.begin;
    put(a, part, atomicAdd(&a.taken[part], 1u), key, i);
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

/* Compares the pairs that wait, a few for each thread at once, and appends the edges. */
static __device__ void compare_queue(match_shared &sh, const join_args &a, int32_t segment, const join_entry *entries)
{
    const uint32_t queued = min(sh.queued, (uint32_t)QUEUE);
    for (uint32_t begin = 0; begin < queued; begin += PART_THREADS * AT_ONCE) {
        match_found found[AT_ONCE];
        bool is[AT_ONCE];
        uint32_t mine = 0, total;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const uint32_t q = begin + k * PART_THREADS + threadIdx.x;
            is[k] = false;
            if (q < queued)
                is[k] = compare(a, segment, entries[sh.queue[q] >> 16].vertex, entries[sh.queue[q] & 0xffff].vertex,
                                &found[k]);
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
static __global__ void __launch_bounds__(PART_THREADS) kernel_match(const join_args a)
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
        compare_queue(sh, a, segment, entries);
    }
    if (threadIdx.x == 0 && (count > PART_ROOM || sh.skewed)) {
        bi_raise(&a.all.skewed[segment], 1);
        bi_raise(a.all.any_skewed, 1);
    }
}

/* Deals and compares the vertices of `segments` segments, in the parts from a.begin to before a.end. */
static bosc_status join_some(bosc_ctx *ctx, join_args &a, int32_t segments)
{
    const int64_t n = a.all.view.count;
    const uint32_t parts = a.end - a.begin;
    const unsigned y = (unsigned)segments;
    BI_TRY(ctx->backend->fill(ctx, a.taken, 0, (size_t)parts * y * sizeof(uint32_t)));
    if (parts <= DEAL_PARTS) {
        const int64_t each = n * segments / ((int64_t)ctx->multiprocessors * 3 * DEAL_THREADS);
        a.each = (int32_t)(each < 1 ? 1 : each > DEAL_MOST ? DEAL_MOST : each);
        const dim3 grid((unsigned)bi_div_up(n, (int64_t)DEAL_THREADS * a.each), y);
        BI_TRY(BI_RUN(ctx, kernel_deal, grid, DEAL_THREADS, 0, a));
    } else {
        const dim3 grid((unsigned)bi_div_up(n, DEAL_THREADS), y);
        BI_TRY(BI_RUN(ctx, kernel_deal_alone, grid, DEAL_THREADS, 0, a));
    }
    return BI_RUN(ctx, kernel_match, parts * y, PART_THREADS, 0, a);
}

/* As many segments at once as there is memory for; if not even one, slices of its parts. */
bosc_status cell_join(bosc_ctx *ctx, const struct bi_cell_segments *all)
{
    enum { MOST_SEGMENTS = 65535 }; /* of a grid */
    const size_t part_bytes = PART_ROOM * sizeof(join_entry) + sizeof(uint32_t);
    join_args a = {};
    a.all = *all;
    a.parts = (uint32_t)bi_div_up(all->view.count, PART);
    size_t room = all->most_bytes / part_bytes;
    if (room < 1) room = 1;
    const uint32_t slice = room < a.parts ? (uint32_t)room : a.parts;
    int32_t at_once = slice < a.parts                       ? 1
                      : room / a.parts < (size_t)all->count ? (int32_t)(room / a.parts)
                                                            : all->count;
    if (at_once > MOST_SEGMENTS) at_once = MOST_SEGMENTS;
    void *taken, *entries;
    BI_TRY(bi_scratch(ctx, (size_t)slice * (size_t)at_once * sizeof(uint32_t), &taken));
    BI_TRY(bi_scratch(ctx, (size_t)slice * (size_t)at_once * PART_ROOM * sizeof(join_entry), &entries));
    a.taken = (uint32_t *)taken;
    a.entries = (join_entry *)entries;
    for (a.segment = 0; a.segment < all->count; a.segment += at_once) {
        const int32_t left = all->count - a.segment, segments = left < at_once ? left : at_once;
        BI_TRY(bi_progress(ctx, "join", (double)a.segment / all->count));
        for (a.begin = 0; a.begin < a.parts; a.begin = a.end) {
            a.end = a.parts - a.begin < slice ? a.parts : a.begin + slice;
            BI_TRY(join_some(ctx, a, segments));
        }
    }
    return BOSC_OK;
}
