/* Pairs of points in dense voxel grids on CUDA. Short rows are kept where they are found, then written in their order,
 * so that there is one search. */
#include "voxelgrid/cuda/columns.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/steps.h"

/* Rows of up to SPARSE_MOST entries are kept, and of CROWD points a voxel and more those of up to CROWDED_MOST, if
 * there are at most CROWDED_POINTS, as places of entries have 32 bits. */
#ifdef BI_EMULATE
enum { WRITE_THREADS = 64, SPARSE_MOST = 4, CROWDED_MOST = 8, CROWDED_POINTS = 1000 };
#else
enum { WRITE_THREADS = 512, SPARSE_MOST = 24, CROWDED_MOST = 64, CROWDED_POINTS = 1 << 26 };
#endif

enum { ABREAST = 4 /* entries of a thread that are read at once */ };

/* With distances half as many fit into shared memory. */
template <bool DISTANCES> static constexpr int most_of(bool crowded)
{
    return crowded ? CROWDED_MOST / (DISTANCES ? 2 : 1) : SPARSE_MOST;
}

static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_count(const dense_view g, int64_t *counts, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    each_item<TOGETHER>(begin, end, [&](int64_t i, bool asks) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        const uint32_t id = asks ? bi_voxelgrid_read_point(g.points[i], q) : 0;
        visit_around<TOGETHER>(g, visited.stage(), q, asks, 0,
                               [&](uint4 point) { count += point.w > id && squared_distance(q, point) <= g.r2; });
        if (asks) counts[id] = count;
    });
}

struct total_shared {
    unsigned long long sums[WARPS];
};

