/* A job: its context, what it says, its times and results. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "tool/tool.h"

static const char *const backend_names[] = {"cpu", "cuda", "auto", NULL};

static bool progress_shown; /* the terminal's line holds a bar */

static void clear_progress(void)
{
    if (progress_shown) fprintf(stderr, "\r%60s\r", "");
    progress_shown = false;
}

int say(int code, const char *format, ...)
{
    va_list args;
    clear_progress();
    va_start(args, format);
    fputs("boscage: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

int exit_code_of(bosc_status status)
{
    return status == BOSC_OK ? EXIT_DONE : status == BOSC_ERR_BACKEND ? EXIT_NO_BACKEND : EXIT_FAILED;
}

int say_io(bosc_status status, const bosc_io_error *error) { return say(exit_code_of(status), "%s", error->text); }

int say_ctx(const struct job *job, bosc_status status)
{
    const char *text = bosc_message(job->ctx);
    return say(exit_code_of(status), "%s", *text ? text : bosc_status_text(status));
}

double job_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Draws a bar on the terminal, at most ten times a second. */
static int show_progress(void *user, const char *stage, double part)
{
    static double last;
    char bar[31];
    (void)user;
    double now = job_now();
    if (now - last < 0.1) return 0;
    last = now;
    int full = part < 0 ? 0 : part > 1 ? 30 : (int)(part * 30);
    memset(bar, '-', 30);
    memset(bar, '#', (size_t)full);
    bar[30] = 0;
    fprintf(stderr, "\r%-12s [%s] %3d %%", stage, bar, (int)(part * 100));
    fflush(stderr);
    progress_shown = true;
    return 0;
}

static int refuse_context(bosc_status status, const bosc_ctx_opts *opts)
{
    const char *reason = bosc_backend_reason(opts->backend);
    if (status != BOSC_ERR_BACKEND) return say(exit_code_of(status), "%s", bosc_status_text(status));
    if (*reason) return say(EXIT_NO_BACKEND, "--backend: %s", reason);
    return say(EXIT_NO_BACKEND, "--device: there is no CUDA device %d (%d found)", opts->device, bosc_device_count());
}

int job_open(struct job *job)
{
    int64_t device = 0, threads = 0, seed = 0;
    int backend = 0, code;
    if ((code = option_choice(job, OPT_BACKEND, backend_names, &backend)) ||
        (code = option_integer(job, OPT_DEVICE, 0, INT32_MAX, &device)) ||
        (code = option_integer(job, OPT_THREADS, 1, 4096, &threads)) ||
        (code = option_integer(job, OPT_SEED, 0, INT64_MAX, &seed)))
        return code;
#ifdef _OPENMP
    if (threads) omp_set_num_threads((int)threads); /* for the readers, which have no context */
#endif
    bosc_ctx_opts opts = {.size = sizeof opts,
                          .backend = (bosc_backend)(backend + 1),
                          .device = (int32_t)device,
                          .threads = (int32_t)threads};
    if (isatty(STDERR_FILENO) && !job->value[OPT_QUIET]) opts.progress = show_progress;
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

void job_number(struct job *job, const char *name, double value) { job_json(job, name, json_real(value)); }

void job_text(struct job *job, const char *name, const char *value) { job_json(job, name, json_string(value)); }

int64_t job_memory_left(void)
{
    static const char *const names[] = {"MemAvailable:", "SwapFree:"};
    char line[256];
    int64_t sum = -1;
    FILE *in = fopen("/proc/meminfo", "r");
    while (in && fgets(line, sizeof line, in))
        for (int i = 0; i < 2; i++) {
            size_t length = strlen(names[i]);
            if (strncmp(line, names[i], length) == 0)
                sum = (sum < 0 ? 0 : sum) + 1024 * strtoll(line + length, NULL, 10);
        }
    if (in) fclose(in);
    return sum;
}

/* Systems that promise more than they have would end some process once large blocks are written to. */
static bool has_room(size_t bytes)
{
    int64_t left = bytes >= (size_t)1 << 28 ? job_memory_left() : -1;
    return left < 0 || bytes <= (size_t)left;
}

void *job_alloc(size_t count, size_t size)
{
    size_t bytes;
    bool possible = !__builtin_mul_overflow(count, size, &bytes) && has_room(bytes);
    void *memory = possible ? malloc(bytes ? bytes : 1) : NULL;
    if (!memory) say(EXIT_FAILED, "out of memory for %zu times %zu bytes", count, size);
    return memory;
}

int folder_make(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return EXIT_DONE;
    int number = errno;
    if (number == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return EXIT_DONE;
    return say(EXIT_FAILED, "%s: cannot create the folder: %s", path, strerror(number));
}

static const char *backend_name(const struct job *job)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    return backend_names[info.backend - 1];
}

/* {"command": ..., "backend": ..., "seconds": {...}, results} */
static int print_json(const struct job *job)
{
    const struct command *c = job->command;
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", c->room, c->verb ? " " : "", c->verb ? c->verb : "");
    json_t *whole =
        json_pack("{s:s, s:s, s:O}", "command", name, "backend", backend_name(job), "seconds", job->seconds);
    char *text = NULL;
    if (whole && json_object_update(whole, job->results) == 0) text = json_dumps(whole, JSON_REAL_PRECISION(17));
    json_decref(whole);
    if (!text) return say(EXIT_FAILED, "out of memory");
    puts(text);
    free(text);
    return EXIT_DONE;
}

static void print_value(const char *name, const json_t *value)
{
    if (json_is_integer(value)) printf("%-12s %lld\n", name, (long long)json_integer_value(value));
    if (json_is_real(value)) printf("%-12s %.9g\n", name, json_real_value(value));
    if (json_is_string(value)) printf("%-12s %s\n", name, json_string_value(value));
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
    clear_progress();
    if (code == EXIT_DONE && job->results) {
        if (job->value[OPT_JSON])
            code = print_json(job);
        else if (!job->value[OPT_QUIET] && !options_write_standard_output(job))
            print_lines(job);
    }
    if (fflush(stdout) != 0 && code == EXIT_DONE) code = say(EXIT_FAILED, "-: cannot write to standard output");
    json_decref(job->results);
    json_decref(job->seconds);
    bosc_ctx_free(job->ctx);
    return code;
}
