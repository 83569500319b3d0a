/* Lines in which planes intersect (flats of dimension 1): the planes that cross each, in order, and the cells around
 * it.
 *
 * A flat is the intersection of rank - 1 planes with independent normals; of rank 1 it is the whole line. Along the
 * flat plane l rises by the determinant of these normals and its own; this defines the direction. Let k cross it: the
 * determinant of the rows of the flat's planes, k and l is k's rise times l's value in the crossing. So determinants
 * give the order of crossings, the sign of parallel planes, and the planes that contain the flat (members). Around a
 * flat of rank 3 the cells are wedges between half-planes of members. */
#ifndef BI_ARRANGEMENT_STEPS_FLATS_H
#define BI_ARRANGEMENT_STEPS_FLATS_H

#include <stdbool.h>

#include "arrangement/steps/determinant.h"
#include "base/atomic.h"

struct bi_arrangement {
    const double *planes; /* (n x (rank + 1)) with normals of this rank */
    int64_t n, words;     /* words: of a row */
    int32_t rank;
    uint32_t *order;   /* (flats x n) the planes that cross a flat, in order; from the end on its members */
    uint32_t *crosses; /* (flats) */
    uint32_t *members; /* (flats) */
    int64_t *begin;    /* (flats + 1) rows of each flat; then their exclusive sums */
    uint64_t *counts;  /* (BI_ARRANGEMENT_COUNTS) */
    uint64_t *equal;   /* the least pair of equal planes: the later one in the high half; UINT64_MAX: none */
    uint64_t *rows;
};
enum { BI_ARRANGEMENT_CORNERS, BI_ARRANGEMENT_PIECES, BI_ARRANGEMENT_COUNTS };

/* A flat: its planes, and the first one that crosses it. */
struct bi_flat {
    int64_t planes[2], first;
    int32_t count;   /* rank - 1 */
    int32_t pair[2]; /* rank 3: two coordinates in which the normals of its planes are independent */
};

BI_FN const double *bi_arrangement_plane(const struct bi_arrangement *a, int64_t k)
{
    return a->planes + k * (a->rank + 1);
}

/* Returns the sign of the determinant of the flat's planes, k and, unless it is -1, l: without l of the normals. */
BI_CALLED_FN int bi_flat_sign(const struct bi_arrangement *a, const struct bi_flat *f, int64_t k, int64_t l)
{
    struct bi_determinant d;
    d.count = 0;
    for (int32_t i = 0; i < f->count; i++) d.rows[d.count++] = bi_arrangement_plane(a, f->planes[i]);
    d.rows[d.count++] = bi_arrangement_plane(a, k);
    if (l >= 0) d.rows[d.count++] = bi_arrangement_plane(a, l);
    for (int32_t c = 0; c < d.count; c++) d.columns[c] = c;
    return bi_determinant_sign(&d);
}

/* Returns the sign of the determinant of two normals in two coordinates. */
BI_FN int bi_pair_sign(const struct bi_arrangement *a, const int32_t pair[2], int64_t k, int64_t l)
{
    const struct bi_determinant d = {
        .rows = {bi_arrangement_plane(a, k), bi_arrangement_plane(a, l)}, .columns = {pair[0], pair[1]}, .count = 2};
    return bi_determinant_sign(&d);
}

/* Sets the planes of flat i: plane i, or pairs in the order (0, 1), (0, 2), (1, 2), (0, 3). False if their normals are
 * dependent. */
BI_FN bool bi_flat_find(const struct bi_arrangement *a, int64_t i, struct bi_flat *f)
{
    static const int32_t pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    f->count = a->rank - 1;
    f->planes[0] = i;
    if (f->count < 2) return true;
    int64_t high = (int64_t)((1 + sqrt(1 + 8 * (double)i)) / 2);
    while (high * (high - 1) / 2 > i) high--;
    while (high * (high + 1) / 2 <= i) high++;
    f->planes[0] = i - high * (high - 1) / 2;
    f->planes[1] = high;
    for (int32_t p = 0; p < 3; p++) {
        f->pair[0] = pairs[p][0];
        f->pair[1] = pairs[p][1];
        if (bi_pair_sign(a, f->pair, f->planes[0], f->planes[1]) != 0) return true;
    }
    return false;
}

