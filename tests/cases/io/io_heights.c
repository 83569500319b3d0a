/* Heights of .png, .pgm, .hgt and .npy files, good and bad; samples without a height. */
#include "base/fault.h"
#include "cases/io/heights_data.h"

#define PLAIN BOSC_HEIGHTS_PLAIN
#define RGB BOSC_HEIGHTS_TERRAIN_RGB
#define TERRARIUM BOSC_HEIGHTS_TERRARIUM

static struct buffer file;
static const bosc_heights_opts defaults = {.size = sizeof defaults};

static void png_good(void)
{
    unsigned char pixels[13 * 11 * 8];
    float expected[13 * 11];
    static const struct {
        int depth, colour;
        bosc_heights_encoding encoding;
    } kinds[] = {{8, 0, PLAIN}, {16, 0, PLAIN}, {8, 2, RGB}, {8, 6, RGB}, {8, 2, TERRARIUM}, {8, 6, TERRARIUM}};
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)(i * 37 + 11);
    for (size_t k = 0; k < 6; k++)
        for (uint32_t w = 1; w <= 13; w += 3)
            for (uint32_t h = 1; h <= 11; h += 5)
                for (int interlace = 0; interlace < 2; interlace++) {
                    struct png_kind kind = {w, h, kinds[k].depth, kinds[k].colour, interlace};
                    size_t bytes = (size_t)png_bits(&kind) / 8;
                    for (size_t i = 0; i < w * h; i++) { /* the formula of each encoding */
                        const unsigned char *p = pixels + i * bytes;
                        double tenths = p[0] * 65536.0 + p[1] * 256.0 + p[2] - 100000;
                        expected[i] = kinds[k].encoding == RGB ? (float)(tenths / 10)
                                      : kinds[k].encoding == TERRARIUM
                                          ? (float)(p[0] * 256 + p[1] + p[2] / 256.0 - 32768)
                                      : bytes == 2 ? (float)(p[0] * 256 + p[1])
                                                   : (float)p[0];
                    }
                    make_png(&file, &kind, pixels);
                    check_heights(BI_HEIGHTS_PNG, kinds[k].encoding, file.bytes, file.size, w, h, expected);
                }
}

