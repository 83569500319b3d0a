/* Draws shapes as distance fields: the coverage of a pixel follows from the signed distance of its centre to the edge.
 * Letters are strokes of lines. */
#include "render/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

struct colour colour_scale(struct colour c, double r, double g, double b)
{
    return (struct colour){(float)(c.r * r), (float)(c.g * g), (float)(c.b * b)};
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

/* ---- letters: a stroke font ----
 *
 * Letters are polylines on a grid of 7 x 12 positions: descenders end in row 0, the baseline is row 3, small letters
 * end in row 8 and capitals in row a. */

enum { FIRST = ' ', LAST = '~', BASELINE = 3, CAPITAL = 7, GAP = 2, SPACE = 3 };

/* One string per printable character, from the space on. A blank separates strokes; a stroke lists positions (column,
 * row), one hexadecimal-like digit each. */
static const char *const letters[] = {
    "",                                 /* space */
    "1a16 1313",                        /* ! */
    "0a08 2a08",                        /* " */
    "1a13 3a33 0848 0545",              /* # */
    "47381807163645341405 2a22",        /* $ */
    "034a 091a291809 2435443324",       /* % */
    "5309192a390604133356",             /* & */
    "0a08",                             /* ' */
    "2b090421",                         /* ( */
    "0b292401",                         /* ) */
    "2a26 0947 0749",                   /* * */
    "0646 2824",                        /* + */
    "1401",                             /* , */
    "0646",                             /* - */
    "0303",                             /* . */
    "014a",                             /* / */
    "1a0904133344493a1a",               /* 0 */
    "082a23 0343",                      /* 1 */
    "091a3a49480343",                   /* 2 */
    "0a4a27374644331304",               /* 3 */
    "333a0545",                         /* 4 */
    "4a0a07374644331304",               /* 5 */
    "493a1a090413334446371706",         /* 6 */
    "0a4a13",                           /* 7 */
    "1708091a3a4948371706041333444637", /* 8 */
    "04133344493a1a0908173748",         /* 9 */
    "0707 0404",                        /* : */
    "1707 1401",                        /* ; */
    "480644",                           /* < */
    "0747 0545",                        /* = */
    "084604",                           /* > */
    "091a3a49482625 2323",              /* ? */
    "4637261525344649381a0904133353",   /* @ */
    "033a63 1656",                      /* A */
    "030a4a59584707 4756544303",        /* B */
    "594a1a0904134354",                 /* C */
    "030a3a58553303",                   /* D */
    "5a0a0353 0747",                    /* E */
    "5a0a03 0747",                      /* F */
    "594a1a09041343545737",             /* G */
    "0a03 5a53 0757",                   /* H */
    "0a03",                             /* I */
    "4a44331304",                       /* J */
    "0a03 5a06 2753",                   /* K */
    "0a0353",                           /* L */
    "030a366a63",                       /* M */
    "030a535a",                         /* N */
    "1a0904134354594a1a",               /* O */
    "030a4a59574606",                   /* P */
    "1a0904134354594a1a 3562",          /* Q */
    "030a4a59574606 3653",              /* R */
    "594a1a090817475654431304",         /* S */
    "0a6a 3a33",                        /* T */
    "0a041343545a",                     /* U */
    "0a336a",                           /* V */
    "0a1338536a",                       /* W */
    "0a53 5a03",                        /* X */
    "0a376a 3733",                      /* Y */
    "0a5a0353",                         /* Z */
    "2b0b0121",                         /* [ */
    "0a41",                             /* \ */
    "0b2b2101",                         /* ] */
    "082a48",                           /* ^ */
    "0242",                             /* _ */
    "0a18",                             /* ` */
    "4843 4738180704133344",            /* a */
    "0a03 0718384744331304",            /* b */
    "4738180704133344",                 /* c */
    "4a43 4738180704133344",            /* d */
    "06464738180704133344",             /* e */
    "4a3a2923 1838",                    /* f */
    "4841301001 4738180704133344",      /* g */
    "0a03 0718384743",                  /* h */
    "0803 0a0a",                        /* i */
    "18110000 1a1a",                    /* j */
    "0a03 4805 1643",                   /* k */
    "0a0413",                           /* l */
    "0803 0718283733 3748586763",       /* m */
    "0803 0718384743",                  /* n */
    "180704133344473818",               /* o */
    "0800 0718384744331304",            /* p */
    "4840 4738180704133344",            /* q */
    "0803 062838",                      /* r */
    "47381807163544331304",             /* s */
    "1a142333 0838",                    /* t */
    "0804133344 4843",                  /* u */
    "082348",                           /* v */
    "0813375368",                       /* w */
    "0843 4803",                        /* x */
    "0823 4810",                        /* y */
    "08480343",                         /* z */
    "3b2a271605 1625 2130",             /* { */
    "0b01",                             /* | */
    "0b1a172605 2615 1100",             /* } */
    "06183648",                         /* ~ */
};
_Static_assert(sizeof letters / sizeof letters[0] == LAST - FIRST + 1, "a letter for each printable character");

static int digit_value(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* NULL for characters without a letter. */
static const char *strokes_of(char c) { return c >= FIRST && c <= LAST ? letters[c - FIRST] : NULL; }

/* Width of a letter in columns, with the gap to the next one. */
static int columns_of(char c)
{
    const char *strokes = strokes_of(c);
    int most = 0;
    if (!strokes || !*strokes) return SPACE;
    for (const char *at = strokes; *at; at += *at == ' ' ? 1 : 2)
        if (*at != ' ' && digit_value(*at) > most) most = digit_value(*at);
    return most + GAP;
}

double lettering_width(const char *text, double height)
{
    int columns = 0;
    for (; *text; text++) columns += columns_of(*text);
    return columns * height / CAPITAL;
}

/* (x, y): begin of the baseline. Turned text runs upwards, and its baseline is vertical. Characters without strokes
 * leave a space. */
void lettering_draw(struct canvas *canvas, double x, double y, double height, bool turned, const char *text,
                    struct colour colour)
{
    const double unit = height / CAPITAL, line_width = height / 7 < 1.1 ? 1.1 : height / 7;
    for (; *text; text++) {
        /* 1. Draw each stroke of the letter: a line per step, a point for a stroke whose two ends coincide. */
        const char *at = strokes_of(*text);
        bool drawing = false;
        double from_x = 0, from_y = 0;
        for (; at && *at; at += *at == ' ' ? 1 : 2) {
            if (*at == ' ') {
                drawing = false;
                continue;
            }
            const double right = digit_value(at[0]) * unit, up = (digit_value(at[1]) - BASELINE) * unit;
            const double to_x = turned ? x - up : x + right, to_y = turned ? y - right : y - up;
            const bool dot = !drawing && at[2] == at[0] && at[3] == at[1];
            if (drawing || dot)
                canvas_line(canvas, drawing ? from_x : to_x, drawing ? from_y : to_y, to_x, to_y, line_width, colour,
                            1);
            from_x = to_x;
            from_y = to_y;
            drawing = true;
        }
        /* 2. Advance to the next letter, upwards for turned text. */
        const double advance = columns_of(*text) * unit;
        x += turned ? 0 : advance;
        y -= turned ? advance : 0;
    }
}
