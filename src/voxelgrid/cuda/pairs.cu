/* Pairs of points in dense and sparse voxel grids on CUDA. One search collects short rows in a buffer, in the order in
 * which they are found; a second kernel writes them in the order of ids. Long rows are searched again, by the fill
 * kernel. */
#include "voxelgrid/cuda/look_back.cuh"
#include "voxelgrid/cuda/visit_bricks.cuh"
#include "voxelgrid/cuda/visit_voxels.cuh"
#include "voxelgrid/cuda/dense_view.cuh"
#include "voxelgrid/steps/steps.h"

/* Longest collected rows: SPARSE_LIMIT entries; CROWDED_LIMIT at densities from CROWDED on, for up to CROWDED_POINTS
 * points, as buffer slots have 32 bits. SPARSE_LIMIT: measured: with 16, 328 rows of 1 M points take 49 us more.
 * WRITE_THREADS, ids of a tile: measured: 58 to 60 us, 256 and 1,024 ids 62. CROWDED_LIMIT times CROWDED_POINTS
 * is 2^32; other shares are not measured. UNEVEN_LIMIT: of sparse views, where few rows may be long. Measured, 1 M
 * points on a sphere and in 64 clusters: 0.176 and 0.304 ms with 24 entries, 0.215 and 0.252 with 64; 40 is not
 * measured. WARP_ROW: entries that a warp ranks, each lane 8 of them at most; not measured. */
#ifdef BI_EMULATE
enum { WRITE_THREADS = 64, SPARSE_LIMIT = 4, UNEVEN_LIMIT = 6, CROWDED_LIMIT = 8, CROWDED_POINTS = 1000 };
enum { WARP_ROW = 12 };
#else
enum { WRITE_THREADS = 512, SPARSE_LIMIT = 24, UNEVEN_LIMIT = 40, CROWDED_LIMIT = 64, CROWDED_POINTS = 1 << 26 };
enum { WARP_ROW = 256 };
#endif

enum { LONG_MEAN = 8 };       /* mean pairs a point, by the caller's memory, from which rows are long; not measured */
enum { LOADS_IN_FLIGHT = 4 }; /* entries a thread reads at once; measured, 1 M points: 58 to 60 us, one entry 61 */

/* With distances, an entry of a crowded grid takes twice the shared memory: half as many fit. */
template <bool DISTANCES> static constexpr int choose_row_limit(bool crowded)
{
    return crowded ? CROWDED_LIMIT / (DISTANCES ? 2 : 1) : SPARSE_LIMIT;
}

/* Counts the larger partners of each point. */
template <class VIEW>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_pair_count(const VIEW g, int64_t *counts, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    for_each_item<PER_WARP>(begin, end, [&](int64_t i, bool active) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        /* Item i is a position; its partners have larger ids. */
        const uint32_t id = active ? bi_voxelgrid_read_point(g.points[i], q) : 0;
        visit_around<PER_WARP>(g, visited.stage(), q, active, 0,
                               [&](uint4 point) { count += point.w > id && squared_distance(q, point) <= g.r2; });
        if (active) counts[id] = count;
    });
}

struct total_shared {
    unsigned long long sums[WARPS];
};

