/* For memfd_create. */
#define _GNU_SOURCE

#include "harness/processes.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/bench.h"
#include "support/process_transport.h"

/* Memory of all processes. */
static struct shared {
    int count;
    int run, done; /* the number of the run plus 1, -1: end; ranks that have finished it */
    struct bench_process_result results[BENCH_MOST_PROCESSES];
} * shared;
static struct process_end end;

static int own = -1, answers[BENCH_MOST_PROCESSES], last_run;
static pid_t processes[BENCH_MOST_PROCESSES];

bosc_comm_transport bench_process_transport(void) { return process_transport(&end); }

/* ---- runs ---- */

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

int bench_start_processes(int count)
{
    if (count < 1 || count > BENCH_MOST_PROCESSES) bench_fail("at most %d processes", BENCH_MOST_PROCESSES);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || !process_transport_open(count, &end)) bench_fail("no shared memory");
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
        return own = end.own = r;
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

struct bench_process_result bench_read_process_result(int rank, char **answer)
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
