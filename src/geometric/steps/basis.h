/* Bases of either dimension: their points, and the coordinates of points in them. */
#ifndef BI_GEOMETRIC_STEPS_BASIS_H
#define BI_GEOMETRIC_STEPS_BASIS_H

#include "geometric/geometric.h"
#include "geometric/steps/plane.h"
#include "geometric/steps/space.h"

/* Noise grows with coordinates, so those beyond FAR are useless: such model points are all put at OUTSIDE, and such
 * queries at -OUTSIDE, where no votes arise. */
#define BI_GEOMETRIC_FAR 8.0
#define BI_GEOMETRIC_OUTSIDE 64.0f

/* The kind of a basis. */
struct bi_geometric_form {
    int32_t dim, corners;
    bool affine, rigid;
};

/* Turns `count` numbers, number k of them drawn from the n - k remaining ones, into distinct numbers below n. */
BI_FN void bi_geometric_make_distinct(uint64_t *number, int count)
{
    uint64_t sorted[BI_GEOMETRIC_CORNERS];
    for (int k = 0; k < count; k++) {
        int at = 0;
        for (; at < k && number[k] >= sorted[at]; at++) number[k]++;
        for (int t = k; t > at; t--) sorted[t] = sorted[t - 1];
        sorted[at] = number[k];
    }
}

/* Returns the number of ordered tuples of n points. */
BI_FN uint64_t bi_geometric_count_tuples(uint64_t n, int corners)
{
    uint64_t all = n;
    for (int k = 1; k < corners; k++) all *= n - (uint64_t)k;
    return all;
}

/* Computes ordered tuple r of n points. */
BI_FN void bi_geometric_tuple(uint64_t r, uint64_t n, int corners, uint32_t *point)
{
    uint64_t number[BI_GEOMETRIC_CORNERS];
    for (int k = corners - 1; k > 0; k--) {
        number[k] = r % (n - (uint64_t)k);
        r /= n - (uint64_t)k;
    }
    number[0] = r;
    bi_geometric_make_distinct(number, corners);
    for (int k = 0; k < corners; k++) point[k] = (uint32_t)number[k];
}

/* The other points of a basis have ranks low to high - 1 among the neighbours of its first point, nearest first: not
 * the nearest, which make short bases. */
struct bi_geometric_ranks {
    uint32_t low, high;
};

BI_FN struct bi_geometric_ranks bi_geometric_ranks_of(int64_t neighbours, int corners)
{
    struct bi_geometric_ranks ranks;
    uint32_t least;
    ranks.low = (uint32_t)neighbours / 6;
    ranks.high = (uint32_t)neighbours;
    if (corners == 2) return ranks;
    ranks.high /= 2;
    least = ranks.low + (uint32_t)corners - 1;
    if (ranks.high < least) ranks.high = least;
    return ranks;
}

/* Returns the number of bases with the same first point. */
BI_FN uint64_t bi_geometric_count_neighbour_tuples(struct bi_geometric_ranks ranks, int corners)
{
    return bi_geometric_count_tuples(ranks.high - ranks.low, corners - 1);
}

/* Computes the other points of basis e of these; row: neighbours of the first point. */
BI_FN void bi_geometric_neighbour_tuple(uint64_t e, const uint32_t *row, struct bi_geometric_ranks ranks, int corners,
                                        uint32_t *point)
{
    uint64_t number[BI_GEOMETRIC_CORNERS], left = ranks.high - ranks.low;
    for (int k = 0; k < corners - 1; k++, left--) {
        number[k] = e % left;
        e /= left;
    }
    bi_geometric_make_distinct(number, corners - 1);
    for (int k = 0; k < corners - 1; k++) point[k + 1] = row[ranks.low + number[k]];
}

/* True if a basis is so large that noise does not blur its coordinates. Tests the angles of a basis of neighbours
 * (`near`), else the squared length, doubled area or sixfold volume against min_size. */
BI_FN bool bi_geometric_is_large(const double *points, const uint32_t *point, struct bi_geometric_form form, bool near,
                                 double min_size)
{
    double scale;
    if (form.dim == 3) {
        struct bi_geometric_space f = bi_geometric_space_of(points, point, form.affine);
        if (near) return bi_geometric_space_has_wide_angles(&f, form.affine);
        scale = f.scale;
    } else {
        struct bi_geometric_plane f = bi_geometric_plane_of(points, point, form.affine);
        if (near) return bi_geometric_plane_has_wide_angles(&f, form.affine);
        scale = f.scale;
    }
    return (scale < 0 ? -scale : scale) >= min_size;
}

/* Computes the coordinates of point p in a basis; `outside` if p is in the basis, too far away, or the basis is
 * degenerate. */
BI_FN void bi_geometric_compute_coordinates(const double *points, const uint32_t *point, struct bi_geometric_form form,
                                            int64_t p, float outside, float *to)
{
    double at[3], scale;
    bool inside = true;
    for (int k = 0; k < form.corners; k++) inside = inside && p != point[k];
    if (form.dim == 3) {
        struct bi_geometric_space f = bi_geometric_space_of(points, point, form.affine);
        bi_geometric_space_coordinates(&f, points + 3 * p, at);
        scale = f.scale;
    } else {
        struct bi_geometric_plane f = bi_geometric_plane_of(points, point, form.affine);
        bi_geometric_plane_coordinates(&f, points + 2 * p, form.affine, at);
        scale = f.scale;
    }
    for (int k = 0; k < form.dim; k++) inside = inside && at[k] >= -BI_GEOMETRIC_FAR && at[k] <= BI_GEOMETRIC_FAR;
    for (int k = 0; k < form.dim; k++) to[k] = inside && scale != 0 ? (float)at[k] : outside;
}

#endif
