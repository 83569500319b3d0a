/* Values of options. Errors are reported and return EXIT_USAGE; an absent option leaves the value unchanged. Integers
 * are written 1000000, 1e6 or 1M. */
#ifndef TOOL_OPTIONS_VALUES_H
#define TOOL_OPTIONS_VALUES_H

#include "tool/tool.h"

int option_integer(const struct job *job, enum option id, int64_t min, int64_t max, int64_t *value);
int option_seed(const struct job *job, uint64_t *seed); /* unsigned, 64 bits */

/* Reads LO:HI with LO <= HI. */
int option_range(const struct job *job, enum option id, int64_t *low, int64_t *high);

/* Reads BxT: 1 to 65,535 blocks of a CUDA launch, and their threads, a multiple of 32 up to 1,024. */
int option_launch(const struct job *job, enum option id, int32_t *blocks, int32_t *threads);

/* Parses an integer and advances *text behind it. NUMBER_NONE: not an integer; NUMBER_LARGE: magnitude beyond 64
 * bits. */
enum number_kind { NUMBER_NONE, NUMBER_INTEGER, NUMBER_SMALL, NUMBER_LARGE };
enum number_kind number_read(const char **text, bool *negative, uint64_t *magnitude);

int option_number(const struct job *job, enum option id, double min, double *value);

/* Reads `count` finite numbers separated by commas. */
int option_numbers(const struct job *job, enum option id, int count, double *values);

/* Sets *choice to the index of the value among the option's choices. */
int option_choice(const struct job *job, enum option id, int *choice);

/* Checks that an output is standard output or has one of the endings (a NULL ends the list). */
int option_ending(const struct job *job, enum option id, const char *const *endings);

/* Refuses options that have no effect beside `what`: "a saved trie". */
int refuse_options(const struct job *job, const enum option *ids, size_t count, const char *what);

/* Refuse a file name with the ending of another format: the file would be read as that. what: option or operand. */
int check_ending(const char *what, const char *path, const char *ending);
int check_array_name(const char *what, const char *path);

#endif
