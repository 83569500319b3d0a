/* Kernels of compaction: flags are read 64 at once, and items of 4 and 8 bytes are copied in vectors. */
#include "core/cpu/kernels.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/bits.h"
#include "core/cpu/level.h"

enum { FLAGS = 64 };

/* Returns 64 flags as bits: bit i is set if flag i is not 0. */
BI_FN uint64_t pack_flags(const uint8_t *keep)
{
    uint64_t bits = 0;
#if BI_LEVEL == 4
    const __m512i flags = _mm512_loadu_si512(keep);
    bits = _mm512_test_epi8_mask(flags, flags);
#elif defined(__x86_64__)
    for (int i = 0; i < FLAGS; i += 16) {
        const __m128i is_zero = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(keep + i)), _mm_setzero_si128());
        bits |= (uint64_t)(~(uint32_t)_mm_movemask_epi8(is_zero) & 0xffff) << i;
    }
#else
    for (int i = 0; i < FLAGS; i++) bits |= (uint64_t)(keep[i] != 0) << i;
#endif
    return bits;
}

static int64_t count_kept(const uint8_t *keep, int64_t n)
{
    int64_t kept = 0, i = 0;
    for (; i + FLAGS <= n; i += FLAGS) kept += bi_popcount(pack_flags(keep + i));
    for (; i < n; i++) kept += keep[i] != 0;
    return kept;
}

/* Copies kept items while whole vectors fit in `kept` results and groups of 64 flags in n. Returns the number of items
 * that are done; *at: the number of results. Items that are not kept may be uninitialised memory; no result depends on
 * them. */
#if BI_LEVEL == 4
#define COPY_VECTORS(bytes, lanes, suffix, mask_t)                                                              \
    static int64_t copy_vectors_##bytes(const char *in, const uint8_t *keep, int64_t n, char *out, int64_t *at, \
                                        int64_t kept)                                                           \
    {                                                                                                           \
        int64_t i = 0, to = 0; /* stores end with the kept lanes */                                             \
        (void)kept;                                                                                             \
        for (; i + FLAGS <= n; i += FLAGS) {                                                                    \
            const uint64_t flags = pack_flags(keep + i);                                                        \
            for (int j = 0; j < FLAGS; j += lanes) {                                                            \
                const mask_t kept_lanes = (mask_t)(flags >> j);                                                 \
                const int lane_count = _mm_popcnt_u32(kept_lanes);                                              \
                const __m512i items = _mm512_maskz_loadu_##suffix(kept_lanes, in + (i + j) * bytes);            \
                _mm512_mask_storeu_##suffix(out + to * bytes, (mask_t)((1u << lane_count) - 1),                 \
                                            _mm512_maskz_compress_##suffix(kept_lanes, items));                 \
                to += lane_count;                                                                               \
            }                                                                                                   \
        }                                                                                                       \
        *at = to;                                                                                               \
        return i;                                                                                               \
    }
COPY_VECTORS(4, 16, epi32, __mmask16)
COPY_VECTORS(8, 8, epi64, __mmask8)
#elif BI_LEVEL == 3
/* Shuffle that moves the lanes of a set to the front, by the set's bits. */
#define LANE(i) 4 * (i), 4 * (i) + 1, 4 * (i) + 2, 4 * (i) + 3
#define MOVED(a, b, c, d)                  \
    {                                      \
        LANE(a), LANE(b), LANE(c), LANE(d) \
    }
static const int8_t moved[16][16] = {MOVED(0, 0, 0, 0), MOVED(0, 0, 0, 0), MOVED(1, 0, 0, 0), MOVED(0, 1, 0, 0),
                                     MOVED(2, 0, 0, 0), MOVED(0, 2, 0, 0), MOVED(1, 2, 0, 0), MOVED(0, 1, 2, 0),
                                     MOVED(3, 0, 0, 0), MOVED(0, 3, 0, 0), MOVED(1, 3, 0, 0), MOVED(0, 1, 3, 0),
                                     MOVED(2, 3, 0, 0), MOVED(0, 2, 3, 0), MOVED(1, 2, 3, 0), MOVED(0, 1, 2, 3)};

static int64_t copy_vectors_4(const char *in, const uint8_t *keep, int64_t n, char *out, int64_t *at, int64_t kept)
{
    int64_t i = 0, to = 0;
    for (; i + FLAGS <= n && to + FLAGS <= kept; i += FLAGS) {
        const uint64_t flags = pack_flags(keep + i);
        for (int j = 0; j < FLAGS; j += 4) {
            const unsigned kept_lanes = (flags >> j) & 15;
            const __m128i items = _mm_loadu_si128((const __m128i *)(in + (i + j) * 4));
            const __m128i order = _mm_loadu_si128((const __m128i *)moved[kept_lanes]);
            _mm_storeu_si128((__m128i *)(out + to * 4), _mm_shuffle_epi8(items, order));
            to += _mm_popcnt_u32(kept_lanes);
        }
    }
    *at = to;
    return i;
}
#endif

/* Branch-free: every item is written to the next slot, and only kept ones advance it. Nothing is written beyond `kept`
 * items. */
#define COPY_REST(bytes)                                                                                               \
    static void copy_rest_##bytes(const char *in, const uint8_t *keep, int64_t i, char *out, int64_t at, int64_t kept) \
    {                                                                                                                  \
        for (; at < kept; i++) {                                                                                       \
            memcpy(out + at * bytes, in + i * bytes, bytes);                                                           \
            at += keep[i] != 0;                                                                                        \
        }                                                                                                              \
    }
COPY_REST(1)
COPY_REST(2)
COPY_REST(4)
COPY_REST(8)
COPY_REST(12)
COPY_REST(16)

static void copy_kept(size_t size, const char *in, const uint8_t *keep, int64_t n, char *out, int64_t kept)
{
    int64_t i = 0, at = 0;
    (void)n;
    switch (size) {
    case 1: copy_rest_1(in, keep, i, out, at, kept); return;
    case 2: copy_rest_2(in, keep, i, out, at, kept); return;
    case 4:
#if BI_LEVEL >= 3
        i = copy_vectors_4(in, keep, n, out, &at, kept);
#endif
        copy_rest_4(in, keep, i, out, at, kept);
        return;
    case 8:
#if BI_LEVEL == 4
        i = copy_vectors_8(in, keep, n, out, &at, kept);
#endif
        copy_rest_8(in, keep, i, out, at, kept);
        return;
    case 12: copy_rest_12(in, keep, i, out, at, kept); return;
    case 16: copy_rest_16(in, keep, i, out, at, kept); return;
    }
    for (; at < kept; i++)
        if (keep[i]) memcpy(out + at++ * (int64_t)size, in + i * (int64_t)size, size);
}

const struct bi_compact_kernels BI_LEVEL_NAME(bi_compact_kernels) = {count_kept, copy_kept};
