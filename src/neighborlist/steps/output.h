/* Steps that write pairs to the caller's arrays, and that move atoms. */
#ifndef BI_NEIGHBORLIST_STEPS_OUTPUT_H
#define BI_NEIGHBORLIST_STEPS_OUTPUT_H

#include "neighborlist/steps/search.h"

/* Rows of the caller's arrays. Row i begins at offsets[i], or at i * width if padded. */
struct bi_neighborlist_output {
    struct bi_neighborlist_view view;
    bosc_neighborlist_arrays to; /* reachable, or NULL */
    int64_t *counts;             /* of count_near */
    const int64_t *offsets;
    double square; /* largest squared distance of a pair */
    int64_t width;
    bool filtered; /* some pairs of the build may be farther away */
    bool padded, ids_64bit, is_f64;
};

/* A pair of the list. */
struct bi_neighborlist_pair {
    uint32_t i, j;
    int32_t shift[BI_NEIGHBORLIST_DIM];
    double vector[BI_NEIGHBORLIST_DIM], square;
};

/* Decodes entry e of atom i, `from`; the vector only if it is needed. */
BI_FN void bi_neighborlist_decode_pair(const struct bi_neighborlist_output *a,
                                       const struct bi_neighborlist_system *system,
                                       const struct bi_neighborlist_atom *from, uint32_t i, int64_t e,
                                       struct bi_neighborlist_pair *pair)
{
    const uint64_t entry = a->view.entries[e];
    pair->i = i;
    pair->j = bi_neighborlist_entry_atom(entry);
    const struct bi_neighborlist_atom *to = &a->view.atoms[pair->j];
    bi_neighborlist_entry_shift(entry, from, to, pair->shift);
    if (a->filtered || a->to.distances || a->to.vectors)
        pair->square = bi_neighborlist_vector(system, from, to, pair->shift, pair->vector);
}

BI_FN void bi_neighborlist_read_pair(const struct bi_neighborlist_output *a, uint32_t i, int64_t e,
                                     struct bi_neighborlist_pair *pair)
{
    bi_neighborlist_decode_pair(a, &a->view.systems[a->view.system_of[i]], &a->view.atoms[i], i, e, pair);
}

BI_FN void bi_neighborlist_write_id(const struct bi_neighborlist_output *a, void *ids, int64_t at, uint32_t id)
{
    if (a->ids_64bit)
        ((int64_t *)ids)[at] = id == UINT32_MAX ? -1 : (int64_t)id;
    else
        ((uint32_t *)ids)[at] = id;
}

BI_FN void bi_neighborlist_write_real(const struct bi_neighborlist_output *a, void *reals, int64_t at, double x)
{
    if (a->is_f64)
        ((double *)reals)[at] = x;
    else
        ((float *)reals)[at] = (float)x;
}

/* Writes a pair as entry `at` of the arrays. */
BI_FN void bi_neighborlist_write(const struct bi_neighborlist_output *a, const struct bi_neighborlist_pair *pair,
                                 int64_t at)
{
    const bosc_neighborlist_arrays *to = &a->to;
    if (to->centers) bi_neighborlist_write_id(a, to->centers, at, pair->i);
    if (to->neighbors) bi_neighborlist_write_id(a, to->neighbors, at, pair->j);
    if (to->distances) bi_neighborlist_write_real(a, to->distances, at, bi_sqrt(pair->square));
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        if (to->shifts) to->shifts[3 * at + c] = pair->shift[c];
        if (to->vectors) bi_neighborlist_write_real(a, to->vectors, 3 * at + c, pair->vector[c]);
    }
}

/* Counts the pairs of an atom. */
BI_FN void bi_step_count_near(const struct bi_neighborlist_output *a, int64_t i)
{
    const int64_t begin = a->view.offsets[i], end = a->view.offsets[i + 1];
    struct bi_neighborlist_pair pair;
    int64_t count = a->filtered ? 0 : end - begin;
    for (int64_t e = begin; e < end && a->filtered; e++) {
        bi_neighborlist_read_pair(a, (uint32_t)i, e, &pair);
        count += pair.square <= a->square;
    }
    a->counts[i] = count;
}

/* Writes the pairs of an atom, and absent ones if padded. */
BI_FN void bi_step_write_row(const struct bi_neighborlist_output *a, int64_t i)
{
    const int64_t end = a->view.offsets[i + 1], first = a->padded ? i * a->width : a->offsets[i];
    struct bi_neighborlist_pair pair;
    int64_t count = 0;
    for (int64_t e = a->view.offsets[i]; e < end && !(a->padded && count == a->width); e++) {
        bi_neighborlist_read_pair(a, (uint32_t)i, e, &pair);
        if (a->filtered && !(pair.square <= a->square)) continue;
        bi_neighborlist_write(a, &pair, first + count++);
    }
    const struct bi_neighborlist_pair absent = {(uint32_t)i, UINT32_MAX, {0, 0, 0}, {0, 0, 0}, BI_INFINITY};
    while (a->padded && count < a->width) bi_neighborlist_write(a, &absent, first + count++);
}

/* ---- moves ---- */

struct bi_neighborlist_move {
    struct bi_neighborlist_view view;
    struct bi_neighborlist_input input;
    double half_skin;
    double range;  /* cutoff + skin */
    uint32_t *far; /* becomes 1 if an atom has moved too far */
};

/* Reports an atom that has moved by more than half the skin, less the rounding of its distances.
 *
 * The distance of (i, j, S) has at most 4 roundings of |p_j - p_i| and of each |S_c a_c|, which is at most
 * kappa |S_0 a_0 + ...| <= kappa (|p_j - p_i| + range). So the distances at the build and now err by less than
 * 2^-48 kappa (|p_i| + |p_j| + 2 range) together. Each atom accounts for its half. */
BI_FN void bi_step_check_move(const struct bi_neighborlist_move *a, int64_t i)
{
    double at[BI_NEIGHBORLIST_DIM], moved[BI_NEIGHBORLIST_DIM];
    bool good = bi_neighborlist_read_position(&a->input, i, at);
    const double *from = a->view.built_at ? a->view.built_at + 3 * i : a->view.atoms[i].at;
    const double kappa = a->view.systems[a->view.system_of[i]].kappa;
    const double rounding = a->half_skin > 0 ? 0x1p-48 * kappa * (bi_neighborlist_norm(at) + a->range) : 0;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) moved[c] = at[c] - from[c];
    good &= bi_neighborlist_norm(moved) + rounding <= a->half_skin;
    if (!good) bi_atomic_or_u32(a->far, 1);
}

BI_FN void bi_step_move(const struct bi_neighborlist_move *a, int64_t i)
{
    (void)bi_neighborlist_read_position(&a->input, i, a->view.atoms[i].at);
}

#endif
