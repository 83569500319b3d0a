#include "harness/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS_MAX = 1001, TEXT_SIZE = 256, TEXTS = 8 };

struct bench bench = {.opts = {.size = sizeof(bosc_ctx_opts)}};

void bench_fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fflush(stdout);
    fputs("benchmark: ", stderr);
    vfprintf(stderr, format, list);
    fputs("\n", stderr);
    va_end(list);
    exit(1);
}

const char *bench_message(void) { return bench.ctx ? bosc_ctx_message(bench.ctx) : "no context"; }

/* --- Options ------------------------------------------------------------------------------------------------------ */

static void usage(const char *program, const char *items, const struct bench_option *own, int count)
{
    const char *slash = strrchr(program, '/');
    fprintf(stderr, "usage: %s [-n %s] [-t threads] [-r repeats] [-b cpu|cuda] [-j]\n", slash ? slash + 1 : program,
            items);
    for (int k = 0; k < count; k++)
        fprintf(stderr, "  -%c%s  %s\n", own[k].letter, own[k].kind == BENCH_FLAG ? "   " : " X ", own[k].about);
    fprintf(stderr, "  -j    one JSON object a row\n");
    exit(2);
}

static bool is_number(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    return end != text && *end == 0 && isfinite(x);
}

/* Stores the option's value. False if `value` is no number where one is needed; a flag has no value. */
static bool set_option(const struct bench_option *o, const char *value)
{
    if (o->kind == BENCH_INTEGER || o->kind == BENCH_NUMBER) {
        if (!is_number(value)) return false;
        if (o->kind == BENCH_NUMBER)
            *(double *)o->value = atof(value);
        else
            *(int64_t *)o->value = (int64_t)atof(value);
    } else if (o->kind == BENCH_TEXT) {
        *(const char **)o->value = value;
    } else {
        *(bool *)o->value = true;
    }
    return true;
}

static bool set_backend(const char *name)
{
    if (strcmp(name, "cuda") != 0 && strcmp(name, "cpu") != 0) return false;
    bench.opts.backend = strcmp(name, "cuda") == 0 ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU;
    return true;
}

static const struct bench_option *find_option(const struct bench_option *list, int count, char letter)
{
    for (int k = 0; k < count; k++)
        if (list[k].letter == letter) return &list[k];
    return NULL;
}

void bench_options(int argc, char **argv, const char *items, const struct bench_option *own, int count)
{
    int64_t threads = bench.opts.threads, repeats = bench.repeats;
    const char *backend = bench.opts.backend == BOSC_BACKEND_CUDA ? "cuda" : "cpu";
    const struct bench_option common[] = {{'n', BENCH_INTEGER, &bench.n, items},
                                          {'t', BENCH_INTEGER, &threads, "threads"},
                                          {'r', BENCH_INTEGER, &repeats, "repeats"},
                                          {'b', BENCH_TEXT, &backend, "backend"},
                                          {'j', BENCH_FLAG, &bench.json, "rows as JSON"}};
    for (int i = 1; i < argc; i++) {
        const char letter = argv[i][0] == '-' && argv[i][1] && !argv[i][2] ? argv[i][1] : 0;
        const struct bench_option *o = find_option(own, count, letter);
        if (!o) o = find_option(common, 5, letter);
        if (!o || (o->kind != BENCH_FLAG && i + 1 == argc) || !set_option(o, o->kind == BENCH_FLAG ? "" : argv[++i]))
            usage(argv[0], items, own, count);
    }
    if (!set_backend(backend) || repeats < 1 || threads < 0) usage(argv[0], items, own, count);
    bench.opts.threads = (int32_t)threads;
    bench.repeats = (int)repeats;
}

/* --- The context and its memory ----------------------------------------------------------------------------------- */

static struct array {
    struct array *next;
    void *data;
    size_t bytes;
} * arrays;

void bench_open(void)
{
    bosc_ctx_info info = {.size = sizeof info};
    if (bosc_ctx_create(&bench.opts, &bench.ctx) != BOSC_OK) bench_fail("%s", bosc_backend_reason(bench.opts.backend));
    BENCH(bosc_ctx_get_info(bench.ctx, &info));
    bench.opts.threads = info.threads;
}

