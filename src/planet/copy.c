/* Converts values of a raster to samples. */
#include "planet/drivers.h"

static const double MAX_SCALE = 0x1p+100; /* and of offsets; chosen */

bosc_status bi_planet_check_values(bosc_ctx *ctx, const char *name, bosc_dtype *dtype, double *scale, double offset)
{
    if (*dtype == 0) *dtype = BOSC_F32;
    if (*dtype != BOSC_F32 && *dtype != BOSC_U16 && *dtype != BOSC_I16)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: dtype %d is neither F32, U16 nor I16", name, (int)*dtype);
    if (*scale == 0) *scale = 1;
    if (!(*scale >= -MAX_SCALE && *scale <= MAX_SCALE))
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: scale %g is not in -2^100 to 2^100", name, *scale);
    if (!(offset >= -MAX_SCALE && offset <= MAX_SCALE))
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: offset %g is not in -2^100 to 2^100", name, offset);
    return BOSC_OK;
}

bosc_status bi_planet_copy_samples(bosc_ctx *ctx, struct bi_planet_copy *a, int64_t rows, int64_t *bad)
{
    *bad = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->bad, &a->bad));
    BI_TRY(ctx->backend->copy(ctx, a->bad, bad, sizeof *bad));
    BI_TRY(ctx->backend->sync(ctx));
    BI_TRY(BI_PLANET_STEP(ctx, copy, rows * a->width, a));
    return bi_read_back(ctx, bad, a->bad, sizeof *bad);
}
