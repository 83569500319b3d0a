/* Searches around rows for the k nearest. A leaf and a box are measured as vectors; with AVX-512 the nearest so far
 * are kept in order by vectors too. */
#include <string.h>

#include "clouds/cpu/knn.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* The number of registers of a list is a constant where these are expanded. */
#define EXPANDED static inline __attribute__((always_inline))

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));

static inline float4 load4(const float *from)
{
    float4 x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* ---- distances ---- */

/* The larger of each pair; b where one is NaN. */
static inline float4 max4(float4 a, float4 b)
{
    const int4 is_more = a > b;
    return (float4)(((int4)a & is_more) | ((int4)b & ~is_more));
}

/* As bi_clouds_box_dist2. */
static inline float box_distance(const float *box, float4 q)
{
    const float4 zero = {0, 0, 0, 0}, low = load4(box), high = load4(box + 4);
    const float4 out = max4(max4(low - q, q - high), zero), square = out * out;
    return square[0] + square[1] + square[2];
}

/* Squared distances of the rows of a leaf, as bi_clouds_dist2; their coordinates are transposed. */
#if defined(__AVX2__)
static inline __m256 load_pair(const float *a, const float *b, __m128 q)
{
    return _mm256_set_m128(_mm_sub_ps(_mm_loadu_ps(b), q), _mm_sub_ps(_mm_loadu_ps(a), q));
}

static inline void measure_leaf(const float *const row[BI_CLOUDS_LEAF], float4 query, float d[BI_CLOUDS_LEAF])
{
    const __m128 q = (__m128)query;
    const __m256 p0 = load_pair(row[0], row[4], q), p1 = load_pair(row[1], row[5], q);
    const __m256 p2 = load_pair(row[2], row[6], q), p3 = load_pair(row[3], row[7], q);
    const __m256 xy01 = _mm256_unpacklo_ps(p0, p1), xy23 = _mm256_unpacklo_ps(p2, p3);
    const __m256 z01 = _mm256_unpackhi_ps(p0, p1), z23 = _mm256_unpackhi_ps(p2, p3);
    const __m256 x = _mm256_shuffle_ps(xy01, xy23, 0x44), y = _mm256_shuffle_ps(xy01, xy23, 0xee);
    const __m256 z = _mm256_shuffle_ps(z01, z23, 0x44);
    const __m256 plane = _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
    _mm256_storeu_ps(d, _mm256_add_ps(plane, _mm256_mul_ps(z, z)));
}
#else
static inline void measure_leaf(const float *const row[BI_CLOUDS_LEAF], float4 q, float d[BI_CLOUDS_LEAF])
{
    for (int j = 0; j < BI_CLOUDS_LEAF; j += 4) {
        const float4 p0 = load4(row[j]) - q, p1 = load4(row[j + 1]) - q;
        const float4 p2 = load4(row[j + 2]) - q, p3 = load4(row[j + 3]) - q;
        const float4 xy01 = __builtin_shufflevector(p0, p1, 0, 4, 1, 5);
        const float4 xy23 = __builtin_shufflevector(p2, p3, 0, 4, 1, 5);
        const float4 z01 = __builtin_shufflevector(p0, p1, 2, 6, 3, 7);
        const float4 z23 = __builtin_shufflevector(p2, p3, 2, 6, 3, 7);
        const float4 x = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
        const float4 y = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
        const float4 z = __builtin_shufflevector(z01, z23, 0, 1, 4, 5), square = x * x + y * y + z * z;
        memcpy(d + j, &square, sizeof square);
    }
}
#endif

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

/* Adds the points at [begin, end), a leaf; the first stands in for missing ones. */
EXPANDED void scan_leaf(const struct bi_clouds_view *v, float4 q, uint32_t skipped, int64_t begin, int64_t end,
                        struct nearest_list *list)
{
    float d[BI_CLOUDS_LEAF];
    const float *row[BI_CLOUDS_LEAF];
    const int count = (int)(end - begin);
    for (int j = 0; j < BI_CLOUDS_LEAF; j++) row[j] = (const float *)v->points + 4 * (j < count ? begin + j : begin);
    measure_leaf(row, q, d);
    uint32_t lanes = near_lanes(d, list->bound) & ((1u << count) - 1);
    for (; lanes; lanes &= lanes - 1) {
        const int j = bi_lowest_bit(lanes);
        const uint64_t x = neighbour_of(d[j], v->ids[begin + j]);
        if (x < list->last && !(distance_of(x) > list->r2) && (uint32_t)x != skipped) insert(list, x);
    }
}

/* Tests the node of a walk as bi_clouds_walk_next does. */
EXPANDED bool is_near(const struct bi_clouds_view *v, const struct bi_clouds_walk *w, float4 q,
                      const struct nearest_list *list)
{
    const int64_t slot = bi_clouds_node_slot(v, w->level, w->offset, w->cloud) + w->index;
    const float d = box_distance((const float *)v->boxes + 8 * slot, q);
    return !(d > list->bound) && neighbour_of(d, v->least_ids[slot]) <= list->last;
}

/* Measures the leaf of the path, then those whose boxes are near. */
EXPANDED void walk_leaves(const struct bi_clouds_view *v, struct bi_clouds_walk *w, float4 q, uint32_t skipped,
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
        const float4 q = {row[0], row[1], row[2], 0};
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
