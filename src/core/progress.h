/* Progress of a public call, reported to the context's progress function, which may cancel the call.
 *
 * Work is counted in items. A driver sets the expected total of its call (bi_progress_set_total); loops, collectives
 * and launches add the items that they have processed (bi_progress_advance). Without a progress function each costs a
 * test. A long loop over independent items is cut into batches (struct bi_batches), between which it can stop:
 *
 *     struct bi_batches p = bi_batches_of(ctx, n, 1);
 *     while (bi_next_batch(ctx, &p)) ... items p.begin to p.end - 1 ...
 *     return p.status;
 *
 * Without a progress function there is one batch. No result may depend on the batches. */
#ifndef BI_CORE_PROGRESS_H
#define BI_CORE_PROGRESS_H

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the approximate number of items that the call will process; ignored in a call inside another one. */
void bi_progress_set_total(bosc_ctx *ctx, double items);

/* Counts further items as done. BOSC_ERR_CANCELLED if the caller cancels. */
bosc_status bi_progress_advance(bosc_ctx *ctx, double items);

/* An iterator over the batches of a loop. */
struct bi_batches {
    int64_t begin, end; /* the current batch */
    int64_t n, each;    /* items of the loop, and of the next batch */
    double weight, time;
    bosc_status status;
    bool is_reported; /* there is a progress function */
};

/* As bi_batches_of, with a progress function. */
struct bi_batches bi_reported_batches_of(const bosc_ctx *ctx, int64_t n, double weight);

/* The batches of n items, each as costly as `weight` simple ones. */
static inline struct bi_batches bi_batches_of(const bosc_ctx *ctx, int64_t n, double weight)
{
    const struct bi_batches all = {0, 0, n, n, weight, 0, BOSC_OK, false};
    return ctx->progress.active ? bi_reported_batches_of(ctx, n, weight) : all;
}

/* Advances to the next batch. False after the last one, or once the caller cancels: p->status says which. */
bool bi_next_reported_batch(bosc_ctx *ctx, struct bi_batches *p);
static inline bool bi_next_batch(bosc_ctx *ctx, struct bi_batches *p)
{
    if (p->is_reported) return bi_next_reported_batch(ctx, p);
    bool next = p->end < p->n;
    p->end = p->n;
    return next;
}

#ifdef __cplusplus
}
#endif
#endif
