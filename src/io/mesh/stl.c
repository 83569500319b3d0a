/* Reads meshes of .stl files, ascii and binary. Source: 3D Systems, StereoLithography Interface Specification (1988).
 * Every triangle has its own vertices. Normals are skipped, since the corners determine them. */
#include <string.h>

#include "io/file/file.h"
#include "io/mesh/faces.h"
#include "io/text/row.h"

enum { HEADER = 84, FACET = 50, NORMAL = 12, CORNERS = 36 }; /* bytes, in the format */

/* Returns the number of facets in the header. */
static uint32_t count_facets(const struct bi_bytes *in)
{
    uint32_t facets = 0;
    memcpy(&facets, in->data + HEADER - sizeof facets, sizeof facets);
    return facets;
}

bool bi_stl_is_binary(const struct bi_bytes *in)
{
    if (in->size < HEADER) return false;
    const uint64_t facets = count_facets(in), size = HEADER + facets * FACET;
    /* Bytes may follow the facets of a file that is no text. */
    return in->size == size || (in->size > size && facets > 0 && memchr(in->data, 0, HEADER) != NULL);
}

/* Adds the triangle of the last three vertices. */
static bool add_triangle(const struct bi_numbers *coordinates, struct bi_faces *faces)
{
    double first = (double)(coordinates->count / 3) - 3, corners[3] = {first, first + 1, first + 2};
    return !faces || bi_faces_add(faces, corners, 3, 0);
}

static bosc_status read_binary(const struct bi_bytes *in, struct bi_numbers *coordinates, struct bi_faces *faces,
                               bosc_io_error *error)
{
    uint32_t facets = count_facets(in);
    if (!bi_numbers_reserve(coordinates, (size_t)facets * 9))
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    bi_io_phase(0.9, facets);
    for (uint32_t i = 0; i < facets; i++) {
        if (i % BI_IO_REPORT_ROWS == 0 && !bi_io_set_done(i)) return BOSC_ERR_CANCELLED;
        float corners[9];
        memcpy(corners, in->data + HEADER + (size_t)i * FACET + NORMAL, CORNERS);
        for (int k = 0; k < 9; k++) {
            if (corners[k] != corners[k])
                return bi_io_fail(error, BOSC_ERR_DATA, "%s: triangle %u: NaN", in->name, (unsigned)i);
            coordinates->data[coordinates->count++] = (double)corners[k];
        }
        if (!add_triangle(coordinates, faces)) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    }
    return BOSC_OK;
}

/* True if the next line begins with this word; *line becomes the remainder. */
static bool expect(struct bi_lines *lines, const char *text, struct bi_line *line)
{
    struct bi_line word;
    return bi_lines_next_content(lines, line) && bi_line_word(line, &word) && bi_word_is_any_case(&word, text);
}

/* Reads a facet behind its first word. */
static bosc_status read_facet(struct bi_lines *lines, struct bi_numbers *coordinates, struct bi_reason *reason)
{
    static const char none[] = "no facet: outer loop, three vertices, endloop, endfacet";
    struct bi_line line;
    bosc_status status = BOSC_OK;
    memcpy(reason->text, none, sizeof none);
    if (!expect(lines, "outer", &line)) return BOSC_ERR_FORMAT;
    for (int k = 0; k < 3; k++) {
        size_t before = coordinates->count;
        if (!expect(lines, "vertex", &line)) return BOSC_ERR_FORMAT;
        status = bi_row_read(line.begin, line.end, ' ', coordinates, reason);
        if (status != BOSC_OK) return status;
        if (coordinates->count != before + 3) return BOSC_ERR_FORMAT;
    }
    return expect(lines, "endloop", &line) && expect(lines, "endfacet", &line) ? BOSC_OK : BOSC_ERR_FORMAT;
}

/* Reads all solids. */
static bosc_status read_solids(struct bi_lines *lines, struct bi_numbers *coordinates, struct bi_faces *faces,
                               struct bi_reason *reason)
{
    static const char none[] = "none of solid, facet, endsolid where one is needed", open[] = "truncated: no endsolid";
    struct bi_line line, word;
    bosc_status status = BOSC_OK;
    bool inside = false;
    while (status == BOSC_OK && bi_lines_next_content(lines, &line)) {
        memcpy(reason->text, none, sizeof none);
        if (!bi_line_word(&line, &word)) return BOSC_ERR_FORMAT;
        if (inside && bi_word_is_any_case(&word, "facet")) {
            status = read_facet(lines, coordinates, reason);
            if (status == BOSC_OK && !add_triangle(coordinates, faces)) status = bi_numbers_refuse(reason);
        } else if (bi_word_is_any_case(&word, inside ? "endsolid" : "solid")) {
            inside = !inside;
        } else {
            return BOSC_ERR_FORMAT;
        }
    }
    if (status != BOSC_OK || !inside) return status;
    memcpy(reason->text, open, sizeof open);
    return BOSC_ERR_FORMAT;
}

bosc_status bi_stl_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_numbers coordinates = {0};
    struct bi_line line, word;
    struct bi_reason reason;
    bosc_status status = BOSC_ERR_FORMAT;
    struct bi_lines ahead = lines;
    if (bi_stl_is_binary(in))
        status = read_binary(in, &coordinates, faces, error);
    else if (!bi_lines_next_content(&ahead, &line) || !bi_line_word(&line, &word) ||
             !bi_word_is_any_case(&word, "solid"))
        bi_io_fail(error, status, "%s: neither a text that begins with solid nor a binary .stl of %zu bytes", in->name,
                   in->size);
    else if (bi_lines_report_progress(&lines), (status = read_solids(&lines, &coordinates, faces, &reason)) != BOSC_OK)
        bi_fail_at(in, lines.number, status, error, "%s", reason.text);
    if (status == BOSC_OK && coordinates.count == 0)
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no vertices", in->name);
    if (status == BOSC_OK) *points = bi_numbers_to_array(&coordinates, (int64_t)coordinates.count / 3, 3);
    bi_numbers_free(&coordinates);
    return status;
}
