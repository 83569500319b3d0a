/* What the commands share that search in cells: a graph of a file's vectors, and which of its rows may be used. */
#ifndef TOOL_COMMANDS_CELLS_H
#define TOOL_COMMANDS_CELLS_H

#include <boscage/cellgraph.h>

#include "tool/tool.h"

struct cells {
    bosc_vectors vectors;
    bosc_array allowed; /* 0 for each row that may not be used; empty: all may */
    bosc_cellgraph *graph;
    bosc_cellgraph_info info;
    int64_t *vertex_of; /* of each row */
    int64_t *first;     /* of each vertex, its first row that may be used */
    uint8_t *mask;      /* of each vertex: 0 if none of its rows may be used */
};

/* Reads the vectors and --allowed. */
int cells_read(struct job *job, int64_t bits, struct cells *c);
/* Is `row`, which the option gave, one that may be used? */
int cells_check_row(struct job *job, const struct cells *c, enum option id, int64_t row);
/* The graph of all rows, and what may be used of it. */
int cells_build(struct job *job, int method, struct cells *c);
void cells_free(struct cells *c);

#endif
