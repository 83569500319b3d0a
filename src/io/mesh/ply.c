/* Reads vertices and faces of .ply files, ascii and binary of either byte order. Source: Turk, The PLY Polygon File
 * Format (1994). The header declares elements in the order of the body, and their properties; a list is a count and
 * its values. The whole body is parsed, so errors are found anywhere, but only x, y, z of `vertex` and the list
 * vertex_indices of `face` are stored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/mesh/ply.h"
#include "io/mesh/points.h"

static bosc_status fail_line(const struct bi_ply *ply, bosc_status status, const char *reason)
{
    return bi_fail_at(ply->in, ply->lines.number, status, ply->error, "%s", reason);
}

static bosc_status fail_header(const struct bi_ply *ply, const char *reason)
{
    return fail_line(ply, BOSC_ERR_FORMAT, reason);
}

static enum bi_ply_type type_of(const struct bi_line *word)
{
    static const struct {
        const char *name;
        enum bi_ply_type type;
    } names[] = {
        {"char", BI_PLY_INT8},   {"uchar", BI_PLY_UINT8},   {"short", BI_PLY_INT16},     {"ushort", BI_PLY_UINT16},
        {"int", BI_PLY_INT32},   {"uint", BI_PLY_UINT32},   {"float", BI_PLY_FLOAT32},   {"double", BI_PLY_FLOAT64},
        {"int8", BI_PLY_INT8},   {"uint8", BI_PLY_UINT8},   {"int16", BI_PLY_INT16},     {"uint16", BI_PLY_UINT16},
        {"int32", BI_PLY_INT32}, {"uint32", BI_PLY_UINT32}, {"float32", BI_PLY_FLOAT32}, {"float64", BI_PLY_FLOAT64}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (bi_word_is(word, names[i].name)) return names[i].type;
    return BI_PLY_NO_TYPE;
}

size_t bi_ply_size(enum bi_ply_type type)
{
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

/* ---- header ---- */

static bosc_status read_format(struct bi_ply *ply)
{
    struct bi_line line, word;
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    if (!bi_lines_next(&ply->lines, &line) || !bi_line_word(&line, &word) || !bi_word_is(&word, "ply"))
        return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: not a .ply file", ply->in->name);
    ply->carriages = line.end + 1 == ply->lines.next && *line.end == '\r';
    bool found = false; /* a line that is no comment */
    while (!found && bi_lines_next(&ply->lines, &line))
        found = bi_line_word(&line, &word) && !bi_word_is(&word, "comment") && !bi_word_is(&word, "obj_info");
    if (!found || !bi_word_is(&word, "format") || !bi_line_word(&line, &word))
        return fail_header(ply, "the format is not given");
    for (int i = 0; i < 3; i++)
        if (bi_word_is(&word, names[i])) {
            ply->format = (enum bi_ply_format)i;
            if (bi_line_word(&line, &word) && bi_word_is(&word, "1.0")) return BOSC_OK;
            return fail_header(ply, "the version is not 1.0");
        }
    return fail_header(ply, "the format is not one of ascii, binary_little_endian, binary_big_endian");
}

static bosc_status read_element(struct bi_ply *ply, struct bi_line *line)
{
    struct bi_line word;
    if (ply->elements == BI_PLY_ELEMENTS_MAX) return fail_header(ply, "more than 32 elements");
    struct bi_ply_element *e = &ply->element[ply->elements];
    *e = (struct bi_ply_element){.first = ply->properties};
    if (!bi_line_word(line, &word)) return fail_header(ply, "an element without name");
    e->vertex = bi_word_is(&word, "vertex");
    e->face = bi_word_is(&word, "face");
    if (e->vertex && ply->vertex >= 0) return fail_header(ply, "a second element vertex");
    if (e->vertex) ply->vertex = ply->elements;
    if (!bi_line_word(line, &word) || !bi_word_count(&word, &e->count))
        return fail_header(ply, "the number of elements is malformed");
    ply->elements++;
    return BOSC_OK;
}