/* Each pair is seen from its first position. */
template <visits HOW>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_total(const dense_view g, uint64_t *total, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    BI_SHARED(total_shared, sh);
    unsigned long long sum = 0;
    each_item<HOW>(begin, end, [&](int64_t i, bool asks) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        if (asks) bi_voxelgrid_read_point(g.points[i], q);
        visit_around<HOW>(g, visited.stage(), q, asks, (uint32_t)i + 1,
                          [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
        sum += count;
    });
    sum = bi_warp_sum(sum);
    if (threadIdx.x % 32 == 0) sh.sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (unsigned w = 1; w < blockDim.x / 32; w++) sum += sh.sums[w];
    if (sum) atomicAdd(reinterpret_cast<unsigned long long *>(total), sum);
}

template <bool DISTANCES>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_fill(const dense_view g, const bi_voxelgrid_pairs a, int64_t begin, int64_t end)
{
    typedef search_shared<DISTANCES, COLUMN> shared;
    BI_SHARED(visit_shared, visited);
    BI_SHARED(shared, sh);
    each_item<TOGETHER>(begin, end, [&](int64_t i, bool asks) {
        float q[BI_VOXELGRID_DIM];
        const uint32_t id = asks ? bi_voxelgrid_read_point(g.points[a.kept.list ? a.kept.list[i] : i], q) : 0;
        const bi_row_out out = {a.pairs, a.dist2, asks ? a.offsets[id] : 0, a.wide_ids, true, true};
        row_filler<DISTANCES, COLUMN> filler = {out, asks ? a.offsets[id + 1] - out.at : 0, {sh.found, 0}};
        visit_around<TOGETHER>(g, visited.stage(), q, filler.capacity > 0, 0, [&](uint4 point) {
            const float d = squared_distance(q, point);
            if (point.w > id && d <= g.r2) filler.add(d, point.w);
        });
        filler.finish(a.long_rows, id);
    });
}

/* Words between the two kernels, 0 at first. */
struct pair_words {
    unsigned long long kept, longer; /* entries of rows that are kept, and of others */
    unsigned long long listed;       /* rows that are not kept */
    unsigned long long ticket;       /* of the next tile to be written */
    unsigned long long tiles[1];     /* (tiles) of ids: the sum of their pairs, and which: TILE_OWN or TILE_ALL */
};
enum { PAIR_COUNTS = 3 /* words for the host */ };
enum { TILE_OWN = 1, TILE_ALL = 2, TILE_BITS = 2 /* below the sum */ };

/* Lists positions whose rows are too long to be kept; the whole warp calls it. */
static __device__ __forceinline__ void list_long(pair_words *words, uint32_t *list, bool is_long, uint32_t count,
                                                 uint32_t position)
{
    const unsigned all = __ballot_sync(~0u, is_long), lane = threadIdx.x % 32;
    if (!all) return;
    const unsigned long long sum = bi_warp_sum(is_long ? (unsigned long long)count : 0ull);
    unsigned long long at = 0;
    if (lane == 0) {
        atomicAdd(&words->longer, sum);
        at = atomicAdd(&words->listed, (unsigned long long)__popc(all));
    }
    at = __shfl_sync(~0u, at, 0);
    if (is_long) list[at + __popc(all & ((1u << lane) - 1))] = position;
}

/* As pair_count; short rows are kept in order, the positions of the points of the others are listed. */
template <bool DISTANCES, visits HOW, int MOST>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_keep(const dense_view g, const bi_voxelgrid_pairs a, int64_t begin, int64_t end)
{
    typedef search_shared<DISTANCES, MOST> shared;
    BI_SHARED(visit_shared, visited);
    BI_SHARED(shared, sh);
    pair_words *const words = reinterpret_cast<pair_words *>(a.kept.words);
    each_item<HOW>(begin, end, [&](int64_t i, bool asks) {
        float q[BI_VOXELGRID_DIM];
        column<DISTANCES, MOST> found = {sh.found, 0};
        const uint32_t id = asks ? bi_voxelgrid_read_point(g.points[i], q) : 0;
        visit_around<HOW>(g, visited.stage(), q, asks, 0, [&](uint4 point) {
            const float d = squared_distance(q, point);
            found.offer(point.w > id && d <= g.r2, d, point.w);
        });
        if (HOW == SHARED) found.join(sh.counts);
        if (HOW == SHARED && threadIdx.x >= 32) return;
        const bool is_long = found.count > a.kept.most;
        const uint32_t count = is_long ? 0 : found.count, upto = bi_warp_inclusive_sum(count);
        unsigned long long base = 0;
        if (threadIdx.x % 32 == 31) base = atomicAdd(&words->kept, (unsigned long long)upto);
        base = __shfl_sync(~0u, base, 31);
        list_long(words, a.kept.list, is_long, found.count, (uint32_t)i);
        if (asks) a.kept.rows[id] = (uint64_t)(uint32_t)(base + upto - count) << 32 | found.count;
        each_found(sh.found, count, upto, (int64_t)(base + upto - count), id,
                   [&](int64_t at, uint32_t, uint32_t its_id, float its_dist2) {
                       if (at >= a.kept.room) return;
                       a.kept.ids[at] = its_id;
                       if (DISTANCES) a.kept.dist2[at] = its_dist2;
                   });
    });
}

struct write_shared {
    uint32_t warps[WRITE_THREADS / 32], tile;
    unsigned long long before;
};

/* The sum of the tiles before this one; the first warp calls it. Source: Merrill, Garland, Single-pass Parallel Prefix
 * Scan with Decoupled Look-back (2016). */
static __device__ unsigned long long sum_before(unsigned long long *tiles, uint32_t tile, uint32_t own)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned long long sum = 0;
    if (lane == 0)
        bi_store_relaxed(tiles + tile, (unsigned long long)own << TILE_BITS | (tile == 0 ? TILE_ALL : TILE_OWN));
    for (int64_t next = (int64_t)tile - 1 - lane; next + lane >= 0; next -= 32) {
        unsigned long long word = TILE_ALL;
        while (next >= 0 && ((word = bi_load_relaxed(tiles + next)) & 3) == 0) __nanosleep(20);
        const unsigned all = __ballot_sync(~0u, (word & 3) == TILE_ALL);
        const unsigned last = all ? (unsigned)__ffs((int)all) - 1 : 31;
        sum += bi_warp_sum(lane <= last ? word >> TILE_BITS : 0ull);
        if (all) break;
    }
    if (lane == 0 && tile > 0) bi_store_relaxed(tiles + tile, (sum + own) << TILE_BITS | TILE_ALL);
    return sum;
}

