/* Times calls on a busy machine: bench_busy [-n items] [-s seconds] [-p processes] [-r measurements of a call that
 * exceeds]. One process on each processor spins. Beside them every call of bench_small, and a loop of terrain frames,
 * runs with the default number of threads and with one, in turn. The default's median and 99th percentile are at most
 * LIMIT times those of one thread; else the calls are listed and the exit code is 1. */
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "harness/bench.h"
#include "harness/small_calls.h"

static const double LIMIT = 2;    /* a goal: on a busy machine, threads must not make a call much slower */
static const double BLOCK = 0.05; /* seconds of one setting before the other's turn: a dozen time slices */

enum {
    CAPACITY = 1 << 16,      /* samples of a measurement */
    BLOCK_SAMPLES = 1 << 12, /* at most, so that short calls are sampled in many blocks */
    REST = 3000000,          /* nanoseconds before a block: waiting threads of the setting before sleep then */
    SIDE = 513,              /* of the terrain, in samples */
    PERIOD = 64,             /* of the camera's path, in frames */
    FRAME_SHARES = 8,        /* time of the frames, in that of a call: they take longest */
    MOST_PROCESSES = 1024,
    MOST_FAILED = 64
};

/* --- Busy processes ----------------------------------------------------------------------------------------------- */

static struct {
    pid_t ids[MOST_PROCESSES];
    int count;
} load;

static void stop_load(void)
{
    while (load.count) kill(load.ids[--load.count], SIGKILL);
}

/* Before any context is open. */
static void start_load(int64_t processes)
{
    atexit(stop_load);
    for (; load.count < processes && load.count < MOST_PROCESSES; load.count++) {
        const pid_t parent = getpid(), child = fork();
        if (child < 0) bench_fail("no process can be started");
        if (child > 0) {
            load.ids[load.count] = child;
            continue;
        }
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends with this program, however that ends */
#endif
        for (volatile unsigned turns = 0; getppid() == parent;)
            while (++turns % (1u << 20)) continue;
        _exit(0);
    }
}

/* --- Terrain frames ----------------------------------------------------------------------------------------------- */

static struct {
    float *heights, *vertices, *normals;
    uint32_t *triangles;
} relief;

struct frames {
    bosc_terrain *terrain;
    int frame;
};

static void make_relief(void)
{
    const size_t samples = (size_t)SIDE * SIDE;
    relief.heights = bench_host(samples * sizeof *relief.heights);
    relief.vertices = bench_host(3 * samples * sizeof *relief.vertices);
    relief.normals = bench_host(3 * samples * sizeof *relief.normals);
    relief.triangles = bench_host(6 * samples * sizeof *relief.triangles);
    bench_open();
    BENCH(bosc_random_heights(bench.ctx, BOSC_RANDOM_HEIGHTS_MOUNTAINS, 5, SIDE, SIDE, relief.heights));
    bench_close();
}

static void free_relief(void)
{
    free(relief.heights);
    free(relief.vertices);
    free(relief.normals);
    free(relief.triangles);
}

static void draw_frame(struct frames *f)
{
    const int step = f->frame++ % PERIOD, at = step < PERIOD / 2 ? step : PERIOD - step;
    const bosc_terrain_camera camera = {.position = {1000 + 60.0 * at, 1000 + 40.0 * at, 4500},
                                        .direction = {1, 1, -0.5},
                                        .fov = 1,
                                        .pixels = 1,
                                        .width = 1920,
                                        .height = 1080,
                                        .cull = 1};
    const bosc_terrain_goal goal = {.size = sizeof goal, .camera = &camera, .hysteresis = 0.2};
    int64_t counts[2];
    BENCH(bosc_terrain_select(bench.ctx, f->terrain, &goal));
    BENCH(bosc_terrain_get_mesh(bench.ctx, f->terrain, relief.vertices, relief.normals, (int64_t)SIDE * SIDE,
                                relief.triangles, 2 * (int64_t)SIDE * SIDE, counts));
}

/* --- Measurements ------------------------------------------------------------------------------------------------- */

