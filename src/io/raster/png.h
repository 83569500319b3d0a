/* Writers of PNG pictures. */
#ifndef BI_IO_RASTER_PNG_H
#define BI_IO_RASTER_PNG_H

#include "io/io.h"

struct bi_sink;

/* Progress items for each byte of a picture: compressing one costs about as much as copying this many bytes. */
enum { BI_PNG_BYTE = 40 };

/* An 8-bit RGB picture, as an output. */
struct bi_rgb {
    const uint8_t *rgb;
    int32_t width, height;
};
bosc_status bi_rgb_check(const struct bi_rgb *picture, bosc_io_error *error);
double bi_rgb_items(const struct bi_rgb *picture);
bosc_status bi_rgb_fill(struct bi_sink *sink, const void *picture, bosc_io_error *error);

/* Writes a 16-bit grey picture. False if memory ran out or the sink failed. */
bool bi_png_write_grey(struct bi_sink *sink, const uint16_t *grey, int32_t width, int32_t height);

#endif
