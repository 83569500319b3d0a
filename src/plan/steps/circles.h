/* Samples of SO(3). On a great circle q = g cos t + h sin t a form is cos^2 t times P + 2 B u + Q u^2, u = tan t, with
 * P = g'Mg, B = g'Mh and Q = h'Mh. Its roots are those of a quadratic in u, which orders the circle from -90 to 90
 * degrees. Angles are never computed, only sums of unit vectors (cos t, sin t). */
#ifndef BI_PLAN_STEPS_CIRCLES_H
#define BI_PLAN_STEPS_CIRCLES_H

#include "base/elementary.h"
#include "base/philox.h"
#include "plan/steps/arcs.h"

/* Philox streams (any distinct constants); row i of a stream uses the counters 2i and 2i + 1. */
enum { BI_PLAN_STREAM_UNIFORM = 0x706c6100, BI_PLAN_STREAM_CIRCLE = 0x706c6101, BI_PLAN_STREAM_ROOT = 0x706c6102 };

/* Flushes components too small for exact arithmetic to 0. */
BI_FN void bi_plan_flush_tiny(double *q)
{
    for (int c = 0; c < 4; c++) q[c] = fabs(q[c]) < 0x1p-80 ? 0 : q[c];
}

BI_FN double bi_plan_dot(const double *p, const double *q)
{
    return ((p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]) + p[3] * q[3];
}

BI_FN void bi_plan_normalize(double *q)
{
    double length = bi_sqrt(bi_plan_dot(q, q));
    for (int c = 0; c < 4; c++) q[c] = q[c] / length;
}

/* Computes a uniform random rotation (Shoemake); returns another random number in [0, 1). */
BI_FN double bi_plan_random(uint64_t seed, uint64_t stream, uint64_t i, double *q)
{
    struct bi_philox x = bi_philox_at(seed, stream, 2 * i), y = bi_philox_at(seed, stream, 2 * i + 1);
    double u1 = bi_unit_f64(x.v[0], x.v[1]), low = bi_sqrt(1 - u1), high = bi_sqrt(u1);
    struct bi_angle a = bi_angle_of_turns(bi_unit_f64(x.v[2], x.v[3]));
    struct bi_angle b = bi_angle_of_turns(bi_unit_f64(y.v[0], y.v[1]));
    q[0] = low * bi_angle_sin(a);
    q[1] = low * bi_angle_cos(a);
    q[2] = high * bi_angle_sin(b);
    q[3] = high * bi_angle_cos(b);
    return bi_unit_f64(y.v[2], y.v[3]);
}

struct bi_plan_circle {
    double g[4], h[4];
};

/* Makes h orthogonal to g and of length 1; if h is almost parallel to g, replaces it by a fixed orthogonal vector. */
BI_FN void bi_plan_orthogonalize(const double *g, double *h)
{
    double along = bi_plan_dot(g, h);
    for (int c = 0; c < 4; c++) h[c] = h[c] - along * g[c];
    if (bi_plan_dot(h, h) < 0x1p-20) {
        h[0] = -g[1];
        h[1] = g[0];
        h[2] = -g[3];
        h[3] = g[2];
    }
    bi_plan_normalize(h);
}

/* Computes circle c: node c + 1 of a binary tree with root 1, so the bits of c + 1 are the path to it. A circle starts
 * at a random rotation of its parent and has a random direction. */
BI_FN struct bi_plan_circle bi_plan_circle_of(uint64_t seed, uint64_t circle)
{
    struct bi_plan_circle at = {{0}, {0}};
    uint64_t node = circle + 1;
    bi_plan_random(seed, BI_PLAN_STREAM_ROOT, 0, at.g);
    bi_plan_random(seed, BI_PLAN_STREAM_CIRCLE, 1, at.h);
    bi_plan_orthogonalize(at.g, at.h);
    for (int level = 62 - bi_leading_zeros(node); level >= 0; level--) {
        double next[4], g[4];
        struct bi_angle t = bi_angle_of_turns(bi_plan_random(seed, BI_PLAN_STREAM_CIRCLE, node >> level, next) * 0.5);
        double cosine = bi_angle_cos(t), sine = bi_angle_sin(t);
        for (int c = 0; c < 4; c++) g[c] = at.g[c] * cosine + at.h[c] * sine;
        bi_plan_normalize(g);
        bi_plan_orthogonalize(g, next);
        for (int c = 0; c < 4; c++) {
            at.g[c] = g[c];
            at.h[c] = next[c];
        }
    }
    return at;
}