/* Counts all pairs, each from its first position. */
template <visit_mode MODE, class VIEW>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_pair_total(const VIEW g, uint64_t *total, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    BI_SHARED(total_shared, sh);
    /* 1. Pairs of each position with later ones. */
    unsigned long long sum = 0;
    for_each_item<MODE>(begin, end, [&](int64_t i, bool active) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        if (active) bi_voxelgrid_read_point(g.points[i], q);
        visit_around<MODE>(g, visited.stage(), q, active, (uint32_t)i + 1,
                           [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
        sum += count;
    });
    /* 2. Sum of the block, then an atomic. */
    sum = bi_warp_sum(sum);
    if (threadIdx.x % 32 == 0) sh.sums[threadIdx.x / 32] = sum;
    __syncthreads(); /* sums of all warps */
    if (threadIdx.x > 0) return;
    for (unsigned w = 1; w < blockDim.x / 32; w++) sum += sh.sums[w];
    if (sum) atomicAdd(reinterpret_cast<unsigned long long *>(total), sum);
}

/* Fills rows of pairs: all rows, or the long ones alone. */
template <bool DISTANCES, class VIEW>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_pair_fill(const VIEW g, const bi_voxelgrid_pairs a, int64_t begin, int64_t end)
{
    typedef search_shared<DISTANCES, ROW_LIMIT> shared;
    BI_SHARED(visit_shared, visited);
    BI_SHARED(shared, sh);
    for_each_item<PER_WARP>(begin, end, [&](int64_t i, bool active) {
        float q[BI_VOXELGRID_DIM];
        const uint32_t id = active ? bi_voxelgrid_read_point(g.points[a.buffer.list ? a.buffer.list[i] : i], q) : 0;
        /* Items are positions, or entries of the list of long rows. Search; sort and write, or list for a sort. */
        const bi_row_out out = {a.pairs, a.dist2, active ? a.offsets[id] : 0, a.ids_64bit, true, true};
        row_filler<VIEW, DISTANCES, ROW_LIMIT> filler = {out, active ? a.offsets[id + 1] - out.at : 0, {sh.found, 0}};
        visit_around<PER_WARP>(g, visited.stage(), q, filler.capacity > 0, 0, [&](uint4 point) {
            const float d = squared_distance(q, point);
            if (point.w > id && d <= g.r2) filler.add(d, point.w);
        });
        filler.finish(a.long_rows, id);
    });
}

/* Rows that warps fill, in shared memory. */
template <bool DISTANCES> struct warp_rows {
    uint32_t ids[WARPS][WARP_ROW];
    float dist2[DISTANCES ? WARPS : 1][WARP_ROW];
};

/* Fills the rows of the list, a warp each. Its lanes test the points of a row of voxels together, and rank the ids that
 * they found; rows of more than WARP_ROW entries are written unsorted, and listed for a sort. */
template <bool DISTANCES>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_pair_fill_by_warps(const search_view g, const bi_voxelgrid_pairs a, int64_t begin, int64_t end)
{
    typedef warp_rows<DISTANCES> shared;
    BI_SHARED(shared, sh);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t i = begin + blockIdx.x * (int64_t)WARPS + warp;
    if (i >= end) return;
    float q[BI_VOXELGRID_DIM];
    const uint32_t id = bi_voxelgrid_read_point(g.points[a.buffer.list[i]], q);
    const bi_row_out out = {a.pairs, a.dist2, a.offsets[id], a.ids_64bit, true, true};
    const int64_t length = a.offsets[id + 1] - out.at;
    const bool is_short = length <= WARP_ROW;
    uint32_t *ids = sh.ids[warp];
    float *dist2 = sh.dist2[DISTANCES ? warp : 0];
    int64_t count = 0;
    /* 1. Search. */
    near_box box;
    if (!box_around(g, q, &box)) return;
    for (int32_t x = box.low[0]; x <= box.high[0]; x++)
        for (int32_t y = box.low[1]; y <= box.high[1]; y++) {
            const uint32_t row = (uint32_t)((x * g.side[1] + y) * g.side[2]);
            const uint32_t limit = __ldg(g.starts + (row + (uint32_t)box.high[2] + 1));
            for (uint32_t first = __ldg(g.starts + (row + (uint32_t)box.low[2])); first < limit; first += 32) {
                const uint4 point = __ldg(g.points + min(first + lane, limit - 1));
                const float d = squared_distance(q, point);
                const bool near = first + lane < limit && point.w > id && d <= g.r2;
                const unsigned all = __ballot_sync(~0u, near);
                const int64_t slot = count + __popc(all & bi_lanes_below());
                count += __popc(all);
                if (!near || slot >= length) continue;
                if (is_short) {
                    ids[slot] = point.w;
                    if (DISTANCES) dist2[slot] = d;
                } else {
                    write_entry<DISTANCES>(out, out.at + slot, id, point.w, d);
                }
            }
        }
    __syncwarp(); /* all entries of the row */
    if (count != length) return;
    /* 2. Write a short row in the order of ids. */
    for (int64_t k = lane; is_short && k < length; k += 32) {
        uint32_t smaller = 0;
#pragma unroll 4
        for (int64_t other = 0; other < length; other++) smaller += ids[other] < ids[k];
        write_entry<DISTANCES>(out, out.at + smaller, id, ids[k], dist2[DISTANCES ? k : 0]);
    }
    if (!is_short && lane == 0 && !bi_row_list_long(a.long_rows, id, length)) bi_row_sort(&out, length);
}

/* Counters shared by the two kernels; 0 at first. */
struct pair_words {
    unsigned long long stored, long_entries; /* entries of collected rows, and of others */
    unsigned long long long_rows;            /* rows not collected */
    unsigned long long ticket;               /* next tile to be written */
    unsigned long long tiles[1];             /* (tiles) sum of pairs above TILE_BITS, state below */
};
enum { PAIR_COUNTS = 3 /* words for the host */ };

/* Lists the positions of points whose rows are too long to collect. The whole warp calls it. */
static __device__ __forceinline__ void list_long_rows(pair_words *words, uint32_t *list, bool is_long, uint32_t count,
                                                      uint32_t position)
{
    const unsigned all = __ballot_sync(~0u, is_long), lane = threadIdx.x % 32;
    if (!all) return;
    const unsigned long long sum = bi_warp_sum(is_long ? (unsigned long long)count : 0ull);
    unsigned long long at = 0;
    if (lane == 0) {
        atomicAdd(&words->long_entries, sum);
        at = atomicAdd(&words->long_rows, (unsigned long long)__popc(all));
    }
    at = __shfl_sync(~0u, at, 0);
    if (is_long) list[at + __popc(all & ((1u << lane) - 1))] = position;
}

/* Finds the larger partners of each point: collects short rows sorted, lists the positions of the others. The counters
 * are 0 before. Entries beyond buffer.slots are counted, not stored: then all pairs exceed the caller's capacity.
 * buffer.row_limit is at most LIMIT. The first slot of a long row means nothing. */
template <bool DISTANCES, visit_mode MODE, int LIMIT, class VIEW>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_pair_collect(const VIEW g, const bi_voxelgrid_pairs a, int64_t begin, int64_t end)
{
    typedef search_shared<DISTANCES, LIMIT> shared;
    BI_SHARED(visit_shared, visited);
    BI_SHARED(shared, sh);
    pair_words *const words = reinterpret_cast<pair_words *>(a.buffer.words);
    for_each_item<MODE>(begin, end, [&](int64_t i, bool active) {
        float q[BI_VOXELGRID_DIM];
        /* 1. Search. */
        row_column<DISTANCES, LIMIT> found = {sh.found, 0};
        const uint32_t id = active ? bi_voxelgrid_read_point(g.points[i], q) : 0;
        visit_around<MODE>(g, visited.stage(), q, active, 0, [&](uint4 point) {
            const float d = squared_distance(q, point);
            found.append_if(point.w > id && d <= g.r2, d, point.w);
        });
        if (MODE == SHARED_QUERIES) found.merge_warps(sh.counts);
        if (MODE == SHARED_QUERIES && threadIdx.x >= 32) return;
        /* 2. Reserve slots for the short rows of the warp by one atomic; list the long ones. */
        const bool is_long = found.count > a.buffer.row_limit;
        const uint32_t count = is_long ? 0 : found.count, inclusive = bi_warp_inclusive_sum(count);
        unsigned long long base = 0;
        if (threadIdx.x % 32 == 31) base = atomicAdd(&words->stored, (unsigned long long)inclusive);
        base = __shfl_sync(~0u, base, 31);
        list_long_rows(words, a.buffer.list, is_long, found.count, (uint32_t)i);
        /* 3. Record where the row is, and write the entries sorted. */
        if (active) a.buffer.rows[id] = (uint64_t)(uint32_t)(base + inclusive - count) << 32 | found.count;
        for_each_sorted<VIEW>(sh.found, count, inclusive, (int64_t)(base + inclusive - count), id,
                              [&](int64_t at, uint32_t, uint32_t its_id, float its_dist2) {
                                  if (at >= a.buffer.slots) return;
                                  a.buffer.ids[at] = its_id;
                                  if (DISTANCES) a.buffer.dist2[at] = its_dist2;
                              });
    });
}

struct write_shared {
    uint32_t warps[WRITE_THREADS / 32], tile;
    unsigned long long exclusive_prefix;
};

/* True if the caller's arrays have room for all pairs. Block 0 reports the counters to the host. */
static __device__ __forceinline__ bool check_capacity(const bi_voxelgrid_pair_buffer &buffer, const pair_words *words)
{
    const unsigned long long counts[PAIR_COUNTS] = {words->stored, words->long_entries, words->long_rows};
    if (buffer.host_words && blockIdx.x == 0 && threadIdx.x == 0)
        for (int k = 0; k < PAIR_COUNTS; k++) bi_notify_host(buffer.host_words + k, READY_BIT | counts[k]);
    return counts[0] + counts[1] <= (unsigned long long)buffer.capacity;
}

/* Writes the collected rows of 32 ids, the first of them `row`: this thread's has `count` entries, from `from` on in
 * the buffer, which go to `at`. Buffered rows are scattered, so several entries are read before the first is
 * written. */
template <bool DISTANCES>
static __device__ __forceinline__ void write_rows(const bi_voxelgrid_pairs &a, uint32_t row, uint32_t count,
                                                  uint32_t from, int64_t at)
{
    const bi_row_out out = {a.pairs, a.dist2, 0, a.ids_64bit, true, true};
    const unsigned lane = threadIdx.x % 32;
    const uint32_t inclusive = bi_warp_inclusive_sum(count), total = __shfl_sync(~0u, inclusive, 31),
                   exclusive_prefix = inclusive - count;
    const int64_t start = __shfl_sync(~0u, at, 0);
    const uint32_t source = from - exclusive_prefix,
                   slot = (uint32_t)(at - start) - exclusive_prefix; /* relative to the entry's number in the warp */
    for (uint32_t first = 0; first < total; first += 32 * LOADS_IN_FLIGHT) {
        uint32_t to[LOADS_IN_FLIGHT], rows[LOADS_IN_FLIGHT], ids[LOADS_IN_FLIGHT];
        float dist2[LOADS_IN_FLIGHT];
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++) {
            const uint32_t entry = first + 32 * k + lane;
            const unsigned of = bi_find_entry_lane(inclusive, entry);
            const uint32_t its = entry + __shfl_sync(~0u, source, of);
            to[k] = entry + __shfl_sync(~0u, slot, of);
            rows[k] = row + of;
            ids[k] = entry < total ? __ldg(a.buffer.ids + its) : 0;
            dist2[k] = DISTANCES && entry < total ? __ldg(a.buffer.dist2 + its) : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++)
            if (first + 32 * k + lane < total) write_entry<DISTANCES>(out, start + to[k], rows[k], ids[k], dist2[k]);
    }
}