bosc_status bi_ply_add_property(struct bi_ply *ply, struct bi_ply_property property)
{
    struct bi_ply_element *e = &ply->element[ply->elements - 1];
    if (ply->properties == BI_PLY_PROPERTIES_MAX) return fail_header(ply, "more than 512 properties");
    if (property.axis >= 0 && property.count_type != BI_PLY_NO_TYPE) return fail_header(ply, "x, y or z is a list");
    for (int i = e->first; property.axis >= 0 && i < ply->properties; i++)
        if (ply->property[i].axis == property.axis) return fail_header(ply, "x, y or z is given twice");
    e->bytes += bi_ply_size(property.type);
    e->properties++;
    ply->property[ply->properties++] = property;
    return BOSC_OK;
}

/* Parses a line of the header behind the word "property", and adds it to the last element. e->bytes is meaningless once
 * the element has a list. */
static bosc_status read_property(struct bi_ply *ply, struct bi_line *line)
{
    struct bi_line word;
    if (ply->elements == 0) return fail_header(ply, "a property before any element");
    struct bi_ply_element *e = &ply->element[ply->elements - 1];
    struct bi_ply_property p = {.axis = -1};
    /* 1. The type, or "list" with two types. */
    if (!bi_line_word(line, &word)) return fail_header(ply, "a property without type");
    if (bi_word_is(&word, "list")) {
        if (!bi_line_word(line, &word)) return fail_header(ply, "a list without types");
        p.count_type = type_of(&word);
        if (p.count_type == BI_PLY_NO_TYPE || p.count_type >= BI_PLY_FLOAT32)
            return fail_header(ply, "the count of a list is of no integer type");
        if (!bi_line_word(line, &word)) return fail_header(ply, "a list without type");
        e->list = true;
    }
    p.type = type_of(&word);
    if (p.type == BI_PLY_NO_TYPE) return fail_header(ply, "a property of unknown type");
    /* 2. The name: coordinates of vertices and corners of faces are stored. */
    if (!bi_line_word(line, &word)) return fail_header(ply, "a property without name");
    for (int axis = 0; e->vertex && axis < 3; axis++)
        if (word.end - word.begin == 1 && (*word.begin | 32) == "xyz"[axis]) p.axis = axis;
    p.corners = e->face && p.count_type != BI_PLY_NO_TYPE && p.type < BI_PLY_FLOAT32 &&
                (bi_word_is(&word, "vertex_indices") || bi_word_is(&word, "vertex_index"));
    return bi_ply_add_property(ply, p);
}

static bosc_status read_header(struct bi_ply *ply)
{
    struct bi_line line, word;
    bosc_status status = read_format(ply);
    while (status == BOSC_OK) {
        if (!bi_lines_next(&ply->lines, &line)) return fail_header(ply, "truncated in the header");
        if (!bi_line_word(&line, &word) || bi_word_is(&word, "comment") || bi_word_is(&word, "obj_info")) continue;
        if (bi_word_is(&word, "end_header")) {
            /* An LF behind the CR of such a header is the first byte of the body. */
            if (ply->carriages && ply->lines.next > word.end + 1) ply->lines.next = line.end + 1;
            break;
        }
        if (bi_word_is(&word, "element"))
            status = read_element(ply, &line);
        else if (bi_word_is(&word, "property"))
            status = read_property(ply, &line);
        else
            status = fail_header(ply, "a line of the header is not one of comment, element, property, end_header");
    }
    return status == BOSC_OK ? bi_ply_check_vertices(ply) : status;
}

bosc_status bi_ply_check_vertices(const struct bi_ply *ply)
{
    if (ply->vertex < 0 || ply->element[ply->vertex].count == 0)
        return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: no vertices", ply->in->name);
    const struct bi_ply_element *e = &ply->element[ply->vertex];
    int axes = 0;
    for (int i = e->first; i < e->first + e->properties; i++)
        if (ply->property[i].axis >= 0) axes |= 1 << ply->property[i].axis;
    return axes == 7 /* all three bits */ ? BOSC_OK : fail_header(ply, "vertex lacks x, y or z");
}

