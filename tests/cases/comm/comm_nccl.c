/* Communicators by NCCL: refused without the library, joined by an id, over others or of the caller's; ranks that do
 * not come or leave, and exchanges that fail. The suites of ranks use them (RANKS_BY_NCCL). */
#include <boscage/nccl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "comm/nccl.h"
#include "support/faults.h"
#include "support/ranks.h"

#ifndef NCCL_THAT_old /* where there is no emulator to stand in for devices */
#define NCCL_THAT_old NULL
#define NCCL_THAT_fails NULL
#endif

static bosc_nccl_opts opts_of(const char *library, double timeout)
{
    return (bosc_nccl_opts){.size = sizeof(bosc_nccl_opts), .timeout = timeout, .library = library};
}

static bool on_cuda(bosc_ctx *ctx) { return suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA; }

/* True if there is a library for the context's device: NCCL or its stand-in. */
static bool has_nccl(bosc_ctx *ctx) { return ranks_nccl() && on_cuda(ctx); }

/* True if that library is the stand-in, which has variants that fail. */
static bool has_stand_ins(bosc_ctx *ctx) { return NCCL_THAT_old && on_cuda(ctx); }

/* ---- arguments ---- */

static void args(bosc_ctx *ctx)
{
    /* Each bad argument is refused by its name, and no communicator is created. */
    const bosc_nccl_opts good = opts_of(ranks_nccl(), 1);
    bosc_nccl_opts odd = good;
    bosc_nccl_id id = {{0}};
    bosc_comm *comm = NULL, *self;
    int caller = 0;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &self));
    CHECK_EQ(bosc_nccl_make_id(NULL, &good, &id), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_nccl_make_id(ctx, &good, NULL), "id");
    CHECK_EQ(bosc_comm_create_nccl(NULL, &id, 0, 1, &good, &comm), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_comm_create_nccl(ctx, NULL, 0, 1, &good, &comm), "id");
    CHECK_ARG(ctx, bosc_comm_create_nccl(ctx, &id, 0, 0, &good, &comm), "rank_count");
    CHECK_ARG(ctx, bosc_comm_create_nccl(ctx, &id, -1, 2, &good, &comm), "rank");
    CHECK_ARG(ctx, bosc_comm_create_nccl(ctx, &id, 2, 2, &good, &comm), "rank");
    CHECK_ARG(ctx, bosc_comm_create_nccl(ctx, &id, 0, 1, &good, NULL), "comm");
    CHECK_EQ(bosc_comm_create_nccl_over(NULL, self, &good, &comm), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_comm_create_nccl_over(ctx, NULL, &good, &comm), "comm");
    CHECK_ARG(ctx, bosc_comm_create_nccl_over(ctx, self, &good, NULL), "comm");
    CHECK_EQ(bosc_comm_create_nccl_given(NULL, &caller, &good, &comm), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_comm_create_nccl_given(ctx, NULL, &good, &comm), "nccl_comm");
    CHECK_ARG(ctx, bosc_comm_create_nccl_given(ctx, &caller, &good, NULL), "comm");
    odd.size = 3;
    CHECK_ARG(ctx, bosc_nccl_make_id(ctx, &odd, &id), "opts");
    CHECK_ARG(ctx, bosc_comm_create_nccl(ctx, &id, 0, 1, &odd, &comm), "opts");
    odd = opts_of(ranks_nccl(), -1);
    CHECK_ARG(ctx, bosc_comm_create_nccl(ctx, &id, 0, 1, &odd, &comm), "opts");
    CHECK_ARG(ctx, bosc_comm_create_nccl_over(ctx, self, &odd, &comm), "opts");
    CHECK_ARG(ctx, bosc_comm_create_nccl_given(ctx, &caller, &odd, &comm), "opts");
    CHECK(!comm);
    bosc_comm_free(self);
}

/* ---- no NCCL ---- */

static void check_refused(bosc_ctx *ctx, const char *library, const char *why)
{
    const bosc_nccl_opts opts = opts_of(library, 1);
    bosc_nccl_id id = {{7}};
    bosc_comm *comm = NULL, *self;
    int caller = 0;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &self));
    CHECK_STATUS(ctx, bosc_nccl_make_id(ctx, &opts, &id), BOSC_ERR_BACKEND);
    CHECK(strstr(bosc_ctx_message(ctx), why));
    CHECK_EQ(id.bytes[0], 7);
    CHECK_STATUS(ctx, bosc_comm_create_nccl(ctx, &id, 0, 1, &opts, &comm), BOSC_ERR_BACKEND);
    CHECK(strstr(bosc_ctx_message(ctx), why));
    CHECK_STATUS(ctx, bosc_comm_create_nccl_over(ctx, self, &opts, &comm), BOSC_ERR_BACKEND);
    CHECK_STATUS(ctx, bosc_comm_create_nccl_given(ctx, &caller, &opts, &comm), BOSC_ERR_BACKEND);
    CHECK(strstr(bosc_ctx_message(ctx), why) && !comm);
    bosc_comm_free(self);
}

