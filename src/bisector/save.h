/* The saved form of a pool, little-endian:
 *
 *   header (64 bytes, below) | roots, 3 x 4 bytes each: 4 s + f, 2^32 - 1 at the border | nodes, 8 bytes each |
 *   XXH3 64 of all bytes before
 *
 * The header ends with its own XXH3 64. */
#ifndef BI_BISECTOR_SAVE_H
#define BI_BISECTOR_SAVE_H

#include "bisector/bisector.h"
#include "core/save.h"

enum { BI_BISECTOR_SAVE_VERSION = 1 };

#define BI_BISECTOR_SAVE_MAGIC "BOSCBSC\n"

struct bi_bisector_header {
    char magic[8];
    uint32_t version, depth;
    int64_t root_count, leaves;
    uint64_t unused[3]; /* 0 */
    uint64_t hash;      /* of the bytes before */
};

_Static_assert(sizeof(struct bi_bisector_header) == 64, "the header is 64 bytes");

#endif