/* A number of threads, its context and handles, and the samples of the measurement. */
struct setting {
    int32_t threads, opened; /* 0: the default number; that of the context */
    bosc_ctx *ctx;
    struct small_handles handles;
    struct frames frames;
    double *seconds; /* (CAPACITY) */
    int count;
};
enum { DEFAULT, ONE, SETTINGS };
static struct setting settings[SETTINGS];

/* call NULL: a frame of a terrain. is_first: each sample has a fresh context and handles. */
struct subject {
    const struct small_call *call;
    int64_t n;
    bool is_first;
};

static void open_setting(struct setting *s, const struct subject *of)
{
    bench.opts.threads = s->threads;
    if (of->call) {
        small_create_handles();
        if (of->call->prepare) of->call->prepare();
        s->handles = small.handles;
    } else {
        const bosc_terrain_opts terrain = {.size = sizeof terrain, .assume_valid = 1, .spacing = 30};
        bench_open();
        BENCH(bosc_terrain_create(bench.ctx, &terrain, &s->frames.terrain));
        BENCH(bosc_terrain_build(bench.ctx, s->frames.terrain, relief.heights, SIDE, SIDE, SIDE));
        s->frames.frame = 0;
    }
    s->ctx = bench.ctx;
    s->opened = bench.opts.threads;
}

static void close_setting(struct setting *s, const struct subject *of)
{
    bench.ctx = s->ctx;
    small.handles = s->handles;
    if (of->call) {
        small_free_handles();
    } else {
        bosc_terrain_free(s->frames.terrain);
        bench_close();
    }
}

static void run_once(struct setting *s, const struct subject *of)
{
    if (of->call)
        of->call->run();
    else
        draw_frame(&s->frames);
}

