#include "tool/commands/vectors.h"

#include "tool/clock.h"
#include "tool/job.h"
#include "tool/output/report.h"
#include "tool/tool.h"

int vectors_read(struct job *job, const char *path, int64_t bits, bosc_vectors *vectors)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_vectors_read(path, (int32_t)bits, vectors, &error);
    job_add_seconds(job, "read", start);
    if (status == BOSC_ERR_ARG) return report_error(EXIT_USAGE, "--bits: is missing, but %s is packed", path);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}
