/* Which signs are a collision. Closed bodies touch if an edge of one pierces a facet of the other, or if a vertex is
 * inside a solid; where signs are 0 because features lie in one plane, touch.h decides. */
#ifndef BI_PLAN_STEPS_LOGIC_H
#define BI_PLAN_STEPS_LOGIC_H

#include <stddef.h>

#include "plan/steps/touch.h"

/* Signs to read: bits, where 1 stands for positive, or exact ones with what touching needs. */
struct bi_plan_reading {
    const struct bi_plan_logic *logic;
    const uint64_t *vector;
    const int8_t *signs; /* of constraints; NULL: of the vector */
    const struct bi_plan_touch *touch;
};

BI_FN int bi_plan_read(const struct bi_plan_reading *r, int64_t candidate)
{
    bi_plan_ref ref = r->logic->refs[candidate];
    if (ref == BI_PLAN_REF_POSITIVE) return 1;
    if (ref == BI_PLAN_REF_NEGATIVE) return -1;
    if (ref < 0) return 0;
    int64_t k = ref >> 1;
    int sign = r->signs ? r->signs[k] : r->vector[k >> 6] >> (k & 63) & 1 ? 1 : -1;
    return ref & 1 ? -sign : sign;
}

/* Edges of one side against facets of the other: where their candidates are. */
struct bi_plan_way {
    const struct bi_plan_surface *edges, *facets;
    int64_t half_space, vertex, facet; /* half_space + vertex v + facet f */
    int64_t screw, edge, other_edge;   /* screw + edge e + other_edge k */
    bool robot_edges;
};

