/* Calls preserve errno and the floating-point state, and work after a fork and on systems without threads. */
#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/fault.h"
#include "support/arrays.h"

/* ---- errno ---- */

enum { ODD = 7777 };

/* An allocator that has no large block, and says so as malloc does. */
static void *allocate_small(void *user, size_t bytes)
{
    (void)user;
    errno = ENOMEM;
    return bytes < 1000000 ? malloc(bytes) : NULL;
}

static void release_with_errno(void *user, void *memory, size_t bytes)
{
    (void)user, (void)bytes;
    errno = EINVAL;
    free(memory);
}

static void keeps_errno(bosc_ctx *like)
{
    enum { N = 5000 };
    static float points[N * 3];
    bosc_kdtree *tree = NULL;
    void *memory = NULL;
    for (int i = 0; i < N * 3; i++) points[i] = (float)(i * 7919 % 10007);
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 3};
    bosc_ctx_opts hooked = suite_opts_like(like);
    hooked.host = (bosc_allocator){allocate_small, release_with_errno, NULL};
    errno = ODD;
    bosc_ctx *ctx = suite_open(&hooked);
    CHECK_EQ(errno, ODD);
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, N, 3));
    CHECK_EQ(errno, ODD);
    bosc_status refused = bosc_ctx_alloc(ctx, 2000000, &memory);
    CHECK_EQ(errno, ODD);
    CHECK((refused == BOSC_ERR_NOMEM) == !memory); /* a device has other memory */
    bosc_ctx_release(ctx, memory, 2000000);
    CHECK_OK(ctx, bosc_ctx_trim(ctx));
    bosc_kdtree_free(tree);
    CHECK_EQ(errno, ODD);
    bosc_ctx_free(ctx);
    CHECK_EQ(errno, ODD);
}

/* ---- floating point ---- */

enum { VALUES = 20000, QUERIES = 500, K = 4 };

struct answers {
    float sum, scan[VALUES];
    double sum64;
    int64_t ids[QUERIES * K];
    float dist2[QUERIES * K];
};

static float values[VALUES];
static double values64[VALUES];

static void make_values(void)
{
    struct suite_random r = {5};
    for (int i = 0; i < VALUES; i++) {
        values64[i] = suite_unit(&r) - 0.4;
        values[i] = (float)values64[i] * (i % 2 ? 1e-38F : 1);
    }
}

/* Computations whose bits depend on the rounding mode and on the flushing of denormal numbers. */
static void compute(bosc_ctx *ctx, struct answers *a)
{
    bosc_kdtree *tree = NULL;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 2};
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F32, values, VALUES, &a->sum));
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F64, values64, VALUES, &a->sum64));
    CHECK_OK(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F32, values, VALUES, a->scan));
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, values, VALUES / 2, 2));
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, values + 1, QUERIES, 2, K, a->ids, a->dist2));
    bosc_kdtree_free(tree);
}

#if defined(__x86_64__)
static unsigned control_word(void) { return _mm_getcsr() & 0xffc0U; }
static void flush_small_numbers(void) { _mm_setcsr(_mm_getcsr() | 0x8040U); }
#else
static unsigned control_word(void) { return (unsigned)fegetround(); }
static void flush_small_numbers(void) {}
#endif

/* A way of rounding, or less than 0: small numbers are 0. */
static void set_floating_point(int mode)
{
    if (mode < 0)
        flush_small_numbers();
    else
        fesetround(mode);
}

/* Answers are the same bits, whatever the threads of the caller's loops were left with, and its own state stays. */
static void keeps_floating_point(bosc_ctx *ctx)
{
    static struct answers right, now;
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, -1};
    memset(&right, 0, sizeof right);
    make_values();
    compute(ctx, &right);
    for (int m = 0; m < 4; m++) {
        memset(&now, 0, sizeof now);
#pragma omp parallel num_threads(8)
        set_floating_point(modes[m]);
        set_floating_point(modes[m]); /* some runtimes restore the state a thread had before a loop */
        unsigned outside = control_word();
        compute(ctx, &now);
        unsigned after = control_word();
#pragma omp parallel num_threads(8)
        fesetenv(FE_DFL_ENV);
        fesetenv(FE_DFL_ENV);
        CHECK_EQ(after, outside);
        CHECK(memcmp(&now, &right, sizeof now) == 0);
    }
}

/* ---- fork ---- */

static int run_in_child(bosc_ctx *ctx, struct answers *right)
{
    static struct answers now;
    bosc_ctx_info info = {.size = sizeof info};
    memset(&now, 0, sizeof now);
    compute(ctx, &now);
    if (bosc_ctx_get_info(ctx, &info) != BOSC_OK) return 2;
    return memcmp(&now, right, sizeof now) != 0 ? 3 : info.threads != 1;
}

/* The child of a process that has used threads answers with one. */
static void survives_fork(bosc_ctx *ctx)
{
    static struct answers right;
    bosc_ctx_info info = {.size = sizeof info};
    int how = 0;
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (info.backend == BOSC_BACKEND_CUDA) return; /* a device does not survive one */
    memset(&right, 0, sizeof right);
    make_values();
    compute(ctx, &right);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        _exit(run_in_child(ctx, &right));
    }
    CHECK_EQ(waitpid(child, &how, 0), child);
    CHECK(WIFEXITED(how));
    CHECK_EQ(WEXITSTATUS(how), 0);
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    compute(ctx, &right); /* the parent goes on as before */
}

/* ---- threads ---- */

#if defined(BOSC_FAULTS) && defined(_OPENMP)
static int warnings;

static void count_warning(void *user, bosc_log_level level, const char *text)
{
    (void)user;
    warnings += level == BOSC_LOG_WARNING && suite_begins(text, "threads: 4 instead of 4000");
}

/* A system that starts seven threads and no more: three of them are taken, the others' memory is left for the work. */
static void few_threads(void)
{
    bosc_ctx_opts opts = {.size = sizeof opts, .backend = BOSC_BACKEND_CPU, .threads = 4000, .log = count_warning};
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx *ctx = NULL;
    bi_fault_arm(BI_FAULT_THREAD, 7, true);
    CHECK_EQ(bosc_ctx_create(&opts, &ctx), BOSC_OK);
    bi_fault_disarm();
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    CHECK_EQ(info.threads, 4);
    CHECK_EQ(warnings, 1);
    bosc_ctx_free(ctx);
}
#endif

static const struct suite_case suite_cases_caller[] = {
    {"errno", keeps_errno, NULL},
    {"rounding and small numbers", keeps_floating_point, NULL},
    {"a fork", survives_fork, NULL},
#if defined(BOSC_FAULTS) && defined(_OPENMP)
    {"a system with few threads", NULL, few_threads},
#endif
};
SUITE(caller);
