/* The saved form of a k-d tree, little-endian:
 *
 *   header (64 bytes, below) | points: nodes x dim elements in order | ids: nodes x uint32
 *   | if flags & 1: inverse: n x uint32, counts: nodes x uint32 | XXH3 64 of everything before
 *
 * The header ends with its own XXH3 64, so that a damaged header is found before it is used. */
#ifndef BI_KDTREE_SAVE_H
#define BI_KDTREE_SAVE_H

#include "core/save.h"
#include "kdtree/handle.h"

enum { BI_KDTREE_SAVE_VERSION = 1, BI_KDTREE_SAVE_DUPLICATES_REMOVED = 1 };

#define BI_KDTREE_SAVE_MAGIC "BOSCKDT\n"

struct bi_kdtree_header {
    char magic[8];
    uint32_t version, flags;
    uint32_t dtype, dim;
    uint32_t id_bits, reserved;
    int64_t n, nodes;
    uint64_t unused; /* 0 */
    uint64_t hash;   /* of the bytes before */
};

_Static_assert(sizeof(struct bi_kdtree_header) == 64, "the header is 64 bytes");

/* Saves the header of a tree of n points with `nodes` nodes. */
bosc_status bi_kdtree_save_header(struct bi_saver *s, const bosc_kdtree_opts *opts, int64_t n, int64_t nodes);

#endif
