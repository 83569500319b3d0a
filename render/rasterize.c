/* A software rasteriser: transforms vertices, fills triangles with a z-buffer by bands of rows, and recomputes hits
 * per pixel. */
#include "render/rasterize.h"

#include <math.h>
#include <stdlib.h>

#include "render/vector.h"

enum { BAND = 64 }; /* rows that a thread draws at once; chosen */

/* A vertex in eye coordinates (right, up, forward), and its pixel position unless it is behind the near plane. */
struct corner {
    double eye[3], x, y;
};

/* Map axes (x east, y south, z up) are left-handed: right is top x forward. */
struct eye eye_look_along(const double at[3], const double direction[3], const double top[3])
{
    struct eye eye = {.scale = 1, .nearest = 1};
    for (int i = 0; i < 3; i++) {
        eye.at[i] = at[i];
        eye.forward[i] = direction[i];
    }
    normalise(eye.forward);
    cross(top, eye.forward, eye.right);
    normalise(eye.right);
    cross(eye.forward, eye.right, eye.up);
    return eye;
}

/* ---- from triangles to pixels ---- */

/* Sets the pixel position of a corner in front of the near plane. */
static void project_corner(const struct visibility *s, struct corner *c)
{
    double depth = s->eye.parallel ? 1 : c->eye[2];
    c->x = s->width * 0.5 + c->eye[0] / depth * s->eye.scale;
    c->y = s->height * 0.5 - c->eye[1] / depth * s->eye.scale;
}

static struct corner transform_vertex(const struct visibility *s, const float *p)
{
    const struct eye *e = &s->eye;
    const double d[3] = {p[0] - e->at[0], p[1] - e->at[1], p[2] - e->at[2]};
    struct corner c = {.eye = {dot(d, e->right), dot(d, e->up), dot(d, e->forward)}};
    if (e->parallel || c.eye[2] >= e->nearest) project_corner(s, &c);
    return c;
}

/* Depth measure of the z-buffer: larger is nearer, and it is linear in the pixel position. */
static double inverse_depth(const struct visibility *s, const struct corner *c)
{
    return s->eye.parallel ? -c->eye[2] : 1 / c->eye[2];
}

/* Rows [first, limit) of the z-buffer. */
struct band {
    double *near; /* inverse depth of the band's pixels */
    int first, limit;
};

static double min3(double a, double b, double c) { return fmin(a, fmin(b, c)); }

static double max3(double a, double b, double c) { return fmax(a, fmax(b, c)); }

static int clamp(double x, int min, int max) { return x < min ? min : x > max ? max : (int)x; }

/* Fills the band's part of a triangle in front of the near plane. */
static void fill_triangle(struct visibility *s, struct band *b, uint32_t number, const struct corner *p,
                          const struct corner *q, const struct corner *r)
{
    double area = (q->x - p->x) * (r->y - p->y) - (r->x - p->x) * (q->y - p->y);
    if (!(area != 0)) return;
    int y0 = clamp(min3(p->y, q->y, r->y) - 0.5, b->first, b->limit);
    int y1 = clamp(max3(p->y, q->y, r->y) + 1, b->first, b->limit);
    int x0 = clamp(min3(p->x, q->x, r->x) - 0.5, 0, s->width), x1 = clamp(max3(p->x, q->x, r->x) + 1, 0, s->width);
    double near_p = inverse_depth(s, p), near_q = inverse_depth(s, q), near_r = inverse_depth(s, r);
    /* Barycentric coordinates u, v of each pixel centre of the bounding box; ties go to the triangle drawn first. */
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double dx = x + 0.5 - p->x, dy = y + 0.5 - p->y;
            double u = (dx * (r->y - p->y) - (r->x - p->x) * dy) / area;
            double v = ((q->x - p->x) * dy - dx * (q->y - p->y)) / area;
            if (u < 0 || v < 0 || u + v > 1) continue;
            double near = near_p + u * (near_q - near_p) + v * (near_r - near_p);
            double *nearest = &b->near[(int64_t)(y - b->first) * s->width + x];
            if (near <= *nearest) continue;
            *nearest = near;
            s->triangle_ids[(int64_t)y * s->width + x] = number;
        }
}

/* Clips a triangle at the near plane (Sutherland-Hodgman for one plane) and fills the polygon of 3 or 4 corners as a
 * fan. */
static void fill_clipped(struct visibility *s, struct band *b, uint32_t number, const struct corner t[3])
{
    struct corner polygon[4];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const struct corner *p = &t[i], *q = &t[(i + 1) % 3];
        bool p_in_front = p->eye[2] >= s->eye.nearest, q_in_front = q->eye[2] >= s->eye.nearest;
        if (p_in_front) polygon[count++] = *p;
        if (p_in_front == q_in_front) continue;
        double w = (s->eye.nearest - p->eye[2]) / (q->eye[2] - p->eye[2]);
        struct corner cut;
        for (int c = 0; c < 3; c++) cut.eye[c] = p->eye[c] + w * (q->eye[c] - p->eye[c]);
        cut.eye[2] = s->eye.nearest;
        project_corner(s, &cut);
        polygon[count++] = cut;
    }
    for (int i = 2; i < count; i++) fill_triangle(s, b, number, &polygon[0], &polygon[i - 1], &polygon[i]);
}

