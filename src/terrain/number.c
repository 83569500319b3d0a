/* Numbers the vertices and triangles of a mesh: a bit a sample for vertices, and the number of vertices and triangles
 * before each block of samples and of leaves. */
#include "terrain/drivers.h"

bosc_status bi_terrain_number_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, struct bi_terrain_mesh *mesh,
                                   int64_t counts[2])
{
    const struct bi_core_ops *core = ctx->backend->core;
    const struct bi_terrain_grid *g = &terrain->grid;
    const bosc_cbt_view *v = bi_cbt_view_of(terrain->tree);
    int64_t squares = ((g->tall ? g->last_y : g->last_x) - 1) >> g->side;
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
    if (ctx->ops->terrain->mark_vertices && bi_terrain_word_in_triangle(g))
        BI_TRY(ctx->ops->terrain->mark_vertices(ctx, mesh));
    else
        BI_TRY(BI_TERRAIN_STEP(ctx, mark_vertices, bi_terrain_words(g), mesh));
    BI_TRY(BI_TERRAIN_STEP(ctx, mark_corners, 2 * (squares + 2), mesh));
    BI_TRY(BI_TERRAIN_STEP(ctx, count_vertices, mesh->words, mesh));
    BI_TRY(
        core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, mesh->first_vertex, mesh->words + 1, mesh->first_vertex));
    /* 2. Count triangles, unless the ranks of the tree do: degenerate leaves are not in the mesh. */
    if (!bi_terrain_fills_squares(g)) {
        BI_TRY(bi_scratch_of(ctx, v->blocks + 1, sizeof *mesh->counts, &mesh->counts));
        BI_TRY(ctx->backend->fill(ctx, mesh->counts + v->blocks, 0, sizeof *mesh->counts));
        if (ctx->ops->terrain->count_triangles && bi_terrain_word_in_triangle(g))
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
