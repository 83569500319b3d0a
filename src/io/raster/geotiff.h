/* What the tags of a GeoTIFF say of its raster: where it lies and what its samples stand for. */
#ifndef BI_IO_RASTER_GEOTIFF_H
#define BI_IO_RASTER_GEOTIFF_H

#include <tiffio.h>

#include "io/raster/heights.h"

struct bi_geotiff {
    double spacing, spacing_y; /* metres between columns and between rows; 0 where the file does not say */
    double latitude;           /* of the middle, where degrees were made metres; else NaN */
    bool to_west, to_north;    /* how columns and rows run, other than on a map */
    double scale, offset;      /* a height is sample * scale + offset */
};
/* Reads the tags. NULL, or why the raster is not one of rows from west to east. */
const char *bi_geotiff_read(TIFF *handle, struct bi_geotiff *geo);

/* What GDAL writes as text in place of a height; NaN where there is none. */
double bi_geotiff_no_data(TIFF *handle, struct bi_sample_type type);

bool bi_geotiff_write_spacing(TIFF *handle, double spacing, double spacing_y);

#endif
