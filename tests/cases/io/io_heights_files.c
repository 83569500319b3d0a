/* Heights on disk: TIFFs of every layout, good and bad; round trips; bad arguments; faults. */
#include <stdint.h>
#include <unistd.h>

#include "base/fault.h"
#include "cases/io/heights_data.h"
#include "cases/io/tiff_data.h"
#include "support/paths.h"

#define PLAIN BOSC_HEIGHTS_PLAIN

static size_t load(const char *path, unsigned char *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    size_t size = fread(bytes, 1, room, f);
    CHECK(size < room && fclose(f) == 0);
    return size;
}

static void tiff_good(void)
{
    static const struct tiff_kind kinds[] = {
        /* Byte orders, sample types, strips and tiles, codecs and predictors. */
        {.mode = "l", .format = F, .bits = 32},
        {.mode = "b", .format = F, .bits = 32},
        {.mode = "l8", .format = F, .bits = 64, .rows = 100},
        {.mode = "b8", .format = F, .bits = 64, .tile = 16},
        {.mode = "l", .format = I, .bits = 16, .rows = 1},
        {.mode = "b", .format = I, .bits = 16, .tile = 32},
        {.mode = "l", .format = U, .bits = 16},
        {.mode = "l", .format = U, .bits = 8},
        {.mode = "l", .format = I, .bits = 8},
        {.mode = "b", .format = U, .bits = 32},
        {.mode = "l", .format = I, .bits = 32},
        {.mode = "l", .format = I, .bits = 64},
        {.mode = "b", .format = U, .bits = 64},
        {.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_ADOBE_DEFLATE, .predictor = 3, .tile = 16},
        {.mode = "b", .format = I, .bits = 16, .compression = COMPRESSION_LZW, .predictor = 2},
        {.mode = "l", .format = U, .bits = 16, .compression = COMPRESSION_PACKBITS},
        {.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_LZMA, .tile = 16},
        {.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_ZSTD, .predictor = 3},
        {.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_LERC, .tile = 16},
    };
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        bosc_heights h = {0};
        bosc_io_error error = {""};
        /* libtiff may lack a codec. */
        if (kinds[k].compression && !TIFFIsCODECConfigured((uint16_t)kinds[k].compression)) continue;
        make_tiff(path, &kinds[k]);
        if (bosc_heights_read(path, PLAIN, &h, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "kind %zu: %s", k, error.text);
        CHECK(h.width == W && h.height == H && h.voids == 0 && h.spacing == 0);
        for (int i = 0; i < W * H; i++) CHECK(h.data[i] == (float)sample(i));
        bosc_heights_free(&h);
    }
    unlink(path);
}

static void tiff_geography(void)
{
    static const struct {
        struct tiff_kind kind;
        double spacing;
        int voids; /* samples that equal 7 (every 120th from the first) */
    } files[] = {
        {{.mode = "l", .format = I, .bits = 16, .no_data = "7"}, 0, 4},
        {{.mode = "b", .format = F, .bits = 32, .no_data = " 7.0"}, 0, 4},
        {{.mode = "l", .format = F, .bits = 64, .no_data = "-9999"}, 0, 0},
        {{.mode = "l", .format = F, .bits = 32, .no_data = "none"}, 0, 0},
        {{.mode = "l", .format = F, .bits = 32, .scale = {30, 20, 0}}, 30, 0}, /* metres, assumed */
        {{.mode = "l", .format = F, .bits = 32, .scale = {30, NAN, 0}}, 0, 0},
        {{.mode = "l", .format = F, .bits = 32, .scale = {30, 20, 0}, .keys = {1, 1, 0, 1, 1024, 0, 1, 1}}, 30, 0},
        {{.mode = "b", .format = F, .bits = 32, .scale = {0.001, 1, 0}, .keys = {1, 1, 0, 1, 1024, 0, 1, 2}},
         111.133,
         0},
        {{.mode = "b",
          .format = F,
          .bits = 32,
          .scale = {1, 1, 0},
          .keys = {1, 1, 0, 2, 1024, 0, 1, 2, 2054, 0, 1, 9102}},
         111133,
         0},
        {{.mode = "b",
          .format = F,
          .bits = 32,
          .scale = {1, 1, 0},
          .keys = {1, 1, 0, 2, 1024, 0, 1, 2, 2054, 0, 1, 9109}},
         0, /* microradians */
         0},
        {{.mode = "l", .format = F, .bits = 32, .scale = {10, 1, 0}, .keys = {1, 1, 0, 1, 3076, 0, 1, 9002}}, 3.048, 0},
        {{.mode = "l", .format = F, .bits = 32, .scale = {3937, 1, 0}, .keys = {1, 1, 0, 1, 3076, 0, 1, 9003}},
         1200,
         0},
        {{.mode = "l", .format = F, .bits = 32, .scale = {1, 10, 0}, .keys = {1, 1, 0, 1, 3076, 0, 1, 9999}}, 0, 0},
        {{.mode = "l", .format = F, .bits = 32, .scale = {1, INFINITY, 0}, .keys = {1, 1, 0, 1}}, 0, 0},
    };
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        bosc_heights h = {0};
        bosc_io_error error = {""};
        make_tiff(path, &files[k].kind);
        if (bosc_heights_read(path, PLAIN, &h, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "file %zu: %s", k, error.text);
        if (h.voids != files[k].voids || fabs(h.spacing - files[k].spacing) > 1e-9)
            suite_fail(__FILE__, __LINE__, "file %zu: %lld voids, spacing %.17g", k, (long long)h.voids, h.spacing);
        if (h.spacing == 0) CHECK(h.source != BOSC_HEIGHTS_OWN_SPACING && h.assumed == 0 && h.degrees == 0);
        bosc_heights_free(&h);
    }
    unlink(path);
}

