/* The drivers that make indexed meshes, and measure them. */
#include <string.h>

#include "terrain/terrain.h"
#include "core/call.h"

/* Which samples are vertices, and the numbers before each word of them and each block of leaves; counts (host) of all
 * vertices and triangles. */
static bosc_status number(bosc_ctx *ctx, const bosc_terrain *terrain, struct bi_terrain_mesh *mesh, int64_t counts[2])
{
    const struct bi_core_ops *core = ctx->backend->core;
    const struct bi_terrain_grid *g = &terrain->grid;
    const bosc_cbt_view *v = &terrain->tree->view;
    int64_t squares = ((g->tall ? g->last_y : g->last_x) - 1) >> g->side;
    *mesh = (struct bi_terrain_mesh){.grid = *g,
                                     .view = *v,
                                     .heights = terrain->heights.data,
                                     .spacing = terrain->opts.spacing,
                                     .across = g->last_x / 8 + 1,
                                     .words = (int64_t)(g->last_x / 8 + 1) * (g->last_y / 8 + 1),
                                     .live = v->ranks};
    BI_TRY(bi_cbt_scratch(ctx, mesh->words, sizeof *mesh->used, &mesh->used));
    BI_TRY(bi_cbt_scratch(ctx, mesh->words + 1, sizeof *mesh->before, &mesh->before));
    BI_TRY(bi_cbt_scratch(ctx, 2, sizeof *mesh->totals, &mesh->totals));
    BI_TRY(ctx->backend->fill(ctx, mesh->used, 0, (size_t)mesh->words * sizeof *mesh->used));
    BI_TRY(ctx->backend->fill(ctx, mesh->before + mesh->words, 0, sizeof *mesh->before));
    if (ctx->ops->terrain->use && bi_terrain_anchored(g))
        BI_TRY(ctx->ops->terrain->use(ctx, mesh));
    else
        BI_TRY(BI_TERRAIN_STEP(ctx, use, bi_cbt_bit_words(g->depth), mesh));
    BI_TRY(BI_TERRAIN_STEP(ctx, use_corners, 2 * (squares + 2), mesh));
    BI_TRY(BI_TERRAIN_STEP(ctx, count, mesh->words, mesh));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, mesh->before, mesh->words + 1, mesh->before));
    if (!bi_terrain_fits(g)) { /* some leaves may not be in the mesh */
        BI_TRY(bi_cbt_scratch(ctx, v->blocks + 1, sizeof *mesh->counts, &mesh->counts));
        BI_TRY(ctx->backend->fill(ctx, mesh->counts + v->blocks, 0, sizeof *mesh->counts));
        if (ctx->ops->terrain->live && bi_terrain_anchored(g))
            BI_TRY(ctx->ops->terrain->live(ctx, mesh));
        else
            BI_TRY(BI_TERRAIN_STEP(ctx, live, v->blocks, mesh));
        BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, mesh->counts, v->blocks + 1, mesh->counts));
        mesh->live = mesh->counts;
    }
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

static bosc_status emit(bosc_ctx *ctx, const struct bi_terrain_mesh *mesh)
{
    const struct bi_terrain_ops *ops = ctx->ops->terrain;
    const struct bi_terrain_grid *g = &mesh->grid;
    if (mesh->vertices || mesh->normals) {
        if (ops->vertices)
            BI_TRY(ops->vertices(ctx, mesh));
        else
            BI_TRY(BI_TERRAIN_STEP(ctx, vertices, mesh->words, mesh));
    }
    if (!mesh->triangles) return BOSC_OK;
    if (ops->triangles && bi_terrain_anchored(g)) return ops->triangles(ctx, mesh);
    return BI_TERRAIN_STEP(ctx, triangles, mesh->view.blocks, mesh);
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
    BI_TRY(emit(ctx, &mesh));
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
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    if (vertices || normals) BI_TRY(bi_terrain_check_rows(ctx, "room_vertices", room_vertices, 3 * sizeof(float)));
    if (triangles) BI_TRY(bi_terrain_check_rows(ctx, "room_triangles", room_triangles, 3 * sizeof *triangles));
    BI_TRY(bi_cbt_check_array(ctx, "room_vertices", 0, "vertices", vertices, sizeof *vertices));
    BI_TRY(bi_cbt_check_array(ctx, "room_vertices", 0, "normals", normals, sizeof *normals));
    BI_TRY(bi_cbt_check_array(ctx, "room_triangles", 0, "triangles", triangles, sizeof *triangles));
    if (!counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    BI_RETURN_WITH_SCRATCH(ctx,
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
    BI_TRY(BI_TERRAIN_STEP(ctx, measure, bi_terrain_samples(&terrain->grid), &step));
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
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    if (!stats) return bi_fail(ctx, BOSC_ERR_ARG, "stats: NULL");
    BI_TRY(bi_check_size(ctx, "stats", "bosc_terrain_stats", stats->size, sizeof *stats));
    bosc_terrain_stats full = {.size = stats->size};
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = measure(ctx, terrain, &full));
    if (status == BOSC_OK) memcpy(stats, &full, stats->size);
    return status;
}