void bench_time_one_thread(void)
{
    bosc_ctx_info info = {.size = sizeof info};
    BENCH(bosc_ctx_get_info(bench.ctx, &info));
    bench.clock = info.backend == BOSC_BACKEND_CPU && info.threads == 1 ? BENCH_PROCESS : BENCH_WALL;
}

const char *bench_device(void)
{
    bosc_ctx_info info = {.size = sizeof info};
    BENCH(bosc_ctx_get_info(bench.ctx, &info));
    if (info.backend == BOSC_BACKEND_CPU) return bench_text("cpu, %d threads", (int)info.threads);
    return bench_text("cuda, %s", info.device_name);
}

int bench_close(void)
{
    while (arrays) bench_release(arrays->data);
    bosc_ctx_free(bench.ctx);
    bench.ctx = NULL;
    return bench.wrong;
}

void bench_reopen(void)
{
    const bool device = bench.opts.backend == BOSC_BACKEND_CUDA;
    bench_close();
    bench.opts.backend = BOSC_BACKEND_CPU;
    bench.opts.threads = device ? 0 : 1;
    bench_open();
}

void *bench_host(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) bench_fail("out of memory");
    return p;
}

void *bench_array(const void *from, size_t bytes)
{
    struct array *a = bench_host(sizeof *a);
    *a = (struct array){arrays, NULL, bytes ? bytes : 1};
    BENCH(bosc_ctx_alloc(bench.ctx, a->bytes, &a->data));
    if (from && bytes) BENCH(bosc_ctx_copy(bench.ctx, a->data, from, bytes));
    arrays = a;
    return a->data;
}

void bench_release(void *array)
{
    for (struct array **at = &arrays; *at; at = &(*at)->next) {
        struct array *a = *at;
        if (a->data != array) continue;
        *at = a->next;
        bosc_ctx_release(bench.ctx, a->data, a->bytes);
        free(a);
        return;
    }
}

uint64_t bench_sum(const void *array, size_t bytes, uint64_t sum)
{
    uint32_t *copy = bench_host(bytes);
    BENCH(bosc_ctx_copy(bench.ctx, copy, array, bytes));
    for (size_t i = 0; i < bytes / sizeof *copy; i++) sum = (sum ^ copy[i]) * 0x100000001b3u;
    free(copy);
    return sum;
}

/* --- Times -------------------------------------------------------------------------------------------------------- */

double bench_now(void)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
    struct timespec t;
    clock_gettime(clocks[bench.clock], &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct bench_times bench_median_of(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof seconds[0], ascending);
    return (struct bench_times){seconds[0], seconds[count / 2]};
}

struct bench_times bench_time(void (*prepare)(void *user), void (*run)(void *user), void *user, int repeats)
{
    double times[REPEATS_MAX];
    if (repeats > REPEATS_MAX) repeats = REPEATS_MAX;
    for (int i = -1; i < repeats; i++) { /* -1: the warm-up */
        if (prepare) prepare(user);
        double begin = bench_now();
        run(user);
        if (i >= 0) times[i] = bench_now() - begin;
    }
    return bench_median_of(times, repeats);
}

