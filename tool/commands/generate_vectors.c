/* boscage generate vectors */
#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

enum { WALK = 64 /* vectors of a walk */ };

/* Writes vectors that resemble the cells along paths: every WALK vectors a walk starts at random bits, and each step
 * flips one bit. */
static void write_walks(const uint32_t *random, int64_t n, int64_t bits, uint8_t *rows)
{
    int64_t bytes = (bits + 7) / 8, per_walk = WALK + (bits + 31) / 32;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t *walk = random + i / WALK * per_walk;
        uint8_t *row = rows + i * bytes;
        if (i % WALK == 0) {
            for (int64_t k = 0; k < bits; k++)
                row[k / 8] |= (uint8_t)((walk[WALK + k / 32] >> k % 32 & 1) << (7 - k % 8));
            continue;
        }
        int64_t bit = (int64_t)((uint64_t)walk[i % WALK] * (uint64_t)bits >> 32);
        memcpy(row, row - bytes, (size_t)bytes);
        row[bit / 8] ^= (uint8_t)(1 << (7 - bit % 8));
    }
}

int run_generate_vectors(struct job *job)
{
    int64_t n = 0, bits = 0;
    uint64_t seed = 0;
    int code;
    if ((code = option_ending(job, OPT_OUTPUT, (const char *const[]){".npy", NULL})) ||
        (code = option_integer(job, OPT_N, 0, UINT32_MAX - 2, &n)) ||
        (code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &bits)) || (code = option_seed(job, &seed)) ||
        (code = job_open(job)))
        return code;
    /* Random words per walk: one per step, and the first vector. */
    int64_t bytes = (bits + 7) / 8, count = (n + WALK - 1) / WALK * (WALK + (bits + 31) / 32);
    bosc_array rows = {.dtype = BOSC_U8, .rank = 2, .shape = {n, bytes, 1, 1}};
    uint32_t *random = job_alloc((size_t)count, sizeof *random);
    rows.data = random ? job_alloc((size_t)n, (size_t)bytes) : NULL;
    code = rows.data ? EXIT_DONE : EXIT_FAILED;
    double start = job_now();
    if (!code) {
        bosc_status status =
            bosc_random_bits(job->ctx, seed, 0x63656c6c /* the stream of this command */, count, random);
        memset(rows.data, 0, (size_t)(n * bytes));
        if (status == BOSC_OK)
            write_walks(random, n, bits, rows.data);
        else
            code = report_ctx_error(job, status);
    }
    job_add_seconds(job, "generate", start);
    free(random);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &rows, 1);
    job_set_integer(job, "n", n);
    bosc_array_free(&rows);
    return code;
}
