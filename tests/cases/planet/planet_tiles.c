/* Planets with a raster read by tiles equal planets with the whole raster in memory, to the bit, and take less memory.
 * */
#include "cases/planet/planet_data.h"

#include "base/fault.h"
#include "support/saved.h"

/* A raster in memory whose parts are read. */
struct source {
    const void *values;
    int64_t width, height, size; /* size: bytes of a value */
    int64_t reads, fails;        /* fails: index of the failing read, from 0; -1: none */
};

static int read_part(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    struct source *s = user;
    CHECK(row >= 0 && column >= 0 && rows > 0 && columns > 0 && row + rows <= s->height &&
          column + columns <= s->width);
    if (s->reads++ == s->fails) return 1;
    for (int64_t r = 0; r < rows; r++)
        memcpy((char *)values + r * columns * s->size,
               (const char *)s->values + ((row + r) * s->width + column) * s->size, (size_t)(columns * s->size));
    return 0;
}

static bosc_planet_tiles tiles_of(struct source *s, int32_t tile, int64_t slots)
{
    const bosc_planet_tiles tiles = {.size = sizeof tiles,
                                     .read = read_part,
                                     .user = s,
                                     .width = s->width,
                                     .height = s->height,
                                     .tile = tile,
                                     .cache_bytes = slots * tile * tile * 4};
    return tiles;
}

static bosc_planet *tiled_make(bosc_ctx *ctx, const bosc_planet_opts *opts, const bosc_planet_tiles *tiles)
{
    bosc_planet *planet = NULL;
    CHECK_OK(ctx, bosc_planet_create(ctx, opts, &planet));
    CHECK_OK(ctx, bosc_planet_build_tiles(ctx, planet, tiles));
    return planet;
}

static void check_same(bosc_ctx *ctx, const bosc_planet *a, const bosc_planet *b)
{
    struct planet_mesh m = planet_mesh_get(ctx, a, NULL), n = planet_mesh_get(ctx, b, NULL);
    CHECK(m.counts[0] == n.counts[0] && m.counts[1] == n.counts[1]);
    CHECK(memcmp(m.positions, n.positions, (size_t)m.counts[0] * 24) == 0);
    CHECK(memcmp(m.triangles, n.triangles, (size_t)m.counts[1] * 12) == 0);
    planet_mesh_release(&m);
    planet_mesh_release(&n);
}

static void check_samples(bosc_ctx *ctx, const bosc_planet *whole, const bosc_planet *tiled)
{
    enum { N = 200 };
    struct suite_random r = {5};
    double directions[N][3], heights[2][N], positions[2][3 * N];
    bosc_planet_stats stats[2] = {{.size = sizeof stats[0]}, {.size = sizeof stats[0]}};
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) directions[i][c] = i < 6 ? (c == i / 2) * (i % 2 ? 1 : -1) : suite_unit(&r) - 0.5;
    directions[7][0] = NAN;
    CHECK_OK(ctx, bosc_planet_sample(ctx, whole, directions[0], N, heights[0], positions[0]));
    CHECK_OK(ctx, bosc_planet_sample(ctx, tiled, directions[0], N, heights[1], positions[1]));
    CHECK(memcmp(heights[0], heights[1], sizeof heights[0]) == 0);
    CHECK(memcmp(positions[0], positions[1], sizeof positions[0]) == 0);
    CHECK_OK(ctx, bosc_planet_sample(ctx, tiled, directions[0], 0, heights[1], NULL));
    CHECK_OK(ctx, bosc_planet_measure(ctx, whole, &stats[0]));
    CHECK_OK(ctx, bosc_planet_measure(ctx, tiled, &stats[1]));
    CHECK(memcmp(&stats[0], &stats[1], sizeof stats[0]) == 0);
}

