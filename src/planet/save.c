/* Saves planets. */
#include "planet/save.h"

#include <string.h>

static bosc_status put_planet(struct bi_saver *s, const void *structure)
{
    const bosc_planet *planet = structure;
    const bosc_planet_opts *o = &planet->opts;
    struct bi_planet_header h = {.version = BI_PLANET_SAVE_VERSION,
                                 .depth = (uint32_t)o->depth,
                                 .octaves = (uint32_t)o->detail_octaves,
                                 .radius = o->radius,
                                 .amplitude = o->detail_amplitude,
                                 .wavelength = o->detail_wavelength,
                                 .seed = o->detail_seed,
                                 .width = planet->view.width,
                                 .height = planet->view.height,
                                 .leaves = bi_planet_pool(planet)->leaves};
    const size_t samples = (size_t)(h.width * h.height) * sizeof(float), leaves = (size_t)h.leaves * sizeof(uint64_t);
    memcpy(h.magic, BI_PLANET_SAVE_MAGIC, sizeof h.magic);
    h.hash = bi_hash(&h, offsetof(struct bi_planet_header, hash));
    bi_expect(s->ctx, bi_save_items(samples + leaves));
    BI_TRY(bi_save_put(s, &h, sizeof h));
    BI_TRY(bi_save_array(s, planet->view.heights, samples));
    return bi_save_array(s, bi_planet_pool(planet)->nodes, leaves);
}

bosc_status bosc_planet_write(bosc_ctx *ctx, const bosc_planet *planet, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_mesh(ctx, planet));
    if (planet->cache) return bi_fail(ctx, BOSC_ERR_ARG, "planet: its raster is read by tiles, and not kept");
    return bi_save(ctx, write, user, put_planet, planet);
}
