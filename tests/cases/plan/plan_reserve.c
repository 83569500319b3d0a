/* Motion planning takes at most the reported memory, and none after a reserve, for every scene of that size. */
#include "cases/plan/plan_data.h"
#include "cases/planner/planner_data.h"
#include "support/counted.h"

enum { TURNS = 400, MANY = 100000 };

/* Scenes of one size: of balls, of triangles, of solids, and of forms alone. */
static void make_scene(struct plan_scene *s, struct suite_random *r, int kind, double scale, double *forms)
{
    plan_begin(s);
    if (kind == 1) plan_random_triangles(s, r, 2, 3);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 5 && kind == 0; k++)
            plan_ball(s, side, suite_unit(r) * scale, suite_unit(r) * scale, suite_unit(r), 0.3 * scale);
        if (kind == 2) {
            double corners[12];
            for (int c = 0; c < 12; c++) corners[c] = scale * (2 * suite_unit(r) - 1);
            plan_tetrahedron(s, side, corners);
        }
    }
    for (int k = 0; k < 20; k++) forms[k] = suite_unit(r) - 0.5;
    s->scene.forms = forms;
    s->scene.form_count = kind == 3 ? 2 : 0;
}

static void turn_randomly(struct suite_random *r, int64_t n, double *q)
{
    for (int64_t k = 0; k < 4 * n; k++) q[k] = suite_unit(r) - 0.5;
}

/* Every call with rotations that a reserve covers. */
static void call_plan(bosc_ctx *ctx, const bosc_plan *plan, const double *q, int64_t n)
{
    const bosc_plan_sample_opts uniform = {.size = sizeof uniform, .sampling = BOSC_PLAN_UNIFORM};
    int64_t words = plan_info(ctx, plan).words, rows;
    uint64_t *vectors = suite_alloc((size_t)(n * words + 1) * 8), *kept = suite_alloc((size_t)(n * words + 1) * 8);
    uint8_t *labels = suite_alloc((size_t)n);
    double *samples = suite_alloc((size_t)n * 32);
    int64_t *next = suite_alloc((size_t)n * 8);
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q, n, 0, vectors));
    CHECK_OK(ctx, bosc_plan_labels(ctx, plan, vectors, n, 0, labels));
    CHECK_OK(ctx, bosc_plan_collides(ctx, plan, q, n, 0, labels));
    CHECK_OK(ctx, bosc_plan_arcs(ctx, plan, q, q + 4, n - 1, vectors, kept));
    CHECK_OK(ctx, bosc_plan_sample(ctx, plan, NULL, n, samples, NULL, next, &rows, NULL));
    CHECK_OK(ctx, bosc_plan_sample(ctx, plan, NULL, n, samples, vectors, NULL, &rows, NULL));
    CHECK_OK(ctx, bosc_plan_sample(ctx, plan, &uniform, n, samples, vectors, next, &rows, NULL));
    free(vectors);
    free(kept);
    free(samples);
    free(next);
    free(labels);
}

static void plans_after_reserve(bosc_ctx *like)
{
    struct plan_scene *s = suite_alloc(2 * sizeof *s);
    double forms[2][20], q[4 * TURNS];
    for (int trial = 0; trial < 24; trial++) {
        struct suite_random r = {(uint64_t)trial + 1};
        struct counted c;
        bosc_plan *plan = NULL;
        int64_t kept, scratch, most = trial / 4 % 2 ? 200 : 0;
        /* 0: allocate the reported scratch first; 1: reserve; 2: reserve with a scene in the handle. */
        const int mode = trial / 8;
        if (suite_leaves_out()) continue;
        counted_open(&c, like, 0);
        make_scene(&s[0], &r, trial % 4, 1, forms[0]);
        make_scene(&s[1], &r, trial % 4, 1 + 1e-9, forms[1]);
        turn_randomly(&r, TURNS, q);
        CHECK_OK(c.ctx, bosc_plan_create(c.ctx, NULL, &plan));
        CHECK_OK(c.ctx, bosc_plan_bytes(c.ctx, NULL, &s[0].scene, most, TURNS, &kept, &scratch));
        if (mode == 2) { /* a reserve keeps the scene */
            CHECK_OK(c.ctx, bosc_plan_build(c.ctx, plan, &s[1].scene));
            call_plan(c.ctx, plan, q, TURNS);
        }
        if (mode == 0)
            counted_take_scratch(c.ctx, scratch);
        else
            CHECK_OK(c.ctx, bosc_plan_reserve(c.ctx, plan, &s[0].scene, most, TURNS));
        int64_t before = c.allocations, held = counted_scratch(c.ctx);
        if (mode == 2) call_plan(c.ctx, plan, q, TURNS);
        for (int k = 0; k < 2; k++) {
            CHECK_OK(c.ctx, bosc_plan_build(c.ctx, plan, &s[k].scene));
            CHECK(plan_info(c.ctx, plan).constraints > 0);
            call_plan(c.ctx, plan, q, TURNS);
        }
        CHECK_EQ(counted_scratch(c.ctx), held);
        if (mode) CHECK_EQ(c.allocations, before);
        CHECK(mode ? plan_info(c.ctx, plan).bytes == kept : plan_info(c.ctx, plan).bytes <= kept);
        bosc_plan_free(plan);
        counted_close(&c);
    }
    free(s);
}

