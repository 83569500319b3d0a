/* Graphs from files: saved ones, and those built from a list of edges. */
#include <string.h>
#include <strings.h>

#include "tool/tool.h"

bool path_ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

int graph_build(struct job *job, const char *path, const bosc_edges *edges, bosc_graph **graph)
{
    bosc_graph *fresh = NULL;
    bosc_graph_opts opts = {.size = sizeof opts, .weight = edges->dtype, .id_bits = 32};
    double start = job_now();
    bosc_status status = bosc_graph_create(job->ctx, &opts, &fresh);
    if (status == BOSC_OK)
        status = bosc_graph_build(job->ctx, fresh, edges->n, edges->m, edges->u, edges->v, edges->weights);
    job_seconds(job, "build", start);
    if (status == BOSC_OK) {
        *graph = fresh;
        return EXIT_DONE;
    }
    int code = say(exit_code_of(status), "%s: %s", path, bosc_message(job->ctx));
    bosc_graph_free(fresh);
    return code;
}

int graph_read(struct job *job, const char *path, bosc_graph **graph)
{
    bosc_io_error error;
    bosc_edges edges = {0};
    double start = job_now();
    bosc_status status = bosc_graph_or_edges_read(job->ctx, path, graph, &edges, &error);
    job_seconds(job, "read", start);
    if (status != BOSC_OK) return say_io(status, &error);
    if (*graph) return EXIT_DONE;
    int code = graph_build(job, path, &edges, graph);
    bosc_edges_free(&edges);
    return code;
}

void widen_ids(int32_t id_bits, void *ids, int64_t count)
{
    int64_t *wide = ids;
    const uint32_t *narrow = ids;
    if (id_bits == 64) return;
    for (int64_t i = count; i-- > 0;) wide[i] = narrow[i] == UINT32_MAX ? -1 : (int64_t)narrow[i];
}
