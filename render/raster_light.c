/* Light of a raster: sun with shadows, and the visible part of the sky. Factors are chosen by eye. */
#include "render/raster_light.h"

#include <math.h>
#include <stdlib.h>

/* Computes the share of sun light per sample. Rays come from the north-west, as on printed maps. The height of the
 * shadow above a row is that of the row before, shifted and lowered; samples below it are dark, with a soft edge. */
static void cast_shadows(struct raster_light *g, float *shadow)
{
    const bosc_heights *h = g->heights;
    double aside = sun_direction[0] / -sun_direction[1] * h->spacing_y / h->spacing;
    double drop = h->spacing_y * sun_direction[2] / -sun_direction[1];
    double soft = 1.2 * drop;
    int64_t w = h->width;
    for (int64_t y = 0; y < h->height; y++) {
        const float *z = h->data + y * w;
        float *current = shadow + y % 2 * w, *previous = shadow + (y + 1) % 2 * w;
        for (int64_t x = 0; x < w; x++) {
            double from = (double)x + aside, fraction = from - floor(from), edge = z[x];
            int64_t i = (int64_t)floor(from);
            if (y > 0 && i >= 0 && i + 1 < w) edge = previous[i] + fraction * (previous[i + 1] - previous[i]) - drop;
            current[x] = (float)fmax(edge, z[x]);
            double under = (current[x] - z[x]) / soft;
            g->sun[y * w + x] = (float)(under > 1 ? 0 : 1 - under);
        }
    }
}

/* Box filter of 2 r + 1 samples along a line, in place. line: scratch, (count). */
static void blur_line(float *z, int64_t count, int64_t step, int64_t r, double *line)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += z[i * step];
        line[i] = sum;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t first = i > r ? i - r : 0, last = i + r < count ? i + r : count - 1;
        z[i * step] = (float)((line[last] - (first ? line[first - 1] : 0)) / (double)(last - first + 1));
    }
}

/* Scales the sky light by the height above the mean of a neighbourhood: valleys are darker than crests. */
static void scale_sky(struct raster_light *g, float *mean, double *line, int64_t r)
{
    const bosc_heights *h = g->heights;
    int64_t w = h->width, n = h->height;
    for (int64_t i = 0; i < w * n; i++) mean[i] = h->data[i];
    for (int64_t y = 0; y < n; y++) blur_line(mean + y * w, w, 1, r, line);
    for (int64_t x = 0; x < w; x++) blur_line(mean + x, n, w, r, line);
    for (int64_t i = 0; i < w * n; i++) {
        double above = (h->data[i] - mean[i]) / ((double)r * h->spacing);
        g->sky[i] *= (float)(above < -0.25 ? 0.55 : above > 0.1 ? 1.18 : 1 + 1.8 * above);
    }
}

bool raster_light_open(struct raster_light *light, const bosc_heights *heights)
{
    int64_t samples = heights->width * heights->height;
    int64_t longest = heights->width > heights->height ? heights->width : heights->height;
    *light = (struct raster_light){.heights = heights, .low = heights->data[0], .high = heights->data[0]};
    light->sun = malloc((size_t)samples * sizeof *light->sun);
    light->sky = malloc((size_t)samples * sizeof *light->sky);
    float *means = malloc((size_t)(samples + 2 * longest) * sizeof *means);
    double *line = malloc((size_t)longest * sizeof *line);
    bool good = light->sun && light->sky && means && line;
    /* 1. The range of heights, and the bottom of the block. */
    for (int64_t i = 0; i < samples && good; i++) {
        light->low = fmin(light->low, heights->data[i]);
        light->high = fmax(light->high, heights->data[i]);
        light->sky[i] = 1;
    }
    light->bottom =
        light->low - 0.02 * ((double)heights->width * heights->spacing + (double)heights->height * heights->spacing_y);
    /* 2. Shadows, then the sky at a fine and a coarse scale. */
    if (good) {
        cast_shadows(light, means);
        scale_sky(light, means, line, longest / 128 + 1);
        scale_sky(light, means, line, longest / 24 + 2);
    }
    free(means);
    free(line);
    if (!good) raster_light_close(light);
    return good;
}

void raster_light_close(struct raster_light *light)
{
    free(light->sun);
    free(light->sky);
    light->sun = light->sky = NULL;
}

double raster_light_at(const struct raster_light *light, const float *values, double x, double y)
{
    const bosc_heights *h = light->heights;
    double u = fmin(fmax(x / h->spacing, 0), (double)(h->width - 1));
    double v = fmin(fmax(y / h->spacing_y, 0), (double)(h->height - 1));
    int64_t i = (int64_t)u, j = (int64_t)v, i1 = i + 1 < h->width ? i + 1 : i, j1 = j + 1 < h->height ? j + 1 : j;
    const float *top = values + j * h->width, *bottom = values + j1 * h->width;
    double a = top[i] + (u - (double)i) * (top[i1] - top[i]);
    double b = bottom[i] + (u - (double)i) * (bottom[i1] - bottom[i]);
    return a + (v - (double)j) * (b - a);
}
