/* Demonstrates hash tables and their uses: lookups, close pairs and groups of points by voxels, and geometric hashing
 * of a constellation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/geometric.h>
#include <boscage/hash.h>
#include <boscage/voxelgrid.h>

#include "demo/parts.h"

enum { CPU = 1 << 20, CUDA = 1 << 24, SIDE = 1200, MARGIN = 40 };

/* ---- look-ups ---- */

struct pairs {
    int64_t n;
    uint64_t *keys;   /* (2 n): the second half is absent from the table (random 64-bit keys do not collide) */
    uint64_t *values; /* (2 n) */
    uint8_t *found;
    bosc_hash *table;
};

/* Builds and looks up twice and measures the second pass: the first one allocates. */
static bosc_status measure_lookups(struct demo *demo, struct pairs *p)
{
    char what[128];
    int64_t n = p->n, wrong = 0;
    double build_seconds = 0, find_seconds = 0;
    bosc_hash_opts opts = {.size = sizeof opts, .key_bits = 64, .value_size = 8, .load_factor = 0.95};
    bosc_status status = bosc_random_bits(demo->ctx, 3, 0, 4 * n, (uint32_t *)(void *)p->keys);
    if (status == BOSC_OK) status = bosc_hash_create(demo->ctx, &opts, &p->table);
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = demo_now();
        status = bosc_hash_build(demo->ctx, p->table, p->keys, p->keys, n); /* each key is its own value */
        build_seconds = demo_now() - start;
        start = demo_now();
        if (status == BOSC_OK) status = bosc_hash_find(demo->ctx, p->table, p->keys, 2 * n, p->values, p->found);
        find_seconds = demo_now() - start;
    }
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    /* The first n keys must be found with their values, the others absent. */
    for (int64_t i = 0; i < 2 * n; i++) wrong += p->found[i] != (i < n) || p->values[i] != (i < n ? p->keys[i] : 0);
    if (wrong) return demo_fail(demo, BOSC_ERR_DATA, "demo: %lld keys have wrong answers", (long long)wrong);
    snprintf(what, sizeof what, "hash table: build, %lld keys and values, load factor 0.95", (long long)n);
    demo_row(demo, what, build_seconds, (double)n);
    snprintf(what, sizeof what, "lookups, half of them of absent keys, all correct");
    demo_row(demo, what, find_seconds, 2 * (double)n);
    return BOSC_OK;
}

bosc_status demo_hash(struct demo *demo)
{
    struct pairs p = {.n = demo_has_device(demo) ? CUDA : CPU};
    p.keys = demo_alloc(demo, 2 * (size_t)p.n, sizeof *p.keys);
    p.values = demo_alloc(demo, 2 * (size_t)p.n, sizeof *p.values);
    p.found = demo_alloc(demo, 2 * (size_t)p.n, 1);
    bosc_status code = p.keys && p.values && p.found ? measure_lookups(demo, &p) : BOSC_ERR_NOMEM;
    bosc_hash_free(p.table);
    free(p.keys);
    free(p.values);
    free(p.found);
    return code;
}

/* ---- close pairs and groups ---- */

enum { DRAWN = 5200 };

struct cloud {
    int64_t n, count, groups;
    double radius;
    float *points;
    int64_t *pairs, *labels, *sizes, *coords;
    bosc_voxelgrid *grid;
};

