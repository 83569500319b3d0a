/* Steps of queries, an item each. */
#ifndef BI_TRIE_STEPS_QUERY_H
#define BI_TRIE_STEPS_QUERY_H

#include "trie/steps/sort.h"
#include "trie/steps/list_queries.h"
#include "trie/steps/longest_match.h"

BI_FN struct bi_trie_query bi_trie_query_of(const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                            int64_t q)
{
    return (struct bi_trie_query){shape, rows->data + q * rows->stride, NULL, NULL, 0, false};
}

/* Writes the value of a rank, or 0 for an invalid one. */
BI_FN void bi_trie_write_value(const void *stored_values, int32_t bits, int64_t count, int64_t rank, void *values,
                               int64_t at)
{
    bool is = rank >= 0 && rank < count;
    if (bits == 64)
        ((uint64_t *)values)[at] = is ? ((const uint64_t *)stored_values)[rank] : 0;
    else
        ((uint32_t *)values)[at] = is ? ((const uint32_t *)stored_values)[rank] : 0;
}

struct bi_trie_find {
    struct bi_trie_view view;
    struct bi_trie_rows queries;
    const void *stored_values;
    int32_t value_bits;
    int64_t *ranks; /* these may be NULL */
    void *values;
    uint8_t *found;
};

BI_FN void bi_trie_write_found(const struct bi_trie_find *a, int64_t q, int64_t rank)
{
    if (a->ranks) a->ranks[q] = rank;
    if (a->values) bi_trie_write_value(a->stored_values, a->value_bits, a->view.count, rank, a->values, q);
    if (a->found) a->found[q] = rank >= 0;
}

BI_FN void bi_step_trie_find(const struct bi_trie_find *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    bi_trie_write_found(a, q, bi_trie_find_rank(&a->view, &x));
}

/* The same for BI_TRIE_FIND_GROUP queries by the table, interleaved by prefetches. */
BI_FN void bi_step_trie_find_group(const struct bi_trie_find *a, int64_t g)
{
#ifdef __CUDA_ARCH__
    (void)a, (void)g; /* warps interleave by themselves */
#else
    const struct bi_trie_view *v = &a->view;
    const struct bi_trie_table *t = &v->table;
    int64_t first = g * BI_TRIE_FIND_GROUP, count = a->queries.n - first;
    struct bi_trie_query x[BI_TRIE_FIND_GROUP];
    uint64_t hashes[BI_TRIE_FIND_GROUP];
    if (count > BI_TRIE_FIND_GROUP) count = BI_TRIE_FIND_GROUP;
    for (int64_t q = 0; q < count; q++) {
        x[q] = bi_trie_query_of(&v->shape, &a->queries, first + q);
        hashes[q] = bi_trie_hash(&x[q]);
        __builtin_prefetch(t->slots + (uint64_t)bi_trie_home(t, hashes[q]) * BI_TRIE_BUCKET);
    }
    for (int64_t q = 0; q < count; q++) {
        bool open;
        uint32_t home = bi_trie_home(t, hashes[q]), which = bi_trie_candidates(t, home, hashes[q], &open);
        if (which) __builtin_prefetch(bi_trie_key(v, bi_trie_rank_in(t, home, which)));
    }
    for (int64_t q = 0; q < count; q++) {
        int64_t rank = bi_trie_find_hashed(v, &x[q], hashes[q]);
        bi_trie_write_found(a, first + q, rank == BI_TRIE_UNKNOWN ? bi_trie_find_leaf(v, &x[q]) : rank);
    }
#endif
}

struct bi_trie_values {
    const int64_t *ranks;
    const void *stored_values;
    int64_t count; /* keys */
    int32_t value_bits;
    void *values;
};

BI_FN void bi_step_trie_value(const struct bi_trie_values *a, int64_t q)
{
    bi_trie_write_value(a->stored_values, a->value_bits, a->count, a->ranks[q], a->values, q);
}

struct bi_trie_prefix {
    struct bi_trie_view view;
    struct bi_trie_rows queries;
    int32_t *lengths; /* read, may be NULL; of the longest match written, may be NULL */
    int64_t *begins, *ends;
};

BI_FN void bi_trie_write_range(const struct bi_trie_prefix *a, int64_t q, struct bi_trie_range range)
{
    if (a->begins) a->begins[q] = range.begin;
    if (a->ends) a->ends[q] = range.end;
}

BI_FN void bi_step_trie_prefix(const struct bi_trie_prefix *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    int32_t length_limit = a->view.shape.letters.length, length = a->lengths ? a->lengths[q] : length_limit;
    length = length < 0 ? 0 : length > length_limit ? length_limit : length;
    bi_trie_write_range(a, q, bi_trie_locate(&a->view, &x, bi_trie_letter_place(&a->view.shape, length)));
}

BI_FN int32_t bi_trie_write_length(const struct bi_trie_prefix *a, int64_t q, uint32_t common)
{
    int32_t length_limit = a->view.shape.letters.length, length = bi_trie_letter(&a->view.shape, common);
    if (length > length_limit) length = length_limit; /* behind the last word */
    if (a->lengths) a->lengths[q] = length;
    return length;
}

