#include "tool/commands/planet_insets.h"

#include <math.h>
#include <stdio.h>

#include "tool/job.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"

/* Reports a refusal, with the option that avoids it. */
static int report_no_place(bosc_status status, const bosc_io_error *error, const struct inset_option *inset)
{
    if (status == BOSC_ERR_FORMAT && inset->bounds_text)
        return report_error(EXIT_USAGE, "--inset-bounds: %s is no part of a globe", inset->bounds_text);
    if (status == BOSC_ERR_FORMAT)
        return report_error(EXIT_FAILED, "%s; --inset-bounds WEST,SOUTH,EAST,NORTH gives its place in degrees",
                            error->text);
    return report_io_error(status, error);
}

/* Refuses heights in a unit that is not known, and those of another planet. */
static int check_units(const struct job *job, const struct inset_option *inset, const bosc_heights *h, double radius)
{
    if (isnan(h->height_unit))
        return report_error(EXIT_FAILED, "%s: the unit of heights is not known%s%s", inset->file,
                            h->crs[0] ? " of " : "", h->crs);
    /* 1 %: as for the radius of H; the ellipsoids of one planet differ by less. */
    if (h->radius > 0 && !job->value[OPT_RADIUS] && fabs(h->radius / radius - 1) > 0.01)
        return report_error(EXIT_FAILED, "%s: it lies on a planet of radius %.9g, not %.9g; --radius R states one",
                            inset->file, h->radius, radius);
    return EXIT_DONE;
}

/* Reads one inset, in degrees. change: set if it is resampled, to the largest difference at a sample of the file. */
static int read_inset(struct job *job, const struct heights_options *options, const struct inset_option *inset,
                      double radius, bosc_heights *h, double *change)
{
    bosc_io_error error;
    const bosc_globe_opts place = {.size = sizeof place,
                                   .bounds = inset->bounds_text ? inset->bounds : NULL,
                                   .name = inset->file,
                                   .max_change = change};
    const bosc_heights_opts read = {.size = sizeof read,
                                    .voids = options->leaves_holes ? BOSC_HEIGHTS_FILL_VOIDS : options->read.voids,
                                    .has_no_data = options->read.has_no_data,
                                    .no_data = options->read.no_data};
    const double start = job_now();
    bosc_status status = bosc_heights_read_opts(inset->file, &read, h, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    if (h->width < 3 || h->height < 3)
        return report_error(EXIT_FAILED, "%s: %lld x %lld samples are too few for an inset", inset->file,
                            (long long)h->width, (long long)h->height);
    int code = check_units(job, inset, h, radius);
    if (!code) code = heights_scale(inset->file, h, options->exaggeration);
    if (!code) code = heights_check_radius(inset->file, h, radius);
    if (code) return code;
    status = bosc_heights_to_degrees(h, &place, &error);
    return status == BOSC_OK ? EXIT_DONE : report_no_place(status, &error, inset);
}

/* Clears the voids of cells with their middles in a box of degrees. */
static void cover_voids(bosc_heights *voids, const double edges[4])
{
    for (int64_t i = 0; i < voids->width * voids->height; i++) {
        const double latitude = 90 - ((double)(i / voids->width) + 0.5) * 180 / (double)voids->height;
        double longitude = ((double)(i % voids->width) + 0.5) * 360 / (double)voids->width - 180;
        longitude += 360 * ceil((edges[0] - longitude) / 360);
        if (latitude > edges[1] && latitude < edges[3] && longitude < edges[2]) voids->data[i] = 0;
    }
}

/* Adds an inset to the results: a row of the object for --json, or a printed line. change: negative: not resampled */
static void report_inset(const struct job *job, const struct inset_option *inset, const bosc_heights *h, double change,
                         json_t *rows)
{
    const double *edges = h->edges;
    json_t *row = json_pack("{s:s, s:I, s:I, s:I, s:[f, f, f, f]}", "file", inset->file, "width", (json_int_t)h->width,
                            "height", (json_int_t)h->height, "voids", (json_int_t)h->voids, "bounds", edges[0],
                            edges[1], edges[2], edges[3]);
    if (change >= 0) json_object_set_new(row, "resampled", json_real(change));
    json_array_append_new(rows, row);
    if (job->value[OPT_QUIET] || job->value[OPT_JSON] || writes_to_stdout(job)) return;
    printf("%-12s %s: %lld x %lld samples, longitudes %.9g to %.9g, latitudes %.9g to %.9g", "inset", inset->file,
           (long long)h->width, (long long)h->height, edges[0], edges[2], edges[1], edges[3]);
    if (h->voids) printf("; %lld voids, filled", (long long)h->voids);
    if (change >= 0) printf("; resampled, within %.9g of the file's samples; max_error is of the new ones", change);
    printf("\n");
}

/* Lowers *least to the shortest edges in degrees that an inset may need. *polar: set if it is a part of a ring around a
 * pole, within a row of the pole: then a quarter of a row, or less if 4 million triangles cover the inset. Of another
 * one: a 64th of its samples' distances, which limits no relief but cliffs. */
static void measure_edges(const bosc_heights *h, bool *polar, double *least)
{
    static const double TRIANGLES = 1 << 22, RADIAN = 180 / M_PI;
    const double *edges = h->edges, across = edges[2] - edges[0];
    const double row = (edges[3] - edges[1]) / (double)h->height, column = across / (double)h->width;
    const double highest = fmax(fabs(edges[1]), fabs(edges[3]));
    const double area = across * RADIAN * fabs(sin(edges[3] / RADIAN) - sin(edges[1] / RADIAN)); /* square degrees */
    *polar = 90 - highest < row && across < 360;
    if (*polar)
        *least = fmin(*least, fmin(row / 4, sqrt(4 * area / TRIANGLES))); /* edge^2 / 4: half a square */
    else
        *least = fmin(*least, fmin(row, column * fmax(cos(highest / RADIAN), 1e-3)) / 64);
}

/* polar, least: as measure_edges. */
static int add_inset(struct job *job, const struct heights_options *options, const struct inset_option *inset,
                     struct planet_view *planet, bosc_heights *voids, json_t *rows, bool *polar, double *least)
{
    bosc_heights h = {0};
    double change = -1;
    int code = read_inset(job, options, inset, planet->info.radius, &h, &change);
    const double start = job_now();
    if (!code) {
        const bosc_status status = planet_view_add_inset(job->ctx, planet, &h);
        if (status != BOSC_OK) code = report_argument_error(job->ctx, status, "inset", inset->file);
    }
    job_add_seconds(job, "build", start);
    if (!code && voids->data) cover_voids(voids, h.edges);
    if (!code) report_inset(job, inset, &h, change, rows);
    if (!code) measure_edges(&h, polar, least);
    bosc_heights_free(&h);
    return code;
}

int planet_add_insets(struct job *job, const struct heights_options *options, struct planet_view *planet,
                      bosc_heights *voids, double *finest)
{
    double least = INFINITY;
    bool any_polar = false;
    *finest = 0;
    if (job->inset_count == 0) return EXIT_DONE;
    json_t *rows = json_array();
    int code = EXIT_DONE;
    for (int i = 0; i < job->inset_count && !code; i++) {
        bool polar = false;
        code = add_inset(job, options, &job->insets[i], planet, voids, rows, &polar, &least);
        any_polar |= polar;
    }
    if (any_polar) *finest = least;
    job_set_json(job, "insets", rows);
    return code;
}
