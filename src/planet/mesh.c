/* Writes indexed meshes, whole ones and parts. */
#include <string.h>

#include "core/check.h"
#include "planet/steps/steps.h"

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

static bosc_status check_capacity(bosc_ctx *ctx, const char *name, bool requested, int64_t capacity, const char *what,
                                  int64_t count)
{
    if (!requested || count <= capacity) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_SPACE, "%s: %lld %s, but there are %lld", name, (long long)capacity, what,
                   (long long)count);
}

/* Numbers the vertices of the leaves from mesh->begin to mesh->end; the last entry of first[] is their total. */
static bosc_status number_vertices(bosc_ctx *ctx, struct bi_planet_mesh *mesh)
{
    const int64_t n = mesh->end - mesh->begin;
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *mesh->first, &mesh->first));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *mesh->owned, &mesh->owned));
    BI_TRY(ctx->backend->fill(ctx, mesh->first + n, 0, sizeof *mesh->first));
    BI_TRY(BI_PLANET_STEP(ctx, own, n, mesh));
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, mesh->first, n + 1, mesh->first);
}

/* Numbers the vertices of the whole mesh and writes its arrays. */
static bosc_status write_whole(bosc_ctx *ctx, struct bi_planet_mesh *mesh)
{
    const struct bi_planet_ops *ops = ctx->ops->planet;
    if (ops->write_mesh) return ops->write_mesh(ctx, mesh->end, mesh);
    BI_TRY(number_vertices(ctx, mesh));
    return BI_PLANET_STEP(ctx, write, mesh->end, mesh);
}

/* Writes the vertices and triangles of a part, whose vertices are numbered. */
static bosc_status write_part(bosc_ctx *ctx, struct bi_planet_mesh *mesh)
{
    return BI_PLANET_STEP(ctx, write, mesh->end - mesh->begin, mesh);
}

