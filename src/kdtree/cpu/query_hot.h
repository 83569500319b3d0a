/* Shared by the hot loops of the CPU's searches (query_f32_hot.c, query_f64_hot.c, query_int_hot.c): candidates packed
 * from blocks of 16 nodes, lists of neighbours, compiled copies by dimension, and the table of a type's loops. */
#ifndef BI_KDTREE_CPU_QUERY_HOT_H
#define BI_KDTREE_CPU_QUERY_HOT_H

#include <math.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/bits.h"
#include "kdtree/cpu/cpu.h"

/* --- Limits ------------------------------------------------------------------------------------------------------- */

/* Return the distances of 16, as bits, that do not exceed a limit; NaN does not exceed it. */

#if BI_LEVEL == 4

static inline uint32_t near_f32(const float *s, float limit)
{
    return _mm512_cmp_ps_mask(_mm512_load_ps(s), _mm512_set1_ps(limit), _CMP_NGT_UQ);
}

static inline uint32_t near_f64(const double *s, double limit)
{
    __m512d x = _mm512_set1_pd(limit);
    return _mm512_cmp_pd_mask(_mm512_load_pd(s), x, _CMP_NGT_UQ) |
           (uint32_t)_mm512_cmp_pd_mask(_mm512_load_pd(s + 8), x, _CMP_NGT_UQ) << 8;
}

#elif BI_LEVEL == 3

static inline uint32_t near_f32(const float *s, float limit)
{
    __m256 x = _mm256_set1_ps(limit);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_load_ps(s), x, _CMP_NGT_UQ)) |
           (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_load_ps(s + 8), x, _CMP_NGT_UQ)) << 8;
}

static inline uint32_t near_f64(const double *s, double limit)
{
    __m256d x = _mm256_set1_pd(limit);
    uint32_t bits = 0;
    for (int i = 0; i < 16; i += 4)
        bits |= (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_load_pd(s + i), x, _CMP_NGT_UQ)) << i;
    return bits;
}

#elif defined(__x86_64__)

static inline uint32_t near_f32(const float *s, float limit)
{
    __m128 x = _mm_set1_ps(limit);
    uint32_t bits = 0;
    for (int i = 0; i < 16; i += 4) bits |= (uint32_t)_mm_movemask_ps(_mm_cmpngt_ps(_mm_load_ps(s + i), x)) << i;
    return bits;
}

static inline uint32_t near_f64(const double *s, double limit)
{
    __m128d x = _mm_set1_pd(limit);
    uint32_t bits = 0;
    for (int i = 0; i < 16; i += 2) bits |= (uint32_t)_mm_movemask_pd(_mm_cmpngt_pd(_mm_load_pd(s + i), x)) << i;
    return bits;
}

#else

static inline uint32_t near_f32(const float *s, float limit)
{
    uint32_t bits = 0;
    for (int i = 0; i < 16; i++) bits |= (uint32_t) !(s[i] > limit) << i;
    return bits;
}

static inline uint32_t near_f64(const double *s, double limit)
{
    uint32_t bits = 0;
    for (int i = 0; i < 16; i++) bits |= (uint32_t) !(s[i] > limit) << i;
    return bits;
}

#endif

#if BI_LEVEL == 4

/* Makes NaN, and distances without a bit in the mask `in` of the leaf's nodes, infinite, and lowers least[i] to
 * distance i. Then least_of returns the least of 16. */
static inline void lower_f32(float *dist2, uint32_t in, float *least)
{
    const __m512 infinity = _mm512_set1_ps(INFINITY);
    __m512 d = _mm512_load_ps(dist2);
    d = _mm512_mask_mov_ps(infinity, _mm512_mask_cmp_ps_mask((__mmask16)in, d, infinity, _CMP_LT_OQ), d);
    _mm512_store_ps(dist2, d);
    _mm512_store_ps(least, _mm512_min_ps(_mm512_load_ps(least), d));
}

static inline void lower_f64(double *dist2, uint32_t in, double *least)
{
    const __m512d infinity = _mm512_set1_pd(INFINITY);
    for (int i = 0; i < 16; i += 8) {
        __m512d d = _mm512_load_pd(dist2 + i);
        d = _mm512_mask_mov_pd(infinity, _mm512_mask_cmp_pd_mask((__mmask8)(in >> i), d, infinity, _CMP_LT_OQ), d);
        _mm512_store_pd(dist2 + i, d);
        _mm512_store_pd(least + i, _mm512_min_pd(_mm512_load_pd(least + i), d));
    }
}

static inline float least_of_f32(const float *least) { return _mm512_reduce_min_ps(_mm512_load_ps(least)); }
static inline double least_of_f64(const double *least)
{
    return _mm512_reduce_min_pd(_mm512_min_pd(_mm512_load_pd(least), _mm512_load_pd(least + 8)));
}

#endif

