/* boscage planet --tiles: the mesh in tiles, a file each. */
#include <stdio.h>
#include <stdlib.h>

#include "tool/clock.h"
#include "tool/commands/planet_job.h"
#include "tool/job.h"
#include "tool/output/frames.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

struct tiles {
    int64_t count, *first; /* first: (count + 1) first triangle of each tile, and the number of triangles */
};

static int find_tiles(struct job *job, const struct planet_view *planet, int64_t level, struct tiles *tiles)
{
    tiles->count = (int64_t)8 << level;
    tiles->first = job_alloc((size_t)tiles->count + 1, sizeof *tiles->first);
    if (!tiles->first) return EXIT_FAILED;
    bosc_status status =
        bosc_planet_get_tiles(job->ctx, planet->handle, (int32_t)level, tiles->first, tiles->count + 1);
    if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
}

/* Writes a tile, which replaces the mesh in the arrays of the view, and adds a row to `lines`. */
static int write_tile(struct job *job, struct planet_view *planet, const struct tiles *tiles, int64_t k, json_t *lines)
{
    char name[FRAME_NAME_SIZE];
    bosc_io_error error;
    int64_t counts[2];
    const int64_t first = tiles->first[k], count = tiles->first[k + 1] - first;
    if (count == 0) return EXIT_DONE;
    if (!format_numbered_name(&tile_files, job->value[OPT_OUTPUT], k, name))
        return report_error(EXIT_FAILED, "-o: the name of the folder is too long");
    /* 1. Fetch. */
    bosc_status status = bosc_planet_get_part(job->ctx, planet->handle, first, count, planet->origin, planet->vertices,
                                              NULL, planet->normals, planet->vertex_capacity, planet->triangles,
                                              planet->triangle_capacity, counts);
    if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    /* 2. Write and report. */
    planet->mesh.vertices = counts[0];
    planet->mesh.triangles = counts[1];
    status = bosc_mesh_write(name, &planet->mesh, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    json_array_append_new(lines, json_pack("{s:s, s:I, s:I, s:I}", "file", name, "tile", (json_int_t)k, "vertices",
                                           (json_int_t)counts[0], "triangles", (json_int_t)counts[1]));
    return EXIT_DONE;
}

static bool is_written(const void *user, int64_t k)
{
    const struct tiles *tiles = user;
    return k >= 0 && k < tiles->count && tiles->first[k] < tiles->first[k + 1];
}

int planet_write_tiles(struct job *job, struct planet_view *planet, int64_t level)
{
    struct tiles tiles = {0};
    const double start = job_now();
    int code = create_folder(job->value[OPT_OUTPUT]);
    if (!code) code = find_tiles(job, planet, level, &tiles);
    json_t *lines = json_array();
    for (int64_t k = 0; !code && k < tiles.count; k++) code = write_tile(job, planet, &tiles, k, lines);
    if (!code) code = remove_numbered_files(&tile_files, job->value[OPT_OUTPUT], is_written, &tiles);
    job_add_seconds(job, "write", start);
    if (!code) job_set_integer(job, "files", (int64_t)json_array_size(lines));
    job_set_json(job, "tiles", lines);
    free(tiles.first);
    return code;
}
