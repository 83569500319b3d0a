/* Writes pictures by libpng, which reports errors by longjmp. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

#include "io/mesh/png.h"
#include "io/file/sink.h"
#include "io/raster/heights.h"

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    if (bi_sink_write(png_get_io_ptr(png), bytes, count)) png_error(png, "write");
}

static png_voidp allocate_memory(png_structp png, png_alloc_size_t bytes)
{
    (void)png;
    return bi_io_alloc(bytes);
}

static void free_memory(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void ignore_flush(png_structp png) { (void)png; } /* unreached: libpng requires it, but does not call it */

static void jump_on_error(png_structp png, png_const_charp text)
{
    (void)text;
    longjmp(*(jmp_buf *)png_get_error_ptr(png), 1);
}

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
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
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &back, jump_on_error, ignore_warning, NULL,
                                                allocate_memory, free_memory);
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
