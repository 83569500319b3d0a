/* One frame of all structures: a planet's triangles, a k-d tree of objects, a table of their
 * contacts, a forest of and routes over their roads, and the turn of a robot are rebuilt from the data of each frame.
 * usage: frame [cpu|cuda|auto] [OBJECTS] [FRAMES] [PIXELS] [cpu|cuda|auto: of the robot] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame_world.h"

enum { FRAMES_MAX = 1 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* FNV-1a over the bytes of an array. */
static uint64_t hash_bytes(uint64_t h, const void *array, int64_t bytes)
{
    const uint8_t *b = array;
    for (int64_t i = 0; i < bytes; i++) h = (h ^ b[i]) * 0x100000001b3u;
    return h;
}

/* Prints the results of the last frame, and a hash of their bits, which every backend shares. */
static bosc_status print_frame(struct world *world)
{
    struct world_frame f = {0};
    const bosc_status status = world_fetch(world, &f);
    if (!status) {
        uint64_t h = hash_bytes(0xcbf29ce484222325u, f.vertex, f.vertices * 12);
        h = hash_bytes(h, f.triangle, f.triangles * 12);
        h = hash_bytes(h, f.position, f.objects * 12);
        h = hash_bytes(h, f.contact, f.contacts * 8);
        h = hash_bytes(h, f.age, f.contacts * 4);
        h = hash_bytes(h, f.edge, f.edges * 8);
        for (int r = 0; r < WORLD_ROUTES_SHOWN; r++) h = hash_bytes(h, f.route[r], 4 * (int64_t)f.stops[r]);
        h = hash_bytes(h, f.rotation, sizeof f.rotation);
        int64_t oldest = 0;
        for (int64_t c = 0; c < f.contacts; c++)
            if (f.age[c] > oldest) oldest = f.age[c];
        printf("frame %d: %lld triangles, %lld contacts to %lld frames old, %lld trees, %lld objects reached, "
               "%d routes of the robot, bits %016llx\n",
               (int)f.number, (long long)f.triangles, (long long)f.contacts, (long long)oldest, (long long)f.trees,
               (long long)f.reached, (int)f.planned, (unsigned long long)h);
    }
    world_frame_free(&f);
    return status;
}

/* Steps through `frames` frames with one wait each, and then through as many with the times of the stages. The first
 * eight frames of a world allocate. */
static bosc_status time_frames(struct world *world, int frames, double *whole, double (*stages)[WORLD_STAGES])
{
    bosc_status status = BOSC_OK;
    for (int i = 0; i < 8 && !status; i++) status = world_step(world, NULL);
    for (int i = 0; i < frames && !status; i++) {
        const double start = now();
        status = world_step(world, NULL);
        whole[i] = now() - start;
    }
    if (!status) status = print_frame(world);
    for (int i = 0; i < frames && !status; i++) status = world_step(world, stages[i]);
    return status ? status : print_frame(world);
}

static void print_times(int frames, double *whole, double (*stages)[WORLD_STAGES], double *column)
{
    for (int s = 0; s < WORLD_STAGES; s++) {
        for (int i = 0; i < frames; i++) column[i] = stages[i][s];
        qsort(column, (size_t)frames, sizeof *column, compare);
        printf("%-9s %8.3f ms, at most %8.3f\n", world_stage_names[s], 1e3 * column[frames / 2],
               1e3 * column[frames - 1]);
    }
    qsort(whole, (size_t)frames, sizeof *whole, compare);
    printf("%-9s %8.3f ms, at most %8.3f: %.0f frames a second\n", "frame", 1e3 * whole[frames / 2],
           1e3 * whole[frames - 1], 1 / whole[frames / 2]);
}

/* Sets the backend of a context by its name. Returns 0 for other names. */
static int parse_backend(const char *name, bosc_ctx_opts *opts)
{
    *opts = (bosc_ctx_opts){.size = sizeof *opts, .backend = BOSC_BACKEND_AUTO};
    if (strcmp(name, "cpu") == 0) opts->backend = BOSC_BACKEND_CPU;
    if (strcmp(name, "cuda") == 0) opts->backend = BOSC_BACKEND_CUDA;
    return opts->backend != BOSC_BACKEND_AUTO || strcmp(name, "auto") == 0;
}

/* Reads a number that takes up all of a text. Returns 0 for other texts. */
static int parse_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end > text && !*end;
}

/* As parse_number, for a whole number from `low` to `high`. */
static int parse_integer(const char *text, int64_t low, int64_t high, int64_t *integer)
{
    double number;
    if (!parse_number(text, &number) || !(number >= (double)low && number <= (double)high)) return 0;
    *integer = (int64_t)number;
    return (double)*integer == number;
}

int main(int argc, char **argv)
{
    bosc_ctx_opts ctx_opts, robot_opts;
    int64_t count = 0;
    struct world_opts opts = {.districts = WORLD_DISTRICTS_MAX, .frames = 600};
    const int is_valid =
        parse_backend(argc > 1 ? argv[1] : "auto", &ctx_opts) &&
        parse_integer(argc > 2 ? argv[2] : "4096", WORLD_OBJECTS_MIN, WORLD_OBJECTS_MAX, &opts.objects) &&
        parse_integer(argc > 3 ? argv[3] : "20", 1, FRAMES_MAX, &count) &&
        parse_number(argc > 4 ? argv[4] : "4", &opts.pixels) && opts.pixels > 0 &&
        parse_backend(argc > 5 ? argv[5] : "cpu", &robot_opts);
    const int frames = (int)count;
    if (!is_valid || argc > 6) {
        fprintf(stderr,
                "usage: frame [cpu|cuda|auto] [OBJECTS, %d to %d] [FRAMES, 1 to %d] [PIXELS] "
                "[cpu|cuda|auto: of the robot]\n",
                WORLD_OBJECTS_MIN, WORLD_OBJECTS_MAX, FRAMES_MAX);
        return 2;
    }
    /* 1. The world. */
    double *whole = malloc((size_t)frames * sizeof *whole), *column = malloc((size_t)frames * sizeof *column);
    double(*stages)[WORLD_STAGES] = malloc((size_t)frames * sizeof *stages);
    bosc_ctx *ctx = NULL, *robot_ctx = NULL;
    struct world *world = NULL;
    bosc_status status = whole && column && stages ? bosc_ctx_create(&ctx_opts, &ctx) : BOSC_ERR_NOMEM;
    if (!status) status = bosc_ctx_create(&robot_opts, &robot_ctx);
    if (!status) status = world_open(ctx, robot_ctx, &opts, &world);
    /* 2. Its frames. */
    if (!status) status = time_frames(world, frames, whole, stages);
    if (!status) print_times(frames, whole, stages, column);
    if (status)
        fprintf(stderr, "frame: %s %s %s\n", bosc_status_text(status),
                ctx ? bosc_ctx_message(ctx) : bosc_backend_reason(ctx_opts.backend),
                robot_ctx ? bosc_ctx_message(robot_ctx) : bosc_backend_reason(robot_opts.backend));
    world_close(world);
    bosc_ctx_free(robot_ctx);
    bosc_ctx_free(ctx);
    free(whole);
    free(column);
    free(stages);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
