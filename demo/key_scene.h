/* Planning scenes of boxes. */
#ifndef DEMO_KEY_SCENE_H
#define DEMO_KEY_SCENE_H

#include <boscage/plan.h>

enum { KEY_BOXES_MAX = 6, KEY_CORNERS = 8, KEY_FACETS = 6, KEY_SIDES = 4 };

/* Boxes as convex polytopes. */
struct key_boxes {
    int64_t count, offsets[KEY_BOXES_MAX + 1], facet_offsets[KEY_BOXES_MAX * KEY_FACETS + 1];
    int64_t facets[KEY_BOXES_MAX * KEY_FACETS * KEY_SIDES];
    double vertices[KEY_BOXES_MAX * KEY_CORNERS * 3];
};

struct key_scene {
    struct key_boxes robot, obstacle;
    double from[4], to[4];
};

/* KEY: a shaft with a blade between four walls, one with a slot narrower than the blade is wide; it points up and must
 * come to point down. CAGE: the same without a slot. PEGS: an L among six pegs on the axes, to turn by a right angle.
 * CROSS: a cross among four posts, to turn by a right angle; its arms must tilt over the posts. */
enum key_scene_kind { KEY_SCENE_KEY, KEY_SCENE_CAGE, KEY_SCENE_PEGS, KEY_SCENE_CROSS };

/* Builds a scene. It points into `key`, which must outlive it. */
bosc_plan_scene key_scene_build(struct key_scene *key, enum key_scene_kind kind);

#endif
