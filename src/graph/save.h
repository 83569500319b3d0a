/* The saved form of a graph, little-endian:
 *
 *   header (128 bytes, below) | offsets: (n + 1) words | neighbours: arcs x uint32 | weights: arcs of their type
 *   | edge ids: arcs words | XXH3 64 of everything before
 *
 * Words have 64 bits if flags & BI_GRAPH_SAVE_WIDE, else 32. Each array begins at a multiple of 64 bytes, with zeros
 * before it, so that a mapped file can be used in place. The header ends with its own XXH3 64. */
#ifndef BI_GRAPH_SAVE_H
#define BI_GRAPH_SAVE_H

#include "core/save.h"
#include "graph/graph.h"

enum { BI_GRAPH_SAVE_VERSION = 1 };

/* `flags`. The last two are options for later builds, as are `arcs_are`, `parallel` and `nan`. */
enum { BI_GRAPH_SAVE_WIDE = 1, BI_GRAPH_SAVE_DROP_LOOPS = 2, BI_GRAPH_SAVE_ALWAYS_WIDE = 4, BI_GRAPH_SAVE_FLAGS = 7 };

#define BI_GRAPH_SAVE_MAGIC "BOSCGRF\n"

struct bi_graph_header {
    char magic[8];
    uint32_t version, flags;
    uint32_t weight, id_bits;
    uint32_t arcs_are, parallel, nan, reserved;
    int64_t n, entries, m, arcs;
    uint64_t unused[6]; /* 0 */
    uint64_t hash;      /* of the preceding bytes */
};

_Static_assert(sizeof(struct bi_graph_header) == 128, "the header is 128 bytes");

/* Checks that an undamaged header describes a possible graph. */
bosc_status bi_graph_check_header(struct bi_loader *l, const struct bi_graph_header *h);

/* Fails with the fault that a step found in arcs (graph/steps/rows.h), other than a missing opposite. */
bosc_status bi_graph_bad_arc(struct bi_loader *l, uint32_t found);

#endif
