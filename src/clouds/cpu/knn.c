/* The k nearest of 3-D floats on the CPU, for k up to BI_CLOUDS_SHORT: a leaf and a box in vectors of four floats. */
#include <string.h>

#include "clouds/cpu/knn.h"
#include "clouds/steps/steps.h"
#include "core/steps.h"

typedef float bi_clouds_float4 __attribute__((vector_size(16)));
typedef int32_t bi_clouds_int4 __attribute__((vector_size(16)));

static inline bi_clouds_float4 load4(const float *from)
{
    bi_clouds_float4 x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* The larger of each pair; b where one is NaN. */
static inline bi_clouds_float4 max4(bi_clouds_float4 a, bi_clouds_float4 b)
{
    const bi_clouds_int4 is_more = a > b;
    return (bi_clouds_float4)(((bi_clouds_int4)a & is_more) | ((bi_clouds_int4)b & ~is_more));
}

/* As bi_clouds_box_dist2. */
static inline float box_distance(const float *box, bi_clouds_float4 q)
{
    const bi_clouds_float4 zero = {0, 0, 0, 0}, low = load4(box), high = load4(box + 4);
    const bi_clouds_float4 out = max4(max4(low - q, q - high), zero), square = out * out;
    return square[0] + square[1] + square[2];
}

/* Squared distances of four points, as bi_clouds_dist2; their coordinates are transposed. */
static inline bi_clouds_float4 four_distances(const float *a, const float *b, const float *c, const float *d,
                                              bi_clouds_float4 q)
{
    const bi_clouds_float4 p0 = load4(a) - q, p1 = load4(b) - q, p2 = load4(c) - q, p3 = load4(d) - q;
    const bi_clouds_float4 xy01 = __builtin_shufflevector(p0, p1, 0, 4, 1, 5);
    const bi_clouds_float4 xy23 = __builtin_shufflevector(p2, p3, 0, 4, 1, 5);
    const bi_clouds_float4 z01 = __builtin_shufflevector(p0, p1, 2, 6, 3, 7);
    const bi_clouds_float4 z23 = __builtin_shufflevector(p2, p3, 2, 6, 3, 7);
    const bi_clouds_float4 x = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
    const bi_clouds_float4 y = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
    const bi_clouds_float4 z = __builtin_shufflevector(z01, z23, 0, 1, 4, 5);
    return x * x + y * y + z * z;
}

/* Distance and id in one word, in their order; NaN counts as infinite. */
static inline uint64_t neighbour_of(float d, uint32_t id)
{
    return (uint64_t)bi_f32_bits(d == d ? d : (float)BI_INFINITY) << 32 | id;
}

/* The nearest so far, ascending; bounds: the radius, and the last of k. */
struct nearest_list {
    uint64_t at[BI_CLOUDS_SHORT], last;
    float r2, bound;
    int64_t count, k;
};

static inline void add_neighbour(struct nearest_list *list, uint64_t x)
{
    if (x >= list->last) return;
    int64_t to = list->count < list->k ? list->count++ : list->k - 1;
    for (; to > 0 && list->at[to - 1] > x; to--) list->at[to] = list->at[to - 1];
    list->at[to] = x;
    if (list->count < list->k) return;
    list->last = list->at[list->k - 1];
    const float d = bi_f32_from_bits((uint32_t)(list->last >> 32));
    list->bound = d < list->r2 ? d : list->r2;
}

/* Adds the points at [begin, end), a leaf; others stand in for missing ones. */
static inline void scan_leaf(const struct bi_clouds_view *v, bi_clouds_float4 q, uint32_t skipped, int64_t begin,
                             int64_t end, struct nearest_list *list)
{
    float d[BI_CLOUDS_LEAF];
    const float *row[BI_CLOUDS_LEAF];
    const int64_t count = end - begin;
    for (int j = 0; j < BI_CLOUDS_LEAF; j++) row[j] = (const float *)v->points + 4 * (j < count ? begin + j : begin);
    for (int j = 0; j < BI_CLOUDS_LEAF; j += 4) {
        const bi_clouds_float4 four = four_distances(row[j], row[j + 1], row[j + 2], row[j + 3], q);
        memcpy(d + j, &four, sizeof four);
    }
    for (int j = 0; j < count; j++)
        if (!(d[j] > list->bound) && v->ids[begin + j] != skipped) {
            const uint64_t x = neighbour_of(d[j], v->ids[begin + j]);
            if (!(bi_f32_from_bits((uint32_t)(x >> 32)) > list->r2)) add_neighbour(list, x);
        }
}

/* Tests the node of a walk as bi_clouds_walk_next does. */
static inline bool is_near(const struct bi_clouds_view *v, const struct bi_clouds_walk *w, bi_clouds_float4 q,
                           const struct nearest_list *list)
{
    const int64_t slot = bi_clouds_node_slot(v, w->level, w->offset, w->cloud) + w->index;
    const float d = box_distance((const float *)v->boxes + 8 * slot, q);
    return !(d > list->bound) && neighbour_of(d, v->least_ids[slot]) <= list->last;
}

/* Searches around row i. */
BI_FN void bi_step_knn_3d(const struct bi_clouds_query *a, int64_t i)
{
    /* 1. The query, its leaf, and an empty list. */
    const struct bi_clouds_view *v = &a->view;
    const float *row = bi_clouds_query_row(a, i);
    const bi_clouds_float4 q = {row[0], row[1], row[2], 0};
    const uint32_t skipped = bi_clouds_skipped_id(a, i);
    struct nearest_list list;
    struct bi_clouds_walk w = bi_clouds_query_walk(a, v, i, row);
    int64_t begin, end;
    list.last = UINT64_MAX;
    list.r2 = list.bound = (float)a->r2;
    list.count = 0;
    list.k = a->k;
    /* 2. Its leaf first, then all near ones. */
    bool more = w.n > 0;
    w.index = w.path;
    while (more) {
        bi_clouds_leaf_range(&w, &begin, &end);
        scan_leaf(v, q, skipped, begin, end, &list);
        if (!w.begun) w.index = (w.path & ~(int64_t)(BI_CLOUDS_FANOUT - 1)) - 1;
        w.begun = true;
        for (more = bi_clouds_walk_on(&w); more; more = bi_clouds_walk_on(&w)) {
            bool near;
            while ((near = is_near(v, &w, q, &list)) && w.level > 0) {
                w.level--;
                w.index <<= BI_CLOUDS_FANOUT_BITS;
            }
            if (near) break;
        }
    }
    /* 3. The row. */
    const struct bi_row_out out = {a->ids, a->dist2, bi_clouds_query_index(a, i) * a->k, a->ids_64bit, true, false};
    for (int64_t e = 0; e < a->k; e++) {
        const uint64_t x = e < list.count ? list.at[e] : neighbour_of((float)BI_INFINITY, UINT32_MAX);
        bi_row_set(&out, e, (double)bi_f32_from_bits((uint32_t)(x >> 32)), (uint32_t)x);
    }
}

BI_STEP_CPU(knn_3d, struct bi_clouds_query)

bosc_status bi_cpu_clouds_knn(bosc_ctx *ctx, int64_t n, const void *args, bool *served)
{
    const struct bi_clouds_query *a = args;
    *served = !a->view.is_f64 && a->view.dim == 3 && a->k <= BI_CLOUDS_SHORT;
    return *served ? cpu_step_knn_3d(ctx, n, args) : BOSC_OK;
}
