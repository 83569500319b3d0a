#include "reference/voxels.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support/suite.h"

double reference_voxels_element(const void *data, bosc_dtype dtype, int64_t at)
{
    if (dtype == BOSC_F32) return (double)((const float *)data)[at];
    if (dtype == BOSC_F64) return ((const double *)data)[at];
    return (double)((const int32_t *)data)[at];
}

int64_t reference_voxels_find(const struct reference_voxels *v, int64_t cloud, const int64_t at[3])
{
    for (int64_t i = 0; i < v->count; i++)
        if (v->cloud[i] == cloud && v->at[3 * i] == at[0] && v->at[3 * i + 1] == at[1] && v->at[3 * i + 2] == at[2])
            return i;
    return -1;
}

static bool locate(const bosc_voxels_opts *o, const void *row, int64_t at[3])
{
    for (int32_t c = 0; c < 3; c++) {
        at[c] = 0;
        if (c >= o->dim) continue;
        const double x = reference_voxels_element(row, o->dtype, c);
        const double voxel = o->dtype == BOSC_F32 ? (double)floorf(((float)x - (float)o->low[c]) / (float)o->cell[c])
                                                  : floor((x - o->low[c]) / o->cell[c]);
        if (!isfinite(voxel) || fabs(voxel) > 0x1p31 || voxel == 0x1p31) return false;
        at[c] = (int64_t)voxel;
        if (o->shape[0] > 0 && (at[c] < 0 || at[c] >= o->shape[c])) return false;
    }
    return true;
}

struct reference_voxels reference_voxels_make(const bosc_voxels_opts *o, const void *points, int64_t n, int64_t stride,
                                              const int64_t *offsets, int64_t cloud_count)
{
    const size_t words = (size_t)n * sizeof(int64_t), size = bosc_dtype_size(o->dtype);
    struct reference_voxels v = {.n = n,
                                 .at = suite_alloc(3 * words),
                                 .cloud = suite_alloc(words),
                                 .counts = suite_alloc(words),
                                 .firsts = suite_alloc(words),
                                 .inverse = suite_alloc(words),
                                 .rank = suite_alloc(words)};
    for (int64_t cloud = 0; cloud < cloud_count; cloud++) {
        /* Each row: its voxel, which may be new, and its rank there. */
        const int64_t before = v.count;
        for (int64_t i = offsets[cloud]; i < offsets[cloud + 1]; i++) {
            int64_t at[3], id = -1;
            v.inverse[i] = v.rank[i] = -1;
            if (!locate(o, (const char *)points + (size_t)(i * stride) * size, at)) continue;
            id = reference_voxels_find(&v, cloud, at);
            if (id < 0) {
                if (o->max_voxels > 0 && v.count - before >= o->max_voxels) continue;
                id = v.count++;
                for (int c = 0; c < 3; c++) v.at[3 * id + c] = at[c];
                v.cloud[id] = cloud;
                v.counts[id] = 0;
                v.firsts[id] = i;
            }
            v.inverse[i] = id;
            if (o->max_points == 0 || v.counts[id] < o->max_points) v.rank[i] = v.counts[id]++;
        }
    }
    return v;
}

void reference_voxels_free(struct reference_voxels *v)
{
    free(v->at);
    free(v->cloud);
    free(v->counts);
    free(v->firsts);
    free(v->inverse);
    free(v->rank);
}

double reference_voxels_mean(const struct reference_voxels *v, int64_t voxel, const void *features, bosc_dtype dtype,
                             int64_t stride, int64_t c)
{
    double sums[32] = {0}, sum = 0;
    for (int64_t i = 0; i < v->n; i++)
        if (v->inverse[i] == voxel && v->rank[i] >= 0)
            sums[v->rank[i] % 32] += reference_voxels_element(features, dtype, i * stride + c);
    for (int lane = 0; lane < 32; lane++) sum += sums[lane];
    return sum / (double)v->counts[voxel];
}

int64_t reference_voxels_nearest(const struct reference_voxels *v, const bosc_voxels_opts *o, int64_t voxel,
                                 const void *points, int64_t stride)
{
    int64_t nearest = -1;
    double least = 0;
    for (int64_t i = 0; i < v->n; i++) {
        double dist2 = 0;
        if (v->inverse[i] != voxel || v->rank[i] < 0) continue;
        for (int32_t c = 0; c < o->dim; c++) {
            const double centre = o->low[c] + ((double)v->at[3 * voxel + c] + 0.5) * o->cell[c];
            const double d = reference_voxels_element(points, o->dtype, i * stride + c) - centre;
            dist2 += d * d;
        }
        if (nearest < 0 || dist2 < least) least = dist2, nearest = i;
    }
    return nearest;
}
