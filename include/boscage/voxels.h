/* boscage/voxels.h - voxelisation of point clouds: ids, members, means, padded voxels, kernel maps of convolutions.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_voxels_build, _mean
 *
 * A voxelisation maps each row of a batch of clouds to a voxel of its cloud: coordinate c of the voxel is
 * floor((x[c] - low[c]) / cell[c]), computed in float for F32 and else in double, as detectors and sparse convolutions
 * do. Rows with a NaN or an infinity, or outside `shape`, are in no voxel. Voxels of a cloud are numbered in the order
 * of their first rows, those of cloud 0 first; so voxels of a batch are a batch again, of integer coordinates: built
 * with cell {2, 2, 2}, it gives the voxels of a strided convolution.
 *
 * Limits keep the first rows and voxels: with max_voxels, later voxels of a cloud are dropped, and their rows are in no
 * voxel; with max_points, later rows of a voxel keep its id, and count in no number, list, mean or gradient of it.
 * These are the rules of mmdet3d's hard voxelisation.
 *
 * Sums are in double: the rows of a voxel ascend; row k of them is added to sum k mod 32, and the 32 sums are added in
 * order. So means have the same bits on every backend.
 *
 * Calls of device arrays queue where they say so, and can be recorded into CUDA graphs.
 * Sources: Zhou, Tuzel, VoxelNet (CVPR 2018), for limits; Choy et al., 4D Spatio-Temporal ConvNets (CVPR 2019), and
 *     Graham et al., Submanifold Sparse Convolutional Networks (CVPR 2018), for kernel maps. */
#ifndef BOSCAGE_VOXELS_H
#define BOSCAGE_VOXELS_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A voxelisation in the memory of one backend and device. Any number of contexts of that device may query it at once,
 * while none rebuilds it. It may outlive the context that made it. It does not hold the points. */
typedef struct bosc_voxels bosc_voxels;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_voxels_opts {
    size_t size;
    bosc_dtype dtype;     /* type of the coordinates: F32 (default), F64 or I32 */
    int32_t dim;          /* number of coordinates, 1 to 3; required */
    double cell[3];       /* edges of a voxel, finite and more than 0; required */
    double low[3];        /* the corner of voxel 0, finite */
    int64_t shape[3];     /* voxels along each coordinate, up to 2^31; all 0: any, also negative ones */
    int64_t max_points;   /* rows of a voxel that count; 0: all */
    int64_t max_voxels;   /* voxels of a cloud; 0: all */
    int32_t id_bits;      /* ids in the caller's arrays: 64 (int64_t, default; none: -1), 32 (uint32_t; UINT32_MAX) */
    int32_t assume_valid; /* not 0: offsets are valid; skips the check */
} bosc_voxels_opts;

/* Makes a voxelisation without points.
 * opts: required, as dim and cell have no default.
 * voxels: set on success. */
BOSC_API bosc_status bosc_voxels_create(bosc_ctx *ctx, const bosc_voxels_opts *opts, bosc_voxels **voxels);

/* Frees the voxelisation once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_voxels_free(bosc_voxels *voxels);

/* Reserves memory so that builds of up to n points in cloud_count clouds allocate nothing.
 * The voxelisation keeps its voxels.
 * Cost: copies its arrays if they grow.
 * Waits. */
BOSC_API bosc_status bosc_voxels_reserve(bosc_ctx *ctx, bosc_voxels *voxels, int64_t n, int64_t cloud_count);

/* Computes the backend memory, in bytes, of a build of n points in cloud_count clouds. Needs no device.
 * kept: held by the voxelisation, at most; may be NULL.
 * scratch: of the context while building; may be NULL. */
