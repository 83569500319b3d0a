/* Lines of edges, parsed by all threads: the text is cut at line ends, the lines of each chunk are counted, so that the
 * chunk knows its first line's number and the place of its first edge, and then read where they belong. */
#include <stdio.h>
#include <stdlib.h>

#include "io/edge_line.h"

/* A run of whole lines, and what became of them. */
struct chunk {
    const char *begin, *end;
    int64_t line;       /* lines of the file before it */
    int64_t last;       /* the number of the line last read */
    int64_t first_edge; /* where its edges begin in the arrays */
    int64_t capacity;   /* at most this many edges stand in it */
    int64_t count;      /* edges read */
    int64_t most;       /* the largest vertex; -1: no edge */
    bool wider;         /* a weight needs a later kind */
    bosc_status status;
    struct bi_reason reason;
};

static int64_t count_lines(const char *begin, const char *end)
{
    enum { BLOCK = 240 }; /* what a byte can count: the compiler makes vectors of the inner loop */
    int64_t lines = 0;
    const char *p = begin;
    for (; end - p >= BLOCK; p += BLOCK) {
        unsigned char found = 0;
        for (int i = 0; i < BLOCK; i++) found = (unsigned char)(found + (p[i] == '\n'));
        lines += found;
    }
    for (; p < end; p++) lines += *p == '\n';
    return lines + (end > begin && end[-1] != '\n');
}

/* Reads the chunk's lines, the `limit`-th edge the last. With the kind of form known, the loop is compiled for it. */
BI_INLINE void parse_as(struct chunk *chunk, const struct bi_edge_form *form, const bosc_edges *edges, bool tagged,
                        enum bi_weights weights, int64_t limit)
{
    const char *next = chunk->begin, *end = chunk->end;
    const uint64_t first = (uint64_t)form->first;
    /* Numbers to be passed over are the slow reader's: the fast one declines every vertex. */
    const uint64_t below = form->ignored ? 0 : (uint64_t)(form->n < 0 ? BI_EDGES_LIMIT : form->n);
    const char separator = form->separator;
    int64_t line = chunk->line, count = 0, most = -1;
    uint32_t *u = edges->u + chunk->first_edge, *v = edges->v + chunk->first_edge;
    bool wider = false;
    while (next < end && count < limit) {
        struct bi_edge edge;
        line++;
        if (!bi_edge_line_fast(&next, end, tagged, weights, separator, first, below, &edge)) {
            struct bi_lines lines = {.next = next, .end = end};
            struct bi_line text;
            bi_lines_next(&lines, &text);
            enum bi_line_kind kind = bi_edge_line_read(form, text, &edge, &chunk->status, &chunk->reason);
            next = lines.next;
            if (kind == BI_LINE_EMPTY) continue;
            wider = kind == BI_LINE_WIDER;
            if (kind != BI_LINE_EDGE) break;
        }
        u[count] = (uint32_t)edge.u;
        v[count] = (uint32_t)edge.v;
        if (weights == BI_WEIGHTS_I32)
            ((int32_t *)edges->weights + chunk->first_edge)[count] = (int32_t)edge.weight.integer;
        if (weights == BI_WEIGHTS_I64) ((int64_t *)edges->weights + chunk->first_edge)[count] = edge.weight.integer;
        if (weights == BI_WEIGHTS_F64) ((double *)edges->weights + chunk->first_edge)[count] = edge.weight.real;
        if (edge.u > most) most = edge.u;
        if (edge.v > most) most = edge.v;
        count++;
    }
    chunk->last = line;
    chunk->wider = wider;
    chunk->count = count;
    chunk->most = most;
}

static void parse(struct chunk *chunk, const struct bi_edge_form *form, const bosc_edges *edges, int64_t limit)
{
    if (form->tagged) {
        switch (form->weights) {
        case BI_WEIGHTS_NONE: return; /* unreached: such lines have weights */
        case BI_WEIGHTS_I32: parse_as(chunk, form, edges, true, BI_WEIGHTS_I32, limit); return;
        case BI_WEIGHTS_I64: parse_as(chunk, form, edges, true, BI_WEIGHTS_I64, limit); return;
        case BI_WEIGHTS_F64: parse_as(chunk, form, edges, true, BI_WEIGHTS_F64, limit); return;
        }
    }
    switch (form->weights) {
    case BI_WEIGHTS_NONE: parse_as(chunk, form, edges, false, BI_WEIGHTS_NONE, limit); return;
    case BI_WEIGHTS_I32: parse_as(chunk, form, edges, false, BI_WEIGHTS_I32, limit); return;
    case BI_WEIGHTS_I64: parse_as(chunk, form, edges, false, BI_WEIGHTS_I64, limit); return;
    case BI_WEIGHTS_F64: parse_as(chunk, form, edges, false, BI_WEIGHTS_F64, limit); return;
    }
}

