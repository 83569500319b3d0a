/* The exact medians of a pass: selected from side lists, depth by depth; the rest of each list goes down. */
#include "kdtree/cuda/sampled/select_median.cuh"

/* A node whose list is being resolved. */
struct node_place {
    uint32_t segment, v;  /* heap index v within the segment */
    uint32_t list, count; /* in the side array */
    uint32_t mid, rank;   /* of the median: in-order place, and rank in the list */
    bool sound;           /* the median is in the list */
};

/* Where node `node` of depth j (of all segments) is, and its median's rank in the list: what is missing on the less
 * side once the depths above have come down. By the first warp; the others get it after a barrier. */
static __device__ __forceinline__ void find_node(node_place *place, const bi_kdtree_pass &pass,
                                                 const bi_kdtree_pass_memory &work, uint32_t node, int j)
{
    const int lane = threadIdx.x;
    const uint32_t segment = node >> j, v = (1u << j) - 1 + (node & ((1u << j) - 1));
    /* Heap index + 1 of this lane's destination; the less child of v has 2v + 2. */
    uint32_t heap = lane < BI_KDTREE_CELLS ? lane + (1u << pass.levels) : lane - BI_KDTREE_CELLS + 1;
    bool used = lane < BI_KDTREE_CELLS ? lane < (1 << pass.levels) : lane - BI_KDTREE_CELLS + 1 < (1 << pass.levels);
    int depth = 31 - __clz((int)heap);
    uint32_t less = 0;
    if (used && depth > j && heap >> (depth - j - 1) == 2 * v + 2)
        for (int from = 0; from <= j; from++)
            less += work.arrivals[(segment * BI_KDTREE_PASS_LEVELS + from) * BI_KDTREE_DESTINATIONS + lane];
    for (int o = 16; o > 0; o >>= 1) less += __shfl_xor_sync(~0u, less, o);
    if (lane != 0) return;
    struct bi_kdtree_range r = bi_kdtree_subtree(pass.n, pass.level + j, node);
    const uint2 list = work.destinations[segment * BI_KDTREE_DESTINATIONS + BI_KDTREE_CELLS + v];
    const uint32_t size = (uint32_t)(bi_kdtree_mid(r) - r.begin);
    const uint32_t count = min(work.cursors[segment * BI_KDTREE_DESTINATIONS + BI_KDTREE_CELLS + v], list.y);
    place->segment = segment;
    place->v = v;
    place->list = list.x;
    place->count = count;
    place->mid = (uint32_t)bi_kdtree_mid(r);
    place->rank = size - less;
    place->sound = less <= size && size - less < count;
    if (!place->sound) atomicOr(work.failed, 2u);
    /* What came before may have lost points. */
    if (bi_load_relaxed(work.failed)) place->sound = false;
}

enum { PUSH_ITEMS = 4, LESS = 0, GREATER = 1, STAYS = 2, GONE = 3 };

/* Hands points get(first) ... get(end - 1) of a list down; side_of tells on which side of the median a point is.
 * Those that stay are packed from place `keep` of `side` on, which is not behind them; returns how many they are. */
template <int DIM, int THREADS, class GET, class SIDE>
static __device__ __forceinline__ uint32_t push_points(bi_kdtree_segment_scatter &scatter, const node_place &place,
                                                       const bi_kdtree_pass &pass, const bi_kdtree_array &to,
                                                       const bi_kdtree_pass_memory &work, uint32_t first, uint32_t end,
                                                       uint32_t keep, GET get, SIDE side_of)
{
    const uint32_t t = threadIdx.x;
    const int j = bi_kdtree_heap_depth((int)place.v), d = bi_kdtree_next_coordinate<DIM>((pass.level + j) % DIM);
    uint32_t kept = 0;
    for (uint32_t batch = first; batch < end; batch += THREADS * PUSH_ITEMS) {
        bi_kdtree_point<DIM> p[PUSH_ITEMS];
        uint32_t where[PUSH_ITEMS]; /* destination << 16 | rank */
#pragma unroll
        for (int k = 0; k < PUSH_ITEMS; k++) {
            const uint32_t e = batch + k * THREADS + t;
            if (e < end) p[k] = get(e);
        }
#pragma unroll
        for (int k = 0; k < PUSH_ITEMS; k++) {
            where[k] = ~0u;
            if (batch + k * THREADS + t >= end) continue;
            const int side = side_of(p[k]);
            if (side == GONE) continue;
            uint32_t what = BI_KDTREE_KEPT;
            if (side != STAYS)
                what = bi_kdtree_classify<DIM>(bi_kdtree_seen_point(scatter, p[k]), 2 * (int)place.v + 1 + side, d,
                                               scatter.brackets, pass.levels);
            where[k] =
                what << 16 | bi_kdtree_segment_scatter_count<DIM>(scatter, pass, work, place.segment, what, p[k]);
        }
        __syncthreads();
        const uint32_t staying = scatter.count[BI_KDTREE_KEPT];
        if (t < BI_KDTREE_DESTINATIONS) bi_kdtree_segment_scatter_take(scatter, work, place.segment, t, 0, j + 1);
        if (t == BI_KDTREE_KEPT) scatter.target[t] = make_uint2(keep + kept, ~0u);
        kept += staying;
        __syncthreads();
        if (t < BI_KDTREE_DESTINATIONS) scatter.count[t] = 0;
#pragma unroll
        for (int k = 0; k < PUSH_ITEMS; k++)
            if (where[k] != ~0u)
                bi_kdtree_segment_scatter_put<DIM>(scatter, to, work.side, where[k] >> 16, where[k] & 0xffff, p[k]);
        __syncthreads();
    }
    return kept;
}

