#include "reference/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/collision.h"

__extension__ typedef __int128 int128;

/* ---- in integers ---- */

void reference_rotate_integers(const int64_t q[4], const int64_t p[3], int64_t turned[3])
{
    const int64_t w = q[0], *v = q + 1;
    int64_t vv = 0, vp = 0;
    for (int c = 0; c < 3; c++) {
        vv += v[c] * v[c];
        vp += v[c] * p[c];
    }
    for (int c = 0; c < 3; c++) { /* (w^2 - v.v) p + 2 (v.p) v + 2 w (v x p) */
        int64_t cross = v[(c + 1) % 3] * p[(c + 2) % 3] - v[(c + 2) % 3] * p[(c + 1) % 3];
        turned[c] = (w * w - vv) * p[c] + 2 * vp * v[c] + 2 * w * cross;
    }
}

static int64_t count_triangles(const bosc_plan_bodies *b)
{
    int64_t count = b->triangle_count;
    if (b->polytope_count == 0) return count;
    for (int64_t f = 0; f < b->polytope_offsets[b->polytope_count]; f++)
        count += b->facet_offsets[f + 1] - b->facet_offsets[f] - 2;
    return count;
}

/* Builds the mesh of the bodies, |q|^2 times as large: rotated by q, or without q multiplied by `scale`. */
static struct reference_mesh build_mesh(const bosc_plan_bodies *b, const int64_t *q, int64_t scale)
{
    struct reference_mesh m = {.vertex_count = b->vertex_count, .triangle_count = count_triangles(b)};
    int64_t at = b->triangle_count;
    m.vertices = malloc((size_t)(3 * m.vertex_count + 1) * sizeof(int64_t));
    m.triangles = malloc((size_t)(3 * m.triangle_count + 1) * sizeof(int64_t));
    for (int64_t v = 0; v < m.vertex_count; v++) {
        int64_t p[3];
        for (int c = 0; c < 3; c++) p[c] = (int64_t)b->vertices[3 * v + c];
        if (q) reference_rotate_integers(q, p, m.vertices + 3 * v);
        for (int c = 0; c < 3 && !q; c++) m.vertices[3 * v + c] = scale * p[c];
    }
    if (at > 0) memcpy(m.triangles, b->triangles, (size_t)(3 * at) * sizeof(int64_t));
    for (int64_t f = 0; b->polytope_count > 0 && f < b->polytope_offsets[b->polytope_count]; f++) {
        const int64_t *corners = b->facet_vertices + b->facet_offsets[f];
        for (int64_t k = 1; k + 1 < b->facet_offsets[f + 1] - b->facet_offsets[f]; k++, at++) {
            m.triangles[3 * at] = corners[0];
            m.triangles[3 * at + 1] = corners[k];
            m.triangles[3 * at + 2] = corners[k + 1];
        }
    }
    return m;
}

/* True if a point is behind or in the plane of a triangle. */
static bool is_behind(const struct reference_mesh *m, const int64_t *triangle, const int64_t *p)
{
    const int64_t *a = m->vertices + 3 * triangle[0], *b = m->vertices + 3 * triangle[1];
    const int64_t *c = m->vertices + 3 * triangle[2];
    int128 volume = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        int64_t normal = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
        volume += (int128)normal * (p[k] - a[k]);
    }
    return volume <= 0;
}

/* True if a vertex of one mesh is in a polytope of the other; any triangle of a facet gives its plane. */
static bool any_inside(const struct reference_mesh *m, const bosc_plan_bodies *b, const struct reference_mesh *other)
{
    int64_t at = b->triangle_count;
    for (int64_t s = 0; s < b->polytope_count; s++) {
        int64_t first = at, limit = at;
        for (int64_t f = b->polytope_offsets[s]; f < b->polytope_offsets[s + 1]; f++)
            limit += b->facet_offsets[f + 1] - b->facet_offsets[f] - 2;
        at = limit;
        for (int64_t t = 0; t < 3 * other->triangle_count; t++) {
            bool inside = true;
            for (int64_t k = first; k < limit; k++)
                inside = inside && is_behind(m, m->triangles + 3 * k, other->vertices + 3 * other->triangles[t]);
            if (inside) return true;
        }
    }
    return false;
}

static bool balls_touch(const bosc_plan_scene *scene, const int64_t q[4], int64_t scale)
{
    for (int64_t i = 0; i < scene->robot.ball_count; i++)
        for (int64_t j = 0; j < scene->obstacle.ball_count; j++) {
            const double *r = scene->robot.balls + 4 * i, *o = scene->obstacle.balls + 4 * j;
            int64_t p[3] = {(int64_t)r[0], (int64_t)r[1], (int64_t)r[2]}, turned[3], far = 0;
            int64_t reach = scale * ((int64_t)r[3] + (int64_t)o[3]);
            reference_rotate_integers(q, p, turned);
            for (int c = 0; c < 3; c++) {
                int64_t d = turned[c] - scale * (int64_t)o[c];
                far += d * d;
            }
            if (far <= reach * reach) return true;
        }
    return false;
}

