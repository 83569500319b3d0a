/* Vectors from files. */
#include "tool/tool.h"

int vectors_read(struct job *job, const char *path, int64_t bits, bosc_vectors *vectors)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_vectors_read(path, (int32_t)bits, vectors, &error);
    job_seconds(job, "read", start);
    if (status == BOSC_ERR_ARG) return say(EXIT_USAGE, "--bits: is missing, but %s is packed", path);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}
