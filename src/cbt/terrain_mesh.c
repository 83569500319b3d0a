/* The drivers that make indexed meshes, and measure them. */
#include <string.h>

#include "cbt/terrain.h"

/* Which samples are vertices, and the numbers before each word of them and each block of leaves; counts (host) of all
 * vertices and triangles. */
static bosc_status number(bosc_ctx *ctx, const bosc_terrain *terrain, struct bi_terrain_mesh *mesh, int64_t counts[2])
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t samples = bi_terrain_samples(&terrain->grid), words = (samples + 31) / 32;
    *mesh = (struct bi_terrain_mesh){.grid = terrain->grid,
                                     .view = terrain->tree->view,
                                     .heights = terrain->heights.data,
                                     .spacing = terrain->opts.spacing,
                                     .samples = samples};
    int64_t blocks = mesh->view.blocks;
    BI_TRY(bi_cbt_scratch(ctx, words, sizeof *mesh->used, &mesh->used));
    BI_TRY(bi_cbt_scratch(ctx, words + 1, sizeof *mesh->before, &mesh->before));
    BI_TRY(bi_cbt_scratch(ctx, blocks + 1, sizeof *mesh->live, &mesh->live));
    BI_TRY(bi_cbt_scratch(ctx, 2, sizeof *mesh->totals, &mesh->totals));
    BI_TRY(ctx->backend->fill(ctx, mesh->used, 0, (size_t)words * sizeof *mesh->used));
    BI_TRY(ctx->backend->fill(ctx, mesh->before + words, 0, sizeof *mesh->before));
    BI_TRY(ctx->backend->fill(ctx, mesh->live + blocks, 0, sizeof *mesh->live));
    BI_TRY(BI_TERRAIN_STEP(ctx, use, blocks, mesh));
    BI_TRY(BI_TERRAIN_STEP(ctx, count, words, mesh));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, mesh->before, words + 1, mesh->before));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, mesh->live, blocks + 1, mesh->live));
    BI_TRY(BI_TERRAIN_STEP(ctx, totals, 2, mesh));
    return bi_read_back(ctx, counts, mesh->totals, 2 * sizeof *counts);
}

static bosc_status check_room(bosc_ctx *ctx, const char *name, const void *array, int64_t room, const char *what,
                              int64_t count)
{
    if (!array || count <= room) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_SPACE, "%s: %lld %s, but there are %lld", name, (long long)room, what,
                   (long long)count);
}

static bosc_status make_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, float *vertices, float *normals,
                             int64_t room_vertices, uint32_t *triangles, int64_t room_triangles, int64_t counts[2])
{
    struct bi_terrain_mesh mesh;
    struct bi_out vertices_out, normals_out, triangles_out;
    int64_t found[2];
    bool staged = false;
    BI_TRY(number(ctx, terrain, &mesh, found));
    bosc_status status =
        check_room(ctx, "room_vertices", vertices ? vertices : normals, room_vertices, "vertices", found[0]);
    if (status == BOSC_OK) status = check_room(ctx, "room_triangles", triangles, room_triangles, "triangles", found[1]);
    if (status != BOSC_OK) {
        memcpy(counts, found, sizeof found);
        return status;
    }
    size_t points = (size_t)found[0] * 3 * sizeof(float), corners = (size_t)found[1] * 3 * sizeof *triangles;
    BI_TRY(bi_stage_out(ctx, vertices, vertices ? points : 0, &vertices_out, &staged));
    BI_TRY(bi_stage_out(ctx, normals, normals ? points : 0, &normals_out, &staged));
    BI_TRY(bi_stage_out(ctx, triangles, triangles ? corners : 0, &triangles_out, &staged));
    mesh.vertices = vertices_out.reachable;
    mesh.normals = normals_out.reachable;
    mesh.triangles = triangles_out.reachable;
    if (vertices || normals) BI_TRY(BI_TERRAIN_STEP(ctx, vertices, (mesh.samples + 31) / 32, &mesh));
    if (triangles) BI_TRY(BI_TERRAIN_STEP(ctx, triangles, mesh.view.blocks, &mesh));
    BI_TRY(bi_stage_back(ctx, &vertices_out));
    BI_TRY(bi_stage_back(ctx, &normals_out));
    BI_TRY(bi_stage_back(ctx, &triangles_out));
    BI_TRY(ctx->backend->sync(ctx));
    memcpy(counts, found, sizeof found);
    return BOSC_OK;
}

bosc_status bosc_terrain_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, float *vertices, float *normals,
                              int64_t room_vertices, uint32_t *triangles, int64_t room_triangles, int64_t counts[2])
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    if (vertices || normals) BI_TRY(bi_terrain_check_rows(ctx, "room_vertices", room_vertices, 3 * sizeof(float)));
    if (triangles) BI_TRY(bi_terrain_check_rows(ctx, "room_triangles", room_triangles, 3 * sizeof *triangles));
    BI_TRY(bi_cbt_check_array(ctx, "room_vertices", 0, "vertices", vertices, sizeof *vertices));
    BI_TRY(bi_cbt_check_array(ctx, "room_vertices", 0, "normals", normals, sizeof *normals));
    BI_TRY(bi_cbt_check_array(ctx, "room_triangles", 0, "triangles", triangles, sizeof *triangles));
    if (!counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    BI_CBT_WITH_SCRATCH(ctx,
                        make_mesh(ctx, terrain, vertices, normals, room_vertices, triangles, room_triangles, counts));
}

static bosc_status measure(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *full)
{
    struct bi_terrain_mesh mesh;
    struct bi_terrain_measure step = {
        .grid = terrain->grid, .view = terrain->tree->view, .heights = terrain->heights.data};
    const bosc_cbt_view *v = &terrain->tree->view;
    int64_t counts[2];
    uint32_t most[2];
    BI_TRY(number(ctx, terrain, &mesh, counts));
    BI_TRY(bi_cbt_scratch(ctx, 2, sizeof *step.most, &step.most));
    BI_TRY(ctx->backend->fill(ctx, step.most, 0, sizeof most));
    BI_TRY(BI_TERRAIN_STEP(ctx, measure, mesh.samples, &step));
    BI_TRY(bi_read_back(ctx, most, step.most, sizeof most));
    BI_TRY(bi_read_back(ctx, &full->leaves, v->ranks + v->blocks, sizeof full->leaves));
    full->vertices = counts[0];
    full->triangles = counts[1];
    full->max_error = bi_f32_from_bits(most[0]);
    full->depth = (int32_t)most[1];
    return BOSC_OK;
}

bosc_status bosc_terrain_measure(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *stats)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    if (!stats) return bi_fail(ctx, BOSC_ERR_ARG, "stats: NULL");
    if (stats->size < sizeof(size_t) || stats->size > sizeof *stats)
        return bi_fail(ctx, BOSC_ERR_ARG, "stats: size %zu is not that of bosc_terrain_stats", stats->size);
    bosc_terrain_stats full = {.size = stats->size};
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = measure(ctx, terrain, &full);
    bi_arena_rewind(ctx, mark);
    if (status == BOSC_OK) memcpy(stats, &full, stats->size);
    return status;
}
