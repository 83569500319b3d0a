/* Vectors of many shapes, and graphs compared with a plain one, for the cases of cell graphs. */
#ifndef TESTS_CASES_PLAN_CELLS_DATA_H
#define TESTS_CASES_PLAN_CELLS_DATA_H

#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "reference/cellgraph.h"

enum cells_shape {
    CELLS_RANDOM,    /* uniform letters: hardly any edges, if the vectors are long */
    CELLS_WALK,      /* each row is an earlier one with a letter or two replaced */
    CELLS_CLUSTERED, /* a few centres and their neighbourhoods */
    CELLS_CUBE,      /* all letters 0 but a few, which take all values: many agree in all words but one */
    CELLS_WIDE_CUBE, /* the same over letters all over the vector */
    CELLS_EQUAL,     /* one vector */
    CELLS_EXTREMES,  /* all zeros, all ones, and neighbours of these */
    CELLS_SHAPES
};

static inline uint32_t cells_any(struct suite_random *r, int32_t bits) { return (uint32_t)suite_below(r, 1u << bits); }

/* Sets any letter of row i to any value. */
static inline void cells_change(struct reference_cells *c, struct suite_random *r, int64_t i)
{
    const uint32_t value = cells_any(r, c->letter_bits);
    reference_set_letter(c, i, (int32_t)suite_below(r, (uint64_t)c->length), value);
}

static inline void cells_row(struct reference_cells *c, enum cells_shape shape, struct suite_random *r, int64_t i)
{
    int32_t bits = c->letter_bits, few = c->length < 7 ? c->length : 7;
    int32_t words = (int32_t)bosc_cellgraph_words(c->length, bits);
    int64_t from = i > 0 ? (int64_t)suite_below(r, (uint64_t)i) : 0;
    int changes = (int)suite_below(r, 3);
    if (shape == CELLS_RANDOM || (i == 0 && shape != CELLS_EXTREMES) || (shape == CELLS_CLUSTERED && i < 4)) {
        for (int32_t k = 0; k < c->length; k++) reference_set_letter(c, i, k, cells_any(r, bits));
        return;
    }
    if (shape == CELLS_EXTREMES) {
        for (int32_t k = 0; k < c->length; k++) reference_set_letter(c, i, k, i % 2 ? 255 : 0);
    } else {
        if (shape == CELLS_CLUSTERED) from %= 4;
        if (shape >= CELLS_CUBE) from = 0;
        for (int32_t s = 0; s < words; s++) c->rows[i * c->stride + s] = c->rows[from * c->stride + s];
    }
    for (int32_t k = 0; k < few; k++) {
        int32_t at = shape == CELLS_WIDE_CUBE ? (int32_t)((int64_t)k * (c->length - 1) / few) : c->length / 2 + k / 2;
        if (shape == CELLS_CUBE || shape == CELLS_WIDE_CUBE) reference_set_letter(c, i, at, cells_any(r, bits));
    }
    for (int k = 0; k < changes && shape != CELLS_EQUAL && shape < CELLS_CUBE; k++) cells_change(c, r, i);
    if (shape == CELLS_EXTREMES) cells_change(c, r, i);
}

/* n rows, with random bits where the library must ignore them. */
static inline struct reference_cells cells_make(struct suite_random *r, enum cells_shape shape, int32_t length,
                                                int32_t letter_bits, int64_t n, int64_t padding)
{
    struct reference_cells c = {.n = n, .length = length, .letter_bits = letter_bits};
    c.stride = bosc_cellgraph_words(length, letter_bits) + padding;
    c.rows = suite_alloc((size_t)(n * c.stride) * 8);
    for (int64_t at = 0; at < n * c.stride; at++) c.rows[at] = 0;
    for (int64_t i = 0; i < n; i++) cells_row(&c, shape, r, i);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t s = 0; s < c.stride; s++) {
            uint64_t *word = &c.rows[i * c.stride + s], kept = 0;
            int32_t per_word = 64 / letter_bits;
            for (int32_t j = 0; j < per_word; j++)
                if (s * per_word + j < length) kept |= ((1ull << letter_bits) - 1) << j * letter_bits;
            *word = (*word & kept) | (suite_next(r) & ~kept);
        }
    }
    return c;
}

/* Most bits of a word for TABLE; tables of more take an emulated device seconds. */
static inline int32_t cells_table_bits(const bosc_ctx *ctx) { return suite_slow(ctx) ? 16 : 26; }

static inline int64_t cells_id(const void *ids, int32_t id_bits, int64_t at)
{
    return id_bits == 64 ? ((const int64_t *)ids)[at] : (int64_t)((const uint32_t *)ids)[at];
}

enum { CELLS_BLOCKS = -100 };

/* pivots: of HEURISTIC, and how TRIE searches; -1 - pivots: of HEURISTIC as published, CELLS_BLOCKS - pivots: of its
 * launch by blocks. Then blocks and threads of a launch are odd. */
static inline bosc_cellgraph *cells_graph(bosc_ctx *ctx, const struct reference_cells *c, bosc_cellgraph_method method,
                                          int32_t pivots, int32_t id_bits)
{
    bosc_cellgraph_opts opts = {.size = sizeof opts,
                                .length = c->length,
                                .letter_bits = c->letter_bits,
                                .method = method,
                                .pivots = method == BOSC_CELLGRAPH_TRIE ? 0
                                          : pivots <= CELLS_BLOCKS      ? CELLS_BLOCKS - pivots
                                          : pivots < 0                  ? -1 - pivots
                                                                        : pivots,
                                .trie_search = (bosc_cellgraph_trie_search)(method == BOSC_CELLGRAPH_TRIE ? pivots : 0),
                                .id_bits = id_bits};
    bosc_cellgraph *graph = NULL;
    if (method == BOSC_CELLGRAPH_TRIE) opts.digit_bits = c->letter_bits * (int32_t)(c->n % (8 / c->letter_bits + 1));
    if (pivots < 0) opts.heuristic_search = BOSC_CELLGRAPH_HEURISTIC_PUBLISHED;
    if (pivots <= CELLS_BLOCKS) opts.heuristic_search = BOSC_CELLGRAPH_HEURISTIC_BLOCKS;
    if (pivots < -1 && pivots != CELLS_BLOCKS) opts.blocks = opts.threads = 3;
    if (opts.trie_search == BOSC_CELLGRAPH_TRIE_BLOCKS && c->n % 2) opts.blocks = opts.threads = 3;
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &opts, &graph));
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, c->rows, c->n, c->stride));
    return graph;
}

#endif
