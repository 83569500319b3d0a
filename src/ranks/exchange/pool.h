/* Calls that rank 0 makes for all ranks, with the threads of all: where ranks are threads of one process on CPUs, the
 * method of one context on all their data takes fewer passes than one that exchanges data. */
#ifndef BI_RANKS_EXCHANGE_POOL_H
#define BI_RANKS_EXCHANGE_POOL_H

#include "ranks/ranks.h"

struct bi_ranks_pooled_call {
    void *shared; /* this rank's: the others read it during the call. Rank 0's receives the answer */
    void **all;   /* (ranks), host: receives the pointers to what each rank shares */
    /* On rank 0: finds the answer from what all ranks share. It stays until all ranks have copied. */
    bosc_status (*answer)(bosc_ctx *ctx, void *user);
    /* On every rank: copies its share of the answer. */
    bosc_status (*copy)(bosc_ctx *ctx, void *user);
    void *user;
};

/* Sets *can_pool, alike on all ranks: true if `own` is and the ranks share memory. own: alike on all ranks; true if
 * their backends have the method. */
bosc_status bi_ranks_can_pool(bosc_ctx *ctx, bosc_comm *comm, bool own, bool *can_pool);

/* Makes a call. The answer is in scratch, which the caller releases afterwards. */
bosc_status bi_ranks_pool(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                          const struct bi_ranks_pooled_call *call);

#endif
