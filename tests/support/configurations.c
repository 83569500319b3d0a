#include "support/configurations.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool ends_in(const char *suite, const char *ending)
{
    size_t length = strlen(suite), own = strlen(ending);
    return length >= own && strcmp(suite + length - own, ending) == 0;
}

/* True for suites over ranks, which are threads and make ordinary calls. */
static bool is_over_ranks(const char *suite) { return strncmp(suite, "ranks_", 6) == 0; }

/* True for suites that do not depend on the level or the threads: bad arguments, faults, saved forms, progress,
 * ranks. */
static bool is_plain(const char *suite)
{
    return is_over_ranks(suite) || ends_in(suite, "_args") || ends_in(suite, "_faults") || ends_in(suite, "_save") ||
           ends_in(suite, "progress");
}

/* True if the suite runs on the l-th level of the CPU with the t-th number of threads. */
static bool is_tested(const char *suite, int l, bool best, int t)
{
    const bool first = l == 0 && t == 0;
    (void)best;
#ifndef _OPENMP
    if (t > 0) return false;
    if (!is_plain(suite)) return l != 1;
#endif
#if defined SUITE_RACES
    if (is_over_ranks(suite)) return first; /* ranks are threads */
    return is_plain(suite) ? l == 0 && t == 1
                           : t == (l == 0 ? 2 : 1) && l != 1; /* v3 is not instrumented (bosc_compile.cmake) */
#elif defined SUITE_SLOW
    return is_plain(suite) ? first : l == 0 ? t != 1 : l == 2 && t == 2;
#else
#if defined SUITE_FEW
    if (is_over_ranks(suite)) return first;
    if (!is_plain(suite)) return l == t;
#endif
    if (is_over_ranks(suite)) return first || (best && t == 1 && !ends_in(suite, "_faults"));
    if (is_plain(suite)) return first || (best && t == 2);
    return best ? t > 0 || l == 0 : t == 0; /* one thread at lower levels, 2 and 8 at the best */
#endif
}

/* True for fault sweeps over ranks in slow builds: they test host code, which also runs on the CPU. */
static bool is_left_to_cpu(const char *suite)
{
#if defined SUITE_SLOW
    return is_over_ranks(suite) && ends_in(suite, "_faults");
#else
    (void)suite;
    return false;
#endif
}

int configurations(const char *suite, struct configuration *list, int capacity)
{
    static const bosc_cpu_level levels[] = {BOSC_CPU_V1, BOSC_CPU_V3, BOSC_CPU_V4};
    static const int threads[] = {1, 2, 8};
    int count = 0;
    for (int l = 0; l < 3; l++)
        for (int t = 0; t < 3; t++) {
            bool best = levels[l] == bosc_cpu_best_level();
            if (levels[l] > bosc_cpu_best_level() || count == capacity || !is_tested(suite, l, best, t)) continue;
            struct configuration *c = &list[count++];
            *c = (struct configuration){.opts = {.size = sizeof c->opts,
                                                 .backend = BOSC_BACKEND_CPU,
                                                 .cpu_level = levels[l],
                                                 .threads = threads[t]}};
            snprintf(c->name, sizeof c->name, "cpu v%d, %d thread%s", (int)levels[l], threads[t],
                     threads[t] > 1 ? "s" : "");
        }
    if (bosc_device_count() > 0 && count < capacity && !is_left_to_cpu(suite)) {
        struct configuration *c = &list[count++];
        *c = (struct configuration){.name = "cuda", .opts = {.size = sizeof c->opts, .backend = BOSC_BACKEND_CUDA}};
    }
    return count;
}
