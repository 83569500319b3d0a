/* boscage mst, components */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/commands.h"
#include "tool/commands/graphs.h"
#include "tool/commands/over_ranks.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* The input of a command: a saved graph or a list of edges, and options. Proofs and published algorithms need a
 * graph. */
struct graph_input {
    bosc_graph *graph; /* NULL: edges */
    bosc_edges edges;
    bosc_names names;     /* with --names */
    bosc_graph_info info; /* for edges only numbers and types are set */
    bosc_msf_opts opts;
    bool assumed_weights; /* the file has none */
};

static size_t id_size(const struct graph_input *input) { return input->info.id_bits == 64 ? 8 : 4; }

static void close_input(struct graph_input *input)
{
    bosc_graph_free(input->graph);
    bosc_edges_free(&input->edges);
    bosc_names_free(&input->names);
}

/* True if --verify names edges, as -o writes them, not ids. */
static bool verifies_edges(const struct job *job)
{
    const char *path = job->value[OPT_VERIFY];
    return path && (path_is_text(path) || path_has_ending(path, ".gr") || path_has_ending(path, ".mtx"));
}

/* Reads the input, builds a graph if needed, and reports its size. */
static int open_input(struct job *job, struct graph_input *input, int algorithm)
{
    const char *path = job->operands[0];
    *input = (struct graph_input){.info = {.size = sizeof input->info},
                                  .opts = {.size = sizeof input->opts,
                                           .algorithm = (bosc_msf_algorithm)algorithm,
                                           .split_duplicates = job->value[OPT_SPLIT_DUPLICATES] != NULL,
                                           .maximum = job->value[OPT_MAX] != NULL}};
    /* 1. The file; a graph of its edges where one is needed. */
    int code = job->value[OPT_NAMES]
                   ? named_edges_read(job, path, job->value[OPT_COLUMNS], &input->edges, &input->names)
                   : graph_or_edges_read(job, path, &input->graph, &input->edges);
    if (code) return code;
    input->assumed_weights = !input->graph && has_assumed_weights(&input->edges);
    if (!input->graph && (job->value[OPT_VERIFY] || algorithm)) {
        code = graph_build(job, path, &input->edges, &input->graph);
        if (!verifies_edges(job)) bosc_edges_free(&input->edges);
    }
    if (code) return code;
    /* 2. Its size. */
    if (input->graph) {
        bosc_graph_get_info(job->ctx, input->graph, &input->info);
    } else {
        input->info.n = input->edges.n;
        input->info.m = input->info.entries = input->edges.m;
        input->info.weight = input->edges.dtype;
        input->info.id_bits = 32;
    }
    job_set_integer(job, "n", input->info.n);
    job_set_integer(job, "m", input->info.m);
    return EXIT_DONE;
}

/* Compacts the input's edges to those with the ids, which ascend. The input gives up its arrays. */
static int select_from_edges(struct graph_input *input, const int64_t *ids, int64_t count, bosc_edges *edges)
{
    const size_t weight_size = bosc_dtype_size(input->info.weight);
    char *weights = input->edges.weights;
    *edges = input->edges;
    input->edges = (bosc_edges){0};
    edges->m = count;
    for (int64_t i = 0; i < count; i++) { /* in place: i <= ids[i] */
        edges->u[i] = edges->u[ids[i]];
        edges->v[i] = edges->v[ids[i]];
        if (weights) memmove(weights + (size_t)i * weight_size, weights + (size_t)ids[i] * weight_size, weight_size);
    }
    return EXIT_DONE;
}

/* Copies the edges of the graph with the ids. The ids ascend, and bosc_graph_get_edges returns edges in their order.
 * Every graph has weights; job_alloc returns memory for m = 0, too. Reports failures. The caller frees *edges, after a
 * failure too. */
static int select_from_graph(struct job *job, const struct graph_input *input, const int64_t *ids, int64_t count,
                             bosc_edges *edges)
{
    size_t m = (size_t)input->info.m, weight_size = bosc_dtype_size(input->info.weight);
    bool is_64bit = input->info.id_bits == 64;
    /* 1. Fetch all edges. */
    void *all = job_alloc(m, id_size(input)), *u = all ? job_alloc(m, id_size(input)) : NULL;
    void *v = u ? job_alloc(m, id_size(input)) : NULL;
    char *weights = v ? job_alloc(m, weight_size) : NULL;
    int code = EXIT_FAILED;
    if (weights) {
        bosc_status status = bosc_graph_get_edges(job->ctx, input->graph, all, u, v, weights);
        code = status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    }
    /* 2. Compact those of the forest. */
    int64_t found = 0;
    for (size_t i = 0; !code && i < m && found < count; i++) {
        int64_t id = is_64bit ? ((const int64_t *)all)[i] : (int64_t)((const uint32_t *)all)[i];
        if (id != ids[found]) continue;
        /* In place: found <= i. Vertices fit 32 bits whatever id_bits is. */
        ((uint32_t *)u)[found] = is_64bit ? (uint32_t)((const int64_t *)u)[i] : ((const uint32_t *)u)[i];
        ((uint32_t *)v)[found] = is_64bit ? (uint32_t)((const int64_t *)v)[i] : ((const uint32_t *)v)[i];
        memmove(weights + (size_t)found * weight_size, weights + i * weight_size, weight_size);
        found++;
    }
    free(all);
    *edges = (bosc_edges){input->info.n, found, input->info.weight, u, v, weights};
    return code;
}

