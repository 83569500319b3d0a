/* boscage cellgraph path: a shortest route in cells. */
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>

#include "tool/tool.h"

/* The cells of a file, and a route through those that may be used. */
struct route {
    bosc_vectors vectors;
    bosc_array allowed; /* 0 for each row that may not be used; empty: all may */
    int64_t from, to;   /* rows */
    bosc_cellgraph *graph;
    bosc_cellgraph_info info;
    int64_t *vertex_of; /* of each row */
    int64_t *first;     /* of each vertex, its first row that may be used */
    uint8_t *mask;      /* of each vertex: 0 if none of its rows may be used */
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

static int read_rows(struct job *job, int64_t bits, struct route *r)
{
    int code = vectors_read(job, job->operands[0], bits, &r->vectors);
    if (code) return code;
    const int64_t n = r->vectors.n;
    job_integer(job, "n", n);
    if (r->from >= n || r->to >= n)
        return say(EXIT_FAILED, "%s: %lld: %s has %lld rows", r->from >= n ? "--from" : "--to",
                   (long long)(r->from >= n ? r->from : r->to), job->operands[0], (long long)n);
    if (!job->value[OPT_ALLOWED]) return EXIT_DONE;
    if ((code = read_allowed(job, n, &r->allowed))) return code;
    const uint8_t *allowed = r->allowed.data;
    if (!allowed[r->from]) return say(EXIT_FAILED, "--from: row %lld is not allowed", (long long)r->from);
    if (!allowed[r->to]) return say(EXIT_FAILED, "--to: row %lld is not allowed", (long long)r->to);
    return EXIT_DONE;
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

/* Which vertices may be used: those of which a row may be. */
static int mask_vertices(struct job *job, struct route *r)
{
    const uint8_t *allowed = r->allowed.data;
    r->vertex_of = job_alloc((size_t)r->vectors.n, sizeof *r->vertex_of);
    r->first = r->vertex_of ? job_alloc((size_t)r->info.vertices, sizeof *r->first) : NULL;
    r->mask = r->first ? job_alloc((size_t)r->info.vertices, 1) : NULL;
    if (!r->mask) return EXIT_FAILED;
    bosc_status status = bosc_cellgraph_get_vertices(job->ctx, r->graph, NULL, r->first, NULL, r->vertex_of);
    if (status != BOSC_OK) return say_ctx(job, status);
    memset(r->mask, allowed == NULL, (size_t)r->info.vertices);
    for (int64_t i = r->vectors.n - 1; i >= 0 && allowed; i--) {
        if (!allowed[i]) continue;
        r->mask[r->vertex_of[i]] = 1;
        r->first[r->vertex_of[i]] = i;
    }
    return EXIT_DONE;
}

/* A route's vertices become rows of the file: the ends as they were asked for, others the first of their cells. */
static void name_rows(struct job *job, const struct route *r, bosc_array *path)
{
    int64_t *rows = path->data, length = path->shape[0];
    for (int64_t i = 0; i < length; i++) rows[i] = r->first[rows[i]];
    rows[0] = r->from;
    if (length > 1) rows[length - 1] = r->to;
    job_integer(job, "steps", length - 1);
}

static int find(struct job *job, struct route *r, bosc_array *path)
{
    int64_t length = 0;
    double start = job_now();
    int code = mask_vertices(job, r);
    if (code) return code;
    *path = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {0, 1, 1, 1}};
    if (!(path->data = job_alloc((size_t)r->info.vertices, sizeof(int64_t)))) return EXIT_FAILED;
    bosc_status status = bosc_cellgraph_path_masked(job->ctx, r->graph, r->vertex_of[r->from], r->vertex_of[r->to],
                                                    r->mask, path->data, r->info.vertices, &length);
    job_seconds(job, "path", start);
    if (status != BOSC_OK) return say_ctx(job, status);
    if (length == 0)
        return say(EXIT_FAILED, "%s: no route leads from row %lld to row %lld%s", job->operands[0], (long long)r->from,
                   (long long)r->to, r->allowed.data ? " through allowed rows" : "");
    path->shape[0] = length;
    name_rows(job, r, path);
    return EXIT_DONE;
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
    bosc_array_free(&r.allowed);
    free(r.vertex_of);
    free(r.first);
    free(r.mask);
    bosc_array_free(&path);
    return code;
}
