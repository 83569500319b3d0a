/* Heights of the globe from a raster that lies anywhere on it: by a rotation of its columns where that is all that is
 * needed, otherwise by resampling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/raster/heights.h"
#include "io/raster/projection.h"

/* Largest size of the globe around a raster of a part of it, as boscage/io.h says: cells of two arc minutes. */
enum { GLOBE_WIDTH = 10800, GLOBE_HEIGHT = 5400 };

/* A share of a cell by which edges may miss the globe's, since files round their coordinates. */
static const double slack = 0.01;

/* How a raster becomes a globe. */
struct plan {
    const char *name; /* of the raster, for messages */
    bool projected;   /* the raster is a map, whose edges are not in degrees; `bounds` are not used */
    double bounds[4]; /* west, south, east, north, in degrees */
    bool rotates;     /* columns are rotated, none are computed: by `shift` */
    int64_t shift;    /* column j of the globe is column j + shift of the raster, modulo its width */
    bool has_outside;
    float outside;
    double *max_change; /* of the options; may be NULL */
};

/* ---- the plan ---- */

/* True if the file gives the edges of the raster. */
static bool is_placed(const bosc_heights *h) { return h->edges[0] < h->edges[2] && h->edges[1] < h->edges[3]; }

/* Sets the bounds: those of opts, of the file, or the globe for a raster of no place at all. */
static bosc_status find_bounds(const bosc_heights *h, const bosc_globe_opts *opts, struct plan *plan,
                               bosc_io_error *error)
{
    static const double globe[4] = {-180, -90, 180, 90};
    const bool placed = is_placed(h);
    const double *bounds = opts->bounds ? opts->bounds : placed && h->degrees ? h->edges : globe;
    memcpy(plan->bounds, bounds, sizeof plan->bounds);
    plan->projected = !opts->bounds && placed && !h->degrees;
    if (plan->projected && !h->crs[0])
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the coordinate system of its map is not known", plan->name);
    if (plan->projected || opts->bounds || placed || h->source == BOSC_HEIGHTS_NO_SPACING) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the file gives the size of a cell, but not where the raster lies",
                      plan->name);
}

static bosc_status fail_bounds(const struct plan *plan, bosc_io_error *error)
{
    const double *b = plan->bounds;
    return bi_io_fail(error, BOSC_ERR_FORMAT,
                      "%s: longitudes from %.9g to %.9g and latitudes from %.9g to %.9g are no part of a globe",
                      plan->name, b[0], b[2], b[1], b[3]);
}

static bosc_status check_bounds(const bosc_heights *h, const struct plan *plan, bosc_io_error *error)
{
    const double *b = plan->bounds, cell_x = (b[2] - b[0]) / (double)h->width,
                 cell_y = (b[3] - b[1]) / (double)h->height;
    bool good = b[0] < b[2] && b[1] < b[3];
    for (int i = 0; i < 4; i++) good = good && isfinite(b[i]) && fabs(b[i]) <= 1000;
    /* Outermost samples may lie on the poles, and on a meridian twice: their cells reach half a cell beyond. */
    good = good && b[2] - b[0] <= 360 + (1 + slack) * cell_x && b[1] >= -90 - (0.5 + slack) * cell_y &&
           b[3] <= 90 + (0.5 + slack) * cell_y;
    return good ? BOSC_OK : fail_bounds(plan, error);
}

/* Sets rotates and shift if the cells are those of the globe, from another meridian on. */
static void find_rotation(const bosc_heights *h, struct plan *plan)
{
    const double *b = plan->bounds, cell_x = (b[2] - b[0]) / (double)h->width,
                 cell_y = (b[3] - b[1]) / (double)h->height;
    const double columns = (b[0] + 180) / cell_x, whole = round(columns);
    plan->rotates = fabs(b[2] - b[0] - 360) <= slack * cell_x && fabs(b[1] + 90) <= slack * cell_y &&
                    fabs(b[3] - 90) <= slack * cell_y && fabs(columns - whole) <= slack;
    if (!plan->rotates) return;
    plan->shift = (-(int64_t)whole) % h->width;
    if (plan->shift < 0) plan->shift += h->width;
}

