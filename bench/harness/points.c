#include "harness/points.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/random.h"

static float unit(uint64_t *state) { return (float)(bench_next(state) >> 40) * 0x1p-24f; }

float *bench_points(const char *shape, int64_t n, int dim, uint64_t seed)
{
    float *p = bench_host((size_t)n * (size_t)dim * sizeof *p);
    uint64_t state = seed;
    for (int64_t i = 0; i < n; i++) {
        uint64_t cluster = 1000 + bench_next(&state) % 100;
        for (int c = 0; c < dim; c++) {
            const bool flat = c > 0 && (strcmp(shape, "axis") == 0 || (strcmp(shape, "plane") == 0 && c == dim - 1));
            const float u = flat ? 0 : unit(&state), v = flat ? 0 : unit(&state);
            float x = u;
            if (strcmp(shape, "normal") == 0) x = sqrtf(-2 * logf(u + 1e-8f)) * cosf(6.2831853f * v);
            if (strcmp(shape, "clustered") == 0) x = unit(&cluster) + 0.001f * (u + v - 1);
            if (strcmp(shape, "sorted") == 0) x = (float)i / (float)n + 1e-4f * u;
            if (strcmp(shape, "few") == 0) x = floorf(u * 1000);
            p[i * dim + c] = x;
        }
    }
    return p;
}
