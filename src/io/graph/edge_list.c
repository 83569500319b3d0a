/* Shared by the parsers of graph files: memory, messages, the counts of a header. */
#include "io/graph/edge_list.h"
#include "io/file/file.h"
#include "io/text/row.h"

#include <stdlib.h>

bosc_status bi_edges_new(const char *name, enum bi_weights weights, int64_t m, bosc_edges *edges, bosc_io_error *error)
{
    size_t count = (size_t)m, each = weights == BI_WEIGHTS_NONE ? 0 : weights == BI_WEIGHTS_I32 ? 4 : 8;
    bosc_edges fresh = {.dtype = weights == BI_WEIGHTS_F64   ? BOSC_F64
                                 : weights == BI_WEIGHTS_I64 ? BOSC_I64
                                                             : BOSC_I32};
    fresh.u = bi_io_alloc(count * sizeof *fresh.u); /* no overflow: m is below the size of the file */
    fresh.v = bi_io_alloc(count * sizeof *fresh.v);
    if (each) fresh.weights = bi_io_alloc(count * each);
    if (!fresh.u || !fresh.v || (each && !fresh.weights)) {
        bosc_edges_free(&fresh);
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %lld edges", name, (long long)m);
    }
    *edges = fresh;
    return BOSC_OK;
}

bool bi_edges_reserve(bosc_edges *edges, size_t weight_size, int64_t *capacity, int64_t needed)
{
    int64_t grown = *capacity + *capacity / 2;
    if (needed <= *capacity) return true;
    if (grown < needed) grown = needed;
    if (grown < BI_IO_MIN_CAPACITY) grown = BI_IO_MIN_CAPACITY;
    /* Grow the arrays in turn. After a failure the longer ones are still valid for *capacity edges. */
    uint32_t *u = bi_io_realloc(edges->u, (size_t)grown * sizeof *u);
    if (u) edges->u = u;
    uint32_t *v = u ? bi_io_realloc(edges->v, (size_t)grown * sizeof *v) : NULL;
    if (v) edges->v = v;
    void *weights = v && weight_size ? bi_io_realloc(edges->weights, (size_t)grown * weight_size) : NULL;
    if (weights) edges->weights = weights;
    if (!v || (weight_size && !weights)) return false;
    *capacity = grown;
    return true;
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

bosc_status bi_edges_count(const struct bi_bytes *in, const struct bi_lines *lines, struct bi_line *line,
                           const char *what, int64_t *count, bosc_io_error *error)
{
    struct bi_line word;
    if (!bi_word_next(line, &word))
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "the number of %s is missing", what);
    if (!bi_word_count(&word, count))
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "%s is not a number of %s",
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