/* Stages the caller's arrays and fills them by `write`. */
static bosc_status write_arrays(bosc_ctx *ctx, struct bi_planet_mesh *mesh, const struct outputs *o,
                                const int64_t counts[2],
                                bosc_status (*write)(bosc_ctx *ctx, struct bi_planet_mesh *mesh))
{
    struct bi_out vertices, positions, normals, triangles;
    bool staged = false;
    const size_t v = (size_t)counts[0] * 3, t = (size_t)counts[1] * 3;
    if (o->origin) memcpy(mesh->origin, o->origin, sizeof mesh->origin);
    BI_TRY(bi_stage_out(ctx, o->vertices, o->vertices ? v * sizeof *o->vertices : 0, &vertices, &staged));
    BI_TRY(bi_stage_out(ctx, o->positions, o->positions ? v * sizeof *o->positions : 0, &positions, &staged));
    BI_TRY(bi_stage_out(ctx, o->normals, o->normals ? v * sizeof *o->normals : 0, &normals, &staged));
    BI_TRY(bi_stage_out(ctx, o->triangles, o->triangles ? t * sizeof *o->triangles : 0, &triangles, &staged));
    mesh->vertices = vertices.reachable;
    mesh->positions = positions.reachable;
    mesh->normals = normals.reachable;
    mesh->triangles = triangles.reachable;
    BI_TRY(write(ctx, mesh));
    BI_TRY(bi_stage_back(ctx, &vertices));
    BI_TRY(bi_stage_back(ctx, &positions));
    BI_TRY(bi_stage_back(ctx, &normals));
    BI_TRY(bi_stage_back(ctx, &triangles));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static struct bi_planet_mesh mesh_of(const bosc_planet *planet, int64_t begin, int64_t end)
{
    const struct bi_planet_mesh mesh = {
        .leaves = planet->current.data, .neighbours = bi_planet_pool(planet)->neighbours, .begin = begin, .end = end};
    return mesh;
}

static bosc_status get_mesh(bosc_ctx *ctx, const bosc_planet *planet, const struct outputs *o, const int64_t counts[2])
{
    struct bi_planet_mesh mesh = mesh_of(planet, 0, counts[1]);
    bi_progress_set_total(ctx, 3 * (double)counts[1]);
    return write_arrays(ctx, &mesh, o, counts, write_whole);
}

static bosc_status check_outputs(bosc_ctx *ctx, const struct outputs *o)
{
    if (o->vertices || o->positions || o->normals)
        BI_TRY(bi_planet_check_array(ctx, "vertex_capacity", o->vertex_capacity, "vertices", o, 3 * sizeof(double),
                                     1)); /* `o` stands for the arrays, which are checked below */
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

static bool has_outputs(const struct outputs *o) { return o->vertices || o->positions || o->normals || o->triangles; }

static bosc_status check_room(bosc_ctx *ctx, const struct outputs *o, const int64_t counts[2])
{
    BI_TRY(check_capacity(ctx, "vertex_capacity", o->vertices || o->positions || o->normals, o->vertex_capacity,
                          "vertices", counts[0]));
    return check_capacity(ctx, "triangle_capacity", o->triangles != NULL, o->triangle_capacity, "triangles", counts[1]);
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
    bosc_status status = check_room(ctx, &o, found);
    if (status == BOSC_OK && has_outputs(&o)) BI_TRY_WITH_SCRATCH(ctx, get_mesh(ctx, planet, &o, found));
    memcpy(counts, found, sizeof found);
    return status;
}

/* ---- a part ---- */

/* Sets counts[0]. BOSC_ERR_SPACE: the arrays are too small for these counts. */
static bosc_status get_part(bosc_ctx *ctx, const bosc_planet *planet, int64_t first, const struct outputs *o,
                            int64_t counts[2])
{
    struct bi_planet_mesh mesh = mesh_of(planet, first, first + counts[1]);
    uint32_t vertices;
    bi_progress_set_total(ctx, 4 * (double)counts[1]);
    BI_TRY(number_vertices(ctx, &mesh));
    BI_TRY(bi_read_back(ctx, &vertices, mesh.first + counts[1], sizeof vertices));
    counts[0] = vertices;
    BI_TRY(check_room(ctx, o, counts));
    return has_outputs(o) ? write_arrays(ctx, &mesh, o, counts, write_part) : BOSC_OK;
}

bosc_status bosc_planet_get_part(bosc_ctx *ctx, const bosc_planet *planet, int64_t first, int64_t count,
                                 const double *origin, float *vertices, double *positions, float *normals,
                                 int64_t vertex_capacity, uint32_t *triangles, int64_t triangle_capacity,
                                 int64_t counts[2])
{
    const struct outputs o = {origin, vertices, positions, normals, vertex_capacity, triangles, triangle_capacity};
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_mesh(ctx, planet));
    const int64_t leaves = bi_planet_pool(planet)->leaves;
    if (first < 0 || first > leaves)
        return bi_fail(ctx, BOSC_ERR_ARG, "first: %lld is not in 0 to the %lld triangles", (long long)first,
                       (long long)leaves);
    if (count < 0 || count > leaves - first)
        return bi_fail(ctx, BOSC_ERR_ARG, "count: %lld is not in 0 to the %lld triangles from %lld on",
                       (long long)count, (long long)(leaves - first), (long long)first);
    BI_TRY(check_outputs(ctx, &o));
    if (!counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    int64_t found[2] = {0, count};
    bosc_status status = BOSC_OK;
    if (count > 0) BI_WITH_SCRATCH(ctx, status = get_part(ctx, planet, first, &o, found));
    if (status == BOSC_OK || status == BOSC_ERR_SPACE) memcpy(counts, found, sizeof found);
    return status;
}

static bosc_status get_tiles(bosc_ctx *ctx, const bosc_planet *planet, int32_t level, int64_t count, int64_t *first)
{
    struct bi_planet_tile_starts a = {.pool = *bi_planet_pool(planet), .level = level};
    struct bi_out out;
    bool staged = false;
    bi_progress_set_total(ctx, (double)count);
    BI_TRY(bi_stage_out(ctx, first, (size_t)(count + 1) * sizeof *first, &out, &staged));
    a.first = out.reachable;
    BI_TRY(BI_PLANET_STEP(ctx, tile_starts, count + 1, &a));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_planet_get_tiles(bosc_ctx *ctx, const bosc_planet *planet, int32_t level, int64_t *first,
                                  int64_t first_capacity)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_mesh(ctx, planet));
    const int32_t depth = planet->opts.depth,
                  max_level = depth < BOSC_PLANET_TILE_LEVELS ? depth : BOSC_PLANET_TILE_LEVELS;
    if (level < 0 || level > max_level)
        return bi_fail(ctx, BOSC_ERR_ARG, "level: %d is not in 0 to %d", (int)level, (int)max_level);
    const int64_t count = (int64_t)BI_PLANET_ROOTS << level;
    BI_TRY(bi_planet_check_array(ctx, "first_capacity", first_capacity, "first", first, sizeof *first, sizeof *first));
    if (first_capacity <= count)
        return bi_fail(ctx, BOSC_ERR_SPACE, "first_capacity: %lld, but %lld tiles have one number more",
                       (long long)first_capacity, (long long)count);
    BI_RETURN_WITH_SCRATCH(ctx, get_tiles(ctx, planet, level, count, first));
}
