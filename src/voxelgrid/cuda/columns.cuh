/* Rows of answers: what a thread has found, in a column of shared memory. */
#ifndef BI_VOXELGRID_CUDA_COLUMNS_CUH
#define BI_VOXELGRID_CUDA_COLUMNS_CUH

#include "voxelgrid/cuda/visit.cuh"

/* Short rows of answers are put in order here, a column a thread; what is beyond them goes into one more row. */
template <bool DISTANCES, int MOST> struct columns {
    uint32_t ids[MOST + 1][THREADS];
    float dist2[DISTANCES ? MOST + 1 : 1][THREADS];
};

/* What a thread has found: all of it is counted, the first MOST are there. */
template <bool DISTANCES, int MOST> struct column {
    columns<DISTANCES, MOST> &sh;
    uint32_t count;

    __device__ uint32_t &id(uint32_t k) const { return sh.ids[k][threadIdx.x]; }
    __device__ float &dist2(uint32_t k) const { return sh.dist2[DISTANCES ? k : 0][threadIdx.x]; }

    __device__ void set(uint32_t k, float its_dist2, uint32_t its_id) const
    {
        id(k) = its_id;
        if (DISTANCES) dist2(k) = its_dist2;
    }

    __device__ void add(float its_dist2, uint32_t its_id)
    {
        if (count < MOST) set(count, its_dist2, its_id);
        count++;
    }

    /* The same if it is found; what is not gets lost, so that the threads of a warp need not part. */
    __device__ __forceinline__ void offer(bool is_found, float its_dist2, uint32_t its_id)
    {
        set(min(count, (uint32_t)MOST), its_dist2, its_id);
        count += is_found;
    }

    /* The first warp gets what those that share its queries have found. */
    __device__ void join(shared_counts &counts)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        counts.of[warp][lane] = count;
        __syncthreads();
        for (unsigned w = 1; warp == 0 && w < SHARERS; w++) {
            const uint32_t others = counts.of[w][lane];
            for (uint32_t k = 0; k < others && k < MOST; k++)
                add(sh.dist2[DISTANCES ? k : 0][w * 32 + lane], sh.ids[k][w * 32 + lane]);
            if (others > MOST) count += others - MOST;
        }
        __syncthreads();
    }
};

/* Which lane an entry is of: the number of those whose entries end before it. The whole warp calls it. */
static __device__ __forceinline__ unsigned lane_of_entry(uint32_t upto, uint32_t entry)
{
    unsigned lane = 0;
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2)
        if (__shfl_sync(~0u, upto, lane + step - 1) <= entry) lane += step;
    return lane;
}

/* Calls visit(lane, k, whether there is one) for every k below the count of every lane, in their order; `upto`:
 * the inclusive sum of the counts. Each thread gets other entries. The whole warp calls it. */
template <class V> static __device__ __forceinline__ void each_entry(uint32_t count, uint32_t upto, V &&visit)
{
    const uint32_t total = __shfl_sync(~0u, upto, 31);
    for (uint32_t first = 0; first < total; first += 32) {
        const uint32_t entry = first + threadIdx.x % 32;
        const unsigned lane = lane_of_entry(upto, entry);
        visit(lane, entry - __shfl_sync(~0u, upto - count, lane), entry < total);
    }
}

/* Calls write(place, row, id, dist2) for what the threads of a warp have found, `count` entries each, which thus get in
 * order of ids: places of a thread's begin at `at`. The whole warp calls it, and each thread writes some of all. */
template <bool DISTANCES, int MOST, class V>
static __device__ __forceinline__ void each_found(const columns<DISTANCES, MOST> &found, uint32_t count, uint32_t upto,
                                                  int64_t at, uint32_t row, V &&write)
{
    __syncwarp();
    each_entry(count, upto, [&](unsigned lane, uint32_t k, bool is) {
        const unsigned thread = threadIdx.x / 32 * 32 + lane;
        const uint32_t length = __shfl_sync(~0u, count, lane), its_row = __shfl_sync(~0u, row, lane);
        const int64_t its_at = __shfl_sync(~0u, at, lane);
        if (!is) return;
        const uint32_t id = found.ids[k][thread];
        uint32_t smaller = 0;
#pragma unroll 4
        for (uint32_t other = 0; other < length; other++) smaller += found.ids[other][thread] < id;
        write(its_at + smaller, its_row, id, found.dist2[DISTANCES ? k : 0][thread]);
    });
    __syncwarp();
}

template <bool DISTANCES, int MOST> struct search_shared {
    columns<DISTANCES, MOST> found;
    shared_counts counts;
};

/* Writes an entry of a row: of arrays of pairs both ids, at once where they are aligned. */
template <bool DISTANCES>
static __device__ __forceinline__ void write_entry(const bi_row_out &out, int64_t at, uint32_t row, uint32_t id,
                                                   float dist2)
{
    if (DISTANCES) static_cast<float *>(out.dist2)[at] = dist2;
    if (!out.pairs) {
        bi_voxelgrid_set_id(out.ids, out.wide, at, id);
    } else if (out.wide && (uintptr_t)out.ids % sizeof(uint4) == 0) {
        static_cast<uint4 *>(out.ids)[at] = {row, 0, id, 0};
    } else {
        bi_voxelgrid_set_id(out.ids, out.wide, 2 * at, row);
        bi_voxelgrid_set_id(out.ids, out.wide, 2 * at + 1, id);
    }
}

/* A row of answers that a thread fills: short ones in its column, others where they belong, and not in order. */
template <bool DISTANCES, int MOST> struct row_filler {
    const bi_row_out &out;
    int64_t capacity;
    column<DISTANCES, MOST> found;

    __device__ bool is_short() const { return capacity <= MOST; }
    __device__ bool is_full() const { return found.count == capacity; }

    __device__ void add(float dist2, uint32_t id)
    {
        if (is_short()) {
            found.add(dist2, id);
            return;
        }
        if (found.count < capacity) bi_row_set(&out, found.count, (double)dist2, id);
        found.count++;
    }

    /* Puts full rows in order, or lists them; the whole warp calls it. */
    __device__ void finish(uint32_t *long_rows, int64_t row) const
    {
        const uint32_t count = is_full() && is_short() ? found.count : 0;
        each_found(found.sh, count, bi_warp_inclusive_sum(count), out.at, (uint32_t)row,
                   [&](int64_t at, uint32_t its_row, uint32_t id, float dist2) {
                       write_entry<DISTANCES>(out, at, its_row, id, dist2);
                   });
        if (!is_full() || is_short()) return;
        for (int64_t k = 0; out.pairs && k < capacity; k++)
            bi_voxelgrid_set_id(out.ids, out.wide, 2 * (out.at + k), (uint32_t)row);
        if (!bi_row_list_long(long_rows, row, capacity)) bi_row_sort(&out, capacity);
    }
};

#endif
