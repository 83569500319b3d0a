/* Insets: heights against the reference, within and across borders; refinement to their resolution; overlaps; the
 * antimeridian; a raster read by tiles; refusals. */
#include "cases/planet/planet_data.h"

#include "support/arrays.h"
#include "support/saved.h"

enum { W = 24, H = 12, FINE_W = 96, FINE_H = 48, INSETS = 4, SAMPLES = 45 * 40 };

/* Rough insets: a region; a finer one over it; one across the antimeridian; a ring around the south pole. */
struct scene {
    float *raster, heights[INSETS][SAMPLES];
    struct reference_inset insets[INSETS];
    struct reference_planet plain;
};

static void open_scene(struct scene *s)
{
    static const struct reference_inset insets[INSETS] = {{NULL, 40, 45, 5, 44, 12.5L, 49, 2},
                                                          {NULL, 20, 16, 9, 43.5L, 10, 45, 1},
                                                          {NULL, 33, 17, 170, -3, 191, 6, 8},
                                                          {NULL, 45, 9, -180, -90, 180, -72, 4}};
    struct suite_random r = {11};
    s->raster = planet_heights(W, H, 3);
    for (int k = 0; k < INSETS; k++) {
        s->insets[k] = insets[k];
        s->insets[k].heights = s->heights[k];
        for (int i = 0; i < SAMPLES; i++)
            s->heights[k][i] =
                (float)(2000 * sin((double)(i % insets[k].width) * 0.4) + 300 * suite_unit(&r) - 500 * k);
    }
    s->plain = (struct reference_planet){
        .heights = s->raster, .width = W, .height = H, .radius = 6371000, .insets = s->insets, .inset_count = INSETS};
}

static bosc_planet_inset inset_of(const struct reference_inset *i)
{
    const bosc_planet_inset inset = {.size = sizeof inset,
                                     .heights = i->heights,
                                     .width = i->width,
                                     .height = i->height,
                                     .border = (int32_t)i->border,
                                     .west = (double)i->west,
                                     .south = (double)i->south,
                                     .east = (double)i->east,
                                     .north = (double)i->north};
    return inset;
}

static void add_insets(bosc_ctx *ctx, bosc_planet *planet, const struct scene *s)
{
    for (int k = 0; k < s->plain.inset_count; k++) {
        const bosc_planet_inset inset = inset_of(&s->insets[k]);
        CHECK_OK(ctx, bosc_planet_add_inset(ctx, planet, &inset));
    }
}

static bosc_planet *make_planet(bosc_ctx *ctx, const struct scene *s)
{
    bosc_planet *planet = planet_make(ctx, NULL, s->raster, W, H);
    add_insets(ctx, planet, s);
    return planet;
}

/* Places in and around each inset: samples, between samples, on and beside the edges. */
static void heights_match_reference(bosc_ctx *ctx)
{
    enum { N = 400 };
    struct scene s;
    struct suite_random r = {5};
    double directions[N][3], heights[N];
    open_scene(&s);
    bosc_planet *planet = make_planet(ctx, &s);
    for (int i = 0; i < N; i++) {
        const struct reference_inset *inset = &s.insets[i % INSETS];
        const long double x = suite_unit(&r) * 1.2L - 0.1L, y = suite_unit(&r) * 1.2L - 0.1L;
        long double d[3];
        if (i < N / 2) { /* anywhere; then at samples */
            struct reference_inset fine = *inset;
            fine.width = fine.height = 100000;
            reference_inset_direction(&fine, (int64_t)(x * 100000), (int64_t)(y * 100000), d);
        } else {
            reference_inset_direction(inset, (int64_t)((y + 0.1L) / 1.2L * inset->height),
                                      (int64_t)((x + 0.1L) / 1.2L * inset->width), d);
        }
        for (int c = 0; c < 3; c++) directions[i][c] = (double)d[c];
    }
    CHECK_OK(ctx, bosc_planet_sample(ctx, planet, directions[0], N, heights, NULL));
    for (int i = 0; i < N; i++) {
        const long double d[3] = {directions[i][0], directions[i][1], directions[i][2]},
                          height = reference_planet_height(&s.plain, d);
        if (fabsl(height - heights[i]) > 1e-7L)
            suite_fail(__FILE__, __LINE__, "direction %d: %g, not %Lg", i, heights[i], height);
    }
    bosc_planet_free(planet);
    free(s.raster);
}

