/* Plots of measured benchmarks. */
#ifndef TOOL_COMMANDS_BENCH_PLOT_H
#define TOOL_COMMANDS_BENCH_PLOT_H

#include "tool/tool.h"

int plot_bench_rows(const struct job *job);

#endif