BI_FN struct bi_plan_way bi_plan_way_of(const struct bi_plan_logic *l, bool robot_edges)
{
    struct bi_plan_way w;
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

/* An edge and a facet, of which what touches in one plane is left out. */
BI_FN bool bi_plan_pierces(const struct bi_plan_reading *r, const struct bi_plan_way *w, int32_t e, int32_t f)
{
    const int32_t *ends = w->edges->edges + 2 * (int64_t)e;
    int from = bi_plan_read(r, w->half_space + ends[0] * w->vertex + f * w->facet);
    int to = bi_plan_read(r, w->half_space + ends[1] * w->vertex + f * w->facet);
    if (from * to > 0 || (from == 0 && to == 0)) return false;
    bool left = false, right = false;
    for (int32_t k = w->facets->facet_offsets[f]; k < w->facets->facet_offsets[f + 1]; k++) {
        int32_t edge = w->facets->facet_edges[k];
        int sign = bi_plan_read(r, w->screw + e * w->edge + (edge >> 1) * w->other_edge);
        if (edge & 1) sign = -sign;
        left = left || sign > 0;
        right = right || sign < 0;
        if (left && right) return false;
    }
    return true;
}

/* What may touch though it does not pierce: edges whose lines meet, and an edge in the plane of a facet. */
BI_CALLED_FN bool bi_plan_touches(const struct bi_plan_reading *r, const struct bi_plan_way *w, int32_t e, int32_t f)
{
    const int32_t *ends = w->edges->edges + 2 * (int64_t)e;
    struct bi_plan_corner a = {w->edges, ends[0], w->robot_edges}, b = {w->edges, ends[1], w->robot_edges};
    for (int32_t k = w->facets->facet_offsets[f]; k < w->facets->facet_offsets[f + 1]; k++) {
        int32_t edge = w->facets->facet_edges[k] >> 1;
        const int32_t *others = w->facets->edges + 2 * (int64_t)edge;
        struct bi_plan_corner c = {w->facets, others[0], !w->robot_edges}, d = {w->facets, others[1], !w->robot_edges};
        if (bi_plan_read(r, w->screw + e * w->edge + edge * w->other_edge) == 0 &&
            bi_plan_edges_touch(r->touch, &a, &b, &c, &d))
            return true;
    }
    for (int k = 0; k < 2; k++)
        if (bi_plan_read(r, w->half_space + ends[k] * w->vertex + f * w->facet) == 0 &&
            bi_plan_in_facet(r->touch, k ? &b : &a, w->facets, f, !w->robot_edges))
            return true;
    return false;
}

BI_FN bool bi_plan_any_pair(const struct bi_plan_reading *r, const struct bi_plan_pairs *pairs, bool robot_edges)
{
    const struct bi_plan_way w = bi_plan_way_of(r->logic, robot_edges);
    for (int64_t p = 0; p < pairs->count; p++) {
        const int32_t *pair = pairs->list + 2 * p;
        if (bi_plan_pierces(r, &w, pair[0], pair[1])) return true;
        if (r->touch && bi_plan_touches(r, &w, pair[0], pair[1])) return true;
    }
    return false;
}

BI_FN bool bi_plan_any_inside(const struct bi_plan_reading *r, const struct bi_plan_pairs *pairs, bool robot_vertices)
{
    const struct bi_plan_way w = bi_plan_way_of(r->logic, robot_vertices);
    for (int64_t p = 0; p < pairs->count; p++) {
        const int32_t *pair = pairs->list + 2 * p, *solid = w.facets->solid_offsets + pair[1];
        bool inside = true;
        for (int32_t f = solid[0]; inside && f < solid[1]; f++)
            inside = bi_plan_read(r, w.half_space + pair[0] * w.vertex + f * w.facet) <= 0;
        if (inside) return true;
    }
    return false;
}

BI_FN bool bi_plan_collision(const struct bi_plan_reading *r)
{
    const struct bi_plan_logic *l = r->logic;
    for (int64_t k = 0; k < l->order.vertex_facet; k++)
        if (bi_plan_read(r, k) >= 0) return true;
    for (int64_t k = l->order.form; k < l->order.count; k++)
        if (bi_plan_read(r, k) >= 0) return true;
    return bi_plan_any_pair(r, &l->edge_facet, true) || bi_plan_any_pair(r, &l->facet_edge, false) ||
           bi_plan_any_inside(r, &l->vertex_solid, true) || bi_plan_any_inside(r, &l->solid_vertex, false);
}

struct bi_plan_label {
    struct bi_plan_logic logic;
    const uint64_t *vectors;
    int64_t stride;
    uint8_t *labels;
};

BI_FN void bi_step_label(const struct bi_plan_label *a, int64_t i)
{
    struct bi_plan_reading r = {&a->logic, a->vectors + i * a->stride, NULL, NULL};
    a->labels[i] = bi_plan_collision(&r);
}

/* Rows in which a sign is 0, once more: a worker has memory to work in. */
struct bi_plan_label_zeros {
    struct bi_plan_logic logic;
    struct bi_plan_forms forms;
    const double *rotations;
    int64_t n, stride, workers;
    uint32_t *zeros; /* (n), and then whether any of them is set */
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
    for (int64_t row = worker; any && row < a->n; row += a->workers) {
        if (!a->zeros[row] && !a->logic.flat) continue;
        double q[4], scaled[4], products[BI_PLAN_COEFFICIENTS];
        for (int c = 0; c < 4; c++) q[c] = a->rotations[row * a->stride + c];
        if (!bi_plan_is_rotation(q)) continue;
        bi_plan_scale(q, scaled);
        bi_plan_products(scaled, products);
        for (int64_t k = 0; k < a->forms.constraints; k++)
            signs[k] = (int8_t)bi_plan_sign(&a->forms, k, q, products, work);
        struct bi_plan_touch touch = {a->exact + worker * BI_PLAN_TOUCH_WORK,
                                      {q[0], q[1], q[2], q[3]},
                                      {scaled[0], scaled[1], scaled[2], scaled[3]}};
        struct bi_plan_reading r = {&a->logic, NULL, signs, &touch};
        a->labels[row] = bi_plan_collision(&r);
    }
}

#endif
