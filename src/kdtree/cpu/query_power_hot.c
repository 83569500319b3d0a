/* The hot loops of searches by sums of powers of differences of coordinates, for points of floats. */
#include "kdtree/cpu/query_hot.h"

#define SEARCH_FOR_KNN SEARCH_FOR_ANY
#define SEARCH_FOR_ROWS SEARCH_FOR_ANY

#define SEARCH_ELEMENT float
#define SEARCH_NAME(name) name##_power_f32
#define SEARCH_ORDER 3
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE_OF_ORDER(power, f32);

#define SEARCH_ELEMENT double
#define SEARCH_NAME(name) name##_power_f64
#define SEARCH_ORDER 3
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE_OF_ORDER(power, f64);
