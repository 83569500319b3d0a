#include "tool/commands/bench_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/tool.h"

const char *bench_row_text(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

double bench_row_number(const json_t *row, const char *key)
{
    const json_t *number = json_object_get(row, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* True if `other` is a row of another library for the case and size of our row. */
static bool is_counterpart(const json_t *row, const json_t *other)
{
    const char *data = bench_row_text(other, "data");
    return *bench_row_text(other, "library") &&
           strcmp(bench_row_text(row, "name"), bench_row_text(other, "name")) == 0 &&
           strcmp(bench_row_text(row, "program"), bench_row_text(other, "program")) == 0 &&
           bench_row_number(row, "size") == bench_row_number(other, "size") &&
           (!*data || strcmp(data, bench_row_text(row, "data")) == 0);
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
           bench_row_text(row, "data"), json_integer_value(json_object_get(row, "size")),
           bench_row_number(row, "median_ms"), bench_row_number(row, "best_other_ms"), red ? "\033[31m" : "", ratio,
           red ? "\033[0m" : "", bench_row_text(row, "best_other"));
}

void compare_bench_rows(const struct job *job)
{
    json_t *rows = json_object_get(job->results, "rows");
    const bool print = !job->value[OPT_JSON] && !job->value[OPT_QUIET];
    const bool colours = print && isatty(STDOUT_FILENO);
    bool has_header = false;
    for (size_t k = 0; k < json_array_size(rows); k++) {
        json_t *row = json_array_get(rows, k);
        if (!json_object_get(row, "median_ms") || *bench_row_text(row, "library")) continue;
        set_best_other(rows, row);
        if (!print || !json_object_get(row, "ratio")) continue;
        if (!has_header)
            printf("# beside the fastest other\n%-38s %-18s %10s %12s %12s %8s\n", "", "data", "size", "ours, ms",
                   "other, ms", "ratio");
        has_header = true;
        print_ratio(row, colours);
    }
}