template <int DIM> struct resolve_shared {
    node_place place;
    bi_kdtree_select_shared<DIM> select;
    bi_kdtree_segment_scatter scatter;
    uint32_t begins[BI_KDTREE_MOST_CHUNKS + 1]; /* of what stayed in each chunk */
    uint32_t last;
};

/* True for the last of a node's blocks that come here; it sees what the others wrote. Each kept `kept` points. */
static __device__ __forceinline__ bool comes_last(uint32_t *last, const node_place &place,
                                                  const bi_kdtree_pass_memory &work, uint32_t *kept_of, uint32_t chunk,
                                                  uint32_t chunks, uint32_t kept)
{
    if (threadIdx.x == 0) kept_of[chunk] = kept;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *last = atomicAdd(&work.list_tickets[place.segment * BI_KDTREE_CELLS + place.v], 1u) == chunks - 1;
    __syncthreads();
    if (!*last) return false;
    __threadfence();
    return true;
}

/* begins[i] = points that stayed in the chunks before chunk i. */
static __device__ __forceinline__ void sum_chunks(uint32_t *begins, const uint32_t *kept_of, uint32_t chunks)
{
    const uint32_t t = threadIdx.x;
    uint32_t before = 0;
    if (t < 32) {
        for (uint32_t p = 0; p < chunks; p += 32) {
            const uint32_t own = p + t < chunks ? __ldcg(&kept_of[p + t]) : 0;
            uint32_t sum = bi_warp_inclusive_sum(own);
            if (p + t < chunks) begins[p + t] = before + sum - own;
            before += __shfl_sync(~0u, sum, 31);
        }
        if (t == 0) begins[chunks] = before;
    }
    __syncthreads();
}

/* Counts the keys of a list that one block has. */
template <int DIM, int THREADS>
static __device__ __forceinline__ void count_list(resolve_shared<DIM> &sh, const bi_kdtree_pass_memory &work)
{
    const bi_kdtree_list_scale scale = sh.scatter.scale[sh.place.v];
    const uint32_t list = sh.place.list, count = sh.place.count;
#pragma unroll 4
    for (uint32_t e = threadIdx.x; e < count; e += THREADS)
        atomicAdd(&sh.select.bins[bi_kdtree_list_bin<DIM>(scale, bi_kdtree_load_point<DIM>(work.side, list + e))], 1u);
    __syncthreads();
}

/* What all blocks of a list do: everything but the points of the median's bin goes down. */
template <int DIM, int THREADS>
static __device__ __forceinline__ uint32_t push_bins(resolve_shared<DIM> &sh, const bi_kdtree_pass &pass,
                                                     const bi_kdtree_array &to, const bi_kdtree_pass_memory &work,
                                                     uint32_t first, uint32_t end)
{
    const node_place place = sh.place;
    const bi_kdtree_list_scale scale = sh.scatter.scale[place.v];
    const uint32_t bin = sh.select.bin;
    auto get = [&](uint32_t e) { return bi_kdtree_load_point<DIM>(work.side, place.list + e); };
    auto side_of = [&](const bi_kdtree_point<DIM> &p) {
        const uint32_t b = bi_kdtree_list_bin<DIM>(scale, p);
        return b == bin ? (int)STAYS : b < bin ? (int)LESS : (int)GREATER;
    };
    return push_points<DIM, THREADS>(sh.scatter, place, pass, to, work, first, end, place.list + first, get, side_of);
}

