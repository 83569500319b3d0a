/* Calls that only queue, recorded once and replayed: as a CUDA graph on a device. On the CPU and in the emulator, which
 * record nothing, a replay makes the calls again. */
#ifndef TESTS_SUPPORT_CAPTURE_H
#define TESTS_SUPPORT_CAPTURE_H

#include "support/suite.h"

struct capture {
    bosc_ctx *ctx;
    void (*calls)(bosc_ctx *ctx, void *user);
    void *user, *graph;
};

/* Makes the calls, so that memory is there, and then records them. */
void capture_open(struct capture *c, bosc_ctx *ctx, void (*calls)(bosc_ctx *ctx, void *user), void *user);
/* Waits until all is done. */
void capture_replay(const struct capture *c);
void capture_close(struct capture *c);

#endif
