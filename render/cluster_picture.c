#include "render/cluster_picture.h"

#include <math.h>

enum { MARGIN = 24 };

/* The least height of a picture without margins, as a share of its width. Chosen. */
static const double FLATTEST = 0.05;

/* The extent of the first two coordinates. */
struct extent {
    double low[2], high[2];
};

static double coordinate_of(const bosc_array *points, int64_t i, int c)
{
    const int64_t dim = points->shape[1], at = i * dim + c;
    if (c >= dim) return 0;
    switch (points->dtype) {
    case BOSC_F32: return (double)((const float *)points->data)[at];
    case BOSC_F64: return ((const double *)points->data)[at];
    case BOSC_I32: return (double)((const int32_t *)points->data)[at];
    default: return (double)((const int64_t *)points->data)[at];
    }
}

static bool is_finite(const bosc_array *points, int64_t i)
{
    return isfinite(coordinate_of(points, i, 0)) && isfinite(coordinate_of(points, i, 1));
}

static struct extent extent_of(const bosc_array *points)
{
    struct extent e = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (int64_t i = 0; i < points->shape[0]; i++)
        for (int c = 0; c < 2 && is_finite(points, i); c++) {
            e.low[c] = fmin(e.low[c], coordinate_of(points, i, c));
            e.high[c] = fmax(e.high[c], coordinate_of(points, i, c));
        }
    /* An axis without points, or with equal coordinates, has length 1, or a small share of the other axis. */
    double half[2];
    for (int c = 0; c < 2; c++) {
        const bool other = e.low[1 - c] < e.high[1 - c];
        half[c] = other ? FLATTEST * (e.high[1 - c] / 2 - e.low[1 - c] / 2) : 0.5;
    }
    for (int c = 0; c < 2; c++)
        if (!(e.low[c] < e.high[c])) {
            const double middle = isfinite(e.low[c]) ? e.low[c] : 0;
            e.low[c] = middle - half[c];
            e.high[c] = middle + half[c];
        }
    return e;
}

int cluster_picture_height(const bosc_array *points, int width)
{
    const struct extent e = extent_of(points);
    /* Halves, so that no difference overflows; strips and columns stay visible. */
    const double ratio = (e.high[1] / 2 - e.low[1] / 2) / (e.high[0] / 2 - e.low[0] / 2);
    return 2 * MARGIN + (int)((width - 2 * MARGIN) * fmin(fmax(ratio, FLATTEST), 1.5));
}

/* Hues follow the golden angle, so that neighbouring labels differ; brightness has three steps. */
static struct colour colour_of_label(int64_t label)
{
    static const double steps[] = {1, 0.6, 0.8};
    const double hue = 6 * fmod((double)label * 0.6180339887498949, 1), value = steps[label % 3];
    double channel[3];
    for (int c = 0; c < 3; c++) {
        const double k = fmod(hue + (c == 0 ? 5 : c == 1 ? 3 : 1), 6);
        channel[c] = value * (1 - 0.82 * fmax(0, fmin(fmin(k, 4 - k), 1)));
    }
    return (struct colour){(float)channel[0], (float)channel[1], (float)channel[2]};
}

void cluster_picture_draw(struct canvas *canvas, const bosc_array *points, const int64_t *labels)
{
    const struct extent e = extent_of(points);
    const int64_t n = points->shape[0];
    const double wide = canvas->width - 2 * MARGIN, high = canvas->height - 2 * MARGIN;
    /* 1. One scale for both axes; discs cover about a third of the picture. */
    const double x_size = e.high[0] / 2 - e.low[0] / 2, y_size = e.high[1] / 2 - e.low[1] / 2;
    double scale = fmin(wide / x_size, high / y_size);
    if (!isfinite(scale)) scale = 1;                        /* the extents round to 0: all points are in the middle */
    const double largest = sqrt((double)canvas->width) / 4; /* chosen: 10 pixels at a width of 1,600 */
    const double radius = fmin(largest, fmax(0.7, sqrt(wide * high / (10 * (double)(n + 1)))));
    /* 2. Noise first. */
    for (int noise = 1; noise >= 0; noise--)
        for (int64_t i = 0; i < n; i++) {
            if ((labels[i] < 0) != noise || !is_finite(points, i)) continue;
            const double x = MARGIN + wide / 2 + (coordinate_of(points, i, 0) / 2 - e.low[0] / 2 - x_size / 2) * scale,
                         y = MARGIN + high / 2 - (coordinate_of(points, i, 1) / 2 - e.low[1] / 2 - y_size / 2) * scale;
            const struct colour colour = noise ? colour_of(0x8a8f98) : colour_of_label(labels[i]);
            canvas_disc(canvas, x, y, noise ? 0.7 * radius : radius, colour, noise ? 0.6 : 0.9);
        }
}
