#include "tool/commands/surface.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/options/option_table.h"
#include "tool/output/frames.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

int surface_check_bound(const struct job *job)
{
    static const enum option bounds[] = {OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA};
    int given = -1;
    for (int i = 0; i < 3; i++) {
        if (job->value[bounds[i]] && given >= 0)
            return report_error(EXIT_USAGE, "%s: cannot be combined with %s: give one bound", option_flag(bounds[i]),
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
    if (png_path && !rgb) return report_error(EXIT_FAILED, "out of memory for the picture");
    bosc_status status =
        !png_path    ? bosc_mesh_write(mesh_path, mesh, &error)
        : !mesh_path ? bosc_png_write(png_path, rgb, canvas->width, canvas->height, &error)
                     : bosc_mesh_and_png_write(mesh_path, mesh, png_path, rgb, canvas->width, canvas->height, &error);
    free(rgb);
    job_add_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int flight_prepare(const struct job *job, const enum option *excluded, int excluded_count, int64_t *frames)
{
    for (int i = 0; i < excluded_count; i++)
        if (job->value[excluded[i]])
            return report_error(EXIT_USAGE, "%s: does not apply to a flight", option_flag(excluded[i]));
    *frames = 60;
    int code = option_integer(job, OPT_FRAMES, 1, FRAMES_MAX, frames);
    if (!code && path_is_stdio(job->value[OPT_OUTPUT])) code = report_error(EXIT_USAGE, "-o: a flight needs a folder");
    return code;
}

static int check_cameras(const char *name, const bosc_array *cameras, camera_check_fn check)
{
    char row[PATH_MAX + 32];
    for (int64_t i = 0; i < cameras->shape[0]; i++) {
        const double *camera = (const double *)cameras->data + i * CAMERA_NUMBERS;
        snprintf(row, sizeof row, "%s: row %lld", name, (long long)i);
        for (int k = 0; k < CAMERA_NUMBERS; k++)
            if (!isfinite(camera[k])) return report_error(EXIT_FAILED, "%s: %g is not finite", row, camera[k]);
        if (check(row, camera)) return EXIT_FAILED;
    }
    return EXIT_DONE;
}

int flight_read_cameras(struct job *job, int64_t min_rows, const char *rows, camera_check_fn check, bosc_array *cameras)
{
    bosc_io_error error;
    const char *name = job->value[OPT_FLY];
    bosc_status status = bosc_points_read(name, cameras, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    const bool good =
        cameras->dtype == BOSC_F64 && cameras->shape[1] == CAMERA_NUMBERS && cameras->shape[0] >= min_rows;
    const int code = good ? check_cameras(name, cameras, check)
                          : report_error(EXIT_FAILED, "%s: a path has %s, as text or f8", name, rows);
    if (code) bosc_array_free(cameras);
    return code;
}
