/* Philox4x32-10, a counter-based random number generator.
 * Source: Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (SC'11), section 3.3. */
#ifndef BI_BASE_PHILOX_H
#define BI_BASE_PHILOX_H

#include "base/step.h"

struct bi_philox {
    uint32_t v[4];
};

/* Encrypts a 128-bit counter under a 64-bit key with ten rounds. */
BI_FN struct bi_philox bi_philox4x32(struct bi_philox ctr, uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * ctr.v[0];
        uint64_t b = (uint64_t)0xCD9E8D57u * ctr.v[2];
        struct bi_philox next;
        next.v[0] = (uint32_t)(b >> 32) ^ ctr.v[1] ^ key0;
        next.v[1] = (uint32_t)b;
        next.v[2] = (uint32_t)(a >> 32) ^ ctr.v[3] ^ key1;
        next.v[3] = (uint32_t)a;
        ctr = next;
        key0 += 0x9E3779B9u; /* Weyl constants: golden ratio and sqrt(3) - 1 */
        key1 += 0xBB67AE85u;
    }
    return ctr;
}

/* Block `index` of the stream `stream` under a 64-bit seed. */
BI_FN struct bi_philox bi_philox_at(uint64_t seed, uint64_t stream, uint64_t index)
{
    struct bi_philox ctr;
    ctr.v[0] = (uint32_t)index;
    ctr.v[1] = (uint32_t)(index >> 32);
    ctr.v[2] = (uint32_t)stream;
    ctr.v[3] = (uint32_t)(stream >> 32);
    return bi_philox4x32(ctr, (uint32_t)seed, (uint32_t)(seed >> 32));
}

/* Uniform numbers in [0, 1) from 24 and 53 random bits, exact in their type. */
BI_FN float bi_unit_f32(uint32_t bits) { return (float)(bits >> 8) * 0x1p-24f; }

BI_FN double bi_unit_f64(uint32_t hi, uint32_t lo) { return (double)((((uint64_t)hi << 32) | lo) >> 11) * 0x1p-53; }

#endif