/* Adds samples of a setting for BLOCK seconds. */
static void run_block(struct setting *s, const struct subject *of)
{
    const double end = bench_now() + BLOCK;
    const int most = s->count + BLOCK_SAMPLES < CAPACITY ? s->count + BLOCK_SAMPLES : CAPACITY;
    bench.ctx = s->ctx;
    small.handles = s->handles;
    while (s->count < most) {
        if (of->is_first) open_setting(s, of);
        const double begin = bench_now();
        run_once(s, of);
        const double now = bench_now();
        s->seconds[s->count++] = now - begin;
        if (of->is_first) close_setting(s, of);
        if (now >= end) break;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Returns the quantile of a setting's sorted samples; `deviations` moves its rank by as many standard deviations. */
static double quantile(const struct setting *s, double share, double deviations)
{
    const double rank = share * s->count + deviations * sqrt(share * (1 - share) * s->count);
    const int at = (int)floor(rank);
    return s->seconds[at < 0 ? 0 : at < s->count ? at : s->count - 1];
}

/* True if a quantile of the default is more than LIMIT times that of one thread, beyond what chance explains: two
 * standard deviations of the rank in each. */
static bool exceeds(double share)
{
    return quantile(&settings[DEFAULT], share, -2) > LIMIT * quantile(&settings[ONE], share, 2);
}

/* Measures a subject for some seconds, in blocks of each setting in turn, and adds the samples to those of the
 * measurement. Returns true if it is within the limits. */
static bool measure(const struct subject *of, double seconds)
{
    const double end = bench_now() + seconds;
    /* 1. Both settings, warm. */
    for (int k = 0; k < SETTINGS; k++) {
        if (of->is_first) continue;
        open_setting(&settings[k], of);
        run_once(&settings[k], of);
    }
    /* 2. Blocks. */
    do
        for (int k = 0; k < SETTINGS; k++) {
            nanosleep(&(struct timespec){.tv_nsec = REST}, NULL);
            run_block(&settings[k], of);
        }
    while (bench_now() < end);
    /* 3. Quantiles. */
    for (int k = 0; k < SETTINGS; k++) {
        if (!of->is_first) close_setting(&settings[k], of);
        qsort(settings[k].seconds, (size_t)settings[k].count, sizeof(double), ascending);
    }
    bench.ctx = NULL;
    return !exceeds(0.5) && !exceeds(0.99);
}

static void print_row(const struct subject *of, const char *name, bool is_good)
{
    const struct setting *a = &settings[DEFAULT], *b = &settings[ONE];
    bench.opts.threads = a->opened;
    const double most[2] = {quantile(a, 0.99, 0), quantile(b, 0.99, 0)};
    bench_print(&(struct bench_row){.name = name,
                                    .data = of->is_first ? "first" : "again",
                                    .n = of->n,
                                    .ours = {a->seconds[0], quantile(a, 0.5, 0)},
                                    .peer = "one thread",
                                    .theirs = {b->seconds[0], quantile(b, 0.5, 0)},
                                    .note = bench_text("99 %%: %.4f ms, one thread: %.4f ms, %.2f times as long%s",
                                                       1e3 * most[0], 1e3 * most[1], most[1] / most[0],
                                                       is_good ? "" : "  EXCEEDS")});
}

/* --- The program -------------------------------------------------------------------------------------------------- */

static struct {
    double share, spare; /* seconds of a measurement; seconds left for repetitions */
    char *failed[MOST_FAILED];
    int failed_count, count;
} run;

/* Measures a subject, and longer while it exceeds a limit. */
static void check(const struct subject *of)
{
    const char *name = of->call ? of->call->name : "terrain frame";
    bool is_good = false;
    for (int k = 0; k < SETTINGS; k++) settings[k].count = 0;
    for (int k = 0; k < bench.repeats && !is_good && (k == 0 || run.spare > 0); k++) {
        const double begin = bench_now();
        is_good = measure(of, run.share * (of->call ? 1 : FRAME_SHARES));
        print_row(of, name, is_good);
        if (k) run.spare -= bench_now() - begin;
    }
    run.count++;
    if (is_good) return;
    const char *text = bench_text("%s, %s, n = %" PRId64, name, of->is_first ? "first" : "again", of->n);
    if (run.failed_count < MOST_FAILED) run.failed[run.failed_count] = strcpy(bench_host(strlen(text) + 1), text);
    run.failed_count++;
}

int main(int argc, char **argv)
{
    double seconds = 75;
    int64_t processes = -1;
    const struct bench_option own[] = {{'s', BENCH_NUMBER, &seconds, "seconds, and up to a third more for repetitions"},
                                       {'p', BENCH_INTEGER, &processes, "busy processes (one a processor)"}};
    /* 1. The busy processes, before a thread is started. */
    bench.n = 20000;
    bench.repeats = 3;
    bench_options(argc, argv, "items of a call", own, 2);
    if (bench.n < 1) bench_fail("-n: %" PRId64 " is less than 1", bench.n);
    if (bench.opts.backend == BOSC_BACKEND_CUDA) bench_fail("calls on a busy machine are timed on the CPU");
    const int32_t threads = bench.opts.threads;
    start_load(processes < 0 ? sysconf(_SC_NPROCESSORS_ONLN) : processes);
    /* 2. Input. */
    const int64_t sizes[] = {1, bench.n < 1000 ? bench.n : 1000, bench.n};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    for (int k = 0; k < SETTINGS; k++)
        settings[k] =
            (struct setting){.threads = k == ONE ? 1 : threads, .seconds = bench_host(CAPACITY * sizeof(double))};
    make_relief();
    small_make_input(bench.n);
    run.share = seconds / (FRAME_SHARES + small_call_count * (SIZES + 1));
    run.spare = seconds / 3;
    /* 3. Frames, the first calls of a context, and later ones. */
    check(&(struct subject){.n = SIDE});
    for (int c = 0; c < small_call_count; c++)
        for (int k = -1; k < SIZES; k++) {
            const struct subject of = {&small_calls[c], k < 0 ? bench.n : sizes[k], k < 0};
            small.n = of.n;
            check(&of);
        }
    /* 4. The verdict. */
    stop_load();
    bench.wrong = run.failed_count > 0;
    bench_say("%d of %d take more than %g times as long as with one thread", run.failed_count, run.count, LIMIT);
    for (int k = 0; k < run.failed_count && k < MOST_FAILED; k++) {
        bench_say("  %s", run.failed[k]);
        free(run.failed[k]);
    }
    small_free_input();
    free_relief();
    for (int k = 0; k < SETTINGS; k++) free(settings[k].seconds);
    return bench.wrong;
}
