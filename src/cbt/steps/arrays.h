/* The arrays of a tree of some depth: their sizes; and arrays of nodes of 32 or 64 bits. */
#ifndef BI_CBT_STEPS_ARRAYS_H
#define BI_CBT_STEPS_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

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

BI_FN uint64_t bi_cbt_load_node(const void *nodes, int64_t i, bool is_64bit)
{
    return is_64bit ? ((const uint64_t *)nodes)[i] : ((const uint32_t *)nodes)[i];
}

BI_FN void bi_cbt_store_node(void *nodes, int64_t i, uint64_t node, bool is_64bit)
{
    if (is_64bit)
        ((uint64_t *)nodes)[i] = node;
    else
        ((uint32_t *)nodes)[i] = (uint32_t)node;
}

#endif
