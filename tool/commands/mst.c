/* boscage mst, components */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/ranks.h"

/* A saved graph, or edges, and what is asked of it. Edges need a graph for a proof and the published algorithms. */
struct question {
    bosc_graph *graph; /* NULL: edges */
    bosc_edges edges;
    bosc_graph_info info; /* of edges: the numbers and types alone */
    bosc_msf_opts opts;
};

static size_t id_size(const struct question *q) { return q->info.id_bits == 64 ? 8 : 4; }

static void close_question(struct question *q)
{
    bosc_graph_free(q->graph);
    bosc_edges_free(&q->edges);
}

static int open_question(struct job *job, struct question *q, int algorithm)
{
    const char *path = job->operands[0];
    *q = (struct question){.info = {.size = sizeof q->info},
                           .opts = {.size = sizeof q->opts,
                                    .algorithm = (bosc_msf_algorithm)algorithm,
                                    .maximum = job->value[OPT_MAX] != NULL}};
    int code = graph_or_edges_read(job, path, &q->graph, &q->edges);
    if (!code && !q->graph && (job->value[OPT_VERIFY] || algorithm)) {
        code = graph_build(job, path, &q->edges, &q->graph);
        bosc_edges_free(&q->edges);
    }
    if (code) return code;
    if (q->graph) {
        bosc_graph_get_info(job->ctx, q->graph, &q->info);
    } else {
        q->info.n = q->edges.n;
        q->info.m = q->info.entries = q->edges.m;
        q->info.weight = q->edges.dtype;
        q->info.id_bits = 32;
    }
    job_integer(job, "n", q->info.n);
    job_integer(job, "m", q->info.m);
    return EXIT_DONE;
}

/* The exact sum of integer weights: as an integer where one of 64 bits is enough, else as text beside the nearest
 * double. Sums of reals are doubles. */
void report_weight(struct job *job, bosc_dtype weight, const bosc_msf_info *found)
{
    bool real = weight == BOSC_F32 || weight == BOSC_F64;
    int64_t high = found->weight_high;
    if (!real && high == ((int64_t)found->weight_low < 0 ? -1 : 0)) {
        job_integer(job, "weight", (int64_t)found->weight_low);
        return;
    }
    job_number(job, "weight", found->weight);
    if (real) return;
    unsigned __int128 size = (unsigned __int128)(uint64_t)high << 64 | found->weight_low;
    char text[48], *p = text + sizeof text;
    if (high < 0) size = 0 - size;
    *--p = 0;
    do *--p = (char)('0' + (int)(size % 10));
    while (size /= 10);
    if (high < 0) *--p = '-';
    job_text(job, "weight_exact", p);
}

/* Those of the edges that have these ids, ascending; they are taken from the question's. */
static int keep_edges(struct question *q, const int64_t *ids, int64_t count, bosc_edges *edges)
{
    const size_t each = bosc_dtype_size(q->info.weight);
    char *weights = q->edges.weights;
    *edges = q->edges;
    q->edges = (bosc_edges){0};
    edges->m = count;
    for (int64_t i = 0; i < count; i++) { /* in place: i <= ids[i] */
        edges->u[i] = edges->u[ids[i]];
        edges->v[i] = edges->v[ids[i]];
        if (weights) memmove(weights + (size_t)i * each, weights + (size_t)ids[i] * each, each);
    }
    return EXIT_DONE;
}

/* The edges of the graph that have these ids, ascending. */
static int pick_edges(struct job *job, const struct question *q, const int64_t *ids, int64_t count, bosc_edges *edges)
{
    size_t m = (size_t)q->info.m, each = bosc_dtype_size(q->info.weight);
    bool wide = q->info.id_bits == 64;
    void *all = job_alloc(m, id_size(q)), *u = all ? job_alloc(m, id_size(q)) : NULL;
    void *v = u ? job_alloc(m, id_size(q)) : NULL;
    char *weights = v ? job_alloc(m, each) : NULL;
    int code = EXIT_FAILED;
    if (weights) {
        bosc_status status = bosc_graph_get_edges(job->ctx, q->graph, all, u, v, weights);
        code = status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
    }
    int64_t found = 0;
    for (size_t i = 0; !code && i < m && found < count; i++) {
        int64_t id = wide ? ((const int64_t *)all)[i] : (int64_t)((const uint32_t *)all)[i];
        if (id != ids[found]) continue;
        /* In place: found <= i. A vertex has 32 bits in either size of ids. */
        ((uint32_t *)u)[found] = wide ? (uint32_t)((const int64_t *)u)[i] : ((const uint32_t *)u)[i];
        ((uint32_t *)v)[found] = wide ? (uint32_t)((const int64_t *)v)[i] : ((const uint32_t *)v)[i];
        memmove(weights + (size_t)found * each, weights + i * each, each);
        found++;
    }
    free(all);
    *edges = (bosc_edges){q->info.n, found, q->info.weight, u, v, weights};
    return code;
}

