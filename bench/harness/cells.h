/* What the benchmarks of vectors share: a context, the vectors on its backend, options, and what goes wrong. */
#ifndef BENCH_CELLS_BENCH_H
#define BENCH_CELLS_BENCH_H

#include <inttypes.h>
#include <string.h>

#include <boscage/boscage.h>

#include "harness/scene.h"
#include "harness/timing.h"

struct cells_bench {
    bosc_ctx *ctx;
    uint64_t *rows; /* the backend's */
    int64_t n, words;
    int32_t length, threads, repeats;
    bosc_backend backend;
};

static inline void cells_fail(bosc_ctx *ctx, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ctx ? bosc_message(ctx) : "no context");
    exit(1);
}

#define CELLS_DO(ctx, call)                              \
    do {                                                 \
        if ((call) != BOSC_OK) cells_fail((ctx), #call); \
    } while (0)

/* Takes -n, -l, -t, -r or -b with its value; false if it is another option. */
static inline bool cells_option(struct cells_bench *b, const char *option, const char *value)
{
    switch (option[0] == '-' ? option[1] : 0) {
    case 'n': b->n = (int64_t)atof(value); return true;
    case 'l': b->length = atoi(value); return true;
    case 't': b->threads = atoi(value); return true;
    case 'r': b->repeats = atoi(value); return true;
    case 'b': b->backend = strcmp(value, "cuda") == 0 ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU; return true;
    default: return false;
    }
}

/* Opens the context. One thread of the CPU is timed by its processor time, so that other programs do not count. */
static inline void cells_open(struct cells_bench *b)
{
    bosc_ctx_opts o = {.size = sizeof o, .backend = b->backend, .threads = b->threads};
    b->words = bosc_cellgraph_words(b->length, 1);
    if (b->words == 0 || b->n < 1 || b->repeats < 1) cells_fail(NULL, "bad sizes");
    if (bosc_ctx_create(&o, &b->ctx) != BOSC_OK) cells_fail(NULL, bosc_backend_reason(o.backend));
    timing_thread_time = b->backend == BOSC_BACKEND_CPU && b->threads == 1;
}

/* `count` words of the host on the backend. */
static inline uint64_t *cells_copy(const struct cells_bench *b, const uint64_t *words, int64_t count)
{
    void *to = NULL;
    if (!words) cells_fail(NULL, "out of memory");
    CELLS_DO(b->ctx, bosc_alloc(b->ctx, (size_t)count * 8, &to));
    CELLS_DO(b->ctx, bosc_copy(b->ctx, to, words, (size_t)count * 8));
    return to;
}

#endif
