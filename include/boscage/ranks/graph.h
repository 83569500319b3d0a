/* boscage/ranks/graph.h - saved graphs, read in parts by the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_ranks_graph_read */
#ifndef BOSCAGE_RANKS_GRAPH_H
#define BOSCAGE_RANKS_GRAPH_H

#include <boscage/comm.h>
#include <boscage/graph.h>

BOSC_BEGIN_DECLS

/* Reads `count` bytes of a saved structure from byte `offset` on.
 * Returns 0, or another value if they are missing. */
typedef int (*bosc_read_at_fn)(void *user, int64_t offset, void *bytes, size_t count);

typedef struct bosc_ranks_graph_info {
    size_t size;
    /* Of the whole graph, as in bosc_graph_info. */
    int64_t n, m, entries;
    /* Of this rank. */
    int64_t own_entries, first_entry; /* entry i of this rank's graph is first_entry + i of the whole */
} bosc_ranks_graph_info;

/* Reads a graph of bosc_graph_write into the ranks' graphs for boscage/ranks/forest.h. Collective.
 * Each rank receives a new graph of all vertices and an equal share of the entries.
 * read, user: of each rank, for the same bytes; each rank reads a part.
 * graph: set on success. Its options are the saved type of the weights, id_bits, nan and wide; removed edges stay
 *     removed.
 * info: may be NULL. Set `size`.
 * Errors: BOSC_ERR_FORMAT on all ranks, with the reason, for damaged, truncated or hostile bytes, checked as in
 *     bosc_graph_read. Bytes after the graph are not read.
 * Cost: a rank reads (n + A) / P of the rows and A arcs, 8 to 20 bytes each, whatever the lengths of the rows. The
 *     checksum's state passes from rank to rank four times, so ranks hash one after the other: 4 P small exchanges.
 *     Then an exchange of 24 bytes an arc, and bosc_graph_build of the rank's share. Scratch: 70 bytes an arc read, 90
 *     an arc of this rank's entries. Host memory: the bytes read.
 * Waits. */
BOSC_API bosc_status bosc_ranks_graph_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_at_fn read, void *user,
                                           bosc_graph **graph, bosc_ranks_graph_info *info);

BOSC_END_DECLS
#endif
