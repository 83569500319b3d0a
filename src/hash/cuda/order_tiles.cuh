/* The fused build on CUDA: tiles, through which its first kernel (order_tiles.cu) passes pairs to its second
 * (build_kernels.cuh). */
#ifndef BI_HASH_CUDA_ORDER_TILES_CUH
#define BI_HASH_CUDA_ORDER_TILES_CUH

#include "hash/cuda/bucketed.cuh"

enum {
    BI_HASH_TILED_BITS = 10,  /* maximum of the bits of a partition's number */
    BI_HASH_SEGMENT_BITS = 16 /* of the begin of a segment in its tile */
};

/* Pairs in tiles, each stably ordered by partition. A segment is the part of a tile that belongs to one partition. */
struct bi_hash_tiles {
    uint32_t count, pairs;    /* tiles; pairs of each but the last. count 0: the device has too little shared memory */
    const void *hashes;       /* (n) */
    const void *payload;      /* (n) */
    const uint32_t *segments; /* (partitions x tiles) begin in the tile, and length << BI_HASH_SEGMENT_BITS */
    uint32_t *zeroed;         /* (zeros) words that the kernel sets to 0 */
    uint32_t zeros;
};

/* Returns the number of tiles of n pairs. */
size_t bi_hash_tile_count(const struct bi_hash_shape *, int32_t payload_bytes, int64_t n);

/* Orders the pairs of each tile; values: NULL where the payload is row numbers. Allocates scratch. */
bosc_status bi_hash_order_tiles_cuda(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values,
                                     int64_t n, int32_t payload_bytes, struct bi_hash_tiles *tiles);

#endif
