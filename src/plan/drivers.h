/* What the drivers of motion planning share. */
#ifndef BI_PLAN_DRIVERS_H
#define BI_PLAN_DRIVERS_H

#include "plan/handle.h"
#include "plan/steps/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BI_PLAN_STEP(ctx, name, n, args) ((ctx)->ops->plan->steps->name((ctx), (n), (args)))

enum { BI_PLAN_WORKERS = 4096, BI_PLAN_TOUCH_WORKERS = 256 };

/* Exact signs at n rotations in reach. Scratch is taken and left taken.
 * zeros: (n + 1, in reach) gets 1 where a sign is 0, else 0, and last whether there is any; may be NULL.
 * name: the array's, for the message about a row that is out of range; NULL: there is none, and nothing waits. */
bosc_status bi_plan_find_signs(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n, int64_t stride,
                               uint64_t *vectors, uint32_t *zeros, const char *name);

/* Stands for no row: bytes of 0x7f. */
#define BI_PLAN_NO_ROW 0x7f7f7f7f7f7f7f7fll
bosc_status bi_plan_check_bad(bosc_ctx *ctx, const char *name, const int64_t *bad);

/* Rows that were sampled; crossings among them; the circle or uniform rotation that comes next. */
struct bi_plan_sampled {
    int64_t rows, witnessed, last;
};

/* Samples into arrays in reach: as bosc_plan_sample, with options in full.
 * vectors: may not be NULL. next: of id_bits, may be NULL; numbers of rows begin with `base`. */
bosc_status bi_plan_sample_rows(bosc_ctx *ctx, const bosc_plan *plan, const bosc_plan_sample_opts *opts,
                                int64_t capacity, double *rotations, uint64_t *vectors, void *next, int32_t id_bits,
                                int64_t base, struct bi_plan_sampled *sampled);

bosc_status bi_plan_check_sampling(bosc_ctx *ctx, bosc_plan_sampling sampling);

#ifdef __cplusplus
}
#endif
#endif
