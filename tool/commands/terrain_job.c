#include "tool/commands/terrain_job.h"

#include "tool/clock.h"
#include "tool/job.h"
#include "tool/output/report.h"
#include "tool/tool.h"

int check_camera(const char *name, const double camera[CAMERA_NUMBERS])
{
    char reason[96];
    return camera_check(camera, reason, sizeof reason) ? EXIT_DONE : report_error(EXIT_USAGE, "%s: %s", name, reason);
}

int terrain_select(struct job *job, struct terrain_view *terrain, const bosc_terrain_goal *goal)
{
    double start = job_now();
    bosc_status status = terrain_view_select(job->ctx, terrain, goal);
    job_add_seconds(job, "select", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
}

int terrain_mesh(struct job *job, struct terrain_view *terrain)
{
    double start = job_now();
    bosc_status status = terrain_view_fetch_mesh(job->ctx, terrain);
    job_add_seconds(job, "mesh", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
}
