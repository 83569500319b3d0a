/* Reads the points of .pcd files, ascii, binary and binary_compressed. Sources: The PCD (Point Cloud Data) file format,
 * pointclouds.org; PCL's reader, for what that page leaves open; LZF, liblzf's lzf_d.c. The header becomes one element
 * of a .ply, a property for each number of a field, so that the bodies are read by ply.c. Only x, y, z are stored. */
#include <stdlib.h>
#include <string.h>

#include "io/mesh/ply.h"
#include "io/mesh/points.h"

enum { FIELDS_MAX = 256 };

/* Bytes that 3 bytes of LZF, the longest copy, unpack to at most, divided by 3. */
enum { LZF_MAX_RATIO = 264 / 3 };

struct field {
    int axis;     /* 0, 1, 2 for x, y, z; else -1 */
    bool padding; /* `_`, which compressed bodies lack */
    char type;    /* I, U or F */
    int64_t size, count;
};

struct header {
    struct bi_ply *ply;
    struct field field[FIELDS_MAX];
    int fields;
    int64_t width, height, points; /* points: -1: not given */
    bool compressed;
};

#define REFUSE(h, ...) bi_fail_at((h)->ply->in, (h)->ply->lines.number, BOSC_ERR_FORMAT, (h)->ply->error, __VA_ARGS__)

/* ---- header ---- */

static bosc_status read_names(struct header *h, struct bi_line *line)
{
    struct bi_line word;
    if (h->fields) return REFUSE(h, "FIELDS is given twice");
    while (bi_line_word(line, &word)) {
        if (h->fields == FIELDS_MAX) return REFUSE(h, "more than 256 fields");
        struct field *field = &h->field[h->fields++];
        *field = (struct field){.axis = -1, .padding = bi_word_is(&word, "_"), .count = 1};
        if (word.end - word.begin == 1 && *word.begin >= 'x' && *word.begin <= 'z') field->axis = *word.begin - 'x';
    }
    return BOSC_OK;
}

/* Reads the sizes, types or counts of the fields. name: that of the line. */
static bosc_status read_values(struct header *h, const char *name, struct bi_line *line)
{
    struct bi_line word;
    for (int i = 0; i < h->fields; i++) {
        struct field *field = &h->field[i];
        if (!bi_line_word(line, &word)) return REFUSE(h, "%s has %d values, FIELDS %d", name, i, h->fields);
        if (*name == 'T') field->type = word.end - word.begin == 1 ? *word.begin : '\0';
        if (*name == 'S' && !bi_word_count(&word, &field->size)) field->size = 0;
        if (*name == 'C' && (!bi_word_count(&word, &field->count) || field->count == 0))
            return REFUSE(h, "%s is no count of a field", bi_quote(word.begin, word.end).text);
    }
    return bi_line_word(line, &word) ? REFUSE(h, "%s has more values than FIELDS", name) : BOSC_OK;
}

static bosc_status read_count(struct header *h, const char *name, struct bi_line *line, int64_t *count)
{
    struct bi_line word;
    if (!bi_line_word(line, &word) || !bi_word_count(&word, count)) return REFUSE(h, "%s is malformed", name);
    return BOSC_OK;
}

static bosc_status read_data(struct header *h, struct bi_line *line)
{
    struct bi_line word;
    if (!bi_line_word(line, &word)) word = (struct bi_line){line->end, line->end};
    h->compressed = bi_word_is(&word, "binary_compressed");
    h->ply->format = bi_word_is(&word, "ascii") ? BI_PLY_ASCII : BI_PLY_LITTLE;
    if (h->ply->format == BI_PLY_ASCII || h->compressed || bi_word_is(&word, "binary")) return BOSC_OK;
    return REFUSE(h, "DATA is not one of ascii, binary, binary_compressed");
}

/* Reads the lines to DATA. Their order is free, but FIELDS is before SIZE, TYPE and COUNT. Old versions say COLUMNS,
 * and have no HEIGHT or COUNT. */