/* Returns the ids of a block that exceed `own`, as bits. Ids behind the last node may be anything. */
static inline uint32_t bi_kdtree_ids_above(const uint32_t *ids, uint32_t own)
{
#if BI_LEVEL == 4
    return _mm512_cmpgt_epu32_mask(_mm512_loadu_si512(ids), _mm512_set1_epi32((int)own));
#else
    uint32_t bits = 0;
    for (int i = 0; i < BI_KDTREE_CPU_BLOCK; i++) bits |= (uint32_t)(ids[i] > own) << i;
    return bits;
#endif
}

/* --- Candidates --------------------------------------------------------------------------------------------------- */

/* A neighbour as one number, ordered by (distance, id): distances are not negative, so their bits order them. */
static inline uint64_t entry_f32(float d, uint32_t id) { return (uint64_t)bi_f32_bits(d) << 32 | id; }
static inline unsigned __int128 entry_f64(double d, uint32_t id)
{
    return (unsigned __int128)bi_f64_bits(d) << 32 | id;
}
static inline float distance_f32(uint64_t e) { return bi_f32_from_bits((uint32_t)(e >> 32)); }
static inline double distance_f64(unsigned __int128 e) { return bi_f64_from_bits((uint64_t)(e >> 32)); }

/* Packs the masked elements of a block to to[0], ...; may overwrite up to 16 elements. */
#define BI_PACK_LANES(NAME, T)                                    \
    static inline void NAME(const T *from, uint32_t in, T *to)    \
    {                                                             \
        for (; in; in &= in - 1) *to++ = from[__builtin_ctz(in)]; \
    }

/* Packs distances and ids of the masked nodes of a block whose distance is not NaN, to to[0], to_ids[0], ... Returns
 * their number; may overwrite up to 16 elements behind them. */
#define BI_PACK(NAME, T, ID)                                                                      \
    static inline int NAME(const T *dist2, uint32_t near, const uint32_t *ids, T *to, ID *to_ids) \
    {                                                                                             \
        int count = 0;                                                                            \
        for (; near; near &= near - 1) {                                                          \
            int lane = __builtin_ctz(near);                                                       \
            to[count] = dist2[lane];                                                              \
            to_ids[count] = ids[lane];                                                            \
            count += dist2[lane] == dist2[lane];                                                  \
        }                                                                                         \
        return count;                                                                             \
    }

/* Writes sorted entries (distance, id) to a row; entries without an id are infinitely far. */
#define BI_WRITE_LIST(NAME, ENTRY, DISTANCE)                                                            \
    static inline void NAME(const struct bi_row_out *row, const ENTRY *list, int64_t count)             \
    {                                                                                                   \
        for (int64_t i = 0; i < count; i++) {                                                           \
            const bool none = (uint32_t)list[i] == BI_KDTREE_NONE;                                      \
            bi_row_set(row, i, none ? (double)INFINITY : (double)DISTANCE(list[i]), (uint32_t)list[i]); \
        }                                                                                               \
    }

BI_WRITE_LIST(write_list_f64, unsigned __int128, distance_f64)
BI_PACK_LANES(pack_lanes_f64, double)
BI_PACK(pack_f64, double, double)

#if BI_LEVEL == 4

static inline void pack_lanes_f32(const float *from, uint32_t in, float *to)
{
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps((__mmask16)in, _mm512_maskz_loadu_ps((__mmask16)in, from)));
}

static inline void pack_ids(const uint32_t *ids, uint32_t in, uint32_t *to)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)in, _mm512_maskz_loadu_epi32((__mmask16)in, ids)));
}

static inline int pack_f32(const float *dist2, uint32_t near, const uint32_t *ids, float *to, uint32_t *to_ids)
{
    __m512 d = _mm512_maskz_load_ps((__mmask16)near, dist2); /* other lanes may hold no node */
    __mmask16 in = _mm512_mask_cmp_ps_mask((__mmask16)near, d, d, _CMP_ORD_Q);
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps(in, d));
    pack_ids(ids, in, to_ids);
    return __builtin_popcount(in);
}

/* BI_WRITE_LIST by vectors of 8. */
static inline void write_list_f32(const struct bi_row_out *row, const uint64_t *list, int64_t count)
{
    const __m256i none = _mm256_set1_epi32(-1), infinity = _mm256_set1_epi32(0x7f800000);
    for (int64_t i = 0; i < count; i += 8) {
        const __mmask8 valid = count - i < 8 ? (__mmask8)((1u << (count - i)) - 1) : 0xff;
        const int64_t at = row->at + i;
        __m512i e = _mm512_maskz_loadu_epi64(valid, list + i);
        __m256i ids = _mm512_cvtepi64_epi32(e), d = _mm512_cvtepi64_epi32(_mm512_srli_epi64(e, 32));
        __mmask8 without = _mm256_cmpeq_epi32_mask(ids, none);
        if (row->ids_64bit)
            _mm512_mask_storeu_epi64((int64_t *)row->ids + at, valid,
                                     _mm512_mask_set1_epi64(_mm512_cvtepu32_epi64(ids), without, -1));
        else
            _mm256_mask_storeu_epi32((uint32_t *)row->ids + at, valid, ids);
        if (row->dist2)
            _mm256_mask_storeu_epi32((float *)row->dist2 + at, valid, _mm256_mask_mov_epi32(d, without, infinity));
    }
}

