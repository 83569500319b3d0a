/* boscage demo: every room at work, answers checked, figures and pictures. */
#include <stdio.h>
#include <string.h>

#include "tool/canvas.h"
#include "tool/demo.h"

static bool is_quiet(const struct job *job) { return job->value[OPT_QUIET] || job->value[OPT_JSON]; }

static const char *folder(const struct job *job) { return job->value[OPT_OUTPUT] ? job->value[OPT_OUTPUT] : "demo"; }

void demo_row(struct job *job, const char *what, double seconds, double items)
{
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

int demo_picture(struct job *job, const struct canvas *canvas, const char *name)
{
    char path[4096];
    bosc_io_error error;
    int used = snprintf(path, sizeof path, "%s/%s", folder(job), name);
    if (used < 0 || (size_t)used >= sizeof path) return say(EXIT_FAILED, "-o: the name of the folder is too long");
    bosc_status status = canvas_write(canvas, path, &error);
    if (status != BOSC_OK) return say_io(status, &error);
    json_array_append_new(json_object_get(job->results, "pictures"), json_string(path));
    if (!is_quiet(job)) printf("  picture: %s\n", path);
    return EXIT_DONE;
}

int run_demo(struct job *job)
{
    int code = job_open(job);
    if (code) return code;
    if (strcmp(folder(job), "-") == 0) return say(EXIT_USAGE, "-o: the demonstration needs a folder");
    if ((code = folder_make(folder(job)))) return code;
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    job_json(job, "rows", json_array());
    job_json(job, "pictures", json_array());
    if (!is_quiet(job)) {
        printf("boscage %s on %s", bosc_version(), info.backend == BOSC_BACKEND_CUDA ? info.device_name : "the CPU");
        if (info.backend == BOSC_BACKEND_CPU) printf(", %d thread%s", info.threads, info.threads == 1 ? "" : "s");
        printf("\n\nk-d trees\n");
    }
    double start = job_now();
    code = demo_kdtree(job, job->operand_count ? job->operands[0] : NULL);
    if (!code) code = demo_partition(job);
    job_seconds(job, "kdtree", start);
    if (code) return code;
    if (!is_quiet(job)) printf("\ngraphs and spanning trees\n");
    start = job_now();
    code = demo_forest(job);
    if (!code) code = demo_emst(job);
    job_seconds(job, "forest", start);
    if (code) return code;
    if (!is_quiet(job)) printf("\nhash tables and their uses\n");
    start = job_now();
    code = demo_hash(job);
    if (!code) code = demo_spatial(job);
    if (!code) code = demo_geometric(job);
    job_seconds(job, "hash", start);
    if (code) return code;
    if (!is_quiet(job)) printf("\ncell graphs and tries\n");
    start = job_now();
    code = demo_cells(job);
    job_seconds(job, "cellgraph", start);
    if (code) return code;
    if (!is_quiet(job)) printf("\nbinary trees and terrain\n");
    start = job_now();
    code = demo_terrain(job);
    job_seconds(job, "terrain", start);
    return code;
}
