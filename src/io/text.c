/* Points as text: a row a line. Large texts are cut at line ends and parsed by several threads. */
#include <stdio.h>
#include <string.h>

#include "io/number.h"

/* A run of whole lines, and what its parser found. */
struct chunk {
    struct bi_lines lines;
    struct bi_numbers numbers;
    struct bi_reason reason;
    bosc_status status;
};

static bool is_word_start(char c)
{
    return c == '"' || c == '\'' || c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* A header is a line none of whose fields is a number. */
static bool is_header(const struct bi_line *line)
{
    const char *p = line->begin;
    while (p < line->end && (*p == ' ' || *p == '\t')) p++;
    if (p == line->end || !is_word_start(*p)) return false;
    while (p < line->end) {
        double value;
        const char *q = bi_number_read(p, line->end, &value);
        if (q && (q == line->end || *q == ',' || *q == ' ' || *q == '\t')) return false;
        while (p < line->end && *p != ',' && *p != ' ' && *p != '\t') p++;
        while (p < line->end && (*p == ',' || *p == ' ' || *p == '\t')) p++;
    }
    return true;
}

/* Skips what stands before the first row, and counts the fields of that row. *number is that row's, or 0. */
static bosc_status read_first(struct bi_lines *lines, bool header, int64_t *dim, struct bi_reason *reason,
                              int64_t *number)
{
    struct bi_line line;
    struct bi_numbers row = {0};
    struct bi_lines ahead = *lines;
    bool more = bi_lines_next_content(&ahead, &line);
    if (more && header && is_header(&line)) {
        *lines = ahead;
        more = bi_lines_next_content(&ahead, &line);
    }
    if (!more) {
        snprintf(reason->text, sizeof reason->text, "no points");
        return BOSC_ERR_FORMAT;
    }
    *number = ahead.number;
    bosc_status status = bi_row_read(line.begin, line.end, true, &row, reason);
    *dim = (int64_t)row.count;
    bi_numbers_free(&row);
    return status;
}

static void parse(struct chunk *chunk, int64_t dim)
{
    struct bi_line line;
    while (bi_lines_next_content(&chunk->lines, &line)) {
        size_t before = chunk->numbers.count;
        chunk->status = bi_row_read(line.begin, line.end, true, &chunk->numbers, &chunk->reason);
        size_t fields = chunk->numbers.count - before;
        if (chunk->status == BOSC_OK && fields != (size_t)dim) {
            chunk->status = BOSC_ERR_FORMAT;
            snprintf(chunk->reason.text, sizeof chunk->reason.text, "%zu numbers where the first row has %lld", fields,
                     (long long)dim);
        }
        if (chunk->status != BOSC_OK) return;
    }
}

static int cut(const struct bi_lines *lines, struct chunk *chunks)
{
    const char *cuts[BI_CHUNKS_MAX + 1];
    int count = bi_lines_cut(lines, cuts);
    for (int i = 0; i < count; i++) chunks[i] = (struct chunk){.lines = {cuts[i], cuts[i + 1], i ? 0 : lines->number}};
    return count;
}

/* The first failure in the order of the lines, with its line number; or the rows of all chunks. */
static bosc_status gather(const struct bi_bytes *in, struct chunk *chunks, int count, int64_t dim, bosc_array *points,
                          bosc_io_error *error)
{
    int64_t lines = 0;
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        lines += chunks[i].lines.number;
        total += chunks[i].numbers.count;
        if (chunks[i].status == BOSC_OK) continue;
        return bi_io_fail(error, chunks[i].status, "%s:%lld: %s", in->name, (long long)lines, chunks[i].reason.text);
    }
    int64_t n = (int64_t)total / dim, shape[2] = {n, dim};
    if (count == 1) {
        *points = bi_numbers_take(&chunks[0].numbers, n, dim);
        return BOSC_OK;
    }
    bosc_status status = bi_array_new(in->name, BOSC_F64, 2, shape, points, error);
    if (status != BOSC_OK) return status;
    double *to = points->data;
    for (int i = 0; i < count; i++) {
        if (chunks[i].numbers.count) memcpy(to, chunks[i].numbers.data, chunks[i].numbers.count * sizeof *to);
        to += chunks[i].numbers.count;
    }
    return BOSC_OK;
}

bosc_status bi_text_parse(const struct bi_bytes *in, bool header, bosc_array *points, bosc_io_error *error)
{
    struct chunk chunks[BI_CHUNKS_MAX];
    struct bi_reason reason;
    struct bi_lines lines = bi_lines_of(in);
    int64_t dim = 0, number = 0;
    bosc_status status = read_first(&lines, header, &dim, &reason, &number);
    if (status != BOSC_OK && number)
        return bi_io_fail(error, status, "%s:%lld: %s", in->name, (long long)number, reason.text);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s: %s", in->name, reason.text);
    int count = cut(&lines, chunks);
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int i = 0; i < count; i++) parse(&chunks[i], dim);
    status = gather(in, chunks, count, dim, points, error);
    for (int i = 0; i < count; i++) bi_numbers_free(&chunks[i].numbers);
    return status;
}
