/* Letters drawn with lines, for the axes of plots. */
#ifndef RENDER_LETTERING_H
#define RENDER_LETTERING_H

#include "render/canvas.h"

/* Width in pixels of a text whose capitals are `height` pixels high. */
double lettering_width(const char *text, double height);

/* Draws a text whose baseline begins at (x, y); `turned`: it runs upwards. */
void lettering_draw(struct canvas *canvas, double x, double y, double height, bool turned, const char *text,
                    struct colour colour);

#endif
