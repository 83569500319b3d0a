/* Routes in scenes with known answers. Each certified route is sampled finely. */
#include <string.h>

#include "cases/planner/planner_data.h"
#include "planner/steps/arc.h"
#include "support/counted.h"

static const double pi = 3.14159265358979323846;

struct outcome {
    bosc_planner_route_info info;
    double *rotations;
    uint8_t *certified;
};

/* Searches a route from start to goal and checks the properties of every route. */
static bosc_planner_route_info check_route(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene,
                                           const double *start, const double *goal, const bosc_planner_route_opts *opts)
{
    bosc_planner_route_info info = {.size = sizeof info};
    /* 1. The route, its rotations, and their certificates once more. */
    CHECK_OK(ctx, bosc_planner_route(ctx, planner, start, goal, opts, &info));
    double *q = suite_alloc((size_t)(info.rotations + 1) * 32), angle = 0;
    uint8_t *certified = suite_alloc((size_t)info.rotations + 1), *again = suite_alloc((size_t)info.rotations + 1);
    int64_t count = 0;
    CHECK_OK(ctx, bosc_planner_get_route(ctx, planner, q, certified));
    CHECK_OK(ctx, bosc_planner_certify(ctx, planner, q, info.rotations, again, NULL));
    /* 2. Each step takes the shorter arc; certified ones have no collision. */
    for (int64_t i = 0; i + 1 < info.rotations; i++) {
        double dot = 0;
        for (int k = 0; k < 4; k++) dot += q[4 * i + k] * q[4 * i + 4 + k];
        CHECK(dot >= 0);
        CHECK_EQ(certified[i], again[i]);
        CHECK(!certified[i] || reference_planner_sample(scene, q + 4 * i, q + 4 * i + 4, 500) < 0);
        angle += reference_planner_angle(q + 4 * i, q + 4 * i + 4);
        count += certified[i];
    }
    /* 3. The info agrees: certified steps, angle, ends, outcome. */
    CHECK_EQ(info.certified, count);
    CHECK(fabs(angle - info.angle) < 1e-9 * (1 + angle));
    if (info.rotations > 0) {
        CHECK(reference_planner_angle(q, start) < 1e-7);
        CHECK(reference_planner_angle(q + 4 * (info.rotations - 1), goal) < 1e-7);
    }
    CHECK((info.outcome == BOSC_PLANNER_CERTIFIED) == (info.rotations > 0 && count == info.rotations - 1));
    CHECK((info.rotations > 0) == (info.outcome == BOSC_PLANNER_CERTIFIED || info.outcome == BOSC_PLANNER_UNCERTIFIED));
    free(q);
    free(certified);
    free(again);
    return info;
}

static bosc_planner *make_planner(bosc_ctx *ctx, const bosc_plan_scene *scene, int64_t rows, int lazy)
{
    bosc_planner *planner = NULL;
    bosc_planner_opts o = {.size = sizeof o, .max_rows = rows, .batch = rows, .seed = 3, .lazy = lazy};
    CHECK_OK(ctx, bosc_planner_create(ctx, &o, &planner));
    CHECK_OK(ctx, bosc_planner_build(ctx, planner, scene));
    return planner;
}

static bosc_planner *open_planner(bosc_ctx *ctx, const bosc_plan_scene *scene, int64_t rows)
{
    return make_planner(ctx, scene, rows, 0);
}

