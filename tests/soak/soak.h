/* Long random tests, a round at a time; tools/soak runs them for hours. A round is a function of its seed. */
#ifndef TESTS_SOAK_SOAK_H
#define TESTS_SOAK_SOAK_H

#include "support/suite.h"

/* A number that depends on all bytes of the outputs of an operation. */
struct digest {
    uint64_t value;
};

/* Runs the seed's operation: it makes data and a structure, queries it, and frees it. On failure returns the status of
 * the
 * call that failed. */
bosc_status operation_run(bosc_ctx *ctx, uint64_t seed, struct digest *digest);
const char *operation_name(uint64_t seed);

void soak_decimals(uint64_t seed); /* a million decimals, read as strtod reads them */
void soak_bits(uint64_t seed);     /* operations on every configuration, with the same answers */
void soak_faults(uint64_t seed);   /* an operation in which something fails */
void soak_threads(uint64_t seed);  /* a structure that several threads read, each with a context */
void soak_large(uint64_t seed);    /* arrays of more than 2^31 items; takes 12 GB */

#endif
