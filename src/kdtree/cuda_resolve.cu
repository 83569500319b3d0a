/* The exact medians of a pass: selected from side lists, depth by depth; the rest of each list goes down. */
#include "kdtree/cuda_select.cuh"

/* A node whose list is being resolved. */
struct node_place {
    uint32_t segment, v;        /* heap index v within the segment */
    int j, d;                   /* depth, coordinate */
    uint32_t list, room, count; /* in the side array */
    uint32_t mid, rank;         /* of the median: in-order place, and rank in the list */
    bool sound;                 /* the median is in the list */
};

/* Where node `node` of depth j (of all segments) is, and its median's rank in the list: what is missing on the less
 * side, which stands still until the node's points go down. By the first warp; the others get it after a barrier. */
static __device__ __forceinline__ void find_node(node_place *place, const kd_pass &pass, const kd_work &work,
                                                 uint32_t node, int j, int dim, bool ranked)
{
    const int lane = threadIdx.x;
    const uint32_t segment = node >> j, v = (1u << j) - 1 + (node & ((1u << j) - 1));
    const uint32_t *cursors = work.cursors + segment * KD_DESTINATIONS;
    /* Heap index + 1 of this lane's destination; the less child of v has 2v + 2. */
    uint32_t heap = lane < KD_CELLS ? lane + (1u << pass.levels) : lane - KD_CELLS + 1;
    bool used = lane < KD_CELLS ? lane < (1 << pass.levels) : lane - KD_CELLS + 1 < (1 << pass.levels);
    int depth = 31 - __clz((int)heap);
    uint32_t less = used && depth > j && heap >> (depth - j - 1) == 2 * v + 2 ? cursors[lane] : 0;
    for (int o = 16; o > 0; o >>= 1) less += __shfl_xor_sync(~0u, less, o);
    if (lane != 0) return;
    struct bi_kd_range r = bi_kd_subtree(pass.n, pass.level + j, node);
    const uint2 list = work.destinations[segment * KD_DESTINATIONS + KD_CELLS + v];
    const uint32_t size = (uint32_t)(bi_kd_mid(r) - r.begin), count = min(cursors[KD_CELLS + v], list.y);
    place->segment = segment;
    place->v = v;
    place->j = j;
    place->d = (pass.level + j) % dim;
    place->list = list.x;
    place->room = list.y;
    place->count = count;
    place->mid = (uint32_t)bi_kd_mid(r);
    place->rank = size - less;
    place->sound = !ranked || (less <= size && size - less < count);
    if (!place->sound) atomicOr(work.failed, 2u);
}

template <int DIM>
static __device__ __forceinline__ kd_key_range<DIM> bracket_keys(const node_place &place, const kd_work &work)
{
    float2 b = work.brackets[place.segment * KD_CELLS + place.v];
    kd_key_range<DIM> range;
    range.d = place.d;
    range.fixed = 0;
    for (int i = 0; i < DIM; i++) range.values[i] = 0;
    range.low = bi_key_u32_of_f32(b.x);
    range.span = bi_key_u32_of_f32(b.y) - range.low;
    return range;
}

struct push_shared {
    float2 brackets[KD_CELLS];
    kd_scatter scatter;
};

enum { PUSH_ITEMS = 4 };

/* Sends the points [first, end) of a node's list, all but the median, down. */
template <int DIM, int THREADS>
static __device__ void push_points(push_shared &sh, const node_place &place, const kd_point<DIM> &median,
                                   const kd_pass &pass, const kd_array &to, const kd_work &work, uint32_t first,
                                   uint32_t end)
{
    const uint32_t t = threadIdx.x;
    if (t + 1 < 1u << pass.levels) sh.brackets[t] = work.brackets[place.segment * KD_CELLS + t];
    if (t < KD_DESTINATIONS) kd_scatter_prepare(sh.scatter, work, place.segment, t);
    __syncthreads();
    for (uint32_t batch = first; batch < end; batch += THREADS * PUSH_ITEMS) {
        kd_point<DIM> p[PUSH_ITEMS];
        uint32_t where[PUSH_ITEMS]; /* destination << 16 | rank */
#pragma unroll
        for (int k = 0; k < PUSH_ITEMS; k++) {
            uint32_t e = batch + k * THREADS + t;
            where[k] = ~0u;
            if (e >= end) continue;
            p[k] = kd_load<DIM>(work.side, place.list + e);
            if (p[k].id == median.id) continue;
            int child = 2 * place.v + 1 + !kd_before<DIM>(p[k], median, place.d);
            uint32_t what = kd_classify<DIM>(p[k], child, kd_next<DIM>(place.d), sh.brackets, pass.levels);
            where[k] = what << 16 | atomicAdd(&sh.scatter.count[what], 1u);
        }
        __syncthreads();
        if (t < KD_DESTINATIONS) {
            kd_scatter_take(sh.scatter, work, place.segment, t, 0);
            sh.scatter.count[t] = 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < PUSH_ITEMS; k++)
            if (where[k] != ~0u)
                kd_scatter_put<DIM>(sh.scatter, to, work.side, where[k] >> 16, where[k] & 0xffff, p[k]);
        __syncthreads();
    }
}

