/* Graphs from files: saved ones, and those built from a list of edges. */
#include <stdio.h>
#include <string.h>

#include "render/memory.h"
#include "tool/tool.h"

enum { FEW_EDGES = 16 }; /* a graph of fewer edges than one for this many vertices may be a wrong number in a file */

/* A few bytes of a file can claim billions of vertices. They are legal, without edges too; but where the memory for
 * them is not there, systems that promise more than they have would end some process instead of refusing. */
static int check_vertices(struct job *job, const char *path, const bosc_edges *edges, const bosc_graph_opts *opts)
{
    bosc_ctx_info info = {.size = sizeof info};
    int64_t kept, scratch, left = memory_left();
    if (edges->n / FEW_EDGES <= edges->m || left < 0) return EXIT_DONE;
    if (bosc_ctx_get_info(job->ctx, &info) != BOSC_OK || info.backend != BOSC_BACKEND_CPU) return EXIT_DONE;
    if (bosc_graph_bytes(job->ctx, opts, edges->n, edges->m, &kept, &scratch) != BOSC_OK) return EXIT_DONE;
    if (kept + scratch <= left) return EXIT_DONE;
    return say(EXIT_FAILED, "%s: %lld vertices (with %lld edges) need %.1f GB of memory, of which %.1f GB are left",
               path, (long long)edges->n, (long long)edges->m, 1e-9 * (double)(kept + scratch), 1e-9 * (double)left);
}

bosc_graph_opts graph_opts_of(const bosc_edges *edges)
{
    return (bosc_graph_opts){.size = sizeof(bosc_graph_opts), .weight = edges->dtype, .id_bits = 32};
}

int say_edges(struct job *job, const char *path, const bosc_edges *edges, bosc_status status)
{
    if (status == BOSC_ERR_NOMEM)
        return say(exit_code_of(status), "%s: %lld vertices, %lld edges: %s", path, (long long)edges->n,
                   (long long)edges->m, bosc_ctx_message(job->ctx));
    return say(exit_code_of(status), "%s: %s", path, bosc_ctx_message(job->ctx));
}

int graph_build(struct job *job, const char *path, const bosc_edges *edges, bosc_graph **graph)
{
    bosc_graph *fresh = NULL;
    const bosc_graph_opts opts = graph_opts_of(edges);
    int code = check_vertices(job, path, edges, &opts);
    if (code) return code;
    double start = job_now();
    bosc_status status = bosc_graph_create(job->ctx, &opts, &fresh);
    if (status == BOSC_OK)
        status = bosc_graph_build(job->ctx, fresh, edges->u, edges->v, edges->weights, edges->n, edges->m);
    job_seconds(job, "build", start);
    if (status == BOSC_OK) {
        *graph = fresh;
        return EXIT_DONE;
    }
    code = say_edges(job, path, edges, status);
    bosc_graph_free(fresh);
    return code;
}

int graph_or_edges_read(struct job *job, const char *path, bosc_graph **graph, bosc_edges *edges)
{
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_graph_or_edges_read(job->ctx, path, graph, edges, &error);
    job_seconds(job, "read", start);
    if (status != BOSC_OK) return say_io(status, &error);
    if (*graph) return EXIT_DONE;
    const bosc_graph_opts opts = graph_opts_of(edges);
    return check_vertices(job, path, edges, &opts);
}

static uint64_t graph_word(const bosc_array *words, int64_t i)
{
    return words->dtype == BOSC_U64 ? ((const uint64_t *)words->data)[i] : ((const uint32_t *)words->data)[i];
}

/* Edges by themselves as the entries that they were; those that were left out stay loops of vertex 0. */
static void place_entries(const bosc_graph_info *info, const bosc_array kept[4], bosc_edges *edges)
{
    const size_t size = bosc_dtype_size(info->weight);
    for (int64_t i = 0; i < info->m; i++) {
        const size_t id = (size_t)graph_word(&kept[0], i);
        edges->u[id] = (uint32_t)graph_word(&kept[1], i);
        edges->v[id] = (uint32_t)graph_word(&kept[2], i);
        memcpy((char *)edges->weights + id * size, (const char *)kept[3].data + (size_t)i * size, size);
    }
}

int graph_entries(struct job *job, const char *path, const bosc_graph *graph, const bosc_graph_info *info,
                  bosc_edges *edges)
{
    const size_t m = (size_t)info->m, entries = (size_t)info->entries, size = bosc_dtype_size(info->weight);
    bosc_array kept[4]; /* ids, u, v, weights */
    int code = EXIT_DONE;
    if (info->entries >= (int64_t)UINT32_MAX)
        return say(EXIT_FAILED, "%s: %lld edges; ranks take less than 2^32 - 1", path, (long long)info->entries);
    for (int k = 0; k < 4; k++) {
        kept[k] = (bosc_array){.dtype = info->id_bits == 64 ? BOSC_U64 : BOSC_U32};
        kept[k].data = job_alloc(m, k == 3 ? size : bosc_dtype_size(kept[k].dtype));
        if (!kept[k].data) code = EXIT_FAILED;
    }
    *edges = (bosc_edges){.n = info->n, .m = info->entries, .dtype = info->weight};
    edges->u = job_alloc(entries, sizeof *edges->u);
    edges->v = job_alloc(entries, sizeof *edges->v);
    edges->weights = job_alloc(entries, size);
    if (!edges->u || !edges->v || !edges->weights) code = EXIT_FAILED;
    if (!code) {
        const bosc_status status =
            bosc_graph_get_edges(job->ctx, graph, kept[0].data, kept[1].data, kept[2].data, kept[3].data);
        if (status != BOSC_OK) code = say_ctx(job, status);
    }
    if (!code) {
        memset(edges->u, 0, entries * sizeof *edges->u);
        memset(edges->v, 0, entries * sizeof *edges->v);
        memset(edges->weights, 0, entries * size);
        place_entries(info, kept, edges);
    }
    for (int k = 0; k < 4; k++) bosc_array_free(&kept[k]);
    return code;
}

void widen_ids(int32_t id_bits, void *ids, int64_t count)
{
    int64_t *wide = ids;
    const uint32_t *narrow = ids;
    if (id_bits == 64) return;
    for (int64_t i = count; i-- > 0;) wide[i] = narrow[i] == UINT32_MAX ? -1 : (int64_t)narrow[i];
}