/* Without an obstacle a route is one step. */
static void free_space_takes_one_step(bosc_ctx *ctx)
{
    struct planner_scene s = {.scene = {.size = sizeof s.scene}};
    double start[4], goal[4];
    scene_turn(0, 0.3, start);
    scene_turn(1, 2.9, goal);
    scene_add_ball(&s.robot, 1, 0, 0, 0.1);
    for (int k = 0; k < 3; k++) {
        if (k == 1) s.robot.ball_count = 0;
        if (k == 2) scene_add_ball(&s.obstacle, 5, 0, 0, 1); /* out of reach */
        bosc_planner *planner = open_planner(ctx, scene_link(&s), 512);
        bosc_planner_route_info info = check_route(ctx, planner, &s.scene, start, goal, NULL);
        CHECK(info.outcome == BOSC_PLANNER_CERTIFIED && info.rotations == 2);
        int64_t cell = 7;
        CHECK_OK(ctx, bosc_planner_locate(ctx, planner, start, 1, &cell));
        CHECK(bosc_planner_roadmap(planner) ? cell >= -1 : cell == -1); /* without constraints there are no cells */
        bosc_planner_free(planner);
    }
}

/* One ball obstructs another. */
static void one_ball(bosc_ctx *ctx)
{
    struct planner_scene s = {.scene = {.size = sizeof s.scene}};
    double start[4], goal[4], inside[4];
    scene_add_ball(&s.robot, 1, 0, 0, 0.2);
    scene_add_ball(&s.obstacle, 0, 1, 0, 0.2);
    scene_turn(2, 0, start);
    scene_turn(2, pi * 0.9, goal);
    scene_turn(2, pi / 2, inside);
    bosc_planner *planner = open_planner(ctx, scene_link(&s), 512);
    for (int weights = 0; weights < 2; weights++)
        for (int keep = 0; keep < 2; keep++) {
            bosc_planner_route_opts o = {
                .size = sizeof o, .weights = (bosc_planner_weights)weights, .keep_steps = keep};
            bosc_planner_route_info info = check_route(ctx, planner, &s.scene, start, goal, &o);
            CHECK_EQ(info.outcome, BOSC_PLANNER_CERTIFIED);
            CHECK(info.rotations > 2 && info.angle > pi * 0.9);
        }
    CHECK_EQ(check_route(ctx, planner, &s.scene, inside, goal, NULL).outcome, BOSC_PLANNER_START_COLLIDES);
    CHECK_EQ(check_route(ctx, planner, &s.scene, start, inside, NULL).outcome, BOSC_PLANNER_GOAL_COLLIDES);
    CHECK_EQ(check_route(ctx, planner, &s.scene, inside, inside, NULL).outcome, BOSC_PLANNER_START_COLLIDES);
    CHECK(check_route(ctx, planner, &s.scene, start, start, NULL).outcome == BOSC_PLANNER_CERTIFIED);
    bosc_planner_free(planner);
}

/* A peg must rotate before it fits through a slot; a thicker one does not fit, which is proved. */
static void peg_through_slot(bosc_ctx *ctx)
{
    double start[4], goal[4];
    scene_turn(0, pi / 2, start); /* long in z, along the wall */
    scene_turn(2, pi, goal);
    for (int k = 0; k < 2; k++) {
        struct planner_scene s = {.scene = {.size = sizeof s.scene}};
        bosc_planner_route_opts o = {.size = sizeof o, .rounds = -1};
        if (k && suite_slow(ctx)) continue;
        scene_add_peg(&s.robot, k ? 0.4 : 0.08);
        scene_add_wall(&s.obstacle, 36);
        bosc_planner *planner = open_planner(ctx, scene_link(&s), 2048);
        bosc_planner_route_info info = check_route(ctx, planner, &s.scene, start, goal, &o);
        CHECK_EQ(info.outcome, k ? BOSC_PLANNER_PROVED_NO_ROUTE : BOSC_PLANNER_CERTIFIED);
        bosc_planner_free(planner);
    }
}

/* Trees alone find the route of a peg through a slot. A lazy planner makes no cells for it; calls that need cells make
 * them, and if no route exists the trees end. */
