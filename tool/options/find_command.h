/* Names of commands, and suggestions for mistyped names. */
#ifndef TOOL_OPTIONS_FIND_COMMAND_H
#define TOOL_OPTIONS_FIND_COMMAND_H

#include <stddef.h>

#include "tool/tool.h"

/* "kdtree knn" */
struct command_text {
    char text[32];
};
struct command_text command_name(const struct command *command);

/* Returns the command that the first words name; NULL if none, or if they name only a room. */
const struct command *find_command(const struct job *job, const char *const *words, int count);
bool command_has_room(const struct job *job, const char *room);

/* Reports that the job's words name no command. Returns EXIT_USAGE. */
int report_unknown_command(const struct job *job);

/* Returns the index of the name (of `count`) closest to the first `length` letters of `text`; -1 if none is close. */
int find_similar_name(const char *text, size_t length, const char *(*name)(const void *user, int i), const void *user,
                      int count);

#endif
