/* Reads points as text: a row per line, or the atoms of a molecule (.xyz). */
#include "io/text/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/chunks.h"
#include "io/file/file.h"
#include "io/graph/edge_names.h"
#include "io/text/number.h"
#include "io/text/row.h"

/* ---- rows, which threads parse in chunks of the text ---- */

/* Layout of a row, from the options and the first lines. */
struct form {
    char separator;
    const struct bi_columns *columns; /* NULL: all */
    bool has_extras;                  /* only the first three numbers of a row are needed */
    bool keeps_nan;                   /* NaN is read, not refused */
    int64_t fields, kept;             /* numbers in a row; the first `kept` of them are stored */
    int64_t expected;                 /* rows, as a line before them says; -1: none does */
    int64_t texts;                    /* fields of a row if the named first column is text; else 0 */
};

/* Result of a chunk. */
struct batch {
    struct bi_numbers numbers;
    int64_t lines; /* number of lines read; the last one may have failed */
    struct bi_reason reason;
    bosc_status status;
};

/* Joined results of all chunks. */
struct reading {
    const struct bi_bytes *in;
    struct form form;
    struct bi_numbers numbers;
    int64_t lines;
};

/* Reads a row by the fast reader of plain numbers. Rows with quotes, and chosen columns, go to the reader of fields. */
static bosc_status read_row(const struct form *form, struct bi_line line, struct bi_numbers *numbers,
                            struct bi_reason *reason)
{
    const bool has_empty = form->keeps_nan && form->separator == '\t'; /* for the fast reader, tabs are blanks */
    if (form->columns || has_empty) return bi_fields_read(line, form->separator, form->columns, numbers, reason);
    size_t before = numbers->count;
    char separator = form->separator == ';' ? ';' : ',';
    const bool *needed = form->has_extras ? bi_row_coordinates : NULL;
    bosc_status status = bi_row_read_needed(line.begin, line.end, separator, needed, 3, numbers, reason);
    if (status != BOSC_ERR_FORMAT || !memchr(line.begin, '"', (size_t)(line.end - line.begin))) return status;
    numbers->count = before;
    return bi_fields_read(line, form->separator, NULL, numbers, reason);
}

/* Chooses the columns behind `index` columns of row numbers. */
static bool choose_named(int64_t index, int64_t count, struct bi_columns *columns, struct bi_reason *reason)
{
    if (count > BI_COLUMNS_MAX) {
        snprintf(reason->text, sizeof reason->text, "more than %d columns behind the numbers of the rows",
                 BI_COLUMNS_MAX);
        return false;
    }
    columns->count = count;
    for (int64_t k = 0; k < count; k++) columns->number[k] = index + k + 1;
    return true;
}

/* Counts the empty fields at the end of a line; blanks make none. */
static int64_t count_empty(const struct form *form, const struct bi_line *line)
{
    return bi_count_separators(line, form->separator == ' ' ? ',' : form->separator);
}

/* Returns the first character of a line behind blanks. */
static const char *find_content(const struct bi_line *line)
{
    const char *p = line->begin;
    while (p < line->end && (*p == ' ' || *p == '\t')) p++;
    return p;
}

static bool is_comment(const struct bi_line *line)
{
    const char *p = find_content(line);
    return p < line->end && *p == '#' && !bi_begins_missing(p, line->end);
}

/* True if a comment may be a row of a table whose first column is text, such as #ff0000. */
static bool may_be_row(const struct form *form, struct bi_line comment)
{
    return form->texts && comment.begin < comment.end && find_content(&comment) == comment.begin &&
           bi_fields_count(comment, form->separator, false) == form->texts;
}

/* Reads the next line with content: no comment, unless it may be a row. *comment: the last comment before it, behind
 * its sign; unchanged if there is none. */
static bool next_row(struct bi_lines *lines, const struct form *form, struct bi_line *comment, struct bi_line *line)
{
    while (bi_lines_next(lines, line)) {
        if (find_content(line) == line->end) continue;
        if (!is_comment(line)) return true;
        *comment = (struct bi_line){find_content(line) + 1, line->end};
        if (may_be_row(form, *comment)) return true;
    }
    return false;
}

/* Returns the number of a row's fields if the first one is text, not a number; else 0. Blanks separate no text. */
static int64_t count_texts(struct bi_line row, char separator)
{
    const int64_t count = separator == ' ' ? 0 : bi_fields_count(row, separator, false);
    struct bi_line field;
    double value;
    if (!bi_field_next(&row, separator, false, &field) || field.begin == field.end) return 0;
    return bi_number_read(field.begin, field.end, &value) == field.end || bi_word_is_missing(&field) ? 0 : count;
}