/* Scans the lengths of all rows, and writes those collected; a warp has 32 ids. */
template <bool DISTANCES>
static __global__ void __launch_bounds__(WRITE_THREADS) bi_voxelgrid_write_pairs(const bi_voxelgrid_pairs a)
{
    BI_SHARED(write_shared, sh);
    pair_words *const words = reinterpret_cast<pair_words *>(a.buffer.words);
    const bool lists = words->long_rows > 0;
    /* 1. Tickets order the tiles, so that earlier ones are running or finished when a tile looks back. */
    if (!check_capacity(a.buffer, words)) return;
    if (threadIdx.x == 0) sh.tile = (uint32_t)atomicAdd(&words->ticket, 1ull);
    __syncthreads(); /* the ticket */
    const int64_t id = sh.tile * (int64_t)WRITE_THREADS + threadIdx.x;
    const uint64_t row = id < a.view.n ? a.buffer.rows[id] : 0;
    const uint32_t length = (uint32_t)row, from = (uint32_t)(row >> 32);
    /* 2. Scan the lengths within the tile and over the tiles. */
    uint32_t total;
    const uint32_t within = bi_block_exclusive_sum<WRITE_THREADS / 32>(length, sh.warps, &total);
    if (threadIdx.x < 32) {
        const unsigned long long exclusive_prefix = look_back(words->tiles, sh.tile, total);
        if (threadIdx.x == 0) sh.exclusive_prefix = exclusive_prefix;
    }
    __syncthreads(); /* the prefix */
    const int64_t at = (int64_t)(sh.exclusive_prefix + within);
    /* 3. Offsets, for the rows to be searched again; then the collected rows. */
    if (lists && id < a.view.n) a.counts[id] = at;
    if (lists && id == a.view.n - 1) a.counts[id + 1] = at + length;
    const uint32_t count = length > a.buffer.row_limit ? 0 : length;
    write_rows<DISTANCES>(a, (uint32_t)(id - threadIdx.x % 32), count, from, at);
}

