/* boscage generate pairs */
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

/* A permutation of all numbers of 32 bits: each round exchanges the halves and adds to one of them what a table of
 * random numbers has for the other. Source: Feistel's network, as Luby and Rackoff, How to Construct Pseudorandom
 * Permutations from Pseudorandom Functions (1988), who need four rounds. */
enum { ROUNDS = 4, HALF = 1 << 16 };

static uint32_t permuted(const uint32_t *tables, uint32_t x)
{
    uint32_t low = x % HALF, high = x / HALF;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t next = (high + tables[round * HALF + (int)low]) % HALF;
        high = low;
        low = next;
    }
    return high * HALF + low;
}

/* Key i is permuted i; one of 64 bits has another permutation in its low half. Value i is i. */
static int make_pairs(struct job *job, uint64_t seed, bosc_array *keys, bosc_array *values)
{
    int64_t n = keys->shape[0];
    bool wide = keys->dtype == BOSC_U64;
    uint32_t *tables = job_alloc(2 * ROUNDS * HALF, sizeof *tables);
    keys->data = tables ? job_alloc((size_t)n, wide ? 8 : 4) : NULL;
    values->data = keys->data ? job_alloc((size_t)n, sizeof(uint32_t)) : NULL;
    double start = job_now();
    bosc_status status = BOSC_OK;
    if (values->data)
        status = bosc_random_bits(job->ctx, seed, 0x6b657973 /* a stream of their own */, 2 * ROUNDS * HALF, tables);
    int code = !values->data ? EXIT_FAILED : status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
    for (int64_t i = 0; !code && i < n; i++) {
        uint32_t x = (uint32_t)i, key = permuted(tables, x);
        if (wide)
            ((uint64_t *)keys->data)[i] = (uint64_t)key << 32 | permuted(tables + ROUNDS * HALF, x);
        else
            ((uint32_t *)keys->data)[i] = key;
        ((uint32_t *)values->data)[i] = x;
    }
    job_seconds(job, "generate", start);
    free(tables);
    return code;
}

int run_generate_pairs(struct job *job)
{
    int64_t n = 0;
    uint64_t seed = 0;
    int type = 0, code;
    const char *paths[] = {job->value[OPT_OUTPUT], job->operands[0]};
    if ((code = option_integer(job, OPT_N, 0, UINT32_MAX, &n)) || (code = option_seed(job, &seed)) ||
        (code = option_choice(job, OPT_DTYPE, &type)))
        return code;
    if (path_is_standard_output(paths[1])) return say(EXIT_USAGE, "V.npy: the values need a file");
    if ((code = check_array_name("V.npy", paths[1])) || (code = job_open(job))) return code;
    bosc_array keys = {.dtype = type ? BOSC_U64 : BOSC_U32, .rank = 1, .shape = {n, 1, 1, 1}};
    bosc_array values = {.dtype = BOSC_U32, .rank = 1, .shape = {n, 1, 1, 1}};
    code = make_pairs(job, seed, &keys, &values);
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){keys, values}, 2);
    job_integer(job, "n", n);
    bosc_array_free(&keys);
    bosc_array_free(&values);
    return code;
}
