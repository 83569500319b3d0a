/* A job: its context, what it says, its times and results. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "render/memory.h"
#include "tool/tool.h"

static int refuse_context(bosc_status status, const bosc_ctx_opts *opts)
{
    const char *reason = bosc_backend_reason(opts->backend);
    if (status != BOSC_ERR_BACKEND) return say(exit_code_of(status), "%s", bosc_status_text(status));
    if (*reason) return say(EXIT_NO_BACKEND, "--backend: %s", reason);
    return say(EXIT_NO_BACKEND, "--device: there is no CUDA device %d (%d found)", opts->device, bosc_device_count());
}

/* Ranks on CUDA devices: the job's own context is on the first of them. */
static int take_devices(const struct job *job, int *backend, int64_t *device)
{
    static const enum option others[] = {OPT_RANKS, OPT_DEVICE};
    if (!job->value[OPT_DEVICES]) return EXIT_DONE;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (job->value[others[i]]) return say(EXIT_USAGE, "%s: does not go with --devices", option_flag(others[i]));
    if (job->value[OPT_BACKEND] && *backend + 1 != BOSC_BACKEND_CUDA)
        return say(EXIT_USAGE, "--devices: goes with --backend cuda alone");
    *backend = BOSC_BACKEND_CUDA - 1;
    *device = strtol(job->value[OPT_DEVICES], NULL, 10); /* the list is checked when the ranks are opened */
    return *device >= 0 ? EXIT_DONE : say(EXIT_USAGE, "--devices: %s", job->value[OPT_DEVICES]);
}

int job_open(struct job *job)
{
    int64_t device = 0, threads = 0;
    uint64_t seed = 0;
    int backend = 0, code;
    if ((code = option_choice(job, OPT_BACKEND, &backend)) ||
        (code = option_integer(job, OPT_DEVICE, 0, INT32_MAX, &device)) ||
        (code = take_devices(job, &backend, &device)) || (code = option_integer(job, OPT_THREADS, 1, 4096, &threads)) ||
        (code = option_seed(job, &seed)))
        return code;
#ifdef _OPENMP
    if (threads) omp_set_num_threads((int)threads); /* for the readers, which have no context */
#endif
    bosc_ctx_opts opts = {.size = sizeof opts,
                          .backend = (bosc_backend)(backend + 1),
                          .device = (int32_t)device,
                          .threads = (int32_t)threads};
    if (isatty(STDERR_FILENO) && !job->value[OPT_QUIET]) {
        opts.progress = progress_show;
        bosc_io_set_progress(progress_show, NULL); /* of the readers and writers, likewise */
    }
    bosc_status status = bosc_ctx_create(&opts, &job->ctx);
    if (status != BOSC_OK) return refuse_context(status, &opts);
    job->results = json_object();
    job->seconds = json_object();
    if (!job->results || !job->seconds) return say(EXIT_FAILED, "out of memory");
    return EXIT_DONE;
}

void job_seconds(struct job *job, const char *stage, double since)
{
    double before = json_real_value(json_object_get(job->seconds, stage));
    json_object_set_new(job->seconds, stage, json_real(before + job_now() - since));
}

void job_json(struct job *job, const char *name, json_t *value) { json_object_set_new(job->results, name, value); }

void job_integer(struct job *job, const char *name, int64_t value) { job_json(job, name, json_integer(value)); }

void job_number(struct job *job, const char *name, double value)
{
    json_t *number = json_real(value); /* none for what is not finite */
    job_json(job, name, number ? number : json_null());
}

void job_text(struct job *job, const char *name, const char *value) { job_json(job, name, json_string(value)); }

void *job_alloc(size_t count, size_t size)
{
    void *memory = memory_new(count, size);
    if (!memory) say(EXIT_FAILED, "out of memory for %zu times %zu bytes", count, size);
    return memory;
}

static const char *backend_name(const struct job *job)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    return option_word(job, OPT_BACKEND, info.backend - 1);
}

/* {"command": ..., "backend": ..., "seconds": {...}, results}: to standard error where standard output is an output. */
static int print_json(const struct job *job)
{
    struct command_name name = command_name(job->command);
    json_t *whole =
        json_pack("{s:s, s:s, s:O}", "command", name.text, "backend", backend_name(job), "seconds", job->seconds);
    char *text = NULL;
    if (whole && json_object_update(whole, job->results) == 0) text = json_dumps(whole, JSON_REAL_PRECISION(17));
    json_decref(whole);
    if (!text) return say(EXIT_FAILED, "out of memory");
    fprintf(options_write_standard_output(job) ? stderr : stdout, "%s\n", text);
    free(text);
    return EXIT_DONE;
}

static void print_value(const char *name, const json_t *value)
{
    if (json_is_integer(value)) printf("%-12s %lld\n", name, (long long)json_integer_value(value));
    if (json_is_real(value)) printf("%-12s %.9g\n", name, json_real_value(value));
    if (json_is_string(value)) printf("%-12s %s\n", name, json_string_value(value));
    if (json_is_boolean(value)) printf("%-12s %s\n", name, json_is_true(value) ? "yes" : "no");
    if (json_is_null(value)) printf("%-12s undefined\n", name);
    for (size_t r = 0; r < json_array_size(value); r++) { /* a matrix */
        const json_t *row = json_array_get(value, r);
        size_t columns = json_array_size(row);
        if (columns) printf("%-12s", r ? "" : name);
        for (size_t c = 0; c < columns; c++)
            printf(" %.9g%s", json_real_value(json_array_get(row, c)), c + 1 < columns ? "" : "\n");
    }
}

static void print_lines(const struct job *job)
{
    json_t *all = job->results;
    for (void *i = json_object_iter(all); i; i = json_object_iter_next(all, i))
        print_value(json_object_iter_key(i), json_object_iter_value(i));
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
    if ((code == EXIT_DONE || job->answered) && job->results && !job->silent) {
        if (job->value[OPT_JSON])
            code = print_json(job) ? EXIT_FAILED : code;
        else if (!job->value[OPT_QUIET] && !options_write_standard_output(job))
            print_lines(job);
    }
    bool written = fflush(stdout) == 0 && !ferror(stdout); /* long texts are written before this */
    if (!written && code == EXIT_DONE) code = say(EXIT_FAILED, "-: cannot write to standard output");
    json_decref(job->results);
    json_decref(job->seconds);
    bosc_ctx_free(job->ctx);
    return code;
}