static void png_bad(void)
{
    static const unsigned char pixels[4 * 4 * 8] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const struct {
        struct png_kind kind;
        bosc_heights_encoding encoding;
        const char *reason;
    } kinds[] = {
        {{4, 4, 8, 2, 0}, PLAIN, "an RGB picture"},
        {{4, 4, 8, 6, 0}, PLAIN, "an RGB picture"},
        {{4, 4, 16, 2, 0}, PLAIN, "an RGB picture"},
        {{4, 4, 8, 3, 0}, PLAIN, "palette"},
        {{4, 4, 8, 4, 0}, PLAIN, "alpha"},
        {{4, 4, 16, 4, 0}, PLAIN, "alpha"},
        {{8, 1, 1, 0, 0}, PLAIN, "less than 8"},
        {{4, 1, 2, 0, 0}, PLAIN, "less than 8"},
        {{2, 1, 4, 0, 0}, PLAIN, "less than 8"},
        {{4, 4, 8, 0, 0}, RGB, "terrain-RGB needs"},
        {{4, 4, 16, 0, 0}, RGB, "terrain-RGB needs"},
        {{4, 4, 16, 2, 0}, RGB, "terrain-RGB needs"},
        {{4, 4, 8, 3, 0}, RGB, "terrain-RGB needs"},
        {{4, 4, 8, 0, 0}, TERRARIUM, "terrarium needs a picture of 8-bit RGB"},
        {{4, 4, 16, 2, 0}, TERRARIUM, "terrarium needs"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        make_png(&file, &kinds[i].kind, pixels);
        check_no_heights(BI_HEIGHTS_PNG, kinds[i].encoding, file.bytes, file.size, kinds[i].reason);
    }
    static const struct {
        struct png_kind kind;
        const char *reason;
    } sizes[] = {{{0, 4, 8, 0, 0}, "damaged PNG: "},
                 {{4, 0, 8, 0, 0}, "damaged PNG: "},
                 {{0xffffffff, 4, 8, 0, 0}, "damaged PNG: "},
                 {{2000000, 4, 8, 0, 0}, "damaged PNG: "},
                 {{900000, 900000, 16, 0, 0}, "samples do not fit in"},
                 {{1000000, 1000000, 8, 0, 1}, "samples do not fit in"},
                 {{512, 512, 8, 0, 0}, "samples do not fit in"}, /* four times as many as its bytes can encode */
                 {{100, 100, 8, 0, 0}, "damaged PNG: "},
                 {{4, 4, 7, 0, 0}, "damaged PNG: "},
                 {{4, 4, 8, 5, 0}, "damaged PNG: "},
                 {{4, 4, 8, 0, 2}, "damaged PNG: "}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        make_png(&file, &sizes[i].kind, NULL);
        check_no_heights(BI_HEIGHTS_PNG, PLAIN, file.bytes, file.size, sizes[i].reason);
    }
    check_no_heights(BI_HEIGHTS_PNG, PLAIN, "", 0, "not a PNG");
    check_no_heights(BI_HEIGHTS_PNG, PLAIN, "P5 1 1 255 x", 12, "not a PNG");
    struct png_kind small = {3, 2, 16, 0, 0}, map = {2, 2, 8, 6, 1};
    make_png(&file, &small, pixels);
    heights_damaged(BI_HEIGHTS_PNG, PLAIN, file.bytes, file.size, file.size - 4, suite_slow(NULL) ? 41 : 7);
    make_png(&file, &map, pixels);
    heights_damaged(BI_HEIGHTS_PNG, RGB, file.bytes, file.size, file.size - 4, suite_slow(NULL) ? 41 : 7);
}

#define PGM(text, w, h, ...) \
    check_heights(BI_HEIGHTS_PGM, PLAIN, text, sizeof(text) - 1, w, h, (const float[]){__VA_ARGS__})

static void pgm_good(void)
{
    PGM("P2\n3 2\n255\n0 1 2\n253 254 255\n", 3, 2, 0, 1, 2, 253, 254, 255);
    PGM("P2 1 1 65535 65535", 1, 1, 65535);
    PGM("P2 1 1 65535 65535#", 1, 1, 65535);
    PGM("P2#c\n#d\n 2#e\n1 # f\n 9\n#0 0\n7#8\n\t9\r\n", 2, 1, 7, 9);
    PGM("P5 2 2 255\n\0\1\xfe\xff", 2, 2, 0, 1, 254, 255);
    PGM("P5\n2\t1\r65535 \0\1\xff\xfe", 2, 1, 1, 65534);
    PGM("P5 1 1 256\n\1\0", 1, 1, 256);
    PGM("P5 1 2 10\n\n\5", 1, 2, 10, 5);
}

static void pgm_bad(void)
{
    /* Wrong headers, sizes, samples, and bytes after the end. */
    static const struct malformed bad[] = {
        {"not a .pgm", "", 0},
        {"not a .pgm", "P", 0},
        {"not a .pgm", "P6 1 1 255 abc", 0},
        {"not a .pgm", "P1 1 1 1", 0},
        {"not a .pgm", "\x89PNG", 0},
        {"F:1: the width", "P2", 0},
        {"F:2: the width", "P2\n", 0},
        {"F:1: the width", "P2 x", 0},
        {"F:1: the width", "P2 -1 1 255 1", 0},
        {"F:1: the width", "P2 1x 1 255 1", 0},
        {"F:1: the width", "P2 99999999999999999999 1 255 1", 0},
        {"F:1: the width", "P2 2147483648 1 255 1", 0},
        {"F:2: the height", "P2\n1", 0},
        {"F:1: the height", "P2 1 1.0 255 1", 0},
        {"F:1: the maximum", "P2 1 1", 0},
        {"F:1: the maximum", "P2 1 1 0 0", 0},
        {"F:1: the maximum", "P2 1 1 65536 1", 0},
        {"F:1: the maximum", "P5 1 1 99999999999 1", 0},
        {"no samples", "P2 0 1 255", 0},
        {"no samples", "P5 1 0 255 ", 0},
        {"do not fit", "P2 1 1 255", 0},
        {"do not fit", "P2 2 1 255 1 ", 0},
        {"do not fit", "P2 100000 100000 255 1 2 3", 0},
        {"do not fit", "P5 2147483647 2147483647 65535 ", 0},
        {"do not fit", "P5 2 2 255\nabc", 0},
        {"do not fit", "P5 2 2 256\nabcdefg", 0},
        {"do not fit", "P5 1 1 255", 0},
        {"F:1: truncated", "P2 2 1 255 1   ", 0},
        {"F:1: no number", "P2 1 1 255 256", 0},
        {"F:1: no number", "P2 1 1 255 -1", 0},
        {"F:1: no number", "P2 1 1 255 1.0", 0},
        {"F:1: no number", "P2 1 1 255 x", 0},
        {"F:2: text after", "P2 1 1 255 1\n2", 0},
        {"1 bytes follow", "P5 1 1 255\nab", 0},
        {"row 1: 11 is more", "P5 1 2 10\n\1\v", 12},
        {"row 0: 65535 is more", "P5 1 1 1000\n\xff\xff", 14},
    };
    /* The sizes of entries with NUL bytes are given; the others end with their text. */
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_no_heights(BI_HEIGHTS_PGM, PLAIN, bad[i].bytes, bad[i].size ? bad[i].size : strlen(bad[i].bytes),
                         bad[i].reason);
    check_no_heights(BI_HEIGHTS_PGM, RGB, "P2 1 1 255 1", 12, "not a PNG");
    /* Truncated and flipped bytes are refused or harmless. */
    static const char plain[] = "P2 # c\n3 2 99\n1 2 3\n40 50 60", raw[] = "P5\n2 2 300\nabababab";
    heights_damaged(BI_HEIGHTS_PGM, PLAIN, plain, sizeof plain - 1, sizeof plain - 2, 1);
    heights_damaged(BI_HEIGHTS_PGM, PLAIN, raw, sizeof raw - 1, sizeof raw - 1, 1);
}

static void hgt_files(void)
{
    static const char tile[18] = "\0\0\0\1\xff\xff\x7f\xff\x80\x01\1\0\x80\0\0\2\0\4";
    bosc_heights h = {0};
    bosc_io_error error;
    CHECK_EQ(parse_heights(BI_HEIGHTS_HGT, PLAIN, tile, 18, &h, &error), BOSC_OK);
    static const float expected[9] = {0, 1, -1, 32767, -32767, 256, 0, 2, 4};
    CHECK(h.width == 3 && h.height == 3 && h.voids == 1 && h.spacing == BI_METRES_A_DEGREE / 2);
    CHECK(h.spacing_y == h.spacing && h.degrees == 1 && h.latitude == 0);
    for (int i = 0; i < 9; i++) CHECK(i == 6 || h.data[i] == expected[i]);
    float up = 32767, right = 2; /* the neighbours at distance 1 */
    CHECK(h.data[6] == (right + up) / 2);
    bosc_heights_free(&h);
    static const size_t wrong[] = {0, 1, 2, 3, 6, 7, 9, 10, 16, 17};
    CHECK(!bi_hgt_has_shape(1, 1) && bi_hgt_has_shape(2, 2) && !bi_hgt_has_shape(2, 3));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check_no_heights(BI_HEIGHTS_HGT, PLAIN, tile, wrong[i], "not a square");
    check_no_heights(BI_HEIGHTS_HGT, PLAIN, "\x80\0\x80\0\x80\0\x80\0", 8, "no sample has a height");
    /* A tile's name gives its latitude. */
    static const struct {
        const char *name;
        double latitude;
    } tiles[] = {{"N45E006.hgt", 45.5}, {"a/n00w010.hgt", 0.5}, {"S46W073.hgt", -45.5}, {"N4XE006.hgt", 0},
                 {"N.hgt", 0},          {"N90E000.hgt", 0},     {"tile.hgt", 0}};
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        const struct bi_bytes in = {.name = tiles[i].name, .data = tile, .size = 18};
        CHECK_EQ(bi_heights_parse(BI_HEIGHTS_HGT, &defaults, &in, &h, &error), BOSC_OK);
        CHECK(h.latitude == tiles[i].latitude && h.spacing_y == BI_METRES_A_DEGREE / 2);
        CHECK(fabs(h.spacing - h.spacing_y * cos(h.latitude * 3.14159265358979 / 180)) < 1e-6);
        bosc_heights_free(&h);
    }
    char *large = suite_alloc(1201 * 1201 * 2);
    memset(large, 1, 1201 * 1201 * 2);
    CHECK_EQ(parse_heights(BI_HEIGHTS_HGT, PLAIN, large, 1201 * 1201 * 2, &h, &error), BOSC_OK);
    CHECK(h.width == 1201 && h.data[1201 * 1201 - 1] == 257 && fabs(h.spacing - 92.61) < 0.01);
    bosc_heights_free(&h);
    check_no_heights(BI_HEIGHTS_HGT, PLAIN, large, 1201 * 1201 * 2 - 2, "not a square");
    check_no_heights(BI_HEIGHTS_HGT, PLAIN, large, 1200 * 1201 * 2, "nor 601 x 1201 or 1801 x 3601");
    free(large);
}

