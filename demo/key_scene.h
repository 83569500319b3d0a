/* A planning scene: a key (a shaft with a blade) between four walls; it points up and must come to point down. */
#ifndef DEMO_KEY_SCENE_H
#define DEMO_KEY_SCENE_H

#include <stdbool.h>

#include <boscage/plan.h>

enum { KEY_BOXES_MAX = 5, KEY_CORNERS = 8, KEY_FACETS = 6, KEY_SIDES = 4 };

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

/* Builds the scene with a slot in one wall, narrower than the blade is wide; or without a slot, as a cage. The scene
 * points into `key`, which must outlive it. */
bosc_plan_scene key_scene_build(struct key_scene *key, bool slot);

#endif
