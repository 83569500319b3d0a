/* Planners: refused arguments and lifetime. */
#include <string.h>

#include "cases/planner/planner_data.h"
#include "planner/planner.h"

static const double identity[4] = {1, 0, 0, 0}, nothing[4] = {0, 0, 0, 0};

static void make_scene(struct planner_scene *s)
{
    *s = (struct planner_scene){.scene = {.size = sizeof s->scene}};
    scene_add_ball(&s->robot, 1, 0, 0, 0.2);
    scene_add_ball(&s->obstacle, 0, 1, 0, 0.2);
    scene_link(s);
}

static void refuses_bad_options(bosc_ctx *ctx)
{
    bosc_planner *planner = NULL;
    bosc_planner_opts o = {.size = sizeof o};
    CHECK_EQ(bosc_planner_create(NULL, &o, &planner), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planner_create(ctx, &o, NULL), "planner");
#define REFUSE(field, value)                                                       \
    do {                                                                           \
        bosc_planner_opts bad = o;                                                 \
        bad.field = (value);                                                       \
        CHECK_ARG(ctx, bosc_planner_create(ctx, &bad, &planner), "opts: " #field); \
    } while (0)
    REFUSE(size, 3);
    REFUSE(sampling, (bosc_plan_sampling)2);
    REFUSE(sampling, (bosc_plan_sampling)-1);
    REFUSE(max_rows, -1);
    REFUSE(max_rows, UINT32_MAX);
    REFUSE(batch, -1);
    REFUSE(lazy, 2);
    REFUSE(lazy, -1);
    REFUSE(new_rate, NAN);
#undef REFUSE
    CHECK(planner == NULL);
    bosc_planner_free(NULL);
    CHECK(bosc_planner_plan(NULL) == NULL && bosc_planner_roadmap(NULL) == NULL);
}

/* Calls with a planner without a scene, without a planner, and with one of another device. */
static void refuses_bad_handles(bosc_ctx *ctx)
{
    struct planner_scene s;
    bosc_planner *planner = NULL;
    bosc_planner_info info = {.size = sizeof info};
    bosc_planner_route_info route = {.size = sizeof route};
    int64_t cell;
    uint8_t certified;
    double q[8] = {1, 0, 0, 0, 0, 1, 0, 0};
    make_scene(&s);
    CHECK_OK(ctx, bosc_planner_create(ctx, NULL, &planner));
    /* 1. Without a scene info and copies are empty; other calls are refused. */
    CHECK_OK(ctx, bosc_planner_get_info(ctx, planner, &info));
    CHECK(info.cells == 0 && info.rows == 0 && bosc_planner_plan(planner) == NULL);
    CHECK_OK(ctx, bosc_planner_get_cells(ctx, planner, q, &certified, &cell));
    CHECK_OK(ctx, bosc_planner_get_route(ctx, planner, q, &certified));
    CHECK_ARG(ctx, bosc_planner_add(ctx, planner, q, 2), "planner: it has no scene");
    CHECK_ARG(ctx, bosc_planner_locate(ctx, planner, q, 1, &cell), "planner: it has no scene");
    CHECK_ARG(ctx, bosc_planner_certify(ctx, planner, q, 2, &certified, NULL), "planner: it has no scene");
    CHECK_ARG(ctx, bosc_planner_route(ctx, planner, q, q + 4, NULL, &route), "planner: it has no scene");
    /* 2. No planner, and one marked as another device's. */
    for (int k = 0; k < 2; k++) {
        const bosc_planner *p = k ? planner : NULL;
        if (k) planner->memory.device++;
        CHECK_ARG(ctx, bosc_planner_build(ctx, (bosc_planner *)(uintptr_t)p, &s.scene), "planner");
        CHECK_ARG(ctx, bosc_planner_add(ctx, (bosc_planner *)(uintptr_t)p, q, 2), "planner");
        CHECK_ARG(ctx, bosc_planner_get_info(ctx, p, &info), "planner");
        CHECK_ARG(ctx, bosc_planner_get_cells(ctx, p, q, NULL, NULL), "planner");
        CHECK_ARG(ctx, bosc_planner_locate(ctx, p, q, 1, &cell), "planner");
        CHECK_ARG(ctx, bosc_planner_certify(ctx, p, q, 2, &certified, NULL), "planner");
        CHECK_ARG(ctx, bosc_planner_route(ctx, (bosc_planner *)(uintptr_t)p, q, q + 4, NULL, &route), "planner");
        CHECK_ARG(ctx, bosc_planner_get_route(ctx, p, q, NULL), "planner");
        if (k) planner->memory.device--;
    }
    /* 3. No context; no info. */
    CHECK_EQ(bosc_planner_build(NULL, planner, &s.scene), BOSC_ERR_ARG);
    CHECK_EQ(bosc_planner_add(NULL, planner, q, 2), BOSC_ERR_ARG);
    CHECK_EQ(bosc_planner_get_info(NULL, planner, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_planner_get_cells(NULL, planner, q, NULL, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_planner_locate(NULL, planner, q, 1, &cell), BOSC_ERR_ARG);
    CHECK_EQ(bosc_planner_certify(NULL, planner, q, 2, &certified, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_planner_route(NULL, planner, q, q + 4, NULL, &route), BOSC_ERR_ARG);
    CHECK_EQ(bosc_planner_get_route(NULL, planner, q, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planner_get_info(ctx, planner, NULL), "info");
    info.size = 4;
    CHECK_ARG(ctx, bosc_planner_get_info(ctx, planner, &info), "info");
    bosc_planner_free(planner);
}

/* Bad scenes leave the last one in place. */
static void scenes(bosc_ctx *ctx)
{
    struct planner_scene s, bad;
    bosc_planner *planner = NULL;
    bosc_planner_info info = {.size = sizeof info};
    make_scene(&s);
    make_scene(&bad);
    bad.robot.balls[3] = -1;
    CHECK_OK(ctx, bosc_planner_create(ctx, NULL, &planner));
    CHECK_OK(ctx, bosc_planner_build(ctx, planner, &s.scene));
    CHECK_STATUS(ctx, bosc_planner_build(ctx, planner, &bad.scene), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_planner_build(ctx, planner, NULL), BOSC_ERR_ARG);
    CHECK_OK(ctx, bosc_planner_get_info(ctx, planner, &info));
    CHECK(info.constraints == 1 && info.cells == 2 && info.free_cells == 1 && info.components == 1);
    CHECK(info.robot_bodies == 1 && info.obstacle_bodies == 1 && info.edges == 1 && info.bytes > 0);
    CHECK(bosc_planner_plan(planner) != NULL && bosc_planner_roadmap(planner) != NULL);
    bosc_planner_free(planner);
}

static void refuses_bad_calls(bosc_ctx *ctx)
{
    struct planner_scene s;
    bosc_planner *planner = NULL;
    bosc_planner_route_opts o = {.size = sizeof o};
    bosc_planner_route_info info = {.size = sizeof info};
    double q[8] = {1, 0, 0, 0, 0, 1, 0, 0}, where = 7;
    void *odd = (char *)q + 4;
    int64_t cell = 7;
    uint8_t certified = 7;
    make_scene(&s);
    CHECK_OK(ctx, bosc_planner_create(ctx, NULL, &planner));
    CHECK_OK(ctx, bosc_planner_build(ctx, planner, &s.scene));
    /* 1. Add, locate and copy. */
    CHECK_ARG(ctx, bosc_planner_add(ctx, planner, NULL, 1), "rotations");
    CHECK_ARG(ctx, bosc_planner_add(ctx, planner, q, -1), "n:");
    CHECK_STATUS(ctx, bosc_planner_add(ctx, planner, q, UINT32_MAX), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_planner_add(ctx, planner, nothing, 1), BOSC_ERR_DATA);
    CHECK_ARG(ctx, bosc_planner_locate(ctx, planner, q, 1, NULL), "cells");
    CHECK_ARG(ctx, bosc_planner_locate(ctx, planner, (double *)(void *)((char *)q + 4), 1, &cell), "rotations");
    CHECK_ARG(ctx, bosc_planner_locate(ctx, planner, q, 1, odd), "cells");
    CHECK_ARG(ctx, bosc_planner_get_cells(ctx, planner, odd, NULL, NULL), "rotations");
    CHECK_ARG(ctx, bosc_planner_get_cells(ctx, planner, NULL, NULL, odd), "components");
    CHECK_OK(ctx, bosc_planner_get_cells(ctx, planner, NULL, NULL, NULL));
    CHECK_ARG(ctx, bosc_planner_get_route(ctx, planner, odd, NULL), "rotations");
    /* 2. Certify. */
    CHECK_ARG(ctx, bosc_planner_certify(ctx, planner, q, 2, &certified, odd), "where");
    CHECK_ARG(ctx, bosc_planner_certify(ctx, planner, NULL, 2, &certified, &where), "rotations");
    CHECK_ARG(ctx, bosc_planner_certify(ctx, planner, q, 2, NULL, &where), "certified");
    CHECK_ARG(ctx, bosc_planner_certify(ctx, planner, q, -2, &certified, &where), "n:");
    /* 3. Routes: ends, and each option. */
    CHECK_ARG(ctx, bosc_planner_route(ctx, planner, NULL, q, NULL, &info), "start");
    CHECK_ARG(ctx, bosc_planner_route(ctx, planner, q, NULL, NULL, &info), "goal");
    CHECK_STATUS(ctx, bosc_planner_route(ctx, planner, nothing, q, NULL, &info), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_planner_route(ctx, planner, q, nothing, NULL, &info), BOSC_ERR_DATA);
#define REFUSE(field, value)                                                                      \
    do {                                                                                          \
        bosc_planner_route_opts bad = o;                                                          \
        bad.field = (value);                                                                      \
        CHECK_ARG(ctx, bosc_planner_route(ctx, planner, q, q + 4, &bad, &info), "opts: " #field); \
    } while (0)
    REFUSE(size, 3);
    REFUSE(weights, (bosc_planner_weights)2);
    REFUSE(keep_steps, 2);
    REFUSE(rounds, -2);
    REFUSE(max_boxes, -2);
    REFUSE(max_tested, -2);
    REFUSE(max_boxes, ((int64_t)1 << 28) + 1);
#undef REFUSE
    info.size = 3;
    CHECK_ARG(ctx, bosc_planner_route(ctx, planner, q, q + 4, NULL, &info), "info");
    /* 4. No output has changed; empty calls need no arrays. */
    CHECK(cell == 7 && certified == 7 && where == 7);
    CHECK_OK(ctx, bosc_planner_certify(ctx, planner, q, 1, NULL, NULL));
    CHECK_OK(ctx, bosc_planner_certify(ctx, planner, NULL, 0, NULL, NULL));
    CHECK_OK(ctx, bosc_planner_locate(ctx, planner, NULL, 0, NULL));
    CHECK_OK(ctx, bosc_planner_route(ctx, planner, identity, identity, NULL, NULL));
    bosc_planner_free(planner);
}

/* Rotations of any length are equivalent; a half turn has two shortest directions. */
static void lengths(bosc_ctx *ctx)
{
    struct planner_scene s;
    bosc_planner *planner = NULL;
    double q[8] = {1, 0, 0, 0, 0.8, 0, 0, 0.6}, where;
    int64_t cells[2], others[2];
    uint8_t certified, other;
    make_scene(&s);
    CHECK_OK(ctx, bosc_planner_create(ctx, NULL, &planner));
    CHECK_OK(ctx, bosc_planner_build(ctx, planner, &s.scene));
    CHECK_OK(ctx, bosc_planner_certify(ctx, planner, q, 2, &certified, &where));
    CHECK_OK(ctx, bosc_planner_locate(ctx, planner, q, 2, cells));
    for (int e = -80; e <= 80; e += 40) {
        double scaled[8];
        for (int k = 0; k < 8; k++) scaled[k] = ldexp(q[k], k < 4 ? e : -e) * (k < 4 ? -3 : 1);
        CHECK_OK(ctx, bosc_planner_certify(ctx, planner, scaled, 2, &other, NULL));
        CHECK_EQ(other, certified);
        CHECK_OK(ctx, bosc_planner_locate(ctx, planner, scaled, 2, others));
        CHECK(others[0] == cells[0] && others[1] == cells[1]);
    }
    CHECK_OK(ctx, bosc_planner_certify(ctx, planner, (double[]){1, 0, 0, 0, 0, 1, 0, 0}, 2, &certified, &where));
    CHECK(certified == 0 && where == 0.5);
    CHECK_OK(ctx, bosc_planner_certify(ctx, planner, (double[]){1, 0, 0, 0, NAN, 1, 0, 0}, 2, &certified, &where));
    CHECK_EQ(certified, 0);
    bosc_planner_free(planner);
}

/* Sizes to reserve. A refused reserve keeps the scene; a successful one removes it. */
static void refuses_bad_sizes(bosc_ctx *ctx)
{
    static const int64_t bad[] = {-1, INT64_MIN, 65537, INT64_MAX, 1ll << 40};
    struct planner_scene s, broken;
    bosc_planner *planner = NULL;
    bosc_planner_opts o = {.size = sizeof o, .max_rows = 100};
    bosc_planner_info info = {.size = sizeof info};
    int64_t kept = 7, scratch = 7;
    make_scene(&s);
    make_scene(&broken);
    broken.scene.robot.ball_count = -1;
    CHECK_OK(ctx, bosc_planner_create(ctx, &o, &planner));
    CHECK_OK(ctx, bosc_planner_build(ctx, planner, &s.scene));
    /* 1. Numbers out of range and beyond the limits. */
    for (int i = 0; i < 5; i++) {
        CHECK_ARG(ctx, bosc_planner_reserve(ctx, planner, &s.scene, bad[i], 0, 0), "constraints");
        CHECK_ARG(ctx, bosc_planner_bytes(ctx, &o, &s.scene, bad[i], 0, 0, &kept, &scratch), "constraints");
    }
    for (int i = 0; i < 2; i++) {
        CHECK_ARG(ctx, bosc_planner_reserve(ctx, planner, &s.scene, 1, bad[i], 0), "rows");
        CHECK_ARG(ctx, bosc_planner_reserve(ctx, planner, &s.scene, 0, 0, bad[i]), "edges");
        CHECK_ARG(ctx, bosc_planner_bytes(ctx, &o, &s.scene, 0, bad[i], 0, &kept, &scratch), "rows");
        CHECK_ARG(ctx, bosc_planner_bytes(ctx, &o, &s.scene, 1, 0, bad[i], &kept, &scratch), "edges");
    }
    CHECK_STATUS(ctx, bosc_planner_reserve(ctx, planner, &s.scene, 1, UINT32_MAX, 0), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_planner_bytes(ctx, &o, &s.scene, 1, UINT32_MAX, 0, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_planner_reserve(ctx, NULL, &s.scene, 0, 0, 0), "planner");
    /* 2. Missing and broken scenes, with constraints given and derived. */
    for (int constraints = 0; constraints < 2; constraints++) {
        CHECK_ARG(ctx, bosc_planner_reserve(ctx, planner, NULL, constraints, 0, 0), "scene");
        CHECK_ARG(ctx, bosc_planner_bytes(ctx, &o, NULL, constraints, 0, 0, &kept, &scratch), "scene");
        CHECK_ARG(ctx, bosc_planner_reserve(ctx, planner, &broken.scene, constraints, 0, 0), "robot");
        CHECK_ARG(ctx, bosc_planner_bytes(ctx, &o, &broken.scene, constraints, 0, 0, &kept, &scratch), "robot");
    }
    o.batch = -1;
    CHECK_ARG(ctx, bosc_planner_bytes(ctx, &o, &s.scene, 0, 0, 0, &kept, &scratch), "opts: batch");
    CHECK(kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_planner_bytes(ctx, NULL, &s.scene, 1, 0, 0, NULL, NULL));
    /* 3. The scene has survived; a successful reserve removes it. */
    CHECK_OK(ctx, bosc_planner_get_info(ctx, planner, &info));
    CHECK(info.rows > 0 && bosc_planner_plan(planner) != NULL);
    CHECK_OK(ctx, bosc_planner_reserve(ctx, planner, &s.scene, 0, 0, 0));
    CHECK_OK(ctx, bosc_planner_get_info(ctx, planner, &info));
    CHECK(info.rows == 0 && bosc_planner_plan(planner) == NULL && bosc_planner_roadmap(planner) == NULL);
    CHECK_OK(ctx, bosc_planner_build(ctx, planner, &s.scene));
    bosc_planner_free(planner);
}

static const struct suite_case suite_cases_planner_args[] = {
    {"create", refuses_bad_options, NULL}, {"handles", refuses_bad_handles, NULL},  {"scenes", scenes, NULL},
    {"calls", refuses_bad_calls, NULL},    {"lengths of rotations", lengths, NULL}, {"sizes", refuses_bad_sizes, NULL},
};
SUITE(planner_args);
