/* Draws line plots: axes with ticks, series, a legend; one panel below the other, in columns. */
#include "render/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/canvas.h"
#include "render/memory.h"

/* In pixels, except for the last three. COLUMN: panels of a column at most, chosen by eye. */
enum {
    WIDTH = 1000,
    HEIGHT = 560,
    LEFT = 110,
    RIGHT = 40,
    TOP = 96,
    BOTTOM = 76,
    LETTER = 11,
    TITLE = 15,
    LEGEND_LINE = 22,
    TICKS_MAX = 64,
    COLOURS = 8,
    COLUMN = 32
};
static const uint32_t colours[COLOURS] = {0x1f6f8b, 0xc8553d, 0x4c8c4a, 0x8a5fa8,
                                          0xb8860b, 0x555555, 0x3aa6a0, 0xa03a5c};
enum { INK = 0x222222, FAINT = 0xdddddd, PAPER = 0xffffff };

struct axis {
    double min, max; /* of the numbers, or of their logarithms */
    bool log;
};

struct panel {
    struct canvas *canvas;
    const struct plot *plot;
    struct axis x, y;
    double head; /* height of the title and the legend, which may take several lines */
};

static double scaled(const struct axis *a, double value) { return a->log ? log10(value) : value; }

static bool is_shown(const struct axis *a, double value) { return isfinite(value) && (!a->log || value > 0); }

/* Extends the axis to a value. */
static void extend_axis(struct axis *a, double value)
{
    if (!is_shown(a, value)) return;
    const double at = scaled(a, value);
    if (!(at >= a->min)) a->min = at;
    if (!(at <= a->max)) a->max = at;
}

/* Adds margins; an axis without extent gets one, and a linear axis of positive numbers may begin at 0. */
static void pad_axis(struct axis *a)
{
    if (isnan(a->min)) a->min = a->max = 0;
    if (!a->log && a->min > 0 && a->min < a->max / 2) a->min = 0;
    const double extent = a->max - a->min, margin = extent > 0 ? 0.04 * extent : 0.5;
    a->max += margin;
    if (a->log || a->min != 0) a->min -= margin;
}

static double x_pixel(const struct panel *p, double value)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (scaled(&p->x, value) - p->x.min) / (p->x.max - p->x.min);
}

static double y_pixel(const struct panel *p, double value)
{
    const double height = HEIGHT - p->head - BOTTOM;
    return HEIGHT - BOTTOM - height * (scaled(&p->y, value) - p->y.min) / (p->y.max - p->y.min);
}

/* Computes the ticks and returns their number. Log axes: powers of ten, with multiples 2 and 5 for fewer than three
 * decades; linear axes: steps of 1, 2 or 5 times a power of ten. */
static int find_ticks(const struct axis *a, double ticks[TICKS_MAX])
{
    int count = 0;
    if (a->log) {
        const double decades = a->max - a->min;
        static const double parts[] = {1, 2, 5};
        const int used = decades < 3 ? 3 : 1, every = decades > 10 ? 2 : 1;
        for (int e = (int)floor(a->min); e <= (int)ceil(a->max); e += every)
            for (int k = 0; k < used; k++) {
                const double tick = parts[k] * pow(10, e), at = log10(tick);
                if (at >= a->min && at <= a->max && count < TICKS_MAX) ticks[count++] = tick;
            }
        return count;
    }
    const double rough = (a->max - a->min) / 6, unit = pow(10, floor(log10(rough)));
    const double step = unit * (rough / unit > 5 ? 10 : rough / unit > 2 ? 5 : rough / unit > 1 ? 2 : 1);
    for (double tick = ceil(a->min / step) * step; tick <= a->max && count < TICKS_MAX; tick += step)
        ticks[count++] = fabs(tick) < step / 2 ? 0 : tick;
    return count;
}

static void name_tick(double tick, char text[16])
{
    static const char suffix[] = "\0kMG";
    int k = 0;
    for (; fabs(tick) >= 1000 && k < 3; k++) tick /= 1000;
    snprintf(text, 16, "%.3g%c", tick, suffix[k]);
}

