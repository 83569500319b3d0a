/* boscage bench: runs the benchmark programs of this build. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/commands/bench_extremes.h"
#include "tool/commands/bench_programs.h"
#include "tool/commands/bench_rows.h"
#include "tool/commands/bench_shapes.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* Values of the sizes small, paper and large. */
static const char *const items[] = {"1048576", "16777216", "67108864"};
static const char *const frame_items[] = {"131072", "1048576", "8388608"};
static const char *const depths[] = {"17", "25", "30"};
static const char *const cells[] = {"44000", "1000000", "4000000"};
static const char *const sides[] = {"1025", "4097", "8193"};
static const char *const models[] = {"1000", "5000", "20000"};
static const char *const model_counts[] = {"10", "100", "1000"};
static const char *const figures[] = {"10000", "44000", "250000"};
static const char *const auto_items[] = {"10000", "100000", "1000000"};
static const char *const presets[] = {"small", "paper", "large"};
static const char *const small_items[] = {"100", "1000", "10000"};

/* How a sweep passes the size to a program: not at all, as a number of items, as its logarithm, or as the side of a
 * square. */
enum size_form { NOT_SWEPT, BY_ITEMS, BY_DEPTH, BY_SIDE };

/* A benchmark program, its backends, and its options for the size. All accept -t, -b and -j (bench/harness). */
static const struct program {
    const char *room, *name;
    bool cpu, cuda;
    const char *size_options[2];
    const char *const *sizes; /* small, paper, large */
    bool one_thread;          /* the other library is single-threaded */
    enum size_form size_form;
    const char *counterpart;           /* program that measures our side of the same cases; NULL: itself */
    const struct bench_shapes *shapes; /* of its data; NULL: it has one */
} programs[] = {
    {"prims", "bench_prims", true, false, {"-n", NULL}, items, false, BY_ITEMS, NULL, NULL},
    {"prims", "bench_prims_cuda", false, true, {"-n", NULL}, items, false, BY_ITEMS, NULL, NULL},
    {"prims", "bench_small", true, false, {"-n", NULL}, small_items, false, NOT_SWEPT, NULL, NULL},
    {"io", "bench_io", true, false, {"-n", NULL}, items, false, NOT_SWEPT, NULL, NULL},
    {"kdtree", "bench_kdtree", true, true, {"-n", "-m"}, items, false, BY_ITEMS, NULL, &bench_points},
    {"kdtree",
     "bench_kdtree_nanoflann",
     true,
     false,
     {"-n", "-m"},
     items,
     false,
     BY_ITEMS,
     "bench_kdtree",
     &bench_clouds},
    {"forest", "bench_forest", true, true, {"-p", NULL}, presets, false, BY_ITEMS, NULL, &bench_graphs},
    {"forest", "bench_forest_boost", true, false, {"-n", NULL}, items, true, BY_ITEMS, "bench_forest", &bench_graphs},
    {"forest", "bench_emst", true, true, {"-n", NULL}, items, false, BY_ITEMS, NULL, &bench_points},
    {"paths", "bench_paths", true, true, {"-n", NULL}, items, false, BY_ITEMS, NULL, NULL},
    {"hash", "bench_hash", true, false, {"-n", NULL}, items, false, BY_ITEMS, NULL, &bench_keys},
    {"hash", "bench_hash_cuda", false, true, {"-n", NULL}, items, false, BY_ITEMS, NULL, &bench_keys},
    {"cellgraph", "bench_cellgraph", true, true, {"-n", NULL}, cells, false, BY_ITEMS, NULL, &bench_words},
    {"cellgraph", "bench_cellgraph_figures", true, true, {"-n", NULL}, figures, false, NOT_SWEPT, NULL, NULL},
    {"cellgraph", "bench_cellgraph_launch", false, true, {"-n", NULL}, figures, false, NOT_SWEPT, NULL, NULL},
    {"cellgraph", "bench_cellgraph_auto", true, true, {"-n", NULL}, auto_items, false, NOT_SWEPT, NULL, NULL},
    {"voxelgrid", "bench_voxelgrid", true, true, {"-n", NULL}, frame_items, false, BY_ITEMS, NULL, &bench_clouds},
    {"voxelgrid", "bench_voxelgrid_cuda", false, true, {"-n", NULL}, frame_items, false, BY_ITEMS, NULL, &bench_clouds},
    {"collide", "bench_collision", true, true, {"-n", NULL}, frame_items, false, BY_ITEMS, NULL, NULL},
    {"match", "bench_geometric", true, true, {"-n", NULL}, models, false, NOT_SWEPT, NULL, NULL},
    {"match", "bench_geometric_models", true, true, {"-n", NULL}, model_counts, false, NOT_SWEPT, NULL, NULL},
    {"cbt", "bench_cbt", true, false, {"-d", NULL}, depths, false, BY_DEPTH, NULL, NULL},
    {"cbt", "bench_cbt_cuda", false, true, {"-d", NULL}, depths, false, BY_DEPTH, NULL, NULL},
    {"plan", "bench_plan", true, true, {"-n", NULL}, cells, false, BY_ITEMS, NULL, NULL},
    {"plan", "bench_planner", true, true, {"-n", NULL}, cells, false, NOT_SWEPT, NULL, NULL},
    {"terrain", "bench_terrain", true, true, {"-n", NULL}, sides, false, BY_SIDE, NULL, NULL},
    {"planet", "bench_bisector", true, true, {"-n", NULL}, frame_items, false, BY_ITEMS, NULL, NULL},
    {"planet", "bench_planet", true, true, {"-n", NULL}, frame_items, false, BY_ITEMS, NULL, NULL},
    {"ranks", "bench_ranks", true, true, {"-n", NULL}, items, false, BY_ITEMS, NULL, NULL},
    {"trie", "bench_trie", true, true, {"-n", NULL}, cells, false, BY_ITEMS, NULL, &bench_words},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof programs[0], ARGUMENTS_MAX = 14 };

