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

/* The part of a grid that steps read. A voxel's key is its number in the box of the occupied voxels, whose last
 * coordinate runs fastest: keys order as voxels do. Where voxels of such a box may need more than 64 bits (distant or
 * infinite points) there are no keys and no index, and the order is searched by the points themselves. */
struct bi_voxelgrid_view {
    const void *points;     /* (n) in the order of (voxel, id): dim doubles if `wide`, else struct bi_voxelgrid_point */
    const uint32_t *ids;    /* (n) if `wide`, else NULL: points have their ids */
    const void *keys;       /* (n) uint32, or uint64 if `wide_keys`; NULL where shift is 0 */
    const uint32_t *starts; /* (entries + 1): the first position whose key >> shift is at least the entry */
    int64_t n;
    double cell;
    struct bi_voxelgrid_coords low, high; /* of the occupied voxels */
    uint64_t side[BI_VOXELGRID_DIM];      /* of the box, in voxels */
    uint64_t last_key;
    double crowd; /* points a voxel where there are most, on average over some voxels; INFINITY: not known */
    int32_t dim, key_bits, shift;
    bool keyed, wide_keys, wide;
};

/* A point of floats, 16 bytes. Of fewer than three dimensions the first coordinates are 0, which adds nothing to a
 * distance. */
struct bi_voxelgrid_point {
    float at[BI_VOXELGRID_DIM];
    uint32_t id;
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
    struct bi_voxelgrid_rows source; /* where the caller's points were at the build; perhaps others are there now */
};

struct bi_voxelgrid_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */
struct bi_voxelgrid_pairs;
struct bi_row_out;

/* Rows of floats put in the order of a dense view. */
struct bi_voxelgrid_place {
    struct bi_voxelgrid_view view; /* its shape */
    struct bi_voxelgrid_rows rows;
    uint32_t *starts;
    struct bi_voxelgrid_point *points;
};

/* The searches around many points: arguments as of the steps of these names. */
struct bi_voxelgrid_searches {
    bi_step_fn radius_count, radius_fill, pair_count, pair_fill;
    bi_step_fn pair_total; /* adds the number of pairs to *total; NULL: as the sum of pair_count */
    /* Finds pairs and keeps the short rows, in scratch: totals[0] gets the number of pairs, totals[1] that of the rows
     * that are not kept; for those pair_fill is called after pair_write. None are of more than most_kept points. Of
     * arrays in reach it also is pair_write, if they have the capacity, and only waits for the totals. */
    bosc_status (*pair_keep)(bosc_ctx *ctx, struct bi_voxelgrid_pairs *pairs, int64_t capacity, int64_t totals[2]);
    bosc_status (*pair_write)(bosc_ctx *ctx, const struct bi_voxelgrid_pairs *pairs);
    int64_t most_kept;
};

/* The table of voxel grids that each backend gives. */
struct bi_voxelgrid_ops {
    const struct bi_voxelgrid_steps *steps;

    /* Fused operations; NULL where the steps and collectives serve. As build.c's find_extent; as its sort, unless there
     * are too many points for it, in all or in some voxels (*crowd, as of a view, is then 0); both at once, for up to
     * most_small rows of floats (of the place's view cell, dim and n are read; points and starts have room for any
     * dense view, and are as they were where there is a NaN); and as steps, in dense views within a finite radius. */
    bosc_status (*extent)(bosc_ctx *ctx, const struct bi_voxelgrid_rows *rows, uint64_t *found);
    bosc_status (*place)(bosc_ctx *ctx, const struct bi_voxelgrid_place *place, double *crowd);
    bosc_status (*place_small)(bosc_ctx *ctx, const struct bi_voxelgrid_place *place, uint64_t *found, double *crowd);
    int64_t most_small;
    const struct bi_voxelgrid_searches *dense;

    /* Sorts the long rows that a fill listed and left unsorted: those that begin and end at `offsets`, of `rows`, whose
     * `at` does not matter. NULL: fills shall list none. */
    bosc_status (*sort_rows)(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                             const uint32_t *long_rows);
};

#ifdef __cplusplus
}
#endif
#endif