/* ---- binary body ---- */

/* Reads a value of either byte order. The machine is little-endian; the text holds the whole value. */
double bi_ply_value(const char *p, enum bi_ply_type type, enum bi_ply_format format)
{
    unsigned char b[8] = {0};
    size_t size = bi_ply_size(type);
    for (size_t i = 0; i < size; i++) b[i] = (unsigned char)p[format == BI_PLY_BIG ? size - 1 - i : i];
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f32;
        double f64;
    } v;
    memcpy(&v, b, size);
    switch (type) {
    case BI_PLY_INT8: return v.i8;
    case BI_PLY_UINT8: return v.u8;
    case BI_PLY_INT16: return v.i16;
    case BI_PLY_UINT16: return v.u16;
    case BI_PLY_INT32: return v.i32;
    case BI_PLY_UINT32: return v.u32;
    case BI_PLY_FLOAT32: return v.f32;
    case BI_PLY_FLOAT64: return v.f64;
    case BI_PLY_NO_TYPE: break; /* unreached: such properties are refused */
    }
    return 0; /* unreached: likewise */
}

/* Returns the size of the element at p, with its lists; 0 if it exceeds the text or is malformed. */
static size_t measure_element(const struct bi_ply *ply, const struct bi_ply_element *e, const char *p, const char *end)
{
    const char *q = p;
    for (int i = e->first; i < e->first + e->properties; i++) {
        const struct bi_ply_property *property = &ply->property[i];
        double count = 1;
        if (property->count_type != BI_PLY_NO_TYPE) {
            if ((size_t)(end - q) < bi_ply_size(property->count_type)) return 0;
            count = bi_ply_value(q, property->count_type, ply->format);
            q += bi_ply_size(property->count_type);
            if (count < 0) return 0;
        }
        if ((double)(end - q) < count * (double)bi_ply_size(property->type)) return 0;
        q += (size_t)count * bi_ply_size(property->type);
    }
    return (size_t)(q - p);
}

/* Stores x, y, z of the vertex at p. */
static void store_vertex(struct bi_ply *ply, const struct bi_ply_element *e, const char *p)
{
    double *to = ply->coordinates.data + ply->coordinates.count;
    for (int i = e->first; i < e->first + e->properties; i++) {
        const struct bi_ply_property *property = &ply->property[i];
        if (property->axis >= 0) to[property->axis] = bi_ply_value(p, property->type, ply->format);
        if (property->count_type != BI_PLY_NO_TYPE) {
            p += (size_t)bi_ply_value(p, property->count_type, ply->format) * bi_ply_size(property->type);
            p += bi_ply_size(property->count_type);
        } else {
            p += bi_ply_size(property->type);
        }
    }
    ply->coordinates.count += 3;
}

/* Adds a face, given by vertex numbers. number: its line, or its number in a binary file. */
static bosc_status store_face(struct bi_ply *ply, const double *corners, size_t count, int64_t number,
                              const char **reason)
{
    double vertices = (double)ply->element[ply->vertex].count;
    *reason = "a face has a vertex that there is not";
    for (size_t k = 0; k < count; k++)
        if (!(corners[k] >= 0) || corners[k] >= vertices || corners[k] != (double)(int64_t)corners[k])
            return BOSC_ERR_FORMAT;
    *reason = "out of memory";
    return bi_faces_add(ply->faces, corners, count, number) ? BOSC_OK : BOSC_ERR_NOMEM;
}

