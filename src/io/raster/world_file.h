/* World files beside rasters that do not give their spacing. */
#ifndef BI_IO_RASTER_WORLD_FILE_H
#define BI_IO_RASTER_WORLD_FILE_H

#include "io/io.h"
#include "io/raster/aux_file.h"

/* Changes that a world file requires of heights->data. */
struct bi_world_changes {
    bool to_north, to_west; /* rows run northwards, columns westwards: to be reversed */
    double factor;          /* that converts heights to metres; 1 if they have been converted, or have no unit */
};

/* Sets the place, the units and the spacings of heights without a spacing from the world file of the raster at `path`,
 * and *changes; heights->data is not touched. Without a world file nothing changes. Fails for a damaged world file and
 * for a rotated raster. */
bosc_status bi_world_file_read(const char *path, bosc_heights *heights, struct bi_world_changes *changes,
                               bosc_io_error *error);

/* The same, and changes heights->data. */
bosc_status bi_world_file_apply(const char *path, bosc_heights *heights, bosc_io_error *error);

/* The numbers of a world file, in its order: x = cell_x column + turn_x row + x, y = turn_y column + cell_y row + y, at
 * the centres of cells. */
enum { BI_WORLD_CELL_X, BI_WORLD_TURN_Y, BI_WORLD_TURN_X, BI_WORLD_CELL_Y, BI_WORLD_X, BI_WORLD_Y, BI_WORLD_NUMBERS };

/* Sets the numbers of the map of an auxiliary file. */
void bi_world_numbers_of_aux(const struct bi_aux *aux, double numbers[BI_WORLD_NUMBERS]);

/* True if columns do not run along west and east: beyond rounding, as for GeoTIFF. */
bool bi_world_is_rotated(const double numbers[BI_WORLD_NUMBERS]);

/* Sets the place, the units and the spacings of heights whose own file holds such a map; heights->data is not touched.
 * Its system is that of GDAL's auxiliary file or of the .prj beside the raster at `path`, or guessed. x and y: NaN:
 * unknown. */
bosc_status bi_world_numbers_apply(const char *path, const double numbers[BI_WORLD_NUMBERS], bosc_heights *heights,
                                   bosc_io_error *error);

#endif
