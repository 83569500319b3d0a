/* Fibers: stacks with a guard page, and a switch between them that the sanitizers know of. */
#ifndef EMULATOR_FIBER_HPP
#define EMULATOR_FIBER_HPP

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATOR_ASAN 1
#endif
#endif

/* This file's users are compiled without ThreadSanitizer even where the kernels are compiled with it. */
#ifdef EMULATOR_TSAN
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *token);
void __tsan_release(void *token);
}
#endif

namespace emulator
{

struct fiber {
    void *saved; /* the stack pointer, or the ucontext where there is no assembly */
    char *stack; /* lowest usable address; NULL for the fiber that the OS gave */
    void *sanitizer;
};

const size_t stack_bytes = 256 * 1024;

void fiber_adopt(struct fiber *f);                  /* the running one */
void fiber_make(struct fiber *f);                   /* takes a stack; aborts if there is none */
void fiber_start(struct fiber *f, void (*entry)()); /* the next switch to it calls entry, which never returns */
void fiber_switch(struct fiber *from, struct fiber *to, bool last);
void fiber_entered(); /* first thing that an entry does */

/* Orders memory: everything before a release of a token is seen after an acquire of it. */
static inline void order_release(void *token)
{
#ifdef EMULATOR_TSAN
    __tsan_release(token);
#endif
    (void)token;
}
static inline void order_acquire(void *token)
{
#ifdef EMULATOR_TSAN
    __tsan_acquire(token);
#endif
    (void)token;
}

} // namespace emulator

#endif
