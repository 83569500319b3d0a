/* Bad arguments of motion planning. */
#include <math.h>
#include <stdio.h>

#include "cases/plan/plan_data.h"

static const double triangle[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, other[9] = {1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1};

static void pair_of_triangles(struct plan_scene *s)
{
    plan_begin(s);
    plan_triangle(s, 0, triangle);
    plan_triangle(s, 1, other);
}

static void refuses_bad_options(bosc_ctx *ctx)
{
    bosc_plan *plan = NULL;
    bosc_plan_opts o = {.size = sizeof o, .id_bits = 16}, k = {.size = sizeof k, .keep_duplicates = 2};
    CHECK_EQ(bosc_plan_create(NULL, NULL, &plan), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_plan_create(ctx, NULL, NULL), "plan");
    CHECK_ARG(ctx, bosc_plan_create(ctx, &o, &plan), "opts: id_bits");
    CHECK_ARG(ctx, bosc_plan_create(ctx, &k, &plan), "opts: keep_duplicates");
    CHECK(plan == NULL);
    bosc_plan_free(NULL);
    bosc_roadmap_free(NULL);
    CHECK(bosc_roadmap_graph(NULL) == NULL);
}

/* The scene is refused, and the handle keeps its last build. */
static void refuse(bosc_ctx *ctx, bosc_plan *plan, const struct plan_scene *s, bosc_status status, const char *text)
{
    bosc_plan_info before = plan_info(ctx, plan), after;
    CHECK_STATUS(ctx, bosc_plan_build(ctx, plan, &s->scene), status);
    if (!suite_begins(bosc_ctx_message(ctx), text)) suite_fail(__FILE__, __LINE__, "%s", bosc_ctx_message(ctx));
    after = plan_info(ctx, plan);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
}

/* Balls that can all touch each other. */
static void crowd(struct plan_scene *s)
{
    static double balls[4 * 2049];
    for (int64_t k = 0; k < 2049; k++) balls[4 * k + 1] = balls[4 * k + 3] = 1;
    s->scene.robot = s->scene.obstacle = (bosc_plan_bodies){.balls = balls, .ball_count = 2049};
}

static void refuses_bad_scenes(bosc_ctx *ctx)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 0x1p101, 0x1p-111};
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, flat[3] = {1, 1, 0};
    struct plan_scene s;
    pair_of_triangles(&s);
    bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
    CHECK_EQ(bosc_plan_build(NULL, plan, &s.scene), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_plan_build(ctx, NULL, &s.scene), "plan");
    CHECK_ARG(ctx, bosc_plan_build(ctx, plan, NULL), "scene");
