/* Determines collisions from signs. Closed bodies touch if an edge of one pierces a facet of the other, or a vertex is
 * inside a solid. If signs are 0 because features lie in one plane, exact tests in this plane decide. */
#ifndef BI_PLAN_STEPS_LOGIC_H
#define BI_PLAN_STEPS_LOGIC_H

#include <stddef.h>

#include "base/atomic.h"
#include "plan/steps/forms.h"

/* ---- features in one plane ----
 *
 * Exact tests of features in one plane: closed edges that may touch, and corners in a facet. Points are homogeneous in
 * the quaternion: |q|^2 R a of the robot, |q|^2 k of the obstacle. Few rotations need these tests. */

enum { BI_PLAN_TOUCH_WORK = 8 }; /* exact values in use: 0 to 4 of an orientation, 6 and 7 of a term */

struct bi_plan_touch {
    struct bi_exact *work; /* (BI_PLAN_TOUCH_WORK) */
    double q[4], scaled[4];
};

struct bi_plan_corner {
    const struct bi_plan_surface *surface;
    int32_t vertex;
    bool turns; /* it is the robot's */
};

/* sum += x y z. `pair`: two exact values of working memory. */
BI_CALLED_FN void bi_plan_add_term(struct bi_exact *sum, struct bi_exact *pair, double x, double y, double z)
{
    struct bi_exact *scratch = pair + 1;
    double high, low;
    bi_two_product(x, y, &high, &low);
    bi_exact_set(pair, low);
    if (high != 0) pair->part[pair->n++] = high;
    bi_exact_set(scratch, z);
    bi_exact_add_product(sum, pair, scratch, 1);
}

/* sum += factor |q|^2 (coordinate `axis` of the corner); the factor is 1 or -1. */
BI_CALLED_FN void bi_plan_add_coordinate(const struct bi_plan_touch *t, struct bi_exact *sum, struct bi_exact *pair,
                                         const struct bi_plan_corner *p, int axis, double factor)
{
    const double *x = p->surface->vertices + 3 * (int64_t)p->vertex, *q = t->q;
    if (!p->turns) {
        for (int c = 0; c < 4; c++) bi_plan_add_term(sum, pair, q[c], q[c], factor * x[axis]);
        return;
    }
    int j = (axis + 1) % 3, k = (axis + 2) % 3; /* row `axis` of R: ww + ii - jj - kk, 2 (ij - wk), 2 (ik + wj) */
    const double w = q[0], qi = q[1 + axis], qj = q[1 + j], qk = q[1 + k];
    bi_plan_add_term(sum, pair, w, w, factor * x[axis]);
    bi_plan_add_term(sum, pair, qi, qi, factor * x[axis]);
    bi_plan_add_term(sum, pair, qj, qj, -factor * x[axis]);
    bi_plan_add_term(sum, pair, qk, qk, -factor * x[axis]);
    bi_plan_add_term(sum, pair, qi, qj, 2 * factor * x[j]);
    bi_plan_add_term(sum, pair, w, qk, -2 * factor * x[j]);
    bi_plan_add_term(sum, pair, qi, qk, 2 * factor * x[k]);
    bi_plan_add_term(sum, pair, w, qj, 2 * factor * x[k]);
}

/* x = a - b along the axis. */
BI_FN void bi_plan_set_difference(const struct bi_plan_touch *t, struct bi_exact *x, const struct bi_plan_corner *a,
                                  const struct bi_plan_corner *b, int axis)
{
    x->n = 0;
    bi_plan_add_coordinate(t, x, t->work + 6, a, axis, 1);
    bi_plan_add_coordinate(t, x, t->work + 6, b, axis, -1);
}

/* The sign of a - b along the axis. */
BI_CALLED_FN int bi_plan_compare(const struct bi_plan_touch *t, const struct bi_plan_corner *a,
                                 const struct bi_plan_corner *b, int axis)
{
    bi_plan_set_difference(t, t->work, a, b, axis);
    return bi_exact_sign(t->work);
}

