/* Ranks by Zipf's law: rank r of n has a probability proportional to 1 / r. Integers alone decide, so that every
 * backend gives the same ranks. An octave, the ranks 2^j to 2^(j+1) - 1, is drawn from a table; in it a uniform rank r
 * is accepted with probability 2^j / r, at least one half. */
#ifndef BI_BASE_ZIPF_H
#define BI_BASE_ZIPF_H

#include "base/elementary.h"
#include "base/philox.h"

enum {
    BI_ZIPF_OCTAVES = 32,
    BI_ZIPF_BLOCKS = 16 /* of one draw; the last one decides unchecked, less than once in 2^29 draws */
};

struct bi_zipf {
    uint32_t n; /* 1 or more */
    int octaves;
    uint32_t limits[BI_ZIPF_OCTAVES]; /* 2^32 times the probability of the octaves 0 to j; not of the last one */
};

/* The sum of 1 / r for r from 1 to n: Euler's series from 32 on, whose error is below 1e-11. 0x1.2788cfc6fb619p-1 is
 * Euler's constant. */
BI_FN double bi_harmonic(uint32_t n)
{
    double sum = 0, x = n;
    for (uint32_t r = 1; r <= n && n < 32; r++) sum += 1 / (double)r;
    return n < 32 ? sum
                  : bi_log_f64(x) + 0x1.2788cfc6fb619p-1 + 1 / (2 * x) - 1 / (12 * x * x) + 1 / (120 * x * x * x * x);
}

BI_FN struct bi_zipf bi_zipf_of(uint32_t n)
{
    const double all = bi_harmonic(n);
    struct bi_zipf z;
    z.n = n;
    z.octaves = 0;
    while (z.octaves < BI_ZIPF_OCTAVES && n >> z.octaves) z.octaves++;
    for (int j = 0; j < BI_ZIPF_OCTAVES; j++)
        z.limits[j] = j + 1 < z.octaves ? (uint32_t)(0x1p32 * (bi_harmonic((2u << j) - 1) / all)) : UINT32_MAX;
    return z;
}

/* Returns the rank of draw i of a stream, 1 to n. Further blocks are of the streams `stream` + 2^28 k, k below 16. */
BI_FN uint32_t bi_zipf_rank(const struct bi_zipf *z, uint64_t seed, uint64_t stream, uint64_t i)
{
    struct bi_philox block = bi_philox_at(seed, stream, i);
    int octave = 0, word = 1;
    while (octave + 1 < z->octaves && block.v[0] >= z->limits[octave]) octave++;
    const uint32_t first = 1u << octave, count = octave + 1 < z->octaves ? first : z->n - first + 1;
    for (uint64_t blocks = 1;; word += 2) {
        if (word > 2) {
            block = bi_philox_at(seed, stream + (blocks++ << 28), i);
            word = 0;
        }
        const uint32_t rank = first + (uint32_t)((uint64_t)block.v[word] * count >> 32);
        if ((uint64_t)block.v[word + 1] * rank < (uint64_t)first << 32 || blocks == BI_ZIPF_BLOCKS) return rank;
    }
}

#endif
