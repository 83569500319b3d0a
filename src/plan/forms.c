/* Exact coefficients of constraints, and constraints merged if their forms are proportional. N . R(q) B = q'Mq with
 * M = [[N . B, (B x N)'], [B x N, N B' + B N' - (N . B) I]]. Every function linear in R is a sum of such terms, <G, R>
 * with G the sum of N B'. */
#include <math.h>
#include <string.h>

#include "plan/builder.h"

/* ---- coefficients ---- */

static void set_difference(const double *p, const double *q, struct bi_exact *d)
{
    for (int k = 0; k < 3; k++) {
        bi_exact_set(&d[k], p[k]);
        d[k].n = bi_expansion_add(d[k].part, d[k].n, -q[k]);
    }
}

static void set_point(const double *p, struct bi_exact *x)
{
    for (int k = 0; k < 3; k++) bi_exact_set(&x[k], p[k]);
}

static void set_cross(const struct bi_exact *u, const struct bi_exact *v, struct bi_exact *w)
{
    for (int k = 0; k < 3; k++) {
        w[k].n = 0;
        bi_exact_add_product(&w[k], &u[(k + 1) % 3], &v[(k + 2) % 3], 1);
        bi_exact_add_product(&w[k], &u[(k + 2) % 3], &v[(k + 1) % 3], -1);
    }
}

void bi_plan_exact_plane(const double *p, const double *q, const double *r, struct bi_exact *normal, struct bi_exact *c)
{
    struct bi_exact u[3], v[3];
    set_difference(q, p, u);
    set_difference(r, p, v);
    set_cross(u, v, normal);
    set_point(p, u);
    c->n = 0;
    for (int k = 0; k < 3; k++) bi_exact_add_product(c, &normal[k], &u[k], -1);
}

/* Computes the coefficients of <G, R> + c; c may be NULL. The terms follow the entries of R: R_00 = ww + xx - yy - zz,
 * R_01 = 2 (xy - wz), and so on. */
static void set_form(const struct bi_exact *g, const struct bi_exact *c, struct bi_exact *form)
{
    static const struct {
        int8_t coefficient, entry, factor;
    } terms[] = {{0, 0, 1},  {0, 4, 1},  {0, 8, 1},  {4, 0, 1}, {4, 4, -1}, {4, 8, -1}, {7, 0, -1}, {7, 4, 1},
                 {7, 8, -1}, {9, 0, -1}, {9, 4, -1}, {9, 8, 1}, {1, 7, 2},  {1, 5, -2}, {2, 2, 2},  {2, 6, -2},
                 {3, 3, 2},  {3, 1, -2}, {5, 1, 2},  {5, 3, 2}, {6, 2, 2},  {6, 6, 2},  {8, 5, 2},  {8, 7, 2}};
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) form[k].n = 0;
    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; t++)
        bi_exact_add(&form[terms[t].coefficient], &g[terms[t].entry], terms[t].factor);
    for (int k = 0; c && k < BI_PLAN_COEFFICIENTS; k++)
        if (k == 0 || k == 4 || k == 7 || k == 9) bi_exact_add(&form[k], c, 1);
}

void bi_plan_half_space_form(const struct bi_exact *u, const struct bi_exact *v, const struct bi_exact *c,
                             struct bi_exact *form)
{
    struct bi_exact g[9];
    for (int k = 0; k < 9; k++) {
        g[k].n = 0;
        bi_exact_add_product(&g[k], &u[k / 3], &v[k % 3], 1);
    }
    set_form(g, c, form);
}

