#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#ifdef EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emulator
{

/* The frames that a finished entry never left stay poisoned on its stack. */
static void forget_last_frames(struct fiber *f)
{
#ifdef EMULATOR_ASAN
    const size_t bytes = 4096;
    __asan_unpoison_memory_region(f->stack + stack_bytes - bytes, bytes);
#endif
    (void)f;
}

#if defined(__x86_64__)
/* Saves the registers that a call preserves on the stack of `from`, and takes those of `to`. */
extern "C" void emulator_switch_stack(void **from, void *to);
asm(".text\n"
    ".globl emulator_switch_stack\n"
    ".type emulator_switch_stack,@function\n"
    "emulator_switch_stack:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size emulator_switch_stack,.-emulator_switch_stack\n");

void fiber_start(struct fiber *f, void (*entry)())
{
    forget_last_frames(f);
    void **top = reinterpret_cast<void **>(f->stack + stack_bytes);
    *--top = nullptr; /* where a return address would be: keeps the entry's stack aligned as after a call */
    *--top = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; i++) *--top = nullptr;
    f->saved = top;
}

static void switch_stack(struct fiber *from, struct fiber *to) { emulator_switch_stack(&from->saved, to->saved); }
#else
static ucontext_t *context_of(struct fiber *f)
{
    if (!f->saved) f->saved = calloc(1, sizeof(ucontext_t));
    if (!f->saved) abort();
    return static_cast<ucontext_t *>(f->saved);
}

void fiber_start(struct fiber *f, void (*entry)())
{
    ucontext_t *c = context_of(f);
    forget_last_frames(f);
    getcontext(c);
    c->uc_stack.ss_sp = f->stack;
    c->uc_stack.ss_size = stack_bytes;
    c->uc_link = nullptr;
    makecontext(c, entry, 0);
}

static void switch_stack(struct fiber *from, struct fiber *to) { swapcontext(context_of(from), context_of(to)); }
#endif

static struct fiber *home; /* the one that the OS gave */

#ifdef EMULATOR_ASAN
/* The OS thread's own stack, which AddressSanitizer reports at the first switch away from it. */
static const void *home_bottom;
static size_t home_bytes;
static struct fiber *left;

static void finish_switch(void *fake)
{
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(fake, &bottom, &bytes);
    if (left == home) {
        home_bottom = bottom;
        home_bytes = bytes;
    }
}
#endif

void fiber_adopt(struct fiber *f)
{
    home = f;
#ifdef EMULATOR_TSAN
    f->sanitizer = __tsan_get_current_fiber();
#endif
}

void fiber_make(struct fiber *f)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *p =
        mmap(nullptr, stack_bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || mprotect(p, page, PROT_NONE) != 0) {
        fprintf(stderr, "emulator: no memory for the stack of a thread\n");
        abort();
    }
    f->stack = static_cast<char *>(p) + page;
#ifdef EMULATOR_TSAN
    f->sanitizer = __tsan_create_fiber(0);
#endif
}

void fiber_entered()
{
#ifdef EMULATOR_ASAN
    finish_switch(nullptr);
#endif
}

void fiber_switch(struct fiber *from, struct fiber *to, bool last)
{
#ifdef EMULATOR_TSAN
    __tsan_switch_to_fiber(to->sanitizer, 1);
#endif
#ifdef EMULATOR_ASAN
    void *fake = nullptr;
    left = from;
    __sanitizer_start_switch_fiber(last ? nullptr : &fake, to->stack ? to->stack : home_bottom,
                                   to->stack ? stack_bytes : home_bytes);
    switch_stack(from, to);
    finish_switch(fake);
#else
    (void)last;
    switch_stack(from, to);
#endif
}

} // namespace emulator
