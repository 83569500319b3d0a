/* The vertices of .off and .obj files. Source: the Geomview and Wavefront manuals. */
#include <stdio.h>
#include <string.h>

#include "io/number.h"

static bosc_status fail_at(const struct bi_bytes *in, const struct bi_lines *lines, const char *reason,
                           bosc_status status, bosc_io_error *error)
{
    return bi_io_fail(error, status, "%s:%lld: %s", in->name, (long long)lines->number, reason);
}

/* ---- .off ---- */

/* "OFF" with any of the prefixes ST (texture), C (colour), N (normal), whose numbers follow the coordinates. */
static const char *check_keyword(const struct bi_line *word)
{
    static const char *const plain[] = {"OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCOFF", "STNOFF", "STCNOFF"};
    size_t length = (size_t)(word->end - word->begin);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (bi_word_is(word, plain[i])) return NULL;
    bool off = length >= 3 && memcmp(word->end - 3, "OFF", 3) == 0;
    return off ? "only vertices of three coordinates are read (OFF with the prefixes ST, C, N)" : "no .off file";
}

/* The keyword and the three counts, which may share a line. */
static const char *read_counts(struct bi_lines *lines, int64_t *vertices, int64_t *faces)
{
    struct bi_line line, word;
    if (!bi_lines_next_content(lines, &line) || !bi_line_word(&line, &word)) return "no .off file";
    const char *reason = check_keyword(&word);
    if (reason) return reason;
    bool more = bi_line_word(&line, &word);
    if (more && bi_word_is(&word, "BINARY")) return "binary .off files are not read";
    if (!more && (!bi_lines_next_content(lines, &line) || !bi_line_word(&line, &word)))
        return "truncated before the counts";
    int64_t edges = 0;
    if (!bi_word_count(&word, vertices)) return "the number of vertices is malformed";
    if (!bi_line_word(&line, &word) || !bi_word_count(&word, faces)) return "the number of faces is malformed";
    if (bi_line_word(&line, &word) && !bi_word_count(&word, &edges)) return "the number of edges is malformed";
    return bi_line_word(&line, &word) ? "more than three counts" : NULL;
}

/* The next line's numbers, at least `least` of them. */
static bosc_status next_row(struct bi_lines *lines, size_t least, struct bi_numbers *row, struct bi_reason *reason)
{
    struct bi_line line;
    row->count = 0;
    reason->text[0] = 0;
    if (!bi_lines_next_content(lines, &line)) {
        snprintf(reason->text, sizeof reason->text, "truncated");
        return BOSC_ERR_FORMAT;
    }
    bosc_status status = bi_row_read(line.begin, line.end, ' ', row, reason);
    if (status != BOSC_OK || row->count >= least) return status;
    snprintf(reason->text, sizeof reason->text, "%zu numbers where %zu are needed", row->count, least);
    return BOSC_ERR_FORMAT;
}

/* A face: its number of corners, the corners, perhaps a colour. */
static bool is_face(const struct bi_numbers *row, int64_t vertices)
{
    double corners = row->data[0];
    if (!(corners >= 1) || corners > (double)(row->count - 1)) return false;
    for (size_t i = 1; i <= (size_t)corners; i++) {
        double v = row->data[i];
        if (!(v >= 0) || v >= (double)vertices || v != (double)(int64_t)v) return false;
    }
    return corners == (double)(int64_t)corners;
}

static bosc_status read_off(const struct bi_bytes *in, struct bi_lines *lines, int64_t vertices, int64_t faces,
                            struct bi_numbers *row, struct bi_numbers *coordinates, bosc_io_error *error)
{
    struct bi_reason reason;
    for (int64_t i = 0; i < vertices; i++) {
        bosc_status status = next_row(lines, 3, row, &reason);
        if (status != BOSC_OK) return fail_at(in, lines, reason.text, status, error);
        memcpy(coordinates->data + coordinates->count, row->data, 3 * sizeof(double));
        coordinates->count += 3;
    }
    for (int64_t i = 0; i < faces; i++) {
        bosc_status status = next_row(lines, 2, row, &reason);
        if (status != BOSC_OK) return fail_at(in, lines, reason.text, status, error);
        if (!is_face(row, vertices)) return fail_at(in, lines, "no face of the vertices", BOSC_ERR_FORMAT, error);
    }
    struct bi_line line;
    if (bi_lines_next_content(lines, &line)) return fail_at(in, lines, "text after the faces", BOSC_ERR_FORMAT, error);
    return BOSC_OK;
}

bosc_status bi_off_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_of(in);
    struct bi_numbers row = {0}, coordinates = {0};
    int64_t vertices = 0, faces = 0;
    const char *reason = read_counts(&lines, &vertices, &faces);
    if (reason) return fail_at(in, &lines, reason, BOSC_ERR_FORMAT, error);
    if (vertices == 0) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no vertices", in->name);
    if (vertices > (int64_t)(in->size / 6) + 1) /* "0 0 0\n" */
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: truncated: %lld vertices do not fit in %zu bytes", in->name,
                          (long long)vertices, in->size);
    if (!bi_numbers_reserve(&coordinates, (size_t)vertices * 3))
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    bosc_status status = read_off(in, &lines, vertices, faces, &row, &coordinates, error);
    if (status == BOSC_OK) *points = bi_numbers_take(&coordinates, vertices, 3);
    bi_numbers_free(&coordinates);
    bi_numbers_free(&row);
    return status;
}

/* ---- .obj ---- */

/* One line: a vertex is kept, anything else that begins with a word is passed over. */
static bosc_status read_obj_line(struct bi_line line, struct bi_numbers *coordinates, struct bi_reason *reason)
{
    struct bi_line word;
    reason->text[0] = 0;
    if (!bi_line_word(&line, &word)) return BOSC_OK;
    char c = (char)(*word.begin | 32);
    if (c < 'a' || c > 'z') {
        snprintf(reason->text, sizeof reason->text, "%s is not a keyword", bi_quote(word.begin, word.end).text);
        return BOSC_ERR_FORMAT;
    }
    if (!bi_word_is(&word, "v")) return BOSC_OK;
    size_t before = coordinates->count;
    bosc_status status = bi_row_read(line.begin, line.end, ' ', coordinates, reason);
    size_t fields = coordinates->count - before;
    if (status != BOSC_OK || (fields >= 3 && fields <= 7)) {
        if (status == BOSC_OK) coordinates->count = before + 3; /* a weight or a colour may follow */
        return status;
    }
    snprintf(reason->text, sizeof reason->text, "a vertex of %zu numbers", fields);
    return BOSC_ERR_FORMAT;
}

bosc_status bi_obj_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_of(in);
    struct bi_numbers coordinates = {0};
    struct bi_reason reason;
    struct bi_line line;
    bosc_status status = BOSC_OK;
    bool continued = false; /* the line before ended in a backslash */
    while (status == BOSC_OK && bi_lines_next(&lines, &line)) {
        if (!continued) status = read_obj_line(line, &coordinates, &reason);
        continued = line.end > line.begin && line.end[-1] == '\\';
    }
    if (status != BOSC_OK)
        status = fail_at(in, &lines, reason.text, status, error);
    else if (coordinates.count == 0)
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no vertices", in->name);
    else
        *points = bi_numbers_take(&coordinates, (int64_t)coordinates.count / 3, 3);
    bi_numbers_free(&coordinates);
    return status;
}
