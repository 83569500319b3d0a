/* Writes indexed meshes, and measures meshes. Both number the vertices and triangles first: a bit a sample for
 * vertices, and the number of vertices and triangles before each block of samples and of leaves. */
#include <string.h>

#include "base/bits.h"
#include "cbt/cbt.h"
#include "core/check.h"
#include "terrain/steps/steps.h"
#include "terrain/terrain.h"

/* Numbers the vertices and triangles of the mesh, in the caller's scratch. counts (host): of vertices, then triangles.
 * Waits. The terrain has a raster. A block of samples has 8 x 8, a bit each. mesh->vertices, normals and triangles
 * become NULL; the caller sets them before it writes. */
static bosc_status number_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, struct bi_terrain_mesh *mesh,
                               int64_t counts[2])
{
    const struct bi_core_ops *core = ctx->backend->core;
    const struct bi_terrain_grid *g = &terrain->grid;
    const bosc_cbt_view *v = &terrain->tree->view;
    int64_t squares = ((g->tall ? g->last_y : g->last_x) - 1) >> g->side; /* number of the last square, from 0 */
    *mesh = (struct bi_terrain_mesh){.grid = *g,
                                     .view = *v,
                                     .heights = terrain->heights.data,
                                     .spacing_x = terrain->opts.spacing,
                                     .spacing_y = terrain->opts.spacing_y,
                                     .across = g->last_x / 8 + 1,
                                     .words = bi_terrain_sample_blocks(g),
                                     .first_triangle = v->ranks};
    /* 1. Mark the vertices among the samples, and count them by blocks. */
    BI_TRY(bi_scratch_of(ctx, mesh->words, sizeof *mesh->vertex_bits, &mesh->vertex_bits));
    BI_TRY(bi_scratch_of(ctx, mesh->words + 1, sizeof *mesh->first_vertex, &mesh->first_vertex));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *mesh->totals, &mesh->totals));
    BI_TRY(ctx->backend->fill(ctx, mesh->vertex_bits, 0, (size_t)mesh->words * sizeof *mesh->vertex_bits));
    BI_TRY(ctx->backend->fill(ctx, mesh->first_vertex + mesh->words, 0, sizeof *mesh->first_vertex));
    if (ctx->ops->terrain->mark_vertices && bi_terrain_words_in_triangles(g))
        BI_TRY(ctx->ops->terrain->mark_vertices(ctx, mesh));
    else
        BI_TRY(BI_TERRAIN_STEP(ctx, mark_vertices, bi_cbt_bit_words(g->depth), mesh));
    BI_TRY(BI_TERRAIN_STEP(ctx, mark_corners, 2 * (squares + 2), mesh));
    BI_TRY(BI_TERRAIN_STEP(ctx, count_vertices, mesh->words, mesh));
    BI_TRY(
        core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, mesh->first_vertex, mesh->words + 1, mesh->first_vertex));
    /* 2. Count triangles. Degenerate leaves, flat when cut to the raster, are not in the mesh; where none exist, the
     * ranks of the tree are the counts. */
    if (!bi_terrain_fills_squares(g)) {
        BI_TRY(bi_scratch_of(ctx, v->blocks + 1, sizeof *mesh->counts, &mesh->counts));
        BI_TRY(ctx->backend->fill(ctx, mesh->counts + v->blocks, 0, sizeof *mesh->counts));
        if (ctx->ops->terrain->count_triangles && bi_terrain_words_in_triangles(g))
            BI_TRY(ctx->ops->terrain->count_triangles(ctx, mesh));
        else
            BI_TRY(BI_TERRAIN_STEP(ctx, count_triangles, v->blocks, mesh));
        BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, mesh->counts, v->blocks + 1, mesh->counts));
        mesh->first_triangle = mesh->counts;
    }
    /* 3. Both totals. */
    BI_TRY(BI_TERRAIN_STEP(ctx, get_totals, 2, mesh));
    return bi_read_back(ctx, counts, mesh->totals, 2 * sizeof *counts);
}

/* ---- writing ---- */

static bosc_status check_capacity(bosc_ctx *ctx, const char *name, const void *array, int64_t capacity,
                                  const char *what, int64_t count)
{
    if (!array || count <= capacity) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_SPACE, "%s: %lld %s, but there are %lld", name, (long long)capacity, what,
                   (long long)count);
}

static bosc_status write_arrays(bosc_ctx *ctx, const struct bi_terrain_mesh *mesh)
{
    const struct bi_terrain_ops *ops = ctx->ops->terrain;
    const struct bi_terrain_grid *g = &mesh->grid;
    if (mesh->vertices || mesh->normals) {
        if (ops->write_vertices)
            BI_TRY(ops->write_vertices(ctx, mesh));
        else
            BI_TRY_WITH_COST(ctx, 64, BI_TERRAIN_STEP(ctx, write_vertices, mesh->words, mesh));
    }
    if (!mesh->triangles) return BOSC_OK;
    if (ops->write_triangles && bi_terrain_words_in_triangles(g)) return ops->write_triangles(ctx, mesh);
    BI_TRY_WITH_COST(ctx, 1 << BOSC_CBT_BLOCK_BITS, BI_TERRAIN_STEP(ctx, write_triangles, mesh->view.blocks, mesh));
    return BOSC_OK;
}

