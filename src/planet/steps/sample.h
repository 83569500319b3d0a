/* Samples of a raster in memory or read by tiles; and steps in rounds, which end when all needed tiles were read. */
#ifndef BI_PLANET_STEPS_SAMPLE_H
#define BI_PLANET_STEPS_SAMPLE_H

#include "base/atomic.h"
#include "planet/planet.h"

/* A sample. If its tile is not in the cache: 0, and the item has missed it. */
BI_FN float bi_planet_stored(const struct bi_planet_view *s, int64_t row, int64_t column)
{
    if (!s->slots) return s->heights[row * s->width + column];
    const int64_t mask = ((int64_t)1 << s->tile_bits) - 1;
    const int64_t tile = (row >> s->tile_bits) * s->tiles_across + (column >> s->tile_bits);
    const int64_t slot = s->slots[tile];
    if (s->requested) bi_atomic_min_u32(s->requested + tile, s->item);
    if (slot < 0) {
        *s->missed = true;
        return 0;
    }
    return s->heights[(slot << 2 * s->tile_bits) + ((row & mask) << s->tile_bits) + (column & mask)];
}

/* Defines the step planet_NAME_tiled, which runs planet_NAME on pending items. An item that misses a tile stays
 * pending, runs again to record all tiles that it reads, and is overwritten in a later round. The arguments begin with
 * the view. */
#define BI_PLANET_TILED(name, args_t)                                           \
    BI_FN void bi_step_planet_##name##_tiled(const struct args_t *a, int64_t i) \
    {                                                                           \
        bool missed = false;                                                    \
        if (a->view.done[i]) return;                                            \
        struct args_t own = *a;                                                 \
        own.view.missed = &missed;                                              \
        own.view.requested = NULL;                                              \
        bi_step_planet_##name(&own, i);                                         \
        a->view.done[i] = !missed;                                              \
        if (!missed) return;                                                    \
        own.view.requested = a->view.requested;                                 \
        own.view.item = (uint32_t)i;                                            \
        bi_step_planet_##name(&own, i);                                         \
    }

#endif
