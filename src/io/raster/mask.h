/* GDAL's masks: samples that a mask excludes have no height. */
#ifndef BI_IO_RASTER_MASK_H
#define BI_IO_RASTER_MASK_H

#include "io/file/file.h"

/* Sets the samples that the mask inside a TIFF excludes to NaN, in the order of the file. data: (height x width); NULL:
 * fails with BOSC_ERR_DATA if a sample is excluded. Does nothing without a mask of this size. */
bosc_status bi_mask_apply_inner(const struct bi_bytes *in, int64_t width, int64_t height, float *data,
                                bosc_io_error *error);

/* The same for the mask beside a raster, relief.tif.msk, in the order of the raster's file. Fails if it has another
 * size. */
bosc_status bi_mask_apply_beside(const char *path, int64_t width, int64_t height, float *data, bosc_io_error *error);

#endif