/* Computes a corner's coordinates in double, for the scaled q; *size: raised to an upper bound of them. */
BI_FN void bi_plan_corner_position(const struct bi_plan_touch *t, const struct bi_plan_corner *p, double *at,
                                   double *size)
{
    const double *x = p->surface->vertices + 3 * (int64_t)p->vertex, *q = t->scaled;
    double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        const double w = q[0], qi = q[1 + i], qj = q[1 + j], qk = q[1 + k];
        at[i] = p->turns ? (w * w + qi * qi - qj * qj - qk * qk) * x[i] + 2 * (qi * qj - w * qk) * x[j] +
                               2 * (qi * qk + w * qj) * x[k]
                         : norm * x[i];
    }
    double most = norm * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]));
    *size = most > *size ? most : *size;
}

/* Returns the orientation if doubles decide it, else 0. Coordinates have errors of at most 2^-48 of their size, so the
 * determinant's is below 2^-42 of its square. */
BI_FN int bi_plan_fast_orient2(const struct bi_plan_touch *t, const struct bi_plan_corner *a,
                               const struct bi_plan_corner *b, const struct bi_plan_corner *c, int axis)
{
    double p[3][3], size = 0;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    bi_plan_corner_position(t, a, p[0], &size);
    bi_plan_corner_position(t, b, p[1], &size);
    bi_plan_corner_position(t, c, p[2], &size);
    double det = (p[0][u] - p[2][u]) * (p[1][v] - p[2][v]) - (p[0][v] - p[2][v]) * (p[1][u] - p[2][u]);
    double bound = 0x1p-42 * size * size;
    return det > bound ? 1 : det < -bound ? -1 : 0;
}

/* Returns 1, 0 or -1: the orientation of a, b, c, projected along the axis. */
BI_CALLED_FN int bi_plan_orient2(const struct bi_plan_touch *t, const struct bi_plan_corner *a,
                                 const struct bi_plan_corner *b, const struct bi_plan_corner *c, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, sure = bi_plan_fast_orient2(t, a, b, c, axis);
    struct bi_exact *w = t->work;
    if (sure != 0) return sure;
    bi_plan_set_difference(t, &w[0], a, c, u);
    bi_plan_set_difference(t, &w[1], b, c, v);
    bi_plan_set_difference(t, &w[2], a, c, v);
    bi_plan_set_difference(t, &w[3], b, c, u);
    w[4].n = 0;
    bi_exact_add_product(&w[4], &w[0], &w[1], 1);
    bi_exact_add_product(&w[4], &w[2], &w[3], -1);
    return bi_exact_sign(&w[4]);
}

/* True if the closed edges a b and c d, which lie in one plane, touch. */
BI_CALLED_FN bool bi_plan_edges_touch(const struct bi_plan_touch *t, const struct bi_plan_corner *a,
                                      const struct bi_plan_corner *b, const struct bi_plan_corner *c,
                                      const struct bi_plan_corner *d)
{
    for (int axis = 0; axis < 3; axis++) { /* the first projection that is not a line decides */
        int sc = bi_plan_orient2(t, a, b, c, axis), sd = bi_plan_orient2(t, a, b, d, axis);
        int sa = bi_plan_orient2(t, c, d, a, axis), sb = bi_plan_orient2(t, c, d, b, axis);
        if (sa || sb || sc || sd) return sa * sb <= 0 && sc * sd <= 0;
    }
    for (int axis = 0; axis < 3; axis++) { /* on one line: they touch if they overlap along each axis */
        int ca = bi_plan_compare(t, c, a, axis), cb = bi_plan_compare(t, c, b, axis);
        int da = bi_plan_compare(t, d, a, axis), db = bi_plan_compare(t, d, b, axis);
        if ((ca > 0 && cb > 0 && da > 0 && db > 0) || (ca < 0 && cb < 0 && da < 0 && db < 0)) return false;
    }
    return true;
}

