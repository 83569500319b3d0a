/* Systems of coordinates in .prj files. */
#ifndef BI_IO_RASTER_PRJ_H
#define BI_IO_RASTER_PRJ_H

#include <stddef.h>

#include "io/raster/crs.h"

/* Reads the system, the units and the codes of a .prj into a map: well-known text, which map->text then points to, or
 * ArcInfo's words. The text ends in a NUL if the map is applied. */
void bi_prj_read(const char *text, size_t size, struct bi_map *map);

#endif
