/* Compares every search of k-d trees with brute force. The first bytes choose the options; each operation reads a
 * byte: another build, or a search for the queries that follow. */
#include <boscage/kdtree.h>

#include "points.h"

enum { QUERIES_MOST = 8, K_MOST = 12 };

struct subject {
    bosc_ctx *ctx;
    bosc_kdtree *tree;
    bosc_kdtree_opts opts;
    struct point_set all, queries;
    struct point_set nodes;    /* the points of `all` in the tree, without removed duplicates */
    int64_t rows[POINTS_MOST]; /* row of each node in `all`, ascending */
};

static void rebuild(struct subject *s, struct input *in)
{
    const struct reference_points *p = &s->all.p;
    read_points(in, s->opts.dtype, s->opts.dim, &s->all);
    require_ok(bosc_kdtree_build(s->ctx, s->tree, p->data, p->n, p->stride));
    s->nodes = s->all;
    s->nodes.p.data = s->nodes.values;
    for (int64_t i = 0; i < p->n; i++) s->rows[i] = i;
    if (s->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) s->nodes.p.n = reference_unique(p, s->rows);
    size_t bytes = (size_t)p->stride * bosc_dtype_size(p->dtype);
    for (int64_t k = 0; k < s->nodes.p.n; k++)
        memcpy((void *)(uintptr_t)point_of(&s->nodes.p, k), point_of(p, s->rows[k]), bytes);
    int64_t node;
    require_ok(bosc_kdtree_verify(s->ctx, s->tree, &node));
}

static void read_queries(struct subject *s, struct input *in)
{
    read_points(in, s->opts.dtype, s->opts.dim, &s->queries);
    if (s->queries.p.n > QUERIES_MOST) s->queries.p.n = QUERIES_MOST;
}

static void check_nearest(const struct subject *s, const void *query, int64_t k, double r2, const void *ids,
                          const void *dist2, int64_t at)
{
    int64_t expected[K_MOST];
    double distances[K_MOST];
    reference_knn(&s->nodes.p, query, k, r2, expected, distances);
    for (int64_t e = 0; e < k; e++) {
        int64_t row = expected[e] < 0 ? -1 : s->rows[expected[e]];
        if (id_at(ids, s->opts.id_bits, at + e) != row) abort();
        if (distance_at(s->opts.dtype, dist2, at + e) != distances[e]) abort();
    }
}

static void check_knn(struct subject *s, struct input *in, bool within)
{
    int64_t ids[POINTS_MOST * K_MOST], k = 1 + next_byte(in) % K_MOST;
    double dist2[POINTS_MOST * K_MOST], radius = within ? read_radius(in) : INFINITY, r2 = INFINITY;
    const struct reference_points *q = &s->queries.p;
    read_queries(s, in);
    if (within) {
        r2 = square_of(q, radius);
        require_ok(bosc_kdtree_knn_within(s->ctx, s->tree, q->data, q->n, q->stride, k, radius, ids, dist2));
    } else {
        require_ok(bosc_kdtree_knn(s->ctx, s->tree, q->data, q->n, q->stride, k, ids, dist2));
    }
    for (int64_t i = 0; i < q->n; i++) check_nearest(s, point_of(q, i), k, r2, ids, dist2, i * k);
}

static void check_knn_self(struct subject *s, struct input *in)
{
    int64_t ids[POINTS_MOST * K_MOST], k = 1 + next_byte(in) % K_MOST;
    double dist2[POINTS_MOST * K_MOST];
    if (s->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) return;
    require_ok(bosc_kdtree_knn_self(s->ctx, s->tree, k, ids, dist2));
    for (int64_t i = 0; i < s->all.p.n; i++) check_nearest(s, point_of(&s->all.p, i), k, INFINITY, ids, dist2, i * k);
}

static void check_radius(struct subject *s, struct input *in)
{
    int64_t offsets[QUERIES_MOST + 1], counts[QUERIES_MOST], ids[QUERIES_MOST * POINTS_MOST];
    double dist2[QUERIES_MOST * POINTS_MOST], radius = read_radius(in), d;
    const struct reference_points *q = &s->queries.p;
    read_queries(s, in);
    require_ok(bosc_kdtree_radius_count(s->ctx, s->tree, q->data, q->n, q->stride, radius, counts));
    require_ok(bosc_kdtree_radius(s->ctx, s->tree, q->data, q->n, q->stride, radius, offsets, NULL, NULL, 0));
    int64_t total = offsets[q->n], at = 0;
    if (total > QUERIES_MOST * POINTS_MOST) abort();
    require_ok(bosc_kdtree_radius(s->ctx, s->tree, q->data, q->n, q->stride, radius, offsets, ids, dist2, total));
    for (int64_t i = 0; i < q->n; i++) {
        if (offsets[i] != at || counts[i] != offsets[i + 1] - at) abort();
        for (int64_t k = 0; k < s->nodes.p.n; k++) {
            if (!((d = reference_dist2(&s->nodes.p, k, point_of(q, i))) <= square_of(q, radius))) continue;
            if (at == total || id_at(ids, s->opts.id_bits, at) != s->rows[k]) abort();
            if (distance_at(s->opts.dtype, dist2, at++) != d) abort();
        }
    }
    if (at != total) abort();
}

