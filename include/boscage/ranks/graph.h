/* boscage/ranks/graph.h - saved graphs read by the ranks of a communicator, each of which reads its part of the bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BOSCAGE_RANKS_GRAPH_H
#define BOSCAGE_RANKS_GRAPH_H

#include <boscage/comm.h>
#include <boscage/graph.h>

BOSC_BEGIN_DECLS

/* Reads `count` bytes from byte `offset` of a saved structure on; returns 0, or another number where they are not
 * there. */
typedef int (*bosc_read_at_fn)(void *user, int64_t offset, void *bytes, size_t count);

typedef struct bosc_ranks_graph_info {
    size_t size;
    /* Of the whole graph, as in bosc_graph_info. */
    int64_t n, m, entries;
    /* Of this rank. */
    int64_t own_entries, first_entry; /* entry i of this rank's graph is first_entry + i of the whole */
} bosc_ranks_graph_info;

/* Reads a graph that bosc_graph_write saved, so that the ranks' graphs together are it, as boscage/ranks/forest.h has
 * them: each rank gets a new graph of all vertices and an equal share of the entries. Collective.
 * read, user: of each rank, for the same bytes; only parts of them are asked for.
 * graph: set on success. Its options are the type of the weights, id_bits, nan and wide of the saved one; edges that
 * this one's build left out are left out here too.
 * info: may be NULL; set its size.
 * Errors: BOSC_ERR_FORMAT on all ranks with the reason for damaged, truncated or hostile bytes, which are checked as
 * bosc_graph_read does. What follows the graph is not read.
 * Cost: rows and arcs together are cut into equal parts, by a binary search for each border in the offsets: for a graph
 * of A arcs a rank reads (n + A) / P of both, 8 to 20 bytes each, whatever their rows. The checksum's state goes from
 * rank to rank, four times: no rank hashes while another one does, and 4 P small exchanges. Then 24 bytes an arc are
 * exchanged, and bosc_graph_build of the rank's share. Scratch: 70 bytes an arc read, 90 for
 * each that is of this rank's entries. Host memory: the bytes read. Waits. */
BOSC_API bosc_status bosc_ranks_graph_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_at_fn read, void *user,
                                           bosc_graph **graph, bosc_ranks_graph_info *info);

BOSC_END_DECLS
#endif
