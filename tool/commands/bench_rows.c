/* Rows of benchmarks: what they say, and how ours stand beside those of other libraries. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/tool.h"

const char *bench_text(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

double bench_number(const json_t *row, const char *key)
{
    const json_t *number = json_object_get(row, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* Whether `other` is a row of another library of the case and size of our row. */
static bool is_beside(const json_t *row, const json_t *other)
{
    const char *data = bench_text(other, "data");
    return *bench_text(other, "library") && strcmp(bench_text(row, "name"), bench_text(other, "name")) == 0 &&
           strcmp(bench_text(row, "program"), bench_text(other, "program")) == 0 &&
           bench_number(row, "size") == bench_number(other, "size") &&
           (!*data || strcmp(data, bench_text(row, "data")) == 0);
}

/* A row of ours gets the fastest of the others, its own peer among them, and how many times as long that takes. */
static void find_best(const json_t *rows, json_t *row)
{
    const char *best = bench_text(row, "peer");
    double least = *best ? bench_number(row, "peer_median_ms") : INFINITY;
    for (size_t k = 0; k < json_array_size(rows); k++) {
        const json_t *other = json_array_get(rows, k);
        if (!is_beside(row, other) || bench_number(other, "median_ms") >= least) continue;
        least = bench_number(other, "median_ms");
        best = bench_text(other, "library");
    }
    if (!*best || !(least < INFINITY)) return;
    json_object_set_new(row, "best_other", json_string(best));
    json_object_set_new(row, "best_other_ms", json_real(least));
    json_object_set_new(row, "ratio", json_real(least / bench_number(row, "median_ms")));
}

/* A ratio below 1 is red on a terminal. */
static void print_ratio(const json_t *row, bool colours)
{
    const double ratio = bench_number(row, "ratio");
    const bool red = colours && ratio < 1;
    printf("%-38s %-18s %10" JSON_INTEGER_FORMAT " %12.6f %12.6f %s%8.2f%s  %s\n", bench_text(row, "name"),
           bench_text(row, "data"), json_integer_value(json_object_get(row, "size")), bench_number(row, "median_ms"),
           bench_number(row, "best_other_ms"), red ? "\033[31m" : "", ratio, red ? "\033[0m" : "",
           bench_text(row, "best_other"));
}

void bench_compare(const struct job *job)
{
    json_t *rows = json_object_get(job->results, "rows");
    const bool print = !job->value[OPT_JSON] && !job->value[OPT_QUIET];
    const bool colours = print && isatty(STDOUT_FILENO);
    bool headed = false;
    for (size_t k = 0; k < json_array_size(rows); k++) {
        json_t *row = json_array_get(rows, k);
        if (!json_object_get(row, "median_ms") || *bench_text(row, "library")) continue;
        find_best(rows, row);
        if (!print || !json_object_get(row, "ratio")) continue;
        if (!headed)
            printf("# beside the fastest other\n%-38s %-18s %10s %12s %12s %8s\n", "", "data", "size", "ours, ms",
                   "other, ms", "ratio");
        headed = true;
        print_ratio(row, colours);
    }
}