/* True if k and l, members of the flat, are equal planes. */
BI_FN bool bi_flat_are_equal(const struct bi_arrangement *a, const struct bi_flat *f, int64_t k, int64_t l)
{
    return f->count < 2 || bi_pair_sign(a, f->pair, k, l) == 0;
}

/* True if plane l, which does not cross the flat, contains it. */
BI_FN bool bi_flat_is_member(const struct bi_arrangement *a, const struct bi_flat *f, int64_t l)
{
    for (int32_t p = 0; p < f->count; p++)
        if (f->planes[p] == l) return true;
    return bi_flat_sign(a, f, f->first, l) == 0;
}

/* Finds the first plane that crosses the flat. */
BI_FN void bi_flat_find_first(const struct bi_arrangement *a, struct bi_flat *f)
{
    f->first = 0;
    while (bi_flat_sign(a, f, f->first, -1) == 0) f->first++;
}

/* ---- the order along a flat ---- */

/* Compares the crossings of k and l: negative if k's comes first; 0: the same point. */
BI_FN int bi_flat_compare_points(const struct bi_arrangement *a, const struct bi_flat *f, uint32_t k, uint32_t l)
{
    const int sign = bi_flat_sign(a, f, k, l);
    return sign == 0 ? 0 : sign * bi_flat_sign(a, f, k, -1) * bi_flat_sign(a, f, l, -1);
}

BI_FN bool bi_flat_is_before(const struct bi_arrangement *a, const struct bi_flat *f, uint32_t k, uint32_t l)
{
    const int order = bi_flat_compare_points(a, f, k, l);
    return order != 0 ? order < 0 : k < l;
}

/* Moves the plane at `at` down in the heap of n planes, whose top crosses last. */
BI_FN void bi_flat_sift(const struct bi_arrangement *a, const struct bi_flat *f, uint32_t *heap, int64_t n, int64_t at)
{
    const uint32_t x = heap[at];
    for (int64_t below; (below = 2 * at + 1) < n; at = below) {
        if (below + 1 < n && bi_flat_is_before(a, f, heap[below], heap[below + 1])) below++;
        if (!bi_flat_is_before(a, f, x, heap[below])) break;
        heap[at] = heap[below];
    }
    heap[at] = x;
}

/* Sorts planes by their crossings, equal ones by number: heap sort. */
BI_FN void bi_flat_sort(const struct bi_arrangement *a, const struct bi_flat *f, uint32_t *order, int64_t n)
{
    for (int64_t i = n / 2 - 1; i >= 0; i--) bi_flat_sift(a, f, order, n, i);
    for (int64_t last = n - 1; last > 0; last--) {
        const uint32_t top = order[0];
        order[0] = order[last];
        order[last] = top;
        bi_flat_sift(a, f, order, last, 0);
    }
}

BI_FN void bi_arrangement_note_equal(const struct bi_arrangement *a, uint32_t k, int64_t later)
{
    bi_atomic_min_u64(a->equal, (uint64_t)later << 32 | k);
}

/* Lists the planes that cross the flat from the start of `order` on, and its members from the end on. False if the
 * flat's planes are not its first members: the flat of these is the same line, and has its rows. */
BI_FN bool bi_flat_list(const struct bi_arrangement *a, const struct bi_flat *f, uint32_t *order, int64_t *crosses,
                        int64_t *members)
{
    int64_t c = 0, m = 0;
    for (int64_t l = 0; l < a->n; l++) {
        if (bi_flat_sign(a, f, l, -1) != 0) {
            order[c++] = (uint32_t)l;
        } else if (bi_flat_is_member(a, f, l)) {
            for (int64_t k = 0; k < m; k++)
                if (bi_flat_are_equal(a, f, order[a->n - 1 - k], l))
                    bi_arrangement_note_equal(a, order[a->n - 1 - k], l);
            if (m < f->count && f->planes[m] != l) return false;
            order[a->n - 1 - m++] = (uint32_t)l;
        }
    }
    *crosses = c;
    *members = m;
    return true;
}

