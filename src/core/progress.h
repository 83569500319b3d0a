/* How far a public call is, told to the context's progress function, which may cancel it.
 *
 * Work is counted in items passed over. A driver says how many its call will pass over in all (bi_progress_set_total);
 * loops,
 * collectives and launches say what they have done (bi_progress_advance). Where nobody listens all of it costs a test.
 * A long
 * loop over items that do not depend on each other is cut into parts (struct bi_parts), between which it can end:
 *
 *     struct bi_parts p = bi_parts_of(ctx, n, 1);
 *     while (bi_next_part(ctx, &p)) ... items p.begin to p.end - 1 ...
 *     return p.status;
 *
 * Where nobody listens there is one part. Nothing that a loop computes may depend on its parts. */
#ifndef BI_CORE_PROGRESS_H
#define BI_CORE_PROGRESS_H

#include <stdbool.h>

#include <boscage/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bi_progress {
    bosc_progress_fn function; /* NULL: nobody listens */
    void *user;
    double (*clock)(void); /* seconds, never less than before */
    const char *stage;     /* the outermost public call that runs, without "bosc_" */
    int32_t depth;         /* public calls that run: those inside another one are a part of it */
    int32_t whole;         /* sections that run and must not be left half done */
    bool stop;             /* the caller wants the call to end */
    bool listens;          /* in this call: not while a stream records a graph, where nothing may wait */
    double done, expected; /* items of the call */
    double weight;         /* simple items that one of those takes as long as which now run */
    double since, grain;   /* items since the function was called, and how many before it is called again */
    double unseen;         /* items since the clock was read */
    double fraction;       /* last told; less than 0: none in this call */
    double time;           /* seconds, of the last call of the function or the first look at the clock; 0: neither */
};

/* The call will pass over about so many items; ignored in a call inside another one. */
void bi_progress_set_total(bosc_ctx *ctx, double items);

/* So many items more are done. BOSC_ERR_CANCELLED if the caller wants to stop. */
bosc_status bi_progress_advance(bosc_ctx *ctx, double items);

struct bi_parts {
    int64_t begin, end; /* the part */
    int64_t n, each;
    double weight, time;
    bosc_status status;
    bool told; /* somebody listens */
};

/* Those of bi_parts_of (core/context.h) where somebody listens. */
struct bi_parts bi_reported_parts_of(const bosc_ctx *ctx, int64_t n, double weight);

/* The next part, if there is one and the caller does not want to stop: see p->status after the last. */
bool bi_next_reported_part(bosc_ctx *ctx, struct bi_parts *p);
static inline bool bi_next_part(bosc_ctx *ctx, struct bi_parts *p)
{
    if (p->told) return bi_next_reported_part(ctx, p);
    bool next = p->end < p->n;
    p->end = p->n;
    return next;
}

#ifdef __cplusplus
}
#endif
#endif
