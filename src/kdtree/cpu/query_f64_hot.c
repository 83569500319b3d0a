/* The hot loops of searches among f64 points. */
#include "kdtree/cpu/query_hot.h"

#if defined(BI_CALL_STEPS) || defined(BI_ONE_COPY)
#define SEARCH_FOR_KNN SEARCH_FOR_ANY
#define SEARCH_FOR_ROWS SEARCH_FOR_ANY
#else
#define SEARCH_FOR_KNN SEARCH_FOR_USUAL
#define SEARCH_FOR_ROWS SEARCH_FOR_3D
#endif

#define SEARCH_ELEMENT double
#define SEARCH_NAME(name) name##_f64
#define SEARCH_ORDER 2
#include "kdtree/cpu/query_double.inc"

SEARCH_TABLE(f64);
