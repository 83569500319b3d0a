#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/fault.h"

int32_t bi_threads_default(void)
{
#ifdef _OPENMP
    int32_t threads = omp_get_max_threads();
    return threads < BI_MOST_THREADS ? threads : BI_MOST_THREADS;
#else
    return 1;
#endif
}

#ifdef _OPENMP
static void *wait_for(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

int32_t bi_threads_startable(int32_t threads)
{
    static _Atomic int32_t tried = 1;
    if (threads <= tried) return threads;
    pthread_t others[2 * BI_MOST_THREADS];
    int32_t most = 2 * (threads - 1); /* as many again: stacks may take half of the memory, the work has the rest */
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int32_t count = 0;
    pthread_mutex_lock(&mutex); /* all of them are there at once */
    while (count < most && !bi_fault(BI_FAULT_THREAD) && pthread_create(&others[count], NULL, wait_for, &mutex) == 0)
        count++;
    pthread_mutex_unlock(&mutex);
    for (int32_t i = 0; i < count; i++) pthread_join(others[i], NULL);
    pthread_mutex_destroy(&mutex);
    int32_t found = 1 + count / 2;
    if (found > tried) tried = found; /* a smaller one from elsewhere is as true */
    return found;
}
#else
int32_t bi_threads_startable(int32_t threads) { return threads; }
#endif

/* OpenMP's runtime keeps the threads that a thread's loops have started: those of a parent are not in the child. */
static _Thread_local bool had_helpers, lost_helpers;

static void lose_helpers(void) { lost_helpers = had_helpers; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, lose_helpers); }

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
