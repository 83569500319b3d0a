#include "tool/commands/heights.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- options ---- */

int heights_options_read(const struct job *job, struct heights_options *options)
{
    int encoding = 0, voids = 0, code;
    int64_t band = 0;
    double no_data = 0;
    *options = (struct heights_options){.exaggeration = 1};
    /* 1. Read and check. */
    if ((code = option_choice(job, OPT_ENCODING, &encoding)) || (code = option_choice(job, OPT_VOIDS, &voids)) ||
        (code = option_integer(job, OPT_BAND, 1, INT32_MAX, &band)) ||
        (code = option_number(job, OPT_NO_DATA, -DBL_MAX, &no_data)) ||
        (code = option_number(job, OPT_VERTICAL_EXAGGERATION, 0, &options->exaggeration)))
        return code;
    if (band && encoding)
        return report_error(EXIT_USAGE, "--band: cannot be combined with --encoding %s", job->value[OPT_ENCODING]);
    if (!(no_data <= DBL_MAX)) return report_error(EXIT_USAGE, "--no-data: %s is not finite", job->value[OPT_NO_DATA]);
    if (!(options->exaggeration >= 1e-6 && options->exaggeration <= 1e6))
        return report_error(EXIT_USAGE, "--vertical-exaggeration: %s is not from 1e-6 to 1e6",
                            job->value[OPT_VERTICAL_EXAGGERATION]);
    /* 2. Set those of the reader. */
    const char *treatment = job->value[OPT_VOIDS] ? option_choice_name(job, OPT_VOIDS, voids) : "fill";
    options->leaves_holes = strcmp(treatment, "hole") == 0;
    options->read = (bosc_heights_opts){.size = sizeof options->read,
                                        .encoding = (bosc_heights_encoding)encoding,
                                        .voids = options->leaves_holes              ? BOSC_HEIGHTS_KEEP_VOIDS
                                                 : strcmp(treatment, "refuse") == 0 ? BOSC_HEIGHTS_REFUSE_VOIDS
                                                                                    : BOSC_HEIGHTS_FILL_VOIDS,
                                        .band = (int32_t)band,
                                        .has_no_data = job->value[OPT_NO_DATA] != NULL,
                                        .no_data = no_data};
    return EXIT_DONE;
}

void heights_report_voids(struct job *job, const struct heights_options *options, int64_t voids)
{
    if (voids == 0) return;
    job_set_integer(job, "voids", voids);
    job_set_note(job, "voids",
                 options->leaves_holes ? "left out of the mesh, with the triangles at them"
                                       : "filled from their borders; --voids gives another choice");
}

/* Least gap, in the raster's unit, between its least height and all others at which the least is probably a mark of
 * voids. Cliffs of the Earth are lower than 1,000 m; the usual marks, -9999 and -32768, are further below. Chosen. */
enum { MARK_GAP = 1000 };

void heights_report_low(struct job *job, const bosc_heights *h)
{
    /* 1. The least height, and how often it occurs; the range of the others. */
    const int64_t all = h->width * h->height;
    float low = INFINITY, next = INFINITY, high = -INFINITY;
    int64_t count = 0;
    for (int64_t i = 0; h->data && i < all; i++) {
        const float z = h->data[i];
        if (z < low) {
            next = low;
            low = z;
            count = 0;
        } else if (z > low && z < next) {
            next = z;
        }
        count += z == low;
        if (z > high) high = z;
    }
    /* 2. It is a mark rather than a height if it lies further below the others than they differ. */
    const double gap = (double)next - (double)low, range = (double)high - (double)next;
    if (!(isfinite(next) && gap >= MARK_GAP && gap > range)) return;
    job_set_number(job, "lowest", low);
    job_set_note(job, "lowest",
                 "of %lld samples, %.6g below all others; if it marks samples without a height, --no-data V states it",
                 (long long)count, gap);
}

