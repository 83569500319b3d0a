/* Inside motion planning: the handles of constraints and roadmaps, and the room's table.
 *
 * A candidate is a pair of a robot's and an obstacle's feature, numbered: balls, vertices with facets, facets with
 * vertices, edges, forms; the robot's feature first, row by row. Collisions are told by references from candidates to
 * the signs of constraints (bi_plan_ref). */
#ifndef BI_PLAN_PLAN_H
#define BI_PLAN_PLAN_H

#include <boscage/plan.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_PLAN_COEFFICIENTS = 10, /* of a form: ww, wx, wy, wz, xx, xy, xz, yy, yz, zz */
    BI_PLAN_ROW = 12,          /* doubles of a form that is evaluated: these, its bound, and one for alignment */
    BI_PLAN_MAX_CANDIDATES = 1 << 22,
    BI_PLAN_MAX_CONSTRAINTS = 65536
};

/* Where the sign of a candidate is: 2 constraint + (1: the opposite), or one of these. */
typedef int32_t bi_plan_ref;
enum {
    BI_PLAN_REF_ZERO = -1,
    BI_PLAN_REF_POSITIVE = -2,
    BI_PLAN_REF_NEGATIVE = -3,
    BI_PLAN_REF_UNUSED = -4 /* no collision depends on it */
};

/* Triangles and polytopes of a robot or an obstacle, as offsets and numbers that steps read. Facet f has the edges
 * facet_edges[facet_offsets[f]] ... in their order around it: 2 edge + (1: backwards). Edges whose ends are one vertex
 * are left out, but where a facet has no others. */
struct bi_plan_surface {
    int32_t vertex_count, edge_count, facet_count, solid_count;
    const double *vertices;       /* (vertex_count x 3) */
    const int32_t *edges;         /* (edge_count x 2) vertices */
    const int32_t *facet_offsets; /* (facet_count + 1) */
    const int32_t *facet_edges;
    const int32_t *solid_offsets; /* (solid_count + 1) facets of polytopes, behind those of triangles */
};

/* Where each kind of candidates begins. */
struct bi_plan_order {
    int64_t vertex_facet, facet_vertex, screw, form, count;
};

/* Pairs of an edge or a vertex of one side, and a facet or a solid of the other. */
struct bi_plan_pairs {
    const int32_t *list; /* (count x 2) */
    int64_t count;
};

/* What tells collisions from signs. */
struct bi_plan_logic {
    struct bi_plan_surface robot, obstacle;
    struct bi_plan_order order;
    const bi_plan_ref *refs; /* (order.count) */
    /* What may touch, the robot's feature first in the name: edges and vertices, with facets and solids. */
    struct bi_plan_pairs edge_facet, facet_edge, vertex_solid, solid_vertex;
    bool flat; /* some edges always meet, or have one end: not every touch shows in a sign that is 0 */
};

/* The constraints as kernels read them. */
struct bi_plan_forms {
    const float *fast_rows; /* (64 words x BI_PLAN_ROW) the same in float for unit quaternions, scaled to be below 2 */
    const double *rows;     /* (64 words x BI_PLAN_ROW); of those beyond the constraints the bound is -1 */
    const int64_t *offsets; /* (10 constraints + 1) into parts: the coefficients as expansions */
    const double *parts;
    int64_t constraints, words;
    int64_t exact_work; /* doubles that an exact sign needs */
};

/* Doubles that an exact sign needs, of a form with so many parts. */
static inline int64_t bi_plan_exact_work(int64_t parts) { return 4 * parts + 8; }

/* What a caller may ask for of candidates and constraints, in host memory. */
struct bi_plan_lists {
    int64_t *candidate_of; /* (constraints) the candidate that each was */
    const bi_plan_ref *refs;
    const double *rows;
    const int64_t *vertices[2]; /* of robot and obstacle, as given */
    const int32_t *edges[2];
    int64_t balls[2], vertex_count[2], edge_count[2], facet_count[2];
};

enum { BI_PLAN_WORK_BLOCKS = 17 };

struct bosc_plan {
    struct bi_memory memory, host;
    struct bi_block work[BI_PLAN_WORK_BLOCKS]; /* of builds, in host memory: maker.h */
    bosc_plan_opts opts;                       /* every field set */
    bosc_plan_info info;                       /* of the last build */
    struct bi_plan_forms forms;
    struct bi_plan_logic logic;
    struct bi_block device_block; /* what forms and logic point to */
    struct bi_block host_block;   /* the same on the host, and what lists point to */
    struct bi_plan_lists lists;
};

struct bosc_roadmap {
    struct bi_memory memory, host;
    bosc_roadmap_info info;
    bosc_cellgraph *graph;
    struct bi_block rotations; /* (rows x 4) */
    struct bi_block next;      /* (rows) uint32 */
    bosc_plan_sampling sampling;
    uint64_t seed;
    int64_t first; /* where the exploration with these goes on */
};

struct bi_plan_sampling;
struct bi_plan_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* Rotations to evaluate, in reach, and what becomes of them. */
struct bi_plan_signs {
    struct bi_plan_forms forms;
    const double *rotations;
    int64_t n, stride;
    uint64_t *vectors; /* (n x words) */
    /* (n words, and to a multiple of 8) 1 where rounding may have decided a bit of that word; zero before. */
    uint8_t *doubts;
    int64_t *bad; /* the first row whose components are out of range, if it is less than what is there */
};

/* The table of motion planning that each backend gives. */
struct bi_plan_ops {
    const struct bi_plan_steps *steps;
    /* Signs in float, with doubts. Words of bad rows are anything. */
    bosc_status (*fast_signs)(bosc_ctx *ctx, const struct bi_plan_signs *a);
    /* Orders the roots of each circle; `rows` of all. */
    bosc_status (*order_roots)(bosc_ctx *ctx, int64_t circles, int64_t rows, const struct bi_plan_sampling *a);
};

#ifdef __cplusplus
}
#endif
#endif
