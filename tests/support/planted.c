/* Planted bugs that the sanitizers must find: planted overflow | leak | undefined | unwritten | race. `planted
 * barrier` is correct and must not be reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };

static int overflow(volatile int n)
{
    char *bytes = calloc(1, (size_t)n);
    if (!bytes) return 1;
    int last = bytes[n];
    free(bytes);
    return last;
}

static int leak(void)
{
    void *volatile lost = malloc(1000);
    lost = NULL;
    return lost != NULL;
}

static int undefined(volatile int n) { return n + 2147483647; }

static int unwritten(void)
{
    int *volatile memory = malloc(sizeof *memory);
    int odd = memory && *memory % 2 ? 1 : 0;
    free(memory);
    return odd;
}

static int race(void)
{
    int sum = 0;
#pragma omp parallel for num_threads(2) shared(sum)
    for (int i = 0; i < N; i++) sum += i;
    return sum == 0;
}

static int barrier(void)
{
    static int item[N];
    int sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int i = 0; i < N; i++) item[i] = i;
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < N; i++) sum += item[N - 1 - i];
    }
    return sum != N * (N - 1) / 2;
}

int main(int argc, char **argv)
{
    const char *bug = argc > 1 ? argv[1] : "";
    int code = strcmp(bug, "overflow") == 0    ? overflow(16)
               : strcmp(bug, "leak") == 0      ? leak()
               : strcmp(bug, "undefined") == 0 ? undefined(1)
               : strcmp(bug, "unwritten") == 0 ? unwritten()
               : strcmp(bug, "race") == 0      ? race()
               : strcmp(bug, "barrier") == 0   ? barrier()
                                               : 2;
    printf("%s: %d\n", bug, code);
    return code;
}