/* The bound holds for every sample, of insets too; without insets over it the coarse raster has far fewer triangles. */
static void bounds_hold(bosc_ctx *ctx)
{
    struct scene s;
    open_scene(&s);
    bosc_planet *planet = make_planet(ctx, &s);
    for (double error = 100000; error > (suite_slow(ctx) ? 20000 : 500); error /= 12) {
        const bosc_planet_goal goal = {.size = sizeof goal, .error = error};
        bosc_planet_stats stats = {.size = sizeof stats};
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        CHECK_OK(ctx, bosc_planet_measure(ctx, planet, &stats));
        planet_check(ctx, planet, &s.plain, NULL);
        struct planet_mesh m = planet_mesh_get(ctx, planet, NULL);
        const double plainly = (double)reference_planet_error(&s.plain, m.positions, m.triangles, m.counts[1]);
        CHECK(stats.max_error <= error && fabs(stats.max_error - plainly) <= 1e-6 * plainly + 1e-3);
        CHECK(stats.inset >= 0 && stats.inset <= INSETS && stats.row >= 0 && stats.column >= 0);
        CHECK(stats.row < (stats.inset ? s.insets[stats.inset - 1].height : H));
        planet_mesh_release(&m);
    }
    bosc_planet_free(planet);
    free(s.raster);
}

/* A spike of an inset is the worst sample of the octahedron, and is refined to the spacing of the inset. */
static void spikes_are_refined(bosc_ctx *ctx)
{
    struct scene s;
    open_scene(&s);
    s.heights[0][20 * 40 + 17] = 1000000;
    s.plain.inset_count = 1;
    bosc_planet *planet = planet_make(ctx, NULL, s.raster, W, H);
    add_insets(ctx, planet, &s);
    bosc_planet_stats stats = {.size = sizeof stats};
    bosc_planet_info info = planet_info(ctx, planet);
    CHECK(info.insets == 1 && info.high == 1000000 && info.triangles == 8);
    /* The octahedron is below its sides, so the spike is the farthest. */
    CHECK_OK(ctx, bosc_planet_measure(ctx, planet, &stats));
    CHECK(stats.inset == 1 && stats.row == 20 && stats.column == 17);
    const bosc_planet_goal goal = {.size = sizeof goal, .error = 50000};
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    info = planet_info(ctx, planet);
    CHECK(info.deepest >= 18); /* 90 degrees / 2^9: a sample of 0.19 degrees */
    if (info.triangles > 60000) suite_fail(__FILE__, __LINE__, "%lld triangles", (long long)info.triangles);
    /* A camera far from it does not refine it. */
    bosc_planet_camera camera = {.fov = 1, .pixels = 4, .width = 640, .height = 480};
    const bosc_planet_goal far = {.size = sizeof far, .camera = &camera};
    CHECK_OK(ctx, bosc_planet_place(ctx, planet, -40, -170, 1000, 0, -30, &camera));
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &far));
    struct planet_mesh m = planet_mesh_get(ctx, planet, NULL);
    for (int64_t v = 0; v < m.counts[0]; v++) CHECK(m.positions[3 * v] < 6.4e6);
    planet_mesh_release(&m);
    bosc_planet_free(planet);
    free(s.raster);
}

/* ---- the same bits ---- */

