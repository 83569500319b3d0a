/* How benchmarks take times and print them: a warm-up, then the median and the least of the repeats; one row a
 * measurement, as text or (BENCH_JSON) as one JSON object a line. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct timing {
    double median, least; /* seconds */
};

/* Set: the processor time of the calling thread counts, instead of the clock's. */
static bool timing_thread_time;

static inline double timing_now(void)
{
    struct timespec t;
    if (!timing_thread_time || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int timing_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Times run(user); prepare(user) (may be NULL) goes before each run and is not timed. */
static inline struct timing timing_of(void (*prepare)(void *user), void (*run)(void *user), void *user, int repeats)
{
    double times[101];
    if (repeats > 101) repeats = 101;
    for (int i = -1; i < repeats; i++) { /* -1: the warm-up */
        if (prepare) prepare(user);
        double begin = timing_now();
        run(user);
        if (i >= 0) times[i] = timing_now() - begin;
    }
    qsort(times, (size_t)repeats, sizeof times[0], timing_ascending);
    struct timing t = {times[repeats / 2], times[0]};
    return t;
}

/* One comparison: ours against a peer ("" for none), on the same input. */
struct timing_row {
    const char *name, *type, *peer;
    int64_t n;
    int threads;
    double bytes; /* that must be read and written at least */
    struct timing ours, theirs;
};

static inline void timing_head(bool json)
{
    if (!json)
        printf("%-26s %10s %4s %3s %10s %10s %7s  %-22s %10s %7s\n", "primitive", "n", "type", "thr", "median ms",
               "least ms", "GB/s", "peer", "median ms", "ratio");
}

static inline void timing_print(const struct timing_row *r, bool json)
{
    double rate = r->bytes / r->ours.median * 1e-9;
    bool peer = r->peer[0] != 0;
    if (json) {
        printf("{\"name\":\"%s\",\"n\":%lld,\"type\":\"%s\",\"threads\":%d,\"median_ms\":%.6g,\"least_ms\":%.6g,"
               "\"gb_per_s\":%.4g",
               r->name, (long long)r->n, r->type, r->threads, 1e3 * r->ours.median, 1e3 * r->ours.least, rate);
        if (peer)
            printf(",\"peer\":\"%s\",\"peer_median_ms\":%.6g,\"peer_least_ms\":%.6g", r->peer, 1e3 * r->theirs.median,
                   1e3 * r->theirs.least);
        printf("}\n");
    } else {
        printf("%-26s %10lld %4s %3d %10.4f %10.4f %7.2f  %-22s", r->name, (long long)r->n, r->type, r->threads,
               1e3 * r->ours.median, 1e3 * r->ours.least, rate, r->peer);
        if (peer) printf(" %10.4f %7.2f", 1e3 * r->theirs.median, r->theirs.median / r->ours.median);
        printf("\n");
    }
    fflush(stdout);
}

#endif
