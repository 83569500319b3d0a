/* boscage generate points, graph, pairs, words, vectors, heights, scene. Equal options give equal data on every
 * machine. */
#include <stdlib.h>
#include <string.h>

#include "demo/key_scene.h"
#include "tool/commands/commands.h"
#include "tool/commands/globe_relief.h"
#include "tool/commands/graphs.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/options/option_table.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- points ---- */

int run_generate_points(struct job *job)
{
    int kind = 0, type = 0, code;
    int64_t n = 0, dim = 0;
    uint64_t seed = 0;
    if ((code = option_integer(job, OPT_N, 0, INT64_MAX / 16384, &n)) ||
        (code = option_integer(job, OPT_DIM, 1, 1024, &dim)) || (code = option_seed(job, &seed)) ||
        (code = option_choice(job, OPT_KIND, &kind)) || (code = option_choice(job, OPT_DTYPE, &type)) ||
        (code = job_open(job)))
        return code;
    bosc_array points = {.dtype = (bosc_dtype)(type + 1), .rank = 2, .shape = {n, dim, 1, 1}};
    points.data = job_alloc((size_t)(n * dim), bosc_dtype_size(points.dtype));
    if (!points.data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status =
        bosc_random_points(job->ctx, (bosc_random_points_kind)kind, seed, n, (int32_t)dim, points.dtype, points.data);
    job_add_seconds(job, "generate", start);
    code =
        status == BOSC_OK ? arrays_write(job, &job->value[OPT_OUTPUT], &points, 1) : report_ctx_error(job->ctx, status);
    job_set_integer(job, "n", n);
    job_set_integer(job, "dim", dim);
    bosc_array_free(&points);
    return code;
}

/* ---- graphs ---- */

static const int64_t count_max = INT64_C(0xffffffff) - 1; /* ids of 32 bits, one reserved */

/* Narrows the weights to 32 bits if all fit, as a reader of the file would. */
static void narrow_weights(bosc_edges *edges)
{
    const int64_t *from = edges->weights;
    int32_t *to = edges->weights;
    for (int64_t i = 0; i < edges->m; i++)
        if (from[i] != (int32_t)from[i]) return;
    for (int64_t i = 0; i < edges->m; i++) to[i] = (int32_t)from[i];
    edges->dtype = BOSC_I32;
}

static int generate_edges(struct job *job, bosc_graph_generate_opts *opts, bosc_edges *edges)
{
    double start = job_now();
    bosc_status status = bosc_graph_generate(job->ctx, opts, &edges->n, &edges->m, NULL, NULL, NULL, 0);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    edges->dtype = BOSC_I64;
    edges->u = job_alloc((size_t)edges->m, sizeof *edges->u);
    edges->v = edges->u ? job_alloc((size_t)edges->m, sizeof *edges->v) : NULL;
    edges->weights = edges->v ? job_alloc((size_t)edges->m, sizeof(int64_t)) : NULL;
    if (!edges->weights) return EXIT_FAILED;
    status = bosc_graph_generate(job->ctx, opts, &edges->n, &edges->m, edges->u, edges->v, edges->weights, edges->m);
    job_add_seconds(job, "generate", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    /* The library takes 0:0 as its default weights, but --weights 0:0 means zeros. */
    if (job->value[OPT_WEIGHTS] && opts->least == 0 && opts->most == 0)
        memset(edges->weights, 0, (size_t)edges->m * sizeof(int64_t));
    narrow_weights(edges);
    return EXIT_DONE;
}

static int write_graph(struct job *job, const bosc_edges *edges)
{
    const char *path = job->value[OPT_OUTPUT];
    bosc_graph *graph = NULL;
    bosc_io_error error;
    bosc_status status;
    bool saved = path_has_ending(path, ".bosc");
    int code = saved ? graph_build(job, path, edges, &graph) : EXIT_DONE;
    if (code) return code;
    double start = job_now();
    status = saved ? bosc_graph_save(job->ctx, graph, path, &error) : bosc_edges_write(path, edges, &error);
    job_add_seconds(job, "write", start);
    bosc_graph_free(graph);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int run_generate_graph(struct job *job)
{
    int kind = 0, code;
    uint64_t seed = 0;
    bosc_graph_generate_opts opts = {.size = sizeof opts, .id_bits = 32};
    /* 1. Options, and limits of the kind. */
    if ((code = option_integer(job, OPT_N, 0, count_max, &opts.n)) || (code = option_choice(job, OPT_KIND, &kind)) ||
        (code = option_range(job, OPT_WEIGHTS, &opts.least, &opts.most)) || (code = option_seed(job, &seed)))
        return code;
    opts.kind = (bosc_graph_kind)kind;
    if (job->value[OPT_M] &&
        (opts.kind == BOSC_GRAPH_GRID || opts.kind == BOSC_GRAPH_ROAD || opts.kind == BOSC_GRAPH_STAR ||
         opts.kind == BOSC_GRAPH_PATH || opts.kind == BOSC_GRAPH_TREES))
        return report_error(EXIT_USAGE, "-m: the number of vertices fixes the number of edges of kind %s",
                            option_choice_name(job, OPT_KIND, kind));
    if (opts.kind == BOSC_GRAPH_EQUAL && opts.least < opts.most)
        return report_error(EXIT_USAGE, "--weights: the edges of kind equal have one weight, as 5:5");
    opts.seed = seed;
    if (opts.kind == BOSC_GRAPH_RANDOM || opts.kind == BOSC_GRAPH_RMAT || opts.kind == BOSC_GRAPH_EQUAL)
        opts.m = opts.n < 2 ? 0 : opts.n < count_max / 4 ? 4 * opts.n : count_max;
    static const char *const endings[] = {".gr", ".mtx", ".txt", ".el", ".snap", ".tsv", ".csv", ".bosc", NULL};
    if ((code = option_integer(job, OPT_M, 0, count_max, &opts.m)) ||
        (code = option_ending(job, OPT_OUTPUT, endings)) || (code = job_open(job)))
        return code;
    /* 2. The graph. */
    bosc_edges edges = {0};
    code = generate_edges(job, &opts, &edges);
    if (!code) code = write_graph(job, &edges);
    job_set_integer(job, "n", edges.n);
    job_set_integer(job, "m", edges.m);
    bosc_edges_free(&edges);
    return code;
}

/* ---- pairs ---- */

/* Value i is i. */
static int generate_pairs(struct job *job, bosc_random_keys_kind kind, uint64_t seed, bosc_array *keys,
                          bosc_array *values)
{
    const int64_t n = keys->shape[0];
    const int32_t key_bits = keys->dtype == BOSC_U64 ? 64 : 32;
    keys->data = job_alloc((size_t)n, (size_t)key_bits / 8);
    values->data = keys->data ? job_alloc((size_t)n, sizeof(uint32_t)) : NULL;
    if (!values->data) return EXIT_FAILED;
    const double start = job_now();
    const bosc_status status = bosc_random_keys(job->ctx, kind, seed, n, key_bits, keys->data);
    for (int64_t i = 0; i < n; i++) ((uint32_t *)values->data)[i] = (uint32_t)i;
    job_add_seconds(job, "generate", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

int run_generate_pairs(struct job *job)
{
    int64_t n = 0;
    uint64_t seed = 0;
    int type = 0, kind = 0, code;
    const char *paths[] = {job->value[OPT_OUTPUT], job->operands[0]};
    if ((code = option_integer(job, OPT_N, 0, UINT32_MAX, &n)) || (code = option_seed(job, &seed)) ||
        (code = option_choice(job, OPT_KEYS, &kind)) || (code = option_choice(job, OPT_DTYPE, &type)))
        return code;
    if (path_is_stdout(paths[1])) return report_error(EXIT_USAGE, "V.npy: the values need a file");
    if ((code = check_array_name("V.npy", paths[1])) || (code = job_open(job))) return code;
    bosc_array keys = {.dtype = type ? BOSC_U64 : BOSC_U32, .rank = 1, .shape = {n, 1, 1, 1}};
    bosc_array values = {.dtype = BOSC_U32, .rank = 1, .shape = {n, 1, 1, 1}};
    code = generate_pairs(job, (bosc_random_keys_kind)kind, seed, &keys, &values);
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){keys, values}, 2);
    job_set_integer(job, "n", n);
    bosc_array_free(&keys);
    bosc_array_free(&values);
    return code;
}

/* ---- words ---- */

/* Writes words, given as numbers of letters, a line each. */
static int write_words(struct job *job, const uint8_t *words, int64_t n, int64_t length, const char *alphabet)
{
    bosc_io_error error;
    char *lines = job_alloc((size_t)n, (size_t)length + 1), *to = lines;
    if (!lines) return EXIT_FAILED;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < length; k++) *to++ = alphabet[words[i * length + k]];
        *to++ = '\n';
    }
    const double start = job_now();
    const bosc_text text = {lines, n * (length + 1)};
    const bosc_status status = bosc_texts_write(&job->value[OPT_OUTPUT], &text, 1, &error);
    job_add_seconds(job, "write", start);
    free(lines);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int run_generate_words(struct job *job)
{
    static const char *const alphabets[] = {"01", "ACGT", "ACDEFGHIKLMNPQRSTVWY"}; /* as boscage cellgraph reads them */
    static const char *const endings[] = {".txt", NULL};
    int64_t n = 0, length = 0;
    uint64_t seed = 0;
    int alphabet = 1, kind = 0, code;
    if ((code = option_ending(job, OPT_OUTPUT, endings)) || (code = option_integer(job, OPT_N, 0, INT32_MAX, &n)) ||
        (code = option_integer(job, OPT_LETTERS, 1, VECTOR_LENGTH_MAX, &length)) ||
        (code = option_choice(job, OPT_ALPHABET, &alphabet)) || (code = option_choice(job, OPT_KIND, &kind)) ||
        (code = option_seed(job, &seed)) || (code = job_open(job)))
        return code;
    uint8_t *words = job_alloc((size_t)n, (size_t)length);
    if (!words) return EXIT_FAILED;
    const double start = job_now();
    const bosc_status status = bosc_random_words(job->ctx, (bosc_random_words_kind)kind, seed, n, (int32_t)length,
                                                 (int32_t)strlen(alphabets[alphabet]), words);
    job_add_seconds(job, "generate", start);
    code = status == BOSC_OK ? write_words(job, words, n, length, alphabets[alphabet])
                             : report_ctx_error(job->ctx, status);
    job_set_integer(job, "n", n);
    job_set_integer(job, "letters", length);
    free(words);
    return code;
}

/* ---- vectors ---- */

enum { WALK = 64 /* vectors of a walk */ };

/* Writes vectors that resemble the cells along paths: every WALK vectors a walk starts at random bits, and each step
 * flips one bit. */
static void write_walks(const uint32_t *random, int64_t n, int64_t bits, uint8_t *rows)
{
    int64_t bytes = (bits + 7) / 8, per_walk = WALK + (bits + 31) / 32;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t *walk = random + i / WALK * per_walk;
        uint8_t *row = rows + i * bytes;
        if (i % WALK == 0) {
            for (int64_t k = 0; k < bits; k++)
                row[k / 8] |= (uint8_t)((walk[WALK + k / 32] >> k % 32 & 1) << (7 - k % 8));
            continue;
        }
        int64_t bit = (int64_t)((uint64_t)walk[i % WALK] * (uint64_t)bits >> 32);
        memcpy(row, row - bytes, (size_t)bytes);
        row[bit / 8] ^= (uint8_t)(1 << (7 - bit % 8));
    }
}

/* Writes n vectors of `bits` bits, by walks: see write_walks. n = 0 writes an empty array. */
int run_generate_vectors(struct job *job)
{
    int64_t n = 0, bits = 0;
    uint64_t seed = 0;
    int code;
    if ((code = option_ending(job, OPT_OUTPUT, (const char *const[]){".npy", NULL})) ||
        (code = option_integer(job, OPT_N, 0, UINT32_MAX - 2, &n)) ||
        (code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &bits)) || (code = option_seed(job, &seed)) ||
        (code = job_open(job)))
        return code;
    /* Random words per walk: one per step, and the first vector. */
    int64_t bytes = (bits + 7) / 8, count = (n + WALK - 1) / WALK * (WALK + (bits + 31) / 32);
    bosc_array rows = {.dtype = BOSC_U8, .rank = 2, .shape = {n, bytes, 1, 1}};
    uint32_t *random = job_alloc((size_t)count, sizeof *random);
    rows.data = random ? job_alloc((size_t)n, (size_t)bytes) : NULL;
    code = rows.data ? EXIT_DONE : EXIT_FAILED;
    double start = job_now();
    if (!code) {
        bosc_status status =
            bosc_random_bits(job->ctx, seed, 0x63656c6c /* the stream of this command */, count, random);
        memset(rows.data, 0, (size_t)(n * bytes));
        if (status == BOSC_OK)
            write_walks(random, n, bits, rows.data);
        else
            code = report_ctx_error(job->ctx, status);
    }
    job_add_seconds(job, "generate", start);
    free(random);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &rows, 1);
    job_set_integer(job, "n", n);
    bosc_array_free(&rows);
    return code;
}