/* The same calls on both planets: a bound, a descent, commands, a budget. */
static void check_same_calls(bosc_ctx *ctx, bosc_planet *whole, bosc_planet *tiled)
{
    bosc_planet *const both[2] = {whole, tiled};
    bosc_planet_camera cameras[2] = {{.fov = 1, .pixels = 24, .width = 640, .height = 480, .cull = 1}};
    cameras[1] = cameras[0];
    /* 1. A bound. */
    bosc_planet_goal goal = {.size = sizeof goal, .error = 150000};
    for (int p = 0; p < 2; p++) CHECK_OK(ctx, bosc_planet_select(ctx, both[p], &goal));
    check_same(ctx, whole, tiled);
    check_samples(ctx, whole, tiled);
    /* 2. A descent with hysteresis, near the border of the raster. */
    for (double altitude = 1e7; altitude > 10; altitude /= 50) {
        goal = (bosc_planet_goal){.size = sizeof goal, .hysteresis = 0.1};
        for (int p = 0; p < 2; p++) {
            CHECK_OK(ctx, bosc_planet_place(ctx, both[p], -33, 179.9, altitude, 20, -60, &cameras[p]));
            goal.camera = &cameras[p];
            CHECK_OK(ctx, bosc_planet_select(ctx, both[p], &goal));
        }
        CHECK(memcmp(&cameras[0], &cameras[1], sizeof cameras[0]) == 0);
        check_same(ctx, whole, tiled);
    }
    /* 3. Commands. */
    const int64_t n = planet_info(ctx, whole).triangles;
    uint8_t *commands = suite_alloc((size_t)n);
    for (int64_t t = 0; t < n; t++) commands[t] = (uint8_t)(t % 3);
    for (int p = 0; p < 2; p++) CHECK_OK(ctx, bosc_planet_update(ctx, both[p], commands, n));
    free(commands);
    check_same(ctx, whole, tiled);
    /* 4. A budget. */
    goal = (bosc_planet_goal){.size = sizeof goal, .triangles = 500};
    for (int p = 0; p < 2; p++) CHECK_OK(ctx, bosc_planet_select(ctx, both[p], &goal));
    check_same(ctx, whole, tiled);
    check_samples(ctx, whole, tiled);
}

/* Sizes with cut tiles, with a remainder of one column, and with one tile only. */
static void same_bits(bosc_ctx *ctx)
{
    static const struct {
        int64_t width, height;
        int32_t tile;
    } sizes[] = {{97, 41, 8}, {64, 64, 8}, {100, 49, 16}, {24, 12, 256}, {1, 1, 8}, {200, 3, 8}, {3, 200, 8}};
    for (int i = 0; i < 7; i++) {
        if (suite_leaves_out()) continue;
        const bosc_planet_opts opts = {.size = sizeof opts, .detail_amplitude = i % 2 ? 40 : 0, .detail_octaves = 3};
        float *heights = planet_heights(sizes[i].width, sizes[i].height, (uint64_t)i);
        struct source source = {heights, sizes[i].width, sizes[i].height, sizeof *heights, 0, -1};
        const bosc_planet_tiles tiles = tiles_of(&source, sizes[i].tile, 32);
        bosc_planet *whole = planet_make(ctx, &opts, heights, source.width, source.height);
        bosc_planet *tiled = tiled_make(ctx, &opts, &tiles);
        const bosc_planet_info a = planet_info(ctx, whole), b = planet_info(ctx, tiled);
        CHECK(a.width == b.width && a.height == b.height && a.low == b.low && a.high == b.high);
        check_same_calls(ctx, whole, tiled);
        bosc_planet_free(whole);
        bosc_planet_free(tiled);
        free(heights);
    }
}

/* Integers of 16 bits, with a scale and an offset. */
static void short_values(bosc_ctx *ctx)
{
    enum { W = 50, H = 30 };
    uint16_t values[W * H];
    struct source source = {values, W, H, sizeof *values, 0, -1};
    struct suite_random r = {3};
    for (int i = 0; i < W * H; i++) values[i] = (uint16_t)suite_below(&r, 65536);
    for (int kind = 0; kind < 2; kind++) {
        bosc_planet_tiles tiles = tiles_of(&source, 8, 32);
        bosc_planet_raster raster = {.size = sizeof raster, .heights = values, .width = W, .height = H};
        raster.dtype = tiles.dtype = kind ? BOSC_I16 : BOSC_U16;
        raster.scale = tiles.scale = 0.1;
        raster.offset = tiles.offset = -500;
        bosc_planet *whole = NULL, *tiled = tiled_make(ctx, NULL, &tiles);
        CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &whole));
        CHECK_OK(ctx, bosc_planet_build(ctx, whole, &raster));
        check_samples(ctx, whole, tiled);
        bosc_planet_free(whole);
        bosc_planet_free(tiled);
    }
}