static bosc_status make_plan(const bosc_heights *h, const bosc_globe_opts *opts, struct plan *plan,
                             bosc_io_error *error)
{
    bosc_globe_opts o;
    if (!h) return bi_io_fail(error, BOSC_ERR_ARG, "heights: NULL");
    if (h->width < 1 || h->height < 1)
        return bi_io_fail(error, BOSC_ERR_ARG, "heights: %lld x %lld samples", (long long)h->width,
                          (long long)h->height);
    bosc_status status = bi_io_read_opts("bosc_globe_opts", opts, &o, sizeof o, error);
    if (status != BOSC_OK) return status;
    *plan = (struct plan){.name = o.name ? o.name : "heights",
                          .has_outside = o.has_outside != 0,
                          .outside = (float)o.outside,
                          .max_change = o.max_change};
    if (plan->has_outside && !isfinite(plan->outside))
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: outside is %g", o.outside);
    status = find_bounds(h, &o, plan, error);
    if (status != BOSC_OK || plan->projected) return status;
    status = check_bounds(h, plan, error);
    if (status == BOSC_OK) find_rotation(h, plan);
    return status;
}

static bosc_status fail_outside(const struct plan *plan, double longitude, double latitude, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_DATA,
                      "%s: the raster does not cover the globe: it has no height at longitude %.6g, latitude %.6g",
                      plan->name, longitude, latitude);
}

/* ---- rotation ---- */

static void rotate_columns(bosc_heights *h, int64_t shift, float *row)
{
    for (int64_t y = 0; y < h->height; y++) {
        float *z = h->data + y * h->width;
        memcpy(row, z, (size_t)h->width * sizeof *z);
        memcpy(z, row + shift, (size_t)(h->width - shift) * sizeof *z);
        memcpy(z + h->width - shift, row, (size_t)shift * sizeof *z);
    }
}

/* Returns the share of the resampling in the rest of the call; measure_change follows it. Chosen, not measured. */
static double share_of_resampling(const struct plan *plan) { return plan->max_change ? 0.5 : 1; }

/* ---- resampling of longitudes and latitudes: a weighted mean of columns, and of rows ---- */

/* An axis from longitude -180 eastwards, or from the north pole southwards; lengths in degrees. */
struct axis {
    int64_t count, target_count; /* samples of the raster, of the globe */
    double begin, cell;          /* first edge and size of the raster's cells */
    double target_cell;
    int64_t period; /* columns of the raster around the globe, if it covers that; else 0 */
    bool wraps;     /* an axis of longitudes */
};

/* The samples that a cell of the globe is the mean of: from `first` on, within the raster. */
struct taps {
    int64_t first, count;
    double low, high; /* ends in cells of the raster; equal: the samples on both sides are interpolated */
};

/* Finds the samples for a cell; false if its middle is outside the raster. Cells of up to 1.5 cells of the raster are
 * interpolated, larger ones are means over their area: less would leave samples out, more would blur. */
static bool find_taps(const struct axis *a, int64_t target, struct taps *t)
{
    double middle = ((double)target + 0.5) * a->target_cell;
    if (a->wraps) middle += 360 * ceil((a->begin - middle) / 360);
    const double at = (middle - a->begin) / a->cell, half = a->target_cell / a->cell / 2;
    if (!(at >= -slack && at <= (double)a->count + slack)) return false;
    if (half > 0.75) {
        t->low = fmax(at - half, 0);
        t->high = fmin(at + half, (double)a->count);
        t->first = (int64_t)fmin(floor(t->low), (double)(a->count - 1));
        t->count = (int64_t)fmax(ceil(t->high) - (double)t->first, 1);
    } else {
        t->low = t->high = at - 0.5;
        t->first = (int64_t)floor(t->low);
        t->count = 2;
    }
    return true;
}

