/* Parses heights of .pgm, .hgt and .npy files. Sources: Poskanzer, pgm(5); NASA, SRTM Topography (the format of
 * .hgt). */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/npy/npy.h"
#include "io/raster/heights.h"
#include "io/raster/projection.h"

/* ---- .pgm ---- */

enum { WINDOW = 1 << 16 }; /* bytes read at once. Less: more system calls; as the sink's buffer; not measured */

/* The text between p and end. The bytes that follow in a backing file are read a window at a time. */
struct pgm {
    const struct bi_bytes *in;
    const char *p, *end;
    size_t at;    /* offset of `end` in the file */
    int64_t line; /* of p, from 1 */
    char last;    /* the last byte skipped */
    char *window; /* the current window, or NULL */
    int number;   /* errno of a failed read, or 0 */
};

/* Reads the next window; false at the end or on failure. */
static bool refill(struct pgm *pgm)
{
    const size_t left = bi_bytes_total(pgm->in) - pgm->at, count = left < WINDOW ? left : WINDOW;
    if (count == 0 || pgm->number) return false;
    if (!pgm->window) pgm->window = bi_io_alloc(WINDOW);
    pgm->number = pgm->window ? bi_bytes_copy(pgm->in, pgm->at, pgm->window, count) : ENOMEM;
    if (pgm->number) return false;
    pgm->p = pgm->window;
    pgm->end = pgm->window + count;
    pgm->at += count;
    return true;
}

/* True unless the text ends at p. */
static bool has_more(struct pgm *pgm) { return pgm->p < pgm->end || refill(pgm); }

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Skips blanks, and comments from # to the end of the line. */
static void skip_space(struct pgm *pgm)
{
    for (bool comment = false; has_more(pgm); pgm->last = *pgm->p++) {
        if (*pgm->p == '\n' || *pgm->p == '\r') { /* CR LF is one end */
            pgm->line += *pgm->p == '\r' || pgm->last != '\r';
            comment = false;
        } else if (*pgm->p == '#') {
            comment = true;
        } else if (!comment && !is_space(*pgm->p)) {
            pgm->last = 0;
            return;
        }
    }
}

/* Reads the next number; false if there is none, or one above `most`. */
static bool read_number(struct pgm *pgm, int64_t most, int64_t *value)
{
    int64_t digits = 0;
    skip_space(pgm);
    for (*value = 0; has_more(pgm) && *pgm->p >= '0' && *pgm->p <= '9' && *value <= most; pgm->p++, digits++)
        *value = *value * 10 + (*pgm->p - '0');
    bool ends = !has_more(pgm) || is_space(*pgm->p) || *pgm->p == '#';
    return digits > 0 && *value <= most && ends;
}

static bosc_status fail_pgm(const struct pgm *pgm, const char *reason, bosc_io_error *error)
{
    if (pgm->number) return bi_bytes_fail(pgm->in, pgm->number, error);
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s:%lld: %s", pgm->in->name, (long long)pgm->line, reason);
}

/* Reads binary samples, in memory. */
static bosc_status read_p5(const struct bi_bytes *in, const struct bi_pgm_head *head, bosc_heights *h,
                           bosc_io_error *error)
{
    int64_t bytes = head->most > 255 ? 2 : 1;
    const unsigned char *from = (const unsigned char *)in->data + head->at;
    for (int64_t i = 0; i < h->width * h->height; i++) {
        int64_t x = bytes == 2 ? from[2 * i] << 8 | from[2 * i + 1] : from[i];
        if (x > head->most)
            return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: row %lld: %lld is more than the maximum, %lld", in->name,
                              (long long)(i / h->width), (long long)x, (long long)head->most);
        h->data[i] = (float)x;
    }
    return BOSC_OK;
}

/* Reads samples written as text. */
static bosc_status read_p2(struct pgm *pgm, int64_t most, const struct bi_heights_rows *rows, bosc_io_error *error)
{
    const bosc_heights *h = rows->heights;
    bi_io_phase(0.9, (double)h->width * (double)h->height);
    for (int64_t y = 0; y < h->height; y++) {
        float *row = bi_heights_row(rows, y);
        for (int64_t x = 0; x < h->width; x++) {
            const int64_t i = y * h->width + x;
            int64_t z;
            if (i % BI_IO_REPORT_NUMBERS == 0 && !bi_io_set_done((double)i)) return BOSC_ERR_CANCELLED;
            skip_space(pgm);
            if (!has_more(pgm)) return fail_pgm(pgm, "truncated", error);
            if (!read_number(pgm, most, &z)) return fail_pgm(pgm, "no number from 0 to the maximum", error);
            row[x] = (float)z;
        }
        bosc_status status = bi_heights_row_end(rows, pgm->in->name, y, error);
        if (status != BOSC_OK) return status;
    }
    skip_space(pgm);
    return has_more(pgm) || pgm->number ? fail_pgm(pgm, "text after the picture", error) : BOSC_OK;
}

