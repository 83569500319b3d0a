#include "core/progress.h"

#include "core/message.h"

/* Seconds between calls of the progress function: long compared with their cost, short for a person who waits.
 * SHORT is below half of LONG, so that an interval that was doubled or halved stays between them. */
static const double SHORT = 0.01, LONG = 0.05;

/* Items between readings of the clock, which costs as much as some dozens; and the items that each call of
 * bi_progress_advance counts as besides its own, since some calls have few but slow ones. */
enum { CLOCK_INTERVAL = 1 << 12, CALL_ITEMS = 1 << 7 };

void bi_progress_set_total(bosc_ctx *ctx, double items)
{
    if (ctx->progress.depth == 1) ctx->progress.expected = items;
}

/* Beyond 9 tenths the fraction grows ever more slowly, so that with a wrong total it neither reaches 1 nor stops. */
static double fraction_of(const struct bi_progress *p)
{
    double x = p->expected > 0 ? p->done / p->expected : 1;
    if (x > 0.9) x = 1 - 0.01 / (x - 0.8);
    return x > p->fraction ? x : p->fraction;
}

/* Seconds since the last call of the function, or since the first reading of the clock. */
static double elapsed(struct bi_progress *p)
{
    double t = p->clock();
    if (p->time == 0) p->time = t;
    p->unseen = 0;
    return t - p->time;
}

/* Adapts the number of items between calls to their time; never below the first one. */
static void adapt_grain(struct bi_progress *p, double seconds, double least)
{
    if (seconds < SHORT) p->grain *= 2;
    if (seconds > LONG && p->grain > least) p->grain /= 2;
}

static bosc_status report(bosc_ctx *ctx)
{
    struct bi_progress *p = &ctx->progress;
    BI_TRY(ctx->backend->sync(ctx)); /* items count as done once the device has finished them */
    double seconds = elapsed(p);
    adapt_grain(p, seconds, (double)ctx->backend->first_batch);
    p->time += seconds;
    p->since = 0;
    p->fraction = fraction_of(p);
    if (p->function(p->user, p->stage, p->fraction) != 0) p->stop = true;
    return BOSC_OK;
}

bosc_status bi_progress_advance(bosc_ctx *ctx, double items)
{
    struct bi_progress *p = &ctx->progress;
    if (!p->active) return BOSC_OK;
    p->done += p->weight * items;
    p->since += p->weight * items;
    p->unseen += p->weight * items + CALL_ITEMS;
    if (!p->stop && (p->since >= p->grain || (p->unseen >= CLOCK_INTERVAL && elapsed(p) > 2 * SHORT)))
        BI_TRY(report(ctx));
    if (!p->stop || p->whole > 0) return BOSC_OK;
    bi_await_queued(ctx);
    return bi_fail(ctx, BOSC_ERR_CANCELLED, "%s: cancelled by the caller", p->stage);
}

struct bi_batches bi_reported_batches_of(const bosc_ctx *ctx, int64_t n, double weight)
{
    struct bi_batches p = {.n = n, .weight = weight, .is_reported = true};
    /* Enough items for all threads of the CPU or of a device. */
    int64_t least = ctx->multiprocessors ? 256 * (int64_t)ctx->multiprocessors : 4 * (int64_t)ctx->threads;
    double first = (double)ctx->backend->first_batch,
           known = ctx->progress.grain / 4; /* from the speed of the call so far */
    double each = (known > first ? known : first) / (weight * ctx->progress.weight);
    p.each = each < (double)n ? (int64_t)each : n; /* items without cost: all at once */
    if (p.each < least) p.each = least;
    return p;
}

/* Adapts the size of the next batch to the time of the last one. */
static void resize_batch(const bosc_ctx *ctx, struct bi_batches *p)
{
    double t = ctx->progress.clock(), seconds = t - p->time;
    if (p->end > 0 && seconds < SHORT) p->each *= 4;
    if (p->end > 0 && seconds > LONG && p->each > 1) p->each /= 2;
    p->time = t;
}

bool bi_next_reported_batch(bosc_ctx *ctx, struct bi_batches *p)
{
    if (p->end > 0) p->status = bi_progress_advance(ctx, (double)(p->end - p->begin) * p->weight);
    if (p->status != BOSC_OK || p->end >= p->n) return false;
    p->begin = p->end;
    /* A single batch is not timed. */
    if (p->end > 0 || p->n > p->each + p->each / 2) resize_batch(ctx, p);
    p->end = p->n - p->begin > p->each + p->each / 2 ? p->begin + p->each : p->n; /* no small last batch */
    return true;
}
