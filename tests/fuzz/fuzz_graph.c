/* Saved graphs, also with corrected checksums. A graph that was read must support copying its edges, and computing
 * and verifying its forest. */
#include <boscage/forest.h>

#include "graph/save.h"
#include "fuzz.h"
#include "io/file/structure.h"

static void *allocate_numbers(int64_t count)
{
    void *memory = calloc((size_t)count + 1, sizeof(int64_t));
    if (!memory) abort();
    return memory;
}

static void exercise(bosc_ctx *ctx, bosc_graph *graph)
{
    bosc_graph_info info = {.size = sizeof info};
    bosc_msf_info found = {.size = sizeof found};
    bosc_msf_opts opts = {.size = sizeof opts};
    int64_t edge;
    if (bosc_graph_get_info(ctx, graph, &info) != BOSC_OK || info.m > info.entries || info.arcs > 2 * info.m) abort();
    if (info.n > 1 << 20 || info.entries > 1 << 20) return; /* memory grows with these numbers */
    void *ids = allocate_numbers(info.m), *u = allocate_numbers(info.m), *v = allocate_numbers(info.m),
         *weights = allocate_numbers(info.m), *forest = allocate_numbers(info.n);
    if (bosc_graph_get_edges(ctx, graph, ids, u, v, weights) != BOSC_OK) abort();
    if (bosc_msf_compute(ctx, graph, &opts, forest, NULL, &found) != BOSC_OK || found.edges + found.trees != info.n)
        abort();
    if (bosc_msf_verify(ctx, graph, &opts, forest, found.edges, &edge) != BOSC_OK) abort();
    free(ids);
    free(u);
    free(v);
    free(weights);
    free(forest);
}

static void parse(const uint8_t *data, size_t size)
{
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size};
    bosc_io_error error = {""};
    void *read = NULL;
    bosc_status status = bi_structure_parse(BI_STRUCTURE_graph, fuzz_context(), &in, &read, &error);
    bosc_graph *graph = read;
    if ((status == BOSC_OK) != (graph != NULL) || (!graph && error.text[0] != 'F')) abort();
    if (graph) exercise(fuzz_context(), graph);
    bosc_graph_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_saved(parse, offsetof(struct bi_graph_header, hash), data, size);
}
