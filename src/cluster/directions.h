/* Rows under HAVERSINE and COSINE as directions: points of the unit sphere, in double. */
#ifndef BI_CLUSTER_DIRECTIONS_H
#define BI_CLUSTER_DIRECTIONS_H

#include "cluster/cluster.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cluster_rows {
    const void *data; /* (n x dim) */
    int64_t n, stride;
    bosc_dtype dtype;
    int32_t dim;
    bosc_cluster_metric metric;
};

/* Check the metric, type, dimension and number of rows; bi_cluster_check_rows the data and stride too. */
bosc_status bi_cluster_check_shape(bosc_ctx *ctx, const struct bi_cluster_rows *rows);
bosc_status bi_cluster_check_rows(bosc_ctx *ctx, const struct bi_cluster_rows *rows);

/* Returns the coordinates of a direction. */
int32_t bi_cluster_direction_dim(bosc_cluster_metric metric, int32_t dim);

/* *to = the directions of n > 0 rows, in scratch. first: the number of row 0, for messages. */
bosc_status bi_cluster_make_directions(bosc_ctx *ctx, const struct bi_cluster_rows *rows, int64_t first,
                                       const double **to);

#ifdef __cplusplus
}
#endif
#endif
