/* Finds the range of keys, and the queries outside it. Plain loops, for the compiler to vectorise. */
#include <string.h>

#include "hash/cpu/key_range.h"
#include "hash/steps/steps.h"

enum {
    BLOCK = 256, /* queries looked up or skipped together; not measured */
    EARLY = 4    /* queries of a block tested one by one before the others; not measured */
};

/* Widens a range, {least, greatest}, to n keys. Eight independent minima and maxima, so that the loop vectorises. */
#define WIDEN(bits)                                                                          \
    static void widen_##bits(const uint##bits##_t *keys, int64_t n, uint##bits##_t range[2]) \
    {                                                                                        \
        uint##bits##_t least[8], greatest[8];                                                \
        int64_t i = 0;                                                                       \
        for (int k = 0; k < 8; k++) least[k] = range[0], greatest[k] = range[1];             \
        for (; i + 8 <= n; i += 8)                                                           \
            for (int k = 0; k < 8; k++) {                                                    \
                least[k] = keys[i + k] < least[k] ? keys[i + k] : least[k];                  \
                greatest[k] = keys[i + k] > greatest[k] ? keys[i + k] : greatest[k];         \
            }                                                                                \
        for (; i < n; i++) {                                                                 \
            least[0] = keys[i] < least[0] ? keys[i] : least[0];                              \
            greatest[0] = keys[i] > greatest[0] ? keys[i] : greatest[0];                     \
        }                                                                                    \
        for (int k = 0; k < 8; k++) {                                                        \
            range[0] = least[k] < range[0] ? least[k] : range[0];                            \
            range[1] = greatest[k] > range[1] ? greatest[k] : range[1];                      \
        }                                                                                    \
    }
WIDEN(32)
WIDEN(64)

/* True if one of n queries is in the range from `least` to least + width. Returns early where the first ones are. */
#define ANY(bits)                                                                                                \
    static bool any_##bits(const uint##bits##_t *queries, int64_t n, uint##bits##_t least, uint##bits##_t width) \
    {                                                                                                            \
        uint##bits##_t inside[8] = {0};                                                                          \
        int64_t i = 0;                                                                                           \
        for (; i < n && i < EARLY; i++)                                                                          \
            if ((uint##bits##_t)(queries[i] - least) <= width) return true;                                      \
        for (; i + 8 <= n; i += 8)                                                                               \
            for (int k = 0; k < 8; k++) {                                                                        \
                const uint##bits##_t above = queries[i + k] - least;                                             \
                inside[k] |= (uint##bits##_t)(above <= width);                                                   \
            }                                                                                                    \
        for (; i < n; i++) inside[0] |= (uint##bits##_t)((uint##bits##_t)(queries[i] - least) <= width);         \
        for (int k = 1; k < 8; k++) inside[0] |= inside[k];                                                      \
        return inside[0] != 0;                                                                                   \
    }
ANY(32)
ANY(64)

void BI_LEVEL_NAME(bi_hash_find_range)(const void *keys, int64_t n, int32_t key_bits, struct bi_hash_key_range *range)
{
    uint32_t short_range[2] = {UINT32_MAX, 0};
    uint64_t long_range[2] = {UINT64_MAX, 0};
    if (key_bits == 32)
        widen_32(keys, n, short_range);
    else
        widen_64(keys, n, long_range);
    range->least = key_bits == 32 ? short_range[0] : long_range[0];
    range->greatest = key_bits == 32 ? short_range[1] : long_range[1];
}

static bool any_in_range(const struct bi_hash_ranged_queries *q, int64_t begin, int64_t end)
{
    const struct bi_hash_key_range *r = &q->range;
    if (q->key_bits == 32)
        return any_32((const uint32_t *)q->queries + begin, end - begin, (uint32_t)r->least,
                      (uint32_t)(r->greatest - r->least));
    return any_64((const uint64_t *)q->queries + begin, end - begin, r->least, r->greatest - r->least);
}

bool BI_LEVEL_NAME(bi_hash_next_run)(const struct bi_hash_ranged_queries *q, int64_t *begin, int64_t end,
                                     int64_t *run_end)
{
    const size_t size = (size_t)q->value_bytes;
    int64_t at = *begin, stop = end;
    if (!q->range.known) {
        *run_end = end;
        return at < end;
    }
    /* 1. Skip blocks outside the range. */
    for (; at < end; at = stop) {
        stop = end - at < BLOCK ? end : at + BLOCK;
        if (any_in_range(q, at, stop)) break;
        if (q->values) memset((char *)q->values + (size_t)at * size, 0, (size_t)(stop - at) * size);
        if (q->found) memset(q->found + at, 0, (size_t)(stop - at));
    }
    *begin = at;
    if (at == end) return false;
    /* 2. Extend the run by blocks that have a query in the range. */
    for (int64_t next; stop < end; stop = next) {
        next = end - stop < BLOCK ? end : stop + BLOCK;
        if (!any_in_range(q, stop, next)) break;
    }
    *run_end = stop;
    return true;
}
