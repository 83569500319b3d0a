/* A context with counted allocations, on the host and on a device. */
#ifndef TESTS_SUPPORT_COUNTED_H
#define TESTS_SUPPORT_COUNTED_H

#include "support/suite.h"

struct counted {
    bosc_ctx *like, *ctx; /* like: allocates the device's memory, and outlives the other */
    int64_t allocations, live;
};

/* Opens a context like another one; threads: 0: as many as that has. */
void counted_open(struct counted *c, bosc_ctx *like, int32_t threads);
/* Frees the context; every allocation must have been released. */
void counted_close(struct counted *c);

/* Returns the bytes of scratch that a context holds. */
int64_t counted_scratch(const bosc_ctx *ctx);
/* Replaces the context's scratch by one block of this size; returns the bytes that it then holds. */
int64_t counted_take_scratch(bosc_ctx *ctx, int64_t bytes);

#endif
