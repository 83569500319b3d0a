/* Bodies of a scene as a mesh for drawing: balls become polyhedra with smooth normals, triangles and solids flat
 * facets. */
#ifndef RENDER_SHAPE_H
#define RENDER_SHAPE_H

#include <stdbool.h>

#include <boscage/io.h>

struct shape {
    bosc_mesh mesh;           /* with normals; the shape owns its arrays */
    double middle[3], radius; /* ball around the bounding box */
    double reach;             /* largest distance from the origin */
};
bool shape_open(struct shape *shape, const bosc_plan_bodies *bodies); /* false: out of memory */
void shape_close(struct shape *shape);

#endif
