/* Draws shapes as distance fields: the coverage of a pixel follows from the signed distance of its centre to the
 * edge. */
#include "render/canvas.h"

#include <math.h>
#include <stdlib.h>

static float linear_of(uint32_t level)
{
    double s = (double)(level & 255) / 255;
    return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
}

static uint8_t level_of(float linear)
{
    double x = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    double s = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (uint8_t)(s * 255 + 0.5);
}

struct colour colour_of(uint32_t rgb)
{
    return (struct colour){linear_of(rgb >> 16), linear_of(rgb >> 8), linear_of(rgb)};
}

struct colour colour_mix(struct colour a, struct colour b, double t)
{
    float w = (float)t;
    return (struct colour){a.r + (b.r - a.r) * w, a.g + (b.g - a.g) * w, a.b + (b.b - a.b) * w};
}

struct colour colour_along(const struct colour *palette, int count, double t)
{
    double position = (t < 0 ? 0 : t > 1 ? 1 : t) * (count - 1);
    int i = (int)position < count - 1 ? (int)position : count - 2;
    return colour_mix(palette[i], palette[i + 1], position - i);
}

bool canvas_open(struct canvas *canvas, int width, int height, struct colour background)
{
    size_t count = (size_t)width * (size_t)height;
    *canvas = (struct canvas){.width = width, .height = height, .pixels = malloc(count * sizeof(struct colour))};
    for (size_t i = 0; canvas->pixels && i < count; i++) canvas->pixels[i] = background;
    return canvas->pixels != NULL;
}

void canvas_close(struct canvas *canvas)
{
    free(canvas->pixels);
    canvas->pixels = NULL;
}

/* Pixel range [x0, x1) x [y0, y1): the centres within `reach` of a box. */
struct window {
    int x0, y0, x1, y1;
};

static int clamp(double x, int max) { return x < 0 ? 0 : x > max ? max : (int)x; }

static struct window window_of(const struct canvas *canvas, double x0, double y0, double x1, double y1, double reach)
{
    return (struct window){clamp(fmin(x0, x1) - reach, canvas->width), clamp(fmin(y0, y1) - reach, canvas->height),
                           clamp(fmax(x0, x1) + reach + 1, canvas->width),
                           clamp(fmax(y0, y1) + reach + 1, canvas->height)};
}

/* Blends the colour into a pixel. inside: signed distance of the centre to the edge, in pixels, positive inside. */
static void blend_pixel(struct canvas *canvas, int x, int y, struct colour colour, double inside, double alpha)
{
    double coverage = inside + 0.5;
    if (coverage <= 0) return;
    struct colour *pixel = &canvas->pixels[(size_t)y * (size_t)canvas->width + (size_t)x];
    *pixel = colour_mix(*pixel, colour, (coverage > 1 ? 1 : coverage) * alpha);
}

void canvas_disc(struct canvas *canvas, double x, double y, double radius, struct colour colour, double alpha)
{
    struct window w = window_of(canvas, x, y, x, y, radius + 1);
    for (int j = w.y0; j < w.y1; j++)
        for (int i = w.x0; i < w.x1; i++)
            blend_pixel(canvas, i, j, colour, radius - hypot(i + 0.5 - x, j + 0.5 - y), alpha);
}

void canvas_ring(struct canvas *canvas, double x, double y, double radius, double width, struct colour colour,
                 double alpha)
{
    struct window w = window_of(canvas, x, y, x, y, radius + width + 1);
    for (int j = w.y0; j < w.y1; j++)
        for (int i = w.x0; i < w.x1; i++)
            blend_pixel(canvas, i, j, colour, width / 2 - fabs(hypot(i + 0.5 - x, j + 0.5 - y) - radius), alpha);
}

void canvas_line(struct canvas *canvas, double x0, double y0, double x1, double y1, double width, struct colour colour,
                 double alpha)
{
    struct window w = window_of(canvas, x0, y0, x1, y1, width / 2 + 1);
    double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    /* Lines thinner than a pixel are drawn one pixel wide and fainter. */
    double half = width < 1 ? 0.5 : width / 2, faint = width < 1 ? width : 1;
    for (int j = w.y0; j < w.y1; j++)
        for (int i = w.x0; i < w.x1; i++) {
            double px = i + 0.5 - x0, py = j + 0.5 - y0;
            double t = length2 > 0 ? (px * dx + py * dy) / length2 : 0;
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            blend_pixel(canvas, i, j, colour, half - hypot(px - t * dx, py - t * dy), alpha * faint);
        }
}

void canvas_box(struct canvas *canvas, double x0, double y0, double x1, double y1, struct colour colour, double alpha)
{
    struct window w = window_of(canvas, x0, y0, x1, y1, 1);
    for (int j = w.y0; j < w.y1; j++)
        for (int i = w.x0; i < w.x1; i++) {
            double x = fmin(i + 0.5 - x0, x1 - i - 0.5), y = fmin(j + 0.5 - y0, y1 - j - 0.5);
            blend_pixel(canvas, i, j, colour, fmin(x, y), alpha);
        }
}

/* Adds light that fades towards the edge of a disc. */
void canvas_glow(struct canvas *canvas, double x, double y, double radius, struct colour colour, double alpha)
{
    struct window w = window_of(canvas, x, y, x, y, radius);
    for (int j = w.y0; j < w.y1; j++)
        for (int i = w.x0; i < w.x1; i++) {
            double d = hypot(i + 0.5 - x, j + 0.5 - y) / radius;
            struct colour *pixel = &canvas->pixels[(size_t)j * (size_t)canvas->width + (size_t)i];
            float amount = d < 1 ? (float)(alpha * (1 - d) * (1 - d)) : 0;
            pixel->r += colour.r * amount;
            pixel->g += colour.g * amount;
            pixel->b += colour.b * amount;
        }
}

void canvas_sample(struct canvas *canvas, int side, struct colour (*at)(const void *user, int x, int y),
                   const void *user)
{
    const int count = side * side;
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++) {
            struct colour sum = {0, 0, 0};
            for (int i = 0; i < count; i++) {
                const struct colour c = at(user, x * side + i % side, y * side + i / side);
                sum.r += c.r / (float)count;
                sum.g += c.g / (float)count;
                sum.b += c.b / (float)count;
            }
            canvas->pixels[(int64_t)y * canvas->width + x] = sum;
        }
}

uint8_t *canvas_rgb(const struct canvas *canvas)
{
    size_t count = (size_t)canvas->width * (size_t)canvas->height;
    uint8_t *rgb = malloc(count * 3);
    for (size_t i = 0; i < count && rgb; i++) {
        rgb[i * 3] = level_of(canvas->pixels[i].r);
        rgb[i * 3 + 1] = level_of(canvas->pixels[i].g);
        rgb[i * 3 + 2] = level_of(canvas->pixels[i].b);
    }
    return rgb;
}

bosc_status canvas_write(const struct canvas *canvas, const char *path, bosc_io_error *error)
{
    uint8_t *rgb = canvas_rgb(canvas);
    if (!rgb) {
        *error = (bosc_io_error){"out of memory"};
        return BOSC_ERR_NOMEM;
    }
    bosc_status status = bosc_png_write(path, rgb, canvas->width, canvas->height, error);
    free(rgb);
    return status;
}
