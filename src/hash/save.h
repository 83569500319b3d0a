/* The saved form of a hash table, little-endian:
 *
 *   header (128 bytes, below) | descriptors | table | pilots | values | XXH3 64 of all preceding bytes
 *
 * The arrays are the blocks of the table (hash/hash.h), as far as it uses them. Each begins at a multiple of 64
 * bytes, with zeros before it, so that a mapped file can be used in place. The header ends with its own XXH3 64. */
#ifndef BI_HASH_SAVE_H
#define BI_HASH_SAVE_H

#include "core/save.h"
#include "hash/handle.h"

enum {
    BI_HASH_SAVE_VERSION = 1,
    BI_HASH_SAVED_LAYOUT = BOSC_HASH_BUCKETED /* subtracted from a saved layout, which is never AUTO */
};

#define BI_HASH_SAVE_MAGIC "BOSCHSH\n"

struct bi_hash_header {
    char magic[8];
    uint32_t version, layout, kind, key_bits, value_size, duplicates, value_dtype, counted;
    double load_factor;
    uint64_t seed;
    int64_t pairs, keys, buckets, extra_probes;
    uint32_t reseeded, linear, partition_bits, functions; /* functions: of CUCKOO and CHAINED (0: 2), else 0 */
    uint32_t go_left, unused_bits;                        /* unused: 0 */
    uint64_t unused;
    uint64_t hash; /* of the preceding bytes */
};

_Static_assert(sizeof(struct bi_hash_header) == 128, "the header is 128 bytes");

#endif
