/* Constraints, signs and collisions against rotating the robot and testing the bodies. */
#include <math.h>

#include "cases/plan/plan_data.h"
#include "core/call.h"

enum { ROTATIONS = 2048 };

static void random_rotations(struct suite_random *r, int64_t n, double *q)
{
    for (int64_t i = 0; i < n; i++) {
        double scale = ldexp(1, (int)suite_below(r, 41) - 20);
        for (int c = 0; c < 4; c++) q[4 * i + c] = scale * (suite_unit(r) - 0.5);
    }
}

/* A quaternion of small integers; every eighth is a quarter or third of a turn, or the identity. */
static void integer_rotation(struct suite_random *r, int64_t q[4])
{
    int64_t most = suite_below(r, 4) ? 3 : 1, size = 0;
    do {
        size = 0;
        for (int c = 0; c < 4; c++) {
            q[c] = (int64_t)suite_below(r, (uint64_t)(2 * most + 1)) - most;
            size += q[c] * q[c];
        }
    } while (size == 0);
}

/* collides and labels of the rotations equal `expected`; -1: unknown. */
static void check_collisions(bosc_ctx *ctx, const bosc_plan *plan, const double *q, int64_t n, const int *expected,
                             bool generic)
{
    int64_t words = plan_info(ctx, plan).words;
    uint64_t *vectors = suite_alloc((size_t)(n * words) * sizeof *vectors);
    uint8_t *labels = suite_alloc((size_t)n), *collides = suite_alloc((size_t)n);
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q, n, 0, vectors));
    CHECK_OK(ctx, bosc_plan_labels(ctx, plan, vectors, n, 0, labels));
    CHECK_OK(ctx, bosc_plan_collides(ctx, plan, q, n, 4, collides));
    for (int64_t i = 0; i < n; i++) {
        if (expected[i] < 0) continue;
        if (collides[i] != expected[i])
            suite_fail(__FILE__, __LINE__, "rotation %lld (%.17g %.17g %.17g %.17g): %d, not %d", (long long)i,
                       q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3], collides[i], expected[i]);
        CHECK(!generic || labels[i] == expected[i]);
    }
    free(vectors);
    free(labels);
    free(collides);
}

/* Each configuration has its own scenes and rotations: 240,000 on the CPU, over a million in all. */
static void signs_match_geometry(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 40 : ROTATIONS;
    const bosc_ctx_opts opts = suite_opts_like(ctx);
    const uint64_t own = 1000 * ((uint64_t)opts.backend + 2 * (uint64_t)opts.cpu_level + 16 * (uint64_t)opts.threads);
    double *q = suite_alloc((size_t)n * 4 * sizeof *q);
    int *expected = suite_alloc((size_t)n * sizeof *expected);
    struct plan_scene s;
    int64_t colliding = 0, known = 0;
    for (int trial = 0; trial < 120; trial++) {
        struct suite_random r = {own + (uint64_t)trial};
        if (suite_leaves_out()) continue;
        /* Up to three triangles against up to four; every fifth scene has balls instead. */
        plan_random_triangles(&s, &r, 1 + trial % 3, 1 + trial % 4);
        if (trial % 5 == 4) {
            plan_begin(&s);
            for (int k = 0; k < 6; k++)
                plan_ball(&s, k & 1, suite_unit(&r) - 0.5, suite_unit(&r), suite_unit(&r), 0.3 * suite_unit(&r));
        }
        bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
        random_rotations(&r, n, q);
        /* The reference returns -1 where rounding leaves it open. */
        for (int64_t i = 0; i < n; i++) {
            expected[i] = reference_plan_near(&s.scene, q + 4 * i);
            colliding += expected[i] == 1;
            known += expected[i] >= 0;
        }
        check_collisions(ctx, plan, q, n, expected, true);
        bosc_plan_free(plan);
    }
    /* Collisions must be neither rare nor the rule. */
    CHECK(known < 10000 || (colliding * 20 > known && colliding * 20 < 19 * known));
    free(q);
    free(expected);
}

/* Checks collisions of a scene at the identity and at integer rotations of several lengths; returns their number.
 * in_plane: about z alone. */
