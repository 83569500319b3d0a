/* GDAL's auxiliary files beside rasters, relief.png.aux.xml: place, no-data value, scale, offset, unit of heights. */
#ifndef BI_IO_RASTER_AUX_FILE_H
#define BI_IO_RASTER_AUX_FILE_H

#include "io/io.h"
#include "io/raster/crs.h"

/* Facts of a raster, then those of one of its bands. */
struct bi_aux {
    bool has_map;
    double map[6]; /* x = map[0] + map[1] column + map[2] row, y = map[3] + map[4] column + map[5] row, at corners */
    char *system;  /* well-known text of the coordinate system; NULL: none */
    double none;   /* no-data value; NaN: none */
    double scale, offset;         /* height = sample * scale + offset, in the file's unit */
    double unit;                  /* of heights, in metres; 0: none; NaN: not known */
    char unit_name[BI_UNIT_NAME]; /* of a unit that is not known */
};

/* Reads the file beside the raster at `path`; defaults if there is none. band: from 1; 0: of none. The caller frees
 * aux->system, after a failure too. */
bosc_status bi_aux_read(const char *path, int32_t band, struct bi_aux *aux, bosc_io_error *error);

/* Conversion of the samples of a band: those equal to `none` (NaN: no sample) have no height, others are
 * sample * scale + offset, in metres where their unit is known. */
struct bi_aux_values {
    float none;
    double scale, offset;
};

/* Reads the conversion for the band of a raster that is read with these options. A unit of the band replaces
 * heights->height_unit, and scale and offset contain that unit. */
bosc_status bi_aux_read_values(const char *path, const bosc_heights_opts *opts, bosc_heights *heights,
                               struct bi_aux_values *values, bosc_io_error *error);

/* The same, and converts heights->data; samples without a height become NaN. */
bosc_status bi_aux_apply(const char *path, const bosc_heights_opts *opts, bosc_heights *heights, bosc_io_error *error);

#endif
