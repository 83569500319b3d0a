/* boscage/device/cbt_heap.h - a PUBLISHED tree of boscage/cbt.h in loops and kernels of your own.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: meshes
 * Start with: bosc_cbt_get_heap_view
 *
 * The tree is the article's heap alone: node k of level d has its number of leaves in D - d + 1 bits, from bit 2^(d+1)
 * + k (D - d + 1) on; the deepest level is the bit field. Splits set bits of the field and merges clear them in place,
 * by atomics. The sums above stay those of the last reduction and describe the whole tree as of then, so some threads
 * may call the functions below while others record commands.
 *
 * In C and C++ on the CPU for a tree of the CPU backend, in CUDA kernels for one of the CUDA backend. A view is valid
 * until the tree is freed. Arithmetic of nodes is in boscage/device/cbt.h.
 * Source: Dupuy, Concurrent Binary Trees (with Application to Longest Edge Bisection) (PACMCGIT 2020). */
#ifndef BOSCAGE_DEVICE_CBT_HEAP_H
#define BOSCAGE_DEVICE_CBT_HEAP_H

#include <boscage/device/cbt.h>

typedef struct bosc_cbt_heap_view {
    uint32_t version; /* BOSC_CBT_VIEW_VERSION */
    int32_t depth;
    uint64_t *heap; /* ((2^(depth+2) + 63) / 64); after changing bits of the field call bosc_cbt_recount */
} bosc_cbt_heap_view;

BOSC_BEGIN_DECLS

/* Describes a PUBLISHED tree by a view.
 * Errors: BOSC_ERR_ARG for a tree of another layout.
 * Cost: O(1) work.
 * Queues. */
BOSC_API bosc_status bosc_cbt_get_heap_view(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_heap_view *view);

BOSC_END_DECLS

/* Returns a word of the heap; other threads may be changing bits of the field in it. */
BOSC_DEVICE_FN uint64_t bosc_cbt_heap_word(const bosc_cbt_heap_view *view, uint64_t word)
{
#ifdef __CUDA_ARCH__
    return view->heap[word];
#else
    return __atomic_load_n(view->heap + word, __ATOMIC_RELAXED);
#endif
}

/* The bits of the heap that hold a node of a level above the deepest one, as a number. */
BOSC_DEVICE_FN uint64_t bosc_cbt_heap_sum(const bosc_cbt_heap_view *view, uint64_t node, int32_t level)
{
    const int32_t width = view->depth - level + 1;
    const uint64_t bit = ((uint64_t)2 << level) + node * (uint64_t)width, low = bit & 63;
    uint64_t value = bosc_cbt_heap_word(view, bit >> 6) >> low;
    if (low + (uint64_t)width > 64) value |= bosc_cbt_heap_word(view, (bit >> 6) + 1) << (64 - low);
    return value & (((uint64_t)1 << width) - 1);
}

/* The number of leaves below a node of a level, itself included. On the deepest level it follows from the node's
 * parent, since the bits may have been changed. */
BOSC_DEVICE_FN uint64_t bosc_cbt_heap_value(const bosc_cbt_heap_view *view, uint64_t node, int32_t level)
{
    if (level < view->depth) return bosc_cbt_heap_sum(view, node, level);
    if (level == 0) return 1;
    return bosc_cbt_heap_sum(view, node >> 1, level - 1) > (node & 1);
}

/* The number of leaves as of the last reduction. */
BOSC_DEVICE_FN int64_t bosc_cbt_heap_leaf_count(const bosc_cbt_heap_view *view)
{
    return (int64_t)bosc_cbt_heap_value(view, 1, 0);
}

/* The node of a leaf, or 0 if there is no such leaf: down the sums, as published.
 * Cost: O(depth). */
BOSC_DEVICE_FN uint64_t bosc_cbt_heap_leaf_node(const bosc_cbt_heap_view *view, int64_t leaf)
{
    uint64_t node = 1, rest = (uint64_t)leaf, count = (uint64_t)bosc_cbt_heap_leaf_count(view);
    if (leaf < 0 || rest >= count) return 0;
    for (int32_t level = 1; count > 1; level++) {
        const uint64_t left = bosc_cbt_heap_value(view, 2 * node, level);
        const int right = rest >= left;
        node = 2 * node + (uint64_t)right;
        rest -= right ? left : 0;
        count = right ? count - left : left;
    }
    return node;
}

/* True if the node is a leaf of the tree. */
BOSC_DEVICE_FN int bosc_cbt_heap_is_leaf(const bosc_cbt_heap_view *view, uint64_t node)
{
    if (!bosc_cbt_is_node(node, view->depth)) return 0;
    const int32_t level = bosc_cbt_level(node);
    if (level > 0 && bosc_cbt_heap_sum(view, node >> 1, level - 1) < 2) return 0;
    return bosc_cbt_heap_value(view, node, level) == 1;
}

/* The number of leaves that begin before this position, which is less than 2^depth.
 * Cost: O(depth). */
BOSC_DEVICE_FN int64_t bosc_cbt_heap_rank(const bosc_cbt_heap_view *view, uint64_t position)
{
    int64_t rank = 0;
    uint64_t node = ((uint64_t)1 << view->depth) + position;
    for (int32_t level = view->depth; level > 0; level--, node >>= 1)
        if (node & 1) rank += (int64_t)bosc_cbt_heap_value(view, node - 1, level);
    return rank;
}

/* The number of a leaf, or -1 if the node is not a leaf.
 * Cost: O(depth). */
BOSC_DEVICE_FN int64_t bosc_cbt_heap_leaf_index(const bosc_cbt_heap_view *view, uint64_t node)
{
    return bosc_cbt_heap_is_leaf(view, node) ? bosc_cbt_heap_rank(view, bosc_cbt_first_bit(node, view->depth)) : -1;
}

/* Sets (or clears) a bit of the field, atomically. */
BOSC_DEVICE_FN void bosc_cbt_heap_set_bit(const bosc_cbt_heap_view *view, uint64_t position, int set)
{
    const uint64_t at = ((uint64_t)3 << view->depth) + position, bit = (uint64_t)1 << (at & 63);
#ifdef __CUDA_ARCH__
    unsigned long long *word = (unsigned long long *)(view->heap + (at >> 6));
    if (set)
        atomicOr(word, (unsigned long long)bit);
    else
        atomicAnd(word, ~(unsigned long long)bit);
#else
    if (set)
        __atomic_fetch_or(view->heap + (at >> 6), bit, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(view->heap + (at >> 6), ~bit, __ATOMIC_RELAXED);
#endif
}

/* Records a split of a leaf, or a merge with its sibling. The next reduction undoes merges of nodes with a child to be
 * split, so the order of commands does not matter. */
BOSC_DEVICE_FN void bosc_cbt_heap_mark_split(const bosc_cbt_heap_view *view, uint64_t node)
{
    if (!(node >> view->depth) && bosc_cbt_heap_is_leaf(view, node))
        bosc_cbt_heap_set_bit(view, bosc_cbt_first_bit(bosc_cbt_right(node), view->depth), 1);
}

BOSC_DEVICE_FN void bosc_cbt_heap_mark_merge(const bosc_cbt_heap_view *view, uint64_t node)
{
    if (!bosc_cbt_is_node(node, view->depth) || node == 1) return;
    if (bosc_cbt_heap_sum(view, node >> 1, bosc_cbt_level(node) - 1) == 2)
        bosc_cbt_heap_set_bit(view, bosc_cbt_first_bit(node | 1, view->depth), 0);
}

#endif
