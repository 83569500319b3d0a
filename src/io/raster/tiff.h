/* TIFFs by libtiff, from bytes and into memory, and their layout. */
#ifndef BI_IO_RASTER_TIFF_H
#define BI_IO_RASTER_TIFF_H

#include <tiffio.h>

#include "io/file/file.h"
#include "io/raster/geotiff.h"
#include "io/raster/heights.h"

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
    double none;             /* no-data value */
    int64_t ratio;           /* largest ratio of the compression; 1: none */
    int32_t band, bands;     /* the band to read, from 0; number of bands */
    bool separate;           /* each band has blocks of its own, in order; false: samples are interleaved */
    struct bi_reason reason; /* of a refusal */
};
/* Reads the tags for a band, from 1 (0: the only one). Returns NULL, or the reason if it is no raster of heights. */
const char *bi_tiff_read_layout(TIFF *handle, int32_t band, struct bi_tiff_layout *layout, struct bi_geotiff *geo);

/* Returns the bytes from a sample of the band to the next one in a block. */
int64_t bi_tiff_sample_step(const struct bi_tiff_layout *layout);

/* Checks by bi_heights_fit that all samples, and a block of this many bytes, fit. */
bosc_status bi_tiff_fit(const struct bi_tiff *t, const struct bi_tiff_layout *layout, tmsize_t block,
                        bosc_io_error *error);

#endif
