/* Planes, shells and solids, in double. Shells are bounds; other decisions need not be exact. */
#include <math.h>

#include "core/check.h"
#include "plan/shape.h"

#define MARGIN 0x1p-40 /* relative; far above rounding errors */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* n = (b - a) x (c - a) */
static void compute_normal(const double *a, const double *b, const double *c, double *n)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++) n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

void bi_plan_choose_plane(const double *vertices, const int32_t *ends, int32_t count, int32_t *plane)
{
    double most = -1, n[3];
    for (int32_t k = 1; k + 1 < count; k++) {
        compute_normal(vertices + 3 * ends[0], vertices + 3 * ends[k], vertices + 3 * ends[k + 1], n);
        if (!(dot(n, n) > most)) continue;
        most = dot(n, n);
        plane[0] = ends[0];
        plane[1] = ends[k];
        plane[2] = ends[k + 1];
    }
    if (count < 3)
        for (int k = 0; k < 3; k++) plane[k] = ends[k % count];
}

/* ---- shells ---- */

/* Returns a lower bound of the distance of a hull from the origin: the least product of its points with u / |u|. */
static double lower_bound(const double *vertices, const int32_t *ends, int32_t count, const double *u)
{
    double length = sqrt(dot(u, u)), least = HUGE_VAL, most = 0;
    if (!(length > 0)) return 0;
    for (int32_t k = 0; k < count; k++) {
        const double *v = vertices + 3 * ends[k];
        double size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        least = fmin(least, dot(u, v) / length);
        most = fmax(most, size);
    }
    return fmax(0, least - MARGIN * most);
}

/* Finds the point of a segment nearest to the origin, within rounding. */
static void nearest_on_segment(const double *a, const double *b, double *p)
{
    double d[3], t = 0;
    for (int k = 0; k < 3; k++) d[k] = b[k] - a[k];
    if (dot(d, d) > 0) t = fmin(1, fmax(0, -dot(a, d) / dot(d, d)));
    for (int k = 0; k < 3; k++) p[k] = a[k] + t * d[k];
}

/* Computes the shell of a hull: the best lower bound by the points nearest to the origin of its edges, and by an axis.
 * */
static struct bi_plan_shell compute_shell(const double *vertices, const int32_t *ends, int32_t count,
                                          const double *axis)
{
    struct bi_plan_shell s = {0, 0};
    for (int32_t k = 0; k < count; k++) {
        const double *v = vertices + 3 * ends[k];
        double u[3];
        s.high = fmax(s.high, sqrt(dot(v, v)) * (1 + MARGIN));
        nearest_on_segment(v, vertices + 3 * ends[(k + 1) % count], u);
        s.low = fmax(s.low, lower_bound(vertices, ends, count, u));
    }
    if (axis) {
        const double minus[3] = {-axis[0], -axis[1], -axis[2]};
        s.low = fmax(s.low, fmax(lower_bound(vertices, ends, count, axis), lower_bound(vertices, ends, count, minus)));
    }
    return s;
}

void bi_plan_compute_shells(struct bi_plan_side *side)
{
    const struct bi_plan_surface *s = &side->surface;
    for (int32_t v = 0; v < s->vertex_count; v++) side->vertex_shells[v] = compute_shell(s->vertices, &v, 1, NULL);
    for (int32_t e = 0; e < s->edge_count; e++)
        side->edge_shells[e] = compute_shell(s->vertices, s->edges + 2 * e, 2, NULL);
    for (int32_t f = 0; f < s->facet_count; f++) {
        const int32_t *p = side->planes + 3 * f;
        double n[3];
        compute_normal(s->vertices + 3 * p[0], s->vertices + 3 * p[1], s->vertices + 3 * p[2], n);
        side->facet_shells[f] = compute_shell(s->vertices, side->ends + side->end_offsets[f],
                                              side->end_offsets[f + 1] - side->end_offsets[f], n);
    }
}

/* ---- solids ---- */

/* True if the directed edge occurs once in the solid's facets, and once reversed. */
static bool is_shared(const struct bi_plan_surface *s, int32_t begin, int32_t end, int32_t edge)
{
    int32_t same = 0, opposite = 0;
    for (int32_t k = s->facet_offsets[begin]; k < s->facet_offsets[end]; k++) {
        same += s->facet_edges[k] == edge;
        opposite += s->facet_edges[k] == (edge ^ 1);
    }
    return same == 1 && opposite == 1;
}

/* True if no corner of the solid is above the plane of facet f by more than 2^-30 of its size, and one is below. */
static bool is_behind(const struct bi_plan_side *side, int32_t begin, int32_t end, int32_t f)
{
    const double *vertices = side->surface.vertices;
    const int32_t *p = side->planes + 3 * f;
    const double *a = vertices + 3 * p[0];
    double n[3], size = 0, least = 0, most = 0;
    compute_normal(a, vertices + 3 * p[1], vertices + 3 * p[2], n);
    double length = sqrt(dot(n, n));
    for (int32_t k = side->end_offsets[begin]; k < side->end_offsets[end]; k++) {
        double d[3], height;
        for (int c = 0; c < 3; c++) d[c] = vertices[3 * side->ends[k] + c] - a[c];
        height = dot(n, d) / length;
        size = fmax(size, sqrt(dot(d, d)));
        most = fmax(most, height);
        least = fmin(least, height);
    }
    return length > 0 && most <= 0x1p-30 * size && least < -0x1p-30 * size;
}

bosc_status bi_plan_check_solids(bosc_ctx *ctx, const char *name, const struct bi_plan_side *side)
{
    const struct bi_plan_surface *s = &side->surface;
    for (int32_t p = 0; p < s->solid_count; p++) {
        int32_t begin = s->solid_offsets[p], end = s->solid_offsets[p + 1];
        for (int32_t f = begin; f < end; f++) {
            for (int32_t k = s->facet_offsets[f]; k < s->facet_offsets[f + 1]; k++)
                if (!is_shared(s, begin, end, s->facet_edges[k]))
                    return bi_fail(ctx, BOSC_ERR_DATA, "%s: polytope %d is not closed at facet %d", name, (int)p,
                                   (int)(f - s->solid_offsets[0]));
            if (!is_behind(side, begin, end, f))
                return bi_fail(ctx, BOSC_ERR_DATA, "%s: polytope %d is flat or not convex at facet %d", name, (int)p,
                               (int)(f - s->solid_offsets[0]));
        }
    }
    return BOSC_OK;
}
