/* The hot loops of searches among i32 and i64 points. */
#include "kdtree/cpu/query_hot.h"

#define SEARCH_FOR_KNN SEARCH_FOR_ANY
#define SEARCH_FOR_ROWS SEARCH_FOR_ANY

#define SEARCH_ELEMENT int32_t
#define SEARCH_NAME(name) name##_i32
#define SEARCH_ORDER 2
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE(i32);

#define SEARCH_ELEMENT int64_t
#define SEARCH_NAME(name) name##_i64
#define SEARCH_ORDER 2
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE(i64);