/* True if a corner in the plane of a facet of the other side is in the closed facet: not left of one edge and right of
 * another, in the first projection with an area. */
BI_CALLED_FN bool bi_plan_in_facet(const struct bi_plan_touch *t, const struct bi_plan_corner *p,
                                   const struct bi_plan_surface *s, int32_t f, bool turns)
{
    for (int axis = 0; axis < 3; axis++) {
        bool left = false, right = false, area = false;
        const int32_t begin = s->facet_offsets[f], end = s->facet_offsets[f + 1];
        struct bi_plan_corner first = {s, s->edges[2 * (s->facet_edges[begin] >> 1) + (s->facet_edges[begin] & 1)],
                                       turns};
        for (int32_t k = begin; k < end; k++) {
            const int32_t edge = s->facet_edges[k], *ends = s->edges + 2 * (int64_t)(edge >> 1);
            struct bi_plan_corner a = {s, ends[edge & 1], turns}, b = {s, ends[!(edge & 1)], turns};
            int side = bi_plan_orient2(t, &a, &b, p, axis);
            left = left || side > 0;
            right = right || side < 0;
            area = area || bi_plan_orient2(t, &a, &b, &first, axis) != 0;
        }
        if (area) return !(left && right);
    }
    return false;
}

/* ---- collisions ---- */

/* Signs of a candidate in up to 64 vectors, a lane (bit) each; in neither mask: 0. */
struct bi_plan_lanes {
    uint64_t positive, negative;
};

/* Source of signs: the slices of 64 vectors, or the exact signs of one rotation (lane 0), with data for tests of
 * features in one plane. */
struct bi_plan_sign_reader {
    const struct bi_plan_logic *logic;
    const uint64_t *slices; /* (constraints x groups) */
    int64_t groups, group;
    const int8_t *signs; /* of constraints; NULL: read slices */
    const struct bi_plan_touch *touch;
};

BI_FN struct bi_plan_lanes bi_plan_read_signs(const struct bi_plan_sign_reader *r, int64_t candidate)
{
    const bi_plan_ref ref = r->logic->refs[candidate];
    struct bi_plan_lanes lanes = {0, 0};
    if (ref < 0) {
        lanes.positive = ref == BI_PLAN_REF_POSITIVE ? ~0ull : 0;
        lanes.negative = ref == BI_PLAN_REF_NEGATIVE ? ~0ull : 0;
    } else if (r->signs) {
        const int sign = ref & 1 ? -r->signs[ref >> 1] : r->signs[ref >> 1];
        lanes.positive = sign > 0;
        lanes.negative = sign < 0;
    } else {
        lanes.positive = r->slices[(ref >> 1) * r->groups + r->group] ^ (ref & 1 ? ~0ull : 0);
        lanes.negative = ~lanes.positive;
    }
    return lanes;
}

BI_FN uint64_t bi_plan_not_negative(const struct bi_plan_sign_reader *r, int64_t candidate)
{
    return ~bi_plan_read_signs(r, candidate).negative;
}

BI_FN bool bi_plan_is_zero(const struct bi_plan_sign_reader *r, int64_t candidate)
{
    const struct bi_plan_lanes lanes = bi_plan_read_signs(r, candidate);
    return !((lanes.positive | lanes.negative) & 1);
}

/* Numbering of the candidates of edges of one side and facets of the other. */
struct bi_plan_layout {
    const struct bi_plan_surface *edges, *facets;
    int64_t half_space, vertex, facet; /* half_space + vertex v + facet f */
    int64_t screw, edge, other_edge;   /* screw + edge e + other_edge k */
    bool robot_edges;
};

BI_FN struct bi_plan_layout bi_plan_layout_of(const struct bi_plan_logic *l, bool robot_edges)
{
    struct bi_plan_layout w;
    w.robot_edges = robot_edges;
    w.edges = robot_edges ? &l->robot : &l->obstacle;
    w.facets = robot_edges ? &l->obstacle : &l->robot;
    w.half_space = robot_edges ? l->order.vertex_facet : l->order.facet_vertex;
    w.vertex = robot_edges ? l->obstacle.facet_count : 1;
    w.facet = robot_edges ? 1 : l->obstacle.vertex_count;
    w.screw = l->order.screw;
    w.edge = robot_edges ? l->obstacle.edge_count : 1;
    w.other_edge = robot_edges ? 1 : l->obstacle.edge_count;
    return w;
}

