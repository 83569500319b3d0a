/* Plots of what boscage bench has measured: times of a sweep against n, beside those of other libraries and what cases
 * take at least, and the speed-up against the number of ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/plot.h"
#include "tool/tool.h"

enum { PLOTS_MAX = 32, CASES_MAX = 48, OTHERS_MAX = 10, X_MAX = 64, NAME_SIZE = 96 };

struct line {
    char name[NAME_SIZE];
    double y[X_MAX];
};

/* A case of ours, what it must take at least, and the same of other libraries. */
struct bench_case {
    const char *bare; /* its name without the data */
    struct line own, floor, others[OTHERS_MAX];
    bool has_floor;
    int other_count;
};

/* The cases of a program before they are cut into plots. */
struct sheet {
    double x[X_MAX];
    struct bench_case cases[CASES_MAX];
    int points, count;
};

static int find_x(struct sheet *s, double x)
{
    int at = 0;
    while (at < s->points && s->x[at] != x) at++;
    if (at == s->points && at < X_MAX) s->x[s->points++] = x;
    return at < X_MAX ? at : X_MAX - 1;
}

static void begin_line(struct line *l, const char *name)
{
    snprintf(l->name, NAME_SIZE, "%s", name);
    for (int i = 0; i < X_MAX; i++) l->y[i] = NAN;
}

static struct bench_case *find_case(struct sheet *s, const char *name, const char *bare)
{
    int at = 0;
    while (at < s->count && strcmp(s->cases[at].own.name, name) != 0) at++;
    if (at == CASES_MAX) return NULL;
    if (at < s->count) return &s->cases[at];
    struct bench_case *c = &s->cases[s->count++];
    c->bare = bare;
    begin_line(&c->own, name);
    begin_line(&c->floor, "at least");
    return c;
}

static struct line *find_other(struct bench_case *c, const char *library)
{
    char name[NAME_SIZE];
    int at = 0;
    snprintf(name, NAME_SIZE, "%.40s: %.50s", library, c->own.name);
    while (at < c->other_count && strcmp(c->others[at].name, name) != 0) at++;
    if (at == OTHERS_MAX) return NULL;
    if (at == c->other_count) begin_line(&c->others[c->other_count++], name);
    return &c->others[at];
}

static void put_other(struct bench_case *c, const char *library, int at, double y)
{
    struct line *other = *library ? find_other(c, library) : NULL;
    if (other) other->y[at] = y;
}

/* A row of another library goes to each of our cases that is the same. */
static void add_library(struct sheet *s, const json_t *row, int at)
{
    for (int k = 0; k < s->count; k++) {
        struct bench_case *c = &s->cases[k];
        if (strcmp(c->bare, bench_text(row, "name")) == 0)
            put_other(c, bench_text(row, "library"), at, bench_number(row, "median_ms"));
    }
}

/* The times of a program against the size. What data a row is of may begin with the size, as the depth of a tree. */
static void add_time(struct sheet *s, const json_t *row)
{
    char name[NAME_SIZE], *end;
    const char *data = bench_text(row, "data");
    const double size = bench_number(row, "size"), begin = strtod(data, &end);
    const int at = find_x(s, size);
    if (*bench_text(row, "library")) {
        add_library(s, row, at);
        return;
    }
    if (end > data && ldexp(1, (int)begin) == size) data = end;
    snprintf(name, sizeof name, "%.40s%s%.30s", bench_text(row, "name"), *data ? ", " : "", data);
    struct bench_case *c = find_case(s, name, bench_text(row, "name"));
    if (!c) return;
    c->own.y[at] = bench_number(row, "median_ms");
    c->floor.y[at] = bench_number(row, "floor_ms");
    c->has_floor = c->has_floor || !isnan(c->floor.y[at]);
    put_other(c, bench_text(row, "peer"), at, bench_number(row, "peer_median_ms"));
}

/* Of rows whose data is so many ranks: how many times as fast they are as one context. */
static void add_speed_up(struct sheet *s, const json_t *row)
{
    const double ranks = strtod(bench_text(row, "data"), NULL);
    struct bench_case *c = ranks >= 1 ? find_case(s, bench_text(row, "name"), "") : NULL;
    if (c) c->own.y[find_x(s, ranks)] = bench_number(row, "peer_median_ms") / bench_number(row, "median_ms");
}