static void trees_find_routes(bosc_ctx *ctx)
{
    double start[4], goal[4];
    scene_turn(0, pi / 2, start);
    scene_turn(2, pi, goal);
    for (int k = 0; k < 2; k++) {
        struct planner_scene s = {.scene = {.size = sizeof s.scene}};
        bosc_planner_route_opts o = {.size = sizeof o, .rounds = -1, .max_boxes = -1, .max_tested = k ? 200 : 4000};
        bosc_planner_info cells = {.size = sizeof cells};
        scene_add_peg(&s.robot, k ? 0.4 : 0.08);
        scene_add_wall(&s.obstacle, 60);
        bosc_planner *planner = make_planner(ctx, scene_link(&s), 512, 1);
        CHECK(bosc_planner_roadmap(planner) == NULL);
        bosc_planner_route_info info = check_route(ctx, planner, &s.scene, start, goal, &o);
        CHECK_OK(ctx, bosc_planner_get_info(ctx, planner, &cells));
        CHECK_EQ(info.outcome == BOSC_PLANNER_CERTIFIED, k == 0);
        CHECK(info.nodes > 2 && info.boxes == 0 && info.tested > 0 && info.tested < (k ? 200 : 4000) + 500);
        CHECK_EQ(cells.cells > 0, k == 1);
        CHECK_EQ(info.cells, cells.cells);
        CHECK_OK(ctx, bosc_planner_add(ctx, planner, start, 1));
        CHECK(bosc_planner_roadmap(planner) != NULL);
        o.max_tested = -1;
        CHECK_EQ(check_route(ctx, planner, &s.scene, start, goal, &o).nodes, 0);
        bosc_planner_free(planner);
    }
}

/* A rebuilt planner equals a new one, and allocates nothing, whatever the number of batches. */
static void rebuilt_in(bosc_ctx *like, int64_t batch)
{
    struct suite_random r = {5};
    struct planner_scene first, second;
    bosc_planner_info infos[2] = {{.size = sizeof infos[0]}, {.size = sizeof infos[1]}};
    struct counted c;
    counted_open(&c, like, 0);
    scene_random(&first, &r, 1);
    scene_random(&second, &r, 2);
    const bosc_planner_opts o = {.size = sizeof o, .max_rows = 900, .batch = batch, .new_rate = -1, .seed = 3};
    bosc_planner *planner = NULL, *fresh = NULL;
    /* 1. Both planners grow to their final size. */
    CHECK_OK(c.ctx, bosc_planner_create(c.ctx, &o, &planner));
    CHECK_OK(c.ctx, bosc_planner_create(c.ctx, &o, &fresh));
    CHECK_OK(c.ctx, bosc_planner_build(c.ctx, planner, &first.scene));
    CHECK_OK(c.ctx, bosc_planner_build(c.ctx, fresh, &second.scene));
    CHECK_OK(c.ctx, bosc_planner_build(c.ctx, planner, &second.scene));
    CHECK_OK(c.ctx, bosc_planner_build(c.ctx, planner, &first.scene));
    /* 2. Rebuilds allocate nothing. */
    int64_t before = c.allocations;
    CHECK_OK(c.ctx, bosc_planner_build(c.ctx, planner, &first.scene));
    CHECK_EQ(c.allocations, before);
    CHECK_OK(c.ctx, bosc_planner_build(c.ctx, fresh, &second.scene));
    CHECK_EQ(c.allocations, before);
    /* 3. The rebuilt planner equals the other. */
    CHECK_OK(c.ctx, bosc_planner_build(c.ctx, planner, &second.scene));
    CHECK_OK(c.ctx, bosc_planner_get_info(c.ctx, planner, &infos[0]));
    CHECK_OK(c.ctx, bosc_planner_get_info(c.ctx, fresh, &infos[1]));
    CHECK(infos[0].cells > 10 && infos[0].edges > 10);
    infos[0].bytes = infos[1].bytes;
    CHECK(memcmp(&infos[0], &infos[1], sizeof infos[0]) == 0);
    bosc_planner_free(planner);
    bosc_planner_free(fresh);
    counted_close(&c);
}