/* True if the line has one number alone, without sign, point or separators. *count: the number. */
static bool is_count(struct bi_line line, int64_t *count)
{
    struct bi_line word;
    return bi_word_next(&line, &word) && bi_word_count(&word, count) && !bi_word_next(&line, &word);
}

/* Skips a first line with the number of points, as scanners write it before rows of three numbers or more; CloudCompare
 * writes it behind the names. */
static void skip_count(struct bi_lines *lines, struct form *form)
{
    struct bi_lines ahead = *lines;
    struct bi_line line;
    int64_t count;
    if (!bi_lines_next_content(&ahead, &line) || !is_count(line, &count)) return;
    struct bi_lines behind = ahead;
    if (!bi_lines_next_content(&ahead, &line) || bi_fields_count(line, bi_separator_of(line, false), false) < 3) return;
    form->expected = count;
    *lines = behind;
}

/* The first lines of a text. */
struct head {
    struct bi_line header, row; /* the line of names, if `named`; the first row, if `more` */
    bool named, more;
    int64_t index, unnamed; /* as bi_index_columns returns them */
    int64_t number;         /* of the line of names or the row, for failures; 0: none */
    int64_t row_number;     /* the same of the row */
};

/* Finds the separator, and if the first line names columns, some behind numbers of the rows. A comment before the rows
 * may name as many columns as they have, as NumPy and PCL write it. Moves *lines behind the names; it stays before the
 * first row. */
static struct head read_head(struct bi_lines *lines, bool quoted, struct form *form)
{
    struct head h = {0};
    struct bi_line comment = {0};
    skip_count(lines, form);
    struct bi_lines ahead = *lines;
    h.more = next_row(&ahead, form, &comment, &h.row);
    if (!h.more) return h;
    /* 1. The first line. */
    h.header = h.row;
    h.number = ahead.number;
    form->separator = bi_separator_of(h.row, false);
    h.named = bi_is_header(h.row, &ahead, form->separator);
    /* 2. The row below it, or a comment above it. */
    if (h.named) {
        *lines = ahead;
        if (form->expected < 0) skip_count(lines, form);
        ahead = *lines;
        h.more = next_row(&ahead, form, &comment, &h.row);
        h.index = bi_index_columns(h.header, h.more ? &h.row : NULL, form->separator, false, quoted, &h.unnamed);
        form->texts = h.more ? count_texts(h.row, form->separator) : 0;
    } else if (comment.begin &&
               bi_fields_count(comment, form->separator, false) == bi_fields_count(h.row, form->separator, false)) {
        h.header = comment;
        h.named = bi_is_header(comment, NULL, form->separator);
    }
    h.row_number = h.more ? ahead.number : 0;
    return h;
}

/* Skips the lines before the first row, and sets the layout from that row. *number: line of a failure, or 0; on success
 * it means nothing. The first row is parsed again later: *lines stays before it. */
static bosc_status find_layout(struct bi_lines *lines, const struct bi_text_opts *opts, struct form *form,
                               struct bi_columns *columns, struct bi_reason *reason, int64_t *number)
{
    struct bi_numbers row = {.keeps_nan = form->keeps_nan};
    /* 1. The names of columns. */
    const struct head h = read_head(lines, opts->most == 3, form);
    const struct bi_line header = h.header, line = h.row;
    const int64_t index = h.index, unnamed = h.unnamed;
    const bool named = h.named;
    *number = h.number;
    /* 2. The chosen columns. */
    if (opts->columns &&
        !bi_columns_choose(opts->columns, named ? &header : NULL, form->separator, false, unnamed, columns, reason))
        return BOSC_ERR_FORMAT;
    if (!opts->columns && index > 0 &&
        !choose_named(index, bi_fields_count(header, form->separator, false) + unnamed - index, columns, reason))
        return BOSC_ERR_FORMAT;
    *number = h.row_number;
    if (!h.more) {
        snprintf(reason->text, sizeof reason->text, "no points");
        return BOSC_ERR_FORMAT;
    }
    /* 3. The number of fields, from the first row. */
    const int64_t most = form->expected >= 0 && !opts->columns ? 3 : opts->most;
    form->has_extras = most == 3;
    form->columns = opts->columns || index > 0 ? columns : NULL;
    bosc_status status = read_row(form, line, &row, reason);
    form->fields = (int64_t)row.count;
    const int64_t names =
        named && form->keeps_nan && !form->columns ? bi_fields_count(header, form->separator, false) : 0;
    if (names > form->fields && names <= form->fields + count_empty(form, &line)) form->fields = names;
    form->kept = most && most < form->fields ? most : form->fields;
    bi_numbers_free(&row);
    return status;
}

