/* The hot loops of searches among f64 points. */
#include "kdtree/cpu/query_hot.h"

#if defined(BI_CALL_STEPS)
#define SEARCH_INLINE static __attribute__((noinline))
#elif defined(BI_ONE_COPY)
#define SEARCH_INLINE static
#else
#define SEARCH_INLINE static inline __attribute__((always_inline))
#endif
#if defined(BI_CALL_STEPS) || defined(BI_ONE_COPY)
#define SEARCH_RUN_KNN SEARCH_RUN_ANY
#define SEARCH_RUN_ROWS SEARCH_RUN_ANY
#else
#define SEARCH_RUN_KNN SEARCH_RUN_USUAL
#define SEARCH_RUN_ROWS SEARCH_RUN_3D
#endif
#define SEARCH_ELEMENT double
#define SEARCH_DISTANCE double
#define SEARCH_ENTRY unsigned __int128
#define SEARCH_DISTANCE_NAME(name) name##_f64
#define SEARCH_NAME(name) name##_f64
#include "kdtree/cpu/query.inc"

SEARCH_TABLE(f64);