/* Adds the face at p. */
static bosc_status read_corners(struct bi_ply *ply, const struct bi_ply_element *e, const char *p, int64_t number,
                                const char **reason)
{
    for (int i = e->first; i < e->first + e->properties; i++) {
        const struct bi_ply_property *property = &ply->property[i];
        size_t count = 1, size = bi_ply_size(property->type);
        if (property->count_type != BI_PLY_NO_TYPE) {
            count = (size_t)bi_ply_value(p, property->count_type, ply->format);
            p += bi_ply_size(property->count_type);
        }
        if (property->corners) {
            *reason = "out of memory";
            if (!bi_numbers_reserve(&ply->corners, count)) return BOSC_ERR_NOMEM;
            for (size_t k = 0; k < count; k++)
                ply->corners.data[k] = bi_ply_value(p + k * size, property->type, ply->format);
            bosc_status status = store_face(ply, ply->corners.data, count, number, reason);
            if (status != BOSC_OK) return status;
        }
        p += count * size;
    }
    return BOSC_OK;
}

/* Reads the elements behind the header. ply->faces NULL: faces are measured, but not stored. */
static bosc_status read_binary(struct bi_ply *ply)
{
    const char *p = ply->lines.next, *end = ply->lines.end, *begin = p;
    bi_io_phase(0.9, (double)(end - p));
    if (ply->faces) ply->faces->binary = true;
    for (int i = 0; i < ply->elements; i++) {
        const struct bi_ply_element *e = &ply->element[i];
        bool fixed = !e->list;
        if (e->properties == 0) continue;
        /* 1. Elements of fixed size: check that they fit; skip all but vertices. */
        if (fixed && e->count > (int64_t)((size_t)(end - p) / e->bytes))
            return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: truncated", ply->in->name);
        if (fixed && !e->vertex) {
            p += (size_t)e->count * e->bytes;
            continue;
        }
        /* 2. Others one by one. */
        for (int64_t row = 0; row < e->count; row++) {
            if (row % BI_IO_REPORT_ROWS == 0 && !bi_io_set_done((double)(p - begin))) return BOSC_ERR_CANCELLED;
            size_t bytes = fixed ? e->bytes : measure_element(ply, e, p, end);
            if (bytes == 0)
                return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: truncated, or a list's count is wrong",
                                  ply->in->name);
            const char *reason = "";
            bosc_status status = e->face && ply->faces ? read_corners(ply, e, p, row, &reason) : BOSC_OK;
            if (status != BOSC_OK)
                return bi_io_fail(ply->error, status, "%s: face %lld: %s", ply->in->name, (long long)row, reason);
            if (e->vertex) store_vertex(ply, e, p);
            p += bytes;
        }
    }
    return BOSC_OK; /* bytes that follow belong to no element */
}

/* ---- ascii body ---- */

/* Stores an element, which is a line of numbers; sets the reason if they do not match the properties. */
static bosc_status store_row(struct bi_ply *ply, const struct bi_ply_element *e, const struct bi_numbers *row,
                             const char **reason)
{
    static const char wrong[] = "the numbers are not those of the element's properties";
    size_t at = 0;
    *reason = wrong;
    for (int i = e->first; i < e->first + e->properties; i++) {
        const struct bi_ply_property *property = &ply->property[i];
        if (at == row->count) return BOSC_ERR_FORMAT;
        if (property->axis >= 0) ply->coordinates.data[ply->coordinates.count + (size_t)property->axis] = row->data[at];
        if (property->count_type == BI_PLY_NO_TYPE) {
            at++;
            continue;
        }
        double count = row->data[at++];
        if (!(count >= 0) || count > (double)(row->count - at) || count != (double)(int64_t)count)
            return BOSC_ERR_FORMAT;
        if (property->corners && ply->faces) {
            bosc_status status = store_face(ply, row->data + at, (size_t)count, ply->lines.number, reason);
            if (status != BOSC_OK) return status;
            *reason = wrong;
        }
        at += (size_t)count;
    }
    if (e->vertex) ply->coordinates.count += 3;
    return at == row->count ? BOSC_OK : BOSC_ERR_FORMAT;
}

