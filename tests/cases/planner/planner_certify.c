/* Certificates of steps against fine sampling. */
#include "cases/planner/planner_data.h"

#include "planner/steps/arc.h"

enum { STEPS = 40, SAMPLES = 200 };

/* Steps of all lengths. */
static void make_steps(struct suite_random *r, double *q)
{
    scene_rotation(r, q);
    for (int i = 1; i <= STEPS; i++) {
        double other[4], share = pow(suite_unit(r), 3);
        scene_rotation(r, other);
        reference_planner_slerp(q + 4 * (i - 1), other, share, q + 4 * i);
    }
}

/* No certified step has a collision; few steps without one lack a certificate. */
static void certificates_match_samples(bosc_ctx *ctx)
{
    int64_t certified_count = 0, missed = 0, all = 0;
    for (int trial = 0; trial < 6 * SCENE_KINDS; trial++) {
        struct suite_random r = {(uint64_t)trial + 5};
        struct planner_scene s;
        double q[4 * (STEPS + 1)], where[STEPS];
        uint8_t certified[STEPS];
        bosc_planner *planner = NULL;
        bosc_planner_opts o = {.size = sizeof o, .max_rows = 128, .batch = 128};
        scene_random(&s, &r, trial % SCENE_KINDS);
        make_steps(&r, q);
        if (suite_leaves_out()) continue;
        CHECK_OK(ctx, bosc_planner_create(ctx, &o, &planner));
        CHECK_OK(ctx, bosc_planner_build(ctx, planner, &s.scene));
        CHECK_OK(ctx, bosc_planner_certify(ctx, planner, q, STEPS + 1, certified, where));
        /* A step without a certificate names the fraction of the step where it fails. */
        for (int i = 0; i < STEPS; i++) {
            int64_t hit = reference_planner_sample(&s.scene, q + 4 * i, q + 4 * (i + 1), SAMPLES);
            CHECK(certified[i] <= 1 && (certified[i] ? where[i] == -1 : where[i] > 0 && where[i] < 1));
            CHECK(!certified[i] || hit < 0);
            certified_count += certified[i];
            missed += !certified[i] && hit < 0;
            all++;
        }
        bosc_planner_free(planner);
    }
    /* Too few trials were run to judge the rates. */
    if (all < 400) return;
    CHECK(certified_count > all / 4);
    CHECK(missed < all / 40);
}

static double form_at(const double *c, double s)
{
    return (1 - s) * (1 - s) * c[0] + 2 * s * (1 - s) * c[1] + s * s * c[2];
}

/* A form is positive if all its samples exceed the error, and only then. */
static void forms(void)
{
    struct suite_random r = {11};
    int64_t called = 0, below_inside = 0;
    for (int trial = 0; trial < 20000; trial++) {
        const double error = trial % 4 ? 0x1p-30 : 0.125;
        double c[3], least = INFINITY;
        for (int i = 0; i < 3; i++) c[i] = 2 * suite_unit(&r) - (i == 1 ? 1.5 : 0.25);
        for (int i = 0; i <= SAMPLES; i++) least = fmin(least, form_at(c, (double)i / SAMPLES));
        const bool positive = bi_planner_positive(c, error);
        /* subtracting the error from each coefficient subtracts it from the form */
        CHECK(!positive || least > error);
        CHECK(positive || least < error + 0x1p-12);
        called += positive;
        below_inside += least < 0 && c[0] > 0 && c[2] > 0;
    }
    CHECK(called > 1000 && below_inside > 1000);
    const double grazing[3] = {1, -1, 1}, tiny[3] = {0x1p-600, -0x1p-601, 0x1p-600};
    CHECK(!bi_planner_positive(grazing, 0));
    CHECK(!bi_planner_positive(tiny, 0)); /* its discriminant underflows and cannot decide */
}

static const struct suite_case suite_cases_planner_certify[] = {
    {"forms between their ends", NULL, forms},
    {"against fine samples", certificates_match_samples, NULL},
};
SUITE(planner_certify);
