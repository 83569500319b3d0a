/* Parts of the heights in a .npy file equal those of the whole file; planets built from such parts. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <boscage/io.h>

#include "base/fault.h"
#include "cases/planet/planet_data.h"
#include "support/bytes.h"
#include "support/paths.h"

/* Writes a .npy file whose header says this. */
static void put_npy(const char *path, const char *descr, const char *order, const char *shape, const void *bytes,
                    size_t count)
{
    char header[128] = "\x93NUMPY\x01";
    header[8] = 118;
    const int used =
        snprintf(header + 10, 118, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, shape);
    memset(header + 10 + used, ' ', (size_t)(118 - used));
    header[127] = '\n';
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(header, 1, 128, file) == 128 && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static bosc_heights_file *open_file(const char *path, int64_t width, int64_t height)
{
    bosc_heights_file *file = NULL;
    bosc_io_error error;
    int64_t w, h;
    if (bosc_heights_file_open(path, BOSC_HEIGHTS_PLAIN, &file, &w, &h, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK(w == width && h == height);
    CHECK(*bosc_heights_file_message(file) == 0);
    return file;
}

/* Every type, byte order and index order; files in memory, and files read from disk on demand. */
static void parts(void)
{
    static const char *const types[] = {"<f4", ">f4", "<f8", ">f8", "<f2", "|i1", "|u1",
                                        "<i2", ">i2", "<u2", "<i4", ">u4", "<i8", ">u8"};
    struct suite_random r = {1};
    for (int t = 0; t < 14; t++) {
        const int bytes = types[t][2] - '0';
        const int64_t height = t % 2 ? 600 : 30, width = 2 * height;
        const size_t count = (size_t)(width * height * bytes);
        char path[PATH_ROOM], shape[40];
        unsigned char *values = suite_alloc(count);
        bosc_heights whole = {0};
        bosc_io_error error;
        for (size_t i = 0; i < count; i++) values[i] = (unsigned char)(suite_below(&r, 60)); /* no float is infinite */
        fresh_path(path, ".npy");
        snprintf(shape, sizeof shape, "%lld, %lld", (long long)height, (long long)width);
        put_npy(path, types[t], t % 3 ? "False" : "True", shape, values, count);
        CHECK_EQ(bosc_heights_read(path, BOSC_HEIGHTS_PLAIN, &whole, &error), BOSC_OK);
        bosc_heights_file *file = open_file(path, width, height);
        for (int trial = 0; trial < 40; trial++) {
            const int64_t rows = 1 + (int64_t)suite_below(&r, 9), columns = 1 + (int64_t)suite_below(&r, 20);
            const int64_t row = trial ? (int64_t)suite_below(&r, (uint32_t)(height - rows + 1)) : height - rows,
                          column = trial ? (int64_t)suite_below(&r, (uint32_t)(width - columns + 1)) : width - columns;
            float part[9 * 20];
            CHECK_EQ(bosc_heights_file_read(file, row, column, rows, columns, part), 0);
            for (int64_t i = 0; i < rows; i++)
                CHECK(memcmp(part + i * columns, whole.data + (row + i) * width + column, (size_t)columns * 4) == 0);
        }
        bosc_heights_file_close(file);
        bosc_heights_free(&whole);
        unlink(path);
        free(values);
    }
}

/* A planet from a file of 2 MB through a cache of 128 KiB. */
static void planet_of_file(bosc_ctx *ctx)
{
    enum { W = 1024, H = 512, TILE = 32, SLOTS = 32 };
    char path[PATH_ROOM];
    bosc_io_error error;
    float *heights = planet_heights(W, H, 3);
    const bosc_heights h = {.width = W, .height = H, .data = heights};
    fresh_path(path, ".npy");
    CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_OK);
    bosc_heights_file *file = open_file(path, W, H);
    const bosc_planet_tiles tiles = {.size = sizeof tiles,
                                     .read = bosc_heights_file_read,
                                     .user = file,
                                     .width = W,
                                     .height = H,
                                     .cache_bytes = SLOTS * TILE * TILE * 4,
                                     .tile = TILE};
    const bosc_planet_goal goal = {.size = sizeof goal, .triangles = 3000};
    /* 1. The planet built from tiles is much smaller than the one from an array, and has the same mesh. */
    bosc_planet *whole = planet_make(ctx, NULL, heights, W, H), *tiled = NULL;
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &tiled));
    CHECK_OK(ctx, bosc_planet_build_tiles(ctx, tiled, &tiles));
    CHECK(planet_info(ctx, tiled).bytes < planet_info(ctx, whole).bytes / 5);
    CHECK_OK(ctx, bosc_planet_select(ctx, whole, &goal));
    CHECK_OK(ctx, bosc_planet_select(ctx, tiled, &goal));
    struct planet_mesh m = planet_mesh_get(ctx, whole, NULL), n = planet_mesh_get(ctx, tiled, NULL);
    CHECK(m.counts[1] == n.counts[1] && m.counts[1] > 1000);
    CHECK(memcmp(m.positions, n.positions, (size_t)m.counts[0] * 24) == 0);
    CHECK(memcmp(m.triangles, n.triangles, (size_t)m.counts[1] * 12) == 0);
    planet_mesh_release(&m);
    planet_mesh_release(&n);
    /* 2. A truncated file fails the next build with its reason. */
    CHECK_EQ(truncate(path, 1 << 20), 0);
    CHECK_STATUS(ctx, bosc_planet_build_tiles(ctx, tiled, &tiles), BOSC_ERR_IO);
    CHECK(strstr(bosc_heights_file_message(file), "became shorter while it was read"));
    bosc_planet_free(whole);
    bosc_planet_free(tiled);
    bosc_heights_file_close(file);
    unlink(path);
    free(heights);
}

