/* Sun, shadows and open sky of a raster. */
#include <math.h>
#include <stdlib.h>

#include "render/relief_light.h"

/* Rays come from the north-west by north, as on printed maps. A row's shadow is that of the row before, moved on and
 * sunk; what is below it lies in the dark, with a soft edge. */
static void cast_shadows(struct ground *g, float *shadow)
{
    const bosc_heights *h = g->heights;
    double aside = relief_sun[0] / -relief_sun[1] * h->spacing_y / h->spacing;
    double drop = h->spacing_y * relief_sun[2] / -relief_sun[1];
    double soft = 1.2 * drop;
    int64_t w = h->width;
    for (int64_t y = 0; y < h->height; y++) {
        const float *z = h->data + y * w;
        float *now = shadow + y % 2 * w, *before = shadow + (y + 1) % 2 * w;
        for (int64_t x = 0; x < w; x++) {
            double from = (double)x + aside, fraction = from - floor(from), edge = z[x];
            int64_t i = (int64_t)floor(from);
            if (y > 0 && i >= 0 && i + 1 < w) edge = before[i] + fraction * (before[i + 1] - before[i]) - drop;
            now[x] = (float)fmax(edge, z[x]);
            double under = (now[x] - z[x]) / soft;
            g->sun[y * w + x] = (float)(under > 1 ? 0 : 1 - under);
        }
    }
}

/* Means over 2 r + 1 samples along a line, in place; `line` has room for it. */
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

/* Valleys see less of the sky than crests: heights are compared with the mean around them. */
static void open_sky(struct ground *g, float *mean, double *line, int64_t r)
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

bool ground_open(struct ground *ground, const bosc_heights *heights)
{
    int64_t all = heights->width * heights->height;
    int64_t longest = heights->width > heights->height ? heights->width : heights->height;
    *ground = (struct ground){.heights = heights, .low = heights->data[0], .high = heights->data[0]};
    ground->sun = malloc((size_t)all * sizeof *ground->sun);
    ground->sky = malloc((size_t)all * sizeof *ground->sky);
    float *means = malloc((size_t)(all + 2 * longest) * sizeof *means);
    double *line = malloc((size_t)longest * sizeof *line);
    bool good = ground->sun && ground->sky && means && line;
    for (int64_t i = 0; i < all && good; i++) {
        ground->low = fmin(ground->low, heights->data[i]);
        ground->high = fmax(ground->high, heights->data[i]);
        ground->sky[i] = 1;
    }
    ground->bottom =
        ground->low - 0.02 * ((double)heights->width * heights->spacing + (double)heights->height * heights->spacing_y);
    if (good) {
        cast_shadows(ground, means);
        open_sky(ground, means, line, longest / 128 + 1);
        open_sky(ground, means, line, longest / 24 + 2);
    }
    free(means);
    free(line);
    if (!good) ground_close(ground);
    return good;
}

void ground_close(struct ground *ground)
{
    free(ground->sun);
    free(ground->sky);
    ground->sun = ground->sky = NULL;
}

double ground_at(const struct ground *ground, const float *values, double x, double y)
{
    const bosc_heights *h = ground->heights;
    double u = fmin(fmax(x / h->spacing, 0), (double)(h->width - 1));
    double v = fmin(fmax(y / h->spacing_y, 0), (double)(h->height - 1));
    int64_t i = (int64_t)u, j = (int64_t)v, i1 = i + 1 < h->width ? i + 1 : i, j1 = j + 1 < h->height ? j + 1 : j;
    const float *top = values + j * h->width, *bottom = values + j1 * h->width;
    double a = top[i] + (u - (double)i) * (top[i1] - top[i]);
    double b = bottom[i] + (u - (double)i) * (bottom[i1] - bottom[i]);
    return a + (v - (double)j) * (b - a);
}
