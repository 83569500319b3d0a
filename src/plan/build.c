/* Builds the constraints of a scene: numbers its features, culls candidates that no collision depends on, and adds the
 * forms of the others in order. */
#include <math.h>
#include <string.h>

#include "plan/builder.h"
#include "plan/handle.h"
#include "plan/steps/logic.h"

/* ---- the scene ---- */

/* Copies the scene with defaults, and checks its forms. */
static bosc_status read_scene(bosc_ctx *ctx, const bosc_plan_scene *scene, bosc_plan_scene *full)
{
    if (!scene) return bi_fail(ctx, BOSC_ERR_ARG, "scene: NULL");
    BI_TRY(bi_read_opts(ctx, "bosc_plan_scene", scene, full, sizeof *full));
    if (full->form_count < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "scene: form_count %lld is less than 0", (long long)full->form_count);
    if (full->form_count > BI_PLAN_MAX_CANDIDATES)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "scene: form_count %lld is over 2^22", (long long)full->form_count);
    if (full->form_count > 0 && !full->forms) return bi_fail(ctx, BOSC_ERR_ARG, "scene: forms NULL");
    BI_TRY(bi_check_aligned(ctx, "scene: forms", full->forms, sizeof *full->forms));
    for (int64_t k = 0; k < BI_PLAN_COEFFICIENTS * full->form_count; k++)
        if (!bi_plan_is_coordinate(full->forms[k]))
            return bi_fail(ctx, BOSC_ERR_DATA, "scene: form %lld holds %g, neither 0 nor of size 2^-110 to 2^100",
                           (long long)(k / BI_PLAN_COEFFICIENTS), full->forms[k]);
    return BOSC_OK;
}

/* Sets the order of candidates: balls, vertices with facets, facets with vertices, edges, forms. */
static bosc_status set_order(struct bi_plan_builder *m)
{
    const struct bi_plan_surface *r = &m->robot.surface, *o = &m->obstacle.surface;
    const int64_t counts[5] = {m->robot.ball_count * m->obstacle.ball_count, (int64_t)r->vertex_count * o->facet_count,
                               (int64_t)r->facet_count * o->vertex_count, (int64_t)r->edge_count * o->edge_count,
                               m->scene.form_count};
    int64_t starts[6] = {0};
    if ((m->robot.ball_count > 0 && o->facet_count > 0) || (m->obstacle.ball_count > 0 && r->facet_count > 0))
        return bi_fail(m->ctx, BOSC_ERR_DATA, "scene: balls can only meet balls");
    for (int k = 0; k < 5; k++) starts[k + 1] = starts[k] + counts[k];
    if (starts[5] > BI_PLAN_MAX_CANDIDATES)
        return bi_fail(m->ctx, BOSC_ERR_LIMIT, "scene: %lld pairs of features are over 2^22", (long long)starts[5]);
    m->order = (struct bi_plan_order){starts[1], starts[2], starts[3], starts[4], starts[5]};
    return BOSC_OK;
}

bosc_status bi_plan_number_features(struct bi_plan_builder *m)
{
    BI_TRY(bi_plan_read_side(m->ctx, m->host, "robot", &m->scene.robot, &m->robot));
    BI_TRY(bi_plan_read_side(m->ctx, m->host, "obstacle", &m->scene.obstacle, &m->obstacle));
    return set_order(m);
}

/* ---- culling ----
 *
 * Culls candidates that no collision depends on. A point of the robot keeps its distance from the origin, so features
 * whose distances differ never touch and need no sign. */

/* Returns the sign of c + <u v', R> if it is the same for all R, else BI_PLAN_VARIES. <u v', R> takes all values from
 * -|u| |v| to |u| |v|, so c^2 is compared with |u|^2 |v|^2: in double, exactly if that is not certain. */