/* Whether the caller's arrays have room for all pairs; the host is told how many there are. */
static __device__ __forceinline__ bool may_write(const bi_voxelgrid_kept &kept, const pair_words *words)
{
    const unsigned long long counts[PAIR_COUNTS] = {words->kept, words->longer, words->listed};
    if (kept.told && blockIdx.x == 0 && threadIdx.x == 0)
        for (int k = 0; k < PAIR_COUNTS; k++) bi_notify_host(kept.told + k, TOLD | counts[k]);
    return counts[0] + counts[1] <= (unsigned long long)kept.capacity;
}

/* Writes the kept rows of a warp's ids, of which the first is `row`: a thread's has `count` entries, from `from` on,
 * and goes to `at`. Entries lie here and there, so that some are read before the first is written. */
template <bool DISTANCES>
static __device__ __forceinline__ void write_rows(const bi_voxelgrid_pairs &a, uint32_t row, uint32_t count,
                                                  uint32_t from, int64_t at)
{
    const bi_row_out out = {a.pairs, a.dist2, 0, a.wide_ids, true, true};
    const unsigned lane = threadIdx.x % 32;
    const uint32_t upto = bi_warp_inclusive_sum(count), total = __shfl_sync(~0u, upto, 31), before = upto - count;
    const int64_t start = __shfl_sync(~0u, at, 0);
    const uint32_t source = from - before, place = (uint32_t)(at - start) - before; /* of entry 0 of the warp */
    for (uint32_t first = 0; first < total; first += 32 * ABREAST) {
        uint32_t to[ABREAST], rows[ABREAST], ids[ABREAST];
        float dist2[ABREAST];
#pragma unroll
        for (int k = 0; k < ABREAST; k++) {
            const uint32_t entry = first + 32 * k + lane;
            const unsigned of = lane_of_entry(upto, entry);
            const uint32_t its = entry + __shfl_sync(~0u, source, of);
            to[k] = entry + __shfl_sync(~0u, place, of);
            rows[k] = row + of;
            ids[k] = entry < total ? __ldg(a.kept.ids + its) : 0;
            dist2[k] = DISTANCES && entry < total ? __ldg(a.kept.dist2 + its) : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < ABREAST; k++)
            if (first + 32 * k + lane < total) write_entry<DISTANCES>(out, start + to[k], rows[k], ids[k], dist2[k]);
    }
}

/* Adds up the lengths of the rows, and writes those that are kept: a warp those of 32 ids. */
template <bool DISTANCES>
static __global__ void __launch_bounds__(WRITE_THREADS) bi_voxelgrid_write_pairs(const bi_voxelgrid_pairs a)
{
    BI_SHARED(write_shared, sh);
    pair_words *const words = reinterpret_cast<pair_words *>(a.kept.words);
    const bool lists = words->listed > 0;
    if (!may_write(a.kept, words)) return;
    if (threadIdx.x == 0) sh.tile = (uint32_t)atomicAdd(&words->ticket, 1ull);
    __syncthreads();
    const int64_t id = sh.tile * (int64_t)WRITE_THREADS + threadIdx.x;
    const uint64_t row = id < a.view.n ? a.kept.rows[id] : 0;
    const uint32_t length = (uint32_t)row, from = (uint32_t)(row >> 32);
    uint32_t total;
    const uint32_t within = bi_block_exclusive_sum<WRITE_THREADS / 32>(length, sh.warps, &total);
    if (threadIdx.x < 32) {
        const unsigned long long before = sum_before(words->tiles, sh.tile, total);
        if (threadIdx.x == 0) sh.before = before;
    }
    __syncthreads();
    const int64_t at = (int64_t)(sh.before + within);
    if (lists && id < a.view.n) a.counts[id] = at;
    if (lists && id == a.view.n - 1) a.counts[id + 1] = at + length;
    const uint32_t count = length > a.kept.most ? 0 : length;
    write_rows<DISTANCES>(a, (uint32_t)(id - threadIdx.x % 32), count, from, at);
}

bosc_status bi_cuda_voxelgrid_pair_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    RUN_ALONE(ctx, bi_voxelgrid_dense_pair_count, a.counts);
}

bosc_status bi_cuda_voxelgrid_pair_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    if (a.dist2) RUN_ALONE(ctx, bi_voxelgrid_dense_pair_fill<true>, a);
    RUN_ALONE(ctx, bi_voxelgrid_dense_pair_fill<false>, a);
}