/* Returns the weight of sample t->first + i; the weights of a cell may have any sum. */
static double weight_of(const struct taps *t, int64_t i)
{
    const double left = (double)(t->first + i);
    if (t->low == t->high) return i == 0 ? left + 1 - t->low : t->low - left + 1;
    return fmin(t->high, left + 1) - fmax(t->low, left);
}

/* Returns a sample's number within the raster: around the globe, or that of the outermost sample. */
static int64_t clamp_sample(const struct axis *a, int64_t i)
{
    if (i < 0 && a->period) i += a->period;
    if (i >= a->count && a->period) i -= a->period;
    return i < 0 ? 0 : i >= a->count ? a->count - 1 : i;
}

/* Adds the rows of a cell to the sums, each times its weight; returns the sum of weights. */
static double sum_rows(const bosc_heights *h, const struct axis *rows, const struct taps *t, double *sums)
{
    double total = 0;
    memset(sums, 0, (size_t)h->width * sizeof *sums);
    for (int64_t i = 0; i < t->count; i++) {
        const float *z = h->data + clamp_sample(rows, t->first + i) * h->width;
        const double weight = weight_of(t, i);
        for (int64_t x = 0; x < h->width; x++) sums[x] += weight * (double)z[x];
        total += weight;
    }
    return total;
}

static float mean_of_columns(const double *sums, const struct axis *columns, const struct taps *t, double row_weight)
{
    double sum = 0, total = 0;
    for (int64_t i = 0; i < t->count; i++) {
        const double weight = weight_of(t, i);
        sum += weight * sums[clamp_sample(columns, t->first + i)];
        total += weight;
    }
    return (float)(sum / (total * row_weight));
}

/* Returns the number of cells of an axis of the globe for cells of this size; at most `most`. */
static int64_t count_cells(double length, double cell, int64_t most)
{
    const double count = round(length / cell);
    return count < 1 ? 1 : count > (double)most ? most : (int64_t)count;
}

static bosc_status resample_degrees(const bosc_heights *h, const struct plan *plan, bosc_heights *globe,
                                    bosc_io_error *error)
{
    const double *b = plan->bounds, cell_x = (b[2] - b[0]) / (double)h->width,
                 cell_y = (b[3] - b[1]) / (double)h->height;
    const bool around = b[2] - b[0] >= 360 - slack * cell_x;
    const bool whole = around && b[1] <= -90 + slack * cell_y && b[3] >= 90 - slack * cell_y;
    struct taps t, s;
    /* 1. The size and memory of the globe. */
    const int64_t width = count_cells(360, cell_x, whole ? INT32_MAX : GLOBE_WIDTH),
                  height = count_cells(180, cell_y, whole ? INT32_MAX : GLOBE_HEIGHT);
    bosc_status status = bi_heights_new(plan->name, width, height, globe, error);
    double *sums = status == BOSC_OK ? bi_io_alloc((size_t)h->width * sizeof *sums) : NULL;
    if (status == BOSC_OK && !sums) status = bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", plan->name);
    const struct axis columns = {h->width,
                                 width,
                                 b[0] + 180,
                                 cell_x,
                                 360 / (double)width,
                                 around ? (int64_t)round(360 / cell_x) : 0,
                                 true},
                      rows = {h->height, height, 90 - b[3], cell_y, 180 / (double)height, 0, false};
    bi_io_phase(share_of_resampling(plan), (double)height);
    /* 2. Row by row. */
    for (int64_t y = 0; y < height && status == BOSC_OK; y++) {
        const bool inside = find_taps(&rows, y, &t);
        const double weight = inside ? sum_rows(h, &rows, &t, sums) : 0;
        if (!bi_io_set_done((double)y)) status = BOSC_ERR_CANCELLED;
        for (int64_t x = 0; x < width && status == BOSC_OK; x++) {
            const bool covered = inside && find_taps(&columns, x, &s);
            globe->data[y * width + x] = covered ? mean_of_columns(sums, &columns, &s, weight) : plan->outside;
            if (!covered && !plan->has_outside)
                status = fail_outside(plan, ((double)x + 0.5) * 360 / (double)width - 180,
                                      90 - ((double)y + 0.5) * 180 / (double)height, error);
        }
    }
    free(sums);
    return status;
}

