/* Runs a suite under cmocka, with a test for each case and configuration:
 *   boscage_test SUITE [CONFIGURATION]
 * A configuration is selected by a part of its name: "cuda", "v3, 8"; "once" selects the cases without one. Without
 * arguments it lists the suites. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/configurations.h"
#include "support/suite.h"

#define SUITE_ENTRY(id) extern const struct suite suite_##id;
#include "suites.inc"
#undef SUITE_ENTRY
static const struct suite *const suites[] = {
#define SUITE_ENTRY(id) &suite_##id,
#include "suites.inc"
#undef SUITE_ENTRY
};

struct test {
    const struct suite_case *of;
    const struct configuration *configuration;
    const char *suite;
    char name[160];
};

void suite_fail(const char *file, int line, const char *format, ...)
{
    char text[SUITE_FAILURE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    suite_fail_thread(file, line, text);
    print_error("%s\n", text);
    _fail(file, line);
    abort();
}

/* Returns n if one trial of n is made. The emulator makes few trials, since a device makes all; fault sweeps make all
 * in builds that count branches. Code of ranks is host code, which the CPU also runs. */
static uint64_t usual_divisor(const struct test *test)
{
    const bool emulated = strcmp(test->configuration->name, "cuda") == 0, faults = strstr(test->suite, "_faults");
    const bool ranks = strncmp(test->suite, "ranks_", 6) == 0;
    const bool again = ranks && test->configuration->opts.threads > 1; /* repeats the run with one thread */
    (void)ranks, (void)again;
#if defined SUITE_FEW
    return emulated && !faults ? SUITE_FEW : 1;
#elif defined SUITE_RACES
    return !emulated ? 6 : faults || ranks ? 24 : 12;
#elif defined SUITE_SLOW
    return !emulated ? 12 : ranks && !faults ? 48 : 24;
#else
    return !emulated ? again ? 6 : 3 : ranks && !faults ? 32 : 16;
#endif
}

/* The same; the environment variable SUITE_TRIALS multiplies the number of trials: by 4 for planted bugs
 * (tools/mutate), by 100 in soaks, which makes all. */
static uint64_t trial_divisor(const struct test *test)
{
    const char *factor = getenv("SUITE_TRIALS");
    const uint64_t usual = usual_divisor(test), times = factor && atoi(factor) > 0 ? (uint64_t)atoi(factor) : 1;
    return usual > times ? usual / times : 1;
}

static void run_case(void **state)
{
    const struct test *test = *state;
    if (test->of->once) {
        test->of->once();
        return;
    }
    suite_begin_case(trial_divisor(test));
    bosc_ctx *ctx = NULL;
    assert_int_equal(bosc_ctx_create(&test->configuration->opts, &ctx), BOSC_OK);
    suite_share_few(ctx);
    test->of->run(ctx);
    bosc_ctx_free(ctx);
}

static int run_suite(const struct suite *suite, const char *configuration)
{
    static struct configuration list[16];
    int n = configurations(suite->name, list, 16);
    size_t capacity = suite->count * (size_t)(n + 1), count = 0;
    struct test *tests = calloc(capacity, sizeof *tests);
    struct CMUnitTest *units = calloc(capacity, sizeof *units);
    if (!tests || !units) return 1;
    for (size_t i = 0; i < suite->count; i++)
        for (int c = 0; c < (suite->cases[i].once ? 1 : n); c++) {
            bool once = suite->cases[i].once != NULL;
            if (configuration && !strstr(once ? "once" : list[c].name, configuration)) continue;
            struct test *t = &tests[count];
            *t = (struct test){.of = &suite->cases[i], .configuration = &list[c], .suite = suite->name};
            snprintf(t->name, sizeof t->name, "%.100s%s%.47s", t->of->name, once ? "" : ": ", once ? "" : list[c].name);
            units[count++] = (struct CMUnitTest){.name = t->name, .test_func = run_case, .initial_state = t};
        }
    int failed = _cmocka_run_group_tests(suite->name, units, count, NULL, NULL);
    free(tests);
    free(units);
    return failed != 0;
}

int main(int argc, char **argv)
{
    for (size_t s = 0; s < sizeof suites / sizeof suites[0]; s++) {
        if (argc == 1)
            puts(suites[s]->name);
        else if (strcmp(suites[s]->name, argv[1]) == 0)
            return run_suite(suites[s], argc > 2 ? argv[2] : NULL);
    }
    if (argc > 1) fprintf(stderr, "boscage_test: no suite is called %s\n", argv[1]);
    return argc > 1 ? 2 : 0;
}