enum { BI_PLAN_FORMS = 32 }; /* forms of an item, since circles are few. Less: more items; not measured */

struct bi_plan_sampling {
    struct bi_plan_forms forms;
    uint64_t seed;
    int64_t first; /* circle, or uniform row */
    int64_t circle_count;
    struct bi_plan_circle *circles; /* (circle_count) */
    uint32_t *stored_roots;         /* (circle_count) number of roots stored so far, initially 0 */
    int64_t *offsets;    /* (circle_count + 1) initially 0; counts of rows, then the first row of each circle */
    double *roots;       /* (rows) unordered */
    double *ordered;     /* (rows) ascending in each circle */
    uint32_t *circle_of; /* (rows) */
    double *rotations;   /* (rows x 4) */
    const uint64_t *vectors;
    void *next;          /* (rows) */
    uint32_t *witnessed; /* (rows) 1: the crossing after the row is witnessed */
    int64_t base;        /* the caller's number of row 0 */
    bool ids_are_64bit;
};

BI_FN void bi_step_sample_uniform(const struct bi_plan_sampling *a, int64_t i)
{
    double q[4];
    bi_plan_random(a->seed, BI_PLAN_STREAM_UNIFORM, (uint64_t)(a->first + i), q);
    bi_plan_normalize(q);
    bi_plan_flush_tiny(q);
    for (int c = 0; c < 4; c++) a->rotations[4 * i + c] = q[c];
}

/* Computes the roots of a form if there are two, else returns false. A root at 90 degrees is infinite. */
BI_FN bool bi_plan_roots(const double *row, const struct bi_plan_arc *arc, double *roots)
{
    double p = bi_plan_value(row, arc->p), b = bi_plan_value(row, arc->b), q = bi_plan_value(row, arc->q);
    double d = b * b - p * q;
    if (!(d > 0)) return false;
    /* The root without cancellation, and its conjugate. */
    double w = -(b + (b >= 0 ? bi_sqrt(d) : -bi_sqrt(d)));
    roots[0] = q == 0 ? BI_INFINITY : w / q;
    roots[1] = p / w;
    return true;
}

BI_FN void bi_step_make_circle(const struct bi_plan_sampling *a, int64_t i)
{
    a->circles[i] = bi_plan_circle_of(a->seed, (uint64_t)(a->first + i));
}

/* An item of the following steps: some forms on a circle. Neighbouring items have the same forms, so threads of a warp
 * read the same rows. */
struct bi_plan_roots_item {
    int64_t circle, first, limit; /* forms first to limit - 1 */
    struct bi_plan_arc arc;
};

BI_FN struct bi_plan_roots_item bi_plan_roots_item_of(const struct bi_plan_sampling *a, int64_t at)
{
    const int64_t circle = at % a->circle_count, first = at / a->circle_count * BI_PLAN_FORMS,
                  limit = first + BI_PLAN_FORMS;
    struct bi_plan_roots_item item = {circle, first, limit < a->forms.constraints ? limit : a->forms.constraints,
                                      bi_plan_arc_of(a->circles[circle].g, a->circles[circle].h)};
    return item;
}

BI_FN void bi_step_count_roots(const struct bi_plan_sampling *a, int64_t at)
{
    const struct bi_plan_roots_item item = bi_plan_roots_item_of(a, at);
    double roots[2];
    uint64_t count = 0;
    for (int64_t k = item.first; k < item.limit; k++)
        count += 2 * bi_plan_roots(a->forms.rows + BI_PLAN_ROW * k, &item.arc, roots);
    if (count > 0) bi_atomic_fetch_add_u64((uint64_t *)&a->offsets[item.circle], count);
}

