/* Saves planets. */
#include "planet/save.h"

#include <string.h>

/* ---- pieces: some rows, or part of one ---- */

static int64_t rows_of_piece(int64_t width) { return width < BI_PLANET_PIECE ? BI_PLANET_PIECE / width : 1; }

static int64_t pieces_of_row(int64_t width) { return (width + BI_PLANET_PIECE - 1) / BI_PLANET_PIECE; }

int64_t bi_planet_piece_count(int64_t width, int64_t height)
{
    const int64_t rows = rows_of_piece(width);
    return (height + rows - 1) / rows * pieces_of_row(width);
}

struct bi_planet_part bi_planet_piece(int64_t width, int64_t height, int64_t k)
{
    const int64_t rows = rows_of_piece(width), across = pieces_of_row(width);
    struct bi_planet_part p = {k / across * rows, k % across * BI_PLANET_PIECE, rows, BI_PLANET_PIECE};
    if (p.rows > height - p.row) p.rows = height - p.row;
    if (p.columns > width - p.column) p.columns = width - p.column;
    return p;
}

bosc_status bi_planet_allocate_piece(bosc_ctx *ctx, struct bi_planet_piece_memory *memory)
{
    BI_TRY(bi_host_scratch(ctx, BI_PLANET_PIECE * sizeof(float), &memory->values));
    return bi_scratch_of(ctx, BI_PLANET_PIECE, sizeof *memory->samples, &memory->samples);
}

/* ---- saving ---- */

static bosc_status write_pieces(struct bi_saver *s, const bosc_planet *planet)
{
    const int64_t width = planet->view.width, height = planet->view.height;
    struct bi_planet_piece_memory memory;
    BI_TRY(bi_planet_allocate_piece(s->ctx, &memory));
    for (int64_t k = 0; k < bi_planet_piece_count(width, height); k++) {
        const struct bi_planet_part p = bi_planet_piece(width, height, k);
        BI_TRY(bi_planet_read_part(s->ctx, planet->cache, &p, memory.values, memory.samples, p.columns));
        BI_TRY(bi_save_array(s, memory.samples, (size_t)(p.rows * p.columns) * sizeof(float)));
    }
    return BOSC_OK;
}

static bosc_status write_planet(struct bi_saver *s, const void *structure)
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
    h.hash = bi_xxh3(&h, offsetof(struct bi_planet_header, hash));
    bi_progress_set_total(s->ctx, bi_save_items(samples + leaves));
    BI_TRY(bi_save_bytes(s, &h, sizeof h));
    if (planet->cache)
        BI_TRY_WITH_SCRATCH(s->ctx, write_pieces(s, planet));
    else
        BI_TRY(bi_save_array(s, planet->view.heights, samples));
    return bi_save_array(s, bi_planet_pool(planet)->nodes, leaves);
}

bosc_status bosc_planet_write(bosc_ctx *ctx, const bosc_planet *planet, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_mesh(ctx, planet));
    return bi_save(ctx, write, user, write_planet, planet);
}
