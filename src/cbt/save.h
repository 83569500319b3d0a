/* The saved form of a tree, little-endian:
 *
 *   header (64 bytes, below) | bit field, (2^depth + 63) / 64 words | XXH3 64 of all bytes before
 *
 * The header ends with its own XXH3 64. */
#ifndef BI_CBT_SAVE_H
#define BI_CBT_SAVE_H

#include "cbt/cbt.h"
#include "core/save.h"

enum { BI_CBT_SAVE_VERSION = 1 };

#define BI_CBT_SAVE_MAGIC "BOSCCBT\n"

struct bi_cbt_header {
    char magic[8];
    uint32_t version, depth, level, layout, id_bits, reserved;
    int64_t leaves;
    uint64_t unused[2]; /* 0 */
    uint64_t hash;      /* of the bytes before */
};

_Static_assert(sizeof(struct bi_cbt_header) == 64, "the header is 64 bytes");

#endif
