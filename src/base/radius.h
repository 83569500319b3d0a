/* The squared distances that a radius admits. A distance is the root of a sum of squares, rounded to the type of the
 * sum; a point is within a radius if its distance is at most the radius, rounded to that type. Comparing the sum with
 * the rounded square of the radius would lose points at exactly that distance, as roots and squares both round. */
#ifndef BI_BASE_RADIUS_H
#define BI_BASE_RADIUS_H

#include "base/elementary.h"

/* The bits of a double beyond the 24 of a float. */
enum { BI_F32_DROPPED_BITS = 29 };

/* Rounds to the 24 bits of a float's significand, ties to even, with the exponents of double. */
BI_FN double bi_round_to_f24(double x)
{
    const uint64_t unit = (uint64_t)1 << BI_F32_DROPPED_BITS, u = bi_f64_bits(x);
    return bi_f64_from_bits((u + (unit / 2 - 1) + (u / unit & 1)) & ~(unit - 1));
}

/* Returns the root of a square; if `single`, rounded to the bits of a float. */
BI_FN double bi_rounded_root(double square, bool single)
{
    return single ? bi_round_to_f24(bi_sqrt(square)) : bi_sqrt(square);
}

/* Returns the largest square whose root is at most the radius; -1 for a negative radius or NaN. If `single`, radius,
 * squares and roots have the bits of a float. Infinite for an infinite radius only. At most a few steps, as the root
 * of the rounded square is the radius or next to it. */
BI_FN double bi_largest_square(double radius, bool single)
{
    const uint64_t unit = single ? (uint64_t)1 << BI_F32_DROPPED_BITS : 1;
    if (!(radius >= 0)) return -1;
    const double r = single ? bi_round_to_f24(radius) : radius;
    if (r == BI_INFINITY) return r;
    uint64_t bits = bi_f64_bits(single ? bi_round_to_f24(r * r) : r * r);
    while (bi_rounded_root(bi_f64_from_bits(bits), single) > r) bits -= unit;
    while (bi_f64_from_bits(bits + unit) < BI_INFINITY && bi_rounded_root(bi_f64_from_bits(bits + unit), single) <= r)
        bits += unit;
    return bi_f64_from_bits(bits);
}

/* Returns the largest float that is not above x, which is -1 or at least 0. */
BI_FN double bi_floor_to_f32(double x)
{
    const float f = (float)x;
    return (double)f > x && x >= 0 ? (double)bi_f32_from_bits(bi_f32_bits(f) - 1) : (double)f;
}

/* Returns bi_largest_square as a number of the type of squared distances: float if `single`, infinite then for a radius
 * beyond all floats. */
BI_FN double bi_square_limit(double radius, bool single)
{
    if (single && (double)(float)radius == BI_INFINITY) return BI_INFINITY;
    const double square = bi_largest_square(radius, single);
    return single ? bi_floor_to_f32(square) : square;
}

#endif