void heights_report_rounding(struct job *job, const bosc_heights *h)
{
    float low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; h->data && i < h->width * h->height; i++) {
        if (h->data[i] < low) low = h->data[i];
        if (h->data[i] > high) high = h->data[i];
    }
    const float farthest = fabsf(low) > fabsf(high) ? fabsf(low) : fabsf(high);
    const double step = (double)nextafterf(farthest, INFINITY) - (double)farthest;
    const double range = (double)high - (double)low;
    if (!(step > range / 65536 && (range > 0 || farthest >= 0x1p24f))) return; /* floats hold integers up to 2^24 */
    job_set_number(job, "height_step", step);
    job_set_note(job, "height_step",
                 "heights are kept as floats, which are this far apart there: others were rounded, "
                 "and errors count from the rounded ones");
}

/* ---- heights ---- */

/* Returns the reason why facts of a coordinate system are not known. */
static const char *unknown_reason(void)
{
    const char *reason = bosc_proj_reason();
    return *reason ? reason : "PROJ does not know it";
}

/* Sets the factor that converts heights as read to metres: 1, or that of --height-unit. Reports a unit other than
 * metres. Refuses heights in a unit that is not known. */
static int read_unit(struct job *job, const bosc_heights *h, double *factor)
{
    static const double metres[] = {1, 0.3048, 1200.0 / 3937}; /* of the choices of --height-unit */
    const bool unknown = isnan(h->height_unit), converted = !unknown && h->height_unit != 0;
    int choice = -1;
    const int code = option_choice(job, OPT_HEIGHT_UNIT, &choice);
    *factor = 1;
    if (code) return code;
    if (choice < 0 && unknown && h->unit_name[0])
        return report_error(EXIT_FAILED, "%s: the unit of heights, '%s', is not known; --height-unit U gives it",
                            job->operands[0], h->unit_name);
    if (choice < 0 && unknown)
        return report_error(EXIT_FAILED, "%s: the unit of heights is not known%s%s: %s; --height-unit U gives it",
                            job->operands[0], h->crs[0] ? " of " : "", h->crs,
                            !h->crs[0]            ? "the file names no known unit"
                            : *bosc_proj_reason() ? bosc_proj_reason()
                                                  : "neither the file nor PROJ names a known one");
    const double unit = choice >= 0 ? copysign(metres[choice], h->height_unit < 0 ? -1 : 1) : h->height_unit;
    if (choice >= 0) *factor = unit / (converted ? h->height_unit : 1);
    if (unit == 0 || unit == 1) return EXIT_DONE;
    job_set_number(job, "height_unit", unit);
    if (choice < 0 && (h->assumed & BOSC_HEIGHTS_ASSUMED_HEIGHT_UNIT))
        job_set_note(job, "height_unit",
                     "metres in the unit of heights, assumed: that of the map; --height-unit U gives it");
    else if (choice < 0)
        job_set_note(job, "height_unit", "metres in the file's unit of heights");
    return EXIT_DONE;
}

int heights_find_factor(struct job *job, const struct heights_options *options, const bosc_heights *h, double *factor)
{
    if (h->assumed & BOSC_HEIGHTS_ASSUMED_PAGE)
        job_set_note(job, "height", "of the first page; the file has others, which are not read");
    const int code = read_unit(job, h, factor);
    if (code) return code;
    *factor *= options->exaggeration;
    if (job->value[OPT_VERTICAL_EXAGGERATION]) job_set_number(job, "vertical_exaggeration", options->exaggeration);
    return EXIT_DONE;
}

int heights_scale(const char *file, bosc_heights *h, double factor)
{
    for (int64_t i = 0; factor != 1 && i < h->width * h->height; i++) {
        const float height = h->data[i];
        h->data[i] = (float)((double)height * factor);
        if (isinf(h->data[i]))
            return report_error(EXIT_FAILED, "%s: row %lld, column %lld: the height %g times %g is beyond a float",
                                file, (long long)(i / h->width), (long long)(i % h->width), (double)height, factor);
    }
    return EXIT_DONE;
}

