/* The fused build on CUDA: what its two kernels, of tiles and of partitions, tell each other. */
#ifndef BI_HASH_CUDA_BUILD_CUH
#define BI_HASH_CUDA_BUILD_CUH

#include "hash/cuda/bucketed.cuh"

enum {
    BI_HASH_TILED_BITS = 10,  /* bits of a partition's number, at most */
    BI_HASH_SEGMENT_BITS = 16 /* of where a segment begins in its tile */
};

/* Pairs in tiles, each ordered by partition, stably. A segment is what a partition has in a tile. */
struct bi_hash_tiles {
    uint32_t count, pairs;    /* tiles; pairs of each but the last. count 0: the device has too little shared memory */
    const void *hashes;       /* (n) */
    const void *payload;      /* (n) */
    const uint32_t *segments; /* (partitions x tiles): begin in the tile, and length << BI_HASH_SEGMENT_BITS */
    uint32_t *zeroed;         /* (zeros): words that the kernel sets to 0 */
    uint32_t zeros;
};

/* How many tiles there are of n pairs. */
size_t bi_hash_tile_count(const struct bi_hash_shape *, int32_t payload_bytes, int64_t n);

/* Orders the pairs by tile; values: NULL where the payload is row numbers. Takes scratch. */
bosc_status bi_hash_order_tiles_cuda(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values,
                                     int64_t n, int32_t payload_bytes, struct bi_hash_tiles *tiles);

#endif
