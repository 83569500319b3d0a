/* Reads lines, words and rows of numbers. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/row.h"
#include "io/file/bytes.h"
#include "io/text/number.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool bi_numbers_reserve(struct bi_numbers *numbers, size_t capacity)
{
    if (capacity <= numbers->capacity) return true;
    size_t grown = numbers->capacity + numbers->capacity / 2;
    if (capacity < grown) capacity = grown;
    if (capacity < 256) capacity = 256; /* chosen */
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

bosc_status bi_numbers_refuse(struct bi_reason *reason)
{
    snprintf(reason->text, sizeof reason->text, "out of memory");
    return BOSC_ERR_NOMEM;
}

bosc_status bi_value_check(const char *p, const char *end, double value, struct bi_reason *reason)
{
    if (isnan(value)) {
        snprintf(reason->text, sizeof reason->text, "NaN");
        return BOSC_ERR_DATA;
    }
    if (bi_number_is_beyond(p, value)) {
        snprintf(reason->text, sizeof reason->text, "%s is beyond the range of f8", bi_quote(p, end).text);
        return BOSC_ERR_DATA;
    }
    return BOSC_OK;
}

/* Called if no number begins at p. Succeeds at the end of a row with numbers, which only separators may follow. */
static bosc_status finish_row(const char *p, const char *end, char separator, bool any, struct bi_reason *reason)
{
    /* 1. The end of the row. */
    const char *stop_at = p;
    while (stop_at < end && (is_blank(*stop_at) || *stop_at == separator)) stop_at++;
    if (any && (stop_at == end || *stop_at == '#')) return BOSC_OK;
    /* 2. The reason of the failure. */
    if (*p == separator) {
        snprintf(reason->text, sizeof reason->text, "a field is empty");
        return BOSC_ERR_FORMAT;
    }
    for (stop_at = p; stop_at < end && !is_blank(*stop_at) && *stop_at != separator;) stop_at++;
    snprintf(reason->text, sizeof reason->text, "%s is not a number", bi_quote(p, stop_at).text);
    return BOSC_ERR_FORMAT;
}

bosc_status bi_row_read(const char *begin, const char *end, char separator, struct bi_numbers *numbers,
                        struct bi_reason *reason)
{
    size_t before = numbers->count;
    for (const char *p = begin;;) {
        while (p < end && is_blank(*p)) p++;
        if (p == end || *p == '#') return BOSC_OK;
        double value = 0;
        const char *q = bi_number_read(p, end, &value);
        if (!q || (q < end && !is_blank(*q) && *q != '#' && *q != separator))
            return finish_row(p, end, separator, numbers->count > before, reason);
        if (!isfinite(value)) {
            bosc_status status = bi_value_check(p, q, value, reason);
            if (status != BOSC_OK) return status;
        }
        if (!bi_numbers_reserve(numbers, numbers->count + 1)) return bi_numbers_refuse(reason);
        numbers->data[numbers->count++] = value;
        for (p = q; p < end && is_blank(*p);) p++;
        p += p < end && *p == separator;
    }
}

struct bi_lines bi_lines_begin(const struct bi_bytes *in)
{
    static const char mark[] = "\xef\xbb\xbf";
    bool marked = in->size >= sizeof mark - 1 && memcmp(in->data, mark, sizeof mark - 1) == 0;
    const char *begin = in->data + (marked ? sizeof mark - 1 : 0), *end = in->data + in->size;
    while (in->backing && end > begin && end[-1] != '\n') end--;
    return (struct bi_lines){.next = begin, .end = end, .backing = in->backing};
}

enum { PROGRESS_INTERVAL = 1 << 10 }; /* lines between two progress reports; chosen */

void bi_lines_report_progress(struct bi_lines *lines)
{
    lines->progress_begin = lines->next;
    bi_io_phase(0.9, (double)(lines->end - lines->next));
}

bool bi_lines_next(struct bi_lines *lines, struct bi_line *line)
{
    if (lines->next == lines->end) {
        if (lines->backing) lines->backing->whole_needed = true;
        return false;
    }
    const char *stop = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
    line->begin = lines->next;
    line->end = stop ? stop : lines->end;
    lines->next = stop ? stop + 1 : lines->end;
    lines->number++;
    if (lines->progress_begin && lines->number % PROGRESS_INTERVAL == 0 &&
        !bi_io_set_done((double)(lines->next - lines->progress_begin)))
        lines->next = lines->end;
    if (line->end > line->begin && line->end[-1] == '\r') line->end--;
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
