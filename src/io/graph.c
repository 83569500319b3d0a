/* Saved graphs as files. */
#include "io/edges.h"
#include "io/saved.h"

static bosc_status write_graph(bosc_ctx *ctx, const void *graph, bosc_write_fn write, void *user)
{
    return bosc_graph_write(ctx, graph, write, user);
}

static bosc_status read_graph(bosc_ctx *ctx, bosc_read_fn read, void *user, void **structure)
{
    bosc_graph *graph = NULL;
    bosc_status status = bosc_graph_read(ctx, read, user, &graph);
    *structure = graph;
    return status;
}

static void free_graph(void *graph) { bosc_graph_free(graph); }

static const struct bi_saved kind = {.magic = {'B', 'O', 'S', 'C', 'G', 'R', 'F', '\n'},
                                     .name = "graph",
                                     .short_name = "graph",
                                     .write = write_graph,
                                     .read = read_graph,
                                     .free = free_graph};

bool bi_graph_is(const struct bi_bytes *in) { return bi_saved_is(&kind, in); }

bosc_status bi_graph_parse(bosc_ctx *ctx, const struct bi_bytes *in, bosc_graph **graph, bosc_io_error *error)
{
    void *fresh = NULL;
    bosc_status status = bi_saved_parse(&kind, ctx, in, &fresh, error);
    if (status == BOSC_OK) *graph = fresh;
    return status;
}

bosc_status bosc_graph_load(bosc_ctx *ctx, const char *path, bosc_graph **graph, bosc_io_error *error)
{
    void *fresh = NULL;
    bosc_status status = bi_saved_load(&kind, ctx, path, graph ? &fresh : NULL, error);
    if (fresh) *graph = fresh;
    return status;
}

bosc_status bosc_graph_save(bosc_ctx *ctx, const bosc_graph *graph, const char *path, bosc_io_error *error)
{
    return bi_saved_save(&kind, ctx, graph, path, error);
}

bosc_status bosc_graph_or_edges_read(bosc_ctx *ctx, const char *path, bosc_graph **graph, bosc_edges *edges,
                                     bosc_io_error *error)
{
    struct bi_file file;
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!graph) return bi_io_fail(error, BOSC_ERR_ARG, "graph: NULL");
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return status;
    if (bi_graph_is(&file.bytes))
        status = bi_graph_parse(ctx, &file.bytes, graph, error);
    else
        status = bi_edges_parse(bi_edges_format_of(path, &file.bytes), &file.bytes, edges, error);
    bi_file_close(&file);
    return status;
}
