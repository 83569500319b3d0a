/* boscage/device/cbt.h - a tree of boscage/cbt.h in a loop or a kernel of one's own: nodes, leaves, commands.
 * SPDX-License-Identifier: Apache-2.0
 *
 * bosc_cbt_get_view describes a tree; the functions below read it and record commands, in C and C++ on the CPU for a
 * tree of the CPU backend, and in CUDA kernels for one of the CUDA backend. A view is good until the tree is freed; the
 * commands recorded through it are carried out by the next reduction.
 *
 * A bit but the first one stands for a split: the bit at place x, with t zeros below its lowest one, is set exactly if
 * the node of 2^(t+1) places around it has children, the right one of which begins there. Hence the bits are those of a
 * tree if with each of them the one of the node's parent is set. */
#ifndef BOSCAGE_DEVICE_CBT_H
#define BOSCAGE_DEVICE_CBT_H

#include <boscage/cbt.h>

#if defined(__CUDACC__)
#define BOSC_CBT_FN static __host__ __device__ __forceinline__
#else
#define BOSC_CBT_FN static inline
#endif

enum { BOSC_CBT_VIEW_VERSION = 1, BOSC_CBT_BLOCK_BITS = 10, BOSC_CBT_BLOCK_WORDS = 16 };

typedef struct bosc_cbt_view {
    uint32_t version; /* BOSC_CBT_VIEW_VERSION */
    int32_t depth;
    int64_t blocks;       /* of 2^BOSC_CBT_BLOCK_BITS bits */
    const uint64_t *bits; /* (blocks x BOSC_CBT_BLOCK_WORDS); who changes them calls bosc_cbt_recount */
    const int64_t *ranks; /* (blocks + 1) leaves before the block; the last one: all leaves */
    uint64_t *splits;     /* (as bits) a bit for each split to be made, at its place */
    uint64_t *merges;     /* (as bits) and for each one to be undone */
    uint8_t *touched;     /* (blocks) 1 where any of either are recorded */
} bosc_cbt_view;

BOSC_BEGIN_DECLS

/* Takes memory for commands if there is none. */
BOSC_API bosc_status bosc_cbt_get_view(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_view *view);

BOSC_END_DECLS

/* Zeros below the lowest bit of x, and above the highest one; x is not 0. */
BOSC_CBT_FN int32_t bosc_cbt_low_zeros(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __ffsll((long long)x) - 1;
#else
    return __builtin_ctzll(x);
#endif
}

BOSC_CBT_FN int32_t bosc_cbt_ones(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __popcll(x);
#else
    return __builtin_popcountll(x);
#endif
}

/* The level of a node, which is not 0. */
BOSC_CBT_FN int32_t bosc_cbt_level(uint64_t node)
{
#ifdef __CUDA_ARCH__
    return 63 - __clzll((long long)node);
#else
    return 63 - __builtin_clzll(node);
#endif
}

BOSC_CBT_FN uint64_t bosc_cbt_parent(uint64_t node) { return node >> 1; } /* of the root: 0 */
BOSC_CBT_FN uint64_t bosc_cbt_left(uint64_t node) { return node << 1; }
BOSC_CBT_FN uint64_t bosc_cbt_right(uint64_t node) { return node << 1 | 1; }
BOSC_CBT_FN uint64_t bosc_cbt_sibling(uint64_t node) { return node == 1 ? 0 : node ^ 1; }

/* Is it a node of trees of this depth? */
BOSC_CBT_FN int bosc_cbt_is_node(uint64_t node, int32_t depth) { return node != 0 && node >> depth <= 1; }

/* The first place of a node. */
BOSC_CBT_FN uint64_t bosc_cbt_place(uint64_t node, int32_t depth)
{
    return (node << (depth - bosc_cbt_level(node))) - ((uint64_t)1 << depth);
}

/* The node of 2^size places that begins at this one. */
BOSC_CBT_FN uint64_t bosc_cbt_node(uint64_t place, int32_t size, int32_t depth)
{
    return (((uint64_t)1 << depth) + place) >> size;
}

BOSC_CBT_FN int bosc_cbt_bit(const uint64_t *bits, uint64_t place)
{
    return (int)(bits[place >> 6] >> (place & 63) & 1);
}

BOSC_CBT_FN int64_t bosc_cbt_leaves(const bosc_cbt_view *view) { return view->ranks[view->blocks]; }

