/* Cases over several ranks: each is a thread with its own context and end of the communicator. */
#ifndef TESTS_SUPPORT_RANKS_H
#define TESTS_SUPPORT_RANKS_H

#include "support/suite.h"

struct rank {
    bosc_ctx *ctx;   /* like that of the case, with fewer threads */
    bosc_comm *comm; /* freed when the function returns or a check fails; may be set to NULL */
    int32_t rank, rank_count;
    void *user;
};

typedef void (*rank_fn)(struct rank *r);

/* Runs `function` on all ranks in parallel. A failed check ends its rank, and then the case. timeout: of the
 * communicator, in seconds; 0: long. Ranks on CUDA use the machine's devices in turn. With RANKS_BY_NCCL=LIBRARY in
 * the environment NCCL connects them, and nothing runs if there are too few devices. */
void ranks_run(bosc_ctx *like, int32_t rank_count, double timeout, rank_fn function, void *user);

/* Returns the i-th number of ranks of a trial, 0 behind the last: two of 1, 2, 3, 4 and 8, in turn. Where ranks are
 * processes, their number is fixed. */
int32_t ranks_count(uint64_t trial, int i);
#define EACH_RANK_COUNT(trial, count) for (int32_t i_ = 0, count; (count = ranks_count(trial, i_)) > 0; i_++)

/* Returns the NCCL library for the devices: that of RANKS_BY_NCCL, or the stand-in; NULL: none. */
const char *ranks_nccl(void);

/* True if ranks are threads, which share `user` and may write to it. */
bool ranks_share_memory(void);

/* True if the other ranks notice at once that a rank leaves; else only after the timeout. */
bool ranks_notice_leaving(bosc_ctx *like);

/* Sets the slice [*begin, *end) of n items for rank r. seed: slices have random lengths, some empty; 0: about equal. */
void ranks_slice(const struct rank *r, uint64_t seed, int64_t n, int64_t *begin, int64_t *end);

/* Checks the message of a call that failed because of rank `culprit`: that rank's begins with the argument, those of
 * the others with "rank", its number and the argument. */
void ranks_check_message(const struct rank *r, int32_t culprit, const char *argument);

/* Checks that the call failed with `expected` on all ranks, because of rank 1. */
void ranks_check_blame(const struct rank *r, bosc_status status, bosc_status expected, const char *argument);

#endif
