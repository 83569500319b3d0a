/* Processes as ranks, on emulated devices: they map each other's memory by handles. Elsewhere the cases do nothing:
 * a process that has used a real device cannot be forked. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comm/comm.h"
#include "support/process_transport.h"
#include "support/ranks.h"

/* Of the emulator: other processes can map the memory of its devices. */
extern void emulated_share_memory(void) __attribute__((weak));

enum { ARRAYS = 70 /* more than a rank exports at once */, ROUNDS = 4 };

struct process_run {
    struct process_end end;
    bosc_ctx_opts opts;
    double timeout;
    rank_fn function;
    struct rank rank;
};

static void run_function(void *user)
{
    struct process_run *p = user;
    const bosc_comm_transport transport = process_transport(&p->end);
    const bosc_comm_opts opts = {.size = sizeof opts, .timeout = p->timeout};
    emulated_share_memory();
    p->opts.device = p->rank.rank % bosc_device_count();
    p->rank.ctx = suite_open(&p->opts);
    CHECK_OK(p->rank.ctx,
             bosc_comm_create(p->rank.ctx, &transport, p->rank.rank, p->rank.rank_count, &opts, &p->rank.comm));
    p->function(&p->rank);
    bosc_comm_free(p->rank.comm);
    bosc_ctx_free(p->rank.ctx);
}

/* Runs the function on as many processes. Each must end with status 0. */
static void run_processes(bosc_ctx *like, int count, double timeout, rank_fn function, void *user)
{
    struct process_run p = {.opts = suite_opts_like(like), .timeout = timeout, .function = function};
    pid_t children[PROCESSES_MOST];
    int ends[PROCESSES_MOST];
    if (!suite_emulated(like) || !emulated_share_memory) return;
    char(*failures)[SUITE_FAILURE] =
        mmap(NULL, PROCESSES_MOST * sizeof *failures, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(failures != MAP_FAILED && process_transport_open(count, &p.end));
    for (int r = 0; r < count; r++) {
        p.end.own = r;
        p.rank = (struct rank){.rank = r, .rank_count = count, .user = user};
        children[r] = fork();
        CHECK(children[r] >= 0);
        if (children[r]) continue;
        suite_try(run_function, &p, failures[r]);
        _exit(0);
    }
    for (int r = 0; r < count; r++) CHECK_EQ(waitpid(children[r], &ends[r], 0), children[r]);
    process_transport_close(&p.end);
    for (int r = 0; r < count; r++) {
        if (failures[r][0]) suite_fail(__FILE__, __LINE__, "process %d of %d: %s", r, count, failures[r]);
        CHECK_EQ(ends[r], 0); /* else a signal or a sanitizer has ended it */
    }
    munmap(failures, PROCESSES_MOST * sizeof *failures);
}

/* ---- windows ---- */

/* Every rank writes a number to an array of every other one. shared: whether the ranks share the arrays. */
static void write_window(struct rank *r, int64_t *array, int64_t number, bool shared)
{
    struct bi_windows windows = {.access = BI_WINDOW_WRITE, .count = 1, .of = {{.item_size = 8, .items = array}}};
    int64_t counts[PROCESSES_MOST], numbers[PROCESSES_MOST], own = number + r->rank;
    bosc_status local_status = BOSC_OK;
    const struct bi_mark mark = bi_arena_mark(r->ctx);
    struct bi_exchange x;
    for (int i = 0; i < r->rank_count; i++) counts[i] = 1;
    CHECK_OK(r->ctx, bi_exchange_begin(r->ctx, r->comm, BOSC_OK, counts, &x));
    CHECK_OK(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, &x, &windows));
    CHECK_OK(r->ctx, local_status);
    CHECK_EQ(windows.are_shared, shared);
    for (int i = 0; i < r->rank_count; i++)
        CHECK_OK(r->ctx, r->ctx->backend->copy(r->ctx, windows.of[0].blocks[i], &own, sizeof own));
    CHECK_OK(r->ctx, bi_exchange_close_windows(r->ctx, r->comm, BOSC_OK, &x, &windows));
    bi_exchange_end(r->ctx, &x);
    CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, numbers, array, (size_t)r->rank_count * 8));
    for (int i = 0; i < r->rank_count; i++) CHECK_EQ(numbers[i], number + i);
    bi_arena_rewind(r->ctx, mark);
}

static size_t array_bytes(int a, int round) { return (size_t)(1 + (a * 7 + round * 5) % 13) * 4096; }

/* Arrays are freed and allocated anew between windows, often at the same addresses, and are more than there are
 * exports. Ranks allocate different numbers of them. */
static void use_arrays(struct rank *r)
{
    void *arrays[ARRAYS], *other = NULL;
    for (int a = 0; a < ARRAYS; a++) CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, array_bytes(a, 0), &arrays[a]));
    for (int round = 1; round < ROUNDS; round++) {
        for (int a = 0; a < ARRAYS; a++) write_window(r, (int64_t *)arrays[a] + a % 5, 1000 * round + a, true);
        for (int a = round % 3; a < ARRAYS; a += 3) {
            bosc_ctx_release(r->ctx, arrays[a], array_bytes(a, round - 1));
            if ((a + r->rank) % 2) CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, 4096, &other));
            CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, array_bytes(a, round), &arrays[a]));
            if ((a + r->rank) % 2) bosc_ctx_release(r->ctx, other, 4096);
            write_window(r, arrays[a], -round - a, true);
        }
        for (int a = 0; a < ARRAYS; a++) write_window(r, arrays[a], 2000 * round + a, true);
    }
    CHECK_EQ(r->comm->sharing, BI_SHARES_HANDLES);
}