/* No-data values beyond the range of binary16, and of fewer bits below 2^-14, are rounded as samples are. */
static void no_data_of_halves(void)
{
    static const struct {
        const char *none;
        uint16_t half;
    } files[] = {{"-3.4028235e38", 0xfc00}, {"1e20", 0x7c00}, {"65520", 0x7c00}, {"65519", 0x7bff}, {"-inf", 0xfc00},
                 {"-9999", 0xf0e2},         {"1e-5", 0xa8},   {"3e-8", 1},       {"1e-9", 0}};
    const bosc_heights_opts keep = {.size = sizeof keep, .voids = BOSC_HEIGHTS_KEEP_VOIDS};
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        const struct tiff_kind kind = {.format = F, .bits = 16, .width = 2, .height = 1, .no_data = files[k].none};
        uint16_t samples[2] = {files[k].half, 0x3c00};
        bosc_heights h = {0};
        bosc_io_error error = {""};
        /* 1. Two samples: the no-data value as the writer rounded it, and a height. */
        TIFF *t = TIFFOpen(path, "w");
        CHECK(t != NULL);
        put_tags(t, &kind);
        CHECK(TIFFWriteScanline(t, samples, 0, 0) == 1);
        TIFFClose(t);
        /* 2. The first is a void. */
        if (bosc_heights_read_opts(path, &keep, &h, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "file %zu: %s", k, error.text);
        if (!isnan(h.data[0]) || h.data[1] != 1 || h.voids != 1)
            suite_fail(__FILE__, __LINE__, "no-data value %s: %g is a height", files[k].none, (double)h.data[0]);
        bosc_heights_free(&h);
    }
    unlink(path);
}

/* Cells of size 0: without keys, in metres, and in an unknown unit. */
static void cells_of_no_size(void)
{
    static const struct tiff_kind kinds[] = {
        {.mode = "l", .format = F, .bits = 32, .scale = {1, 0, 0}},
        {.mode = "l", .format = F, .bits = 32, .scale = {1, 0, 0}, .keys = {1, 1, 0, 1, 3076, 0, 1, 9001}},
        {.mode = "l", .format = F, .bits = 32, .scale = {1, 0, 0}, .keys = {1, 1, 0, 1, 3076, 0, 1, 9999}}};
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        bosc_heights h = {0};
        bosc_io_error error = {""};
        make_tiff(path, &kinds[k]);
        if (bosc_heights_read(path, PLAIN, &h, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "file %zu: %s", k, error.text);
        CHECK(h.source == BOSC_HEIGHTS_NO_SIZE && h.spacing == 0 && h.spacing_y == 0);
        bosc_heights_free(&h);
    }
    unlink(path);
}

