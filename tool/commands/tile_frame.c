/* Coordinates of tile sets. Source: NIMA TR8350.2, World Geodetic System 1984. */
#include "tool/commands/tile_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/vector.h"
#include "tool/job.h"

static const double degree = 3.14159265358979323846 / 180;

/* The ellipsoid: semi-major axis in metres, and the square of the eccentricity. */
static const double major_axis = 6378137, eccentricity2 = 0.00669437999014131699;

/* ---- the Earth's axes ---- */

static struct tile_row row_of(double latitude)
{
    const double cosine = fabs(latitude) == 90 ? 0 : cos(latitude * degree), sine = sin(latitude * degree);
    const double normal = major_axis / sqrt(1 - eccentricity2 * sine * sine);
    return (struct tile_row){cosine, sine, normal * cosine, normal * (1 - eccentricity2) * sine};
}

static void place_on_earth(const struct tile_column *c, const struct tile_row *r, double height, double point[3])
{
    const double distance = r->radius + height * r->cosine;
    point[0] = distance * c->cosine;
    point[1] = distance * c->sine;
    point[2] = r->rise + height * r->sine;
}

/* The directions to the east, to the north and upwards at a point. */
static void local_axes(const struct tile_column *c, const struct tile_row *r, double axes[3][3])
{
    const double east[3] = {-c->sine, c->cosine, 0}, up[3] = {r->cosine * c->cosine, r->cosine * c->sine, r->sine};
    memcpy(axes[0], east, sizeof east);
    memcpy(axes[2], up, sizeof up);
    cross(up, east, axes[1]);
}

/* Sets the matrix to the axes at the middle of the raster. */
static void set_matrix(struct tile_frame *frame, double longitude, double latitude)
{
    const struct tile_column c = {cos(longitude * degree), sin(longitude * degree)};
    const struct tile_row r = row_of(latitude);
    double axes[3][3], origin[3];
    local_axes(&c, &r, axes);
    place_on_earth(&c, &r, 0, origin);
    for (int i = 0; i < 4; i++) {
        memcpy(frame->matrix + 4 * i, i < 3 ? axes[i] : origin, 3 * sizeof(double));
        frame->matrix[4 * i + 3] = i == 3;
    }
}

/* ---- a frame ---- */

/* The coordinates of a sample before rounding. */
static void place(const struct tile_frame *frame, int64_t sample, double height, double point[3])
{
    const bosc_heights *h = frame->heights;
    const int64_t column = sample % h->width, row = sample / h->width;
    double earth[3];
    if (!frame->geographic) {
        point[0] = (double)column * h->spacing;
        point[1] = 0 - (double)row * h->spacing_y;
        point[2] = height;
        return;
    }
    place_on_earth(frame->columns + column, frame->rows + row, height, earth);
    for (int c = 0; c < 3; c++) earth[c] -= frame->matrix[12 + c];
    for (int c = 0; c < 3; c++) point[c] = dot(frame->matrix + 4 * c, earth);
}

/* Sets the grid by an upper bound of all coordinates. */
static void set_grid(struct tile_frame *frame)
{
    const bosc_heights *h = frame->heights;
    double most = 0, point[3];
    int exponent;
    for (int64_t i = 0; i < h->width * h->height; i++) {
        const bool is_border = i < h->width || i >= h->width * (h->height - 1) || i % h->width == 0;
        most = fmax(most, fabs((double)h->data[i]));
        if (!is_border && i % h->width != h->width - 1) continue;
        place(frame, i, 0, point);
        for (int c = 0; c < 3; c++) most = fmax(most, fabs(point[c]));
    }
    /* Heights add to the coordinates of a curved raster; inside, a coordinate is at most that of the border, or the
     * radius where the raster goes around the Earth. */
    if (frame->geographic) most = 2 * most + (frame->map.step[0] * (double)h->width >= 90 ? 3 * major_axis : 0);
    (void)frexp(most > 0 ? most : 1, &exponent);
    frame->grid = ldexp(1, exponent - 23);
}

int tile_frame_open(const bosc_heights *heights, struct tile_frame *frame)
{
    const bosc_heights *h = heights;
    const struct raster_map map = raster_map_of(h);
    *frame = (struct tile_frame){.heights = h, .map = map, .geographic = map.geographic};
    if (frame->geographic) {
        frame->columns = job_alloc((size_t)h->width, sizeof *frame->columns);
        frame->rows = frame->columns ? job_alloc((size_t)h->height, sizeof *frame->rows) : NULL;
        if (!frame->rows) return EXIT_FAILED;
        for (int64_t i = 0; i < h->width; i++) {
            const double longitude = (map.first[0] + (double)i * map.step[0]) * degree;
            frame->columns[i] = (struct tile_column){cos(longitude), sin(longitude)};
        }
        for (int64_t i = 0; i < h->height; i++)
            frame->rows[i] = row_of(fmin(fmax(map.first[1] + (double)i * map.step[1], -90), 90));
        set_matrix(frame, map.first[0] + (double)(h->width - 1) * map.step[0] / 2,
                   map.first[1] + (double)(h->height - 1) * map.step[1] / 2);
    }
    set_grid(frame);
    return EXIT_DONE;
}

void tile_frame_place(const struct tile_frame *frame, int64_t sample, double point[3])
{
    place(frame, sample, (double)frame->heights->data[sample], point);
    for (int c = 0; c < 3; c++) point[c] = rint(point[c] / frame->grid) * frame->grid;
}

/* Slope of the heights along a row or column of the raster: `step` samples apart, `length` metres. */
static double slope_at(const bosc_heights *h, int64_t sample, int64_t step, bool has_previous, bool has_next,
                       double length)
{
    const double low = (double)h->data[has_previous ? sample - step : sample],
                 high = (double)h->data[has_next ? sample + step : sample];
    return (high - low) / (length * (has_previous + has_next));
}

void tile_frame_normal(const struct tile_frame *frame, int64_t sample, float normal[3])
{
    const bosc_heights *h = frame->heights;
    const int64_t column = sample % h->width, row = sample / h->width;
    double across = h->spacing, axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, n[3], turned[3] = {0};
    /* 1. In the axes at the sample. */
    if (frame->geographic) {
        local_axes(frame->columns + column, frame->rows + row, axes);
        across = fmax(frame->rows[row].radius * frame->map.step[0] * degree, 1e-6 * h->spacing_y); /* 0 at a pole */
    }
    n[0] = -slope_at(h, sample, 1, column > 0, column + 1 < h->width, across);
    n[1] = slope_at(h, sample, h->width, row > 0, row + 1 < h->height, h->spacing_y);
    n[2] = 1;
    normalise(n);
    /* 2. In those of the frame. */
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            turned[c] += n[i] * (frame->geographic ? dot(frame->matrix + 4 * c, axes[i]) : axes[i][c]);
    for (int c = 0; c < 3; c++) normal[c] = (float)turned[c];
}

double tile_frame_sag(const struct tile_frame *frame, int64_t a, int64_t b)
{
    double p[3], q[3];
    if (!frame->geographic) return 0;
    place(frame, a, 0, p);
    place(frame, b, 0, q);
    for (int c = 0; c < 3; c++) p[c] -= q[c];
    const double half = fmin(sqrt(dot(p, p)) / 2 / major_axis, 1);
    return major_axis * (1 - sqrt(1 - half * half));
}

void tile_frame_close(struct tile_frame *frame)
{
    free(frame->columns);
    free(frame->rows);
}
