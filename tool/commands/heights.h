/* Shared by boscage terrain and boscage planet: options, units and places of rasters of heights. */
#ifndef TOOL_COMMANDS_HEIGHTS_H
#define TOOL_COMMANDS_HEIGHTS_H

#include <boscage/io.h>
#include <stdbool.h>

#include "tool/tool.h"

/* --encoding, --band, --no-data, --voids and --vertical-exaggeration. */
struct heights_options {
    bosc_heights_opts read; /* for bosc_heights_read_opts */
    bool leaves_holes;      /* voids, which are kept, become holes of the mesh */
    double exaggeration;    /* factor of heights */
};

/* Reads and checks the options. */
int heights_options_read(const struct job *job, struct heights_options *options);

/* Reports the number of voids, if there are any, and their treatment. */
void heights_report_voids(struct job *job, const struct heights_options *options, int64_t voids);

/* Reports the least height as read if it lies so far below all others that it probably marks voids. NaN: no height. */
void heights_report_low(struct job *job, const bosc_heights *heights);

/* Notes heights so far from 0, beside their range, that floats resolve them less than 16 bits would. */
void heights_report_rounding(struct job *job, const bosc_heights *heights);

/* Sets the factor from heights as read to those of the mesh: to metres by --height-unit, times the exaggeration.
 * Reports both, and a unit other than metres. Refuses heights in a unit that is not known. */
int heights_find_factor(struct job *job, const struct heights_options *options, const bosc_heights *heights,
                        double *factor);

/* Multiplies the heights of a file; voids stay NaN. */
int heights_scale(const char *file, bosc_heights *heights, double factor);

/* Refuses heights of half the radius and more. */
int heights_check_radius(const char *file, const bosc_heights *heights, double radius);

/* Sets the spacings: those of --spacing, of the raster, of its world file, or 1 for a raster that gives none; and
 * reports each with its source where that is not the raster. Refuses spacings in a unit that is not known. given: 0: no
 * --spacing. */
int heights_set_spacing(struct job *job, bosc_heights *heights, double given);

/* The place of a raster on the globe, of --bounds and --outside. */
struct heights_globe {
    bosc_globe_opts opts;
    double bounds[4];
};
int heights_read_globe(struct job *job, const struct heights_options *options, struct heights_globe *globe);

/* Makes the heights cover the globe, and reports the bounds that they had; with `shift` not NULL only computes the
 * rotation of their columns. */
int heights_to_globe(struct job *job, bosc_heights *heights, const struct heights_globe *globe, int64_t *shift);

#endif
