/* The saved form of a planet, little-endian:
 *
 *   header (128 bytes, below) | heights, width x height x 4 bytes, row by row | nodes of the leaves, 8 bytes each |
 *   XXH3 64 of all bytes before
 *
 * The header ends with its own XXH3 64. All else that a planet holds follows from these. */
#ifndef BI_PLANET_SAVE_H
#define BI_PLANET_SAVE_H

#include "core/save.h"
#include "planet/planet.h"

enum { BI_PLANET_SAVE_VERSION = 1 };

#define BI_PLANET_SAVE_MAGIC "BOSCPLN\n"

struct bi_planet_header {
    char magic[8];
    uint32_t version, depth, octaves, reserved; /* reserved: 0 */
    double radius, amplitude, wavelength;       /* as in the options, with the defaults filled in */
    uint64_t seed;
    int64_t width, height, leaves;
    uint64_t unused[5]; /* 0 */
    uint64_t hash;      /* of the bytes before */
};

_Static_assert(sizeof(struct bi_planet_header) == 128, "the header is 128 bytes");

#endif
