/* Rows of answers: what a thread has found, in a column of shared memory. */
#ifndef BI_VOXELGRID_CUDA_COLUMNS_CUH
#define BI_VOXELGRID_CUDA_COLUMNS_CUH

#include "voxelgrid/cuda/visit.cuh"

/* Short rows of answers are put in order here, a column a thread. */
template <bool DISTANCES, int MOST> struct columns {
    uint32_t ids[MOST][THREADS];
    float dist2[DISTANCES ? MOST : 1][THREADS];
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

    /* By insertion. */
    __device__ void sort() const
    {
        for (uint32_t k = 1; k < count; k++) {
            const uint32_t its_id = id(k);
            const float its_dist2 = dist2(k);
            uint32_t to = k;
            for (uint32_t other; to > 0 && (other = id(to - 1)) > its_id; to--) set(to, dist2(to - 1), other);
            set(to, its_dist2, its_id);
        }
    }
};

template <bool DISTANCES, int MOST> struct search_shared {
    columns<DISTANCES, MOST> found;
    shared_counts counts;
};

/* A row of answers that a thread fills: short ones in its column, others where they belong, and not in order. */
template <bool DISTANCES> struct row_filler {
    const bi_row_out &out;
    int64_t capacity;
    column<DISTANCES, COLUMN> found;

    __device__ bool is_short() const { return capacity <= COLUMN; }
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

    /* Writes an entry of the column: of arrays of pairs both ids, at once where they are aligned. */
    __device__ void write(uint32_t k, uint32_t row) const
    {
        const uint32_t id = found.id(k);
        if (out.pairs && out.wide && (uintptr_t)out.ids % sizeof(uint4) == 0) {
            static_cast<uint4 *>(out.ids)[out.at + k] = {row, 0, id, 0};
            if (DISTANCES) static_cast<float *>(out.dist2)[out.at + k] = found.dist2(k);
            return;
        }
        if (out.pairs) bi_voxelgrid_set_id(out.ids, out.wide, 2 * (out.at + k), row);
        bi_row_set(&out, k, (double)found.dist2(k), id);
    }

    /* Puts a full row in order, or lists it. */
    __device__ void finish(uint32_t *long_rows, int64_t row) const
    {
        if (is_short()) {
            found.sort();
            for (uint32_t k = 0; k < found.count; k++) write(k, (uint32_t)row);
            return;
        }
        for (int64_t k = 0; out.pairs && k < capacity; k++)
            bi_voxelgrid_set_id(out.ids, out.wide, 2 * (out.at + k), (uint32_t)row);
        if (!bi_row_list_long(long_rows, row, capacity)) bi_row_sort(&out, capacity);
    }
};

#endif
