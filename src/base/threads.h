/* Limits of the number of threads of a call. OpenMP's runtime ends the process if it cannot start a thread, and hangs
 * in the child of a fork(), where the threads of the parent are missing. */
#ifndef BI_BASE_THREADS_H
#define BI_BASE_THREADS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_MAX_THREADS = 4096 }; /* above the processors of known machines; bounds 64 KB of handles on a stack */

/* The number that OpenMP would use; 1 without OpenMP. */
int32_t bi_threads_default(void);

/* The number of threads that may spin at once: the processors that the process may use, or without OpenMP those of the
 * machine; 0 if OMP_WAIT_POLICY is passive. */
int32_t bi_threads_that_spin(void);

/* Pauses of a spin between two readings of the clock, which takes about as long as one. */
enum { BI_PAUSES_PER_CLOCK = 64 };

/* Leaves the processor's core to its other thread for a moment. */
static inline void bi_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Returns how many of `threads` (at most BI_MAX_THREADS) the process can start: all if the system starts twice as many
 * at once, else half of the number that it starts. The other half of the limiting resource, mostly memory for stacks,
 * is left to the work. Found by starting them, once a process. */
int32_t bi_threads_startable(int32_t threads);

/* The number of threads that a call uses of `threads`: 1 in the child of a fork() by a thread that had run a parallel
 * loop, else all. */
int32_t bi_threads_of_call(int32_t threads);

/* Runs part(user, 0) to part(user, threads - 1), each in its own thread if possible. Waits for all. */
void bi_threads_run(int32_t threads, void (*part)(void *user, int32_t t), void *user);

#ifdef __cplusplus
}
#endif
#endif
