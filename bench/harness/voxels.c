#include "harness/voxels.h"

#include <math.h>
#include <stdbool.h>

#include "harness/bench.h"

static bool is_inside(int64_t side, int64_t key, double waves, double time)
{
    double k = 6.283185307179586 * waves / (double)side, s = sin(time), c = cos(time), p[3];
    for (int a = 0; a < 3; a++, key /= side) p[a] = k * ((double)(key % side) + 0.5) + 3 * time;
    double x = c * p[0] - s * p[1], y = s * p[0] + c * p[1], z = p[2];
    return sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x) > 0;
}

uint32_t *bench_voxels(int64_t side, double waves, double time, uint8_t *map, int64_t *n)
{
    const int64_t all = side * side * side;
    uint32_t *keys = bench_host((size_t)all * sizeof *keys);
    uint64_t random = 1;
    *n = 0;
    for (int64_t key = 0; key < all; key++) {
        map[key] = is_inside(side, key, waves, time);
        if (map[key]) keys[(*n)++] = (uint32_t)key;
    }
    for (int64_t i = *n - 1; i > 0; i--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int64_t j = (int64_t)((random >> 33) % (uint64_t)(i + 1));
        const uint32_t key = keys[i];
        keys[i] = keys[j];
        keys[j] = key;
    }
    return keys;
}
