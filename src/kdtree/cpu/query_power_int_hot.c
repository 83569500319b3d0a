/* The hot loops of searches by sums of powers of differences of coordinates, for points of integers: a file of
 * its own, since copies of the loops take long to compile. */
#include "kdtree/cpu/query_hot.h"

#define SEARCH_FOR_KNN SEARCH_FOR_ANY
#define SEARCH_FOR_ROWS SEARCH_FOR_ANY

#define SEARCH_ELEMENT int32_t
#define SEARCH_NAME(name) name##_power_i32
#define SEARCH_ORDER 3
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE_OF_ORDER(power, i32);

#define SEARCH_ELEMENT int64_t
#define SEARCH_NAME(name) name##_power_i64
#define SEARCH_ORDER 3
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE_OF_ORDER(power, i64);