static int check_turns(bosc_ctx *ctx, struct plan_scene *s, struct suite_random *r, int count, bool in_plane)
{
    double q[4 * 12];
    int expected[12], colliding = 0;
    bosc_plan *plan = plan_build(ctx, &s->scene, NULL);
    for (int i = 0; i < count; i++) {
        int64_t turn[4] = {1, 0, 0, 0};
        if (i > 0) integer_rotation(r, turn);
        if (i > 0 && in_plane) turn[1] = turn[2] = 0, turn[0] += turn[0] == 0 && turn[3] == 0;
        for (int c = 0; c < 4; c++) q[4 * i + c] = ldexp((double)turn[c], i - 4);
        expected[i] = reference_plan_collides(&s->scene, turn);
        colliding += expected[i];
    }
    check_collisions(ctx, plan, q, count, expected, false);
    bosc_plan_free(plan);
    return colliding;
}

/* Coordinates on a small grid: corners on edges, edges in planes, triangles without area. */
static void degenerate_triangles(bosc_ctx *ctx)
{
    int colliding = 0, all = 0;
    struct plan_scene s;
    for (int trial = 0; trial < (suite_slow(ctx) ? 60 : 600); trial++) {
        struct suite_random r = {1000 + (uint64_t)trial};
        if (suite_leaves_out()) continue;
        plan_begin(&s);
        int64_t most = 1 + trial % 3, flat = trial % 4;
        for (int t = 0; t < 2 + 2 * (trial % 3 == 0); t++) {
            double corners[9];
            for (int k = 0; k < 9; k++) corners[k] = (double)suite_below(&r, (uint64_t)(2 * most + 1)) - (double)most;
            if (flat == 1)
                for (int k = 2; k < 9; k += 3) corners[k] = (double)(trial % 2);
            if (flat == 2)
                for (int c = 0; c < 3; c++) corners[6 + c] = 2 * corners[3 + c] - corners[c];
            if (flat == 3 && trial % 5 == 0)
                for (int k = 3; k < 9; k++) corners[k] = corners[k % 3];
            plan_triangle(&s, t & 1, corners);
        }
        colliding += check_turns(ctx, &s, &r, 12, flat == 1 && trial % 2 == 0);
        all += 12;
    }
    CHECK(all < 200 || (colliding * 10 > all && colliding * 10 < 9 * all));
}

static void polytopes_match_geometry(bosc_ctx *ctx)
{
    int colliding = 0, all = 0;
    struct plan_scene s;
    for (int trial = 0; trial < (suite_slow(ctx) ? 16 : 48); trial++) {
        struct suite_random r = {5000 + (uint64_t)trial};
        if (suite_leaves_out()) continue;
        plan_begin(&s);
        /* A box or a tetrahedron on each side, sometimes with a triangle. */
        for (int side = 0; side < 2; side++) {
            double low[3], high[3], corners[12];
            for (int c = 0; c < 3; c++) {
                low[c] = (double)suite_below(&r, 7) - 3;
                high[c] = low[c] + 1 + (double)suite_below(&r, 3);
            }
            for (int k = 0; k < 12; k++) corners[k] = low[k % 3] + (k / 3 == 1 + k % 3 ? 2 : 0);
            if ((trial >> side) % 3 == 0)
                plan_tetrahedron(&s, side, corners);
            else
                plan_box(&s, side, low, high);
            if (trial % 4 == 3) {
                for (int k = 0; k < 9; k++) corners[k] = (double)suite_below(&r, 7) - 3;
                plan_triangle(&s, side, corners);
            }
        }
        colliding += check_turns(ctx, &s, &r, 6, false);
        all += 6;
    }
    /* Collisions must be neither rare nor the rule. */
    CHECK(all < 200 || (colliding * 10 > all && colliding * 10 < 9 * all));
}

