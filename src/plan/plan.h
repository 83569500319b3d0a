/* Inside motion planning: the handles of constraints and roadmaps, and the room's table.
 *
 * A candidate is a pair of a robot's and an obstacle's feature, numbered: balls, vertices with facets, facets with
 * vertices, edges, forms; the robot's feature first, row by row. Candidates refer to the signs of constraints
 * (bi_plan_ref), which determine collisions. */
#ifndef BI_PLAN_PLAN_H
#define BI_PLAN_PLAN_H

#include <boscage/plan.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_PLAN_COEFFICIENTS = 10, /* of a form: ww, wx, wy, wz, xx, xy, xz, yy, yz, zz */
    BI_PLAN_ROW = 12,          /* elements of a form's row: coefficients, error bound, one for alignment */
    BI_PLAN_MAX_CANDIDATES = 1 << 22,
    BI_PLAN_MAX_CONSTRAINTS = 65536
};

/* The sign of a candidate: 2 constraint + (1: the opposite sign), or one of these. */
typedef int32_t bi_plan_ref;
enum {
    BI_PLAN_REF_ZERO = -1,
    BI_PLAN_REF_POSITIVE = -2,
    BI_PLAN_REF_NEGATIVE = -3,
    BI_PLAN_REF_UNUSED = -4 /* no collision depends on it */
};

/* Triangles and polytopes of a robot or an obstacle. Facet f has the edges facet_edges[facet_offsets[f]] ... in order
 * around it: 2 edge + (1: reversed). Edges with equal ends are left out, unless a facet has no others. */
struct bi_plan_surface {
    int32_t vertex_count, edge_count, facet_count, solid_count;
    const double *vertices;       /* (vertex_count x 3) */
    const int32_t *edges;         /* (edge_count x 2) vertices */
    const int32_t *facet_offsets; /* (facet_count + 1) */
    const int32_t *facet_edges;
    const int32_t *solid_offsets; /* (solid_count + 1) facets of polytopes, behind those of triangles */
};

/* First candidate of each kind after balls, and the number of all. */
struct bi_plan_order {
    int64_t vertex_facet, facet_vertex, screw, form, count;
};

/* Pairs of an edge or a vertex of one side, and a facet or a solid of the other. */
struct bi_plan_pairs {
    const int32_t *list; /* (count x 2) */
    int64_t count;
};

/* Determines collisions from signs. */
struct bi_plan_logic {
    struct bi_plan_surface robot, obstacle;
    struct bi_plan_order order;
    const bi_plan_ref *refs; /* (order.count) */
    /* Pairs that may touch; the robot's feature is first in the name. */
    struct bi_plan_pairs edge_facet, facet_edge, vertex_solid, solid_vertex;
    bool flat; /* some pair of edges always has sign 0: its touches need an exact test */
};

/* The constraints in the layout of kernels. */
struct bi_plan_forms {
    const float *fast_rows; /* (64 words x BI_PLAN_ROW) in float, for unit quaternions, scaled below 2 */
    const double *rows;     /* (64 words x BI_PLAN_ROW); padding has the bound -1 */
    const int64_t *offsets; /* (10 constraints + 1) into parts: the coefficients as expansions */
    const double *parts;
    int64_t constraints, words;
    int64_t exact_work; /* doubles of working memory for an exact sign */
};

/* Returns the doubles of working memory for an exact sign of a form with this number of parts. */
static inline int64_t bi_plan_exact_work(int64_t parts) { return 4 * parts + 8; }

/* Candidates and constraints for the getters, in host memory. */
struct bi_plan_lists {
    int64_t *candidate_of; /* (constraints) first candidate of each */
    const bi_plan_ref *refs;
    const double *rows;
    const int64_t *vertices[2]; /* of robot and obstacle: input numbers */
    const int32_t *edges[2];
    int64_t balls[2], vertex_count[2], edge_count[2], facet_count[2];
};

enum { BI_PLAN_WORK_BLOCKS = 17 };

struct bosc_plan {
    struct bi_memory memory, host;
    struct bi_block work[BI_PLAN_WORK_BLOCKS]; /* of builds, in host memory: builder.h */
    bosc_plan_opts opts;                       /* with defaults */
    bosc_plan_info info;                       /* of the last build */
    struct bi_plan_forms forms;
    struct bi_plan_logic logic;
    struct bi_block device_block; /* arrays of forms and logic */
    struct bi_block host_block;   /* a copy on the host, and the arrays of lists */
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
    int64_t first; /* next circle or rotation of the exploration */
};

struct bi_plan_sampling;
struct bi_plan_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* Evaluation of signs at rotations, in backend memory. */
struct bi_plan_signs {
    struct bi_plan_forms forms;
    const double *rotations;
    int64_t n, stride;
    uint64_t *vectors; /* (n x words) */
    /* (n words, rounded up to a multiple of 8) initially 0; 1: rounding may have decided a bit of the word. */
    uint8_t *doubts;
    int64_t *bad; /* minimum with the first row whose components are out of range */
};

/* The table of motion planning that each backend gives. */
struct bi_plan_ops {
    const struct bi_plan_steps *steps;
    /* Computes signs in float, with doubts. Words of bad rows are undefined. */
    bosc_status (*fast_signs)(bosc_ctx *ctx, const struct bi_plan_signs *a);
    /* Sorts the roots of each circle; rows: number of all roots. */
    bosc_status (*order_roots)(bosc_ctx *ctx, int64_t circles, int64_t rows, const struct bi_plan_sampling *a);
};

#ifdef __cplusplus
}
#endif
#endif
