/* Powers of two that bring coordinates to where squares of their differences are in range. */
#include "cluster/scale.h"

#include <math.h>

#include "cluster/steps/steps.h"

enum {
    BIAS = 1023,
    LEAST_ORDINARY = BIAS - 400,  /* squares of differences of one unit in the last place are 2^-904 or more */
    LARGEST_ORDINARY = BIAS + 500 /* squares of distances in 1,024 dimensions are below 2^1023 */
};

void bi_cluster_split_power(int exponent, double factor[2])
{
    factor[0] = ldexp(1, exponent / 2);
    factor[1] = ldexp(1, exponent - exponent / 2);
}

bosc_status bi_cluster_find_exponents(bosc_ctx *ctx, int64_t n, struct bi_hdbscan_rows *rows, uint32_t exponents[2])
{
    const uint32_t none[2] = {0, UINT32_MAX};
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *rows->exponents, &rows->exponents));
    BI_TRY(ctx->backend->copy(ctx, rows->exponents, none, sizeof none));
    BI_TRY(ctx->ops->cluster->steps->hdbscan_find_exponents(ctx, n, rows));
    return bi_read_back(ctx, exponents, rows->exponents, sizeof none);
}

bosc_status bi_cluster_make_ordinary(bosc_ctx *ctx, int64_t n, int32_t dim, double *x, double factor[2])
{
    struct bi_hdbscan_rows rows = {.data = x, .stride = dim, .dtype = BOSC_F64, .dim = dim, .to = x};
    uint32_t exponents[2];
    bi_cluster_split_power(0, factor);
    BI_TRY(bi_cluster_find_exponents(ctx, n, &rows, exponents));
    if (exponents[1] == UINT32_MAX) return BOSC_OK; /* all are 0 */
    if (exponents[0] >= LEAST_ORDINARY && exponents[0] <= LARGEST_ORDINARY) return BOSC_OK;
    bi_cluster_split_power(BIAS - (int)exponents[0], factor);
    rows.factor[0] = factor[0];
    rows.factor[1] = factor[1];
    return ctx->ops->cluster->steps->hdbscan_scale(ctx, n, &rows);
}