/* Tiles with every other column: the size of the file gives the shape, which no other shape has. */
static void hgt_shapes(void)
{
    static const int64_t shapes[][2] = {{601, 1201}, {1801, 3601}};
    for (int k = 0; k < 2; k++) {
        const int64_t w = shapes[k][0], n = shapes[k][1], all = w * n;
        unsigned char *bytes = suite_alloc((size_t)all * 2);
        bosc_heights h = {0};
        bosc_io_error error;
        for (int64_t i = 0; i < all; i++)
            bytes[2 * i] = (unsigned char)(i % w % 100), bytes[2 * i + 1] = (unsigned char)(i / w % 256);
        const struct bi_bytes in = {.name = "N60E010.hgt", .data = (const char *)bytes, .size = (size_t)all * 2};
        CHECK_EQ(bi_heights_parse(BI_HEIGHTS_HGT, &defaults, &in, &h, &error), BOSC_OK);
        CHECK(h.width == w && h.height == n && h.voids == 0 && h.latitude == 60.5);
        CHECK(h.spacing_y == BI_METRES_A_DEGREE / (double)(n - 1));
        CHECK(fabs(h.spacing - h.spacing_y * 2 * cos(60.5 * 3.14159265358979 / 180)) < 1e-6);
        for (int64_t i = 0; i < all; i += 997) CHECK(h.data[i] == (float)(i % w % 100 * 256 + i / w % 256));
        bosc_heights_free(&h);
        check_no_heights(BI_HEIGHTS_HGT, PLAIN, bytes, (size_t)all * 2 - 1, "bytes of 16-bit samples are not");
        check_no_heights(BI_HEIGHTS_HGT, PLAIN, bytes, (size_t)(all - w) * 2, "bytes of 16-bit samples are not");
        free(bytes);
    }
}

