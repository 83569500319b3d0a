/* boscage bench: runs the benchmark programs of this build. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/tool.h"

static const char *const items[] = {"1048576", "16777216", "67108864"};
static const char *const voxels[] = {"131072", "1048576", "8388608"};
static const char *const depths[] = {"17", "25", "30"};
static const char *const cells[] = {"44000", "1000000", "4000000"};
static const char *const sides[] = {"1025", "4097", "8193"};
static const char *const models[] = {"1000", "5000", "20000"};
static const char *const model_counts[] = {"10", "100", "1000"};
static const char *const figures[] = {"10000", "44000", "250000"};
static const char *const shapes[] = {"10000", "100000", "1000000"};
static const char *const tables[] = {"small", "paper", "large"};

/* A program, where it runs, and the options that tell it the size. All take -t, -b and -j (bench/harness). */
static const struct program {
    const char *room, *name;
    bool cpu, cuda;
    const char *size[2];
    const char *const *counts; /* of the sizes small, paper, large */
    bool one_thread;           /* beside a library that has no more */
} programs[] = {
    {"prims", "bench_prims", true, false, {"-n", NULL}, items, false},
    {"prims", "bench_prims_cuda", false, true, {"-n", NULL}, items, false},
    {"io", "bench_io", true, false, {"-n", NULL}, items, false},
    {"kdtree", "bench_kdtree", true, true, {"-n", "-m"}, items, false},
    {"kdtree", "bench_kdtree_nanoflann", true, false, {"-n", "-m"}, items, false},
    {"forest", "bench_forest", true, true, {"-p", NULL}, tables, false},
    {"forest", "bench_forest_boost", true, false, {"-n", NULL}, items, true},
    {"forest", "bench_emst", true, true, {"-n", NULL}, items, false},
    {"hash", "bench_hash", true, false, {"-n", NULL}, items, false},
    {"hash", "bench_hash_cuda", false, true, {"-n", NULL}, items, false},
    {"cellgraph", "bench_cellgraph", true, true, {"-n", NULL}, cells, false},
    {"cellgraph", "bench_cellgraph_figures", true, true, {"-n", NULL}, figures, false},
    {"cellgraph", "bench_cellgraph_launch", false, true, {"-n", NULL}, figures, false},
    {"cellgraph", "bench_cellgraph_auto", true, true, {"-n", NULL}, shapes, false},
    {"hash", "bench_voxelgrid", true, true, {"-n", NULL}, voxels, false},
    {"hash", "bench_collision", true, true, {"-n", NULL}, items, false},
    {"hash", "bench_geometric", true, true, {"-n", NULL}, models, false},
    {"hash", "bench_geometric_models", true, true, {"-n", NULL}, model_counts, false},
    {"cbt", "bench_cbt", true, false, {"-d", NULL}, depths, false},
    {"cbt", "bench_cbt_cuda", false, true, {"-d", NULL}, depths, false},
    {"terrain", "bench_terrain", true, true, {"-n", NULL}, sides, false},
    {"dist", "bench_dist", true, true, {"-n", NULL}, items, false},
    {"trie", "bench_trie", true, true, {"-n", NULL}, cells, false},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof programs[0], ARGUMENTS_MAX = 12 };

static bool has_programs(void)
{
    char path[BENCH_PATH_SIZE];
    for (int i = 0; i < PROGRAM_COUNT; i++)
        if (bench_find(programs[i].name, path, sizeof path)) return true;
    return false;
}

/* Adds each line of a program's output to the rows: an object as it is, other lines as text. */
static void take_rows(struct job *job, int fd)
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

/* Runs the program; its output is ours, or becomes rows of the results where those are wanted as JSON. */
static int run_program(struct job *job, const char *path, char *const *arguments)
{
    int ends[2] = {-1, -1};
    bool take = job->value[OPT_JSON] != NULL;
    if (take && pipe(ends) != 0) return say(EXIT_FAILED, "%s: cannot start: %s", path, strerror(errno));
    pid_t child = bench_start(path, arguments, take ? ends[1] : -1);
    if (take) {
        close(ends[1]);
        take_rows(job, ends[0]);
    }
    return bench_wait(path, child);
}

static int measure(struct job *job, const struct program *p, char *path, char *n, bool cuda)
{
    char *arguments[ARGUMENTS_MAX] = {path};
    char threads[16];
    int count = 1;
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    snprintf(threads, sizeof threads, "%d", p->one_thread ? 1 : info.threads);
    for (int i = 0; i < 2 && p->size[i]; i++) {
        arguments[count++] = (char *)p->size[i];
        arguments[count++] = n;
    }
    arguments[count++] = "-t";
    arguments[count++] = threads;
    arguments[count++] = "-b";
    arguments[count++] = cuda ? "cuda" : "cpu";
    if (job->value[OPT_JSON]) arguments[count++] = "-j";
    if (!job->value[OPT_JSON] && !job->value[OPT_QUIET]) printf("# %s, %s\n", p->name, n);
    double start = job_now();
    int code = run_program(job, path, arguments);
    job_seconds(job, p->name, start);
    return code;
}

static int check_room(const char *room)
{
    char list[128] = "";
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        size_t used = strlen(list);
        if (strcmp(room, programs[i].room) == 0) return EXIT_DONE;
        if (!strstr(list, programs[i].room))
            snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", programs[i].room);
    }
    return say(EXIT_USAGE, "bench: '%s' is not one of %s", room, list);
}

int run_bench(struct job *job)
{
    char path[BENCH_PATH_SIZE], n[16];
    int size = 0, found = 0, code;
    const char *room = job->operand_count ? job->operands[0] : NULL;
    if ((room && (code = check_room(room))) || (code = option_choice(job, OPT_SIZE, &size)) || (code = job_open(job)))
        return code;
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    bool cuda = info.backend == BOSC_BACKEND_CUDA;
    job_text(job, "size", option_word(job, OPT_SIZE, size));
    job_json(job, "rows", json_array());
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        const struct program *p = &programs[i];
        if ((room && strcmp(room, p->room) != 0) || !(cuda ? p->cuda : p->cpu)) continue;
        if (!bench_find(p->name, path, sizeof path)) continue;
        found++;
        snprintf(n, sizeof n, "%s", p->counts[size]);
        int result = measure(job, p, path, n, cuda);
        if (result) code = result;
    }
    if (found) return code;
    if (!has_programs()) return bench_missing();
    return say(EXIT_FAILED, "bench: this build has no benchmark%s%s for this backend", room ? " of " : "",
               room ? room : "");
}
