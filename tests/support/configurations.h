/* Configurations of contexts on which cases run. */
#ifndef TESTS_SUPPORT_CONFIGURATIONS_H
#define TESTS_SUPPORT_CONFIGURATIONS_H

#include <boscage/context.h>

struct configuration {
    char name[48]; /* "cpu v3, 2 threads", "cuda" */
    bosc_ctx_opts opts;
};

/* Lists up to `capacity` configurations of this build and machine for a suite, and returns their number. Suites that
 * end in _args, _faults or _save do not depend on the level and the threads, and get only the first and the last of
 * the CPU. */
int configurations(const char *suite, struct configuration *list, int capacity);

#endif
