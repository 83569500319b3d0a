/* Paths and folders; inputs and outputs of a command line. */
#ifndef TOOL_OUTPUT_PATHS_H
#define TOOL_OUTPUT_PATHS_H

#include "tool/tool.h"

bool path_has_ending(const char *path, const char *ending); /* ignores case, and .gz, .bgz or .zst behind it */
bool path_is_text(const char *path);                        /* .csv, .tsv or .txt; NULL: false */
bool path_is_stdio(const char *path);                       /* "-" */
int create_folder(const char *path);                        /* an existing one is fine; returns an exit code */

/* Checks, before any work, that no file is used twice and no binary output is a terminal. Returns an exit code. */
int outputs_check(const struct job *job);

bool path_is_stdout(const char *path);        /* "-", /dev/stdout and the like, through links too */
bool writes_to_stdout(const struct job *job); /* an output of the job is "-" */

#endif