#define REFUSE(change, status, text)           \
    do {                                       \
        pair_of_triangles(&s);                 \
        change;                                \
        refuse(ctx, plan, &s, (status), text); \
    } while (0)
    for (int k = 0; k < 5; k++) {
        REFUSE(s.vertices[0][7] = bad[k], BOSC_ERR_DATA, "robot: vertices row 2");
        REFUSE((s.balls[1][2] = bad[k], s.scene.obstacle.ball_count = 1), BOSC_ERR_DATA, "obstacle: balls row 0");
        REFUSE((s.balls[0][0] = bad[k], s.scene.forms = s.balls[0], s.scene.form_count = 1), BOSC_ERR_DATA,
               "scene: form 0");
    }
    REFUSE(s.scene.robot.ball_count = 1, BOSC_ERR_DATA, "scene: balls can only meet balls");
    REFUSE((s.balls[0][3] = -1, s.scene.robot.ball_count = 1), BOSC_ERR_DATA, "robot: ball 0 has the radius -1");
    REFUSE(s.triangles[1][1] = 3, BOSC_ERR_DATA, "obstacle: triangles [1] is 3");
    REFUSE(s.triangles[1][1] = -1, BOSC_ERR_DATA, "obstacle: triangles [1] is -1");
    REFUSE(s.scene.robot.vertices = NULL, BOSC_ERR_ARG, "robot: vertices NULL");
    REFUSE(s.scene.robot.triangles = NULL, BOSC_ERR_ARG, "robot: triangles NULL");
    REFUSE(s.scene.robot.triangle_count = -1, BOSC_ERR_ARG, "robot: triangles -1");
    REFUSE(s.scene.obstacle.vertex_count = -1, BOSC_ERR_ARG, "obstacle: vertices -1");
    REFUSE(s.scene.robot.triangle_count = (int64_t)1 << 40, BOSC_ERR_LIMIT, "robot: triangles");
    REFUSE(s.scene.robot.vertices = (const double *)((const char *)s.vertices[0] + 4), BOSC_ERR_ARG,
           "robot: vertices not aligned");
    REFUSE(crowd(&s), BOSC_ERR_LIMIT, "scene: 4198401 pairs");
    REFUSE(s.scene.form_count = 1, BOSC_ERR_ARG, "scene: forms NULL");
    REFUSE(s.scene.form_count = -1, BOSC_ERR_ARG, "scene: form_count");
    REFUSE(s.scene.form_count = (int64_t)1 << 30, BOSC_ERR_LIMIT, "scene: form_count");
    REFUSE((plan_box(&s, 0, low, high), s.polytopes[0][0] = 1), BOSC_ERR_DATA, "robot: polytope_offsets begin");
    REFUSE((plan_box(&s, 0, low, high), s.polytopes[0][1] = 3), BOSC_ERR_DATA, "robot: polytope_offsets [1]");
    REFUSE((plan_box(&s, 0, low, high), s.polytopes[0][1] = 5), BOSC_ERR_DATA, "robot: polytope 0 is not closed");
    REFUSE((plan_box(&s, 0, low, high), s.offsets[0][2] = 5), BOSC_ERR_DATA, "robot: facet_offsets [2]");
    REFUSE((plan_box(&s, 0, low, high), s.corners[0][2] = 99), BOSC_ERR_DATA, "robot: facet_vertices [2] is 99");
    /* Facets that face inwards, a box without a volume, a corner that is pushed in. */
    REFUSE(plan_box(&s, 1, high, low), BOSC_ERR_DATA, "obstacle: polytope 0 is inside out at facet 0");
    REFUSE(plan_box(&s, 1, low, flat), BOSC_ERR_DATA, "obstacle: polytope 0 is ");
    REFUSE((plan_box(&s, 1, low, high), s.vertices[1][3 * 3] = 0.25), BOSC_ERR_DATA,
           "obstacle: polytope 0 is not convex at facet");
    REFUSE(s.scene.size = 3, BOSC_ERR_ARG, "opts: ");
#undef REFUSE
    bosc_plan_free(plan);
}