static void case_arrays(bosc_ctx *ctx)
{
    for (int count = 2; count < 4; count++) run_processes(ctx, count, 20, use_arrays, NULL);
}

/* ---- exchanges ---- */

/* Blocks of different lengths, some empty, from memory that was just filled. */
static void exchange_blocks(struct rank *r)
{
    int64_t sent_offsets[PROCESSES_MOST + 1] = {0}, received_offsets[PROCESSES_MOST + 1] = {0};
    void *sent, *received;
    for (int i = 0; i < r->rank_count; i++) {
        sent_offsets[i + 1] = sent_offsets[i] + 1000 * ((r->rank + 2 * i) % 3);
        received_offsets[i + 1] = received_offsets[i] + 1000 * ((i + 2 * r->rank) % 3);
    }
    /* 1. Blocks of 0 to 2,000 bytes. 2. Fill, exchange, overwrite; the received bytes are those before. */
    unsigned char *bytes = suite_alloc((size_t)received_offsets[r->rank_count] + 1);
    CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, 8000, &sent));
    CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, 8000, &received));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < r->rank_count; i++)
            if (sent_offsets[i + 1] > sent_offsets[i])
                CHECK_OK(r->ctx,
                         r->ctx->backend->fill(r->ctx, (char *)sent + sent_offsets[i], 64 * i + 16 * round + r->rank,
                                               (size_t)(sent_offsets[i + 1] - sent_offsets[i])));
        CHECK_OK(r->ctx, bi_comm_all_to_all(r->ctx, r->comm, false, sent, sent_offsets, received, received_offsets));
        CHECK_OK(r->ctx, r->ctx->backend->fill(r->ctx, sent, 0xff, 8000));
        CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, bytes, received, (size_t)received_offsets[r->rank_count]));
        for (int i = 0; i < r->rank_count; i++)
            for (int64_t k = received_offsets[i]; k < received_offsets[i + 1]; k++)
                CHECK_EQ(bytes[k], 64 * r->rank + 16 * round + i);
    }
    free(bytes);
    bosc_ctx_release(r->ctx, sent, 8000);
    bosc_ctx_release(r->ctx, received, 8000);
}

static void case_exchanges(bosc_ctx *ctx)
{
    for (int count = 2; count < 5; count++) run_processes(ctx, count, 20, exchange_blocks, NULL);
}

/* ---- ranks without shared memory ---- */

/* Rank 0 uses a context of the CPU for a while: all exchange copies then. */
static void mix_backends(struct rank *r)
{
    const bosc_ctx_opts cpu = {.size = sizeof cpu, .backend = BOSC_BACKEND_CPU, .threads = 1};
    bosc_ctx *own = r->ctx, *host = suite_open(&cpu);
    for (int round = 0; round < 3; round++) {
        const bool is_host = r->rank == 0 && round == 1;
        void *array;
        r->ctx = is_host ? host : own;
        CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, 64, &array));
        write_window(r, array, round, round != 1);
        bosc_ctx_release(r->ctx, array, 64);
    }
    r->ctx = own;
    bosc_ctx_free(host);
}

static void case_mixed(bosc_ctx *ctx) { run_processes(ctx, 2, 20, mix_backends, NULL); }

/* ---- a lost process ---- */

/* Rank 1 ends while its windows are open, and has queued work on the memory of others. */
static void lose_process(struct rank *r)
{
    int64_t counts[PROCESSES_MOST] = {1, 1, 1};
    struct bi_exchange x;
    bosc_status local_status = BOSC_OK;
    void *array;
    CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, 64, &array));
    write_window(r, array, 7, true);
    CHECK_OK(r->ctx, bi_exchange_begin(r->ctx, r->comm, BOSC_OK, counts, &x));
    struct bi_windows windows = {.access = BI_WINDOW_READ, .count = 1, .of = {{.item_size = 8, .items = array}}};
    CHECK_OK(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, &x, &windows));
    if (r->rank == 1) {
        CHECK_OK(r->ctx, r->ctx->backend->fill(r->ctx, windows.of[0].blocks[0], 1, 8));
        _exit(0);
    }
    CHECK_STATUS(r->ctx, bi_exchange_close_windows(r->ctx, r->comm, BOSC_OK, &x, &windows), BOSC_ERR_COMM);
    CHECK_STATUS(r->ctx, bosc_comm_barrier(r->ctx, r->comm), BOSC_ERR_COMM);
    bi_exchange_end(r->ctx, &x);
    bosc_ctx_release(r->ctx, array, 64);
}

static void case_lost(bosc_ctx *ctx) { run_processes(ctx, 3, 0.5, lose_process, NULL); }

static const struct suite_case suite_cases_comm_processes[] = {
    {"arrays", case_arrays, NULL},
    {"exchanges", case_exchanges, NULL},
    {"mixed", case_mixed, NULL},
    {"lost", case_lost, NULL},
};
SUITE(comm_processes);
