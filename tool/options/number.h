/* Integers of options, written 1000000, 1e6 or 1M. Errors are reported and return EXIT_USAGE. */
#ifndef TOOL_OPTIONS_NUMBER_H
#define TOOL_OPTIONS_NUMBER_H

#include "tool/tool.h"

int option_integer(const struct job *job, enum option id, int64_t min, int64_t max, int64_t *value);
int option_seed(const struct job *job, uint64_t *seed); /* unsigned, 64 bits */

/* Reads LO:HI with LO <= HI. */
int option_range(const struct job *job, enum option id, int64_t *low, int64_t *high);

/* Parses an integer and advances *text behind it. NUMBER_NONE: not an integer; NUMBER_LARGE: magnitude beyond 64
 * bits. */
enum number_kind { NUMBER_NONE, NUMBER_INTEGER, NUMBER_SMALL, NUMBER_LARGE };
enum number_kind number_read(const char **text, bool *negative, uint64_t *magnitude);

int suffix_zeros(char letter); /* 3, 6 and 9 for k, M and G; otherwise 0 */

#endif
