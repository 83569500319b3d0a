/* boscage cellgraph path: a shortest path between two vectors. */
#include "tool/clock.h"
#include "tool/commands/cellgraph_input.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

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
    if (status != BOSC_OK) return report_ctx_error(job, status);
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
        (code = option_integer(job, OPT_TO, 0, INT64_MAX, &e.to)) || (code = job_open(job)))
        return code;
    code = cellgraph_input_read(job, bits, &c);
    if (!code) code = cellgraph_input_check_row(job, &c, OPT_FROM, e.from);
    if (!code) code = cellgraph_input_check_row(job, &c, OPT_TO, e.to);
    if (!code) code = cellgraph_input_build(job, method, &c);
    if (!code) code = find_path(job, &c, &e, &path);
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &path, 1);
    cellgraph_input_free(&c);
    bosc_array_free(&path);
    return code;
}