/* Draws grid lines with their numbers, and the two axes. */
static void draw_grid(const struct panel *p)
{
    const struct colour faint = colour_of(FAINT), ink = colour_of(INK);
    const double bottom = HEIGHT - BOTTOM, top = p->head;
    double ticks[TICKS_MAX];
    char text[16];
    for (int k = find_ticks(&p->x, ticks) - 1; k >= 0; k--) {
        const double x = x_pixel(p, ticks[k]);
        name_tick(ticks[k], text);
        canvas_line(p->canvas, x, top, x, bottom, 1, faint, 1);
        lettering_draw(p->canvas, x - lettering_width(text, LETTER) / 2, bottom + 22, LETTER, false, text, ink);
    }
    for (int k = find_ticks(&p->y, ticks) - 1; k >= 0; k--) {
        const double y = y_pixel(p, ticks[k]);
        name_tick(ticks[k], text);
        canvas_line(p->canvas, LEFT, y, WIDTH - RIGHT, y, 1, faint, 1);
        lettering_draw(p->canvas, LEFT - 10 - lettering_width(text, LETTER), y + LETTER / 2.0, LETTER, false, text,
                       ink);
    }
    canvas_line(p->canvas, LEFT, bottom, WIDTH - RIGHT, bottom, 1.5, ink, 1);
    canvas_line(p->canvas, LEFT, top, LEFT, bottom, 1.5, ink, 1);
}

/* Draws the title and the names of the axes. */
static void draw_titles(const struct panel *p)
{
    const struct colour ink = colour_of(INK);
    const double middle = p->head + (HEIGHT - p->head - BOTTOM) / 2.0;
    lettering_draw(p->canvas, LEFT, 40, TITLE, false, p->plot->title, ink);
    lettering_draw(p->canvas, WIDTH - RIGHT - lettering_width(p->plot->x_name, LETTER), HEIGHT - 24, LETTER, false,
                   p->plot->x_name, ink);
    lettering_draw(p->canvas, 30, middle + lettering_width(p->plot->y_name, LETTER) / 2, LETTER, true, p->plot->y_name,
                   ink);
}

static struct colour series_colour(const struct plot *plot, int s)
{
    int at = 0;
    for (int i = 1; i <= s; i++) at += !plot->series[i].same_colour;
    return colour_of(colours[at % COLOURS]);
}

/* Draws a segment of a series. *drawn: length of the polyline so far, so that a dash pattern continues across
 * segments. */
static void draw_line(const struct panel *p, double x0, double y0, double x1, double y1, int s, double *drawn)
{
    static const double dash[] = {0, 9, 2}, period[] = {0, 16, 7};
    const enum plot_line line = p->plot->series[s].line;
    const struct colour colour = series_colour(p->plot, s);
    const double length = hypot(x1 - x0, y1 - y0), width = line == PLOT_SOLID ? 2.2 : 1.6;
    if (line == PLOT_SOLID) {
        canvas_line(p->canvas, x0, y0, x1, y1, width, colour, 1);
        return;
    }
    for (double at = -fmod(*drawn, period[line]); at < length; at += period[line]) {
        const double from = fmax(at, 0) / length, to = fmin(at + dash[line], length) / length;
        if (to > from)
            canvas_line(p->canvas, x0 + from * (x1 - x0), y0 + from * (y1 - y0), x0 + to * (x1 - x0),
                        y0 + to * (y1 - y0), width, colour, 1);
    }
    *drawn += length;
}

/* Draws the legend unless `draw` is false. Returns its number of lines. */
static int draw_legend(const struct panel *p, bool draw)
{
    double x = LEFT;
    int line = 0;
    for (int s = 0; s < p->plot->series_count; s++) {
        const char *name = p->plot->series[s].name;
        const double width = 64 + lettering_width(name, LETTER), y = 68;
        if (x > LEFT && x + width - 30 > WIDTH) {
            line++;
            x = LEFT;
        }
        if (draw) {
            const double at = y + line * LEGEND_LINE;
            double drawn = 0;
            draw_line(p, x, at, x + 24, at, s, &drawn);
            lettering_draw(p->canvas, x + 34, at + 5, LETTER, false, name, colour_of(INK));
        }
        x += width;
    }
    return line + 1;
}

