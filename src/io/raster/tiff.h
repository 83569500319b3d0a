/* TIFFs, by libtiff: from bytes and into memory, and what they say of their samples. */
#ifndef BI_IO_RASTER_TIFF_H
#define BI_IO_RASTER_TIFF_H

#include "io/raster/geotiff.h"

/* A file read or written by libtiff, and its first complaint. */
struct bi_tiff {
    const char *name;
    const struct bi_bytes *in; /* NULL when writing */
    char *out;
    uint64_t size, capacity, at;
    bool no_memory;
    int number; /* of the last reading that failed: for bi_bytes_fail; else 0 */
    struct bi_reason reason;
    TIFF *handle;
};
bool bi_tiff_open(struct bi_tiff *t, const char *mode); /* false: t->reason says why, or there is no memory */

struct bi_tiff_layout {
    struct bi_sample_type type;
    uint32_t width, height;
    double none;   /* in place of a height */
    int64_t ratio; /* bytes that one byte of the file may stand for, at most; 1: nothing is compressed */
};
/* What the tags say. NULL, or why it is no raster of heights. */
const char *bi_tiff_get_raster(TIFF *handle, struct bi_tiff_layout *layout, struct bi_geotiff *geo);

/* bi_heights_fit of all samples, and of a block of this many bytes. */
bosc_status bi_tiff_fit(const struct bi_tiff *t, const struct bi_tiff_layout *layout, tmsize_t block,
                        bosc_io_error *error);

#endif
