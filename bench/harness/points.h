/* Input points of all programs that time k-d trees. */
#ifndef BENCH_HARNESS_POINTS_H
#define BENCH_HARNESS_POINTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n points of dim floats: uniform, normal, clustered, sorted (along a line, with noise), few (1,000 distinct values a
 * coordinate), plane (the last coordinate 0, the others as uniform points of dim - 1), axis (all but the first 0, which
 * is as uniform points of one dimension); free() them. */
float *bench_points(const char *shape, int64_t n, int dim, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
