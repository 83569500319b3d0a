/* Pictures out, by libpng, which reports errors by a jump. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

#include "io/heights.h"

static void hand_over(png_structp png, png_bytep bytes, size_t count)
{
    if (bi_sink_write(png_get_io_ptr(png), bytes, count)) png_error(png, "write");
}

static png_voidp take(png_structp png, png_alloc_size_t bytes)
{
    (void)png;
    return bi_io_alloc(bytes);
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void nothing_to_flush(png_structp png) { (void)png; } /* unreached: libpng wants one, and calls none */

static void jump(png_structp png, png_const_charp text)
{
    (void)text;
    longjmp(*(jmp_buf *)png_get_error_ptr(png), 1);
}

static void stay_silent(png_structp png, png_const_charp text)
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

/* False if libpng gave up: no memory, or the sink failed. */
static bool encode(struct bi_sink *sink, const struct picture *picture)
{
    jmp_buf back;
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &back, jump, stay_silent, NULL, take, release);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(back)) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, sink, hand_over, nothing_to_flush);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, picture->depth, picture->colour,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (picture->depth == 16) png_set_swap(png);
    for (int32_t y = 0; y < picture->height; y++)
        png_write_row(png, (png_const_bytep)picture->rows + (size_t)y * picture->row_bytes);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool bi_png_write_grey(struct bi_sink *sink, const uint16_t *grey, int32_t width, int32_t height)
{
    const struct picture picture = {grey, (size_t)width * sizeof *grey, width, height, 16, PNG_COLOR_TYPE_GRAY};
    return encode(sink, &picture);
}

bosc_status bosc_png_write(const char *path, const uint8_t *rgb, int32_t width, int32_t height, bosc_io_error *error)
{
    if (!rgb) return bi_io_fail(error, BOSC_ERR_ARG, "rgb: NULL");
    if (width < 1 || width > 1000000)
        return bi_io_fail(error, BOSC_ERR_ARG, "width: %d is not from 1 to 1000000", width);
    if (height < 1 || height > 1000000)
        return bi_io_fail(error, BOSC_ERR_ARG, "height: %d is not from 1 to 1000000", height);
    struct bi_sink *sink = bi_io_alloc(sizeof *sink);
    if (!sink) return bi_io_fail(error, BOSC_ERR_NOMEM, "out of memory");
    bosc_status status = bi_sink_open(sink, path, error);
    const struct picture picture = {rgb, (size_t)width * 3, width, height, 8, PNG_COLOR_TYPE_RGB};
    if (status == BOSC_OK && !encode(sink, &picture) && !sink->error_number)
        status = bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", path);
    if (status == BOSC_OK) status = bi_sink_finish(sink, error);
    if (status == BOSC_OK) status = bi_sink_commit(sink, error);
    bi_sink_discard(sink);
    free(sink);
    return status;
}
