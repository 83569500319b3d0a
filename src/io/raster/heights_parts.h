/* Heights of which parts are read as they are needed. */
#ifndef BI_IO_RASTER_HEIGHTS_PARTS_H
#define BI_IO_RASTER_HEIGHTS_PARTS_H

#include "io/raster/heights.h"

struct bi_tiff_blocks;

/* Lines of the file are rows of the raster; its columns in Fortran order. */
struct bosc_heights_file {
    struct bi_file file;
    char *name;
    bosc_io_error error; /* of the last part that could not be read */
    int64_t width, height;
    /* What a sample is, and where the first one lies if they follow each other line by line. */
    struct bi_npy samples;
    double none;  /* in place of a height; NaN: nothing is */
    int64_t most; /* larger samples are refused; 0: none */
    int fd;       /* of the file that rows were unpacked to; -1: they lie in `file` */
    struct bi_tiff_blocks *tiff;
    bool to_west, to_north; /* how columns and rows run, other than on a map */
    double scale, offset;   /* a height is sample * scale + offset, unless these are 1 and 0 */
};

/* Finds the samples in the open file. */
bosc_status bi_heights_parts_open(struct bosc_heights_file *f, bosc_heights_encoding encoding, bosc_io_error *error);

/* So many samples that lie in the file from byte `at` on, as floats; those equal to f->none are NaN. `buffer` has 16
 * bytes for each. */
bosc_status bi_heights_parts_copy(struct bosc_heights_file *f, size_t at, int64_t count, char *buffer, float *values);

/* ---- TIFFs ---- */

bosc_status bi_tiff_blocks_open(struct bosc_heights_file *f, bosc_io_error *error);
void bi_tiff_blocks_free(struct bi_tiff_blocks *tiff);

/* Keeps enough blocks that parts with this many rows, which go through the raster from west to east, then farther
 * south, unpack each block about once. */
bosc_status bi_tiff_blocks_reserve(struct bosc_heights_file *f, int64_t rows);

/* A part of a row, as it lies in the file. */
bosc_status bi_tiff_blocks_copy(struct bosc_heights_file *f, int64_t row, int64_t column, int64_t count, char *buffer,
                                float *values);

#endif
