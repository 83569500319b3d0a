/* How many threads a call may have: OpenMP's runtime ends the process where it cannot start one, and waits for ever for
 * the threads of a parent process. */
#ifndef BI_BASE_THREADS_H
#define BI_BASE_THREADS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_MOST_THREADS = 4096 };

/* As many as OpenMP would use; 1 without OpenMP. */
int32_t bi_threads_default(void);

/* How many of so many threads (BI_MOST_THREADS at most) the process may have: all if the system starts twice as many at
 * once, else half of what it starts, so that what limits them, memory most often, is not used up. Tried, not asked.
 * Cost: starting twice as many, once a process. */
int32_t bi_threads_startable(int32_t threads);

/* The threads of a call that may have so many: 1 in the child of a fork() by a thread that had called with more. */
int32_t bi_threads_of_call(int32_t threads);

/* Runs part(user, 0) to part(user, threads - 1), each in a thread of its own if that can be. Waits. */
void bi_threads_run(int32_t threads, void (*part)(void *user, int32_t t), void *user);

#ifdef __cplusplus
}
#endif
#endif
