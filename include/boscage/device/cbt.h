/* boscage/device/cbt.h - a tree of boscage/cbt.h in loops and kernels of your own: nodes, leaves, commands.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: meshes
 * Start with: bosc_cbt_get_view
 *
 * bosc_cbt_get_view describes a tree. The functions below read it and record commands, in C and C++ on the CPU for a
 * tree of the CPU backend, in CUDA kernels for one of the CUDA backend. A view is valid until the tree is freed; the
 * next reduction applies the commands recorded through it.
 *
 * Every bit but the first stands for a split: bit x, where x ends in t zeros in binary, is set exactly if the node that
 * covers the 2^(t+1) bits around it is split; its right child begins at bit x. So a field encodes a tree if bit 0 is
 * set, and each other set bit has its node's parent's bit set. */
#ifndef BOSCAGE_DEVICE_CBT_H
#define BOSCAGE_DEVICE_CBT_H

#include <boscage/cbt.h>
#include <boscage/device/function.h>

enum { BOSC_CBT_VIEW_VERSION = 1, BOSC_CBT_BLOCK_BITS = 10, BOSC_CBT_BLOCK_WORDS = 16 };

typedef struct bosc_cbt_view {
    uint32_t version; /* BOSC_CBT_VIEW_VERSION */
    int32_t depth;
    int64_t blocks;       /* of 2^BOSC_CBT_BLOCK_BITS bits */
    const uint64_t *bits; /* (blocks x BOSC_CBT_BLOCK_WORDS); after changing them call bosc_cbt_recount */
    const int64_t *ranks; /* (blocks + 1) leaves before the block; the last one: all leaves */
    uint64_t *splits;     /* (as bits) the splits to make: bits to set */
    uint64_t *merges;     /* (as bits) the splits to undo: bits to clear */
    uint8_t *touched;     /* (blocks) 1 where the block has commands */
} bosc_cbt_view;

BOSC_BEGIN_DECLS

/* Describes the tree by a view. Allocates memory for commands if there is none.
 * Cost: O(1) work, and O(2^D / 64) the first time.
 * Queues. */
BOSC_API bosc_status bosc_cbt_get_view(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_view *view);

BOSC_END_DECLS

/* Zeros below the lowest bit of x, which is not 0. */
BOSC_DEVICE_FN int32_t bosc_cbt_trailing_zeros(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __ffsll((long long)x) - 1;
#else
    return __builtin_ctzll(x);
#endif
}

/* Bits set in x. */
BOSC_DEVICE_FN int32_t bosc_cbt_popcount(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __popcll(x);
#else
    return __builtin_popcountll(x);
#endif
}

/* The level of a node, which is not 0. */
BOSC_DEVICE_FN int32_t bosc_cbt_level(uint64_t node)
{
#ifdef __CUDA_ARCH__
    return 63 - __clzll((long long)node);
#else
    return 63 - __builtin_clzll(node);
#endif
}

BOSC_DEVICE_FN uint64_t bosc_cbt_parent(uint64_t node) { return node >> 1; } /* of the root: 0 */
BOSC_DEVICE_FN uint64_t bosc_cbt_left(uint64_t node) { return node << 1; }
BOSC_DEVICE_FN uint64_t bosc_cbt_right(uint64_t node) { return node << 1 | 1; }
BOSC_DEVICE_FN uint64_t bosc_cbt_sibling(uint64_t node) { return node == 1 ? 0 : node ^ 1; }

/* True if trees of this depth can have this node. */
BOSC_DEVICE_FN int bosc_cbt_is_node(uint64_t node, int32_t depth) { return node != 0 && node >> depth <= 1; }

/* The first bit that a node covers. */
BOSC_DEVICE_FN uint64_t bosc_cbt_first_bit(uint64_t node, int32_t depth)
{
    return (node << (depth - bosc_cbt_level(node))) - ((uint64_t)1 << depth);
}

/* The node that covers 2^log2_size bits from this position on. */
BOSC_DEVICE_FN uint64_t bosc_cbt_node(uint64_t position, int32_t log2_size, int32_t depth)
{
    return (((uint64_t)1 << depth) + position) >> log2_size;
}

/* The bit at this position. */
BOSC_DEVICE_FN int bosc_cbt_bit(const uint64_t *bits, uint64_t position)
{
    return (int)(bits[position >> 6] >> (position & 63) & 1);
}

/* The number of leaves as of the last reduction. */
BOSC_DEVICE_FN int64_t bosc_cbt_leaf_count(const bosc_cbt_view *view) { return view->ranks[view->blocks]; }

/* The number of leaves that begin before this position, which is 2^depth at most.
 * Cost: one rank and up to 16 words of bits. */
