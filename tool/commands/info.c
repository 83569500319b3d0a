/* boscage info */
#include <stdio.h>

#include <boscage/io.h>

#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/tool.h"

static const char *level_name(bosc_cpu_level level)
{
#if defined(__x86_64__)
    return level == BOSC_CPU_V4 ? "x86-64-v4" : level == BOSC_CPU_V3 ? "x86-64-v3" : "x86-64";
#else
    (void)level;
    return "baseline";
#endif
}

/* Lists the devices by number and name. */
static json_t *list_devices(void)
{
    json_t *devices = json_array();
    for (int32_t i = 0; i < bosc_device_count(); i++) {
        bosc_ctx *ctx = NULL;
        bosc_ctx_info info = {.size = sizeof info};
        bosc_ctx_opts opts = {.size = sizeof opts, .backend = BOSC_BACKEND_CUDA, .device = i};
        const char *name = "cannot be opened";
        if (bosc_ctx_create(&opts, &ctx) == BOSC_OK && bosc_ctx_get_info(ctx, &info) == BOSC_OK)
            name = info.device_name;
        json_array_append_new(devices, json_pack("{s:i, s:s}", "device", i, "name", name));
        bosc_ctx_free(ctx);
    }
    return devices;
}

static void print_info(const bosc_ctx_info *info, const json_t *devices)
{
    const char *reason = bosc_backend_reason(BOSC_BACKEND_CUDA);
    printf("boscage      %s\n", bosc_version());
    printf("cpu          %d thread%s, %s\n", info->threads, info->threads == 1 ? "" : "s", level_name(info->cpu_level));
    if (*reason) printf("cuda         unavailable: %s\n", reason);
    if (*bosc_proj_reason())
        printf("proj         unavailable: %s\n", bosc_proj_reason());
    else
        printf("proj         available\n");
    for (size_t i = 0; i < json_array_size(devices); i++)
        printf("cuda         device %zu: %s\n", i,
               json_string_value(json_object_get(json_array_get(devices, i), "name")));
}

int run_info(struct job *job)
{
    int code = job_open(job);
    if (code) return code;
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    const char *reason = bosc_backend_reason(BOSC_BACKEND_CUDA);
    json_t *devices = list_devices();
    if (!job->value[OPT_JSON]) {
        if (!job->value[OPT_QUIET]) print_info(&info, devices);
        json_decref(devices);
        return EXIT_DONE;
    }
    job_set_text(job, "version", bosc_version());
    job_set_json(job, "backends", *reason ? json_pack("[s]", "cpu") : json_pack("[s, s]", "cpu", "cuda"));
    job_set_json(job, "devices", devices);
    if (*reason) job_set_text(job, "no_devices", reason);
    job_set_json(job, "proj", json_boolean(!*bosc_proj_reason()));
    if (*bosc_proj_reason()) job_set_text(job, "no_proj", bosc_proj_reason());
    job_set_integer(job, "threads", info.threads);
    job_set_text(job, "cpu_level", level_name(info.cpu_level));
    return EXIT_DONE;
}
