/* boscage generate scene */
#include "demo/key_scene.h"
#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

int run_generate_scene(struct job *job)
{
    static struct key_scene key;
    bosc_io_error error;
    int kind = 0, code;
    const char *folder = job->value[OPT_OUTPUT];
    if ((code = option_choice(job, OPT_KIND, &kind))) return code;
    if (path_is_stdio(folder)) return report_error(EXIT_USAGE, "-o: a scene needs a folder");
    if ((code = job_open(job)) || (code = create_folder(folder))) return code;
    const bosc_plan_scene scene = key_scene_build(&key, kind == 0);
    double start = job_now();
    bosc_status status = bosc_scene_write(folder, &scene, &error);
    job_add_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}
