/* Inside a table of geometric hashing, and the room's table of operations. The hash table proper is a voxel grid of the
 * coordinates (float) of the points in every basis: entry b * per + k is point k in basis b, or its k-th neighbour, and
 * the entries near a scene point's coordinates vote for their bases. */
#ifndef BI_GEOMETRIC_GEOMETRIC_H
#define BI_GEOMETRIC_GEOMETRIC_H

#include <boscage/geometric.h>
#include <boscage/voxelgrid.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_GEOMETRIC_CORNERS = 4 }; /* words of a basis: three points at most */

struct bosc_geometric {
    struct bi_memory memory, host;
    bosc_geometric_opts opts; /* every field set but those whose default depends on n */
    int64_t n, bases;
    int64_t neighbours; /* points with coordinates in a basis; 0: all */
    double tolerance, vote_radius;
    bosc_voxelgrid *grid;
    struct bi_block points;    /* (n x 2) double: the model */
    struct bi_block list;      /* (bases x BI_GEOMETRIC_CORNERS) uint32 */
    struct bi_block copy;      /* the model in host memory */
    struct bi_block next_copy; /* where a build puts the next one: until it is hashed, the table holds the old model */
};

static inline int64_t bi_geometric_points_per_basis(const bosc_geometric *table)
{
    return table->neighbours ? table->neighbours : table->n;
}

struct bi_geometric_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of geometric hashing that each backend gives. */
struct bi_geometric_ops {
    const struct bi_geometric_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