static void rebuilds_allocate_nothing(bosc_ctx *like)
{
    for (int64_t batch = 900; batch >= 100; batch -= 200)
        if (!suite_leaves_out()) rebuilt_in(like, batch);
}

/* Two free regions separated by a closed wall. Only boxes can prove it: among balls all free rotations have the same
 * signs, so they are one cell. Within a region there are routes. */
static void separate_regions_are_proved(bosc_ctx *ctx)
{
    struct planner_scene s = {.scene = {.size = sizeof s.scene}};
    double start[4], goal[4], near[4];
    scene_add_ball(&s.robot, 1, 0, 0, 0.3);
    scene_add_wall(&s.obstacle, 0);
    scene_turn(1, 0.2, start);
    scene_turn(2, pi, goal);
    scene_turn(1, -0.4, near);
    bosc_planner *planner = open_planner(ctx, scene_link(&s), 512);
    for (int proof = 0; proof < 2; proof++) {
        bosc_planner_route_opts o = {.size = sizeof o, .max_boxes = proof ? 20000 : -1};
        bosc_planner_route_info info = check_route(ctx, planner, &s.scene, start, goal, &o);
        CHECK_EQ(info.outcome, proof ? BOSC_PLANNER_PROVED_NO_ROUTE : BOSC_PLANNER_UNCERTIFIED);
        CHECK((info.boxes > 0) == proof && info.free_boxes + info.forbidden_boxes <= info.boxes);
        CHECK_EQ(check_route(ctx, planner, &s.scene, start, near, &o).outcome, BOSC_PLANNER_CERTIFIED);
    }
    bosc_planner_free(planner);
}

/* A solid box that cannot leave a cage of four solid walls, or of triangles. */
static void cage_is_proved(bosc_ctx *ctx)
{
    static const double walls[4][2][3] = {{{0.2, 0.4, -1}, {1.5, 1, 1}},
                                          {{0.2, -1, -1}, {1.5, -0.4, 1}},
                                          {{0.2, -1, 0.4}, {1.5, 1, 1}},
                                          {{0.2, -1, -1}, {1.5, 1, -0.4}}};
    static const double low[] = {0.5, -0.29, -0.24}, high[] = {1.35, 0.29, 0.24};
    static const double box_low[] = {0.2, -0.4, -0.4}, box_high[] = {1.5, 0.4, 0.4};
    double start[4], goal[4], turned[4];
    /* A rotation about x is free; half a turn about z is not. */
    scene_turn(0, 0, start);
    scene_turn(0, 3, turned);
    scene_turn(2, pi, goal);
    for (int solid = 0; solid < 2; solid++) {
        struct planner_scene s = {.scene = {.size = sizeof s.scene}};
        bosc_planner_route_opts o = {.size = sizeof o, .rounds = -1};
        scene_add_box(&s.robot, low, high, true);
        if (!solid) scene_add_box(&s.obstacle, box_low, box_high, false);
        for (int k = 0; k < 4 && solid; k++) scene_add_box(&s.obstacle, walls[k][0], walls[k][1], true);
        /* With unlimited rounds, without boxes, then with boxes as proof. */
        bosc_planner *planner = open_planner(ctx, scene_link(&s), 1024);
        CHECK_EQ(check_route(ctx, planner, &s.scene, start, turned, &o).outcome, BOSC_PLANNER_CERTIFIED);
        o.max_boxes = -1;
        CHECK_EQ(check_route(ctx, planner, &s.scene, start, goal, &o).outcome, BOSC_PLANNER_NO_ROUTE);
        o.max_boxes = 0;
        if (solid || !suite_slow(ctx))
            CHECK_EQ(check_route(ctx, planner, &s.scene, start, goal, &o).outcome, BOSC_PLANNER_PROVED_NO_ROUTE);
        bosc_planner_free(planner);
    }
}

