/* Reads heights of PNGs and writes pictures, by libpng, which reports errors by longjmp. Source of terrain-RGB: Mapbox,
 * Terrain-RGB; of terrarium: Mapzen, Terrain Tiles. */
#include "io/raster/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/raster/heights.h"

/* ---- reading heights ---- */

/* A picture being read. Local variables could be lost by a longjmp, so all state is here. */
struct reading {
    const struct bi_bytes *in;
    bosc_io_error *error;
    const bosc_heights_opts *opts;
    png_structp png;
    png_infop info;
    jmp_buf back;
    size_t at;  /* number of bytes read */
    int number; /* errno of a failed read, or 0 */
    bool no_memory;
    struct bi_reason reason; /* from libpng */
    png_uint_32 width, height;
    int depth, colour, channels, passes;
    size_t row_bytes;
    unsigned char *rows; /* all rows of an interlaced picture, else one */
    struct bi_heights_rows *to;
    bosc_status status;
};

static png_voidp allocate_memory(png_structp png, png_alloc_size_t bytes)
{
    struct reading *r = png_get_mem_ptr(png);
    void *memory = bi_io_alloc(bytes);
    if (!memory) r->no_memory = true;
    return memory;
}

static void free_memory(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void jump_on_error(png_structp png, png_const_charp text)
{
    struct reading *r = png_get_error_ptr(png);
    snprintf(r->reason.text, sizeof r->reason.text, "%s", text);
    longjmp(r->back, 1);
}

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void read_bytes(png_structp png, png_bytep to, size_t count)
{
    struct reading *r = png_get_io_ptr(png);
    r->number = bi_bytes_total(r->in) - r->at < count ? 0 : bi_bytes_copy(r->in, r->at, to, count);
    if (r->number || bi_bytes_total(r->in) - r->at < count) png_error(png, "truncated");
    r->at += count;
}

static bosc_status fail(const struct reading *r, const char *reason)
{
    return bi_io_fail(r->error, BOSC_ERR_FORMAT, "%s: %s", r->in->name, reason);
}

static bosc_status check_colour(const struct reading *r)
{
    const int32_t band = r->opts->band;
    bool grey = r->colour == PNG_COLOR_TYPE_GRAY;
    bool rgb = r->colour == PNG_COLOR_TYPE_RGB || r->colour == PNG_COLOR_TYPE_RGB_ALPHA;
    /* 1. Encodings. */
    if (r->opts->encoding != BOSC_HEIGHTS_PLAIN && (!rgb || r->depth != 8))
        return bi_io_fail(r->error, BOSC_ERR_FORMAT, "%s: %s needs a picture of 8-bit RGB, with or without alpha",
                          r->in->name, bi_heights_encoding_name(r->opts->encoding));
    if (r->opts->encoding != BOSC_HEIGHTS_PLAIN) return BOSC_OK;
    /* 2. One band. */
    if (r->colour == PNG_COLOR_TYPE_PALETTE) return fail(r, "a picture with a palette; heights are grey");
    if (band > r->channels) return bi_heights_fail_band(r->in->name, band, r->channels, r->error);
    if (rgb && !band)
        return fail(r, "an RGB picture; heights are grey, unless the encoding is terrain-RGB or terrarium "
                       "(--encoding), or a band is chosen (--band)");
    if (!grey && !band) return fail(r, "grey with alpha; save it without, or choose band 1");
    if (r->depth < 8) return fail(r, "grey of less than 8 bits; heights have 8 or 16");
    return BOSC_OK;
}

/* Reads the header. False if libpng failed. */
static bool read_header(struct reading *r)
{
    int interlace = 0;
    if (setjmp(r->back)) return false;
    png_read_info(r->png, r->info);
    png_get_IHDR(r->png, r->info, &r->width, &r->height, &r->depth, &r->colour, &interlace, NULL, NULL);
    r->passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    r->row_bytes = png_get_rowbytes(r->png, r->info);
    r->channels = png_get_channels(r->png, r->info);
    return true;
}

static void convert_row(const struct reading *r, const unsigned char *from, float *to)
{
    const bosc_heights_encoding encoding = r->opts->encoding;
    const size_t bytes = (size_t)(r->depth / 8), step = (size_t)r->channels * bytes;
    if (r->opts->band) from += (size_t)(r->opts->band - 1) * bytes;
    for (png_uint_32 x = 0; x < r->width; x++) {
        const unsigned char *p = from + (size_t)x * step;
        if (encoding == BOSC_HEIGHTS_TERRAIN_RGB) /* tenths are exact, so the division rounds once */
            to[x] = (float)((double)(-100000 + (p[0] * 65536 + p[1] * 256 + p[2])) / 10);
        else if (encoding == BOSC_HEIGHTS_TERRARIUM) /* 24 bits: exact */
            to[x] = (float)(p[0] * 65536 + p[1] * 256 + p[2] - (32768 << 8)) / 256;
        else
            to[x] = (float)(bytes == 2 ? p[0] << 8 | p[1] : p[0]);
    }
}

static bosc_status finish_row(const struct reading *r, const unsigned char *from, png_uint_32 y)
{
    convert_row(r, from, bi_heights_row(r->to, y));
    return bi_heights_row_end(r->to, r->in->name, y, r->error);
}

/* Reads the rows, of an interlaced picture in several passes. False if libpng failed, or with r->status. */
static bool read_rows(struct reading *r)
{
    if (setjmp(r->back)) return false;
    bi_io_phase(0.9, (double)r->passes * r->height);
    for (int pass = 0; pass < r->passes; pass++)
        for (png_uint_32 y = 0; y < r->height; y++) {
            unsigned char *row = r->rows + (r->passes > 1 ? y * r->row_bytes : 0);
            png_read_row(r->png, row, NULL);
            if (!bi_io_advance(1)) png_error(r->png, "cancelled");
            if (pass == r->passes - 1) r->status = finish_row(r, row, y);
            if (r->status != BOSC_OK) return false;
        }
    png_read_end(r->png, NULL);
    return true;
}

enum { MOST_DEFLATE = 1032 }; /* largest ratio of deflate */
/* Limits for ignored chunks: bytes, number. At most 1 MB in all, where libpng's own limits are 8 MB and 1,000. */
enum { MOST_CHUNK = 1 << 16, MOST_TEXTS = 16 };

static bosc_status read_picture(struct reading *r)
{
    if (!read_header(r)) return r->no_memory ? BOSC_ERR_NOMEM : BOSC_ERR_FORMAT;
    /* 1. Check that the picture holds heights and fits in the file, before memory is allocated for it. */
    bosc_status status = check_colour(r);
    uint64_t most = (uint64_t)bi_bytes_total(r->in) * MOST_DEFLATE;
    if (status == BOSC_OK) status = bi_heights_fit(r->in, (int64_t)r->row_bytes, r->height, 1, most, r->error);
    if (status == BOSC_OK && r->passes > 1 && r->to->fd >= 0)
        status = fail(r, "an interlaced PNG, of which no parts can be read");
    if (status == BOSC_OK) status = bi_heights_rows_begin(r->to, r->in->name, r->width, r->height, r->error);
    if (status != BOSC_OK) return status;
    /* 2. Read the rows. */
    r->rows = bi_io_alloc(r->row_bytes * (r->passes > 1 ? r->height : 1));
    r->no_memory = !r->rows;
    if (!r->rows) return BOSC_ERR_NOMEM;
    if (read_rows(r)) return BOSC_OK;
    return r->status != BOSC_OK ? r->status : r->no_memory ? BOSC_ERR_NOMEM : BOSC_ERR_FORMAT;
}

bosc_status bi_heights_png(const struct bi_bytes *in, const bosc_heights_opts *opts, struct bi_heights_rows *rows,
                           bosc_io_error *error)
{
    struct reading r = {.in = in, .error = error, .opts = opts, .to = rows};
    if (!bi_bytes_begin(in, "\x89PNG\r\n\x1a\n", 8)) return fail(&r, "not a PNG");
    r.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r, jump_on_error, ignore_warning, &r, allocate_memory,
                                     free_memory);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    bosc_status status = BOSC_ERR_NOMEM;
    /* 1. Read. */
    r.no_memory = !r.info;
    if (r.info) {
        png_set_read_fn(r.png, &r, read_bytes);
        png_set_chunk_malloc_max(r.png, MOST_CHUNK);
        png_set_chunk_cache_max(r.png, MOST_TEXTS);
        status = read_picture(&r);
    }
    /* 2. Report the first cause: memory, the file, or libpng. */
    if (r.no_memory)
        status = bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    else if (r.number)
        status = bi_bytes_fail(in, r.number, error);
    else if (r.reason.text[0])
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged PNG: %s", in->name, r.reason.text);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    free(r.rows);
    return status;
}

