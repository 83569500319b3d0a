#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>
#ifdef _OPENMP
#include <omp.h>
#else
#include <unistd.h>
#endif

#include "base/fault.h"

int32_t bi_threads_default(void)
{
#ifdef _OPENMP
    int32_t threads = omp_get_max_threads();
    return threads < BI_MAX_THREADS ? threads : BI_MAX_THREADS;
#else
    return 1;
#endif
}

int32_t bi_threads_that_spin(void)
{
    const char *policy = getenv("OMP_WAIT_POLICY");
    if (policy && strcasecmp(policy, "passive") == 0) return 0;
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

#ifdef _OPENMP
static void *wait_for_mutex(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

int32_t bi_threads_startable(int32_t threads)
{
    static _Atomic int32_t known = 1; /* threads that were started before */
    if (threads <= known) return threads;
    pthread_t others[2 * BI_MAX_THREADS];
    /* 1. Start twice the threads (stacks may use half of the memory, the work has the rest), all held by a mutex. */
    int32_t limit = 2 * (threads - 1);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int32_t count = 0;
    pthread_mutex_lock(&mutex);
    while (count < limit && !bi_fault(BI_FAULT_THREAD) &&
           pthread_create(&others[count], NULL, wait_for_mutex, &mutex) == 0)
        count++;
    /* 2. Release and join them. */
    pthread_mutex_unlock(&mutex);
    for (int32_t i = 0; i < count; i++) pthread_join(others[i], NULL);
    pthread_mutex_destroy(&mutex);
    int32_t found = 1 + count / 2;
    if (found > known) known = found; /* a concurrent call may store a smaller number, which is also true */
    return found;
}
#else
int32_t bi_threads_startable(int32_t threads) { return threads; }
#endif

/* OpenMP's runtime keeps the helper threads of each thread's loops. They do not exist in the child of a fork(). */
static _Thread_local bool had_helpers, lost_helpers;

static void mark_helpers_lost(void) { lost_helpers = had_helpers; }

__attribute__((constructor)) static void register_fork_handler(void) { pthread_atfork(NULL, NULL, mark_helpers_lost); }

int32_t bi_threads_of_call(int32_t threads)
{
    if (lost_helpers) return 1;
    had_helpers |= threads > 1;
    return threads;
}

void bi_threads_run(int32_t threads, void (*part)(void *user, int32_t t), void *user)
{
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int32_t t = 0; t < threads; t++) part(user, t);
}
