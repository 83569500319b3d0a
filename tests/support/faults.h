/* Sweeps of faults: a call is repeated, with a fault at each of its fault points in turn. */
#ifndef TESTS_SUPPORT_FAULTS_H
#define TESTS_SUPPORT_FAULTS_H

#include "base/fault.h"
#include "support/suite.h"

enum {
    FAULT_PATTERN = 0x77, /* bytes of `outputs` before a call */
    FAULTS_OF_CALLS = BI_FAULT_ALLOC | BI_FAULT_STREAM | BI_FAULT_LAUNCH | BI_FAULT_COPY
};

struct fault_sweep {
    /* Of enum bi_fault_kind; 0: FAULTS_OF_CALLS. Builds without fault points fail host allocations only. */
    uint32_t kinds;
    /* The call, with a fresh context for each k. Handles that it creates must be freed before it returns. */
    bosc_status (*call)(bosc_ctx *ctx, void *user);
    bosc_status other; /* a further allowed failure, with unchanged outputs: BOSC_ERR_IO if writing fails */
    void (*open)(bosc_ctx *ctx, void *user); /* before the first call of a context, without faults: creates handles */
    void (*close)(void *user);               /* frees them */
    void (*prepare)(void *user);             /* before each call: sets the outputs to a pattern; may be NULL */
    bool (*untouched)(void *user); /* after a failed call: true if the outputs hold the pattern; may be NULL */
    bool (*right)(void *user);     /* after a success: true if the outputs are correct; may be NULL */
    void *user;
    /* Outputs as plain bytes: they hold a pattern before each call and after a failure, and after a success equal
     * the outputs of a call without faults. NULL: none. */
    void *outputs;
    size_t output_bytes;
    int64_t step;       /* distance between two k; 0: 1 */
    bool may_pass_none; /* the call may have no fault point on the CPU; else that is an error of the case */
};

/* For each k, lets the k-th passage through a fault point fail, once or from then on. The call must return
 * BOSC_ERR_NOMEM or `other` with unchanged outputs, or BOSC_ERR_DEVICE, or succeed with correct outputs. The same
 * context must then succeed, and no memory may stay allocated. The sweep covers every passage of a call without
 * faults. Contexts are like `like`. Ends the case on a violation. Returns the number of k; some may be skipped
 * (suite_leaves_out). */
int64_t fault_sweep(bosc_ctx *like, const struct fault_sweep *sweep);

/* Opens a context like `like` that counts its live blocks: live[0] on the host, live[1] on the device. */
bosc_ctx *counted_context(bosc_ctx *like, int64_t live[2]);
/* Returns the number of allocations in the context opened last. */
int64_t counted_allocations(void);

#endif
