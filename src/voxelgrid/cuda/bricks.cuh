/* Bricks of sparse voxel grids: the positions of the points in voxels with consecutive keys. */
#ifndef BI_VOXELGRID_CUDA_BRICKS_CUH
#define BI_VOXELGRID_CUDA_BRICKS_CUH

#include "core/cuda/launch.cuh"
#include "voxelgrid/voxelgrid.h"

/* BRICK_HALO: voxels of the next brick that a brick knows, so that a row of up to BRICK_HALO + 1 voxels mostly needs
 * one brick. BRICK_REACH: voxels that it knows. */
enum {
    BI_VOXELGRID_BRICK_BITS = 5,
    BI_VOXELGRID_BRICK_VOXELS = 1 << BI_VOXELGRID_BRICK_BITS,
    BI_VOXELGRID_BRICK_HALO = BI_VOXELGRID_BRICK_BITS,
    BI_VOXELGRID_BRICK_REACH = BI_VOXELGRID_BRICK_VOXELS + BI_VOXELGRID_BRICK_HALO
};

/* A row reaches BI_VOXELGRID_SPARSE_REACH voxels to both sides of a point: 2 * 2 + 1 voxels, and one more where the
 * reach is rounded up. The halo has room for them. */
static_assert(2 * BI_VOXELGRID_SPARSE_REACH + 2 <= BI_VOXELGRID_BRICK_HALO + 1, "most rows need one brick");

/* The first slot where brick `number` may be, and the one after a slot. Neighbouring numbers differ by the sides of the
 * box, so a product alone may bring many of them together: a shift and a second product part them. The multipliers are
 * those of bi_mix_u32 and, of the upper half, of xxHash. */
__device__ __forceinline__ uint32_t bi_voxelgrid_first_slot(const bi_voxelgrid_bricks &bricks, uint64_t number)
{
    const uint32_t hash = (uint32_t)number * 0x7feb352du + (uint32_t)(number >> 32) * 0x85ebca77u;
    return __umulhi((hash ^ hash >> 15) * 0x846ca68bu, bricks.slot_count);
}
__device__ __forceinline__ uint32_t bi_voxelgrid_next_slot(const bi_voxelgrid_bricks &bricks, uint32_t slot)
{
    return slot + 1 == bricks.slot_count ? 0 : slot + 1;
}

/* A slot as it is read: x, y: the halves of its key; z: its voxels; w: its rank. */
__device__ __forceinline__ uint4 bi_voxelgrid_read_slot(const bi_voxelgrid_bricks &bricks, uint32_t slot)
{
    return __ldg(reinterpret_cast<const uint4 *>(bricks.slots) + slot);
}
__device__ __forceinline__ bool bi_voxelgrid_is_empty(uint4 slot) { return (slot.x & slot.y) == UINT32_MAX; }

/* Returns the slot of brick `number`, or an empty one; `read` is the first slot where it may be. */
__device__ __forceinline__ uint4 bi_voxelgrid_find_brick(const bi_voxelgrid_bricks &bricks, uint64_t number, uint4 read)
{
    uint32_t slot = bi_voxelgrid_first_slot(bricks, number);
    while (((uint64_t)read.y << 32 | read.x) >> BI_VOXELGRID_BRICK_BITS != number && !bi_voxelgrid_is_empty(read)) {
        slot = bi_voxelgrid_next_slot(bricks, slot);
        read = bi_voxelgrid_read_slot(bricks, slot);
    }
    return read;
}

/* Occupied voxels with consecutive ranks. */
struct bi_voxelgrid_voxels {
    uint32_t first, count; /* first: not set if there are none */
};

/* Finds those of `length` voxels from `key` on that the slot of their brick knows; *known: number of voxels that it
 * knows, at most 31, as numbers of 32 bits are faster. */
__device__ __forceinline__ bi_voxelgrid_voxels bi_voxelgrid_find_in_brick(uint4 slot, uint64_t key, int32_t length,
                                                                          int32_t *known)
{
    const uint32_t at = (uint32_t)key % BI_VOXELGRID_BRICK_VOXELS, halo = slot.x % BI_VOXELGRID_BRICK_VOXELS;
    const bool is_empty = bi_voxelgrid_is_empty(slot);
    const uint32_t from_key = (uint32_t)(((uint64_t)halo << BI_VOXELGRID_BRICK_VOXELS | slot.z) >> at);
    *known = min((is_empty ? BI_VOXELGRID_BRICK_VOXELS : BI_VOXELGRID_BRICK_REACH) - (int32_t)at,
                 BI_VOXELGRID_BRICK_VOXELS - 1);
    return {slot.w + (uint32_t)__popc(slot.z & ((1u << at) - 1)),
            is_empty ? 0 : (uint32_t)__popc(from_key & ((1u << min(length, *known)) - 1))};
}

/* Finds the occupied voxels among `length` ones from `key` on. `read`: the first slot of the first brick. */
__device__ __forceinline__ bi_voxelgrid_voxels bi_voxelgrid_find_row(const bi_voxelgrid_bricks &bricks, uint64_t key,
                                                                     int32_t length, uint4 read)
{
    int32_t known;
    bi_voxelgrid_voxels found = bi_voxelgrid_find_in_brick(
        bi_voxelgrid_find_brick(bricks, key >> BI_VOXELGRID_BRICK_BITS, read), key, length, &known);
#pragma unroll 1
    while (known < length) { /* seldom: at the end of a brick that is empty, or in a long row */
        key += (uint64_t)known;
        length -= known;
        const uint64_t number = key >> BI_VOXELGRID_BRICK_BITS;
        read = bi_voxelgrid_read_slot(bricks, bi_voxelgrid_first_slot(bricks, number));
        const bi_voxelgrid_voxels next =
            bi_voxelgrid_find_in_brick(bi_voxelgrid_find_brick(bricks, number, read), key, length, &known);
        if (found.count == 0) found.first = next.first;
        found.count += next.count;
    }
    return found;
}

bosc_status bi_cuda_voxelgrid_index_bricks(bosc_ctx *ctx, const bi_voxelgrid_view *view);

#endif
