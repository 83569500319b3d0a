/* Options that benchmarks of points have in common: -n of them, -t threads, -r repeats, -b backend. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/calls.h"

struct bench_options {
    bosc_ctx_opts ctx;
    int64_t n;
    int repeats;
};

/* Takes what the command line gives; anything else ends the program with how it is used. */
static inline void bench_options_take(struct bench_options *o, int argc, char **argv, const char *what)
{
    o->ctx.size = sizeof o->ctx;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        switch (argv[i][0] == '-' && *value ? argv[i][1] : 0) {
        case 'n': o->n = (int64_t)atof(value); break;
        case 't': o->ctx.threads = atoi(value); break;
        case 'r': o->repeats = atoi(value); break;
        case 'b': o->ctx.backend = strcmp(value, "cuda") == 0 ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU; break;
        default: fprintf(stderr, "usage: %s [-n %s] [-t threads] [-r repeats] [-b cpu|cuda]\n", argv[0], what); exit(2);
        }
    }
}

#endif
