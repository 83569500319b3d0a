/* A picture drawn with antialiased discs, rings, lines and letters, blended in linear light. */
#ifndef RENDER_CANVAS_H
#define RENDER_CANVAS_H

#include <boscage/io.h>
#include <stdbool.h>

struct colour {
    float r, g, b; /* linear light, 0 to 1 */
};
struct colour colour_of(uint32_t rgb); /* 0xRRGGBB, sRGB */
struct colour colour_mix(struct colour a, struct colour b, double t);
struct colour colour_scale(struct colour c, double r, double g, double b); /* each component by its factor */

/* Interpolates along a palette of `count` colours; t from 0 to 1. */
struct colour colour_along(const struct colour *palette, int count, double t);

struct canvas {
    int width, height;
    struct colour *pixels;
};
bool canvas_open(struct canvas *canvas, int width, int height, struct colour background); /* false: no memory */
void canvas_close(struct canvas *canvas);

/* Coordinates in pixels, from the top left corner. */
void canvas_disc(struct canvas *canvas, double x, double y, double radius, struct colour colour, double alpha);
void canvas_ring(struct canvas *canvas, double x, double y, double radius, double width, struct colour colour,
                 double alpha);
void canvas_line(struct canvas *canvas, double x0, double y0, double x1, double y1, double width, struct colour colour,
                 double alpha);
void canvas_box(struct canvas *canvas, double x0, double y0, double x1, double y1, struct colour colour, double alpha);
void canvas_glow(struct canvas *canvas, double x, double y, double radius, struct colour colour, double alpha);

/* Sets every pixel to the mean of side x side samples. `at` returns the colour of sample (x, y) of the finer raster;
 * several threads call it. */
void canvas_sample(struct canvas *canvas, int side, struct colour (*at)(const void *user, int x, int y),
                   const void *user);

uint8_t *canvas_rgb(const struct canvas *canvas); /* 8 bits; to be freed. NULL: no memory */
bosc_status canvas_write(const struct canvas *canvas, const char *path, bosc_io_error *error);

/* ---- letters, for the axes of plots ---- */

/* Returns the width in pixels of a text with capitals `height` pixels high. */
double lettering_width(const char *text, double height);

/* Draws a text with its baseline from (x, y). turned: it runs upwards. */
void lettering_draw(struct canvas *canvas, double x, double y, double height, bool turned, const char *text,
                    struct colour colour);

#endif
