/* Context, results and times of a job. */
#ifndef TOOL_JOB_H
#define TOOL_JOB_H

#include <time.h>

#include "tool/tool.h"

int job_open(struct job *job);            /* creates the context that the options request */
int job_close(struct job *job, int code); /* prints the results, frees the context; returns the exit code */

/* Returns the seconds of a monotonic clock. */
static inline double job_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void job_add_seconds(struct job *job, const char *stage, double since); /* adds the time since `since` to a stage */
void job_set_integer(struct job *job, const char *name, int64_t value);
void job_set_number(struct job *job, const char *name, double value); /* null if not finite */
void job_set_text(struct job *job, const char *name, const char *value);
/* Says of a result that its value was assumed, or its source: in brackets behind the value, and in the object `notes`
 * with --json. */
void job_set_note(struct job *job, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void job_set_json(struct job *job, const char *name, json_t *value);

/* Allocates count elements of `size` bytes, freed by free(). On failure reports the error and returns NULL. */
void *job_alloc(size_t count, size_t size);

#endif
