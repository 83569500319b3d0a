/* boscage generate scene: a robot and an obstacle to plan in. */
#include "demo/key.h"
#include "tool/tool.h"

int run_generate_scene(struct job *job)
{
    static struct key_scene key;
    bosc_io_error error;
    int kind = 0, code;
    const char *folder = job->value[OPT_OUTPUT];
    if ((code = option_choice(job, OPT_KIND, &kind))) return code;
    if (path_is_standard(folder)) return say(EXIT_USAGE, "-o: a scene needs a folder");
    if ((code = job_open(job)) || (code = folder_make(folder))) return code;
    const bosc_plan_scene scene = key_make(&key, kind == 0);
    double start = job_now();
    bosc_status status = bosc_scene_write(folder, &scene, &error);
    job_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}
