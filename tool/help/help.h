/* Help of the tool, of a room and of commands; as a manual page and as completion scripts. */
#ifndef TOOL_HELP_HELP_H
#define TOOL_HELP_HELP_H

#include "tool/tool.h"

/* Prints the help of a command; if NULL, of the room; if NULL or unknown, of the tool. */
void help_print(const struct job *job, const struct command *command, const char *room);

void help_print_man(const struct job *job);
void help_print_completion(const struct job *job, int shell); /* 0: bash, 1: zsh, 2: fish */

#endif
