/* Cases of several ranks: each is a thread with a context and an end of a communicator of its own. */
#ifndef TESTS_SUPPORT_RANKS_H
#define TESTS_SUPPORT_RANKS_H

#include "support/suite.h"

struct rank {
    bosc_ctx *ctx;   /* like that of the case, with fewer threads */
    bosc_comm *comm; /* freed, if it is still set, when the function returns or a check fails */
    int32_t rank, rank_count;
    void *user;
};

typedef void (*rank_fn)(struct rank *r);

/* Runs `function` on each of so many ranks at once; checks in it end its rank, and then the case. The communicator has
 * `timeout` seconds; 0: so many that only a mistake takes longer. Ranks on CUDA take the machine's devices in turn.
 * With RANKS_BY_NCCL=LIBRARY in the environment they are joined by NCCL, and nothing is run where it has too few
 * devices. */
void ranks_run(bosc_ctx *like, int32_t rank_count, double timeout, rank_fn function, void *user);

/* The i-th number of ranks that a trial is made with, 0 behind the last: two of 1, 2, 3, 4 and 8, in turn; all of them
 * where ranks are processes, which are as many as they are. */
int32_t ranks_count(uint64_t trial, int i);
#define EACH_RANK_COUNT(trial, count) for (int32_t i_ = 0, count; (count = ranks_count(trial, i_)) > 0; i_++)

/* A library of NCCL for the devices here: that of RANKS_BY_NCCL, or what stands in for it; NULL: none. */
const char *ranks_nccl(void);

/* Whether the ranks are threads, so that `user` is the same for all of them and can be written to. */
bool ranks_share_memory(void);

/* Whether a rank that leaves is noticed at once, and not when the time is over. */
bool ranks_notice_leaving(bosc_ctx *like);

/* The slice of rank r where n items are dealt to all: [*begin, *end). Slices differ in length, and some are empty, by
 * `seed`; 0: they are about equal. */
void ranks_slice(const struct rank *r, uint64_t seed, int64_t n, int64_t *begin, int64_t *end);

/* The call failed with `expected` on all ranks, and rank 1 is to blame: its message begins with the argument, those of
 * the others with the rank and the argument. */
void ranks_check_blame(const struct rank *r, bosc_status status, bosc_status expected, const char *argument);

#endif