struct plots {
    struct plot plots[PLOTS_MAX];
    int count;
};

static void add_series(struct plot *plot, const struct line *l, enum plot_line line, bool of_last)
{
    plot->series[plot->series_count++] = (struct plot_series){l->name, l->y, line, of_last};
}

/* The cases of a sheet, as many a plot as find room. */
static void cut(struct plots *to, const struct sheet *s, struct plot like)
{
    struct plot *plot = NULL;
    for (int k = 0; k < s->count; k++) {
        const struct bench_case *c = &s->cases[k];
        if (!plot || plot->series_count + 1 + c->has_floor + c->other_count > PLOT_SERIES_MAX) {
            if (to->count == PLOTS_MAX) return;
            plot = &to->plots[to->count++];
            *plot = like;
            plot->x = s->x;
            plot->count = s->points;
        }
        add_series(plot, &c->own, PLOT_SOLID, false);
        if (c->has_floor) add_series(plot, &c->floor, PLOT_DOTTED, true);
        for (int i = 0; i < c->other_count; i++) add_series(plot, &c->others[i], PLOT_DASHED, false);
    }
}

/* The rows of one program, or of all where `program` is NULL. */
static void fill(struct sheet *s, const json_t *rows, const char *program, void (*add)(struct sheet *, const json_t *))
{
    s->points = s->count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (!json_object_get(row, "median_ms")) continue;
        if (!program || strcmp(bench_text(row, "program"), program) == 0) add(s, row);
    }
}

/* Whether row i is the first of its program. */
static bool is_first(const json_t *rows, size_t i)
{
    const char *program = bench_text(json_array_get(rows, i), "program");
    for (size_t k = 0; k < i; k++)
        if (strcmp(bench_text(json_array_get(rows, k), "program"), program) == 0) return false;
    return *program != 0;
}

static int write_plots(const struct job *job, const struct plots *p)
{
    bosc_io_error error;
    if (p->count == 0) return say(EXIT_FAILED, "--png: there is nothing to plot");
    bosc_status status = plot_write(p->plots, p->count, job->value[OPT_PNG], &error);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

static int plot_sweep(const struct job *job, const json_t *rows)
{
    struct plots plots = {.count = 0};
    struct sheet *sheets = job_alloc(PLOTS_MAX, sizeof *sheets);
    if (!sheets) return EXIT_FAILED;
    int count = 0;
    for (size_t i = 0; i < json_array_size(rows) && count < PLOTS_MAX; i++) {
        if (!is_first(rows, i)) continue;
        const char *program = bench_text(json_array_get(rows, i), "program");
        fill(&sheets[count], rows, program, add_time);
        cut(&plots, &sheets[count++],
            (struct plot){.title = program, .x_name = "n", .y_name = "ms", .log_x = true, .log_y = true});
    }
    int code = write_plots(job, &plots);
    free(sheets);
    return code;
}

static int plot_ranks(const struct job *job, const json_t *rows)
{
    struct plots plots = {.count = 0};
    struct sheet *sheets = job_alloc(2, sizeof *sheets);
    if (!sheets) return EXIT_FAILED;
    fill(&sheets[0], rows, NULL, add_speed_up);
    sheets[1] = sheets[0];
    for (int k = 0; k < sheets[1].count; k++)
        for (int i = 0; i < sheets[1].points; i++) sheets[1].cases[k].own.y[i] /= sheets[1].x[i];
    cut(&plots, &sheets[0],
        (struct plot){.title = "speed-up against one context", .x_name = "ranks", .y_name = "times"});
    cut(&plots, &sheets[1],
        (struct plot){.title = "efficiency: speed-up over ranks", .x_name = "ranks", .y_name = "share"});
    int code = write_plots(job, &plots);
    free(sheets);
    return code;
}

int bench_plot(const struct job *job)
{
    const json_t *rows = json_object_get(job->results, "rows");
    return job->value[OPT_SWEEP] ? plot_sweep(job, rows) : plot_ranks(job, rows);
}