/* Orientation: unequal spacings, degrees at a latitude, rows from south to north, scale and offset. */
static void tiff_orientation(void)
{
#define METRES                    \
    {                             \
        1, 1, 0, 1, 1024, 0, 1, 1 \
    }
#define DEGREES                   \
    {                             \
        1, 1, 0, 1, 1024, 0, 1, 2 \
    }
    static const struct {
        struct tiff_kind kind;
        double spacing, spacing_y, latitude; /* of degrees */
        bool turned_x, turned_y;
        double scale, offset;
    } files[] = {
        {{.scale = {30, 60, 0}, .keys = METRES, .tie = {0, 0, 0, 5e5, 5e6, 0}}, 30, 60, 0, 0, 0, 1, 0},
        {{.scale = {30, -60, 0}, .keys = METRES, .tie = {0, 0, 0, 5e5, 5e6, 0}}, 30, 60, 0, 0, 1, 1, 0},
        {{.scale = {0.5, 0.5, 0}, .keys = DEGREES, .tie = {0, 0, 0, 6, 60 + H / 4.0, 0}},
         55566.5 / 2,
         55566.5,
         60,
         0,
         0,
         1,
         0},
        {{.scale = {0.5, 0.5, 0}, .keys = DEGREES, .tie = {0, H, 0, 6, -60 - H / 4.0, 0}},
         55566.5 / 2,
         55566.5,
         -60,
         0,
         0,
         1,
         0},
        {{.transformation = {30, 0, 0, 5e5, 0, -20, 0, 5e6, 0, 0, 0, 0, 0, 0, 0, 1}, .keys = METRES},
         30,
         20,
         0,
         0,
         0,
         1,
         0},
        {{.transformation = {30, 0, 0, 5e5, 0, 20, 0, 5e6, 0, 0, 0, 0, 0, 0, 0, 1}, .keys = METRES},
         30,
         20,
         0,
         0,
         1,
         1,
         0},
        {{.transformation = {-30, 0, 0, 5e5, 0, 20, 0, 5e6, 0, 0, 0, 0, 0, 0, 0, 1}, .keys = METRES},
         30,
         20,
         0,
         1,
         1,
         1,
         0},
        {{.metadata = "<GDALMetadata>\n  <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">-100</Item>\n"
                      "  <Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.25</Item>\n</GDALMetadata>"},
         0,
         0,
         0,
         0,
         0,
         0.25,
         -100},
        {{.metadata = "<Item role=\"scale\">none</Item><Item role=\"offset\""}, 0, 0, 0, 0, 0, 1, 0},
    };
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        bosc_heights h = {0};
        read_tiff(path, files[k].kind, "l", F, 32, k, &h);
        bool right = fabs(h.spacing - files[k].spacing) < 1e-6 && fabs(h.spacing_y - files[k].spacing_y) < 1e-6;
        right &= h.degrees == (files[k].latitude != 0) && fabs(h.latitude - files[k].latitude) < 1e-9;
        for (int i = 0; i < W * H; i++) {
            int x = files[k].turned_x ? W - 1 - i % W : i % W, y = files[k].turned_y ? H - 1 - i / W : i / W;
            right &= (double)h.data[i] == (double)sample(y * W + x) * files[k].scale + files[k].offset;
        }
        if (!right)
            suite_fail(__FILE__, __LINE__, "file %zu: %.17g, %.17g, %.17g, %g", k, h.spacing, h.spacing_y, h.latitude,
                       (double)h.data[1]);
        bosc_heights_free(&h);
    }
    struct tiff_kind rotated = {.mode = "l", .format = F, .bits = 32, .keys = METRES};
    rotated.transformation[0] = rotated.transformation[1] = rotated.transformation[4] = 30;
    rotated.transformation[5] = -30;
    rotated.transformation[15] = 1;
    bosc_heights h = {0};
    bosc_io_error error = {""};
    make_tiff(path, &rotated);
    CHECK_EQ(bosc_heights_read(path, PLAIN, &h, &error), BOSC_ERR_FORMAT);
    CHECK(strstr(error.text, "a rotated raster"));
    unlink(path);
}

