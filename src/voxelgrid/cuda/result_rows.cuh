/* Rows of results: each thread collects its row in a column of shared memory; a warp then sorts and writes the rows
 * of its threads together. */
#ifndef BI_VOXELGRID_CUDA_RESULT_ROWS_CUH
#define BI_VOXELGRID_CUDA_RESULT_ROWS_CUH

#include "voxelgrid/cuda/visit_voxels.cuh"

/* Short rows, a column a thread. The extra entry LIMIT receives everything beyond. */
template <bool DISTANCES, int LIMIT> struct row_columns {
    uint32_t ids[LIMIT + 1][THREADS];
    float dist2[DISTANCES ? LIMIT + 1 : 1][THREADS];
};

/* The row of a thread: `count` counts all results, the first LIMIT are stored. */
template <bool DISTANCES, int LIMIT> struct row_column {
    row_columns<DISTANCES, LIMIT> &sh;
    uint32_t count;

    __device__ uint32_t &id(uint32_t k) const { return sh.ids[k][threadIdx.x]; }
    __device__ float &dist2(uint32_t k) const { return sh.dist2[DISTANCES ? k : 0][threadIdx.x]; }

    __device__ void write(uint32_t k, float its_dist2, uint32_t its_id) const
    {
        id(k) = its_id;
        if (DISTANCES) dist2(k) = its_dist2;
    }

    __device__ void add(float its_dist2, uint32_t its_id)
    {
        if (count < LIMIT) write(count, its_dist2, its_id);
        count++;
    }

    /* The same without a branch: always stores, and counts only if found, so that the next store overwrites
     * an entry that was not. */
    __device__ __forceinline__ void append_if(bool is_found, float its_dist2, uint32_t its_id)
    {
        write(min(count, (uint32_t)LIMIT), its_dist2, its_id);
        count += is_found;
    }

    /* Appends the rows of the other warps that share the queries; the first warp gets the result. */
    __device__ void merge_warps(query_counts &counts)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        counts.of[warp][lane] = count;
        __syncthreads(); /* rows and counts of all warps */
        for (unsigned w = 1; warp == 0 && w < QUERY_WARPS; w++) {
            const uint32_t others = counts.of[w][lane];
            for (uint32_t k = 0; k < others && k < LIMIT; k++)
                add(sh.dist2[DISTANCES ? k : 0][w * 32 + lane], sh.ids[k][w * 32 + lane]);
            if (others > LIMIT) count += others - LIMIT;
        }
        __syncthreads(); /* the first warp has read them */
    }
};

/* The lane that owns entry `entry` of the warp: the number of lanes whose inclusive sum is at most `entry`. The
 * whole warp calls it. */
static __device__ __forceinline__ unsigned find_entry_lane(uint32_t inclusive, uint32_t entry)
{
    unsigned lane = 0;
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2)
        if (__shfl_sync(~0u, inclusive, lane + step - 1) <= entry) lane += step;
    return lane;
}

/* Calls visit(lane, k, exists) for every k below the count of every lane, distributed over the threads of the warp.
 * `inclusive`: inclusive sum of the counts. The whole warp calls it. */
template <class V> static __device__ __forceinline__ void for_each_entry(uint32_t count, uint32_t inclusive, V &&visit)
{
    const uint32_t total = __shfl_sync(~0u, inclusive, 31);
    for (uint32_t first = 0; first < total; first += 32) {
        const uint32_t entry = first + threadIdx.x % 32;
        const unsigned lane = find_entry_lane(inclusive, entry);
        visit(lane, entry - __shfl_sync(~0u, inclusive - count, lane), entry < total);
    }
}

/* Calls write(slot, row, id, dist2) for the first `count` entries of each thread, sorted by id; slots of a thread
 * begin at `at`. The whole warp calls it, and each thread writes some of all. */
template <bool DISTANCES, int LIMIT, class V>
static __device__ __forceinline__ void for_each_sorted(const row_columns<DISTANCES, LIMIT> &found, uint32_t count,
                                                       uint32_t inclusive, int64_t at, uint32_t row, V &&write)
{
    __syncwarp(); /* rows of all lanes */
    for_each_entry(count, inclusive, [&](unsigned lane, uint32_t k, bool exists) {
        const unsigned thread = threadIdx.x / 32 * 32 + lane;
        const uint32_t length = __shfl_sync(~0u, count, lane), its_row = __shfl_sync(~0u, row, lane);
        const int64_t row_begin = __shfl_sync(~0u, at, lane);
        if (!exists) return;
        const uint32_t id = found.ids[k][thread];
        uint32_t smaller = 0;
#pragma unroll 4
        for (uint32_t other = 0; other < length; other++) smaller += found.ids[other][thread] < id;
        write(row_begin + smaller, its_row, id, found.dist2[DISTANCES ? k : 0][thread]);
    });
    __syncwarp(); /* all rows are read, and may be reused */
}

template <bool DISTANCES, int LIMIT> struct search_shared {
    row_columns<DISTANCES, LIMIT> found;
    query_counts counts;
};

/* Writes an entry of a row. For pairs both ids, in one store where that is aligned. */
template <bool DISTANCES>
static __device__ __forceinline__ void write_entry(const bi_row_out &out, int64_t at, uint32_t row, uint32_t id,
                                                   float dist2)
{
    if (DISTANCES) static_cast<float *>(out.dist2)[at] = dist2;
    if (!out.pairs) {
        bi_voxelgrid_write_id(out.ids, out.ids_64bit, at, id);
    } else if (out.ids_64bit && (uintptr_t)out.ids % sizeof(uint4) == 0) {
        static_cast<uint4 *>(out.ids)[at] = {row, 0, id, 0};
    } else {
        bi_voxelgrid_write_id(out.ids, out.ids_64bit, 2 * at, row);
        bi_voxelgrid_write_id(out.ids, out.ids_64bit, 2 * at + 1, id);
    }
}

/* A row that a thread fills: short ones in its column, others unsorted in the output. */
template <bool DISTANCES, int LIMIT> struct row_filler {
    const bi_row_out &out;
    int64_t capacity;
    row_column<DISTANCES, LIMIT> found;

    __device__ bool is_short() const { return capacity <= LIMIT; }
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

    /* Sorts and writes full short rows; lists long ones for a later sort. The whole warp calls it. */
    __device__ void finish(uint32_t *long_rows, int64_t row) const
    {
        const uint32_t count = is_full() && is_short() ? found.count : 0;
        for_each_sorted(found.sh, count, bi_warp_inclusive_sum(count), out.at, (uint32_t)row,
                        [&](int64_t at, uint32_t its_row, uint32_t id, float dist2) {
                            write_entry<DISTANCES>(out, at, its_row, id, dist2);
                        });
        if (!is_full() || is_short()) return;
        for (int64_t k = 0; out.pairs && k < capacity; k++)
            bi_voxelgrid_write_id(out.ids, out.ids_64bit, 2 * (out.at + k), (uint32_t)row);
        if (!bi_row_list_long(long_rows, row, capacity)) bi_row_sort(&out, capacity);
    }
};

#endif
