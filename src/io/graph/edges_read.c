/* Reads graph files: chooses the parser. */
#include <string.h>
#include <strings.h>

#include "io/file/bytes.h"
#include "io/file/file.h"
#include "io/file/slice.h"
#include "io/file/structure.h"
#include "io/graph/edge_list.h"

static bool begins(const struct bi_bytes *in, const char *text)
{
    size_t length = strlen(text);
    return in->size >= length && strncasecmp(in->data, text, length) == 0;
}

/* Returns the format by the first bytes, after blanks. */
static enum bi_edges_format format_of_bytes(const struct bi_bytes *in)
{
    if (bi_structure_is(BI_STRUCTURE_graph, in)) return BI_EDGES_SAVED;
    if (begins(in, "%%MatrixMarket")) return BI_EDGES_MTX;
    const char *p = in->data, *end = in->data + in->size;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
    if (p == end) {
        if (in->backing) in->backing->whole_needed = true; /* more than blanks may follow */
        return BI_EDGES_UNKNOWN;
    }
    bool word = p + 1 == end || p[1] == ' ' || p[1] == '\t' || p[1] == '\r' || p[1] == '\n';
    if ((*p == 'c' || *p == 'p') && word) return BI_EDGES_GR;
    return *p == '#' || (*p >= '0' && *p <= '9') ? BI_EDGES_LIST : BI_EDGES_UNKNOWN;
}

enum bi_edges_format bi_edges_format_of(const char *path, const struct bi_bytes *in)
{
    static const struct {
        const char *ending;
        enum bi_edges_format format;
    } endings[] = {{".gr", BI_EDGES_GR},    {".mtx", BI_EDGES_MTX},     {".txt", BI_EDGES_LIST},
                   {".el", BI_EDGES_LIST},  {".snap", BI_EDGES_LIST},   {".tsv", BI_EDGES_LIST},
                   {".csv", BI_EDGES_LIST}, {".graph", BI_EDGES_METIS}, {".metis", BI_EDGES_METIS}};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (bi_path_ends_in(path, endings[i].ending)) return endings[i].format;
    if (in) return format_of_bytes(in);
    return bi_path_ends_in(path, ".bosc") ? BI_EDGES_SAVED : BI_EDGES_UNKNOWN;
}

bosc_status bi_edges_parse(enum bi_edges_format format, const struct bi_bytes *in, bosc_edges *edges,
                           bosc_io_error *error)
{
    switch (format) {
    case BI_EDGES_GR: return bi_gr_parse(in, edges, error);
    case BI_EDGES_MTX: return bi_mtx_parse(in, edges, error);
    case BI_EDGES_LIST: return bi_edge_list_parse(in, edges, error);
    case BI_EDGES_METIS: return bi_metis_parse(in, edges, error);
    case BI_EDGES_SAVED: return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: a saved graph, not a list of edges", in->name);
    case BI_EDGES_UNKNOWN: break;
    }
    return bi_io_fail(
        error, BOSC_ERR_FORMAT,
        "%s: not a graph by its ending (.gr, .mtx, .txt, .el, .snap, .tsv, .csv, .graph, .metis, .bosc) or "
        "first bytes",
        in->name);
}

bosc_status bosc_edges_read(const char *path, bosc_edges *edges, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_edges fresh = {0};
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    do status = bi_edges_parse(bi_edges_format_of(path, &file.bytes), &file.bytes, &fresh, error);
    while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *edges = fresh;
    else
        bosc_edges_free(&fresh);
    return status;
}

/* Trims edges to the slice, after reading the whole file. */
static void trim_to_slice(bosc_slice *slice, bosc_edges *edges)
{
    const size_t each = bosc_dtype_size(edges->dtype);
    const int64_t m = bi_slice_set_range(slice, edges->m);
    const size_t at = (size_t)slice->begin, count = (size_t)m;
    if (count) {
        memmove(edges->u, edges->u + at, count * sizeof *edges->u);
        memmove(edges->v, edges->v + at, count * sizeof *edges->v);
        if (edges->weights) memmove(edges->weights, (char *)edges->weights + at * each, count * each);
    }
    edges->m = m;
    bi_edges_shrink(edges);
}

static bosc_status parse_slice(const char *path, struct bi_file *file, bosc_slice *slice, bosc_edges *edges,
                               bosc_io_error *error)
{
    const enum bi_edges_format format = bi_edges_format_of(path, &file->bytes);
    file->bytes.slice = format == BI_EDGES_METIS ? NULL : slice;
    const bosc_status status = bi_edges_parse(format, &file->bytes, edges, error);
    if (status == BOSC_OK && !file->bytes.slice) trim_to_slice(slice, edges);
    return status;
}

bosc_status bosc_edges_read_slice(const char *path, bosc_slice *slice, bosc_edges *edges, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_edges list = {0};
    bosc_status status = bi_slice_check(slice, error);
    if (status != BOSC_OK) return status;
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    if ((status = bi_file_open_head(path, &file, error)) != BOSC_OK) return bi_io_end(status, error);
    do status = parse_slice(path, &file, slice, &list, error);
    while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *edges = list;
    else
        bosc_edges_free(&list);
    return status;
}

bosc_status bosc_graph_or_edges_read(bosc_ctx *ctx, const char *path, bosc_graph **graph, bosc_edges *edges,
                                     bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    void *fresh = NULL;
    bosc_edges list = {0};
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!graph) return bi_io_fail(error, BOSC_ERR_ARG, "graph: NULL");
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    /* Only one of `fresh` and `list` is set. */
    if (bi_structure_is(BI_STRUCTURE_graph, &file.bytes))
        status = bi_structure_parse(BI_STRUCTURE_graph, ctx, &file.bytes, &fresh, error);
    else
        do status = bi_edges_parse(bi_edges_format_of(path, &file.bytes), &file.bytes, &list, error);
        while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK && fresh) *graph = fresh;
    if (status == BOSC_OK && !fresh) *edges = list;
    if (status != BOSC_OK) bosc_graph_free(fresh);
    if (status != BOSC_OK) bosc_edges_free(&list);
    return status;
}
