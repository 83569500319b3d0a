/* Heights being read: parsers give a raster in which samples without a height are NaN; what all formats share fills
 * them in and refuses what is no height. */
#ifndef BI_IO_RASTER_HEIGHTS_H
#define BI_IO_RASTER_HEIGHTS_H

#include "io/io.h"

enum bi_heights_format {
    BI_HEIGHTS_UNKNOWN,
    BI_HEIGHTS_PNG,
    BI_HEIGHTS_PGM,
    BI_HEIGHTS_HGT,
    BI_HEIGHTS_TIFF,
    BI_HEIGHTS_NPY
};

/* By the path's ending; "-" and unknown endings by the first bytes, where `in` is not NULL. */
enum bi_heights_format bi_heights_format_of(const char *path, const struct bi_bytes *in);
bosc_status bi_heights_parse(enum bi_heights_format format, bosc_heights_encoding encoding, const struct bi_bytes *in,
                             bosc_heights *heights, bosc_io_error *error);

/* What is said of files that no parser takes, by their name. */
#define BI_HEIGHTS_NO_FORMAT "%s: the ending is not one of .png, .pgm, .hgt, .tif, .npy"
#define BI_HEIGHTS_NOT_PNG "%s: not a PNG; only a PNG can hold terrain-RGB"

/* Where parsers put rows that come one after the other: into a raster in memory, or into a file, as f4. */
struct bi_heights_rows {
    bosc_heights *heights; /* gets its size; data: all rows, or the one that is on its way to the file */
    int fd;                /* -1: memory */
};
bosc_status bi_heights_rows_begin(struct bi_heights_rows *rows, const char *name, int64_t width, int64_t height,
                                  bosc_io_error *error);
float *bi_heights_row(const struct bi_heights_rows *rows, int64_t row);
/* The row is whole. */
bosc_status bi_heights_row_end(const struct bi_heights_rows *rows, const char *name, int64_t row, bosc_io_error *error);

/* The parsers of one format, which fill width, height, data and perhaps spacing. Those that are given rows need only
 * the beginning of a file in memory, if rows go to a file. */
bosc_status bi_heights_png(const struct bi_bytes *in, bosc_heights_encoding encoding, struct bi_heights_rows *rows,
                           bosc_io_error *error);
bosc_status bi_heights_pgm(const struct bi_bytes *in, struct bi_heights_rows *rows, bosc_io_error *error);
bosc_status bi_heights_hgt(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error);
bosc_status bi_heights_tiff(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error);
bosc_status bi_heights_npy(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error);

/* What stands before the samples of a .npy of heights. */
bosc_status bi_heights_npy_open(const struct bi_bytes *in, struct bi_npy *npy, bosc_io_error *error);

/* A raster of this size without content; the spacing is 0. Nothing is checked but that it fits memory. */
bosc_status bi_heights_new(const char *name, int64_t width, int64_t height, bosc_heights *heights,
                           bosc_io_error *error);

/* What stands before the samples of a .pgm. */
struct bi_pgm_head {
    int64_t width, height, most, at; /* most: of the samples; at: where the first one lies, if they are no text */
    bool text;
};
bosc_status bi_heights_pgm_head(const struct bi_bytes *in, struct bi_pgm_head *head, bosc_io_error *error);

/* The side of the square that a .hgt holds. */
bosc_status bi_heights_hgt_side(const struct bi_bytes *in, int64_t *side, bosc_io_error *error);
enum { BI_HGT_NONE = -32768 };

/* "NAME: 70000 x 70000 samples do not fit in 300 bytes", unless samples * bytes are at most `most`. */
bosc_status bi_heights_fit(const struct bi_bytes *in, int64_t width, int64_t height, int64_t bytes, uint64_t most,
                           bosc_io_error *error);

/* Samples of a numeric type, little-endian and not aligned, as floats. */
struct bi_sample_type {
    char kind; /* 'f', 'i', 'u' */
    int width; /* bytes: 1, 2, 4, 8; floats 4, 8 */
};
void bi_samples_read(struct bi_sample_type type, const void *from, int64_t count, float *to);

/* The same; those equal to `none` become NaN. */
void bi_samples_read_but(struct bi_sample_type type, const void *from, int64_t count, double none, float *to);

/* Writers of one format into a sink; rows of 16 bits have been rounded. Of each byte of a picture, of each sample of a
 * TIFF they tell as so many items. */
enum { BI_PNG_BYTE = 40, BI_TIFF_SAMPLE = 100 };
struct bi_sink;
bool bi_png_write_grey(struct bi_sink *sink, const uint16_t *grey, int32_t width, int32_t height);
bosc_status bi_tiff_write(struct bi_sink *sink, const bosc_heights *heights, bosc_io_error *error);

/* How much shorter a degree is along the parallel of a latitude, in degrees, than along a meridian. */
double bi_heights_shrink(double latitude);

/* One degree of a meridian, in metres: that of the sphere with the Earth's mean radius is 111,195, the mean of the
 * ellipsoid's this. */
#define BI_METRES_A_DEGREE 111133.0

#endif