/* Appends NaN for the empty fields at the end of a row. */
static bosc_status fill_row(const struct form *form, const struct bi_line *line, size_t before,
                            struct bi_numbers *numbers, struct bi_reason *reason)
{
    int64_t empty = form->fields - (int64_t)(numbers->count - before);
    if (empty > count_empty(form, line)) return BOSC_OK;
    for (; empty > 0; empty--) {
        if (!bi_numbers_reserve(numbers, numbers->count + 1)) return bi_numbers_refuse(reason);
        numbers->data[numbers->count++] = NAN;
    }
    return BOSC_OK;
}

static bosc_status refuse_comment(const struct form *form, struct bi_reason *reason)
{
    snprintf(reason->text, sizeof reason->text,
             "a comment or a row? It has %lld fields, as the rows have; a row's first field needs quotes, a comment a "
             "blank behind the #",
             (long long)form->texts);
    return BOSC_ERR_FORMAT;
}

/* Parses the rows of a chunk. */
static void parse_chunk(void *own, const void *all, const struct bi_chunk *chunk)
{
    struct batch *batch = own;
    const struct form *form = &((const struct reading *)all)->form;
    struct bi_lines lines = {.next = chunk->begin, .end = chunk->end};
    struct bi_line line, comment = {0};
    batch->numbers.count = 0;
    batch->numbers.keeps_nan = form->keeps_nan;
    batch->status = BOSC_OK;
    while (batch->status == BOSC_OK && next_row(&lines, form, &comment, &line)) {
        size_t before = batch->numbers.count;
        batch->status = is_comment(&line) ? refuse_comment(form, &batch->reason)
                                          : read_row(form, line, &batch->numbers, &batch->reason);
        if (batch->status == BOSC_OK && form->keeps_nan && !form->columns)
            batch->status = fill_row(form, &line, before, &batch->numbers, &batch->reason);
        const size_t fields = batch->numbers.count - before;
        if (batch->status == BOSC_OK && fields != (size_t)form->fields) {
            batch->status = BOSC_ERR_FORMAT;
            snprintf(batch->reason.text, sizeof batch->reason.text, "%zu numbers where the first row has %lld", fields,
                     (long long)form->fields);
        }
        batch->numbers.count = before + (size_t)form->kept;
    }
    batch->lines = lines.number;
}

/* Appends the rows of a chunk. Chunks come in order, so the first failed line is reported. */
static bosc_status append_rows(void *own, void *all, const struct bi_chunk *chunk, bosc_io_error *error)
{
    const struct batch *batch = own;
    struct reading *r = all;
    (void)chunk;
    r->lines += batch->lines;
    if (batch->status != BOSC_OK) return bi_fail_at(r->in, r->lines, batch->status, error, "%s", batch->reason.text);
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
    static const struct bi_chunk_parser parser = {sizeof(struct batch), parse_chunk, append_rows, NULL, free_batch};
    struct bi_columns columns;
    struct bi_reason reason;
    struct bi_lines lines = bi_lines_begin(in);
    struct reading r = {.in = in, .form = {.separator = ',', .keeps_nan = in->keeps_nan, .expected = -1}};
    int64_t number = 0;
    bosc_status status = bi_text_check(in, error);
    if (status != BOSC_OK) return status;
    status = find_layout(&lines, opts, &r.form, &columns, &reason, &number);
    if (status != BOSC_OK && number) return bi_fail_at(in, number, status, error, "%s", reason.text);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s: %s", in->name, reason.text);
    if (bi_bytes_whole_needed(in))
        return BOSC_ERR_FORMAT; /* the first lines are not in memory; the caller loads them and tries again */
    const struct bi_chunks chunks = bi_chunks_split(in, &lines);
    r.lines = lines.number;
    status = bi_chunks_parse(&chunks, &parser, &r, error);
    if (status == BOSC_OK) status = bi_bytes_unchanged(in, error);
    const int64_t rows = status == BOSC_OK ? (int64_t)r.numbers.count / r.form.kept : 0;
    if (status == BOSC_OK && r.form.expected >= 0 && rows != r.form.expected)
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %lld points, but a line before them says %lld", in->name,
                            (long long)rows, (long long)r.form.expected);
    if (status == BOSC_OK) *points = bi_numbers_to_array(&r.numbers, rows, r.form.kept);
    bi_numbers_free(&r.numbers);
    return status;
}

