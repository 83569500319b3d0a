/* Steps that fill random bits and points. A row is a function of its number: it reads the Philox blocks at counters
 * that follow from the number, so that the result does not depend on the order of the work. */
#ifndef BI_RANDOM_STEPS_POINTS_H
#define BI_RANDOM_STEPS_POINTS_H

#include <boscage/random.h>

#include "base/elementary.h"
#include "base/philox.h"
#include "random/steps/relief.h"

struct bi_random_bits_args {
    uint64_t seed, stream;
    int64_t n;
    uint32_t *bits;
};

/* Block i: words 4 i to 4 i + 3. */
BI_FN void bi_step_bits(const struct bi_random_bits_args *a, int64_t i)
{
    struct bi_philox block = bi_philox_at(a->seed, a->stream, (uint64_t)i);
    for (int64_t j = 0; j < 4 && 4 * i + j < a->n; j++) a->bits[4 * i + j] = block.v[j];
}

struct bi_random_points_args {
    uint64_t seed;
    bosc_random_points_kind kind;
    bosc_dtype dtype;
    int32_t dim;
    void *points;
};

enum { BI_RANDOM_CLUSTERS = 64 }; /* part of the output: other numbers give other points */

/* Philox stream of the points. The high constant keeps it apart from streams that callers of bosc_random_bits use. */
BI_FN uint64_t bi_random_points_stream(const struct bi_random_points_args *a, int purpose)
{
    return 0xb05ca9e000000000ull | (uint64_t)purpose << 24 | (uint64_t)a->kind << 16 | (uint64_t)(uint32_t)a->dim;
}

/* Returns the block of coordinates 2 pair and 2 pair + 1 of row i; a row has ceil(dim / 2) pairs. */
BI_FN struct bi_philox bi_random_points_block(const struct bi_random_points_args *a, int purpose, int64_t i,
                                              int32_t pair)
{
    uint64_t pairs = (uint64_t)(a->dim + 1) / 2;
    return bi_philox_at(a->seed, bi_random_points_stream(a, purpose), (uint64_t)i * pairs + (uint64_t)pair);
}

/* Uniform coordinates 2 pair and 2 pair + 1 of a row. */
BI_FN void bi_random_uniforms(const struct bi_random_points_args *a, int purpose, int64_t i, int32_t pair, double x[2])
{
    struct bi_philox block = bi_random_points_block(a, purpose, i, pair);
    x[0] = bi_unit_f64(block.v[0], block.v[1]);
    x[1] = bi_unit_f64(block.v[2], block.v[3]);
}

/* The same with normal coordinates. Source: Box and Muller, A Note on the Generation of Random Normal Deviates
 * (1958). */
BI_FN void bi_random_normals(const struct bi_random_points_args *a, int64_t i, int32_t pair, double x[2])
{
    struct bi_philox block = bi_random_points_block(a, 0, i, pair);
    double u = 1 - bi_unit_f64(block.v[0], block.v[1]); /* (0, 1] */
    double radius = bi_sqrt(-2 * bi_log_f64(u));
    struct bi_angle angle = bi_angle_of_turns(bi_unit_f64(block.v[2], block.v[3]));
    x[0] = radius * bi_angle_cos(angle);
    x[1] = radius * bi_angle_sin(angle);
}

/* Writes coordinate c of row i. */
BI_FN void bi_random_store(const struct bi_random_points_args *a, int64_t i, int32_t c, double x)
{
    int64_t at = i * a->dim + c;
    switch (a->dtype) {
    case BOSC_F32:
        /* Uniform numbers are truncated to 24 bits, because rounding could yield 1. */
        if (a->kind == BOSC_RANDOM_POINTS_UNIFORM) x = (double)(int32_t)(x * 0x1p24) * 0x1p-24;
        ((float *)a->points)[at] = (float)x;
        break;
    case BOSC_F64: ((double *)a->points)[at] = x; break;
    case BOSC_I32: ((int32_t *)a->points)[at] = (int32_t)bi_round_even(x * 0x1p20); break;
    default: ((int64_t *)a->points)[at] = (int64_t)bi_round_even(x * 0x1p20); break;
    }
}

/* The length of row i's normal vector. */
BI_FN double bi_random_length(const struct bi_random_points_args *a, int64_t i)
{
    double sum = 0, x[2];
    for (int32_t pair = 0; 2 * pair < a->dim; pair++) {
        bi_random_normals(a, i, pair, x);
        sum += x[0] * x[0];
        if (2 * pair + 1 < a->dim) sum += x[1] * x[1];
    }
    return bi_sqrt(sum);
}

/* Writes row i: uniform, clustered (normal around one of 64 centres), or on the unit sphere (a scaled normal
 * vector). */
BI_FN void bi_step_points(const struct bi_random_points_args *a, int64_t i)
{
    double length = a->kind == BOSC_RANDOM_POINTS_SPHERE ? bi_random_length(a, i) : 1;
    uint32_t cluster = bi_philox_at(a->seed, bi_random_points_stream(a, 1), (uint64_t)i).v[0] % BI_RANDOM_CLUSTERS;
    for (int32_t pair = 0; 2 * pair < a->dim; pair++) {
        double x[2], centre[2];
        if (a->kind == BOSC_RANDOM_POINTS_UNIFORM)
            bi_random_uniforms(a, 0, i, pair, x);
        else
            bi_random_normals(a, i, pair, x);
        if (a->kind == BOSC_RANDOM_POINTS_CLUSTERED) {
            bi_random_uniforms(a, 2, cluster, pair, centre);
            for (int j = 0; j < 2; j++) x[j] = centre[j] + 0.01 * x[j];
        }
        /* A zero vector (a normal of 0 in one dimension: once in 2^53 rows) becomes the first axis. */
        if (a->kind == BOSC_RANDOM_POINTS_SPHERE)
            for (int j = 0; j < 2; j++) x[j] = length > 0 ? x[j] / length : pair + j == 0;
        for (int32_t j = 0; j < 2 && 2 * pair + j < a->dim; j++) bi_random_store(a, i, 2 * pair + j, x[j]);
    }
}

#endif