static int write_forest(struct job *job, struct graph_input *input, const bosc_array *ids)
{
    const char *path = job->value[OPT_OUTPUT];
    bosc_io_error error;
    bosc_edges edges = {0};
    const bool named = job->value[OPT_NAMES] && path_is_text(path),
               text = path_is_text(path) || path_has_ending(path, ".gr") || path_has_ending(path, ".mtx");
    double start = job_now();
    int code = EXIT_DONE;
    if (text)
        code = input->graph ? select_from_graph(job, input, ids->data, ids->shape[0], &edges)
                            : select_from_edges(input, ids->data, ids->shape[0], &edges);
    if (!code && named) {
        code = named_edges_write(job, &edges, &input->names);
    } else if (!code) {
        bosc_status status = text ? bosc_edges_write(path, &edges, &error) : bosc_npy_write(path, ids, &error);
        if (status != BOSC_OK) code = report_io_error(status, &error);
    }
    bosc_edges_free(&edges);
    if (!named) job_add_seconds(job, "write", start);
    return code;
}

static int compute_forest(struct job *job, const struct graph_input *input, void *ids, bosc_msf_info *found)
{
    const bosc_edges *e = &input->edges;
    const bosc_graph_opts opts = edges_graph_opts(e);
    double start = job_now();
    bosc_status status = input->graph ? bosc_msf_compute(job->ctx, input->graph, &input->opts, ids, NULL, found)
                                      : bosc_msf_compute_edges(job->ctx, &opts, &input->opts, e->u, e->v, e->weights,
                                                               e->n, e->m, ids, NULL, found);
    job_add_seconds(job, "forest", start);
    if (status == BOSC_OK) return EXIT_DONE;
    return input->graph ? report_ctx_error(job->ctx, status) : report_edges_error(job, job->operands[0], e, status);
}

static int find_forest(struct job *job, struct graph_input *input)
{
    int64_t capacity = input->info.n - 1 < input->info.m ? input->info.n - 1 : input->info.m;
    if (capacity < 0) capacity = 0;
    bosc_array ids = {.dtype = BOSC_I64, .rank = 1, .shape = {0, 1, 1, 1}};
    bosc_msf_info found = {.size = sizeof found};
    ids.data = job_alloc((size_t)capacity, sizeof(int64_t));
    if (!ids.data) return EXIT_FAILED;
    int code = compute_forest(job, input, ids.data, &found);
    if (!code) {
        job_set_integer(job, "edges", found.edges);
        job_set_integer(job, "components", found.trees);
        report_weight(job, input->info.weight, input->assumed_weights, &found);
        ids.shape[0] = found.edges;
        widen_ids(input->info.id_bits, ids.data, found.edges);
        if (job->value[OPT_OUTPUT]) code = write_forest(job, input, &ids);
    }
    bosc_array_free(&ids);
    return code;
}

/* Ids of 32 bits fill the front half of the array. */
static void narrow_ids(const bosc_array *ids)
{
    const int64_t *from = ids->data;
    uint32_t *to = ids->data;
    for (int64_t i = 0; i < ids->shape[0]; i++) to[i] = (uint32_t)from[i];
}

static int verify_forest(struct job *job, struct graph_input *input)
{
    struct input_rows rows = {.total = 0};
    const bosc_array *ids = &rows.array;
    int code;
    if (verifies_edges(job) && !input->edges.u && input->info.entries > 0)
        code = report_error(EXIT_USAGE, "--verify: %s has edges; a saved graph needs their ids, .npy",
                            job->value[OPT_VERIFY]);
    else if (verifies_edges(job)) {
        code = read_forest_edges(job, &input->edges, &input->names, &rows.array);
        if (!code && input->info.id_bits == 32) narrow_ids(ids);
    } else {
        code = read_forest_ids(job, &(struct ranks){.count = 0}, input->info.id_bits, input->info.entries, &rows);
    }
    if (!code) {
        double start = job_now();
        bosc_status status = bosc_msf_verify(job->ctx, input->graph, &input->opts, ids->data, ids->shape[0], NULL);
        job_add_seconds(job, "verify", start);
        if (status != BOSC_OK)
            code = report_error(status_exit_code(status), "%s: %s", job->value[OPT_VERIFY], bosc_ctx_message(job->ctx));
        job_set_integer(job, "edges", ids->shape[0]);
        job_set_integer(job, "components", input->info.n - ids->shape[0]);
    }
    bosc_array_free(&rows.array);
    return code;
}

