/* Vectors from files. */
#ifndef TOOL_COMMANDS_VECTORS_H
#define TOOL_COMMANDS_VECTORS_H

#include "tool/tool.h"

/* bits: length of a vector; 0: as the file has it. */
int vectors_read(struct job *job, const char *path, int64_t bits, bosc_vectors *vectors);

#endif
