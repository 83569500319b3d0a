/* The hot loops of the CPU's searches, for each type of element and its type of distance. */
#include "base/bits.h"
#include "kdtree/cpu_near.h"
#include "kdtree/cpu_query.h"

/* A neighbour as one number that orders by (distance, id): distances are not negative, so their bits order them. */
static inline uint64_t entry_f32(float d, uint32_t id) { return (uint64_t)bi_f32_bits(d) << 32 | id; }
static inline unsigned __int128 entry_f64(double d, uint32_t id)
{
    return (unsigned __int128)bi_f64_bits(d) << 32 | id;
}
static inline float distance_f32(uint64_t e) { return bi_f32_from_bits((uint32_t)(e >> 32)); }
static inline double distance_f64(unsigned __int128 e) { return bi_f64_from_bits((uint64_t)(e >> 32)); }

/* The usual dimensions of points in floating type are constants: each is a compiled copy of the whole search, with
 * everything inlined. Sanitizers make such copies very slow to compile, and do without. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define BI_KD_SANITIZED
#endif
#endif
#if defined(BI_KD_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INLINED static __attribute__((noinline))
#define RUN_DIM(kind) NAMED(run)(a, begin, end, thread, a->view.dim, kind);
#else
#define INLINED static inline __attribute__((always_inline))
#define RUN_DIM(kind)                                              \
    switch (a->view.dim) {                                         \
    case 2: NAMED(run)(a, begin, end, thread, 2, kind); break;     \
    case 3: NAMED(run)(a, begin, end, thread, 3, kind); break;     \
    case 4: NAMED(run)(a, begin, end, thread, 4, kind); break;     \
    default: NAMED(run)(a, begin, end, thread, a->view.dim, kind); \
    }
#endif

#define T float
#define D float
#define ENTRY uint64_t
#define DIST(name) name##_f32
#define NAMED(name) name##_f32
#include "kdtree/cpu_search.h"
#undef T
#undef D
#undef ENTRY
#undef DIST
#undef NAMED

#define D double
#define ENTRY unsigned __int128
#define DIST(name) name##_f64

#define T double
#define NAMED(name) name##_f64
#include "kdtree/cpu_search.h"
#undef T
#undef NAMED

#undef RUN_DIM
#define RUN_DIM(kind) NAMED(run)(a, begin, end, thread, a->view.dim, kind);

#define T int32_t
#define NAMED(name) name##_i32
#include "kdtree/cpu_search.h"
#undef T
#undef NAMED

#define T int64_t
#define NAMED(name) name##_i64
#include "kdtree/cpu_search.h"

const struct bi_kd_query_hot BI_LEVEL_NAME(bi_kd_query_hot)[4] = {
    {locate_f32, knn_f32, radius_count_f32, radius_fill_f32},
    {locate_f64, knn_f64, radius_count_f64, radius_fill_f64},
    {locate_i32, knn_i32, radius_count_i32, radius_fill_i32},
    {locate_i64, knn_i64, radius_count_i64, radius_fill_i64},
};
