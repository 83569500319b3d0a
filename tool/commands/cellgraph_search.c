/* boscage cellgraph path, components, levels: searches of the graph of a file's vectors, through allowed rows. */
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>

#include "tool/commands/commands.h"
#include "tool/commands/over_ranks.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/options/option_table.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* ---- input ---- */

/* The graph of a file's vectors, and the allowed rows. */
struct cellgraph_input {
    bosc_vectors vectors;
    bosc_array allowed; /* (rows) 0: excluded; empty: all rows are allowed */
    bosc_cellgraph *graph;
    bosc_cellgraph_info info;
    int64_t *vertex_of; /* (rows) -1: the row is left out */
    int64_t *first_row; /* (vertices) first allowed row */
    uint8_t *mask;      /* (vertices) 0: no allowed row */
};

/* Reads --allowed: u1, one per row. */
static int read_allowed(struct job *job, int64_t n, bosc_array *allowed)
{
    const char *path = job->value[OPT_ALLOWED];
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_npy_read(path, allowed, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    if (allowed->dtype != BOSC_U8 || allowed->rank != 1)
        return report_error(EXIT_FAILED, "%s: a mask is u1 in one dimension, but this array is %s in %d", path,
                            dtype_code(allowed->dtype), allowed->rank);
    if (allowed->shape[0] != n)
        return report_error(EXIT_FAILED, "%s: %lld entries, but %s has %lld rows", path, (long long)allowed->shape[0],
                            job->operands[0], (long long)n);
    return EXIT_DONE;
}

/* Reads the vectors and --allowed. */
static int read_input(struct job *job, int64_t bits, struct cellgraph_input *c)
{
    int code = vectors_read(job, job->operands[0], bits, &c->vectors);
    if (code) return code;
    job_set_integer(job, "n", c->vectors.file_n);
    return job->value[OPT_ALLOWED] ? read_allowed(job, c->vectors.file_n, &c->allowed) : EXIT_DONE;
}

/* True if no vector has this row of the file. */
static bool is_skipped(const bosc_vectors *vectors, int64_t row)
{
    int64_t begin = 0, end = vectors->file_rows ? vectors->n : 0;
    while (begin < end) { /* the rows ascend */
        const int64_t middle = begin + (end - begin) / 2;
        if (vectors->file_rows[middle] < row)
            begin = middle + 1;
        else
            end = middle;
    }
    return vectors->file_rows && (begin == vectors->n || vectors->file_rows[begin] != row);
}

/* Checks that the row given by the option exists and is allowed. */
static int check_row(struct job *job, const struct cellgraph_input *c, enum option id, int64_t row)
{
    const uint8_t *allowed = c->allowed.data;
    if (row >= c->vectors.file_n)
        return report_error(EXIT_FAILED, "%s: %lld: %s has %lld rows", option_flag(id), (long long)row,
                            job->operands[0], (long long)c->vectors.file_n);
    if (is_skipped(&c->vectors, row))
        return report_error(EXIT_FAILED,
                            "%s: row %lld is skipped, since it has no letters or an ambiguity code (see --n)",
                            option_flag(id), (long long)row);
    if (allowed && !allowed[row])
        return report_error(EXIT_FAILED, "%s: row %lld is not allowed", option_flag(id), (long long)row);
    return EXIT_DONE;
}

/* Computes the vertex of each row of the file, the mask of vertices with an allowed row, and their first allowed
 * rows. */
static int mask_vertices(struct job *job, struct cellgraph_input *c)
{
    const uint8_t *allowed = c->allowed.data;
    bosc_array vertices = {.dtype = BOSC_I64, .rank = 1, .shape = {c->vectors.n, 1, 1, 1}};
    vertices.data = job_alloc((size_t)c->vectors.n, sizeof *c->vertex_of);
    c->first_row = vertices.data ? job_alloc((size_t)c->info.vertices, sizeof *c->first_row) : NULL;
    c->mask = c->first_row ? job_alloc((size_t)c->info.vertices, 1) : NULL;
    bosc_status status = BOSC_OK;
    if (c->mask) status = bosc_cellgraph_get_vertices(job->ctx, c->graph, NULL, c->first_row, NULL, vertices.data);
    int code = !c->mask ? EXIT_FAILED : status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
    if (!code) code = vectors_expand(&c->vectors, &vertices);
    c->vertex_of = vertices.data;
    if (code) return code;
    vectors_to_rows(&c->vectors, c->first_row, c->info.vertices);
    memset(c->mask, allowed == NULL, (size_t)c->info.vertices);
    for (int64_t i = c->vectors.file_n - 1; i >= 0 && allowed; i--) {
        if (!allowed[i] || c->vertex_of[i] < 0) continue;
        c->mask[c->vertex_of[i]] = 1;
        c->first_row[c->vertex_of[i]] = i;
    }
    return EXIT_DONE;
}

/* Builds the graph of all rows, and the mask. */
static int build_graph(struct job *job, int method, struct cellgraph_input *c)
{
    const bosc_cellgraph_opts opts = {.size = sizeof opts,
                                      .length = c->vectors.length,
                                      .letter_bits = c->vectors.letter_bits,
                                      .method = (bosc_cellgraph_method)method,
                                      .implied_edges = job->value[OPT_IMPLIED_EDGES] != NULL};
    double start = job_now();
    const int code = cellgraph_check_method(&c->vectors, method);
    if (code) return code;
    if (opts.implied_edges && opts.letter_bits != 1)
        return report_error(EXIT_USAGE, "--implied-edges: needs letters of 1 bit, but those of %s have %d",
                            job->operands[0], (int)opts.letter_bits);
    bosc_status status = bosc_cellgraph_create(job->ctx, &opts, &c->graph);
    if (status == BOSC_OK) status = bosc_cellgraph_build(job->ctx, c->graph, c->vectors.rows, c->vectors.n, 0);
    job_add_seconds(job, "build", start);
    c->info.size = sizeof c->info;
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(job->ctx, c->graph, &c->info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "unique", c->info.vertices);
    if (!opts.implied_edges) job_set_integer(job, "edges", c->info.edges);
    return mask_vertices(job, c);
}

static void free_input(struct cellgraph_input *c)
{
    bosc_cellgraph_free(c->graph);
    bosc_vectors_free(&c->vectors);
    bosc_array_free(&c->allowed);
    free(c->vertex_of);
    free(c->first_row);
    free(c->mask);
}

/* ---- a shortest path ---- */

/* Rows of the file. */
struct path_ends {
    int64_t from, to;
};

/* Converts the vertices of the path to rows of the file: the requested ends, and the first allowed row of each other
 * vertex. */
static void convert_to_rows(struct job *job, const struct cellgraph_input *c, const struct path_ends *e,
                            bosc_array *path)
{
    int64_t *rows = path->data, length = path->shape[0];
    for (int64_t i = 0; i < length; i++) rows[i] = c->first_row[rows[i]];
    rows[0] = e->from;
    if (length > 1) rows[length - 1] = e->to;
    job_set_integer(job, "steps", length - 1);
}

static int find_path(struct job *job, const struct cellgraph_input *c, const struct path_ends *e, bosc_array *path)
{
    int64_t length = 0;
    double start = job_now();
    *path = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {0, 1, 1, 1}};
    if (!(path->data = job_alloc((size_t)c->info.vertices, sizeof(int64_t)))) return EXIT_FAILED;
    bosc_status status = bosc_cellgraph_path_masked(job->ctx, c->graph, c->vertex_of[e->from], c->vertex_of[e->to],
                                                    c->mask, path->data, c->info.vertices, &length);
    job_add_seconds(job, "path", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    if (length == 0)
        return report_error(EXIT_FAILED, "%s: no route leads from row %lld to row %lld%s", job->operands[0],
                            (long long)e->from, (long long)e->to, c->allowed.data ? " through allowed rows" : "");
    path->shape[0] = length;
    convert_to_rows(job, c, e, path);
    return EXIT_DONE;
}

int run_cellgraph_path(struct job *job)
{
    struct cellgraph_input c = {.graph = NULL};
    struct path_ends e = {0, 0};
    bosc_array path = {0};
    int64_t bits = 0;
    int method = 0, code;
    if ((code = option_choice(job, OPT_METHOD, &method)) ||
        (code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &bits)) ||
        (code = option_integer(job, OPT_FROM, 0, INT64_MAX, &e.from)) ||
        (code = option_integer(job, OPT_TO, 0, INT64_MAX, &e.to)))
        return code;
    if (job->value[OPT_IMPLIED_EDGES] && method != BOSC_CELLGRAPH_AUTO)
        return report_error(EXIT_USAGE, "--implied-edges: finds no edges, so it takes no --method");
    if ((code = job_open(job))) return code;
    code = read_input(job, bits, &c);
    if (!code) code = check_row(job, &c, OPT_FROM, e.from);
    if (!code) code = check_row(job, &c, OPT_TO, e.to);
    if (!code) code = build_graph(job, method, &c);
    if (!code) code = find_path(job, &c, &e, &path);
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &path, 1);
    free_input(&c);
    bosc_array_free(&path);
    return code;
}

