/* Inside a planner: the bodies of the scene as convex hulls, its cells with their labels, and the last route. */
#ifndef BI_PLANNER_PLANNER_H
#define BI_PLANNER_PLANNER_H

#include <stdbool.h>

#include <boscage/planner.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A node of the tree of balls around the obstacle's bodies, in preorder. */
struct bi_planner_node {
    double ball[4];
    double widest; /* greatest radius of the balls around its bodies */
    int32_t skip;  /* index behind its subtree */
    int32_t body;  /* of a leaf; else -1 */
};

/* Bodies of one side: each the convex hull of its points, grown by a radius. */
struct bi_planner_bodies {
    const double *points;   /* (x 3) */
    const int64_t *offsets; /* (count + 1) first point of each */
    const double *radii;    /* (count) of balls; 0 of other bodies */
    const double *bounds;   /* (count x 4) center and radius of a ball around each */
    const double *reaches;  /* (count) upper bound of the distance of its points from the origin */
    int64_t count;
};

/* A scene: bodies that must be disjoint, and forms that must be negative. */
struct bi_planner_scene {
    struct bi_planner_bodies robot, obstacle;
    const struct bi_planner_node *nodes; /* (node_count) of the obstacle */
    int64_t node_count;
    const double *forms; /* (form_count x 10) */
    int64_t form_count;
};

enum {
    BI_PLANNER_ROBOT_POINTS,
    BI_PLANNER_ROBOT_OFFSETS,
    BI_PLANNER_ROBOT_VALUES, /* radii, bounds, reaches */
    BI_PLANNER_OBSTACLE_POINTS,
    BI_PLANNER_OBSTACLE_OFFSETS,
    BI_PLANNER_OBSTACLE_VALUES,
    BI_PLANNER_NODES,
    BI_PLANNER_FORMS,
    BI_PLANNER_MASK,   /* (cells) uint8: free */
    BI_PLANNER_LABELS, /* (cells) int64: components */
    BI_PLANNER_BLOCKS
};

/* A path on the host. */
struct bi_planner_path {
    struct bi_block rotations; /* (count x 4) double */
    struct bi_block certified; /* (count) uint8: of the step from each to the next one */
    int64_t count;
};

struct bosc_planner {
    struct bi_memory memory, host;
    bosc_planner_opts opts; /* with defaults */
    bosc_plan *plan;        /* NULL: no scene */
    bosc_roadmap *roadmap;  /* NULL: no constraints, or no cells yet */
    bosc_plan *kept_plan;   /* previous ones, kept for their memory; NULL: none */
    bosc_roadmap *kept_roadmap;
    struct bi_block work; /* of builds, in host memory */
    struct bi_planner_scene scene;
    int64_t cells, free_cells, components;
    struct bi_block blocks[BI_PLANNER_BLOCKS];
    struct bi_planner_path path; /* the last route */
};

struct bi_planner_steps;

struct bi_planner_ops {
    const struct bi_planner_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
