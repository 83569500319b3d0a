/* The parts of the demonstration, and their common functions: memory, time, errors, points, result rows,
 * pictures. */
#ifndef DEMO_PARTS_H
#define DEMO_PARTS_H

#include <stddef.h>

#include "demo/demo.h"
#include "render/canvas.h"

/* ---- parts ---- */

/* Trees of generated points, and of the caller's points if given. */
bosc_status demo_kdtree(struct demo *demo);

/* The spanning forest of a random graph; the tree of points and the tour along it, with pictures. */
bosc_status demo_forest(struct demo *demo);
bosc_status demo_emst(struct demo *demo);

/* Look-ups; close pairs and groups of points, with a picture; a constellation found among other stars, with another. */
bosc_status demo_hash(struct demo *demo);
bosc_status demo_spatial(struct demo *demo);
bosc_status demo_geometric(struct demo *demo);

/* The cells of an arrangement of lines in a square, a shortest path through them, and a trie of them; a picture. */
bosc_status demo_cells(struct demo *demo);

/* Islands: a mesh with an error bound and a mesh for a camera; a picture of each. */
bosc_status demo_terrain(struct demo *demo);

/* A planet from far away and near its ground; a picture of each. */
bosc_status demo_planet(struct demo *demo);

/* A path of a key through a slot; a picture. */
bosc_status demo_plan(struct demo *demo);

/* Draws the partition of the plane by a tree, with queries and their neighbours. */
bosc_status demo_partition(struct demo *demo);

/* ---- shared ---- */

/* Set the error and return the status. */
bosc_status demo_fail(struct demo *demo, bosc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bosc_status demo_fail_ctx(struct demo *demo, bosc_status status); /* with the context's message */

void *demo_alloc(struct demo *demo, size_t count, size_t size); /* on failure sets the error and returns NULL */
double demo_now(void);                                          /* seconds */

void demo_row(struct demo *demo, const char *what, double seconds, double items);

bool demo_has_device(const struct demo *demo); /* true on the CUDA backend */

/* Generates n points of a unit square, half uniform and half clustered, clamped to it. */
bosc_status demo_generate_plane(struct demo *demo, uint64_t uniform_seed, uint64_t clustered_seed, int64_t n,
                                float *points);

/* Writes the canvas to FOLDER/name. */
bosc_status demo_picture(struct demo *demo, const struct canvas *canvas, const char *name);

#endif
