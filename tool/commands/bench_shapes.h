/* Shapes of data that benchmark programs have, and the choice of --shape. */
#ifndef TOOL_COMMANDS_BENCH_SHAPES_H
#define TOOL_COMMANDS_BENCH_SHAPES_H

#include "tool/tool.h"

enum { BENCH_SHAPES_MAX = 12 };

/* The shapes of a kind of data; times of the others are compared with those of the first. NULL ends a list. */
struct bench_shapes {
    const char *option; /* of the programs: -s, -k */
    const char *names[BENCH_SHAPES_MAX + 1];
};

extern const struct bench_shapes bench_points, bench_clouds, bench_graphs, bench_keys, bench_words;

/* True if --shape names the shape, or is `all`. */
bool bench_shape_chosen(const struct job *job, const char *shape);

/* Checks --shape: each of its names is a shape of one of `count` lists, NULLs left out. Reports the error. */
int check_bench_shapes(const struct job *job, const struct bench_shapes *const *lists, int count);

#endif