static bosc_status read_header(struct header *h)
{
    struct bi_line line, word;
    bosc_status status = BOSC_OK;
    bool data = false, known = false;
    while (status == BOSC_OK && !data) {
        if (!bi_lines_next_content(&h->ply->lines, &line)) return REFUSE(h, "truncated in the header");
        (void)bi_line_word(&line, &word); /* a line with content has a word */
        if (bi_word_is(&word, "FIELDS") || bi_word_is(&word, "COLUMNS"))
            status = read_names(h, &line);
        else if (bi_word_is(&word, "SIZE"))
            status = read_values(h, "SIZE", &line);
        else if (bi_word_is(&word, "TYPE"))
            status = read_values(h, "TYPE", &line);
        else if (bi_word_is(&word, "COUNT"))
            status = read_values(h, "COUNT", &line);
        else if (bi_word_is(&word, "WIDTH"))
            status = read_count(h, "WIDTH", &line, &h->width);
        else if (bi_word_is(&word, "HEIGHT"))
            status = read_count(h, "HEIGHT", &line, &h->height);
        else if (bi_word_is(&word, "POINTS"))
            status = read_count(h, "POINTS", &line, &h->points);
        else if ((data = bi_word_is(&word, "DATA")))
            status = read_data(h, &line);
        else if (!bi_word_is(&word, "VERSION") && !bi_word_is(&word, "VIEWPOINT"))
            return known ? REFUSE(h, "%s is no line of a header", bi_quote(word.begin, word.end).text)
                         : bi_io_fail(h->ply->error, BOSC_ERR_FORMAT, "%s: not a .pcd file", h->ply->in->name);
        known = true;
    }
    return status;
}

/* ---- properties ---- */

/* Returns the type of a field's numbers. A .ply has no integers of 8 bytes: skipped ones count as floats of 8 bytes. */
static enum bi_ply_type type_of(const struct field *field)
{
    const int64_t size = field->size;
    const bool is_unsigned = field->type == 'U';
    if (field->type == 'F') return size == 4 ? BI_PLY_FLOAT32 : size == 8 ? BI_PLY_FLOAT64 : BI_PLY_NO_TYPE;
    if (field->type != 'I' && !is_unsigned) return BI_PLY_NO_TYPE;
    if (size == 1) return is_unsigned ? BI_PLY_UINT8 : BI_PLY_INT8;
    if (size == 2) return is_unsigned ? BI_PLY_UINT16 : BI_PLY_INT16;
    if (size == 4) return is_unsigned ? BI_PLY_UINT32 : BI_PLY_INT32;
    return size == 8 && field->axis < 0 ? BI_PLY_FLOAT64 : BI_PLY_NO_TYPE;
}

/* Makes the element of the points and its properties. */
static bosc_status add_properties(struct header *h)
{
    struct bi_ply *ply = h->ply;
    int64_t points = 0;
    if (__builtin_mul_overflow(h->width, h->height, &points) || (h->points >= 0 && points != h->points))
        return REFUSE(h, "POINTS is not WIDTH times HEIGHT");
    ply->vertex = 0;
    ply->elements = 1;
    ply->element[0] = (struct bi_ply_element){.vertex = true, .count = points};
    bosc_status status = BOSC_OK;
    for (int i = 0; i < h->fields; i++) {
        const struct field *field = &h->field[i];
        const enum bi_ply_type type = type_of(field);
        if (type == BI_PLY_NO_TYPE)
            return REFUSE(h, "field %d is of an unknown type; coordinates are I or U of 1, 2, 4 bytes, F of 4, 8",
                          i + 1);
        for (int64_t k = h->compressed && field->padding ? field->count : 0; k < field->count && !status; k++)
            status = bi_ply_add_property(ply, (struct bi_ply_property){.type = type, .axis = field->axis});
    }
    return status == BOSC_OK ? bi_ply_check_vertices(ply) : status;
}

/* ---- compressed body ---- */

/* Unpacks LZF; false: malformed, or not `count` bytes. A control byte below 32 begins control + 1 bytes to copy as they
 * are; another holds the length, less 2, in 3 bits (7: plus a byte), and a distance back of 13 bits, less 1. */
