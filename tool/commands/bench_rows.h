/* Result rows of benchmarks. */
#ifndef TOOL_COMMANDS_BENCH_ROWS_H
#define TOOL_COMMANDS_BENCH_ROWS_H

#include "tool/tool.h"

const char *bench_row_text(const json_t *row, const char *key); /* "" if absent */
const char *bench_row_data(const json_t *row);                  /* shape and data; valid until the next call */
double bench_row_number(const json_t *row, const char *key);    /* NAN if absent */
bool bench_row_is_ours(const json_t *row);                      /* a time, and not of another library */
bool bench_rows_share(const json_t *a, const json_t *b, const char *key); /* the text of the key */

/* Adds to each of our rows the fastest other library ("best_other", "best_other_ms") and the ratio of the times. */
void compare_bench_rows(const struct job *job);

/* Prints the ratios of the compared rows, unless --json or --quiet is given. */
void print_bench_ratios(const struct job *job);

/* Writes --png: the plots of the rows. */
int plot_bench_rows(const struct job *job);

#endif
