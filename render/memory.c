/* How much memory is left, by /proc/meminfo. */
#include "render/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t memory_left(void)
{
    static const char *const names[] = {"MemAvailable:", "SwapFree:"};
    char line[256];
    int64_t sum = -1;
    FILE *in = fopen("/proc/meminfo", "r");
    while (in && fgets(line, sizeof line, in))
        for (int i = 0; i < 2; i++) {
            size_t length = strlen(names[i]);
            if (strncmp(line, names[i], length) == 0)
                sum = (sum < 0 ? 0 : sum) + 1024 * strtoll(line + length, NULL, 10);
        }
    if (in) fclose(in);
    return sum;
}

/* A system that promises more memory than it has ends some process once a large block is written to. */
static bool is_there(size_t bytes)
{
    int64_t left = bytes >= (size_t)1 << 28 ? memory_left() : -1;
    return left < 0 || bytes <= (size_t)left;
}

void *memory_new(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || !is_there(bytes)) return NULL;
    return malloc(bytes ? bytes : 1);
}