static const char *fortran = "False";

static size_t make_npy(const char *descr, const char *shape, const void *body, size_t size)
{
    char head[128];
    int length =
        snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr, fortran, shape);
    file.size = 0;
    put_bytes(&file, "\x93NUMPY\1\0", 8);
    const unsigned char two[2] = {(unsigned char)length, 0};
    put_bytes(&file, two, 2);
    put_bytes(&file, head, (size_t)length);
    put_bytes(&file, body, size);
    return file.size;
}

#define NPY(descr, T, ...)                                                                                           \
    do {                                                                                                             \
        const T npy_x[6] = {__VA_ARGS__};                                                                            \
        float npy_z[6];                                                                                              \
        for (int npy_i = 0; npy_i < 6; npy_i++) npy_z[npy_i] = (float)npy_x[npy_i];                                  \
        check_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, make_npy(descr, "2, 3", npy_x, sizeof npy_x), 3, 2, npy_z); \
    } while (0)

static void npy_good(void)
{
    NPY("<f4", float, 1.5f, -2, 1e30f, 0, -0.0f, 1e-40f);
    NPY("<f8", double, 1.5, -2, 1e30, 0.1, 1e-300, 3e38);
    NPY("<i2", int16_t, 1, -2, 32767, -32768, 0, 7);
    NPY("<u2", uint16_t, 1, 2, 65535, 32768, 0, 7);
    NPY("<i4", int32_t, 1, -2, INT32_MAX, INT32_MIN, 0, 16777217);
    NPY("<u4", uint32_t, 1, 2, UINT32_MAX, 3, 0, 16777217);
    NPY("<i8", int64_t, 1, -2, INT64_MAX, INT64_MIN, 0, 16777217);
    NPY("<u8", uint64_t, 1, 2, UINT64_MAX, 3, 0, 16777219);
    NPY("|i1", int8_t, 1, -2, 127, -128, 0, 7);
    NPY("|u1", uint8_t, 1, 2, 255, 128, 0, 7);
    static const float six[6] = {1, 2, 3, 4, 5, 6};
    fortran = "True";
    check_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, make_npy("|u1", "2, 3", "\1\4\2\5\3\6", 6), 3, 2, six);
    fortran = "False";
    check_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, make_npy(">i2", "2, 3", "\0\1\0\2\0\3\0\4\0\5\0\6", 12), 3, 2,
                  six);
    static const uint16_t halves[6] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    check_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, make_npy("<f2", "2, 3", halves, 12), 3, 2, six);
}

