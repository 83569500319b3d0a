/* Builds a mesh of balls, triangles and polytopes. */
#include "render/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/memory.h"

/* A sphere as a mesh: an icosahedron with every triangle subdivided into four, up to LEVELS_MAX times. */
enum { LEVELS_MAX = 3, SPHERE_VERTICES = 642, SPHERE_TRIANGLES = 1280 };
struct sphere {
    int vertices, triangles;
    double positions[SPHERE_VERTICES][3];
    uint32_t indices[SPHERE_TRIANGLES][3];
};

/* Scales a point to length 1. */
static void project_to_sphere(double p[3])
{
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int c = 0; c < 3; c++) p[c] /= length;
}

static void build_icosahedron(struct sphere *s)
{
    static const uint32_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                          {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                          {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                          {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = (1 + sqrt(5)) / 2;
    const double corners[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    memcpy(s->positions, corners, sizeof corners);
    memcpy(s->indices, faces, sizeof faces);
    s->vertices = 12;
    s->triangles = 20;
    for (int i = 0; i < 12; i++) project_to_sphere(s->positions[i]);
}

/* Returns the vertex at the middle of an edge; two triangles share it, so vertices from `first` on are searched. */
static uint32_t edge_midpoint(struct sphere *s, int first, uint32_t a, uint32_t b)
{
    double p[3];
    for (int c = 0; c < 3; c++) p[c] = s->positions[a][c] + s->positions[b][c];
    project_to_sphere(p);
    for (int i = first; i < s->vertices; i++)
        if (fabs(s->positions[i][0] - p[0]) + fabs(s->positions[i][1] - p[1]) + fabs(s->positions[i][2] - p[2]) < 1e-9)
            return (uint32_t)i;
    memcpy(s->positions[s->vertices], p, sizeof p);
    return (uint32_t)s->vertices++;
}

static void build_sphere(struct sphere *s, int levels)
{
    build_icosahedron(s);
    for (int level = 0; level < levels; level++) {
        int first = s->vertices, triangles = s->triangles;
        for (int t = 0; t < triangles; t++) {
            uint32_t a = s->indices[t][0], b = s->indices[t][1], c = s->indices[t][2];
            uint32_t ab = edge_midpoint(s, first, a, b), bc = edge_midpoint(s, first, b, c),
                     ca = edge_midpoint(s, first, c, a);
            const uint32_t children[4][3] = {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}};
            memcpy(s->indices[t], children[0], sizeof children[0]);
            memcpy(s->indices[s->triangles], children[1], 3 * sizeof children[1]);
            s->triangles += 3;
        }
    }
}

/* ---- from bodies to a mesh ---- */

/* A mesh under construction; its arrays are large enough. */
struct mesh_builder {
    float *positions, *normals;
    uint32_t *indices;
    int64_t vertices, triangles;
};

static void add_ball(struct mesh_builder *g, const struct sphere *s, const double *ball)
{
    for (int i = 0; i < s->vertices; i++)
        for (int c = 0; c < 3; c++) {
            g->normals[3 * (g->vertices + i) + c] = (float)s->positions[i][c];
            g->positions[3 * (g->vertices + i) + c] = (float)(ball[c] + ball[3] * s->positions[i][c]);
        }
    for (int t = 0; t < s->triangles; t++)
        for (int k = 0; k < 3; k++) g->indices[3 * (g->triangles + t) + k] = (uint32_t)g->vertices + s->indices[t][k];
    g->vertices += s->vertices;
    g->triangles += s->triangles;
}

/* Appends a flat facet with three vertices of its own. */
static void add_triangle(struct mesh_builder *g, const double *a, const double *b, const double *c)
{
    const double *corners[3] = {a, b, c};
    double u[3], v[3];
    for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], v[i] = c[i] - a[i];
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            g->positions[3 * g->vertices + i] = (float)corners[k][i];
            g->normals[3 * g->vertices + i] = (float)(length > 0 ? n[i] / length : i == 2);
        }
        g->indices[3 * g->triangles + k] = (uint32_t)g->vertices++;
    }
    g->triangles++;
}

