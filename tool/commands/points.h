/* Points from files. A saved tree serves as points. */
#ifndef TOOL_COMMANDS_POINTS_H
#define TOOL_COMMANDS_POINTS_H

#include "tool/tool.h"

int points_read(struct job *job, const char *path, bosc_array *points);

/* Reads a slice of the points of a file. */
int points_read_slice(struct job *job, const char *path, bosc_slice *slice, bosc_array *points);

/* Converts points to the type of --dtype, if given, rounding to floats. slice: where they are in the file; NULL:
 * all. */
int points_convert(const struct job *job, const char *path, const bosc_slice *slice, bosc_array *points);

/* Converts queries or boxes to the type of the points. Values that would change are refused unless --dtype is given. */
int match_points(const struct job *job, const char *path, bosc_array *array, bosc_dtype type);

#endif