static void refuses_bad_rows(bosc_ctx *ctx)
{
    struct plan_scene s;
    double q[8] = {1, 0, 0, 0, 1, 2, 3, 4}, bad[4] = {1, 0, 0, 0};
    static const double wrong[] = {NAN, INFINITY, 0x1p101, 0x1p-111};
    uint64_t vectors[2] = {7, 7}, kept[2];
    uint8_t labels[2] = {7, 7};
    int64_t offsets[3];
    pair_of_triangles(&s);
    bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
    CHECK_EQ(plan_info(ctx, plan).words, 1);
    /* Missing handles and arrays, bad numbers and strides, call by call. */
    CHECK_EQ(bosc_plan_signs(NULL, plan, q, 2, 0, vectors), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_plan_signs(ctx, NULL, q, 2, 0, vectors), "plan");
    CHECK_ARG(ctx, bosc_plan_signs(ctx, plan, NULL, 2, 0, vectors), "rotations");
    CHECK_ARG(ctx, bosc_plan_signs(ctx, plan, q, -1, 0, vectors), "n");
    CHECK_ARG(ctx, bosc_plan_signs(ctx, plan, q, 2, 3, vectors), "stride");
    CHECK_ARG(ctx, bosc_plan_signs(ctx, plan, q, 2, INT64_MAX / 2, vectors), "stride");
    CHECK_ARG(ctx, bosc_plan_signs(ctx, plan, q, 2, 0, NULL), "vectors");
    CHECK_ARG(ctx, bosc_plan_labels(ctx, NULL, vectors, 2, 0, labels), "plan");
    CHECK_ARG(ctx, bosc_plan_labels(ctx, plan, NULL, 2, 0, labels), "vectors");
    CHECK_ARG(ctx, bosc_plan_labels(ctx, plan, vectors, -2, 0, labels), "n");
    CHECK_ARG(ctx, bosc_plan_labels(ctx, plan, vectors, 2, -1, labels), "stride");
    CHECK_ARG(ctx, bosc_plan_labels(ctx, plan, vectors, 2, 0, NULL), "labels");
    CHECK_ARG(ctx, bosc_plan_collides(ctx, NULL, q, 2, 0, labels), "plan");
    CHECK_ARG(ctx, bosc_plan_collides(ctx, plan, NULL, 2, 0, labels), "rotations");
    CHECK_ARG(ctx, bosc_plan_collides(ctx, plan, q, 2, 0, NULL), "collides");
    CHECK_ARG(ctx, bosc_plan_arcs(ctx, NULL, q, q, 2, vectors, kept), "plan");
    CHECK_ARG(ctx, bosc_plan_arcs(ctx, plan, NULL, q, 2, vectors, kept), "from");
    CHECK_ARG(ctx, bosc_plan_arcs(ctx, plan, q, NULL, 2, vectors, kept), "to");
    CHECK_ARG(ctx, bosc_plan_arcs(ctx, plan, q, q, -1, vectors, kept), "n");
    CHECK_ARG(ctx, bosc_plan_arcs(ctx, plan, q, q, 2, vectors, NULL), "kept");
    CHECK_ARG(ctx, bosc_plan_crossings(ctx, NULL, q, q, 2, offsets, NULL, NULL, NULL, 0), "plan");
    CHECK_ARG(ctx, bosc_plan_crossings(ctx, plan, q, q, 2, NULL, NULL, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_plan_crossings(ctx, plan, q, q, 2, offsets, q, NULL, NULL, 0), "upper");
    CHECK_ARG(ctx, bosc_plan_crossings(ctx, plan, q, q, 2, offsets, NULL, q, NULL, 0), "lower");
    CHECK_ARG(ctx, bosc_plan_crossings(ctx, plan, q, q, 2, offsets, NULL, NULL, NULL, -1), "capacity");
    /* Rotations with a NaN, too long, too short, or zero. */
    for (int k = 0; k < 5; k++) {
        bad[0] = k < 4 ? wrong[k] : 0;
        CHECK_STATUS(ctx, bosc_plan_signs(ctx, plan, bad, 1, 0, vectors), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "rotations: row 0"));
        CHECK_STATUS(ctx, bosc_plan_collides(ctx, plan, bad, 1, 0, labels), BOSC_ERR_DATA);
        CHECK_STATUS(ctx, bosc_plan_arcs(ctx, plan, q, bad, 1, vectors, kept), BOSC_ERR_DATA);
        CHECK_STATUS(ctx, bosc_plan_crossings(ctx, plan, bad, q, 1, offsets, NULL, NULL, NULL, 0), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "from, to: row 0"));
    }
    bosc_plan_free(plan);
}

static void refuses_bad_samples(bosc_ctx *ctx)
{
    enum { ROOM = 64 };
    struct plan_scene s;
    static double q[4 * ROOM];
    int64_t n = -1;
    bosc_plan_sample_opts o = {.size = sizeof o};
    bosc_plan_sample_opts bad[4] = {o, o, o, o};
    bad[0].sampling = (bosc_plan_sampling)7;
    bad[1].reserved = 1;
    bad[2].first = -1;
    bad[3].limit = -1;
    static const char *const texts[] = {"opts: sampling", "opts: reserved", "opts: first", "opts: limit"};
    pair_of_triangles(&s);
    bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
    for (int k = 0; k < 4; k++)
        CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, &bad[k], ROOM, q, NULL, NULL, &n, NULL), texts[k]);
    CHECK_EQ(bosc_plan_sample(NULL, plan, NULL, ROOM, q, NULL, NULL, &n, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_plan_sample(ctx, NULL, NULL, ROOM, q, NULL, NULL, &n, NULL), "plan");
    CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, NULL, -1, q, NULL, NULL, &n, NULL), "capacity");
    CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, NULL, (int64_t)UINT32_MAX, q, NULL, NULL, &n, NULL), "capacity");
    CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, NULL, ROOM, NULL, NULL, NULL, &n, NULL), "rotations");
    CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, NULL, ROOM, q, NULL, NULL, NULL, NULL), "rows");
    CHECK_STATUS(ctx, bosc_plan_sample(ctx, plan, NULL, 0, q, NULL, NULL, &n, NULL), BOSC_ERR_SPACE);
    CHECK_EQ(n, -1);
    bosc_plan_free(plan);
}

