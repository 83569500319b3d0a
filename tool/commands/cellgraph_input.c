#include "tool/commands/cellgraph_input.h"

#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/vectors.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

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

int cellgraph_input_read(struct job *job, int64_t bits, struct cellgraph_input *c)
{
    int code = vectors_read(job, job->operands[0], bits, &c->vectors);
    if (code) return code;
    job_set_integer(job, "n", c->vectors.n);
    return job->value[OPT_ALLOWED] ? read_allowed(job, c->vectors.n, &c->allowed) : EXIT_DONE;
}

int cellgraph_input_check_row(struct job *job, const struct cellgraph_input *c, enum option id, int64_t row)
{
    const uint8_t *allowed = c->allowed.data;
    if (row >= c->vectors.n)
        return report_error(EXIT_FAILED, "%s: %lld: %s has %lld rows", option_flag(id), (long long)row,
                            job->operands[0], (long long)c->vectors.n);
    if (allowed && !allowed[row])
        return report_error(EXIT_FAILED, "%s: row %lld is not allowed", option_flag(id), (long long)row);
    return EXIT_DONE;
}

/* Computes the vertex of each row, the mask of vertices with an allowed row, and their first allowed rows. */
static int mask_vertices(struct job *job, struct cellgraph_input *c)
{
    const uint8_t *allowed = c->allowed.data;
    c->vertex_of = job_alloc((size_t)c->vectors.n, sizeof *c->vertex_of);
    c->first_row = c->vertex_of ? job_alloc((size_t)c->info.vertices, sizeof *c->first_row) : NULL;
    c->mask = c->first_row ? job_alloc((size_t)c->info.vertices, 1) : NULL;
    if (!c->mask) return EXIT_FAILED;
    bosc_status status = bosc_cellgraph_get_vertices(job->ctx, c->graph, NULL, c->first_row, NULL, c->vertex_of);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    memset(c->mask, allowed == NULL, (size_t)c->info.vertices);
    for (int64_t i = c->vectors.n - 1; i >= 0 && allowed; i--) {
        if (!allowed[i]) continue;
        c->mask[c->vertex_of[i]] = 1;
        c->first_row[c->vertex_of[i]] = i;
    }
    return EXIT_DONE;
}

int cellgraph_input_build(struct job *job, int method, struct cellgraph_input *c)
{
    const bosc_cellgraph_opts opts = {.size = sizeof opts,
                                      .length = c->vectors.length,
                                      .letter_bits = c->vectors.letter_bits,
                                      .method = (bosc_cellgraph_method)method};
    double start = job_now();
    bosc_status status = bosc_cellgraph_create(job->ctx, &opts, &c->graph);
    if (status == BOSC_OK) status = bosc_cellgraph_build(job->ctx, c->graph, c->vectors.rows, c->vectors.n, 0);
    job_add_seconds(job, "build", start);
    c->info.size = sizeof c->info;
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(job->ctx, c->graph, &c->info);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    job_set_integer(job, "unique", c->info.vertices);
    job_set_integer(job, "edges", c->info.edges);
    return mask_vertices(job, c);
}

void cellgraph_input_free(struct cellgraph_input *c)
{
    bosc_cellgraph_free(c->graph);
    bosc_vectors_free(&c->vectors);
    bosc_array_free(&c->allowed);
    free(c->vertex_of);
    free(c->first_row);
    free(c->mask);
}
