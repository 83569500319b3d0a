/* Reads lines, words, fields and rows of numbers. */
#include "io/text/row.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/file/file.h"
#include "io/text/number.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* ---- lines and words ---- */

struct bi_lines bi_lines_begin(const struct bi_bytes *in)
{
    static const char mark[] = "\xef\xbb\xbf";
    bool marked = in->size >= sizeof mark - 1 && memcmp(in->data, mark, sizeof mark - 1) == 0;
    const char *begin = in->data + (marked ? sizeof mark - 1 : 0), *end = in->data + in->size;
    while (in->backing && end > begin && end[-1] != '\n') end--;
    struct bi_lines lines = {.next = begin, .end = end, .backing = in->backing}, behind = lines;
    struct bi_line line;
    const bool separated = end - begin > 5 && memcmp(begin, "sep=", 4) == 0 && bi_lines_next(&behind, &line);
    return separated && line.end - begin == 5 && strchr(",;\t", begin[4]) ? behind : lines;
}

bosc_status bi_text_check(const struct bi_bytes *in, bosc_io_error *error)
{
    const bool marked = in->size >= 2 && (memcmp(in->data, "\xff\xfe", 2) == 0 || memcmp(in->data, "\xfe\xff", 2) == 0);
    return marked ? bi_io_fail(error, BOSC_ERR_FORMAT, "%s: a text in UTF-16; save it as UTF-8", in->name) : BOSC_OK;
}

void bi_lines_report_progress(struct bi_lines *lines)
{
    lines->progress_begin = lines->next;
    bi_io_phase(0.9, (double)(lines->end - lines->next));
}

/* Ends a line at its first CR, if it has one; CR LF is one end. Searches ahead, so that texts without CR are searched
 * once and not line by line. */
static void end_at_carriage(struct bi_lines *lines, struct bi_line *line)
{
    enum { AHEAD = 1 << 14 }; /* bytes: still in the first-level cache when the lines are read; not measured */
    const char *from = lines->carriage > line->begin ? lines->carriage : line->begin;
    if (from == line->begin || *from != '\r') {
        const char *limit = lines->end - line->end > AHEAD ? line->end + AHEAD : lines->end;
        const char *found = memchr(from, '\r', (size_t)(limit - from));
        lines->carriage = found ? found : limit;
    }
    if (lines->carriage >= line->end) return;
    if (lines->carriage + 1 != line->end || lines->next == line->end) lines->next = lines->carriage + 1;
    line->end = lines->carriage;
}

bool bi_lines_next(struct bi_lines *lines, struct bi_line *line)
{
    if (lines->next == lines->end) {
        if (lines->backing) lines->backing->whole_needed = true;
        return false;
    }
    if (lines->feed < lines->next) { /* else the last line ended in CR alone */
        const char *found = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
        lines->feed = found ? found : lines->end;
    }
    line->begin = lines->next;
    line->end = lines->feed;
    lines->next = lines->feed < lines->end ? lines->feed + 1 : lines->end;
    if (line->end > lines->carriage) end_at_carriage(lines, line);
    lines->number++;
    if (lines->progress_begin && lines->number % BI_IO_REPORT_LINES == 0 &&
        !bi_io_set_done((double)(lines->next - lines->progress_begin)))
        lines->next = lines->end; /* cancelled: the text seems to end */
    return true;
}

bool bi_lines_next_content(struct bi_lines *lines, struct bi_line *line)
{
    while (bi_lines_next(lines, line)) {
        const char *p = line->begin;
        while (p < line->end && is_blank(*p)) p++;
        if (p < line->end && *p != '#') return true;
    }
    return false;
}

bool bi_line_word(struct bi_line *line, struct bi_line *word)
{
    const char *p = line->begin;
    while (p < line->end && is_blank(*p)) p++;
    word->begin = p;
    if (p < line->end && *p == '#') p = line->end;
    while (p < line->end && !is_blank(*p)) p++;
    word->end = line->begin = p;
    return word->end > word->begin && *word->begin != '#';
}

bool bi_word_next(struct bi_line *line, struct bi_line *word)
{
    const char *p = line->begin;
    while (p < line->end && is_blank(*p)) p++;
    word->begin = p;
    while (p < line->end && !is_blank(*p)) p++;
    word->end = line->begin = p;
    return word->end > word->begin;
}

