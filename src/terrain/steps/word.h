/* The nodes of a tree that begin within a word of its bits: 64 positions, so at most 64 triangles of the deepest level,
 * which make up half of a block of 8 x 8 intervals. */
#ifndef BI_TERRAIN_STEPS_WORD_H
#define BI_TERRAIN_STEPS_WORD_H

#include "terrain/steps/grid.h"

/* A word's node of 64 positions. Nodes within are found from it in few steps; where it is larger than a root triangle
 * (not anchored), they are found from the roots. */
struct bi_terrain_word {
    struct bi_terrain_triangle t;
    uint64_t first; /* position in the bit field */
    bool anchored;
};

/* True if the node of each word of the tree lies in one root triangle. */
BI_FN bool bi_terrain_words_in_triangles(const struct bi_terrain_grid *g) { return g->depth - 6 >= g->first; }

BI_FN struct bi_terrain_word bi_terrain_word_of(const struct bi_terrain_grid *g, int64_t word)
{
    struct bi_terrain_word w = {{0, 0, 0, 0, 0, 0}, (uint64_t)word << 6, bi_terrain_words_in_triangles(g)};
    if (w.anchored) w.t = bi_terrain_triangle_of(g, bosc_cbt_node(w.first, 6, g->depth));
    return w;
}

/* The triangle of the node of 2^size positions at position p of the word; 2^size <= 64. */
BI_FN struct bi_terrain_triangle bi_terrain_triangle_in_word(const struct bi_terrain_grid *g,
                                                             const struct bi_terrain_word *w, int32_t p, int32_t size)
{
    if (w->anchored) return bi_terrain_descend(w->t, (uint64_t)p >> size, 6 - size);
    return bi_terrain_triangle_of(g, bosc_cbt_node(w->first + (uint64_t)p, size, g->depth));
}

/* log2 of the positions of the leaf at position p of the word. above: the bits of the word above p. */
BI_FN int32_t bi_terrain_leaf_size(const bosc_cbt_view *v, const struct bi_terrain_word *w, int32_t p, uint64_t above)
{
    if (above) return bosc_cbt_trailing_zeros((uint64_t)(bosc_cbt_trailing_zeros(above) - p));
    if (p) return bosc_cbt_trailing_zeros((uint64_t)p);
    return bosc_cbt_log2_size_at(v, w->first);
}

/* The triangle of that leaf, and its level. */
BI_FN struct bi_terrain_triangle bi_terrain_leaf_triangle(const struct bi_terrain_grid *g, const bosc_cbt_view *v,
                                                          const struct bi_terrain_word *w, int32_t p, uint64_t above,
                                                          int32_t *level)
{
    int32_t size = bi_terrain_leaf_size(v, w, p, above);
    *level = g->depth - size;
    if (size <= 6) return bi_terrain_triangle_in_word(g, w, p, size);
    return bi_terrain_triangle_of(g, bosc_cbt_node(w->first, size, g->depth));
}

/* The triangle of the node that the bit at position p of the word splits, and its level. Not for the tree's bit 0. */
BI_FN struct bi_terrain_triangle bi_terrain_split_triangle(const struct bi_terrain_grid *g,
                                                           const struct bi_terrain_word *w, int32_t p, int32_t *level)
{
    int32_t size = bosc_cbt_trailing_zeros(w->first + (uint64_t)p) + 1;
    *level = g->depth - size;
    if (*level < g->first || p == 0) {
        struct bi_terrain_triangle none = {0, 0, 0, 0, 0, 0};
        if (*level < g->first) return none;
        return bi_terrain_triangle_of(g, bosc_cbt_node(w->first, size, g->depth));
    }
    return bi_terrain_triangle_in_word(g, w, p & ~((1 << size) - 1), size);
}

/* Iterates over the split points of a word: removes bits from *left up to the next one that splits a triangle, and sets
 * *middle to the point where it is split. False if there is none. */
BI_FN bool bi_terrain_next_midpoint(const struct bi_terrain_grid *g, const struct bi_terrain_word *w, uint64_t *left,
                                    struct bi_terrain_point *middle)
{
    while (*left) {
        int32_t level, p = bosc_cbt_trailing_zeros(*left);
        *left &= *left - 1;
        if (w->first + (uint64_t)p == 0) continue;
        struct bi_terrain_triangle t = bi_terrain_split_triangle(g, w, p, &level);
        if (level < g->first) continue;
        *middle = bi_terrain_midpoint(&t);
        return true;
    }
    return false;
}

/* Iterates over the leaves of a word: removes the next bit from *left and sets *t to its triangle. */
BI_FN bool bi_terrain_next_leaf(const struct bi_terrain_grid *g, const bosc_cbt_view *v,
                                const struct bi_terrain_word *w, uint64_t *left, struct bi_terrain_triangle *t)
{
    int32_t level;
    if (!*left) return false;
    *t = bi_terrain_leaf_triangle(g, v, w, bosc_cbt_trailing_zeros(*left), *left & (*left - 1), &level);
    *left &= *left - 1;
    return true;
}

#endif
