/* Inputs and outputs of a command line. */
#ifndef TOOL_OUTPUT_OUTPUTS_H
#define TOOL_OUTPUT_OUTPUTS_H

#include "tool/tool.h"

/* Checks, before any work, that no file is used twice and no binary output is a terminal. Returns an exit code. */
int outputs_check(const struct job *job);

bool path_is_stdout(const char *path);        /* "-", /dev/stdout and the like, through links too */
bool writes_to_stdout(const struct job *job); /* an output of the job is "-" */

#endif