static void check_same(bosc_ctx *ctx, const bosc_planet *a, bosc_ctx *other, const bosc_planet *b)
{
    struct planet_mesh m = planet_mesh_get(ctx, a, NULL), n = planet_mesh_get(other, b, NULL);
    bosc_planet_stats stats[2] = {{.size = sizeof stats[0]}, {.size = sizeof stats[0]}};
    CHECK(m.counts[0] == n.counts[0] && m.counts[1] == n.counts[1]);
    CHECK(memcmp(m.positions, n.positions, (size_t)m.counts[0] * 24) == 0);
    CHECK(memcmp(m.triangles, n.triangles, (size_t)m.counts[1] * 12) == 0);
    CHECK_OK(ctx, bosc_planet_measure(ctx, a, &stats[0]));
    CHECK_OK(other, bosc_planet_measure(other, b, &stats[1]));
    CHECK(memcmp(&stats[0], &stats[1], sizeof stats[0]) == 0);
    planet_mesh_release(&m);
    planet_mesh_release(&n);
}

/* Selects by a bound, a budget and a camera over a border, on both planets. */
static void check_same_goals(bosc_ctx *ctx, bosc_planet *a, bosc_ctx *other, bosc_planet *b)
{
    bosc_planet_camera camera = {.fov = 1, .pixels = suite_slow(ctx) ? 60 : 16, .width = 640, .height = 480};
    bosc_planet_goal goals[3] = {{.size = sizeof goals[0], .error = 60000},
                                 {.size = sizeof goals[0], .triangles = 300},
                                 {.size = sizeof goals[0]}};
    CHECK_OK(ctx, bosc_planet_place(ctx, a, 44.4, 9.1, 3000, 20, -20, &camera));
    goals[2].camera = &camera;
    for (int g = 0; g < 3; g++) {
        CHECK_OK(ctx, bosc_planet_select(ctx, a, &goals[g]));
        CHECK_OK(other, bosc_planet_select(other, b, &goals[g]));
        check_same(ctx, a, other, b);
    }
}

static void same_bits(bosc_ctx *ctx)
{
    const bosc_ctx_opts plainest = {
        .size = sizeof plainest, .backend = BOSC_BACKEND_CPU, .threads = 1, .cpu_level = BOSC_CPU_V1};
    struct scene s;
    open_scene(&s);
    bosc_ctx *other = suite_open(&plainest);
    bosc_planet *a = make_planet(ctx, &s), *b = make_planet(other, &s);
    check_same_goals(ctx, a, other, b);
    bosc_planet_free(a);
    bosc_planet_free(b);
    bosc_ctx_free(other);
    free(s.raster);
}

static int read_part(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    const float *heights = user;
    for (int64_t r = 0; r < rows; r++)
        memcpy((float *)values + r * columns, heights + (row + r) * FINE_W + column, (size_t)columns * sizeof *heights);
    return 0;
}

/* Over a raster that is read by tiles, through a cache of fewer than half of them. */
static void tiles(bosc_ctx *ctx)
{
    struct scene s;
    open_scene(&s);
    free(s.raster);
    s.raster = planet_heights(FINE_W, FINE_H, 4);
    /* Heights far above the errors of meshes: one that is missing would be measured as the worst. */
    for (int i = 0; i < FINE_W * FINE_H; i++) s.raster[i] = 200000 + 20 * s.raster[i];
    const bosc_planet_tiles by_tiles = {.size = sizeof by_tiles,
                                        .read = read_part,
                                        .user = s.raster,
                                        .width = FINE_W,
                                        .height = FINE_H,
                                        .tile = 8,
                                        .cache_bytes = 32 * 8 * 8 * 4};
    bosc_planet *a = planet_make(ctx, NULL, s.raster, FINE_W, FINE_H), *b = NULL;
    add_insets(ctx, a, &s);
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &b));
    CHECK_OK(ctx, bosc_planet_build_tiles(ctx, b, &by_tiles));
    add_insets(ctx, b, &s);
    check_same_goals(ctx, a, ctx, b);
    bosc_planet_free(a);
    bosc_planet_free(b);
    free(s.raster);
}

/* Saved and read back, whole and with the raster by tiles: it has the same heights and meshes, and other insets may be
 * laid over it. */
