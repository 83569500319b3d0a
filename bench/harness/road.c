#include "harness/road.h"

#include <math.h>

#include "harness/bench.h"
#include "harness/random.h"

struct road {
    uint64_t random;
    int64_t wide, high, crossings, bends, ways;
    int64_t way, edge, bend; /* how many are made */
    uint32_t *u, *v, *weights;
};

static void put_edge(struct road *r, int64_t a, int64_t b)
{
    r->u[r->edge] = (uint32_t)a;
    r->v[r->edge] = (uint32_t)b;
    r->weights[r->edge++] = 1 + (uint32_t)(bench_next(&r->random) >> 48);
}

/* A way between two crossings, and the bends on it. */
static void put_way(struct road *r, int64_t a, int64_t b)
{
    int64_t bends = (r->way + 1) * r->bends / r->ways - r->way * r->bends / r->ways;
    r->way++;
    for (; bends > 0; bends--) {
        const int64_t bend = r->crossings + r->bend++;
        put_edge(r, a, bend);
        a = bend;
    }
    put_edge(r, a, b);
}

/* Two crossings for three ways, if there are as many vertices and the grid has the ways. */
static void lay_out(struct road *r, int64_t n, int64_t extra)
{
    int64_t crossings = 2 * extra < 16 ? 16 : 2 * extra;
    do {
        if (crossings > n) crossings = n;
        r->wide = (int64_t)sqrt((double)crossings);
        r->high = crossings / r->wide;
        if ((r->wide - 1) * (r->high - 1) >= extra) break;
        if (crossings == n) bench_fail("no road network has %" PRId64 " vertices and so many edges", n);
        crossings += crossings / 16 + 1;
    } while (true);
    r->crossings = r->wide * r->high;
    r->bends = n - r->crossings;
    r->ways = r->crossings - 1 + extra;
}

void bench_road(uint64_t seed, int64_t n, int64_t m, uint32_t *u, uint32_t *v, uint32_t *weights)
{
    struct road r = {.random = seed, .u = u, .v = v, .weights = weights};
    int64_t extra = m - (n - 1), spare;
    lay_out(&r, n, extra);
    spare = (r.wide - 1) * (r.high - 1);
    for (int64_t x = 0; x < r.crossings; x++) {
        const bool right = (x + 1) % r.wide != 0, down = x + r.wide < r.crossings;
        const bool choose_right = right && (!down || bench_next(&r.random) >> 63);
        if (right || down) put_way(&r, x, choose_right ? x + 1 : x + r.wide);
        if (!right || !down) continue;
        if ((int64_t)(bench_next(&r.random) % (uint64_t)spare--) >= extra) continue;
        extra--;
        put_way(&r, x, choose_right ? x + r.wide : x + 1);
    }
}
