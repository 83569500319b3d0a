/* The loops of searches over candidates: a vector of them at once is compared in float. */
#include "neighborlist/cpu/search.h"

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

/* Candidates within the cutoff by distances in float: perhaps, and for sure. */
struct lanes {
    uint32_t perhaps, sure;
};

#if defined(__AVX512F__)
enum { LANES = 16 };
static inline struct lanes compare(const struct bi_neighborlist_search *a, const struct bi_neighborlist_span *span,
                                   const struct bi_neighborlist_system *s, int64_t t)
{
    const __m512 x = _mm512_sub_ps(_mm512_loadu_ps(a->x + t), _mm512_set1_ps(span->x)),
                 y = _mm512_sub_ps(_mm512_loadu_ps(a->y + t), _mm512_set1_ps(span->y)),
                 z = _mm512_sub_ps(_mm512_loadu_ps(a->z + t), _mm512_set1_ps(span->z));
    const __m512 square = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(y, y)), _mm512_mul_ps(z, z));
    return (struct lanes){_mm512_cmp_ps_mask(square, _mm512_set1_ps(s->square_limit), _CMP_NGT_UQ),
                          _mm512_cmp_ps_mask(square, _mm512_set1_ps(s->square_sure), _CMP_LE_OQ)};
}
#elif defined(__AVX2__)
enum { LANES = 8 };
static inline struct lanes compare(const struct bi_neighborlist_search *a, const struct bi_neighborlist_span *span,
                                   const struct bi_neighborlist_system *s, int64_t t)
{
    const __m256 x = _mm256_sub_ps(_mm256_loadu_ps(a->x + t), _mm256_set1_ps(span->x)),
                 y = _mm256_sub_ps(_mm256_loadu_ps(a->y + t), _mm256_set1_ps(span->y)),
                 z = _mm256_sub_ps(_mm256_loadu_ps(a->z + t), _mm256_set1_ps(span->z));
    const __m256 square = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y)), _mm256_mul_ps(z, z));
    const __m256 perhaps = _mm256_cmp_ps(square, _mm256_set1_ps(s->square_limit), _CMP_NGT_UQ),
                 sure = _mm256_cmp_ps(square, _mm256_set1_ps(s->square_sure), _CMP_LE_OQ);
    return (struct lanes){(uint32_t)_mm256_movemask_ps(perhaps), (uint32_t)_mm256_movemask_ps(sure)};
}
#else
enum { LANES = 4 };
static inline struct lanes compare(const struct bi_neighborlist_search *a, const struct bi_neighborlist_span *span,
                                   const struct bi_neighborlist_system *s, int64_t t)
{
    struct lanes found = {0, 0};
    for (int lane = 0; lane < LANES; lane++) {
        const float square = bi_neighborlist_square_at(a, span, t + lane);
        found.perhaps |= (uint32_t) !(square > s->square_limit) << lane;
        found.sure |= (uint32_t)(square <= s->square_sure) << lane;
    }
    return found;
}
#endif
_Static_assert(LANES <= (int)BI_NEIGHBORLIST_PADDING, "vectors read beyond the last atom");

/* As bi_neighborlist_scan_span. The lane of the center itself is left out; half lists compare numbers one by one. */
static inline __attribute__((always_inline)) int64_t scan(const struct bi_neighborlist_search *a,
                                                          const struct bi_neighborlist_center *center,
                                                          const struct bi_neighborlist_span *span, int64_t begin,
                                                          int64_t end, uint64_t *out)
{
    const bool own = (span->image[0] | span->image[1] | span->image[2]) == 0;
    int64_t count = 0;
    for (int64_t t = begin; t < end; t += LANES) {
        struct lanes found = compare(a, span, center->system, t);
        if (end - t < LANES) found.perhaps &= ((uint32_t)1 << (end - t)) - 1;
        if (own && center->position >= t && center->position < t + LANES)
            found.perhaps &= ~((uint32_t)1 << (center->position - t));
        if (!out && !a->half) {
            count += bi_popcount(found.perhaps & found.sure);
            found.perhaps &= ~found.sure;
        }
        for (uint32_t left = found.perhaps; left; left &= left - 1) {
            const int lane = bi_lowest_bit(left);
            const uint32_t j = a->ids[t + lane];
            if (a->half && !bi_neighborlist_in_half(center->id, j, span->image)) continue;
            if (!(found.sure >> lane & 1) && !bi_neighborlist_is_near(a, center, span, j)) continue;
            if (out) out[count] = (uint64_t)j << 32 | span->image_bits;
            count++;
        }
    }
    return count;
}

static void count_rows(const struct bi_neighborlist_search *a, struct bi_span part)
{
    const bool good = bi_neighborlist_is_good(a->found);
    for (int64_t k = part.begin; k < part.end; k++)
        a->view.offsets[a->ids[k]] = good ? bi_neighborlist_search_atom(a, k, NULL, scan) : 0;
}

static void fill_rows(const struct bi_neighborlist_search *a, struct bi_span part)
{
    for (int64_t k = part.begin; k < part.end; k++) {
        uint64_t *row = a->view.entries + a->view.offsets[a->ids[k]];
        bi_neighborlist_sort(row, bi_neighborlist_search_atom(a, k, row, scan));
    }
}

const struct bi_neighborlist_search_kernels BI_LEVEL_NAME(bi_neighborlist_search_kernels) = {count_rows, fill_rows};
