/* Between the front door and the drivers of geometric hashing. */
#ifndef BI_GEOMETRIC_DRIVER_H
#define BI_GEOMETRIC_DRIVER_H

#include "core/check.h"
#include "geometric/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The steps on the context's backend. */
const struct bi_geo_steps *bi_geo_steps_of(const bosc_ctx *ctx);

/* Copies n points to host memory; BOSC_ERR_DATA with the row of one that is not finite, or too large. */
bosc_status bi_geo_fetch(bosc_ctx *ctx, const char *array, const double *points, int64_t n, double *copy);

bosc_status bi_geo_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n);
bosc_status bi_geo_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, int64_t *ids,
                        bosc_geometric_match *match);

/* The transform of the kind that takes model points to those scene points (none where -1) with the least squared
 * error; false if they do not fix one. */
bool bi_geo_fit(const double *model, int64_t n, const double *scene, const int64_t *ids, bool affine,
                double transform[6]);

#ifdef __cplusplus
}
#endif
#endif