static void refuses_bad_roadmaps(bosc_ctx *ctx)
{
    struct plan_scene s;
    double q[4] = {1, 0, 0, 0};
    bosc_roadmap *roadmap = NULL;
    bosc_roadmap_info info = {.size = sizeof info};
    bosc_roadmap_explore_opts o = {.size = sizeof o};
    /* One bad option each. */
    bosc_roadmap_explore_opts bad[5] = {o, o, o, o, o};
    static const char *const texts[] = {"opts: sampling", "opts: reserved", "opts: batch", "opts: max_rows",
                                        "opts: new_rate"};
    bad[0].sampling = (bosc_plan_sampling)-1;
    bad[1].reserved = 1;
    bad[2].batch = -1;
    bad[3].max_rows = (int64_t)UINT32_MAX;
    bad[4].new_rate = NAN;
    pair_of_triangles(&s);
    bosc_plan *plan = plan_build(ctx, &s.scene, NULL), *empty = NULL;
    CHECK_OK(ctx, bosc_plan_create(ctx, NULL, &empty));
    /* Missing handles, and a plan without constraints. */
    CHECK_ARG(ctx, bosc_roadmap_create(ctx, NULL, &roadmap), "plan");
    CHECK_ARG(ctx, bosc_roadmap_create(ctx, empty, &roadmap), "plan: no constraints");
    CHECK_ARG(ctx, bosc_roadmap_create(ctx, plan, NULL), "roadmap");
    CHECK_OK(ctx, bosc_roadmap_create(ctx, plan, &roadmap));
    CHECK_EQ(bosc_roadmap_reset(NULL, roadmap, plan), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_roadmap_reset(ctx, NULL, plan), "roadmap");
    CHECK_ARG(ctx, bosc_roadmap_reset(ctx, roadmap, NULL), "plan");
    CHECK_ARG(ctx, bosc_roadmap_reset(ctx, roadmap, empty), "plan: no constraints");
    CHECK_OK(ctx, bosc_roadmap_reset(ctx, roadmap, plan));
    CHECK_ARG(ctx, bosc_roadmap_add(ctx, NULL, plan, q, 1, 0), "roadmap");
    CHECK_ARG(ctx, bosc_roadmap_add(ctx, roadmap, NULL, q, 1, 0), "plan");
    CHECK_ARG(ctx, bosc_roadmap_add(ctx, roadmap, empty, q, 1, 0), "plan: 0 constraints");
    CHECK_ARG(ctx, bosc_roadmap_add(ctx, roadmap, plan, NULL, 1, 0), "rotations");
    CHECK_ARG(ctx, bosc_roadmap_add(ctx, roadmap, plan, q, 1, 1), "stride");
    for (int k = 0; k < 5; k++) CHECK_ARG(ctx, bosc_roadmap_explore(ctx, roadmap, plan, &bad[k]), texts[k]);
    CHECK_ARG(ctx, bosc_roadmap_explore(ctx, NULL, plan, NULL), "roadmap");
    CHECK_ARG(ctx, bosc_roadmap_get_info(ctx, NULL, &info), "roadmap");
    CHECK_ARG(ctx, bosc_roadmap_get_info(ctx, roadmap, NULL), "info");
    CHECK_ARG(ctx, bosc_roadmap_get_rows(ctx, roadmap, 1, 0, q, NULL), "first");
    CHECK_ARG(ctx, bosc_roadmap_get_rows(ctx, roadmap, 0, 1, q, NULL), "n");
    CHECK_ARG(ctx, bosc_roadmap_get_cells(ctx, NULL, q), "roadmap");
    /* A bad rotation leaves the roadmap empty. */
    q[0] = 0;
    CHECK_STATUS(ctx, bosc_roadmap_add(ctx, roadmap, plan, q, 1, 0), BOSC_ERR_DATA);
    CHECK_OK(ctx, bosc_roadmap_get_info(ctx, roadmap, &info));
    CHECK(info.rows == 0 && info.cells == 0);
    bosc_roadmap_free(roadmap);
    bosc_plan_free(plan);
    bosc_plan_free(empty);
}

