#include "core/progress.h"

#include <string.h>

#include "base/threads.h"
#include "core/call.h"

/* Parts and pauses shall last some milliseconds: long beside what they cost, short for whoever waits for an answer. */
static const double SHORT = 0.01, LONG = 0.05;

/* Items of a call of which nothing is known; items between looks at the clock, which takes as long as some dozen of
 * them; and as how many a pass counts for that, since some take long for their items. */
enum { UNKNOWN = 1 << 24, LOOK = 1 << 12, PASS = 1 << 7 };

struct bi_call bi_begin(bosc_ctx *ctx, const char *function)
{
    struct bi_progress *p = &ctx->progress;
    ctx->message[0] = 0;
    ctx->threads = bi_threads_of_call(ctx->most_threads);
    if (ctx->backend->enter) ctx->backend->enter(ctx);
    if (p->depth++ == 0 && p->function) {
        p->stage = function + strlen("bosc_");
        p->listens = !ctx->backend->records || !ctx->backend->records(ctx);
        p->stop = false;
        p->weight = 1;
        p->done = p->since = p->unseen = 0;
        p->expected = UNKNOWN;
        p->grain = (double)ctx->backend->part;
        p->fraction = -1;
        p->time = 0;
    }
    return (struct bi_call){ctx};
}

/* A call that told something and did not fail ends with 1, whose answer comes too late to stop it. */
void bi_end(const struct bi_call *call)
{
    bosc_ctx *ctx = call->ctx;
    struct bi_progress *p = &ctx->progress;
    if (--p->depth > 0 || !p->listens) return;
    p->listens = false;
    if (p->fraction >= 0 && !p->stop && ctx->message[0] == 0) (void)p->function(p->user, p->stage, 1);
}

void bi_progress_set_total(bosc_ctx *ctx, double items)
{
    if (ctx->progress.depth == 1) ctx->progress.expected = items;
}

/* Ever less beyond 9 tenths, so that a wrong expectation neither reaches 1 nor stands still. */
static double fraction_of(const struct bi_progress *p)
{
    double x = p->expected > 0 ? p->done / p->expected : 1;
    if (x > 0.9) x = 1 - 0.01 / (x - 0.8);
    return x > p->fraction ? x : p->fraction;
}

/* Seconds since the function was called; the first look of a call begins to count. */
static double elapsed(struct bi_progress *p)
{
    double t = p->clock();
    if (p->time == 0) p->time = t;
    p->unseen = 0;
    return t - p->time;
}

/* The grain follows the time that items take; less than the first one would only cost. */
static void adapt(struct bi_progress *p, double seconds, double least)
{
    if (seconds < SHORT) p->grain *= 2;
    if (seconds > LONG && p->grain > least) p->grain /= 2;
}

static bosc_status tell(bosc_ctx *ctx)
{
    struct bi_progress *p = &ctx->progress;
    BI_TRY(ctx->backend->sync(ctx)); /* what a device still has to do is not done */
    double seconds = elapsed(p);
    adapt(p, seconds, (double)ctx->backend->part);
    p->time += seconds;
    p->since = 0;
    p->fraction = fraction_of(p);
    if (p->function(p->user, p->stage, p->fraction) != 0) p->stop = true;
    return BOSC_OK;
}

bosc_status bi_progress_advance(bosc_ctx *ctx, double items)
{
    struct bi_progress *p = &ctx->progress;
    if (!p->listens) return BOSC_OK;
    p->done += p->weight * items;
    p->since += p->weight * items;
    p->unseen += p->weight * items + PASS;
    if (!p->stop && (p->since >= p->grain || (p->unseen >= LOOK && elapsed(p) > 2 * SHORT))) BI_TRY(tell(ctx));
    if (!p->stop || p->whole > 0) return BOSC_OK;
    bi_await_queued(ctx);
    return bi_fail(ctx, BOSC_ERR_CANCELLED, "%s: cancelled by the caller", p->stage);
}

struct bi_parts bi_reported_parts_of(const bosc_ctx *ctx, int64_t n, double weight)
{
    struct bi_parts p = {.n = n, .weight = weight, .told = true};
    /* Something for each thread of the CPU, or for a device's. */
    int64_t least = ctx->multiprocessors ? 256 * (int64_t)ctx->multiprocessors : 4 * (int64_t)ctx->threads;
    double first = (double)ctx->backend->part, known = ctx->progress.grain / 4; /* by what the call has done so far */
    double each = (known > first ? known : first) / (weight * ctx->progress.weight);
    p.each = each < (double)n ? (int64_t)each : n; /* of items that weigh nothing all */
    if (p.each < least) p.each = least;
    return p;
}

/* The next part is longer or shorter as the last one took. */
static void resize(const bosc_ctx *ctx, struct bi_parts *p)
{
    double t = ctx->progress.clock(), seconds = t - p->time;
    if (p->end > 0 && seconds < SHORT) p->each *= 4;
    if (p->end > 0 && seconds > LONG && p->each > 1) p->each /= 2;
    p->time = t;
}

bool bi_next_reported_part(bosc_ctx *ctx, struct bi_parts *p)
{
    if (p->end > 0) p->status = bi_progress_advance(ctx, (double)(p->end - p->begin) * p->weight);
    if (p->status != BOSC_OK || p->end >= p->n) return false;
    p->begin = p->end;
    /* Of one that is all nobody asks how long it takes. */
    if (p->end > 0 || p->n > p->each + p->each / 2) resize(ctx, p);
    p->end = p->n - p->begin > p->each + p->each / 2 ? p->begin + p->each : p->n; /* no small rest */
    return true;
}
