/* Steps that sort rows by a prefix first. Most prefixes are unique; rows with equal ones form runs, and each row
 * finds its rank in its run. */
#ifndef BI_TRIE_STEPS_RUNS_H
#define BI_TRIE_STEPS_RUNS_H

#include "base/atomic.h"
#include "trie/steps/sort.h"

struct bi_trie_prefixes {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    int32_t bits;              /* of a prefix, at most 32 */
    uint32_t *prefixes, *iota; /* iota: 0, 1, 2, ... */
};

BI_FN void bi_step_trie_prefix_of(const struct bi_trie_prefixes *a, int64_t i)
{
    uint64_t word = a->rows.data[i * a->rows.stride] & bi_letters_mask(&a->shape.letters, 0);
    a->prefixes[i] = (uint32_t)(bi_trie_reverse(&a->shape, word) >> (64 - a->bits));
    a->iota[i] = (uint32_t)i;
}

/* Rows sorted by prefix, equal ones in their own order. */
struct bi_trie_runs {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    struct bi_trie_columns columns; /* of word numbers, the first one being the prefix; or none */
    const uint32_t *prefixes;       /* sorted prefixes of rows, if there are no columns */
    const int64_t *firsts;          /* otherwise the sorted first column */
    const uint32_t *order;
    uint32_t *sorted;
    uint8_t *heads;       /* a new key begins */
    uint8_t *in_long_run; /* in a run of more than BI_TRIE_RUN, which is left as it is */
    uint32_t *indices;    /* 0, 1, 2, ... */
    int64_t *unordered;   /* 1: such a run is not sorted */
};

BI_FN bool bi_trie_same_prefix(const struct bi_trie_runs *a, int64_t p, int64_t q)
{
    return a->firsts ? a->firsts[p] == a->firsts[q] : a->prefixes[p] == a->prefixes[q];
}

/* Compares rows x and y with equal prefixes: negative if x is first, 0 if equal. */
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

/* Leaves a row of a long run where it is, and checks its order. */
BI_FN void bi_trie_check_long_run(const struct bi_trie_runs *a, int64_t p)
{
    const bool same = p > 0 && bi_trie_same_prefix(a, p - 1, p);
    const int to_last = same ? bi_trie_compare_rest(a, a->order[p - 1], a->order[p]) : -1;
    a->sorted[p] = a->order[p];
    a->heads[p] = to_last != 0;
    if (to_last > 0) bi_atomic_or_u64((uint64_t *)a->unordered, 1);
}

/* Ranks row p in its run by comparisons. */
BI_FN void bi_step_trie_rank_in_run(const struct bi_trie_runs *a, int64_t p)
{
    int64_t begin = p, end = p + 1, before = 0;
    bool head = true;
    while (begin > 0 && p - begin < BI_TRIE_RUN && bi_trie_same_prefix(a, begin - 1, p)) begin--;
    while (end < a->rows.n && end - begin <= BI_TRIE_RUN && bi_trie_same_prefix(a, end, p)) end++;
    a->indices[p] = (uint32_t)p;
    a->in_long_run[p] = end - begin > BI_TRIE_RUN;
    if (end - begin > BI_TRIE_RUN) {
        bi_trie_check_long_run(a, p);
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

/* Writes the sorted rows of long runs back to their positions. */
struct bi_trie_scatter {
    const uint32_t *indices, *sorted;
    uint32_t *order;
};

BI_FN void bi_step_trie_scatter(const struct bi_trie_scatter *a, int64_t k) { a->order[a->indices[k]] = a->sorted[k]; }

#endif