bosc_status bi_text_names(const struct bi_bytes *in, bosc_names *names, bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_edge_names list = {.used = 0};
    struct form form = {.expected = -1};
    struct bi_line field;
    const struct head h = read_head(&lines, false, &form);
    if (bi_bytes_whole_needed(in)) return BOSC_ERR_FORMAT; /* as bi_text_parse */
    struct bi_line header = bi_header_names(h.header, form.separator);
    for (int64_t k = 0; h.named && bi_field_next(&header, form.separator, false, &field); k++)
        if (k >= h.index - h.unnamed && bi_edge_names_find(&list, field.begin, field.end) < 0) {
            bi_edge_names_free(&list);
            return bi_bytes_fail(in, ENOMEM, error);
        }
    *names = list.list;
    list.list = (bosc_names){0};
    bi_edge_names_free(&list);
    return BOSC_OK;
}

/* ---- .xyz: points, with or without colours, and molecules ----
 *
 * Source of molecules: the XMol manual, Minnesota Supercomputer Center (1990). In extended files the comment line names
 * the columns. */

/* Returns the number of words of a line, if all are numbers; else 0. */
static int count_numbers(struct bi_line line)
{
    struct bi_line word;
    double number;
    int count = 0;
    for (; bi_line_word(&line, &word); count++)
        if (bi_number_read(word.begin, word.end, &number) != word.end) return 0;
    return count;
}

/* True if `atoms` lines are left, and each begins with an atomic number. */
static bool are_atoms_of_numbers(struct bi_lines lines, int64_t atoms)
{
    enum { ELEMENTS = 118 };
    struct bi_line line, word;
    int64_t number, count = 0;
    for (; bi_lines_next_content(&lines, &line); count++)
        if (count == atoms || !bi_line_word(&line, &word) || !bi_word_count(&word, &number) || number < 1 ||
            number > ELEMENTS)
            return false;
    return count == atoms;
}

/* True for a molecule: line 1 is a single number, unlike a row of three coordinates, and line 3 has a symbol and three
 * numbers. Lines 2 and 3 of as many numbers are points of a scanner, unless line 3 is the first of as many atoms as
 * line 1 says. Moves *lines to the first atom. */
static bool begins_molecule(struct bi_lines *lines, int64_t *atoms, struct bi_line *comment)
{
    struct bi_lines ahead = *lines;
    struct bi_line line, word, extra;
    if (!bi_lines_next(&ahead, &line) || !bi_line_word(&line, &word) || !bi_word_count(&word, atoms)) return false;
    if (bi_line_word(&line, &extra) || !bi_lines_next(&ahead, comment)) return false;
    const struct bi_lines atoms_begin = ahead;
    if (!bi_lines_next(&ahead, &line)) return false;
    const int numbers = count_numbers(line);
    if (numbers >= 3 && numbers == count_numbers(*comment) && !are_atoms_of_numbers(atoms_begin, *atoms)) return false;
    *lines = atoms_begin;
    int words = 0;
    while (words < 4 && bi_line_word(&line, &word)) words++;
    return words == 4;
}

/* Sets the first column of coordinates, from 1: that of pos:R:3 in a comment with Properties=NAME:TYPE:COUNT:..., or 2
 * if the comment names no columns. False, with a reason: it names others. */
static bool find_coordinates(const struct bi_line *comment, int64_t *column, struct bi_reason *reason)
{
    static const char key[] = "Properties=";
    const size_t length = sizeof key - 1;
    const char *p = comment->begin, *end = comment->end;
    /* 1. Find the key. */
    while (end - p >= (ptrdiff_t)length && memcmp(p, key, length) != 0) p++;
    *column = 2;
    if (end - p < (ptrdiff_t)length) return true;
    p += length;
    p += p < end && *p == '"';
    /* 2. Read properties up to the coordinates: three words each, which colons separate: name, type, columns. */
    for (int64_t first = 1;;) {
        struct bi_line words[3];
        int64_t count;
        for (int k = 0; k < 3; k++, p += p < end && *p == ':') {
            words[k].begin = p;
            while (p < end && *p != ':' && *p != ' ' && *p != '\t' && *p != '"') p++;
            words[k].end = p;
        }
        if (!bi_word_count(&words[2], &count) || count < 1 || count > BI_COLUMNS_MAX || first > BI_COLUMNS_MAX) break;
        *column = first;
        if (bi_word_is(&words[0], "pos") && bi_word_is(&words[1], "R") && count == 3) return true;
        first += count;
    }
    snprintf(reason->text, sizeof reason->text, "Properties= has no coordinates (pos:R:3)");
    return false;
}