BOSC_DEVICE_FN int64_t bosc_cbt_rank(const bosc_cbt_view *view, uint64_t position)
{
    uint64_t block = position >> BOSC_CBT_BLOCK_BITS, word = block * BOSC_CBT_BLOCK_WORDS;
    int64_t rank = view->ranks[block];
    for (; word < position >> 6; word++) rank += bosc_cbt_popcount(view->bits[word]);
    if (position & 63) rank += bosc_cbt_popcount(view->bits[word] << (64 - (position & 63)));
    return rank;
}

/* Returns log2 of the number of bits of the leaf that begins at this position.
 * Cost: O(depth). */
BOSC_DEVICE_FN int32_t bosc_cbt_log2_size_at(const bosc_cbt_view *view, uint64_t position)
{
    int32_t size = position ? bosc_cbt_trailing_zeros(position) : view->depth;
    while (size > 0 && bosc_cbt_bit(view->bits, position + ((uint64_t)1 << (size - 1)))) size--;
    return size;
}

/* The node of a leaf, or 0 if there is no such leaf.
 * Cost: O(depth). */
BOSC_DEVICE_FN uint64_t bosc_cbt_leaf_node(const bosc_cbt_view *view, int64_t leaf)
{
    int64_t low = 0, high = view->blocks; /* the last block with a rank of at most `leaf` */
    if (leaf < 0 || leaf >= bosc_cbt_leaf_count(view)) return 0;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (view->ranks[middle] <= leaf)
            low = middle;
        else
            high = middle;
    }
    int64_t rest = leaf - view->ranks[low], word = low * BOSC_CBT_BLOCK_WORDS;
    for (; rest >= bosc_cbt_popcount(view->bits[word]); word++) rest -= bosc_cbt_popcount(view->bits[word]);
    uint64_t left = view->bits[word];
    for (; rest > 0; rest--) left &= left - 1;
    uint64_t position = (uint64_t)word * 64 + (uint64_t)bosc_cbt_trailing_zeros(left);
    return bosc_cbt_node(position, bosc_cbt_log2_size_at(view, position), view->depth);
}

/* True if the node is a leaf of the tree. */
BOSC_DEVICE_FN int bosc_cbt_is_leaf(const bosc_cbt_view *view, uint64_t node)
{
    int32_t depth = view->depth;
    if (!bosc_cbt_is_node(node, depth)) return 0;
    if (node > 1 && !bosc_cbt_bit(view->bits, bosc_cbt_first_bit(node | 1, depth))) return 0;
    return node >> depth || !bosc_cbt_bit(view->bits, bosc_cbt_first_bit(bosc_cbt_right(node), depth));
}

/* The number of a leaf, or -1 if the node is not a leaf.
 * Cost: that of bosc_cbt_rank. */
BOSC_DEVICE_FN int64_t bosc_cbt_leaf_index(const bosc_cbt_view *view, uint64_t node)
{
    return bosc_cbt_is_leaf(view, node) ? bosc_cbt_rank(view, bosc_cbt_first_bit(node, view->depth)) : -1;
}

/* The value of a node in the article's heap (see bosc_cbt_heap_read).
 * Cost: that of two bosc_cbt_rank. */
BOSC_DEVICE_FN int64_t bosc_cbt_leaves_below(const bosc_cbt_view *view, uint64_t node)
{
    if (node == 0) return (int64_t)1 << view->depth;
    if (!bosc_cbt_is_node(node, view->depth)) return 0;
    uint64_t first = bosc_cbt_first_bit(node, view->depth);
    uint64_t end = first + ((uint64_t)1 << (view->depth - bosc_cbt_level(node)));
    return bosc_cbt_rank(view, end) - bosc_cbt_rank(view, first);
}

/* Sets a bit of `splits` or `merges`, atomically. */
BOSC_DEVICE_FN void bosc_cbt_set_command(const bosc_cbt_view *view, uint64_t *bits, uint64_t position)
{
    uint64_t bit = (uint64_t)1 << (position & 63);
#ifdef __CUDA_ARCH__
    atomicOr((unsigned long long *)(bits + (position >> 6)), (unsigned long long)bit);
    view->touched[position >> BOSC_CBT_BLOCK_BITS] = 1;
#else
    __atomic_fetch_or(bits + (position >> 6), bit, __ATOMIC_RELAXED);
    __atomic_store_n(view->touched + (position >> BOSC_CBT_BLOCK_BITS), 1, __ATOMIC_RELAXED);
#endif
}

/* Records a split of a leaf, or a merge with its sibling. */
BOSC_DEVICE_FN void bosc_cbt_mark_split(const bosc_cbt_view *view, uint64_t node)
{
    if (bosc_cbt_is_node(node, view->depth) && !(node >> view->depth))
        bosc_cbt_set_command(view, view->splits, bosc_cbt_first_bit(bosc_cbt_right(node), view->depth));
}

BOSC_DEVICE_FN void bosc_cbt_mark_merge(const bosc_cbt_view *view, uint64_t node)
{
    if (bosc_cbt_is_node(node, view->depth) && node > 1)
        bosc_cbt_set_command(view, view->merges, bosc_cbt_first_bit(node | 1, view->depth));
}

#endif
