/* Steps that fill random bits and points. A row is a function of its number: it reads the Philox blocks at counters
 * that follow from the number, so that the result does not depend on the order of the work. */
#ifndef BI_RANDOM_STEPS_POINTS_H
#define BI_RANDOM_STEPS_POINTS_H

#include <boscage/random.h>

#include "base/elementary.h"
#include "base/philox.h"
#include "base/zipf.h"
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
    int64_t n;           /* of LIDAR */
    uint64_t *angles;    /* of LIDAR: a row's scan line, and 48 bits of its angle */
    struct bi_zipf zipf; /* of MIXTURE: ranks of the clusters */
};

/* Part of the output: other numbers give other points. */
enum {
    BI_RANDOM_CLUSTERS = 64,
    BI_RANDOM_MIXTURE = 1000,
    BI_RANDOM_LATTICE = 64,
    BI_RANDOM_POSES = 4,
    BI_RANDOM_BEAMS = 64,
    BI_RANDOM_ANGLE_BITS = 48
};

/* Purposes of random blocks. Those from 4 on are free; bits 28 to 31 of a stream count further blocks of a draw. Of
 * LIDAR, CENTRE gives the poses and SIGMA the phases of their walls. */
enum { BI_RANDOM_OF_ROW, BI_RANDOM_OF_CHOICE, BI_RANDOM_OF_CENTRE, BI_RANDOM_OF_SIGMA };

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

/* True if each coordinate is in [0, 1). */
BI_FN int bi_random_is_uniform(const struct bi_random_points_args *a)
{
    return a->kind == BOSC_RANDOM_POINTS_UNIFORM ||
           (a->kind >= BOSC_RANDOM_POINTS_PLANE && a->kind != BOSC_RANDOM_POINTS_LIDAR);
}

