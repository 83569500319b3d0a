#include "tool/commands/close_pairs.h"

#include <math.h>

#include "tool/output/arrays.h"
#include "tool/tool.h"

/* A point at infinity is not its own neighbour (its distance is NaN) unless the radius is infinite. */
int64_t count_own_neighbours(const bosc_array *points, int64_t first, int64_t n, double radius)
{
    int64_t dim = points->shape[1], own = 0;
    double square = radius * radius;
    if (points->dtype == BOSC_F32) square = (double)((float)radius * (float)radius);
    if (isinf(square)) return n;
    for (int64_t i = first; i < first + n; i++) {
        bool finite = true;
        for (int64_t c = 0; c < dim && finite; c++) finite = isfinite(coordinate(points, i * dim + c));
        own += finite;
    }
    return own;
}

int64_t list_later_neighbours(int64_t first, int64_t n, const int64_t *offsets, const int64_t *ids, int64_t *pairs)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
            if (ids[e] <= first + i) continue;
            pairs[2 * kept] = first + i;
            pairs[2 * kept++ + 1] = ids[e];
        }
    return kept;
}