/* Rotations take most of the scratch. */
static void many_rotations(bosc_ctx *like)
{
    const int64_t n = suite_slow(like) ? MANY / 10 : MANY;
    struct plan_scene *s = suite_alloc(sizeof *s);
    struct suite_random r = {9};
    double forms[20], *q = suite_alloc((size_t)n * 32);
    turn_randomly(&r, n, q);
    for (int kind = 0; kind < 4; kind += 3) {
        struct counted c;
        int64_t scratch, held;
        counted_open(&c, like, 0);
        make_scene(s, &r, kind, 1, forms);
        CHECK_OK(c.ctx, bosc_plan_bytes(c.ctx, NULL, &s->scene, 0, n, NULL, &scratch));
        held = counted_take_scratch(c.ctx, scratch);
        bosc_plan *plan = plan_build(c.ctx, &s->scene, NULL);
        call_plan(c.ctx, plan, q, n);
        CHECK_EQ(counted_scratch(c.ctx), held);
        bosc_plan_free(plan);
        counted_close(&c);
    }
    free(q);
    free(s);
}

/* After a reserve the handle gives the same results from its new blocks. */
static void results_survive_reserve(bosc_ctx *ctx)
{
    struct plan_scene *s = suite_alloc(2 * sizeof *s);
    struct suite_random r = {7};
    double forms[20], q[4 * TURNS];
    turn_randomly(&r, TURNS, q);
    /* Balls, triangles, solids, forms. */
    for (int kind = 0; kind < 4; kind++) {
        uint64_t vectors[2][16 * TURNS];
        uint8_t labels[2][TURNS], kinds[2][1024];
        double copies[2][10240];
        int64_t features[2][2][1024];
        make_scene(&s[0], &r, kind, 1, forms);
        plan_random_triangles(&s[1], &r, 5, 5);
        bosc_plan *plan = plan_build(ctx, &s[0].scene, NULL);
        CHECK(plan_info(ctx, plan).constraints <= 1024);
        /* The same calls before and after a reserve for a larger scene. */
        for (int k = 0; k < 2; k++) {
            CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q, TURNS, 0, vectors[k]));
            CHECK_OK(ctx, bosc_plan_collides(ctx, plan, q, TURNS, 0, labels[k]));
            CHECK_OK(ctx, bosc_plan_get_constraints(ctx, plan, copies[k], kinds[k], features[k][0], features[k][1]));
            if (k == 0) CHECK_OK(ctx, bosc_plan_reserve(ctx, plan, &s[1].scene, 0, 10));
        }
        /* Every result is unchanged. */
        size_t n = (size_t)plan_info(ctx, plan).constraints;
        CHECK(memcmp(vectors[0], vectors[1], (size_t)plan_info(ctx, plan).words * TURNS * 8) == 0);
        CHECK(memcmp(labels[0], labels[1], TURNS) == 0);
        CHECK(memcmp(copies[0], copies[1], n * 80) == 0 && memcmp(kinds[0], kinds[1], n) == 0);
        for (int side = 0; side < 2; side++) CHECK(memcmp(features[0][side], features[1][side], n * 8) == 0);
        bosc_plan_free(plan);
    }
    free(s);
}

static void roadmaps_after_reserve(bosc_ctx *like)
{
    struct plan_scene *s = suite_alloc(2 * sizeof *s);
    double forms[20], q[4 * TURNS];
    for (int trial = 0; trial < 8; trial++) {
        struct suite_random r = {(uint64_t)trial + 1};
        struct counted c;
        const bosc_roadmap_explore_opts o = {
            .size = sizeof o, .batch = 100 + 150 * (trial / 4), .max_rows = 800, .new_rate = -1};
        bosc_roadmap_info info = {.size = sizeof info};
        bosc_roadmap *roadmap = NULL;
        bosc_plan *plans[2] = {NULL, NULL};
        int64_t kept_bytes, scratch, most = 1;
        if (suite_leaves_out()) continue;
        counted_open(&c, like, 0);
        turn_randomly(&r, TURNS, q);
        for (int k = 0; k < 2; k++) {
            make_scene(&s[k], &r, (trial + k) % 3, 1, forms);
            plans[k] = plan_build(c.ctx, &s[k].scene, NULL);
            if (plan_info(c.ctx, plans[k]).constraints > most) most = plan_info(c.ctx, plans[k]).constraints;
        }
        CHECK_OK(c.ctx, bosc_roadmap_create(c.ctx, plans[0], &roadmap));
        CHECK_OK(c.ctx, bosc_roadmap_bytes(c.ctx, most, 800 + TURNS, 0, &kept_bytes, &scratch));
        if (trial % 2)
            counted_take_scratch(c.ctx, scratch);
        else
            CHECK_OK(c.ctx, bosc_roadmap_reserve(c.ctx, roadmap, most, 800 + TURNS, 0));
        int64_t before = c.allocations, held = counted_scratch(c.ctx);
        for (int k = 0; k < 4; k++) {
            CHECK_OK(c.ctx, bosc_roadmap_reset(c.ctx, roadmap, plans[k % 2]));
            CHECK_OK(c.ctx, bosc_roadmap_explore(c.ctx, roadmap, plans[k % 2], &o));
            CHECK_OK(c.ctx, bosc_roadmap_add(c.ctx, roadmap, plans[k % 2], q, TURNS, 0));
            CHECK_OK(c.ctx, bosc_roadmap_get_info(c.ctx, roadmap, &info));
            CHECK(info.rows > 400 + TURNS && info.batches > 1);
            if (k == 1 && trial % 2) before = c.allocations; /* by now each scene was built once */
        }
        CHECK_EQ(counted_scratch(c.ctx), held);
        CHECK_EQ(c.allocations, before);
        CHECK(trial % 2 ? info.bytes <= kept_bytes : info.bytes == kept_bytes);
        for (int k = 0; k < 2; k++) bosc_plan_free(plans[k]);
        bosc_roadmap_free(roadmap);
        counted_close(&c);
    }
    free(s);
}

