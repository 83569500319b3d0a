/* Steps that pair the triangles of a voxel, and test the pairs. */
#ifndef BI_COLLISION_STEPS_CANDIDATES_H
#define BI_COLLISION_STEPS_CANDIDATES_H

#include "base/search.h"
#include "collision/steps/meshes.h"
#include "collision/steps/touch.h"

/* True if the boxes of two triangles share a point. */
BI_FN bool bi_collision_boxes_touch(const double *t, const double *u)
{
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        double low = bi_collision_min3(t[c], t[3 + c], t[6 + c]), high = bi_collision_max3(t[c], t[3 + c], t[6 + c]);
        if (bi_collision_min3(u[c], u[3 + c], u[6 + c]) > high || bi_collision_max3(u[c], u[3 + c], u[6 + c]) < low)
            return false;
    }
    return true;
}

/* Items are entries, sorted by (voxel, mesh). An entry of A has its candidates with entries of B in its voxel; an
 * entry of B has none. */
struct bi_collision_candidates {
    struct bi_collision_soup soup;
    const uint64_t *keys;
    const uint32_t *triangles;
    int64_t entries;
    int64_t *counts;      /* candidates of an entry; then their begin */
    uint64_t *candidates; /* triangle of A << b_bits | triangle of B, both from 0 */
    int b_bits;
};

/* Returns the position of the first entry of B in the voxel of entry e of A, if there is one. */
BI_FN int64_t bi_collision_find_first_b(const struct bi_collision_candidates *a, int64_t e)
{
    return e + bi_lower_bound_u64(a->keys + e, a->entries - e, a->keys[e] | 1);
}

BI_FN void bi_step_count_candidates(const struct bi_collision_candidates *a, int64_t e)
{
    uint64_t b_key = a->keys[e] | 1;
    const double *t = a->soup.corners + BI_COLLISION_CORNERS * (int64_t)a->triangles[e];
    int64_t count = 0;
    if (a->keys[e] != b_key)
        for (int64_t f = bi_collision_find_first_b(a, e); f < a->entries && a->keys[f] == b_key; f++)
            count += bi_collision_boxes_touch(t, a->soup.corners + BI_COLLISION_CORNERS * (int64_t)a->triangles[f]);
    a->counts[e] = count;
}

BI_FN void bi_step_fill_candidates(const struct bi_collision_candidates *a, int64_t e)
{
    uint64_t b_key = a->keys[e] | 1;
    uint32_t i = a->triangles[e];
    const double *t = a->soup.corners + BI_COLLISION_CORNERS * (int64_t)i;
    int64_t to = a->counts[e];
    if (to == a->counts[e + 1]) return;
    for (int64_t f = bi_collision_find_first_b(a, e); f < a->entries && a->keys[f] == b_key; f++) {
        uint32_t j = a->triangles[f];
        if (!bi_collision_boxes_touch(t, a->soup.corners + BI_COLLISION_CORNERS * (int64_t)j)) continue;
        a->candidates[to++] = (uint64_t)i << a->b_bits | (uint64_t)(j - a->soup.a_count);
    }
}

/* Sorted candidates; equal ones are one pair. */
struct bi_collision_tests {
    struct bi_collision_soup soup;
    const uint64_t *candidates;
    int64_t count;
    int b_bits;
    uint8_t *is_kept; /* 1: the pair touches; BI_COLLISION_UNDECIDED: not known yet */
    double *work;     /* (items x BI_COLLISION_WORK) for exact tests */
    int64_t items;    /* of exact tests; item t makes the tests t, t + items, ... */
};

enum { BI_COLLISION_UNDECIDED = 2, BI_COLLISION_EXACT_ITEMS = 16384 };

BI_FN bool bi_collision_test_pair(const struct bi_collision_tests *a, struct bi_collision_signs *signs, int64_t k)
{
    uint64_t i = a->candidates[k] >> a->b_bits, j = a->candidates[k] - (i << a->b_bits);
    return bi_collision_touch(signs, a->soup.corners + BI_COLLISION_CORNERS * i,
                              a->soup.corners + BI_COLLISION_CORNERS * (j + (uint64_t)a->soup.a_count));
}

/* Tests candidate k by error bounds. */
BI_FN void bi_step_test(const struct bi_collision_tests *a, int64_t k)
{
    struct bi_collision_signs signs = {NULL, false};
    a->is_kept[k] = 0;
    if (k > 0 && a->candidates[k - 1] == a->candidates[k]) return;
    bool touch = bi_collision_test_pair(a, &signs, k);
    a->is_kept[k] = signs.undecided ? (uint8_t)BI_COLLISION_UNDECIDED : (uint8_t)touch;
}

/* Tests the undecided pairs exactly. */
BI_FN void bi_step_test_exactly(const struct bi_collision_tests *a, int64_t t)
{
    struct bi_collision_signs signs = {a->work + BI_COLLISION_WORK * t, false};
    for (int64_t k = t; k < a->count; k += a->items)
        if (a->is_kept[k] == BI_COLLISION_UNDECIDED) a->is_kept[k] = bi_collision_test_pair(a, &signs, k);
}

/* Writes touching pair k with the ids of its meshes. */
struct bi_collision_list {
    struct bi_collision_soup soup;
    const uint64_t *touching;
    int b_bits;
    uint32_t *pairs;
};

BI_FN void bi_step_list(const struct bi_collision_list *a, int64_t k)
{
    uint64_t i = a->touching[k] >> a->b_bits, j = a->touching[k] - (i << a->b_bits);
    a->pairs[2 * k] = a->soup.ids[i];
    a->pairs[2 * k + 1] = a->soup.ids[j + (uint64_t)a->soup.a_count] - (uint32_t)a->soup.b_first;
}

#endif
