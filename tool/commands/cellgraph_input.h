/* Input of the cellgraph searches: the graph of a file's vectors, and the allowed rows. */
#ifndef TOOL_COMMANDS_CELLGRAPH_INPUT_H
#define TOOL_COMMANDS_CELLGRAPH_INPUT_H

#include <boscage/cellgraph.h>

#include "tool/tool.h"

struct cellgraph_input {
    bosc_vectors vectors;
    bosc_array allowed; /* (rows) 0: excluded; empty: all rows are allowed */
    bosc_cellgraph *graph;
    bosc_cellgraph_info info;
    int64_t *vertex_of; /* (rows) */
    int64_t *first_row; /* (vertices) first allowed row */
    uint8_t *mask;      /* (vertices) 0: no allowed row */
};

/* Reads the vectors and --allowed. */
int cellgraph_input_read(struct job *job, int64_t bits, struct cellgraph_input *c);
/* Checks that the row given by the option exists and is allowed. */
int cellgraph_input_check_row(struct job *job, const struct cellgraph_input *c, enum option id, int64_t row);
/* Builds the graph of all rows, and the mask. */
int cellgraph_input_build(struct job *job, int method, struct cellgraph_input *c);
void cellgraph_input_free(struct cellgraph_input *c);

#endif