/* Finds pairs and groups twice, measures the second pass, and checks that no pair joins two groups. */
static bosc_status find_groups(struct demo *demo, struct cloud *c)
{
    char what[128];
    int64_t listed = 0;
    /* 1. Build, count pairs, label groups. */
    bosc_voxelgrid_opts opts = {.size = sizeof opts, .dim = 2, .cell = c->radius};
    bosc_status status = bosc_voxelgrid_create(demo->ctx, &opts, &c->grid);
    double build_seconds = 0, pair_seconds = 0, group_seconds = 0;
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = demo_now();
        status = bosc_voxelgrid_build(demo->ctx, c->grid, c->points, c->n, 0);
        build_seconds = demo_now() - start;
        start = demo_now();
        if (status == BOSC_OK) status = bosc_voxelgrid_pairs(demo->ctx, c->grid, c->radius, NULL, NULL, 0, &c->count);
        pair_seconds = demo_now() - start;
        start = demo_now();
        if (status == BOSC_OK) status = bosc_voxelgrid_components(demo->ctx, c->grid, c->radius, c->labels, &c->groups);
        group_seconds = demo_now() - start;
    }
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    /* 2. List the pairs and check their labels. */
    c->pairs = demo_alloc(demo, (size_t)c->count, 2 * sizeof *c->pairs);
    if (!c->pairs) return BOSC_ERR_NOMEM;
    status = bosc_voxelgrid_pairs(demo->ctx, c->grid, c->radius, c->pairs, NULL, c->count, &listed);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    for (int64_t k = 0; k < c->count; k++)
        if (c->labels[c->pairs[2 * k]] != c->labels[c->pairs[2 * k + 1]])
            return demo_fail(demo, BOSC_ERR_DATA, "demo: a pair is in two groups");
    snprintf(what, sizeof what, "voxel grid: build, %lld points", (long long)c->n);
    demo_row(demo, what, build_seconds, (double)c->n);
    snprintf(what, sizeof what, "all %lld pairs within %g, counted", (long long)c->count, c->radius);
    demo_row(demo, what, pair_seconds, (double)c->n);
    snprintf(what, sizeof what, "%lld groups joined by these pairs", (long long)c->groups);
    demo_row(demo, what, group_seconds, (double)c->n);
    return BOSC_OK;
}

static bosc_status generate_cloud(struct demo *demo, struct cloud *c)
{
    c->points = demo_alloc(demo, (size_t)c->n * 2, sizeof *c->points);
    c->labels = demo_alloc(demo, (size_t)c->n, sizeof *c->labels);
    c->sizes = demo_alloc(demo, (size_t)c->n, sizeof *c->sizes);
    c->coords = demo_alloc(demo, (size_t)c->n * 2, sizeof *c->coords);
    if (!c->points || !c->labels || !c->sizes || !c->coords) return BOSC_ERR_NOMEM;
    bosc_status status = demo_generate_plane(demo, 21, 9, c->n, c->points);
    return status == BOSC_OK ? find_groups(demo, c) : demo_fail_ctx(demo, status);
}

static void close_cloud(struct cloud *c)
{
    bosc_voxelgrid_free(c->grid);
    free(c->points);
    free(c->labels);
    free(c->sizes);
    free(c->coords);
    free(c->pairs);
}

static double pixel_of(double x) { return MARGIN + x * (SIDE - 2 * MARGIN); }

/* Returns a colour per group, stronger for large groups. Hues step by the golden ratio. */
static struct colour group_colour(const struct cloud *c, int64_t label)
{
    static const uint32_t levels[7] = {0xf3676a, 0xffb35c, 0xffe08a, 0x7fd18b, 0x35c4c9, 0x7a8ff0, 0xd07fe0};
    struct colour palette[7];
    for (int i = 0; i < 7; i++) palette[i] = colour_of(levels[i]);
    struct colour own = colour_along(palette, 7, fmod((double)label * 0.61803398875, 1));
    double strong = fmin(log2((double)c->sizes[label]) / 5, 1);
    return colour_mix(colour_of(0x4a4f63), own, 0.35 + 0.65 * strong);
}