static void npy_bad(void)
{
    static const float zeros[6] = {0};
    /* Wrong shapes, types and sizes. */
    static const struct {
        const char *descr, *shape, *reason;
        size_t size;
    } bad[] = {{"<f4", "6,", "two dimensions", 24},
               {"<f4", "1, 2, 3", "two dimensions", 24},
               {"<f4", "0, 3", "no samples", 0},
               {"<f4", "3, 0", "no samples", 0},
               {">f4", "2, 3", "truncated", 23},
               {"<f2", "2, 3", "8 bytes follow", 20},
               {"<c8", "1, 3", "element type", 24},
               {"<f4", "2, 3", "truncated", 23},
               {"<f4", "2, 2", "8 bytes follow", 24},
               {"<i2", "2, 7", "truncated", 24},
               {"<f4", "1000000, 1000000", "truncated", 24},
               {"<f4", "4294967296, 4294967296", "too large", 24}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_no_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, make_npy(bad[i].descr, bad[i].shape, zeros, bad[i].size),
                         bad[i].reason);
    /* Infinite heights, heights beyond F32, and no height at all. */
    const float huge[6] = {0, 0, 0, 0, INFINITY, 0};
    const double beyond[6] = {0, 0, 1e39, 0, 0, 0};
    const float none[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    check_no_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, make_npy("<f4", "2, 3", huge, 24), "row 1: a height");
    check_no_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, make_npy("<f8", "2, 3", beyond, 48), "row 0: a height");
    check_no_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, make_npy("<f4", "2, 3", none, 24), "no sample has a height");
    size_t size = make_npy("<i2", "2, 3", zeros, 12);
    heights_damaged(BI_HEIGHTS_NPY, PLAIN, file.bytes, size, size, 7);
}

/* The mean of the nearest heights in four directions, by a plain search. */
static float plain_fill(const float *z, int w, int h, int x, int y)
{
    static const int dx[4] = {-1, 1, 0, 0}, dy[4] = {0, 0, -1, 1};
    float heights = 0, weight = 0;
    for (int d = 0; d < 4; d++)
        for (int k = 1;; k++) {
            int i = x + k * dx[d], j = y + k * dy[d];
            if (i < 0 || j < 0 || i >= w || j >= h) break;
            if (isnan(z[j * w + i])) continue;
            heights += z[j * w + i] / (float)k;
            weight += 1 / (float)k;
            break;
        }
    return weight > 0 ? heights / weight : NAN;
}

static void voids(void)
{
    struct suite_random r = {77};
    for (int trial = 0; trial < 200; trial++) {
        float z[12 * 12], once[12 * 12];
        char shape[32];
        bosc_heights got = {0};
        bosc_io_error error;
        int w = 1 + (int)suite_below(&r, 12), h = 1 + (int)suite_below(&r, 12), there = 0, step = 1 + trial % 40;
        for (int i = 0; i < w * h; i++) {
            z[i] = suite_below(&r, (uint64_t)step) ? NAN : (float)suite_unit(&r);
            there += !isnan(z[i]);
        }
        snprintf(shape, sizeof shape, "%d, %d", h, w);
        make_npy("<f4", shape, z, (size_t)(w * h) * 4);
        if (!there) {
            check_no_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, file.size, "no sample has a height");
            continue;
        }
        CHECK_EQ(parse_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, file.size, &got, &error), BOSC_OK);
        CHECK_EQ(got.voids, w * h - there);
        for (int i = 0; i < w * h; i++) once[i] = isnan(z[i]) ? plain_fill(z, w, h, i % w, i / w) : z[i];
        for (int i = 0; i < w * h; i++)
            CHECK(got.data[i] == (isnan(once[i]) ? plain_fill(once, w, h, i % w, i / w) : once[i]));
        bosc_heights_free(&got);
    }
    float high[9] = {3e38f, 3e38f, 3e38f, 3e38f, NAN,
                     3e38f, 3e38f, 3e38f, 3e38f}; /* the sum of any two overflows a float */
    bosc_heights got = {0};
    bosc_io_error error;
    size_t size = make_npy("<f4", "3, 3", high, sizeof high);
    CHECK_EQ(parse_heights(BI_HEIGHTS_NPY, PLAIN, file.bytes, size, &got, &error), BOSC_OK);
    CHECK(got.voids == 1 && got.data[4] == 3e38f);
    bosc_heights_free(&got);
}