static void refused(void)
{
    static const float values[6] = {1, 2, NAN, 4, INFINITY, 6};
    static const struct {
        const char *order, *shape;
        size_t count;
        const char *reason;
    } files[] = {
        {"False", "6,", 24, "two dimensions"}, {"False", "0, 3", 0, "no samples"}, {"False", "2, 3", 20, "truncated"}};
    char path[PATH_ROOM];
    bosc_io_error failure;
    bosc_heights_file *file = NULL;
    int64_t w = 7, h = 7;
    float part[6];
    fresh_path(path, ".npy");
    /* 1. Files without a raster, and bad arguments. */
    for (int i = 0; i < 3; i++) {
        put_npy(path, "<f4", files[i].order, files[i].shape, values, files[i].count);
        CHECK_EQ(bosc_heights_file_open(path, BOSC_HEIGHTS_PLAIN, &file, &w, &h, &failure), BOSC_ERR_FORMAT);
        if (!strstr(failure.text, files[i].reason)) suite_fail(__FILE__, __LINE__, "%s", failure.text);
    }
    CHECK_EQ(bosc_heights_file_open("/etc/passwd", BOSC_HEIGHTS_PLAIN, &file, &w, &h, &failure), BOSC_ERR_FORMAT);
    CHECK(strstr(failure.text, "the ending is not one of .png"));
    CHECK_EQ(bosc_heights_file_open("/nowhere/h.npy", BOSC_HEIGHTS_PLAIN, &file, &w, &h, &failure), BOSC_ERR_IO);
    CHECK_TEXT(bosc_heights_file_open(NULL, BOSC_HEIGHTS_PLAIN, &file, &w, &h, error), "path");
    CHECK_TEXT(bosc_heights_file_open(path, BOSC_HEIGHTS_PLAIN, NULL, &w, &h, error), "file");
    CHECK_TEXT(bosc_heights_file_open(path, BOSC_HEIGHTS_PLAIN, &file, NULL, &h, error), "width");
    CHECK_TEXT(bosc_heights_file_open(path, BOSC_HEIGHTS_PLAIN, &file, &w, NULL, error), "height");
    CHECK(!file && w == 7 && h == 7);
    /* 2. Parts beyond the raster. */
    put_npy(path, "<f4", "False", "2, 3", values, 24);
    file = open_file(path, 3, 2);
    static const int64_t beyond[][4] = {{-1, 0, 1, 1},        {2, 0, 1, 1},        {0, 3, 1, 1}, {0, -1, 1, 1},
                                        {1, 0, 2, 1},         {0, 2, 1, 2},        {0, 0, 0, 1}, {0, 0, 1, 0},
                                        {0, 0, INT64_MAX, 1}, {0, 0, 1, INT64_MAX}};
    for (int i = 0; i < 10; i++) {
        const int64_t *b = beyond[i];
        CHECK_EQ(bosc_heights_file_read(file, b[0], b[1], b[2], b[3], part), 1);
        CHECK(suite_begins(bosc_heights_file_message(file), "row, column: "));
    }
    /* 3. Parts without heights; a message is cleared by the next good read. */
    CHECK_EQ(bosc_heights_file_read(file, 0, 0, 1, 1, NULL), 1);
    CHECK(suite_begins(bosc_heights_file_message(file), "values: NULL"));
    CHECK_EQ(bosc_heights_file_read(file, 0, 0, 2, 3, part), 1);
    CHECK(strstr(bosc_heights_file_message(file), "row 0, column 2: no height"));
    CHECK_EQ(bosc_heights_file_read(file, 1, 1, 1, 1, part), 1);
    CHECK(strstr(bosc_heights_file_message(file), "row 1, column 1: no height"));
    CHECK_EQ(bosc_heights_file_read(file, 0, 0, 2, 2, part), 1);
    CHECK_EQ(bosc_heights_file_read(file, 0, 0, 2, 1, part), 0);
    CHECK(part[0] == 1 && part[1] == 4 && *bosc_heights_file_message(file) == 0);
    CHECK_EQ(bosc_heights_file_read(NULL, 0, 0, 1, 1, part), 1);
    CHECK(*bosc_heights_file_message(NULL) == 0);
    bosc_heights_file_close(file);
    bosc_heights_file_close(NULL);
    unlink(path);
}

