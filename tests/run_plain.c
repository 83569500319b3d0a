/* Runs every suite without a test framework, for machines that have none: gpu_test [configuration [suite]]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "configurations.h"
#include "suite.h"

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
    va_list args;
    va_start(args, format);
    printf("    %s:%d: ", file, line);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    longjmp(out_of_case, 1);
}

static bool run(const struct suite_case *of, const struct configuration *configuration)
{
    if (setjmp(out_of_case)) return false; /* what the failed case held is leaked */
    if (of->once) {
        of->once();
        return true;
    }
    bosc_ctx *ctx = NULL;
    bosc_status status = bosc_ctx_create(&configuration->opts, &ctx);
    if (status != BOSC_OK) suite_fail(__FILE__, __LINE__, "no context: %s", bosc_status_text(status));
    of->run(ctx);
    bosc_ctx_free(ctx);
    return true;
}

int main(int argc, char **argv)
{
    static struct configuration list[16];
    int n = configurations(list, 16), passed = 0, failed = 0;
    for (size_t s = 0; s < sizeof suites / sizeof suites[0]; s++) {
        if (argc > 2 && strcmp(suites[s]->name, argv[2]) != 0) continue;
        for (size_t i = 0; i < suites[s]->count; i++) {
            const struct suite_case *of = &suites[s]->cases[i];
            for (int c = 0; c < (of->once ? 1 : n); c++) {
                if (argc > 1 && (of->once || !strstr(list[c].name, argv[1]))) continue;
                bool ok = run(of, &list[c]);
                if (!ok) printf("FAILED %s: %s: %s\n", suites[s]->name, of->name, of->once ? "once" : list[c].name);
                passed += ok;
                failed += !ok;
                fflush(stdout);
            }
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
