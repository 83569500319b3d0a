/* The saved form of a planet, little-endian:
 *
 *   header (128 bytes, below) | heights, width x height x 4 bytes, row by row | insets (version 2) |
 *   nodes of the leaves, 8 bytes each | XXH3 64 of all bytes before
 *
 * insets: a description of each (56 bytes, below); then the samples of each, as the heights. A planet without insets is
 * saved as version 1. The header ends with its own XXH3 64. All else that a planet holds follows from these. */
#ifndef BI_PLANET_SAVE_H
#define BI_PLANET_SAVE_H

#include "core/save.h"
#include "planet/planet.h"

enum { BI_PLANET_SAVE_PLAIN = 1, BI_PLANET_SAVE_INSETS = 2 }; /* versions: without insets, and with some */

#define BI_PLANET_SAVE_MAGIC "BOSCPLN\n"

struct bi_planet_header {
    char magic[8];
    uint32_t version, depth, octaves, reserved; /* reserved: 0 */
    double radius, amplitude, wavelength;       /* as in the options, with the defaults filled in */
    uint64_t seed;
    int64_t width, height, leaves;
    uint64_t insets;    /* 0 in version 1; 1 to BOSC_PLANET_INSETS in version 2 */
    uint64_t unused[4]; /* 0 */
    uint64_t hash;      /* of the bytes before */
};

_Static_assert(sizeof(struct bi_planet_header) == 128, "the header is 128 bytes");

/* An inset, as it was added. */
struct bi_planet_saved_inset {
    int64_t width, height;
    uint32_t border, reserved;       /* samples, 1 or more; 0 */
    double west, south, east, north; /* degrees */
};

_Static_assert(sizeof(struct bi_planet_saved_inset) == 56, "an inset is 56 bytes");

#endif