/* Finds each chunk's first line and its place in the arrays. Returns the capacity that all of them need. */
static int64_t place_chunks(const struct bi_lines *lines, struct chunk *chunks, int count)
{
    int64_t line = lines->number, place = 0;
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int i = 0; i < count; i++) chunks[i].capacity = count_lines(chunks[i].begin, chunks[i].end);
    for (int i = 0; i < count; i++) {
        int64_t of_lines = chunks[i].capacity, of_bytes = (chunks[i].end - chunks[i].begin + 1) / 4; /* "1 2\n" */
        chunks[i].line = line;
        chunks[i].first_edge = place;
        chunks[i].capacity = of_lines < of_bytes ? of_lines : of_bytes;
        line += of_lines;
        place += chunks[i].capacity;
    }
    return place;
}

/* The first failure in the order of the lines, be it a bad line or one edge more than the header declares. */
static bosc_status check(const struct bi_bytes *in, const struct bi_edge_form *form, struct chunk *chunks, int count,
                         const bosc_edges *edges, bosc_io_error *error)
{
    int64_t before = 0;
    for (int i = 0; i < count; i++) {
        struct chunk *chunk = &chunks[i];
        if (form->m >= 0 && before + chunk->count > form->m) {
            parse(chunk, form, edges, form->m - before + 1); /* again, up to that edge */
            return bi_fail_at(in, chunk->last, BOSC_ERR_FORMAT, error,
                              "more than the %lld edges that the header declares", (long long)form->m);
        }
        if (chunk->status != BOSC_OK)
            return bi_fail_at(in, chunk->last, chunk->status, error, "%s", chunk->reason.text);
        before += chunk->count;
    }
    if (before < form->m)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: ends after %lld of %lld edges", in->name, (long long)before,
                          (long long)form->m);
    if (before > BI_EDGES_LIMIT)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: too many edges", in->name); /* unreached: 16 GB of text */
    return BOSC_OK;
}

/* Closes the gaps that comments and blank lines have left between the chunks' edges. */
static void join(const struct chunk *chunks, int count, const struct bi_edge_form *form, bosc_edges *edges)
{
    int64_t most = -1;
    edges->m = 0;
    for (int i = 0; i < count; i++) {
        size_t to = (size_t)edges->m, from = (size_t)chunks[i].first_edge, n = (size_t)chunks[i].count;
        size_t each = edges->weights ? bosc_dtype_size(edges->dtype) : 0;
        if (to != from && n) {
            memmove(edges->u + to, edges->u + from, n * sizeof *edges->u);
            memmove(edges->v + to, edges->v + from, n * sizeof *edges->v);
            if (each) memmove((char *)edges->weights + to * each, (char *)edges->weights + from * each, n * each);
        }
        edges->m += chunks[i].count;
        if (chunks[i].most > most) most = chunks[i].most;
    }
    edges->n = form->n < 0 ? most + 1 : form->n;
    bi_edges_shrink(edges);
}

bosc_status bi_edge_lines_parse(const struct bi_bytes *in, const struct bi_lines *lines,
                                const struct bi_edge_form *form, bosc_edges *edges, bosc_io_error *error)
{
    const char *cuts[BI_CHUNKS_MAX + 1];
    struct chunk chunks[BI_CHUNKS_MAX] = {0};
    struct bi_edge_form trial = *form;
    bosc_edges fresh = {0};
    bool wider = false;
    int count = bi_lines_cut(lines, cuts);
    for (int i = 0; i < count; i++) chunks[i] = (struct chunk){.begin = cuts[i], .end = cuts[i + 1]};
    int64_t capacity = place_chunks(lines, chunks, count);
    do {
        bosc_status status = bi_edges_new(in->name, trial.weights, capacity, &fresh, error);
        if (status != BOSC_OK) return status;
#pragma omp parallel for num_threads(count) schedule(static, 1)
        for (int i = 0; i < count; i++) {
            chunks[i].status = BOSC_OK;
            parse(&chunks[i], &trial, &fresh, INT64_MAX);
        }
        wider = false;
        for (int i = 0; i < count; i++) wider |= chunks[i].wider;
        if (wider) {
            bosc_edges_free(&fresh);
            trial.weights++;
        }
    } while (wider);
    bosc_status status = check(in, &trial, chunks, count, &fresh, error);
    if (status == BOSC_OK) {
        join(chunks, count, &trial, &fresh);
        *edges = fresh;
    } else {
        bosc_edges_free(&fresh);
    }
    return status;
}
