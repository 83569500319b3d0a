/* Reads vertices and faces of .off and .obj files. Source: the Geomview and Wavefront manuals. */
#include <stdio.h>
#include <string.h>

#include "io/file/file.h"
#include "io/mesh/faces.h"
#include "io/mesh/points.h"
#include "io/text/row.h"

/* ---- .off ---- */

/* Accepts "OFF" with prefixes ST (texture), C (colour), N (normal) in any order, whose numbers follow the coordinates.
 * The first count may follow without a blank, as in ModelNet's files: *count becomes its digits, or stays empty.
 * Returns the reason of a failure, or NULL. */
static const char *check_keyword(const struct bi_line *word, struct bi_line *count)
{
    static const char *const prefixes[] = {"ST", "C", "N"};
    const char *p = word->begin, *end = word->end;
    while (end > p && end[-1] >= '0' && end[-1] <= '9') end--;
    *count = (struct bi_line){end, word->end};
    bool off = end - p >= 3 && memcmp(end - 3, "OFF", 3) == 0;
    if (!off) return "no .off file";
    for (size_t i = 0, used = 0; i < 3; i++) { /* each once: the search begins again behind a prefix */
        const size_t length = strlen(prefixes[i]);
        if (used >> i & 1 || (size_t)(end - 3 - p) < length || memcmp(p, prefixes[i], length) != 0) continue;
        used |= (size_t)1 << i;
        p += length;
        i = (size_t)-1;
    }
    return p == end - 3 ? NULL : "only vertices of three coordinates are read (OFF with the prefixes ST, C, N)";
}

/* Reads the keyword and the three counts, which may share a line. Returns the reason of a failure, or NULL. */
static const char *read_counts(struct bi_lines *lines, int64_t *vertices, int64_t *faces)
{
    struct bi_line line, word;
    if (!bi_lines_next_content(lines, &line) || !bi_line_word(&line, &word)) return "no .off file";
    struct bi_line count;
    const char *reason = check_keyword(&word, &count);
    if (reason) return reason;
    bool same_line = count.end > count.begin || bi_line_word(&line, &word);
    if (count.end > count.begin) word = count;
    if (same_line && bi_word_is(&word, "BINARY")) return "binary .off files are not read";
    if (!same_line && (!bi_lines_next_content(lines, &line) || !bi_line_word(&line, &word)))
        return "truncated before the counts";
    int64_t edges = 0;
    if (!bi_word_count(&word, vertices)) return "the number of vertices is malformed";
    if (!bi_line_word(&line, &word) || !bi_word_count(&word, faces)) return "the number of faces is malformed";
    if (bi_line_word(&line, &word) && !bi_word_count(&word, &edges)) return "the number of edges is malformed";
    return bi_line_word(&line, &word) ? "more than three counts" : NULL;
}

/* Reads the numbers of the next line, at least `least`. The first `checked` may not be NaN. */
static bosc_status next_row(struct bi_lines *lines, size_t least, size_t checked, struct bi_numbers *row,
                            struct bi_reason *reason)
{
    struct bi_line line;
    row->count = 0;
    reason->text[0] = 0;
    if (!bi_lines_next_content(lines, &line)) {
        snprintf(reason->text, sizeof reason->text, "truncated");
        return BOSC_ERR_FORMAT;
    }
    bosc_status status = bi_row_read_needed(line.begin, line.end, ' ', bi_row_coordinates, checked, row, reason);
    if (status != BOSC_OK || row->count >= least) return status;
    snprintf(reason->text, sizeof reason->text, "%zu numbers where %zu are needed", row->count, least);
    return BOSC_ERR_FORMAT;
}

/* True for a face: number of corners, the corners, optionally a colour. */
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
                            struct bi_numbers *row, struct bi_numbers *coordinates, struct bi_faces *triangles,
                            bosc_io_error *error)
{
    struct bi_reason reason;
    for (int64_t i = 0; i < vertices; i++) {
        bosc_status status = next_row(lines, 3, 3, row, &reason);
        if (status != BOSC_OK) return bi_fail_at(in, lines->number, status, error, "%s", reason.text);
        memcpy(coordinates->data + coordinates->count, row->data, 3 * sizeof(double));
        coordinates->count += 3;
    }
    for (int64_t i = 0; i < faces; i++) {
        bosc_status status = next_row(lines, 2, 0, row, &reason);
        if (status != BOSC_OK) return bi_fail_at(in, lines->number, status, error, "%s", reason.text);
        if (!is_face(row, vertices))
            return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "no face of the vertices");
        if (triangles && !bi_faces_add(triangles, row->data + 1, (size_t)row->data[0], lines->number))
            return bi_fail_at(in, lines->number, BOSC_ERR_NOMEM, error, "out of memory");
    }
    struct bi_line line;
    if (bi_lines_next_content(lines, &line))
        return bi_fail_at(in, lines->number, BOSC_ERR_FORMAT, error, "text after the faces");
    return BOSC_OK;
}

