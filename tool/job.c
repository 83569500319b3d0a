/* A job: its context, times and results. */
#include "tool/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "render/memory.h"
#include "tool/options/find_command.h"
#include "tool/options/values.h"
#include "tool/options/option_table.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Reports why the context could not be created. */
static int report_context_error(bosc_status status, const bosc_ctx_opts *opts)
{
    const char *reason = bosc_backend_reason(opts->backend);
    if (status != BOSC_ERR_BACKEND) return report_error(status_exit_code(status), "%s", bosc_status_text(status));
    if (*reason) return report_error(EXIT_NO_BACKEND, "--backend: %s", reason);
    return report_error(EXIT_NO_BACKEND, "--device: there is no CUDA device %d (%d found)", opts->device,
                        bosc_device_count());
}

/* --devices: the job's context is on the first device of the list. */
static int choose_first_device(const struct job *job, int *backend, int64_t *device)
{
    static const enum option excluded[] = {OPT_RANKS, OPT_DEVICE};
    if (!job->value[OPT_DEVICES]) return EXIT_DONE;
    for (size_t i = 0; i < sizeof excluded / sizeof excluded[0]; i++)
        if (job->value[excluded[i]])
            return report_error(EXIT_USAGE, "%s: cannot be combined with --devices", option_flag(excluded[i]));
    /* Choices of --backend count from 0, enumerators from 1. */
    if (job->value[OPT_BACKEND] && *backend + 1 != BOSC_BACKEND_CUDA)
        return report_error(EXIT_USAGE, "--devices: requires --backend cuda");
    *backend = BOSC_BACKEND_CUDA - 1;
    *device = strtol(job->value[OPT_DEVICES], NULL, 10); /* the list is checked when the ranks are opened */
    return *device >= 0 ? EXIT_DONE : report_error(EXIT_USAGE, "--devices: %s", job->value[OPT_DEVICES]);
}

/* Returns EXIT_DONE, or reports an error. The caller closes the job, after a failure too. */
int job_open(struct job *job)
{
    /* 1. Common options. */
    int64_t device = 0, threads = 0;
    uint64_t seed = 0;
    int backend = 0, code;
    if ((code = option_choice(job, OPT_BACKEND, &backend)) ||
        (code = option_integer(job, OPT_DEVICE, 0, INT32_MAX, &device)) ||
        (code = choose_first_device(job, &backend, &device)) ||
        (code = option_integer(job, OPT_THREADS, 1, 4096, &threads)) || (code = option_seed(job, &seed)))
        return code;
#ifdef _OPENMP
    if (threads) omp_set_num_threads((int)threads); /* for the readers of files, which use OpenMP without a context */
#endif
    /* 2. The context, with a progress bar if standard error is a terminal. */
    bosc_ctx_opts opts = {.size = sizeof opts,
                          .backend = (bosc_backend)(backend + 1),
                          .device = (int32_t)device,
                          .threads = (int32_t)threads};
    if (isatty(STDERR_FILENO) && !job->value[OPT_QUIET]) {
        opts.progress = progress_show;
        bosc_io_set_progress(progress_show, NULL); /* readers and writers of files */
    }
    bosc_status status = bosc_ctx_create(&opts, &job->ctx);
    if (status != BOSC_OK) return report_context_error(status, &opts);
    job->results = json_object();
    job->seconds = json_object();
    if (!job->results || !job->seconds) return report_error(EXIT_FAILED, "out of memory");
    return EXIT_DONE;
}

void job_add_seconds(struct job *job, const char *stage, double since)
{
    double seconds = json_real_value(json_object_get(job->seconds, stage));
    json_object_set_new(job->seconds, stage, json_real(seconds + job_now() - since));
}

void job_set_json(struct job *job, const char *name, json_t *value) { json_object_set_new(job->results, name, value); }

void job_set_integer(struct job *job, const char *name, int64_t value) { job_set_json(job, name, json_integer(value)); }

void job_set_number(struct job *job, const char *name, double value)
{
    json_t *number = json_real(value); /* NULL if not finite */
    job_set_json(job, name, number ? number : json_null());
}

void job_set_text(struct job *job, const char *name, const char *value) { job_set_json(job, name, json_string(value)); }

