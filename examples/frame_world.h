/* A small world that is rebuilt every frame: examples/frame.c times it, and `boscage viewer` records it.
 *
 * A planet with districts of finer heights, objects that travel over it, and a robot. A frame has seven stages; each
 * rebuilds its structure from the data of the frame:
 *   planet    the triangles for the camera of the frame, from the pool of bisectors
 *   objects   their positions on the ground
 *   tree      a k-d tree of the objects, and the nearest ones of each
 *   contacts  pairs of close objects from a voxel grid, and a hash table with the age of each contact
 *   forest    the minimum spanning forest of the roads: each object's edges to its nearest ones
 *   routes    the shortest paths over the roads from all stations
 *   robot     a turn, certified free of collision among walls that move
 * All arrays are in the backend's memory. Results have the same bits on the CPU and on CUDA. */
#ifndef EXAMPLES_FRAME_WORLD_H
#define EXAMPLES_FRAME_WORLD_H

#include <boscage/boscage.h>

enum world_stage {
    WORLD_PLANET,
    WORLD_OBJECTS,
    WORLD_TREE,
    WORLD_CONTACTS,
    WORLD_FOREST,
    WORLD_ROUTES,
    WORLD_ROBOT,
    WORLD_STAGES
};

extern const char *const world_stage_names[WORLD_STAGES];

enum {
    WORLD_NEIGHBOURS = 8, /* nearest objects of each, itself among them */
    WORLD_ROUTES_SHOWN = 8,
    WORLD_ROUTE_STOPS = 1024, /* of a route, at most */
    WORLD_KEY_BOXES = 2,      /* of the robot */
    WORLD_WALL_BOXES = 5,
    WORLD_DISTRICTS_MAX = 12,
    WORLD_OBJECTS_MIN = 64,
    WORLD_OBJECTS_MAX = 1 << 24
};

#define WORLD_RADIUS 300e3 /* of the planet, in metres */

struct world_opts {
    int64_t objects;   /* WORLD_OBJECTS_MIN to WORLD_OBJECTS_MAX */
    int32_t districts; /* 0 to WORLD_DISTRICTS_MAX */
    int32_t frames;    /* of a flight around the planet, 1 or more */
    double pixels;     /* error of the planet's triangles on a screen of 1920 x 1080 */
};

struct world;

/* Makes a world at frame 0, without results.
 * ctx: of all stages but the robot.
 * robot_ctx: of the robot, which has seven boxes only: such a small scene is planned faster on a CPU. May be `ctx`. */
bosc_status world_open(bosc_ctx *ctx, bosc_ctx *robot_ctx, const struct world_opts *opts, struct world **world);
void world_close(struct world *world);

/* Computes the next frame, and waits for it.
 * seconds: of the stages, with a wait after each; NULL: one wait at the end of the frame. */
bosc_status world_step(struct world *world, double seconds[WORLD_STAGES]);

/* The results of a frame in host memory. Numbers of objects are rows of `positions`. */
struct world_frame {
    int32_t number;                                        /* from 0 */
    double camera[3], direction[3], up[3], fov;            /* of the recorded flight */
    int64_t vertices, triangles, objects, contacts, edges; /* counts */
    float *vertex;                                         /* (vertices x 3) from the planet's center */
    uint32_t *triangle;                                    /* (triangles x 3) */
    float *position;                                       /* (objects x 3) from the planet's center */
    uint32_t *contact, *age;                               /* (contacts x 2), (contacts): frames */
    uint32_t *edge;                                        /* (edges x 2) of the forest */
    int32_t stops[WORLD_ROUTES_SHOWN];                     /* of each route; 0: not reached */
    uint32_t route[WORLD_ROUTES_SHOWN][WORLD_ROUTE_STOPS]; /* from a station to its target */
    double rotation[4];                                    /* of the robot: w, x, y, z */
    double wall[WORLD_WALL_BOXES][2][3];                   /* low and high corners */
    int64_t trees, reached;                                /* of the forest; objects that a station reaches */
    double weight;                                         /* of the forest */
    int32_t planned, waited; /* routes planned for the robot so far, and frames without one */
};

/* Copies the results of the last step. `frame` is all zero, or one of an earlier fetch. */
bosc_status world_fetch(struct world *world, struct world_frame *frame);
void world_frame_free(struct world_frame *frame);

/* Selects a mesh of the whole planet with at most this many triangles, and copies it: `vertex`, `triangle` and their
 * counts. Call it last: the meshes of later frames depend on it. */
bosc_status world_fetch_globe(struct world *world, int64_t triangles, struct world_frame *globe);

/* The boxes of the robot at the identity: low and high corners. */
extern const double world_key_boxes[WORLD_KEY_BOXES][2][3];

#endif