static int constant_sign(const struct bi_exact *u, const struct bi_exact *v, const struct bi_exact *c)
{
    double uu = 0, vv = 0, cc = bi_exact_round(c) * bi_exact_round(c);
    for (int k = 0; k < 3; k++) {
        uu += bi_exact_round(&u[k]) * bi_exact_round(&u[k]);
        vv += bi_exact_round(&v[k]) * bi_exact_round(&v[k]);
    }
    double reach = uu * vv, error = 0x1p-40 * (reach + cc); /* far above rounding errors */
    if (fabs(cc - reach) <= error) {
        struct bi_exact size[2] = {{0}, {0}}, left = {0};
        for (int k = 0; k < 3; k++) {
            bi_exact_add_product(&size[0], &u[k], &u[k], 1);
            bi_exact_add_product(&size[1], &v[k], &v[k], 1);
        }
        bi_exact_add_product(&left, c, c, 1);
        bi_exact_add_product(&left, &size[0], &size[1], -1);
        if (reach == 0 && bi_exact_sign(c) == 0) return 0; /* the function is 0 at all rotations */
        return bi_exact_sign(&left) > 0 ? bi_exact_sign(c) : BI_PLAN_VARIES;
    }
    return cc > reach ? bi_exact_sign(c) : BI_PLAN_VARIES;
}

/* Computes the constant signs of the planes of `side` with the vertices of `other`. Candidates start at `first`, with
 * strides facet_step and vertex_step. */
static bosc_status find_half_spaces(struct bi_plan_builder *m, const struct bi_plan_side *side,
                                    const struct bi_plan_side *other, int64_t first, int64_t facet_step,
                                    int64_t vertex_step)
{
    const double *p = side->surface.vertices;
    struct bi_exact normal[3], c, v[3];
    for (int32_t f = 0; f < side->surface.facet_count; f++) {
        const int32_t *plane = side->planes + 3 * f;
        int8_t *signs = bi_plan_signs_of(m) + first + f * facet_step;
        bi_plan_exact_plane(p + 3 * plane[0], p + 3 * plane[1], p + 3 * plane[2], normal, &c);
        for (int32_t k = 0; k < other->surface.vertex_count; k++) {
            for (int i = 0; i < 3; i++) bi_exact_set(&v[i], other->surface.vertices[3 * k + i]);
            signs[k * vertex_step] = (int8_t)constant_sign(normal, v, &c);
        }
        BI_TRY(bi_progress_advance(m->ctx, other->surface.vertex_count));
    }
    return BOSC_OK;
}

static bool shells_overlap(struct bi_plan_shell a, struct bi_plan_shell b)
{
    return a.low <= b.high && b.low <= a.high;
}

static bosc_status list_pair(struct bi_plan_builder *m, struct bi_plan_list *list, int32_t first, int32_t second)
{
    int32_t *pair = bi_plan_list_extend(m, list, 1);
    if (!pair) return BOSC_ERR_NOMEM;
    pair[0] = first;
    pair[1] = second;
    return BOSC_OK;
}

/* Lists the edges of `side` and facets of `other` that may touch, and marks the candidates they need. */
static bosc_status list_pairs(struct bi_plan_builder *m, const struct bi_plan_side *side,
                              const struct bi_plan_side *other, const struct bi_plan_layout *at,
                              struct bi_plan_list *list)
{
    const int8_t *signs = bi_plan_signs_of(m) + at->half_space;
    bool *needed = bi_plan_needed_of(m);
    for (int32_t e = 0; e < side->surface.edge_count; e++) {
        const int32_t *ends = side->surface.edges + 2 * e;
        for (int32_t f = 0; f < other->surface.facet_count; f++) {
            if (!shells_overlap(side->edge_shells[e], other->facet_shells[f])) continue;
            int64_t a = ends[0] * at->vertex + f * at->facet, b = ends[1] * at->vertex + f * at->facet;
            if (signs[a] == signs[b] && (signs[a] == 1 || signs[a] == -1)) continue;
            BI_TRY(list_pair(m, list, e, f));
            needed[at->half_space + a] = needed[at->half_space + b] = true;
            for (int32_t k = other->surface.facet_offsets[f]; k < other->surface.facet_offsets[f + 1]; k++)
                needed[at->screw + e * at->edge + (other->surface.facet_edges[k] >> 1) * at->other_edge] = true;
        }
        BI_TRY(bi_progress_advance(m->ctx, other->surface.facet_count));
    }
    return BOSC_OK;
}

