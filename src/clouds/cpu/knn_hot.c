/* Searches around rows for the k nearest. A leaf and a box are measured as vectors; with AVX-512 the nearest so far
 * are kept in order by vectors too. */
#include <string.h>

#include "clouds/cpu/knn.h"
#include "clouds/cpu/measure.h"

/* The number of registers of a list is a constant where these are expanded. */
#define EXPANDED static inline __attribute__((always_inline))

/* Returns a bit for each lane within the bound or with a NaN. */
static inline uint32_t near_lanes(const float d[BI_CLOUDS_LEAF], float bound)
{
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(d), _mm256_set1_ps(bound), _CMP_NGT_UQ));
#else
    uint32_t lanes = 0;
    for (int j = 0; j < BI_CLOUDS_LEAF; j++) lanes |= (uint32_t) !(d[j] > bound) << j;
    return lanes;
#endif
}

/* ---- the nearest so far ---- */

/* Distance and id in one word, in their order; NaN counts as infinite. */
static inline uint64_t neighbour_of(float d, uint32_t id)
{
    return (uint64_t)bi_f32_bits(d == d ? d : (float)BI_INFINITY) << 32 | id;
}

static inline float distance_of(uint64_t neighbour) { return bi_f32_from_bits((uint32_t)(neighbour >> 32)); }

/* Ascending; behind the neighbours found there are words for none. last: entry k - 1. bound: the smaller of r2 and the
 * distance of that entry. With AVX-512 `vectors` registers hold the entries. */
struct nearest_list {
#if defined(__AVX512F__)
    __m512i at[BI_CLOUDS_SHORT / 8], last_lane;
    int vectors;
#else
    uint64_t at[BI_CLOUDS_SHORT];
    int count; /* entries found */
#endif
    uint64_t last;
    float r2, bound;
    int k;
};

#if defined(__AVX512F__)
EXPANDED void clear_entries(struct nearest_list *list, int vectors)
{
    if (list->k > 8 * vectors) __builtin_unreachable(); /* or gcc at -O3 warns that write_row reads unset entries */
    list->vectors = vectors;
    list->last_lane = _mm512_set1_epi64((list->k - 1) % 8);
    for (int e = 0; e < list->vectors; e++) list->at[e] = _mm512_set1_epi64((long long)list->last);
}

/* Entry e becomes the larger of the entry before and the smaller of x and itself. */
EXPANDED void insert_entry(struct nearest_list *list, uint64_t x)
{
    const __m512i all_x = _mm512_set1_epi64((long long)x);
    __m512i before = _mm512_setzero_si512();
    for (int e = 0; e < list->vectors; e++) {
        const __m512i own = list->at[e], shifted = _mm512_alignr_epi64(own, before, 7);
        list->at[e] = _mm512_max_epu64(shifted, _mm512_min_epu64(own, all_x));
        before = own;
    }
    const __m512i last = _mm512_permutexvar_epi64(list->last_lane, list->at[list->vectors - 1]);
    list->last = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(last));
}

EXPANDED void store_entries(const struct nearest_list *list, uint64_t *to)
{
    for (int e = 0; e < list->vectors; e++) _mm512_storeu_si512(to + (size_t)8 * (size_t)e, list->at[e]);
}
#else
EXPANDED void clear_entries(struct nearest_list *list, int vectors)
{
    (void)vectors;
    list->count = 0;
    for (int e = 0; e < list->k; e++) list->at[e] = list->last;
}

EXPANDED void insert_entry(struct nearest_list *list, uint64_t x)
{
    int to = list->count < list->k ? list->count++ : list->k - 1;
    for (; to > 0 && list->at[to - 1] > x; to--) list->at[to] = list->at[to - 1];
    list->at[to] = x;
    list->last = list->at[list->k - 1];
}

EXPANDED void store_entries(const struct nearest_list *list, uint64_t *to)
{
    memcpy(to, list->at, (size_t)list->k * sizeof *to);
}
#endif

/* Inserts x, which is below the last one. */
EXPANDED void insert(struct nearest_list *list, uint64_t x)
{
    insert_entry(list, x);
    const float d = distance_of(list->last);
    list->bound = d < list->r2 ? d : list->r2;
}

/* ---- searches ---- */