/* The arrays of a call. */
struct outputs {
    float *vertices, *normals;
    int64_t vertex_capacity;
    uint32_t *triangles;
    int64_t triangle_capacity;
};

static bosc_status write_mesh(bosc_ctx *ctx, struct bi_terrain_mesh *mesh, const struct outputs *o,
                              const int64_t counts[2])
{
    struct bi_out vertices, normals, triangles;
    bool staged = false;
    size_t vertex_bytes = (size_t)counts[0] * 3 * sizeof(float);
    size_t triangle_bytes = (size_t)counts[1] * 3 * sizeof *o->triangles;
    BI_TRY(bi_stage_out(ctx, o->vertices, o->vertices ? vertex_bytes : 0, &vertices, &staged));
    BI_TRY(bi_stage_out(ctx, o->normals, o->normals ? vertex_bytes : 0, &normals, &staged));
    BI_TRY(bi_stage_out(ctx, o->triangles, o->triangles ? triangle_bytes : 0, &triangles, &staged));
    mesh->vertices = vertices.reachable;
    mesh->normals = normals.reachable;
    mesh->triangles = triangles.reachable;
    BI_TRY(write_arrays(ctx, mesh));
    BI_TRY(bi_stage_back(ctx, &vertices));
    BI_TRY(bi_stage_back(ctx, &normals));
    BI_TRY(bi_stage_back(ctx, &triangles));
    return ctx->backend->sync(ctx);
}

static bosc_status get_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, const struct outputs *o, int64_t counts[2])
{
    struct bi_terrain_mesh mesh;
    int64_t found[2];
    BI_TRY(number_mesh(ctx, terrain, &mesh, found));
    bosc_status status = check_capacity(ctx, "vertex_capacity", o->vertices ? o->vertices : o->normals,
                                        o->vertex_capacity, "vertices", found[0]);
    if (status == BOSC_OK)
        status = check_capacity(ctx, "triangle_capacity", o->triangles, o->triangle_capacity, "triangles", found[1]);
    if (status == BOSC_OK) BI_TRY(write_mesh(ctx, &mesh, o, found));
    memcpy(counts, found, sizeof found);
    return status;
}

bosc_status bosc_terrain_get_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, float *vertices, float *normals,
                                  int64_t vertex_capacity, uint32_t *triangles, int64_t triangle_capacity,
                                  int64_t counts[2])
{
    const struct outputs o = {vertices, normals, vertex_capacity, triangles, triangle_capacity};
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    if (vertices || normals) BI_TRY(bi_terrain_check_rows(ctx, "vertex_capacity", vertex_capacity, 3 * sizeof(float)));
    if (triangles) BI_TRY(bi_terrain_check_rows(ctx, "triangle_capacity", triangle_capacity, 3 * sizeof *triangles));
    BI_TRY(bi_check_aligned(ctx, "vertices", vertices, sizeof *vertices));
    BI_TRY(bi_check_aligned(ctx, "normals", normals, sizeof *normals));
    BI_TRY(bi_check_aligned(ctx, "triangles", triangles, sizeof *triangles));
    if (!counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    bi_progress_set_total(ctx, 4 * (double)bi_terrain_samples(&terrain->grid));
    BI_RETURN_WITH_SCRATCH(ctx, get_mesh(ctx, terrain, &o, counts));
}

/* ---- measuring ---- */

static bosc_status measure_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *full)
{
    struct bi_terrain_mesh mesh;
    const bosc_cbt_view *v = &terrain->tree->view;
    struct bi_terrain_measure step = {.grid = terrain->grid, .view = *v, .heights = terrain->heights.data};
    int64_t counts[2];
    uint32_t largest[2];
    BI_TRY(number_mesh(ctx, terrain, &mesh, counts));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *step.largest, &step.largest));
    BI_TRY(ctx->backend->fill(ctx, step.largest, 0, sizeof largest));
    BI_TRY_WITH_COST(ctx, 8, BI_TERRAIN_STEP(ctx, measure, bi_terrain_samples(&terrain->grid), &step));
    BI_TRY(bi_read_back(ctx, largest, step.largest, sizeof largest));
    BI_TRY(bi_read_back(ctx, &full->leaves, v->ranks + v->blocks, sizeof full->leaves));
    full->vertices = counts[0];
    full->triangles = counts[1];
    full->max_error = bi_f32_from_bits(largest[0]);
    full->depth = (int32_t)largest[1];
    return BOSC_OK;
}

bosc_status bosc_terrain_measure(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *stats)
{
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    if (!stats) return bi_fail(ctx, BOSC_ERR_ARG, "stats: NULL");
    BI_TRY(bi_check_info(ctx, "stats", "bosc_terrain_stats", stats->size, sizeof *stats));
    bi_progress_set_total(ctx, 9 * (double)bi_terrain_samples(&terrain->grid));
    bosc_terrain_stats full = {0};
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = measure_mesh(ctx, terrain, &full));
    if (status == BOSC_OK) bi_copy_info(stats, &full, sizeof full);
    return status;
}
