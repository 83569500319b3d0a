/* Steps over the features of rows: means, their gradients, the row nearest to the centre, padded voxels. Items beyond
 * the number of voxels do nothing. */
#ifndef BI_VOXELS_STEPS_FEATURE_H
#define BI_VOXELS_STEPS_FEATURE_H

#include "voxels/steps/voxel.h"

/* Columns that an item of a mean sums at once: their additions overlap, and a cache line serves them. */
enum { BI_VOXELS_MEAN_COLUMNS = 4 };

/* Item i: up to BI_VOXELS_MEAN_COLUMNS columns of the mean of a voxel. */
struct bi_voxels_mean {
    struct bi_voxels_view view;
    struct bi_voxels_rows features;
    int64_t blocks; /* items of a voxel */
    void *means;
};

/* Adds column `first` on of rows lane, lane + step, ... of a run to sums. */
BI_FN void bi_voxels_add_lane(const struct bi_voxels_mean *a, struct bi_voxels_run run, int64_t lane, int64_t step,
                              int32_t first, double sums[BI_VOXELS_MEAN_COLUMNS])
{
    const struct bi_voxels_rows *f = &a->features;
    for (int64_t k = lane; k < run.count; k += step) {
        const int64_t at = a->view.rows[run.first + k] * f->stride + first;
        for (int32_t c = 0; c < BI_VOXELS_MEAN_COLUMNS; c++)
            if (first + c < f->width) sums[c] += bi_voxels_coordinate(f->data, f->dtype, at + c);
    }
}

BI_FN void bi_voxels_write_mean(const struct bi_voxels_mean *a, int64_t voxel, int64_t count, int32_t first,
                                const double sums[BI_VOXELS_MEAN_COLUMNS])
{
    const int64_t to = voxel * a->features.width + first;
    for (int32_t c = 0; c < BI_VOXELS_MEAN_COLUMNS; c++) {
        if (first + c >= a->features.width) continue;
        const double mean = sums[c] / (double)count;
        if (a->features.dtype == BOSC_F32)
            ((float *)a->means)[to + c] = (float)mean;
        else
            ((double *)a->means)[to + c] = mean;
    }
}

BI_FN void bi_step_mean(const struct bi_voxels_mean *a, int64_t i)
{
    const int64_t voxel = a->blocks == 1 ? i : i / a->blocks;
    const int32_t first = (int32_t)(i - voxel * a->blocks) * BI_VOXELS_MEAN_COLUMNS;
    double sums[BI_VOXELS_MEAN_COLUMNS] = {0};
    if (voxel >= bi_voxels_voxel_count(&a->view)) return;
    const struct bi_voxels_run run = bi_voxels_run_of(&a->view, voxel);
    if (run.count <= BI_VOXELS_LANES) { /* a row a sum: the sum of sums is the sum of the rows */
        bi_voxels_add_lane(a, run, 0, 1, first, sums);
    } else {
        for (int64_t lane = 0; lane < BI_VOXELS_LANES; lane++) {
            double lane_sums[BI_VOXELS_MEAN_COLUMNS] = {0};
            bi_voxels_add_lane(a, run, lane, BI_VOXELS_LANES, first, lane_sums);
            for (int32_t c = 0; c < BI_VOXELS_MEAN_COLUMNS; c++) sums[c] += lane_sums[c];
        }
    }
    bi_voxels_write_mean(a, voxel, run.count, first, sums);
}

/* Item i: the gradients of up to BI_VOXELS_MEAN_COLUMNS columns of a row. If rows are limited they are those at
 * positions, which show if a row counts; else positions are not needed. */
struct bi_voxels_mean_gradient {
    struct bi_voxels_view view;
    const void *of_means;
    int64_t width, blocks; /* blocks: items of a row */
    bool is_f64;
    void *of_features;
};

