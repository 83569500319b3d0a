/* Dobrowolski's sequential search, in O(n length) steps, on the CPU. It goes from the last letter to the first, and
 * keeps groups of the vectors that agree in all letters behind the one it looks at. Two vectors differ in that letter
 * alone if they are in one group and have one parent in the tree of all prefixes: the node of the letters before. Then
 * each group is split by the letter; a vector that is left alone never finds a partner, and is dropped. The tree is
 * never there as a whole: nodes of a level are the runs of sorted vectors that agree in this many letters, and groups
 * are kept in the order of the vectors, so that those with one parent stand together. Source: Dobrowolski, An Efficient
 * Method of Constructing Cell Graph (SII 2013); described in a comment of his library libcs. */
#include <string.h>

#include <boscage/trie.h>

#include "cellgraph/cpu/cpu.h"

struct walk {
    struct bi_letters shape;
    const uint64_t *rows;     /* in order, (count x words) */
    const uint32_t *vertices; /* of each row */
    int64_t count;
    uint32_t *common;              /* (count) letters in which a row begins as the one before it */
    uint32_t *parents;             /* (count) the first row of those that agree in the letters before */
    uint32_t *now, *next;          /* (count) rows by group, ascending in each */
    uint8_t *begins, *next_begins; /* (count + 1) a group begins */
    int64_t kept;
};

static uint32_t letter_of(const struct walk *w, int64_t row, int32_t k)
{
    const struct bi_letters *s = &w->shape;
    uint64_t word = w->rows[row * s->words + k / s->per_word];
    return (uint32_t)(word >> (k % s->per_word * s->letter_bits)) & ((1u << s->letter_bits) - 1);
}

static uint32_t common_letters(const struct walk *w, int64_t row)
{
    const struct bi_letters *s = &w->shape;
    const uint64_t *y = w->rows + row * s->words, *x = y - s->words;
    int32_t word = 0;
    while (x[word] == y[word]) word++; /* rows differ */
    return (uint32_t)(word * s->per_word + bi_lowest_bit(x[word] ^ y[word]) / s->letter_bits);
}

/* The rows with one parent, all of one group, are all joined to each other. */
static void join_fellows(const struct walk *w, const struct bi_cellgraph_edge_list *found, int64_t begin, int64_t end,
                         int32_t k)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = i + 1; j < end; j++)
            bi_cellgraph_emit(found, w->vertices[w->now[i]], w->vertices[w->now[j]], (uint32_t)k);
}

static void find_fellows(const struct walk *w, const struct bi_cellgraph_edge_list *found, int32_t k)
{
    for (int64_t i = 0; i < w->count; i++)
        w->parents[i] = i > 0 && w->common[i] >= (uint32_t)k ? w->parents[i - 1] : (uint32_t)i;
    for (int64_t begin = 0, end; begin < w->kept; begin = end) {
        for (end = begin + 1; !w->begins[end] && w->parents[w->now[end]] == w->parents[w->now[begin]];) end++;
        if (end - begin > 1) join_fellows(w, found, begin, end, k);
    }
}

/* Splits the group from `begin` to before `end` by letter k, and keeps the parts of more than one row. */
static int64_t split(const struct walk *w, int64_t begin, int64_t end, int32_t k, int64_t to)
{
    uint32_t counts[257]; /* then where the rows of each letter go */
    const uint32_t letters = 1u << w->shape.letter_bits;
    memset(counts, 0, (letters + 1) * sizeof *counts);
    for (int64_t i = begin; i < end; i++) counts[letter_of(w, w->now[i], k) + 1]++;
    for (uint32_t letter = 0; letter < letters; letter++) {
        const uint32_t size = counts[letter + 1], kept = size > 1 ? size : 0;
        if (kept) w->next_begins[to + counts[letter]] = 1;
        counts[letter + 1] = counts[letter] + kept;
        if (size == 1) counts[letter] = UINT32_MAX; /* alone */
    }
    const int64_t after = to + counts[letters];
    for (int64_t i = begin; i < end; i++) {
        uint32_t *place = &counts[letter_of(w, w->now[i], k)];
        if (*place != UINT32_MAX) w->next[to + (*place)++] = w->now[i];
    }
    return after;
}

static void split_groups(struct walk *w, int32_t k)
{
    int64_t to = 0;
    for (int64_t i = 0; i <= w->kept; i++) w->next_begins[i] = 0;
    for (int64_t begin = 0, end; begin < w->kept; begin = end) {
        for (end = begin + 1; !w->begins[end];) end++;
        to = split(w, begin, end, k, to);
    }
    w->next_begins[to] = 1; /* behind the last */
    uint32_t *rows = w->now;
    uint8_t *begins = w->begins;
    w->now = w->next;
    w->begins = w->next_begins;
    w->next = rows;
    w->next_begins = begins;
    w->kept = to;
}

/* The sorted vectors, in one group. */
static bosc_status begin(bosc_ctx *ctx, const bosc_trie *trie, struct walk *w)
{
    uint64_t *rows;
    uint32_t *vertices;
    int64_t n = w->count;
    BI_TRY(bi_scratch_of(ctx, n, (size_t)w->shape.words * 8, &rows));
    BI_TRY(bi_scratch_of(ctx, n, 4, &vertices));
    BI_TRY(bosc_trie_get_keys(ctx, trie, 0, n, rows, vertices, NULL));
    BI_TRY(bi_scratch_of(ctx, n, 4, &w->common));
    BI_TRY(bi_scratch_of(ctx, n, 4, &w->parents));
    BI_TRY(bi_scratch_of(ctx, n, 4, &w->now));
    BI_TRY(bi_scratch_of(ctx, n, 4, &w->next));
    BI_TRY(bi_scratch_of(ctx, n + 1, 1, &w->begins));
    BI_TRY(bi_scratch_of(ctx, n + 1, 1, &w->next_begins));
    w->rows = rows;
    w->vertices = vertices;
    for (int64_t i = 0; i < n; i++) {
        w->common[i] = i > 0 ? common_letters(w, i) : 0;
        w->now[i] = (uint32_t)i;
        w->begins[i] = i == 0;
    }
    w->begins[n] = 1;
    w->kept = n;
    return bi_progress_advance(ctx, 4 * (double)n);
}

bosc_status bi_cellgraph_cpu_dobrowolski(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_cellgraph_view *view,
                                         const struct bi_cellgraph_edge_list *found)
{
    struct walk w = {.shape = view->shape, .count = view->count};
    BI_TRY(begin(ctx, trie, &w));
    for (int32_t k = w.shape.length - 1; k >= 0 && w.kept > 0; k--) {
        find_fellows(&w, found, k);
        split_groups(&w, k);
        BI_TRY(bi_progress_advance(ctx, (double)(w.count + 4 * w.kept)));
    }
    return BOSC_OK;
}
