/* Readers and writers of heights. Parsers set samples without a height to NaN; heights_read.c fills these and refuses
 * infinite heights. */
#ifndef BI_IO_RASTER_HEIGHTS_H
#define BI_IO_RASTER_HEIGHTS_H

#include "io/file/file.h"
#include "io/npy/npy.h"

enum bi_heights_format {
    BI_HEIGHTS_UNKNOWN,
    BI_HEIGHTS_PNG,
    BI_HEIGHTS_PGM,
    BI_HEIGHTS_HGT,
    BI_HEIGHTS_TIFF,
    BI_HEIGHTS_NPY,
    BI_HEIGHTS_ASC
};

/* Returns the format, by the ending of the path; for "-" and unknown endings by the first bytes. in: NULL: none. */
enum bi_heights_format bi_heights_format_of(const char *path, const struct bi_bytes *in);
bosc_status bi_heights_parse(enum bi_heights_format format, const bosc_heights_opts *opts, const struct bi_bytes *in,
                             bosc_heights *heights, bosc_io_error *error);

/* Checks the caller's options, which may be NULL, and completes those of an older, shorter struct. */
bosc_status bi_heights_opts_read(const bosc_heights_opts *caller_opts, bosc_heights_opts *opts, bosc_io_error *error);

/* Refuses options that a format cannot have: an encoding of anything but a PNG, and a band of formats with one. */
bosc_status bi_heights_opts_fit(enum bi_heights_format format, const bosc_heights_opts *opts, const char *name,
                                bosc_io_error *error);

/* Returns the value of samples without a height that the caller gives, as a float; NaN: none. */
float bi_heights_no_data(const bosc_heights_opts *opts);

/* Marks samples of that value by NaN, before a scale or an offset changes them. */
void bi_heights_clear_no_data(const bosc_heights_opts *opts, bosc_heights *heights);

/* Fails for a band (from 1) that a file with this many lacks. */
bosc_status bi_heights_fail_band(const char *name, int band, int bands, bosc_io_error *error);

/* Returns the name of an encoding other than plain, for messages. */
const char *bi_heights_encoding_name(bosc_heights_encoding encoding);

/* The message for files of no known format, with their name. */
#define BI_HEIGHTS_NO_FORMAT "%s: the ending is not one of .png, .pgm, .hgt, .asc, .tif, .npy"

/* Destination of rows parsed in order: a raster in memory, or a file of f4. */
struct bi_heights_rows {
    bosc_heights *heights; /* receives the size; data: all rows, or one row that is then written to the file */
    int fd;                /* -1: memory */
};
bosc_status bi_heights_rows_begin(struct bi_heights_rows *rows, const char *name, int64_t width, int64_t height,
                                  bosc_io_error *error);
/* Returns the memory of a row. */
float *bi_heights_row(const struct bi_heights_rows *rows, int64_t row);
/* Called when a row is complete. */
bosc_status bi_heights_row_end(const struct bi_heights_rows *rows, const char *name, int64_t row, bosc_io_error *error);

/* Parsers of one format, which set width, height, data and possibly spacing. Those with `rows` need only the beginning
 * of the input in memory if rows go to a file. */
bosc_status bi_heights_png(const struct bi_bytes *in, const bosc_heights_opts *opts, struct bi_heights_rows *rows,
                           bosc_io_error *error);
bosc_status bi_heights_pgm(const struct bi_bytes *in, struct bi_heights_rows *rows, bosc_io_error *error);
bosc_status bi_heights_hgt(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error);
bosc_status bi_heights_asc(const struct bi_bytes *in, struct bi_heights_rows *rows, bosc_io_error *error);
bosc_status bi_heights_tiff(const struct bi_bytes *in, const bosc_heights_opts *opts, bosc_heights *heights,
                            bosc_io_error *error);
bosc_status bi_heights_npy(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error);

/* Reads the header of a .npy of heights. */
bosc_status bi_heights_npy_open(const struct bi_bytes *in, struct bi_npy *npy, bosc_io_error *error);

/* Allocates a raster, with spacing 0. */
bosc_status bi_heights_new(const char *name, int64_t width, int64_t height, bosc_heights *heights,
                           bosc_io_error *error);

/* The header of a .pgm. */
struct bi_pgm_head {
    int64_t width, height, most, at; /* most: the maximum of samples; at: offset of the first one, unless text */
    bool text;
};
bosc_status bi_heights_pgm_head(const struct bi_bytes *in, struct bi_pgm_head *head, bosc_io_error *error);

/* Sets the shape of a .hgt by the size of the file. */
bosc_status bi_heights_hgt_size(const struct bi_bytes *in, int64_t *width, int64_t *height, bosc_io_error *error);

/* Sets the place and the spacings of a .hgt of heights->width x heights->height samples from its name. */
void bi_heights_hgt_place(const char *path, bosc_heights *heights);
enum { BI_HGT_NONE = -32768 }; /* no height, in the format */

/* True if a .hgt can have this shape; the text describes the shapes, for messages. */
bool bi_hgt_has_shape(int64_t width, int64_t height);
#define BI_HGT_SHAPES "a square of at least 2 x 2, such as 1201 x 1201 or 3601 x 3601, nor 601 x 1201 or 1801 x 3601"

/* Fails with "NAME: 70000 x 70000 samples do not fit in 300 bytes" if samples * bytes exceed `most`. */
bosc_status bi_heights_fit(const struct bi_bytes *in, int64_t width, int64_t height, int64_t bytes, uint64_t most,
                           bosc_io_error *error);

/* Type of samples, which are little-endian and not aligned. */
struct bi_sample_type {
    char kind; /* 'f', 'i', 'u' */
    int width; /* bytes: 1, 2, 4, 8; floats 4, 8 */
};
/* Converts samples to floats. */
void bi_samples_read(struct bi_sample_type type, const void *from, int64_t count, float *to);

/* The same for samples `step` bytes apart; samples equal to `none` become NaN. */
void bi_samples_read_but(struct bi_sample_type type, const void *from, int64_t step, int64_t count, double none,
                         float *to);

/* Writes a TIFF to a sink. BI_TIFF_SAMPLE: progress items of a sample, the number of bytes copied in the same time. It
 * affects the fraction only, where other files are written too; not measured. */
enum { BI_TIFF_SAMPLE = 100 };
struct bi_sink;
bosc_status bi_tiff_write(struct bi_sink *sink, const bosc_heights *heights, bosc_io_error *error);

/* Reverses the order of rows, of samples in rows, or both. */
void bi_heights_mirror(bosc_heights *heights, bool rows, bool columns);

/* The reason of a refused raster that is not aligned with west and east. */
#define BI_HEIGHTS_ROTATED "a rotated raster; warp it so that its rows run from west to east"

/* Returns the length of a degree along the parallel of a latitude (in degrees), relative to a meridian. */
double bi_heights_shrink(double latitude);

/* Mean length of a degree of a meridian of the ellipsoid, in metres. (The sphere of the Earth's mean radius has
 * 111,195.) */
#define BI_METRES_A_DEGREE 111133.0

#endif