static bool has_programs(void)
{
    char path[BENCH_PATH_SIZE];
    for (int i = 0; i < PROGRAM_COUNT; i++)
        if (find_bench_program(programs[i].name, path, sizeof path)) return true;
    return false;
}

/* True if programs print result rows as JSON instead of text. */
static bool needs_rows(const struct job *job)
{
    return job->value[OPT_JSON] || job->value[OPT_SWEEP] || job->value[OPT_PNG] || job->value[OPT_SHAPE];
}

static bool prints_text(const struct job *job) { return !job->value[OPT_JSON] && !job->value[OPT_QUIET]; }

/* True if rows appear as they are measured; with shapes the largest and smallest ratios come first. */
static bool prints_at_once(const struct job *job) { return prints_text(job) && !job->value[OPT_SHAPE]; }

/* Reads the output of a program: adds each JSON object to the rows, and each other line as text. */
static void read_rows(struct job *job, int fd)
{
    char line[4096];
    json_t *rows = json_object_get(job->results, "rows");
    FILE *in = fdopen(fd, "r");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        json_t *row = json_loads(line, 0, NULL);
        if (*line) json_array_append_new(rows, row ? row : json_string(line));
    }
    if (in) fclose(in);
}

/* Runs a program. Its output goes to standard output, or into the rows of the results. */
static int run_program(struct job *job, const char *path, char *const *arguments)
{
    int pipe_ends[2] = {-1, -1};
    bool capture = needs_rows(job);
    if (capture && pipe(pipe_ends) != 0)
        return report_error(EXIT_FAILED, "%s: cannot start: %s", path, strerror(errno));
    pid_t child = start_bench_program(path, arguments, capture ? pipe_ends[1] : -1);
    if (capture) {
        close(pipe_ends[1]);
        read_rows(job, pipe_ends[0]);
    }
    return wait_for_bench_program(path, child);
}

/* A program with a shape of data. */
struct chosen {
    const struct program *program;
    const char *shape; /* NULL: the program's own */
};
enum { CHOSEN_MAX = PROGRAM_COUNT * BENCH_SHAPES_MAX };

/* A program of a run, and its position among all programs of the run. */
struct scheduled {
    const struct program *program;
    const char *shape;
    char path[BENCH_PATH_SIZE];
    int number, count; /* number: from 1 */
};

/* Runs a program at size n, passed by `options`, and adds its seconds. */
static int measure_program(struct job *job, struct scheduled *s, const char *const *options, char *n)
{
    const struct program *p = s->program;
    char *path = s->path;
    char *arguments[ARGUMENTS_MAX] = {path};
    char threads[16];
    int count = 1;
    /* 1. The program's arguments. */
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    snprintf(threads, sizeof threads, "%d", p->one_thread ? 1 : info.threads);
    for (int i = 0; i < 2 && options[i]; i++) {
        arguments[count++] = (char *)options[i];
        arguments[count++] = n;
    }
    arguments[count++] = "-t";
    arguments[count++] = threads;
    arguments[count++] = "-b";
    arguments[count++] = info.backend == BOSC_BACKEND_CUDA ? "cuda" : "cpu";
    if (needs_rows(job)) arguments[count++] = "-j";
    if (s->shape) {
        arguments[count++] = (char *)p->shapes->option;
        arguments[count++] = (char *)s->shape;
    }
    /* 2. Run it. */
    if (needs_rows(job)) progress_step(job, p->name, (s->number - 1) / (double)s->count);
    if (!needs_rows(job) && !job->value[OPT_QUIET]) printf("# %s, %s (%d of %d)\n", p->name, n, s->number, s->count);
    double start = job_now();
    int code = run_program(job, path, arguments);
    job_add_seconds(job, p->name, start);
    return code;
}