/* ---- components and levels ---- */

/* Expands values of vertices to rows: values[v], or map[values[v]] unless map is NULL; -1 for excluded and skipped
 * rows. */
static int expand_to_rows(const struct cellgraph_input *c, const int64_t *values, const int64_t *map, bosc_array *out)
{
    const uint8_t *allowed = c->allowed.data;
    *out = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {c->vectors.file_n, 1, 1, 1}};
    int64_t *to = out->data = job_alloc((size_t)c->vectors.file_n, sizeof *to);
    if (!to) return EXIT_FAILED;
    for (int64_t i = 0; i < c->vectors.file_n; i++) {
        const bool excluded = (allowed && !allowed[i]) || c->vertex_of[i] < 0;
        const int64_t value = excluded ? -1 : values[c->vertex_of[i]];
        to[i] = map && value >= 0 ? map[value] : value;
    }
    return EXIT_DONE;
}

static int find_components(struct job *job, const struct cellgraph_input *c, int64_t *labels)
{
    int64_t count = 0;
    double start = job_now();
    bosc_status status = bosc_cellgraph_components_masked(job->ctx, c->graph, c->mask, labels, &count);
    job_add_seconds(job, "components", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "components", count);
    return EXIT_DONE;
}

/* Sets the first row of each component's smallest vertex to the first allowed row of the component. */
static void lower_first_rows(const struct cellgraph_input *c, const int64_t *labels)
{
    for (int64_t v = 0; v < c->info.vertices; v++)
        if (labels[v] >= 0 && c->first_row[v] < c->first_row[labels[v]]) c->first_row[labels[v]] = c->first_row[v];
}

