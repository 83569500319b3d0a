/* World files beside rasters that do not give their spacing. */
#ifndef BI_IO_RASTER_WORLD_FILE_H
#define BI_IO_RASTER_WORLD_FILE_H

#include "io/io.h"

/* Sets the spacings of heights without a spacing from the world file of the raster at `path`, and turns its rows from
 * north to south. Does nothing if there is none. Fails for a damaged world file and for a rotated raster. */
bosc_status bi_world_file_apply(const char *path, bosc_heights *heights, bosc_io_error *error);

/* The length of the unit of a .prj's coordinates in metres; 0: unknown. degrees: set. */
double bi_prj_unit(const char *text, size_t size, bool *degrees);

#endif