/* Cells, verdicts and routes have the bits of one CPU thread. */
static void same_bits_everywhere(bosc_ctx *ctx)
{
    const bosc_ctx_opts plain = {.size = sizeof plain, .threads = 1, .cpu_level = BOSC_CPU_V1};
    bosc_ctx *contexts[2] = {ctx, suite_open(&plain)};
    for (int trial = 0; trial < 2 * SCENE_KINDS; trial++) {
        const int kind = trial % SCENE_KINDS;
        struct suite_random r = {(uint64_t)trial + 77};
        struct planner_scene s;
        bosc_planner *planners[2];
        double ends[8], *q[2], where[2];
        uint8_t certified[2][1];
        bosc_planner_info cells[2];
        bosc_planner_route_info info[2];
        /* Small limits, so that every stage of a search ends early sometimes. */
        bosc_planner_route_opts o = {.size = sizeof o, .rounds = 3, .max_boxes = 3000, .keep_steps = kind % 2};
        const int lazy = trial >= SCENE_KINDS;
        o.max_tested = 300;
        if (lazy) o.keep_steps = 0;
        /* 1. A random scene with two free ends. */
        scene_random(&s, &r, kind);
        for (int e = 0; e < 2; e++) do
                scene_rotation(&r, ends + 4 * e);
            while (reference_planner_collides(&s.scene, ends + 4 * e));
        if (suite_leaves_out()) continue;
        memset(cells, 0, sizeof cells);
        memset(info, 0, sizeof info);
        /* 2. The same calls in both contexts. */
        for (int c = 0; c < 2; c++) {
            info[c].size = sizeof info[c];
            cells[c].size = sizeof cells[c];
            planners[c] = make_planner(contexts[c], &s.scene, 512, lazy);
            CHECK_OK(contexts[c], bosc_planner_get_info(contexts[c], planners[c], &cells[c]));
            CHECK_OK(contexts[c], bosc_planner_certify(contexts[c], planners[c], ends, 2, certified[c], &where[c]));
            CHECK_OK(contexts[c], bosc_planner_route(contexts[c], planners[c], ends, ends + 4, &o, &info[c]));
            q[c] = suite_alloc((size_t)info[c].rotations * 32);
            CHECK_OK(contexts[c], bosc_planner_get_route(contexts[c], planners[c], q[c], NULL));
        }
        /* 3. Every result is equal. */
        CHECK(memcmp(&info[0], &info[1], sizeof info[0]) == 0);
        CHECK(memcmp(q[0], q[1], (size_t)info[0].rotations * 32) == 0);
        CHECK(certified[0][0] == certified[1][0] && where[0] == where[1]);
        CHECK(cells[0].cells == cells[1].cells && cells[0].free_cells == cells[1].free_cells);
        CHECK(cells[0].edges == cells[1].edges && cells[0].components == cells[1].components);
        for (int c = 0; c < 2; c++) {
            bosc_planner_free(planners[c]);
            free(q[c]);
        }
    }
    bosc_ctx_free(contexts[1]);
}

/* Cells: the mask equals the collisions of the rotations, labels are the least cells of components, and every cell is
 * located. */