/* Lists the vertices of `side` that may be in solids of `other`, and marks the candidates they need. */
static bosc_status list_inside(struct bi_plan_builder *m, const struct bi_plan_side *side,
                               const struct bi_plan_side *other, const struct bi_plan_layout *at,
                               struct bi_plan_list *list)
{
    const int8_t *signs = bi_plan_signs_of(m) + at->half_space;
    const int32_t *solids = other->surface.solid_offsets;
    for (int32_t v = 0; v < side->surface.vertex_count; v++)
        for (int32_t s = 0; s < other->surface.solid_count; s++) {
            bool outside = false;
            double high = 0;
            for (int32_t f = solids[s]; f < solids[s + 1]; f++) {
                outside = outside || signs[v * at->vertex + f * at->facet] == 1;
                high = fmax(high, other->facet_shells[f].high);
            }
            if (outside || side->vertex_shells[v].low > high) continue;
            BI_TRY(list_pair(m, list, v, s));
            for (int32_t f = solids[s]; f < solids[s + 1]; f++)
                bi_plan_needed_of(m)[at->half_space + v * at->vertex + f * at->facet] = true;
        }
    return BOSC_OK;
}

/* Finds half-spaces with the same sign everywhere, pairs of features that may touch, and the candidates they need. */
static bosc_status cull_candidates(struct bi_plan_builder *m)
{
    const struct bi_plan_surface *o = &m->obstacle.surface;
    const struct bi_plan_logic logic = {.robot = m->robot.surface, .obstacle = *o, .order = m->order};
    const struct bi_plan_layout robot_edges = bi_plan_layout_of(&logic, true),
                                obstacle_edges = bi_plan_layout_of(&logic, false);
    BI_TRY(find_half_spaces(m, &m->obstacle, &m->robot, m->order.vertex_facet, 1, o->facet_count));
    BI_TRY(find_half_spaces(m, &m->robot, &m->obstacle, m->order.facet_vertex, o->vertex_count, 1));
    BI_TRY(list_pairs(m, &m->robot, &m->obstacle, &robot_edges, &m->edge_facet));
    BI_TRY(list_pairs(m, &m->obstacle, &m->robot, &obstacle_edges, &m->facet_edge));
    BI_TRY(list_inside(m, &m->robot, &m->obstacle, &robot_edges, &m->vertex_solid));
    return list_inside(m, &m->obstacle, &m->robot, &obstacle_edges, &m->solid_vertex);
}

/* ---- constraints of the candidates ---- */

/* Sets the reference of a candidate that needs no constraint. */
static void set_constant(struct bi_plan_builder *m, int64_t candidate, int sign)
{
    /* By sign + 1: -1, 0, 1, BI_PLAN_VARIES (which needs a constraint), BI_PLAN_UNUSED. */
    static const bi_plan_ref refs[] = {BI_PLAN_REF_NEGATIVE, BI_PLAN_REF_ZERO, BI_PLAN_REF_POSITIVE, 0,
                                       BI_PLAN_REF_UNUSED};
    bi_plan_refs_of(m)[candidate] = refs[sign + 1];
    m->culled++;
}

