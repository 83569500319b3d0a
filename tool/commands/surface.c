#include "tool/commands/surface.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 100000 };

int surface_check_bound(const struct job *job)
{
    static const enum option bounds[] = {OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA};
    int given = -1;
    for (int i = 0; i < 3; i++) {
        if (job->value[bounds[i]] && given >= 0)
            return say(EXIT_USAGE, "%s: cannot be combined with %s: give one bound", option_flag(bounds[i]),
                       option_flag(bounds[given]));
        if (job->value[bounds[i]]) given = i;
    }
    return EXIT_DONE;
}

int surface_write(struct job *job, const bosc_mesh *mesh, const struct canvas *canvas)
{
    const char *mesh_path = job->value[OPT_OUTPUT], *png_path = job->value[OPT_PNG];
    const double start = job_now();
    bosc_io_error error;
    uint8_t *rgb = png_path ? canvas_rgb(canvas) : NULL;
    if (png_path && !rgb) return say(EXIT_FAILED, "out of memory for the picture");
    bosc_status status =
        !png_path    ? bosc_mesh_write(mesh_path, mesh, &error)
        : !mesh_path ? bosc_png_write(png_path, rgb, canvas->width, canvas->height, &error)
                     : bosc_mesh_and_png_write(mesh_path, mesh, png_path, rgb, canvas->width, canvas->height, &error);
    free(rgb);
    job_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

int flight_begin(const struct job *job, const enum option *others, int other_count, int64_t *frames)
{
    for (int i = 0; i < other_count; i++)
        if (job->value[others[i]]) return say(EXIT_USAGE, "%s: does not apply to a flight", option_flag(others[i]));
    *frames = 60;
    int code = option_integer(job, OPT_FRAMES, 1, MOST_FRAMES, frames);
    if (!code && strcmp(job->value[OPT_OUTPUT], "-") == 0) code = say(EXIT_USAGE, "-o: a flight needs a folder");
    return code ? code : folder_make(job->value[OPT_OUTPUT]);
}

int flight_read(struct job *job, int64_t least, const char *rows, bosc_array *cameras)
{
    bosc_io_error error;
    const char *name = job->value[OPT_FLY];
    bosc_status status = bosc_points_read(name, cameras, &error);
    if (status != BOSC_OK) return say_io(status, &error);
    if (cameras->dtype == BOSC_F64 && cameras->shape[1] == CAMERA_NUMBERS && cameras->shape[0] >= least)
        return EXIT_DONE;
    bosc_array_free(cameras);
    return say(EXIT_FAILED, "%s: a path has %s, as text or f8", name, rows);
}
