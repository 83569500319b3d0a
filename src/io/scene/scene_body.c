/* Frees bodies of scenes and converts them for the planner. Triangles that share vertices bound one convex solid: the
 * connected components of the mesh. */
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/scene/scene.h"

void bi_body_free(struct bi_body *body)
{
    bosc_array_free(&body->balls);
    bosc_array_free(&body->vertices);
    bosc_array_free(&body->triangles);
}

void bi_scene_free(struct bi_scene *scene)
{
    bi_body_free(&scene->robot);
    bi_body_free(&scene->obstacle);
}

void bi_bodies_free(bosc_plan_bodies *bodies)
{
    free((void *)bodies->balls);
    free((void *)bodies->vertices);
    free((void *)bodies->triangles);
    free((void *)bodies->polytope_offsets);
    free((void *)bodies->facet_offsets);
    free((void *)bodies->facet_vertices);
    *bodies = (bosc_plan_bodies){.balls = NULL};
}

void bosc_scene_free(bosc_scene *scene)
{
    if (!scene) return;
    bi_bodies_free(&scene->plan.robot);
    bi_bodies_free(&scene->plan.obstacle);
    *scene = (bosc_scene){.has_from = 0};
}

/* A mesh being divided into solids. */
struct solids {
    const double *vertices;
    int64_t vertex_count, triangle_count;
    const uint32_t *triangles;
    int64_t *root;  /* union-find forest: the parent of each vertex */
    int64_t *order; /* at first vertices, sorted by coordinates; later the solid of each root */
};

static int compare_positions(const double *a, const double *b)
{
    for (int c = 0; c < 3; c++)
        if (a[c] != b[c]) return a[c] < b[c] ? -1 : 1;
    return 0;
}

/* Returns the root of a vertex, with path halving. */
static int64_t find_root(int64_t *root, int64_t v)
{
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
}

/* Unites two sets; the smaller root becomes the root. */
static void unite(int64_t *root, int64_t a, int64_t b)
{
    a = find_root(root, a);
    b = find_root(root, b);
    if (a < b)
        root[b] = a;
    else
        root[a] = b;
}

/* Restores the heap of vertices, whose root is the largest, below position `at`. */
static void sift_down(const struct solids *s, int64_t at, int64_t count)
{
    int64_t moved = s->order[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        const double *x = s->vertices + 3 * moved;
        if (child + 1 < count &&
            compare_positions(s->vertices + 3 * s->order[child], s->vertices + 3 * s->order[child + 1]) < 0)
            child++;
        if (compare_positions(s->vertices + 3 * s->order[child], x) <= 0) break;
        s->order[at] = s->order[child];
    }
    s->order[at] = moved;
}

/* True if no vertex belongs to two corners, as in an .stl. Uses `root` for counters. */
static bool shares_no_vertices(const struct solids *s)
{
    for (int64_t i = 0; i < s->vertex_count; i++) s->root[i] = 0;
    for (int64_t i = 0; i < 3 * s->triangle_count; i++)
        if (s->root[s->triangles[i]]++) return false;
    return true;
}

/* Unites vertices of equal coordinates, found by heapsort. */
static void weld_vertices(struct solids *s)
{
    int64_t n = s->vertex_count;
    for (int64_t i = n / 2; i-- > 0;) sift_down(s, i, n);
    for (int64_t limit = n; limit-- > 1;) {
        int64_t largest = s->order[0];
        s->order[0] = s->order[limit];
        s->order[limit] = largest;
        sift_down(s, 0, limit);
    }
    for (int64_t i = 1; i < n; i++)
        if (compare_positions(s->vertices + 3 * s->order[i - 1], s->vertices + 3 * s->order[i]) == 0)
            unite(s->root, s->order[i - 1], s->order[i]);
}

/* Numbers the solids in the order of their first triangles; returns their number. */
static int64_t number_solids(struct solids *s)
{
    int64_t solids = 0;
    bool welded = shares_no_vertices(s);
    for (int64_t i = 0; i < s->vertex_count; i++) s->root[i] = s->order[i] = i;
    if (welded) weld_vertices(s);
    /* 1. Unite the corners of each triangle. */
    for (int64_t t = 0; t < s->triangle_count; t++) {
        unite(s->root, s->triangles[3 * t], s->triangles[3 * t + 1]);
        unite(s->root, s->triangles[3 * t], s->triangles[3 * t + 2]);
    }
    /* 2. Number the roots. */
    for (int64_t i = 0; i < s->vertex_count; i++) s->order[i] = -1;
    for (int64_t t = 0; t < s->triangle_count; t++) {
        int64_t root = find_root(s->root, s->triangles[3 * t]);
        if (s->order[root] < 0) s->order[root] = solids++;
    }
    return solids;
}

static int64_t solid_of(const struct solids *s, int64_t t) { return s->order[find_root(s->root, s->triangles[3 * t])]; }

/* Computes the mean of each solid's corners: (solids, 4), the last number counts its triangles. */
static void compute_middles(const struct solids *s, double *middles, int64_t solids)
{
    memset(middles, 0, (size_t)solids * 4 * sizeof *middles);
    for (int64_t t = 0; t < s->triangle_count; t++) {
        double *middle = middles + 4 * solid_of(s, t);
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) middle[c] += s->vertices[3 * (int64_t)s->triangles[3 * t + k] + c] / 3;
        middle[3]++;
    }
    for (int64_t i = 0; i < solids; i++)
        for (int c = 0; c < 3; c++) middles[4 * i + c] /= middles[4 * i + 3];
}

