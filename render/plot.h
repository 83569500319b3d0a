/* Line plots, one below the other, in columns of at most 32, for measurements. */
#ifndef RENDER_PLOT_H
#define RENDER_PLOT_H

#include "render/canvas.h"

enum { PLOT_SERIES_MAX = 12 };

enum plot_line { PLOT_SOLID, PLOT_DASHED, PLOT_DOTTED };

struct plot_series {
    const char *name;
    const double *y; /* (count of the plot); NaN is left out, and on a log axis numbers not above 0 */
    enum plot_line line;
    bool same_colour; /* same colour as the series before it */
};

struct plot {
    const char *title, *x_name, *y_name;
    const double *x;
    int count; /* of points */
    bool log_x, log_y;
    struct plot_series series[PLOT_SERIES_MAX];
    int series_count;
};

/* Writes a PNG of the plots, points joined by lines. */
bosc_status plot_write(const struct plot *plots, int count, const char *path, bosc_io_error *error);

#endif