/* Directions between the first two rows of tiles: each needs a tile of both, so more than there are slots. */
static void two_rows(bosc_ctx *ctx)
{
    enum { W = 480, H = 40, N = W };
    float *heights = planet_heights(W, H, 6);
    struct source source = {heights, W, H, sizeof *heights, 0, -1};
    const bosc_planet_tiles tiles = tiles_of(&source, 8, 32);
    bosc_planet *whole = planet_make(ctx, NULL, heights, W, H), *tiled = tiled_make(ctx, NULL, &tiles);
    double(*directions)[3] = suite_alloc(N * sizeof *directions), *a = suite_alloc(N * 8), *b = suite_alloc(N * 8);
    for (int i = 0; i < N; i++) {
        const double longitude = 2 * M_PI * (i * 7 % N + 0.3) / N, latitude = 0.3 * M_PI; /* row 7.5 */
        directions[i][0] = cos(latitude) * cos(longitude);
        directions[i][1] = cos(latitude) * sin(longitude);
        directions[i][2] = sin(latitude);
    }
    source.reads = 0;
    CHECK_OK(ctx, bosc_planet_sample(ctx, whole, directions[0], N, a, NULL));
    CHECK_OK(ctx, bosc_planet_sample(ctx, tiled, directions[0], N, b, NULL));
    CHECK(memcmp(a, b, N * sizeof *a) == 0);
    CHECK(source.reads >= 120 - 32 && source.reads < 500);
    bosc_planet_free(whole);
    bosc_planet_free(tiled);
    free(directions);
    free(a);
    free(b);
    free(heights);
}

/* Bytes of host memory that a context takes. */
struct bytes {
    int64_t now, most;
};

static void *count_alloc(void *user, size_t bytes)
{
    struct bytes *b = user;
    b->now += (int64_t)bytes;
    if (b->now > b->most) b->most = b->now;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void count_free(void *user, void *memory, size_t bytes)
{
    if (memory) ((struct bytes *)user)->now -= (int64_t)bytes;
    free(memory);
}

/* A raster of 8 MB through a cache of 128 KiB: all allocations together are less than a fifth of the raster. */
static void little_memory(bosc_ctx *ctx)
{
    enum { W = 2048, H = 1024, TILE = 32, SLOTS = 32 };
    bosc_ctx_opts o = suite_opts_like(ctx);
    if (o.backend != BOSC_BACKEND_CPU) return; /* memory of the device is not counted here */
    struct bytes bytes = {0, 0};
    o.host = (bosc_allocator){count_alloc, count_free, &bytes};
    bosc_ctx *counted = suite_open(&o);
    float *heights = planet_heights(W, H, 1);
    struct source source = {heights, W, H, sizeof *heights, 0, -1};
    const bosc_planet_tiles tiles = tiles_of(&source, TILE, SLOTS);
    bosc_planet_camera camera = {.fov = 1, .pixels = 16, .width = 640, .height = 480};
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera};
    bosc_planet *planet = tiled_make(counted, NULL, &tiles);
    CHECK(source.reads >= (W / TILE) * (H / TILE) && source.reads < 8 * (W / TILE) * (H / TILE));
    CHECK_OK(counted, bosc_planet_place(counted, planet, 10, 20, 1e6, 0, -90, &camera));
    CHECK_OK(counted, bosc_planet_select(counted, planet, &goal));
    CHECK(planet_info(counted, planet).triangles > 300);
    CHECK(bytes.most < W * H * 4 / 5);
    bosc_planet *whole = planet_make(ctx, NULL, heights, W, H);
    CHECK_OK(ctx, bosc_planet_place(ctx, whole, 10, 20, 1e6, 0, -90, &camera));
    CHECK_OK(ctx, bosc_planet_select(ctx, whole, &goal));
    check_same(ctx, whole, planet);
    bosc_planet_free(whole);
    bosc_planet_free(planet);
    bosc_ctx_free(counted);
    CHECK_EQ(bytes.now, 0);
    free(heights);
}

