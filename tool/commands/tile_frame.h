/* The coordinates of a tile set: metres, x to the east, y to the north, z up.
 *
 * A raster in longitudes and latitudes is placed on the ellipsoid WGS 84: the axes are those at the middle of the
 * raster, and a matrix maps them to the Earth's. Any other raster is a plane, whose first sample is at (0, 0). */
#ifndef TOOL_COMMANDS_TILE_FRAME_H
#define TOOL_COMMANDS_TILE_FRAME_H

#include "tool/commands/georeference.h"
#include "tool/tool.h"

/* Cosine and sine of the longitude of a column. */
struct tile_column {
    double cosine, sine;
};

/* A row: cosine and sine of its latitude, and the distances from the ellipsoid's axis and equator at height 0. */
struct tile_row {
    double cosine, sine, radius, rise;
};

struct tile_frame {
    const bosc_heights *heights;
    struct raster_map map;
    bool geographic;
    double grid;       /* all coordinates are multiples of this power of two, and at most 2^23 times as large */
    double matrix[16]; /* geographic: from the frame to the Earth's axes, by columns */
    struct tile_column *columns;
    struct tile_row *rows; /* geographic only, as `columns`; NULL otherwise */
};

/* Makes the frame of a raster with both spacings. Returns an exit code; reports errors. */
int tile_frame_open(const bosc_heights *heights, struct tile_frame *frame);

/* Computes the position of a sample, rounded to the grid. Rounded positions are exact as floats relative to any
 * multiple of the grid within the raster's extent, so tiles agree on shared vertices to the bit. */
void tile_frame_place(const struct tile_frame *frame, int64_t sample, double point[3]);

/* Computes the normal at a sample, of length 1, from the heights beside it. */
void tile_frame_normal(const struct tile_frame *frame, int64_t sample, float normal[3]);

/* Computes the largest distance between the Earth and the chord of two samples, at height 0; 0 for a plane. */
double tile_frame_sag(const struct tile_frame *frame, int64_t a, int64_t b);

void tile_frame_close(struct tile_frame *frame);

#endif
