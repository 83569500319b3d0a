/* Builds the constraints of a scene: handles all candidates in order. */
#include <math.h>
#include <string.h>

#include "plan/builder.h"

/* Sets the reference of a candidate that needs no constraint. */
static void set_constant(struct bi_plan_builder *m, int64_t candidate, int sign)
{
    static const bi_plan_ref refs[] = {BI_PLAN_REF_NEGATIVE, BI_PLAN_REF_ZERO, BI_PLAN_REF_POSITIVE, 0,
                                       BI_PLAN_REF_UNUSED};
    bi_plan_refs_of(m)[candidate] = refs[sign + 1];
    m->culled++;
}

static bosc_status add_balls(struct bi_plan_builder *m)
{
    struct bi_exact u[3], v[3], c, form[BI_PLAN_COEFFICIENTS];
    for (int64_t k = 0; k < m->order.vertex_facet; k++) {
        bi_plan_ball_parts(m->robot.balls + 4 * (k / m->obstacle.ball_count),
                           m->obstacle.balls + 4 * (k % m->obstacle.ball_count), u, v, &c);
        int sign = bi_plan_constant_sign(u, v, &c);
        if (sign != BI_PLAN_VARIES) {
            set_constant(m, k, sign);
            m->always = m->always || sign >= 0;
            continue;
        }
        bi_plan_half_space_form(u, v, &c, form);
        BI_TRY(bi_plan_add_form(m, k, form));
        BI_TRY(bi_progress_advance(m->ctx, 1));
    }
    return BOSC_OK;
}

/* Adds the half-space of a plane of `side` and a vertex of `other`: N . R(B) + c, or B . R(N) + c if the plane is the
 * robot's. */
static bosc_status add_half_space(struct bi_plan_builder *m, int64_t candidate, const struct bi_plan_side *side,
                                  int64_t facet, const struct bi_plan_side *other, int64_t vertex)
{
    struct bi_exact normal[3], v[3], c, form[BI_PLAN_COEFFICIENTS];
    const double *p = side->surface.vertices, *x = other->surface.vertices + 3 * vertex;
    const int32_t *plane = side->planes + 3 * facet;
    bi_plan_exact_plane(p + 3 * plane[0], p + 3 * plane[1], p + 3 * plane[2], normal, &c);
    for (int k = 0; k < 3; k++) bi_exact_set(&v[k], x[k]);
    if (side == &m->obstacle)
        bi_plan_half_space_form(normal, v, &c, form);
    else
        bi_plan_half_space_form(v, normal, &c, form);
    return bi_plan_add_form(m, candidate, form);
}

/* True if a segment on a line through the origin contains it. */
static bool is_through_origin(const double *a, const double *b)
{
    double dot = 0; /* the least product: on such a line, its sign shows whether a and b are on opposite sides */
    for (int k = 0; k < 3; k++) dot = fmin(dot, a[k] * b[k]);
    return dot < 0 || (a[0] == 0 && a[1] == 0 && a[2] == 0) || (b[0] == 0 && b[1] == 0 && b[2] == 0);
}

static bosc_status add_screw(struct bi_plan_builder *m, int64_t candidate, int64_t robot_edge, int64_t obstacle_edge)
{
    const int32_t *r = m->robot.surface.edges + 2 * robot_edge, *o = m->obstacle.surface.edges + 2 * obstacle_edge;
    const double *a = m->robot.surface.vertices + 3 * r[0], *b = m->robot.surface.vertices + 3 * r[1];
    const double *k = m->obstacle.surface.vertices + 3 * o[0], *l = m->obstacle.surface.vertices + 3 * o[1];
    struct bi_exact form[BI_PLAN_COEFFICIENTS];
    bi_plan_screw_form(k, l, a, b, form);
    BI_TRY(bi_plan_add_form(m, candidate, form));
    if (bi_plan_refs_of(m)[candidate] != BI_PLAN_REF_ZERO) return BOSC_OK;
    m->flat = true;
    if (r[0] != r[1] && o[0] != o[1] && is_through_origin(a, b) && is_through_origin(k, l)) m->always = true;
    return BOSC_OK;
}

static bosc_status add_candidate(struct bi_plan_builder *m, int64_t k)
{
    const struct bi_plan_surface *o = &m->obstacle.surface;
    int sign = bi_plan_signs_of(m)[k];
    if (!bi_plan_needed_of(m)[k] || sign != BI_PLAN_VARIES) {
        set_constant(m, k, bi_plan_needed_of(m)[k] || sign != BI_PLAN_VARIES ? sign : BI_PLAN_UNUSED);
        return BOSC_OK;
    }
    if (k < m->order.facet_vertex) {
        int64_t at = k - m->order.vertex_facet;
        return add_half_space(m, k, &m->obstacle, at % o->facet_count, &m->robot, at / o->facet_count);
    }
    if (k < m->order.screw) {
        int64_t at = k - m->order.facet_vertex;
        return add_half_space(m, k, &m->robot, at / o->vertex_count, &m->obstacle, at % o->vertex_count);
    }
    return add_screw(m, k, (k - m->order.screw) / o->edge_count, (k - m->order.screw) % o->edge_count);
}