/* True if a triangle is clockwise as seen from outside, that is, from the side opposite to the middle. */
static bool is_inward(const struct solids *s, const uint32_t *v, const double *middle)
{
    const double *a = s->vertices + 3 * (int64_t)v[0], *b = s->vertices + 3 * (int64_t)v[1],
                 *c = s->vertices + 3 * (int64_t)v[2];
    double u[3], w[3], m[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        w[i] = c[i] - a[i];
        m[i] = a[i] - middle[i];
    }
    /* Signed volume of the tetrahedron over the triangle with its apex in the middle. */
    double volume =
        m[0] * (u[1] * w[2] - u[2] * w[1]) + m[1] * (u[2] * w[0] - u[0] * w[2]) + m[2] * (u[0] * w[1] - u[1] * w[0]);
    return volume < 0;
}

/* Scatters the triangles to their solids, counterclockwise. `next`: (solids + 1) offsets, advanced to the following
 * solid. */
static void scatter_facets(const struct solids *s, const double *middles, int64_t *next, int64_t *facets)
{
    for (int64_t t = 0; t < s->triangle_count; t++) {
        int64_t solid = solid_of(s, t), *facet = facets + 3 * next[solid]++;
        const uint32_t *v = s->triangles + 3 * t;
        bool inward = is_inward(s, v, middles + 4 * solid);
        facet[0] = v[0];
        facet[1] = v[inward ? 2 : 1];
        facet[2] = v[inward ? 1 : 2];
    }
}

/* Fills the arrays of `bodies`, which the caller frees even on failure. False: out of memory. Connected triangles make
 * up a solid. */
static bool build_solids(struct solids *s, bosc_plan_bodies *bodies)
{
    int64_t solids = number_solids(s), m = s->triangle_count;
    int64_t *offsets = bi_io_alloc(((size_t)solids + 1) * sizeof *offsets);
    int64_t *next = bi_io_alloc(((size_t)solids + 1) * sizeof *next);
    int64_t *ends = bi_io_alloc(((size_t)m + 1) * sizeof *ends);
    int64_t *facets = bi_io_alloc((size_t)m * 3 * sizeof *facets);
    double *middles = bi_io_alloc((size_t)solids * 4 * sizeof *middles);
    bool good = offsets && next && ends && facets && middles;
    if (good) {
        /* 1. Count the triangles of each solid; the offsets are their exclusive prefix sums. */
        memset(offsets, 0, ((size_t)solids + 1) * sizeof *offsets);
        for (int64_t t = 0; t < m; t++) offsets[solid_of(s, t) + 1]++;
        for (int64_t i = 0; i < solids; i++) offsets[i + 1] += offsets[i];
        memcpy(next, offsets, ((size_t)solids + 1) * sizeof *next);
        for (int64_t t = 0; t <= m; t++) ends[t] = 3 * t;
        /* 2. Scatter the triangles, as facets of three vertices. */
        compute_middles(s, middles, solids);
        scatter_facets(s, middles, next, facets);
    }
    bodies->polytope_offsets = offsets;
    bodies->polytope_count = solids;
    bodies->facet_offsets = ends;
    bodies->facet_vertices = facets;
    free(next);
    free(middles);
    return good;
}

static bosc_status convert_to_solids(const char *name, const struct bi_body *body, bosc_plan_bodies *bodies,
                                     bosc_io_error *error)
{
    struct solids s = {.vertices = body->vertices.data,
                       .vertex_count = body->vertices.shape[0],
                       .triangles = body->triangles.data,
                       .triangle_count = body->triangles.shape[0]};
    s.root = bi_io_alloc((size_t)s.vertex_count * sizeof *s.root);
    s.order = bi_io_alloc((size_t)s.vertex_count * sizeof *s.order);
    bool good = s.root && s.order && build_solids(&s, bodies);
    free(s.root);
    free(s.order);
    return good ? BOSC_OK : bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", name);
}

static bosc_status convert_to_triangles(const char *name, struct bi_body *body, bosc_plan_bodies *bodies,
                                        bosc_io_error *error)
{
    bosc_status status = bi_array_convert(name, &body->triangles, 0, BOSC_I64, false, error);
    if (status != BOSC_OK) return status;
    bodies->triangles = body->triangles.data;
    bodies->triangle_count = body->triangles.shape[0];
    body->triangles.data = NULL;
    return BOSC_OK;
}

bosc_status bi_body_to_planner(const char *name, struct bi_body *body, bool convex, bosc_plan_bodies *bodies,
                               bosc_io_error *error)
{
    bosc_plan_bodies fresh = {.balls = NULL};
    bosc_status status = BOSC_OK;
    if (body->triangles.data)
        status =
            convex ? convert_to_solids(name, body, &fresh, error) : convert_to_triangles(name, body, &fresh, error);
    if (status != BOSC_OK) {
        bi_bodies_free(&fresh);
        return status;
    }
    if (body->balls.data) fresh.balls = body->balls.data, fresh.ball_count = body->balls.shape[0];
    if (body->vertices.data) fresh.vertices = body->vertices.data, fresh.vertex_count = body->vertices.shape[0];
    body->balls.data = body->vertices.data = NULL;
    bi_body_free(body);
    *bodies = fresh;
    return BOSC_OK;
}
