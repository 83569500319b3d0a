/* boscage demo: shows every room with checked answers, times and pictures. */
#include <stdio.h>
#include <string.h>

#include "demo/demo.h"
#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

static bool is_quiet(const struct job *job) { return job->value[OPT_QUIET] || job->value[OPT_JSON]; }

static void show_row(void *user, const char *what, double seconds, double items)
{
    struct job *job = user;
    json_array_append_new(json_object_get(job->results, "rows"),
                          json_pack("{s:s, s:f, s:f}", "what", what, "seconds", seconds, "items_per_second",
                                    seconds > 0 ? items / seconds : 0));
    if (is_quiet(job)) return;
    printf("  %-58s", what);
    if (seconds > 0) printf(" %10.3f ms", seconds * 1e3);
    if (seconds > 0 && items > 0) printf(" %10.2f M/s", items / seconds * 1e-6);
    printf("\n");
    fflush(stdout);
}

static void show_picture(void *user, const char *path)
{
    struct job *job = user;
    json_array_append_new(json_object_get(job->results, "pictures"), json_string(path));
    if (!is_quiet(job)) printf("  picture: %s\n", path);
}

static void show_header(const struct job *job)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    printf("boscage %s on %s", bosc_version(), info.backend == BOSC_BACKEND_CUDA ? info.device_name : "the CPU");
    if (info.backend == BOSC_BACKEND_CPU) printf(", %d thread%s", info.threads, info.threads == 1 ? "" : "s");
    printf("\n");
}

static int show_parts(struct job *job, struct demo *demo)
{
    for (int i = 0; i < demo_part_count; i++) {
        const struct demo_part *part = &demo_parts[i];
        if (!is_quiet(job)) printf("\n%s\n", part->title);
        double start = job_now();
        bosc_status status = part->run(demo);
        job_add_seconds(job, part->room, start);
        if (status != BOSC_OK) return report_error(status_exit_code(status), "%s", demo->error);
    }
    return EXIT_DONE;
}

int run_demo(struct job *job)
{
    bosc_array points = {0};
    const char *folder = job->value[OPT_OUTPUT] ? job->value[OPT_OUTPUT] : "demo";
    int code = job_open(job);
    if (code) return code;
    if (strcmp(folder, "-") == 0) return report_error(EXIT_USAGE, "-o: the demonstration needs a folder");
    if ((code = create_folder(folder))) return code;
    if (job->operand_count && (code = points_read(job, job->operands[0], &points))) return code;
    job_set_json(job, "rows", json_array());
    job_set_json(job, "pictures", json_array());
    if (!is_quiet(job)) show_header(job);
    struct demo demo = {.ctx = job->ctx,
                        .folder = folder,
                        .points = job->operand_count ? &points : NULL,
                        .user = job,
                        .row = show_row,
                        .picture = show_picture};
    code = show_parts(job, &demo);
    bosc_array_free(&points);
    return code;
}
