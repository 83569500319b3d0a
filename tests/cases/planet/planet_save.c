/* Saved planets: the same bytes on every backend, read back completely; damaged and hostile files are refused. */
#include "planet/save.h"

#include "cases/planet/planet_data.h"
#include "support/saved.h"

enum { W = 6, H = 3, FLAT_W = 2, FLAT_H = 1 };

SAVED_KIND(planet, "saved planet: ", bi_planet_header)

/* A planet after some rounds of commands. */
static bosc_planet *make_planet(bosc_ctx *ctx, const bosc_planet_opts *opts, int rounds)
{
    struct suite_random r = {(uint64_t)rounds};
    float heights[W * H];
    for (int i = 0; i < W * H; i++) heights[i] = (float)(i * i * 37 % 101 * 100 - 3000);
    bosc_planet *planet = planet_make(ctx, opts, heights, W, H);
    for (int round = 0; round < rounds; round++) {
        const int64_t n = planet_info(ctx, planet).triangles;
        uint8_t *commands = suite_alloc((size_t)n);
        for (int64_t t = 0; t < n; t++) commands[t] = (uint8_t)(suite_below(&r, 4) == 0);
        CHECK_OK(ctx, bosc_planet_update(ctx, planet, commands, n));
        free(commands);
    }
    return planet;
}

/* Both have the same mesh, to the bit, and behave alike afterwards. */
static void check_alike(bosc_ctx *ctx, bosc_planet *a, bosc_planet *b)
{
    bosc_planet_camera camera = {.fov = 1, .pixels = 40, .width = 640, .height = 480};
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera, .hysteresis = 0.5};
    for (int time = 0; time < 2; time++) {
        struct planet_mesh m = planet_mesh_get(ctx, a, NULL), n = planet_mesh_get(ctx, b, NULL);
        CHECK(m.counts[0] == n.counts[0] && m.counts[1] == n.counts[1]);
        CHECK(memcmp(m.positions, n.positions, (size_t)m.counts[0] * 24) == 0);
        CHECK(memcmp(m.normals, n.normals, (size_t)m.counts[0] * 12) == 0);
        CHECK(memcmp(m.triangles, n.triangles, (size_t)m.counts[1] * 12) == 0);
        planet_mesh_release(&m);
        planet_mesh_release(&n);
        CHECK_OK(ctx, bosc_planet_place(ctx, a, 20, 30, 1e5, 0, -60, &camera));
        CHECK_OK(ctx, bosc_planet_select(ctx, a, &goal));
        CHECK_OK(ctx, bosc_planet_select(ctx, b, &goal));
    }
}

static void round_trip(bosc_ctx *ctx)
{
    const bosc_planet_opts several[] = {
        {.size = sizeof several[0]},
        {.size = sizeof several[0], .radius = 60000, .depth = 12, .detail_amplitude = 90, .detail_octaves = 3},
        {.size = sizeof several[0], .detail_amplitude = 1, .detail_wavelength = 4e5, .detail_seed = 1ull << 63}};
    for (int i = 0; i < 3; i++) {
        bosc_planet *planet = make_planet(ctx, &several[i], 2 * i);
        const int64_t triangles = planet_info(ctx, planet).triangles;
        bosc_planet *back = saved_again(ctx, &saved_planet, planet, (size_t)(128 + 4 * W * H + 8 * triangles + 8));
        CHECK(planet_info(ctx, back).radius == planet_info(ctx, planet).radius);
        check_alike(ctx, planet, back);
        bosc_planet_free(planet);
        bosc_planet_free(back);
    }
}

/* With insets: format version 2. Heights keep the sign of 0. */
static void round_trip_insets(bosc_ctx *ctx)
{
    static const float zero = -0.0F;
    const bosc_planet_opts opts = {.size = sizeof opts, .detail_amplitude = 10};
    bosc_planet *planet = make_planet(ctx, &opts, 0);
    planet_add_insets(ctx, planet);
    const uint8_t commands[8] = {1, 0, 1, 1, 0, 0, 0, 1};
    CHECK_OK(ctx, bosc_planet_update(ctx, planet, commands, 8));
    const bosc_planet_info info = planet_info(ctx, planet);
    const size_t before = 128 + 4 * W * H + 56 * PLANET_INSETS;
    struct saved f = planet_save(ctx, planet);
    CHECK(f.bytes[8] == 2 && memcmp(f.bytes + before, &zero, sizeof zero) == 0);
    bosc_planet *back =
        saved_again(ctx, &saved_planet, planet, before + 4 * PLANET_INSET_SAMPLES + 8 * (size_t)info.triangles + 8);
    const bosc_planet_info again = planet_info(ctx, back);
    CHECK(again.insets == PLANET_INSETS && again.low == info.low && again.high == info.high);
    check_alike(ctx, planet, back);
    bosc_planet_free(planet);
    bosc_planet_free(back);
    free(f.bytes);
}