bosc_status bi_off_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *triangles, bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_numbers row = {.keeps_nan = in->keeps_nan}, coordinates = {0};
    int64_t vertices = 0, faces = 0;
    const char *reason = read_counts(&lines, &vertices, &faces);
    if (reason) return bi_fail_at(in, lines.number, BOSC_ERR_FORMAT, error, "%s", reason);
    if (vertices == 0) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no vertices", in->name);
    if (vertices > (int64_t)(in->size / 6) + 1) /* "0 0 0\n" */
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: truncated: %lld vertices do not fit in %zu bytes", in->name,
                          (long long)vertices, in->size);
    if (!bi_numbers_reserve(&coordinates, (size_t)vertices * 3))
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    bi_lines_report_progress(&lines);
    bosc_status status = read_off(in, &lines, vertices, faces, &row, &coordinates, triangles, error);
    if (status == BOSC_OK) *points = bi_numbers_to_array(&coordinates, vertices, 3);
    bi_numbers_free(&coordinates);
    bi_numbers_free(&row);
    return status;
}

bosc_status bi_off_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_off_read(in, points, NULL, error);
}

/* ---- .obj ---- */

/* State of reading an .obj file. */
struct obj {
    struct bi_numbers coordinates, corners; /* corners: of the current face */
    struct bi_faces *faces;                 /* NULL: faces are skipped */
    bool in_face;                           /* the face continues on the next line, after a backslash */
    double last;                            /* largest vertex number in a face, and its line */
    int64_t last_line;
};

/* Reads the vertex of a corner: "7", "7/8", "7//9", "7/8/9". Numbers count from 1, negative ones from the last vertex
 * backwards. */
static bool read_corner(const struct obj *obj, const struct bi_line *word, double *corner)
{
    struct bi_line digits = {word->begin, word->begin};
    bool backwards = *word->begin == '-';
    double vertices = (double)(obj->coordinates.count / 3);
    int64_t number;
    digits.begin += backwards;
    while (digits.end < word->end && *digits.end != '/') digits.end++;
    if (digits.end <= digits.begin || !bi_word_count(&digits, &number) || number == 0) return false;
    *corner = backwards ? vertices - (double)number : (double)number - 1;
    return *corner >= 0;
}

static bool ends_in_backslash(const struct bi_line *line) { return line->end > line->begin && line->end[-1] == '\\'; }

/* Reads the corners of a line, and adds the face unless the next line continues it. */
static bosc_status read_face(struct obj *obj, struct bi_line line, int64_t number, struct bi_reason *reason)
{
    struct bi_line word;
    bool is_continued = ends_in_backslash(&line);
    if (is_continued) line.end--;
    /* 1. Collect the corners. */
    while (bi_line_word(&line, &word)) {
        double corner;
        if (!bi_numbers_reserve(&obj->corners, obj->corners.count + 1)) return bi_numbers_refuse(reason);
        if (!read_corner(obj, &word, &corner)) {
            snprintf(reason->text, sizeof reason->text, "%s is no corner of a face",
                     bi_quote(word.begin, word.end).text);
            return BOSC_ERR_FORMAT;
        }
        if (corner > obj->last) {
            obj->last = corner;
            obj->last_line = number;
        }
        obj->corners.data[obj->corners.count++] = corner;
    }
    obj->in_face = is_continued;
    if (is_continued) return BOSC_OK;
    /* 2. Add the face. */
    bool added = bi_faces_add(obj->faces, obj->corners.data, obj->corners.count, number);
    obj->corners.count = 0;
    return added ? BOSC_OK : bi_numbers_refuse(reason);
}

