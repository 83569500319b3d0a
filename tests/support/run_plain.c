/* Runs every suite without a test framework:
 *   gpu_test [--few N] [configuration [suite [case]]]
 *   gpu_test --list     prints the names of the suites that have cases for each configuration
 * A configuration and a case are selected by a part of their names. --few: small sizes, and about one trial of N in
 * cases with many; for compute-sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static jmp_buf out_of_case;

void suite_fail(const char *file, int line, const char *format, ...)
{
    char text[SUITE_FAILURE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    suite_fail_thread(file, line, text);
    printf("    %s:%d: %s\n", file, line, text);
    longjmp(out_of_case, 1);
}

static bool run_case(const struct suite_case *of, const struct configuration *configuration)
{
    if (setjmp(out_of_case)) return false; /* the failed case leaks its memory */
    if (of->once) {
        of->once();
        return true;
    }
    bosc_ctx *ctx = NULL;
    bosc_status status = bosc_ctx_create(&configuration->opts, &ctx);
    if (status != BOSC_OK) suite_fail(__FILE__, __LINE__, "no context: %s", bosc_status_text(status));
    suite_share_few(ctx);
    of->run(ctx);
    bosc_ctx_free(ctx);
    return true;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool has_configured_cases(const struct suite *suite)
{
    for (size_t i = 0; i < suite->count; i++)
        if (suite->cases[i].run) return true;
    return false;
}

/* Runs the selected cases of a suite on the selected configurations (NULL: all) and prints failures. */
static void run_suite(const struct suite *suite, const char *configuration, const char *name, uint64_t one_of,
                      int counts[2])
{
    static struct configuration list[16];
    int n = configurations(suite->name, list, 16);
    for (size_t i = 0; i < suite->count; i++) {
        const struct suite_case *of = &suite->cases[i];
        if (name && !strstr(of->name, name)) continue;
        for (int c = 0; c < (of->once ? 1 : n); c++) {
            if (configuration && (of->once || !strstr(list[c].name, configuration))) continue;
            double begin = now(), seconds;
            suite_begin_case(one_of);
            bool ok = run_case(of, &list[c]);
            if ((seconds = now() - begin) > 5) printf("    %s: %.1f s\n", of->name, seconds);
            if (!ok) printf("FAILED %s: %s: %s\n", suite->name, of->name, of->once ? "once" : list[c].name);
            counts[ok]++;
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    bool few = argc > 2 && strcmp(argv[1], "--few") == 0, only_list = argc > 1 && strcmp(argv[1], "--list") == 0;
    int first = few ? 3 : 1;
    uint64_t one_of = few ? strtoull(argv[2], NULL, 10) : 1;
    const char *configuration = argc > first ? argv[first] : NULL, *name = argc > first + 1 ? argv[first + 1] : NULL,
               *case_name = argc > first + 2 ? argv[first + 2] : NULL;
    int counts[2] = {0, 0}; /* failed, passed */
    for (size_t s = 0; s < sizeof suites / sizeof suites[0]; s++) {
        if (name && strcmp(suites[s]->name, name) != 0) continue;
        if (only_list) {
            if (has_configured_cases(suites[s])) printf("%s\n", suites[s]->name);
            continue;
        }
        double begin = now();
        run_suite(suites[s], configuration, case_name, one_of, counts);
        printf("%s: %.1f s\n", suites[s]->name, now() - begin);
    }
    if (only_list) return 0;
    printf("%d passed, %d failed\n", counts[1], counts[0]);
    return counts[0] != 0 || counts[1] == 0;
}
