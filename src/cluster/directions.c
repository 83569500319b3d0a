/* Rows as directions, and the checks of rows under any metric. */
#include "cluster/directions.h"

#include "cluster/steps/steps.h"
#include "core/check.h"

bosc_status bi_cluster_check_shape(bosc_ctx *ctx, const struct bi_cluster_rows *r)
{
    if ((int)r->metric < BOSC_CLUSTER_MINKOWSKI || r->metric > BOSC_CLUSTER_COSINE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: metric %d is none of MINKOWSKI, HAVERSINE, COSINE", (int)r->metric);
    if (r->dtype != BOSC_F32 && r->dtype != BOSC_F64 && r->dtype != BOSC_I32 && r->dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is none of F32, F64, I32, I64", (int)r->dtype);
    if (r->dim < 1 || r->dim > 1024) return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to 1024", (int)r->dim);
    if (r->metric == BOSC_CLUSTER_HAVERSINE && r->dim != 2)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d: HAVERSINE has latitude and longitude", (int)r->dim);
    if (r->n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)r->n);
    if (r->n < (int64_t)UINT32_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; there may be less than 2^32 - 1", (long long)r->n);
}

bosc_status bi_cluster_check_rows(bosc_ctx *ctx, const struct bi_cluster_rows *r)
{
    BI_TRY(bi_cluster_check_shape(ctx, r));
    if (r->n > 0 && !r->data) return bi_fail(ctx, BOSC_ERR_ARG, "points: NULL");
    if (r->stride < 0 || (r->stride > 0 && r->stride < r->dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than dim %d", (long long)r->stride, (int)r->dim);
    if (r->n > 0 && r->stride > (INT64_MAX / 8 - r->dim) / r->n)
        return bi_fail(ctx, BOSC_ERR_ARG, "points: %lld rows of %lld elements are more than memory can hold",
                       (long long)r->n, (long long)r->stride);
    return bi_check_aligned(ctx, "points", r->data, bosc_dtype_size(r->dtype));
}

int32_t bi_cluster_direction_dim(bosc_cluster_metric metric, int32_t dim)
{
    return metric == BOSC_CLUSTER_HAVERSINE ? 3 : dim;
}

bosc_status bi_cluster_make_directions(bosc_ctx *ctx, const struct bi_cluster_rows *r, int64_t first, const double **to)
{
    const int64_t none = INT64_MAX, step = r->stride ? r->stride : r->dim;
    const size_t elements = (size_t)((r->n - 1) * step + r->dim);
    bool staged = false;
    int64_t bad;
    struct bi_cluster_directions a = {.stride = step, .dtype = r->dtype, .dim = r->dim, .metric = r->metric};
    BI_TRY(bi_stage_in(ctx, r->data, elements * bosc_dtype_size(r->dtype), &a.data, &staged));
    BI_TRY(bi_scratch_of(ctx, r->n * bi_cluster_direction_dim(r->metric, r->dim), sizeof *a.to, &a.to));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a.bad, &a.bad));
    BI_TRY(ctx->backend->copy(ctx, a.bad, &none, sizeof none));
    BI_TRY(ctx->ops->cluster->steps->directions(ctx, r->n, &a));
    BI_TRY(bi_read_back(ctx, &bad, a.bad, sizeof bad));
    *to = a.to;
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA,
                   r->metric == BOSC_CLUSTER_HAVERSINE ? "points: row %lld holds an angle that is NaN or beyond 2^20"
                                                       : "points: row %lld has no direction: it is zero, or not finite",
                   (long long)(first + bad));
}
