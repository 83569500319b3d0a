/* What the light of a raster is made of. */
#ifndef RENDER_RELIEF_LIGHT_H
#define RENDER_RELIEF_LIGHT_H

#include "render/relief.h"

/* Towards the sun: x east, y south, z up; of length 1. */
static const double relief_sun[3] = {-0.48, -0.64, 0.6};

/* The raster's values at a place, evenly between samples. */
double ground_at(const struct ground *ground, const float *values, double x, double y);

#endif
