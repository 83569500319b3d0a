/* boscage terrain --tiles: a raster as a tile set for the web. */
#ifndef TOOL_COMMANDS_TERRAIN_TILES_H
#define TOOL_COMMANDS_TERRAIN_TILES_H

#include "render/terrain_view.h"
#include "tool/tool.h"

enum { TERRAIN_TILE_LEVEL_MAX = 8 }; /* 4^8: 65,536 files of the last level of a square raster */

/* Writes levels 0 to `last_level` of a terrain to the folder -o: tileset.json (3D Tiles 1.1) and a .glb a tile. The
 * folder appears whole or not at all.
 * range: of the heights. error: bound of the last level; negative: the default.
 * Returns an exit code; reports errors. */
int terrain_write_tiles(struct job *job, struct terrain_view *terrain, int64_t last_level, double range, double error);

#endif