bool bi_word_digits(const struct bi_line *word, uint64_t *value)
{
    *value = 0;
    if (word->begin == word->end) return false;
    for (const char *p = word->begin; p < word->end; p++) {
        if (*p < '0' || *p > '9') return false;
        *value = *value > (UINT64_MAX - 9) / 10 ? UINT64_MAX : *value * 10 + (uint64_t)(*p - '0');
    }
    return true;
}

bool bi_word_integer(const struct bi_line *word, int64_t *value)
{
    uint64_t size;
    struct bi_line digits = *word;
    bool negative = *digits.begin == '-';
    if (*digits.begin == '-' || *digits.begin == '+') digits.begin++;
    if (!bi_word_digits(&digits, &size) || size > (uint64_t)INT64_MAX + negative) return false;
    *value = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

bool bi_word_is(const struct bi_line *word, const char *text)
{
    size_t length = (size_t)(word->end - word->begin);
    return strlen(text) == length && memcmp(word->begin, text, length) == 0;
}

bool bi_word_count(const struct bi_line *word, int64_t *count)
{
    int64_t value = 0;
    if (word->begin == word->end) return false;
    for (const char *p = word->begin; p < word->end; p++) {
        if (*p < '0' || *p > '9' || value > (INT64_C(1) << 62) / 10) return false;
        value = value * 10 + (*p - '0');
    }
    *count = value;
    return true;
}

bool bi_word_is_any_case(const struct bi_line *word, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(word->end - word->begin) == length && strncasecmp(word->begin, text, length) == 0;
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

struct bi_quoted bi_quote(const char *begin, const char *end)
{
    struct bi_quoted q;
    int used = 0;
    q.text[used++] = '\'';
    for (const char *p = begin; p < end && used < 25; p++)
        q.text[used++] = (char)(isprint((unsigned char)*p) && (unsigned char)*p < 128 ? *p : '?');
    if (end - begin > 24) used += snprintf(q.text + used, 4, "...");
    q.text[used++] = '\'';
    q.text[used] = 0;
    return q;
}

/* ---- numbers ---- */

bool bi_numbers_reserve(struct bi_numbers *numbers, size_t capacity)
{
    if (capacity <= numbers->capacity) return true;
    size_t grown = numbers->capacity + numbers->capacity / 2;
    if (capacity < grown) capacity = grown;
    if (capacity < BI_IO_MIN_CAPACITY) capacity = BI_IO_MIN_CAPACITY;
    if (capacity > SIZE_MAX / sizeof(double)) return false;
    double *data = bi_io_realloc(numbers->data, capacity * sizeof(double));
    if (!data) return false;
    numbers->data = data;
    numbers->capacity = capacity;
    return true;
}

void bi_numbers_free(struct bi_numbers *numbers)
{
    free(numbers->data);
    *numbers = (struct bi_numbers){0};
}

bosc_array bi_numbers_to_array(struct bi_numbers *numbers, int64_t n, int64_t dim)
{
    size_t bytes = numbers->count * sizeof(double);
    void *smaller = numbers->count < numbers->capacity ? bi_io_realloc(numbers->data, bytes) : NULL;
    bosc_array array = {.dtype = BOSC_F64, .rank = 2, .shape = {n, dim, 1, 1}};
    array.data = smaller ? smaller : numbers->data;
    *numbers = (struct bi_numbers){0};
    return array;
}

bosc_status bi_numbers_refuse(struct bi_reason *reason)
{
    snprintf(reason->text, sizeof reason->text, "out of memory");
    return BOSC_ERR_NOMEM;
}

bosc_status bi_value_check(const char *p, const char *end, double value, bool keeps_nan, struct bi_reason *reason)
{
    if (isnan(value)) {
        if (keeps_nan) return BOSC_OK;
        snprintf(reason->text, sizeof reason->text, "NaN");
        return BOSC_ERR_DATA;
    }
    if (bi_number_is_beyond(p, value)) {
        snprintf(reason->text, sizeof reason->text, "%s is beyond the range of f8", bi_quote(p, end).text);
        return BOSC_ERR_DATA;
    }
    return BOSC_OK;
}

static bosc_status refuse_empty(struct bi_reason *reason)
{
    snprintf(reason->text, sizeof reason->text, "a field is empty");
    return BOSC_ERR_FORMAT;
}

bool bi_begins_missing(const char *p, const char *end)
{
    const char *stop = p;
    while (stop < end && !is_blank(*stop) && *stop != ',' && *stop != ';') stop++;
    const struct bi_line word = {p, stop};
    return bi_word_is_any_case(&word, "#n/a") || bi_word_is_any_case(&word, "#na");
}

/* Called if no number begins at p. Succeeds at the end of a row with numbers, which only separators may follow. */
static bosc_status finish_row(const char *p, const char *end, char separator, bool any, struct bi_reason *reason)
{
    /* 1. The end of the row. */
    const char *stop_at = p;
    while (stop_at < end && (is_blank(*stop_at) || *stop_at == separator)) stop_at++;
    if (any && (stop_at == end || (*stop_at == '#' && !bi_begins_missing(stop_at, end)))) return BOSC_OK;
    /* 2. The reason of the failure. */
    if (*p == separator) return refuse_empty(reason);
    for (stop_at = p; stop_at < end && !is_blank(*stop_at) && *stop_at != separator;) stop_at++;
    snprintf(reason->text, sizeof reason->text, "%s is not a number", bi_quote(p, stop_at).text);
    return BOSC_ERR_FORMAT;
}

bool bi_word_is_missing(const struct bi_line *word)
{
    static const char *const words[] = {"na", "n/a", "<na>", "null", "none", "nan(ind)", "-nan(ind)", "#n/a", "#na"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (bi_word_is_any_case(word, words[k])) return true;
    return false;
}

/* Returns the end of a missing number at p: an empty field before another field, or a word. NULL: there is none. any:
 * fields come before it. */
static const char *find_missing(const char *p, const char *end, char separator, bool any)
{
    const char *content = p, *stop = p;
    while (content < end && (is_blank(*content) || *content == separator)) content++;
    if (any && (content == end || (*content == '#' && !bi_begins_missing(content, end)))) return NULL;
    if (*p == separator) return p;
    while (stop < end && !is_blank(*stop) && *stop != separator && (*stop != '#' || stop == p)) stop++;
    const struct bi_line word = {p, stop};
    return bi_word_is_missing(&word) ? stop : NULL;
}

static bool is_needed(const bool *needed, size_t count, size_t k) { return !needed || (k < count && needed[k]); }

const bool bi_row_coordinates[3] = {true, true, true};

bosc_status bi_row_read(const char *begin, const char *end, char separator, struct bi_numbers *numbers,
                        struct bi_reason *reason)
{
    return bi_row_read_needed(begin, end, separator, NULL, 0, numbers, reason);
}

bosc_status bi_row_read_needed(const char *begin, const char *end, char separator, const bool *needed, size_t count,
                               struct bi_numbers *numbers, struct bi_reason *reason)
{
    size_t before = numbers->count;
    for (const char *p = begin;;) {
        while (p < end && is_blank(*p)) p++;
        if (p == end || (*p == '#' && !bi_begins_missing(p, end))) return BOSC_OK;
        double value = 0;
        const char *q = bi_number_read(p, end, &value);
        if (!q || (q < end && !is_blank(*q) && *q != '#' && *q != separator)) {
            const bool any = numbers->count > before;
            q = numbers->keeps_nan ? find_missing(p, end, separator, any) : NULL;
            if (!q) return finish_row(p, end, separator, any, reason);
            value = NAN;
        }
        if (!isfinite(value) && is_needed(needed, count, numbers->count - before)) {
            bosc_status status = bi_value_check(p, q, value, numbers->keeps_nan, reason);
            if (status != BOSC_OK) return status;
        }
        if (!bi_numbers_reserve(numbers, numbers->count + 1)) return bi_numbers_refuse(reason);
        numbers->data[numbers->count++] = value;
        for (p = q; p < end && is_blank(*p);) p++;
        p += p < end && *p == separator;
    }
}

/* ---- fields: in quotes or between separators ---- */

/* Skips blanks; a tab that is the separator is none. */
static const char *skip_blanks(const char *p, const char *end, char separator)
{
    while (p < end && is_blank(*p) && *p != separator) p++;
    return p;
}

/* True if a comment begins at p. In lists of names a `#` may be a part of one, such as C#: there it begins a comment
 * only behind a blank, if blanks separate the names. In numbers it may be a part of 1.#QNAN, or begin #N/A. */
static bool begins_comment(const char *p, struct bi_line line, char separator, bool names)
{
    if (*p != '#') return false;
    if (names) return separator == ' ' && (p == line.begin || is_blank(p[-1]));
    double value;
    const char *behind = p - line.begin > 1 ? bi_number_read(p - 2, line.end, &value) : NULL; /* of 1.#QNAN */
    return !(behind && behind > p) && !bi_begins_missing(p, line.end);
}

/* Returns the position behind the quote that closes the field at p, or NULL. Two quotes in a field mean one. */
static const char *find_closing_quote(const char *p, const char *end, char separator, bool names)
{
    for (p++; p < end; p++) {
        if (*p != '"') continue;
        if (p + 1 == end || p[1] != '"') break;
        p++;
    }
    if (p >= end) return NULL;
    const char *after = skip_blanks(++p, end, separator);
    bool ends = after == end || *after == separator ||
                begins_comment(after, (struct bi_line){p, end}, separator, names) || (separator == ' ' && after > p);
    return ends ? p : NULL;
}

bool bi_field_next(struct bi_line *line, char separator, bool names, struct bi_line *field)
{
    const struct bi_line whole = *line;
    const char *end = line->end, *p = skip_blanks(line->begin, end, separator == '\t' ? '\t' : 0);
    /* 1. Stop if only separators remain. */
    const char *content = p;
    while (content < end && (is_blank(*content) || *content == separator)) content++;
    if (content == end || begins_comment(content, whole, separator, names)) return false;
    /* 2. Find the field without quotes and surrounding blanks. */
    const char *stop = *p == '"' ? find_closing_quote(p, end, separator, names) : NULL;
    field->begin = field->end = p;
    if (stop) {
        field->begin = skip_blanks(p + 1, stop - 1, 0);
        field->end = stop - 1;
        while (field->end > field->begin && is_blank(field->end[-1])) field->end--;
    } else {
        for (; p < end && !begins_comment(p, whole, separator, names) && *p != separator; p++) {
            if (separator == ' ' && *p == '\t') break;
            if (!is_blank(*p)) field->end = p + 1;
        }
        stop = p;
    }
    /* 3. Move the line behind the separator. */
    p = skip_blanks(stop, end, separator == '\t' ? '\t' : 0);
    line->begin = p + (p < end && *p == separator);
    return true;
}

char bi_separator_of(struct bi_line line, bool names)
{
    bool quoted = false, comma = false, tab = false;
    for (const char *p = line.begin; p < line.end; p++) {
        if (!quoted && begins_comment(p, line, ' ', names)) break;
        if (*p == '"') quoted = !quoted;
        if (*p == ';' && !quoted) return ';';
        comma |= *p == ',' && !quoted;
        tab |= *p == '\t' && !quoted;
    }
    return comma ? ',' : tab ? '\t' : ' ';
}

enum word_kind { WORD_NAME, WORD_NUMBER, WORD_EITHER };

/* Returns the kind of a word in what may be a header. EITHER: digits, d, digits, such as 1d2: a number as Fortran
 * writes it, or the name of a column. */
static enum word_kind word_kind_of(const char *begin, const char *end)
{
    double value;
    if (begin == end || bi_number_read(begin, end, &value) != end) return WORD_NAME;
    for (const char *p = begin; p < end; p++)
        if ((*p < '0' || *p > '9') && (*p | 32) != 'd') return WORD_NUMBER;
    for (const char *p = begin; p < end; p++)
        if ((*p | 32) == 'd') return WORD_EITHER;
    return WORD_NUMBER;
}

/* True for the names of columns that have none in pandas: 0, 1, 2, ..., behind an empty name for the rows' numbers. */
static bool are_default_names(struct bi_line line, char separator)
{
    struct bi_line field;
    int64_t number, expected = 0;
    if (separator == ' ' || !bi_field_next(&line, separator, false, &field) || field.begin < field.end) return false;
    while (bi_field_next(&line, separator, false, &field))
        if (!bi_word_count(&field, &number) || number != expected++) return false;
    return expected > 0;
}

/* True for the two slashes that CloudCompare writes before the names of columns. */
static bool begins_with_slashes(const char *p, const char *end) { return end - p > 1 && memcmp(p, "//", 2) == 0; }

/* True if the next row has numbers below at least two names of the line. One name may be that of a row. */
static bool has_numbers_below(struct bi_line line, struct bi_lines lines, char separator)
{
    struct bi_line row, name, field;
    double value;
    int64_t below = 0;
    if (!bi_lines_next_content(&lines, &row)) return false;
    while (bi_field_next(&line, separator, false, &name) && bi_field_next(&row, separator, false, &field))
        below += name.begin < name.end && word_kind_of(name.begin, name.end) == WORD_NAME && field.begin < field.end &&
                 !bi_word_is_missing(&name) && bi_number_read(field.begin, field.end, &value) == field.end;
    return below > 1;
}

bool bi_is_header(struct bi_line line, const struct bi_lines *below, char separator)
{
    struct bi_line remainder = line, field, word;
    int64_t kinds[3] = {0}; /* of fields: how many there are */
    bool numbers = false;   /* as words outside quotes */
    if (are_default_names(line, separator)) return true;
    /* 1. The first character behind fields without names, which are those of index columns. */
    const char *p = skip_blanks(line.begin, line.end, 0);
    while (separator != ' ' && p < line.end && (*p == separator || is_blank(*p))) p++;
    bool letter = p < line.end && (*p | 32) >= 'a' && (*p | 32) <= 'z'; /* of either case */
    bool mark = p < line.end && (*p == '"' || *p == '\'' || *p == '_');
    if (!letter && !mark && !begins_with_slashes(p, line.end)) return false;
    /* 2. The fields. */
    while (bi_field_next(&remainder, separator, false, &field)) {
        const enum word_kind kind = word_kind_of(field.begin, field.end);
        kinds[kind] += field.end > field.begin;
        if (kind == WORD_EITHER && kinds[WORD_NAME] == 0) return false;
        if (kind == WORD_EITHER || (kind == WORD_NAME && field.end < line.end && *field.end == '"'))
            continue; /* quoted: words may be numbers */
        while (bi_line_word(&field, &word)) numbers |= word_kind_of(word.begin, word.end) != WORD_NAME;
    }
    /* 3. The row below decides if numbers are names. */
    if (numbers) return below && has_numbers_below(line, *below, separator);
    return !kinds[WORD_EITHER] || kinds[WORD_NAME] > 1; /* one name may be that of a row */
}

/* ---- fields: chosen columns ---- */

int64_t bi_fields_count(struct bi_line line, char separator, bool names)
{
    struct bi_line field;
    int64_t count = 0;
    while (bi_field_next(&line, separator, names, &field)) count++;
    return count;
}

int64_t bi_index_columns(struct bi_line header, const struct bi_line *row, char separator, bool names, bool quoted,
                         int64_t *unnamed)
{
    struct bi_line remainder = header, field;
    int64_t empty = 0;
    *unnamed = 0;
    while (bi_field_next(&remainder, separator, names, &field) && field.begin == field.end) empty++;
    if (empty > 0 || !row || begins_with_slashes(skip_blanks(header.begin, header.end, separator), header.end))
        return empty;
    const bool is_quoted = *skip_blanks(row->begin, row->end, separator) == '"';
    const bool fits = is_quoted || (!quoted && bi_count_separators(&header, separator) == 0);
    *unnamed = fits && bi_fields_count(*row, separator, names) == bi_fields_count(header, separator, names) + 1;
    return *unnamed;
}

struct bi_line bi_header_names(struct bi_line header, char separator)
{
    header.begin = skip_blanks(header.begin, header.end, separator);
    if (begins_with_slashes(header.begin, header.end)) header.begin += 2;
    return header;
}

/* Returns the number of the header's field with this name; else the only one that differs from it in case; 0: none;
 * -1: several have the name, or differ from it in case. */
static int64_t find_column(const struct bi_line *header, char separator, bool names, struct bi_line name)
{
    struct bi_line remainder = bi_header_names(*header, separator), field;
    const size_t length = (size_t)(name.end - name.begin);
    int64_t same = 0, other = 0, others = 0;
    for (int64_t i = 1; bi_field_next(&remainder, separator, names, &field); i++) {
        if ((size_t)(field.end - field.begin) != length) continue;
        if (memcmp(field.begin, name.begin, length) == 0) {
            if (same) return -1;
            same = i;
            continue;
        }
        if (strncasecmp(field.begin, name.begin, length) != 0) continue;
        other = i;
        others++;
    }
    if (same) return same;
    return others > 1 ? -1 : other;
}

bool bi_columns_choose(const char *list, const struct bi_line *header, char separator, bool names, int64_t unnamed,
                       struct bi_columns *columns, struct bi_reason *reason)
{
    struct bi_line remainder = {list, list + strlen(list)}, name;
    columns->count = 0;
    columns->repeated = false;
    while (bi_field_next(&remainder, ',', false, &name)) {
        /* 1. The column's number. */
        int64_t number = 0;
        bool is_number = bi_word_count(&name, &number);
        if (!is_number && header) number = find_column(header, separator, names, name);
        if (!is_number && number > 0) number += unnamed;
        columns->repeated = number < 0;
        /* 2. Refusals. */
        struct bi_quoted quoted = bi_quote(name.begin, name.end);
        if (number < 1 || columns->count == BI_COLUMNS_MAX) {
            if (number > 0)
                snprintf(reason->text, sizeof reason->text, "more than %d columns are requested", BI_COLUMNS_MAX);
            else if (is_number)
                snprintf(reason->text, sizeof reason->text, "column 0 is requested, but the first is 1");
            else if (number < 0)
                snprintf(reason->text, sizeof reason->text, "several columns are named %s; a number chooses one",
                         quoted.text);
            else
                snprintf(reason->text, sizeof reason->text, header ? "no column is named %s" : "no header names %s",
                         quoted.text);
            return false;
        }
        columns->number[columns->count++] = number;
    }
    if (columns->count == 0) snprintf(reason->text, sizeof reason->text, "no columns are requested");
    return columns->count > 0;
}

/* ---- fields: rows ---- */

int64_t bi_count_separators(const struct bi_line *line, char separator)
{
    int64_t count = 0;
    const char *end = line->begin;
    bool quoted = false;
    if (separator == ' ') return 0;
    for (; end < line->end && (quoted || !begins_comment(end, *line, separator, false)); end++) quoted ^= *end == '"';
    for (; end > line->begin && (is_blank(end[-1]) || end[-1] == separator); end--) count += end[-1] == separator;
    return count;
}

static bosc_status read_field(struct bi_line field, bool keeps_nan, double *to, struct bi_reason *reason)
{
    double value = 0;
    if (keeps_nan && (field.begin == field.end || bi_word_is_missing(&field))) {
        *to = NAN;
        return BOSC_OK;
    }
    if (field.begin == field.end) return refuse_empty(reason);
    if (bi_number_read(field.begin, field.end, &value) != field.end) {
        snprintf(reason->text, sizeof reason->text, "%s is not a number", bi_quote(field.begin, field.end).text);
        return BOSC_ERR_FORMAT;
    }
    *to = value;
    return bi_value_check(field.begin, field.end, value, keeps_nan, reason);
}

/* columns NULL: all fields. After a failure numbers->count may have grown. */
bosc_status bi_fields_read(struct bi_line line, char separator, const struct bi_columns *columns,
                           struct bi_numbers *numbers, struct bi_reason *reason)
{
    struct bi_line field;
    const int64_t empty = numbers->keeps_nan ? bi_count_separators(&line, separator) : 0; /* at the end */
    int64_t fields = 0, stored = 0;
    bosc_status status = BOSC_OK;
    /* 1. Store each field, in all positions of `columns` that name it. */
    while (status == BOSC_OK && bi_field_next(&line, separator, false, &field)) {
        fields++;
        size_t room = (size_t)(columns ? columns->count : fields);
        if (!bi_numbers_reserve(numbers, numbers->count + room)) return bi_numbers_refuse(reason);
        double *row = numbers->data + numbers->count;
        if (!columns) status = read_field(field, numbers->keeps_nan, &row[stored++], reason);
        for (int64_t k = 0; columns && k < columns->count && status == BOSC_OK; k++) {
            if (columns->number[k] != fields) continue;
            status = read_field(field, numbers->keeps_nan, &row[k], reason);
            stored++;
        }
    }
    if (!columns && fields == 0) return refuse_empty(reason); /* only separators */
    /* 2. Refuse chosen columns behind the end of the line. Empty fields there are NaN. */
    for (int64_t k = 0; columns && k < columns->count && status == BOSC_OK; k++) {
        if (columns->number[k] <= fields) continue;
        if (columns->number[k] <= fields + empty) {
            if (!bi_numbers_reserve(numbers, numbers->count + (size_t)columns->count)) return bi_numbers_refuse(reason);
            numbers->data[numbers->count + (size_t)k] = NAN;
            stored++;
            continue;
        }
        snprintf(reason->text, sizeof reason->text, "%lld fields, but column %lld is requested", (long long)fields,
                 (long long)columns->number[k]);
        return BOSC_ERR_FORMAT;
    }
    numbers->count += (size_t)stored;
    return status;
}
