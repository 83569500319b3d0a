/* Compares every search of voxel grids with brute force. The first bytes choose the options; each operation reads a
 * byte: another build, or a search. */
#include <boscage/voxelgrid.h>

#include "points.h"
#include "reference/voxelgrid.c"

enum { PAIRS_MOST = POINTS_MOST * POINTS_MOST };

struct subject {
    bosc_ctx *ctx;
    bosc_voxelgrid *grid;
    bosc_voxelgrid_opts opts;
    struct point_set all, queries;
};

static bool same_voxel(const struct reference_points *p, int64_t i, const struct reference_points *q, int64_t j,
                       double cell)
{
    for (int32_t c = 0; c < p->dim; c++)
        if (reference_voxel(p, i, c, cell) != reference_voxel(q, j, c, cell)) return false;
    return true;
}

static void check_voxels(const struct subject *s)
{
    int64_t coords[POINTS_MOST * 3], counts[POINTS_MOST], count, sum = 0;
    const struct reference_points *p = &s->all.p;
    require_ok(bosc_voxelgrid_voxels(s->ctx, s->grid, coords, counts, POINTS_MOST, &count));
    for (int64_t v = 0; v < count; v++) {
        int64_t held = 0, order = v == 0;
        for (int32_t c = 0; c < p->dim && !order; c++)
            order = coords[v * p->dim + c] > coords[(v - 1) * p->dim + c]
                        ? 1
                        : -(coords[v * p->dim + c] < coords[(v - 1) * p->dim + c]);
        if (order != 1) abort();
        for (int64_t i = 0; i < p->n; i++) {
            bool in = true;
            for (int32_t c = 0; c < p->dim; c++)
                in = in && reference_voxel(p, i, c, s->opts.cell) == coords[v * p->dim + c];
            held += in;
        }
        if (held != counts[v]) abort();
        sum += held;
    }
    if (sum != p->n) abort();
}

/* own: the points of the grid are the queries. */
static void check_queries(struct subject *s, struct input *in, bool own)
{
    int64_t offsets[POINTS_MOST + 1], counts[POINTS_MOST], voxels[POINTS_MOST], ids[PAIRS_MOST], at = 0;
    double dist2[PAIRS_MOST], radius = read_radius(in), d;
    const struct reference_points *p = &s->all.p, *q = own ? p : &s->queries.p;
    if (!own) read_points(in, s->opts.dtype, s->opts.dim, &s->queries);
    const void *data = own ? NULL : q->data;
    require_ok(bosc_voxelgrid_voxel_count(s->ctx, s->grid, data, q->n, q->stride, voxels));
    require_ok(bosc_voxelgrid_radius_count(s->ctx, s->grid, data, q->n, q->stride, radius, counts));
    require_ok(bosc_voxelgrid_radius(s->ctx, s->grid, data, q->n, q->stride, radius, offsets, NULL, NULL, 0));
    if (offsets[q->n] > PAIRS_MOST) abort();
    require_ok(
        bosc_voxelgrid_radius(s->ctx, s->grid, data, q->n, q->stride, radius, offsets, ids, dist2, offsets[q->n]));
    for (int64_t i = 0; i < q->n; i++) {
        int64_t held = 0;
        if (offsets[i] != at || counts[i] != offsets[i + 1] - at) abort();
        for (int64_t k = 0; k < p->n; k++) {
            held += same_voxel(p, k, q, i, s->opts.cell);
            if (!((d = reference_dist2(p, k, point_of(q, i))) <= square_of(p, radius))) continue;
            if (at == offsets[q->n] || id_at(ids, s->opts.id_bits, at) != k) abort();
            if (distance_at(p->dtype, dist2, at++) != d) abort();
        }
        if (voxels[i] != held) abort();
    }
    if (at != offsets[q->n]) abort();
}

static void check_pairs(const struct subject *s, struct input *in)
{
    int64_t pairs[2 * PAIRS_MOST], expected[2 * PAIRS_MOST], labels[POINTS_MOST], expected_labels[POINTS_MOST], count;
    double dist2[PAIRS_MOST], distances[PAIRS_MOST], radius = read_radius(in), r2 = square_of(&s->all.p, radius);
    const struct reference_points *p = &s->all.p;
    int64_t total = reference_pairs(p, r2, expected, distances);
    require_ok(bosc_voxelgrid_pairs(s->ctx, s->grid, radius, pairs, dist2, PAIRS_MOST, &count));
    if (count != total) abort();
    for (int64_t k = 0; k < 2 * total; k++)
        if (id_at(pairs, s->opts.id_bits, k) != expected[k]) abort();
    for (int64_t k = 0; k < total; k++)
        if (distance_at(p->dtype, dist2, k) != distances[k]) abort();
    require_ok(bosc_voxelgrid_components(s->ctx, s->grid, radius, labels, &count));
    if (count != reference_components(p, r2, expected_labels)) abort();
    for (int64_t i = 0; i < p->n; i++)
        if (id_at(labels, s->opts.id_bits, i) != expected_labels[i]) abort();
}

static void rebuild(struct subject *s, struct input *in)
{
    read_points(in, s->opts.dtype, s->opts.dim, &s->all);
    require_ok(bosc_voxelgrid_build(s->ctx, s->grid, s->all.p.data, s->all.p.n, s->all.p.stride));
    check_voxels(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double cells[8] = {1, 0.5, 0.3, 2, 7.7, 1e-30, 1e19, 0.0625};
    static struct subject s;
    struct input in = {data, size};
    s = (struct subject){.ctx = fuzz_context(), .opts = {.size = sizeof s.opts, .dtype = read_dtype(&in)}};
    uint32_t kind = next_byte(&in);
    s.opts.dim = 1 + (int32_t)(kind % 3);
    s.opts.cell = cells[kind / 4 % 8];
    s.opts.id_bits = kind / 32 % 2 ? 32 : 64;
    require_ok(bosc_voxelgrid_create(s.ctx, &s.opts, &s.grid));
    rebuild(&s, &in);
    while (in.size) {
        uint32_t what = next_byte(&in) % 5;
        if (what == 0) rebuild(&s, &in);
        if (what == 1) check_pairs(&s, &in);
        if (what > 1) check_queries(&s, &in, what == 4);
    }
    bosc_voxelgrid_free(s.grid);
    return 0;
}