/* Each read fails in turn: the call reports it, and the next call repairs the mesh. */
static void failing_reads_are_repaired(bosc_ctx *ctx)
{
    enum { W = 90, H = 40 };
    float *heights = planet_heights(W, H, 9);
    struct source source = {heights, W, H, sizeof *heights, 0, -1};
    const bosc_planet_tiles tiles = tiles_of(&source, 8, 32);
    bosc_planet_camera camera = {.fov = 1, .pixels = 40, .width = 640, .height = 480};
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera},
                           none = {.size = sizeof none, .triangles = 8};
    /* 1. The expected mesh, from the whole raster. */
    bosc_planet *whole = planet_make(ctx, NULL, heights, W, H), *planet = NULL;
    CHECK_OK(ctx, bosc_planet_place(ctx, whole, 10, 20, 1e6, 0, -90, &camera));
    CHECK_OK(ctx, bosc_planet_select(ctx, whole, &goal));
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &planet));
    /* 2. Failures during the build leave the planet empty. */
    int64_t failed = 0;
    bosc_status status = BOSC_ERR_IO;
    for (int64_t k = 0; status != BOSC_OK; k += suite_slow(ctx) ? 17 : 7) {
        source.fails = k;
        source.reads = 0;
        status = bosc_planet_build_tiles(ctx, planet, &tiles);
        if (status == BOSC_OK) continue;
        CHECK_EQ(status, BOSC_ERR_IO);
        CHECK(suite_begins(bosc_ctx_message(ctx), "tiles: rows ") && strstr(bosc_ctx_message(ctx), "cannot be read"));
        CHECK_EQ(planet_info(ctx, planet).width, 0);
        failed++;
    }
    source.fails = -1;
    CHECK(failed > 2);
    /* 3. Failures during a selection are repaired by the next one. */
    failed = 0;
    for (int64_t k = 0; k < 30; k += suite_slow(ctx) ? 11 : 1) {
        source.fails = source.reads + k;
        status = bosc_planet_select(ctx, planet, &none);
        if (status == BOSC_OK) status = bosc_planet_select(ctx, planet, &goal);
        CHECK(status == BOSC_OK || status == BOSC_ERR_IO);
        failed += status != BOSC_OK;
        source.fails = -1;
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &none));
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        check_same(ctx, whole, planet);
    }
    CHECK(failed > 0);
    bosc_planet_free(whole);
    bosc_planet_free(planet);
    free(heights);
}

static void refuses_bad_tiles(bosc_ctx *ctx)
{
    enum { W = 20, H = 10 };
    float *heights = planet_heights(W, H, 2);
    struct source source = {heights, W, H, sizeof *heights, 0, -1};
    const bosc_planet_tiles good = tiles_of(&source, 8, 32);
    bosc_planet *planet = tiled_make(ctx, NULL, &good);
    bosc_planet_tiles t = good;
/* Each change is refused, and the planet keeps its raster. */
#define BAD(change, text)                                               \
    do {                                                                \
        t = good;                                                       \
        change;                                                         \
        CHECK_ARG(ctx, bosc_planet_build_tiles(ctx, planet, &t), text); \
        CHECK(planet_info(ctx, planet).width == W);                     \
    } while (0)
    CHECK_EQ(bosc_planet_build_tiles(NULL, planet, &good), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_build_tiles(ctx, NULL, &good), "planet");
    CHECK_ARG(ctx, bosc_planet_build_tiles(ctx, planet, NULL), "tiles");
    BAD(t.size = 4, "tiles: size");
    BAD(t.read = NULL, "tiles: read is NULL");
    BAD(t.width = 0, "width");
    BAD(t.height = -1, "height");
    BAD(t.tile = 4, "tiles: tile 4");
    BAD(t.tile = 24, "tiles: tile 24");
    BAD(t.tile = 8192, "tiles: tile 8192");
    BAD(t.tile = -8, "tiles: tile -8");
    BAD(t.cache_bytes = 31 * 256, "tiles: cache_bytes 7936");
    BAD(t.cache_bytes = -1, "tiles: cache_bytes -1");
    BAD(t.dtype = BOSC_F64, "tiles: dtype");
    BAD(t.scale = NAN, "tiles: scale");
    BAD(t.offset = INFINITY, "tiles: offset");
    t = good;
    t.width = t.height = 1 << 16;
    CHECK_STATUS(ctx, bosc_planet_build_tiles(ctx, planet, &t), BOSC_ERR_LIMIT);
    /* A NaN is found while tiles are read, which empties the planet. */
    heights[13 * 1 + 20 * 4] = NAN;
    CHECK_STATUS(ctx, bosc_planet_build_tiles(ctx, planet, &good), BOSC_ERR_DATA);
    CHECK(strstr(bosc_ctx_message(ctx), "row 4, column 13"));
    CHECK_EQ(planet_info(ctx, planet).width, 0);
    bosc_planet_free(planet);
    free(heights);
}