static void saved(bosc_ctx *ctx)
{
    struct scene s;
    open_scene(&s);
    free(s.raster);
    s.raster = planet_heights(FINE_W, FINE_H, 4);
    const bosc_planet_tiles by_tiles = {
        .size = sizeof by_tiles, .read = read_part, .user = s.raster, .width = FINE_W, .height = FINE_H, .tile = 8};
    bosc_planet *planet = planet_make(ctx, NULL, s.raster, FINE_W, FINE_H), *back[2] = {NULL, NULL};
    s.plain.inset_count = INSETS - 1;
    add_insets(ctx, planet, &s);
    struct saved f = {NULL, 0, 0, 0};
    /* 1. Read both ways. */
    CHECK_OK(ctx, bosc_planet_write(ctx, planet, saved_append, &f));
    CHECK_OK(ctx, bosc_planet_read(ctx, saved_deliver, &f, &back[0]));
    f.at = 0;
    CHECK_OK(ctx, bosc_planet_read_tiles(ctx, saved_deliver, &f, &by_tiles, &back[1]));
    /* 2. The same meshes, also after a further inset. */
    const bosc_planet_inset last = inset_of(&s.insets[INSETS - 1]);
    for (int b = 0; b < 2; b++) {
        const bosc_planet_info a = planet_info(ctx, planet), c = planet_info(ctx, back[b]);
        CHECK(a.insets == INSETS - 1 + b && c.insets == INSETS - 1 && (b || (a.low == c.low && a.high == c.high)));
        if (b == 0) check_same_goals(ctx, planet, ctx, back[b]);
        if (b == 0) CHECK_OK(ctx, bosc_planet_add_inset(ctx, planet, &last));
        CHECK_OK(ctx, bosc_planet_add_inset(ctx, back[b], &last));
        check_same_goals(ctx, planet, ctx, back[b]);
        bosc_planet_free(back[b]);
    }
    bosc_planet_free(planet);
    free(f.bytes);
    free(s.raster);
}

/* ---- arguments ---- */

/* Integers with a stride, a scale and an offset; the default border; a build removes insets. */
static void forms(bosc_ctx *ctx)
{
    struct scene s;
    int16_t integers[50 * 50];
    float floats[32 * 48];
    open_scene(&s);
    for (int i = 0; i < 50 * 50; i++) integers[i] = (int16_t)(i * 37 % 2000 - 900);
    for (int i = 0; i < 32 * 48; i++) floats[i] = (float)(0.5 * integers[i / 32 * 50 + i % 32] + 7);
    bosc_planet_inset inset = {.size = sizeof inset,
                               .heights = integers,
                               .width = 32,
                               .height = 48,
                               .stride = 50,
                               .dtype = BOSC_I16,
                               .scale = 0.5,
                               .offset = 7,
                               .west = -100,
                               .east = -90,
                               .south = 10,
                               .north = 20};
    const struct reference_inset plain = {floats, 32, 48, -100, 10, -90, 20, 2};
    s.plain.insets = &plain;
    s.plain.inset_count = 1;
    bosc_planet *planet = planet_make(ctx, NULL, s.raster, W, H);
    const bosc_planet_goal goal = {.size = sizeof goal, .triangles = 500};
    for (int round = 0; round < 2; round++) { /* then again, in memory that is there */
        CHECK_OK(ctx, bosc_planet_add_inset(ctx, planet, &inset));
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        planet_check(ctx, planet, &s.plain, NULL);
        const bosc_planet_raster raster = {.size = sizeof raster, .heights = s.raster, .width = W, .height = H};
        CHECK_OK(ctx, bosc_planet_build(ctx, planet, &raster));
        CHECK_EQ(planet_info(ctx, planet).insets, 0);
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        const struct reference_planet bare = {.heights = s.raster, .width = W, .height = H, .radius = 6371000};
        planet_check(ctx, planet, &bare, NULL);
    }
    bosc_planet_free(planet);
    free(s.raster);
}

