/* A transport between processes of one machine, over shared memory, for tests and benchmarks. */
#ifndef TESTS_SUPPORT_PROCESS_TRANSPORT_H
#define TESTS_SUPPORT_PROCESS_TRANSPORT_H

#include <stdbool.h>

#include <boscage/comm.h>

enum { PROCESSES_MOST = 8 };

/* One process's end. Processes are children of the one that has opened it, and set `own`. */
struct process_end {
    struct process_exchange *shared;
    int own; /* the rank */
    unsigned steps;
};

/* Opens the shared memory of `count` processes; false: there is none. */
bool process_transport_open(int count, struct process_end *end);
void process_transport_close(struct process_end *end);

/* The functions, with `end` as the user. */
bosc_comm_transport process_transport(struct process_end *end);

#endif
