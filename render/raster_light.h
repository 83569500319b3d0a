/* Light of a height raster, independent of the mesh drawn over it. */
#ifndef RENDER_RASTER_LIGHT_H
#define RENDER_RASTER_LIGHT_H

#include <boscage/io.h>
#include <stdbool.h>

struct raster_light {
    const bosc_heights *heights; /* with both spacings */
    double low, high;
    double bottom;    /* of the block view: a fiftieth of the raster's sides below the lowest height */
    float *sun, *sky; /* (height x width): share of each light that reaches a sample, from 0 */
};
bool raster_light_open(struct raster_light *light, const bosc_heights *heights); /* false: out of memory */
void raster_light_close(struct raster_light *light);

/* Unit vector towards the sun: x east, y south, z up. */
static const double sun_direction[3] = {-0.48, -0.64, 0.6};

/* Interpolates values of the raster's samples bilinearly at (x, y). */
double raster_light_at(const struct raster_light *light, const float *values, double x, double y);

#endif