/* Draws the occupied voxels, lines between the points of pairs, and the points. */
static bosc_status draw_groups(struct demo *demo, struct cloud *c, struct canvas *canvas)
{
    int64_t voxels = 0;
    memset(c->sizes, 0, (size_t)c->n * sizeof *c->sizes);
    for (int64_t i = 0; i < c->n; i++) c->sizes[c->labels[i]]++;
    bosc_status status = bosc_voxelgrid_voxels(demo->ctx, c->grid, c->coords, NULL, c->n, &voxels);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    /* 1. Voxels. */
    for (int64_t v = 0; v < voxels; v++) {
        double x = pixel_of((double)c->coords[2 * v] * c->radius),
               y = pixel_of((double)c->coords[2 * v + 1] * c->radius);
        double edge = c->radius * (SIDE - 2 * MARGIN);
        canvas_box(canvas, x + 0.5, y + 0.5, x + edge - 0.5, y + edge - 0.5, colour_of(0x6f7fb8), 0.13);
    }
    /* 2. Pairs. */
    for (int64_t k = 0; k < c->count; k++) {
        const float *a = c->points + 2 * c->pairs[2 * k], *b = c->points + 2 * c->pairs[2 * k + 1];
        canvas_line(canvas, pixel_of(a[0]), pixel_of(a[1]), pixel_of(b[0]), pixel_of(b[1]), 1.5,
                    group_colour(c, c->labels[c->pairs[2 * k]]), 0.8);
    }
    /* 3. Points. */
    for (int64_t i = 0; i < c->n; i++) {
        bool alone = c->sizes[c->labels[i]] == 1;
        canvas_disc(canvas, pixel_of(c->points[2 * i]), pixel_of(c->points[2 * i + 1]), alone ? 1.6 : 2.3,
                    alone ? colour_of(0x70768c) : colour_mix(group_colour(c, c->labels[i]), colour_of(0xffffff), 0.4),
                    0.95);
    }
    return demo_picture(demo, canvas, "spatial_groups.png");
}

bosc_status demo_spatial(struct demo *demo)
{
    struct canvas canvas = {0};
    struct cloud measured = {.n = demo_has_device(demo) ? CUDA : CPU / 8}, drawn = {.n = DRAWN, .radius = 0.0125};
    measured.radius = 0.6 / sqrt((double)measured.n);
    bosc_status code = generate_cloud(demo, &measured);
    close_cloud(&measured);
    if (!code) code = generate_cloud(demo, &drawn);
    if (!code)
        code = canvas_open(&canvas, SIDE, SIDE, colour_of(0x0f1020)) ? draw_groups(demo, &drawn, &canvas)
                                                                     : demo_fail(demo, BOSC_ERR_NOMEM, "out of memory");
    canvas_close(&canvas);
    close_cloud(&drawn);
    return code;
}

/* ---- a constellation ---- */

enum { STARS = 23, LINES = 24, OTHERS = 420, SKY = STARS + OTHERS };

/* Orion: right ascension and declination in degrees, and magnitude. */
static const double orion[STARS][3] = {
    {88.79, 7.41, 0.5},  {81.28, 6.35, 1.6},  {83.00, -0.30, 2.2}, {84.05, -1.20, 1.7}, {85.19, -1.94, 1.8},
    {86.94, -9.67, 2.1}, {78.63, -8.20, 0.1}, {83.78, 9.93, 3.5},  {83.86, -5.91, 2.8}, {84.69, -2.60, 3.8},
    {81.12, -2.40, 3.4}, {73.72, 10.15, 4.6}, {72.65, 8.90, 4.4},  {72.46, 6.96, 3.2},  {72.80, 5.61, 3.7},
    {73.56, 2.44, 3.7},  {74.64, 1.71, 4.5},  {90.60, 9.65, 4.1},  {91.89, 14.77, 4.4}, {92.98, 14.21, 4.5},
    {88.60, 20.28, 4.4}, {90.98, 20.14, 4.6}, {83.82, -5.39, 4.0},
};
static const int figure[LINES][2] = {{0, 7},   {7, 1},   {0, 4},   {1, 2},  {2, 3},   {3, 4},   {4, 5},   {5, 6},
                                     {6, 10},  {10, 2},  {3, 9},   {9, 22}, {22, 8},  {1, 13},  {11, 12}, {12, 13},
                                     {13, 14}, {14, 15}, {15, 16}, {0, 17}, {17, 19}, {17, 18}, {18, 20}, {19, 21}};

