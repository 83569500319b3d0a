/* Each allocation, copy and launch of planets fails in turn. */
#include "cases/planet/planet_data.h"

#include "support/faults.h"
#include "support/saved.h"

enum { W = 6, H = 3, ROOM = 600, CALLS = 13 };

struct outputs {
    int64_t counts[2], tiles[9];
    float vertices[3 * ROOM], normals[3 * ROOM];
    double positions[3 * ROOM], heights[4];
    uint32_t triangles[3 * ROOM];
    bosc_planet_stats stats;
    bosc_planet_camera camera;
};

struct subject {
    bosc_planet *planet;
    int which;
    float *heights;
    uint8_t commands[64];
    struct saved file;
    struct outputs out;
};

static const bosc_planet_opts with_detail = {.size = sizeof with_detail, .detail_amplitude = 100, .detail_octaves = 2};

static void open_planet(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_planet_goal goal = {.size = sizeof goal, .triangles = 40};
    s->planet = planet_make(ctx, &with_detail, s->heights, W, H);
    planet_add_insets(ctx, s->planet);
    CHECK_OK(ctx, bosc_planet_select(ctx, s->planet, &goal));
    CHECK_OK(ctx, bosc_planet_write(ctx, s->planet, saved_append, &s->file));
}

static void close_planet(void *user)
{
    struct subject *s = user;
    bosc_planet_free(s->planet);
    free(s->file.bytes);
    s->file = (struct saved){NULL, 0, 0, 0};
}

static bosc_status get_mesh(bosc_ctx *ctx, const bosc_planet *planet, struct outputs *o)
{
    return bosc_planet_get_mesh(ctx, planet, NULL, o->vertices, o->positions, o->normals, ROOM, o->triangles, ROOM,
                                o->counts);
}

static bosc_status get_part(bosc_ctx *ctx, const bosc_planet *planet, struct outputs *o)
{
    int64_t tiles[9];
    bosc_status status = bosc_planet_get_tiles(ctx, planet, 0, tiles, 9);
    if (status == BOSC_OK)
        status = bosc_planet_get_part(ctx, planet, 1, 3, NULL, o->vertices, o->positions, o->normals, ROOM,
                                      o->triangles, ROOM, o->counts);
    if (status == BOSC_OK) memcpy(o->tiles, tiles, sizeof tiles);
    return status;
}

/* Builds a planet from a raster, and makes a mesh. */
static bosc_status make_whole(bosc_ctx *ctx, struct subject *s)
{
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = s->heights, .width = W, .height = H};
    const bosc_planet_goal goal = {.size = sizeof goal, .error = 400000};
    bosc_planet *planet = NULL;
    bosc_status status = bosc_planet_create(ctx, &with_detail, &planet);
    if (status == BOSC_OK) status = bosc_planet_build(ctx, planet, &raster);
    if (status == BOSC_OK) status = bosc_planet_select(ctx, planet, &goal);
    if (status == BOSC_OK) status = get_mesh(ctx, planet, &s->out);
    bosc_planet_free(planet);
    return status;
}

static int read_part(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    const float *heights = user;
    for (int64_t r = 0; r < rows; r++)
        memcpy((float *)values + r * columns, heights + (row + r) * W + column, (size_t)columns * sizeof *heights);
    return 0;
}

/* The same from a raster that is read by tiles. */
static bosc_status make_tiled(bosc_ctx *ctx, struct subject *s)
{
    const bosc_planet_tiles tiles = {
        .size = sizeof tiles, .read = read_part, .user = s->heights, .width = W, .height = H, .tile = 8};
    const bosc_planet_goal goal = {.size = sizeof goal, .error = 400000};
    bosc_planet *planet = NULL;
    bosc_status status = bosc_planet_create(ctx, &with_detail, &planet);
    if (status == BOSC_OK) status = bosc_planet_build_tiles(ctx, planet, &tiles);
    if (status == BOSC_OK) status = bosc_planet_select(ctx, planet, &goal);
    if (status == BOSC_OK) status = get_mesh(ctx, planet, &s->out);
    bosc_planet_free(planet);
    return status;
}

/* Builds the planet of the subject, without insets. */
static bosc_status build_again(bosc_ctx *ctx, struct subject *s)
{
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = s->heights, .width = W, .height = H};
    return bosc_planet_build(ctx, s->planet, &raster);
}

