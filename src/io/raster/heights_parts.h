/* Heights whose parts are read on demand. */
#ifndef BI_IO_RASTER_HEIGHTS_PARTS_H
#define BI_IO_RASTER_HEIGHTS_PARTS_H

#include "io/file/file.h"
#include "io/npy/npy.h"
#include "io/raster/heights.h"

struct bi_tiff_blocks;

/* A line of the file is a row of the raster, or a column in Fortran order. */
struct bosc_heights_file {
    struct bi_file file;
    char *name;
    bosc_io_error error; /* of the last failed read */
    int64_t width, height;
    /* Type of the samples, and offset of the first one if they follow each other line by line. */
    struct bi_npy samples;
    double none;  /* no-data value; NaN: none */
    int64_t most; /* larger samples are refused; 0: no maximum */
    int fd;       /* of the temporary file with unpacked rows; -1: rows are in `file` */
    struct bi_tiff_blocks *tiff;
    bool to_west, to_north; /* columns run westwards, rows northwards; false: as on a map */
    double scale, offset;   /* height = sample * scale + offset */
};

/* Locates the samples in the open file. */
bosc_status bi_heights_parts_open(struct bosc_heights_file *f, bosc_heights_encoding encoding, bosc_io_error *error);

/* Reads `count` samples from offset `at` as floats; those equal to f->none become NaN. buffer: 16 bytes per sample. */
bosc_status bi_heights_parts_copy(struct bosc_heights_file *f, size_t at, int64_t count, char *buffer, float *values);

/* ---- TIFFs ---- */

bosc_status bi_tiff_blocks_open(struct bosc_heights_file *f, bosc_io_error *error);
void bi_tiff_blocks_free(struct bi_tiff_blocks *tiff);

/* Makes the cache large enough that parts of this many rows, read from west to east and then from north to south,
 * unpack each block about once. */
bosc_status bi_tiff_blocks_reserve(struct bosc_heights_file *f, int64_t rows);

/* Reads a part of a row, in the order of the file. */
bosc_status bi_tiff_blocks_copy(struct bosc_heights_file *f, int64_t row, int64_t column, int64_t count, char *buffer,
                                float *values);

#endif