static void refused(bosc_ctx *ctx)
{
    if (!on_cuda(ctx)) {
        check_refused(ctx, NULL, "ctx: NCCL moves data of CUDA devices");
        return;
    }
    check_refused(ctx, "./no/libnccl.so.2", "library: NCCL cannot be opened: ./no/libnccl.so.2");
    check_refused(ctx, "libm.so.6", "library: libm.so.6 has no ncclGetVersion");
    if (has_stand_ins(ctx)) check_refused(ctx, NCCL_THAT_old, "is version 21305 of NCCL, older than 21400");
}

/* ---- healthy ranks ---- */

/* Gathers more than the stage holds, host memory to all, and device memory to all. */
static void check_exchanges(struct rank *r, bosc_comm *comm)
{
    enum { MANY = 700000 };
    const int32_t ranks = r->rank_count;
    bosc_comm_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, comm));
    CHECK_OK(r->ctx, bosc_comm_get_info(r->ctx, comm, &info));
    CHECK(info.rank == r->rank && info.rank_count == ranks && !info.broken);
    int32_t *sent = suite_alloc(MANY * sizeof *sent), *all = suite_alloc((size_t)ranks * MANY * sizeof *all);
    for (int i = 0; i < MANY; i++) sent[i] = i * 8 + r->rank;
    CHECK_OK(r->ctx, bi_comm_all_gather(r->ctx, comm, sent, MANY * sizeof *sent, all));
    for (int32_t s = 0; s < ranks; s++)
        for (int i = 0; i < MANY; i += 999) CHECK_EQ(all[s * MANY + i], i * 8 + s);
    for (int on_host = 0; on_host < 2; on_host++) { /* i + 1 items of rank i to each */
        int64_t sent_offsets[9], received_offsets[9] = {0};
        void *from = sent, *to = all;
        const size_t most = (size_t)(ranks * ranks + 1) * 4;
        for (int32_t s = 0; s <= ranks; s++) sent_offsets[s] = 4 * (int64_t)s * (r->rank + 1);
        for (int32_t s = 0; s < ranks; s++) received_offsets[s + 1] = received_offsets[s] + 4 * (s + 1);
        if (!on_host) CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, most, &from));
        if (!on_host) CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, most, &to));
        if (!on_host) CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, from, sent, most));
        memset(all, 0, most);
        CHECK_OK(r->ctx, bi_comm_all_to_all(r->ctx, comm, on_host, from, sent_offsets, to, received_offsets));
        if (!on_host) CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, all, to, most));
        CHECK_OK(r->ctx, bosc_ctx_sync(r->ctx));
        for (int32_t s = 0, at = 0; s < ranks; s++)
            for (int i = 0; i <= s; i++) CHECK_EQ(all[at++], (r->rank * (s + 1) + i) * 8 + s);
        if (!on_host) bosc_ctx_release(r->ctx, from, most);
        if (!on_host) bosc_ctx_release(r->ctx, to, most);
    }
    free(sent);
    free(all);
}

static void over_rank(struct rank *r)
{
    const bosc_nccl_opts opts = opts_of(ranks_nccl(), 60);
    bosc_comm *comm;
    CHECK_OK(r->ctx, bosc_comm_create_nccl_over(r->ctx, r->comm, &opts, &comm));
    check_exchanges(r, comm);
    bosc_comm_free(comm);
}

static void over(bosc_ctx *ctx)
{
    for (int32_t ranks = 1; ranks <= 8 && has_nccl(ctx); ranks *= 2) ranks_run(ctx, ranks, 0, over_rank, NULL);
}