/* Lays an inset over the planet. */
static bosc_status add_inset(bosc_ctx *ctx, struct subject *s)
{
    const bosc_planet_inset inset = {.size = sizeof inset,
                                     .heights = s->heights,
                                     .width = W,
                                     .height = H,
                                     .west = 10,
                                     .south = -20,
                                     .east = 40,
                                     .north = 9};
    const bosc_planet_goal goal = {.size = sizeof goal, .error = 400000};
    bosc_planet_stats stats = {.size = sizeof stats};
    bosc_status status = build_again(ctx, s);
    if (status == BOSC_OK) status = bosc_planet_add_inset(ctx, s->planet, &inset);
    if (status == BOSC_OK) status = bosc_planet_select(ctx, s->planet, &goal);
    if (status == BOSC_OK) status = bosc_planet_measure(ctx, s->planet, &stats);
    return status == BOSC_OK ? get_mesh(ctx, s->planet, &s->out) : status;
}

static bosc_status read_saved(bosc_ctx *ctx, struct subject *s)
{
    bosc_planet *planet = NULL;
    s->file.at = 0;
    bosc_status status = bosc_planet_read(ctx, saved_deliver, &s->file, &planet);
    if (status == BOSC_OK) status = get_mesh(ctx, planet, &s->out);
    bosc_planet_free(planet);
    return status;
}

/* Reads a saved planet with its raster by tiles. */
static bosc_status read_saved_tiles(bosc_ctx *ctx, struct subject *s)
{
    const bosc_planet_tiles tiles = {
        .size = sizeof tiles, .read = read_part, .user = s->heights, .width = W, .height = H, .tile = 8};
    bosc_planet *planet = NULL;
    struct saved again = {NULL, 0, 0, 0};
    s->file.at = 0;
    bosc_status status = bosc_planet_read_tiles(ctx, saved_deliver, &s->file, &tiles, &planet);
    if (status == BOSC_OK) status = bosc_planet_write(ctx, planet, saved_append, &again);
    if (status == BOSC_OK) CHECK(again.size == s->file.size && memcmp(again.bytes, s->file.bytes, again.size) == 0);
    if (status == BOSC_OK) status = get_mesh(ctx, planet, &s->out);
    bosc_planet_free(planet);
    free(again.bytes);
    return status;
}

/* Changes a mesh, starting from the octahedron: the same change repairs a mesh that a failure left incomplete. */
static bosc_status change(bosc_ctx *ctx, struct subject *s)
{
    const bosc_planet_goal few = {.size = sizeof few, .triangles = 8};
    bosc_planet_camera camera = {.fov = 1, .pixels = 100, .width = 640, .height = 480};
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera, .passes = 3};
    bosc_status status = bosc_planet_select(ctx, s->planet, &few);
    if (status == BOSC_OK) status = bosc_planet_update(ctx, s->planet, s->commands, 8);
    if (status == BOSC_OK) status = bosc_planet_place(ctx, s->planet, 10, 20, 1e6, 0, -90, &camera);
    if (status == BOSC_OK) status = bosc_planet_select(ctx, s->planet, &goal);
    return status == BOSC_OK ? get_mesh(ctx, s->planet, &s->out) : status;
}

