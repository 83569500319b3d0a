/* The hot loops of the CPU's searches, for each type of element and its type of distance. */
#include <math.h>

#include "base/bits.h"
#include "kdtree/cpu/candidates.h"
#include "kdtree/cpu/query.h"

/* Ids as numbers of the size of a distance, and what their comparisons give. */
typedef uint32_t id_f32;
typedef double id_f64;
typedef int32_t bits_f32;
typedef int64_t bits_f64;
#define BI_KDTREE_VECTOR (BI_LEVEL == 4 ? 64 : BI_LEVEL == 3 ? 32 : 16)

/* The usual dimensions of points in floating type are constants: each is a compiled copy of the whole search, with
 * everything inlined. Lines, and planes and spaces in more dimensions, have copies too, which look coordinates up in a
 * table, as the one for any dimension does. They take most of the time to compile: where steps are calls
 * (BI_CALL_STEPS, base/step.h) only float has one; where coverage is counted (BI_ONE_COPY) there is none, for each copy
 * would have its own counts. */
#define RUN(dim, table, kind) NAMED(run)(a, begin, end, thread, dim, table, kind)
#define RUN_ANY(kind) RUN(a->places.dim, true, kind);
#define RUN_SPACE(kind)                         \
    if (a->view.dim == 3 && a->places.dim == 3) \
        RUN(3, false, kind);                    \
    else                                        \
        RUN_ANY(kind)
#define RUN_TABLE(kind)                \
    switch (a->places.dim) {           \
    case 1: RUN(1, true, kind); break; \
    case 2: RUN(2, true, kind); break; \
    case 3: RUN(3, true, kind); break; \
    default: RUN_ANY(kind)             \
    }
#define RUN_USUAL(kind)                                     \
    switch (a->view.dim * (a->places.dim == a->view.dim)) { \
    case 2: RUN(2, false, kind); break;                     \
    case 3: RUN(3, false, kind); break;                     \
    case 4: RUN(4, false, kind); break;                     \
    default: RUN_TABLE(kind)                                \
    }
#if defined(BI_ONE_COPY)
#define INLINED static
#define RUN_DIM RUN_ANY
#define RUN_ROW RUN_ANY
#else
#define INLINED static inline __attribute__((always_inline))
#if defined(BI_CALL_STEPS)
#define RUN_DIM RUN_SPACE
#define RUN_ROW RUN_ANY
#else
#define RUN_DIM RUN_USUAL
#define RUN_ROW RUN_SPACE
#endif
#endif

#if BI_LEVEL == 4
#include <immintrin.h>
#define WIDEN_BY_VECTORS
#endif
#define T float
#define D float
#define ENTRY uint64_t
#define DIST(name) name##_f32
#define NAMED(name) name##_f32
#include "kdtree/cpu/sides.inc"
#include "kdtree/cpu/query.inc"
#undef T
#undef D
#undef ENTRY
#undef DIST
#undef NAMED
#undef WIDEN_BY_VECTORS

#if defined(BI_CALL_STEPS)
#undef INLINED
#undef RUN_DIM
#define INLINED static __attribute__((noinline))
#define RUN_DIM RUN_ANY
#endif

#define D double
#define ENTRY unsigned __int128
#define DIST(name) name##_f64

#define T double
#define NAMED(name) name##_f64
#include "kdtree/cpu/sides.inc"
#include "kdtree/cpu/query.inc"
#undef T
#undef NAMED

#undef RUN_DIM
#undef RUN_ROW
#define RUN_DIM RUN_ANY
#define RUN_ROW RUN_ANY

#define T int32_t
#define NAMED(name) name##_i32
#include "kdtree/cpu/sides.inc"
#include "kdtree/cpu/query.inc"
#undef T
#undef NAMED

#define T int64_t
#define NAMED(name) name##_i64
#include "kdtree/cpu/sides.inc"
#include "kdtree/cpu/query.inc"

const struct bi_kdtree_query_hot BI_LEVEL_NAME(bi_kdtree_query_hot)[4] = {
    {make_sides_f32, make_box_f32, find_flat_f32, leave_flat_f32, locate_f32, knn_f32, radius_count_f32,
     radius_fill_f32},
    {make_sides_f64, make_box_f64, find_flat_f64, leave_flat_f64, locate_f64, knn_f64, radius_count_f64,
     radius_fill_f64},
    {make_sides_i32, make_box_i32, find_flat_i32, leave_flat_i32, locate_i32, knn_i32, radius_count_i32,
     radius_fill_i32},
    {make_sides_i64, make_box_i64, find_flat_i64, leave_flat_i64, locate_i64, knn_i64, radius_count_i64,
     radius_fill_i64},
};