/* What the last block of a list does: the median is selected among what stayed, whose other points go down. */
template <int DIM, int THREADS, class KEYS>
static __device__ __forceinline__ void push_bin(resolve_shared<DIM> &sh, const bi_kdtree_pass &pass, const KEYS &keys,
                                                const bi_kdtree_array &to, const bi_kdtree_array &nodes,
                                                const bi_kdtree_pass_memory &work, uint32_t chunks, uint32_t chunk_size)
{
    const node_place place = sh.place;
    const bi_kdtree_list_scale scale = sh.scatter.scale[place.v];
    const uint32_t rank = sh.select.rank, count = sh.begins[chunks];
    bi_kdtree_key_range<DIM, KEYS> range;
    range.d = scale.d;
    range.fixed = 0;
    for (int i = 0; i < range.WORDS; i++) range.values[i] = 0;
    range.low = scale.low + (sh.select.bin << scale.shift);
    range.span = (1u << scale.shift) - 1;
    auto get = [&](uint32_t e) {
        uint32_t chunk = 0;
        for (uint32_t step = BI_KDTREE_MOST_CHUNKS / 2; step > 0; step /= 2)
            if (chunk + step < chunks && sh.begins[chunk + step] <= e) chunk += step;
        return bi_kdtree_load_point_fresh<DIM>(work.side, place.list + chunk * chunk_size + e - sh.begins[chunk]);
    };
    bi_kdtree_select_median<DIM, THREADS>(sh.select, keys, range, get, count, rank);
    if (!sh.select.found) {
        if (threadIdx.x == 0) atomicOr(work.failed, 4u);
        return;
    }
    const bi_kdtree_point<DIM> median = sh.select.median;
    if (threadIdx.x == 0) keys.template store<DIM>(nodes, place.mid, median);
    auto side_of = [&](const bi_kdtree_point<DIM> &p) {
        return p.id == median.id ? (int)GONE : keys.template before<DIM>(p, median, scale.d) ? (int)LESS : (int)GREATER;
    };
    push_points<DIM, THREADS>(sh.scatter, place, pass, to, work, 0, count, 0, get, side_of);
}

template <int DIM, int THREADS, class KEYS>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_resolve_medians(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_array to,
                              const bi_kdtree_array nodes, const bi_kdtree_pass_memory work, int j, uint32_t chunks,
                              uint32_t chunk_size)
{
    using shared = struct resolve_shared<DIM>;
    BI_SHARED(shared, sh);
    const uint32_t t = threadIdx.x, node = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
    if (t < 32) {
        find_node(&sh.place, pass, work, node, j);
        bi_kdtree_segment_scatter_prepare<DIM>(sh.scatter, pass, keys, work, node >> j, t);
    }
    const uint32_t v = (1u << j) - 1 + (node & ((1u << j) - 1));
    const uint32_t *bins = work.list_bins + (size_t)((node >> j) * BI_KDTREE_CELLS + v) * BI_KDTREE_LIST_BINS;
    for (int b = t; b < 1 << pass.list_log; b += THREADS) sh.select.bins[b] = pass.counted ? bins[b] : 0;
    __syncthreads();
    const uint32_t count = sh.place.count, first = chunk * chunk_size;
    if (!sh.place.sound) return;
    if (!pass.counted) count_list<DIM, THREADS>(sh, work);
    bi_kdtree_find_list_bin<THREADS>(sh.select, sh.place.rank, 1 << pass.list_log);
    const uint32_t end = min(count, first + chunk_size);
    const uint32_t kept = push_bins<DIM, THREADS>(sh, pass, to, work, first, end);
    uint32_t *kept_of = work.kept + (size_t)node * chunks;
    if (chunks > 1) {
        if (!comes_last(&sh.last, sh.place, work, kept_of, chunk, chunks, kept)) return;
        sum_chunks(sh.begins, kept_of, chunks);
    } else {
        if (t == 0) {
            sh.begins[0] = 0;
            sh.begins[1] = kept;
        }
        __syncthreads();
    }
    push_bin<DIM, THREADS>(sh, pass, keys, to, nodes, work, chunks, chunk_size);
}

template <int DIM, class KEYS>
bosc_status bi_kdtree_run_resolve_medians(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                          const bi_kdtree_array &to, const bi_kdtree_array &nodes,
                                          const bi_kdtree_pass_memory &work)
{
    auto wide = bi_kdtree_resolve_medians<DIM, 1024, KEYS>;
    auto chunked = bi_kdtree_resolve_medians<DIM, 512, KEYS>;
    auto narrow = bi_kdtree_resolve_medians<DIM, 256, KEYS>;
    for (int j = 0; j < pass.levels; j++) {
        const uint32_t chunks = pass.chunks[j], chunk_size = pass.chunk_size[j], grid = (pass.segments << j) * chunks;
        /* Large blocks where that many do not fill the device. */
        if (grid <= (uint32_t)ctx->multiprocessors || (chunks == 1 && grid <= 2 * (uint32_t)ctx->multiprocessors))
            BI_TRY(BI_RUN(ctx, wide, grid, 1024, 0, pass, keys, to, nodes, work, j, chunks, chunk_size));
        else if (chunks > 1)
            BI_TRY(BI_RUN(ctx, chunked, grid, 512, 0, pass, keys, to, nodes, work, j, chunks, chunk_size));
        else
            BI_TRY(BI_RUN(ctx, narrow, grid, 256, 0, pass, keys, to, nodes, work, j, chunks, chunk_size));
    }
    return BOSC_OK;
}

#define INSTANCE(DIM, KEYS)                                                                                         \
    template bosc_status bi_kdtree_run_resolve_medians<DIM, KEYS>(bosc_ctx *, const bi_kdtree_pass &, const KEYS &, \
                                                                  const bi_kdtree_array &, const bi_kdtree_array &, \
                                                                  const bi_kdtree_pass_memory &);
BI_KDTREE_EACH_KIND(INSTANCE)
