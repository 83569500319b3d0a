/* Parses METIS graphs, which have a row per vertex and so list each edge twice. Sums of hashes of both listings must
 * agree, which needs no memory and no sort. Source: Karypis, METIS manual 5.1, 4.1.1 (2013). */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "io/file/file.h"
#include "io/file/chunks.h"
#include "io/graph/edge_list.h"
#include "io/text/row.h"

struct header {
    int64_t n, m;
    int64_t skipped; /* count of numbers at the start of a row: size and weights of the vertex */
    bool weights;
};

struct arc {
    uint32_t u, v;
    int64_t w;
};

/* Parsed rows of a chunk, or of all chunks. */
struct rows {
    struct arc *larger_arcs; /* to vertices with larger numbers: one listing of each edge */
    int64_t count, capacity;
    int64_t arcs;            /* number of arcs to larger vertices minus number to smaller ones */
    uint64_t balance;        /* the same of hashes of the arcs; in sum 0 if every edge is listed twice */
    uint64_t weight_balance; /* the same of hashes with the weight; in sum 0 if both listings agree */
    bool has_64bit;          /* a weight exceeds 32 bits */
    int64_t lines;           /* number of lines read; the last one may have failed */
    bosc_status status;
    struct bi_reason reason;
};

/* Input of all threads, and the joined result. */
struct reading {
    const struct bi_bytes *in;
    const struct header *head;
    int64_t *first; /* number of the first row of each chunk, and at the end the number of rows */
    struct rows sum;
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

__attribute__((format(printf, 3, 4))) static bool fail(struct rows *rows, bosc_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(rows->reason.text, sizeof rows->reason.text, format, args);
    va_end(args);
    rows->status = status;
    return false;
}

static bool reserve_arcs(struct rows *rows, int64_t needed)
{
    int64_t capacity = rows->capacity + rows->capacity / 2;
    if (needed <= rows->capacity) return true;
    if (capacity < needed) capacity = needed;
    if (capacity < BI_IO_MIN_CAPACITY) capacity = BI_IO_MIN_CAPACITY;
    struct arc *larger_arcs = bi_io_realloc(rows->larger_arcs, (size_t)capacity * sizeof *larger_arcs);
    if (!larger_arcs) return false;
    rows->larger_arcs = larger_arcs;
    rows->capacity = capacity;
    return true;
}

static bool add_arc(struct rows *rows, int64_t u, int64_t v, int64_t w)
{
    int64_t low = u < v ? u : v, high = u < v ? v : u;
    uint64_t hash = bi_mix_u64((uint64_t)low << 32 | (uint64_t)high), weight_hash = bi_mix_u64(hash + (uint64_t)w);
    rows->balance += u < v ? hash : 0 - hash;
    rows->weight_balance += u < v ? weight_hash : 0 - weight_hash;
    rows->arcs += u < v ? 1 : -1;
    rows->has_64bit |= w != (int32_t)w;
    if (u > v) return true;
    if (!reserve_arcs(rows, rows->count + 1)) return fail(rows, BOSC_ERR_NOMEM, "out of memory");
    rows->larger_arcs[rows->count++] = (struct arc){(uint32_t)u, (uint32_t)v, w};
    return true;
}

/* Reads the next integer of a row. False at the end, with a reason unless `may_end`, or for a malformed one. */
static bool read_integer(struct rows *rows, struct bi_line *line, const char *what, bool may_end, int64_t *value)
{
    struct bi_line word;
    if (!bi_word_next(line, &word)) return may_end ? false : fail(rows, BOSC_ERR_FORMAT, "the %s is missing", what);
    if (bi_word_integer(&word, value)) return true;
    return fail(rows, BOSC_ERR_FORMAT, "%s is not a %s", bi_quote(word.begin, word.end).text, what);
}

/* Reads the row of a vertex. */
static bool read_row(struct rows *rows, const struct header *head, int64_t row, struct bi_line line)
{
    int64_t v, w = 1;
    for (int64_t i = 0; i < head->skipped; i++)
        if (!read_integer(rows, &line, "weight of the vertex", false, &v)) return false;
    while (read_integer(rows, &line, "vertex", true, &v)) {
        if (v < 1 || v > head->n)
            return fail(rows, BOSC_ERR_FORMAT, "vertex '%lld' is not from 1 to %lld", (long long)v, (long long)head->n);
        if (v - 1 == row) return fail(rows, BOSC_ERR_FORMAT, "vertex %lld is its own neighbour", (long long)v);
        if (head->weights && !read_integer(rows, &line, "weight", false, &w)) return false;
        if (!add_arc(rows, row, v - 1, w)) return false;
    }
    return rows->status == BOSC_OK;
}

/* Parses the rows of a chunk. */
static void parse_chunk(void *own, const void *all, const struct bi_chunk *chunk)
{
    struct rows *rows = own;
    const struct reading *r = all;
    struct bi_lines lines = {.next = chunk->begin, .end = chunk->end};
    struct bi_line line, word;
    int64_t row = r->first[chunk->index];
    *rows = (struct rows){.larger_arcs = rows->larger_arcs, .capacity = rows->capacity};
    while (rows->status == BOSC_OK && bi_lines_next(&lines, &line)) {
        if (is_comment(line)) continue;
        struct bi_line remainder = line;
        if (row >= r->head->n && !bi_word_next(&remainder, &word)) continue; /* blank lines at the end */
        if (row >= r->head->n)
            fail(rows, BOSC_ERR_FORMAT, "a row more than the %lld vertices", (long long)r->head->n);
        else
            read_row(rows, r->head, row++, line);
    }
    rows->lines = lines.number;
}

/* Appends the arcs of a chunk and adds its sums. Chunks come in order. */
static bosc_status append_rows(void *own, void *all, const struct bi_chunk *chunk, bosc_io_error *error)
{
    const struct rows *rows = own;
    struct reading *r = all;
    struct rows *sum = &r->sum;
    (void)chunk;
    sum->lines += rows->lines;
    if (rows->status != BOSC_OK) return bi_fail_at(r->in, sum->lines, rows->status, error, "%s", rows->reason.text);
    if (!reserve_arcs(sum, sum->count + rows->count)) return bi_bytes_fail(r->in, ENOMEM, error);
    if (rows->count)
        memcpy(sum->larger_arcs + sum->count, rows->larger_arcs, (size_t)rows->count * sizeof *rows->larger_arcs);
    sum->count += rows->count;
    sum->arcs += rows->arcs;
    sum->balance += rows->balance;
    sum->weight_balance += rows->weight_balance;
    sum->has_64bit |= rows->has_64bit;
    return BOSC_OK;
}

static void free_rows(void *own) { free(((struct rows *)own)->larger_arcs); }

/* ---- first row of each chunk ---- */

static void count_rows(void *own, const void *all, const struct bi_chunk *chunk)
{
    struct bi_lines lines = {.next = chunk->begin, .end = chunk->end};
    struct bi_line line;
    int64_t *rows = own;
    (void)all;
    *rows = 0;
    while (bi_lines_next(&lines, &line)) *rows += !is_comment(line);
}

static bosc_status add_count(void *own, void *all, const struct bi_chunk *chunk, bosc_io_error *error)
{
    int64_t *first = ((struct reading *)all)->first + chunk->index;
    (void)error;
    first[1] = first[0] + *(const int64_t *)own;
    return BOSC_OK;
}

static bosc_status check_rows(const struct reading *r, int64_t rows, bosc_io_error *error)
{
    const struct rows *sum = &r->sum;
    const char *name = r->in->name;
    const struct header *head = r->head;
    if (rows < head->n)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: ends after %lld of %lld rows", name, (long long)rows,
                          (long long)head->n);
    if (sum->arcs || sum->balance)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: an edge is not in the rows of both its vertices", name);
    if (sum->weight_balance)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the two rows of an edge give it different weights", name);
    if (sum->count != head->m)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: has %lld edges, but its header declares %lld", name,
                          (long long)sum->count, (long long)head->m);
    return bi_bytes_unchanged(r->in, error);
}

