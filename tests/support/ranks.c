#include "support/ranks.h"

#include <boscage/nccl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"

enum { MOST_RANKS = 64, LONG = 600 }; /* LONG: seconds; only an error takes longer */

struct rank_thread {
    struct rank rank;
    bosc_ctx_opts opts;
    rank_fn function;
    bosc_nccl_opts nccl; /* for ranks connected by NCCL */
    bosc_nccl_id id;
    double timeout; /* after connecting, which takes NCCL longer than a case may wait for a lost rank */
    char failure[SUITE_FAILURE];
};

static void run_function(void *user)
{
    struct rank_thread *t = user;
    t->rank.ctx = suite_open(&t->opts);
    if (t->nccl.size) {
        CHECK_OK(t->rank.ctx,
                 bosc_comm_create_nccl(t->rank.ctx, &t->id, t->rank.rank, t->rank.rank_count, &t->nccl, &t->rank.comm));
        t->rank.comm->timeout = t->timeout;
    }
    t->function(&t->rank);
}

static void *run_rank(void *user)
{
    struct rank_thread *t = user;
    suite_try(run_function, t, t->failure); /* freeing its end tells the others by BOSC_ERR_COMM */
    bosc_comm_free(t->rank.comm);
    bosc_ctx_free(t->rank.ctx);
    return NULL;
}

/* Returns the original failure, rather than BOSC_ERR_COMM of the ranks that waited for it; NULL: none. */
static const char *failure_of(const struct rank_thread *threads, int32_t count)
{
    const char *any = NULL;
    for (int32_t r = 0; r < count; r++) {
        if (!threads[r].failure[0]) continue;
        if (!strstr(threads[r].failure, "BOSC_ERR_COMM")) return threads[r].failure;
        any = threads[r].failure;
    }
    return any;
}

bool ranks_share_memory(void) { return true; }

int32_t ranks_count(uint64_t trial, int i)
{
    static const int32_t counts[] = {1, 2, 3, 4, 8};
    return i < 2 ? counts[(2 * trial + (uint64_t)i) % 5] : 0;
}

const char *ranks_nccl(void)
{
    const char *named = getenv("RANKS_BY_NCCL");
#ifdef NCCL_THAT_works
    return named ? named : NCCL_THAT_works;
#else
    return named;
#endif
}

/* Returns the NCCL library to connect the ranks; NULL: they are connected as threads. */
static const char *nccl_of(const bosc_ctx_opts *opts)
{
    return opts->backend == BOSC_BACKEND_CUDA ? getenv("RANKS_BY_NCCL") : NULL;
}

/* True if there are enough devices: NCCL needs one per rank, the stand-in does not. */
static bool has_enough_devices(bosc_ctx *like, int32_t rank_count)
{
    const bosc_ctx_opts opts = suite_opts_like(like);
    return !nccl_of(&opts) || suite_emulated(like) || rank_count <= bosc_device_count();
}

bool ranks_notice_leaving(bosc_ctx *like)
{
    const bosc_ctx_opts opts = suite_opts_like(like);
    return !nccl_of(&opts);
}

void ranks_run(bosc_ctx *like, int32_t rank_count, double timeout, rank_fn function, void *user)
{
    static struct rank_thread threads[MOST_RANKS];
    pthread_t started[MOST_RANKS];
    bosc_comm *comms[MOST_RANKS];
    bosc_ctx_opts opts = suite_opts_like(like);
    const bosc_comm_opts comm_opts = {.size = sizeof comm_opts, .timeout = timeout ? timeout : LONG};
    CHECK(rank_count >= 1 && rank_count <= MOST_RANKS);
    if (!has_enough_devices(like, rank_count)) return;
    /* 1. Connect the ranks. */
    const bosc_nccl_opts nccl = {.size = sizeof nccl, .timeout = LONG, .library = nccl_of(&opts)};
    bosc_nccl_id id = {{0}};
    memset(comms, 0, sizeof comms);
    if (nccl.library)
        CHECK_OK(like, bosc_nccl_make_id(like, &nccl, &id));
    else
        CHECK_OK(like, bosc_comm_create_threads(like, rank_count, &comm_opts, comms));
    /* 2. Distribute them over the devices. */
    if (opts.threads > 2) opts.threads = 2;
    const int32_t devices = opts.backend == BOSC_BACKEND_CUDA ? bosc_device_count() : 1, first = opts.device;
    for (int32_t r = 0; r < rank_count; r++) {
        opts.device = (first + r) % devices;
        threads[r] = (struct rank_thread){
            .rank = {.comm = comms[r], .rank = r, .rank_count = rank_count, .user = user},
            .opts = opts,
            .function = function,
            .nccl = nccl.library ? nccl : (bosc_nccl_opts){.size = 0},
            .id = id,
            .timeout = comm_opts.timeout,
        };
    }
    /* 3. Run them, and report the first failure. */
    for (int32_t r = 0; r < rank_count; r++)
        if (pthread_create(&started[r], NULL, run_rank, &threads[r]) != 0) abort();
    for (int32_t r = 0; r < rank_count; r++) pthread_join(started[r], NULL);
    const char *failure = failure_of(threads, rank_count);
    if (failure) suite_fail(__FILE__, __LINE__, "among %d ranks: %s", (int)rank_count, failure);
}