static int write_forest(struct job *job, struct question *q, const bosc_array *ids)
{
    const char *path = job->value[OPT_OUTPUT];
    bosc_io_error error;
    bosc_edges edges = {0};
    bool text = path_ends_in(path, ".gr") || path_ends_in(path, ".mtx");
    double start = job_now();
    int code = EXIT_DONE;
    if (text)
        code = q->graph ? pick_edges(job, q, ids->data, ids->shape[0], &edges)
                        : keep_edges(q, ids->data, ids->shape[0], &edges);
    if (!code) {
        bosc_status status = text ? bosc_edges_write(path, &edges, &error) : bosc_npy_write(path, ids, &error);
        if (status != BOSC_OK) code = say_io(status, &error);
    }
    bosc_edges_free(&edges);
    job_seconds(job, "write", start);
    return code;
}

static int compute_forest(struct job *job, const struct question *q, void *ids, bosc_msf_info *found)
{
    const bosc_edges *e = &q->edges;
    const bosc_graph_opts opts = graph_opts_of(e);
    double start = job_now();
    bosc_status status = q->graph ? bosc_msf_compute(job->ctx, q->graph, &q->opts, ids, NULL, found)
                                  : bosc_msf_compute_edges(job->ctx, &opts, &q->opts, e->u, e->v, e->weights, e->n,
                                                           e->m, ids, NULL, found);
    job_seconds(job, "forest", start);
    if (status == BOSC_OK) return EXIT_DONE;
    return q->graph ? say_ctx(job, status) : say_edges(job, job->operands[0], e, status);
}

static int find_forest(struct job *job, struct question *q)
{
    int64_t capacity = q->info.n - 1 < q->info.m ? q->info.n - 1 : q->info.m;
    if (capacity < 0) capacity = 0;
    bosc_array ids = {.dtype = BOSC_I64, .rank = 1, .shape = {0, 1, 1, 1}};
    bosc_msf_info found = {.size = sizeof found};
    ids.data = job_alloc((size_t)capacity, sizeof(int64_t));
    if (!ids.data) return EXIT_FAILED;
    int code = compute_forest(job, q, ids.data, &found);
    if (!code) {
        job_integer(job, "edges", found.edges);
        job_integer(job, "components", found.trees);
        report_weight(job, q->info.weight, &found);
        ids.shape[0] = found.edges;
        widen_ids(q->info.id_bits, ids.data, found.edges);
        if (job->value[OPT_OUTPUT]) code = write_forest(job, q, &ids);
    }
    bosc_array_free(&ids);
    return code;
}

int forest_ids_read(struct job *job, const struct ranks *ranks, int32_t id_bits, int64_t entries,
                    struct rank_rows *rows)
{
    bosc_io_error error;
    const char *path = job->value[OPT_VERIFY];
    bosc_array *ids = &rows->array;
    int code = ranks_read_npy(job, ranks, path, rows);
    if (code) return code;
    if (ids->dtype == BOSC_F32 || ids->dtype == BOSC_F64 || ids->rank != 1)
        return say(EXIT_FAILED, "%s: edge ids are integers in one dimension, but this array is %s in %d", path,
                   dtype_code(ids->dtype), ids->rank);
    bosc_status status = bosc_slice_convert(path, &rows->slice, ids, BOSC_I64, 0, &error);
    if (status != BOSC_OK) return say_io(status, &error);
    const int64_t *wide = ids->data;
    uint32_t *narrow = ids->data;
    for (int64_t i = 0; i < ids->shape[0]; i++) {
        if (wide[i] < 0 || wide[i] >= entries)
            return say(EXIT_FAILED, "%s: row %lld: there is no edge %lld", path, (long long)(rows->first + i),
                       (long long)wide[i]);
        if (id_bits == 32) narrow[i] = (uint32_t)wide[i];
    }
    return EXIT_DONE;
}

