/* Checks of boxes. */
#ifndef TOOL_COMMANDS_BOXES_H
#define TOOL_COMMANDS_BOXES_H

#include "tool/tool.h"

/* Checks the shape (m, 2, dim). */
int boxes_check(const char *path, const bosc_array *boxes, int32_t dim);

/* Refuses NaN. first: number of the first box in the file. */
int boxes_reject_nan(const char *path, const bosc_array *boxes, int64_t first);

#endif
