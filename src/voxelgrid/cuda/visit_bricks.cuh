/* Visits of the points around queries in sparse voxel grids, a thread a query. */
#ifndef BI_VOXELGRID_CUDA_VISIT_BRICKS_CUH
#define BI_VOXELGRID_CUDA_VISIT_BRICKS_CUH

#include "voxelgrid/cuda/bricks.cuh"
#include "voxelgrid/cuda/visit_voxels.cuh"

/* A sparse view and a radius. */
struct sparse_view : search_view {
    static constexpr bool SORTS_BY_NETWORK = false;
    bi_voxelgrid_bricks bricks;
    const void *keys; /* of positions: 64 bits if keys_64bit, else 32 */
    bool keys_64bit;
    uint64_t plane_pitch; /* distance of the keys of neighbouring planes */

    __device__ __forceinline__ uint64_t key_of(int32_t plane, int32_t line, int32_t voxel) const
    {
        return (uint64_t)plane * plane_pitch + (uint64_t)line * (uint64_t)side[2] + (uint64_t)voxel;
    }
};

template <> inline sparse_view make_view<sparse_view>(const bi_voxelgrid_view &v, double r2, double reach)
{
    sparse_view s;
    static_cast<search_view &>(s) = make_view<search_view>(v, r2, reach);
    s.bricks = v.bricks;
    s.keys = v.keys;
    s.keys_64bit = v.keys_64bit;
    s.plane_pitch = (uint64_t)s.side[1] * (uint64_t)s.side[2];
    return s;
}

/* Finds the positions of the points in rows y, y + 1, ... of a plane of the box, ROWS_AT_ONCE of them; none in those
 * beyond last_line. All slots, then all positions are read before the first is used, to overlap the reads. */
static __device__ __forceinline__ void find_rows(const sparse_view &g, uint64_t plane_key, int32_t y, int32_t last_line,
                                                 int32_t length, uint32_t *begin, uint32_t *end)
{
    uint64_t keys[ROWS_AT_ONCE];
    uint4 slots[ROWS_AT_ONCE];
    bi_voxelgrid_voxels voxels[ROWS_AT_ONCE];
    /* 1. Slots; rows beyond the last line repeat it. */
#pragma unroll
    for (int k = 0; k < ROWS_AT_ONCE; k++) {
        keys[k] = plane_key + (uint64_t)(uint32_t)min(y + k, last_line) * (uint64_t)(uint32_t)g.side[2];
        slots[k] =
            bi_voxelgrid_read_slot(g.bricks, bi_voxelgrid_first_slot(g.bricks, keys[k] >> BI_VOXELGRID_BRICK_BITS));
    }
    /* 2. Occupied voxels. */
#pragma unroll
    for (int k = 0; k < ROWS_AT_ONCE; k++) {
        voxels[k] = bi_voxelgrid_find_row(g.bricks, keys[k], length, slots[k]);
        if (y + k > last_line) voxels[k].count = 0;
    }
    /* 3. Their positions. */
#pragma unroll
    for (int k = 0; k < ROWS_AT_ONCE; k++) {
        begin[k] = end[k] = 0;
        if (voxels[k].count == 0) continue;
        begin[k] = __ldg(g.bricks.heads + voxels[k].first);
        end[k] = __ldg(g.bricks.heads + voxels[k].first + voxels[k].count);
    }
}

/* Visits by a thread alone, or by STEP threads, this one being number `own`. Positions before `from` are skipped; if it
 * is not 0, it is the position of the query in the view, plus 1, and planes of voxels before are not looked up. */
template <unsigned STEP, class V>
__device__ __forceinline__ void visit_by_thread(const sparse_view &g, const near_box &box, uint32_t from, uint32_t own,
                                                V &&visit)
{
    const int32_t last_line = box.high[1] - box.low[1], length = box.high[2] - box.low[2] + 1;
    const uint64_t least = from > 0 ? bi_voxelgrid_read_key(g.keys, g.keys_64bit, from - 1) : 0;
    uint64_t plane_key = g.key_of(box.low[0], box.low[1], box.low[2]);
#pragma unroll 1
    for (int32_t plane = box.low[0]; plane <= box.high[0]; plane++, plane_key += g.plane_pitch) {
        if (from > 0 && g.key_of(plane, box.high[1], box.high[2]) < least) continue;
#pragma unroll 1
        for (int32_t y = 0; y <= last_line; y += ROWS_AT_ONCE) {
            uint32_t begin[ROWS_AT_ONCE], end[ROWS_AT_ONCE];
            find_rows(g, plane_key, y, last_line, length, begin, end);
#pragma unroll
            for (int k = 0; k < ROWS_AT_ONCE; k++)
                visit_row<STEP>([](const uint4 *point) { return __ldg(point); }, g.points, max(begin[k], from) + own,
                                end[k], visit);
        }
    }
}

/* The same as for dense views; no memory is shared, so a thread need not wait for its warp. */
template <visit_mode MODE, class V>
__device__ __forceinline__ void visit_around(const sparse_view &g, warp_stage &, const float *q, bool active,
                                             uint32_t from, V &&visit)
{
    near_box box;
    if (active && box_around(g, q, &box)) visit_by_thread<1>(g, box, from, 0, visit);
    __syncwarp(); /* searches go on with the whole warp */
}

#endif
