/* Paths and folders. */
#ifndef TOOL_OUTPUT_PATHS_H
#define TOOL_OUTPUT_PATHS_H

#include "tool/tool.h"

bool path_has_ending(const char *path, const char *ending); /* ignores case, and .gz or .zst behind it */
bool path_is_stdio(const char *path);                       /* "-" */
int create_folder(const char *path);                        /* an existing one is fine; returns an exit code */

#endif
