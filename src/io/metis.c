/* METIS graphs: a row a vertex, so that each edge is named twice. Source: Karypis, METIS manual 5.1, 4.1.1 (2013). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/edges.h"

struct header {
    int64_t n, m;
    int64_t skipped; /* numbers at the beginning of a row: size and weights of the vertex */
    bool weights;
};

struct item {
    uint32_t u, v;
    int64_t w;
};

/* A run of whole lines, and what became of them. */
struct chunk {
    struct bi_lines lines; /* number: lines of the file before it */
    int64_t row, rows;     /* the vertex of its first row; its number of rows */
    struct item *items;    /* arcs to larger vertices */
    int64_t count, capacity;
    int64_t arcs;     /* to larger vertices, less those to smaller ones */
    uint64_t balance; /* the same of a hash of each arc: 0 in all if every edge is named twice */
    uint64_t weighed; /* and of one of its weight too: 0 in all if both times name the same */
    bool wide;
    bosc_status status;
    struct bi_reason reason;
};

static bool is_comment(struct bi_line line) { return line.begin < line.end && *line.begin == '%'; }

static bosc_status read_format(const struct bi_bytes *in, const struct bi_lines *lines, struct bi_line *line,
                               struct header *head, bosc_io_error *error)
{
    struct bi_line word;
    int64_t constraints = 0;
    bool flags[3] = {false, false, false}; /* vertex sizes, vertex weights, edge weights */
    if (!bi_word_next(line, &word)) return BOSC_OK;
    ptrdiff_t length = word.end - word.begin;
    bool good = length <= 3;
    for (ptrdiff_t i = 0; i < length && good; i++) {
        flags[3 - length + i] = word.begin[i] == '1';
        good = word.begin[i] == '0' || word.begin[i] == '1';
    }
    if (!good)
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "%s is not a format: one to three digits 0 or 1",
                          bi_quote(word.begin, word.end).text);
    if (bi_word_next(line, &word) && (!bi_word_integer(&word, &constraints) || constraints < 1 || constraints > 1024))
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "%s is not a number of vertex weights",
                          bi_quote(word.begin, word.end).text);
    head->weights = flags[2];
    head->skipped = flags[0] + (flags[1] ? constraints ? constraints : 1 : 0);
    return bi_edges_line_end(in, lines, line, error);
}

static bosc_status read_header(const struct bi_bytes *in, struct bi_lines *lines, struct header *head,
                               bosc_io_error *error)
{
    struct bi_line line;
    do {
        if (!bi_lines_next(lines, &line))
            return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no header (VERTICES EDGES [FORMAT])", in->name);
    } while (is_comment(line));
    bosc_status status = bi_edges_count(in, lines, &line, "vertices", &head->n, error);
    if (status == BOSC_OK) status = bi_edges_count(in, lines, &line, "edges", &head->m, error);
    return status == BOSC_OK ? read_format(in, lines, &line, head, error) : status;
}