void bi_plan_screw_form(const double *k, const double *l, const double *a, const double *b, struct bi_exact *form)
{
    struct bi_exact g[9], p[3], q[3], moment[3], along[3], robot_moment[3], robot_along[3];
    set_point(k, p);
    set_point(l, q);
    set_cross(p, q, moment);
    set_difference(k, l, along);
    set_point(a, p);
    set_point(b, q);
    set_cross(p, q, robot_moment);
    set_difference(a, b, robot_along);
    for (int i = 0; i < 9; i++) {
        g[i].n = 0;
        bi_exact_add_product(&g[i], &moment[i / 3], &robot_along[i % 3], 1);
        bi_exact_add_product(&g[i], &along[i / 3], &robot_moment[i % 3], 1);
    }
    set_form(g, NULL, form);
}

void bi_plan_ball_parts(const double *robot, const double *obstacle, struct bi_exact *u, struct bi_exact *v,
                        struct bi_exact *c)
{
    struct bi_exact radii;
    set_point(robot, v);
    set_point(obstacle, u);
    bi_exact_set(&radii, robot[3]);
    radii.n = bi_expansion_add(radii.part, radii.n, obstacle[3]);
    c->n = 0;
    bi_exact_add_product(c, &radii, &radii, 1);
    for (int k = 0; k < 3; k++) {
        bi_exact_add_product(c, &u[k], &u[k], -1);
        bi_exact_add_product(c, &v[k], &v[k], -1);
    }
    for (int k = 0; k < 3; k++) /* 2 b.Ra */
        if (u[k].n) u[k].part[0] *= 2;
}

/* ---- arithmetic modulo 2^61 - 1 ---- */

#define PRIME 0x1fffffffffffffffull

