/* Sweeps of faults: a call is made again and again, and each time the next thing that can fail in it does. */
#ifndef TESTS_SUPPORT_FAULTS_H
#define TESTS_SUPPORT_FAULTS_H

#include "base/fault.h"
#include "support/suite.h"

enum {
    FAULT_PATTERN = 0x77, /* what bytes of `outputs` hold before a call */
    FAULTS_OF_CALLS = BI_FAULT_ALLOC | BI_FAULT_STREAM | BI_FAULT_LAUNCH | BI_FAULT_COPY
};

struct fault_sweep {
    /* Of enum bi_fault_kind; 0: FAULTS_OF_CALLS. Builds without fault points fail host allocations only. */
    uint32_t kinds;
    /* The call. It gets a fresh context for each k; what it makes in it (handles) must be freed before it returns. */
    bosc_status (*call)(bosc_ctx *ctx, void *user);
    bosc_status other; /* a failure that is right too, with the outputs untouched: BOSC_ERR_IO where writing fails */
    void (*open)(bosc_ctx *ctx, void *user); /* before the first call of a context: makes what it needs in it, safe */
    void (*close)(void *user);               /* and frees it */
    void (*prepare)(void *user);             /* before each call: sets the outputs to a pattern; may be NULL */
    bool (*untouched)(void *user);           /* after a failed call: do the outputs hold the pattern? May be NULL */
    bool (*right)(void *user);               /* after a good call: are the outputs right? May be NULL */
    void *user;
    /* Outputs that need no functions of their own: they get a pattern before each call, hold it after a failure, and
     * equal after a good call what one gives where nothing fails. NULL: none. */
    void *outputs;
    size_t output_bytes;
    int64_t step;       /* only every so many k; 0: each */
    bool may_pass_none; /* on the CPU nothing can fail in the call; else a sweep without a k is a mistake of the case */
};

/* For each k, once and for good: the k-th passage fails; the call gives BOSC_ERR_NOMEM or `other` with its outputs
 * untouched, or BOSC_ERR_DEVICE, or succeeds with the right ones; the same context then succeeds; and nothing stays
 * allocated. Everything that can fail in a call in which nothing does is met. Contexts are like `like`. Ends the case
 * on a violation. Returns the number of k that were swept; a k may be a trial that is left out. */
int64_t fault_sweep(bosc_ctx *like, const struct fault_sweep *sweep);

/* Opens a context like `like` whose memory is counted in *live (host blocks in live[0], device blocks in live[1]). */
bosc_ctx *counted_context(bosc_ctx *like, int64_t live[2]);
/* How often a block was asked for in the last one that was opened. */
int64_t counted_allocations(void);

#endif
