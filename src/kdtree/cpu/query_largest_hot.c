/* The hot loops of searches by the largest difference of coordinates, for all types of points. */
#include "kdtree/cpu/query_hot.h"

#define SEARCH_FOR_KNN SEARCH_FOR_ANY
#define SEARCH_FOR_ROWS SEARCH_FOR_ANY

#define SEARCH_ELEMENT float
#define SEARCH_NAME(name) name##_largest_f32
#define SEARCH_ORDER 0
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE_OF_ORDER(largest, f32);

#define SEARCH_ELEMENT double
#define SEARCH_NAME(name) name##_largest_f64
#define SEARCH_ORDER 0
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE_OF_ORDER(largest, f64);

#define SEARCH_ELEMENT int32_t
#define SEARCH_NAME(name) name##_largest_i32
#define SEARCH_ORDER 0
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE_OF_ORDER(largest, i32);

#define SEARCH_ELEMENT int64_t
#define SEARCH_NAME(name) name##_largest_i64
#define SEARCH_ORDER 0
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE_OF_ORDER(largest, i64);