static int64_t facet_count(const bosc_plan_bodies *b)
{
    return b->polytope_count ? b->polytope_offsets[b->polytope_count] : 0;
}

static void add_bodies(struct mesh_builder *g, const struct sphere *s, const bosc_plan_bodies *b)
{
    for (int64_t i = 0; i < b->ball_count; i++) add_ball(g, s, b->balls + 4 * i);
    for (int64_t t = 0; t < b->triangle_count; t++) {
        const int64_t *v = b->triangles + 3 * t;
        add_triangle(g, b->vertices + 3 * v[0], b->vertices + 3 * v[1], b->vertices + 3 * v[2]);
    }
    for (int64_t f = 0; f < facet_count(b); f++) {
        const int64_t *v = b->facet_vertices;
        for (int64_t k = b->facet_offsets[f] + 2; k < b->facet_offsets[f + 1]; k++)
            add_triangle(g, b->vertices + 3 * v[b->facet_offsets[f]], b->vertices + 3 * v[k - 1],
                         b->vertices + 3 * v[k]);
    }
}

/* Sets the ball around the bounding box, and the reach. */
static void measure_shape(struct shape *shape)
{
    const float *x = shape->mesh.positions;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, reach = 0;
    for (int64_t i = 0; i < shape->mesh.vertices; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            double at = (double)x[3 * i + c];
            low[c] = fmin(low[c], at);
            high[c] = fmax(high[c], at);
            square += at * at;
        }
        reach = fmax(reach, square);
    }
    double diagonal = 0;
    for (int c = 0; c < 3; c++) {
        shape->middle[c] = (low[c] + high[c]) / 2;
        diagonal += (high[c] - low[c]) * (high[c] - low[c]);
    }
    shape->radius = sqrt(diagonal) / 2;
    shape->reach = sqrt(reach);
}

/* False if memory runs out or the mesh has 2^32 - 1 vertices or more; *shape is then empty. */
bool shape_open(struct shape *shape, const bosc_plan_bodies *b)
{
    struct sphere sphere = {.vertices = 0};
    struct mesh_builder g = {.vertices = 0};
    /* 1. The finest sphere for few balls, coarser ones for many; thresholds chosen. */
    build_sphere(&sphere, b->ball_count <= 256 ? LEVELS_MAX : b->ball_count <= 4096 ? LEVELS_MAX - 1 : 1);
    /* 2. Sizes: a facet of k corners is a fan of k - 2 triangles. */
    int64_t flat = b->triangle_count, facets = facet_count(b);
    if (facets) flat += b->facet_offsets[facets] - 2 * facets;
    size_t vertices = (size_t)(b->ball_count * sphere.vertices + 3 * flat);
    size_t triangles = (size_t)(b->ball_count * sphere.triangles + flat);
    *shape = (struct shape){.radius = 0};
    g.positions = memory_allocate(vertices, 3 * sizeof *g.positions);
    g.normals = memory_allocate(vertices, 3 * sizeof *g.normals);
    g.indices = memory_allocate(triangles, 3 * sizeof *g.indices);
    /* 3. Fill. */
    bool good = g.positions && g.normals && g.indices && vertices < UINT32_MAX;
    if (good) add_bodies(&g, &sphere, b);
    shape->mesh = (bosc_mesh){.vertices = g.vertices,
                              .triangles = g.triangles,
                              .positions = g.positions,
                              .normals = g.normals,
                              .indices = g.indices};
    if (good)
        measure_shape(shape);
    else
        shape_close(shape);
    return good;
}

void shape_close(struct shape *shape)
{
    free((void *)shape->mesh.positions);
    free((void *)shape->mesh.normals);
    free((void *)shape->mesh.indices);
    *shape = (struct shape){.radius = 0};
}
