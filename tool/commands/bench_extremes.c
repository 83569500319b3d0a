/* The extremes of benchmark rows over shapes and sizes: where other libraries are ahead the most, and which shape is
 * the slowest beside the first one of its program. */
#include "tool/commands/bench_extremes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tool/commands/bench_rows.h"
#include "tool/job.h"

/* The data of a row without its shape, with which it may begin. */
static const char *data_of(const json_t *row)
{
    const char *data = bench_row_text(row, "data"), *shape = bench_row_text(row, "shape");
    return strncmp(data, shape, strlen(shape)) == 0 ? data + strlen(shape) : data;
}

static double time_per_item(const json_t *row)
{
    return bench_row_number(row, "median_ms") / bench_row_number(row, "n");
}

/* Sets "times": the row's time an item, beside that of the first shape at the same case and size. */
static void set_times(const json_t *rows, json_t *row)
{
    const char *first = bench_row_text(row, "first_shape");
    if (!*first || strcmp(first, bench_row_text(row, "shape")) == 0) return;
    for (size_t k = 0; k < json_array_size(rows); k++) {
        const json_t *other = json_array_get(rows, k);
        if (!bench_row_is_ours(other) || strcmp(bench_row_text(other, "shape"), first) != 0 ||
            !bench_rows_share(row, other, "program") || !bench_rows_share(row, other, "name") ||
            strcmp(data_of(row), data_of(other)) != 0 ||
            bench_row_number(row, "size") != bench_row_number(other, "size"))
            continue;
        const double times = time_per_item(row) / time_per_item(other);
        if (times > 0) json_object_set_new(row, "times", json_real(times));
        return;
    }
}

/* The row of a room with the least (sign 1) or greatest (sign -1) number, or NULL. */
static json_t *find_extreme(const json_t *rows, const char *room, const char *key, int sign)
{
    json_t *found = NULL;
    for (size_t k = 0; k < json_array_size(rows); k++) {
        json_t *row = json_array_get(rows, k);
        const double value = bench_row_number(row, key);
        if (!bench_row_is_ours(row) || strcmp(bench_row_text(row, "room"), room) != 0 || isnan(value)) continue;
        if (!found || sign * value < sign * bench_row_number(found, key)) found = row;
    }
    return found;
}

static void print_case(const json_t *row)
{
    const char *data = data_of(row);
    printf("%s%s%s; %s; n %" JSON_INTEGER_FORMAT ": %.6g ms", bench_row_text(row, "name"),
           *data && *data != ' ' ? ", " : "", data, bench_row_text(row, "shape"),
           json_integer_value(json_object_get(row, "size")), bench_row_number(row, "median_ms"));
}

static void print_extreme(const json_t *row, const char *what)
{
    printf("%-10s %-7s ", bench_row_text(row, "room"), what);
    if (strcmp(what, "slowest") == 0) {
        printf("%8.2f times as long an item as %s: ", bench_row_number(row, "times"),
               bench_row_text(row, "first_shape"));
        print_case(row);
        printf("\n");
    } else {
        printf("%8.2f times as fast as %s: ", bench_row_number(row, "ratio"), bench_row_text(row, "best_other"));
        print_case(row);
        printf(", other %.6g ms\n", bench_row_number(row, "best_other_ms"));
    }
}

/* Adds the row to the list of the results, and prints it. */
static void report_extreme(struct job *job, json_t *row, const char *what)
{
    if (!row) return;
    json_array_append(json_object_get(job->results, what), row);
    if (!job->value[OPT_JSON] && !job->value[OPT_QUIET]) print_extreme(row, what);
}

/* True if row k is the first of its room. */
static bool is_first_of_room(const json_t *rows, size_t k)
{
    const json_t *row = json_array_get(rows, k);
    if (!bench_row_is_ours(row)) return false;
    for (size_t i = 0; i < k; i++)
        if (bench_row_is_ours(json_array_get(rows, i)) && bench_rows_share(json_array_get(rows, i), row, "room"))
            return false;
    return true;
}

void report_bench_extremes(struct job *job)
{
    const json_t *rows = json_object_get(job->results, "rows");
    if (!job->value[OPT_JSON] && !job->value[OPT_QUIET])
        printf("# extremes of each room over shapes and sizes, the worst ratio first\n");
    for (size_t k = 0; k < json_array_size(rows); k++)
        if (bench_row_is_ours(json_array_get(rows, k))) set_times(rows, json_array_get(rows, k));
    for (size_t k = 0; k < json_array_size(rows); k++) {
        if (!is_first_of_room(rows, k)) continue;
        const char *room = bench_row_text(json_array_get(rows, k), "room");
        report_extreme(job, find_extreme(rows, room, "ratio", 1), "worst");
        report_extreme(job, find_extreme(rows, room, "ratio", -1), "best");
        report_extreme(job, find_extreme(rows, room, "times", -1), "slowest");
    }
}
