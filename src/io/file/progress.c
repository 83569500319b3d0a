#include "io/file/progress.h"

#include <string.h>

#include "base/clock.h"
#include "io/io.h"

static const double PAUSE = 0.05; /* seconds between calls of the function, at least */

/* The calling thread's: its function, and the outermost call of this library that runs in it. */
static _Thread_local struct listener {
    bosc_progress_fn function;
    void *user;
    double (*clock)(void);
    const char *stage;   /* the call, without "bosc_" */
    int depth, hushed;   /* calls that run, one within the other; contexts at work */
    bool listens, stops; /* in this call */
    double begin, share; /* of the phase, in the whole call */
    double items, done;  /* of the phase */
    double fraction;     /* last told; less than 0: none */
    double time;         /* of that, or of the beginning of the call */
} here;

void bosc_io_set_progress(bosc_progress_fn progress, void *user)
{
    here.function = progress;
    here.user = user;
}

void bi_io_set_clock(double (*clock)(void)) { here.clock = clock; }

static double now(void) { return here.clock ? here.clock() : bi_now(); }

struct bi_io_call bi_io_begin(const char *function)
{
    if (here.depth++ > 0) return (struct bi_io_call){true};
    here.listens = here.function != NULL;
    here.stage = function + strlen("bosc_");
    here.stops = false;
    here.hushed = 0;
    here.begin = here.share = here.items = here.done = 0;
    here.fraction = -1;
    if (here.listens) here.time = now();
    return (struct bi_io_call){true};
}

void bi_io_leave(const struct bi_io_call *call)
{
    (void)call;
    here.depth--;
}

void bi_io_phase(double share, double items)
{
    here.begin += here.share;
    here.share = share * (1 - here.begin);
    here.items = items;
    here.done = 0;
}

/* Never 1, which is told when all is well. */
static double fraction_now(void)
{
    double part = here.items > 0 ? here.done / here.items : 0;
    double x = here.begin + here.share * (part < 1 ? part : 1);
    if (x > 0.999) x = 0.999;
    return x > here.fraction ? x : here.fraction;
}

/* Nothing is told of calls of this library that the function makes. */
static void tell(double fraction)
{
    struct listener now = here;
    here = (struct listener){.clock = now.clock};
    now.fraction = fraction;
    if (now.function(now.user, now.stage, fraction) != 0) now.stops = true;
    here = now;
}

static bool look(void)
{
    if (here.stops) return false;
    double t = now();
    if (t - here.time < PAUSE) return true;
    here.time = t;
    tell(fraction_now());
    return !here.stops;
}

static bool is_heard(void) { return here.depth > 0 && here.listens && here.hushed == 0; }

bool bi_io_advance(double items)
{
    if (!is_heard()) return true;
    here.done += items;
    return look();
}

bool bi_io_reach(double items)
{
    if (!is_heard()) return true;
    if (items > here.done) here.done = items;
    return look();
}

double bi_io_done(void) { return here.done; }

bool bi_io_stops(void) { return here.depth > 0 && here.stops; }

void bi_io_hush(void) { here.hushed++; }

void bi_io_resume(void) { here.hushed--; }

bosc_status bi_io_end(bosc_status status, bosc_io_error *error)
{
    if (here.depth == 0 || !here.listens) return status;
    if (here.stops) return bi_io_fail(error, BOSC_ERR_CANCELLED, "%s: cancelled by the caller", here.stage);
    if (status == BOSC_OK && here.depth == 1 && here.fraction >= 0) {
        tell(1);
        here.stops = false; /* too late */
    }
    return status;
}
