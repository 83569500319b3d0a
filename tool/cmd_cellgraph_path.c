/* boscage cellgraph path: a shortest route in cells. */
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>

#include "tool/tool.h"

/* The cells of the rows that may be used, and a route through them. */
struct route {
    bosc_vectors vectors; /* the rows that may be used */
    int64_t *row_of;      /* of each of them, its row in the file; NULL: all may be used */
    int64_t from, to;     /* rows of the file */
    int64_t begin, end;   /* and which of those that may be used they are */
    bosc_cellgraph *graph;
    bosc_cellgraph_info info;
};

/* allowed->data: 1 for each row that may be used. */
static int read_allowed(struct job *job, int64_t n, bosc_array *allowed)
{
    const char *path = job->value[OPT_ALLOWED];
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_npy_read(path, allowed, &error);
    job_seconds(job, "read", start);
    if (status != BOSC_OK) return say_io(status, &error);
    if (allowed->dtype != BOSC_U8 || allowed->rank != 1)
        return say(EXIT_FAILED, "%s: a mask is u1 in one dimension, but this array is %s in %d", path,
                   dtype_code(allowed->dtype), allowed->rank);
    if (allowed->shape[0] != n)
        return say(EXIT_FAILED, "%s: %lld entries, but %s has %lld rows", path, (long long)allowed->shape[0],
                   job->operands[0], (long long)n);
    return EXIT_DONE;
}

/* Leaves out the rows that may not be used. */
static int keep_allowed(struct route *r, const uint8_t *allowed)
{
    bosc_vectors *v = &r->vectors;
    size_t words = (size_t)bosc_cellgraph_words(v->length, v->letter_bits);
    int64_t kept = 0;
    if (!allowed[r->from]) return say(EXIT_FAILED, "--from: row %lld is not allowed", (long long)r->from);
    if (!allowed[r->to]) return say(EXIT_FAILED, "--to: row %lld is not allowed", (long long)r->to);
    if (!(r->row_of = job_alloc((size_t)v->n, sizeof *r->row_of))) return EXIT_FAILED;
    for (int64_t i = 0; i < v->n; i++) {
        if (!allowed[i]) continue;
        if (i == r->from) r->begin = kept;
        if (i == r->to) r->end = kept;
        memmove(v->rows + (size_t)kept * words, v->rows + (size_t)i * words, words * sizeof *v->rows);
        r->row_of[kept++] = i;
    }
    v->n = kept;
    return EXIT_DONE;
}

static int read_rows(struct job *job, int64_t bits, struct route *r)
{
    bosc_array allowed = {0};
    int code = vectors_read(job, job->operands[0], bits, &r->vectors);
    if (code) return code;
    const int64_t n = r->vectors.n;
    job_integer(job, "n", n);
    if (r->from >= n || r->to >= n)
        return say(EXIT_FAILED, "%s: %lld: %s has %lld rows", r->from >= n ? "--from" : "--to",
                   (long long)(r->from >= n ? r->from : r->to), job->operands[0], (long long)n);
    r->begin = r->from;
    r->end = r->to;
    if (!job->value[OPT_ALLOWED]) return EXIT_DONE;
    code = read_allowed(job, n, &allowed);
    if (!code) code = keep_allowed(r, allowed.data);
    bosc_array_free(&allowed);
    return code;
}

static int build(struct job *job, int method, struct route *r)
{
    const bosc_cellgraph_opts opts = {.size = sizeof opts,
                                      .length = r->vectors.length,
                                      .letter_bits = r->vectors.letter_bits,
                                      .method = (bosc_cellgraph_method)method};
    double start = job_now();
    bosc_status status = bosc_cellgraph_create(job->ctx, &opts, &r->graph);
    if (status == BOSC_OK) status = bosc_cellgraph_build(job->ctx, r->graph, r->vectors.rows, r->vectors.n, 0);
    job_seconds(job, "build", start);
    r->info.size = sizeof r->info;
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(job->ctx, r->graph, &r->info);
    if (status != BOSC_OK) return say_ctx(job, status);
    job_integer(job, "unique", r->info.vertices);
    job_integer(job, "edges", r->info.edges);
    return EXIT_DONE;
}

/* A route's vertices become rows of the file: the ends as they were asked for, others the first of their cells. */
static void name_rows(struct job *job, const struct route *r, const int64_t *first, bosc_array *path)
{
    int64_t *rows = path->data, length = path->shape[0];
    for (int64_t i = 0; i < length; i++) {
        int64_t row = first[rows[i]];
        rows[i] = r->row_of ? r->row_of[row] : row;
    }
    rows[0] = r->from;
    if (length > 1) rows[length - 1] = r->to;
    job_integer(job, "steps", length - 1);
}

static int find(struct job *job, const struct route *r, bosc_array *path)
{
    size_t n = (size_t)r->vectors.n, vertices = (size_t)r->info.vertices;
    int64_t *vertex_of = job_alloc(n, sizeof *vertex_of), length = 0;
    int64_t *first = vertex_of ? job_alloc(vertices, sizeof *first) : NULL;
    *path = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {0, 1, 1, 1}};
    path->data = first ? job_alloc(vertices, sizeof(int64_t)) : NULL;
    int code = path->data ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        double start = job_now();
        bosc_status status = bosc_cellgraph_get_vertices(job->ctx, r->graph, NULL, first, NULL, vertex_of);
        if (status == BOSC_OK)
            status = bosc_cellgraph_path(job->ctx, r->graph, vertex_of[r->begin], vertex_of[r->end], path->data,
                                         r->info.vertices, &length);
        job_seconds(job, "path", start);
        if (status != BOSC_OK)
            code = say_ctx(job, status);
        else if (length == 0)
            code = say(EXIT_FAILED, "%s: no route leads from row %lld to row %lld%s", job->operands[0],
                       (long long)r->from, (long long)r->to, r->row_of ? " through allowed rows" : "");
    }
    path->shape[0] = length;
    if (!code) name_rows(job, r, first, path);
    free(vertex_of);
    free(first);
    return code;
}

int run_cellgraph_path(struct job *job)
{
    struct route r = {.from = 0};
    bosc_array path = {0};
    int64_t bits = 0;
    int method = 0, code;
    if ((code = option_choice(job, OPT_METHOD, &method)) ||
        (code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &bits)) ||
        (code = option_integer(job, OPT_FROM, 0, INT64_MAX, &r.from)) ||
        (code = option_integer(job, OPT_TO, 0, INT64_MAX, &r.to)) || (code = job_open(job)))
        return code;
    code = read_rows(job, bits, &r);
    if (!code) code = build(job, method, &r);
    if (!code) code = find(job, &r, &path);
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &path, 1);
    bosc_cellgraph_free(r.graph);
    bosc_vectors_free(&r.vectors);
    free(r.row_of);
    bosc_array_free(&path);
    return code;
}
