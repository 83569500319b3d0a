/* The state of a matching of keys and buckets on the CPU (see hash.h). */
#ifndef BI_HASH_CPU_MATCHING_H
#define BI_HASH_CPU_MATCHING_H

#include "hash/cpu/bucketed.h"
#if BI_LEVEL >= 4
#include "hash/cpu/hash_avx512.h"
#endif

enum { BI_HASH_POSITIONS = (1 << BI_HASH_POSITION_BITS) - 1 };

struct bi_hash_matching {
    const char *hashes;
    const char *values; /* the payload of the first key; NULL: none */
    int32_t paired;     /* 1: each value, of as many bytes, follows its hash; else 0 */
    uint32_t keys, buckets, seed;
    uint32_t *codes;            /* (buckets x BOSC_HASH_WIDTH) descending; 0: none */
    uint32_t *first_buckets;    /* the keys' first buckets */
    uint32_t *rejected, *from;  /* codes of keys without a slot, and the buckets that rejected them last */
    uint32_t *moved, *moved_to; /* keys that have proposed to their second buckets, and those buckets */
    uint32_t n_moved;
#if BI_LEVEL >= 4
    __m512i sizes, seeds; /* in each lane: the number of buckets; the addend of the seed to a fold */
#endif
};

BI_FN uint32_t bi_hash_code(uint32_t priority, uint32_t position)
{
    return priority << BI_HASH_POSITION_BITS | ((uint32_t)BI_HASH_POSITIONS - position);
}
BI_FN uint32_t bi_hash_position(uint32_t code) { return (uint32_t)BI_HASH_POSITIONS - (code & BI_HASH_POSITIONS); }

#endif
