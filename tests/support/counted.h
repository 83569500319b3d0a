/* A context whose allocations are counted, on the host and on a device. */
#ifndef TESTS_SUPPORT_COUNTED_H
#define TESTS_SUPPORT_COUNTED_H

#include "support/suite.h"

struct counted {
    bosc_ctx *like, *ctx; /* like: gives the device's memory, and outlives the other */
    int64_t allocations, live;
};

/* A context like another one; threads: 0 for as many as that has. */
void counted_open(struct counted *c, bosc_ctx *like, int32_t threads);
/* Frees the context; all that it allocated must have been released. */
void counted_close(struct counted *c);

/* The bytes of scratch that a context holds. */
int64_t counted_scratch(const bosc_ctx *ctx);
/* Gives the context this much scratch, in one piece, and nothing else; returns what it holds. */
int64_t counted_take_scratch(bosc_ctx *ctx, int64_t bytes);

#endif
