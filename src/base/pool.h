/* The threads of parallel regions. gcc compiles OpenMP's pragmas to calls of its runtime, libgomp, whose waiting
 * threads spin: on a busy machine each region then waits for the scheduler. base/pool_names.h redirects these calls
 * here, in builds with gcc on Linux; other builds use their OpenMP runtime.
 *
 * Each thread that calls the library has a team of workers. A region of T threads is T tasks: the calling thread runs
 * task 0, worker w task w. The caller then runs every task that its worker has not started, so a worker without a
 * processor costs no time. A region must therefore never wait for another task of its own, and has at most one
 * worksharing loop, without a barrier (nowait). */
#ifndef BI_BASE_POOL_H
#define BI_BASE_POOL_H

#include <stdbool.h>

#if defined(_OPENMP) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define BI_POOL 1

/* Runs body(data) as `threads` tasks (0: the default number), and waits for them. One task if called in a parallel
 * region, ours or the caller's. `flags` is ignored. Starts missing workers; without them the caller runs their
 * tasks. */
void bi_pool_run(void (*body)(void *), void *data, unsigned threads, unsigned flags);

/* Number of the calling thread's task, and of the tasks of its region: 0 and 1 outside regions. */
int bi_pool_task(void);
int bi_pool_tasks(void);

/* The dynamic loop of a region: sets [*from, *to) to the next `chunk` iterations of start, start + step, ... before
 * `end`, and returns true; false if none is left. */
bool bi_pool_loop_start(long start, long end, long step, long chunk, long *from, long *to);
bool bi_pool_loop_next(long *from, long *to);
void bi_pool_loop_end(void);

#else
#define BI_POOL 0
#endif
#endif
