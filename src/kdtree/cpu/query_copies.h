/* Shared by the hot loops of the CPU's searches, a file for each type of element (query_f32_hot.c, ...): compiled
 * copies by dimension, and the table of a type's loops. */
#ifndef BI_KDTREE_CPU_QUERY_COPIES_H
#define BI_KDTREE_CPU_QUERY_COPIES_H

#include <math.h>

#include "base/bits.h"
#include "kdtree/cpu/candidates.h"
#include "kdtree/cpu/query.h"

/* Ids as numbers of the size of a distance, and the type of their comparisons. */
typedef uint32_t id_f32;
typedef double id_f64;
typedef int32_t bits_f32;
typedef int64_t bits_f64;
#define BI_KDTREE_VECTOR (BI_LEVEL == 4 ? 64 : BI_LEVEL == 3 ? 32 : 16)

/* Searches of floating points in 2 to 4 dimensions have compiled copies, with everything inlined. So have points in
 * more dimensions that differ in 1 to 3 coordinates, which a table lists, as for the copy for any dimension. Copies
 * take most of the compile time: with BI_CALL_STEPS (base/step.h) only float has one; for coverage (BI_ONE_COPY) there
 * is none, as each copy would have its own counts. */
#define SEARCH_RUN(dim, table, kind) SEARCH_NAME(run_queries)(a, begin, end, thread, dim, table, kind)
#define SEARCH_RUN_ANY(kind) SEARCH_RUN(a->searched.dim, true, kind);
#define SEARCH_RUN_3D(kind)                       \
    if (a->view.dim == 3 && a->searched.dim == 3) \
        SEARCH_RUN(3, false, kind);               \
    else                                          \
        SEARCH_RUN_ANY(kind)
#define SEARCH_RUN_TABLE(kind)                \
    switch (a->searched.dim) {                \
    case 1: SEARCH_RUN(1, true, kind); break; \
    case 2: SEARCH_RUN(2, true, kind); break; \
    case 3: SEARCH_RUN(3, true, kind); break; \
    default: SEARCH_RUN_ANY(kind)             \
    }
/* The dimension counts only if no coordinate is flat. */
#define SEARCH_RUN_USUAL(kind)                                \
    switch (a->view.dim * (a->searched.dim == a->view.dim)) { \
    case 2: SEARCH_RUN(2, false, kind); break;                \
    case 3: SEARCH_RUN(3, false, kind); break;                \
    case 4: SEARCH_RUN(4, false, kind); break;                \
    default: SEARCH_RUN_TABLE(kind)                           \
    }

/* Defines the loops of a type of element. */
#define SEARCH_TABLE(type)                                                                  \
    const struct bi_kdtree_query_hot BI_LEVEL_NAME(bi_kdtree_query_##type) = {              \
        make_sides_##type, make_box_##type, find_flat_##type,    replace_flat_sides_##type, \
        locate_##type,     knn_##type,      radius_count_##type, radius_fill_##type,        \
    }

#endif
