/* The monotonic clock, in seconds. */
#ifndef BI_BASE_CLOCK_H
#define BI_BASE_CLOCK_H

#include <time.h>

static inline double bi_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