static bool unpack_lzf(const unsigned char *p, size_t packed, unsigned char *to, size_t count)
{
    const unsigned char *end = p + packed;
    size_t at = 0;
    while (p < end) {
        const size_t control = *p++;
        size_t length = control + 1, distance = 0;
        if (control >= 32) {
            length = control >> 5;
            if ((size_t)(end - p) < 1 + (size_t)(length == 7)) return false;
            if (length == 7) length += *p++;
            length += 2;
            distance = ((control & 31) << 8) + *p++ + 1;
        }
        if (length > count - at || distance > at || (!distance && length > (size_t)(end - p))) return false;
        for (size_t i = 0; i < length; i++, at++) to[at] = distance ? to[at - distance] : *p++; /* may overlap */
        if (at / BI_IO_REPORT_BYTES != (at - length) / BI_IO_REPORT_BYTES && !bi_io_set_done((double)at)) return false;
    }
    return at == count;
}

/* Stores the coordinates of an unpacked body, which has all numbers of a property one after another. */
static bosc_status store_columns(struct bi_ply *ply, const char *body)
{
    const struct bi_ply_element *e = &ply->element[0];
    for (int i = 0; i < e->properties; i++) {
        const struct bi_ply_property *property = &ply->property[i];
        const size_t size = bi_ply_size(property->type);
        for (int64_t row = 0; property->axis >= 0 && row < e->count; row++) {
            if (row % BI_IO_REPORT_ROWS == 0 && !bi_io_advance(row ? BI_IO_REPORT_ROWS : 0)) return BOSC_ERR_CANCELLED;
            ply->coordinates.data[3 * row + property->axis] =
                bi_ply_value(body + (size_t)row * size, property->type, BI_PLY_LITTLE);
        }
        body += (size_t)e->count * size;
    }
    return BOSC_OK;
}

static bosc_status read_compressed(struct bi_ply *ply)
{
    const struct bi_ply_element *e = &ply->element[0];
    const char *p = ply->lines.next, *name = ply->in->name;
    const size_t left = (size_t)(ply->lines.end - p);
    uint32_t sizes[2] = {0}; /* of the packed and the unpacked body */
    /* 1. Check the sizes before allocating. */
    if (left >= sizeof sizes) memcpy(sizes, p, sizeof sizes);
    if (left < sizeof sizes || sizes[0] > left - sizeof sizes)
        return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: truncated", name);
    if ((uint64_t)e->count > sizes[1] / e->bytes || (uint64_t)e->count * e->bytes != sizes[1])
        return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: %lld points of %zu bytes are not the %u bytes that it has",
                          name, (long long)e->count, e->bytes, (unsigned)sizes[1]);
    if (sizes[1] / LZF_MAX_RATIO > sizes[0])
        return bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: the compressed data is malformed", name);
    /* 2. Unpack, and store. */
    unsigned char *body = bi_io_alloc(sizes[1]);
    bosc_status status = BOSC_OK;
    if (!body || !bi_numbers_reserve(&ply->coordinates, 3 * (size_t)e->count))
        status = bi_io_fail(ply->error, BOSC_ERR_NOMEM, "%s: out of memory", name);
    bi_io_phase(0.5, sizes[1]);
    if (status == BOSC_OK && !unpack_lzf((const unsigned char *)p + sizeof sizes, sizes[0], body, sizes[1]))
        status = bi_io_fail(ply->error, BOSC_ERR_FORMAT, "%s: the compressed data is malformed", name);
    bi_io_phase(0.9, 3 * (double)e->count);
    if (status == BOSC_OK) status = store_columns(ply, (const char *)body);
    if (status == BOSC_OK) ply->coordinates.count = 3 * (size_t)e->count;
    free(body);
    return status;
}

bosc_status bi_pcd_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    struct header *h = bi_io_alloc(sizeof *h);
    if (!h) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    memset(h, 0, sizeof *h);
    h->height = 1;
    h->points = -1;
    struct bi_ply *ply = h->ply = bi_ply_new(in, error);
    bosc_status status = ply ? read_header(h) : BOSC_ERR_NOMEM;
    if (status == BOSC_OK) status = add_properties(h);
    if (status == BOSC_OK) status = h->compressed ? read_compressed(ply) : bi_ply_read_body(ply);
    free(h);
    return ply ? bi_ply_end(ply, status, points) : status;
}
