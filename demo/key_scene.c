/* Builds the boxes of the key scene. */
#include "demo/key_scene.h"

#include <string.h>

/* Appends a box. Bits 0, 1, 2 of corner c choose the low or high x, y, z; facets are counterclockwise seen from
 * outside. */
static void add_box(struct key_boxes *b, const double box[2][3])
{
    static const int facets[KEY_FACETS][KEY_SIDES] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    int64_t number = b->count++;
    for (int c = 0; c < KEY_CORNERS; c++)
        for (int axis = 0; axis < 3; axis++)
            b->vertices[(number * KEY_CORNERS + c) * 3 + axis] = box[c >> axis & 1][axis];
    for (int f = 0; f < KEY_FACETS; f++)
        for (int s = 0; s < KEY_SIDES; s++)
            b->facets[(number * KEY_FACETS + f) * KEY_SIDES + s] = number * KEY_CORNERS + facets[f][s];
    for (int64_t f = 0; f <= b->count * KEY_FACETS; f++) b->facet_offsets[f] = f * KEY_SIDES;
    b->offsets[b->count] = b->count * KEY_FACETS;
}

static bosc_plan_bodies bodies_of(const struct key_boxes *b)
{
    return (bosc_plan_bodies){.vertices = b->vertices,
                              .vertex_count = b->count * KEY_CORNERS,
                              .polytope_offsets = b->offsets,
                              .polytope_count = b->count,
                              .facet_offsets = b->facet_offsets,
                              .facet_vertices = b->facets};
}

bosc_plan_scene key_scene_build(struct key_scene *key, bool slot)
{
    static const double parts[2][2][3] = {{{0, -0.05, -0.04}, {1.7, 0.05, 0.04}},
                                          {{0.7, -0.4, -0.04}, {1.3, 0.4, 0.04}}};
    static const double walls[][2][3] = {{{-1.1, 1.0, -0.12}, {1.1, 1.1, 0.12}},
                                         {{-1.1, -1.1, -0.12}, {1.1, -1.0, 0.12}},
                                         {{-1.1, -1.0, -0.12}, {-1.0, 1.0, 0.12}}};
    static const double slotted_wall[][2][3] = {{{1.0, 0.3, -0.12}, {1.1, 1.0, 0.12}},
                                                {{1.0, -1.0, -0.12}, {1.1, -0.3, 0.12}}};
    static const double closed_wall[2][3] = {{1.0, -1.0, -0.12}, {1.1, 1.0, 0.12}};
    static const double up[4] = {1, 0, -1, 0}, down[4] = {1, 0, 1, 0}; /* of any length */
    key->robot.count = key->obstacle.count = 0;
    for (int i = 0; i < 2; i++) add_box(&key->robot, parts[i]);
    for (int i = 0; i < 3; i++) add_box(&key->obstacle, walls[i]);
    for (int i = 0; i < 2 && slot; i++) add_box(&key->obstacle, slotted_wall[i]);
    if (!slot) add_box(&key->obstacle, closed_wall);
    memcpy(key->from, up, sizeof up);
    memcpy(key->to, down, sizeof down);
    return (bosc_plan_scene){
        .size = sizeof(bosc_plan_scene), .robot = bodies_of(&key->robot), .obstacle = bodies_of(&key->obstacle)};
}
