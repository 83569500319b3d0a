/* Passes over the vertices of a table, by rank, compiled for several CPU levels: ranks need counts of bits. */
#ifndef BI_CELLGRAPH_CPU_TABLE_EDGES_H
#define BI_CELLGRAPH_CPU_TABLE_EDGES_H

#include "cellgraph/cellgraph.h"
#include "core/cpu/level.h"

struct bi_cellgraph_table_edges {
    const struct bi_cellgraph_table *table;
    uint64_t *starts; /* (vertices + 1) number of higher neighbours of each; then begins of rows */
    uint64_t *edges;
    uint32_t *positions;
    int32_t vertex_bits;
};

/* An operation on the vertices of ranks begin to end - 1. */
typedef void (*bi_cellgraph_rank_pass)(const struct bi_cellgraph_table_edges *a, int64_t begin, int64_t end);

/* count_edges: sets starts. write_edges: writes the edges to the higher neighbours, sorted. */
#define BI_CELLGRAPH_TABLE_DECLARE(level)                                                                        \
    void bi_cellgraph_count_edges_##level(const struct bi_cellgraph_table_edges *a, int64_t begin, int64_t end); \
    void bi_cellgraph_write_edges_##level(const struct bi_cellgraph_table_edges *a, int64_t begin, int64_t end);
BI_CELLGRAPH_TABLE_DECLARE(v1)
#if defined(__x86_64__)
BI_CELLGRAPH_TABLE_DECLARE(v3)
BI_CELLGRAPH_TABLE_DECLARE(v4)
#endif

#endif