static void tiff_bad(void)
{
    static const struct {
        struct tiff_kind kind;
        const char *reason;
    } files[] = {
        {{.mode = "l", .format = U, .bits = 8, .samples = 3, .photometric = PHOTOMETRIC_RGB}, "one band"},
        {{.mode = "l", .format = F, .bits = 32, .samples = 2}, "one band"},
        {{.mode = "l", .format = U, .bits = 8, .photometric = PHOTOMETRIC_MASK}, "colours or masks"},
        {{.mode = "l", .format = U, .bits = 8, .orientation = ORIENTATION_BOTRIGHT}, "top left"},
        {{.mode = "l", .format = SAMPLEFORMAT_COMPLEXIEEEFP, .bits = 64}, "neither integers nor floats"},
        {{.mode = "l", .format = F, .bits = 32, .tile = 16, .left_out = 2}, "F: a sparse TIFF, which leaves"},
        {{.mode = "b8", .format = I, .bits = 16, .rows = 2, .left_out = 1}, "F: a sparse TIFF, which leaves"},
        {{.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_ADOBE_DEFLATE, .tile = 16, .left_out = 4},
         "F: a sparse TIFF, which leaves"},
        {{.mode = "l", .format = U, .bits = 24}, "none of 8, 16, 32, 64"},
        {{.mode = "l", .format = U, .bits = 8, .compression = COMPRESSION_JPEG, .tile = 16}, "compression"}};
    static unsigned char bytes[1 << 16];
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        make_tiff(path, &files[k].kind);
        size_t size = load(path, bytes, sizeof bytes);
        check_no_heights(BI_HEIGHTS_TIFF, PLAIN, bytes, size, files[k].reason);
    }
    unlink(path);
    check_no_heights(BI_HEIGHTS_TIFF, PLAIN, "", 0, "not a TIFF");
    check_no_heights(BI_HEIGHTS_TIFF, PLAIN, "II*\0", 4, "not a TIFF");
    check_no_heights(BI_HEIGHTS_TIFF, PLAIN, "II*\0\xff\xff\xff\xff", 8, "not a TIFF");
    check_no_heights(BI_HEIGHTS_TIFF, PLAIN, "\x89PNG\r\n\x1a\n", 8, "not a TIFF");
    /* one directory: its entries are tag, type (3: short, 4: long), count, value */
    static const char claims[] = "II*\0\x08\0\0\0\x06\0"
                                 "\0\1\4\0\1\0\0\0\xa0\x86\1\0"
                                 "\1\1\4\0\1\0\0\0\xa0\x86\1\0"
                                 "\2\1\3\0\1\0\0\0\x20\0\0\0"
                                 "\6\1\3\0\1\0\0\0\1\0\0\0"
                                 "\x11\1\4\0\1\0\0\0\x08\0\0\0"
                                 "\x53\1\3\0\1\0\0\0\3\0\0\0"
                                 "\0\0\0\0";
    check_no_heights(BI_HEIGHTS_TIFF, PLAIN, claims, sizeof claims - 1, "do not fit");
}

static void tiff_damaged(void)
{
    static const struct tiff_kind kinds[] = {{.mode = "l", .format = I, .bits = 16, .no_data = "7"},
                                             {.mode = "b",
                                              .format = F,
                                              .bits = 32,
                                              .compression = COMPRESSION_LZW,
                                              .tile = 16,
                                              .scale = {1, 2, 0},
                                              .keys = {1, 1, 0, 1, 1024, 0, 1, 1}}};
    static unsigned char bytes[1 << 16];
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (int k = 0; k < 2; k++) {
        make_tiff(path, &kinds[k]);
        size_t size = load(path, bytes, sizeof bytes);
        heights_damaged(BI_HEIGHTS_TIFF, PLAIN, bytes, size, 100, suite_slow(NULL) ? 128 : 64);
    }
    unlink(path);
}

/* Tags whose values the file has in part only are refused: neither scale, offset and spacing nor the system is lost. */
static void tiff_cut(void)
{
    static const struct tiff_kind kind = {
        .mode = "l",
        .format = I,
        .bits = 16,
        .scale = {5, 5, 0},
        .tie = {0, 0, 0, 100, 200, 0},
        .keys = {1, 1, 0, 1, 1024, 0, 1, 1},
        .metadata = "<GDALMetadata><Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item></GDALMetadata>"};
    static unsigned char bytes[1 << 16];
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    make_tiff(path, &kind);
    const size_t size = load(path, bytes, sizeof bytes);
    /* 1. The values of tags begin after the directory, which libtiff writes behind the samples. */
    const size_t directory = bytes[4] | (size_t)bytes[5] << 8, entries = bytes[directory];
    const size_t values = directory + 2 + 12 * entries + 4;
    CHECK(values < size);
    /* 2. Every shorter file is refused. */
    for (size_t cut = values; cut < size; cut++)
        check_no_heights(BI_HEIGHTS_TIFF, PLAIN, bytes, cut, "IO error during reading of");
    unlink(path);
}