/* ---- the change by resampling ---- */

/* Returns the height of a pole: the mean of the row next to it, as meshes of planets have it (src/planet). */
static double mean_of_row(const bosc_heights *globe, int64_t row)
{
    double sum = 0;
    for (int64_t x = 0; x < globe->width; x++) sum += (double)globe->data[row * globe->width + x];
    return sum / (double)globe->width;
}

/* Interpolates the globe's heights as a planet does: between the middles of four cells, or of two and the pole, which
 * has the mean of its row. */
static double interpolate_globe(const bosc_heights *globe, const double poles[2], double longitude, double latitude)
{
    const int64_t width = globe->width, height = globe->height;
    const double u = (longitude + 180) / 360 * (double)width - 0.5;
    const double v = fmin(fmax((90 - latitude) / 180, 0), 1) * (double)height - 0.5;
    const double i = floor(u), j = floor(v), a = u - i;
    const int64_t columns[2] = {(((int64_t)i % width) + width) % width, (((int64_t)i + 1) % width + width) % width};
    double z[2];
    for (int64_t k = 0; k < 2; k++) {
        const int64_t row = (int64_t)j + k;
        const float *heights = globe->data + row * width;
        z[k] = row < 0         ? poles[0]
               : row >= height ? poles[1]
                               : (1 - a) * (double)heights[columns[0]] + a * (double)heights[columns[1]];
    }
    /* Half a row lies between a pole and the first middle. */
    const double b = j < 0 ? 2 * v + 1 : (int64_t)j >= height - 1 ? 2 * (v - j) : v - j;
    return z[0] + b * (z[1] - z[0]);
}

/* Sets z to the height between the middles of a part's cells, of two rows and columns or more. box: west, south, east,
 * north. False: the position is not between middles. */
static bool interpolate_part(const bosc_heights *part, const double box[4], double longitude, double latitude,
                             double *z)
{
    const double east = longitude + 360 * ceil((box[0] - longitude) / 360);
    const double u = (east - box[0]) / (box[2] - box[0]) * (double)part->width - 0.5;
    const double v = (box[3] - latitude) / (box[3] - box[1]) * (double)part->height - 0.5;
    if (!(u >= 0 && v >= 0 && u <= (double)(part->width - 1) && v <= (double)(part->height - 1))) return false;
    const int64_t i = u < (double)(part->width - 1) ? (int64_t)u : part->width - 2;
    const int64_t j = v < (double)(part->height - 1) ? (int64_t)v : part->height - 2;
    const float *row = part->data + j * part->width + i, *below = row + part->width;
    const double a = u - (double)i, upper = (double)row[0] + a * ((double)row[1] - (double)row[0]),
                 lower = (double)below[0] + a * ((double)below[1] - (double)below[0]);
    *z = upper + (v - (double)j) * (lower - upper);
    return true;
}

/* Sets max_change to the largest difference of a sample of the raster from the heights between those of the globe or,
 * with a box, of a part. Samples outside the part do not count. projection: of a map, otherwise NULL. Returns BOSC_OK,
 * or BOSC_ERR_CANCELLED. */