/* Refuses invalid combinations of options, and unknown endings. */
static int check_outputs(const struct job *job, int algorithm)
{
    const char *output = job->value[OPT_OUTPUT];
    if (output && job->value[OPT_VERIFY]) return report_error(EXIT_USAGE, "-o: --verify writes nothing");
    if (job->value[OPT_ALGORITHM] && job->value[OPT_VERIFY])
        return report_error(EXIT_USAGE, "--algorithm: does not apply to --verify");
    if (job->value[OPT_SPLIT_DUPLICATES] && algorithm == BOSC_MSF_AUTO)
        return report_error(EXIT_USAGE, "--split-duplicates: needs --algorithm primitives or atomic");
    if (job->value[OPT_SPLIT_DUPLICATES] && (job->value[OPT_RANKS] || job->value[OPT_DEVICES]))
        return report_error(EXIT_USAGE, "--split-duplicates: does not apply to several ranks");
    return option_ending(job, OPT_OUTPUT, (const char *const[]){".gr", ".mtx", ".npy", ".csv", ".tsv", ".txt", NULL});
}

/* Refuses --names over several ranks. */
static int check_names(const struct job *job, const struct ranks *ranks)
{
    if (!job->value[OPT_NAMES] || !ranks->count) return EXIT_DONE;
    return report_error(EXIT_USAGE, "--names: does not apply to several ranks");
}

static int run_forest(struct job *job, int algorithm)
{
    struct graph_input input;
    int code = open_input(job, &input, algorithm);
    if (!code) code = job->value[OPT_VERIFY] ? verify_forest(job, &input) : find_forest(job, &input);
    close_input(&input);
    return code;
}

int run_mst(struct job *job)
{
    int algorithm = 0, code;
    struct ranks ranks;
    if ((code = option_choice(job, OPT_ALGORITHM, &algorithm)) || (code = check_outputs(job, algorithm)) ||
        (code = job_open(job)))
        return code;
    int64_t replicated = 0;
    code = ranks_open(job, &ranks);
    if (!code) code = check_names(job, &ranks);
    if (!code) code = replicated_bytes(job, &ranks, &replicated);
    if (!code) code = ranks.count ? mst_over_ranks(job, &ranks, replicated) : run_forest(job, algorithm);
    ranks_close(&ranks, code);
    return code;
}

/* ---- components ---- */

static int compute_components(struct job *job, const struct graph_input *input, void *labels, int64_t *count)
{
    const bosc_edges *e = &input->edges;
    const bosc_graph_opts opts = edges_graph_opts(e);
    double start = job_now();
    bosc_status status = input->graph ? bosc_components_compute(job->ctx, input->graph, NULL, labels, count)
                                      : bosc_components_compute_edges(job->ctx, &opts, NULL, e->u, e->v, e->weights,
                                                                      e->n, e->m, labels, count);
    job_add_seconds(job, "components", start);
    if (status == BOSC_OK) return EXIT_DONE;
    return input->graph ? report_ctx_error(job->ctx, status) : report_edges_error(job, job->operands[0], e, status);
}

static int label_components(struct job *job)
{
    struct graph_input input;
    int64_t count = 0;
    int code = open_input(job, &input, BOSC_MSF_AUTO);
    bosc_array labels = {.dtype = BOSC_I64, .rank = 1, .shape = {input.info.n, 1, 1, 1}};
    if (!code) labels.data = job_alloc((size_t)input.info.n, sizeof(int64_t));
    if (!code) code = labels.data ? compute_components(job, &input, labels.data, &count) : EXIT_FAILED;
    if (!code) {
        widen_ids(input.info.id_bits, labels.data, input.info.n);
        const struct named_column column = {job->value[OPT_OUTPUT], "component", NULL, labels.data};
        code = job->value[OPT_NAMES] && path_is_text(job->value[OPT_OUTPUT])
                   ? named_columns_write(job, "vertex", &column, 1, &input.names)
                   : arrays_write(job, &job->value[OPT_OUTPUT], &labels, 1);
        job_set_integer(job, "components", count);
    }
    bosc_array_free(&labels);
    close_input(&input);
    return code;
}

int run_components(struct job *job)
{
    struct ranks ranks;
    int code = job_open(job);
    if (code) return code;
    int64_t replicated = 0;
    code = ranks_open(job, &ranks);
    if (!code) code = check_names(job, &ranks);
    if (!code) code = replicated_bytes(job, &ranks, &replicated);
    if (!code) code = ranks.count ? components_over_ranks(job, &ranks, replicated) : label_components(job);
    ranks_close(&ranks, code);
    return code;
}
