#include "reference/planner.h"

#include <math.h>

static void rotate_point(const double q[4], const double v[3], double to[3])
{
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double r[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (int k = 0; k < 3; k++) to[k] = (r[k][0] * v[0] + r[k][1] * v[1] + r[k][2] * v[2]) / n;
}

/* Returns six times the volume of a tetrahedron. */
static double volume(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* True if the segment p q intersects the triangle. */
static bool pierces(const double *p, const double *q, double t[3][3])
{
    double a = volume(t[0], t[1], t[2], p), b = volume(t[0], t[1], t[2], q);
    double u = volume(p, q, t[0], t[1]), v = volume(p, q, t[1], t[2]), w = volume(p, q, t[2], t[0]);
    return ((a >= 0 && b <= 0) || (a <= 0 && b >= 0)) &&
           ((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) && (a != 0 || b != 0);
}

static bool triangles_touch(double s[3][3], double t[3][3])
{
    for (int k = 0; k < 3; k++)
        if (pierces(s[k], s[(k + 1) % 3], t) || pierces(t[k], t[(k + 1) % 3], s)) return true;
    return false;
}

/* Counts the surface triangles of a side: triangles, then the fans of polytope facets. */
static int64_t count_surface(const bosc_plan_bodies *b)
{
    int64_t count = b->triangle_count;
    if (b->polytope_count == 0) return count;
    for (int64_t f = 0; f < b->polytope_offsets[b->polytope_count]; f++)
        count += b->facet_offsets[f + 1] - b->facet_offsets[f] - 2;
    return count;
}

/* Computes surface triangle i, rotated by q (NULL: not). */
static void load_surface_triangle(const bosc_plan_bodies *b, int64_t i, const double *q, double t[3][3])
{
    int64_t vertex[3];
    if (i < b->triangle_count) {
        for (int k = 0; k < 3; k++) vertex[k] = b->triangles[3 * i + k];
    } else {
        int64_t f = 0, at = i - b->triangle_count;
        while (at >= b->facet_offsets[f + 1] - b->facet_offsets[f] - 2) {
            at -= b->facet_offsets[f + 1] - b->facet_offsets[f] - 2;
            f++;
        }
        const int64_t *facet = b->facet_vertices + b->facet_offsets[f];
        vertex[0] = facet[0];
        vertex[1] = facet[at + 1];
        vertex[2] = facet[at + 2];
    }
    for (int k = 0; k < 3; k++) {
        const double *v = b->vertices + 3 * vertex[k];
        if (q) {
            rotate_point(q, v, t[k]);
        } else {
            for (int c = 0; c < 3; c++) t[k][c] = v[c];
        }
    }
}

/* True if a point is in polytope p, rotated by q (NULL: not). */
static bool is_inside(const bosc_plan_bodies *b, int64_t p, const double *q, const double *point)
{
    for (int64_t f = b->polytope_offsets[p]; f < b->polytope_offsets[p + 1]; f++) {
        double t[3][3];
        for (int k = 0; k < 3; k++) {
            const double *v = b->vertices + 3 * b->facet_vertices[b->facet_offsets[f] + k];
            if (q) {
                rotate_point(q, v, t[k]);
            } else {
                for (int c = 0; c < 3; c++) t[k][c] = v[c];
            }
        }
        if (volume(t[0], t[1], t[2], point) > 0) return false;
    }
    return true;
}

/* True if a vertex of the inner side's surface is in a polytope of the outer side. */
static bool contains_vertex(const bosc_plan_bodies *outer, const double *q, const bosc_plan_bodies *inner,
                            const double *inner_q)
{
    for (int64_t i = 0; i < count_surface(inner) && outer->polytope_count > 0; i++) {
        double t[3][3];
        load_surface_triangle(inner, i, inner_q, t);
        for (int64_t p = 0; p < outer->polytope_count; p++)
            if (is_inside(outer, p, q, t[0])) return true;
    }
    return false;
}

static bool balls_touch(const bosc_plan_scene *scene, const double *q)
{
    for (int64_t i = 0; i < scene->robot.ball_count; i++)
        for (int64_t j = 0; j < scene->obstacle.ball_count; j++) {
            const double *a = scene->robot.balls + 4 * i, *b = scene->obstacle.balls + 4 * j;
            double c[3];
            rotate_point(q, a, c);
            double x = c[0] - b[0], y = c[1] - b[1], z = c[2] - b[2], r = a[3] + b[3];
            if (x * x + y * y + z * z <= r * r) return true;
        }
    return false;
}

static bool forms_forbid(const bosc_plan_scene *scene, const double *q)
{
    for (int64_t f = 0; f < scene->form_count; f++) {
        double sum = 0;
        int e = 0;
        for (int i = 0; i < 4; i++)
            for (int j = i; j < 4; j++, e++) sum += scene->forms[10 * f + e] * q[i] * q[j];
        if (sum >= 0) return true;
    }
    return false;
}

bool reference_planner_collides(const bosc_plan_scene *scene, const double q[4])
{
    const bosc_plan_bodies *robot = &scene->robot, *obstacle = &scene->obstacle;
    if (balls_touch(scene, q) || forms_forbid(scene, q)) return true;
    for (int64_t i = 0; i < count_surface(robot); i++) {
        double s[3][3], t[3][3];
        load_surface_triangle(robot, i, q, s);
        for (int64_t j = 0; j < count_surface(obstacle); j++) {
            load_surface_triangle(obstacle, j, NULL, t);
            if (triangles_touch(s, t)) return true;
        }
    }
    return contains_vertex(robot, q, obstacle, NULL) || contains_vertex(obstacle, NULL, robot, q);
}

static double quaternion_length(const double q[4])
{
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

void reference_planner_slerp(const double p[4], const double q[4], double t, double to[4])
{
    double n = quaternion_length(p), m = quaternion_length(q), dot = 0;
    for (int k = 0; k < 4; k++) dot += p[k] / n * (q[k] / m);
    double sign = dot < 0 ? -1 : 1, angle = acos(fmin(1, fabs(dot)));
    double a = angle < 1e-9 ? 1 - t : sin((1 - t) * angle) / sin(angle),
           b = angle < 1e-9 ? t : sin(t * angle) / sin(angle);
    for (int k = 0; k < 4; k++) to[k] = a * p[k] / n + b * sign * q[k] / m;
}

int64_t reference_planner_sample(const bosc_plan_scene *scene, const double p[4], const double q[4], int64_t samples)
{
    for (int64_t i = 0; i <= samples; i++) {
        double at[4];
        reference_planner_slerp(p, q, (double)i / (double)samples, at);
        if (reference_planner_collides(scene, at)) return i;
    }
    return -1;
}

double reference_planner_angle(const double p[4], const double q[4])
{
    double dot = 0;
    for (int k = 0; k < 4; k++) dot += p[k] * q[k];
    return 2 * acos(fmin(1, fabs(dot) / (quaternion_length(p) * quaternion_length(q))));
}