/* True if q'Mq is positive at all q, by a margin above rounding (Cholesky decomposition). */
static bool is_definite(const double *form, double factor)
{
    double a[4][4], most = 0;
    for (int i = 0, k = 0; i < 4; i++)
        for (int j = i; j < 4; j++, k++) {
            a[i][j] = a[j][i] = factor * form[k] * (i == j ? 1 : 0.5);
            most = fmax(most, fabs(a[i][j]));
        }
    for (int i = 0; i < 4; i++) a[i][i] -= 0x1p-40 * most;
    for (int i = 0; i < 4; i++) {
        if (!(a[i][i] > 0)) return false;
        for (int j = i + 1; j < 4; j++)
            for (int k = j; k < 4; k++) a[j][k] -= a[i][j] * a[i][k] / a[i][i];
    }
    return true;
}

static bosc_status add_input_forms(struct bi_plan_builder *m)
{
    struct bi_exact form[BI_PLAN_COEFFICIENTS];
    for (int64_t k = 0; k < m->scene.form_count; k++) {
        const double *input = m->scene.forms + BI_PLAN_COEFFICIENTS * k;
        int sign = is_definite(input, 1) ? 1 : is_definite(input, -1) ? -1 : BI_PLAN_VARIES;
        if (sign != BI_PLAN_VARIES) {
            set_constant(m, m->order.form + k, sign);
        } else {
            for (int c = 0; c < BI_PLAN_COEFFICIENTS; c++) bi_exact_set(&form[c], input[c]);
            BI_TRY(bi_plan_add_form(m, m->order.form + k, form));
        }
        m->always = m->always || bi_plan_refs_of(m)[m->order.form + k] == BI_PLAN_REF_POSITIVE ||
                    bi_plan_refs_of(m)[m->order.form + k] == BI_PLAN_REF_ZERO;
    }
    return BOSC_OK;
}

/* Sets `always` if a vertex is in a solid at all rotations. */
static void find_always_inside(struct bi_plan_builder *m, const struct bi_plan_side *other,
                               const struct bi_plan_list *list, int64_t first, int64_t vertex_step, int64_t facet_step)
{
    const int32_t *solids = other->surface.solid_offsets;
    for (int64_t p = 0; p < list->count; p++) {
        const int32_t *pair = (const int32_t *)list->block.data + 2 * p;
        bool inside = true;
        for (int32_t f = solids[pair[1]]; f < solids[pair[1] + 1]; f++)
            inside = inside && bi_plan_signs_of(m)[first + pair[0] * vertex_step + f * facet_step] <= 0;
        m->always = m->always || inside;
    }
}

/* Returns the slots of the hash table: a load factor of 1/2 at most, and of 1/4 for the most constraints. */
static int64_t slots_for(int64_t candidates)
{
    int64_t slots = 16;
    while (slots < 2 * candidates && slots < 4 * BI_PLAN_MAX_CONSTRAINTS) slots *= 2;
    return slots;
}

bosc_status bi_plan_reserve_candidates(struct bi_plan_builder *m)
{
    const int64_t n = m->order.count;
    BI_TRY(bi_block_reserve(m->ctx, m->host, &m->signs, (size_t)n));
    BI_TRY(bi_block_reserve(m->ctx, m->host, &m->needed, (size_t)n));
    BI_TRY(bi_block_reserve(m->ctx, m->host, &m->refs, (size_t)n * sizeof(bi_plan_ref)));
    return bi_block_reserve(m->ctx, m->host, &m->slots, (size_t)slots_for(n) * sizeof(int32_t));
}

bosc_status bi_plan_build_constraints(struct bi_plan_builder *m)
{
    const int64_t n = m->order.count, slots = slots_for(n);
    BI_TRY(bi_plan_reserve_candidates(m));
    int64_t *zero = bi_plan_list_extend(m, &m->offsets, 1);
    if (!zero) return BOSC_ERR_NOMEM;
    *zero = 0;
    m->slot_mask = (uint64_t)slots - 1;
    memset(m->slots.data, 0xff, (size_t)slots * sizeof(int32_t));
    if (n > 0) memset(m->signs.data, BI_PLAN_VARIES, (size_t)n);
    if (n > 0) memset(m->needed.data, 0, (size_t)n);
    /* Cull candidates, then add the others in order: balls, half-spaces and screws, forms of the caller. */
    BI_TRY(bi_plan_cull_candidates(m));
    BI_TRY(add_balls(m));
    for (int64_t k = m->order.vertex_facet; k < m->order.form; k++) {
        BI_TRY(add_candidate(m, k));
        BI_TRY(bi_progress_advance(m->ctx, 1));
    }
    find_always_inside(m, &m->obstacle, &m->vertex_solid, m->order.vertex_facet, m->obstacle.surface.facet_count, 1);
    find_always_inside(m, &m->robot, &m->solid_vertex, m->order.facet_vertex, 1, m->obstacle.surface.vertex_count);
    return add_input_forms(m);
}
