/* boscage generate heights */
#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { SPACING = 30 }; /* metres; documented in the help */

static int write_heights(struct job *job, const bosc_heights *heights)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_heights_write(job->value[OPT_OUTPUT], heights, &error);
    job_add_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int run_generate_heights(struct job *job)
{
    static const char *const endings[] = {".png", ".pgm", ".hgt", ".tif", ".tiff", ".npy", NULL};
    int kind = 0, code;
    int64_t size = 0;
    uint64_t seed = 0;
    if ((code = option_integer(job, OPT_SIZE, 1, 1 << 20, &size)) || (code = option_seed(job, &seed)) ||
        (code = option_choice(job, OPT_KIND, &kind)) || (code = option_ending(job, OPT_OUTPUT, endings)) ||
        (code = job_open(job)))
        return code;
    bosc_heights heights = {.width = size, .height = size, .spacing = SPACING};
    heights.data = job_alloc((size_t)(size * size), sizeof *heights.data);
    if (!heights.data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_random_heights(job->ctx, (bosc_random_heights_kind)kind, seed, size, size, heights.data);
    job_add_seconds(job, "generate", start);
    code = status == BOSC_OK ? write_heights(job, &heights) : report_ctx_error(job, status);
    job_set_integer(job, "size", size);
    job_set_number(job, "spacing", SPACING);
    bosc_heights_free(&heights);
    return code;
}
