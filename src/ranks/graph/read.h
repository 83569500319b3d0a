/* What the reading of saved graphs over ranks is made of. */
#ifndef BI_RANKS_GRAPH_READ_H
#define BI_RANKS_GRAPH_READ_H

#include <boscage/ranks/graph.h>

#include "ranks/ranks.h"
#include "graph/save.h"

enum { BI_RANKS_OFFSETS, BI_RANKS_NEIGHBOURS, BI_RANKS_WEIGHTS, BI_RANKS_EDGE_IDS, BI_RANKS_GRAPH_ARRAYS };

struct bi_ranks_graph_reading {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_loader loader; /* its context and words alone */
    bosc_read_at_fn read;
    void *user;
    struct bi_graph_header header;
    struct bi_loaded arrays[BI_RANKS_GRAPH_ARRAYS];
    int64_t row, row_end; /* this rank's part: rows whose offsets it has */
    int64_t arc, arc_end; /* and arcs, the first of which may be in the row before */
    int64_t rows_from;    /* the first row whose offset was read: one before, if there is one */
    int64_t arcs_from;    /* and the first arc */
    char *state;          /* host: of the hash; then lists of the exchanges that pass it on */
};

/* The first of the entries of a rank: those of rank r are i x ranks / entries == r. */
static inline int64_t bi_ranks_graph_share(const struct bi_ranks_graph_reading *r, int64_t rank)
{
    const int64_t ranks = r->comm->rank_count;
    return (rank * r->header.entries + ranks - 1) / ranks;
}

/* ---- graph_slices.c ---- */

/* All ranks get the header and their parts of the arrays, which have the checksum that the file says. */
bosc_status bi_ranks_graph_read_slices(struct bi_ranks_graph_reading *r, bosc_status local_status);
void bi_ranks_graph_release(struct bi_ranks_graph_reading *r);

/* ---- graph_entries.c ---- */

/* Builds this rank's graph of what was read. Takes scratch. */
bosc_status bi_ranks_graph_build_read(struct bi_ranks_graph_reading *r, bosc_graph **graph);

#endif
