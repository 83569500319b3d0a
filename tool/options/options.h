/* Command lines. Errors are reported and return EXIT_USAGE. */
#ifndef TOOL_OPTIONS_OPTIONS_H
#define TOOL_OPTIONS_OPTIONS_H

#include "tool/tool.h"

/* Parses the arguments into words and option values. */
int options_read(struct job *job, int argc, char **argv);

/* Checks them against the command, which is known by now. */
int options_check(const struct job *job);

#endif