/* Adds the constraints of pairs of balls; a pair that collides at all rotations sets `always`. */
static bosc_status add_balls(struct bi_plan_builder *m)
{
    struct bi_exact u[3], v[3], c, form[BI_PLAN_COEFFICIENTS];
    for (int64_t k = 0; k < m->order.vertex_facet; k++) {
        bi_plan_ball_parts(m->robot.balls + 4 * (k / m->obstacle.ball_count),
                           m->obstacle.balls + 4 * (k % m->obstacle.ball_count), u, v, &c);
        int sign = constant_sign(u, v, &c);
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
    /* Segments through the origin share it at all rotations. */
    if (r[0] != r[1] && o[0] != o[1] && is_through_origin(a, b) && is_through_origin(k, l)) m->always = true;
    return BOSC_OK;
}

/* Adds the half-space or the screw of a candidate, or sets its constant sign. */
static bosc_status add_candidate(struct bi_plan_builder *m, int64_t k)
{
    const struct bi_plan_surface *o = &m->obstacle.surface;
    int sign = bi_plan_signs_of(m)[k];
    if (!bi_plan_needed_of(m)[k] || sign != BI_PLAN_VARIES) {
        set_constant(m, k, sign != BI_PLAN_VARIES ? sign : BI_PLAN_UNUSED); /* a known sign is kept, needed or not */
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

/* True if `factor` q'Mq is positive at all q, by a margin above rounding (Cholesky decomposition). */
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

/* Adds the caller's forms; one that is nowhere negative sets `always`. */
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

/* Builds the constraints of all needed candidates in order. */
static bosc_status build_constraints(struct bi_plan_builder *m)
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
    BI_TRY(cull_candidates(m));
    BI_TRY(add_balls(m));
    for (int64_t k = m->order.vertex_facet; k < m->order.form; k++) {
        BI_TRY(add_candidate(m, k));
        BI_TRY(bi_progress_advance(m->ctx, 1));
    }
    find_always_inside(m, &m->obstacle, &m->vertex_solid, m->order.vertex_facet, m->obstacle.surface.facet_count, 1);
    find_always_inside(m, &m->robot, &m->solid_vertex, m->order.facet_vertex, 1, m->obstacle.surface.vertex_count);
    return add_input_forms(m);
}

/* ---- builds ---- */

static bosc_status build_and_install(struct bi_plan_builder *m, bosc_plan *plan)
{
    BI_TRY(bi_plan_number_features(m));
    bi_progress_set_total(m->ctx, 3.0 * (double)m->order.count);
    BI_TRY(build_constraints(m));
    return bi_plan_install(m, plan);
}

/* Swaps the working blocks of the handle and the builder; the handle keeps them between builds. */
static void exchange_blocks(bosc_plan *plan, struct bi_plan_builder *m)
{
    struct bi_block *const blocks[BI_PLAN_WORK_BLOCKS] = {
        &m->signs,
        &m->needed,
        &m->refs,
        &m->slots,
        &m->rows.block,
        &m->offsets.block,
        &m->parts.block,
        &m->candidate_of.block,
        &m->hashes.block,
        &m->edge_facet.block,
        &m->facet_edge.block,
        &m->vertex_solid.block,
        &m->solid_vertex.block,
        &m->robot.numbers,
        &m->robot.doubles,
        &m->obstacle.numbers,
        &m->obstacle.doubles,
    };
    for (int b = 0; b < BI_PLAN_WORK_BLOCKS; b++) {
        const struct bi_block kept = plan->work[b];
        plan->work[b] = *blocks[b];
        *blocks[b] = kept;
    }
}

static struct bi_plan_builder init_builder(bosc_ctx *ctx, const bosc_plan *plan)
{
    return (struct bi_plan_builder){.ctx = ctx,
                                    .host = &plan->host,
                                    .keep_duplicates = plan->opts.keep_duplicates,
                                    .rows = {.item = BI_PLAN_ROW * sizeof(double)},
                                    .offsets = {.item = sizeof(int64_t)},
                                    .parts = {.item = sizeof(double)},
                                    .candidate_of = {.item = sizeof(int64_t)},
                                    .hashes = {.item = sizeof(uint64_t)},
                                    .edge_facet = {.item = 2 * sizeof(int32_t)},
                                    .facet_edge = {.item = 2 * sizeof(int32_t)},
                                    .vertex_solid = {.item = 2 * sizeof(int32_t)},
                                    .solid_vertex = {.item = 2 * sizeof(int32_t)}};
}

bosc_status bi_plan_begin_build(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene, struct bi_plan_builder *m)
{
    *m = init_builder(ctx, plan);
    BI_TRY(read_scene(ctx, scene, &m->scene));
    exchange_blocks(plan, m);
    return BOSC_OK;
}

void bi_plan_end_build(bosc_plan *plan, struct bi_plan_builder *m) { exchange_blocks(plan, m); }

bosc_status bosc_plan_build(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene)
{
    struct bi_plan_builder m;
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(bi_plan_begin_build(ctx, plan, scene, &m));
    bosc_status status = build_and_install(&m, plan);
    bi_plan_end_build(plan, &m);
    return status;
}
