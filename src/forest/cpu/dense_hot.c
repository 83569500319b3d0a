/* The loops of Prim's method over points, by blocks of lanes. */
#include "forest/cpu/dense.h"

#include <math.h>

#include "core/cpu/level.h"

#define DENSE_REAL float
#define DENSE_LOWER lower_f32
#include "forest/cpu/dense.inc"

#define DENSE_REAL double
#define DENSE_LOWER lower_f64
#include "forest/cpu/dense.inc"

const struct bi_emst_dense_hot BI_LEVEL_NAME(bi_emst_dense_hot) = {lower_f32, lower_f64};
