/* Processes of this machine as ranks: a transport over shared memory, and runs that the first process starts. */
#ifndef BENCH_HARNESS_PROCESSES_H
#define BENCH_HARNESS_PROCESSES_H

#include <boscage/boscage.h>

enum { BENCH_MOST_PROCESSES = 8 };

/* The result of a rank's run. */
struct bench_process_result {
    double seconds[32];
    int64_t sent, exchanges;
    size_t answer_bytes;
};

/* Starts `count` processes; called before CUDA is used. Returns the rank of the new process, or -1 in the first one. */
int bench_start_processes(int count);

/* For a rank: the transport; user and functions. */
bosc_comm_transport bench_process_transport(void);

/* For a rank: waits for the next run. Returns its number, or -1 at the end. */
int bench_await_run(void);

/* For a rank: ends the run, and passes its result and answer to the first process. */
void bench_finish_run(const struct bench_process_result *result, const void *answer);

/* For the first process: runs `number` on all ranks. */
void bench_run_processes(int number);

/* For the first process: the result of a rank's last run. *answer: memory of the caller. */
struct bench_process_result bench_read_process_result(int rank, char **answer);

/* For the first process: ends the others. */
void bench_end_processes(void);

#endif
