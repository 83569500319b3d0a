/* Tables of a paper: its figures beside our measurements. A full table is printed as text, and written as one JSON
 * object a line to the file of -o. */
#ifndef BENCH_PAPER_TABLE_H
#define BENCH_PAPER_TABLE_H

#include "harness/bench.h"

/* Parses -s (scale of the paper's sizes), -o, the options of every benchmark and the program's own, and opens the
 * context. */
void paper_open(int argc, char **argv, const struct bench_option *own, int count);
int64_t paper_size(int64_t size, int64_t least); /* times the scale */
double paper_scale(void);
void paper_keep_sizes(void); /* the scale limits the number of rows; their sizes are the paper's */

/* Closes the file and the context. Returns the exit code. */
int paper_close(void);

struct table;

/* name: one word, for programs. columns: their names with units, with a bar between: "stage|paper, ms|published, ms";
 * the last one is `answer`: the check that the row's answer passed. */
struct table *table_open(const char *name, const char *title, const char *columns);

/* Cells are filled in reading order; a row ends when its columns are full. */
void table_text(struct table *t, const char *format, ...);
void table_integer(struct table *t, int64_t x);
void table_number(struct table *t, double x); /* NaN: unknown */
void table_ms(struct table *t, struct bench_times times);
void table_none(struct table *t);
void table_answer(struct table *t, bool right, const char *compared); /* a wrong one fails the program */

/* Adds which of the two methods here are faster than the paper's, and by which factors: "both, 2.1 and 46 times",
 * "ours, 0.7 and 12 times" or "none, ...". printed: the paper's time on its hardware of this backend. Adds a dash if
 * it is NaN, or if the sizes are not the paper's. */
void table_ahead(struct table *t, double printed, double published, double ours);

/* The plot of the table: columns `first` to `last` over column 0. LINEAR_LOG: column 0 is linear, the others
 * logarithmic. Columns that begin with "paper" are dashed, and left out where sizes are not the paper's. */
enum table_axes { TABLE_LOG_LOG, TABLE_LINEAR_LOG };
void table_plot(struct table *t, int first, int last, enum table_axes axes, const char *y_name);

void table_note(struct table *t, const char *format, ...);

/* Prints and frees the table. */
void table_close(struct table *t);

#endif