/* column: the first one of coordinates */
static bosc_status read_atoms(struct bi_lines *lines, int64_t atoms, int64_t column, struct bi_numbers *numbers,
                              struct bi_reason *reason)
{
    const struct bi_columns columns = {.number = {column, column + 1, column + 2}, .count = 3};
    struct bi_line line;
    for (int64_t i = 0; i < atoms; i++) {
        if (!bi_lines_next(lines, &line)) {
            snprintf(reason->text, sizeof reason->text, "ends after %lld of %lld atoms", (long long)i,
                     (long long)atoms);
            return BOSC_ERR_FORMAT;
        }
        bosc_status status = bi_fields_read(line, ' ', &columns, numbers, reason);
        if (status != BOSC_OK) return status;
    }
    if (!bi_lines_next_content(lines, &line)) return BOSC_OK;
    snprintf(reason->text, sizeof reason->text, "text after the %lld atoms; one molecule is read", (long long)atoms);
    return BOSC_ERR_FORMAT;
}

/* Finds the value of KEY= in a comment, without its quotes. */
static bool find_value(const struct bi_line *comment, const char *key, struct bi_line *value)
{
    const size_t length = strlen(key);
    const char *p = comment->begin, *end = comment->end;
    for (bool begins = true;; begins = *p == ' ' || *p == '\t', p++) {
        if (end - p < (ptrdiff_t)length) return false;
        if (begins && memcmp(p, key, length) == 0) break;
    }
    p += length;
    const char quote = p < end && (*p == '"' || *p == '\'') ? *p++ : ' ';
    value->begin = p;
    while (p < end && *p != quote) p++;
    value->end = p;
    return true;
}

/* Reads three flags, separated by blanks: T or F, true or false, 1 or 0. */
static bool read_flags(const struct bi_line *value, uint8_t flags[3])
{
    static const char *const words[] = {"F", "T", "false", "true", "0", "1"};
    const size_t words_count = sizeof words / sizeof words[0];
    struct bi_line rest = *value, word;
    int count = 0;
    while (bi_word_next(&rest, &word)) {
        size_t k = 0;
        while (k < words_count && !bi_word_is_any_case(&word, words[k])) k++;
        if (k == words_count || count == 3) return false;
        flags[count++] = k % 2;
    }
    return count == 3;
}

bosc_status bi_lattice_parse(const struct bi_bytes *in, double vectors[9], uint8_t periodic[3], int32_t *found,
                             bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line comment, value;
    struct bi_numbers numbers = {0};
    struct bi_reason reason;
    int64_t atoms;
    uint8_t flags[3] = {1, 1, 1};
    *found = 0;
    if (!begins_molecule(&lines, &atoms, &comment) || !find_value(&comment, "Lattice=", &value)) return BOSC_OK;
    bosc_status status = bi_row_read(value.begin, value.end, ' ', &numbers, &reason);
    if (status == BOSC_OK && numbers.count != 9) {
        snprintf(reason.text, sizeof reason.text, "%zu numbers, not 9", numbers.count);
        status = BOSC_ERR_FORMAT;
    }
    if (status == BOSC_OK) memcpy(vectors, numbers.data, 9 * sizeof *vectors);
    bi_numbers_free(&numbers);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s:2: Lattice=: %s", in->name, reason.text);
    if (find_value(&comment, "pbc=", &value) && !read_flags(&value, flags))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s:2: pbc=: not three of T and F", in->name);
    memcpy(periodic, flags, sizeof flags);
    *found = 1;
    return BOSC_OK;
}

bool bi_xyz_is_molecule(const struct bi_bytes *in)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line comment;
    int64_t atoms;
    return begins_molecule(&lines, &atoms, &comment);
}

bosc_status bi_xyz_parse(const struct bi_bytes *in, const char *columns, bosc_array *points, bosc_io_error *error)
{
    const struct bi_text_opts opts = {.columns = columns, .most = columns ? 0 : 3};
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line comment;
    struct bi_numbers numbers = {.keeps_nan = in->keeps_nan};
    struct bi_reason reason;
    int64_t atoms, column;
    if (!begins_molecule(&lines, &atoms, &comment)) return bi_text_parse(in, &opts, points, error);
    if (!find_coordinates(&comment, &column, &reason))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s:2: %s", in->name, reason.text);
    if (atoms == 0) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no points", in->name);
    bi_lines_report_progress(&lines);
    bosc_status status = read_atoms(&lines, atoms, column, &numbers, &reason);
    if (bi_bytes_whole_needed(in))
        status = BOSC_ERR_FORMAT;
    else if (status != BOSC_OK)
        status = bi_fail_at(in, lines.number, status, error, "%s", reason.text);
    else
        *points = bi_numbers_to_array(&numbers, atoms, 3);
    bi_numbers_free(&numbers);
    return status;
}