template <int DIM> struct resolve_shared {
    node_place place;
    kd_select_shared<DIM> select;
    push_shared push;
};

/* One block a node. */
template <int DIM, int THREADS>
static __global__ void __launch_bounds__(THREADS)
    resolve(const kd_pass pass, const kd_array to, const kd_array nodes, const kd_work work, int j)
{
    using shared = struct resolve_shared<DIM>;
    BI_SHARED(shared, sh);
    if (threadIdx.x < 32) find_node(&sh.place, pass, work, blockIdx.x, j, DIM, true);
    __syncthreads();
    if (!sh.place.sound) return;
    const node_place place = sh.place;
    auto get = [&](uint32_t e) { return kd_load<DIM>(work.side, place.list + e); };
    kd_select<DIM, THREADS>(sh.select, bracket_keys<DIM>(place, work), get, place.count, place.rank);
    if (!sh.select.found) {
        if (threadIdx.x == 0) atomicOr(work.failed, 4u);
        return;
    }
    const kd_point<DIM> median = sh.select.median;
    if (threadIdx.x == 0) kd_store<DIM>(nodes, place.mid, median);
    push_points<DIM, THREADS>(sh.push, place, median, pass, to, work, 0, place.count);
}

/* Long lists take three launches: counting by many blocks (the last one finds the median's bin), collecting that bin
 * (the last one selects), and handing down. */
enum { LONG_THREADS = 512, LONG_ITEMS = 8, LONG_PART = LONG_THREADS * LONG_ITEMS };

template <int DIM> struct long_shared {
    node_place place;
    kd_select_shared<DIM> select;
    push_shared push;
    uint32_t last;
};

static __device__ __forceinline__ kd_selection *selection_of(const kd_work &work, const node_place &place)
{
    return work.selections + place.segment * KD_CELLS + place.v;
}

/* True for the last of `blocks` blocks that come here; it sees what the others wrote. */
static __device__ __forceinline__ bool comes_last(uint32_t *last, uint32_t *tickets, uint32_t blocks)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *last = atomicAdd(tickets, 1u) == blocks - 1;
    __syncthreads();
    if (!*last) return false;
    __threadfence();
    return true;
}

template <int DIM>
static __global__ void __launch_bounds__(LONG_THREADS)
    long_count(const kd_pass pass, const kd_work work, int j, uint32_t blocks)
{
    using shared = struct long_shared<DIM>;
    BI_SHARED(shared, sh);
    const uint32_t t = threadIdx.x, part = blockIdx.x % blocks;
    if (t < 32) find_node(&sh.place, pass, work, blockIdx.x / blocks, j, DIM, true);
    for (int b = t; b < KD_LIST_BINS; b += LONG_THREADS) sh.select.bins[b] = 0;
    __syncthreads();
    const node_place place = sh.place;
    if (!place.sound) return;
    const kd_key_range<DIM> range = bracket_keys<DIM>(place, work);
    const uint32_t shift = kd_bin_shift(range.span), end = min(place.count, (part + 1) * LONG_PART);
    kd_selection *selection = selection_of(work, place);
    uint32_t *bins = work.list_bins + (size_t)(selection - work.selections) * KD_LIST_BINS;
#pragma unroll 4
    for (uint32_t e = part * LONG_PART + t; e < end; e += LONG_THREADS) {
        uint32_t offset;
        if (kd_in_range<DIM>(range, kd_load<DIM>(work.side, place.list + e), &offset))
            atomicAdd(&sh.select.bins[offset >> shift], 1u);
    }
    __syncthreads();
    for (int b = t; b < KD_LIST_BINS; b += LONG_THREADS)
        if (sh.select.bins[b]) atomicAdd(&bins[b], sh.select.bins[b]);
    if (!comes_last(&sh.last, &selection->tickets, blocks)) return;
    for (int b = t; b < KD_LIST_BINS; b += LONG_THREADS) sh.select.bins[b] = __ldcg(&bins[b]);
    __syncthreads();
    kd_find_list_bin<LONG_THREADS>(sh.select, place.rank);
    if (t == 0) {
        selection->low = range.low + (sh.select.bin << shift);
        selection->shift = shift;
        selection->rank = sh.select.rank;
        selection->count = sh.select.count;
        selection->tickets = 0;
    }
}