static uint64_t modulo_product(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t modulo_inverse(uint64_t a)
{
    uint64_t power = 1; /* a^(PRIME - 2) */
    for (int bit = 60; bit >= 0; bit--) {
        power = modulo_product(power, power);
        if ((PRIME - 2) >> bit & 1) power = modulo_product(power, a);
    }
    return power;
}

/* 2^61 is 1 modulo the prime, so powers of two are shifts by their exponent modulo 61. */
static uint64_t exact_modulo(const struct bi_exact *x)
{
    uint64_t sum = 0;
    for (int i = 0; i < x->n; i++) {
        int exponent;
        double fraction = frexp(fabs(x->part[i]), &exponent);
        uint64_t value =
            modulo_product((uint64_t)(fraction * 0x1p53) % PRIME, 1ull << (((exponent - 53) % 61 + 61) % 61));
        if (x->part[i] < 0 && value != 0) value = PRIME - value;
        sum = (sum + value) % PRIME;
    }
    return sum;
}

/* ---- merging ----
 *
 * Merges constraints with proportional forms. Modulo a prime, coefficients divided by the first nonzero one are the
 * same for all multiples: a hash of these finds candidates, and exact products confirm them. */

enum { EMPTY = -1 };

/* Returns the first nonzero coefficient; BI_PLAN_COEFFICIENTS: none. */
static int first_coefficient(const struct bi_exact *form)
{
    int k = 0;
    while (k < BI_PLAN_COEFFICIENTS && form[k].n == 0) k++;
    return k;
}

static uint64_t hash_form(const struct bi_exact *form, int first)
{
    uint64_t scale = exact_modulo(&form[first]), hash = (uint64_t)first + 1;
    scale = scale ? modulo_inverse(scale) : 1; /* a multiple of the prime: any scale will do */
    for (int k = first; k < BI_PLAN_COEFFICIENTS; k++) {
        hash = (hash ^ modulo_product(exact_modulo(&form[k]), scale)) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    return hash;
}

static void load_coefficient(const struct bi_plan_builder *m, int64_t constraint, int k, struct bi_exact *x)
{
    const int64_t *offsets = (const int64_t *)m->offsets.block.data + 10 * constraint + k;
    x->n = (int)(offsets[1] - offsets[0]);
    memcpy(x->part, (const double *)m->parts.block.data + offsets[0], (size_t)x->n * sizeof(double));
}

/* Returns 1 or -1 if the form is a positive or negative multiple of the constraint's, else 0. */
static int compare_forms(const struct bi_plan_builder *m, int64_t constraint, const struct bi_exact *form, int first)
{
    struct bi_exact lead = {0}, other = {0}, left;
    for (int k = 0; k <= first; k++) {
        load_coefficient(m, constraint, k, &lead);
        if ((lead.n > 0) != (k == first)) return 0;
    }
    for (int k = first + 1; k < BI_PLAN_COEFFICIENTS; k++) {
        load_coefficient(m, constraint, k, &other);
        left.n = 0;
        bi_exact_add_product(&left, &other, &form[first], 1);
        bi_exact_add_product(&left, &lead, &form[k], -1);
        if (left.n > 0) return 0;
    }
    return bi_exact_sign(&lead) == bi_exact_sign(&form[first]) ? 1 : -1;
}

/* Rounds a form and bounds its error. Products of components of a scaled quaternion are below 4; coefficients have an
 * error of a unit in the last place, products and ten sums of half a unit each: below 2^-46 of the sum in all. */
static void set_row(double *row, const struct bi_exact *form)
{
    double sum = 0;
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) {
        row[k] = bi_exact_round(&form[k]);
        sum += fabs(row[k]);
    }
    row[BI_PLAN_COEFFICIENTS] = 0x1p-46 * sum;
    row[BI_PLAN_COEFFICIENTS + 1] = 0;
}

/* Appends a form as a new constraint: its row, expansions, candidate and hash. */
static bosc_status append_form(struct bi_plan_builder *m, int64_t candidate, const struct bi_exact *form, uint64_t hash)
{
    int64_t total = 0;
    if (m->rows.count >= BI_PLAN_MAX_CONSTRAINTS)
        return bi_fail(m->ctx, BOSC_ERR_LIMIT, "scene: over %d constraints", BI_PLAN_MAX_CONSTRAINTS);
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) total += form[k].n;
    double *row = bi_plan_list_extend(m, &m->rows, 1);
    double *parts = bi_plan_list_extend(m, &m->parts, total);
    int64_t *offsets = bi_plan_list_extend(m, &m->offsets, BI_PLAN_COEFFICIENTS);
    int64_t *of = bi_plan_list_extend(m, &m->candidate_of, 1);
    uint64_t *stored_hash = bi_plan_list_extend(m, &m->hashes, 1);
    if (!row || !parts || !offsets || !of || !stored_hash) return BOSC_ERR_NOMEM;
    set_row(row, form);
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) {
        memcpy(parts, form[k].part, (size_t)form[k].n * sizeof *parts);
        parts += form[k].n;
        offsets[k] = offsets[k - 1] + form[k].n;
    }
    *of = candidate;
    *stored_hash = hash;
    m->longest = total > m->longest ? total : m->longest;
    return BOSC_OK;
}

bosc_status bi_plan_add_form(struct bi_plan_builder *m, int64_t candidate, const struct bi_exact *form)
{
    int first = first_coefficient(form);
    bi_plan_ref *ref = bi_plan_refs_of(m) + candidate;
    int32_t *slots = m->slots.data;
    if (first == BI_PLAN_COEFFICIENTS) {
        *ref = BI_PLAN_REF_ZERO;
        m->culled++;
        return BOSC_OK;
    }
    /* Probe linearly for a multiple; without one, the form becomes a constraint. */
    uint64_t hash = hash_form(form, first), at = hash & m->slot_mask;
    for (; slots[at] != EMPTY && !m->keep_duplicates; at = (at + 1) & m->slot_mask) {
        int32_t constraint = slots[at];
        if (((const uint64_t *)m->hashes.block.data)[constraint] != hash) continue;
        int same = compare_forms(m, constraint, form, first);
        if (same == 0) continue;
        *ref = 2 * constraint + (same < 0);
        m->merged++;
        return BOSC_OK;
    }
    slots[at] = (int32_t)m->rows.count;
    *ref = 2 * slots[at];
    return append_form(m, candidate, form, hash);
}
