/* boscage generate points */
#include <stdlib.h>

#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

int run_generate_points(struct job *job)
{
    int kind = 0, type = 0, code;
    int64_t n = 0, dim = 0;
    uint64_t seed = 0;
    if ((code = option_integer(job, OPT_N, 0, INT64_MAX / 16384, &n)) ||
        (code = option_integer(job, OPT_DIM, 1, 1024, &dim)) || (code = option_seed(job, &seed)) ||
        (code = option_choice(job, OPT_KIND, &kind)) || (code = option_choice(job, OPT_DTYPE, &type)) ||
        (code = job_open(job)))
        return code;
    bosc_array points = {.dtype = (bosc_dtype)(type + 1), .rank = 2, .shape = {n, dim, 1, 1}};
    points.data = job_alloc((size_t)(n * dim), bosc_dtype_size(points.dtype));
    if (!points.data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status =
        bosc_random_points(job->ctx, (bosc_random_points_kind)kind, seed, n, (int32_t)dim, points.dtype, points.data);
    job_add_seconds(job, "generate", start);
    code = status == BOSC_OK ? arrays_write(job, &job->value[OPT_OUTPUT], &points, 1) : report_ctx_error(job, status);
    job_set_integer(job, "n", n);
    job_set_integer(job, "dim", dim);
    bosc_array_free(&points);
    return code;
}