static bosc_status read_header(struct pgm *pgm, struct bi_pgm_head *head, bosc_io_error *error)
{
    const struct bi_bytes *in = pgm->in;
    head->text = bi_bytes_begin(in, "P2", 2);
    if (!head->text && !bi_bytes_begin(in, "P5", 2))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a .pgm file (P2 or P5)", in->name);
    pgm->p += 2;
    if (!read_number(pgm, INT32_MAX, &head->width)) return fail_pgm(pgm, "the width is malformed", error);
    if (!read_number(pgm, INT32_MAX, &head->height)) return fail_pgm(pgm, "the height is malformed", error);
    if (!read_number(pgm, 65535, &head->most) || head->most < 1)
        return fail_pgm(pgm, "the maximum is not a number from 1 to 65535", error);
    pgm->p += !head->text && has_more(pgm); /* one blank, which read_number has checked */
    head->at = (int64_t)(pgm->at - (size_t)(pgm->end - pgm->p));
    /* Least size of a sample. Text: a digit and a blank; the blank behind the header makes up for the last one. */
    const int64_t each = head->text || head->most > 255 ? 2 : 1, left = (int64_t)bi_bytes_total(in) - head->at;
    bosc_status status = bi_heights_fit(in, head->width, head->height, each, (uint64_t)left, error);
    if (status != BOSC_OK || head->text || left == head->width * head->height * each) return status;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %lld bytes follow the picture", in->name,
                      (long long)(left - head->width * head->height * each));
}

static struct pgm begin_pgm(const struct bi_bytes *in)
{
    return (struct pgm){.in = in, .p = in->data, .end = in->data + in->size, .at = in->size, .line = 1};
}

bosc_status bi_heights_pgm_head(const struct bi_bytes *in, struct bi_pgm_head *head, bosc_io_error *error)
{
    struct pgm pgm = begin_pgm(in);
    bosc_status status = read_header(&pgm, head, error);
    free(pgm.window);
    return status;
}

bosc_status bi_heights_pgm(const struct bi_bytes *in, struct bi_heights_rows *rows, bosc_io_error *error)
{
    struct pgm pgm = begin_pgm(in);
    struct bi_pgm_head head;
    bosc_status status = read_header(&pgm, &head, error);
    if (status == BOSC_OK) status = bi_heights_rows_begin(rows, in->name, head.width, head.height, error);
    if (status == BOSC_OK)
        status = head.text ? read_p2(&pgm, head.most, rows, error) : read_p5(in, &head, rows->heights, error);
    free(pgm.window);
    return status;
}

/* ---- .hgt ---- */

/* Reads the south-west corner of the degree that a file such as .../N45E006.hgt covers: its latitude, NaN for other
 * names, and its longitude, NaN if the name does not give it. */
static void read_corner(const char *path, double *latitude, double *longitude)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const bool south = name[0] == 'S' || name[0] == 's', north = name[0] == 'N' || name[0] == 'n';
    *latitude = *longitude = NAN;
    if (!(south || north) || !isdigit((unsigned char)name[1]) || !isdigit((unsigned char)name[2])) return;
    if (!name[3] || !strchr("EWew", name[3])) return;
    const int degrees = (name[1] - '0') * 10 + name[2] - '0';
    /* N89 is the northernmost degree, S90 the southernmost. */
    if (degrees > (south ? 90 : 89)) return;
    *latitude = south ? -degrees : degrees;
    const char *digits = name + 4;
    if (!isdigit((unsigned char)digits[0]) || !isdigit((unsigned char)digits[1]) || !isdigit((unsigned char)digits[2]))
        return;
    const int east = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + digits[2] - '0';
    if (east <= 180) *longitude = strchr("Ww", name[3]) ? -east : east;
}