static bosc_status measure_change(const bosc_heights *h, const struct plan *plan,
                                  const struct bi_projection *projection, const bosc_heights *globe, const double *box)
{
    const double *e = plan->projected ? h->edges : plan->bounds;
    const double cell_x = (e[2] - e[0]) / (double)h->width, cell_y = (e[3] - e[1]) / (double)h->height;
    const double poles[2] = {mean_of_row(globe, 0), mean_of_row(globe, globe->height - 1)};
    double most = 0;
    bi_io_phase(1, (double)h->height);
    for (int64_t y = 0; y < h->height; y++) {
        if (!bi_io_set_done((double)y)) return BOSC_ERR_CANCELLED;
        for (int64_t x = 0; x < h->width; x++) {
            const double at[2] = {e[0] + ((double)x + 0.5) * cell_x, e[3] - ((double)y + 0.5) * cell_y};
            double longitude = at[0], latitude = at[1];
            if (plan->projected && !bi_projection_to_globe(projection, at, &longitude, &latitude)) continue;
            double z;
            if (!box)
                z = interpolate_globe(globe, poles, longitude, latitude);
            else if (!interpolate_part(globe, box, longitude, latitude, &z))
                continue;
            most = fmax(most, fabs((double)h->data[y * h->width + x] - z));
        }
    }
    *plan->max_change = most;
    return BOSC_OK;
}

/* ---- resampling of a projected map ---- */

struct map {
    const bosc_heights *heights;
    const struct bi_projection *projection;
    double cell_x, cell_y;
};

static struct map map_of(const bosc_heights *h, const struct bi_projection *projection)
{
    return (struct map){h, projection, (h->edges[2] - h->edges[0]) / (double)h->width,
                        (h->edges[3] - h->edges[1]) / (double)h->height};
}

static bosc_status open_projection(const bosc_heights *h, const struct plan *plan, struct bi_projection *projection,
                                   bosc_io_error *error)
{
    if (bi_projection_open(h->crs, projection)) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the map %s has no known place on the globe: %s", plan->name, h->crs,
                      *bosc_proj_reason() ? bosc_proj_reason() : "PROJ does not know it");
}

/* Interpolates the height at a place; false if it is outside the raster. */
static bool sample_map(const struct map *m, double longitude, double latitude, double *height)
{
    const bosc_heights *h = m->heights;
    double at[2];
    if (!bi_projection_to_map(m->projection, longitude, latitude, at)) return false;
    const double x = (at[0] - h->edges[0]) / m->cell_x, y = (h->edges[3] - at[1]) / m->cell_y;
    if (!(x >= -slack && x <= (double)h->width + slack && y >= -slack && y <= (double)h->height + slack)) return false;
    /* Between the centres of four cells; beyond the outermost centres heights are constant. */
    const double u = fmin(fmax(x - 0.5, 0), (double)(h->width - 1)),
                 v = fmin(fmax(y - 0.5, 0), (double)(h->height - 1));
    const int64_t i = (int64_t)u, j = (int64_t)v, right = i + 1 < h->width, below = j + 1 < h->height ? h->width : 0;
    const float *z = h->data + j * h->width + i;
    const double a = u - (double)i, b = v - (double)j;
    *height = (1 - b) * ((1 - a) * (double)z[0] + a * (double)z[right]) +
              b * ((1 - a) * (double)z[below] + a * (double)z[below + right]);
    return true;
}

/* Returns the size of a cell in the middle of the map, in degrees of a meridian; 0: the map does not cover its
 * middle. */
static double measure_cell(const struct map *m)
{
    const double *e = m->heights->edges, middle[2] = {(e[0] + e[2]) / 2, (e[1] + e[3]) / 2};
    const double north[2] = {middle[0], middle[1] + m->cell_y}, east[2] = {middle[0] + m->cell_x, middle[1]};
    double x[3], y[3], least = 0;
    if (!bi_projection_to_globe(m->projection, middle, &x[0], &y[0]) ||
        !bi_projection_to_globe(m->projection, north, &x[1], &y[1]) ||
        !bi_projection_to_globe(m->projection, east, &x[2], &y[2]))
        return 0;
    for (int k = 1; k < 3; k++) {
        const double size = hypot(y[k] - y[0], remainder(x[k] - x[0], 360) * bi_heights_shrink(y[0]));
        if (k == 1 || size < least) least = size;
    }
    return least;
}