void job_set_note(struct job *job, const char *name, const char *format, ...)
{
    char text[256]; /* chosen: room for a sentence */
    json_t *notes = json_object_get(job->results, "notes");
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!notes) job_set_json(job, "notes", notes = json_object());
    json_object_set_new(notes, name, json_string(text));
}

void *job_alloc(size_t count, size_t size)
{
    void *memory = memory_allocate(count, size);
    if (!memory) report_error(EXIT_FAILED, "out of memory for %zu times %zu bytes", count, size);
    return memory;
}

static const char *backend_name(const struct job *job)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    return option_choice_name(job, OPT_BACKEND, info.backend - 1);
}

/* Prints {"command": ..., "backend": ..., "seconds": {...}, results} to standard output, or to standard error if an
 * output is "-". */
static int print_json(const struct job *job)
{
    struct command_text name = command_name(job->command);
    json_t *object =
        json_pack("{s:s, s:s, s:O}", "command", name.text, "backend", backend_name(job), "seconds", job->seconds);
    char *text = NULL;
    if (object && json_object_update(object, job->results) == 0) text = json_dumps(object, JSON_REAL_PRECISION(17));
    json_decref(object);
    if (!text) return report_error(EXIT_FAILED, "out of memory");
    fprintf(writes_to_stdout(job) ? stderr : stdout, "%s\n", text);
    free(text);
    return EXIT_DONE;
}

/* Prints a result as name, value and note ("": none); an array of rows as a matrix; nothing for an object. */
static void print_value(const char *name, const json_t *value, const char *note)
{
    if (json_is_integer(value)) printf("%-12s %lld%s\n", name, (long long)json_integer_value(value), note);
    if (json_is_real(value)) printf("%-12s %.9g%s\n", name, json_real_value(value), note);
    if (json_is_string(value)) printf("%-12s %s%s\n", name, json_string_value(value), note);
    if (json_is_boolean(value)) printf("%-12s %s%s\n", name, json_is_true(value) ? "yes" : "no", note);
    if (json_is_null(value)) printf("%-12s undefined%s\n", name, note);
    for (size_t r = 0; r < json_array_size(value); r++) { /* a matrix */
        const json_t *row = json_array_get(value, r);
        size_t columns = json_array_size(row);
        if (columns) printf("%-12s", r ? "" : name);
        for (size_t c = 0; c < columns; c++)
            printf(" %.9g%s", json_real_value(json_array_get(row, c)), c + 1 < columns ? "" : "\n");
    }
}

/* Prints the results, a line each, and the seconds of all stages in one line. */
static void print_lines(const struct job *job)
{
    json_t *all = job->results;
    const json_t *notes = json_object_get(all, "notes");
    for (void *i = json_object_iter(all); i; i = json_object_iter_next(all, i)) {
        char note[264] = "";
        const char *text = json_string_value(json_object_get(notes, json_object_iter_key(i)));
        if (text) snprintf(note, sizeof note, " (%s)", text);
        print_value(json_object_iter_key(i), json_object_iter_value(i), note);
    }
    all = job->seconds;
    if (json_object_size(all) == 0) return;
    printf("%-12s", "seconds");
    for (void *i = json_object_iter(all); i; i = json_object_iter_next(all, i))
        printf(" %s %.6f", json_object_iter_key(i), json_real_value(json_object_iter_value(i)));
    printf(" (%s)\n", backend_name(job));
}

int job_close(struct job *job, int code)
{
    progress_clear();
    if ((code == EXIT_DONE || job->has_failed_results) && job->results && !job->silent) {
        if (job->value[OPT_JSON])
            code = print_json(job) ? EXIT_FAILED : code;
        else if (!job->value[OPT_QUIET] && !writes_to_stdout(job))
            print_lines(job);
    }
    bool written = fflush(stdout) == 0 && !ferror(stdout); /* long outputs are flushed before this */
    if (!written && code == EXIT_DONE) code = report_error(EXIT_FAILED, "-: cannot write to standard output");
    json_decref(job->results);
    json_decref(job->seconds);
    bosc_ctx_free(job->ctx);
    return code;
}
