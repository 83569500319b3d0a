/* Arithmetic modulo 2^61 - 1. */
#include <math.h>

#include "plan/exact.h"

#define PRIME 0x1fffffffffffffffull

uint64_t bi_modulo_product(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

uint64_t bi_modulo_inverse(uint64_t a)
{
    uint64_t power = 1; /* a^(PRIME - 2) */
    for (int bit = 60; bit >= 0; bit--) {
        power = bi_modulo_product(power, power);
        if ((PRIME - 2) >> bit & 1) power = bi_modulo_product(power, a);
    }
    return power;
}

/* 2^61 is 1 modulo the prime, so powers of two are shifts by their exponent modulo 61. */
uint64_t bi_exact_modulo(const struct bi_exact *x)
{
    uint64_t sum = 0;
    for (int i = 0; i < x->n; i++) {
        int exponent;
        double fraction = frexp(fabs(x->part[i]), &exponent);
        uint64_t value =
            bi_modulo_product((uint64_t)(fraction * 0x1p53) % PRIME, 1ull << (((exponent - 53) % 61 + 61) % 61));
        if (x->part[i] < 0 && value != 0) value = PRIME - value;
        sum = (sum + value) % PRIME;
    }
    return sum;
}