/* Writes coordinate c of row i. */
BI_FN void bi_random_store(const struct bi_random_points_args *a, int64_t i, int32_t c, double x)
{
    int64_t at = i * a->dim + c;
    switch (a->dtype) {
    case BOSC_F32:
        /* Uniform numbers are truncated to 24 bits, because rounding could yield 1. */
        if (bi_random_is_uniform(a)) x = (double)(int32_t)(x * 0x1p24) * 0x1p-24;
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

/* Coordinates 2 pair and 2 pair + 1 of a row of a kind made of uniform numbers. */
BI_FN void bi_random_uniform_kinds(const struct bi_random_points_args *a, int64_t i, int32_t pair, double x[2])
{
    bool is_equal = false;
    if (a->kind == BOSC_RANDOM_POINTS_HALF_EQUAL)
        is_equal =
            bi_philox_at(a->seed, bi_random_points_stream(a, BI_RANDOM_OF_CHOICE), (uint64_t)i).v[0] >> 31; /* a coin */
    if (is_equal)
        bi_random_uniforms(a, BI_RANDOM_OF_CENTRE, 0, pair, x);
    else
        bi_random_uniforms(a, BI_RANDOM_OF_ROW, i, pair, x);
    for (int j = 0; j < 2; j++) {
        const int32_t c = 2 * pair + j;
        if (c > 0 && (a->kind == BOSC_RANDOM_POINTS_LINE || (a->kind == BOSC_RANDOM_POINTS_PLANE && c == a->dim - 1)))
            x[j] = 0;
        if (a->kind == BOSC_RANDOM_POINTS_LATTICE)
            x[j] = (double)(int32_t)(x[j] * BI_RANDOM_LATTICE) / BI_RANDOM_LATTICE;
    }
}

/* The cluster of a row of CLUSTERED or MIXTURE. */
struct bi_random_cluster {
    uint32_t number;
    double sigma;
};

BI_FN struct bi_random_cluster bi_random_cluster_of(const struct bi_random_points_args *a, int64_t i)
{
    const uint64_t stream = bi_random_points_stream(a, BI_RANDOM_OF_CHOICE);
    struct bi_random_cluster c = {0, 0.01};
    if (a->kind != BOSC_RANDOM_POINTS_MIXTURE) {
        c.number = bi_philox_at(a->seed, stream, (uint64_t)i).v[0] % BI_RANDOM_CLUSTERS;
        return c;
    }
    c.number = bi_zipf_rank(&a->zipf, a->seed, stream, (uint64_t)i) - 1;
    struct bi_philox block = bi_philox_at(a->seed, bi_random_points_stream(a, BI_RANDOM_OF_SIGMA), c.number);
    c.sigma = 0.0005 + 0.0045 * bi_unit_f64(block.v[0], block.v[1]);
    return c;
}

/* Writes row i: made of uniform numbers; normal; normal around the centre of a cluster; or on the unit sphere (a scaled
 * normal vector). */
BI_FN void bi_step_points(const struct bi_random_points_args *a, int64_t i)
{
    const bool has_centre = a->kind == BOSC_RANDOM_POINTS_CLUSTERED || a->kind == BOSC_RANDOM_POINTS_MIXTURE;
    double length = a->kind == BOSC_RANDOM_POINTS_SPHERE ? bi_random_length(a, i) : 1;
    struct bi_random_cluster cluster = {0, 0};
    if (has_centre) cluster = bi_random_cluster_of(a, i);
    for (int32_t pair = 0; 2 * pair < a->dim; pair++) {
        double x[2], centre[2];
        if (bi_random_is_uniform(a))
            bi_random_uniform_kinds(a, i, pair, x);
        else
            bi_random_normals(a, i, pair, x);
        if (has_centre) {
            bi_random_uniforms(a, BI_RANDOM_OF_CENTRE, cluster.number, pair, centre);
            for (int j = 0; j < 2; j++) x[j] = centre[j] + cluster.sigma * x[j];
        }
        /* A zero vector (a normal of 0 in one dimension: once in 2^53 rows) becomes the first axis. */
        if (a->kind == BOSC_RANDOM_POINTS_SPHERE)
            for (int j = 0; j < 2; j++) x[j] = length > 0 ? x[j] / length : pair + j == 0;
        for (int32_t j = 0; j < 2 && 2 * pair + j < a->dim; j++) bi_random_store(a, i, 2 * pair + j, x[j]);
    }
}

/* ---- LIDAR: the angles are drawn, sorted along each scan line, and then become points ---- */

/* Scan lines, numbered pose * 64 + beam, have equal shares of the rows. */
BI_FN void bi_step_lidar_angles(const struct bi_random_points_args *a, int64_t i)
{
    struct bi_philox block = bi_philox_at(a->seed, bi_random_points_stream(a, BI_RANDOM_OF_ROW), (uint64_t)i);
    const uint64_t bits = (uint64_t)block.v[0] << 32 | block.v[1], lines = BI_RANDOM_POSES * BI_RANDOM_BEAMS;
    const uint64_t line = (uint64_t)((double)i / (double)a->n * (double)lines);
    a->angles[i] = line << BI_RANDOM_ANGLE_BITS | bits >> (64 - BI_RANDOM_ANGLE_BITS);
}

/* The distance of the wall from a pose in metres, 20 to 45: three harmonics, each with the pose's phase. */
BI_FN double bi_random_wall(struct bi_philox phases, double turns)
{
    double distance = 32.5;
    for (int k = 0; k < 3; k++) {
        const int waves = 2 + k + k / 2; /* 2, 3, 5 */
        const double metres = k == 0 ? 7.5 : k == 1 ? 3.75 : 1.25;
        distance += metres * bi_angle_cos(bi_angle_of_turns(waves * turns + bi_unit_f64(phases.v[k], 0)));
    }
    return distance;
}

/* Writes row i: a beam ends at the ground or, beyond the foot of the wall, at the wall. */
BI_FN void bi_step_lidar_points(const struct bi_random_points_args *a, int64_t i)
{
    /* 1. The scan line and the direction. */
    const uint64_t line = a->angles[i] >> BI_RANDOM_ANGLE_BITS, pose = line / BI_RANDOM_BEAMS;
    const double turns = (double)(a->angles[i] & (((uint64_t)1 << BI_RANDOM_ANGLE_BITS) - 1)) * 0x1p-48;
    const double degrees = -25 + 28.0 / (BI_RANDOM_BEAMS - 1) * (double)(line % BI_RANDOM_BEAMS), sensor = 1.7;
    const struct bi_angle across = bi_angle_of_turns(turns), up = bi_angle_of_turns(degrees / 360);
    const double slope = bi_angle_sin(up) / bi_angle_cos(up);
    /* 2. The horizontal distance, and the height. */
    struct bi_philox at = bi_philox_at(a->seed, bi_random_points_stream(a, BI_RANDOM_OF_CENTRE), pose);
    struct bi_philox phases = bi_philox_at(a->seed, bi_random_points_stream(a, BI_RANDOM_OF_SIGMA), pose);
    double distance = bi_random_wall(phases, turns), height = sensor + distance * slope;
    if (height < 0) {
        distance = sensor / -slope;
        height = 0;
    }
    /* 3. From the pose, in the square. */
    const double x = 40 * bi_unit_f64(at.v[0], at.v[1]) - 20 + distance * bi_angle_cos(across);
    const double y = 40 * bi_unit_f64(at.v[2], at.v[3]) - 20 + distance * bi_angle_sin(across);
    for (int32_t c = 0; c < a->dim; c++) bi_random_store(a, i, c, c == 0 ? x : c == 1 ? y : c == 2 ? height : 0);
}

#endif