static void cells_match_reference(bosc_ctx *ctx)
{
    struct suite_random r = {12};
    struct planner_scene s;
    bosc_planner_info info = {.size = sizeof info};
    scene_random(&s, &r, 1);
    bosc_planner *planner = open_planner(ctx, &s.scene, 300);
    for (int added = 0; added < 2; added++) {
        double more[40];
        /* 1. Cells, located from their own rotations, and labels by the cell graph. */
        CHECK_OK(ctx, bosc_planner_get_info(ctx, planner, &info));
        size_t n = (size_t)info.cells;
        double *q = suite_alloc(n * 32);
        uint8_t *mask = suite_alloc(n);
        int64_t *labels = suite_alloc(n * 8), *found = suite_alloc(n * 8), *expected = suite_alloc(n * 8),
                free_count = 0;
        CHECK_OK(ctx, bosc_planner_get_cells(ctx, planner, q, mask, labels));
        CHECK_OK(ctx, bosc_planner_locate(ctx, planner, q, info.cells, found));
        CHECK_OK(ctx, bosc_cellgraph_components_masked(ctx, bosc_roadmap_graph(bosc_planner_roadmap(planner)), mask,
                                                       expected, NULL));
        /* 2. Compare with the reference. */
        for (size_t i = 0; i < n; i++) {
            CHECK_EQ(mask[i], !reference_planner_collides(&s.scene, q + 4 * i));
            CHECK_EQ(labels[i], expected[i]);
            CHECK_EQ(found[i], i);
            free_count += mask[i];
        }
        CHECK_EQ(info.free_cells, free_count);
        /* 3. Add rotations; all of them are located, and the next round checks again. */
        for (int i = 0; i < 10; i++) scene_rotation(&r, more + 4 * i);
        CHECK_OK(ctx, bosc_planner_add(ctx, planner, more, 10));
        CHECK_OK(ctx, bosc_planner_locate(ctx, planner, more, 10, found));
        for (int i = 0; i < 10; i++) CHECK(found[i] >= 0);
        free(q);
        free(mask);
        free(labels);
        free(found);
        free(expected);
    }
    bosc_planner_free(planner);
}

/* Free cells and their borders, on the host. */
struct cells {
    int64_t n, *offsets, *neighbours, *labels;
    double *q, *least;
    uint8_t *mask;
};

static struct cells cells_in(bosc_ctx *ctx, const bosc_planner *planner)
{
    bosc_planner_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_planner_get_info(ctx, planner, &info));
    size_t n = (size_t)info.cells;
    struct cells c = {info.cells,         suite_alloc(n * 8 + 8), suite_alloc((size_t)info.edges * 16 + 8),
                      suite_alloc(n * 8), suite_alloc(n * 32),    suite_alloc(n * 8),
                      suite_alloc(n)};
    CHECK_OK(ctx, bosc_cellgraph_get_rows(ctx, bosc_roadmap_graph(bosc_planner_roadmap(planner)), c.offsets,
                                          c.neighbours, NULL));
    CHECK_OK(ctx, bosc_planner_get_cells(ctx, planner, c.q, c.mask, c.labels));
    return c;
}

/* The least angle from one cell to each other, by the algorithm of Bellman and Ford. */
static void find_least(struct cells *c, int64_t from)
{
    bool changes = true;
    for (int64_t i = 0; i < c->n; i++) c->least[i] = i == from ? 0 : INFINITY;
    while (changes) {
        changes = false;
        for (int64_t i = 0; i < c->n; i++)
            for (int64_t e = c->offsets[i]; e < c->offsets[i + 1] && c->mask[i]; e++) {
                int64_t to = c->neighbours[e];
                double angle = c->least[i] + reference_planner_angle(c->q + 4 * i, c->q + 4 * to);
                if (!c->mask[to] || !(angle < c->least[to])) continue;
                c->least[to] = angle;
                changes = true;
            }
    }
}

/* Routes of the least angle that keep the steps of their search. */
static bosc_planner_route_opts kept_steps(void)
{
    return (bosc_planner_route_opts){.size = sizeof(bosc_planner_route_opts),
                                     .weights = BOSC_PLANNER_ANGLE,
                                     .keep_steps = 1,
                                     .rounds = -1,
                                     .max_boxes = -1,
                                     .max_tested = -1};
}

