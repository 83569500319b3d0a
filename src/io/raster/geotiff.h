/* Tags of GeoTIFF: position and spacing of the raster, no-data value, scale and offset of samples. */
#ifndef BI_IO_RASTER_GEOTIFF_H
#define BI_IO_RASTER_GEOTIFF_H

#include <tiffio.h>

#include "io/raster/heights.h"

struct bi_geotiff {
    double spacing, spacing_y; /* metres between columns and between rows; 0: unknown */
    double latitude;           /* of the middle, if the spacings were degrees; else NaN */
    bool to_west, to_north;    /* columns run westwards, rows northwards; false: as on a map */
    double scale, offset;      /* height = sample * scale + offset */
};
/* Reads the tags. Returns NULL, or the reason if rows do not run along west and east. */
const char *bi_geotiff_read_tags(TIFF *handle, struct bi_geotiff *geo);

/* Returns GDAL's no-data value, which is text; NaN: none. */
double bi_geotiff_no_data(TIFF *handle, struct bi_sample_type type);

bool bi_geotiff_write_spacing(TIFF *handle, double spacing, double spacing_y);

#endif
