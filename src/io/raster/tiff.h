/* TIFFs by libtiff, from bytes and into memory, and their layout. */
#ifndef BI_IO_RASTER_TIFF_H
#define BI_IO_RASTER_TIFF_H

#include <tiffio.h>

#include "io/file/file.h"
#include "io/raster/heights.h"

/* Tags of GeoTIFF: position and spacing of the raster, scale and offset of samples. */
struct bi_geotiff {
    double spacing, spacing_y; /* metres between columns and between rows; 0: unknown */
    bool mapped;               /* the file maps samples to coordinates */
    bool unit_assumed;         /* no key gives the unit of coordinates: metres */
    bool latitude_assumed;     /* the position is unknown: latitude 0 */
    double latitude;           /* of the middle, if the spacings were degrees; else NaN */
    bool to_west, to_north;    /* columns run westwards, rows northwards; false: as on a map */
    double scale, offset;      /* height = sample * scale + offset */
};

/* Sets the tags of a projected model in metres with these spacings; false: out of memory. */
bool bi_geotiff_write_spacing(TIFF *handle, double spacing, double spacing_y);

/* A file read or written by libtiff. */
struct bi_tiff {
    const char *name;
    const struct bi_bytes *in; /* NULL when writing */
    char *out;
    uint64_t size, capacity, at;
    bool no_memory;
    int number;              /* errno of the last failed read, for bi_bytes_fail; else 0 */
    struct bi_reason reason; /* libtiff's first error */
    TIFF *handle;
};
bool bi_tiff_open(struct bi_tiff *t, const char *mode); /* false: see t->reason; empty: out of memory */

struct bi_tiff_layout {
    struct bi_sample_type type;
    uint32_t width, height;
    double none;   /* no-data value */
    int64_t ratio; /* largest ratio of the compression; 1: none */
};
/* Reads the tags. Returns NULL, or the reason if it is no raster of heights. */
const char *bi_tiff_read_layout(TIFF *handle, struct bi_tiff_layout *layout, struct bi_geotiff *geo);

/* Checks by bi_heights_fit that all samples, and a block of this many bytes, fit. */
bosc_status bi_tiff_fit(const struct bi_tiff *t, const struct bi_tiff_layout *layout, tmsize_t block,
                        bosc_io_error *error);

#endif
