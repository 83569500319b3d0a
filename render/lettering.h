/* Letters drawn with lines, for the axes of plots. */
#ifndef RENDER_LETTERING_H
#define RENDER_LETTERING_H

#include "render/canvas.h"

/* Returns the width in pixels of a text with capitals `height` pixels high. */
double lettering_width(const char *text, double height);

/* Draws a text with its baseline from (x, y). turned: it runs upwards. */
void lettering_draw(struct canvas *canvas, double x, double y, double height, bool turned, const char *text,
                    struct colour colour);

#endif
