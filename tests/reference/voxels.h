/* Plain voxelisation: each row is compared with all voxels so far. */
#ifndef TESTS_REFERENCE_VOXELS_H
#define TESTS_REFERENCE_VOXELS_H

#include <boscage/voxels.h>

struct reference_voxels {
    int64_t n, count;
    int64_t *at;      /* (count x 3) coordinates, 0 beyond dim */
    int64_t *cloud;   /* (count) */
    int64_t *counts;  /* (count) rows that count */
    int64_t *firsts;  /* (count) */
    int64_t *inverse; /* (n) or -1 */
    int64_t *rank;    /* (n) of the row among those of its voxel that count, or -1 */
};

/* Element `at` of an array. */
double reference_voxels_element(const void *data, bosc_dtype dtype, int64_t at);

struct reference_voxels reference_voxels_make(const bosc_voxels_opts *opts, const void *points, int64_t n,
                                              int64_t stride, const int64_t *offsets, int64_t cloud_count);
void reference_voxels_free(struct reference_voxels *v);

/* The mean of column c of a voxel's rows, before it is rounded to its type. */
double reference_voxels_mean(const struct reference_voxels *v, int64_t voxel, const void *features, bosc_dtype dtype,
                             int64_t stride, int64_t c);

/* The row nearest to a voxel's centre. */
int64_t reference_voxels_nearest(const struct reference_voxels *v, const bosc_voxels_opts *opts, int64_t voxel,
                                 const void *points, int64_t stride);

/* The voxel of a cloud with coordinates `at`, or -1. */
int64_t reference_voxels_find(const struct reference_voxels *v, int64_t cloud, const int64_t at[3]);

#endif
