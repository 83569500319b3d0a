/* Steps that merge the answers of shards into those of queries. A shard answers a query at most once, so the answers
 * of one shard can be merged concurrently. */
#ifndef BI_RANKS_STEPS_KDTREE_MERGE_H
#define BI_RANKS_STEPS_KDTREE_MERGE_H

#include <math.h>

#include "base/atomic.h"
#include "base/words.h"

BI_FN double bi_ranks_dist2(const void *dist2, bool single, int64_t i)
{
    return single ? (double)((const float *)dist2)[i] : ((const double *)dist2)[i];
}

BI_FN void bi_ranks_set_dist2(void *dist2, bool single, int64_t i, double x)
{
    if (single)
        ((float *)dist2)[i] = (float)x;
    else
        ((double *)dist2)[i] = x;
}

/* Rows of k entries ordered by (distance, id); id -1 comes last. Row first + i of the answers belongs to query
 * order[first + i]. */
struct bi_ranks_kdtree_merge_knn {
    int64_t k, first;
    const uint32_t *order;
    const int64_t *ids; /* of the answers: rows of k */
    const void *dist2;
    int64_t *to_ids; /* of the queries */
    void *to_dist2;
    bool single; /* distances are float */
};

/* Empties all rows. Item i is an entry. */
BI_FN void bi_step_kdtree_empty_knn(const struct bi_ranks_kdtree_merge_knn *a, int64_t i)
{
    a->to_ids[i] = -1;
    bi_ranks_set_dist2(a->to_dist2, a->single, i, (double)INFINITY);
}

/* True if entry b of the answers precedes entry q of the queries. */
BI_FN bool bi_ranks_kdtree_precedes(const struct bi_ranks_kdtree_merge_knn *a, int64_t b, int64_t q)
{
    const double x = bi_ranks_dist2(a->dist2, a->single, b), y = bi_ranks_dist2(a->to_dist2, a->single, q);
    return x < y || (x == y && (uint64_t)a->ids[b] < (uint64_t)a->to_ids[q]);
}

BI_FN void bi_step_kdtree_merge_knn(const struct bi_ranks_kdtree_merge_knn *a, int64_t i)
{
    const int64_t from = (a->first + i) * a->k, to = (int64_t)a->order[a->first + i] * a->k;
    /* 1. Count the entries of each row among the first k. 2. Merge from the back, so that nothing is overwritten. */
    int64_t old = 0, added = 0; /* entries of each row among the first k */
    while (old + added < a->k)
        if (bi_ranks_kdtree_precedes(a, from + added, to + old))
            added++;
        else
            old++;
    for (int64_t at = to + a->k - 1; added > 0; at--) {
        const bool take_old = old > 0 && bi_ranks_kdtree_precedes(a, from + added - 1, to + old - 1);
        const int64_t q = to + old - 1, b = from + added - 1;
        a->to_ids[at] = take_old ? a->to_ids[q] : a->ids[b];
        bi_ranks_set_dist2(a->to_dist2, a->single, at,
                           bi_ranks_dist2(take_old ? a->to_dist2 : a->dist2, a->single, take_old ? q : b));
        if (take_old)
            old--;
        else
            added--;
    }
}

/* CSR rows whose entries ascend by id. */
struct bi_ranks_kdtree_merge_rows {
    int64_t first;
    const uint32_t *order;
    const int64_t *counts, *answer_offsets; /* by answer: number of entries, and the offset of the first */
    const int64_t *ids;                     /* of the answers */
    const void *dist2;                      /* may be NULL */
    const int64_t *offsets;                 /* of the queries' rows */
    int64_t *lengths;                       /* entries in the queries' rows so far */
    void *to_ids;                           /* of 64 (`is_64bit`) or 32 bits */
    void *to_dist2;
    bool is_64bit, single;
};

BI_FN void bi_step_kdtree_add_lengths(const struct bi_ranks_kdtree_merge_rows *a, int64_t i)
{
    a->lengths[a->order[a->first + i]] += a->counts[a->first + i];
}

BI_FN void bi_step_kdtree_merge_rows(const struct bi_ranks_kdtree_merge_rows *a, int64_t i)
{
    const int64_t s = a->first + i, query = a->order[s], to = a->offsets[query], from = a->answer_offsets[s];
    int64_t old = a->lengths[query], added = a->counts[s];
    a->lengths[query] = old + added;
    for (int64_t at = to + old + added - 1; added > 0; at--) {
        const int64_t q = to + old - 1, b = from + added - 1;
        const bool take_old = old > 0 && bi_word(a->to_ids, a->is_64bit, q) > (uint64_t)a->ids[b];
        bi_set_word(a->to_ids, a->is_64bit, at, take_old ? bi_word(a->to_ids, a->is_64bit, q) : (uint64_t)a->ids[b]);
        if (a->to_dist2)
            bi_ranks_set_dist2(a->to_dist2, a->single, at,
                               bi_ranks_dist2(take_old ? a->to_dist2 : a->dist2, a->single, take_old ? q : b));
        if (take_old)
            old--;
        else
            added--;
    }
}

/* *bad becomes the lowest row whose input length differs from the answer's. */
struct bi_ranks_kdtree_same_lengths {
    const int64_t *input_offsets, *offsets;
    int64_t *bad;
};

BI_FN void bi_step_kdtree_same_lengths(const struct bi_ranks_kdtree_same_lengths *a, int64_t i)
{
    if (a->input_offsets[i + 1] - a->input_offsets[i] != a->offsets[i + 1] - a->offsets[i])
        bi_atomic_min_i64(a->bad, i);
}

#endif