/* --- Functions of the table, for both kinds of views -------------------------------------------------------------- */

template <class VIEW> static bosc_status pair_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    LAUNCH(ctx, VIEW, bi_voxelgrid_pair_count<VIEW>, a.counts);
}

template <class VIEW> static bosc_status pair_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    if (a.dist2) LAUNCH(ctx, VIEW, (bi_voxelgrid_pair_fill<true, VIEW>), a);
    LAUNCH(ctx, VIEW, (bi_voxelgrid_pair_fill<false, VIEW>), a);
}

bosc_status bi_cuda_voxelgrid_pair_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    return pair_count<search_view>(ctx, n, args);
}
bosc_status bi_cuda_voxelgrid_sparse_pair_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    return pair_count<sparse_view>(ctx, n, args);
}

bosc_status bi_cuda_voxelgrid_pair_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    if (!a.buffer.list) return pair_fill<search_view>(ctx, n, args);
    if (a.dist2) LAUNCH_IN_CHUNKS(ctx, search_view, bi_voxelgrid_pair_fill_by_warps<true>, WARPS, THREADS, a);
    LAUNCH_IN_CHUNKS(ctx, search_view, bi_voxelgrid_pair_fill_by_warps<false>, WARPS, THREADS, a);
}
bosc_status bi_cuda_voxelgrid_sparse_pair_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    return pair_fill<sparse_view>(ctx, n, args);
}

