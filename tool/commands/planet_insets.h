/* boscage planet --inset: heights of parts of the planet. */
#ifndef TOOL_COMMANDS_PLANET_INSETS_H
#define TOOL_COMMANDS_PLANET_INSETS_H

#include "render/planet_view.h"
#include "tool/commands/heights.h"

/* Reads the files of --inset and lays them over the built planet, in their order. Voids of the planet's raster under an
 * inset are no holes; those of an inset are filled, or refused. voids: 1 where the planet's raster has none; data NULL:
 * no holes. finest: 0, or with an inset that touches a pole the shortest edges of the mesh, in degrees. The columns of
 * such an inset converge there, so triangles that resolve them there have no end. */
int planet_add_insets(struct job *job, const struct heights_options *options, struct planet_view *planet,
                      bosc_heights *voids, double *finest);

#endif