BI_FN void bi_step_mean_gradient(const struct bi_voxels_mean_gradient *a, int64_t i)
{
    const struct bi_voxels_view *v = &a->view;
    const bool is_limited = v->max_points != INT64_MAX;
    const int64_t p = a->blocks == 1 ? i : i / a->blocks, first = (i - p * a->blocks) * BI_VOXELS_MEAN_COLUMNS;
    const int64_t row = is_limited ? (int64_t)v->rows[p] : p;
    const uint32_t id = v->inverse[row];
    double count = 0;
    if (id != BI_VOXELS_NONE) {
        const struct bi_voxels_run run = bi_voxels_run_of(v, id);
        if (!is_limited || p - run.first < run.count) count = (double)run.count;
    }
    for (int64_t c = first; c < first + BI_VOXELS_MEAN_COLUMNS && c < a->width; c++) {
        const int64_t from = id * a->width + c, to = row * a->width + c;
        if (a->is_f64)
            ((double *)a->of_features)[to] = count > 0 ? ((const double *)a->of_means)[from] / count : 0;
        else
            ((float *)a->of_features)[to] = count > 0 ? (float)((double)((const float *)a->of_means)[from] / count) : 0;
    }
}

/* The row of voxel i nearest to its centre. */
struct bi_voxels_nearest {
    struct bi_voxels_view view;
    struct bi_voxels_rows points;
    void *ids;
    bool ids_64bit;
};

/* The centre of a voxel. */
BI_FN void bi_voxels_centre(const struct bi_voxels_view *v, int64_t voxel, double centre[BI_VOXELS_DIM])
{
    int64_t at[BI_VOXELS_DIM];
    bi_voxels_decode(&v->box, v->keys_64bit, bi_word(v->keys, v->keys_64bit, v->segments[voxel]), at);
    for (int32_t c = 0; c < BI_VOXELS_DIM; c++)
        if (c < v->box.dim) centre[c] = v->box.corner[c] + ((double)at[c] + 0.5) * v->box.cell[c];
}

/* Finds the nearest of rows lane, lane + step, ... of a run, the first of equally near ones. */
BI_FN void bi_voxels_find_nearest(const struct bi_voxels_nearest *a, struct bi_voxels_run run, int64_t lane,
                                  int64_t step, const double centre[BI_VOXELS_DIM], double *nearest, uint32_t *id)
{
    const struct bi_voxels_rows *points = &a->points;
    for (int64_t k = lane; k < run.count; k += step) {
        const uint32_t row = a->view.rows[run.first + k];
        double dist2 = 0;
        for (int32_t c = 0; c < BI_VOXELS_DIM; c++) {
            if (c >= points->width) continue;
            const double d = bi_voxels_coordinate(points->data, points->dtype, row * points->stride + c) - centre[c];
            dist2 += d * d;
        }
        if (*id == BI_VOXELS_NONE || dist2 < *nearest) *nearest = dist2, *id = row;
    }
}

BI_FN void bi_step_nearest(const struct bi_voxels_nearest *a, int64_t i)
{
    double centre[BI_VOXELS_DIM], nearest = 0;
    uint32_t id = BI_VOXELS_NONE;
    if (i >= bi_voxels_voxel_count(&a->view)) return;
    bi_voxels_centre(&a->view, i, centre);
    bi_voxels_find_nearest(a, bi_voxels_run_of(&a->view, i), 0, 1, centre, &nearest, &id);
    bi_set_word(a->ids, a->ids_64bit, i, id);
}

/* Row i mod rows of voxel i / rows, or zeros. Elements have 4 or 8 bytes. */
struct bi_voxels_pad {
    struct bi_voxels_view view;
    const void *features;
    int64_t width, stride, rows;
    bool is_64bit;
    void *padded;
};

BI_FN void bi_step_pad(const struct bi_voxels_pad *a, int64_t i)
{
    const int64_t voxel = i / a->rows, k = i - voxel * a->rows;
    if (voxel >= bi_voxels_voxel_count(&a->view)) return;
    const struct bi_voxels_run run = bi_voxels_run_of(&a->view, voxel);
    const int64_t from = k < run.count ? a->view.rows[run.first + k] * a->stride : -1;
    for (int64_t c = 0; c < a->width; c++)
        bi_set_word(a->padded, a->is_64bit, i * a->width + c,
                    from < 0 ? 0 : bi_word(a->features, a->is_64bit, from + c));
}

#endif