static void refuses(bosc_ctx *ctx)
{
    struct scene s;
    open_scene(&s);
    const bosc_planet_inset good = inset_of(&s.insets[0]);
    bosc_planet_inset i = good;
    bosc_planet *p = NULL;
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &p));
    CHECK_ARG(ctx, bosc_planet_add_inset(ctx, p, &good), "planet: it has no raster");
    bosc_planet_free(p);
    p = planet_make(ctx, NULL, s.raster, W, H);
#define BAD_INSET(change, argument)                                  \
    do {                                                             \
        i = good;                                                    \
        change;                                                      \
        CHECK_ARG(ctx, bosc_planet_add_inset(ctx, p, &i), argument); \
    } while (0)
    CHECK_EQ(bosc_planet_add_inset(NULL, p, &i), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_add_inset(ctx, NULL, &i), "planet");
    CHECK_ARG(ctx, bosc_planet_add_inset(ctx, p, NULL), "inset");
    /* 1. Arguments. */
    BAD_INSET(i.size = 3, "inset: size");
    BAD_INSET(i.heights = NULL, "inset: heights");
    BAD_INSET(i.heights = (const char *)i.heights + 1, "inset: heights: not aligned");
    BAD_INSET(i.width = 2, "inset: 2 x 45");
    BAD_INSET(i.height = -1, "inset: 40 x -1");
    BAD_INSET(i.stride = 39, "inset: stride");
    BAD_INSET(i.stride = INT64_MAX, "inset: 45 rows");
    BAD_INSET(i.dtype = BOSC_F64, "inset: dtype");
    BAD_INSET(i.scale = NAN, "inset: scale");
    BAD_INSET(i.offset = INFINITY, "inset: offset");
    BAD_INSET(i.border = -1, "inset: border");
    BAD_INSET(i.border = 20, "inset: border 20 is not in 0 to 19");
    BAD_INSET(i.west = NAN, "inset: longitudes");
    BAD_INSET(i.east = i.west, "inset: longitudes");
    BAD_INSET(i.east = 361, "inset: longitudes");
    BAD_INSET((i.west = -200, i.east = 161), "inset: longitudes");
    BAD_INSET(i.south = -90.001, "inset: latitudes");
    BAD_INSET(i.north = 91, "inset: latitudes");
    BAD_INSET(i.north = i.south, "inset: latitudes");
    i = good;
    i.width = i.height = i.stride = 1 << 16;
    CHECK_STATUS(ctx, bosc_planet_add_inset(ctx, p, &i), BOSC_ERR_LIMIT);
    /* 2. Heights. */
    s.heights[0][2 * 40 + 3] = NAN;
    CHECK_STATUS(ctx, bosc_planet_add_inset(ctx, p, &good), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "inset: row 2, column 3 is "));
    s.heights[0][2 * 40 + 3] = 4e6F;
    CHECK_STATUS(ctx, bosc_planet_add_inset(ctx, p, &good), BOSC_ERR_DATA);
    CHECK_EQ(planet_info(ctx, p).insets, 0);
    s.heights[0][2 * 40 + 3] = 0;
    /* 3. Too many. */
    i = good;
    i.width = i.height = 3;
    i.border = 1;
    for (int k = 0; k < BOSC_PLANET_INSETS; k++) CHECK_OK(ctx, bosc_planet_add_inset(ctx, p, &i));
    CHECK_STATUS(ctx, bosc_planet_add_inset(ctx, p, &i), BOSC_ERR_LIMIT);
    CHECK_EQ(planet_info(ctx, p).insets, BOSC_PLANET_INSETS);
    bosc_planet_free(p);
    free(s.raster);
}

static const struct suite_case suite_cases_planet_insets[] = {
    {"heights", heights_match_reference, NULL},
    {"bounds", bounds_hold, NULL},
    {"spikes", spikes_are_refined, NULL},
    {"same_bits", same_bits, NULL},
    {"tiles", tiles, NULL},
    {"saved", saved, NULL},
    {"forms", forms, NULL},
    {"refuses", refuses, NULL},
};
SUITE(planet_insets);
