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
    struct bi_reason lost;   /* when reading: libtiff's warning about the first tag that it left out; empty: none */
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
const char *bi_tiff_read_layout(const struct bi_tiff *t, int32_t band, struct bi_tiff_layout *layout,
                                struct bi_geotiff *geo);

/* True if an image of full resolution other than a mask follows the first one. Leaves the handle at another image.
 * A failed read sets tiff->number. */
bool bi_tiff_has_pages(struct bi_tiff *tiff);

/* Returns the bytes from a sample of the band to the next one in a block. */
int64_t bi_tiff_sample_step(const struct bi_tiff_layout *layout);

/* Strips or tiles ("blocks") of an image, numbered row by row; a strip is as wide as the image. */
struct bi_tiff_blocks {
    bool tiled;
    int64_t height;         /* of the image */
    int64_t across, down;   /* samples of a block in a row, in a column */
    int64_t columns, count; /* blocks in a row of blocks, in all */
    int64_t row_bytes;      /* of a row of a block */
    tmsize_t bytes;         /* of a whole block */
    uint32_t first;         /* number of the first block in the file */
};
/* Reads the sizes of blocks whose samples are `bits` apart; false if they are inconsistent. */
bool bi_tiff_read_blocks(TIFF *handle, uint32_t width, uint32_t height, int64_t bits, struct bi_tiff_blocks *blocks);
/* The same for the blocks of a band. */
bool bi_tiff_read_band_blocks(TIFF *handle, const struct bi_tiff_layout *layout, struct bi_tiff_blocks *blocks);

/* Returns the number of rows in a block. The last strip may have fewer; tiles are complete. */
int64_t bi_tiff_rows_of(const struct bi_tiff_blocks *blocks, int64_t block);

/* Unpacks a block to memory of blocks->bytes; false if it is damaged. */
bool bi_tiff_unpack_block(TIFF *handle, const struct bi_tiff_blocks *blocks, int64_t block, void *to);

/* Checks by bi_heights_fit that all samples, and a block of this many bytes, fit. */
bosc_status bi_tiff_fit(const struct bi_tiff *t, const struct bi_tiff_layout *layout, tmsize_t block,
                        bosc_io_error *error);

#endif