#else
BI_PACK_LANES(pack_lanes_f32, float)
BI_PACK_LANES(pack_ids, uint32_t)
BI_PACK(pack_f32, float, uint32_t)
BI_WRITE_LIST(write_list_f32, uint64_t, distance_f32)
#endif

/* --- Copies ------------------------------------------------------------------------------------------------------- */

/* Ids as numbers of the size of a distance, and the type of their comparisons. */
typedef uint32_t id_f32;
typedef double id_f64;
typedef int32_t bits_f32;
typedef int64_t bits_f64;
#define BI_KDTREE_VECTOR (BI_LEVEL == 4 ? 64 : BI_LEVEL == 3 ? 32 : 16)

/* Searches of floating points in 2 to 4 dimensions have compiled copies, with everything inlined. So have points in
 * more dimensions that differ in 1 to 3 coordinates, which a table lists, as for the copy for any dimension. Copies
 * take most of the compile time: with BI_CALL_STEPS (base/step.h) only float has one; for coverage (BI_ONE_COPY) there
 * is none, as each copy would have its own counts. Each is a function of its own, since gcc's time for a function grows
 * faster than its size.
 *
 * SEARCH_FOR_ANY, _3D and _USUAL define run_KIND, which calls the copy of the dimension, and these copies. */
#define SEARCH_COPY(kind, copy, dim, table)                                                                  \
    static __attribute__((noinline)) void SEARCH_NAME(kind##_##copy)(const struct bi_kdtree_cpu_search *a,   \
                                                                     int64_t begin, int64_t end, int thread) \
    {                                                                                                        \
        SEARCH_NAME(run_queries)(a, begin, end, thread, dim, table, kind);                                   \
    }
#define SEARCH_CALL(kind, copy) SEARCH_NAME(kind##_##copy)(a, begin, end, thread)
#define SEARCH_DEFINE(kind, calls)                                                                                    \
    static void SEARCH_NAME(run_##kind)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread) \
    {                                                                                                                 \
        calls;                                                                                                        \
    }
#define SEARCH_FOR_ANY(kind)                      \
    SEARCH_COPY(kind, any, a->searched.dim, true) \
    SEARCH_DEFINE(kind, SEARCH_CALL(kind, any))
#define SEARCH_FOR_3D(kind)                                                                  \
    SEARCH_COPY(kind, 3d, 3, false)                                                          \
    SEARCH_COPY(kind, any, a->searched.dim, true)                                            \
    SEARCH_DEFINE(kind, if (a->view.dim == 3 && a->searched.dim == 3) SEARCH_CALL(kind, 3d); \
                  else SEARCH_CALL(kind, any))
/* The dimension counts only if no coordinate is flat. */
#define SEARCH_FOR_USUAL(kind)                                    \
    SEARCH_COPY(kind, 2d, 2, false)                               \
    SEARCH_COPY(kind, 3d, 3, false)                               \
    SEARCH_COPY(kind, 4d, 4, false)                               \
    SEARCH_COPY(kind, table_1d, 1, true)                          \
    SEARCH_COPY(kind, table_2d, 2, true)                          \
    SEARCH_COPY(kind, table_3d, 3, true)                          \
    SEARCH_COPY(kind, any, a->searched.dim, true)                 \
    SEARCH_DEFINE(                                                \
        kind,                                                     \
        switch (a->view.dim * (a->searched.dim == a->view.dim)) { \
            case 2: SEARCH_CALL(kind, 2d); return;                \
            case 3: SEARCH_CALL(kind, 3d); return;                \
            case 4: SEARCH_CALL(kind, 4d); return;                \
        } switch (a->searched.dim) {                              \
            case 1: SEARCH_CALL(kind, table_1d); return;          \
            case 2: SEARCH_CALL(kind, table_2d); return;          \
            case 3: SEARCH_CALL(kind, table_3d); return;          \
            default: SEARCH_CALL(kind, any);                      \
        })

/* Defines the loops of a type of element. */
#define SEARCH_TABLE(type)                                                     \
    const struct bi_kdtree_query_hot BI_LEVEL_NAME(bi_kdtree_query_##type) = { \
        make_sides_##type,                                                     \
        make_box_##type,                                                       \
        make_order_sides_##type,                                               \
        find_flat_##type,                                                      \
        replace_flat_sides_##type,                                             \
        locate_##type,                                                         \
        {knn_##type, run_COUNT_##type, run_FILL_##type},                       \
        box_count_##type,                                                      \
        box_fill_##type,                                                       \
    }

/* Defines the loops of a type of element for another order of distances. */
#define SEARCH_TABLE_OF_ORDER(order, type)                                            \
    const struct bi_kdtree_search_loops BI_LEVEL_NAME(bi_kdtree_##order##_##type) = { \
        knn_##order##_##type, run_COUNT_##order##_##type, run_FILL_##order##_##type}

#endif
