/* Writes indexed meshes. */
#include <string.h>

#include "planet/drivers.h"

/* The arrays of a call. */
struct outputs {
    const double *origin;
    float *vertices;
    double *positions;
    float *normals;
    int64_t vertex_capacity;
    uint32_t *triangles;
    int64_t triangle_capacity;
};

static bosc_status check_capacity(bosc_ctx *ctx, const char *name, bool wanted, int64_t capacity, const char *what,
                                  int64_t count)
{
    if (!wanted || count <= capacity) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_SPACE, "%s: %lld %s, but there are %lld", name, (long long)capacity, what,
                   (long long)count);
}

static bosc_status number(bosc_ctx *ctx, struct bi_planet_mesh *mesh, int64_t leaves)
{
    BI_TRY(bi_scratch_of(ctx, leaves, sizeof *mesh->first, &mesh->first));
    BI_TRY(bi_scratch_of(ctx, leaves, sizeof *mesh->owned, &mesh->owned));
    BI_TRY(BI_PLANET_STEP(ctx, own, leaves, mesh));
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, mesh->first, leaves, mesh->first);
}

static bosc_status get_mesh(bosc_ctx *ctx, const bosc_planet *planet, const struct outputs *o, const int64_t counts[2])
{
    struct bi_planet_mesh mesh = {.leaves = planet->now.data, .neighbours = bi_planet_pool(planet)->neighbours};
    struct bi_out vertices, positions, normals, triangles;
    bool staged = false;
    const size_t v = (size_t)counts[0] * 3, t = (size_t)counts[1] * 3;
    bi_expect(ctx, 3 * (double)counts[1]);
    if (o->origin) memcpy(mesh.origin, o->origin, sizeof mesh.origin);
    BI_TRY(bi_stage_out(ctx, o->vertices, o->vertices ? v * sizeof *o->vertices : 0, &vertices, &staged));
    BI_TRY(bi_stage_out(ctx, o->positions, o->positions ? v * sizeof *o->positions : 0, &positions, &staged));
    BI_TRY(bi_stage_out(ctx, o->normals, o->normals ? v * sizeof *o->normals : 0, &normals, &staged));
    BI_TRY(bi_stage_out(ctx, o->triangles, o->triangles ? t * sizeof *o->triangles : 0, &triangles, &staged));
    mesh.vertices = vertices.reachable;
    mesh.positions = positions.reachable;
    mesh.normals = normals.reachable;
    mesh.triangles = triangles.reachable;
    BI_TRY(number(ctx, &mesh, counts[1]));
    BI_TRY(BI_PLANET_STEP(ctx, write, counts[1], &mesh));
    BI_TRY(bi_stage_back(ctx, &vertices));
    BI_TRY(bi_stage_back(ctx, &positions));
    BI_TRY(bi_stage_back(ctx, &normals));
    BI_TRY(bi_stage_back(ctx, &triangles));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status check_outputs(bosc_ctx *ctx, const struct outputs *o)
{
    if (o->vertices || o->positions || o->normals)
        BI_TRY(bi_planet_check_array(ctx, "vertex_capacity", o->vertex_capacity, "vertices", o, 3 * sizeof(double), 1));
    if (o->triangles)
        BI_TRY(bi_planet_check_array(ctx, "triangle_capacity", o->triangle_capacity, "triangles", o->triangles,
                                     3 * sizeof *o->triangles, sizeof *o->triangles));
    BI_TRY(bi_check_aligned(ctx, "vertices", o->vertices, sizeof *o->vertices));
    BI_TRY(bi_check_aligned(ctx, "positions", o->positions, sizeof *o->positions));
    BI_TRY(bi_check_aligned(ctx, "normals", o->normals, sizeof *o->normals));
    for (int c = 0; c < 3 && o->origin; c++)
        if (!(o->origin[c] - o->origin[c] == 0)) return bi_fail(ctx, BOSC_ERR_ARG, "origin: it is not finite");
    return BOSC_OK;
}

bosc_status bosc_planet_get_mesh(bosc_ctx *ctx, const bosc_planet *planet, const double *origin, float *vertices,
                                 double *positions, float *normals, int64_t vertex_capacity, uint32_t *triangles,
                                 int64_t triangle_capacity, int64_t counts[2])
{
    const struct outputs o = {origin, vertices, positions, normals, vertex_capacity, triangles, triangle_capacity};
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_mesh(ctx, planet));
    BI_TRY(check_outputs(ctx, &o));
    if (!counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    const int64_t leaves = bi_planet_pool(planet)->leaves;
    const int64_t found[2] = {leaves / 2 + 2, leaves}; /* E = 3 F / 2 and V - E + F = 2 */
    bosc_status status =
        check_capacity(ctx, "vertex_capacity", vertices || positions || normals, vertex_capacity, "vertices", found[0]);
    if (status == BOSC_OK)
        status = check_capacity(ctx, "triangle_capacity", triangles != NULL, triangle_capacity, "triangles", found[1]);
    if (status == BOSC_OK && (vertices || positions || normals || triangles))
        BI_TRY_WITH_SCRATCH(ctx, get_mesh(ctx, planet, &o, found));
    memcpy(counts, found, sizeof found);
    return status;
}