template <int DIM>
static __global__ void __launch_bounds__(LONG_THREADS)
    long_collect(const kd_pass pass, const kd_array nodes, const kd_work work, int j, uint32_t blocks)
{
    using shared = struct long_shared<DIM>;
    BI_SHARED(shared, sh);
    const uint32_t t = threadIdx.x, part = blockIdx.x % blocks;
    if (t < 32) find_node(&sh.place, pass, work, blockIdx.x / blocks, j, DIM, true);
    __syncthreads();
    const node_place place = sh.place;
    if (!place.sound) return;
    kd_selection *selection = selection_of(work, place);
    kd_key_range<DIM> range = bracket_keys<DIM>(place, work);
    range.low = selection->low;
    range.span = (1u << selection->shift) - 1;
    /* A median among more equal keys than that is left to the other builder. */
    uint32_t *candidates = work.candidates + place.list / 4;
    const uint32_t room = place.room / 4;
    const uint32_t end = min(place.count, (part + 1) * LONG_PART);
#pragma unroll 4
    for (uint32_t e = part * LONG_PART + t; e < end; e += LONG_THREADS) {
        uint32_t offset;
        if (!kd_in_range<DIM>(range, kd_load<DIM>(work.side, place.list + e), &offset)) continue;
        uint32_t slot = atomicAdd(&selection->collected, 1u);
        if (slot < room) candidates[slot] = e;
    }
    if (!comes_last(&sh.last, &selection->tickets, blocks)) return;
    auto get = [&](uint32_t e) { return kd_load<DIM>(work.side, place.list + __ldcg(&candidates[e])); };
    kd_select<DIM, LONG_THREADS>(sh.select, range, get, min(selection->count, room), selection->rank);
    if (t != 0) return;
    if (sh.select.found && selection->count <= room)
        kd_store<DIM>(nodes, place.mid, sh.select.median);
    else
        atomicOr(work.failed, 4u);
}

template <int DIM>
static __global__ void __launch_bounds__(LONG_THREADS)
    long_push(const kd_pass pass, const kd_array to, const kd_array nodes, const kd_work work, int j, uint32_t blocks)
{
    using shared = struct long_shared<DIM>;
    BI_SHARED(shared, sh);
    const uint32_t first = blockIdx.x % blocks * LONG_PART;
    if (threadIdx.x < 32) find_node(&sh.place, pass, work, blockIdx.x / blocks, j, DIM, false);
    __syncthreads();
    const node_place place = sh.place;
    if (first >= place.count) return;
    const kd_point<DIM> median = kd_load<DIM>(nodes, place.mid);
    push_points<DIM, LONG_THREADS>(sh.push, place, median, pass, to, work, first, min(place.count, first + LONG_PART));
}

template <int DIM>
static bosc_status resolve_long(bosc_ctx *ctx, const kd_pass &pass, const kd_array &to, const kd_array &nodes,
                                const kd_work &work, int j)
{
    auto count = long_count<DIM>;
    auto collect = long_collect<DIM>;
    auto push = long_push<DIM>;
    uint32_t blocks = (uint32_t)bi_div_up(pass.side_limit[j], LONG_PART), grid = (pass.segments << j) * blocks;
    BI_TRY(BI_RUN(ctx, count, grid, LONG_THREADS, 0, pass, work, j, blocks));
    BI_TRY(BI_RUN(ctx, collect, grid, LONG_THREADS, 0, pass, nodes, work, j, blocks));
    return BI_RUN(ctx, push, grid, LONG_THREADS, 0, pass, to, nodes, work, j, blocks);
}

template <int DIM>
bosc_status kd_run_resolve(bosc_ctx *ctx, const kd_pass &pass, const kd_array &to, const kd_array &nodes,
                           const kd_work &work)
{
    auto wide = resolve<DIM, 1024>;
    auto narrow = resolve<DIM, 256>;
    for (int j = 0; j < pass.levels; j++) {
        uint32_t limit = pass.side_limit[j], grid = pass.segments << j;
        if (limit > KD_LONG_LIST)
            BI_TRY(resolve_long<DIM>(ctx, pass, to, nodes, work, j));
        else if (grid <= 264)
            BI_TRY(BI_RUN(ctx, wide, grid, 1024, 0, pass, to, nodes, work, j));
        else
            BI_TRY(BI_RUN(ctx, narrow, grid, 256, 0, pass, to, nodes, work, j));
    }
    return BOSC_OK;
}

template bosc_status kd_run_resolve<2>(bosc_ctx *, const kd_pass &, const kd_array &, const kd_array &,
                                       const kd_work &);
template bosc_status kd_run_resolve<3>(bosc_ctx *, const kd_pass &, const kd_array &, const kd_array &,
                                       const kd_work &);
template bosc_status kd_run_resolve<4>(bosc_ctx *, const kd_pass &, const kd_array &, const kd_array &,
                                       const kd_work &);
