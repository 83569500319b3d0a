#include "reference/arrangement.h"

#include <string.h>

static int64_t common_divisor(int64_t a, int64_t b) { return b == 0 ? (a < 0 ? -a : a) : common_divisor(b, a % b); }

/* Divides a row by the common divisor of its elements; makes the first one other than 0 positive if `orient`. */
static void shorten(int64_t *row, int32_t count, bool orient)
{
    int64_t divisor = 0;
    int32_t first = 0;
    for (int32_t c = 0; c < count; c++) divisor = common_divisor(divisor, row[c]);
    while (first < count && row[first] == 0) first++;
    if (first == count) return;
    if (orient && row[first] < 0) divisor = -divisor;
    for (int32_t c = 0; c < count; c++) row[c] /= divisor;
}

int64_t reference_count_cells(const struct reference_planes *planes)
{
    struct reference_planes fewer = *planes, inside = {.dim = planes->dim - 1};
    int32_t out = 0;
    if (planes->n == 0 || planes->dim == 0) return 1;
    const int64_t *last = planes->rows[planes->n - 1];
    fewer.n--;
    /* A plane equal to another divides nothing. */
    int64_t a[REFERENCE_DIM + 1], b[REFERENCE_DIM + 1];
    memcpy(a, last, sizeof a);
    shorten(a, planes->dim + 1, true);
    while (last[out] == 0) out++;
    for (int32_t k = 0; k < fewer.n; k++) {
        memcpy(b, planes->rows[k], sizeof b);
        shorten(b, planes->dim + 1, true);
        if (memcmp(a, b, sizeof a) == 0) return reference_count_cells(&fewer);
    }
    /* Eliminate coordinate `out` from the others: their intersections with the last plane. */
    for (int32_t k = 0; k < fewer.n; k++) {
        int64_t *to = inside.rows[inside.n];
        bool crosses = false;
        for (int32_t c = 0, at = 0; c <= planes->dim; c++) {
            if (c == out) continue;
            to[at] = last[out] * planes->rows[k][c] - planes->rows[k][out] * last[c];
            crosses |= at < inside.dim && to[at] != 0;
            at++;
        }
        to[planes->dim] = 0;
        shorten(to, planes->dim, false);
        inside.n += crosses;
    }
    if (inside.dim == 0) inside.n = 0;
    return reference_count_cells(&fewer) + reference_count_cells(&inside);
}

bool reference_is_cell(const struct reference_planes *planes, uint64_t signs)
{
    static int64_t rows[2][REFERENCE_INEQUALITIES][REFERENCE_DIM + 1]; /* each more than 0 */
    int32_t count = planes->n, now = 0;
    for (int32_t k = 0; k < planes->n; k++)
        for (int32_t c = 0; c <= planes->dim; c++)
            rows[0][k][c] = signs >> k & 1 ? planes->rows[k][c] : -planes->rows[k][c];
    for (int32_t out = 0; out < planes->dim; out++, now = 1 - now) {
        int32_t kept = 0;
        for (int32_t i = 0; i < count; i++) {
            const int64_t *x = rows[now][i];
            if (x[out] == 0) memcpy(rows[1 - now][kept++], x, sizeof rows[0][0]);
            for (int32_t j = 0; j < count && x[out] > 0; j++) {
                const int64_t *y = rows[now][j];
                if (y[out] >= 0) continue;
                for (int32_t c = 0; c <= planes->dim; c++) rows[1 - now][kept][c] = x[out] * y[c] - y[out] * x[c];
                shorten(rows[1 - now][kept++], planes->dim + 1, false);
            }
        }
        count = kept;
    }
    for (int32_t i = 0; i < count; i++)
        if (rows[now][i][planes->dim] <= 0) return false;
    return true;
}