/* Of the caller's: it is there still when the end is freed. */
static void given_rank(struct rank *r)
{
    const bosc_nccl_opts opts = opts_of(ranks_nccl(), 60);
    struct bi_nccl nccl;
    struct bi_nccl_config config = {sizeof config, (unsigned)BI_NCCL_MAGIC, BI_NCCL_MIN_VERSION, 0};
    bosc_nccl_id ids[8];
    bi_nccl_comm local_status;
    bosc_comm *comm;
    int count = 0;
    CHECK_OK(r->ctx, bi_nccl_open(r->ctx, ranks_nccl(), &nccl));
    CHECK_EQ(nccl.GetUniqueId(&ids[r->rank]), 0);
    const bosc_nccl_id own = ids[r->rank];
    CHECK_OK(r->ctx, bi_comm_all_gather(r->ctx, r->comm, &own, sizeof own, ids));
    int result = nccl.CommInitRankConfig(&local_status, r->rank_count, ids[0], r->rank, &config);
    while (result == BI_NCCL_IN_PROGRESS) CHECK_EQ(nccl.CommGetAsyncError(local_status, &result), 0);
    CHECK_EQ(result, 0);
    for (int round = 0; round < 2; round++) {
        CHECK_OK(r->ctx, bosc_comm_create_nccl_given(r->ctx, local_status, &opts, &comm));
        check_exchanges(r, comm);
        bosc_comm_free(comm);
    }
    CHECK(nccl.CommCount(local_status, &count) == 0 && count == r->rank_count);
    CHECK_EQ(nccl.CommDestroy(local_status), 0);
}

static void given(bosc_ctx *ctx)
{
    for (int32_t ranks = 1; ranks <= 3 && has_nccl(ctx); ranks++) ranks_run(ctx, ranks, 0, given_rank, NULL);
}

/* ---- failing ranks ---- */

static void check_lost(struct rank *r, bosc_comm *comm, const char *why)
{
    bosc_comm_info info = {.size = sizeof info};
    CHECK_STATUS(r->ctx, bosc_comm_barrier(r->ctx, comm), BOSC_ERR_COMM);
    CHECK(strstr(bosc_ctx_message(r->ctx), why));
    CHECK_STATUS(r->ctx, bosc_comm_barrier(r->ctx, comm), BOSC_ERR_COMM);
    CHECK(strstr(bosc_ctx_message(r->ctx), "a rank was lost before"));
    CHECK_OK(r->ctx, bosc_comm_get_info(r->ctx, comm, &info));
    CHECK_EQ(info.broken, 1);
}

/* One leaves: at once, or after an exchange. */
static void leaving_rank(struct rank *r)
{
    const bosc_nccl_opts opts = opts_of(ranks_nccl(), 0.3);
    bosc_comm *comm;
    CHECK_OK(r->ctx, bosc_comm_create_nccl_over(r->ctx, r->comm, &opts, &comm));
    if (r->user) CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, comm));
    if (r->rank > 0) check_lost(r, comm, "a rank did not come within the time-out");
    bosc_comm_free(comm);
}

static void lost(bosc_ctx *ctx)
{
    if (!has_nccl(ctx)) return;
    ranks_run(ctx, 3, 0, leaving_rank, NULL);
    ranks_run(ctx, 2, 0, leaving_rank, ctx);
}

/* One waits in an all-to-all for what never comes, in device memory. */
static void waiting_rank(struct rank *r)
{
    const bosc_nccl_opts opts = opts_of(ranks_nccl(), 0.3);
    const int64_t offsets[] = {0, 64, 128};
    void *memory;
    bosc_comm *comm;
    CHECK_OK(r->ctx, bosc_comm_create_nccl_over(r->ctx, r->comm, &opts, &comm));
    CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, 256, &memory));
    if (r->rank == 1) {
        const double begin = bi_now();
        CHECK_STATUS(r->ctx, bi_comm_all_to_all(r->ctx, comm, false, memory, offsets, (char *)memory + 128, offsets),
                     BOSC_ERR_COMM);
        CHECK(strstr(bosc_ctx_message(r->ctx), "comm: rank 1 of 2: a rank did not come within the time-out"));
        CHECK(bi_now() - begin < 8); /* what waits on the device is ended, and not waited for */
    }
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
    bosc_comm_free(comm);
    bosc_ctx_release(r->ctx, memory, 256);
}

static void waiting(bosc_ctx *ctx)
{
    if (has_nccl(ctx)) ranks_run(ctx, 2, 0, waiting_rank, NULL);
}

/* One frees its end, and the other does not before that is done: it is not waited for for ever. */
static void freeing_rank(struct rank *r)
{
    const bosc_nccl_opts opts = opts_of(ranks_nccl(), 0.3);
    bosc_comm *comm;
    CHECK_OK(r->ctx, bosc_comm_create_nccl_over(r->ctx, r->comm, &opts, &comm));
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, comm));
    const double begin = bi_now();
    if (r->rank == 0) bosc_comm_free(comm);
    CHECK(bi_now() - begin < 8);
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
    if (r->rank > 0) bosc_comm_free(comm);
}

