/* The table of all options (options.def). */
#ifndef TOOL_OPTIONS_OPTION_TABLE_H
#define TOOL_OPTIONS_OPTION_TABLE_H

#include "tool/tool.h"

const char *option_flag(enum option id); /* "-k", "--queries" */
const char *option_name(enum option id); /* without dashes; some have one letter */
char option_letter(enum option id);      /* 0: none */
bool option_is_file(enum option id);     /* an input or an output */
bool option_is_output(enum option id);

/* Return the option's id, or -1. */
int find_option_by_name(const char *name, size_t length);
int find_option_by_letter(char letter);

/* Returns the entry of a command's option, NULL members included; NULL if the command does not have it. */
const struct command_option *find_command_option(const struct command *command, int id);

/* Returns an option as a command has it, all members set; command NULL: as options.def has it. value NULL: a flag. */
struct command_option resolve_option(const struct command *command, enum option id);

/* Returns the name of a choice of the option. */
const char *option_choice_name(const struct job *job, enum option id, int choice);

#endif