/* Returns the lanes of `of` where an edge pierces a facet: its ends are on both sides of the plane, and its screws with
 * the facet's edges have one sign. Contacts within the plane are left out. */
BI_FN uint64_t bi_plan_find_piercings(const struct bi_plan_sign_reader *r, const struct bi_plan_layout *w, int32_t e,
                                      int32_t f, uint64_t of)
{
    const int32_t *ends = w->edges->edges + 2 * (int64_t)e;
    const struct bi_plan_lanes from = bi_plan_read_signs(r, w->half_space + ends[0] * w->vertex + f * w->facet);
    const struct bi_plan_lanes to = bi_plan_read_signs(r, w->half_space + ends[1] * w->vertex + f * w->facet);
    uint64_t left = 0, right = 0;
    of &= ~((from.positive & to.positive) | (from.negative & to.negative));
    of &= from.positive | from.negative | to.positive | to.negative;
    for (int32_t k = w->facets->facet_offsets[f]; of && k < w->facets->facet_offsets[f + 1]; k++) {
        const int32_t edge = w->facets->facet_edges[k];
        const struct bi_plan_lanes side = bi_plan_read_signs(r, w->screw + e * w->edge + (edge >> 1) * w->other_edge);
        left |= edge & 1 ? side.negative : side.positive;
        right |= edge & 1 ? side.positive : side.negative;
        of &= ~(left & right);
    }
    return of;
}

/* True if an edge and a facet touch without piercing: by edges whose lines intersect, or by an end in the plane. */
BI_CALLED_FN bool bi_plan_touches(const struct bi_plan_sign_reader *r, const struct bi_plan_layout *w, int32_t e,
                                  int32_t f)
{
    const int32_t *ends = w->edges->edges + 2 * (int64_t)e;
    struct bi_plan_corner a = {w->edges, ends[0], w->robot_edges}, b = {w->edges, ends[1], w->robot_edges};
    for (int32_t k = w->facets->facet_offsets[f]; k < w->facets->facet_offsets[f + 1]; k++) {
        int32_t edge = w->facets->facet_edges[k] >> 1;
        const int32_t *others = w->facets->edges + 2 * (int64_t)edge;
        struct bi_plan_corner c = {w->facets, others[0], !w->robot_edges}, d = {w->facets, others[1], !w->robot_edges};
        if (bi_plan_is_zero(r, w->screw + e * w->edge + edge * w->other_edge) &&
            bi_plan_edges_touch(r->touch, &a, &b, &c, &d))
            return true;
    }
    for (int k = 0; k < 2; k++)
        if (bi_plan_is_zero(r, w->half_space + ends[k] * w->vertex + f * w->facet) &&
            bi_plan_in_facet(r->touch, k ? &b : &a, w->facets, f, !w->robot_edges))
            return true;
    return false;
}

/* Returns the lanes of `of` where pair p touches. */
BI_FN uint64_t bi_plan_find_pair_touches(const struct bi_plan_sign_reader *r, const struct bi_plan_pairs *pairs,
                                         int64_t p, bool robot_edges, uint64_t of)
{
    const struct bi_plan_layout w = bi_plan_layout_of(r->logic, robot_edges);
    const int32_t *pair = pairs->list + 2 * p;
    const uint64_t found = bi_plan_find_piercings(r, &w, pair[0], pair[1], of);
    return found == 0 && r->touch && bi_plan_touches(r, &w, pair[0], pair[1]) ? of : found;
}

