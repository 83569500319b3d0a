#include "harness/road.h"

#include <math.h>

#include "harness/bench.h"
#include "harness/random.h"

struct road {
    uint64_t random;
    int64_t width, height, crossings, bends, roads; /* of the grid, and totals */
    int64_t road, edge, bend;                       /* numbers made so far */
    uint32_t *u, *v, *weights;
};

static void add_edge(struct road *r, int64_t a, int64_t b)
{
    r->u[r->edge] = (uint32_t)a;
    r->v[r->edge] = (uint32_t)b;
    r->weights[r->edge++] = 1 + (uint32_t)(bench_next(&r->random) >> 48);
}

/* Adds a road between two crossings, with its share of the bends. */
static void add_road(struct road *r, int64_t a, int64_t b)
{
    int64_t bends = (r->road + 1) * r->bends / r->roads - r->road * r->bends / r->roads;
    r->road++;
    for (; bends > 0; bends--) {
        const int64_t bend = r->crossings + r->bend++;
        add_edge(r, a, bend);
        a = bend;
    }
    add_edge(r, a, b);
}

/* Chooses the grid: two crossings for three roads, more where the grid has too few roads, at most n. */
static void choose_grid(struct road *r, int64_t n, int64_t extra)
{
    int64_t crossings = 2 * extra < 16 ? 16 : 2 * extra;
    do {
        if (crossings > n) crossings = n;
        r->width = (int64_t)sqrt((double)crossings);
        r->height = crossings / r->width;
        if ((r->width - 1) * (r->height - 1) >= extra) break;
        if (crossings == n) bench_fail("no road network has %" PRId64 " vertices and so many edges", n);
        crossings += crossings / 16 + 1;
    } while (true);
    r->crossings = r->width * r->height;
    r->bends = n - r->crossings;
    r->roads = r->crossings - 1 + extra;
}

void bench_road(uint64_t seed, int64_t n, int64_t m, uint32_t *u, uint32_t *v, uint32_t *weights)
{
    struct road r = {.random = seed, .u = u, .v = v, .weights = weights};
    int64_t extra = m - (n - 1), spare;
    choose_grid(&r, n, extra);
    spare = (r.width - 1) * (r.height - 1);
    for (int64_t x = 0; x < r.crossings; x++) {
        const bool right = (x + 1) % r.width != 0, down = x + r.width < r.crossings;
        const bool choose_right = right && (!down || bench_next(&r.random) >> 63);
        if (right || down) add_road(&r, x, choose_right ? x + 1 : x + r.width);
        if (!right || !down) continue;
        if ((int64_t)(bench_next(&r.random) % (uint64_t)spare--) >= extra) continue;
        extra--;
        add_road(&r, x, choose_right ? x + r.width : x + 1);
    }
}