bool reference_plan_collides(const bosc_plan_scene *scene, const int64_t q[4])
{
    int64_t scale = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    struct reference_mesh r = build_mesh(&scene->robot, q, 1), o = build_mesh(&scene->obstacle, NULL, scale);
    bool touch = reference_collisions(&r, &o, NULL) > 0 || any_inside(&r, &scene->robot, &o) ||
                 any_inside(&o, &scene->obstacle, &r) || balls_touch(scene, q, scale);
    free(r.vertices);
    free(r.triangles);
    free(o.vertices);
    free(o.triangles);
    return touch;
}

/* ---- in doubles ---- */

void reference_rotate(const double q[4], const double p[3], double rotated[3])
{
    double s = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], t[3];
    for (int c = 0; c < 3; c++) /* 2 v x p */
        t[c] = 2 * (q[1 + (c + 1) % 3] * p[(c + 2) % 3] - q[1 + (c + 2) % 3] * p[(c + 1) % 3]);
    for (int c = 0; c < 3; c++)
        rotated[c] =
            p[c] + (q[0] * t[c] + q[1 + (c + 1) % 3] * t[(c + 2) % 3] - q[1 + (c + 2) % 3] * t[(c + 1) % 3]) / s;
}

static void cross_of(const double *a, const double *b, double *c)
{
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot_of(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* True (1) if the segment p q intersects the triangle a, b, c; -1 if rounding may decide. Source: Moeller and
 * Trumbore, 1997. */
static int edge_intersects(const double *p, const double *q, const double *a, const double *b, const double *c)
{
    double d[3], u[3], v[3], n[3], from[3], h[3];
    for (int k = 0; k < 3; k++) {
        d[k] = q[k] - p[k];
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        from[k] = p[k] - a[k];
    }
    cross_of(u, v, n);
    cross_of(from, d, h);
    /* The barycentric coordinates of the intersection, and its position on the segment. */
    double det = -dot_of(d, n), margin = 1e-9;
    if (fabs(det) < 1e-9) return -1;
    double t = dot_of(from, n) / det, s = dot_of(v, h) / det, r = -dot_of(u, h) / det, third = 1 - s - r;
    const double weights[5] = {t, 1 - t, s, r, third};
    bool inside = true, unsure = false;
    for (int k = 0; k < 5; k++) {
        inside = inside && weights[k] > 0;
        unsure = unsure || fabs(weights[k]) < margin;
    }
    for (int k = 0; k < 5; k++)
        if (weights[k] < -margin) return 0;
    return unsure ? -1 : inside;
}

static int triangles_intersect(const double *p[3], const double *q[3])
{
    bool unsure = false;
    for (int k = 0; k < 3; k++) {
        int one = edge_intersects(p[k], p[(k + 1) % 3], q[0], q[1], q[2]);
        int other = edge_intersects(q[k], q[(k + 1) % 3], p[0], p[1], p[2]);
        if (one == 1 || other == 1) return 1;
        unsure = unsure || one < 0 || other < 0;
    }
    return unsure ? -1 : 0;
}

static int balls_near(const bosc_plan_scene *scene, const double q[4])
{
    int found = 0;
    for (int64_t i = 0; i < scene->robot.ball_count; i++)
        for (int64_t j = 0; j < scene->obstacle.ball_count; j++) {
            const double *o = scene->obstacle.balls + 4 * j, *r = scene->robot.balls + 4 * i;
            double p[3], far = 0;
            reference_rotate(q, r, p);
            for (int c = 0; c < 3; c++) far += (p[c] - o[c]) * (p[c] - o[c]);
            double gap = sqrt(far) - r[3] - o[3];
            if (gap < -1e-9) return 1;
            if (gap < 1e-9) found = -1;
        }
    return found;
}

int reference_plan_near(const bosc_plan_scene *scene, const double q[4])
{
    const bosc_plan_bodies *r = &scene->robot, *o = &scene->obstacle;
    int found = balls_near(scene, q);
    for (int64_t i = 0; i < r->triangle_count && found <= 0; i++) {
        double turned[3][3];
        for (int k = 0; k < 3; k++) reference_rotate(q, r->vertices + 3 * r->triangles[3 * i + k], turned[k]);
        const double *p[3] = {turned[0], turned[1], turned[2]};
        for (int64_t j = 0; j < o->triangle_count && found <= 0; j++) {
            const double *t[3];
            for (int k = 0; k < 3; k++) t[k] = o->vertices + 3 * o->triangles[3 * j + k];
            int intersection = triangles_intersect(p, t);
            if (intersection != 0) found = intersection;
        }
    }
    return found;
}
