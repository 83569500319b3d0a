/* Builds the boxes of the scenes. */
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

/* Boxes of a kind, and its start and goal, of any length. */
struct scene_boxes {
    int robot_count, obstacle_count;
    double robot[2][2][3], obstacle[KEY_BOXES_MAX][2][3], from[4], to[4];
};

/* The key's boxes, of the cage too, which has a last wall in place of two. */
#define KEY_ROBOT                                  \
    {                                              \
        {{0, -0.05, -0.04}, {1.7, 0.05, 0.04}},    \
        {                                          \
            {0.7, -0.4, -0.04}, { 1.3, 0.4, 0.04 } \
        }                                          \
    }
#define KEY_WALLS                                                                     \
    {{-1.1, 1.0, -0.12}, {1.1, 1.1, 0.12}}, {{-1.1, -1.1, -0.12}, {1.1, -1.0, 0.12}}, \
    {                                                                                 \
        {-1.1, -1.0, -0.12}, { -1.0, 1.0, 0.12 }                                      \
    }

static const struct scene_boxes kinds[] = {
    [KEY_SCENE_KEY] = {2,
                       5,
                       KEY_ROBOT,
                       {KEY_WALLS, {{1.0, 0.3, -0.12}, {1.1, 1.0, 0.12}}, {{1.0, -1.0, -0.12}, {1.1, -0.3, 0.12}}},
                       {1, 0, -1, 0},
                       {1, 0, 1, 0}},
    [KEY_SCENE_CAGE] =
        {2, 4, KEY_ROBOT, {KEY_WALLS, {{1.0, -1.0, -0.12}, {1.1, 1.0, 0.12}}}, {1, 0, -1, 0}, {1, 0, 1, 0}},
    /* The L lies between the pegs of the plane z = 0, at 45 and 135 degrees, and comes to 135 and 225. */
    [KEY_SCENE_PEGS] = {2,
                        6,
                        {{{0, -0.06, -0.06}, {1.5, 0.06, 0.06}}, {{-0.06, 0, -0.06}, {0.06, 1.5, 0.06}}},
                        {{{1.1, -0.1, -0.1}, {1.3, 0.1, 0.1}},
                         {{-1.3, -0.1, -0.1}, {-1.1, 0.1, 0.1}},
                         {{-0.1, 1.1, -0.1}, {0.1, 1.3, 0.1}},
                         {{-0.1, -1.3, -0.1}, {0.1, -1.1, 0.1}},
                         {{-0.1, -0.1, 1.1}, {0.1, 0.1, 1.3}},
                         {{-0.1, -0.1, -1.3}, {0.1, 0.1, -1.1}}},
                        {2.4142, 0, 0, 1},
                        {1, 0, 0, 2.4142}},
    [KEY_SCENE_CROSS] = {2,
                         4,
                         {{{-1.5, -0.06, -0.06}, {1.5, 0.06, 0.06}}, {{-0.06, -1.5, -0.06}, {0.06, 1.5, 0.06}}},
                         {{{0.8, 0.8, -0.3}, {0.9, 0.9, 0.3}},
                          {{-0.9, 0.8, -0.3}, {-0.8, 0.9, 0.3}},
                          {{-0.9, -0.9, -0.3}, {-0.8, -0.8, 0.3}},
                          {{0.8, -0.9, -0.3}, {0.9, -0.8, 0.3}}},
                         {1, 0, 0, 0},
                         {1, 0, 0, 1}}};

bosc_plan_scene key_scene_build(struct key_scene *key, enum key_scene_kind kind)
{
    const struct scene_boxes *boxes = &kinds[kind];
    key->robot.count = key->obstacle.count = 0;
    for (int i = 0; i < boxes->robot_count; i++) add_box(&key->robot, boxes->robot[i]);
    for (int i = 0; i < boxes->obstacle_count; i++) add_box(&key->obstacle, boxes->obstacle[i]);
    memcpy(key->from, boxes->from, sizeof key->from);
    memcpy(key->to, boxes->to, sizeof key->to);
    return (bosc_plan_scene){
        .size = sizeof(bosc_plan_scene), .robot = bodies_of(&key->robot), .obstacle = bodies_of(&key->obstacle)};
}