static void use_planner(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene, const double *q)
{
    int64_t cells[TURNS];
    uint8_t certified[TURNS];
    double where[TURNS];
    bosc_planner_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_planner_build(ctx, planner, scene));
    CHECK_OK(ctx, bosc_planner_add(ctx, planner, q, TURNS));
    CHECK_OK(ctx, bosc_planner_locate(ctx, planner, q, TURNS, cells));
    CHECK_OK(ctx, bosc_planner_certify(ctx, planner, q, TURNS, certified, where));
    CHECK_OK(ctx, bosc_planner_get_info(ctx, planner, &info));
    double *rotations = suite_alloc((size_t)info.cells * 32);
    uint8_t *mask = suite_alloc((size_t)info.cells);
    int64_t *labels = suite_alloc((size_t)info.cells * 8);
    CHECK_OK(ctx, bosc_planner_get_cells(ctx, planner, rotations, mask, labels));
    CHECK(info.rows == 0 || info.rows > 300 + TURNS);
    free(rotations);
    free(mask);
    free(labels);
}

static void planners_after_reserve(bosc_ctx *like)
{
    struct plan_scene *s = suite_alloc(3 * sizeof *s);
    double forms[3][20], q[4 * TURNS];
    for (int trial = 0; trial < 12; trial++) {
        struct suite_random r = {(uint64_t)trial + 1};
        struct counted c;
        const bosc_planner_opts o = {
            .size = sizeof o, .max_rows = 700, .batch = 200, .new_rate = -1, .lazy = trial / 4 == 1};
        bosc_planner_info info = {.size = sizeof info};
        bosc_planner *planner = NULL;
        int64_t kept_bytes, scratch;
        if (suite_leaves_out()) continue;
        counted_open(&c, like, 0);
        turn_randomly(&r, TURNS, q);
        for (int k = 0; k < 3; k++)
            make_scene(&s[k], &r, trial % 4, k == 2 ? 0.01 : 1, forms[k]); /* one is out of reach */
        CHECK_OK(c.ctx, bosc_planner_create(c.ctx, &o, &planner));
        CHECK_OK(c.ctx, bosc_planner_bytes(c.ctx, &o, &s[0].scene, 300, 700 + TURNS, 0, &kept_bytes, &scratch));
        if (trial / 4 == 2)
            counted_take_scratch(c.ctx, scratch);
        else
            CHECK_OK(c.ctx, bosc_planner_reserve(c.ctx, planner, &s[0].scene, 300, 700 + TURNS, 0));
        int64_t before = c.allocations, held = counted_scratch(c.ctx);
        CHECK_OK(c.ctx, bosc_planner_get_info(c.ctx, planner, &info));
        if (trial / 4 < 2) CHECK_EQ(info.bytes, kept_bytes);
        for (int k = 0; k < 5; k++) use_planner(c.ctx, planner, &s[k % 3].scene, q);
        CHECK_EQ(counted_scratch(c.ctx), held);
        if (trial / 4 < 2) CHECK_EQ(c.allocations, before);
        CHECK_OK(c.ctx, bosc_planner_get_info(c.ctx, planner, &info));
        CHECK(info.bytes <= kept_bytes);
        bosc_planner_free(planner);
        counted_close(&c);
    }
    free(s);
}

static const struct suite_case suite_cases_plan_reserve[] = {
    {"constraints", plans_after_reserve, NULL},
    {"many rotations", many_rotations, NULL},
    {"what is held stays", results_survive_reserve, NULL},
    {"roadmaps", roadmaps_after_reserve, NULL},
    {"planners", planners_after_reserve, NULL},
};
SUITE(plan_reserve);