/* With its steps kept, a route between representatives takes the least angle from cell to cell. */
static void least_angle(bosc_ctx *ctx)
{
    const bosc_planner_route_opts o = kept_steps();
    struct suite_random r = {12};
    struct planner_scene s;
    int64_t longest = 0;
    for (int scene = 0; scene < 6; scene++) {
        s = (struct planner_scene){.scene = {.size = sizeof s.scene}};
        scene_random_triangles(&s.robot, &r, 1, 0.9);
        scene_random_triangles(&s.obstacle, &r, 1, 0.9);
        bosc_planner *planner = open_planner(ctx, scene_link(&s), 3000);
        if (!bosc_planner_roadmap(planner)) { /* the triangles cannot touch */
            bosc_planner_free(planner);
            continue;
        }
        struct cells c = cells_in(ctx, planner);
        for (int64_t from = -1, to = 0; to < c.n; to += 1 + c.n / 40) {
            if (!c.mask[to]) continue;
            if (from < 0 || suite_below(&r, 8) == 0) find_least(&c, from = to);
            bosc_planner_route_info info = check_route(ctx, planner, &s.scene, c.q + 4 * from, c.q + 4 * to, &o);
            CHECK_EQ(info.on_way > 0, c.labels[from] == c.labels[to]);
            if (info.on_way == 0) continue;
            CHECK(info.rotations == (info.on_way > 1 ? info.on_way : 2) && fabs(info.angle - c.least[to]) < 1e-9);
            longest = info.on_way > longest ? info.on_way : longest;
        }
        void *all[] = {c.offsets, c.neighbours, c.labels, c.q, c.least, c.mask};
        for (int k = 0; k < 6; k++) free(all[k]);
        bosc_planner_free(planner);
    }
    CHECK(longest > 5);
}

/* A triangle, and its mirror image in the plane y = 0. */
static void add_mirrored_triangles(struct planner_side *s, struct suite_random *r)
{
    scene_random_triangles(s, r, 1, 0.9);
    for (int64_t v = 0; v < 3; v++)
        scene_add_vertex(s, s->vertices[3 * v], -s->vertices[3 * v + 1], s->vertices[3 * v + 2]);
    scene_add_triangle(s, 3, 4, 5);
}

/* The angle of a step between two cells, as routes add it up. */
static int64_t step_length(const struct cells *c, int64_t from, int64_t to)
{
    return (int64_t)bi_round_even(bi_planner_angle(c->q + 4 * from, c->q + 4 * to) * 0x1p40) + 1;
}

/* The least lengths from each cell to `goal`; -1: none. */
static int64_t *lengths_to(const struct cells *c, int64_t goal)
{
    int64_t *lengths = suite_alloc((size_t)c->n * 8);
    bool changes = true;
    for (int64_t i = 0; i < c->n; i++) lengths[i] = i == goal ? 0 : -1;
    while (changes) {
        changes = false;
        for (int64_t i = 0; i < c->n; i++)
            for (int64_t e = c->offsets[i]; e < c->offsets[i + 1] && lengths[i] >= 0; e++) {
                const int64_t to = c->neighbours[e], length = lengths[i] + step_length(c, i, to);
                if (!c->mask[to] || (lengths[to] >= 0 && lengths[to] <= length)) continue;
                lengths[to] = length;
                changes = true;
            }
    }
    return lengths;
}

/* Follows the least lengths from a cell of a route, which `cells` lists; of steps as good as each other it takes the
 * one to the cell that is nearer to the goal, then to the smaller one. Returns the number of such choices. */
static int check_ties(const struct cells *c, const int64_t *lengths, const int64_t *cells, int64_t count)
{
    int ties = 0;
    for (int64_t i = 0; i + 1 < count; i++) {
        int64_t best = -1, candidates = 0;
        for (int64_t e = c->offsets[cells[i]]; e < c->offsets[cells[i] + 1]; e++) {
            const int64_t to = c->neighbours[e];
            if (!c->mask[to] || lengths[to] < 0) continue;
            if (lengths[to] + step_length(c, to, cells[i]) != lengths[cells[i]]) continue;
            candidates++;
            if (best < 0 || lengths[to] < lengths[best] || (lengths[to] == lengths[best] && to < best)) best = to;
        }
        CHECK_EQ(cells[i + 1], best);
        ties += candidates > 1;
    }
    return ties;
}