/* A circle without roots has one row. */
BI_FN void bi_step_count_rows(const struct bi_plan_sampling *a, int64_t i)
{
    if (a->offsets[i] == 0) a->offsets[i] = 1;
}

BI_FN void bi_plan_store_root(const struct bi_plan_sampling *a, int64_t circle, int64_t row, double root)
{
    a->roots[row] = root + 0.0; /* turns -0 into 0: roots are stored in any order, so equal ones must have equal bits */
    a->circle_of[row] = (uint32_t)circle;
}

/* Stores the roots of some forms on a circle, behind the roots stored by other items. */
BI_FN void bi_step_store_roots(const struct bi_plan_sampling *a, int64_t at)
{
    const struct bi_plan_roots_item item = bi_plan_roots_item_of(a, at);
    const int64_t begin = a->offsets[item.circle];
    double roots[2 * BI_PLAN_FORMS];
    int count = 0;
    if (item.first == 0 && a->offsets[item.circle + 1] - begin == 1) bi_plan_store_root(a, item.circle, begin, 0);
    for (int64_t k = item.first; k < item.limit; k++)
        count += 2 * bi_plan_roots(a->forms.rows + BI_PLAN_ROW * k, &item.arc, roots + count);
    if (count == 0) return;
    const int64_t row = begin + bi_atomic_fetch_add_u32(&a->stored_roots[item.circle], (uint32_t)count);
    for (int k = 0; k < count; k++) bi_plan_store_root(a, item.circle, row + k, roots[k]);
}

/* Computes (cos t, sin t) for u = tan t, cos t >= 0. */
BI_FN void bi_plan_direction(double u, double *direction)
{
    if (fabs(u) <= 1) {
        direction[0] = 1 / bi_sqrt(1 + u * u);
        direction[1] = u * direction[0];
    } else {
        double v = 1 / u, size = 1 / bi_sqrt(1 + v * v);
        direction[0] = fabs(v) * size;
        direction[1] = u > 0 ? size : -size;
    }
}

/* Samples the middle between a root and the next one; after the last root the first one follows, half a turn on. If the
 * two are about half a turn apart, their sum has no direction: a quarter turn from the first is the middle. */
BI_FN void bi_step_sample_circle(const struct bi_plan_sampling *a, int64_t row)
{
    const struct bi_plan_circle *circle = a->circles + a->circle_of[row];
    int64_t begin = a->offsets[a->circle_of[row]], end = a->offsets[a->circle_of[row] + 1];
    bool last = row + 1 == end;
    double from[2], to[2], q[4];
    bi_plan_direction(a->ordered[row], from);
    bi_plan_direction(a->ordered[last ? begin : row + 1], to);
    double x = from[0] + (last ? -to[0] : to[0]), y = from[1] + (last ? -to[1] : to[1]);
    if (x * x + y * y < 0.25) {
        x = -from[1];
        y = from[0];
    }
    for (int c = 0; c < 4; c++) q[c] = circle->g[c] * x + circle->h[c] * y;
    bi_plan_normalize(q);
    bi_plan_flush_tiny(q);
    for (int c = 0; c < 4; c++) a->rotations[4 * row + c] = q[c];
}

/* True if the vectors of two consecutive rows differ in one bit: the crossing between them is witnessed. */
BI_FN bool bi_plan_is_witnessed(const struct bi_plan_sampling *a, int64_t row, int64_t next)
{
    const int64_t words = a->forms.words;
    int64_t different = 0;
    for (int64_t word = 0; word < words; word++)
        different += bi_popcount(a->vectors[row * words + word] ^ a->vectors[next * words + word]);
    return different == 1;
}

BI_FN void bi_step_witness(const struct bi_plan_sampling *a, int64_t row)
{
    int64_t begin = a->offsets[a->circle_of[row]], end = a->offsets[a->circle_of[row] + 1];
    int64_t next = row + 1 == end ? begin : row + 1;
    a->witnessed[row] = bi_plan_is_witnessed(a, row, next);
    int64_t id = a->witnessed[row] ? a->base + next : -1;
    if (a->ids_are_64bit)
        ((int64_t *)a->next)[row] = id;
    else
        ((uint32_t *)a->next)[row] = (uint32_t)id;
}

#endif
