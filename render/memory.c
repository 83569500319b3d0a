/* Refuses allocations that exceed the available memory, as /proc/meminfo reports it. */
#include "render/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t memory_available(void)
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

/* True if the memory is available. With overcommit malloc() succeeds regardless, and the kernel kills a process on the
 * first writes. Only blocks of 256 MiB or more are checked: chosen, so that small ones skip the file. */
static bool is_available(size_t bytes)
{
    int64_t available = bytes >= (size_t)1 << 28 ? memory_available() : -1;
    return available < 0 || bytes <= (size_t)available;
}

void *memory_allocate(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || !is_available(bytes)) return NULL;
    return malloc(bytes ? bytes : 1);
}