/* Adds the points at [begin, end), a leaf. */
EXPANDED void scan_leaf(const struct bi_clouds_view *v, bi_float4 q, uint32_t skipped, int64_t begin, int64_t end,
                        struct nearest_list *list)
{
    float d[BI_CLOUDS_LEAF];
    const int count = (int)(end - begin);
    bi_clouds_measure_leaf(v, q, begin, count, d);
    uint32_t lanes = near_lanes(d, list->bound) & ((1u << count) - 1);
    for (; lanes; lanes &= lanes - 1) {
        const int j = bi_lowest_bit(lanes);
        const uint64_t x = neighbour_of(d[j], v->ids[begin + j]);
        if (x < list->last && !(distance_of(x) > list->r2) && (uint32_t)x != skipped) insert(list, x);
    }
}

/* Tests the node of a walk as bi_clouds_walk_next does. */
EXPANDED bool is_near(const struct bi_clouds_view *v, const struct bi_clouds_walk *w, bi_float4 q,
                      const struct nearest_list *list)
{
    const int64_t slot = bi_clouds_node_slot(v, w->level, w->offset, w->cloud) + w->index;
    const float d = bi_clouds_box_distance((const float *)v->boxes + 8 * slot, q);
    return !(d > list->bound) && neighbour_of(d, v->least_ids[slot]) <= list->last;
}

/* Measures the leaf of the path, then those whose boxes are near. */
EXPANDED void walk_leaves(const struct bi_clouds_view *v, struct bi_clouds_walk *w, bi_float4 q, uint32_t skipped,
                          struct nearest_list *list)
{
    int64_t begin, end;
    w->index = w->path;
    for (bool more = true; more;) {
        bi_clouds_leaf_range(w, &begin, &end);
        scan_leaf(v, q, skipped, begin, end, list);
        if (!w->begun) w->index = (w->path & ~(int64_t)(BI_CLOUDS_FANOUT - 1)) - 1;
        w->begun = true;
        for (more = bi_clouds_walk_on(w); more; more = bi_clouds_walk_on(w)) {
            bool near;
            while ((near = is_near(v, w, q, list)) && w->level > 0) {
                w->level--;
                w->index <<= BI_CLOUDS_FANOUT_BITS;
            }
            if (near) break;
        }
    }
}

EXPANDED void write_row(const struct bi_clouds_query *a, int64_t i, const struct nearest_list *list)
{
    const struct bi_row_out out = {a->ids, a->dist2, bi_clouds_query_index(a, i) * a->k, a->ids_64bit, true, false};
    uint64_t at[BI_CLOUDS_SHORT];
    store_entries(list, at);
    for (int e = 0; e < list->k; e++) bi_row_set(&out, e, (double)distance_of(at[e]), (uint32_t)at[e]);
}

/* vectors: registers of the list, which hold k entries; used with AVX-512 only. */
EXPANDED void search_part(const struct bi_clouds_query *a, struct bi_span part, int vectors)
{
    const struct bi_clouds_view *v = &a->view;
    const int64_t *offsets = a->self ? v->offsets : a->offsets;
    int64_t cloud = 0; /* of the row before: rows ascend by cloud */
    for (int64_t i = part.begin; i < part.end; i++) {
        /* 1. The query, its cloud, and an empty list. */
        const float *row = bi_clouds_query_row(a, i);
        const int64_t number = a->self ? i : bi_clouds_query_index(a, i);
        const bi_float4 q = {row[0], row[1], row[2], 0};
        struct nearest_list list;
        list.k = (int)a->k;
        list.r2 = list.bound = (float)a->r2;
        list.last = neighbour_of((float)BI_INFINITY, UINT32_MAX);
        clear_entries(&list, vectors);
        if (number >= offsets[cloud + 1]) cloud = bi_clouds_cloud_of(offsets, v->cloud_count, number);
        /* 2. Search in the cloud, from the leaf of the query on. */
        struct bi_clouds_walk w = bi_clouds_query_walk_in(a, v, cloud, i, row);
        if (w.n > 0) walk_leaves(v, &w, q, bi_clouds_skipped_id(a, i), &list);
        /* 3. Write the row. */
        write_row(a, i, &list);
    }
}

void BI_LEVEL_NAME(bi_clouds_find_nearest)(const struct bi_clouds_query *a, struct bi_span part)
{
#if defined(__AVX512F__)
    switch ((a->k + 7) / 8) {
    case 1: search_part(a, part, 1); return;
    case 2: search_part(a, part, 2); return;
    case 3: search_part(a, part, 3); return;
    default: break;
    }
#endif
    search_part(a, part, BI_CLOUDS_SHORT / 8);
}
