/* Where a raster lies, for the files made of it. */
#ifndef TOOL_COMMANDS_GEOREFERENCE_H
#define TOOL_COMMANDS_GEOREFERENCE_H

#include "tool/tool.h"

/* The map of a raster's samples: column c and row r lie at first + (c, r) * step, in units of its coordinate system.
 * Rows run to the south: step[1] < 0. */
struct raster_map {
    bool known;      /* the raster gives its place; otherwise the numbers are 0 */
    bool geographic; /* degrees of longitude and latitude on the Earth */
    double first[2], step[2];
};

struct raster_map raster_map_of(const bosc_heights *heights);

/* Returns the text of a JSON object with the place of a mesh of the raster: spacings in metres, coordinates of the
 * mesh's origin, coordinate system, all as far as they are known, the factor of the heights if one was given, and the
 * notes of the results. row: that of the origin, in column 0. NULL: out of memory. Freed by free(). */
char *georeference_text(const struct job *job, const bosc_heights *heights, int64_t row);

#endif