struct bench_times bench_once(void (*run)(void *user), void *user)
{
    double begin = bench_now();
    run(user);
    double seconds = bench_now() - begin;
    return (struct bench_times){seconds, seconds};
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

static void print_json_text(const char *name, const char *text)
{
    printf(",\"%s\":\"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

struct copying {
    void *from, *to;
    size_t bytes;
};

static void copy(void *user)
{
    const struct copying *c = user;
    BENCH(bosc_ctx_copy(bench.ctx, c->to, c->from, c->bytes));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* Seconds of a copy that reads and writes `bytes` bytes together; more than LARGE are extrapolated. */
static double copy_seconds(double bytes)
{
    static const double LARGE = 0x1p30;
    static double known[2];
    if (!bench.ctx || known[0] == bytes) return bench.ctx ? known[1] : 0;
    struct copying c = {.bytes = (size_t)((bytes < LARGE ? bytes : LARGE) / 2) + 1};
    c.from = bench_array(NULL, c.bytes);
    c.to = bench_array(NULL, c.bytes);
    known[0] = bytes;
    known[1] = bench_time(copy, copy, &c, 5).median * (bytes < LARGE ? 1 : bytes / LARGE);
    bench_release(c.from);
    bench_release(c.to);
    return known[1];
}

static void print_json(const struct bench_row *r)
{
    const double least = r->floor > 0 ? r->floor : r->bytes > 0 ? copy_seconds(r->bytes) : 0;
    printf("{\"threads\":%d", (int)bench.opts.threads);
    print_json_text("name", r->name);
    if (r->library) print_json_text("library", r->library);
    if (r->data) print_json_text("data", r->data);
    if (r->n) printf(",\"n\":%" PRId64, r->n);
    printf(",\"least_ms\":%.6g,\"median_ms\":%.6g", 1e3 * r->ours.least, 1e3 * r->ours.median);
    if (r->n) printf(",\"million_per_s\":%.5g", 1e-6 * (double)r->n / r->ours.median);
    if (r->bytes > 0) printf(",\"gb_per_s\":%.4g", 1e-9 * r->bytes / r->ours.median);
    if (least > 0) printf(",\"floor_ms\":%.6g", 1e3 * least);
    if (r->peer) {
        print_json_text("peer", r->peer);
        printf(",\"peer_least_ms\":%.6g,\"peer_median_ms\":%.6g", 1e3 * r->theirs.least, 1e3 * r->theirs.median);
    }
    if (r->note) print_json_text("note", r->note);
    printf("}\n");
}

static void print_text(const struct bench_row *r)
{
    static bool headed;
    if (!headed)
        printf("%-38s %-14s %11s %3s %11s %11s %10s %7s\n", "", "data", "n", "thr", "least ms", "median ms", "M/s",
               "GB/s");
    headed = true;
    printf("%-38s %-14s", r->library ? bench_text("%s: %s", r->library, r->name) : r->name, r->data ? r->data : "");
    if (r->n)
        printf(" %11" PRId64, r->n);
    else
        printf(" %11s", "");
    printf(" %3d %11.4f %11.4f", (int)bench.opts.threads, 1e3 * r->ours.least, 1e3 * r->ours.median);
    if (r->n)
        printf(" %10.3f", 1e-6 * (double)r->n / r->ours.median);
    else
        printf(" %10s", "");
    if (r->bytes > 0)
        printf(" %7.2f", 1e-9 * r->bytes / r->ours.median);
    else
        printf(" %7s", "");
    if (r->peer)
        printf("  %s: %.4f ms, %.2f times as long", r->peer, 1e3 * r->theirs.median, r->theirs.median / r->ours.median);
    if (r->note) printf("  %s", r->note);
    printf("\n");
}

void bench_print(const struct bench_row *row)
{
    if (bench.json)
        print_json(row);
    else
        print_text(row);
    fflush(stdout);
}

void bench_row(const char *name, int64_t n, struct bench_times times) { bench_row_of_bytes(name, n, 0, times); }

void bench_row_of_bytes(const char *name, int64_t n, double bytes, struct bench_times times)
{
    struct bench_row row = {.name = name, .n = n, .bytes = bytes, .ours = times};
    bench_print(&row);
}

static void print_line(const char *text)
{
    if (bench.json) {
        printf("{\"threads\":%d", (int)bench.opts.threads);
        print_json_text("note", text);
        printf("}\n");
    } else {
        printf("  %s\n", text);
    }
    fflush(stdout);
}

void bench_say(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_line(text);
}

const char *bench_text(const char *format, ...)
{
    static char texts[TEXTS][TEXT_SIZE];
    static int next;
    char *text = texts[next++ % TEXTS];
    va_list list;
    va_start(list, format);
    vsnprintf(text, TEXT_SIZE, format, list);
    va_end(list);
    return text;
}

void bench_check(bool right, const char *format, ...)
{
    if (right) return;
    va_list list;
    va_start(list, format);
    fflush(stdout);
    fputs("benchmark: WRONG: ", stderr);
    vfprintf(stderr, format, list);
    fputs("\n", stderr);
    va_end(list);
    bench.wrong = true;
}