/* ---- heights ---- */

enum { SPACING = 30 };    /* metres; documented in the help */
enum { KIND_PLANET = 3 }; /* of --kind; the kinds before are those of bosc_random_heights */

static int write_heights(struct job *job, const bosc_heights *heights)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_heights_write(job->value[OPT_OUTPUT], heights, &error);
    job_add_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int run_generate_heights(struct job *job)
{
    static const char *const endings[] = {".png", ".pgm", ".hgt", ".tif", ".tiff", ".npy", NULL};
    int kind = 0, code;
    int64_t size = 0;
    uint64_t seed = 0;
    if ((code = option_integer(job, OPT_SIZE, 1, 1 << 20, &size)) || (code = option_seed(job, &seed)) ||
        (code = option_choice(job, OPT_KIND, &kind)) || (code = option_ending(job, OPT_OUTPUT, endings)) ||
        (code = job_open(job)))
        return code;
    /* A planet has no spacing: its columns narrow towards the poles. */
    const bool is_planet = kind == KIND_PLANET;
    bosc_heights heights = {.width = is_planet ? 2 * size : size, .height = size, .spacing = is_planet ? 0 : SPACING};
    heights.data = job_alloc((size_t)(heights.width * size), sizeof *heights.data);
    if (!heights.data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status =
        is_planet ? globe_relief_fill(job->ctx, seed, size, heights.data)
                  : bosc_random_heights(job->ctx, (bosc_random_heights_kind)kind, seed, size, size, heights.data);
    job_add_seconds(job, "generate", start);
    code = status == BOSC_OK ? write_heights(job, &heights) : report_ctx_error(job->ctx, status);
    job_set_integer(job, "size", size);
    if (!is_planet) job_set_number(job, "spacing", SPACING);
    bosc_heights_free(&heights);
    return code;
}

/* ---- scenes ---- */

int run_generate_scene(struct job *job)
{
    static struct key_scene key;
    bosc_io_error error;
    int kind = 0, code;
    const char *folder = job->value[OPT_OUTPUT];
    if ((code = option_choice(job, OPT_KIND, &kind))) return code;
    if (path_is_stdio(folder)) return report_error(EXIT_USAGE, "-o: a scene needs a folder");
    if ((code = job_open(job)) || (code = create_folder(folder))) return code;
    const bosc_plan_scene scene = key_scene_build(&key, (enum key_scene_kind)kind);
    double start = job_now();
    bosc_status status = bosc_scene_write(folder, &scene, &error);
    job_add_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}
