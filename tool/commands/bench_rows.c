/* Result rows of benchmarks: compared with the fastest other library, and as plots. A plot shows times of a sweep
 * against n, with other libraries and lower bounds; or speed-up and efficiency against the number of ranks. */
#include "tool/commands/bench_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/plot.h"
#include "tool/job.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- comparison ---- */

const char *bench_row_text(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

const char *bench_row_data(const json_t *row)
{
    static char text[64];
    const char *data = bench_row_text(row, "data"), *shape = bench_row_text(row, "shape");
    if (!*shape || strncmp(data, shape, strlen(shape)) == 0) return data;
    snprintf(text, sizeof text, "%.20s%s%.40s", shape, *data ? ", " : "", data);
    return text;
}

double bench_row_number(const json_t *row, const char *key)
{
    const json_t *number = json_object_get(row, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

bool bench_row_is_ours(const json_t *row)
{
    return json_object_get(row, "median_ms") && !*bench_row_text(row, "library");
}

bool bench_rows_share(const json_t *a, const json_t *b, const char *key)
{
    return strcmp(bench_row_text(a, key), bench_row_text(b, key)) == 0;
}

/* True if `other` is a row of another library for the case and size of our row. */
static bool is_counterpart(const json_t *row, const json_t *other)
{
    const char *data = bench_row_text(other, "data");
    return *bench_row_text(other, "library") && bench_rows_share(row, other, "name") &&
           bench_rows_share(row, other, "program") && bench_rows_share(row, other, "shape") &&
           bench_row_number(row, "size") == bench_row_number(other, "size") &&
           (!*data || bench_rows_share(row, other, "data"));
}

/* Adds to one of our rows the fastest other library, its peer included, and the ratio of their times. */
static void set_best_other(const json_t *rows, json_t *row)
{
    const char *best = bench_row_text(row, "peer");
    double least = *best ? bench_row_number(row, "peer_median_ms") : INFINITY;
    for (size_t k = 0; k < json_array_size(rows); k++) {
        const json_t *other = json_array_get(rows, k);
        if (!is_counterpart(row, other) || bench_row_number(other, "median_ms") >= least) continue;
        least = bench_row_number(other, "median_ms");
        best = bench_row_text(other, "library");
    }
    if (!*best || !(least < INFINITY)) return;
    json_object_set_new(row, "best_other", json_string(best));
    json_object_set_new(row, "best_other_ms", json_real(least));
    json_object_set_new(row, "ratio", json_real(least / bench_row_number(row, "median_ms")));
}

/* Prints the ratio of a row; below 1 it is red on a terminal. */
static void print_ratio(const json_t *row, bool colours)
{
    const double ratio = bench_row_number(row, "ratio");
    const bool red = colours && ratio < 1;
    printf("%-38s %-18s %10" JSON_INTEGER_FORMAT " %12.6f %12.6f %s%8.2f%s  %s\n", bench_row_text(row, "name"),
           bench_row_data(row), json_integer_value(json_object_get(row, "size")), bench_row_number(row, "median_ms"),
           bench_row_number(row, "best_other_ms"), red ? "\033[31m" : "", ratio, red ? "\033[0m" : "",
           bench_row_text(row, "best_other"));
}

void compare_bench_rows(const struct job *job)
{
    json_t *rows = json_object_get(job->results, "rows");
    for (size_t k = 0; k < json_array_size(rows); k++) {
        json_t *row = json_array_get(rows, k);
        if (bench_row_is_ours(row)) set_best_other(rows, row);
    }
}

void print_bench_ratios(const struct job *job)
{
    const json_t *rows = json_object_get(job->results, "rows");
    const bool colours = isatty(STDOUT_FILENO);
    bool has_header = false;
    if (job->value[OPT_JSON] || job->value[OPT_QUIET]) return;
    for (size_t k = 0; k < json_array_size(rows); k++) {
        const json_t *row = json_array_get(rows, k);
        if (!json_object_get(row, "ratio")) continue;
        if (!has_header)
            printf("# beside the fastest other\n%-38s %-18s %10s %12s %12s %8s\n", "", "data", "size", "ours, ms",
                   "other, ms", "ratio");
        has_header = true;
        print_ratio(row, colours);
    }
}

/* ---- plots ---- */

/* A plot has room for a case with its lower bound and all others. X_MAX: more than a sweep has sizes, or a room has
 * ranks. */
enum { OTHERS_MAX = PLOT_SERIES_MAX - 2, X_MAX = 64, NAME_SIZE = 96 };

struct series {
    char name[NAME_SIZE];
    double y[X_MAX];
};

/* A case: our times, their lower bound, and the times of other libraries. */
struct bench_case {
    const char *short_name; /* without the data */
    struct series own, floor, others[OTHERS_MAX];
    bool has_floor;
    int other_count;
};

/* All cases of a program, before they are distributed over plots. */
struct case_table {
    char title[NAME_SIZE];
    double x[X_MAX];
    struct bench_case *cases; /* (capacity) */
    int points, count, capacity;
    bool lacks_memory;
};

/* Returns the index of x among the points, which it joins if new. */
static int find_x(struct case_table *s, double x)
{
    int at = 0;
    while (at < s->points && s->x[at] != x) at++;
    if (at == s->points && at < X_MAX) s->x[s->points++] = x;
    return at < X_MAX ? at : X_MAX - 1;
}

static void clear_series(struct series *l, const char *name)
{
    snprintf(l->name, NAME_SIZE, "%s", name);
    for (int i = 0; i < X_MAX; i++) l->y[i] = NAN;
}

/* Makes room for another case. False: no memory. */
static bool grow_cases(struct case_table *s)
{
    if (s->count < s->capacity) return true;
    const int capacity = s->capacity ? 2 * s->capacity : 16;
    struct bench_case *cases = realloc(s->cases, (size_t)capacity * sizeof *cases);
    s->lacks_memory = !cases;
    if (!cases) return false;
    s->cases = cases;
    s->capacity = capacity;
    return true;
}

/* Returns the case of the name, added if new; NULL if memory is short. */
static struct bench_case *find_case(struct case_table *s, const char *name, const char *short_name)
{
    int at = 0;
    while (at < s->count && strcmp(s->cases[at].own.name, name) != 0) at++;
    if (at < s->count) return &s->cases[at];
    if (!grow_cases(s)) return NULL;
    struct bench_case *c = &s->cases[s->count++];
    *c = (struct bench_case){.short_name = short_name};
    clear_series(&c->own, name);
    clear_series(&c->floor, "at least");
    return c;
}

/* Returns the series of a library, added if new; NULL if there are too many. */
static struct series *find_other(struct bench_case *c, const char *library)
{
    char name[NAME_SIZE];
    int at = 0;
    snprintf(name, NAME_SIZE, "%.40s: %.50s", library, c->own.name);
    while (at < c->other_count && strcmp(c->others[at].name, name) != 0) at++;
    if (at == OTHERS_MAX) return NULL;
    if (at == c->other_count) clear_series(&c->others[c->other_count++], name);
    return &c->others[at];
}

static void set_other_time(struct bench_case *c, const char *library, int at, double y)
{
    struct series *other = *library ? find_other(c, library) : NULL;
    if (other) other->y[at] = y;
}

/* Adds a row of another library to every case of the same short name. */
static void add_library_row(struct case_table *s, const json_t *row, int at)
{
    for (int k = 0; k < s->count; k++) {
        struct bench_case *c = &s->cases[k];
        if (strcmp(c->short_name, bench_row_text(row, "name")) == 0)
            set_other_time(c, bench_row_text(row, "library"), at, bench_row_number(row, "median_ms"));
    }
}

/* Adds a row of a sweep: times against the size. The data of a row may begin with the size (the depth of a tree),
 * which is dropped from the name. */
static void add_sweep_row(struct case_table *s, const json_t *row)
{
    char name[NAME_SIZE], *end;
    const char *data = bench_row_text(row, "data");
    const double size = bench_row_number(row, "size"), begin = strtod(data, &end);
    const int at = find_x(s, size);
    if (*bench_row_text(row, "library")) {
        add_library_row(s, row, at);
        return;
    }
    if (end > data && ldexp(1, (int)begin) == size) data = end;
    snprintf(name, sizeof name, "%.40s%s%.30s", bench_row_text(row, "name"), *data ? ", " : "", data);
    struct bench_case *c = find_case(s, name, bench_row_text(row, "name"));
    if (!c) return;
    c->own.y[at] = bench_row_number(row, "median_ms");
    c->floor.y[at] = bench_row_number(row, "floor_ms");
    c->has_floor = c->has_floor || !isnan(c->floor.y[at]);
    set_other_time(c, bench_row_text(row, "peer"), at, bench_row_number(row, "peer_median_ms"));
}

/* Adds a row of ranks, whose data is the number of ranks: the speed-up against one context. */
static void add_speed_up(struct case_table *s, const json_t *row)
{
    const double ranks = strtod(bench_row_text(row, "data"), NULL);
    struct bench_case *c = ranks >= 1 ? find_case(s, bench_row_text(row, "name"), "") : NULL;
    if (c) c->own.y[find_x(s, ranks)] = bench_row_number(row, "peer_median_ms") / bench_row_number(row, "median_ms");
}

struct plot_list {
    struct plot *plots; /* as many as there are cases, at least */
    int count;
};

static void add_series(struct plot *plot, const struct series *l, enum plot_line line, bool same_colour)
{
    plot->series[plot->series_count++] = (struct plot_series){l->name, l->y, line, same_colour};
}

/* Distributes the cases of a table over plots, each like `prototype` with at most PLOT_SERIES_MAX series. */
static void split_into_plots(struct plot_list *to, const struct case_table *s, struct plot prototype)
{
    struct plot *plot = NULL;
    for (int k = 0; k < s->count; k++) {
        const struct bench_case *c = &s->cases[k];
        if (!plot || plot->series_count + 1 + c->has_floor + c->other_count > PLOT_SERIES_MAX) {
            plot = &to->plots[to->count++];
            *plot = prototype;
            plot->title = s->title;
            plot->x = s->x;
            plot->count = s->points;
        }
        add_series(plot, &c->own, PLOT_SOLID, false);
        if (c->has_floor) add_series(plot, &c->floor, PLOT_DOTTED, true);
        for (int i = 0; i < c->other_count; i++) add_series(plot, &c->others[i], PLOT_DASHED, false);
    }
}

static bool has_same_plot(const json_t *a, const json_t *b)
{
    return bench_rows_share(a, b, "program") && bench_rows_share(a, b, "shape");
}

/* Adds the rows with the program and the shape of `like` (NULL: all) to an empty table. */
static void fill_table(struct case_table *s, const json_t *rows, const json_t *like,
                       void (*add)(struct case_table *, const json_t *))
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (!json_object_get(row, "median_ms")) continue;
        if (!like || has_same_plot(row, like)) add(s, row);
    }
}

/* True if row i is the first of its program and shape. */
static bool is_first_of_plot(const json_t *rows, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (has_same_plot(json_array_get(rows, k), json_array_get(rows, i))) return false;
    return *bench_row_text(json_array_get(rows, i), "program") != 0;
}

static int write_plots(const struct job *job, const struct plot_list *p)
{
    bosc_io_error error;
    if (p->count == 0) return report_error(EXIT_FAILED, "--png: there is nothing to plot");
    bosc_status status = plot_write(p->plots, p->count, job->value[OPT_PNG], &error);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Plots all cases of all tables. prototypes: of the plots of each table. */
static int plot_tables(const struct job *job, const struct case_table *tables, const struct plot *prototypes, int count)
{
    struct plot_list plots = {.count = 0};
    int cases = 1;
    for (int k = 0; k < count; k++) {
        if (tables[k].lacks_memory) return report_error(EXIT_FAILED, "out of memory for the plots");
        cases += tables[k].count;
    }
    plots.plots = job_alloc((size_t)cases, sizeof *plots.plots);
    if (!plots.plots) return EXIT_FAILED;
    for (int k = 0; k < count; k++) split_into_plots(&plots, &tables[k], prototypes[k]);
    const int code = write_plots(job, &plots);
    free(plots.plots);
    return code;
}

/* Allocates empty tables, and a prototype for each. */
static int open_tables(int count, struct case_table **tables, struct plot **prototypes)
{
    *tables = job_alloc((size_t)count, sizeof **tables);
    *prototypes = *tables ? job_alloc((size_t)count, sizeof **prototypes) : NULL;
    for (int k = 0; *tables && k < count; k++) (*tables)[k] = (struct case_table){.count = 0};
    return *prototypes ? EXIT_DONE : EXIT_FAILED;
}

static void close_tables(int count, struct case_table *tables, struct plot *prototypes)
{
    for (int k = 0; tables && k < count; k++) free(tables[k].cases);
    free(tables);
    free(prototypes);
}

static int plot_sweep(const struct job *job, const json_t *rows)
{
    struct case_table *tables;
    struct plot *prototypes;
    int count = 0, at = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) count += is_first_of_plot(rows, i);
    if (count == 0) return report_error(EXIT_FAILED, "--png: there is nothing to plot");
    int code = open_tables(count, &tables, &prototypes);
    for (size_t i = 0; !code && i < json_array_size(rows); i++) {
        if (!is_first_of_plot(rows, i)) continue;
        const json_t *row = json_array_get(rows, i);
        const char *program = bench_row_text(row, "program"), *shape = bench_row_text(row, "shape");
        fill_table(&tables[at], rows, row, add_sweep_row);
        snprintf(tables[at].title, NAME_SIZE, "%.60s%s%.20s", program, *shape ? ", " : "", shape);
        prototypes[at++] = (struct plot){.x_name = "n", .y_name = "ms", .log_x = true, .log_y = true};
    }
    if (!code) code = plot_tables(job, tables, prototypes, count);
    close_tables(count, tables, prototypes);
    return code;
}

static int plot_ranks(const struct job *job, const json_t *rows)
{
    static const char *const titles[2] = {"speed-up against one context", "efficiency: speed-up over ranks"};
    struct case_table *tables;
    struct plot *prototypes;
    int code = open_tables(2, &tables, &prototypes);
    for (int k = 0; !code && k < 2; k++) {
        fill_table(&tables[k], rows, NULL, add_speed_up);
        snprintf(tables[k].title, NAME_SIZE, "%s", titles[k]);
        prototypes[k] = (struct plot){.x_name = "ranks", .y_name = k ? "share" : "times"};
    }
    for (int k = 0; !code && k < tables[1].count; k++)
        for (int i = 0; i < tables[1].points; i++) tables[1].cases[k].own.y[i] /= tables[1].x[i];
    if (!code) code = plot_tables(job, tables, prototypes, 2);
    close_tables(2, tables, prototypes);
    return code;
}

int plot_bench_rows(const struct job *job)
{
    const json_t *rows = json_object_get(job->results, "rows");
    return job->value[OPT_SWEEP] ? plot_sweep(job, rows) : plot_ranks(job, rows);
}
