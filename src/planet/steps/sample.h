/* The samples of a raster, whole or by tiles; and steps that are tried until the tiles that they look at are there. */
#ifndef BI_PLANET_STEPS_SAMPLE_H
#define BI_PLANET_STEPS_SAMPLE_H

#include "base/atomic.h"
#include "planet/planet.h"

/* A sample, or 0 where its tile is not there; then the item has missed it. */
BI_FN float bi_planet_stored(const struct bi_planet_view *s, int64_t row, int64_t column)
{
    if (!s->slots) return s->heights[row * s->width + column];
    const int64_t mask = ((int64_t)1 << s->tile_bits) - 1;
    const int64_t tile = (row >> s->tile_bits) * s->tiles_across + (column >> s->tile_bits);
    const int64_t slot = s->slots[tile];
    if (s->wanted) bi_atomic_min_u32(s->wanted + tile, s->item);
    if (slot < 0) {
        *s->missed = true;
        return 0;
    }
    return s->heights[(slot << 2 * s->tile_bits) + ((row & mask) << s->tile_bits) + (column & mask)];
}

/* Defines the step planet_NAME_tiled: planet_NAME for items that are not done, whose arguments begin with the view. An
 * item that misses a tile is not done, and all tiles that it looks at are wanted for it. */
#define BI_PLANET_TILED(name, args_t)                                           \
    BI_FN void bi_step_planet_##name##_tiled(const struct args_t *a, int64_t i) \
    {                                                                           \
        bool missed = false;                                                    \
        if (a->view.done[i]) return;                                            \
        struct args_t mine = *a;                                                \
        mine.view.missed = &missed;                                             \
        mine.view.wanted = NULL;                                                \
        bi_step_planet_##name(&mine, i);                                        \
        a->view.done[i] = !missed;                                              \
        if (!missed) return;                                                    \
        mine.view.wanted = a->view.wanted;                                      \
        mine.view.item = (uint32_t)i;                                           \
        bi_step_planet_##name(&mine, i);                                        \
    }

#endif
