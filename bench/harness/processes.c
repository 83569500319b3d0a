/* For memfd_create. */
#define _GNU_SOURCE

#include "harness/processes.h"

#include <signal.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/bench.h"

/* Bytes of a rank that one step of an exchange moves; in an exchange of all with all, for all ranks together. */
enum { CHUNK = 1 << 20 };

/* Memory of all processes. */
static struct shared {
    int count, arrived;
    unsigned round; /* barriers passed */
    int run, done;  /* the number of the run plus 1, -1: end; ranks that have finished it */
    struct bench_process_result results[BENCH_MOST_PROCESSES];
    char chunks[2][BENCH_MOST_PROCESSES][CHUNK]; /* of even and odd steps: one barrier a step is enough */
} * shared;

static int own = -1, answers[BENCH_MOST_PROCESSES], last_run;
static unsigned steps;
static pid_t processes[BENCH_MOST_PROCESSES];

/* ---- the transport ---- */

/* Spins until all ranks have called it. Nonzero: one did not within the time-out. */
static int await_all(double timeout)
{
    const double end = bench_now() + timeout;
    const unsigned round = __atomic_load_n(&shared->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&shared->arrived, 1, __ATOMIC_ACQ_REL) == shared->count) {
        shared->arrived = 0;
        __atomic_store_n(&shared->round, round + 1, __ATOMIC_RELEASE);
        return 0;
    }
    for (int64_t poll = 1; __atomic_load_n(&shared->round, __ATOMIC_ACQUIRE) == round; poll++) {
        if (poll % 1024 == 0 && bench_now() > end) return 1;
        if (poll % 4096 == 0) sched_yield();
    }
    return 0;
}

static int all_gather(void *user, const void *sent, size_t bytes, void *received, double timeout)
{
    (void)user;
    for (size_t at = 0; at < bytes; at += CHUNK) {
        char(*chunks)[CHUNK] = shared->chunks[steps++ % 2];
        const size_t count = bytes - at < CHUNK ? bytes - at : CHUNK;
        memcpy(chunks[own], (const char *)sent + at, count);
        if (await_all(timeout)) return 1;
        for (int r = 0; r < shared->count; r++) memcpy((char *)received + (size_t)r * bytes + at, chunks[r], count);
    }
    return 0;
}

/* Bytes of a block that step number `at / part` moves. */
static size_t step_bytes(const int64_t *offsets, int r, int64_t at, int64_t part)
{
    const int64_t left = offsets[r + 1] - offsets[r] - at;
    return (size_t)(left < 0 ? 0 : left < part ? left : part);
}

static int all_to_all(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                      const int64_t *received_offsets, double timeout)
{
    int64_t most = 0, all[BENCH_MOST_PROCESSES];
    const int64_t part = CHUNK / shared->count;
    for (int r = 0; r < shared->count; r++)
        if (sent_offsets[r + 1] - sent_offsets[r] > most) most = sent_offsets[r + 1] - sent_offsets[r];
    if (all_gather(user, &most, sizeof most, all, timeout)) return 1;
    for (int r = 0; r < shared->count; r++)
        if (all[r] > most) most = all[r];
    for (int64_t at = 0; at < most; at += part) {
        char(*chunks)[CHUNK] = shared->chunks[steps++ % 2];
        for (int r = 0; r < shared->count; r++)
            memcpy(chunks[own] + r * part, (const char *)sent + sent_offsets[r] + at,
                   step_bytes(sent_offsets, r, at, part));
        if (await_all(timeout)) return 1;
        for (int r = 0; r < shared->count; r++)
            memcpy((char *)received + received_offsets[r] + at, chunks[r] + own * part,
                   step_bytes(received_offsets, r, at, part));
    }
    return 0;
}

bosc_comm_transport bench_process_transport(void)
{
    return (bosc_comm_transport){
        .size = sizeof(bosc_comm_transport), .all_gather = all_gather, .all_to_all = all_to_all};
}

/* ---- runs ---- */

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

int bench_start_processes(int count)
{
    if (count < 1 || count > BENCH_MOST_PROCESSES) bench_fail("at most %d processes", BENCH_MOST_PROCESSES);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) bench_fail("no shared memory");
    shared->count = count;
    for (int r = 0; r < count; r++) {
        answers[r] = memfd_create("answer", MFD_CLOEXEC);
        if (answers[r] < 0) bench_fail("no memory for answers");
    }
    for (int r = 0; r < count; r++) {
        processes[r] = fork();
        if (processes[r] < 0) bench_fail("no process for rank %d", r);
        if (processes[r]) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return own = r;
    }
    return -1;
}

int bench_await_run(void)
{
    int run;
    while ((run = __atomic_load_n(&shared->run, __ATOMIC_ACQUIRE)) == last_run) nap();
    last_run = run;
    return run < 0 ? -1 : run - 1;
}

void bench_finish_run(const struct bench_process_result *result, const void *answer)
{
    shared->results[own] = *result;
    if (ftruncate(answers[own], 0) != 0 || ftruncate(answers[own], (off_t)result->answer_bytes) != 0)
        bench_fail("no memory for an answer");
    for (size_t at = 0; at < result->answer_bytes;) {
        const ssize_t done = pwrite(answers[own], (const char *)answer + at, result->answer_bytes - at, (off_t)at);
        if (done <= 0) bench_fail("no memory for an answer");
        at += (size_t)done;
    }
    __atomic_add_fetch(&shared->done, 1, __ATOMIC_ACQ_REL);
}

void bench_run_processes(int number)
{
    shared->done = 0;
    __atomic_store_n(&shared->run, number + 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) < shared->count) {
        for (int r = 0; r < shared->count; r++)
            if (waitpid(processes[r], NULL, WNOHANG) > 0) bench_fail("the process of rank %d has ended", r);
        nap();
    }
}

struct bench_process_result bench_process_result(int rank, char **answer)
{
    const struct bench_process_result result = shared->results[rank];
    *answer = bench_host(result.answer_bytes);
    for (size_t at = 0; at < result.answer_bytes;) {
        const ssize_t done = pread(answers[rank], *answer + at, result.answer_bytes - at, (off_t)at);
        if (done <= 0) bench_fail("no answer of rank %d", rank);
        at += (size_t)done;
    }
    return result;
}

void bench_end_processes(void)
{
    __atomic_store_n(&shared->run, -1, __ATOMIC_RELEASE);
    for (int r = 0; r < shared->count; r++) waitpid(processes[r], NULL, 0);
}