/* Heights keep the sign of 0. */
static void sign_of_zero(bosc_ctx *ctx)
{
    static const float zeros[FLAT_W] = {-0.0f, 0};
    const bosc_planet_raster raster = {
        .size = sizeof raster, .heights = zeros, .width = FLAT_W, .height = FLAT_H, .offset = -0.0};
    bosc_planet *planet = NULL;
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &planet));
    CHECK_OK(ctx, bosc_planet_build(ctx, planet, &raster));
    struct saved f = planet_save(ctx, planet);
    CHECK(memcmp(f.bytes + sizeof(struct bi_planet_header), zeros, sizeof zeros) == 0);
    bosc_planet_free(saved_again(ctx, &saved_planet, planet, f.size));
    bosc_planet_free(planet);
    free(f.bytes);
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    bosc_planet *planet = make_planet(ctx, NULL, 1);
    saved_damage(ctx, &saved_planet, planet, suite_slow(ctx) ? 37 : 1);
    planet_add_insets(ctx, planet);
    saved_damage(ctx, &saved_planet, planet, suite_slow(ctx) ? 57 : 3);
    bosc_planet_free(planet);
}

/* Words: 2 version, 3 depth, 4 octaves, 5 reserved, 6 and 7 radius, 8 and 9 amplitude, 10 and 11 wavelength, 12 and 13
 * seed, 14 and 15 width, 16 and 17 height, 18 and 19 leaves, 20 and 21 insets, 22 to 29 unused, 32 and 33 heights, from
 * 34 on nodes. */
static const struct saved_lie lies[] = {
    {0, 7, "not the bytes of one"},
    {2, 0, "version 0"},
    {2, 2, "number of insets"},
    {2, 3, "version 3, but this library reads versions 1 to 2"},
    {2, UINT32_MAX, "version 4294967295"},
    {3, 0, "options"},
    {3, 61, "options"},
    {3, 0x80000000u, "options"},
    {3, 1, NULL}, /* no leaf is deeper */
    {4, 0, "options"},
    {4, 33, "options"},
    {4, UINT32_MAX, "options"},
    {5, 1, "unknown fields"},
    {7, 0, "options"},
    {7, 0x7ff80000u, "options"}, /* NaN */
    {7, 0xc1000000u, "options"},
    {7, 0x40000000u, "options"}, /* radius 2: the amplitude of 1 exceeds its 16th */
    {9, 0x7ff80000u, "options"},
    {9, 0xbff00000u, "options"},
    {9, 0x43000000u, "options"},
    {11, 0x7ff80000u, "options"},
    {11, 0x3ff00000u, "options"},
    {13, UINT32_MAX, NULL},
    {14, 0, "raster"},
    {14, 1, "checksum"},
    {14, 3, "ends within its"},
    {14, 0x80000000u, "raster"},
    {15, 1, "raster"},
    {15, 0x80000000u, "raster"},
    {16, 0, "raster"},
    {16, 2, "ends within its"},
    {17, UINT32_MAX, "raster"},
    {18, 7, "number of triangles"},
    {18, 9, "ends within its"},
    {19, 1, "number of triangles"},
    {19, 0x80000000u, "number of triangles"},
    {20, 1, "unknown fields"},
    {29, 1, "unknown fields"},
    {32, 0x7fc00000u, "NaN, or half the radius"},
    {32, 0x4e000000u, "NaN, or half the radius"},
    {33, 0xff800000u, "NaN, or half the radius"},
    {34, 0, "not the leaves"},
    {34, 9, "not the leaves"},
    {34, 16, "not the leaves"},
    {35, 1, "not the leaves"},
    {49, UINT32_MAX, "not the leaves"},
};

/* The same planet with an inset. Words: 20 and 21 insets, 34 and 35 width, 36 and 37 height, 38 border, 39 reserved,
 * 40 to 47 west, south, east and north, 48 to 56 samples, from 57 on nodes. */
