#include "base/caller.h"

#include <errno.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/threads.h"

#if defined(__x86_64__)
enum { CONTROL = 0xffc0, DEFAULT = 0x1f80 }; /* MXCSR without the flags of what has happened */
static uint32_t get(void) { return _mm_getcsr(); }
static void set(uint32_t word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
enum { CONTROL = 0x07ff9f00, DEFAULT = 0 }; /* FPCR */
static uint32_t get(void)
{
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return (uint32_t)word;
}
static void set(uint32_t word) { __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)word)); }
#else
enum { CONTROL = 0, DEFAULT = 0 };
static uint32_t get(void) { return 0; }
static void set(uint32_t word) { (void)word; }
#endif

/* Of a thread that helps in loops: the word that was set aside. */
static _Thread_local uint32_t set_aside;

static void set_aside_of_threads(int32_t threads)
{
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        set_aside = get();
        set(DEFAULT);
    }
}

static void restore_of_threads(int32_t threads)
{
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        /* A thread that was started in the meantime has the default, as it will have in the caller's loops. */
        if (set_aside) set(set_aside);
        set_aside = 0;
    }
}

struct bi_caller bi_caller_enter(int32_t threads)
{
    struct bi_caller caller = {errno, 1, get()};
    if ((caller.floating & CONTROL) == DEFAULT) return caller;
    caller.threads = bi_threads_of_call(bi_threads_startable(threads));
    set_aside_of_threads(caller.threads);
    set(DEFAULT); /* some runtimes give a thread back what it had before a loop */
    return caller;
}

void bi_caller_leave(const struct bi_caller *caller)
{
    if ((caller->floating & CONTROL) != DEFAULT) {
        restore_of_threads(caller->threads);
        set(caller->floating); /* a callback may have made a call of its own, which took what was set aside */
    }
    errno = caller->error_number;
}
