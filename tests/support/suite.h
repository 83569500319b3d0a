/* Cases are written once and run on every configuration of the machine: the CPU at each level (the best one with 1, 2
 * and 8 threads), and CUDA on a device or in the emulator. A cases/<room>/<name>.c defines `const struct suite
 * suite_<name>`; CMake adds it to the cmocka program boscage_test, and to the plain program gpu_test. */
#ifndef TESTS_SUPPORT_SUITE_H
#define TESTS_SUPPORT_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <boscage/boscage.h>

struct suite_case {
    const char *name;
    void (*run)(bosc_ctx *ctx); /* runs on every configuration */
    void (*once)(void);         /* or runs once */
};

struct suite {
    const char *name;
    const struct suite_case *cases;
    size_t count;
};

#define SUITE(id)                         \
    extern const struct suite suite_##id; \
    const struct suite suite_##id = {#id, suite_cases_##id, sizeof suite_cases_##id / sizeof suite_cases_##id[0]}

/* Ends the case as failed. */
void suite_fail(const char *file, int line, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));

/* In a thread that a case started: runs `function`. suite_fail then ends the function instead of the case, and sets
 * `failure` to its text; "": no failure. */
enum { SUITE_FAILURE = 1024 };
void suite_try(void (*function)(void *user), void *user, char failure[SUITE_FAILURE]);
/* First step of suite_fail in each runner; does not return within suite_try. */
void suite_fail_thread(const char *file, int line, const char *text);

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) suite_fail(__FILE__, __LINE__, "%s", #condition); \
    } while (0)

#define CHECK_EQ(a, b)                                                                            \
    do {                                                                                          \
        long long suite_a_ = (long long)(a), suite_b_ = (long long)(b);                           \
        if (suite_a_ != suite_b_)                                                                 \
            suite_fail(__FILE__, __LINE__, "%s is %lld, %s is %lld", #a, suite_a_, #b, suite_b_); \
    } while (0)

/* Checks that the call returns `status`; on failure shows the context's message. */
#define CHECK_STATUS(ctx, call, status)                                                             \
    do {                                                                                            \
        bosc_status suite_s_ = (call);                                                              \
        if (suite_s_ != (status))                                                                   \
            suite_fail(__FILE__, __LINE__, "%s: %s, not %s: %s", #call, bosc_status_name(suite_s_), \
                       bosc_status_name(status), bosc_ctx_message(ctx));                            \
    } while (0)
#define CHECK_OK(ctx, call) CHECK_STATUS(ctx, call, BOSC_OK)

/* Checks that the call fails with BOSC_ERR_ARG and a message that begins with the argument's name. */
#define CHECK_ARG(ctx, call, argument)                                                                 \
    do {                                                                                               \
        CHECK_STATUS(ctx, call, BOSC_ERR_ARG);                                                         \
        if (!suite_begins(bosc_ctx_message(ctx), argument))                                            \
            suite_fail(__FILE__, __LINE__, "%s: the message is \"%s\"", #call, bosc_ctx_message(ctx)); \
    } while (0)
bool suite_begins(const char *text, const char *start);

/* Returns the options of a context: backend, device, threads, level. */
bosc_ctx_opts suite_opts_like(bosc_ctx *ctx);
/* Opens a context for a case. */
bosc_ctx *suite_open(const bosc_ctx_opts *opts);

/* Lets a context of many threads share few items among threads, below BI_THREAD_ITEMS; else small cases would run on
 * one thread. Contexts of fewer threads stay unchanged. */
void suite_share_few(bosc_ctx *ctx);

/* True if the context's device is the emulator. */
bool suite_emulated(const bosc_ctx *ctx);

/* True where work is about 100 times slower (the emulator, sanitizers); cases then use small sizes. */
bool suite_slow(const bosc_ctx *ctx);

/* Called by a runner before each case. one_of above 1: small sizes, and about one trial of `one_of`, for tools that
 * slow down every kernel (compute-sanitizer). */
void suite_begin_case(uint64_t one_of);
/* True if a trial must be skipped; cases with many trials call it once per trial. The first trial is always made,
 * and the selection is the same in every run. */
bool suite_leaves_out(void);

/* Small deterministic generator for cases. */
struct suite_random {
    uint64_t state;
};
uint64_t suite_next(struct suite_random *r);
uint64_t suite_below(struct suite_random *r, uint64_t bound);
double suite_unit(struct suite_random *r);

/* malloc that never returns NULL (0 bytes too). */
void *suite_alloc(size_t bytes);

#endif