#ifdef BOSC_FAULTS
static void faults(void)
{
    enum { W = 1000, H = 300 };
    char path[PATH_ROOM];
    float *values = suite_alloc(W * H * sizeof *values), part[4];
    for (int i = 0; i < W * H; i++) values[i] = (float)i;
    fresh_path(path, ".npy");
    put_npy(path, "<f4", "False", "300, 1000", values, W * H * sizeof *values);
    for (int64_t k = 0;; k++) {
        bosc_io_error error = {""};
        bosc_heights_file *file = NULL;
        int64_t w, h;
        bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_READ, k, false);
        const bosc_status status = bosc_heights_file_open(path, BOSC_HEIGHTS_PLAIN, &file, &w, &h, &error);
        const int failed = status == BOSC_OK ? bosc_heights_file_read(file, 298, 997, 2, 2, part) : 0;
        const int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        CHECK(k < 100);
        if (status != BOSC_OK) CHECK(!file && error.text[0]);
        if (failed) CHECK(*bosc_heights_file_message(file));
        if (status == BOSC_OK && !failed) CHECK(part[0] == 298997 && part[3] == 299998);
        bosc_heights_file_close(file);
        if (status == BOSC_OK && !failed && passages <= k) break;
    }
    unlink(path);
    free(values);
}
#endif

static const struct suite_case suite_cases_io_heights_file[] = {
    {"parts", NULL, parts},
    {"a planet of a file", planet_of_file, NULL},
    {"refused", NULL, refused},
#ifdef BOSC_FAULTS
    {"faults at every passage", NULL, faults},
#endif
};
SUITE(io_heights_file);
