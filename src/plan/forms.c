/* Exact coefficients of constraints. N . R(q) B = q'Mq with M = [[N . B, (B x N)'], [B x N, N B' + B N' - (N . B) I]].
 * Every function linear in R is a sum of such terms, <G, R> with G the sum of N B'. */
#include "plan/builder.h"

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
    if (!c) return;
    set_point(p, u);
    c->n = 0;
    for (int k = 0; k < 3; k++) bi_exact_add_product(c, &normal[k], &u[k], -1);
}

/* The terms follow the entries of R: R_00 = ww + xx - yy - zz, R_01 = 2 (xy - wz), and so on. */
void bi_plan_set_form(const struct bi_exact *g, const struct bi_exact *c, struct bi_exact *form)
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
    bi_plan_set_form(g, c, form);
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
    bi_plan_set_form(g, NULL, form);
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
