/* GDAL's auxiliary files beside rasters, relief.png.aux.xml: place, no-data value, scale, offset, unit of heights. */
#ifndef BI_IO_RASTER_AUX_FILE_H
#define BI_IO_RASTER_AUX_FILE_H

#include "io/io.h"

/* Facts of a raster, then those of one of its bands. */
struct bi_aux {
    bool has_map;
    double map[6]; /* x = map[0] + map[1] column + map[2] row, y = map[3] + map[4] column + map[5] row, at corners */
    char *system;  /* well-known text of the coordinate system; NULL: none */
    double none;   /* no-data value; NaN: none */
    double scale, offset; /* height = sample * scale + offset, in the file's unit */
    double unit;          /* of heights, in metres; 0: none; NaN: not known */
};

/* Reads the file beside the raster at `path`; defaults if there is none. band: from 1; 0: of none. The caller frees
 * aux->system, after a failure too. */
bosc_status bi_aux_read(const char *path, int32_t band, struct bi_aux *aux, bosc_io_error *error);

/* Returns the band, from 1, that holds the heights of a raster read with these options; 0: none, as several do. */
int32_t bi_aux_band(const bosc_heights_opts *opts);

/* Sets the unit of heights: that of the band, otherwise the one that is known. Returns the factor to metres; 1 if there
 * is no unit, or an unknown one. */
double bi_aux_set_unit(const struct bi_aux *aux, bosc_heights *heights);

/* Applies the values of the band to heights as stored: no-data values become NaN, others are converted to metres by the
 * band's unit, or else by heights->height_unit. */
bosc_status bi_aux_apply(const char *path, int32_t band, bosc_heights *heights, bosc_io_error *error);

#endif