/* A planet by tiles saves the same bytes as the one with the whole raster, and is read back by tiles. */
static void check_saved(bosc_ctx *ctx, int64_t width, int64_t height, int rounds)
{
    float *heights = planet_heights(width, height, 9);
    struct source source = {heights, width, height, sizeof *heights, 0, -1};
    const bosc_planet_opts opts = {.size = sizeof opts, .depth = 50, .detail_amplitude = 20, .detail_seed = 3};
    const bosc_planet_tiles tiles = tiles_of(&source, 8, 40);
    bosc_planet *whole = planet_make(ctx, &opts, heights, width, height), *tiled = tiled_make(ctx, &opts, &tiles),
                *back = NULL;
    struct saved f[3] = {{0}, {0}, {0}};
    if (rounds == 1) planet_add_insets(ctx, whole);
    if (rounds == 1) planet_add_insets(ctx, tiled);
    /* 1. Some rounds of commands on both. */
    for (int round = 0; round < rounds; round++) {
        const int64_t n = planet_info(ctx, whole).triangles;
        uint8_t *commands = suite_alloc((size_t)n);
        for (int64_t t = 0; t < n; t++) commands[t] = t % 5 == round % 5;
        CHECK_OK(ctx, bosc_planet_update(ctx, whole, commands, n));
        CHECK_OK(ctx, bosc_planet_update(ctx, tiled, commands, n));
        free(commands);
    }
    /* 2. Both save the same bytes. */
    CHECK_OK(ctx, bosc_planet_write(ctx, whole, saved_append, &f[0]));
    CHECK_OK(ctx, bosc_planet_write(ctx, tiled, saved_append, &f[1]));
    CHECK(f[0].size == f[1].size && memcmp(f[0].bytes, f[1].bytes, f[0].size) == 0);
    /* 3. Read back by tiles: small, equal, and saved with the same bytes. */
    CHECK_OK(ctx, bosc_planet_read_tiles(ctx, saved_deliver, &f[0], &tiles, &back));
    CHECK(f[0].at == f[0].size && planet_info(ctx, back).bytes < planet_info(ctx, whole).bytes + 5000);
    check_same(ctx, whole, back);
    check_samples(ctx, whole, back);
    CHECK_OK(ctx, bosc_planet_write(ctx, back, saved_append, &f[2]));
    CHECK(f[0].size == f[2].size && memcmp(f[0].bytes, f[2].bytes, f[0].size) == 0);
    bosc_planet_free(whole);
    bosc_planet_free(tiled);
    bosc_planet_free(back);
    for (int i = 0; i < 3; i++) free(f[i].bytes);
    free(heights);
}

static void saved(bosc_ctx *ctx)
{
    check_saved(ctx, 100, 49, 3);
    check_saved(ctx, 3, 2, 1);
    if (suite_slow(ctx)) return;
    check_saved(ctx, 66000, 3, 0); /* a row exceeds a piece of the file */
    check_saved(ctx, 700, 200, 1); /* several pieces */
}

