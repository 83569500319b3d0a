/* Sums of earlier tiles, in one pass over the data. Tickets order the tiles, so that earlier ones are running or
 * finished when a tile looks back. */
#ifndef BI_VOXELGRID_CUDA_LOOK_BACK_CUH
#define BI_VOXELGRID_CUDA_LOOK_BACK_CUH

#include "core/cuda/warp.cuh"

/* State of a tile's word, 0 while not published: its sum is that of the tile (TOTAL) or of all tiles up to it
 * (PREFIX). */
enum { TILE_TOTAL = 1, TILE_PREFIX = 2, TILE_BITS = 2, TILE_STATE = (1 << TILE_BITS) - 1 };

/* Publishes the sum of this tile; returns that of all earlier tiles. The first warp calls it. Source: Merrill,
 * Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back (2016). */
static __device__ unsigned long long look_back(unsigned long long *tiles, uint32_t tile, uint32_t own)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned long long sum = 0;
    /* 1. Publish the tile's own sum: sum and state are one word, so no fence is needed. */
    if (lane == 0)
        bi_store_relaxed(tiles + tile, (unsigned long long)own << TILE_BITS | (tile == 0 ? TILE_PREFIX : TILE_TOTAL));
    /* 2. Add 32 earlier tiles at a time, back to the nearest one whose prefix is known. */
    for (int64_t next = (int64_t)tile - 1 - lane; next + lane >= 0; next -= 32) {
        unsigned long long word = TILE_PREFIX;
        while (next >= 0 && ((word = bi_load_relaxed(tiles + next)) & TILE_STATE) == 0) __nanosleep(20);
        const unsigned prefixes = __ballot_sync(~0u, (word & TILE_STATE) == TILE_PREFIX);
        const unsigned last = prefixes ? (unsigned)__ffs((int)prefixes) - 1 : 31; /* lane 0 has the nearest tile */
        sum += bi_warp_sum(lane <= last ? word >> TILE_BITS : 0ull);
        if (prefixes) break;
    }
    /* 3. Publish the prefix. */
    if (lane == 0 && tile > 0) bi_store_relaxed(tiles + tile, (sum + own) << TILE_BITS | TILE_PREFIX);
    return sum;
}

#endif