static bosc_status convert_to_edges(const struct reading *r, bosc_edges *edges, bosc_io_error *error)
{
    const struct header *head = r->head;
    enum bi_weights weights = !head->weights ? BI_WEIGHTS_NONE : r->sum.has_64bit ? BI_WEIGHTS_I64 : BI_WEIGHTS_I32;
    bosc_status status = bi_edges_new(r->in->name, weights, head->m, edges, error);
    if (status != BOSC_OK) return status;
    edges->n = head->n;
    edges->m = head->m;
    for (int64_t k = 0; k < head->m; k++) {
        const struct arc *arc = &r->sum.larger_arcs[k];
        edges->u[k] = arc->u;
        edges->v[k] = arc->v;
        if (weights == BI_WEIGHTS_I32) ((int32_t *)edges->weights)[k] = (int32_t)arc->w;
        if (weights == BI_WEIGHTS_I64) ((int64_t *)edges->weights)[k] = arc->w;
    }
    return BOSC_OK;
}

bosc_status bi_metis_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error)
{
    static const struct bi_chunk_parser counter = {sizeof(int64_t), count_rows, add_count, NULL, NULL};
    static const struct bi_chunk_parser parser = {sizeof(struct rows), parse_chunk, append_rows, NULL, free_rows};
    struct bi_lines lines = bi_lines_begin(in);
    struct header head = {0};
    bosc_status status = read_header(in, &lines, &head, error);
    if (status != BOSC_OK) return status;
    const struct bi_chunks chunks = bi_chunks_split(in, &lines);
    struct reading r = {.in = in, .head = &head, .sum.lines = lines.number};
    r.first = bi_io_alloc((size_t)(chunks.count + 1) * sizeof *r.first);
    if (!r.first) return bi_bytes_fail(in, ENOMEM, error);
    r.first[0] = 0;
    /* 1. Count the rows of each chunk; 2. parse them; 3. check the sums. */
    status = bi_chunks_parse(&chunks, &counter, &r, error);
    if (status == BOSC_OK) status = bi_chunks_parse(&chunks, &parser, &r, error);
    if (status == BOSC_OK) status = check_rows(&r, r.first[chunks.count], error);
    if (status == BOSC_OK) status = convert_to_edges(&r, edges, error);
    free(r.first);
    free(r.sum.larger_arcs);
    return status;
}
