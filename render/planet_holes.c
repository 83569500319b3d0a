#include "render/planet_holes.h"

#include <math.h>
#include <stdlib.h>

#include "render/memory.h"
#include "render/terrain_holes.h"
#include "render/vector.h"

static const double pi = 3.14159265358979323846;

bool planet_holes_open(struct planet_holes *holes, const bosc_heights *voids)
{
    *holes = (struct planet_holes){.width = voids->width, .height = voids->height};
    holes->counts = holes_count_voids(voids, 0.5F);
    return holes->counts != NULL;
}

void planet_holes_close(struct planet_holes *holes)
{
    free(holes->counts);
    free(holes->commands);
    free(holes->removed);
    *holes = (struct planet_holes){.width = 0};
}

/* ---- cells of a triangle ---- */

/* A circle on the sphere around a triangle: its middle in radians, and the largest angle to a corner. */
struct circle {
    double longitude, latitude, angle;
};

static struct circle circle_around(const double *const corners[3])
{
    double unit[3][3], middle[3] = {0}, farthest = 0;
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) unit[k][c] = corners[k][c];
        normalise(unit[k]);
        for (int c = 0; c < 3; c++) middle[c] += unit[k][c];
    }
    normalise(middle);
    for (int k = 0; k < 3; k++) {
        double square = 0;
        for (int c = 0; c < 3; c++) square += (unit[k][c] - middle[c]) * (unit[k][c] - middle[c]);
        farthest = fmax(farthest, square);
    }
    return (struct circle){atan2(middle[1], middle[0]), asin(fmin(fmax(middle[2], -1), 1)),
                           2 * asin(fmin(sqrt(farthest) / 2, 1))};
}

static int64_t clamp(double x, int64_t limit) { return x < 0 ? 0 : x >= (double)limit ? limit - 1 : (int64_t)x; }

/* Counts the voids among columns left to right of a row; columns beyond the raster's wrap around. */
static int64_t count_run(const struct planet_holes *h, int64_t row, int64_t left, int64_t right)
{
    const int32_t *counts = h->counts + row * (h->width + 1);
    if (right - left + 1 >= h->width) return counts[h->width];
    if (left < 0) return counts[h->width] - counts[left + h->width] + counts[right + 1];
    if (right >= h->width) return counts[h->width] - counts[left] + counts[right + 1 - h->width];
    return counts[right + 1] - counts[left];
}

/* Returns the row of cells at a latitude in radians. */
static int64_t row_of(const struct planet_holes *h, double latitude)
{
    return clamp((0.5 - latitude / pi) * (double)h->height, h->height);
}

/* True if the cells under the circle are voids and heights, and the circle exceeds the limit of such triangles. */
static bool needs_split(const struct planet_holes *h, const struct circle *circle)
{
    /* 1. The rows and columns under the circle. */
    const double row = (0.5 - circle->latitude / pi) * (double)h->height,
                 reach = circle->angle / pi * (double)h->height;
    const double slant = sin(circle->angle) / cos(circle->latitude);
    const bool polar = fabs(circle->latitude) + circle->angle >= pi / 2 || !(slant < 1);
    const double column = (circle->longitude / (2 * pi) + 0.5) * (double)h->width,
                 across = polar ? (double)h->width : asin(slant) / (2 * pi) * (double)h->width;
    const int64_t low = clamp(row - reach, h->height), high = clamp(row + reach, h->height);
    int64_t left = (int64_t)floor(column - across), right = (int64_t)floor(column + across), voids = 0;
    if (right - left + 1 > h->width) left = 0, right = h->width - 1;
    /* 2. Their voids, and the rows of both kinds. */
    const int64_t columns = right - left + 1;
    bool mixes_row = false;
    for (int64_t y = low; y <= high; y++) {
        const int64_t run = count_run(h, y, left, right);
        voids += run;
        mixes_row = mixes_row || (run > 0 && run < columns);
    }
    /* 3. The limit of the angle: sides of half a cell's height, with corners at most 2/3 of a side from the middle.
     * A row of both kinds limits sides to half a cell's width, too, at the row's middle: at a pole it would be 0. */
    const double latitude = pi / 2 - pi * ((double)row_of(h, circle->latitude) + 0.5) / (double)h->height;
    const double height = pi / (double)h->height, width = 2 * pi / (double)h->width * cos(latitude);
    if (mixes_row && circle->angle > width / 3) return true;
    return voids > 0 && voids < (high - low + 1) * columns && circle->angle > height / 3;
}

static bool is_void_at(const struct planet_holes *h, const struct circle *circle)
{
    const int64_t row = row_of(h, circle->latitude),
                  column = clamp((circle->longitude / (2 * pi) + 0.5) * (double)h->width, h->width);
    return count_run(h, row, column, column) > 0;
}

/* ---- the mesh ---- */

static bool reserve(struct planet_holes *h, int64_t triangles)
{
    if (triangles <= h->capacity) return true;
    free(h->commands);
    free(h->removed);
    h->capacity = triangles + triangles / 2;
    h->commands = memory_allocate((size_t)h->capacity, 1);
    h->removed = memory_allocate((size_t)h->capacity, 1);
    if (!h->commands || !h->removed) h->capacity = 0;
    return h->capacity > 0;
}

int64_t planet_holes_mark(struct planet_holes *h, const double *positions, const uint32_t *triangles,
                          int64_t triangle_count)
{
    int64_t splits = 0;
    if (!reserve(h, triangle_count)) return -1;
    for (int64_t t = 0; t < triangle_count; t++) {
        const double *corners[3];
        for (int k = 0; k < 3; k++) corners[k] = positions + 3 * (int64_t)triangles[3 * t + k];
        const struct circle circle = circle_around(corners);
        const bool split = needs_split(h, &circle);
        h->removed[t] = is_void_at(h, &circle);
        h->commands[t] = split ? BOSC_BISECTOR_SPLIT : BOSC_BISECTOR_KEEP;
        splits += split;
    }
    return splits;
}
