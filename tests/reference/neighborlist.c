#include "reference/neighborlist.h"

#include <math.h>

/* Bounds the shifts of a pair along each vector: a shift beyond them is farther away than the cutoff. The distance of
 * two parallel faces of the cell is its volume over the area of a face. Open vectors have shift 0. */
static void bound_shifts(const double *cell, const uint8_t *periodic, const double *d, double cutoff, int64_t low[3],
                         int64_t high[3])
{
    for (int c = 0; c < 3; c++) low[c] = high[c] = 0;
    long double a[3][3];
    int count = 0;
    for (int c = 0; c < 3; c++)
        if (periodic[c]) {
            for (int k = 0; k < 3; k++) a[count][k] = cell[3 * c + k];
            count++;
        }
    /* 1. The Gram matrix of the periodic vectors, and its inverse by elimination. */
    long double g[3][6] = {{0}};
    for (int r = 0; r < count; r++) {
        for (int c = 0; c < count; c++)
            for (int k = 0; k < 3; k++) g[r][c] += a[r][k] * a[c][k];
        g[r][3 + r] = 1;
    }
    for (int p = 0; p < count; p++)
        for (int r = 0; r < count; r++) {
            const long double factor = r == p ? 1 - 1 / g[p][p] : g[r][p] / g[p][p];
            if (r == p) continue;
            for (int c = 0; c < 6; c++) g[r][c] -= factor * g[p][c];
        }
    /* 2. |S + coordinate| <= cutoff * sqrt of the inverse's diagonal. */
    int at = 0;
    for (int c = 0; c < 3; c++) {
        if (!periodic[c]) continue;
        long double coordinate = 0;
        for (int r = 0; r < count; r++) {
            long double dot = 0;
            for (int k = 0; k < 3; k++) dot += a[r][k] * d[k];
            coordinate += g[at][3 + r] / g[at][at] * dot;
        }
        const long double reach = cutoff * sqrtl(g[at][3 + at] / g[at][at]) + 0.01L;
        low[c] = (int64_t)floorl(-coordinate - reach);
        high[c] = (int64_t)ceill(-coordinate + reach);
        at++;
    }
}

static bool in_half(int64_t i, int64_t j, const int32_t *s)
{
    if (i != j) return i < j;
    return s[0] != 0 ? s[0] > 0 : s[1] != 0 ? s[1] > 0 : s[2] > 0;
}

int64_t reference_neighbors(const struct reference_atoms *a, double cutoff, bool half, struct reference_neighbor *pairs)
{
    static const uint8_t all[3] = {1, 1, 1}, none[3] = {0, 0, 0};
    static const double no_cell[9] = {0};
    int64_t count = 0;
    /* All pairs of a system, in all images within the bounds. */
    for (int64_t s = 0; s < a->system_count; s++)
        for (int64_t i = a->offsets[s]; i < a->offsets[s + 1]; i++)
            for (int64_t j = a->offsets[s]; j < a->offsets[s + 1]; j++) {
                const double *cell = a->cells ? a->cells + 9 * s : no_cell, *p = a->positions + 3 * i,
                             *q = a->positions + 3 * j;
                const uint8_t *periodic = !a->cells ? none : a->periodic ? a->periodic + 3 * s : all;
                const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
                int64_t low[3], high[3];
                bound_shifts(cell, periodic, d, cutoff, low, high);
                for (int64_t x = low[0]; x <= high[0]; x++)
                    for (int64_t y = low[1]; y <= high[1]; y++)
                        for (int64_t z = low[2]; z <= high[2]; z++) {
                            struct reference_neighbor n = {i, j, {(int32_t)x, (int32_t)y, (int32_t)z}, {0}, 0};
                            for (int c = 0; c < 3; c++)
                                n.vector[c] = d[c] + (((double)x * (periodic[0] ? cell[c] : 0) +
                                                       (double)y * (periodic[1] ? cell[3 + c] : 0)) +
                                                      (double)z * (periodic[2] ? cell[6 + c] : 0));
                            n.distance = sqrt((n.vector[0] * n.vector[0] + n.vector[1] * n.vector[1]) +
                                              n.vector[2] * n.vector[2]);
                            if (!(n.distance < cutoff) || (i == j && x == 0 && y == 0 && z == 0)) continue;
                            if (half && !in_half(i, j, n.shift)) continue;
                            if (pairs) pairs[count] = n;
                            count++;
                        }
            }
    return count;
}
