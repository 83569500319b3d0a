/* World files beside rasters that do not give their spacing. */
#ifndef BI_IO_RASTER_WORLD_FILE_H
#define BI_IO_RASTER_WORLD_FILE_H

#include "io/io.h"

/* Sets the place, the units and the spacings of heights without a spacing from the world file of the raster at `path`;
 * heights->data is not touched. to_north, to_west: set to true if rows run northwards, columns westwards. Does nothing
 * if there is no world file. Fails for a damaged world file and for a rotated raster. */
bosc_status bi_world_file_read(const char *path, bosc_heights *heights, bool *to_north, bool *to_west,
                               bosc_io_error *error);

/* The same, and turns the rows from north to south and converts the heights to metres. */
bosc_status bi_world_file_apply(const char *path, bosc_heights *heights, bosc_io_error *error);

/* The numbers of a world file, in its order: x = cell_x column + turn_x row + x, y = turn_y column + cell_y row + y, at
 * the centres of cells. */
enum { BI_WORLD_CELL_X, BI_WORLD_TURN_Y, BI_WORLD_TURN_X, BI_WORLD_CELL_Y, BI_WORLD_X, BI_WORLD_Y, BI_WORLD_NUMBERS };

/* Sets the place, the units and the spacings of heights whose own file holds such a map; heights->data is not touched.
 * Its system is that of GDAL's auxiliary file or of the .prj beside the raster at `path`, or guessed. x and y: NaN:
 * unknown. */
bosc_status bi_world_numbers_apply(const char *path, const double numbers[BI_WORLD_NUMBERS], bosc_heights *heights,
                                   bosc_io_error *error);

#endif
