/* The hot loops of searches among f32 points. */
#include "kdtree/cpu/query_hot.h"

#if BI_LEVEL == 4
#define SEARCH_AVX512
#endif
#if defined(BI_ONE_COPY)
#define SEARCH_INLINE static
#define SEARCH_FOR_KNN SEARCH_FOR_ANY
#define SEARCH_FOR_ROWS SEARCH_FOR_ANY
#else
#define SEARCH_INLINE static inline __attribute__((always_inline))
#if defined(BI_CALL_STEPS)
#define SEARCH_FOR_KNN SEARCH_FOR_3D
#define SEARCH_FOR_ROWS SEARCH_FOR_ANY
#else
#define SEARCH_FOR_KNN SEARCH_FOR_USUAL
#define SEARCH_FOR_ROWS SEARCH_FOR_3D
#endif
#endif
#define SEARCH_ELEMENT float
#define SEARCH_DISTANCE float
#define SEARCH_ENTRY uint64_t
#define SEARCH_DISTANCE_NAME(name) name##_f32
#define SEARCH_NAME(name) name##_f32
#define SEARCH_ORDER 2
#include "kdtree/cpu/query.inc"

SEARCH_TABLE(f32);