/* In a scene that is its own mirror image, a turn about the y axis crosses constraints in mirrored pairs. Cells differ
 * in one of them, so routes lead beside the axis, and have a mirror image of the same angle: the smaller cell
 * decides. */
static void equal_angles(bosc_ctx *ctx)
{
    enum { AXIAL = 150, PAIRS = 2000, GOALS = 3, ROUTES = 8 };
    const bosc_planner_route_opts o = kept_steps();
    struct suite_random r = {5};
    struct planner_scene s = {.scene = {.size = sizeof s.scene}};
    static double rotations[4 * (AXIAL + 2 * PAIRS)];
    int ties = 0;
    /* 1. The scene, and cells of rotations about the axis and of mirrored pairs near them. */
    add_mirrored_triangles(&s.robot, &r);
    add_mirrored_triangles(&s.obstacle, &r);
    bosc_planner *planner = make_planner(ctx, scene_link(&s), 1, 0);
    for (int i = 0; i < AXIAL; i++) scene_turn(1, 2 * pi * i / AXIAL, rotations + 4 * i);
    for (int i = 0; i < PAIRS; i++) {
        double *q = rotations + 4 * AXIAL + 8 * i;
        scene_turn(1, 2 * pi * suite_unit(&r), q);
        for (int k = 0; k < 4; k++) q[k] += 0.3 * (suite_unit(&r) - 0.5);
        for (int k = 0; k < 4; k++) q[4 + k] = k % 2 ? -q[k] : q[k];
    }
    CHECK_OK(ctx, bosc_planner_add(ctx, planner, rotations, AXIAL + 2 * PAIRS));
    /* 2. Routes between cells on the axis. */
    struct cells c = cells_in(ctx, planner);
    int64_t goals = 0;
    for (int64_t goal = 0; goal < c.n && goals < GOALS; goal++) {
        if (!c.mask[goal] || c.q[4 * goal + 1] != 0) continue;
        int64_t *lengths = lengths_to(&c, goal), routes = 0;
        for (int64_t from = 0; from < c.n && routes < ROUTES; from++) {
            bosc_planner_route_info info = {.size = sizeof info};
            if (!c.mask[from] || lengths[from] <= 0 || c.q[4 * from + 1] != 0) continue;
            CHECK_OK(ctx, bosc_planner_route(ctx, planner, c.q + 4 * from, c.q + 4 * goal, &o, &info));
            double *route = suite_alloc((size_t)info.rotations * 32);
            int64_t *cells = suite_alloc((size_t)info.rotations * 8);
            CHECK_OK(ctx, bosc_planner_get_route(ctx, planner, route, NULL));
            CHECK_OK(ctx, bosc_planner_locate(ctx, planner, route, info.rotations, cells));
            ties += check_ties(&c, lengths, cells, info.rotations);
            free(route);
            free(cells);
            routes++;
        }
        goals += routes > 0;
        free(lengths);
    }
    void *all[] = {c.offsets, c.neighbours, c.labels, c.q, c.least, c.mask};
    for (int k = 0; k < 6; k++) free(all[k]);
    bosc_planner_free(planner);
    CHECK(ties > 20);
}

static const struct suite_case suite_cases_planner_route[] = {
    {"nothing in the way", free_space_takes_one_step, NULL},
    {"one ball", one_ball, NULL},
    {"a peg and a slot", peg_through_slot, NULL},
    {"two regions apart", separate_regions_are_proved, NULL},
    {"a cage", cage_is_proved, NULL},
    {"the same everywhere", same_bits_everywhere, NULL},
    {"cells", cells_match_reference, NULL},
    {"least angle", least_angle, NULL},
    {"equal angles", equal_angles, NULL},
    {"trees", trees_find_routes, NULL},
    {"built again", rebuilds_allocate_nothing, NULL},
};
SUITE(planner_route);