int heights_check_radius(const char *file, const bosc_heights *h, double radius)
{
    for (int64_t i = 0; h->data && i < h->width * h->height; i++)
        if (!(fabs((double)h->data[i]) < radius / 2))
            return report_error(EXIT_FAILED,
                                "%s: row %lld, column %lld: the height %g is not within half the radius, %g", file,
                                (long long)(i / h->width), (long long)(i % h->width), (double)h->data[i], radius / 2);
    return EXIT_DONE;
}

/* ---- spacings ---- */

/* Reports the source of a spacing from a file, and its unknown facts. */
static void note_spacing(struct job *job, const bosc_heights *h)
{
    const bool world = h->source == BOSC_HEIGHTS_WORLD_FILE;
    const char *source = world ? "from the world file" : "from the file", *map = h->crs[0] ? h->crs : "the map";
    if (h->assumed & BOSC_HEIGHTS_ASSUMED_UNIT)
        job_set_note(job, "spacing", "%s; its unit is assumed: %s; --spacing S gives it in metres", source,
                     h->degrees ? "degrees" : "metres");
    else if (h->assumed & BOSC_HEIGHTS_ASSUMED_SCALE)
        job_set_note(job, "spacing", "%s, along %s; its scale on the ground is not known: %s; --spacing S gives it",
                     source, map, h->crs[0] ? unknown_reason() : "its coordinate system has no code");
    else if (h->ground_scale != 0)
        job_set_note(job, "spacing", "on the ground at latitude %.6g, where a metre of %s is %.6g m", h->latitude, map,
                     h->ground_scale);
    else if (world)
        job_set_note(job, "spacing", "from the world file");
}

/* True for a raster of degrees beyond a pole by more than the half cell of a sample on it. */
static bool reaches_over_pole(const bosc_heights *h)
{
    const double half = 0.51 * (h->edges[3] - h->edges[1]) / (double)h->height; /* 2 %: roundings of files */
    return h->edges[1] < h->edges[3] && (h->edges[3] > 90 + half || h->edges[1] < -90 - half);
}

int heights_set_spacing(struct job *job, bosc_heights *h, double given)
{
    const bool unknown = h->spacing == 0;
    if (unknown && !given && h->source == BOSC_HEIGHTS_UNKNOWN_UNIT)
        return report_error(EXIT_FAILED,
                            "%s: the spacing is in a unit that is not known%s%s%s%s; --spacing S gives it in metres",
                            job->operands[0], h->crs[0] ? ", that of " : "", h->crs, h->crs[0] ? ": " : "",
                            h->crs[0] ? unknown_reason() : "");
    if (unknown && !given && h->source == BOSC_HEIGHTS_NO_SIZE)
        return report_error(EXIT_FAILED, "%s: the file gives no usable size of a cell; --spacing S gives it in metres",
                            job->operands[0]);
    if (given || unknown) h->spacing = h->spacing_y = given ? given : 1;
    if (h->spacing_y == 0) h->spacing_y = h->spacing;
    for (int i = 0; i < 2; i++) {
        const double spacing = i ? h->spacing_y : h->spacing;
        if (!(spacing >= 1e-30 && spacing <= 1e30)) /* about the limits of a terrain, powers of two */
            return report_error(EXIT_FAILED, "%s: the spacing %g is not from 1e-30 to 1e30; --spacing S gives it",
                                job->operands[0], spacing);
    }
    job_set_number(job, "spacing", h->spacing);
    if (h->spacing_y != h->spacing) job_set_number(job, "spacing_y", h->spacing_y);
    if (given) return EXIT_DONE;
    if (unknown)
        job_set_note(job, "spacing", "assumed: the file does not give it; --spacing S gives it");
    else
        note_spacing(job, h);
    if (!h->degrees) return EXIT_DONE;
    if (reaches_over_pole(h))
        return report_error(EXIT_FAILED, "%s: latitudes %.9g to %.9g reach over a pole; --spacing S gives it in metres",
                            job->operands[0], h->edges[1], h->edges[3]);
    job_set_number(job, "latitude", h->latitude);
    if (h->assumed & BOSC_HEIGHTS_ASSUMED_LATITUDE)
        job_set_note(job, "latitude", "assumed: the file does not give it; --spacing S avoids it");
    return EXIT_DONE;
}