/* Returns the lanes of `of` where the vertex of pair p is inside the solid. */
BI_FN uint64_t bi_plan_find_inside(const struct bi_plan_sign_reader *r, const struct bi_plan_pairs *pairs, int64_t p,
                                   bool robot_vertices, uint64_t of)
{
    const struct bi_plan_layout w = bi_plan_layout_of(r->logic, robot_vertices);
    const int32_t *pair = pairs->list + 2 * p, *solid = w.facets->solid_offsets + pair[1];
    for (int32_t f = solid[0]; of && f < solid[1]; f++)
        of &= ~bi_plan_read_signs(r, w.half_space + pair[0] * w.vertex + f * w.facet).positive;
    return of;
}

/* Returns the number of units, the possible causes of a collision, in order: balls, forms, the four kinds of pairs. */
BI_FN int64_t bi_plan_unit_count(const struct bi_plan_logic *l)
{
    return l->order.vertex_facet + (l->order.count - l->order.form) + l->edge_facet.count + l->facet_edge.count +
           l->vertex_solid.count + l->solid_vertex.count;
}

/* Returns the lanes of `of` where unit i collides. */
BI_FN uint64_t bi_plan_find_unit_collisions(const struct bi_plan_sign_reader *r, int64_t i, uint64_t of)
{
    const struct bi_plan_logic *l = r->logic;
    if (i < l->order.vertex_facet) return of & bi_plan_not_negative(r, i);
    i -= l->order.vertex_facet;
    if (i < l->order.count - l->order.form) return of & bi_plan_not_negative(r, l->order.form + i);
    i -= l->order.count - l->order.form;
    if (i < l->edge_facet.count) return bi_plan_find_pair_touches(r, &l->edge_facet, i, true, of);
    i -= l->edge_facet.count;
    if (i < l->facet_edge.count) return bi_plan_find_pair_touches(r, &l->facet_edge, i, false, of);
    i -= l->facet_edge.count;
    if (i < l->vertex_solid.count) return bi_plan_find_inside(r, &l->vertex_solid, i, true, of);
    return bi_plan_find_inside(r, &l->solid_vertex, i - l->vertex_solid.count, false, of);
}

/* ---- vectors, 64 at a time ---- */

enum { BI_PLAN_LANES = 64, BI_PLAN_UNITS = 32 /* of an item; not measured */ };

struct bi_plan_label {
    struct bi_plan_logic logic;
    const uint64_t *vectors; /* (n x stride) */
    int64_t n, stride, words, groups;
    uint64_t *slices;   /* (64 words x groups) bit j of a word is that of vector 64 group + j */
    uint64_t *collides; /* (groups) likewise, initially 0 */
    uint8_t *labels;    /* (n) */
};

/* Swaps the off-diagonal parts of all blocks of 2 x 2 parts, each of `width` words and bits. */
BI_FN void bi_plan_swap_parts(uint64_t *x, int width, uint64_t mask)
{
    for (int block = 0; block < BI_PLAN_LANES; block += 2 * width)
        for (int k = block; k < block + width; k++) {
            const uint64_t change = ((x[k] >> width) ^ x[k + width]) & mask;
            x[k] ^= change << width;
            x[k + width] ^= change;
        }
}

/* Transposes 64 x 64 bits (Warren, Hacker's Delight, 7-3). */
BI_FN void bi_plan_transpose(uint64_t *x)
{
    bi_plan_swap_parts(x, 32, 0x00000000ffffffffull);
    bi_plan_swap_parts(x, 16, 0x0000ffff0000ffffull);
    bi_plan_swap_parts(x, 8, 0x00ff00ff00ff00ffull);
    bi_plan_swap_parts(x, 4, 0x0f0f0f0f0f0f0f0full);
    bi_plan_swap_parts(x, 2, 0x3333333333333333ull);
    bi_plan_swap_parts(x, 1, 0x5555555555555555ull);
}

