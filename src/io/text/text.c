/* Points as text: a row a line. Pieces of large texts are parsed by several threads. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/text/fields.h"
#include "io/file/pieces.h"

/* How rows are laid out, which the options and the first lines tell. */
struct form {
    char separator;
    const struct bi_columns *columns; /* NULL: all */
    int64_t fields, kept;             /* numbers of a row; those kept are the first ones */
};

/* What is read of a piece. */
struct batch {
    struct bi_numbers numbers;
    int64_t lines; /* that were read; the last one may have failed */
    struct bi_reason reason;
    bosc_status status;
};

/* What all have read. */
struct reading {
    const struct bi_bytes *in;
    struct form form;
    struct bi_numbers numbers;
    int64_t lines;
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

static void parse(void *own, const void *all, const struct bi_piece *piece)
{
    struct batch *batch = own;
    const struct form *form = &((const struct reading *)all)->form;
    struct bi_lines lines = {.next = piece->begin, .end = piece->end};
    struct bi_line line;
    batch->numbers.count = 0;
    batch->status = BOSC_OK;
    while (batch->status == BOSC_OK && bi_lines_next_content(&lines, &line)) {
        size_t before = batch->numbers.count;
        batch->status = read_row(form, line, &batch->numbers, &batch->reason);
        size_t fields = batch->numbers.count - before;
        if (batch->status == BOSC_OK && fields != (size_t)form->fields) {
            batch->status = BOSC_ERR_FORMAT;
            snprintf(batch->reason.text, sizeof batch->reason.text, "%zu numbers where the first row has %lld", fields,
                     (long long)form->fields);
        }
        batch->numbers.count = before + (size_t)form->kept;
    }
    batch->lines = lines.number;
}

/* The first failure in the order of the lines, with its line number; or the rows of all pieces. */
static bosc_status join(void *own, void *all, const struct bi_piece *piece, bosc_io_error *error)
{
    const struct batch *batch = own;
    struct reading *r = all;
    (void)piece;
    r->lines += batch->lines;
    if (batch->status != BOSC_OK)
        return bi_io_fail(error, batch->status, "%s:%lld: %s", r->in->name, (long long)r->lines, batch->reason.text);
    size_t count = batch->numbers.count;
    if (!bi_numbers_reserve(&r->numbers, r->numbers.count + count)) return bi_bytes_fail(r->in, ENOMEM, error);
    if (count) memcpy(r->numbers.data + r->numbers.count, batch->numbers.data, count * sizeof *batch->numbers.data);
    r->numbers.count += count;
    return BOSC_OK;
}

static void free_batch(void *own) { bi_numbers_free(&((struct batch *)own)->numbers); }

bosc_status bi_text_parse(const struct bi_bytes *in, const struct bi_text_opts *opts, bosc_array *points,
                          bosc_io_error *error)
{
    static const struct bi_piece_parser parser = {sizeof(struct batch), parse, join, NULL, free_batch};
    struct bi_columns columns;
    struct bi_reason reason;
    struct bi_lines lines = bi_lines_of(in);
    struct reading r = {.in = in, .form = {.separator = ','}};
    int64_t number = 0;
    bosc_status status = read_first(&lines, opts, &r.form, &columns, &reason, &number);
    if (status != BOSC_OK && number)
        return bi_io_fail(error, status, "%s:%lld: %s", in->name, (long long)number, reason.text);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s: %s", in->name, reason.text);
    if (bi_bytes_missed(in)) return BOSC_ERR_FORMAT; /* the first lines are not known */
    const struct bi_pieces pieces = bi_pieces_of(in, &lines);
    r.lines = lines.number;
    status = bi_pieces_parse(&pieces, &parser, &r, error);
    if (status == BOSC_OK) status = bi_bytes_unchanged(in, error);
    if (status == BOSC_OK) *points = bi_numbers_take(&r.numbers, (int64_t)r.numbers.count / r.form.kept, r.form.kept);
    bi_numbers_free(&r.numbers);
    return status;
}
