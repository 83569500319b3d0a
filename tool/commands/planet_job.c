#include "tool/commands/planet_job.h"

#include <math.h>

#include "render/vector.h"
#include "tool/clock.h"
#include "tool/job.h"
#include "tool/output/report.h"
#include "tool/tool.h"

static const double degree = 3.14159265358979323846 / 180;

int planet_camera(struct job *job, const struct planet_view *planet, const char *name,
                  const double numbers[CAMERA_NUMBERS], int width, bosc_planet_camera *camera)
{
    static const struct limit {
        const char *what;
        double least, most;
    } limits[CAMERA_NUMBERS] = {{"latitude", -90, 90},    {"longitude", -360, 360}, {"altitude", 1e-9, 1e12},
                                {"heading", -3600, 3600}, {"pitch", -90, 90},       {"fov", 1, 170}};
    for (int i = 0; i < CAMERA_NUMBERS; i++)
        if (!(numbers[i] >= limits[i].least && numbers[i] <= limits[i].most))
            return report_error(EXIT_USAGE, "%s: the %s %g is not from %g to %g", name, limits[i].what, numbers[i],
                                limits[i].least, limits[i].most);
    *camera = (bosc_planet_camera){
        .fov = numbers[5] * degree, .pixels = 1, .width = width, .height = width * 9 / 16, .cull = 1};
    bosc_status status =
        bosc_planet_place(job->ctx, planet->handle, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], camera);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
}

int planet_select(struct job *job, struct planet_view *planet, const bosc_planet_goal *goal)
{
    const double start = job_now();
    bosc_status status = bosc_planet_select(job->ctx, planet->handle, goal);
    if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
    job_add_seconds(job, "select", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
}

int planet_mesh(struct job *job, struct planet_view *planet, const double *origin)
{
    const double start = job_now();
    bosc_status status = planet_view_fetch_mesh(job->ctx, planet, origin);
    job_add_seconds(job, "mesh", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
}

void planet_sun(const double position[3], double sun[3])
{
    double up[3] = {position[0], position[1], position[2]}, east[3], north[3];
    const double pole[3] = {0, 0, 1}, side[3] = {0, 1, 0};
    normalise(up);
    cross(fabs(up[2]) < 0.999 ? pole : side, up, east);
    normalise(east);
    cross(up, east, north);
    for (int c = 0; c < 3; c++) sun[c] = 0.62 * up[c] - 0.62 * east[c] + 0.48 * north[c];
}