bosc_status bi_cuda_voxelgrid_pair_total(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    switch (choose_mode(ctx, a.view, n)) {
    case SHARED_QUERIES: LAUNCH_SHARED(ctx, (bi_voxelgrid_pair_total<SHARED_QUERIES, search_view>), a.total);
    case PER_WARP: LAUNCH(ctx, search_view, (bi_voxelgrid_pair_total<PER_WARP, search_view>), a.total);
    default: LAUNCH(ctx, search_view, (bi_voxelgrid_pair_total<PER_THREAD, search_view>), a.total);
    }
}
bosc_status bi_cuda_voxelgrid_sparse_pair_total(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    LAUNCH(ctx, sparse_view, (bi_voxelgrid_pair_total<PER_THREAD, sparse_view>), a.total);
}

/* Allocates the buffer of rows of up to `row_limit` entries. */
template <bool DISTANCES>
static bosc_status alloc_rows(bosc_ctx *ctx, bi_voxelgrid_pairs &a, int64_t n, int64_t capacity, uint32_t row_limit)
{
    a.buffer.row_limit = row_limit;
    a.buffer.slots = capacity < n * row_limit ? capacity : n * row_limit;
    BI_TRY(bi_scratch_of(ctx, a.buffer.slots, sizeof *a.buffer.ids, &a.buffer.ids));
    return DISTANCES ? bi_scratch_of(ctx, a.buffer.slots, sizeof *a.buffer.dist2, &a.buffer.dist2) : BOSC_OK;
}

template <bool DISTANCES>
static bosc_status launch_collect(bosc_ctx *ctx, bi_voxelgrid_pairs &a, int64_t n, int64_t capacity)
{
    constexpr int LIMIT = choose_row_limit<DISTANCES>(true), SPARSE = choose_row_limit<DISTANCES>(false);
    const bool crowded = a.view.peak_density >= CROWDED;
    BI_TRY(alloc_rows<DISTANCES>(ctx, a, n, capacity, crowded && n <= CROWDED_POINTS ? LIMIT : SPARSE));
    if (choose_mode(ctx, a.view, n) == SHARED_QUERIES) {
        if (crowded) LAUNCH_SHARED(ctx, (bi_voxelgrid_pair_collect<DISTANCES, SHARED_QUERIES, LIMIT, search_view>), a);
        LAUNCH_SHARED(ctx, (bi_voxelgrid_pair_collect<DISTANCES, SHARED_QUERIES, SPARSE, search_view>), a);
    }
    if (crowded) LAUNCH(ctx, search_view, (bi_voxelgrid_pair_collect<DISTANCES, PER_WARP, LIMIT, search_view>), a);
    LAUNCH(ctx, search_view, (bi_voxelgrid_pair_collect<DISTANCES, PER_THREAD, SPARSE, search_view>), a);
}