/* Draws the lines of a series; its points too if it is solid, or a single point. */
static void draw_series(const struct panel *p, int s)
{
    const double *y = p->plot->series[s].y;
    int shown = 0;
    for (int i = 0; i < p->plot->count; i++) shown += is_shown(&p->x, p->plot->x[i]) && is_shown(&p->y, y[i]);
    const bool has_discs = p->plot->series[s].line == PLOT_SOLID || shown == 1;
    double last_x = NAN, last_y = NAN, drawn = 0;
    for (int i = 0; i < p->plot->count; i++) {
        if (!is_shown(&p->x, p->plot->x[i]) || !is_shown(&p->y, y[i])) continue;
        const double at_x = x_pixel(p, p->plot->x[i]), at_y = y_pixel(p, y[i]);
        if (!isnan(last_x)) draw_line(p, last_x, last_y, at_x, at_y, s, &drawn);
        if (has_discs) canvas_disc(p->canvas, at_x, at_y, 4, series_colour(p->plot, s), 1);
        last_x = at_x;
        last_y = at_y;
    }
}

static void draw_panel(struct canvas *canvas, const struct plot *plot)
{
    struct panel p = {.canvas = canvas, .plot = plot, .x = {NAN, NAN, plot->log_x}, .y = {NAN, NAN, plot->log_y}};
    /* 1. Ranges of the axes and the height of the legend. */
    for (int i = 0; i < plot->count; i++) {
        extend_axis(&p.x, plot->x[i]);
        for (int s = 0; s < plot->series_count; s++) extend_axis(&p.y, plot->series[s].y[i]);
    }
    pad_axis(&p.x);
    pad_axis(&p.y);
    p.head = TOP + LEGEND_LINE * (draw_legend(&p, false) - 1);
    /* 2. Grid, series, texts. */
    draw_grid(&p);
    for (int s = 0; s < plot->series_count; s++) draw_series(&p, s);
    draw_titles(&p);
    draw_legend(&p, true);
}

/* Draws a panel, and copies it to a picture of 8 bits, `width` pixels wide. False: no memory. */
static bool add_panel(const struct plot *plot, uint8_t *to, size_t width)
{
    struct canvas canvas;
    if (!canvas_open(&canvas, WIDTH, HEIGHT, colour_of(PAPER))) return false;
    draw_panel(&canvas, plot);
    uint8_t *rgb = canvas_rgb(&canvas);
    canvas_close(&canvas);
    for (size_t row = 0; rgb && row < HEIGHT; row++) memcpy(to + 3 * row * width, rgb + 3 * row * WIDTH, 3 * WIDTH);
    free(rgb);
    return rgb != NULL;
}

bosc_status plot_write(const struct plot *plots, int count, const char *path, bosc_io_error *error)
{
    /* 1. A white picture of columns of equal lengths. */
    const int columns = (count + COLUMN - 1) / COLUMN, rows = (count + columns - 1) / columns;
    const size_t width = (size_t)columns * WIDTH, height = (size_t)rows * HEIGHT;
    uint8_t *rgb = memory_allocate(width * height, 3);
    bool good = rgb != NULL;
    if (good) memset(rgb, 0xff, width * height * 3);
    /* 2. The panels, column by column. */
    for (int k = 0; good && k < count; k++)
        good =
            add_panel(&plots[k], rgb + 3 * ((size_t)(k % rows) * HEIGHT * width + (size_t)(k / rows) * WIDTH), width);
    bosc_status status = BOSC_ERR_NOMEM;
    if (good)
        status = bosc_png_write(path, rgb, (int)width, (int)height, error);
    else
        snprintf(error->text, sizeof error->text, "%s: out of memory for the picture", path);
    free(rgb);
    return status;
}
