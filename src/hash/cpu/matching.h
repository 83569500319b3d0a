/* The state of a matching of keys and buckets on the CPU (see hash.h). */
#ifndef BI_HASH_CPU_MATCHING_H
#define BI_HASH_CPU_MATCHING_H

#include "hash/cpu/bucketed.h"
#if BI_LEVEL >= 4
#include "hash/cpu/wide.h"
#endif

enum { BI_HASH_POSITIONS = (1 << BI_HASH_POSITION_BITS) - 1 };

struct bi_hash_matching {
    const char *hashes;
    const char *values; /* of the payload: the first key's; NULL: none */
    int32_t paired;     /* 1: each hash is followed by its value, of as many bytes; else 0 */
    uint32_t keys, buckets, seed;
    uint32_t *codes;            /* (buckets x BOSC_HASH_WIDTH) descending; 0: none */
    uint32_t *firsts;           /* the keys' first buckets */
    uint32_t *rejected, *from;  /* codes without a place, and the buckets that rejected them last */
    uint32_t *moved, *moved_to; /* keys that proposed to their second buckets, and those buckets */
    uint32_t n_moved;
    int32_t partition_bits;
    const bosc_hash_partition *partitions; /* NULL, or: those of a whole table, whose buckets and keys all are */
#if BI_LEVEL >= 4
    struct bi_hash_few few; /* the partition, or those of a whole table, if they are few */
#endif
};

BI_FN uint32_t bi_hash_code(uint32_t priority, uint32_t position)
{
    return priority << BI_HASH_POSITION_BITS | ((uint32_t)BI_HASH_POSITIONS - position);
}
BI_FN uint32_t bi_hash_position(uint32_t code) { return (uint32_t)BI_HASH_POSITIONS - (code & BI_HASH_POSITIONS); }

#endif