bosc_status bi_cuda_voxelgrid_pair_total(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    switch (visits_of(ctx, a.view, n)) {
    case SHARED: RUN_SHARED(ctx, bi_voxelgrid_dense_pair_total<SHARED>, a.total);
    case TOGETHER: RUN_ALONE(ctx, bi_voxelgrid_dense_pair_total<TOGETHER>, a.total);
    default: RUN_ALONE(ctx, bi_voxelgrid_dense_pair_total<ALONE>, a.total);
    }
}

template <bool DISTANCES> static bosc_status keep(bosc_ctx *ctx, bi_voxelgrid_pairs &a, int64_t n, int64_t capacity)
{
    constexpr int MOST = most_of<DISTANCES>(true), FEWER = most_of<DISTANCES>(false);
    const bool crowded = a.view.crowd >= CROWD;
    a.kept.most = crowded && n <= CROWDED_POINTS ? MOST : FEWER;
    a.kept.room = capacity < n * a.kept.most ? capacity : n * a.kept.most;
    BI_TRY(bi_scratch_of(ctx, a.kept.room, sizeof *a.kept.ids, &a.kept.ids));
    if (DISTANCES) BI_TRY(bi_scratch_of(ctx, a.kept.room, sizeof *a.kept.dist2, &a.kept.dist2));
    if (visits_of(ctx, a.view, n) == SHARED) {
        if (crowded) RUN_SHARED(ctx, (bi_voxelgrid_dense_pair_keep<DISTANCES, SHARED, MOST>), a);
        RUN_SHARED(ctx, (bi_voxelgrid_dense_pair_keep<DISTANCES, SHARED, FEWER>), a);
    }
    if (crowded) RUN_ALONE(ctx, (bi_voxelgrid_dense_pair_keep<DISTANCES, TOGETHER, MOST>), a);
    RUN_ALONE(ctx, (bi_voxelgrid_dense_pair_keep<DISTANCES, ALONE, FEWER>), a);
}

bosc_status bi_cuda_voxelgrid_pair_write(bosc_ctx *ctx, const bi_voxelgrid_pairs *a)
{
    const unsigned tiles = (unsigned)bi_div_up(a->view.n, WRITE_THREADS);
    if (a->dist2) return BI_RUN(ctx, bi_voxelgrid_write_pairs<true>, tiles, WRITE_THREADS, 0, *a);
    return BI_RUN(ctx, bi_voxelgrid_write_pairs<false>, tiles, WRITE_THREADS, 0, *a);
}

/* Writes pairs; `counts` come as soon as that begins. */
static bosc_status write_and_tell(bosc_ctx *ctx, bi_voxelgrid_pairs *a, unsigned long long *counts)
{
    a->kept.told = static_cast<unsigned long long *>(ctx->pinned);
    for (int k = 0; k < PAIR_COUNTS; k++) a->kept.told[k] = 0;
    BI_TRY(bi_cuda_voxelgrid_pair_write(ctx, a));
    BI_TRY(bi_cuda_await(ctx, a->kept.told, PAIR_COUNTS));
    for (int k = 0; k < PAIR_COUNTS; k++) counts[k] = a->kept.told[k] & ~TOLD;
    return BOSC_OK;
}

bosc_status bi_cuda_voxelgrid_pair_keep(bosc_ctx *ctx, bi_voxelgrid_pairs *a, int64_t capacity, int64_t totals[2])
{
    const int64_t n = a->view.n, tiles = bi_div_up(n, WRITE_THREADS);
    const size_t bytes = sizeof(pair_words) + (size_t)tiles * 8;
    unsigned long long counts[PAIR_COUNTS];
    BI_TRY(bi_scratch(ctx, bytes, &a->kept.words));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->kept.rows, &a->kept.rows));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->kept.list, &a->kept.list));
    BI_TRY(ctx->backend->fill(ctx, a->kept.words, 0, bytes));
    a->kept.capacity = capacity;
    BI_TRY(a->dist2 ? keep<true>(ctx, *a, n, capacity) : keep<false>(ctx, *a, n, capacity));
    BI_TRY(a->in_reach ? write_and_tell(ctx, a, counts) : bi_read_back(ctx, counts, a->kept.words, sizeof counts));
    totals[0] = (int64_t)(counts[0] + counts[1]);
    totals[1] = (int64_t)counts[2];
    return BOSC_OK;
}
