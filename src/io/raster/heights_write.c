/* Writes heights. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/file/sink.h"
#include "io/raster/png.h"
#include "io/raster/heights.h"

struct range {
    int least, most;
};

static bosc_status check(const bosc_heights *h, bosc_io_error *error)
{
    size_t bytes;
    const int64_t shape[2] = {h->height, h->width};
    if (h->width < 1 || h->height < 1)
        return bi_io_fail(error, BOSC_ERR_ARG, "heights: %lld x %lld samples", (long long)h->width,
                          (long long)h->height);
    if (!bi_array_bytes(BOSC_F32, 2, shape, &bytes))
        return bi_io_fail(error, BOSC_ERR_ARG, "heights: too many samples");
    if (!h->data) return bi_io_fail(error, BOSC_ERR_ARG, "heights: data is NULL");
    if (!(h->spacing >= 0) || isinf(h->spacing))
        return bi_io_fail(error, BOSC_ERR_ARG, "heights: the spacing is %g", h->spacing);
    if (!(h->spacing_y >= 0) || isinf(h->spacing_y))
        return bi_io_fail(error, BOSC_ERR_ARG, "heights: the spacing of rows is %g", h->spacing_y);
    for (int64_t i = 0; i < h->width * h->height; i++)
        if (!isfinite(h->data[i]))
            return bi_io_fail(error, BOSC_ERR_ARG, "heights: the one at row %lld, column %lld is not finite",
                              (long long)(i / h->width), (long long)(i % h->width));
    return BOSC_OK;
}

static double round_half_up(float z) { return floor((double)z + 0.5); }

/* Rounds all heights to 16 bits; signed ones of .hgt as their bits. Fails if one is out of range. */
static bosc_status round_all(const char *path, const bosc_heights *h, struct range range, uint16_t **rounded,
                             bosc_io_error *error)
{
    int64_t all = h->width * h->height;
    float least = h->data[0], most = h->data[0];
    for (int64_t i = 1; i < all; i++) {
        least = h->data[i] < least ? h->data[i] : least;
        most = h->data[i] > most ? h->data[i] : most;
    }
    if (round_half_up(least) < range.least || round_half_up(most) > range.most)
        return bi_io_fail(error, BOSC_ERR_DATA, "%s: heights from %g to %g, but the format holds %d to %d", path,
                          (double)least, (double)most, range.least, range.most);
    *rounded = bi_io_alloc((size_t)all * sizeof **rounded);
    if (!*rounded) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", path);
    for (int64_t i = 0; i < all; i++) (*rounded)[i] = (uint16_t)(int)round_half_up(h->data[i]);
    return BOSC_OK;
}

static void write_big_endian(struct bi_sink *sink, const uint16_t *rounded, int64_t count)
{
    for (int64_t i = 0; i < count && !sink->error_number; i++) {
        if (i % BI_IO_REPORT_NUMBERS == 0) (void)bi_io_set_done((double)i); /* the next write fails if cancelled */
        const unsigned char pair[2] = {(unsigned char)(rounded[i] >> 8), (unsigned char)rounded[i]};
        bi_sink_write(sink, pair, 2);
    }
}

/* Writes .png, .pgm and .hgt. */
static bosc_status write_rounded(struct bi_sink *sink, enum bi_heights_format format, const bosc_heights *h,
                                 bosc_io_error *error)
{
    struct range range = format == BI_HEIGHTS_HGT ? (struct range){-32767, 32767} : (struct range){0, 65535};
    uint16_t *rounded = NULL;
    char head[64];
    if (format == BI_HEIGHTS_HGT && !bi_hgt_has_shape(h->width, h->height))
        return bi_io_fail(error, BOSC_ERR_DATA, "%s: %lld x %lld samples are not " BI_HGT_SHAPES, sink->name,
                          (long long)h->width, (long long)h->height);
    if (h->width > 1000000 || h->height > 1000000)
        return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: more than 1000000 columns or rows", sink->name);
    bosc_status status = round_all(sink->name, h, range, &rounded, error);
    if (!rounded) return status;
    if (format == BI_HEIGHTS_PNG) {
        if (!bi_png_write_grey(sink, rounded, (int32_t)h->width, (int32_t)h->height) && !sink->error_number)
            status = bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
    } else {
        snprintf(head, sizeof head, "P5\n%d %d\n65535\n", (int)h->width, (int)h->height);
        if (format == BI_HEIGHTS_PGM) bi_sink_write(sink, head, strlen(head));
        write_big_endian(sink, rounded, h->width * h->height);
    }
    free(rounded);
    return status;
}

struct writing {
    enum bi_heights_format format;
    const bosc_heights *heights;
};

static bosc_status fill_heights(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const struct writing *w = what;
    return w->format == BI_HEIGHTS_TIFF ? bi_tiff_write(sink, w->heights, error)
                                        : write_rounded(sink, w->format, w->heights, error);
}

bosc_status bosc_heights_write(const char *path, const bosc_heights *heights, bosc_io_error *error)
{
    BI_IO_ENTER;
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    if (!heights) return bi_io_fail(error, BOSC_ERR_ARG, "heights: NULL");
    bosc_status status = check(heights, error);
    if (status != BOSC_OK) return status;
    enum bi_heights_format format = strcmp(path, "-") == 0 ? BI_HEIGHTS_NPY : bi_heights_format_of(path, NULL);
    if (format == BI_HEIGHTS_UNKNOWN || format == BI_HEIGHTS_ASC)
        return bi_io_fail(error, BOSC_ERR_ARG, "path: %s does not end in one of .png, .pgm, .hgt, .tif, .npy", path);
    if (format == BI_HEIGHTS_NPY) {
        bosc_array array = {.dtype = BOSC_F32, .rank = 2, .shape = {heights->height, heights->width, 1, 1}};
        array.data = heights->data;
        return bi_io_end(bosc_npy_write(path, &array, error), error);
    }
    const struct writing writing = {format, heights};
    double samples = (double)heights->width * (double)heights->height;
    const struct bi_output output = {path, fill_heights, &writing,
                                     samples * (format == BI_HEIGHTS_PNG    ? 2 * BI_PNG_BYTE
                                                : format == BI_HEIGHTS_TIFF ? BI_TIFF_SAMPLE
                                                                            : 1)};
    return bi_outputs_write(&output, 1, error);
}