/* Collisions without a pierced edge: a triangle inside a larger one of its plane, a box in a room that it can leave. */
static void collisions_without_pierced_edges(bosc_ctx *ctx)
{
    enum { TURNS = 6 };
    static const int64_t turns[TURNS][4] = {{1, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 1},
                                            {1, 1, 0, 0}, {3, 0, 0, 1}, {1, 0, 1, 0}};
    const double large[9] = {8, 8, 1, -16, 8, 1, 8, -16, 1}, small[9] = {2, 1, 1, 1, 2, 1, 1, 1, 1};
    const double room[2][3] = {{-1, -8, -8}, {8, 8, 8}}, box[2][3] = {{3, -1, -1}, {5, 1, 1}};
    double q[4 * TURNS];
    int expected[TURNS], colliding[2] = {0, 0};
    struct plan_scene s;
    for (int k = 0; k < 4 * TURNS; k++) q[k] = (double)turns[k / 4][k % 4];
    for (int trial = 0; trial < 4; trial++) {
        const int side = trial & 1; /* of the outer body */
        plan_begin(&s);
        if (trial < 2) {
            plan_triangle(&s, side, large);
            plan_triangle(&s, !side, small);
        } else {
            plan_box(&s, side, room[0], room[1]);
            plan_box(&s, !side, box[0], box[1]);
        }
        bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
        for (int i = 0; i < TURNS; i++) {
            expected[i] = reference_plan_collides(&s.scene, turns[i]);
            colliding[expected[i]]++;
        }
        check_collisions(ctx, plan, q, TURNS, expected, false);
        bosc_plan_free(plan);
    }
    CHECK(colliding[0] > 2 && colliding[1] > 8);
}

/* Integer balls at integer rotations: balls that only touch collide. */
static void touching_balls_collide(bosc_ctx *ctx)
{
    enum { EACH = 16 };
    double q[4 * EACH];
    int expected[EACH];
    struct plan_scene s;
    for (int trial = 0; trial < (suite_slow(ctx) ? 30 : 200); trial++) {
        struct suite_random r = {9000 + (uint64_t)trial};
        plan_begin(&s);
        for (int k = 0; k < 2 + trial % 4; k++)
            plan_ball(&s, k & 1, (double)suite_below(&r, 7) - 3, (double)suite_below(&r, 7) - 3,
                      (double)suite_below(&r, 7) - 3, (double)suite_below(&r, 2));
        bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
        bosc_plan_info info = plan_info(ctx, plan);
        CHECK_EQ(info.candidates, s.scene.robot.ball_count * s.scene.obstacle.ball_count);
        CHECK_EQ(info.constraints + info.culled + info.merged, info.candidates);
        for (int64_t k = 0, culled = 0; k < info.candidates; k++) { /* the published rule */
            const double *a = s.balls[0] + 4 * (k / s.scene.obstacle.ball_count);
            const double *b = s.balls[1] + 4 * (k % s.scene.obstacle.ball_count);
            double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2], bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
            double x = aa + bb - (a[3] + b[3]) * (a[3] + b[3]);
            culled += x * x > 4 * aa * bb || (aa * bb == 0 && x == 0);
            if (k + 1 == info.candidates) CHECK_EQ(info.culled, culled);
        }
        for (int i = 0; i < EACH; i++) {
            int64_t turn[4];
            integer_rotation(&r, turn);
            for (int c = 0; c < 4; c++) q[4 * i + c] = (double)turn[c];
            expected[i] = reference_plan_collides(&s.scene, turn);
        }
        check_collisions(ctx, plan, q, EACH, expected, false);
        bosc_plan_free(plan);
    }
}

/* ---- formulas ---- */