static const struct saved_lie inset_lies[] = {
    {2, 1, "unknown fields"},
    {20, 0, "number of insets"},
    {20, 2, "the size or the place of an inset"},
    {20, BOSC_PLANET_INSETS + 1, "number of insets"},
    {21, 1, "number of insets"},
    {22, 1, "unknown fields"},
    {34, 2, "the size or the place of an inset"},
    {34, 4, "ends within its"},
    {34, 0x7fffffffu, "the size or the place of an inset"},
    {35, 1, "the size or the place of an inset"},
    {35, 0x80000000u, "the size or the place of an inset"},
    {36, 0, "the size or the place of an inset"},
    {37, 0x7fffffffu, "the size or the place of an inset"},
    {38, 0, "the size or the place of an inset"},
    {38, 2, "the size or the place of an inset"},
    {38, 0x80000001u, "the size or the place of an inset"},
    {39, 1, "the size or the place of an inset"},
    {40, 1, NULL},
    {41, 0x7ff80000u, "the size or the place of an inset"}, /* NaN */
    {41, 0x40900000u, "the size or the place of an inset"}, /* east of its east edge */
    {43, 0xc0600000u, "the size or the place of an inset"},
    {45, 0x40900000u, "the size or the place of an inset"},
    {47, 0x7ff00000u, "the size or the place of an inset"},
    {48, 0x7fc00000u, "a height of an inset"},
    {56, 0x4e000000u, "a height of an inset"},
    {57, 0, "not the leaves"},
};

static void check_usable(bosc_ctx *ctx, const void *handle)
{
    struct planet_mesh m = planet_mesh_get(ctx, handle, NULL);
    CHECK(reference_mesh_is_sphere(m.triangles, m.counts[1], m.counts[0]));
    planet_mesh_release(&m);
}

static void malice(bosc_ctx *ctx)
{
    static const float heights[FLAT_W] = {5, -3};
    const bosc_planet_opts opts = {.size = sizeof opts, .detail_amplitude = 1};
    bosc_planet *planet = planet_make(ctx, &opts, heights, FLAT_W, FLAT_H);
    struct saved f = planet_save(ctx, planet);
    CHECK_EQ(f.size, 128 + 4 * FLAT_W + 8 * 8 + 8);
    saved_lies(ctx, &saved_planet, &f, lies, sizeof lies / sizeof lies[0], check_usable);
    free(f.bytes);
    /* With an inset. */
    static const float samples[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const bosc_planet_inset inset = {.size = sizeof inset,
                                     .heights = samples,
                                     .width = 3,
                                     .height = 3,
                                     .west = 5,
                                     .south = 6,
                                     .east = 17,
                                     .north = 18};
    CHECK_OK(ctx, bosc_planet_add_inset(ctx, planet, &inset));
    f = planet_save(ctx, planet);
    CHECK_EQ(f.size, 128 + 4 * FLAT_W + 56 + 4 * 9 + 8 * 8 + 8);
    saved_lies(ctx, &saved_planet, &f, inset_lies, sizeof inset_lies / sizeof inset_lies[0], check_usable);
    bosc_planet_free(planet);
    free(f.bytes);
}

static void arguments(bosc_ctx *ctx)
{
    bosc_planet *planet = make_planet(ctx, NULL, 0), *back = NULL, *bare = NULL;
    struct saved f = planet_save(ctx, planet);
    CHECK_EQ(bosc_planet_write(NULL, planet, saved_append, &f), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_write(ctx, NULL, saved_append, &f), "planet");
    CHECK_ARG(ctx, bosc_planet_write(ctx, planet, NULL, &f), "write");
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &bare));
    CHECK_ARG(ctx, bosc_planet_write(ctx, bare, saved_append, &f), "planet");
    CHECK_EQ(bosc_planet_read(NULL, saved_deliver, &f, &back), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_read(ctx, NULL, &f, &back), "read");
    CHECK_ARG(ctx, bosc_planet_read(ctx, saved_deliver, &f, NULL), "planet");
    CHECK(back == NULL);
    bosc_planet_free(planet);
    bosc_planet_free(bare);
    free(f.bytes);
}

static const unsigned char golden_plain[] = {
#include "golden/planet-v1.bosc.inc"
};
static const unsigned char golden_insets[] = {
#include "golden/planet-v2.bosc.inc"
};

static void golden(bosc_ctx *ctx)
{
    const bosc_planet_opts opts = {.size = sizeof opts, .depth = 40, .detail_amplitude = 50, .detail_seed = 9};
    bosc_planet *planet = make_planet(ctx, &opts, 3);
    bosc_planet *back = saved_golden(ctx, &saved_planet, planet, "planet-v1.bosc", golden_plain, sizeof golden_plain);
    check_alike(ctx, planet, back);
    bosc_planet_free(back);
    planet_add_insets(ctx, planet);
    back = saved_golden(ctx, &saved_planet, planet, "planet-v2.bosc", golden_insets, sizeof golden_insets);
    check_alike(ctx, planet, back);
    bosc_planet_free(planet);
    bosc_planet_free(back);
}

static const struct suite_case suite_cases_planet_save[] = {
    {"round_trip", round_trip, NULL},
    {"insets", round_trip_insets, NULL},
    {"sign_of_zero", sign_of_zero, NULL},
    {"damage", damage, NULL},
    {"malice", malice, NULL},
    {"arguments", arguments, NULL},
    {"golden", golden, NULL},
};
SUITE(planet_save);
