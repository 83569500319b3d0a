#include "base/caller.h"

#include <errno.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/pool.h"
#include "base/threads.h"

/* FP_CONTROL: the bits of the control word that change results or trap; FP_DEFAULT: their values by IEEE 754. */
#if defined(__x86_64__)
enum { FP_CONTROL = 0xffc0, FP_DEFAULT = 0x1f80 }; /* MXCSR without its sticky exception flags */
static uint32_t read_fp_control(void) { return _mm_getcsr(); }
static void write_fp_control(uint32_t word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
enum { FP_CONTROL = 0x07ff9f00, FP_DEFAULT = 0 }; /* FPCR */
static uint32_t read_fp_control(void)
{
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return (uint32_t)word;
}
static void write_fp_control(uint32_t word) { __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)word)); }
#else
enum { FP_CONTROL = 0, FP_DEFAULT = 0 };
static uint32_t read_fp_control(void) { return 0; }
static void write_fp_control(uint32_t word) { (void)word; }
#endif

/* The saved control word of a thread that runs parts of loops; 0: none. */
static _Thread_local uint32_t saved_control;

static void save_in_threads(int32_t threads)
{
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        saved_control = read_fp_control();
        write_fp_control(FP_DEFAULT);
    }
}

static void restore_in_threads(int32_t threads)
{
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        /* A thread that was started during the call keeps the default, as it would in the caller's own loops. */
        if (saved_control) write_fp_control(saved_control);
        saved_control = 0;
    }
}

void bi_set_default_fp(void) { write_fp_control(FP_DEFAULT); }

struct bi_caller_state bi_save_caller(int32_t threads)
{
    struct bi_caller_state caller = {errno, 1, read_fp_control()};
    if ((caller.fp_control & FP_CONTROL) == FP_DEFAULT) return caller;
    if (!BI_POOL) caller.threads = bi_threads_of_call(bi_threads_startable(threads)); /* the pool's have the default */
    save_in_threads(caller.threads);
    write_fp_control(FP_DEFAULT); /* some OpenMP runtimes restore the control word of this thread after a loop */
    return caller;
}

void bi_restore_caller(const struct bi_caller_state *caller)
{
    if ((caller->fp_control & FP_CONTROL) != FP_DEFAULT) {
        restore_in_threads(caller->threads);
        write_fp_control(caller->fp_control); /* a call from a callback may have consumed this thread's saved word */
    }
    errno = caller->error_number;
}
