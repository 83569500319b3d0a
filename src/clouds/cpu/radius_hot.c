/* Searches within a radius: counts, and rows of ids. Leaves and boxes are measured as vectors. */
#include <string.h>

#include "base/bits.h"
#include "clouds/cpu/knn.h"
#include "clouds/cpu/measure.h"

/* Neighbours that a row collects before it is sorted; longer rows are left to the step. Ranks cost the square of the
 * number, 16 at once with AVX-512: beyond about 256 the step's sort should be as fast (estimated, not measured). */
enum { MOST_NEAR = 256 };

struct near_points {
    float r2;
    int64_t own; /* position of a point to leave out, or -1 */
    int64_t count;
    uint32_t ids[MOST_NEAR];
    float dist2[MOST_NEAR];
};

/* Returns a bit for each distance within the bound; a NaN counts as infinite. */
static inline uint32_t lanes_within(const float d[BI_CLOUDS_LEAF], float bound)
{
    if (bound == (float)BI_INFINITY) return (1u << BI_CLOUDS_LEAF) - 1;
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(d), _mm256_set1_ps(bound), _CMP_LE_OQ));
#else
    uint32_t lanes = 0;
    for (int j = 0; j < BI_CLOUDS_LEAF; j++) lanes |= (uint32_t)(d[j] <= bound) << j;
    return lanes;
#endif
}

/* Counts the near points at [begin, end), a leaf, and collects them if `collects`. */
static inline __attribute__((always_inline)) void scan_leaf(const struct bi_clouds_view *v, bi_float4 q, int64_t begin,
                                                            int64_t end, bool collects, struct near_points *near)
{
    float d[BI_CLOUDS_LEAF];
    const int count = (int)(end - begin);
    bi_clouds_measure_leaf(v, q, begin, count, d);
    uint32_t lanes = lanes_within(d, near->r2) & ((1u << count) - 1);
    if (near->own >= begin && near->own < end) lanes &= ~(1u << (near->own - begin));
    if (!collects || near->count > MOST_NEAR - BI_CLOUDS_LEAF) {
        near->count += bi_popcount(lanes);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        const int j = bi_lowest_bit(lanes);
        near->ids[near->count] = v->ids[begin + j];
        near->dist2[near->count++] = (float)bi_clouds_ordered((double)d[j]);
    }
}

/* Scans the leaves of a cloud of n > 0 points whose boxes are near, in their order. */
static inline __attribute__((always_inline)) void scan_cloud(const struct bi_clouds_view *v, int64_t cloud, bi_float4 q,
                                                             bool collects, struct near_points *near)
{
    const int64_t offset = v->offsets[cloud], n = v->offsets[cloud + 1] - offset, last = BI_CLOUDS_FANOUT - 1;
    int64_t counts[BI_CLOUDS_LEVELS], slots[BI_CLOUDS_LEVELS], node = 0;
    int top = 0;
    for (;; top++) {
        counts[top] = bi_clouds_node_count(n, top);
        slots[top] = bi_clouds_node_slot(v, top, offset, cloud);
        if (counts[top] == 1) break;
    }
    for (int level = top;;) {
        /* 1. Descend to near leaves. */
        if (!(bi_clouds_box_distance((const float *)v->boxes + 8 * (slots[level] + node), q) > near->r2)) {
            if (level > 0) {
                level--;
                node <<= BI_CLOUDS_FANOUT_BITS;
                continue;
            }
            const int64_t begin = offset + (node << BI_CLOUDS_LEAF_BITS), limit = offset + n;
            scan_leaf(v, q, begin, begin + BI_CLOUDS_LEAF < limit ? begin + BI_CLOUDS_LEAF : limit, collects, near);
        }
        /* 2. Behind the last child comes the node after its parent. */
        while (level < top && ((node & last) == last || node + 1 == counts[level])) {
            level++;
            node >>= BI_CLOUDS_FANOUT_BITS;
        }
        if (level == top) return;
        node++;
    }
}

/* Sets ranks[e] to the number of smaller ids. They are distinct, so ranks are positions of the sorted row. */
static inline void rank_ids(const struct near_points *near, uint32_t ranks[MOST_NEAR])
{
    const int count = (int)near->count, padded = (count + 15) & ~15;
    memset(ranks, 0, (size_t)padded * sizeof *ranks);
    for (int e = 0; e < count; e++) {
        const uint32_t id = near->ids[e];
        for (int o = 0; o < padded; o++) ranks[o] += id < near->ids[o];
    }
}

/* Writes the row of a query, by id, if it has the expected length and is not too long for the list. */
static inline void write_row(const struct bi_clouds_query *a, int64_t i, struct near_points *near)
{
    const int64_t number = bi_clouds_query_index(a, i), at = a->row_offsets[number];
    if (near->count > MOST_NEAR - BI_CLOUDS_LEAF || near->count != a->row_offsets[number + 1] - at) {
        bi_step_radius_fill(a, i);
        return;
    }
    const struct bi_row_out out = {a->ids, a->dist2, at, a->ids_64bit, true, false};
    uint32_t ranks[MOST_NEAR];
    if (a->view.sorted) rank_ids(near, ranks);
    for (int64_t e = 0; e < near->count; e++)
        bi_row_set(&out, a->view.sorted ? ranks[e] : e, (double)near->dist2[e], near->ids[e]);
}

/* Searches around the rows of a part; `fills`: writes rows, else counts. */
static inline __attribute__((always_inline)) void search_part(const struct bi_clouds_query *a, struct bi_span part,
                                                              bool fills)
{
    const struct bi_clouds_view *v = &a->view;
    const int64_t *offsets = a->self ? v->offsets : a->offsets;
    struct near_points near = {.r2 = (float)a->r2};
    int64_t cloud = 0; /* of the row before: rows ascend by cloud */
    for (int64_t i = part.begin; i < part.end; i++) {
        const float *row = bi_clouds_query_row(a, i);
        const int64_t number = a->self ? i : bi_clouds_query_index(a, i);
        const bi_float4 q = {row[0], row[1], row[2], 0};
        near.own = a->exclude_self ? i : -1;
        near.count = 0;
        if (number >= offsets[cloud + 1]) cloud = bi_clouds_cloud_of(offsets, v->cloud_count, number);
        if (v->offsets[cloud + 1] > v->offsets[cloud]) scan_cloud(v, cloud, q, fills, &near);
        if (fills)
            write_row(a, i, &near);
        else
            a->counts[bi_clouds_query_index(a, i)] = near.count;
    }
}

void BI_LEVEL_NAME(bi_clouds_find_within)(const struct bi_clouds_query *a, struct bi_span part, bool fills)
{
    if (fills)
        search_part(a, part, true);
    else
        search_part(a, part, false);
}
