/* The configurations that cases run on. */
#ifndef TESTS_SUPPORT_CONFIGURATIONS_H
#define TESTS_SUPPORT_CONFIGURATIONS_H

#include <boscage/context.h>

struct configuration {
    char name[48]; /* "cpu v3, 2 threads", "cuda" */
    bosc_ctx_opts opts;
};

/* Fills up to `room` configurations of this build and machine; returns their number. */
int configurations(struct configuration *list, int room);

#endif
