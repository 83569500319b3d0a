/* Moving and turning objects in a virtual grid of side^3 voxels; each fills half of it. */
#ifndef BENCH_HARNESS_VOXELS_H
#define BENCH_HARNESS_VOXELS_H

#include <stdint.h>

/* One side of a gyroid of about `waves` periods, moved along the diagonal and turned by `time`: marks its voxels in map
 * (side^3), and returns their *n numbers in random order; free() them. */
uint32_t *bench_voxels(int64_t side, double waves, double time, uint8_t *map, int64_t *n);

#endif
