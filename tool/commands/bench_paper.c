/* boscage bench paper: the tables of the papers as text, JSON and plots. A program per paper measures them
 * (bench/paper). */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/plot.h"
#include "tool/commands/bench_programs.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { ARGUMENTS_MAX = 14 };

static const struct {
    const char *name;
    bool has_plots; /* tables of its program have plots (table_plot) */
} papers[] = {{"kdtree", true}, {"cellgraph", true}, {"cbt", true}, {"mst", true}, {"hash", false}};
enum { PAPERS = sizeof papers / sizeof papers[0], PAPER_MST = 3 };

/* Sets the range of papers: the one that the operand names, or all. */
static int find_papers(const struct job *job, int *first, int *last)
{
    *first = 0;
    *last = PAPERS - 1;
    if (!job->operand_count) return EXIT_DONE;
    for (int k = 0; k < PAPERS; k++)
        if (strcmp(job->operands[0], papers[k].name) == 0) *first = *last = k;
    if (*first != *last)
        return report_error(EXIT_USAGE, "bench paper: '%s' is not one of kdtree, cellgraph, cbt, mst, hash",
                            job->operands[0]);
    return EXIT_DONE;
}

/* Reads the tables of a file into the results, each with the name of its paper. */
static int read_tables(struct job *job, FILE *file, const char *paper)
{
    json_t *tables = json_object_get(job->results, "tables"), *table;
    rewind(file);
    while ((table = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
        json_object_set_new(table, "paper", json_string(paper));
        if (json_array_append_new(tables, table) != 0) return report_error(EXIT_FAILED, "out of memory");
    }
    return EXIT_DONE;
}

/* Runs the program of a paper. It writes its tables to an unnamed file; its text goes to standard output unless --json
 * or --quiet. scale: factor of the paper's sizes, as text. Any failure of the program gives EXIT_FAILED, after its
 * tables are read. */
static int run_paper(struct job *job, int paper, const char *scale)
{
    /* 1. Arguments. */
    bosc_ctx_info info = {.size = sizeof info};
    char path[BENCH_PATH_SIZE], name[32], threads[16], output[32];
    char *arguments[ARGUMENTS_MAX] = {path, "-b", NULL, "-t", threads, "-s", (char *)scale, "-o", output};
    bosc_ctx_get_info(job->ctx, &info);
    arguments[2] = info.backend == BOSC_BACKEND_CUDA ? "cuda" : "cpu";
    snprintf(threads, sizeof threads, "%d", (int)info.threads);
    snprintf(name, sizeof name, "bench_paper_%s", papers[paper].name);
    if (!find_bench_program(name, path, sizeof path)) return report_no_benchmarks();
    if (paper == PAPER_MST && job->value[OPT_GRAPH]) {
        arguments[9] = "-g";
        arguments[10] = (char *)job->value[OPT_GRAPH];
    }
    /* 2. Run it, and read its tables. */
    FILE *tables = tmpfile();
    if (!tables) return report_error(EXIT_FAILED, "bench paper: no temporary file: %s", strerror(errno));
    snprintf(output, sizeof output, "/dev/fd/%d", fileno(tables));
    const bool silent = job->value[OPT_JSON] || job->value[OPT_QUIET];
    const int null_output = silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    double start = job_now();
    int code = wait_for_bench_program(path, start_bench_program(path, arguments, null_output)),
        table_code = read_tables(job, tables, papers[paper].name);
    job_add_seconds(job, papers[paper].name, start);
    if (null_output >= 0) close(null_output);
    fclose(tables);
    return code ? code : table_code;
}

/* ---- plots ---- */

/* The plots, and the arrays that hold their numbers. */
struct paper_plots {
    struct plot *plots; /* as many as there are tables, at least */
    double **numbers;   /* of each plot */
    int count;
};

static double number_at(const json_t *rows, size_t row, size_t column)
{
    const json_t *cell = json_array_get(json_array_get(rows, row), column);
    return json_is_number(cell) ? json_number_value(cell) : NAN;
}

/* Adds the plot of a table, if it has one: its columns over the first column. The paper's are dashed, and left out
 * where the table has other sizes. Skips a table without rows. Names stay in the table's memory. job_alloc reports a
 * lack of memory. The caller frees p->numbers. */
static int add_plot(struct paper_plots *p, const json_t *table)
{
    const json_t *description = json_object_get(table, "plot"), *rows = json_object_get(table, "rows");
    const json_t *columns = json_object_get(table, "columns");
    const size_t count = json_array_size(rows),
                 first = (size_t)json_integer_value(json_object_get(description, "first"));
    const size_t last = (size_t)json_integer_value(json_object_get(description, "last"));
    if (!description || count == 0) return EXIT_DONE;
    if (last - first >= PLOT_SERIES_MAX)
        return report_error(EXIT_FAILED, "--png: %s has more than %d columns",
                            json_string_value(json_object_get(table, "title")), PLOT_SERIES_MAX);
    /* 1. The plot; its numbers are x, then a column per series. */
    double *numbers = job_alloc(count * (last - first + 2), sizeof *numbers);
    if (!numbers) return EXIT_FAILED;
    struct plot *plot = &p->plots[p->count];
    *plot = (struct plot){.title = json_string_value(json_object_get(table, "title")),
                          .x_name = json_string_value(json_array_get(columns, 0)),
                          .y_name = json_string_value(json_object_get(description, "y")),
                          .x = numbers,
                          .count = (int)count,
                          .log_x = json_is_true(json_object_get(description, "log_x")),
                          .log_y = true};
    /* 2. Its series. */
    for (size_t i = 0; i < count; i++) numbers[i] = number_at(rows, i, 0);
    for (size_t c = first; c <= last; c++) {
        double *y = numbers + (c - first + 1) * count;
        for (size_t i = 0; i < count; i++) y[i] = number_at(rows, i, c);
        const char *name = json_string_value(json_array_get(columns, c));
        const bool is_papers = strncmp(name, "paper", 5) == 0;
        if (is_papers && json_is_true(json_object_get(description, "other_sizes"))) continue;
        plot->series[plot->series_count++] =
            (struct plot_series){.name = name, .y = y, .line = is_papers ? PLOT_DASHED : PLOT_SOLID};
    }
    p->numbers[p->count++] = numbers;
    return EXIT_DONE;
}

static int write_plots(const struct job *job)
{
    const json_t *tables = json_object_get(job->results, "tables");
    struct paper_plots p = {.count = 0};
    bosc_io_error error;
    const size_t most = json_array_size(tables) + 1;
    p.plots = job_alloc(most, sizeof *p.plots);
    p.numbers = p.plots ? job_alloc(most, sizeof *p.numbers) : NULL;
    int code = p.numbers ? EXIT_DONE : EXIT_FAILED;
    for (size_t k = 0; k < json_array_size(tables) && !code; k++) code = add_plot(&p, json_array_get(tables, k));
    if (!code && p.count == 0) code = report_error(EXIT_FAILED, "--png: none of these tables has a plot");
    if (!code) {
        bosc_status status = plot_write(p.plots, p.count, job->value[OPT_PNG], &error);
        if (status != BOSC_OK) code = report_io_error(status, &error);
    }
    for (int k = 0; k < p.count; k++) free(p.numbers[k]);
    free(p.numbers);
    free(p.plots);
    return code;
}

/* Prints the papers before the first program runs, which may take minutes. */
static void print_plan(const struct job *job, int first, int last, double scale)
{
    if (job->value[OPT_JSON] || job->value[OPT_QUIET]) return;
    printf("# sizes are %g times the papers', which take minutes; tables of", scale);
    for (int k = first; k <= last; k++) printf(" %s", papers[k].name);
    printf("\n\n");
    fflush(stdout);
}

int run_bench_paper(struct job *job)
{
    /* 1. Options. */
    static const char *const endings[] = {".png", NULL};
    double scale = 1;
    int first, last, code;
    char text[32];
    if ((code = find_papers(job, &first, &last)) || (code = option_number(job, OPT_SCALE, 0, &scale)) ||
        (code = option_ending(job, OPT_PNG, endings)))
        return code;
    if (!(scale > 0 && scale <= 16))
        return report_error(EXIT_USAGE, "--scale: %g is not above 0 and at most 16", scale);
    if (job->value[OPT_GRAPH] && (first > PAPER_MST || last < PAPER_MST))
        return report_error(EXIT_USAGE, "--graph: only the tables of mst have graphs");
    if (job->value[OPT_PNG] && first == last && !papers[first].has_plots)
        return report_error(EXIT_USAGE, "--png: the tables of %s have no plot", papers[first].name);
    if ((code = job_open(job))) return code;
    snprintf(text, sizeof text, "%.17g", scale);
    job_set_number(job, "scale", scale);
    job_set_json(job, "tables", json_array());
    /* 2. A program per paper, then the plots. The last error is returned. */
    print_plan(job, first, last, scale);
    for (int k = first; k <= last; k++) {
        if (job->value[OPT_JSON]) progress_step(job, papers[k].name, (k - first) / (double)(last - first + 1));
        int result = run_paper(job, k, text);
        if (result) code = result;
    }
    if (!code && job->value[OPT_PNG]) code = write_plots(job);
    return code;
}
