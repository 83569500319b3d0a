/* Inside a table of geometric hashing. The table proper is a voxel grid of the coordinates (float) of the points in
 * every basis: entry b * per + k is point k in basis b, or the k-th near one, and the points near some coordinates
 * vote. */
#ifndef BI_GEOMETRIC_TABLE_H
#define BI_GEOMETRIC_TABLE_H

#include <boscage/geometric.h>
#include <boscage/spatial.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_GEOMETRIC_CORNERS = 4 }; /* words of a basis: three points at most */

struct bosc_geometric {
    struct bi_memory memory, host;
    bosc_geometric_opts opts; /* every field set but those whose default is n's */
    int64_t n, bases;
    int64_t near; /* points of a basis; 0: all */
    double tolerance, vote;
    bosc_grid *grid;
    struct bi_block points; /* (n x 2) double: the model */
    struct bi_block list;   /* (bases x BI_GEOMETRIC_CORNERS) uint32 */
    struct bi_block copy;   /* the model in host memory */
};

static inline int64_t bi_geo_per(const bosc_geometric *table) { return table->near ? table->near : table->n; }

#ifdef __cplusplus
}
#endif
#endif
