/* Inside a voxel grid: the points in the order of their voxels, and an index of that order.
 *
 * Why a sort and no hash table: neighbours are looked for by rows of voxels, which are neighbours in the order too, so
 * that 9 rows are found in place of 27 voxels, each by two words of the index (16 bytes) where a table's bucket has 32
 * for every voxel; points of a voxel lie together without lists; and no stage is more than a radix pass. */
#ifndef BI_SPATIAL_GRID_H
#define BI_SPATIAL_GRID_H

#include <boscage/spatial.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_GRID_DIM = 3 };

struct bi_grid_cell {
    int64_t at[BI_GRID_DIM];
};

/* What steps read of a grid. A voxel's key has the differences of its coordinates from `low`, each in as many bits as
 * the extent needs, the first coordinate highest: keys order as voxels do. Where that takes more than 64 bits (distant
 * or infinite points) there are no keys and no index, and the order is searched by the points themselves. */
struct bi_grid_view {
    const void *points;     /* (n x dim) in the order of (voxel, id): float, or double if `wide` */
    const uint32_t *ids;    /* (n) */
    const void *keys;       /* (n) uint32, or uint64 if `wide_keys` */
    const uint32_t *starts; /* (2^index_bits + 1): the first place with at least so large a key >> shift */
    int64_t n;
    double cell;
    struct bi_grid_cell low, high; /* of the occupied voxels */
    int32_t bits[BI_GRID_DIM];     /* of each coordinate in the key */
    int32_t dim, key_bits, index_bits, shift;
    bool keyed, wide_keys, wide;
};

struct bosc_grid {
    struct bi_memory memory, host;
    bosc_grid_opts opts; /* every field set */
    struct bi_grid_view view;
    struct bi_block points, ids, keys, starts;
};

#ifdef __cplusplus
}
#endif
#endif
