/* The extremes of benchmark rows over shapes and sizes. */
#ifndef TOOL_COMMANDS_BENCH_EXTREMES_H
#define TOOL_COMMANDS_BENCH_EXTREMES_H

#include "tool/tool.h"

/* Sets and prints, for each room, the worst and the best ratio beside other libraries ("worst", "best"), and the case
 * that takes the longest beside the first shape ("slowest"). The rows have been compared (compare_bench_rows). */
void report_bench_extremes(struct job *job);

#endif
