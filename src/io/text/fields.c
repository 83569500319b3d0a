/* Reads fields of rows: quoted fields, and columns chosen by name or number. */
#include <stdio.h>
#include <string.h>

#include "io/text/fields.h"
#include "io/text/number.h"
#include "io/text/row.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static const char *skip_blanks(const char *p, const char *end, char separator)
{
    while (p < end && is_blank(*p) && *p != separator) p++;
    return p;
}

/* Returns the position behind the quote that closes the field at p, or NULL. Two quotes in a field mean one. */
static const char *find_closing_quote(const char *p, const char *end, char separator)
{
    for (p++; p < end; p++) {
        if (*p != '"') continue;
        if (p + 1 == end || p[1] != '"') break;
        p++;
    }
    if (p >= end) return NULL;
    const char *after = skip_blanks(++p, end, separator);
    bool ends = after == end || *after == separator || *after == '#' || (separator == ' ' && after > p);
    return ends ? p : NULL;
}

bool bi_field_next(struct bi_line *line, char separator, struct bi_line *field)
{
    const char *end = line->end, *p = skip_blanks(line->begin, end, separator == '\t' ? '\t' : 0);
    /* 1. Stop if only separators remain. */
    const char *content = p;
    while (content < end && (is_blank(*content) || *content == separator)) content++;
    if (content == end || *content == '#') return false;
    /* 2. Find the field without quotes and surrounding blanks. */
    const char *stop = *p == '"' ? find_closing_quote(p, end, separator) : NULL;
    field->begin = field->end = p;
    if (stop) {
        field->begin = skip_blanks(p + 1, stop - 1, 0);
        field->end = stop - 1;
        while (field->end > field->begin && is_blank(field->end[-1])) field->end--;
    } else {
        for (; p < end && *p != '#' && *p != separator && !(separator == ' ' && *p == '\t'); p++)
            if (!is_blank(*p)) field->end = p + 1;
        stop = p;
    }
    /* 3. Move the line behind the separator. */
    p = skip_blanks(stop, end, separator == '\t' ? '\t' : 0);
    line->begin = p + (p < end && *p == separator);
    return true;
}

char bi_separator_of(struct bi_line line)
{
    bool quoted = false, comma = false, tab = false;
    for (const char *p = line.begin; p < line.end && (quoted || *p != '#'); p++) {
        if (*p == '"') quoted = !quoted;
        if (*p == ';' && !quoted) return ';';
        comma |= *p == ',' && !quoted;
        tab |= *p == '\t' && !quoted;
    }
    return comma ? ',' : tab ? '\t' : ' ';
}

bool bi_is_header(struct bi_line line, char separator)
{
    struct bi_line field, word;
    double value;
    const char *p = skip_blanks(line.begin, line.end, 0);
    bool slashes = line.end - p > 1 && p[0] == '/' && p[1] == '/';
    bool letter = p < line.end && (*p | 32) >= 'a' && (*p | 32) <= 'z';
    bool mark = p < line.end && (*p == '"' || *p == '\'' || *p == '_');
    if (!slashes && !letter && !mark) return false;
    while (bi_field_next(&line, separator, &field)) {
        if (bi_number_read(field.begin, field.end, &value) == field.end && field.end > field.begin) return false;
        if (field.end < line.end && *field.end == '"') continue; /* quoted: words may be numbers */
        while (bi_line_word(&field, &word))
            if (bi_number_read(word.begin, word.end, &value) == word.end) return false;
    }
    return true;
}

/* ---- columns ---- */

/* Returns the number of the header's field with this name; 0: none. */
static int64_t find_column(const struct bi_line *header, char separator, struct bi_line name)
{
    struct bi_line remainder = *header, field;
    size_t length = (size_t)(name.end - name.begin);
    for (int64_t i = 1; bi_field_next(&remainder, separator, &field); i++)
        if ((size_t)(field.end - field.begin) == length && memcmp(field.begin, name.begin, length) == 0) return i;
    return 0;
}

bool bi_columns_choose(const char *list, const struct bi_line *header, char separator, struct bi_columns *columns,
                       struct bi_reason *reason)
{
    struct bi_line remainder = {list, list + strlen(list)}, name;
    columns->count = 0;
    while (bi_field_next(&remainder, ',', &name)) {
        int64_t number = 0;
        bool is_number = bi_word_count(&name, &number);
        if (!is_number && header) number = find_column(header, separator, name);
        struct bi_quoted quoted = bi_quote(name.begin, name.end);
        if (number < 1 || columns->count == BI_COLUMNS_MAX) {
            if (number > 0)
                snprintf(reason->text, sizeof reason->text, "more than %d columns are asked for", BI_COLUMNS_MAX);
            else if (is_number)
                snprintf(reason->text, sizeof reason->text, "column 0 is asked for, but the first is 1");
            else
                snprintf(reason->text, sizeof reason->text, header ? "no column is named %s" : "no header names %s",
                         quoted.text);
            return false;
        }
        columns->number[columns->count++] = number;
    }
    if (columns->count == 0) snprintf(reason->text, sizeof reason->text, "no columns are asked for");
    return columns->count > 0;
}

/* ---- rows ---- */

static bosc_status refuse_empty(struct bi_reason *reason)
{
    snprintf(reason->text, sizeof reason->text, "a field is empty");
    return BOSC_ERR_FORMAT;
}

static bosc_status read_field(struct bi_line field, double *to, struct bi_reason *reason)
{
    double value = 0;
    if (field.begin == field.end) return refuse_empty(reason);
    if (bi_number_read(field.begin, field.end, &value) != field.end) {
        snprintf(reason->text, sizeof reason->text, "%s is not a number", bi_quote(field.begin, field.end).text);
        return BOSC_ERR_FORMAT;
    }
    *to = value;
    return bi_value_check(field.begin, field.end, value, reason);
}

bosc_status bi_fields_read(struct bi_line line, char separator, const struct bi_columns *columns,
                           struct bi_numbers *numbers, struct bi_reason *reason)
{
    struct bi_line field;
    int64_t fields = 0, stored = 0;
    bosc_status status = BOSC_OK;
    /* 1. Store each field, in all positions of `columns` that name it. */
    while (status == BOSC_OK && bi_field_next(&line, separator, &field)) {
        fields++;
        size_t room = (size_t)(columns ? columns->count : fields);
        if (!bi_numbers_reserve(numbers, numbers->count + room)) return bi_numbers_refuse(reason);
        double *row = numbers->data + numbers->count;
        if (!columns) status = read_field(field, &row[stored++], reason);
        for (int64_t k = 0; columns && k < columns->count && status == BOSC_OK; k++) {
            if (columns->number[k] != fields) continue;
            status = read_field(field, &row[k], reason);
            stored++;
        }
    }
    if (!columns && fields == 0) return refuse_empty(reason); /* only separators */
    /* 2. Refuse chosen columns behind the end of the line. */
    for (int64_t k = 0; columns && k < columns->count && status == BOSC_OK; k++) {
        if (columns->number[k] <= fields) continue;
        snprintf(reason->text, sizeof reason->text, "%lld fields, but column %lld is asked for", (long long)fields,
                 (long long)columns->number[k]);
        return BOSC_ERR_FORMAT;
    }
    numbers->count += (size_t)stored;
    return status;
}
