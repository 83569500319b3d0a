/* Sizes of the arrays of a tree of some depth. */
#ifndef BI_CBT_STEPS_SIZES_H
#define BI_CBT_STEPS_SIZES_H

#include <boscage/device/cbt.h>

#include "base/step.h"

enum { BI_CBT_BLOCK = 1 << BOSC_CBT_BLOCK_BITS, BI_CBT_WORDS = BOSC_CBT_BLOCK_WORDS };

/* Number of blocks of 1,024 bits; memory has whole blocks. */
static inline int64_t bi_cbt_blocks(int32_t depth)
{
    return depth > BOSC_CBT_BLOCK_BITS ? (int64_t)1 << (depth - BOSC_CBT_BLOCK_BITS) : 1;
}
static inline size_t bi_cbt_field_bytes(int32_t depth) { return (size_t)bi_cbt_blocks(depth) * (BI_CBT_BLOCK / 8); }
static inline size_t bi_cbt_rank_bytes(int32_t depth) { return (size_t)(bi_cbt_blocks(depth) + 1) * sizeof(int64_t); }
/* Two bit fields (splits and merges), and a byte a block (touched). */
static inline size_t bi_cbt_command_bytes(int32_t depth)
{
    return 2 * bi_cbt_field_bytes(depth) + (size_t)bi_cbt_blocks(depth);
}

/* Words of the bit field and of the published heap, without padding to blocks. */
BI_FN int64_t bi_cbt_bit_words(int32_t depth) { return depth > 6 ? (int64_t)1 << (depth - 6) : 1; }
static inline int64_t bi_cbt_heap_words(int32_t depth) { return depth > 4 ? (int64_t)1 << (depth - 4) : 1; }

#endif
