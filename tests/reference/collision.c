#include "reference/collision.h"

#include <stddef.h>

/* Triangles share a point if convex combinations of their corners are equal: five equations in six nonnegative
 * unknowns. If a solution exists, one exists whose nonzero columns are linearly independent (Caratheodory), so all
 * sets of columns are tried. */

enum { ROWS = 5, COLUMNS = 6 };
__extension__ typedef __int128 int128;

/* True if the system rows (ROWS x (count + 1)) has a unique and nonnegative solution. By fraction-free Gauss-Jordan
 * elimination: after each column all pivots are equal, and divisions are exact. Source: Bareiss, 1968. */
static bool has_weights(int128 rows[ROWS][COLUMNS + 1], int count)
{
    int128 pivot = 1;
    /* 1. Eliminate each column. */
    for (int c = 0; c < count; c++) {
        int from = c;
        while (from < ROWS && rows[from][c] == 0) from++;
        if (from == ROWS) return false; /* columns are linearly dependent */
        for (int k = 0; k <= count; k++) {
            int128 other = rows[c][k];
            rows[c][k] = rows[from][k];
            rows[from][k] = other;
        }
        for (int r = 0; r < ROWS; r++) {
            int128 factor = rows[r][c];
            if (r == c) continue;
            for (int k = 0; k <= count; k++) rows[r][k] = (rows[r][k] * rows[c][c] - rows[c][k] * factor) / pivot;
        }
        pivot = rows[c][c];
    }
    /* 2. Check the signs, and that the remaining equations hold. */
    for (int r = 0; r < count; r++)
        if ((rows[r][count] < 0 && pivot > 0) || (rows[r][count] > 0 && pivot < 0)) return false;
    for (int r = count; r < ROWS; r++)
        if (rows[r][count] != 0) return false;
    return true;
}

bool reference_touch(const struct reference_mesh *a, int64_t i, const struct reference_mesh *b, int64_t j)
{
    int64_t column[COLUMNS][ROWS] = {{0}};
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) {
            column[k][c] = a->vertices[3 * a->triangles[3 * i + k] + c];
            column[3 + k][c] = -b->vertices[3 * b->triangles[3 * j + k] + c];
        }
        column[k][3] = column[3 + k][4] = 1;
    }
    for (int set = 1; set < 1 << COLUMNS; set++) {
        int128 rows[ROWS][COLUMNS + 1];
        int count = 0;
        for (int k = 0; k < COLUMNS; k++) {
            if (!(set >> k & 1)) continue;
            for (int r = 0; r < ROWS; r++) rows[r][count] = column[k][r];
            count++;
        }
        if (count > ROWS) continue;
        for (int r = 0; r < ROWS; r++) rows[r][count] = r >= 3;
        if (has_weights(rows, count)) return true;
    }
    return false;
}

int64_t reference_collisions(const struct reference_mesh *a, const struct reference_mesh *b, int64_t *pairs)
{
    int64_t count = 0;
    for (int64_t i = 0; i < a->triangle_count; i++)
        for (int64_t j = 0; j < b->triangle_count; j++) {
            if (!reference_touch(a, i, b, j)) continue;
            if (pairs) pairs[2 * count] = i;
            if (pairs) pairs[2 * count + 1] = j;
            count++;
        }
    return count;
}