/* Written heights are read back: equal, or rounded to integers. */
static void round_trips(void)
{
    static const char *const endings[] = {".npy", ".tif", ".png", ".pgm", ".hgt"};
    float z[H * H], back[H * H];
    bosc_io_error error = {""};
    for (int e = 0; e < 5; e++)
        for (int square = 0; square < 2; square++) {
            char path[PATH_ROOM];
            bosc_heights h = {.width = square ? H : W, .height = H, .data = z, .spacing = 12.5, .spacing_y = 25},
                         got = {0};
            bool exact = e < 2;
            /* .npy and .tif hold floats; the others round to the nearest integer. */
            for (int i = 0; i < h.width * H; i++) z[i] = exact ? (float)i * 1e5f - 0.1f : (float)i * 70.25f + 0.5f;
            for (int i = 0; i < h.width * H; i++) back[i] = exact ? z[i] : floorf(z[i] + 0.5f);
            /* .hgt: the smallest height, as -32768 marks a missing one, and a half that rounds up to 0. */
            if (e == 4) z[0] = -32767.5f, back[0] = -32767;
            if (e == 4) z[1] = -0.5f, back[1] = 0;
            fresh_path(path, endings[e]);
            /* .hgt files are square. */
            if (e == 4 && !square) {
                CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_ERR_DATA);
                CHECK(strstr(error.text, "not a square") && access(path, F_OK) != 0);
                continue;
            }
            if (bosc_heights_write(path, &h, &error) != BOSC_OK || bosc_heights_read(path, PLAIN, &got, &error))
                suite_fail(__FILE__, __LINE__, "%s", error.text);
            CHECK(got.width == h.width && got.height == H && got.voids == 0);
            CHECK(memcmp(got.data, back, (size_t)(h.width * H) * sizeof *z) == 0);
            /* Only .tif holds the spacing; .hgt implies it. */
            CHECK(e == 4 ? got.spacing == BI_METRES_A_DEGREE / (H - 1) : got.spacing == (e == 1 ? 12.5 : 0));
            CHECK(e == 4 || got.spacing_y == (e == 1 ? 25 : 0));
            bosc_heights_free(&got);
            unlink(path);
        }
}

static void bad_arguments(void)
{
    float z[4] = {0, 1, 2, 3}, wild[4] = {0, 1, NAN, 3}, high[4] = {0, 1, 2, 65535.5f}, low[4] = {0, 1, 2, -0.6f};
    bosc_heights h = {.width = 2, .height = 2, .data = z}, got = {0};
    char path[PATH_ROOM];
    fresh_path(path, ".png");
    /* Missing arguments, unknown encodings and endings. */
    CHECK_TEXT(bosc_heights_read(NULL, PLAIN, &got, error), "path");
    CHECK_TEXT(bosc_heights_read(path, PLAIN, NULL, error), "heights");
    CHECK_TEXT(bosc_heights_read(path, (bosc_heights_encoding)3, &got, error), "encoding");
    CHECK_TEXT(bosc_heights_read(path, (bosc_heights_encoding)-1, &got, error), "encoding");
    CHECK_TEXT(bosc_heights_write(NULL, &h, error), "path");
    CHECK_TEXT(bosc_heights_write(path, NULL, error), "heights");
    CHECK_TEXT(bosc_heights_write("a.jpg", &h, error), "path");
    CHECK_TEXT(bosc_heights_write("", &h, error), "path");
    /* Bad sizes, data and spacings. */
    const bosc_heights bad[] = {{.width = 0, .height = 2, .data = z},
                                {.width = 2, .height = 0, .data = z},
                                {.width = -1, .height = 2, .data = z},
                                {.width = INT64_MAX, .height = INT64_MAX, .data = z},
                                {.width = INT64_MAX / 4, .height = 2, .data = z},
                                {.width = 2, .height = 2, .data = NULL},
                                {.width = 2, .height = 2, .data = z, .spacing = -1},
                                {.width = 2, .height = 2, .data = z, .spacing = NAN},
                                {.width = 2, .height = 2, .data = z, .spacing_y = -1},
                                {.width = 2, .height = 2, .data = z, .spacing = INFINITY},
                                {.width = 2, .height = 2, .data = wild}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_TEXT(bosc_heights_write(path, &bad[i], error), "heights");
    bosc_io_error error;
    /* Heights beyond 16 bits, then missing files and an unknown ending. */
    for (int i = 0; i < 2; i++) {
        h.data = i ? low : high;
        CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_ERR_DATA);
        CHECK(suite_begins(error.text, path) && strstr(error.text, "the format holds 0 to 65535"));
    }
    CHECK(access(path, F_OK) != 0);
    CHECK_EQ(bosc_heights_read(path, PLAIN, &got, &error), BOSC_ERR_IO);
    CHECK_EQ(bosc_heights_read("/etc/passwd", PLAIN, &got, &error), BOSC_ERR_FORMAT);
    CHECK(strcmp(error.text, "/etc/passwd: the ending is not one of .png, .pgm, .hgt, .asc, .tif, .npy") == 0);
    bosc_heights_free(NULL);
}

