/* boscage cellgraph components, boscage cellgraph levels */
#include <stdlib.h>

#include "tool/clock.h"
#include "tool/commands/cellgraph_input.h"
#include "tool/commands/cellgraph_ranks.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Expands values of vertices to rows: values[v], or map[values[v]] unless map is NULL; -1 for excluded rows. */
static int expand_to_rows(const struct cellgraph_input *c, const int64_t *values, const int64_t *map, bosc_array *out)
{
    const uint8_t *allowed = c->allowed.data;
    *out = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {c->vectors.n, 1, 1, 1}};
    int64_t *to = out->data = job_alloc((size_t)c->vectors.n, sizeof *to);
    if (!to) return EXIT_FAILED;
    for (int64_t i = 0; i < c->vectors.n; i++) {
        const int64_t value = allowed && !allowed[i] ? -1 : values[c->vertex_of[i]];
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
    if (status != BOSC_OK) return report_ctx_error(job, status);
    job_set_integer(job, "components", count);
    return EXIT_DONE;
}

static int find_levels(struct job *job, const struct cellgraph_input *c, int64_t from, int64_t *levels)
{
    int64_t reached = 0, depth = 0;
    double start = job_now();
    bosc_status status =
        bosc_cellgraph_levels_masked(job->ctx, c->graph, c->vertex_of[from], c->mask, levels, NULL, &reached, &depth);
    job_add_seconds(job, "levels", start);
    if (status != BOSC_OK) return report_ctx_error(job, status);
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
    code = cellgraph_input_read(job, bits, &c);
    if (!code && levels) code = cellgraph_input_check_row(job, &c, OPT_FROM, from);
    if (!code) code = cellgraph_input_build(job, method, &c);
    if (!code && !(values = job_alloc((size_t)c.info.vertices, sizeof *values))) code = EXIT_FAILED;
    if (!code) code = levels ? find_levels(job, &c, from, values) : find_components(job, &c, values);
    if (!code && job->value[OPT_OUTPUT]) code = expand_to_rows(&c, values, levels ? NULL : c.first_row, &out);
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &out, 1);
    cellgraph_input_free(&c);
    free(values);
    bosc_array_free(&out);
    return code;
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
    code = cellgraph_input_read(job, bits, &c);
    const bosc_cellgraph_opts opts = {.size = sizeof opts,
                                      .length = c.vectors.length,
                                      .letter_bits = c.vectors.letter_bits,
                                      .method = (bosc_cellgraph_method)method};
    if (!code) code = cellgraph_over_ranks(job, ranks, &c.vectors, c.allowed.data, &opts, true, &labels);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &labels, 1);
    cellgraph_input_free(&c);
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