BOSC_API bosc_status bosc_voxels_bytes(bosc_ctx *ctx, const bosc_voxels_opts *opts, int64_t n, int64_t cloud_count,
                                       int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the voxelisation from n points.
 * points (n x dim): rows `stride` elements apart (0: dim). n < 2^32 - 1.
 * offsets (cloud_count + 1): ascending from 0 to n; cloud c has the rows offsets[c] to offsets[c + 1] - 1. NULL: one
 *     cloud of all rows; cloud_count is 1 then.
 * Errors: BOSC_ERR_ARG with the cloud for offsets, unless assume_valid. BOSC_ERR_LIMIT if the box of the occupied
 *     voxels holds 2^63 or more, times cloud_count, with the rows farthest apart; without `shape` also with a
 *     finite row that is 2^31 voxels or more from low. On these the voxelisation is unchanged; on any other failure it
 *     is empty.
 * Cost: O(n) work: a radix sort of the rows by voxel. bosc_voxels_bytes gives the memory. A second build of the same or
 *     a smaller size allocates nothing.
 * Queues if assume_valid and a `shape` of less than 2^63 voxels, times cloud_count, are set. */
BOSC_API bosc_status bosc_voxels_build(bosc_ctx *ctx, bosc_voxels *voxels, const void *points, int64_t n,
                                       int64_t stride, const int64_t *offsets, int64_t cloud_count);

typedef struct bosc_voxels_info {
    size_t size;
    int64_t n, cloud_count;
    int64_t voxel_count; /* -1: a queued build; bosc_voxels_count waits for the number */
    int64_t voxel_limit; /* upper bound of voxel_count: the lesser of n and cloud_count x max_voxels */
    int32_t dim;
    bosc_dtype dtype;
    int32_t id_bits;
    int64_t bytes; /* backend memory held by the voxelisation */
} bosc_voxels_info;

/* Describes the voxelisation. Set `size`. */
BOSC_API bosc_status bosc_voxels_get_info(bosc_ctx *ctx, const bosc_voxels *voxels, bosc_voxels_info *info);

/* Counts the voxels.
 * count: host.
 * Waits after a queued build. */
BOSC_API bosc_status bosc_voxels_count(bosc_ctx *ctx, const bosc_voxels *voxels, int64_t *count);

/* In all calls below `capacity` is the number of voxels that the arrays hold: BOSC_ERR_SPACE if it is less than the
 * number v of voxels. Rows beyond v are not written. After a queued build a call waits for v, unless capacity is at
 * least the voxel_limit of bosc_voxels_info. */

/* Lists the voxels.
 * coords (v x dim): their coordinates; may be NULL.
 * counts (v): numbers of rows, at most max_points; may be NULL.
 * firsts (v): of id_bits, the first row of each; may be NULL.
 * offsets (cloud_count + 1): the first voxel of each cloud, then v; may be NULL.
 * Cost: O(v) work.
 * Queues. */
BOSC_API bosc_status bosc_voxels_list(bosc_ctx *ctx, const bosc_voxels *voxels, int32_t *coords, int64_t *counts,
                                      void *firsts, int64_t *offsets, int64_t capacity);

/* Copies the voxel of each row, or none.
 * ids (n): of id_bits.
 * Cost: O(n) work.
 * Queues. */
BOSC_API bosc_status bosc_voxels_inverse(bosc_ctx *ctx, const bosc_voxels *voxels, void *ids);

/* Lists the rows of each voxel as CSR rows.
 * offsets (capacity + 1): row ids of voxel i are ids[offsets[i]] to ids[offsets[i + 1] - 1]; offsets beyond v are equal
 *     to offset v.
 * ids (n): of id_bits, ascending in each voxel; at most max_points of each.
 * Cost: O(n) work.
 * Queues. */
BOSC_API bosc_status bosc_voxels_members(bosc_ctx *ctx, const bosc_voxels *voxels, int64_t *offsets, void *ids,
                                         int64_t capacity);

/* Computes the mean of the features of each voxel's rows.
 * dtype: F32 or F64, of features and means.
 * features (n x width): rows `stride` elements apart (0: width). The points of the build are features too.
 * means (v x width): rounded once, from the quotient in double.
 * Cost: O(n width) work.
 * Queues. */
BOSC_API bosc_status bosc_voxels_mean(bosc_ctx *ctx, const bosc_voxels *voxels, bosc_dtype dtype, const void *features,
                                      int64_t width, int64_t stride, void *means, int64_t capacity);

/* Computes the gradients of features from those of their means: the mean's divided by the count of its voxel, and 0 for
 * rows that count in none.
 * dtype: F32 or F64.
 * of_means (v x width).
 * of_features (n x width): the result.
 * Cost: O(n width) work.
 * Queues. */
BOSC_API bosc_status bosc_voxels_mean_gradient(bosc_ctx *ctx, const bosc_voxels *voxels, bosc_dtype dtype,
                                               const void *of_means, int64_t width, void *of_features,
                                               int64_t capacity);

/* Finds the row of each voxel that is nearest to its centre, by (squared distance in double, row).
 * points, stride: those of the build.
 * ids (v): of id_bits.
 * Cost: O(n) work.
 * Queues. */
BOSC_API bosc_status bosc_voxels_nearest(bosc_ctx *ctx, const bosc_voxels *voxels, const void *points, int64_t stride,
                                         void *ids, int64_t capacity);

/* Copies the features of the first `rows` rows of each voxel, with zeros for missing ones.
 * dtype: F32, F64, I32 or I64.
 * features (n x width): rows `stride` elements apart (0: width).
 * rows: at least 1.
 * padded (v x rows x width): the result.
 * Cost: O(v rows width) work.
 * Queues. */
BOSC_API bosc_status bosc_voxels_pad(bosc_ctx *ctx, const bosc_voxels *voxels, bosc_dtype dtype, const void *features,
                                     int64_t width, int64_t stride, int64_t rows, void *padded, int64_t capacity);

/* The geometry of a convolution. Set `size`; zeros mean the defaults. */
typedef struct bosc_voxels_kernel {
    size_t size;
    int32_t shape[3];  /* offsets along each coordinate, 1 to 15; 0: 3. Odd s: -(s / 2) to s / 2; even s: 0 to s - 1 */
    int32_t stride[3]; /* coordinates of `out` are multiplied by it, 1 to 2^20; 0: 1 */
    int32_t dilation[3]; /* offsets are multiplied by it, 1 to 2^20; 0: 1 */
} bosc_voxels_kernel;

/* Finds the voxel of `in` at each offset of a kernel from each voxel of `out`: the one of the same cloud with the
 * coordinates out * stride + offset * dilation. A submanifold convolution has the same voxelisation twice.
 * in, out: of equal dim and cloud_count.
 * kernel: may be NULL: all defaults.
 * map (v of out x volume): of id_bits of `in`, or none. The volume is the product of the shape; offsets ascend, and
 *     that of the last coordinate runs fastest.
 * capacity: voxels of `out` that the map holds.
 * Cost: a binary search for each line of the kernel along the last coordinate.
 * Queues. */
BOSC_API bosc_status bosc_voxels_kernel_map(bosc_ctx *ctx, const bosc_voxels *in, const bosc_voxels *out,
                                            const bosc_voxels_kernel *kernel, void *map, int64_t capacity);

BOSC_END_DECLS
#endif