static void formats(void)
{
    static const struct {
        const char *path, *bytes;
        enum bi_heights_format format;
    } files[] = {
        {"a.png", "", BI_HEIGHTS_PNG},       {"a/B.PNG", "", BI_HEIGHTS_PNG},    {"a.pgm", "", BI_HEIGHTS_PGM},
        {"N35E138.hgt", "", BI_HEIGHTS_HGT}, {"a.tif", "", BI_HEIGHTS_TIFF},     {"a.Tiff", "", BI_HEIGHTS_TIFF},
        {"a.npy", "P2", BI_HEIGHTS_NPY},     {"-", "\x93NUMPY", BI_HEIGHTS_NPY}, {"-", "\x89PNG", BI_HEIGHTS_PNG},
        {"a", "P2 1", BI_HEIGHTS_PGM},       {"-", "P5 1", BI_HEIGHTS_PGM},      {"-", "P6 1", BI_HEIGHTS_UNKNOWN},
        {"-", "", BI_HEIGHTS_UNKNOWN},       {"png", "", BI_HEIGHTS_UNKNOWN},    {"a.jpg", "xx", BI_HEIGHTS_UNKNOWN},
        {"", "xx", BI_HEIGHTS_UNKNOWN},      {"a.asc", "", BI_HEIGHTS_ASC},      {"a.ASC.gz", "", BI_HEIGHTS_ASC},
        {"-", "NCOLS 3", BI_HEIGHTS_ASC},    {"a.txt", "ncols", BI_HEIGHTS_ASC}, {"a", "ncol", BI_HEIGHTS_UNKNOWN}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct bi_bytes in = {.name = "F", .data = files[i].bytes, .size = strlen(files[i].bytes)};
        CHECK_EQ(bi_heights_format_of(files[i].path, &in), files[i].format);
    }
    static const char *const orders[] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (int i = 0; i < 4; i++) {
        struct bi_bytes in = {.name = "F", .data = orders[i], .size = 4};
        CHECK_EQ(bi_heights_format_of("-", &in), BI_HEIGHTS_TIFF);
    }
    CHECK_EQ(bi_heights_format_of("a", NULL), BI_HEIGHTS_UNKNOWN);
    check_no_heights(BI_HEIGHTS_UNKNOWN, PLAIN, "", 0, "the ending is not one of");
}

#ifdef BOSC_FAULTS
/* Memory runs out at every allocation of every parser. */
static void faults(void)
{
    static const unsigned char pixels[16] = {1, 2, 3, 4, 5, 6, 7};
    static const float gaps[4] = {1, NAN, 3, 4};
    struct png_kind kind = {2, 2, 16, 0, 0};
    /* A file of 2 x 2 samples in each format. */
    make_png(&file, &kind, pixels);
    check_heights_faults(BI_HEIGHTS_PNG, file.bytes, file.size);
    check_heights_faults(BI_HEIGHTS_PGM, "P5 2 2 255\nabcd", 15);
    check_heights_faults(BI_HEIGHTS_HGT, "abcdefgh", 8);
    make_npy("<f4", "2, 2", gaps, 16);
    check_heights_faults(BI_HEIGHTS_NPY, file.bytes, file.size);
}
#endif

static const struct suite_case suite_cases_io_heights[] = {
    {"PNGs", NULL, png_good},
    {"PNGs that are refused", NULL, png_bad},
    {"PGMs", NULL, pgm_good},
    {"PGMs that are refused", NULL, pgm_bad},
    {"SRTM tiles", NULL, hgt_files},
    {"SRTM tiles that are no squares", NULL, hgt_shapes},
    {"arrays", NULL, npy_good},
    {"arrays that are refused", NULL, npy_bad},
    {"samples without a height", NULL, voids},
    {"formats", NULL, formats},
#ifdef BOSC_FAULTS
    {"memory runs out in every parser", NULL, faults},
#endif
};
SUITE(io_heights);