/* Item: transposes a word of the 64 vectors of a group. */
BI_FN void bi_step_transpose_signs(const struct bi_plan_label *a, int64_t at)
{
    const int64_t group = at / a->words, word = at % a->words, first = BI_PLAN_LANES * group;
    uint64_t bits[BI_PLAN_LANES];
    for (int k = 0; k < BI_PLAN_LANES; k++) bits[k] = first + k < a->n ? a->vectors[(first + k) * a->stride + word] : 0;
    bi_plan_transpose(bits);
    for (int k = 0; k < BI_PLAN_LANES; k++) a->slices[(BI_PLAN_LANES * word + k) * a->groups + group] = bits[k];
}

/* Item: tests some units in the vectors of a group. Neighbouring items read neighbouring words. */
BI_FN void bi_step_label(const struct bi_plan_label *a, int64_t at)
{
    const int64_t group = at % a->groups, first = at / a->groups * BI_PLAN_UNITS, left = a->n - BI_PLAN_LANES * group;
    const int64_t units = bi_plan_unit_count(&a->logic),
                  end = first + BI_PLAN_UNITS < units ? first + BI_PLAN_UNITS : units;
    const struct bi_plan_sign_reader r = {&a->logic, a->slices, a->groups, group, NULL, NULL};
    const uint64_t all = left < BI_PLAN_LANES ? (1ull << left) - 1 : ~0ull;
    /* Skip vectors that other items have found to collide; a stale value only costs time. */
    const uint64_t undecided = all & ~bi_atomic_load_hint_u64(&a->collides[group]);
    uint64_t of = undecided;
    for (int64_t i = first; of && i < end; i++) of &= ~bi_plan_find_unit_collisions(&r, i, of);
    if (of != undecided) bi_atomic_or_u64(&a->collides[group], undecided & ~of);
}

BI_FN void bi_step_write_label(const struct bi_plan_label *a, int64_t i)
{
    a->labels[i] = a->collides[i / BI_PLAN_LANES] >> (i % BI_PLAN_LANES) & 1;
}

/* Labels rows with a sign of 0 again, exactly. A worker, with working memory of its own, handles every workers-th
 * row. */
struct bi_plan_label_zeros {
    struct bi_plan_logic logic;
    struct bi_plan_forms forms;
    const double *rotations;
    int64_t n, stride, workers;
    uint32_t *zeros; /* (n + 1) see struct bi_plan_recheck */
    double *work;    /* (workers x exact_work) */
    struct bi_exact *exact;
    int8_t *signs; /* (workers x constraints) */
    uint8_t *labels;
};

BI_FN void bi_step_label_zeros(const struct bi_plan_label_zeros *a, int64_t worker)
{
    double *work = a->work + worker * a->forms.exact_work;
    int8_t *signs = a->signs + worker * a->forms.constraints;
    const bool any = a->zeros[a->n] || a->logic.flat;
    const int64_t units = bi_plan_unit_count(&a->logic);
    for (int64_t row = worker; any && row < a->n; row += a->workers) {
        if (!a->zeros[row] && !a->logic.flat) continue;
        double q[4], scaled[4], products[BI_PLAN_COEFFICIENTS];
        for (int c = 0; c < 4; c++) q[c] = a->rotations[row * a->stride + c];
        if (!bi_plan_is_rotation(q)) continue;
        /* 1. Compute all signs of the row exactly. */
        bi_plan_scale(q, scaled);
        bi_plan_products(scaled, products);
        for (int64_t k = 0; k < a->forms.constraints; k++)
            signs[k] = (int8_t)bi_plan_sign(&a->forms, k, q, products, work);
        /* 2. Test all units, with contacts in one plane. */
        struct bi_plan_touch touch = {a->exact + worker * BI_PLAN_TOUCH_WORK,
                                      {q[0], q[1], q[2], q[3]},
                                      {scaled[0], scaled[1], scaled[2], scaled[3]}};
        const struct bi_plan_sign_reader r = {&a->logic, NULL, 0, 0, signs, &touch};
        bool found = false;
        for (int64_t i = 0; i < units && !found; i++) found = bi_plan_find_unit_collisions(&r, i, 1) != 0;
        a->labels[row] = found;
    }
}

#endif
