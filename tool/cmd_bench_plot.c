/* Plots of what boscage bench has measured: times of a sweep against n, and the speed-up against the number of ranks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/plot.h"
#include "tool/tool.h"

enum { PLOTS_MAX = 32, SERIES_MAX = 64, X_MAX = 64, NAME_SIZE = 64 };

/* The series of a plot before it is cut into plots of PLOT_SERIES_MAX. */
struct sheet {
    double x[X_MAX], y[SERIES_MAX][X_MAX];
    char names[SERIES_MAX][NAME_SIZE];
    int points, series;
};

static int find_x(struct sheet *s, double x)
{
    int at = 0;
    while (at < s->points && s->x[at] != x) at++;
    if (at == s->points && at < X_MAX) s->x[s->points++] = x;
    return at < X_MAX ? at : X_MAX - 1;
}

static int find_series(struct sheet *s, const char *name)
{
    int at = 0;
    while (at < s->series && strcmp(s->names[at], name) != 0) at++;
    if (at < s->series) return at;
    if (at == SERIES_MAX) return SERIES_MAX - 1;
    snprintf(s->names[at], NAME_SIZE, "%s", name);
    for (int i = 0; i < X_MAX; i++) s->y[at][i] = NAN;
    return s->series++;
}

static double number_of(const json_t *row, const char *key)
{
    const json_t *number = json_object_get(row, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

/* The times of a program against the size. What data a row is of may begin with the size, as the depth of a tree. */
static void add_time(struct sheet *s, const json_t *row)
{
    char name[NAME_SIZE], *end;
    const char *data = text_of(row, "data");
    const double size = number_of(row, "size"), begin = strtod(data, &end);
    if (end > data && ldexp(1, (int)begin) == size) data = end;
    snprintf(name, sizeof name, "%.40s%s%.20s", text_of(row, "name"), *data ? ", " : "", data);
    const int series = find_series(s, name);
    s->y[series][find_x(s, size)] = number_of(row, "median_ms");
}

/* Of rows whose data is so many ranks: how many times as fast they are as one context. */
static void add_speed_up(struct sheet *s, const json_t *row)
{
    const double ranks = strtod(text_of(row, "data"), NULL);
    if (!(ranks >= 1)) return;
    const int series = find_series(s, text_of(row, "name"));
    s->y[series][find_x(s, ranks)] = number_of(row, "peer_median_ms") / number_of(row, "median_ms");
}

struct plots {
    struct plot plots[PLOTS_MAX];
    int count;
};

/* The series of a sheet, a few a plot. */
static void cut(struct plots *to, const struct sheet *s, struct plot like)
{
    for (int first = 0; first < s->series && to->count < PLOTS_MAX; first += PLOT_SERIES_MAX) {
        struct plot *plot = &to->plots[to->count++];
        *plot = like;
        plot->x = s->x;
        plot->count = s->points;
        for (int i = first; i < s->series && i < first + PLOT_SERIES_MAX; i++)
            plot->series[plot->series_count++] = (struct plot_series){s->names[i], s->y[i]};
    }
}

/* The rows of one program, or of all where `program` is NULL. */
static void fill(struct sheet *s, const json_t *rows, const char *program, void (*add)(struct sheet *, const json_t *))
{
    *s = (struct sheet){.points = 0};
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (!json_object_get(row, "median_ms")) continue;
        if (!program || strcmp(text_of(row, "program"), program) == 0) add(s, row);
    }
}

/* Whether row i is the first of its program. */
static bool is_first(const json_t *rows, size_t i)
{
    const char *program = text_of(json_array_get(rows, i), "program");
    for (size_t k = 0; k < i; k++)
        if (strcmp(text_of(json_array_get(rows, k), "program"), program) == 0) return false;
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
        const char *program = text_of(json_array_get(rows, i), "program");
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
    for (int s = 0; s < sheets[1].series; s++)
        for (int i = 0; i < sheets[1].points; i++) sheets[1].y[s][i] /= sheets[1].x[i];
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
