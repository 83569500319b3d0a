/* Steps that sort rows by a prefix of theirs first. It tells nearly all rows apart; the others stand in runs, and each
 * finds its place in its run by itself. */
#ifndef BI_TRIE_STEPS_RUNS_H
#define BI_TRIE_STEPS_RUNS_H

#include "base/atomic.h"
#include "trie/steps/sort.h"

struct bi_trie_prefixes {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    int32_t bits;               /* of a prefix, at most 32 */
    uint32_t *prefixes, *begun; /* begun: 0, 1, 2, ... */
};

BI_FN void bi_step_trie_prefix_of(const struct bi_trie_prefixes *a, int64_t i)
{
    uint64_t word = a->rows.data[i * a->rows.stride] & bi_letters_mask(&a->shape.letters, 0);
    a->prefixes[i] = (uint32_t)(bi_trie_reverse(&a->shape, word) >> (64 - a->bits));
    a->begun[i] = (uint32_t)i;
}

/* Rows in the order of their prefixes, equal ones in their own. */
struct bi_trie_runs {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    struct bi_trie_columns columns; /* of numbers of words, whose first one is the prefix; or none */
    const uint32_t *prefixes;       /* in this order: the first bits of rows, where there are no columns */
    const int64_t *firsts;          /* or the first column */
    const uint32_t *order;
    uint32_t *sorted;
    uint8_t *heads;     /* where another key begins */
    uint8_t *beyond;    /* in runs of more than BI_TRIE_RUN, which stay as they are */
    uint32_t *places;   /* 0, 1, 2, ... */
    int64_t *unordered; /* 1 if one of these is not in order */
};

BI_FN bool bi_trie_same_prefix(const struct bi_trie_runs *a, int64_t p, int64_t q)
{
    return a->firsts ? a->firsts[p] == a->firsts[q] : a->prefixes[p] == a->prefixes[q];
}

/* Less than 0 if row x comes before row y, 0 if they are equal. Their prefixes are. */
BI_FN int bi_trie_compare_rest(const struct bi_trie_runs *a, int64_t x, int64_t y)
{
    for (int32_t s = 1; s < a->columns.count; s++) {
        const int64_t first = bi_trie_column_at(&a->columns, x, s), second = bi_trie_column_at(&a->columns, y, s);
        if (first != second) return first < second ? -1 : 1;
    }
    if (a->columns.count > 0) return 0;
    for (int32_t s = 0; s < a->shape.letters.words; s++) {
        const uint64_t mask = bi_letters_mask(&a->shape.letters, s);
        const uint64_t first = a->rows.data[x * a->rows.stride + s] & mask;
        const uint64_t second = a->rows.data[y * a->rows.stride + s] & mask;
        if (first != second) return bi_trie_reverse(&a->shape, first) < bi_trie_reverse(&a->shape, second) ? -1 : 1;
    }
    return 0;
}

/* A row of a long run. */
BI_FN void bi_trie_leave_in_run(const struct bi_trie_runs *a, int64_t p)
{
    const bool same = p > 0 && bi_trie_same_prefix(a, p - 1, p);
    const int to_last = same ? bi_trie_compare_rest(a, a->order[p - 1], a->order[p]) : -1;
    a->sorted[p] = a->order[p];
    a->heads[p] = to_last != 0;
    if (to_last > 0) bi_atomic_or_u64((uint64_t *)a->unordered, 1);
}

BI_FN void bi_step_trie_rank_in_run(const struct bi_trie_runs *a, int64_t p)
{
    int64_t begin = p, end = p + 1, before = 0;
    bool head = true;
    while (begin > 0 && p - begin < BI_TRIE_RUN && bi_trie_same_prefix(a, begin - 1, p)) begin--;
    while (end < a->rows.n && end - begin <= BI_TRIE_RUN && bi_trie_same_prefix(a, end, p)) end++;
    a->places[p] = (uint32_t)p;
    a->beyond[p] = end - begin > BI_TRIE_RUN;
    if (end - begin > BI_TRIE_RUN) {
        bi_trie_leave_in_run(a, p);
        return;
    }
    for (int64_t q = begin; q < end; q++) {
        const int order = q == p ? 1 : bi_trie_compare_rest(a, a->order[q], a->order[p]);
        before += order < 0 || (order == 0 && q < p);
        head &= order != 0 || q > p;
    }
    a->sorted[begin + before] = a->order[p];
    a->heads[begin + before] = head;
}

/* Rows of long runs, sorted for themselves, go back to their places. */
struct bi_trie_put_back {
    const uint32_t *places, *sorted;
    uint32_t *order;
};

BI_FN void bi_step_trie_put_back(const struct bi_trie_put_back *a, int64_t k) { a->order[a->places[k]] = a->sorted[k]; }

#endif
