/* Inside a concurrent binary tree. */
#ifndef BI_CBT_CBT_H
#define BI_CBT_CBT_H

#include <boscage/device/cbt.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_CBT_BLOCK = 1 << BOSC_CBT_BLOCK_BITS, BI_CBT_WORDS = BOSC_CBT_BLOCK_WORDS };

/* Between calls bits and ranks agree and are those of a tree; bits beyond 2^depth are clear in all three fields. */
struct bosc_cbt {
    struct bi_memory memory, host;
    bosc_cbt_opts opts; /* every field set */
    bosc_cbt_view view; /* splits and merges are NULL until the first command */
    struct bi_block bits, ranks, commands, heap, meeting;
    bool pending; /* commands may have been recorded since the last reduction */
    bool shared;  /* a view of the commands is out: there may always be some */
    bool heaped;  /* the article's heap is that of the bits */
};

/* Blocks of 1,024 bits of a tree, and words of its bit field and of the article's heap as callers know them. */
static inline int64_t bi_cbt_blocks(int32_t depth)
{
    return depth > BOSC_CBT_BLOCK_BITS ? (int64_t)1 << (depth - BOSC_CBT_BLOCK_BITS) : 1;
}
static inline size_t bi_cbt_field_bytes(int32_t depth) { return (size_t)bi_cbt_blocks(depth) * (BI_CBT_BLOCK / 8); }
static inline size_t bi_cbt_command_bytes(int32_t depth)
{
    return 2 * bi_cbt_field_bytes(depth) + (size_t)bi_cbt_blocks(depth);
}
static inline int64_t bi_cbt_bit_words(int32_t depth) { return depth > 6 ? (int64_t)1 << (depth - 6) : 1; }
static inline int64_t bi_cbt_heap_words(int32_t depth) { return depth > 4 ? (int64_t)1 << (depth - 4) : 1; }

#ifdef __cplusplus
}
#endif
#endif