struct sky {
    double model[2 * STARS], points[2 * SKY], size[SKY], truth[2 * STARS];
    bool hidden[STARS];
    int64_t m, ids[STARS];
    bosc_geometric_match match;
};

static double unit(const uint32_t *bits) { return (double)*bits / 4294967296.0; }

/* Makes the scene: the figure rotated, scaled and moved, with some stars removed and the others displaced a little,
 * among random stars. */
static bosc_status generate_sky(struct demo *demo, struct sky *s)
{
    uint32_t bits[4 * SKY];
    double angle = 0.62, scale = 21;
    bosc_status status = bosc_random_bits(demo->ctx, 12, 0, 4 * SKY, bits);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    /* 1. The figure. */
    for (int i = 0; i < STARS; i++) {
        const uint32_t *b = bits + 4 * i;
        double x = 82.5 - orion[i][0], y = 4 - orion[i][1];
        s->model[2 * i] = x;
        s->model[2 * i + 1] = y;
        s->truth[2 * i] = 640 + scale * (cos(angle) * x - sin(angle) * y);
        s->truth[2 * i + 1] = 590 + scale * (sin(angle) * x + cos(angle) * y);
        s->hidden[i] = i % 6 == 4;
        if (s->hidden[i]) continue;
        for (int k = 0; k < 2; k++) s->points[2 * s->m + k] = s->truth[2 * i + k] + 4 * (unit(b + k) - 0.5);
        s->size[s->m++] = 4.6 - 0.7 * orion[i][2];
    }
    /* 2. Other stars. */
    for (int i = STARS; i < SKY; i++, s->m++) {
        const uint32_t *b = bits + 4 * i;
        for (int k = 0; k < 2; k++) s->points[2 * s->m + k] = 20 + unit(b + k) * (SIDE - 40);
        s->size[s->m] = 1.0 + 3.2 * pow(unit(b + 2), 4);
    }
    return BOSC_OK;
}

/* Finds the figure and checks the transform against the true positions. */
static bosc_status find_figure(struct demo *demo, struct sky *s)
{
    char what[128];
    bosc_geometric *table = NULL;
    bosc_geometric_info info = {.size = sizeof info};
    /* 1. Build the table of the model and search the scene. */
    double start = demo_now(), build_seconds = 0;
    bosc_geometric_opts opts = {.size = sizeof opts, .stop_fraction = 0.8};
    bosc_status status = bosc_geometric_create(demo->ctx, &opts, &table);
    if (status == BOSC_OK) status = bosc_geometric_build(demo->ctx, table, s->model, STARS);
    build_seconds = demo_now() - start;
    s->match.size = sizeof s->match;
    start = demo_now();
    if (status == BOSC_OK) status = bosc_geometric_find(demo->ctx, table, s->points, s->m, s->ids, &s->match);
    double find_seconds = demo_now() - start;
    if (status == BOSC_OK) bosc_geometric_get_info(demo->ctx, table, &info);
    bosc_geometric_free(table);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    /* 2. Every star of the model must land within 6 pixels of its true position. */
    const double *t = s->match.transform;
    for (int i = 0; i < STARS; i++)
        if (hypot(t[0] * s->model[2 * i] + t[1] * s->model[2 * i + 1] + t[2] - s->truth[2 * i],
                  t[3] * s->model[2 * i] + t[4] * s->model[2 * i + 1] + t[5] - s->truth[2 * i + 1]) > 6)
            return demo_fail(demo, BOSC_ERR_DATA, "demo: the constellation was found at a wrong position");
    snprintf(what, sizeof what, "geometric hashing: %lld bases of %d stars", (long long)info.bases, STARS);
    demo_row(demo, what, build_seconds, (double)info.entries);
    snprintf(what, sizeof what, "found among %lld stars, %lld in place, %lld bases tried", (long long)s->m,
             (long long)s->match.inliers, (long long)s->match.trials);
    demo_row(demo, what, find_seconds, (double)(s->match.trials * s->m));
    return BOSC_OK;
}