static double orient(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* The value of a candidate, from its features. */
static double direct_value(const struct plan_scene *s, const int64_t *edges[2], int kind, int64_t robot,
                           int64_t obstacle, const double *q)
{
    const double *o[3], *p = s->vertices[0];
    double r[3][3];
    if (kind == BOSC_PLAN_VERTEX_FACET) {
        reference_rotate(q, p + 3 * robot, r[0]);
        for (int k = 0; k < 3; k++) o[k] = s->vertices[1] + 3 * s->triangles[1][3 * obstacle + k];
        return orient(o[0], o[1], o[2], r[0]);
    }
    if (kind == BOSC_PLAN_FACET_VERTEX) {
        for (int k = 0; k < 3; k++) reference_rotate(q, p + 3 * s->triangles[0][3 * robot + k], r[k]);
        return orient(r[0], r[1], r[2], s->vertices[1] + 3 * obstacle);
    }
    for (int k = 0; k < 2; k++) {
        reference_rotate(q, p + 3 * edges[0][2 * robot + k], r[k]);
        o[k] = s->vertices[1] + 3 * edges[1][2 * obstacle + k];
    }
    return -orient(o[0], o[1], r[0], r[1]);
}

static double form_value(const double *form, const double *q)
{
    double sum = 0;
    for (int i = 0, k = 0; i < 4; i++)
        for (int j = i; j < 4; j++) sum += form[k++] * q[i] * q[j];
    return sum;
}

/* The sign of each candidate, by the bit of its constraint or by its constant, equals that of its features. */
static void check_candidates(bosc_ctx *ctx, const struct plan_scene *s, const bosc_plan *plan, struct suite_random *r)
{
    enum { EACH = 24 };
    bosc_plan_info info = plan_info(ctx, plan);
    double q[4 * EACH], *forms = suite_alloc((size_t)info.constraints * 10 * sizeof *forms);
    int64_t *robot = suite_alloc((size_t)info.candidates * 8), *obstacle = suite_alloc((size_t)info.candidates * 8);
    int64_t *of = suite_alloc((size_t)info.candidates * 8), *ends[2];
    int8_t *signs = suite_alloc((size_t)info.candidates);
    uint8_t *kinds = suite_alloc((size_t)info.candidates);
    uint64_t *vectors = suite_alloc((size_t)(EACH * info.words) * sizeof *vectors);
    ends[0] = suite_alloc((size_t)info.robot_edges * 16);
    ends[1] = suite_alloc((size_t)info.obstacle_edges * 16);
    /* 1. Candidates, constraints, edges, and signs at random rotations. */
    CHECK_OK(ctx, bosc_plan_get_candidates(ctx, plan, kinds, robot, obstacle, of, signs));
    CHECK_OK(ctx, bosc_plan_get_constraints(ctx, plan, forms, NULL, NULL, NULL));
    CHECK_OK(ctx, bosc_plan_get_edges(ctx, plan, ends[0], ends[1]));
    random_rotations(r, EACH, q);
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q, EACH, 0, vectors));
    /* 2. Compare, unless the value is near 0 or no collision depends on the candidate (2). */
    for (int64_t k = 0; k < info.candidates; k++)
        for (int64_t i = 0; i < EACH; i++) {
            const int64_t *edges[2] = {ends[0], ends[1]};
            double size = q[4 * i] * q[4 * i] + q[4 * i + 1] * q[4 * i + 1] + q[4 * i + 2] * q[4 * i + 2] +
                          q[4 * i + 3] * q[4 * i + 3];
            double value = direct_value(s, edges, kinds[k], robot[k], obstacle[k], q + 4 * i);
            if (fabs(value) < 1e-9 || signs[k] == 2) continue;
            int sign = signs[k];
            if (of[k] >= 0) sign *= plan_bit(vectors, info.words, i, of[k]) ? 1 : -1;
            if (sign != (value > 0 ? 1 : -1))
                suite_fail(__FILE__, __LINE__, "candidate %lld of kind %d: %d, but %g", (long long)k, kinds[k], sign,
                           value);
            /* Without merging the form itself equals the value. */
            if (of[k] >= 0 && of[k] < k && signs[k] == 1 && info.merged == 0) {
                double form = form_value(forms + 10 * of[k], q + 4 * i) / size;
                CHECK(fabs(form - value) < 1e-9 * (1 + fabs(value)));
            }
        }
    free(forms);
    free(robot);
    free(obstacle);
    free(of);
    free(signs);
    free(kinds);
    free(vectors);
    free(ends[0]);
    free(ends[1]);
}

static void candidates_match_features(bosc_ctx *ctx)
{
    struct plan_scene s;
    for (int trial = 0; trial < (suite_slow(ctx) ? 6 : 30); trial++) {
        struct suite_random r = {300 + (uint64_t)trial};
        plan_random_triangles(&s, &r, 1 + trial % 3, 2);
        bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
        check_candidates(ctx, &s, plan, &r);
        bosc_plan_free(plan);
    }
}

