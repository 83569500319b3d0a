/* Sorts long rows by bitonic networks: rows of up to WARP_TILE entries by a warp and up to TILE by a block, in shared
 * memory; longer ones by a block, tile after tile.
 *
 * All comparisons put the smaller id first (the first step of a merge compares mirrored entries). Entries beyond the
 * end of a row would be the largest and would never move, so they need not exist. Source: Batcher, Sorting Networks and
 * their Applications (1968). */
#include "core/cuda/sort_rows.cuh"

/* The emulator's tiles are small, so that small tests cover all cases. */
#ifdef BI_EMULATE
enum { THREADS = 64, WARP_TILE = 64 };
#else
enum { THREADS = 512, WARP_TILE = 256 }; /* measured: rows of 144 take 4.4 ms; 16 if warps sort up to 128 */
#endif
enum { WARPS = THREADS / 32, TILE = WARPS * WARP_TILE };

struct rows_shared {
    union {
        double dist2[TILE];
        bool remaining[WARPS]; /* the warp's row is too long for it: the block sorts it */
    };
    uint32_t ids[TILE];
};

/* Barrier of a warp or block: makes the writes of its threads visible to all of them. */
template <int TEAM> static __device__ __forceinline__ void sync_team()
{
    if (TEAM == 32)
        __syncwarp();
    else
        __syncthreads();
}

/* Entries in shared memory. */
struct tile_entries {
    double *dist2; /* NULL in rows without */
    uint32_t *ids;

    __device__ __forceinline__ void order(int i, int other) const
    {
        const uint32_t x = ids[i], y = ids[other];
        if (x <= y) return;
        ids[i] = y;
        ids[other] = x;
        if (!dist2) return;
        const double d = dist2[i];
        dist2[i] = dist2[other];
        dist2[other] = d;
    }
};

struct row_entries {
    bi_row_out row;

    __device__ __forceinline__ void order(int64_t i, int64_t other) const
    {
        const uint32_t x = bi_row_id(&row, i), y = bi_row_id(&row, other);
        if (x <= y) return;
        const double dx = bi_row_dist2(&row, i), dy = bi_row_dist2(&row, other);
        bi_row_set(&row, i, dy, y);
        bi_row_set(&row, other, dx, x);
    }
};

/* One step of the network by a team of threads; t: this thread's number. Pair p compares `first` with the entry `step`
 * behind it, or, mirrored, with its mirror image in the block of 2 step entries. */
template <int TEAM, class ENTRIES, class I>
static __device__ __forceinline__ void compare(const ENTRIES &entries, I count, I step, bool mirrored, int t)
{
    for (I p = t;; p += TEAM) {
        const I offset = p & (step - 1), first = 2 * (p - offset) + offset;
        if (first >= count) break;
        const I other = mirrored ? first ^ (2 * step - 1) : first + step;
        if (other < count) entries.order(first, other);
    }
    sync_team<TEAM>();
}

/* Sorts `count` entries of a row from `begin` on in shared memory. merging: only the last steps of a merge, over at
 * most CAPACITY entries. */
template <int TEAM, int CAPACITY>
static __device__ void sort_tile(const bi_row_out &row, int64_t begin, int count, bool merging,
                                 const tile_entries &tile, int t)
{
    for (int e = t; e < count; e += TEAM) {
        tile.ids[e] = bi_row_id(&row, begin + e);
        if (tile.dist2) tile.dist2[e] = bi_row_dist2(&row, begin + e);
    }
    sync_team<TEAM>();
    for (int run = 2; !merging && run < 2 * count; run *= 2)
        for (int step = run / 2; step > 0; step /= 2) compare<TEAM>(tile, count, step, step == run / 2, t);
    for (int step = CAPACITY / 2; merging && step > 0; step /= 2) compare<TEAM>(tile, count, step, false, t);
    for (int e = t; e < count; e += TEAM) bi_row_set(&row, begin + e, tile.dist2 ? tile.dist2[e] : 0, tile.ids[e]);
    sync_team<TEAM>();
}

template <int CAPACITY> static __device__ __forceinline__ int tile_count(int64_t remaining)
{
    return remaining < CAPACITY ? (int)remaining : CAPACITY;
}

/* Sorts a row: sorts tiles, then merges them in rounds; long steps work in device memory, short ones tile by tile. */
template <int TEAM, int CAPACITY>
static __device__ void sort_row(const bi_row_out &row, int64_t count, const tile_entries &tile, int t)
{
    for (int64_t begin = 0; begin < count; begin += CAPACITY)
        sort_tile<TEAM, CAPACITY>(row, begin, tile_count<CAPACITY>(count - begin), false, tile, t);
    for (int64_t run = 2 * CAPACITY; run < 2 * count; run *= 2) {
        for (int64_t step = run / 2; step >= CAPACITY; step /= 2)
            compare<TEAM>(row_entries{row}, count, step, step == run / 2, t);
        for (int64_t begin = 0; begin < count; begin += CAPACITY)
            sort_tile<TEAM, CAPACITY>(row, begin, tile_count<CAPACITY>(count - begin), true, tile, t);
    }
}

/* Sorts the listed rows by id, in place, with their distances if there are any. list: the number of rows, then the
 * rows. offsets: row r has entries offsets[r] to offsets[r + 1] - 1. Each warp of a block sorts one row; rows too long
 * for a warp are then sorted by the block. The grid has any size. */
static __global__ void __launch_bounds__(THREADS)
    bi_core_sort_rows(bi_row_out row, const int64_t *offsets, const uint32_t *list)
{
    BI_SHARED(struct rows_shared, sh);
    const uint32_t n = list[0];
    const int t = threadIdx.x, warp = t / 32;
    double *dist2 = row.dist2 ? sh.dist2 : nullptr;
    for (uint64_t first = blockIdx.x; first < n; first += (uint64_t)gridDim.x * WARPS) {
        /* 1. One row a warp. */
        uint64_t r = first + (uint64_t)warp * gridDim.x;
        int64_t count = 0;
        if (r < n) {
            row.at = offsets[list[1 + r]];
            count = offsets[list[1 + r] + 1] - row.at;
        }
        if (count <= WARP_TILE)
            sort_row<32, WARP_TILE>(row, count, {dist2 ? dist2 + warp * WARP_TILE : nullptr, sh.ids + warp * WARP_TILE},
                                    t % 32);
        /* 2. Share which rows remain. `remaining` shares memory with the entries of warps. So one barrier precedes the
         * writes, one makes them visible, and one precedes further entries. */
        __syncthreads();
        if (t % 32 == 0) sh.remaining[warp] = count > WARP_TILE;
        __syncthreads();
        uint32_t remaining = 0;
        for (int w = 0; w < WARPS; w++) remaining |= (uint32_t)sh.remaining[w] << w;
        __syncthreads();
        /* 3. The block sorts them one by one. */
        for (int w = 0; w < WARPS; w++) {
            if (!(remaining >> w & 1)) continue;
            r = first + (uint64_t)w * gridDim.x;
            row.at = offsets[list[1 + r]];
            sort_row<THREADS, TILE>(row, offsets[list[1 + r] + 1] - row.at, {dist2, sh.ids}, t);
        }
    }
}

bosc_status bi_cuda_sort_rows(bosc_ctx *ctx, const bi_row_out *rows, const int64_t *offsets, const uint32_t *list)
{
    return BI_RUN(ctx, bi_core_sort_rows, (unsigned)ctx->multiprocessors * 4, THREADS, 0, *rows, offsets, list);
}