/* One comes with a context of another device: to the other rank it is lost. */
static void other_device_rank(struct rank *r)
{
    const bosc_nccl_opts opts = opts_of(ranks_nccl(), 0.3);
    bosc_ctx_opts other = suite_opts_like(r->ctx);
    bosc_comm *comm;
    CHECK_OK(r->ctx, bosc_comm_create_nccl_over(r->ctx, r->comm, &opts, &comm));
    other.device = (other.device + 1) % bosc_device_count();
    if (r->rank == 0) {
        bosc_ctx *ctx = suite_open(&other);
        check_lost(&(struct rank){.ctx = ctx}, comm, "ctx is not of device");
        bosc_ctx_free(ctx);
    } else {
        check_lost(r, comm, "a rank did not come within the time-out");
    }
    bosc_comm_free(comm);
}

static void leaving(bosc_ctx *ctx)
{
    if (!has_nccl(ctx)) return;
    ranks_run(ctx, 2, 0, freeing_rank, NULL);
    if (bosc_device_count() > 1) ranks_run(ctx, 2, 0, other_device_rank, NULL);
}

/* Only one of two comes to be joined. */
static void alone(bosc_ctx *ctx)
{
    const bosc_nccl_opts opts = opts_of(ranks_nccl(), 0.2);
    bosc_comm *comm = NULL;
    bosc_nccl_id id;
    if (!has_nccl(ctx)) return;
    CHECK_OK(ctx, bosc_nccl_make_id(ctx, &opts, &id));
    CHECK_STATUS(ctx, bosc_comm_create_nccl(ctx, &id, 0, 2, &opts, &comm), BOSC_ERR_COMM);
    CHECK(strstr(bosc_ctx_message(ctx), "a rank did not come within the time-out") && !comm);
}

static void failing_rank(struct rank *r)
{
    const bosc_nccl_opts opts = opts_of(NCCL_THAT_fails, 60);
    bosc_comm *comm;
    CHECK_OK(r->ctx, bosc_comm_create_nccl_over(r->ctx, r->comm, &opts, &comm));
    for (int i = 0; i < 5; i++) CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, comm));
    check_lost(r, comm, "remote process exited");
    bosc_comm_free(comm);
}

/* One rank has no library: none is joined, and all can be used on. */
static void without_rank(struct rank *r)
{
    const bosc_nccl_opts opts = opts_of(r->rank == 1 ? "./no/libnccl.so.2" : ranks_nccl(), 60);
    bosc_comm *comm = NULL;
    CHECK_STATUS(r->ctx, bosc_comm_create_nccl_over(r->ctx, r->comm, &opts, &comm), BOSC_ERR_BACKEND);
    CHECK(!comm && suite_begins(bosc_ctx_message(r->ctx), r->rank == 1 ? "library: NCCL" : "rank 1: library: NCCL"));
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
}

static void failing(bosc_ctx *ctx)
{
    if (!has_stand_ins(ctx)) return;
    ranks_run(ctx, 3, 0, failing_rank, NULL);
    ranks_run(ctx, 3, 0, without_rank, NULL);
}

/* ---- faults ---- */

static bosc_status create_one(bosc_ctx *ctx, void *user)
{
    const bosc_nccl_opts opts = opts_of(ranks_nccl(), 60);
    bosc_nccl_id id;
    bosc_comm *comm = NULL;
    (void)user;
    CHECK_OK(ctx, bosc_nccl_make_id(ctx, &opts, &id));
    const bosc_status status = bosc_comm_create_nccl(ctx, &id, 0, 1, &opts, &comm);
    CHECK((status == BOSC_OK) == (comm != NULL));
    bosc_comm_free(comm);
    return status;
}

static void faults(bosc_ctx *ctx)
{
    unsigned char none[1] = {0};
    const struct fault_sweep sweep = {.call = create_one, .outputs = none, .output_bytes = 1};
    if (has_nccl(ctx)) fault_sweep(ctx, &sweep);
}

static const struct suite_case suite_cases_comm_nccl[] = {
    {"args", args, NULL},       {"refused", refused, NULL}, {"over", over, NULL},       {"given", given, NULL},
    {"lost", lost, NULL},       {"waiting", waiting, NULL}, {"leaving", leaving, NULL}, {"alone", alone, NULL},
    {"failing", failing, NULL}, {"faults", faults, NULL},
};
SUITE(comm_nccl);
