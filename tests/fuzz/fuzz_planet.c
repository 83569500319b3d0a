/* Saved planets, also with corrected checksums. A planet that was read must have a finite mesh, and support
 * measuring, changes and saving. */
#include <stddef.h>

#include "planet/save.h"
#include "fuzz.h"

enum { ROOM = 64 };

static void exercise(bosc_ctx *ctx, bosc_planet *planet)
{
    bosc_planet_stats stats = {.size = sizeof stats};
    bosc_planet_info info = {.size = sizeof info};
    uint8_t commands[ROOM];
    int64_t counts[2];
    struct saved f = {0};
    require_ok(bosc_planet_get_info(ctx, planet, &info));
    double *positions = malloc((size_t)info.vertices * 3 * sizeof *positions);
    if (!positions) abort();
    require_ok(bosc_planet_get_mesh(ctx, planet, NULL, NULL, positions, NULL, info.vertices, NULL, 0, counts));
    for (int64_t i = 0; i < 3 * counts[0]; i++)
        if (!(positions[i] - positions[i] == 0)) abort();
    free(positions);
    if (info.width * info.height < 10000) require_ok(bosc_planet_measure(ctx, planet, &stats));
    for (int t = 0; t < ROOM; t++) commands[t] = (uint8_t)(1 + t % 2);
    require_ok(bosc_planet_update(ctx, planet, commands, ROOM));
    require_ok(bosc_planet_write(ctx, planet, saved_append, &f));
    free(f.bytes);
}

static void parse(const uint8_t *data, size_t size)
{
    struct saved in = {.bytes = (char *)(uintptr_t)data, .size = size};
    bosc_planet *planet = NULL;
    bosc_status status = bosc_planet_read(fuzz_context(), saved_deliver, &in, &planet);
    if ((status == BOSC_OK) != (planet != NULL) || (!planet && !*bosc_ctx_message(fuzz_context()))) abort();
    if (planet) exercise(fuzz_context(), planet);
    bosc_planet_free(planet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_saved(parse, offsetof(struct bi_planet_header, hash), data, size);
}
