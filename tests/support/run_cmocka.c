/* Runs one suite (RUN_SUITE) under cmocka: a test for each case and configuration. Arguments: a part of a
 * configuration's name, such as "cuda", to run only those. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/configurations.h"
#include "support/suite.h"

extern const struct suite RUN_SUITE;

struct test {
    const struct suite_case *of;
    const struct configuration *configuration;
    char name[160];
};

void suite_fail(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_error("%s\n", text);
    _fail(file, line);
    abort();
}

static void run(void **state)
{
    const struct test *test = *state;
    if (test->of->once) {
        test->of->once();
        return;
    }
#ifdef SUITE_FEW /* where the emulator's time is not spent on its kernels: counts of coverage */
    suite_begin_case(strcmp(test->configuration->name, "cuda") == 0 ? SUITE_FEW : 1);
#endif
    bosc_ctx *ctx = NULL;
    assert_int_equal(bosc_ctx_create(&test->configuration->opts, &ctx), BOSC_OK);
    test->of->run(ctx);
    bosc_ctx_free(ctx);
}

int main(int argc, char **argv)
{
    static struct configuration list[16];
    int n = configurations(list, 16);
    size_t room = RUN_SUITE.count * (size_t)(n + 1), count = 0;
    struct test *tests = calloc(room, sizeof *tests);
    struct CMUnitTest *units = calloc(room, sizeof *units);
    if (!tests || !units) return 1;
    for (size_t i = 0; i < RUN_SUITE.count; i++)
        for (int c = 0; c < (RUN_SUITE.cases[i].once ? 1 : n); c++) {
            bool once = RUN_SUITE.cases[i].once != NULL;
            if (argc > 1 && (once || !strstr(list[c].name, argv[1]))) continue;
            struct test *t = &tests[count];
            *t = (struct test){.of = &RUN_SUITE.cases[i], .configuration = &list[c]};
            snprintf(t->name, sizeof t->name, "%.100s%s%s", t->of->name, once ? "" : ": ", once ? "" : list[c].name);
            units[count++] = (struct CMUnitTest){.name = t->name, .test_func = run, .initial_state = t};
        }
    int failed = _cmocka_run_group_tests(RUN_SUITE.name, units, count, NULL, NULL);
    free(tests);
    free(units);
    return failed != 0;
}
