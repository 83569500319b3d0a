/* Errors, memory, time, points and output of the demonstration. */
#include "demo/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "render/memory.h"

bosc_status demo_fail(struct demo *demo, bosc_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(demo->error, sizeof demo->error, format, args);
    va_end(args);
    return status;
}

bosc_status demo_fail_ctx(struct demo *demo, bosc_status status)
{
    const char *text = bosc_ctx_message(demo->ctx);
    return demo_fail(demo, status, "%s", *text ? text : bosc_status_text(status));
}

void *demo_alloc(struct demo *demo, size_t count, size_t size)
{
    void *memory = memory_allocate(count, size);
    if (!memory) demo_fail(demo, BOSC_ERR_NOMEM, "out of memory for %zu times %zu bytes", count, size);
    return memory;
}

double demo_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool demo_has_device(const struct demo *demo)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(demo->ctx, &info);
    return info.backend == BOSC_BACKEND_CUDA;
}

bosc_status demo_generate_plane(struct demo *demo, uint64_t uniform_seed, uint64_t clustered_seed, int64_t n,
                                float *points)
{
    const int64_t half = n / 2;
    bosc_status status =
        bosc_random_points(demo->ctx, BOSC_RANDOM_POINTS_UNIFORM, uniform_seed, half, 2, BOSC_F32, points);
    if (status == BOSC_OK)
        status = bosc_random_points(demo->ctx, BOSC_RANDOM_POINTS_CLUSTERED, clustered_seed, n - half, 2, BOSC_F32,
                                    points + 2 * half);
    for (int64_t i = 0; i < 2 * n; i++) points[i] = fminf(fmaxf(points[i], 0), 1);
    return status;
}

void demo_row(struct demo *demo, const char *what, double seconds, double items)
{
    demo->row(demo->user, what, seconds, items);
}

bosc_status demo_picture(struct demo *demo, const struct canvas *canvas, const char *name)
{
    char path[4096];
    bosc_io_error error;
    int used = snprintf(path, sizeof path, "%s/%s", demo->folder, name);
    if (used < 0 || (size_t)used >= sizeof path)
        return demo_fail(demo, BOSC_ERR_LIMIT, "-o: the name of the folder is too long");
    bosc_status status = canvas_write(canvas, path, &error);
    if (status != BOSC_OK) return demo_fail(demo, status, "%s", error.text);
    demo->picture(demo->user, path);
    return BOSC_OK;
}
