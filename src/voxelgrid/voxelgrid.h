/* Inside a voxel grid: the points sorted by voxel, an index of that order, and the room's table. A sort
 * replaces a hash table, as neighbours are searched by rows of voxels, which are consecutive in the order. So 9 rows
 * replace 27 voxels; two words of the index (16 bytes) find a row, where a bucket of a table has 32 bytes a voxel. The
 * points of a voxel are consecutive, and no stage costs more than a radix pass. */
#ifndef BI_VOXELGRID_VOXELGRID_H
#define BI_VOXELGRID_VOXELGRID_H

#include <boscage/voxelgrid.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* SPARSE_REACH: largest radius, in voxels, with which sparse views are searched by bricks: all rows of a box, mostly up
 * to 25, are looked up. Not measured. */
enum { BI_VOXELGRID_DIM = 3, BI_VOXELGRID_SPARSE_REACH = 2 };

struct bi_voxelgrid_coords {
    int64_t at[BI_VOXELGRID_DIM];
};

/* A brick: 32 voxels with consecutive keys, at least one of them occupied. An empty slot has all bits of `key` set. */
struct bi_voxelgrid_brick {
    uint64_t key;    /* number of the brick, which is that of its voxels >> 5; below, five bits: which of the first
                        voxels of the next brick are occupied */
    uint32_t voxels; /* which voxels of the brick are occupied */
    uint32_t rank;   /* number of occupied voxels before the brick */
};

/* The occupied voxels of a sparse view: a hash table of bricks. */
struct bi_voxelgrid_bricks {
    struct bi_voxelgrid_brick *slots; /* (slot_count); NULL: not built */
    uint32_t *heads;                  /* (n + 1) first position of each occupied voxel, then n; the rest is not set */
    uint32_t slot_count;
};

/* The part of a grid that steps read. A voxel's key is its number in the box of the occupied voxels, the last
 * coordinate running fastest: keys order as voxels do. Boxes that may need more than 64 bits (distant or infinite
 * points) have no keys and no index; searches compare the points themselves. */
struct bi_voxelgrid_view {
    const void *points;  /* (n) in the order of (voxel, id): dim doubles if `is_f64`, else struct bi_voxelgrid_point */
    const uint32_t *ids; /* (n) if `is_f64`, else NULL: points have their ids */
    const void *keys;    /* (n) uint32, or uint64 if `keys_64bit`; NULL where shift is 0 */
    const uint32_t *starts; /* (entries + 1): the first position whose key >> shift is at least the entry */
    int64_t n;
    double cell;
    struct bi_voxelgrid_coords low, high; /* of the occupied voxels */
    uint64_t side[BI_VOXELGRID_DIM];      /* of the box, in voxels */
    uint64_t last_key;
    double peak_density;               /* points a voxel, averaged over the densest few voxels; INFINITY: not known */
    struct bi_voxelgrid_bricks bricks; /* of sparse views, where the backend builds them */
    int32_t dim, key_bits, shift;
    bool keyed, keys_64bit, is_f64;
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
    struct bi_block points, ids, keys, starts, bricks;
    struct bi_voxelgrid_rows source; /* the caller's array at the build; its contents may have changed */
};

struct bi_voxelgrid_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */
struct bi_voxelgrid_pairs;
struct bi_row_out;

/* Input and output of the fused builds: rows of floats, sorted into a dense view. */
struct bi_voxelgrid_dense_target {
    struct bi_voxelgrid_view view; /* its shape */
    struct bi_voxelgrid_rows rows;
    uint32_t *starts;
    struct bi_voxelgrid_point *points;
};

/* Searches around many points: arguments as for the steps of the same names. */
struct bi_voxelgrid_searches {
    bi_step_fn radius_count, radius_fill, pair_count, pair_fill;
    bi_step_fn pair_total; /* adds the number of pairs to *total; NULL: sum of pair_count instead */
    /* Finds pairs, and collects short rows in scratch. totals[0]: pairs; totals[1]: rows not collected, for which
     * pair_fill is called after pair_write. At most collect_limit points. If the caller's arrays are reachable and
     * large enough it also does pair_write, and only waits for the totals. */
    bosc_status (*pair_collect)(bosc_ctx *ctx, struct bi_voxelgrid_pairs *pairs, int64_t capacity, int64_t totals[2]);
    bosc_status (*pair_write)(bosc_ctx *ctx, const struct bi_voxelgrid_pairs *pairs);
    int64_t collect_limit;
};

/* The table of voxel grids that each backend gives. */
struct bi_voxelgrid_ops {
    const struct bi_voxelgrid_steps *steps;

    /* Fused operations; NULL where steps and collectives serve. extent: as find_extent of build.c. sort_by_buckets:
     * sorts rows into a dense view; *peak_density is 0 if there are too many points, in all or in some voxels.
     * build_in_one_launch: both, for up to one_launch_limit rows of floats; reads cell, dim and n of the target's
     * view; points and starts have room for any dense view, and are unchanged if there is a NaN. dense_searches: for
     * dense views and finite radii. */
    bosc_status (*extent)(bosc_ctx *ctx, const struct bi_voxelgrid_rows *rows, uint64_t *found);
    bosc_status (*sort_by_buckets)(bosc_ctx *ctx, const struct bi_voxelgrid_dense_target *target, double *peak_density);
    bosc_status (*build_in_one_launch)(bosc_ctx *ctx, const struct bi_voxelgrid_dense_target *target, uint64_t *found,
                                       double *peak_density);
    int64_t one_launch_limit;
    const struct bi_voxelgrid_searches *dense_searches;
    /* pair_collect of other views than dense_searches serves; NULL: two searches count and fill. */
    bosc_status (*pair_collect)(bosc_ctx *ctx, struct bi_voxelgrid_pairs *pairs, int64_t capacity, int64_t totals[2]);

    /* Sparse views. index_bricks: fills view->bricks, which has memory, from the sorted keys. sparse_searches: for
     * views with bricks, and radii of up to BI_VOXELGRID_SPARSE_REACH voxels. NULL: bricks are not built. */
    bosc_status (*index_bricks)(bosc_ctx *ctx, const struct bi_voxelgrid_view *view);
    const struct bi_voxelgrid_searches *sparse_searches;

    /* Sorts the long rows that a fill listed; their bounds are in `offsets`, and `at` of `rows` is not used. NULL:
     * fills list none. */
    bosc_status (*sort_rows)(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                             const uint32_t *long_rows);
};

#ifdef __cplusplus
}
#endif
#endif