#ifdef BOSC_FAULTS
/* Fails the k-th allocation, read or write, for every k: no file appears, or the old one stays. */
static void faults(void)
{
    static const char *const endings[] = {".npy", ".tif", ".png", ".pgm", ".hgt"};
    static const float same[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    float z[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (int e = 0; e < 5; e++) {
        char path[PATH_ROOM];
        bosc_heights h = {.width = 3, .height = 3, .data = z};
        fresh_path(path, endings[e]);
        for (int64_t k = 0;; k++) {
            bosc_io_error error = {""};
            bosc_heights got = {0};
            /* Writes, and reads back if the file was written. */
            bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_READ | BI_FAULT_WRITE, k, false);
            bosc_status status = bosc_heights_write(path, &h, &error);
            bool written = status == BOSC_OK;
            if (written) status = bosc_heights_read(path, PLAIN, &got, &error);
            int64_t passages = bi_fault_passages();
            bi_fault_disarm();
            CHECK(k < 200);
            /* A failed write leaves no file, a failed call a message, and the input is unchanged. */
            if (!written) CHECK(access(path, F_OK) != 0);
            CHECK(memcmp(z, same, sizeof z) == 0);
            if (status == BOSC_OK) CHECK(memcmp(got.data, z, sizeof z) == 0);
            if (status != BOSC_OK) CHECK(error.text[0] && !got.data && !strstr(error.text, "Success"));
            bosc_heights_free(&got);
            unlink(path);
            if (status == BOSC_OK && passages <= k) break;
        }
    }
}
#endif

/* A raster with more columns than the readers accept is not written. */
static void too_wide(void)
{
    enum { COLUMNS = 1000001 };
    bosc_heights h = {.width = COLUMNS, .height = 1, .data = suite_alloc(COLUMNS * sizeof(float))};
    memset(h.data, 0, COLUMNS * sizeof(float));
    for (int k = 0; k < 4; k++) {
        char path[PATH_ROOM];
        bosc_io_error error;
        fresh_path(path, k % 2 ? ".png" : ".pgm");
        CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_ERR_LIMIT);
        CHECK(strstr(error.text, "more than 1000000 columns or rows"));
        CHECK(access(path, F_OK) != 0);
        h.width = k ? 1 : COLUMNS;
        h.height = k ? COLUMNS : 1;
    }
    free(h.data);
}

static const struct suite_case suite_cases_io_heights_files[] = {
    {"TIFFs", NULL, tiff_good},
    {"TIFFs with a place on the Earth", NULL, tiff_geography},
    {"no-data values of halves", NULL, no_data_of_halves},
    {"cells of no size", NULL, cells_of_no_size},
    {"how TIFFs lie there", NULL, tiff_orientation},
    {"TIFFs that are refused", NULL, tiff_bad},
    {"damaged TIFFs", NULL, tiff_damaged},
    {"TIFFs cut within their tags", NULL, tiff_cut},
    {"written and read back", NULL, round_trips},
    {"bad arguments", NULL, bad_arguments},
    {"too wide", NULL, too_wide},
#ifdef BOSC_FAULTS
    {"faults at every passage", NULL, faults},
#endif
};
SUITE(io_heights_files);