/* Orders the planes along flat i, and counts its rows, its pieces and the corners that no earlier flat has. */
BI_FN void bi_step_arrangement_order_flat(const struct bi_arrangement *a, int64_t i)
{
    struct bi_flat f;
    uint32_t *order = a->order + i * a->n;
    int64_t crosses = 0, members = 0, points = 0, corners = 0;
    a->begin[i] = 0;
    if (!bi_flat_find(a, i, &f)) return;
    /* 1. List the planes, unless the flat is that of others. */
    bi_flat_find_first(a, &f);
    if (!bi_flat_list(a, &f, order, &crosses, &members)) return;
    bi_flat_sort(a, &f, order, crosses);
    /* 2. Count the points. The first plane through a point begins its group: if it is behind the flat's planes, no
     * earlier flat contains the point. */
    for (int64_t c = 0; c < crosses; c++) {
        if (c > 0 && bi_flat_sign(a, &f, order[c - 1], order[c]) == 0) {
            if (f.count == 0) bi_arrangement_note_equal(a, order[c - 1], order[c]);
            continue;
        }
        points++;
        corners += f.count == 0 || (int64_t)order[c] > f.planes[f.count - 1];
    }
    a->crosses[i] = (uint32_t)crosses;
    a->members[i] = (uint32_t)members;
    a->begin[i] = (points + 1) * (f.count == 0 ? 1 : 2 * members);
    bi_atomic_fetch_add_u64(&a->counts[BI_ARRANGEMENT_CORNERS], (uint64_t)corners);
    bi_atomic_fetch_add_u64(&a->counts[BI_ARRANGEMENT_PIECES], (uint64_t)points + 1);
}

/* ---- the cells around a flat ---- */

/* Returns the sign of member l in a wedge: the one behind the half-plane of member k, in the direction of rotation;
 * side is 1 or -1, for the two half-planes. Rank 2: the two cells beside line k. */
BI_FN int bi_flat_member_sign(const struct bi_arrangement *a, const struct bi_flat *f, int64_t k, int side, int64_t l)
{
    return l == k ? side : side * bi_pair_sign(a, f->pair, l, k);
}

/* Writes the row of a wedge before the first point of the flat. There a plane that crosses the flat has the sign
 * opposite to its rise. */
BI_FN void bi_flat_write_first(const struct bi_arrangement *a, const struct bi_flat *f, int64_t k, int side,
                               uint64_t *row)
{
    for (int64_t w = 0; w < a->words; w++) row[w] = 0;
    for (int64_t l = 0; l < a->n; l++) {
        int sign = -bi_flat_sign(a, f, l, -1);
        if (sign == 0)
            sign = bi_flat_is_member(a, f, l) ? bi_flat_member_sign(a, f, k, side, l)
                                              : bi_flat_sign(a, f, f->first, l) * bi_flat_sign(a, f, f->first, -1);
        if (sign > 0) row[l / 64] |= 1ull << (l % 64);
    }
}

/* Writes the rows of flat i: of all wedges around its first piece, then around the second, and so on. */
BI_FN void bi_step_arrangement_write_flat(const struct bi_arrangement *a, int64_t i)
{
    struct bi_flat f;
    const uint32_t *order = a->order + i * a->n;
    uint64_t *row = a->rows + a->begin[i] * a->words;
    if (a->begin[i] == a->begin[i + 1]) return;
    /* 1. The first piece. */
    bi_flat_find(a, i, &f);
    f.first = order[0];
    const int64_t wedges = f.count == 0 ? 1 : 2 * (int64_t)a->members[i], crosses = a->crosses[i];
    for (int64_t w = 0; w < wedges; w++, row += a->words)
        bi_flat_write_first(a, &f, wedges == 1 ? 0 : order[a->n - 1 - w / 2], w % 2 ? -1 : 1, row);
    /* 2. Every other one: the planes through the point before it change their signs. */
    for (int64_t c = 0, end; c < crosses; c = end) {
        for (end = c + 1; end < crosses && bi_flat_sign(a, &f, order[c], order[end]) == 0;) end++;
        for (int64_t w = 0; w < wedges; w++, row += a->words) {
            for (int64_t s = 0; s < a->words; s++) row[s] = row[s - wedges * a->words];
            for (int64_t k = c; k < end; k++) row[order[k] / 64] ^= 1ull << (order[k] % 64);
        }
    }
}

#endif
