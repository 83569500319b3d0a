/* Functions that the drivers of motion planning share. */
#ifndef BI_PLAN_DRIVERS_H
#define BI_PLAN_DRIVERS_H

#include "plan/handle.h"
#include "plan/steps/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BI_PLAN_STEP(ctx, name, n, args) ((ctx)->ops->plan->steps->name((ctx), (n), (args)))

/* Workers with memory of their own, for exact signs and for touching features. More: more threads of a device are busy,
 * more scratch. Not measured. */
enum { BI_PLAN_WORKERS = 4096, BI_PLAN_TOUCH_WORKERS = 256 };

/* Computes exact signs at n rotations in backend memory. The caller releases the scratch.
 * zeros: (n + 1) 1 for rotations where a sign is 0; the last element: 1 if there is one; may be NULL.
 * name: of the array, for the message about a row out of range; NULL: rows are not checked, and the call does not
 * wait. */
bosc_status bi_plan_evaluate_signs(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n,
                                   int64_t stride, uint64_t *vectors, uint32_t *zeros, const char *name);

/* Number of sampled rows, and of witnessed crossings among them; the next circle or uniform rotation. */
struct bi_plan_sampled {
    int64_t rows, witnessed, last;
};

/* Samples into backend arrays, as bosc_plan_sample, with defaults in opts.
 * vectors: not NULL. next: of id_bits, may be NULL; row numbers start at `base`. */
bosc_status bi_plan_sample_rows(bosc_ctx *ctx, const bosc_plan *plan, const bosc_plan_sample_opts *opts,
                                int64_t capacity, double *rotations, uint64_t *vectors, void *next, int32_t id_bits,
                                int64_t base, struct bi_plan_sampled *sampled);

bosc_status bi_plan_check_sampling(bosc_ctx *ctx, bosc_plan_sampling sampling);

#ifdef __cplusplus
}
#endif
#endif
