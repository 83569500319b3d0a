/* Calls that a benchmark cannot do without: what fails ends the program, with the reason. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stdio.h>
#include <stdlib.h>

#include <boscage/context.h>

static inline void fail(bosc_ctx *ctx, const char *what)
{
    fprintf(stderr, "benchmark: %s: %s\n", what, ctx ? bosc_message(ctx) : "no context");
    exit(1);
}

/* A call on b->ctx. */
#define DO(b, call)                                   \
    do {                                              \
        if ((call) != BOSC_OK) fail((b)->ctx, #call); \
    } while (0)

static inline void *host(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) fail(NULL, "out of memory");
    return p;
}

#endif
