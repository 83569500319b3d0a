#include "tool/commands/globe_relief.h"

#include <math.h>
#include <stdlib.h>

#include "render/memory.h"

/* Computes cosine and sine of a fraction of a turn, -1/2 to 1/2, by sums and products in one order: those of libm
 * differ between machines. */
static void turn_to_vector(double turns, double *cosine, double *sine)
{
    const double quarters = floor(4 * turns + 0.5), x = (turns - quarters / 4) * 6.283185307179586477;
    double c = 0, s = 0;
    for (int k = 12; k > 0; k--) { /* |x| <= pi / 4: terms beyond x^24 are below a rounding */
        c = (1 - c) * x * x / ((2 * k - 1) * (2 * k));
        s = (1 - s) * x * x / ((2 * k) * (2 * k + 1));
    }
    c = 1 - c;
    s = x * (1 - s);
    const int q = (int)quarters & 3;
    *cosine = q == 0 ? c : q == 1 ? -s : q == 2 ? -c : s;
    *sine = q == 0 ? s : q == 1 ? c : q == 2 ? -s : -c;
}

/* Makes noise on the sphere of radius 1: a planet without relief but its detail. wavelength: of the first octave, in
 * radii. */
static bosc_status make_noise(bosc_ctx *ctx, uint64_t seed, double wavelength, bosc_planet **noise)
{
    const float zero = 0;
    const bosc_planet_opts opts = {.size = sizeof opts,
                                   .radius = 16, /* heights must be below half of it */
                                   .detail_amplitude = 1,
                                   .detail_wavelength = 16 * wavelength,
                                   .detail_seed = seed};
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = &zero, .width = 1, .height = 1};
    bosc_status status = bosc_planet_create(ctx, &opts, noise);
    return status == BOSC_OK ? bosc_planet_build(ctx, *noise, &raster) : status;
}

/* The height in metres at a point with these two kinds of noise. All factors are chosen by eye. */
static double shape_height(double continent, double crease)
{
    const double level = continent + 0.04;
    if (level <= 0) return 9000 * level; /* the sea's floor */
    const double ridge = fmax(1 - 2.5 * fabs(crease), 0), inland = fmin(4 * level, 1);
    return 60 + 1200 * level + 5200 * ridge * ridge * inland * inland;
}

bosc_status globe_relief_fill(bosc_ctx *ctx, uint64_t seed, int64_t rows, float *heights)
{
    const int64_t columns = 2 * rows;
    bosc_planet *continents = NULL, *creases = NULL;
    double *directions = memory_allocate((size_t)columns * 3, sizeof *directions);
    double *values = memory_allocate((size_t)columns * 2, sizeof *values);
    bosc_status status = directions && values ? BOSC_OK : BOSC_ERR_NOMEM;
    if (status == BOSC_OK) status = make_noise(ctx, 2 * seed, 1.7, &continents);
    if (status == BOSC_OK) status = make_noise(ctx, 2 * seed + 1, 0.4, &creases);
    for (int64_t row = 0; row < rows && status == BOSC_OK; row++) {
        /* 1. Directions to the centres of the cells. */
        double height, radius, c, s;
        turn_to_vector(0.25 - ((double)row + 0.5) / (double)rows / 2, &radius, &height);
        for (int64_t i = 0; i < columns; i++) {
            double *d = directions + 3 * i;
            turn_to_vector(((double)i + 0.5) / (double)columns - 0.5, &c, &s);
            d[0] = radius * c;
            d[1] = radius * s;
            d[2] = height;
        }
        /* 2. Noise and heights. */
        status = bosc_planet_sample(ctx, continents, directions, columns, values, NULL);
        if (status == BOSC_OK) status = bosc_planet_sample(ctx, creases, directions, columns, values + columns, NULL);
        if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
        for (int64_t i = 0; i < columns && status == BOSC_OK; i++)
            heights[row * columns + i] = (float)shape_height(values[i], values[columns + i]);
    }
    bosc_planet_free(continents);
    bosc_planet_free(creases);
    free(directions);
    free(values);
    return status;
}
