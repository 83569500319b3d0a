/* The hot loops of searches among i32 and i64 points. */
#include "kdtree/cpu/query_hot.h"

#define SEARCH_RUN_KNN SEARCH_RUN_ANY
#define SEARCH_RUN_ROWS SEARCH_RUN_ANY

#define SEARCH_ELEMENT int32_t
#define SEARCH_NAME(name) name##_i32
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE(i32);

#define SEARCH_ELEMENT int64_t
#define SEARCH_NAME(name) name##_i64
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE(i64);