/* Equal, opposite and proportional constraints are merged; candidates out of reach have none. */
static void merging(bosc_ctx *ctx)
{
    /* a square of two triangles, each corner twice; a triangle, and the same at twice the size */
    const double square[2][9] = {{1, 1, 1, 1, -1, 1, 1, 1, -1}, {1, -1, 1, 1, -1, -1, 1, 1, -1}};
    const double triangle[9] = {0, 1, 0.5, 1, 1.5, 0.25, -1, 1, 0}, far[9] = {9, 9, 9, 9, 8, 9, 9, 9, 8};
    bosc_plan_opts keep = {.size = sizeof keep, .keep_duplicates = 1};
    struct plan_scene s;
    plan_begin(&s);
    for (int t = 0; t < 2; t++) plan_triangle(&s, 0, square[t]);
    plan_triangle(&s, 1, triangle);
    bosc_plan *plan = plan_build(ctx, &s.scene, NULL), *kept = plan_build(ctx, &s.scene, &keep);
    bosc_plan_info info = plan_info(ctx, plan), all = plan_info(ctx, kept);
    CHECK_EQ(info.robot_edges, 5); /* the diagonal is one edge */
    CHECK_EQ(info.candidates, 4 + 2 * 3 + 5 * 3);
    CHECK(info.merged >= 3); /* both facets have one plane */
    CHECK_EQ(all.merged, 0);
    CHECK_EQ(all.constraints, info.constraints + info.merged);
    CHECK_EQ(info.constraints + info.merged + info.culled, info.candidates);
    CHECK_EQ(info.half_spaces + info.screws, info.constraints);
    plan_triangle(&s, 1, far);
    CHECK_OK(ctx, bosc_plan_build(ctx, kept, &s.scene));
    CHECK_EQ(plan_info(ctx, kept).constraints, all.constraints);
    CHECK(plan_info(ctx, kept).candidates > all.candidates);
    bosc_plan_free(plan);
    bosc_plan_free(kept);
}

/* Forms supplied by the caller: one of constant sign, and multiples. */
static void given_forms(bosc_ctx *ctx)
{
    const double forms[5][10] = {{1, 0, 0, 0, -1, 0, 0, -1, 0, -1},
                                 {-3, 0, 0, 0, 3, 0, 0, 3, 0, 3},
                                 {-1, 0, 0, 0, -1, 0, 0, -1, 0, -2},
                                 {0, 2, 0, 0, 0, 0, 0, 0, 0, 0},
                                 {0x1p-90, 0, 0, 0, -0x1p-90, 0, 0, -0x1p-90, 0, -0x1p-90}};
    const double q[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0x1p-40, -0x1p-40, 0, 0}};
    bosc_plan_scene scene = {.size = sizeof scene, .forms = forms[0], .form_count = 5};
    int64_t of[5];
    int8_t signs[5];
    uint64_t vectors[3];
    uint8_t collides[3];
    bosc_plan *plan = plan_build(ctx, &scene, NULL);
    bosc_plan_info info = plan_info(ctx, plan);
    CHECK(info.constraints == 2 && info.merged == 2 && info.culled == 1 && info.forms == 2 && !info.always);
    CHECK_OK(ctx, bosc_plan_get_candidates(ctx, plan, NULL, NULL, NULL, of, signs));
    CHECK(of[0] == 0 && of[1] == 0 && of[2] == -1 && of[3] == 1 && of[4] == 0);
    CHECK(signs[0] == 1 && signs[1] == -1 && signs[2] == -1 && signs[3] == 1 && signs[4] == 1);
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q[0], 3, 0, vectors));
    CHECK(vectors[0] == 3 && vectors[1] == 2 && vectors[2] == 1); /* zeros are bits */
    CHECK_OK(ctx, bosc_plan_collides(ctx, plan, q[0], 3, 0, collides));
    CHECK(collides[0] == 1 && collides[1] == 1 && collides[2] == 1);
    bosc_plan_free(plan);
    scene.form_count = 0;
    plan = plan_build(ctx, &scene, NULL); /* no form at all */
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q[0], 3, 0, NULL));
    CHECK_OK(ctx, bosc_plan_collides(ctx, plan, q[0], 3, 0, collides));
    CHECK(collides[0] == 0 && collides[1] == 0 && collides[2] == 0);
    bosc_plan_free(plan);
}

