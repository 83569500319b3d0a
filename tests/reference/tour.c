#include "reference/tour.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double distance(const double *points, int64_t dim, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t c = 0; c < dim; c++) sum += pow(points[a * dim + c] - points[b * dim + c], 2);
    return sqrt(sum);
}

double reference_tour_length(const double *points, int64_t n, int64_t dim, const int64_t *order)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += distance(points, dim, order[i], order[(i + 1) % n]);
    return sum;
}

double reference_shortest_tour(const double *points, int64_t n, int64_t dim)
{
    /* least[set * n + last]: the shortest path from point 0 through the set, a bit for each point, to the last. */
    double *least = malloc(((size_t)1 << n) * (size_t)n * sizeof *least), best = n < 2 ? 0 : DBL_MAX;
    for (int64_t set = 1; set < (int64_t)1 << n; set++)
        for (int64_t last = 0; last < n; last++) {
            double *at = &least[set * n + last];
            *at = set == 1 && last == 0 ? 0 : DBL_MAX;
            if (!(set & 1) || !(set >> last & 1) || last == 0) continue;
            for (int64_t before = 0; before < n; before++) {
                const double d = least[(set ^ (int64_t)1 << last) * n + before];
                if (d < DBL_MAX) *at = fmin(*at, d + distance(points, dim, before, last));
            }
        }
    const int64_t all = ((int64_t)1 << n) - 1;
    for (int64_t last = 1; last < n; last++) best = fmin(best, least[all * n + last] + distance(points, dim, last, 0));
    free(least);
    return best;
}
