/* Boxes of rotations: neighbours, and proofs for each box against rotations in it. */
#include <string.h>

#include "cases/planner/planner_data.h"
#include "planner/steps/boxes.h"
#include "planner/tree.h"
#include "support/arrays.h"

static struct bi_planner_box random_box(struct suite_random *r, int levels)
{
    struct bi_planner_box box = {.face = (uint8_t)suite_below(r, 4),
                                 .level = (uint8_t)suite_below(r, (uint64_t)levels)};
    for (int p = 0; p < 3; p++) {
        box.index[p] = (uint32_t)suite_below(r, (uint64_t)1 << box.level);
        if (suite_below(r, 3) == 0) box.index[p] = suite_below(r, 2) ? (1u << box.level) - 1 : 0; /* at a border */
    }
    return box;
}

/* Neighbouring boxes are neighbours from both sides and share a face, whose center is near both centers. */
static void neighbours_share_a_face(void)
{
    struct suite_random r = {4};
    for (int trial = 0; trial < 4000; trial++) {
        struct bi_planner_box box = random_box(&r, 9);
        double q[4], other[4], half = 1.0 / (1u << box.level);
        bi_planner_box_center(&box, q);
        for (int side = 0; side < 6; side++) {
            struct bi_planner_box to = bi_planner_tree_neighbour(&box, side / 2, side % 2 ? 1 : -1);
            int back = 0;
            for (int k = 0; k < 6; k++) {
                struct bi_planner_box again = bi_planner_tree_neighbour(&to, k / 2, k % 2 ? 1 : -1);
                back += memcmp(&again, &box, sizeof box) == 0;
            }
            bi_planner_box_center(&to, other);
            CHECK(back >= 1 && to.level == box.level);
            CHECK(box.level < 2 || reference_planner_angle(q, other) <= 2 * 2.001 * half);
        }
    }
}

/* Each rotation is in the leaf found for it. */
static void finds_boxes_of_rotations(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    struct bi_planner_tree tree = {.count = 0};
    CHECK_OK(ctx, bi_planner_tree_init(ctx, &tree));
    for (int i = 0; i < 200; i++) {
        int64_t leaf = (int64_t)suite_below(&r, (uint64_t)tree.count);
        if (bi_planner_tree_is_leaf(&tree, leaf)) CHECK_OK(ctx, bi_planner_tree_subdivide(ctx, &tree, leaf));
    }
    for (int i = 0; i < 500; i++) {
        int64_t leaves[BI_PLANNER_NEAR_LEAVES];
        double q[4];
        scene_rotation(&r, q);
        bi_planner_tree_find_leaves(&tree, q, leaves);
        for (int k = 0; k < BI_PLANNER_NEAR_LEAVES; k++) {
            const struct bi_planner_box *box = &bi_planner_tree_boxes(&tree)[leaves[k]];
            CHECK(bi_planner_tree_is_leaf(&tree, leaves[k]));
            for (int p = 0; p < 3; p++) {
                double x = q[p < box->face ? p : p + 1] / q[box->face], width = 2.0 / (1u << box->level);
                CHECK(x >= box->index[p] * width - 1 - 1e-9 && x <= (box->index[p] + 1) * width - 1 + 1e-9);
            }
        }
    }
    bi_planner_tree_free(ctx, &tree);
}

/* A free box contains no collision, and a forbidden one only collisions. */
static void proofs_match_samples(bosc_ctx *ctx)
{
    enum { BOXES = 300, SAMPLES = 30 };
    int64_t counts[3] = {0, 0, 0};
    for (int kind = 0; kind < 2 * SCENE_KINDS; kind++) {
        struct suite_random r = {(uint64_t)kind + 31};
        struct planner_scene s;
        bosc_planner *planner = NULL;
        bosc_planner_opts o = {.size = sizeof o, .max_rows = 64, .batch = 64};
        scene_random(&s, &r, kind % SCENE_KINDS);
        if (suite_leaves_out()) continue;
        if (bosc_planner_create(ctx, &o, &planner) || bosc_planner_build(ctx, planner, &s.scene))
            suite_fail(__FILE__, __LINE__, "%s", bosc_ctx_message(ctx));
        /* The step runs on the host only. */
        for (int i = 0; i < BOXES && !has_device_memory(ctx); i++) {
            struct bi_planner_box box = random_box(&r, 10);
            uint8_t state = 9;
            const struct bi_planner_boxes args = {planner->scene, &box, &state};
            bi_step_planner_classify_box(&args, 0);
            CHECK(state <= BI_PLANNER_FORBIDDEN);
            counts[state]++;
            /* Rotations in the box, also on its faces and corners. */
            for (int k = 0; k < SAMPLES && state != BI_PLANNER_MIXED; k++) {
                double q[4], half = 1.0 / (1u << box.level);
                bi_planner_box_center(&box, q);
                for (int c = 0; c < 4; c++)
                    if (c != box.face)
                        q[c] += half * (suite_below(&r, 2) ? 2 * suite_unit(&r) - 1 : suite_below(&r, 2) ? 1 : -1);
                CHECK_EQ(reference_planner_collides(&s.scene, q), state == BI_PLANNER_FORBIDDEN);
            }
        }
        bosc_planner_free(planner);
    }
    /* With all trials run each verdict must occur. */
    if (counts[0] + counts[1] + counts[2] >= 4 * BOXES)
        CHECK(counts[BI_PLANNER_FREE] > 100 && counts[BI_PLANNER_FORBIDDEN] > 20);
}

static const struct suite_case suite_cases_planner_boxes[] = {
    {"beside each other", NULL, neighbours_share_a_face},
    {"around rotations", finds_boxes_of_rotations, NULL},
    {"free and forbidden", proofs_match_samples, NULL},
};
SUITE(planner_boxes);
