/* Tags of GeoTIFF and GDAL: the place of a raster, no-data values, scale, offset and unit of its bands. */
#ifndef BI_IO_RASTER_GEOTIFF_H
#define BI_IO_RASTER_GEOTIFF_H

#include <tiffio.h>

#include "io/raster/crs.h"
#include "io/raster/heights.h"
#include "io/raster/world_file.h"

/* The place and spacing of the raster; scale and offset of the samples of a band. */
struct bi_geotiff {
    bosc_heights place;               /* without data: its size, place and units */
    bool to_west, to_north;           /* columns run westwards, rows northwards; false: as on a map */
    double scale, offset;             /* height = sample * scale + offset, in the file's unit */
    bool has_map, has_keys;           /* the file has a map, and GeoKeys with its system */
    double numbers[BI_WORLD_NUMBERS]; /* of the map, as those of a world file */
    struct bi_map map;                /* with its system */
    bosc_heights unplaced;            /* `place` before the map */
};

/* Reads the tags for a band, from 0. Returns NULL, or the reason if rows do not run along west and east. Fields without
 * a tag keep their defaults: no spacing and no place, scale 1. */
const char *bi_geotiff_read(TIFF *handle, int32_t band, struct bi_geotiff *geo);

/* Sets the place of a raster with a map: by GDAL's auxiliary file, which comes before the tags, as in GDAL; of a map
 * without GeoKeys as bi_world_numbers_apply does. */
bosc_status bi_geotiff_apply_beside(const char *path, struct bi_geotiff *geo, bosc_io_error *error);

/* Returns GDAL's no-data value, which is text; NaN: none. */
double bi_geotiff_no_data(TIFF *handle, struct bi_sample_type type);

/* The scale and the offset that give metres; those of the file's unit if it is unknown. */
void bi_geotiff_metres(const struct bi_geotiff *geo, double *scale, double *offset);

/* Sets the tags of a projected model in metres with these spacings; false: out of memory. */
bool bi_geotiff_write_spacing(TIFF *handle, double spacing, double spacing_y);

#endif