/* Sizes to reserve. */
static void refuses_bad_sizes(bosc_ctx *ctx)
{
    static const int64_t bad[] = {-1, INT64_MIN, 65537, INT64_MAX, 1ll << 40};
    struct plan_scene s, broken;
    double q[4] = {1, 0, 0, 0};
    bosc_plan *plan = NULL;
    bosc_roadmap *roadmap = NULL;
    bosc_plan_opts o = {.size = sizeof o};
    int64_t kept = 7, scratch = 7;
    pair_of_triangles(&s);
    pair_of_triangles(&broken);
    broken.triangles[0][0] = 99;
    plan = plan_build(ctx, &s.scene, NULL);
    CHECK_OK(ctx, bosc_roadmap_create(ctx, plan, &roadmap));
    /* 1. Numbers out of range. */
    for (int i = 0; i < 5; i++) {
        CHECK_ARG(ctx, bosc_plan_reserve(ctx, plan, &s.scene, bad[i], 1), "constraints");
        CHECK_ARG(ctx, bosc_plan_bytes(ctx, NULL, &s.scene, bad[i], 1, &kept, &scratch), "constraints");
        CHECK_ARG(ctx, bosc_roadmap_reserve(ctx, roadmap, bad[i], 1, 0), "constraints");
        CHECK_ARG(ctx, bosc_roadmap_bytes(ctx, bad[i], 1, 0, &kept, &scratch), "constraints");
    }
    for (int i = 0; i < 2; i++) {
        CHECK_ARG(ctx, bosc_plan_reserve(ctx, plan, &s.scene, 0, bad[i]), "n");
        CHECK_ARG(ctx, bosc_plan_bytes(ctx, NULL, &s.scene, 0, bad[i], &kept, &scratch), "n");
        CHECK_ARG(ctx, bosc_roadmap_reserve(ctx, roadmap, 1, bad[i], 0), "rows");
        CHECK_ARG(ctx, bosc_roadmap_reserve(ctx, roadmap, 1, 1, bad[i]), "edges");
        CHECK_ARG(ctx, bosc_roadmap_bytes(ctx, 1, bad[i], 0, &kept, &scratch), "rows");
        CHECK_ARG(ctx, bosc_roadmap_bytes(ctx, 1, 1, bad[i], &kept, &scratch), "edges");
    }
    /* 2. Numbers beyond the limits; missing handles and scenes. */
    CHECK_STATUS(ctx, bosc_plan_reserve(ctx, plan, &s.scene, 0, UINT32_MAX), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_plan_bytes(ctx, NULL, &s.scene, 0, UINT32_MAX, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_roadmap_reserve(ctx, roadmap, 1, UINT32_MAX, 0), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_roadmap_bytes(ctx, 1, UINT32_MAX, 0, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_roadmap_reserve(ctx, roadmap, 0, 1, 0), "constraints: 0");
    CHECK_ARG(ctx, bosc_roadmap_bytes(ctx, 0, 1, 0, &kept, &scratch), "constraints: 0");
    CHECK_ARG(ctx, bosc_plan_reserve(ctx, NULL, &s.scene, 0, 1), "plan");
    CHECK_ARG(ctx, bosc_roadmap_reserve(ctx, NULL, 1, 1, 0), "roadmap");
    CHECK_ARG(ctx, bosc_plan_reserve(ctx, plan, NULL, 0, 1), "scene");
    CHECK_ARG(ctx, bosc_plan_bytes(ctx, NULL, NULL, 0, 1, &kept, &scratch), "scene");
    /* 3. A scene with a vertex out of range. */
    CHECK_STATUS(ctx, bosc_plan_reserve(ctx, plan, &broken.scene, 0, 1), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_plan_bytes(ctx, NULL, &broken.scene, 0, 1, &kept, &scratch), BOSC_ERR_DATA);
    o.id_bits = 33;
    CHECK_ARG(ctx, bosc_plan_bytes(ctx, &o, &s.scene, 0, 1, &kept, &scratch), "opts: id_bits");
    CHECK(kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_plan_bytes(ctx, NULL, &s.scene, 0, 1, NULL, NULL));
    /* 4. Valid sizes; a reserve keeps rows and cells. */
    CHECK_OK(ctx, bosc_roadmap_bytes(ctx, 1, 1, 0, NULL, NULL));
    CHECK_OK(ctx, bosc_roadmap_add(ctx, roadmap, plan, q, 1, 0));
    CHECK_ARG(ctx, bosc_roadmap_reserve(ctx, roadmap, 65536, 2, 0), "constraints: 65536 are more than the");
    CHECK_OK(ctx, bosc_roadmap_reserve(ctx, roadmap, plan_info(ctx, plan).constraints, 20, 0));
    bosc_roadmap_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_roadmap_get_info(ctx, roadmap, &info));
    CHECK(info.rows == 1 && info.cells == 1);
    bosc_roadmap_free(roadmap);
    bosc_plan_free(plan);
}

/* Outputs: misaligned arrays, rows out of range, and empty copies. */
static void refuses_bad_outputs(bosc_ctx *ctx)
{
    struct plan_scene s;
    _Alignas(8) char room[64];
    double q[4] = {1, 0, 0, 0};
    void *odd = room + 1;
    bosc_plan_info info = {.size = 3};
    bosc_plan_opts o = {.size = 3};
    bosc_roadmap_info described = {.size = 3};
    bosc_roadmap_explore_opts explored = {.size = 3};
    bosc_plan_sample_opts sampled = {.size = 3}, far = {.size = sizeof far, .first = INT64_MAX / 2};
    bosc_roadmap *roadmap = NULL;
    bosc_plan *plan = NULL;
    int64_t n, offsets[2];
    uint64_t kept[1];
    CHECK_ARG(ctx, bosc_plan_create(ctx, &o, &plan), "opts: size");
    pair_of_triangles(&s);
    plan = plan_build(ctx, &s.scene, NULL);
    /* 1. Info, constraints, candidates, edges. */
    CHECK_ARG(ctx, bosc_plan_get_info(ctx, NULL, &info), "plan");
    CHECK_ARG(ctx, bosc_plan_get_info(ctx, plan, NULL), "info: NULL");
    CHECK_ARG(ctx, bosc_plan_get_info(ctx, plan, &info), "info: size");
    CHECK_ARG(ctx, bosc_plan_get_constraints(ctx, NULL, NULL, NULL, NULL, NULL), "plan");
    CHECK_ARG(ctx, bosc_plan_get_constraints(ctx, plan, odd, NULL, NULL, NULL), "forms");
    CHECK_ARG(ctx, bosc_plan_get_constraints(ctx, plan, NULL, NULL, odd, NULL), "robot");
    CHECK_ARG(ctx, bosc_plan_get_constraints(ctx, plan, NULL, NULL, NULL, odd), "obstacle");
    CHECK_ARG(ctx, bosc_plan_get_candidates(ctx, NULL, NULL, NULL, NULL, NULL, NULL), "plan");
    CHECK_ARG(ctx, bosc_plan_get_candidates(ctx, plan, NULL, odd, NULL, NULL, NULL), "robot");
    CHECK_ARG(ctx, bosc_plan_get_candidates(ctx, plan, NULL, NULL, odd, NULL, NULL), "obstacle");
    CHECK_ARG(ctx, bosc_plan_get_candidates(ctx, plan, NULL, NULL, NULL, odd, NULL), "constraints");
    CHECK_ARG(ctx, bosc_plan_get_edges(ctx, NULL, NULL, NULL), "plan");
    CHECK_ARG(ctx, bosc_plan_get_edges(ctx, plan, odd, NULL), "robot");
    CHECK_ARG(ctx, bosc_plan_get_edges(ctx, plan, NULL, odd), "obstacle");
    CHECK_OK(ctx, bosc_plan_get_edges(ctx, plan, NULL, NULL));
    CHECK_ARG(ctx, bosc_plan_arcs(ctx, plan, q, q, 1, odd, kept), "vectors");
    /* 2. Arcs, crossings, labels, samples. */
    CHECK_ARG(ctx, bosc_plan_arcs(ctx, plan, q, q, INT64_MAX / 8, NULL, kept), "n");
    CHECK_ARG(ctx, bosc_plan_crossings(ctx, plan, q, q, 0, offsets, odd, q, NULL, 1), "lower");
    CHECK_ARG(ctx, bosc_plan_crossings(ctx, plan, q, q, 0, offsets, NULL, NULL, (int64_t *)(void *)room, 1), "lower");
    CHECK_ARG(ctx, bosc_plan_labels(ctx, plan, (uint64_t *)room, 2, INT64_MAX / 8, (uint8_t *)room), "stride");
    CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, &sampled, 1, q, NULL, NULL, &n, NULL), "opts: size");
    CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, &far, 1, q, NULL, NULL, &n, NULL), "opts: first");
    CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, NULL, 1, q, odd, NULL, &n, NULL), "vectors");
    CHECK_ARG(ctx, bosc_plan_sample(ctx, plan, NULL, 1, q, NULL, odd, &n, NULL), "next");
    CHECK_OK(ctx, bosc_plan_arcs(ctx, plan, q, q, 0, NULL, kept));
    /* 3. Nothing to compute. */
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q, 0, 0, (uint64_t *)room));
    CHECK_OK(ctx, bosc_plan_labels(ctx, plan, (uint64_t *)room, 0, 0, (uint8_t *)room));
    CHECK_OK(ctx, bosc_plan_collides(ctx, plan, q, 0, 0, (uint8_t *)room));
    CHECK_OK(ctx, bosc_roadmap_create(ctx, plan, &roadmap));
    /* 4. Roadmaps, empty and with one row. */
    CHECK_ARG(ctx, bosc_roadmap_get_info(ctx, roadmap, &described), "info: size");
    CHECK_ARG(ctx, bosc_roadmap_explore(ctx, roadmap, plan, &explored), "opts: size");
    CHECK_OK(ctx, bosc_roadmap_add(ctx, roadmap, plan, q, 0, 0));
    CHECK_ARG(ctx, bosc_roadmap_get_rows(ctx, NULL, 0, 0, q, NULL), "roadmap");
    CHECK_ARG(ctx, bosc_roadmap_get_rows(ctx, roadmap, -1, 0, q, NULL), "first");
    CHECK_ARG(ctx, bosc_roadmap_get_rows(ctx, roadmap, 0, -1, q, NULL), "n");
    CHECK_ARG(ctx, bosc_roadmap_get_rows(ctx, roadmap, 0, 0, odd, NULL), "rotations");
    CHECK_ARG(ctx, bosc_roadmap_get_rows(ctx, roadmap, 0, 0, q, odd), "next");
    CHECK_OK(ctx, bosc_roadmap_get_rows(ctx, roadmap, 0, 0, q, NULL));
    CHECK_OK(ctx, bosc_roadmap_get_cells(ctx, roadmap, NULL));
    CHECK_OK(ctx, bosc_roadmap_add(ctx, roadmap, plan, q, 1, 0));
    CHECK_ARG(ctx, bosc_roadmap_get_cells(ctx, roadmap, NULL), "rotations");
    CHECK_OK(ctx, bosc_roadmap_get_rows(ctx, roadmap, 0, 1, NULL, NULL));
    bosc_roadmap_free(roadmap);
    bosc_plan_free(plan);
}

static const struct suite_case suite_cases_plan_args[] = {
    {"create", refuses_bad_options, NULL},    {"scenes", refuses_bad_scenes, NULL},
    {"rows", refuses_bad_rows, NULL},         {"samples", refuses_bad_samples, NULL},
    {"roadmaps", refuses_bad_roadmaps, NULL}, {"copies", refuses_bad_outputs, NULL},
    {"sizes", refuses_bad_sizes, NULL},
};
SUITE(plan_args);