static void draw_star(struct canvas *canvas, double x, double y, double size, struct colour colour)
{
    canvas_glow(canvas, x, y, 5 * size, colour, 0.35);
    canvas_disc(canvas, x, y, 0.75 * size, colour, 1);
}

/* Draws the model in a corner. */
static void draw_model(struct canvas *canvas, const struct sky *s)
{
    double x0 = 172, y0 = 986, scale = 8.4;
    canvas_box(canvas, 24, 836, 330, 1176, colour_of(0x05060f), 0.88);
    for (int i = 0; i < 4; i++) {
        double x[4] = {24, 330, 330, 24}, y[4] = {836, 836, 1176, 1176};
        canvas_line(canvas, x[i], y[i], x[(i + 1) % 4], y[(i + 1) % 4], 1.2, colour_of(0x5a6488), 1);
    }
    for (int k = 0; k < LINES; k++) {
        const double *a = s->model + 2 * figure[k][0], *b = s->model + 2 * figure[k][1];
        canvas_line(canvas, x0 + scale * a[0], y0 + scale * a[1], x0 + scale * b[0], y0 + scale * b[1], 1.2,
                    colour_of(0x7fa8e8), 0.8);
    }
    for (int i = 0; i < STARS; i++)
        canvas_disc(canvas, x0 + scale * s->model[2 * i], y0 + scale * s->model[2 * i + 1], 2.8, colour_of(0xdfe9ff),
                    1);
}

/* Draws the stars, and the model where it was found; a ring marks each of its stars, red if missing. */
static bosc_status draw_sky(struct demo *demo, struct sky *s, struct canvas *canvas)
{
    const double *t = s->match.transform;
    double moved[2 * STARS];
    struct colour gold = colour_of(0xffd166);
    for (int i = 0; i < STARS; i++)
        for (int k = 0; k < 2; k++)
            moved[2 * i + k] = t[3 * k] * s->model[2 * i] + t[3 * k + 1] * s->model[2 * i + 1] + t[3 * k + 2];
    /* 1. Background and figure. */
    canvas_glow(canvas, 660, 560, 760, colour_of(0x24386b), 0.75);
    canvas_glow(canvas, 900, 880, 520, colour_of(0x40285e), 0.5);
    for (int k = 0; k < LINES; k++) {
        const double *a = moved + 2 * figure[k][0], *b = moved + 2 * figure[k][1];
        canvas_line(canvas, a[0], a[1], b[0], b[1], 2, gold, 0.65);
    }
    /* 2. Stars and rings. */
    for (int64_t i = 0; i < s->m; i++)
        draw_star(canvas, s->points[2 * i], s->points[2 * i + 1], s->size[i],
                  colour_of(i % 5 == 0   ? 0xffe3c2
                            : i % 5 == 1 ? 0xcfe0ff
                                         : 0xffffff));
    for (int i = 0; i < STARS; i++) {
        bool found = s->ids[i] >= 0;
        canvas_ring(canvas, moved[2 * i], moved[2 * i + 1], 12, found ? 2.2 : 1.6, found ? gold : colour_of(0xef476f),
                    1);
    }
    draw_model(canvas, s);
    return demo_picture(demo, canvas, "geometric_match.png");
}

bosc_status demo_geometric(struct demo *demo)
{
    struct canvas canvas = {0};
    struct sky *s = demo_alloc(demo, 1, sizeof *s);
    if (!s) return BOSC_ERR_NOMEM;
    memset(s, 0, sizeof *s);
    bosc_status code = generate_sky(demo, s);
    if (!code) code = find_figure(demo, s);
    if (!code)
        code = canvas_open(&canvas, SIDE, SIDE, colour_of(0x070a16)) ? draw_sky(demo, s, &canvas)
                                                                     : demo_fail(demo, BOSC_ERR_NOMEM, "out of memory");
    canvas_close(&canvas);
    free(s);
    return code;
}