static int find_levels(struct job *job, const struct cellgraph_input *c, int64_t from, int64_t *levels)
{
    int64_t reached = 0, depth = 0;
    double start = job_now();
    bosc_status status =
        bosc_cellgraph_levels_masked(job->ctx, c->graph, c->vertex_of[from], c->mask, levels, NULL, &reached, &depth);
    job_add_seconds(job, "levels", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "reached", reached);
    job_set_integer(job, "depth", depth);
    return EXIT_DONE;
}

/* Computes levels, or components if `levels` is false. */
static int search_cellgraph(struct job *job, bool levels)
{
    struct cellgraph_input c = {.graph = NULL};
    bosc_array out = {0};
    int64_t bits = 0, from = 0, *values = NULL;
    int method = 0, code;
    if ((code = option_choice(job, OPT_METHOD, &method)) ||
        (code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &bits)) ||
        (code = option_integer(job, OPT_FROM, 0, INT64_MAX, &from)))
        return code;
    code = read_input(job, bits, &c);
    if (!code && levels) code = check_row(job, &c, OPT_FROM, from);
    if (!code) code = build_graph(job, method, &c);
    if (!code && !(values = job_alloc((size_t)c.info.vertices, sizeof *values))) code = EXIT_FAILED;
    if (!code) code = levels ? find_levels(job, &c, from, values) : find_components(job, &c, values);
    if (!code && !levels) lower_first_rows(&c, values);
    if (!code && job->value[OPT_OUTPUT]) code = expand_to_rows(&c, values, levels ? NULL : c.first_row, &out);
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &out, 1);
    free_input(&c);
    free(values);
    bosc_array_free(&out);
    return code;
}

/* Reduces the mask of the file's rows to those of the vectors. */
static void compress_allowed(struct cellgraph_input *c)
{
    uint8_t *allowed = c->allowed.data;
    for (int64_t i = 0; allowed && c->vectors.file_rows && i < c->vectors.n; i++)
        allowed[i] = allowed[c->vectors.file_rows[i]];
}

static int label_over_ranks(struct job *job, const struct ranks *ranks)
{
    struct cellgraph_input c = {.graph = NULL};
    bosc_array labels = {0};
    int64_t bits = 0;
    int method = 0, code;
    if ((code = option_choice(job, OPT_METHOD, &method)) ||
        (code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &bits)))
        return code;
    code = read_input(job, bits, &c);
    if (!code) code = cellgraph_check_method(&c.vectors, method);
    if (!code) compress_allowed(&c);
    const bosc_cellgraph_opts opts = {.size = sizeof opts,
                                      .length = c.vectors.length,
                                      .letter_bits = c.vectors.letter_bits,
                                      .method = (bosc_cellgraph_method)method};
    if (!code) code = cellgraph_components_over_ranks(job, ranks, &c.vectors, c.allowed.data, &opts, &labels);
    if (!code) job_set_integer(job, "n", c.vectors.file_n);
    if (!code && !job->silent) {
        vectors_to_rows(&c.vectors, labels.data, c.vectors.n);
        code = vectors_expand(&c.vectors, &labels);
    }
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &labels, 1);
    free_input(&c);
    bosc_array_free(&labels);
    return code;
}

int run_cellgraph_components(struct job *job)
{
    struct ranks ranks;
    int code = job_open(job);
    if (code) return code;
    code = ranks_open(job, &ranks);
    if (!code) code = ranks.count ? label_over_ranks(job, &ranks) : search_cellgraph(job, false);
    ranks_close(&ranks, code);
    return code;
}

int run_cellgraph_levels(struct job *job)
{
    int code = job_open(job);
    return code ? code : search_cellgraph(job, true);
}
