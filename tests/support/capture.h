/* Calls that only queue, recorded once and replayed: as a CUDA graph on a device and in the emulator. On the CPU, which
 * records nothing, a replay makes the calls again. */
#ifndef TESTS_SUPPORT_CAPTURE_H
#define TESTS_SUPPORT_CAPTURE_H

#include "support/suite.h"

struct capture {
    bosc_ctx *ctx;
    void (*calls)(bosc_ctx *ctx, void *user);
    void *user, *graph;
};

/* Begins to record the context's stream; false if it is none of a device. */
bool capture_begin(bosc_ctx *ctx);
/* Ends it and gives the graph: an executable one. */
void *capture_end(bosc_ctx *ctx);

/* Makes the calls, so that memory is there, and then records them. */
void capture_open(struct capture *c, bosc_ctx *ctx, void (*calls)(bosc_ctx *ctx, void *user), void *user);
/* Waits until all is done. */
void capture_replay(const struct capture *c);
void capture_close(struct capture *c);

#endif
