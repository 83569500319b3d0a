/* State of a saved graph's load over ranks. */
#ifndef BI_RANKS_GRAPH_READ_H
#define BI_RANKS_GRAPH_READ_H

#include <boscage/ranks/graph.h>

#include "ranks/ranks.h"
#include "graph/save.h"

enum { BI_RANKS_OFFSETS, BI_RANKS_NEIGHBOURS, BI_RANKS_WEIGHTS, BI_RANKS_EDGE_IDS, BI_RANKS_GRAPH_ARRAYS };

struct bi_ranks_graph_loader {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_loader loader; /* its context and words only */
    bosc_read_at_fn read;
    void *user;
    struct bi_graph_header header;
    struct bi_loaded arrays[BI_RANKS_GRAPH_ARRAYS];
    int64_t row, row_end; /* rows whose offsets belong to this rank */
    int64_t arc, arc_end; /* its arcs; the first may belong to the row before */
    int64_t rows_from;    /* the first row read: one before `row`, if there is one */
    int64_t arcs_from;    /* likewise the first arc read */
    char *state;          /* host: the hash state; then buffers of the exchanges that pass it on */
};

/* Returns the first entry of a rank: entry i belongs to rank i x ranks / entries. */
static inline int64_t bi_ranks_graph_chunk_begin(const struct bi_ranks_graph_loader *r, int64_t rank)
{
    const int64_t ranks = r->comm->rank_count;
    return (rank * r->header.entries + ranks - 1) / ranks;
}

/* ---- slices.c ---- */

/* Reads the header and each rank's range of the arrays, and checks the file's checksum. */
bosc_status bi_ranks_graph_read_arrays(struct bi_ranks_graph_loader *r, bosc_status local_status);
void bi_ranks_graph_release(struct bi_ranks_graph_loader *r);

/* ---- entries.c ---- */

/* Builds this rank's graph from the arrays. Takes scratch. */
bosc_status bi_ranks_graph_build_loaded(struct bi_ranks_graph_loader *r, bosc_graph **graph);

#endif