/* Leaves that begin before this place (up to 2^depth). */
BOSC_CBT_FN int64_t bosc_cbt_rank(const bosc_cbt_view *view, uint64_t place)
{
    uint64_t block = place >> BOSC_CBT_BLOCK_BITS, word = block * BOSC_CBT_BLOCK_WORDS;
    int64_t rank = view->ranks[block];
    for (; word < place >> 6; word++) rank += bosc_cbt_ones(view->bits[word]);
    if (place & 63) rank += bosc_cbt_ones(view->bits[word] << (64 - (place & 63)));
    return rank;
}

/* log2 of the places of the leaf that begins here. */
BOSC_CBT_FN int32_t bosc_cbt_size_at(const bosc_cbt_view *view, uint64_t place)
{
    int32_t size = place ? bosc_cbt_low_zeros(place) : view->depth;
    while (size > 0 && bosc_cbt_bit(view->bits, place + ((uint64_t)1 << (size - 1)))) size--;
    return size;
}

/* The node of a leaf, or 0 if there is no such leaf. */
BOSC_CBT_FN uint64_t bosc_cbt_find(const bosc_cbt_view *view, int64_t leaf)
{
    int64_t low = 0, high = view->blocks; /* the last block with a rank of at most `leaf` */
    if (leaf < 0 || leaf >= bosc_cbt_leaves(view)) return 0;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (view->ranks[middle] <= leaf)
            low = middle;
        else
            high = middle;
    }
    int64_t rest = leaf - view->ranks[low], word = low * BOSC_CBT_BLOCK_WORDS;
    for (; rest >= bosc_cbt_ones(view->bits[word]); word++) rest -= bosc_cbt_ones(view->bits[word]);
    uint64_t left = view->bits[word];
    for (; rest > 0; rest--) left &= left - 1;
    uint64_t place = (uint64_t)word * 64 + (uint64_t)bosc_cbt_low_zeros(left);
    return bosc_cbt_node(place, bosc_cbt_size_at(view, place), view->depth);
}

BOSC_CBT_FN int bosc_cbt_is_leaf(const bosc_cbt_view *view, uint64_t node)
{
    int32_t depth = view->depth;
    if (!bosc_cbt_is_node(node, depth)) return 0;
    if (node > 1 && !bosc_cbt_bit(view->bits, bosc_cbt_place(node | 1, depth))) return 0;
    return node >> depth || !bosc_cbt_bit(view->bits, bosc_cbt_place(bosc_cbt_right(node), depth));
}

/* The number of a leaf, or -1 if the node is none. */
BOSC_CBT_FN int64_t bosc_cbt_number(const bosc_cbt_view *view, uint64_t node)
{
    return bosc_cbt_is_leaf(view, node) ? bosc_cbt_rank(view, bosc_cbt_place(node, view->depth)) : -1;
}

/* What the article's heap holds for a node (see bosc_cbt_heap_read). */
BOSC_CBT_FN int64_t bosc_cbt_heap(const bosc_cbt_view *view, uint64_t node)
{
    if (node == 0) return (int64_t)1 << view->depth;
    if (!bosc_cbt_is_node(node, view->depth)) return 0;
    uint64_t first = bosc_cbt_place(node, view->depth);
    uint64_t end = first + ((uint64_t)1 << (view->depth - bosc_cbt_level(node)));
    return bosc_cbt_rank(view, end) - bosc_cbt_rank(view, first);
}

/* Sets a bit of splits or merges, which other threads may do meanwhile. */
BOSC_CBT_FN void bosc_cbt_raise(const bosc_cbt_view *view, uint64_t *bits, uint64_t place)
{
    uint64_t bit = (uint64_t)1 << (place & 63);
#ifdef __CUDA_ARCH__
    atomicOr((unsigned long long *)(bits + (place >> 6)), (unsigned long long)bit);
    view->touched[place >> BOSC_CBT_BLOCK_BITS] = 1;
#else
    __atomic_fetch_or(bits + (place >> 6), bit, __ATOMIC_RELAXED);
    __atomic_store_n(view->touched + (place >> BOSC_CBT_BLOCK_BITS), 1, __ATOMIC_RELAXED);
#endif
}

/* Records that a leaf is to be split, or merged with its sibling. */
BOSC_CBT_FN void bosc_cbt_to_split(const bosc_cbt_view *view, uint64_t node)
{
    if (bosc_cbt_is_node(node, view->depth) && !(node >> view->depth))
        bosc_cbt_raise(view, view->splits, bosc_cbt_place(bosc_cbt_right(node), view->depth));
}

BOSC_CBT_FN void bosc_cbt_to_merge(const bosc_cbt_view *view, uint64_t node)
{
    if (bosc_cbt_is_node(node, view->depth) && node > 1)
        bosc_cbt_raise(view, view->merges, bosc_cbt_place(node | 1, view->depth));
}

#endif
