/* Terrain for a job: timed, and what fails is said. */
#include "tool/commands/terrain_job.h"

int camera_refused(const char *name, const double camera[CAMERA_NUMBERS])
{
    char reason[96];
    return camera_check(camera, reason, sizeof reason) ? EXIT_DONE : say(EXIT_USAGE, "%s: %s", name, reason);
}

int terrain_select(struct job *job, struct land *land, const bosc_terrain_goal *goal)
{
    double start = job_now();
    bosc_status status = land_select(job->ctx, land, goal);
    job_seconds(job, "select", start);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

int terrain_mesh(struct job *job, struct land *land)
{
    double start = job_now();
    bosc_status status = land_mesh(job->ctx, land);
    job_seconds(job, "mesh", start);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}
