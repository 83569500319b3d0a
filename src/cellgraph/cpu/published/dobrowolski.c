/* Dobrowolski's sequential search, in O(n length) steps. It goes from the last letter to the first, with groups of
 * vectors that agree in all later letters. Two vectors differ in the current letter alone if they are in one group and
 * have one parent in the tree of prefixes: the node of the letters before. Then each group is split by the letter;
 * vectors alone in a group are dropped. The tree is never built: nodes of a level are runs of sorted vectors that share
 * a prefix, and groups keep the order of the vectors, so that vectors with one parent are adjacent. Source:
 * Dobrowolski, An Efficient Method of Constructing Cell Graph (SII 2013); described in a comment of his library
 * libcs. */
#include <string.h>

#include <boscage/trie.h>

#include "cellgraph/cpu/cpu.h"

struct grouping {
    struct bi_letters shape;
    const uint64_t *rows;     /* (count x words) sorted */
    const uint32_t *vertices; /* of each row */
    int64_t count;
    uint32_t *common;              /* (count) letters of the common prefix with the row before */
    uint32_t *parents;             /* (count) first row with the same letters before the current one */
    uint32_t *current, *next;      /* (count) rows by group, ascending in each */
    uint8_t *begins, *next_begins; /* (count + 1) a group begins here */
    int64_t grouped;
};

static uint32_t letter_of(const struct grouping *w, int64_t row, int32_t k)
{
    const struct bi_letters *s = &w->shape;
    uint64_t word = w->rows[row * s->words + k / s->per_word];
    return (uint32_t)(word >> (k % s->per_word * s->letter_bits)) & ((1u << s->letter_bits) - 1);
}

static uint32_t common_letters(const struct grouping *w, int64_t row)
{
    const struct bi_letters *s = &w->shape;
    const uint64_t *y = w->rows + row * s->words, *x = y - s->words;
    int32_t word = 0;
    while (x[word] == y[word]) word++; /* rows differ */
    return (uint32_t)(word * s->per_word + bi_lowest_bit(x[word] ^ y[word]) / s->letter_bits);
}

/* Appends all pairs of rows begin to end - 1, which share group and parent. */
static void append_pairs(const struct grouping *w, const struct bi_cellgraph_edge_list *found, int64_t begin,
                         int64_t end, int32_t k)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = i + 1; j < end; j++)
            bi_cellgraph_append_edge(found, w->vertices[w->current[i]], w->vertices[w->current[j]], (uint32_t)k);
}

/* Finds the pairs that differ in letter k alone. */
static void find_pairs(const struct grouping *w, const struct bi_cellgraph_edge_list *found, int32_t k)
{
    for (int64_t i = 0; i < w->count; i++)
        w->parents[i] = i > 0 && w->common[i] >= (uint32_t)k ? w->parents[i - 1] : (uint32_t)i;
    for (int64_t begin = 0, end; begin < w->grouped; begin = end) {
        for (end = begin + 1; !w->begins[end] && w->parents[w->current[end]] == w->parents[w->current[begin]];) end++;
        if (end - begin > 1) append_pairs(w, found, begin, end, k);
    }
}

/* Splits a group by letter k, and keeps the parts of several rows. */
static int64_t split_group(const struct grouping *w, int64_t begin, int64_t end, int32_t k, int64_t to)
{
    uint32_t counts[257]; /* by letter (8 bits at most) + 1; later its next slot, or UINT32_MAX for a single row */
    const uint32_t letters = 1u << w->shape.letter_bits;
    memset(counts, 0, (letters + 1) * sizeof *counts);
    for (int64_t i = begin; i < end; i++) counts[letter_of(w, w->current[i], k) + 1]++;
    for (uint32_t letter = 0; letter < letters; letter++) {
        const uint32_t size = counts[letter + 1], grouped = size > 1 ? size : 0;
        if (grouped) w->next_begins[to + counts[letter]] = 1;
        counts[letter + 1] = counts[letter] + grouped;
        if (size == 1) counts[letter] = UINT32_MAX;
    }
    const int64_t after = to + counts[letters];
    for (int64_t i = begin; i < end; i++) {
        uint32_t *slot = &counts[letter_of(w, w->current[i], k)];
        if (*slot != UINT32_MAX) w->next[to + (*slot)++] = w->current[i];
    }
    return after;
}

static void split_groups(struct grouping *w, int32_t k)
{
    int64_t to = 0;
    for (int64_t i = 0; i <= w->grouped; i++) w->next_begins[i] = 0;
    for (int64_t begin = 0, end; begin < w->grouped; begin = end) {
        for (end = begin + 1; !w->begins[end];) end++;
        to = split_group(w, begin, end, k, to);
    }
    w->next_begins[to] = 1; /* sentinel */
    uint32_t *rows = w->current;
    uint8_t *begins = w->begins;
    w->current = w->next;
    w->begins = w->next_begins;
    w->next = rows;
    w->next_begins = begins;
    w->grouped = to;
}

/* Reads the sorted vectors, as one group. */
static bosc_status sort_vectors(bosc_ctx *ctx, const bosc_trie *trie, struct grouping *w)
{
    uint64_t *rows;
    uint32_t *vertices;
    int64_t n = w->count;
    BI_TRY(bi_scratch_of(ctx, n, (size_t)w->shape.words * 8, &rows));
    BI_TRY(bi_scratch_of(ctx, n, 4, &vertices));
    BI_TRY(bosc_trie_get_keys(ctx, trie, 0, n, rows, vertices, NULL));
    BI_TRY(bi_scratch_of(ctx, n, 4, &w->common));
    BI_TRY(bi_scratch_of(ctx, n, 4, &w->parents));
    BI_TRY(bi_scratch_of(ctx, n, 4, &w->current));
    BI_TRY(bi_scratch_of(ctx, n, 4, &w->next));
    BI_TRY(bi_scratch_of(ctx, n + 1, 1, &w->begins));
    BI_TRY(bi_scratch_of(ctx, n + 1, 1, &w->next_begins));
    w->rows = rows;
    w->vertices = vertices;
    for (int64_t i = 0; i < n; i++) {
        w->common[i] = i > 0 ? common_letters(w, i) : 0;
        w->current[i] = (uint32_t)i;
        w->begins[i] = i == 0;
    }
    w->begins[n] = 1;
    w->grouped = n;
    return bi_progress_advance(ctx, 4 * (double)n);
}

bosc_status bi_cellgraph_cpu_dobrowolski(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_cellgraph_view *view,
                                         const struct bi_cellgraph_edge_list *found)
{
    struct grouping w = {.shape = view->shape, .count = view->count};
    BI_TRY(sort_vectors(ctx, trie, &w));
    for (int32_t k = w.shape.length - 1; k >= 0 && w.grouped > 0; k--) {
        find_pairs(&w, found, k);
        split_groups(&w, k);
        BI_TRY(bi_progress_advance(ctx, (double)(w.count + 4 * w.grouped)));
    }
    return BOSC_OK;
}
