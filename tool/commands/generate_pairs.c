/* boscage generate pairs */
#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/outputs.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* A permutation of all 32-bit numbers by a Feistel network: each round exchanges the halves and adds to one a random
 * number chosen by the other. Four rounds: Luby, Rackoff, How to Construct Pseudorandom Permutations from
 * Pseudorandom Functions (1988). */
enum { ROUNDS = 4, HALF = 1 << 16 };

static uint32_t permute(const uint32_t *tables, uint32_t x)
{
    uint32_t low = x % HALF, high = x / HALF;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t next = (high + tables[round * HALF + (int)low]) % HALF;
        high = low;
        low = next;
    }
    return high * HALF + low;
}

/* Key i is the permutation of i; a 64-bit key has a second permutation in its low half. Value i is i. */
static int generate_pairs(struct job *job, uint64_t seed, bosc_array *keys, bosc_array *values)
{
    int64_t n = keys->shape[0];
    bool is_64bit = keys->dtype == BOSC_U64;
    uint32_t *tables = job_alloc(2 * ROUNDS * HALF, sizeof *tables);
    keys->data = tables ? job_alloc((size_t)n, is_64bit ? 8 : 4) : NULL;
    values->data = keys->data ? job_alloc((size_t)n, sizeof(uint32_t)) : NULL;
    double start = job_now();
    bosc_status status = BOSC_OK;
    if (values->data)
        status =
            bosc_random_bits(job->ctx, seed, 0x6b657973 /* the stream of this command */, 2 * ROUNDS * HALF, tables);
    int code = !values->data ? EXIT_FAILED : status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
    for (int64_t i = 0; !code && i < n; i++) {
        uint32_t x = (uint32_t)i, key = permute(tables, x);
        if (is_64bit)
            ((uint64_t *)keys->data)[i] = (uint64_t)key << 32 | permute(tables + ROUNDS * HALF, x);
        else
            ((uint32_t *)keys->data)[i] = key;
        ((uint32_t *)values->data)[i] = x;
    }
    job_add_seconds(job, "generate", start);
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
    if (path_is_stdout(paths[1])) return report_error(EXIT_USAGE, "V.npy: the values need a file");
    if ((code = check_array_name("V.npy", paths[1])) || (code = job_open(job))) return code;
    bosc_array keys = {.dtype = type ? BOSC_U64 : BOSC_U32, .rank = 1, .shape = {n, 1, 1, 1}};
    bosc_array values = {.dtype = BOSC_U32, .rank = 1, .shape = {n, 1, 1, 1}};
    code = generate_pairs(job, seed, &keys, &values);
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){keys, values}, 2);
    job_set_integer(job, "n", n);
    bosc_array_free(&keys);
    bosc_array_free(&values);
    return code;
}
