/* Exact values modulo the prime 2^61 - 1, as hashes: equal values have equal residues. */
#ifndef BI_PLAN_EXACT_H
#define BI_PLAN_EXACT_H

#include "plan/steps/exact.h"

uint64_t bi_exact_modulo(const struct bi_exact *x);

/* a b, and 1 / a for a other than 0. */
uint64_t bi_modulo_product(uint64_t a, uint64_t b);
uint64_t bi_modulo_inverse(uint64_t a);

#endif
