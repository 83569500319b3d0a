/* Inside a voxel grid: the points in the order of their voxels, an index of that order, and the room's table.
 *
 * Why a sort and no hash table: neighbours are looked for by rows of voxels, which are neighbours in the order too, so
 * that 9 rows are found in position of 27 voxels, each by two words of the index (16 bytes) where a table's bucket has
 * 32 for every voxel; points of a voxel lie together without lists; and no stage is more than a radix pass. */
#ifndef BI_VOXELGRID_VOXELGRID_H
#define BI_VOXELGRID_VOXELGRID_H

#include <boscage/voxelgrid.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_VOXELGRID_DIM = 3 };

struct bi_voxelgrid_coords {
    int64_t at[BI_VOXELGRID_DIM];
};

/* The part of a grid that steps read. A voxel's key holds the differences of its coordinates from `low`, each in as
 * many
 * bits as the extent needs, the first coordinate highest: keys order as voxels do. Where that takes more than 64 bits
 * (distant or infinite points) there are no keys and no index, and the order is searched by the points themselves. */
struct bi_voxelgrid_view {
    const void *points;     /* (n x dim) in the order of (voxel, id): float, or double if `wide` */
    const uint32_t *ids;    /* (n) */
    const void *keys;       /* (n) uint32, or uint64 if `wide_keys` */
    const uint32_t *starts; /* (2^index_bits + 1): the first position whose key >> shift is at least the entry */
    int64_t n;
    double cell;
    struct bi_voxelgrid_coords low, high; /* of the occupied voxels */
    int32_t bits[BI_VOXELGRID_DIM];       /* of each coordinate in the key */
    int32_t dim, key_bits, index_bits, shift;
    bool keyed, wide_keys, wide;
};

/* Rows of the caller's points. */
struct bi_voxelgrid_rows {
    const void *data;
    int64_t n, stride;
    bosc_dtype dtype;
    int32_t dim;
};

struct bosc_voxelgrid {
    struct bi_memory memory, host;
    bosc_voxelgrid_opts opts; /* every field set */
    struct bi_voxelgrid_view view;
    struct bi_block points, ids, keys, starts;
};

struct bi_voxelgrid_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */
struct bi_row_out;

/* The table of voxel grids that each backend gives. */
struct bi_voxelgrid_ops {
    const struct bi_voxelgrid_steps *steps;

    /* Sorts the long rows that a fill listed and left unsorted: those that begin and end at `offsets`, of `rows`, whose
     * `at` does not matter. NULL: fills shall list none. */
    bosc_status (*sort_rows)(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                             const uint32_t *long_rows);
};

#ifdef __cplusplus
}
#endif
#endif