static int verify(struct job *job, struct question *q)
{
    struct rank_rows rows = {.total = 0};
    const bosc_array *ids = &rows.array;
    int code = forest_ids_read(job, &(struct ranks){.count = 0}, q->info.id_bits, q->info.entries, &rows);
    if (!code) {
        double start = job_now();
        bosc_status status = bosc_msf_verify(job->ctx, q->graph, &q->opts, ids->data, ids->shape[0], NULL);
        job_seconds(job, "verify", start);
        if (status != BOSC_OK)
            code = say(exit_code_of(status), "%s: %s", job->value[OPT_VERIFY], bosc_ctx_message(job->ctx));
        job_integer(job, "edges", ids->shape[0]);
        job_integer(job, "components", q->info.n - ids->shape[0]);
    }
    bosc_array_free(&rows.array);
    return code;
}

/* What cannot stand together, or has no known ending. */
static int check_outputs(const struct job *job)
{
    const char *output = job->value[OPT_OUTPUT];
    if (output && job->value[OPT_VERIFY]) return say(EXIT_USAGE, "-o: --verify writes nothing");
    if (job->value[OPT_ALGORITHM] && job->value[OPT_VERIFY])
        return say(EXIT_USAGE, "--algorithm: does not apply to --verify");
    return option_ending(job, OPT_OUTPUT, (const char *const[]){".gr", ".mtx", ".npy", NULL});
}

static int run_forest(struct job *job, int algorithm)
{
    struct question q;
    int code = open_question(job, &q, algorithm);
    if (!code) code = job->value[OPT_VERIFY] ? verify(job, &q) : find_forest(job, &q);
    close_question(&q);
    return code;
}

int run_mst(struct job *job)
{
    int algorithm = 0, code;
    struct ranks ranks;
    if ((code = option_choice(job, OPT_ALGORITHM, &algorithm)) || (code = check_outputs(job)) || (code = job_open(job)))
        return code;
    int64_t replicated;
    code = ranks_open(job, &ranks);
    if (!code) code = replicated_bytes(job, &ranks, &replicated);
    if (!code) code = ranks.count ? mst_over_ranks(job, &ranks) : run_forest(job, algorithm);
    ranks_close(&ranks, code);
    return code;
}

static int compute_components(struct job *job, const struct question *q, void *labels, int64_t *count)
{
    const bosc_edges *e = &q->edges;
    const bosc_graph_opts opts = graph_opts_of(e);
    double start = job_now();
    bosc_status status = q->graph ? bosc_components_compute(job->ctx, q->graph, NULL, labels, count)
                                  : bosc_components_compute_edges(job->ctx, &opts, NULL, e->u, e->v, e->weights, e->n,
                                                                  e->m, labels, count);
    job_seconds(job, "components", start);
    if (status == BOSC_OK) return EXIT_DONE;
    return q->graph ? say_ctx(job, status) : say_edges(job, job->operands[0], e, status);
}

static int label_components(struct job *job)
{
    struct question q;
    int64_t count = 0;
    int code = open_question(job, &q, BOSC_MSF_AUTO);
    bosc_array labels = {.dtype = BOSC_I64, .rank = 1, .shape = {q.info.n, 1, 1, 1}};
    if (!code) labels.data = job_alloc((size_t)q.info.n, sizeof(int64_t));
    if (!code) code = labels.data ? compute_components(job, &q, labels.data, &count) : EXIT_FAILED;
    if (!code) {
        widen_ids(q.info.id_bits, labels.data, q.info.n);
        code = arrays_write(job, &job->value[OPT_OUTPUT], &labels, 1);
        job_integer(job, "components", count);
    }
    bosc_array_free(&labels);
    close_question(&q);
    return code;
}

int run_components(struct job *job)
{
    struct ranks ranks;
    int code = job_open(job);
    if (code) return code;
    int64_t replicated;
    code = ranks_open(job, &ranks);
    if (!code) code = replicated_bytes(job, &ranks, &replicated);
    if (!code) code = ranks.count ? components_over_ranks(job, &ranks) : label_components(job);
    ranks_close(&ranks, code);
    return code;
}
