/* Progress reports to the function of the calling thread, and cancelling by it. */
#include "io/file/progress.h"
#include "io/io.h"

#include <string.h>

#include "base/clock.h"

static const double PAUSE = 0.05; /* least seconds between calls of the function, as boscage/io.h says */

/* State of the calling thread: its progress function, and its outermost running call of this library. */
static _Thread_local struct progress {
    bosc_progress_fn function;
    void *user;
    double (*clock)(void);
    const char *stage;       /* name of the call, without "bosc_" */
    int depth, paused;       /* number of nested calls; number of pauses */
    bool enabled, cancelled; /* in this call */
    double begin, share;     /* of the phase, as fractions of the call */
    double items, done;      /* of the phase */
    double fraction;         /* last reported; negative: none */
    double time;             /* of the last report, or of the start of the call */
} state;

void bosc_io_set_progress(bosc_progress_fn progress, void *user)
{
    state.function = progress;
    state.user = user;
}

void bi_io_set_clock(double (*clock)(void)) { state.clock = clock; }

static double read_clock(void) { return state.clock ? state.clock() : bi_now(); }

struct bi_io_call bi_io_begin(const char *function)
{
    if (state.depth++ > 0) return (struct bi_io_call){true};
    state.enabled = state.function != NULL;
    state.stage = function + strlen("bosc_");
    state.cancelled = false;
    state.paused = 0;
    state.begin = state.share = state.items = state.done = 0;
    state.fraction = -1;
    if (state.enabled) state.time = read_clock();
    return (struct bi_io_call){true};
}

void bi_io_leave(const struct bi_io_call *call)
{
    (void)call;
    state.depth--;
}

void bi_io_phase(double share, double items)
{
    state.begin += state.share;
    state.share = share * (1 - state.begin);
    state.items = items;
    state.done = 0;
}

/* Returns the finished fraction of the call, below 1: bi_io_end reports 1 on success. */
static double fraction_now(void)
{
    double part = state.items > 0 ? state.done / state.items : 0;
    double x = state.begin + state.share * (part < 1 ? part : 1);
    if (x > 0.999) x = 0.999;
    return x > state.fraction ? x : state.fraction;
}

/* Calls the progress function. The state is cleared meanwhile, so calls of this library that it makes report
 * nothing. */
static void report_progress(double fraction)
{
    struct progress saved = state;
    state = (struct progress){.clock = saved.clock};
    saved.fraction = fraction;
    if (saved.function(saved.user, saved.stage, fraction) != 0) saved.cancelled = true;
    state = saved;
}

/* Reports progress if the pause is over. False if the caller cancelled. */
static bool report_if_due(void)
{
    if (state.cancelled) return false;
    double t = read_clock();
    if (t - state.time < PAUSE) return true;
    state.time = t;
    report_progress(fraction_now());
    return !state.cancelled;
}

static bool is_reporting(void) { return state.depth > 0 && state.enabled && state.paused == 0; }

bool bi_io_advance(double items)
{
    if (!is_reporting()) return true;
    state.done += items;
    return report_if_due();
}

bool bi_io_set_done(double items)
{
    if (!is_reporting()) return true;
    if (items > state.done) state.done = items;
    return report_if_due();
}

double bi_io_done(void) { return state.done; }

bool bi_io_is_cancelled(void) { return state.depth > 0 && state.cancelled; }

void bi_io_pause_progress(void) { state.paused++; }

void bi_io_resume_progress(void) { state.paused--; }

bosc_status bi_io_end(bosc_status status, bosc_io_error *error)
{
    if (state.depth == 0 || !state.enabled) return status;
    if (state.cancelled) return bi_io_fail(error, BOSC_ERR_CANCELLED, "%s: cancelled by the caller", state.stage);
    if (status == BOSC_OK && state.depth == 1 && state.fraction >= 0) {
        report_progress(1);
        state.cancelled = false; /* too late */
    }
    return status;
}