/* Returns the mean height of a cell of the globe, over side x side places in it; false if its middle is outside. */
static bool mean_of_cell(const struct map *m, const double middle[2], double cell, int side, double *height)
{
    double sum = 0;
    int count = 0;
    if (!sample_map(m, middle[0], middle[1], height)) return false;
    for (int k = 0; side > 1 && k < side * side; k++) {
        double z;
        const double east = ((k % side + 0.5) / side - 0.5) * cell, north = ((k / side + 0.5) / side - 0.5) * cell;
        if (!sample_map(m, middle[0] + east, middle[1] + north, &z)) continue;
        sum += z;
        count++;
    }
    if (count) *height = sum / count;
    return true;
}

static bosc_status fill_globe(const struct map *m, const struct plan *plan, int side, bosc_heights *globe,
                              bosc_io_error *error)
{
    const double cell = 180 / (double)globe->height;
    bi_io_phase(share_of_resampling(plan), (double)globe->height);
    for (int64_t y = 0; y < globe->height; y++) {
        if (!bi_io_set_done((double)y)) return BOSC_ERR_CANCELLED;
        for (int64_t x = 0; x < globe->width; x++) {
            const double middle[2] = {((double)x + 0.5) * cell - 180, 90 - ((double)y + 0.5) * cell};
            double z = 0;
            const bool covered = mean_of_cell(m, middle, cell, side, &z);
            if (!covered && !plan->has_outside) return fail_outside(plan, middle[0], middle[1], error);
            globe->data[y * globe->width + x] = covered ? (float)z : plan->outside;
        }
    }
    return BOSC_OK;
}

static bosc_status resample_map(const bosc_heights *h, const struct plan *plan, bosc_heights *globe,
                                bosc_io_error *error)
{
    struct bi_projection projection = {0};
    const struct map m = map_of(h, &projection);
    bosc_status status = open_projection(h, plan, &projection, error);
    if (status != BOSC_OK) return status;
    /* 1. Cells of the globe have about the size of the raster's; several samples are the mean of a larger one. */
    const double cell = measure_cell(&m);
    const int64_t height = cell > 0 ? count_cells(180, cell, GLOBE_HEIGHT) : 0;
    const double ratio = height ? 180 / (double)height / cell : 0;
    const int side = ratio > 3 ? 4 : ratio > 1.5 ? (int)ceil(ratio) : 1; /* 4: time grows by its square */
    /* 2. The cells. */
    status = height ? bi_heights_new(plan->name, 2 * height, height, globe, error)
                    : bi_io_fail(error, BOSC_ERR_FORMAT,
                                 "%s: the map %s has no place on the globe in the raster's middle", plan->name, h->crs);
    if (status == BOSC_OK) status = fill_globe(&m, plan, side, globe, error);
    if (status == BOSC_OK && plan->max_change) status = measure_change(h, plan, &projection, globe, NULL);
    bi_projection_close(&projection);
    return status;
}

/* ---- a part of the globe, at its own resolution ---- */

static bosc_status fail_part(const struct plan *plan, const bosc_heights *h, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no box of longitudes and latitudes lies inside the map %s",
                      plan->name, h->crs);
}

/* Makes a plan for a part of the globe: bounds in degrees, with the west in -180 to 180; or a map. */
static bosc_status make_part_plan(const bosc_heights *h, const bosc_globe_opts *opts, struct plan *plan,
                                  bosc_io_error *error)
{
    bosc_status status = make_plan(h, opts, plan, error);
    if (status != BOSC_OK) return status;
    if (!is_placed(h) && !(opts && opts->bounds))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the file does not give the place of the raster", plan->name);
    if (plan->projected) return BOSC_OK;
    double *b = plan->bounds;
    if (b[2] - b[0] > 360 || b[1] < -90 || b[3] > 90) return fail_bounds(plan, error);
    double shift = 360 * floor((b[0] + 180) / 360);
    if (b[2] - shift > 360) shift += 360;
    b[0] -= shift;
    b[2] -= shift;
    return BOSC_OK;
}

/* Finds the longitudes and latitudes between the edges of a map, as the box that is inside at POINTS points of each
 * edge; false if there is none. */
