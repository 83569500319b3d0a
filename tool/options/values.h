/* Values of options. Errors are reported and return EXIT_USAGE; an absent option leaves the value unchanged. */
#ifndef TOOL_OPTIONS_VALUES_H
#define TOOL_OPTIONS_VALUES_H

#include "tool/tool.h"

int option_number(const struct job *job, enum option id, double min, double *value);

/* Reads `count` finite numbers separated by commas. */
int option_numbers(const struct job *job, enum option id, int count, double *values);

/* Sets *choice to the index of the value among the option's choices. */
int option_choice(const struct job *job, enum option id, int *choice);

/* Checks that an output is standard output or has one of the endings (a NULL ends the list). */
int option_ending(const struct job *job, enum option id, const char *const *endings);

/* Refuse a file name with the ending of another format: the file would be read as that. what: option or operand. */
int check_ending(const char *what, const char *path, const char *ending);
int check_array_name(const char *what, const char *path);

#endif
