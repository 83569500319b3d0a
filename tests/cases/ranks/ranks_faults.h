/* Calls on several ranks. Everything that can fail fails in turn on any of them; all ranks end with one status. */
#ifndef TESTS_CASES_RANKS_RANKS_FAULTS_H
#define TESTS_CASES_RANKS_RANKS_FAULTS_H

#include <stdatomic.h>
#include <time.h>

#include "cases/ranks/ranks_data.h"
#include "support/counted.h"
#include "support/faults.h"

enum { RANKS_FAULT_COUNT = 3, RANKS_FAULT_MOST = 4 };

struct ranks_fault {
    /* The call to sweep. `state` belongs to the rank, from open to close. */
    void *(*open)(struct rank *r);
    bosc_status (*call)(struct rank *r, void *state, unsigned char *out);
    void (*close)(struct rank *r, void *state); /* ranks_fault_free if the state is one allocation */
    size_t bytes;                               /* that a call writes to out */
    int32_t rank_count;                         /* 0: RANKS_FAULT_COUNT; at most RANKS_FAULT_MOST */
    /* Shared by the ranks. */
    _Atomic int64_t arrivals;
    bosc_status statuses[RANKS_FAULT_MOST];
    bool reached, for_good;
    int64_t k, all; /* all: passages of a call in which nothing fails */
};

static inline void ranks_fault_free(struct rank *r, void *state)
{
    (void)r;
    free(state);
}

/* Waits for all ranks, without an exchange: those can fail here. */
static inline void ranks_fault_barrier(struct rank *r)
{
    struct ranks_fault *f = r->user;
    const struct timespec pause = {.tv_nsec = 20000};
    const int64_t arrival = atomic_fetch_add(&f->arrivals, 1), all = (arrival / r->rank_count + 1) * r->rank_count;
    for (int64_t tries = 0; atomic_load(&f->arrivals) < all; tries++) {
        CHECK(tries < 1000000);
        nanosleep(&pause, NULL);
    }
}

#ifdef BOSC_FAULTS
/* Returns the distance to the next k. The first and last passages of a call are swept closely; between them are rounds,
 * which repeat the same passages. */
static inline int64_t ranks_fault_step(const struct ranks_fault *f, bool slow)
{
    enum { WHOLE = 200, SWEPT = 100 };
    const int64_t few = slow ? 13 : 2, between = (f->all - 2 * WHOLE) / SWEPT | 1;
    return f->k < WHOLE || f->k >= f->all - WHOLE || between < few ? few : between;
}

/* Runs the call with passage k failing. True if the call reached that passage. */
static inline bool ranks_fault_at(struct rank *r, void *state, unsigned char *out, const unsigned char *want)
{
    struct ranks_fault *f = r->user;
    memset(out, FAULT_PATTERN, f->bytes);
    ranks_fault_barrier(r);
    if (r->rank == 0) bi_fault_arm(FAULTS_OF_CALLS, f->k, f->for_good);
    ranks_fault_barrier(r);
    f->statuses[r->rank] = f->call(r, state, out);
    ranks_fault_barrier(r);
    if (r->rank == 0) {
        f->reached = bi_fault_passages() > f->k;
        bi_fault_disarm();
    }
    ranks_fault_barrier(r);
    const bosc_status status = f->statuses[r->rank];
    CHECK_EQ(status, f->statuses[0]);
    if (status == BOSC_OK) {
        CHECK(memcmp(out, want, f->bytes) == 0);
    } else {
        CHECK(f->reached && (status == BOSC_ERR_NOMEM || status == BOSC_ERR_DEVICE));
        CHECK(bosc_ctx_message(r->ctx)[0]);
        for (size_t i = 0; i < f->bytes && status == BOSC_ERR_NOMEM; i++) CHECK(out[i] == FAULT_PATTERN);
    }
    ranks_fault_barrier(r);
    return f->reached;
}

static inline void ranks_fault_sweep_rank(struct rank *r)
{
    struct ranks_fault *f = r->user;
    struct counted *c = suite_alloc(sizeof *c); /* which a failed check leaves to the context */
    bosc_ctx *own = r->ctx;
    const bool counts = suite_opts_like(own).backend == BOSC_BACKEND_CPU; /* a device's memory has fault points twice */
    if (counts) counted_open(c, own, 0);
    if (counts) r->ctx = c->ctx;
    unsigned char *out = suite_alloc(f->bytes), *want = suite_alloc(f->bytes);
    void *state = f->open(r);
    memset(want, FAULT_PATTERN, f->bytes);
    ranks_fault_barrier(r);
    if (r->rank == 0) bi_fault_arm(FAULTS_OF_CALLS, INT64_MAX, false);
    ranks_fault_barrier(r);
    CHECK_OK(r->ctx, f->call(r, state, want));
    ranks_fault_barrier(r);
    if (r->rank == 0) {
        f->all = bi_fault_passages();
        bi_fault_disarm();
    }
    f->close(r, state); /* the call may have changed it */
    state = f->open(r);
    for (int for_good = 0; for_good < 2; for_good++) {
        bool reached = true;
        for (int64_t k = 0; reached; k += ranks_fault_step(f, suite_slow(r->ctx))) {
            ranks_fault_barrier(r);
            if (r->rank == 0) {
                while (suite_leaves_out()) k++;
                f->k = k;
                f->for_good = for_good;
            }
            reached = ranks_fault_at(r, state, out, want);
            f->close(r, state); /* a failed call may have changed it */
            state = f->open(r);
        }
    }
    memset(out, FAULT_PATTERN, f->bytes);
    CHECK_OK(r->ctx, f->call(r, state, out));
    CHECK(memcmp(out, want, f->bytes) == 0);
    f->close(r, state);
    r->ctx = own;
    if (counts) counted_close(c); /* no rank keeps memory of a call that failed on another one */
    free(c);
    free(out);
    free(want);
}

static inline void ranks_fault_sweep(bosc_ctx *ctx, struct ranks_fault *f)
{
    if (!ranks_share_memory()) return;
    atomic_store(&f->arrivals, 0);
    ranks_run(ctx, f->rank_count ? f->rank_count : RANKS_FAULT_COUNT, 0, ranks_fault_sweep_rank, f);
}
#else
static inline void ranks_fault_sweep(bosc_ctx *ctx, struct ranks_fault *f) { (void)ctx, (void)f; }
#endif

#endif
