/* Inside a voxelisation: the rows sorted by voxel, the voxels in both orders, and the room's table.
 *
 * A key is the number of a voxel in a box of all or of the occupied voxels, cloud after cloud, the last coordinate
 * running fastest. A stable sort by key makes the rows of a voxel neighbours, ascending; a run of equal keys is a
 * segment. The id of a voxel is the rank of its first row among all first rows. Rows in no voxel have the largest key,
 * and no segment. */
#ifndef BI_VOXELS_VOXELS_H
#define BI_VOXELS_VOXELS_H

#include <boscage/voxels.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* LANES: sums of a mean, one for each thread of a warp. */
enum { BI_VOXELS_DIM = 3, BI_VOXELS_LANES = 32 };

#define BI_VOXELS_NONE UINT32_MAX

/* Rows of the caller's arrays. */
struct bi_voxels_rows {
    const void *data;
    int64_t n, stride;
    int32_t width;
    bosc_dtype dtype;
};

/* Voxels with coordinates in [first, end); keys number those from low[c] to low[c] + side[c] - 1. */
struct bi_voxels_box {
    double cell[BI_VOXELS_DIM], corner[BI_VOXELS_DIM];
    double first[BI_VOXELS_DIM], end[BI_VOXELS_DIM]; /* integers */
    int64_t low[BI_VOXELS_DIM];
    uint64_t side[BI_VOXELS_DIM];
    int32_t dim;
};

/* The part of a voxelisation that steps read. */
struct bi_voxels_view {
    struct bi_voxels_box box;
    const uint32_t *rows;         /* (n) by (key, row) */
    const uint32_t *inverse;      /* (n) voxel of each row, or none */
    const void *keys;             /* (segments) ascending: uint64_t if keys_64bit, else uint32_t */
    const uint32_t *heads;        /* (segments + 1) first position of each in `rows` */
    const uint32_t *ids;          /* (segments) voxel of each, or none where max_voxels drops it */
    const uint32_t *segments;     /* (voxels) segment of each */
    const int64_t *voxel_offsets; /* (cloud_count + 1) */
    const uint32_t *segment_count;
    int64_t n, cloud_count;
    int64_t voxel_count; /* -1: not known on the host */
    int64_t max_points;  /* INT64_MAX: any number */
    bool keys_64bit;
};

struct bosc_voxels {
    struct bi_memory memory, host;
    bosc_voxels_opts opts; /* every field set */
    struct bi_voxels_view view;
    struct bi_block rows, inverse, keys, heads, ids, segments, voxel_offsets, segment_count;
};

struct bi_voxels_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of voxelisations that each backend gives. */
struct bi_voxels_ops {
    const struct bi_voxels_steps *steps;

    /* Fused operations; NULL where steps serve. Arguments as those of the steps of the same names. */
    bosc_status (*mean)(bosc_ctx *ctx, int64_t n, const void *args);
    bosc_status (*nearest)(bosc_ctx *ctx, int64_t n, const void *args);
};

#ifdef __cplusplus
}
#endif
#endif
