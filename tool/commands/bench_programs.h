/* The benchmark programs of this build. */
#ifndef TOOL_COMMANDS_BENCH_PROGRAMS_H
#define TOOL_COMMANDS_BENCH_PROGRAMS_H

#include <sys/types.h>

#include "tool/tool.h"

enum { BENCH_PATH_SIZE = 4200 };

/* Writes the path of a program; false if this build does not have it. */
bool find_bench_program(const char *name, char *path, size_t size);
int report_no_benchmarks(void); /* returns EXIT_FAILED */

/* Starts a program with its standard output on `output` (-1: unchanged). On failure reports the error, returns -1. */
pid_t start_bench_program(const char *path, char *const *arguments, int output);

/* Waits for the program to end. Returns EXIT_DONE if it succeeded; otherwise reports the error. */
int wait_for_bench_program(const char *path, pid_t child);

#endif