static bool find_box(const struct map *m, double box[4])
{
    enum { POINTS = 65 }; /* not measured */
    const double *e = m->heights->edges, middle[2] = {(e[0] + e[2]) / 2, (e[1] + e[3]) / 2};
    double longitude, latitude;
    if (!bi_projection_to_globe(m->projection, middle, &longitude, &latitude)) return false;
    box[0] = box[1] = -INFINITY;
    box[2] = box[3] = INFINITY;
    for (int i = 0; i < 4 * POINTS; i++) {
        const int side = i / POINTS; /* as in edges: west, south, east, north */
        const double t = (double)(i % POINTS) / (POINTS - 1);
        const double at[2] = {side % 2 ? e[0] + t * (e[2] - e[0]) : e[side],
                              side % 2 ? e[side] : e[1] + t * (e[3] - e[1])};
        double x, y;
        if (!bi_projection_to_globe(m->projection, at, &x, &y)) return false;
        const double value = side % 2 ? y : longitude + remainder(x - longitude, 360);
        box[side] = side < 2 ? fmax(box[side], value) : fmin(box[side], value);
    }
    return box[0] < longitude && longitude < box[2] && box[1] < latitude && latitude < box[3];
}

/* Interpolates the heights at the middles of the cells of a box. */
static bosc_status fill_box(const struct map *m, const struct plan *plan, const double box[4], bosc_heights *part,
                            bosc_io_error *error)
{
    const double cell_x = (box[2] - box[0]) / (double)part->width, cell_y = (box[3] - box[1]) / (double)part->height;
    bi_io_phase(share_of_resampling(plan), (double)part->height);
    for (int64_t y = 0; y < part->height; y++) {
        if (!bi_io_set_done((double)y)) return BOSC_ERR_CANCELLED;
        for (int64_t x = 0; x < part->width; x++) {
            double z;
            if (!sample_map(m, box[0] + ((double)x + 0.5) * cell_x, box[3] - ((double)y + 0.5) * cell_y, &z))
                return fail_part(plan, m->heights, error);
            part->data[y * part->width + x] = (float)z;
        }
    }
    return BOSC_OK;
}

static bosc_status resample_part(const bosc_heights *h, struct plan *plan, bosc_heights *part, bosc_io_error *error)
{
    struct bi_projection projection = {0};
    const struct map m = map_of(h, &projection);
    double *box = plan->bounds;
    bosc_status status = open_projection(h, plan, &projection, error);
    if (status != BOSC_OK) return status;
    /* 1. The box, in cells of about the raster's size. */
    const double cell = measure_cell(&m);
    if (!(cell > 0 && find_box(&m, box))) status = fail_part(plan, h, error);
    if (status == BOSC_OK) {
        const double shrink = bi_heights_shrink((box[1] + box[3]) / 2);
        status = bi_heights_new(plan->name, count_cells((box[2] - box[0]) * shrink, cell, INT32_MAX),
                                count_cells(box[3] - box[1], cell, INT32_MAX), part, error);
    }
    /* 2. The cells. */
    if (status == BOSC_OK) status = fill_box(&m, plan, box, part, error);
    if (status == BOSC_OK && plan->max_change && part->width > 1 && part->height > 1)
        status = measure_change(h, plan, &projection, part, box);
    bi_projection_close(&projection);
    return status;
}

/* ---- public ---- */

/* Frees the samples, and moves those of `by` in their place. */
static void replace_samples(bosc_heights *h, const bosc_heights *by)
{
    free(h->data);
    h->data = by->data;
    h->width = by->width;
    h->height = by->height;
}

static void set_place(bosc_heights *h)
{
    static const double globe[4] = {-180, -90, 180, 90};
    memcpy(h->edges, globe, sizeof h->edges);
    strcpy(h->crs, "EPSG:4326");
    h->degrees = 1;
    h->spacing = h->spacing_y = h->latitude = h->ground_scale = 0;
}