/* Rotations at which forms are 0 exactly, in some rows of every block of threads: the bits are those of one thread. */
static void exact_zeros(bosc_ctx *ctx)
{
    const bosc_ctx_opts opts = {.size = sizeof opts, .threads = 1, .cpu_level = BOSC_CPU_V1};
    const int64_t n = 1100;
    bosc_ctx *one = suite_open(&opts);
    double *q = suite_alloc((size_t)n * 32);
    for (int trial = 0; trial < 12; trial++) {
        struct suite_random r = {(uint64_t)trial};
        struct plan_scene s;
        if (suite_leaves_out()) continue;
        plan_begin(&s);
        for (int side = 0; side < 2; side++) {
            double corners[9];
            for (int k = 0; k < 9; k++) corners[k] = (double)suite_below(&r, 9) - 4;
            plan_triangle(&s, side, corners);
        }
        /* 1. Blocks of 256 rotations: any ones, and exact ones, in turn. */
        random_rotations(&r, n, q);
        for (int64_t i = 0; i < n; i++) {
            int64_t turn[4];
            integer_rotation(&r, turn);
            if ((i / 256 + trial) % 2)
                for (int c = 0; c < 4; c++) q[4 * i + c] = (double)turn[c];
        }
        /* 2. The bits are those of one thread. */
        bosc_plan *plan = plan_build(ctx, &s.scene, NULL), *other = plan_build(one, &s.scene, NULL);
        const size_t bytes = (size_t)(n * plan_info(ctx, plan).words) * 8;
        uint64_t *vectors = suite_alloc(bytes), *want = suite_alloc(bytes);
        CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q, n, 0, vectors));
        CHECK_OK(one, bosc_plan_signs(one, other, q, n, 0, want));
        CHECK(memcmp(vectors, want, bytes) == 0);
        free(vectors);
        free(want);
        bosc_plan_free(plan);
        bosc_plan_free(other);
    }
    free(q);
    bosc_ctx_free(one);
}

static int accept_progress(void *user, const char *stage, double fraction)
{
    (void)user, (void)stage, (void)fraction;
    return 0;
}

/* All pairs of a vertex or an edge with a facet count as work of a build, also where none can touch. Every three of
 * the vertices are a triangle, so that the pairs of edges are the most. */
static void counts_pairs(bosc_ctx *ctx)
{
    enum { VERTICES = 6, TRIANGLES = 20, EDGES = 15 };
    for (int near = 0; near < 2; near++) {
        struct suite_random r = {4};
        bosc_plan *plan = NULL;
        double x[2][3 * VERTICES];
        int64_t triangles[3 * TRIANGLES], at = 0;
        /* 1. All triangles of the vertices of either body. */
        for (int64_t a = 0; a < VERTICES; a++)
            for (int64_t b = a + 1; b < VERTICES; b++)
                for (int64_t c = b + 1; c < VERTICES; c++) {
                    triangles[at++] = a;
                    triangles[at++] = b;
                    triangles[at++] = c;
                }
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3 * VERTICES; k++) x[side][k] = suite_unit(&r) + (side && !near ? 9 : 0);
        bosc_plan_scene scene = {.size = sizeof scene};
        scene.robot = (bosc_plan_bodies){
            .vertices = x[0], .vertex_count = VERTICES, .triangles = triangles, .triangle_count = TRIANGLES};
        scene.obstacle = scene.robot;
        scene.obstacle.vertices = x[1];
        /* 2. A build that reports progress. */
        CHECK_OK(ctx, bosc_plan_create(ctx, NULL, &plan));
        ctx->progress.function = accept_progress;
        CHECK_OK(ctx, bosc_plan_build(ctx, plan, &scene));
        ctx->progress.function = NULL;
        CHECK(ctx->progress.done >= 2 * TRIANGLES * (VERTICES + EDGES));
        bosc_plan_free(plan);
    }
}

static const struct suite_case suite_cases_plan[] = {
    {"exact zeros", exact_zeros, NULL},
    {"counts pairs", counts_pairs, NULL},
    {"against geometry", signs_match_geometry, NULL},
    {"degenerate triangles", degenerate_triangles, NULL},
    {"polytopes", polytopes_match_geometry, NULL},
    {"inside", collisions_without_pierced_edges, NULL},
    {"balls", touching_balls_collide, NULL},
    {"formulas", candidates_match_features, NULL},
    {"merging", merging, NULL},
    {"given forms", given_forms, NULL},
};
SUITE(plan);
