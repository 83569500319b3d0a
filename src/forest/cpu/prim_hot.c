/* The loops of Prim's method over points, by blocks of lanes. */
#include "forest/cpu/prim.h"

#include <math.h>

#include "core/cpu/level.h"

#define PRIM_REAL float
#define PRIM_SUFFIX f32
#include "forest/cpu/prim.inc"

#define PRIM_REAL double
#define PRIM_SUFFIX f64
#include "forest/cpu/prim.inc"

const struct bi_emst_prim_hot BI_LEVEL_NAME(bi_emst_prim_hot) = {lower_f32, lower_f64};