/* ---- rows as text ---- */

/* Prints the rows from number `from` on. */
static void print_rows(const struct job *job, size_t from)
{
    const json_t *rows = json_object_get(job->results, "rows");
    for (size_t i = from; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (!json_object_get(row, "median_ms")) continue;
        const char *library = bench_row_text(row, "library");
        printf("%s%s%-38s %-18s n %10" JSON_INTEGER_FORMAT " %12.6f ms  %s\n", library, *library ? ": " : "",
               bench_row_text(row, "name"), bench_row_data(row), json_integer_value(json_object_get(row, "n")),
               json_number_value(json_object_get(row, "median_ms")), bench_row_text(row, "note"));
    }
}

/* ---- a sweep ---- */

/* Sets program, size, room and shape of the rows from number `from` on. The size of a tree is 2^depth; its data begins
 * with the depth. */
static void describe_rows(struct job *job, size_t from, const struct scheduled *s, int64_t size)
{
    const struct program *p = s->program;
    const json_t *rows = json_object_get(job->results, "rows");
    for (size_t i = from; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (!json_is_object(row)) continue;
        const json_int_t count = p->size_form == BY_DEPTH ? (json_int_t)1 << atoi(bench_row_text(row, "data")) : size;
        json_object_set_new(row, "program", json_string(p->counterpart ? p->counterpart : p->name));
        json_object_set_new(row, "size", json_integer(count));
        if (!s->shape) continue;
        json_object_set_new(row, "room", json_string(p->room));
        json_object_set_new(row, "shape", json_string(s->shape));
        json_object_set_new(row, "first_shape", json_string(p->shapes->names[0]));
    }
}

static const char *const items_option[2] = {"-n", NULL};

/* Measures sizes 2^10, 2^12, ... A program for trees measures all depths up to the greatest in one run. */
static int run_sweep(struct job *job, struct scheduled *s, int size)
{
    const struct program *p = s->program;
    static const int last[] = {20, 24, 26}; /* of the sizes small, paper, large */
    const json_t *rows = json_object_get(job->results, "rows");
    char text[16];
    if (prints_at_once(job)) {
        printf("# %s (%d of %d)\n", p->name, s->number, s->count);
        fflush(stdout);
    }
    for (int power = p->size_form == BY_DEPTH ? last[size] : 10; power <= last[size]; power += 2) {
        const size_t from = json_array_size(rows);
        const int value = p->size_form == BY_DEPTH  ? power
                          : p->size_form == BY_SIDE ? (1 << power / 2) + 1
                                                    : 1 << power;
        snprintf(text, sizeof text, "%d", value);
        int code = measure_program(job, s, p->sizes == presets ? items_option : p->size_options, text);
        if (code) return code;
        describe_rows(job, from, s, (int64_t)1 << power);
        if (prints_at_once(job)) print_rows(job, from);
    }
    return EXIT_DONE;
}

/* ---- the command ---- */

static int run_at_size(struct job *job, struct scheduled *s, int size)
{
    char n[16];
    const struct program *p = s->program;
    const size_t from = json_array_size(json_object_get(job->results, "rows"));
    const bool by_name = p->sizes == presets; /* of the size; the data of a shape has a number of items */
    if (job->value[OPT_SWEEP]) return run_sweep(job, s, size);
    snprintf(n, sizeof n, "%s", by_name && s->shape ? items[size] : p->sizes[size]);
    int code = measure_program(job, s, by_name && s->shape ? items_option : p->size_options, n);
    if (s->shape) describe_rows(job, from, s, strtoll(n, NULL, 10));
    if (needs_rows(job) && prints_at_once(job)) print_rows(job, from);
    return code;
}

/* True if an earlier program has the room of program i. */
static bool is_listed_room(int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(programs[k].room, programs[i].room) == 0) return true;
    return false;
}

static int check_room(const char *room)
{
    char list[256] = "";
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        const size_t used = strlen(list);
        if (strcmp(room, programs[i].room) == 0) return EXIT_DONE;
        if (!is_listed_room(i)) snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", programs[i].room);
    }
    return report_error(EXIT_USAGE, "bench: '%s' is not one of %s", room, list);
}

/* Plots exist for sweeps and for the room ranks. */
static int check_plot(const struct job *job, const char *room)
{
    static const char *const endings[] = {".png", NULL};
    const bool ranks = room && strcmp(room, "ranks") == 0;
    if (job->value[OPT_PNG] && !job->value[OPT_SWEEP] && !ranks)
        return report_error(EXIT_USAGE, "--png: requires --sweep, or the room ranks");
    return option_ending(job, OPT_PNG, endings);
}

static bool is_of_room(const struct program *p, const char *room) { return !room || strcmp(room, p->room) == 0; }

