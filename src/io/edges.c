/* Graph files: which parser reads a file, and the memory of what it reads. */
#include "io/edges.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool begins(const struct bi_bytes *in, const char *text)
{
    size_t length = strlen(text);
    return in->size >= length && strncasecmp(in->data, text, length) == 0;
}

/* What the first line that is not blank begins with. */
static enum bi_edges_format format_of_bytes(const struct bi_bytes *in)
{
    if (bi_graph_is(in)) return BI_EDGES_SAVED;
    if (begins(in, "%%MatrixMarket")) return BI_EDGES_MTX;
    const char *p = in->data, *end = in->data + in->size;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
    if (p == end) return BI_EDGES_UNKNOWN;
    bool word = p + 1 == end || p[1] == ' ' || p[1] == '\t' || p[1] == '\r' || p[1] == '\n';
    if ((*p == 'c' || *p == 'p') && word) return BI_EDGES_GR;
    return *p == '#' || (*p >= '0' && *p <= '9') ? BI_EDGES_LIST : BI_EDGES_UNKNOWN;
}

enum bi_edges_format bi_edges_format_of(const char *path, const struct bi_bytes *in)
{
    static const struct {
        const char *ending;
        enum bi_edges_format format;
    } endings[] = {{".gr", BI_EDGES_GR},       {".mtx", BI_EDGES_MTX},    {".txt", BI_EDGES_LIST},
                   {".el", BI_EDGES_LIST},     {".snap", BI_EDGES_LIST},  {".tsv", BI_EDGES_LIST},
                   {".graph", BI_EDGES_METIS}, {".metis", BI_EDGES_METIS}};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t tail = strlen(endings[i].ending);
        if (length >= tail && strcasecmp(path + length - tail, endings[i].ending) == 0) return endings[i].format;
    }
    if (in) return format_of_bytes(in);
    return length >= 5 && strcasecmp(path + length - 5, ".bosc") == 0 ? BI_EDGES_SAVED : BI_EDGES_UNKNOWN;
}

bosc_status bi_edges_parse(enum bi_edges_format format, const struct bi_bytes *in, bosc_edges *edges,
                           bosc_io_error *error)
{
    switch (format) {
    case BI_EDGES_GR: return bi_gr_parse(in, edges, error);
    case BI_EDGES_MTX: return bi_mtx_parse(in, edges, error);
    case BI_EDGES_LIST: return bi_edge_list_parse(in, edges, error);
    case BI_EDGES_METIS: return bi_metis_parse(in, edges, error);
    case BI_EDGES_SAVED: return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: a saved graph, no list of edges", in->name);
    case BI_EDGES_UNKNOWN: break;
    }
    return bi_io_fail(error, BOSC_ERR_FORMAT,
                      "%s: no graph known by its ending (.gr, .mtx, .txt, .el, .snap, .tsv, .graph, .metis, .bosc) or "
                      "first bytes",
                      in->name);
}

bosc_status bosc_edges_read(const char *path, bosc_edges *edges, bosc_io_error *error)
{
    struct bi_file file;
    if (!edges) return bi_io_fail(error, BOSC_ERR_ARG, "edges: NULL");
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return status;
    status = bi_edges_parse(bi_edges_format_of(path, &file.bytes), &file.bytes, edges, error);
    bi_file_close(&file);
    return status;
}

bosc_status bi_edges_new(const char *name, enum bi_weights weights, int64_t m, bosc_edges *edges, bosc_io_error *error)
{
    size_t count = (size_t)m, each = weights == BI_WEIGHTS_NONE ? 0 : weights == BI_WEIGHTS_I32 ? 4 : 8;
    bosc_edges fresh = {.dtype = weights == BI_WEIGHTS_F64   ? BOSC_F64
                                 : weights == BI_WEIGHTS_I64 ? BOSC_I64
                                                             : BOSC_I32};
    fresh.u = bi_io_alloc(count * sizeof *fresh.u); /* m is below the size of the file: no overflow */
    fresh.v = bi_io_alloc(count * sizeof *fresh.v);
    if (each) fresh.weights = bi_io_alloc(count * each);
    if (!fresh.u || !fresh.v || (each && !fresh.weights)) {
        bosc_edges_free(&fresh);
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %lld edges", name, (long long)m);
    }
    *edges = fresh;
    return BOSC_OK;
}

static void shrink(void **memory, size_t bytes)
{
    void *smaller = *memory ? bi_io_realloc(*memory, bytes) : NULL;
    if (smaller) *memory = smaller;
}

void bi_edges_shrink(bosc_edges *edges)
{
    size_t m = (size_t)edges->m;
    void *u = edges->u, *v = edges->v;
    shrink(&u, m * sizeof *edges->u);
    shrink(&v, m * sizeof *edges->v);
    shrink(&edges->weights, m * bosc_dtype_size(edges->dtype));
    edges->u = u;
    edges->v = v;
}

void bosc_edges_free(bosc_edges *edges)
{
    if (!edges) return;
    free(edges->u);
    free(edges->v);
    free(edges->weights);
    *edges = (bosc_edges){0};
}

bosc_status bi_fail_at(const struct bi_bytes *in, int64_t line, bosc_status status, bosc_io_error *error,
                       const char *format, ...)
{
    char reason[200];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return bi_io_fail(error, status, "%s:%lld: %s", in->name, (long long)line, reason);
}

bosc_status bi_edges_count(const struct bi_bytes *in, const struct bi_lines *lines, struct bi_line *line,
                           const char *what, int64_t *count, bosc_io_error *error)
{
    struct bi_line word;
    if (!bi_word_next(line, &word))
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "the number of %s is missing", what);
    if (!bi_word_count(&word, count))
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "%s is no number of %s",
                          bi_quote(word.begin, word.end).text, what);
    if (*count > BI_EDGES_LIMIT)
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "%lld %s are more than %lld", (long long)*count,
                          what, (long long)BI_EDGES_LIMIT);
    return BOSC_OK;
}

bosc_status bi_edges_line_end(const struct bi_bytes *in, const struct bi_lines *lines, struct bi_line *line,
                              bosc_io_error *error)
{
    struct bi_line word;
    if (!bi_word_next(line, &word)) return BOSC_OK;
    return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "%s is one word too many",
                      bi_quote(word.begin, word.end).text);
}
