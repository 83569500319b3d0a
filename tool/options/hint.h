/* Suggestions for mistyped names. */
#ifndef TOOL_OPTIONS_HINT_H
#define TOOL_OPTIONS_HINT_H

#include <stddef.h>

/* Returns the index of the name (of `count`) closest to the first `length` letters of `text`; -1 if none is close. */
int find_similar_name(const char *text, size_t length, const char *(*name)(const void *user, int i), const void *user,
                      int count);

#endif
