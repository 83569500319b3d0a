/* boscage planet --tiles: the mesh in parts, a file each. */
#include <stdio.h>
#include <stdlib.h>

#include "tool/output/frames.h"
#include "tool/commands/planet_job.h"

struct tiles {
    int64_t count, *first; /* first: the triangle that each begins with; behind them the number of all */
};

static int find_tiles(struct job *job, const struct globe *globe, int64_t level, struct tiles *tiles)
{
    tiles->count = (int64_t)8 << level;
    tiles->first = job_alloc((size_t)tiles->count + 1, sizeof *tiles->first);
    if (!tiles->first) return EXIT_FAILED;
    bosc_status status = bosc_planet_get_tiles(job->ctx, globe->planet, (int32_t)level, tiles->first, tiles->count + 1);
    if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

/* One tile, in the arrays that had the whole mesh. Adds its line. */
static int write_tile(struct job *job, struct globe *globe, const struct tiles *tiles, int64_t k, json_t *lines)
{
    char name[FRAME_NAME_SIZE];
    bosc_io_error error;
    int64_t counts[2];
    const int64_t first = tiles->first[k], count = tiles->first[k + 1] - first;
    if (count == 0) return EXIT_DONE;
    if (!numbered_name(&tile_files, job->value[OPT_OUTPUT], k, name))
        return say(EXIT_FAILED, "-o: the name of the folder is too long");
    bosc_status status = bosc_planet_get_part(job->ctx, globe->planet, first, count, globe->origin, globe->vertices,
                                              NULL, globe->normals, globe->vertex_capacity, globe->triangles,
                                              globe->triangle_capacity, counts);
    if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
    if (status != BOSC_OK) return say_ctx(job, status);
    globe->mesh.vertices = counts[0];
    globe->mesh.triangles = counts[1];
    status = bosc_mesh_write(name, &globe->mesh, &error);
    if (status != BOSC_OK) return say_io(status, &error);
    json_array_append_new(lines, json_pack("{s:s, s:I, s:I, s:I}", "file", name, "tile", (json_int_t)k, "vertices",
                                           (json_int_t)counts[0], "triangles", (json_int_t)counts[1]));
    return EXIT_DONE;
}

static bool is_written(const void *user, int64_t k)
{
    const struct tiles *tiles = user;
    return k >= 0 && k < tiles->count && tiles->first[k] < tiles->first[k + 1];
}

int planet_write_tiles(struct job *job, struct globe *globe, int64_t level)
{
    struct tiles tiles = {0};
    const double start = job_now();
    int code = folder_make(job->value[OPT_OUTPUT]);
    if (!code) code = find_tiles(job, globe, level, &tiles);
    json_t *lines = json_array();
    for (int64_t k = 0; !code && k < tiles.count; k++) code = write_tile(job, globe, &tiles, k, lines);
    if (!code) code = numbered_remove(&tile_files, job->value[OPT_OUTPUT], is_written, &tiles);
    job_seconds(job, "write", start);
    if (!code) job_integer(job, "files", (int64_t)json_array_size(lines));
    job_json(job, "tiles", lines);
    free(tiles.first);
    return code;
}