/* Other heights or sizes, damaged files, and failing reads. */
static void not_loaded(bosc_ctx *ctx)
{
    enum { W = 40, H = 20 };
    float *heights = planet_heights(W, H, 2);
    struct source source = {heights, W, H, sizeof *heights, 0, -1};
    bosc_planet_tiles tiles = tiles_of(&source, 8, 32);
    bosc_planet *planet = tiled_make(ctx, NULL, &tiles), *back = NULL;
    struct saved f = {0}, none = {0};
    CHECK_OK(ctx, bosc_planet_write(ctx, planet, saved_append, &f));
#define READ(given) (f.at = 0, bosc_planet_read_tiles(ctx, saved_deliver, &f, given, &back))
    CHECK_EQ(bosc_planet_read_tiles(NULL, saved_deliver, &f, &tiles, &back), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_read_tiles(ctx, NULL, &f, &tiles, &back), "read");
    CHECK_ARG(ctx, bosc_planet_read_tiles(ctx, saved_deliver, &f, &tiles, NULL), "planet");
    CHECK_ARG(ctx, READ(NULL), "tiles: NULL");
    tiles.size = 3;
    CHECK_ARG(ctx, READ(&tiles), "tiles: size");
    tiles.size = sizeof tiles;
    tiles.width--;
    CHECK_ARG(ctx, READ(&tiles), "tiles: 39 x 20 heights, but the saved planet has 40 x 20");
    tiles.width++;
    tiles.tile = 9;
    CHECK_ARG(ctx, READ(&tiles), "tiles: tile 9");
    tiles.tile = 8;
    heights[W * H - 1] += 1;
    CHECK_STATUS(ctx, READ(&tiles), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "tiles: the heights are not those"));
    heights[W * H - 1] -= 1;
    for (int which = 3; which < 16; which += 12) { /* a tile; then a piece, behind the 15 tiles */
        source.fails = source.reads + which;
        CHECK_STATUS(ctx, READ(&tiles), BOSC_ERR_IO);
    }
    source.fails = source.reads;
    CHECK_STATUS(ctx, bosc_planet_write(ctx, planet, saved_append, &none), BOSC_ERR_IO);
    source.fails = -1;
    for (size_t size = 0; size < f.size; size += 97) {
        struct saved cut = {f.bytes, size, 0, 0};
        CHECK_STATUS(ctx, bosc_planet_read_tiles(ctx, saved_deliver, &cut, &tiles, &back), BOSC_ERR_FORMAT);
    }
    f.bytes[200] ^= 1; /* a height, whose hash is that of the file's */
    CHECK_STATUS(ctx, READ(&tiles), BOSC_ERR_FORMAT);
    CHECK(!back);
    f.bytes[200] ^= 1;
    CHECK_OK(ctx, READ(&tiles));
    bosc_planet_free(planet);
    bosc_planet_free(back);
    free(f.bytes);
    free(none.bytes);
    free(heights);
}

/* Reserved, then built whole, by tiles, and whole again. */
static void either_way(bosc_ctx *ctx)
{
    enum { W = 100, H = 50 };
    float *heights = planet_heights(W, H, 8);
    struct source source = {heights, W, H, sizeof *heights, 0, -1};
    const bosc_planet_tiles tiles = tiles_of(&source, 8, 32);
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = heights, .width = W, .height = H};
    bosc_planet *whole = planet_make(ctx, NULL, heights, W, H), *planet = NULL;
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &planet));
    for (int time = 0; time < 4; time++) {
        if (time % 2) CHECK_OK(ctx, bosc_planet_build(ctx, planet, &raster));
        if (time % 2 == 0) CHECK_OK(ctx, bosc_planet_build_tiles(ctx, planet, &tiles));
        const int64_t reads = source.reads;
        CHECK_OK(ctx, bosc_planet_reserve(ctx, planet, W * (time + 1), H, NULL, 0, 1000));
        check_samples(ctx, whole, planet);
        CHECK((source.reads > reads) == (time % 2 == 0));
    }
    bosc_planet_free(whole);
    bosc_planet_free(planet);
    free(heights);
}

static const struct suite_case suite_cases_planet_tiles[] = {
    {"same_bits", same_bits, NULL},
    {"short_values", short_values, NULL},
    {"two_rows", two_rows, NULL},
    {"little_memory", little_memory, NULL},
    {"failing_reads", failing_reads_are_repaired, NULL},
    {"arguments", refuses_bad_tiles, NULL},
    {"either_way", either_way, NULL},
    {"saved", saved, NULL},
    {"not_loaded", not_loaded, NULL},
};
SUITE(planet_tiles);
