/* Writes indexed meshes. */
#include <string.h>

#include "core/check.h"
#include "terrain/drivers.h"

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
    if (ops->write_triangles && bi_terrain_word_in_triangle(g)) return ops->write_triangles(ctx, mesh);
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
    BI_TRY(bi_terrain_number_mesh(ctx, terrain, &mesh, found));
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