/* Reads a line: stores a vertex, and a face unless faces are skipped; ignores other keywords. */
static bosc_status read_obj_line(struct obj *obj, struct bi_line line, int64_t number, struct bi_reason *reason)
{
    struct bi_line word;
    reason->text[0] = 0;
    if (!bi_line_word(&line, &word)) return BOSC_OK;
    char c = (char)(*word.begin | 32);
    if (c < 'a' || c > 'z') {
        snprintf(reason->text, sizeof reason->text, "%s is not a keyword", bi_quote(word.begin, word.end).text);
        return BOSC_ERR_FORMAT;
    }
    if (obj->faces && bi_word_is(&word, "f")) return read_face(obj, line, number, reason);
    if (!bi_word_is(&word, "v")) return BOSC_OK;
    struct bi_numbers *coordinates = &obj->coordinates;
    size_t count_before = coordinates->count;
    bosc_status status = bi_row_read_needed(line.begin, line.end, ' ', bi_row_coordinates, 3, coordinates, reason);
    size_t fields = coordinates->count - count_before;
    if (status != BOSC_OK || (fields >= 3 && fields <= 7)) {
        if (status == BOSC_OK) coordinates->count = count_before + 3; /* a weight or a colour may follow */
        return status;
    }
    snprintf(reason->text, sizeof reason->text, "a vertex of %zu numbers", fields);
    return BOSC_ERR_FORMAT;
}

enum { JOINED_MAX = 1024 }; /* chosen: room for the numbers of a vertex */

/* Joins a line of a vertex with its continuation lines, in `text`. Returns NULL, or the reason of a refusal. */
static const char *join_lines(struct bi_lines *lines, struct bi_line *line, char text[JOINED_MAX])
{
    size_t count = 0;
    for (;;) {
        const bool more = ends_in_backslash(line);
        const size_t length = (size_t)(line->end - line->begin) - more;
        if (count + length + 1 > JOINED_MAX) return "a vertex of more than 1,024 characters"; /* JOINED_MAX */
        memcpy(text + count, line->begin, length);
        count += length;
        text[count++] = ' ';
        if (!more) break;
        if (!bi_lines_next(lines, line)) return "truncated in a vertex";
    }
    *line = (struct bi_line){text, text + count};
    return NULL;
}

static bool is_vertex(struct bi_line line)
{
    struct bi_line word;
    return bi_line_word(&line, &word) && bi_word_is(&word, "v");
}

static bosc_status read_obj(struct obj *obj, struct bi_lines *lines, struct bi_reason *reason)
{
    char text[JOINED_MAX];
    struct bi_line line;
    bosc_status status = BOSC_OK;
    bool continued = false; /* the previous line ended in a backslash */
    while (status == BOSC_OK && bi_lines_next(lines, &line)) {
        const bool joins = !continued && ends_in_backslash(&line) && is_vertex(line);
        const char *refusal = joins ? join_lines(lines, &line, text) : NULL;
        if (refusal) {
            snprintf(reason->text, sizeof reason->text, "%s", refusal);
            return BOSC_ERR_FORMAT;
        }
        if (continued && obj->in_face)
            status = read_face(obj, line, lines->number, reason);
        else if (!continued)
            status = read_obj_line(obj, line, lines->number, reason);
        continued = ends_in_backslash(&line);
    }
    if (status == BOSC_OK && obj->in_face) {
        snprintf(reason->text, sizeof reason->text, "truncated in a face");
        status = BOSC_ERR_FORMAT;
    }
    return status;
}

bosc_status bi_obj_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct obj obj = {.coordinates = {.keeps_nan = in->keeps_nan}, .faces = faces, .last = -1};
    struct bi_reason reason;
    bi_lines_report_progress(&lines);
    bosc_status status = read_obj(&obj, &lines, &reason);
    double vertices = (double)(obj.coordinates.count / 3);
    if (status != BOSC_OK)
        status = bi_fail_at(in, lines.number, status, error, "%s", reason.text);
    else if (obj.coordinates.count == 0)
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no vertices", in->name);
    else if (obj.last >= vertices)
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s:%lld: a face has vertex %.0f, but there are %.0f", in->name,
                            (long long)obj.last_line, obj.last + 1, vertices);
    else
        *points = bi_numbers_to_array(&obj.coordinates, (int64_t)vertices, 3);
    bi_numbers_free(&obj.coordinates);
    bi_numbers_free(&obj.corners);
    return status;
}

bosc_status bi_obj_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_obj_read(in, points, NULL, error);
}