void bi_heights_hgt_place(const char *path, bosc_heights *h)
{
    double latitude, longitude;
    read_corner(path, &latitude, &longitude);
    /* The outermost samples lie on the borders of the degree. */
    const double cell_x = 1 / (double)(h->width - 1), cell_y = 1 / (double)(h->height - 1);
    h->degrees = 1;
    h->latitude = latitude + 0.5;
    h->source = BOSC_HEIGHTS_OWN_SPACING;
    if (isnan(latitude)) {
        h->latitude = 0;
        h->assumed = BOSC_HEIGHTS_ASSUMED_LATITUDE;
    } else if (!isnan(longitude)) {
        h->edges[0] = longitude - cell_x / 2;
        h->edges[1] = latitude - cell_y / 2;
        h->edges[2] = longitude + 1 + cell_x / 2;
        h->edges[3] = latitude + 1 + cell_y / 2;
        snprintf(h->crs, sizeof h->crs, "EPSG:%d", BI_EPSG_WGS84);
    }
    h->spacing_y = BI_METRES_A_DEGREE / (double)(h->height - 1);
    h->spacing = BI_METRES_A_DEGREE / (double)(h->width - 1) * bi_heights_shrink(h->latitude);
}

/* Shapes other than squares: tiles north of 50 degrees have every other column. Neither has as many samples as a square
 * or as the other one, so the size of a file gives its shape. */
static const struct {
    int64_t width, height;
} hgt_shapes[] = {{601, 1201}, {1801, 3601}};

enum { HGT_SHAPES = sizeof hgt_shapes / sizeof hgt_shapes[0] };

bool bi_hgt_has_shape(int64_t width, int64_t height)
{
    bool found = width == height && width >= 2;
    for (int i = 0; i < HGT_SHAPES; i++) found |= width == hgt_shapes[i].width && height == hgt_shapes[i].height;
    return found;
}

bosc_status bi_heights_hgt_size(const struct bi_bytes *in, int64_t *width, int64_t *height, bosc_io_error *error)
{
    const size_t bytes = bi_bytes_total(in);
    const int64_t count = (int64_t)(bytes / 2);
    /* 1. A square, or else one of the other shapes. */
    int64_t side = (int64_t)sqrt((double)count);
    while (side * side > count) --side; /* the root may be rounded */
    while ((side + 1) * (side + 1) <= count) ++side;
    *width = *height = side;
    for (int i = 0; i < HGT_SHAPES; i++)
        if (hgt_shapes[i].width * hgt_shapes[i].height == count)
            *width = hgt_shapes[i].width, *height = hgt_shapes[i].height;
    /* 2. Check that it is the shape. */
    if (bytes % 2 == 0 && *width * *height == count && bi_hgt_has_shape(*width, *height)) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %zu bytes of 16-bit samples are not " BI_HGT_SHAPES, in->name,
                      bytes);
}

bosc_status bi_heights_hgt(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error)
{
    const unsigned char *from = (const unsigned char *)in->data;
    int64_t width, height;
    bosc_status status = bi_heights_hgt_size(in, &width, &height, error);
    if (status == BOSC_OK) status = bi_heights_new(in->name, width, height, heights, error);
    if (status != BOSC_OK) return status;
    bi_heights_hgt_place(in->name, heights);
    for (int64_t i = 0; i < width * height; i++) {
        int16_t x = (int16_t)(from[2 * i] << 8 | from[2 * i + 1]);
        heights->data[i] = x == BI_HGT_NONE ? NAN : (float)x;
    }
    return BOSC_OK;
}

/* ---- .npy ---- */

bosc_status bi_heights_npy_open(const struct bi_bytes *in, struct bi_npy *npy, bosc_io_error *error)
{
    const bosc_status status = bi_npy_open(in, npy, error);
    if (status != BOSC_OK || npy->rank == 2) return status;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: heights have two dimensions, but this array has %d", in->name,
                      npy->rank);
}

bosc_status bi_heights_npy(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error)
{
    struct bi_npy npy;
    bosc_status status = bi_heights_npy_open(in, &npy, error);
    if (status != BOSC_OK) return status;
    status = bi_heights_fit(in, npy.shape[1], npy.shape[0], npy.width, npy.bytes, error);
    if (status == BOSC_OK) status = bi_heights_new(in->name, npy.shape[1], npy.shape[0], heights, error);
    bosc_array array = {0};
    if (status == BOSC_OK && !bi_npy_is_plain(&npy)) status = bi_npy_parse(in, &array, error);
    if (status != BOSC_OK) return status;
    struct bi_sample_type type = {npy.kind, (int)bosc_dtype_size(npy.dtype)};
    bi_samples_read(type, array.data ? array.data : in->data + npy.at, npy.shape[0] * npy.shape[1], heights->data);
    bosc_array_free(&array);
    return BOSC_OK;
}