static bosc_status read_rows(struct bi_ply *ply, const struct bi_ply_element *e, struct bi_numbers *row)
{
    struct bi_line line;
    struct bi_reason reason;
    bool needed[BI_PLY_PROPERTIES_MAX]; /* coordinates; store_face checks corners */
    for (int k = 0; k < e->properties; k++) needed[k] = ply->property[e->first + k].axis >= 0;
    const bool all = e->vertex && e->list; /* the positions of coordinates vary */
    for (int64_t i = 0; i < e->count; i++) {
        row->count = 0;
        if (!bi_lines_next_content(&ply->lines, &line))
            return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: truncated", ply->in->name);
        bosc_status status =
            bi_row_read_needed(line.begin, line.end, ' ', all ? NULL : needed, (size_t)e->properties, row, &reason);
        if (status != BOSC_OK) return fail_line(ply, status, reason.text);
        const char *wrong;
        status = store_row(ply, e, row, &wrong);
        if (status != BOSC_OK) return fail_line(ply, status, wrong);
    }
    return BOSC_OK;
}

static bosc_status read_ascii(struct bi_ply *ply)
{
    struct bi_numbers row = {.keeps_nan = ply->in->keeps_nan};
    struct bi_line line;
    bosc_status status = BOSC_OK;
    bi_lines_report_progress(&ply->lines);
    for (int i = 0; i < ply->elements && status == BOSC_OK; i++)
        if (ply->element[i].properties) status = read_rows(ply, &ply->element[i], &row);
    bi_numbers_free(&row);
    if (status == BOSC_OK && bi_lines_next_content(&ply->lines, &line))
        return fail_line(ply, BOSC_ERR_FORMAT, "text after the elements");
    return status;
}

bosc_status bi_ply_read_body(struct bi_ply *ply)
{
    const struct bi_ply_element *e = &ply->element[ply->vertex];
    size_t bytes_left = (size_t)(ply->lines.end - ply->lines.next);
    /* Check that the vertices fit in the file before allocating. A number takes two bytes of text, with its
     * separator. */
    size_t least = ply->format == BI_PLY_ASCII ? 2 * (size_t)e->properties : 1;
    if (!e->list && ply->format != BI_PLY_ASCII) least = e->bytes;
    if ((uint64_t)e->count > bytes_left / least + 1)
        return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: truncated: %lld vertices do not fit in %zu bytes",
                          ply->in->name, (long long)e->count, bytes_left);
    if (!bi_numbers_reserve(&ply->coordinates, (size_t)e->count * 3))
        return bi_io_fail(ply->error, BOSC_ERR_NOMEM, "%s: out of memory", ply->in->name);
    return ply->format == BI_PLY_ASCII ? read_ascii(ply) : read_binary(ply);
}

struct bi_ply *bi_ply_new(const struct bi_bytes *in, bosc_io_error *error)
{
    struct bi_ply *ply = bi_io_alloc(sizeof *ply);
    if (!ply) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name), NULL;
    memset(ply, 0, sizeof *ply);
    ply->in = in;
    ply->error = error;
    ply->lines = bi_lines_begin(in);
    ply->vertex = -1;
    return ply;
}

bosc_status bi_ply_end(struct bi_ply *ply, bosc_status status, bosc_array *points)
{
    bosc_array array = {0};
    if (status == BOSC_OK) {
        array = bi_numbers_to_array(&ply->coordinates, ply->element[ply->vertex].count, 3);
        status = bi_refuse_nan(ply->in, &array, 0, ply->error);
    }
    if (status == BOSC_OK)
        *points = array;
    else
        bosc_array_free(&array);
    bi_numbers_free(&ply->coordinates);
    bi_numbers_free(&ply->corners);
    free(ply);
    return status;
}

bosc_status bi_ply_read(const struct bi_bytes *in, bosc_array *points, struct bi_faces *faces, bosc_io_error *error)
{
    struct bi_ply *ply = bi_ply_new(in, error);
    if (!ply) return BOSC_ERR_NOMEM;
    ply->faces = faces;
    bosc_status status = read_header(ply);
    if (status == BOSC_OK) status = bi_ply_read_body(ply);
    return bi_ply_end(ply, status, points);
}

bosc_status bi_ply_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_ply_read(in, points, NULL, error);
}