/* Refuses kept voids, which are NaN, and infinite heights: means of several samples would spread them. */
static bosc_status check_finite(const bosc_heights *h, const struct plan *plan, bosc_io_error *error)
{
    for (int64_t i = 0; i < h->width * h->height; i++)
        if (!isfinite(h->data[i]))
            return bi_io_fail(error, BOSC_ERR_DATA,
                              "%s: row %lld, column %lld: no height, or an infinite one, in a raster that must be "
                              "resampled; bosc_heights_fill fills voids",
                              plan->name, (long long)(i / h->width), (long long)(i % h->width));
    return BOSC_OK;
}

static bosc_status make_globe(bosc_heights *h, const bosc_globe_opts *opts, bosc_io_error *error)
{
    struct plan plan;
    bosc_heights globe = {0};
    bosc_status status = make_plan(h, opts, &plan, error);
    if (status == BOSC_OK && !h->data) status = bi_io_fail(error, BOSC_ERR_ARG, "heights: data is NULL");
    if (status != BOSC_OK) return status;
    /* 1. A rotation, in place. */
    if (plan.rotates) {
        float *row = plan.shift ? bi_io_alloc((size_t)h->width * sizeof *row) : NULL;
        if (plan.shift && !row) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", plan.name);
        if (plan.shift) rotate_columns(h, plan.shift, row);
        free(row);
        set_place(h);
        return BOSC_OK;
    }
    /* 2. Other rasters. */
    status = check_finite(h, &plan, error);
    if (status == BOSC_OK)
        status = plan.projected ? resample_map(h, &plan, &globe, error) : resample_degrees(h, &plan, &globe, error);
    if (status == BOSC_OK && !plan.projected && plan.max_change) status = measure_change(h, &plan, NULL, &globe, NULL);
    status = bi_io_end(status, error);
    if (status != BOSC_OK) {
        bosc_heights_free(&globe);
        return status;
    }
    replace_samples(h, &globe);
    set_place(h);
    return BOSC_OK;
}

bosc_status bosc_heights_to_globe(bosc_heights *heights, const bosc_globe_opts *opts, bosc_io_error *error)
{
    BI_IO_ENTER;
    return make_globe(heights, opts, error);
}

static bosc_status make_part(bosc_heights *h, const bosc_globe_opts *opts, bosc_io_error *error)
{
    struct plan plan;
    bosc_heights part = {0};
    bosc_status status = make_part_plan(h, opts, &plan, error);
    if (status == BOSC_OK && !h->data) status = bi_io_fail(error, BOSC_ERR_ARG, "heights: data is NULL");
    if (status == BOSC_OK && plan.projected) {
        status = check_finite(h, &plan, error);
        if (status == BOSC_OK) status = bi_io_end(resample_part(h, &plan, &part, error), error);
        if (status != BOSC_OK) bosc_heights_free(&part);
    }
    if (status != BOSC_OK) return status;
    if (plan.projected) replace_samples(h, &part);
    set_place(h);
    memcpy(h->edges, plan.bounds, sizeof h->edges);
    return BOSC_OK;
}

bosc_status bosc_heights_to_degrees(bosc_heights *heights, const bosc_globe_opts *opts, bosc_io_error *error)
{
    BI_IO_ENTER;
    return make_part(heights, opts, error);
}

bosc_status bosc_heights_globe_shift(const bosc_heights *heights, const bosc_globe_opts *opts, int64_t *shift,
                                     bosc_io_error *error)
{
    BI_IO_ENTER;
    struct plan plan;
    if (!shift) return bi_io_fail(error, BOSC_ERR_ARG, "shift: NULL");
    const bosc_status status = make_plan(heights, opts, &plan, error);
    if (status != BOSC_OK) return status;
    if (!plan.rotates)
        return bi_io_fail(error, BOSC_ERR_LIMIT,
                          "%s: the raster must be resampled for the globe, which needs all of it", plan.name);
    *shift = plan.shift;
    return BOSC_OK;
}