/* One of the calls on an existing mesh. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    static const double directions[4][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 1}, {0, 0, -1}};
    static const int64_t larger_insets[3][2] = {{9, 9}, {6, 20}, {3, 3}};
    struct subject *s = user;
    struct outputs *o = &s->out;
    bosc_planet_stats stats = {.size = sizeof stats};
    bosc_status status;
    switch (s->which) {
    case 0: return make_whole(ctx, s);
    case 1: return change(ctx, s);
    case 2: return get_mesh(ctx, s->planet, o);
    case 3: return bosc_planet_sample(ctx, s->planet, directions[0], 4, o->heights, o->positions);
    case 4: return bosc_planet_reserve(ctx, s->planet, 3 * W, 2 * H, larger_insets[0], 3, 500);
    case 5: return bosc_planet_place(ctx, s->planet, 1, 2, 3, 4, 5, &o->camera);
    case 6: return read_saved(ctx, s);
    case 7: s->file.size = 0; return bosc_planet_write(ctx, s->planet, saved_append, &s->file);
    case 8: return make_tiled(ctx, s);
    case 10: return read_saved_tiles(ctx, s);
    case 9: return get_part(ctx, s->planet, o);
    case 12: return add_inset(ctx, s);
    default:
        status = bosc_planet_measure(ctx, s->planet, &stats);
        if (status == BOSC_OK) o->stats = stats;
        return status;
    }
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = calloc(1, sizeof *s);
    CHECK(s != NULL);
    s->heights = planet_heights(W, H, 6);
    memset(s->commands, BOSC_BISECTOR_SPLIT, sizeof s->commands);
    const struct fault_sweep sweep = {.call = call,
                                      .open = open_planet,
                                      .close = close_planet,
                                      .user = s,
                                      .outputs = &s->out,
                                      .output_bytes = sizeof s->out,
                                      .may_pass_none = true};
    for (s->which = 0; s->which < CALLS; s->which++) fault_sweep(ctx, &sweep);
    free(s->heights);
    free(s);
}

/* After an update failed halfway calls are refused until the next update completes it. */
static void failed_updates_are_completed(bosc_ctx *ctx)
{
#ifdef BOSC_FAULTS
    float *heights = planet_heights(W, H, 6);
    const struct reference_planet plain = {.heights = heights, .width = W, .height = H, .radius = 6371000};
    int refused = 0;
    /* Fails the k-th allocation, copy or launch of one update. */
    for (int64_t k = 0; k < 200; k++) {
        bosc_planet *planet = planet_make(ctx, NULL, heights, W, H);
        const uint8_t split[8] = {1, 1, 1, 1, 1, 1, 1, 1};
        bi_fault_arm(FAULTS_OF_CALLS, k, false);
        const bosc_status status = bosc_planet_update(ctx, planet, split, 8);
        const int64_t passed = bi_fault_passages();
        bi_fault_disarm();
        /* 1. The mesh is refused, or it is still the octahedron. */
        int64_t counts[2];
        if (status != BOSC_OK) {
            const bosc_status then = bosc_planet_get_mesh(ctx, planet, NULL, NULL, NULL, NULL, 0, NULL, 0, counts);
            if (then != BOSC_OK) {
                CHECK(suite_begins(bosc_ctx_message(ctx), "planet: its last change failed halfway"));
                refused++;
                CHECK_OK(ctx, bosc_planet_update(ctx, planet, NULL, 0));
                CHECK_EQ(planet_info(ctx, planet).triangles, 16);
            } else {
                CHECK_EQ(counts[1], 8);
            }
        }
        /* 2. After the repair the mesh is that of the reference. */
        planet_check(ctx, planet, &plain, NULL);
        bosc_planet_free(planet);
        if (passed <= k) break;
    }
    CHECK(refused > 0);
    free(heights);
#else
    (void)ctx;
#endif
}

/* A reserve that fails halfway keeps the insets. */
static void failed_reserves_keep_insets(bosc_ctx *ctx)
{
#ifdef BOSC_FAULTS
    static const int64_t sizes[PLANET_INSETS][2] = {{40, 4}, {9, 90}};
    static const double directions[3][3] = {{0.8, 0.45, 0.3}, {-0.3, 0.01, -0.9}, {-0.3, -0.02, -0.9}};
    float *heights = planet_heights(W, H, 6);
    double before[3], after[3];
    int failed = 0;
    /* Fails the k-th allocation, copy or launch of a reserve. */
    for (int64_t k = 0; k < 200; k++) {
        bosc_planet *planet = planet_make(ctx, NULL, heights, W, H);
        planet_add_insets(ctx, planet);
        CHECK_OK(ctx, bosc_planet_sample(ctx, planet, directions[0], 3, before, NULL));
        bi_fault_arm(FAULTS_OF_CALLS, k, false);
        failed += bosc_planet_reserve(ctx, planet, W, H, sizes[0], PLANET_INSETS, 8) != BOSC_OK;
        const int64_t passed = bi_fault_passages();
        bi_fault_disarm();
        CHECK_OK(ctx, bosc_planet_sample(ctx, planet, directions[0], 3, after, NULL));
        CHECK(memcmp(before, after, sizeof before) == 0);
        bosc_planet_free(planet);
        if (passed <= k) break;
    }
    CHECK(failed > 4); /* two blocks of each inset */
    free(heights);
#else
    (void)ctx;
#endif
}

static const struct suite_case suite_cases_planet_faults[] = {{"faults", faults, NULL},
                                                              {"reserves", failed_reserves_keep_insets, NULL},
                                                              {"halfway", failed_updates_are_completed, NULL}};
SUITE(planet_faults);