/* ---- writing pictures ---- */

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    if (bi_sink_write(png_get_io_ptr(png), bytes, count)) png_error(png, "write");
}

static png_voidp allocate_for_writing(png_structp png, png_alloc_size_t bytes)
{
    (void)png;
    return bi_io_alloc(bytes);
}

static void ignore_flush(png_structp png) { (void)png; } /* unreached: libpng requires it, but does not call it */

static void jump_back(png_structp png, png_const_charp text)
{
    (void)text;
    longjmp(*(jmp_buf *)png_get_error_ptr(png), 1);
}

struct picture {
    const void *rows;
    size_t row_bytes;
    int32_t width, height;
    int depth, colour;
};

/* Writes the picture. False if memory ran out or the sink failed. */
static bool encode(struct bi_sink *sink, const struct picture *picture)
{
    jmp_buf back;
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &back, jump_back, ignore_warning, NULL,
                                                allocate_for_writing, free_memory);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(back)) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, sink, write_bytes, ignore_flush);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, picture->depth, picture->colour,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (picture->depth == 16) png_set_swap(png);
    for (int32_t y = 0; y < picture->height; y++) {
        png_write_row(png, (png_const_bytep)picture->rows + (size_t)y * picture->row_bytes);
        if (!bi_io_advance((double)picture->row_bytes * BI_PNG_BYTE)) png_error(png, "cancelled");
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool bi_png_write_grey(struct bi_sink *sink, const uint16_t *grey, int32_t width, int32_t height)
{
    const struct picture picture = {grey, (size_t)width * sizeof *grey, width, height, 16, PNG_COLOR_TYPE_GRAY};
    return encode(sink, &picture);
}

bosc_status bi_rgb_check(const struct bi_rgb *picture, bosc_io_error *error)
{
    if (!picture->rgb) return bi_io_fail(error, BOSC_ERR_ARG, "rgb: NULL");
    if (picture->width < 1 || picture->width > 1000000)
        return bi_io_fail(error, BOSC_ERR_ARG, "width: %d is not from 1 to 1000000", picture->width);
    if (picture->height < 1 || picture->height > 1000000)
        return bi_io_fail(error, BOSC_ERR_ARG, "height: %d is not from 1 to 1000000", picture->height);
    return BOSC_OK;
}

double bi_rgb_items(const struct bi_rgb *picture) { return 3.0 * picture->width * picture->height * BI_PNG_BYTE; }

bosc_status bi_rgb_fill(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const struct bi_rgb *rgb = what;
    const struct picture picture = {rgb->rgb, (size_t)rgb->width * 3, rgb->width, rgb->height, 8, PNG_COLOR_TYPE_RGB};
    if (encode(sink, &picture) || sink->error_number) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
}

bosc_status bosc_png_write(const char *path, const uint8_t *rgb, int32_t width, int32_t height, bosc_io_error *error)
{
    BI_IO_ENTER;
    const struct bi_rgb picture = {rgb, width, height};
    const struct bi_output output = {path, bi_rgb_fill, &picture, bi_rgb_items(&picture)};
    bosc_status status = bi_rgb_check(&picture, error);
    return status == BOSC_OK ? bi_outputs_write(&output, 1, error) : status;
}