/* Draws all triangles into a band: those fully behind the near plane or outside the rows are skipped. */
static void draw_band(struct visibility *s, const struct corner *corners, struct band *b)
{
    for (int64_t i = 0; i < (int64_t)(b->limit - b->first) * s->width; i++) b->near[i] = -INFINITY;
    for (int64_t t = 0; t < s->mesh.triangles; t++) {
        const uint32_t *v = s->mesh.indices + 3 * t;
        const struct corner three[3] = {corners[v[0]], corners[v[1]], corners[v[2]]};
        int ahead = 0;
        for (int i = 0; i < 3; i++) ahead += s->eye.parallel || three[i].eye[2] >= s->eye.nearest;
        if (ahead == 0) continue;
        if (ahead < 3) {
            fill_clipped(s, b, (uint32_t)t, three);
            continue;
        }
        if (max3(three[0].y, three[1].y, three[2].y) < b->first) continue;
        if (min3(three[0].y, three[1].y, three[2].y) > b->limit) continue;
        fill_triangle(s, b, (uint32_t)t, &three[0], &three[1], &three[2]);
    }
}

bool visibility_open(struct visibility *visibility, int width, int height, const struct eye *eye,
                     const struct triangle_mesh *mesh)
{
    int64_t pixels = (int64_t)width * height;
    int bands = (height + BAND - 1) / BAND;
    struct corner *corners = malloc((size_t)mesh->vertices * sizeof *corners);
    double *near = malloc((size_t)pixels * sizeof *near);
    *visibility = (struct visibility){.width = width, .height = height, .eye = *eye, .mesh = *mesh};
    visibility->triangle_ids = malloc((size_t)pixels * sizeof *visibility->triangle_ids);
    bool good = corners && near && visibility->triangle_ids;
    if (good) {
        /* 1. Transform the vertices. */
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < mesh->vertices; i++) corners[i] = transform_vertex(visibility, mesh->positions + 3 * i);
        for (int64_t i = 0; i < pixels; i++) visibility->triangle_ids[i] = NO_TRIANGLE;
            /* 2. Fill band by band. Each band belongs to one thread, so the result does not depend on their number. */
#pragma omp parallel for schedule(dynamic, 1)
        for (int band = 0; band < bands; band++) {
            struct band b = {.first = band * BAND, .limit = band * BAND + BAND < height ? band * BAND + BAND : height};
            b.near = near + (int64_t)b.first * width;
            draw_band(visibility, corners, &b);
        }
    }
    free(corners);
    free(near);
    if (!good) visibility_close(visibility);
    return good;
}

void visibility_close(struct visibility *visibility)
{
    free(visibility->triangle_ids);
    visibility->triangle_ids = NULL;
}

/* ---- from pixels to triangles ---- */

struct ray pixel_ray(const struct visibility *visibility, double x, double y)
{
    const struct eye *e = &visibility->eye;
    double a = (x - visibility->width * 0.5) / e->scale, b = (visibility->height * 0.5 - y) / e->scale;
    struct ray ray;
    for (int i = 0; i < 3; i++) {
        double aside = a * e->right[i] + b * e->up[i];
        ray.origin[i] = e->at[i] + (e->parallel ? aside : 0);
        ray.direction[i] = e->forward[i] + (e->parallel ? 0 : aside);
    }
    return ray;
}

/* Computes the barycentric weights of the intersection of a ray and the plane of a triangle. Source: Moeller,
 * Trumbore, Fast, Minimum Storage Ray/Triangle Intersection (1997). */
static void intersect_plane(const struct ray *ray, const float *const corner[3], double weight[3])
{
    double e1[3], e2[3], from[3], p[3], q[3];
    for (int i = 0; i < 3; i++) {
        e1[i] = (double)corner[1][i] - corner[0][i];
        e2[i] = (double)corner[2][i] - corner[0][i];
        from[i] = ray->origin[i] - corner[0][i];
    }
    cross(ray->direction, e2, p);
    cross(from, e1, q);
    double det = dot(e1, p);
    if (det == 0) det = 1e-300; /* edge-on: any point of it serves */
    weight[1] = dot(from, p) / det;
    weight[2] = dot(ray->direction, q) / det;
    weight[0] = 1 - weight[1] - weight[2];
}

struct surface_hit pixel_hit(const struct visibility *visibility, int x, int y, uint32_t triangle)
{
    struct surface_hit hit = {.edge = INFINITY, .size = INFINITY};
    double beside[3], below[3], sum = 0;
    const uint32_t *v = visibility->mesh.indices + 3 * (int64_t)triangle;
    const float *corner[3];
    for (int i = 0; i < 3; i++) corner[i] = visibility->mesh.positions + 3 * (int64_t)v[i];
    struct ray here = pixel_ray(visibility, x + 0.5, y + 0.5);
    struct ray right = pixel_ray(visibility, x + 1.5, y + 0.5), under = pixel_ray(visibility, x + 0.5, y + 1.5);
    /* 1. Weights at the pixel's centre and at its neighbours to the right and below. */
    intersect_plane(&here, corner, hit.weight);
    intersect_plane(&right, corner, beside);
    intersect_plane(&under, corner, below);
    /* 2. A weight falls linearly to 0 at the opposite edge. Its slope per pixel gives distance and height in pixels. */
    for (int i = 0; i < 3; i++) {
        double across = beside[i] - hit.weight[i], down = below[i] - hit.weight[i];
        double slope = sqrt(across * across + down * down);
        if (slope > 0) hit.size = fmin(hit.size, 1 / slope);
        if (slope > 0) hit.edge = fmin(hit.edge, fabs(hit.weight[i]) / slope);
        hit.weight[i] = hit.weight[i] >= 0 ? fmin(hit.weight[i], 1) : 0;
        sum += hit.weight[i];
    }
    /* 3. Normalise the weights, which were clamped to the triangle. */
    for (int i = 0; i < 3; i++) hit.weight[i] = sum > 0 ? hit.weight[i] / sum : 1.0 / 3;
    return hit;
}
