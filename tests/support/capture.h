/* Records queued calls as a CUDA graph, on a device or in the emulator, and replays them. On the CPU a replay
 * repeats the calls. */
#ifndef TESTS_SUPPORT_CAPTURE_H
#define TESTS_SUPPORT_CAPTURE_H

#include "support/suite.h"

struct capture {
    bosc_ctx *ctx;
    void (*calls)(bosc_ctx *ctx, void *user);
    void *user, *graph;
};

/* Starts recording the context's stream; false on the CPU. */
bool capture_begin(bosc_ctx *ctx);
/* Ends the recording and returns the executable graph. */
void *capture_end(bosc_ctx *ctx);

/* Makes the calls once, so that memory is allocated, and then records them. */
void capture_open(struct capture *c, bosc_ctx *ctx, void (*calls)(bosc_ctx *ctx, void *user), void *user);
/* Replays the calls and waits for them. */
void capture_replay(const struct capture *c);
void capture_close(struct capture *c);

#endif
