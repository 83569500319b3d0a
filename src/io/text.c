/* Points as text: a row a line. Large texts are cut at line ends and parsed by several threads. */
#include <stdio.h>
#include <string.h>

#include "io/fields.h"

/* How rows are laid out, which the options and the first lines tell. */
struct form {
    char separator;
    const struct bi_columns *columns; /* NULL: all */
    int64_t fields, kept;             /* numbers of a row; those kept are the first ones */
};

/* A run of whole lines, and what its parser found. */
struct chunk {
    struct bi_lines lines;
    struct bi_numbers numbers;
    struct bi_reason reason;
    bosc_status status;
};

/* Rows are taken for numbers between separators; what proves to be more is read again. */
static bosc_status read_row(const struct form *form, struct bi_line line, struct bi_numbers *numbers,
                            struct bi_reason *reason)
{
    if (form->columns) return bi_fields_read(line, form->separator, form->columns, numbers, reason);
    size_t before = numbers->count;
    char separator = form->separator == ';' ? ';' : ',';
    bosc_status status = bi_row_read(line.begin, line.end, separator, numbers, reason);
    if (status != BOSC_ERR_FORMAT || !memchr(line.begin, '"', (size_t)(line.end - line.begin))) return status;
    numbers->count = before;
    return bi_fields_read(line, form->separator, NULL, numbers, reason);
}

/* Skips what stands before the first row, and finds the form of that row. *number is that of the line at which a
 * failure is, or 0. */
static bosc_status read_first(struct bi_lines *lines, const struct bi_text_opts *opts, struct form *form,
                              struct bi_columns *columns, struct bi_reason *reason, int64_t *number)
{
    struct bi_line line, header;
    struct bi_numbers row = {0};
    struct bi_lines ahead = *lines;
    bool more = bi_lines_next_content(&ahead, &line), named = false;
    if (more) {
        form->separator = bi_separator_of(header = line);
        named = bi_is_header(line, form->separator);
        *number = ahead.number;
    }
    if (opts->columns && !bi_columns_choose(opts->columns, named ? &header : NULL, form->separator, columns, reason))
        return BOSC_ERR_FORMAT;
    if (named) {
        *lines = ahead;
        more = bi_lines_next_content(&ahead, &line);
    }
    *number = more ? ahead.number : 0;
    if (!more) {
        snprintf(reason->text, sizeof reason->text, "no points");
        return BOSC_ERR_FORMAT;
    }
    form->columns = opts->columns ? columns : NULL;
    bosc_status status = read_row(form, line, &row, reason);
    form->fields = (int64_t)row.count;
    form->kept = opts->most && opts->most < form->fields ? opts->most : form->fields;
    bi_numbers_free(&row);
    return status;
}

static void parse(struct chunk *chunk, const struct form *form)
{
    struct bi_line line;
    while (bi_lines_next_content(&chunk->lines, &line)) {
        size_t before = chunk->numbers.count;
        chunk->status = read_row(form, line, &chunk->numbers, &chunk->reason);
        size_t fields = chunk->numbers.count - before;
        if (chunk->status == BOSC_OK && fields != (size_t)form->fields) {
            chunk->status = BOSC_ERR_FORMAT;
            snprintf(chunk->reason.text, sizeof chunk->reason.text, "%zu numbers where the first row has %lld", fields,
                     (long long)form->fields);
        }
        if (chunk->status != BOSC_OK) return;
        chunk->numbers.count = before + (size_t)form->kept;
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

bosc_status bi_text_parse(const struct bi_bytes *in, const struct bi_text_opts *opts, bosc_array *points,
                          bosc_io_error *error)
{
    struct chunk chunks[BI_CHUNKS_MAX];
    struct bi_columns columns;
    struct bi_reason reason;
    struct bi_lines lines = bi_lines_of(in);
    struct form form = {.separator = ','};
    int64_t number = 0;
    bosc_status status = read_first(&lines, opts, &form, &columns, &reason, &number);
    if (status != BOSC_OK && number)
        return bi_io_fail(error, status, "%s:%lld: %s", in->name, (long long)number, reason.text);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s: %s", in->name, reason.text);
    int count = cut(&lines, chunks);
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int i = 0; i < count; i++) parse(&chunks[i], &form);
    status = gather(in, chunks, count, form.kept, points, error);
    for (int i = 0; i < count; i++) bi_numbers_free(&chunks[i].numbers);
    return status;
}