/* Checks --shape against the shapes of a room's programs (NULL: of all). */
static int check_shapes(const struct job *job, const char *room)
{
    const struct bench_shapes *lists[PROGRAM_COUNT];
    for (int i = 0; i < PROGRAM_COUNT; i++) lists[i] = is_of_room(&programs[i], room) ? programs[i].shapes : NULL;
    return check_bench_shapes(job, lists, PROGRAM_COUNT);
}

/* Finds the programs of a room (NULL: of all) for a backend in this build, each once or, with --shape, for each of its
 * shapes. Returns their number. */
static int schedule_programs(const struct job *job, const char *room, bool cuda, struct chosen chosen[CHOSEN_MAX])
{
    char path[BENCH_PATH_SIZE];
    int count = 0;
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        const struct program *p = &programs[i];
        if (!is_of_room(p, room) || !(cuda ? p->cuda : p->cpu)) continue;
        if (job->value[OPT_SWEEP] && p->size_form == NOT_SWEPT) continue;
        if (!find_bench_program(p->name, path, sizeof path)) continue;
        if (!job->value[OPT_SHAPE]) chosen[count++] = (struct chosen){p, NULL};
        for (int k = 0; p->shapes && p->shapes->names[k]; k++)
            if (bench_shape_chosen(job, p->shapes->names[k])) chosen[count++] = (struct chosen){p, p->shapes->names[k]};
    }
    return count;
}

/* Prints the programs, each with its shapes, before the first one runs. Each row appears as its program measures it, or
 * with --shape after all. */
static void print_plan(const struct job *job, const struct chosen *chosen, int count, int size)
{
    if (!prints_text(job) || count < 2) return;
    printf("# %d %s, %s %s, each takes seconds to minutes; boscage bench ROOM runs those of a room:\n#", count,
           job->value[OPT_SHAPE] ? "runs" : "programs", job->value[OPT_SWEEP] ? "sweep" : "size",
           option_choice_name(job, OPT_SIZE, size));
    for (int i = 0; i < count; i++) {
        const bool first = i == 0 || chosen[i].program != chosen[i - 1].program;
        const bool last = i + 1 == count || chosen[i].program != chosen[i + 1].program;
        if (first) printf(" %s", chosen[i].program->name);
        if (chosen[i].shape) printf("%s%s%s", first ? " (" : ", ", chosen[i].shape, last ? ")" : "");
    }
    printf("\n");
    fflush(stdout);
}

/* Without a room, the programs of all rooms run. Comparison with other libraries and plot are left out if one of them
 * fails. With shapes of data the extreme ratios of other libraries' times to ours come first, and the rows last, also
 * after a failure. */
int run_bench(struct job *job)
{
    /* 1. Options. */
    int size = 0, code;
    const char *room = job->operand_count ? job->operands[0] : NULL;
    if ((room && (code = check_room(room))) || (code = option_choice(job, OPT_SIZE, &size)) ||
        (code = check_plot(job, room)) || (code = check_shapes(job, room)) || (code = job_open(job)))
        return code;
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    job_set_text(job, "size", option_choice_name(job, OPT_SIZE, size));
    if (job->value[OPT_SHAPE]) {
        job_set_json(job, "worst", json_array());
        job_set_json(job, "best", json_array());
        job_set_json(job, "slowest", json_array());
    }
    job_set_json(job, "rows", json_array());
    /* 2. Every program of the room for this backend; the last error is returned. */
    static struct chosen chosen[CHOSEN_MAX];
    const int count = schedule_programs(job, room, info.backend == BOSC_BACKEND_CUDA, chosen);
    print_plan(job, chosen, count, size);
    for (int i = 0; i < count; i++) {
        struct scheduled s = {.program = chosen[i].program, .shape = chosen[i].shape, .number = i + 1, .count = count};
        find_bench_program(s.program->name, s.path, sizeof s.path);
        const int result = run_at_size(job, &s, size);
        if (result) code = result;
    }
    /* 3. Comparison, plot, or the reason why there is nothing. */
    if (count && !code && (job->value[OPT_SWEEP] || job->value[OPT_SHAPE])) {
        compare_bench_rows(job);
        if (job->value[OPT_SHAPE]) report_bench_extremes(job);
        print_bench_ratios(job);
    }
    if (count && job->value[OPT_SHAPE] && prints_text(job)) {
        printf("# all rows\n");
        print_rows(job, 0);
    }
    if (count && !code && job->value[OPT_PNG]) code = plot_bench_rows(job);
    if (count) return code;
    if (!has_programs()) return report_no_benchmarks();
    return report_error(EXIT_FAILED, "bench: this build has no %s%s%s for this backend",
                        job->value[OPT_SWEEP] ? "benchmark to sweep" : "benchmark", room ? " of " : "",
                        room ? room : "");
}
