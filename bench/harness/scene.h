/* Vectors as motion planning makes them: the signs of screw predicates (edges of a robot against edges of obstacles)
 * along random great circles of rotations, one vector for each arc between two sign changes. A rotation by the unit
 * quaternion q turns N . R(q) B into q' M q; along q = g cos t + h sin t that is C + A cos(2 t - phi), which has at
 * most two roots in a half turn. */
#ifndef BENCH_HARNESS_SCENE_H
#define BENCH_HARNESS_SCENE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n vectors of `length` signs, in random order; free() them. */
uint64_t *bench_scene_vectors(uint64_t seed, int length, int64_t n);
/* Vectors by name: `screws`, those of a scene, `random`, uniform, and `pairs`, uniform pairs that differ in one letter,
 * in random order; or words (bench_word_shape), whose length is their shape's. */
uint64_t *bench_vectors(const char *name, int length, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
