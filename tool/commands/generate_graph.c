/* boscage generate graph */
#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/commands/graphs.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

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
    if (status != BOSC_OK) return report_ctx_error(job, status);
    edges->dtype = BOSC_I64;
    edges->u = job_alloc((size_t)edges->m, sizeof *edges->u);
    edges->v = edges->u ? job_alloc((size_t)edges->m, sizeof *edges->v) : NULL;
    edges->weights = edges->v ? job_alloc((size_t)edges->m, sizeof(int64_t)) : NULL;
    if (!edges->weights) return EXIT_FAILED;
    status = bosc_graph_generate(job->ctx, opts, &edges->n, &edges->m, edges->u, edges->v, edges->weights, edges->m);
    job_add_seconds(job, "generate", start);
    if (status != BOSC_OK) return report_ctx_error(job, status);
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
    if ((code = option_integer(job, OPT_N, 0, count_max, &opts.n)) || (code = option_choice(job, OPT_KIND, &kind)) ||
        (code = option_range(job, OPT_WEIGHTS, &opts.least, &opts.most)) || (code = option_seed(job, &seed)))
        return code;
    opts.kind = (bosc_graph_kind)kind;
    if (job->value[OPT_M] && (opts.kind == BOSC_GRAPH_GRID || opts.kind == BOSC_GRAPH_ROAD))
        return report_error(EXIT_USAGE, "-m: the number of vertices fixes the number of edges of kind %s",
                            option_choice_name(job, OPT_KIND, kind));
    opts.seed = seed;
    if (opts.kind == BOSC_GRAPH_RANDOM || opts.kind == BOSC_GRAPH_RMAT)
        opts.m = opts.n < 2 ? 0 : opts.n < count_max / 4 ? 4 * opts.n : count_max;
    static const char *const endings[] = {".gr", ".mtx", ".txt", ".el", ".snap", ".tsv", ".csv", ".bosc", NULL};
    if ((code = option_integer(job, OPT_M, 0, count_max, &opts.m)) ||
        (code = option_ending(job, OPT_OUTPUT, endings)) || (code = job_open(job)))
        return code;
    bosc_edges edges = {0};
    code = generate_edges(job, &opts, &edges);
    if (!code) code = write_graph(job, &edges);
    job_set_integer(job, "n", edges.n);
    job_set_integer(job, "m", edges.m);
    bosc_edges_free(&edges);
    return code;
}