BI_FN void bi_step_trie_longest(const struct bi_trie_prefix *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    int32_t length = bi_trie_write_length(a, q, a->view.count > 0 ? bi_trie_longest(&a->view, &x) : 0);
    bi_trie_write_range(a, q, bi_trie_locate_prefix(&a->view, &x, bi_trie_letter_place(&a->view.shape, length)));
}

/* The same by the sorted keys of a non-empty trie. */
BI_FN void bi_step_trie_longest_search(const struct bi_trie_prefix *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    struct bi_trie_longest_match match = bi_trie_longest_search(&a->view, &x, a->ends);
    bi_trie_write_length(a, q, match.common);
    bi_trie_write_range(a, q, match.range);
}

struct bi_trie_lists {
    struct bi_trie_view view;
    struct bi_trie_rows queries;
    const uint64_t *masks;  /* matches: masks, in rows like the queries */
    const int64_t *offsets; /* (m + 1) NULL: rows are counted */
    int64_t *counts;        /* where they are counted */
    int64_t *ranks;         /* these may be NULL */
    uint32_t *positions;
    int64_t *bad; /* smallest query whose row does not have the expected length */
};

BI_FN struct bi_trie_result_row bi_trie_begin_row(const struct bi_trie_lists *a, int64_t q)
{
    if (!a->offsets) return (struct bi_trie_result_row){NULL, NULL, 0, 0, 0, 0};
    return (struct bi_trie_result_row){a->ranks, a->positions, 0, a->offsets[q], a->offsets[q + 1], 0};
}

BI_FN void bi_trie_finish_row(const struct bi_trie_lists *a, int64_t q, int64_t count)
{
    if (!a->offsets)
        a->counts[q] = count;
    else if (count != a->offsets[q + 1] - a->offsets[q])
        bi_atomic_min_i64(a->bad, q);
}

BI_FN void bi_step_trie_neighbours(const struct bi_trie_lists *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    struct bi_trie_result_row row = bi_trie_begin_row(a, q);
    if (a->view.published)
        bi_trie_neighbours_published(&a->view, &x, &row);
    else
        bi_trie_neighbours(&a->view, &x, &row);
    bi_trie_finish_row(a, q, row.count);
}

BI_FN void bi_step_trie_matches(const struct bi_trie_lists *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    struct bi_trie_result_row row = bi_trie_begin_row(a, q);
    x.mask = a->masks + q * a->queries.stride;
    bi_trie_matches(&a->view, &x, &row);
    bi_trie_finish_row(a, q, row.count);
}

/* All pairs: item k is a key. */
struct bi_trie_pairs {
    struct bi_trie_view view;
    int64_t *offsets; /* (keys + 1) the pairs of each key: counted, then summed */
    int64_t *others;  /* NULL: they are counted */
    uint32_t *positions;
    int64_t *pairs; /* (pairs x 2), may be NULL */
};

BI_FN void bi_step_trie_pairs(const struct bi_trie_pairs *a, int64_t k)
{
    const struct bi_trie_view *v = &a->view;
    struct bi_trie_query x = {&v->shape, bi_trie_key(v, k), NULL, NULL, 0, true};
    struct bi_trie_result_row row = {NULL, NULL, 0, 0, 0, -v->published};
    if (a->others && a->offsets[k] == a->offsets[k + 1]) return;
    if (a->others)
        row = (struct bi_trie_result_row){a->others, a->positions, 0, a->offsets[k], a->offsets[k + 1], -v->published};
    if (v->published)
        bi_trie_neighbours_published(v, &x, &row);
    else
        bi_trie_find_pairs(v, &x, &row);
    if (!a->others) a->offsets[k] = row.count;
    for (int64_t e = a->offsets[k]; a->others && a->pairs && e < a->offsets[k + 1]; e++) {
        int64_t other = a->others[e];
        a->pairs[2 * e] = other < k ? other : k;
        a->pairs[2 * e + 1] = other < k ? k : other;
    }
}

/* Copies keys to the caller's format. */
struct bi_trie_copy {
    struct bi_trie_shape shape;
    const uint64_t *reversed; /* of the first key */
    const uint32_t *counts;
    uint64_t *keys; /* these may be NULL */
    int64_t *counts_64bit;
};

BI_FN void bi_step_trie_copy_out(const struct bi_trie_copy *a, int64_t k)
{
    int32_t words = a->shape.letters.words;
    for (int32_t s = 0; s < words && a->keys; s++)
        a->keys[k * words + s] = bi_trie_restore(&a->shape, a->reversed[k * words + s]);
    if (a->counts_64bit) a->counts_64bit[k] = a->counts[k];
}

/* Counts the nodes above each key. */
struct bi_trie_depths {
    struct bi_trie_view view;
    int64_t *depths;
};

BI_FN void bi_step_trie_depth(const struct bi_trie_depths *a, int64_t k)
{
    const struct bi_trie_view *v = &a->view;
    struct bi_trie_query x = {&v->shape, bi_trie_key(v, k), NULL, NULL, 0, true};
    struct bi_trie_cursor c = {&x, 0, -1};
    int64_t depth = v->published ? v->shape.levels : 0;
    for (uint32_t child = bi_trie_root(v); !v->published && !(child & BI_TRIE_LEAF); depth++)
        child = bi_trie_child(v, v->nodes + child, bi_trie_digit_of(&c, v->nodes[child].depth));
    a->depths[k] = depth;
}

#endif