static bool is_inside(const struct subject *s, int64_t node, const struct reference_points *boxes, int64_t box)
{
    struct reference_points three = *boxes; /* low corner, high corner, point */
    int64_t values[3 * DIM_MOST];
    size_t bytes = (size_t)three.dim * bosc_dtype_size(three.dtype);
    memcpy(values, point_of(boxes, 2 * box), bytes);
    memcpy((char *)values + bytes, point_of(boxes, 2 * box + 1), bytes);
    memcpy((char *)values + 2 * bytes, point_of(&s->nodes.p, node), bytes);
    three.data = values;
    three.stride = three.dim;
    points = &three;
    for (int32_t c = 0; c < three.dim; c++)
        if (compare_elements(2, 0, c) < 0 || compare_elements(2, 1, c) > 0) return false;
    return true;
}

static void check_boxes(struct subject *s, struct input *in)
{
    int64_t offsets[POINTS_MOST + 1], ids[POINTS_MOST * POINTS_MOST];
    struct reference_points *q = &s->queries.p;
    read_points(in, s->opts.dtype, s->opts.dim, &s->queries);
    q->stride = q->dim; /* boxes are contiguous */
    int64_t boxes = q->n / 2, at = 0;
    require_ok(bosc_kdtree_box(s->ctx, s->tree, q->data, boxes, offsets, NULL, 0));
    int64_t total = offsets[boxes];
    if (total > POINTS_MOST * POINTS_MOST) abort();
    require_ok(bosc_kdtree_box(s->ctx, s->tree, q->data, boxes, offsets, ids, total));
    for (int64_t b = 0; b < boxes; b++) {
        if (offsets[b] != at) abort();
        for (int64_t k = 0; k < s->nodes.p.n; k++) {
            if (!is_inside(s, k, q, b)) continue;
            if (at == total || id_at(ids, s->opts.id_bits, at++) != s->rows[k]) abort();
        }
    }
    if (at != total) abort();
}

/* Checks the nearest point of another label. */
static void check_nearest_other(struct subject *s, struct input *in)
{
    int64_t labels[POINTS_MOST], ids[POINTS_MOST];
    double dist2[POINTS_MOST];
    const struct reference_points *p = &s->all.p;
    if (s->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) return;
    for (int64_t i = 0; i < p->n; i++) labels[i] = next_byte(in) % 4;
    for (int64_t i = 0; i < p->n && s->opts.id_bits == 32; i++) ((uint32_t *)labels)[i] = (uint32_t)(labels[i] & 3);
    require_ok(bosc_kdtree_nearest_other(s->ctx, s->tree, labels, NULL, ids, dist2));
    for (int64_t i = 0; i < p->n; i++) {
        int64_t best = -1;
        double least = INFINITY;
        for (int64_t k = 0; k < p->n; k++) {
            double d = reference_dist2(p, k, point_of(p, i));
            if (id_at(labels, s->opts.id_bits, i) == id_at(labels, s->opts.id_bits, k)) continue;
            if (best >= 0 && d >= least) continue;
            best = k;
            least = d;
        }
        if (id_at(ids, s->opts.id_bits, i) != best || distance_at(p->dtype, dist2, i) != least) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct subject s;
    struct input in = {data, size};
    s = (struct subject){.ctx = fuzz_context(), .opts = {.size = sizeof s.opts, .dtype = read_dtype(&in)}};
    uint32_t kind = next_byte(&in);
    s.opts.dim = 1 + (int32_t)(kind % DIM_MOST);
    s.opts.builder = (bosc_kdtree_builder)(kind / 8 % 2);
    s.opts.duplicates = (bosc_kdtree_duplicates)(kind / 16 % 2);
    s.opts.id_bits = kind / 32 % 2 ? 32 : 64;
    require_ok(bosc_kdtree_create(s.ctx, &s.opts, &s.tree));
    rebuild(&s, &in);
    while (in.size) {
        uint32_t what = next_byte(&in) % 8;
        if (what == 0) rebuild(&s, &in);
        if (what < 3) check_knn(&s, &in, what == 2);
        if (what == 3) check_knn_self(&s, &in);
        if (what == 4) check_nearest_other(&s, &in);
        if (what == 5 || what == 6) check_radius(&s, &in);
        if (what == 7) check_boxes(&s, &in);
    }
    bosc_kdtree_free(s.tree);
    return 0;
}
