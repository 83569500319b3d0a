/* Relief of a whole planet, for boscage generate heights --kind planet. */
#ifndef TOOL_COMMANDS_GLOBE_RELIEF_H
#define TOOL_COMMANDS_GLOBE_RELIEF_H

#include "tool/tool.h"

/* Fills an equirectangular raster of 2 rows x `rows` samples, of the layout of boscage/planet.h: continents, ridges and
 * the floor of a sea at height 0. It has no seam at the antimeridian, and the same bits on every machine. */
bosc_status globe_relief_fill(bosc_ctx *ctx, uint64_t seed, int64_t rows, float *heights);

#endif