/* ---- the globe ---- */

int heights_read_globe(struct job *job, const struct heights_options *options, struct heights_globe *globe)
{
    *globe = (struct heights_globe){.opts = {.size = sizeof globe->opts, .name = job->operands[0]}};
    int code = option_numbers(job, OPT_BOUNDS, 4, globe->bounds);
    if (!code) code = option_number(job, OPT_OUTSIDE, -1e30, &globe->opts.outside);
    if (code) return code;
    globe->opts.has_outside = job->value[OPT_OUTSIDE] != NULL;
    if (!(globe->opts.outside <= 1e30))
        return report_error(EXIT_USAGE, "--outside: %s is more than 1e30", job->value[OPT_OUTSIDE]);
    globe->opts.outside *= options->exaggeration; /* as the raster's heights: at most 1e36, which a float can hold */
    if (job->value[OPT_BOUNDS]) globe->opts.bounds = globe->bounds;
    return EXIT_DONE;
}

/* Reports a refusal, with the option that avoids it. */
static int report_no_globe(const struct job *job, bosc_status status, const bosc_io_error *error,
                           const struct heights_globe *globe)
{
    if (status == BOSC_ERR_DATA)
        return report_error(EXIT_FAILED, "%s; --outside H gives the height there", error->text);
    const double *b = globe->bounds;
    if (status == BOSC_ERR_FORMAT && globe->opts.bounds && b[2] < b[0] && b[2] + 360 > b[0])
        return report_error(
            EXIT_USAGE, "--bounds: %s is no part of a globe; for an area across 180 degrees use %.9g,%.9g,%.9g,%.9g",
            job->value[OPT_BOUNDS], b[0], b[1], b[2] + 360, b[3]);
    if (status == BOSC_ERR_FORMAT && globe->opts.bounds)
        return report_error(EXIT_USAGE, "--bounds: %s is no part of a globe", job->value[OPT_BOUNDS]);
    if (status == BOSC_ERR_FORMAT)
        return report_error(EXIT_FAILED, "%s; --bounds WEST,SOUTH,EAST,NORTH gives its place in degrees", error->text);
    if (status == BOSC_ERR_LIMIT) return report_error(EXIT_FAILED, "%s; leave out --cache", error->text);
    return report_io_error(status, error);
}

int heights_to_globe(struct job *job, bosc_heights *h, const struct heights_globe *globe, int64_t *shift)
{
    bosc_io_error error;
    const int64_t width = h->width, height = h->height;
    const bosc_heights before = *h;
    double change = -1; /* set by resampling */
    bosc_globe_opts opts = globe->opts;
    opts.max_change = &change;
    const bosc_status status =
        shift ? bosc_heights_globe_shift(h, &opts, shift, &error) : bosc_heights_to_globe(h, &opts, &error);
    if (status != BOSC_OK) return report_no_globe(job, status, &error, globe);
    /* 1. The place. */
    const double *edges = globe->opts.bounds ? globe->bounds : before.edges;
    if (edges[0] < edges[2])
        job_set_json(job, "bounds", json_pack("[[f, f, f, f]]", edges[0], edges[1], edges[2], edges[3]));
    if (before.crs[0] && !globe->opts.bounds) job_set_text(job, "crs", before.crs);
    /* 2. The change by resampling, which replaces the samples; and the size, if it has changed. */
    if (change >= 0) {
        job_set_number(job, "resampled", change);
        job_set_note(job, "resampled",
                     "the globe's cells are interpolated between the file's samples, or means of them: the largest "
                     "difference at a sample of the file");
    }
    if (h->width == width && h->height == height) return EXIT_DONE;
    job_set_integer(job, "globe_width", h->width);
    job_set_integer(job, "globe_height", h->height);
    if (h->width / 4 > width && h->height / 4 > height)
        job_set_note(job, "globe_width", "of the whole globe; --inset places the file on a smaller raster instead");
    return EXIT_DONE;
}
