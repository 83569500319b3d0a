/* boscage_soak KIND SEED: one round; exits with 1 and says why if it finds a fault. */
#include "soak/soak.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_fail(const char *file, int line, const char *format, ...)
{
    char text[SUITE_FAILURE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    suite_fail_thread(file, line, text);
    fprintf(stderr, "%s (%s:%d)\n", text, file, line);
    exit(1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(uint64_t seed);
    } kinds[] = {{"decimals", soak_decimals},
                 {"bits", soak_bits},
#ifdef BOSC_FAULTS
                 {"faults", soak_faults},
#endif
                 {"threads", soak_threads},
                 {"large", soak_large}};
    for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            kinds[i].run(strtoull(argv[2], NULL, 10));
            return 0;
        }
    fprintf(stderr, "usage: boscage_soak decimals|bits|faults|threads|large SEED\n");
    return 2;
}