__attribute__((format(printf, 3, 4))) static bool fail(struct chunk *chunk, bosc_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(chunk->reason.text, sizeof chunk->reason.text, format, args);
    va_end(args);
    chunk->status = status;
    return false;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u; /* SplitMix64 */
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static bool add_arc(struct chunk *chunk, int64_t u, int64_t v, int64_t w)
{
    int64_t low = u < v ? u : v, high = u < v ? v : u;
    uint64_t hash = mix((uint64_t)low << 32 | (uint64_t)high), weighed = mix(hash + (uint64_t)w);
    chunk->balance += u < v ? hash : 0 - hash;
    chunk->weighed += u < v ? weighed : 0 - weighed;
    chunk->arcs += u < v ? 1 : -1;
    chunk->wide |= w != (int32_t)w;
    if (u > v) return true;
    if (chunk->count == chunk->capacity) {
        int64_t capacity = chunk->capacity ? chunk->capacity + chunk->capacity / 2 : 256;
        struct item *items = bi_io_realloc(chunk->items, (size_t)capacity * sizeof *items);
        if (!items) return fail(chunk, BOSC_ERR_NOMEM, "out of memory");
        chunk->items = items;
        chunk->capacity = capacity;
    }
    chunk->items[chunk->count++] = (struct item){(uint32_t)u, (uint32_t)v, w};
    return true;
}

/* Reads the next integer of a row; false with a reason, or, where `may_end`, without one at the end. */
static bool read_integer(struct chunk *chunk, struct bi_line *line, const char *what, bool may_end, int64_t *value)
{
    struct bi_line word;
    if (!bi_word_next(line, &word)) return may_end ? false : fail(chunk, BOSC_ERR_FORMAT, "the %s is missing", what);
    if (bi_word_integer(&word, value)) return true;
    return fail(chunk, BOSC_ERR_FORMAT, "%s is not a %s", bi_quote(word.begin, word.end).text, what);
}

static bool read_row(struct chunk *chunk, const struct header *head, int64_t row, struct bi_line line)
{
    int64_t v, w = 1;
    for (int64_t i = 0; i < head->skipped; i++)
        if (!read_integer(chunk, &line, "weight of the vertex", false, &v)) return false;
    while (read_integer(chunk, &line, "vertex", true, &v)) {
        if (v < 1 || v > head->n)
            return fail(chunk, BOSC_ERR_FORMAT, "vertex '%lld' is not from 1 to %lld", (long long)v,
                        (long long)head->n);
        if (v - 1 == row) return fail(chunk, BOSC_ERR_FORMAT, "vertex %lld is its own neighbour", (long long)v);
        if (head->weights && !read_integer(chunk, &line, "weight", false, &w)) return false;
        if (!add_arc(chunk, row, v - 1, w)) return false;
    }
    return chunk->status == BOSC_OK;
}

static void parse(struct chunk *chunk, const struct header *head)
{
    struct bi_line line, word;
    int64_t row = chunk->row;
    while (bi_lines_next(&chunk->lines, &line)) {
        if (is_comment(line)) continue;
        struct bi_line rest = line;
        if (row >= head->n && !bi_word_next(&rest, &word)) continue; /* blank lines at the end */
        if (row >= head->n) {
            fail(chunk, BOSC_ERR_FORMAT, "a row more than the %lld vertices", (long long)head->n);
            return;
        }
        if (!read_row(chunk, head, row++, line)) return;
    }
}

/* Cuts the rows into chunks that know their first row and line. */
static int make_chunks(const struct bi_lines *lines, struct chunk *chunks, int64_t *rows)
{
    const char *cuts[BI_CHUNKS_MAX + 1];
    int64_t line = lines->number;
    int count = bi_lines_cut(lines, cuts);
    *rows = 0;
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int i = 0; i < count; i++) {
        struct bi_lines all = {.next = cuts[i], .end = cuts[i + 1]};
        struct bi_line one;
        chunks[i] = (struct chunk){.lines = all};
        while (bi_lines_next(&all, &one)) chunks[i].rows += !is_comment(one);
        chunks[i].lines.number = all.number;
    }
    for (int i = 0; i < count; i++) {
        int64_t of_chunk = chunks[i].lines.number;
        chunks[i].lines.number = line;
        chunks[i].row = *rows;
        line += of_chunk;
        *rows += chunks[i].rows;
    }
    return count;
}

static bosc_status check(const struct bi_bytes *in, const struct header *head, const struct chunk *chunks, int count,
                         int64_t rows, bosc_io_error *error)
{
    int64_t m = 0, arcs = 0;
    uint64_t balance = 0, weighed = 0;
    for (int i = 0; i < count; i++) {
        const struct chunk *p = &chunks[i];
        if (p->status != BOSC_OK) return bi_fail_at(in, p->lines.number, p->status, error, "%s", p->reason.text);
        m += p->count;
        arcs += p->arcs;
        balance += p->balance;
        weighed += p->weighed;
    }
    if (rows < head->n)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: ends after %lld of %lld rows", in->name, (long long)rows,
                          (long long)head->n);
    if (arcs || balance)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: an edge is not in the rows of both its vertices", in->name);
    if (weighed)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the two rows of an edge give it different weights", in->name);
    if (m != head->m)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: has %lld edges, but its header declares %lld", in->name,
                          (long long)m, (long long)head->m);
    return BOSC_OK;
}

static bosc_status join(const struct bi_bytes *in, const struct header *head, const struct chunk *chunks, int count,
                        bosc_edges *edges, bosc_io_error *error)
{
    bool wide = false;
    for (int i = 0; i < count; i++) wide |= chunks[i].wide;
    enum bi_weights weights = !head->weights ? BI_WEIGHTS_NONE : wide ? BI_WEIGHTS_I64 : BI_WEIGHTS_I32;
    bosc_status status = bi_edges_new(in->name, weights, head->m, edges, error);
    if (status != BOSC_OK) return status;
    edges->n = head->n;
    for (int i = 0; i < count; i++)
        for (int64_t k = 0; k < chunks[i].count; k++) {
            const struct item *item = &chunks[i].items[k];
            edges->u[edges->m] = item->u;
            edges->v[edges->m] = item->v;
            if (weights == BI_WEIGHTS_I32) ((int32_t *)edges->weights)[edges->m] = (int32_t)item->w;
            if (weights == BI_WEIGHTS_I64) ((int64_t *)edges->weights)[edges->m] = item->w;
            edges->m++;
        }
    return BOSC_OK;
}

bosc_status bi_metis_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error)
{
    struct chunk chunks[BI_CHUNKS_MAX];
    struct bi_lines lines = bi_lines_of(in);
    struct header head = {0};
    int64_t rows;
    bosc_status status = read_header(in, &lines, &head, error);
    if (status != BOSC_OK) return status;
    int count = make_chunks(&lines, chunks, &rows);
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int i = 0; i < count; i++) parse(&chunks[i], &head);
    status = check(in, &head, chunks, count, rows, error);
    if (status == BOSC_OK) status = join(in, &head, chunks, count, edges, error);
    for (int i = 0; i < count; i++) free(chunks[i].items);
    return status;
}