/* The same in a sparse view, whose density is not known: rows are long if the caller has memory for many pairs. */
template <bool DISTANCES>
static bosc_status launch_sparse_collect(bosc_ctx *ctx, bi_voxelgrid_pairs &a, int64_t n, int64_t capacity)
{
    constexpr int LIMIT = choose_row_limit<DISTANCES>(true), UNEVEN = DISTANCES ? SPARSE_LIMIT : UNEVEN_LIMIT;
    const bool crowded = capacity / LONG_MEAN >= n;
    const uint32_t limit = n > CROWDED_POINTS ? SPARSE_LIMIT : crowded ? LIMIT : UNEVEN;
    BI_TRY(alloc_rows<DISTANCES>(ctx, a, n, capacity, limit));
    if (crowded) LAUNCH(ctx, sparse_view, (bi_voxelgrid_pair_collect<DISTANCES, PER_THREAD, LIMIT, sparse_view>), a);
    LAUNCH(ctx, sparse_view, (bi_voxelgrid_pair_collect<DISTANCES, PER_THREAD, UNEVEN, sparse_view>), a);
}

bosc_status bi_cuda_voxelgrid_pair_write(bosc_ctx *ctx, const bi_voxelgrid_pairs *a)
{
    const unsigned tiles = (unsigned)bi_div_up(a->view.n, WRITE_THREADS);
    if (a->dist2) return BI_RUN(ctx, bi_voxelgrid_write_pairs<true>, tiles, WRITE_THREADS, 0, *a);
    return BI_RUN(ctx, bi_voxelgrid_write_pairs<false>, tiles, WRITE_THREADS, 0, *a);
}

/* Launches the writing kernel, and waits for the counters alone, which it reports first. */
static bosc_status write_and_report(bosc_ctx *ctx, bi_voxelgrid_pairs *a, unsigned long long *counts)
{
    a->buffer.host_words = static_cast<unsigned long long *>(ctx->pinned);
    for (int k = 0; k < PAIR_COUNTS; k++) a->buffer.host_words[k] = 0;
    BI_TRY(bi_cuda_voxelgrid_pair_write(ctx, a));
    BI_TRY(bi_cuda_await(ctx, a->buffer.host_words, PAIR_COUNTS));
    for (int k = 0; k < PAIR_COUNTS; k++) counts[k] = a->buffer.host_words[k] & ~READY_BIT;
    return BOSC_OK;
}

/* Collects the rows of pairs by the launches of `collect`, and perhaps writes them. */
static bosc_status collect_pairs(bosc_ctx *ctx, bi_voxelgrid_pairs *a, int64_t capacity, int64_t totals[2],
                                 bosc_status (*collect)(bosc_ctx *, bi_voxelgrid_pairs &, int64_t, int64_t))
{
    const int64_t n = a->view.n, tiles = bi_div_up(n, WRITE_THREADS);
    const size_t bytes = sizeof(pair_words) + (size_t)tiles * 8;
    unsigned long long counts[PAIR_COUNTS];
    BI_TRY(bi_scratch(ctx, bytes, &a->buffer.words));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->buffer.rows, &a->buffer.rows));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->buffer.list, &a->buffer.list));
    BI_TRY(ctx->backend->fill(ctx, a->buffer.words, 0, bytes));
    a->buffer.capacity = capacity;
    BI_TRY(collect(ctx, *a, n, capacity));
    BI_TRY(a->outputs_reachable ? write_and_report(ctx, a, counts)
                                : bi_read_back(ctx, counts, a->buffer.words, sizeof counts));
    totals[0] = (int64_t)(counts[0] + counts[1]);
    totals[1] = (int64_t)counts[2];
    return BOSC_OK;
}

bosc_status bi_cuda_voxelgrid_pair_collect(bosc_ctx *ctx, bi_voxelgrid_pairs *a, int64_t capacity, int64_t totals[2])
{
    return collect_pairs(ctx, a, capacity, totals, a->dist2 ? launch_collect<true> : launch_collect<false>);
}
bosc_status bi_cuda_voxelgrid_sparse_pair_collect(bosc_ctx *ctx, bi_voxelgrid_pairs *a, int64_t capacity,
                                                  int64_t totals[2])
{
    return collect_pairs(ctx, a, capacity, totals,
                         a->dist2 ? launch_sparse_collect<true> : launch_sparse_collect<false>);
}
