/* Parts of heights in files of every format equal those of the whole file; refused files; faults. */
#include <unistd.h>

#include "base/fault.h"
#include "cases/io/heights_data.h"
#include "cases/io/tiff_data.h"
#include "support/paths.h"

#define PLAIN BOSC_HEIGHTS_PLAIN

enum { WIDE = 800, TALL = 700 }; /* of files too large to be held in memory */

static void put_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static void check_part(bosc_heights_file *file, const bosc_heights *whole, int64_t row, int64_t column, int64_t rows,
                       int64_t columns)
{
    float *part = suite_alloc((size_t)(rows * columns) * sizeof *part);
    if (bosc_heights_file_read(file, row, column, rows, columns, part))
        suite_fail(__FILE__, __LINE__, "%s", bosc_heights_file_message(file));
    for (int64_t r = 0; r < rows; r++)
        CHECK(memcmp(part + r * columns, whole->data + (row + r) * whole->width + column, (size_t)columns * 4) == 0);
    free(part);
}

/* The whole, its last sample, and random parts. */
static void check_parts(const char *path, bosc_heights_encoding encoding)
{
    struct suite_random r = {3};
    bosc_heights whole = {0};
    bosc_heights_file *file = NULL;
    bosc_io_error error = {""};
    int64_t w = 0, h = 0;
    if (bosc_heights_read(path, encoding, &whole, &error) ||
        bosc_heights_file_open(path, encoding, &file, &w, &h, &error))
        suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK(w == whole.width && h == whole.height && *bosc_heights_file_message(file) == 0);
    check_part(file, &whole, 0, 0, h, w);
    check_part(file, &whole, h - 1, w - 1, 1, 1);
    for (int trial = 0; trial < 30; trial++) {
        const int64_t rows = 1 + (int64_t)suite_below(&r, h < 90 ? (uint32_t)h : 90),
                      columns = 1 + (int64_t)suite_below(&r, w < 90 ? (uint32_t)w : 90);
        check_part(file, &whole, (int64_t)suite_below(&r, (uint32_t)(h - rows + 1)),
                   (int64_t)suite_below(&r, (uint32_t)(w - columns + 1)), rows, columns);
    }
    bosc_heights_file_close(file);
    bosc_heights_free(&whole);
}

static void tiffs(void)
{
#define PLACED(x, y) .scale = {1, 1, 0}, .transformation = { x, 0, 0, 5, 0, y, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1 }
    /* Byte orders, sample types, strips and tiles, codecs, mirrored axes, scale and offset. */
    static const struct tiff_kind kinds[] = {
        {.mode = "l", .format = F, .bits = 32},
        {.mode = "b", .format = F, .bits = 32, .tile = 16},
        {.mode = "l8", .format = F, .bits = 64, .rows = 100},
        {.mode = "b8", .format = F, .bits = 64, .tile = 16},
        {.mode = "b", .format = I, .bits = 16, .rows = 1},
        {.mode = "l", .format = U, .bits = 8, .tile = 64},
        {.mode = "b", .format = I, .bits = 8},
        {.mode = "b", .format = U, .bits = 32},
        {.mode = "l", .format = I, .bits = 64, PLACED(3, -3)},
        {.mode = "b", .format = U, .bits = 16, PLACED(-3, 3)},
        {.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_ADOBE_DEFLATE, .predictor = 3, .tile = 16},
        {.mode = "b", .format = I, .bits = 16, .compression = COMPRESSION_LZW, .predictor = 2, .rows = 7},
        {.mode = "l", .format = U, .bits = 16, .compression = COMPRESSION_PACKBITS, PLACED(-3, 3)},
        {.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_LZMA, .tile = 32, PLACED(3, 3)},
        {.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_ZSTD, .predictor = 3},
        {.mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_LERC, .tile = 16},
        {.mode = "l",
         .format = F,
         .bits = 32,
         .metadata = "<Item role=\"scale\">0.3</Item><Item role=\"offset\">7</Item>"},
    };
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    /* Small files are held in memory, large ones read block by block. */
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int large = 0; large < 2; large++) {
            struct tiff_kind kind = kinds[k];
            if (kind.compression && !TIFFIsCODECConfigured((uint16_t)kind.compression)) continue;
            if (large) kind.width = WIDE, kind.height = TALL;
            make_tiff(path, &kind);
            check_parts(path, PLAIN);
        }
    unlink(path);
}

/* Blocks evict others from the cache: a slot must return the samples of its last block. */
static void evicted_blocks(void)
{
    static const struct tiff_kind kind = {.mode = "l",
                                          .format = F,
                                          .bits = 64,
                                          .compression = COMPRESSION_ADOBE_DEFLATE,
                                          .rows = 1,
                                          .width = 40000,
                                          .height = 500}; /* 160 MB: more than the cache holds */
    char path[PATH_ROOM];
    bosc_heights_file *file = NULL;
    bosc_io_error error = {""};
    int64_t w, h;
    float part[3 * 5];
    fresh_path(path, ".tif");
    make_tiff(path, &kind);
    CHECK_EQ(bosc_heights_file_open(path, PLAIN, &file, &w, &h, &error), BOSC_OK);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t row = 0; row <= 497; row += 7)
            for (int64_t column = 0; column < w; column += 13000) {
                CHECK_EQ(bosc_heights_file_read(file, row, column, 3, 5, part), 0);
                for (int64_t i = 0; i < 15; i++)
                    CHECK(part[i] == (float)sample((int)((row + i / 5) * w + column + i % 5)));
            }
    bosc_heights_file_close(file);
    unlink(path);
}

/* PNGs of noise, which does not compress, and others. */
static void pictures(void)
{
    struct suite_random r = {8};
    char path[PATH_ROOM];
    bosc_io_error error = {""};
    bosc_heights h = {.width = WIDE, .height = TALL, .data = suite_alloc(WIDE * TALL * 4)};
    static unsigned char pixels[40 * 30 * 8];
    static const struct png_kind kinds[] = {
        {40, 30, 8, 0, 0}, {40, 30, 16, 0, 0}, {40, 30, 8, 2, 0}, {40, 30, 8, 6, 0}, {40, 30, 8, 2, 0}};
    for (int64_t i = 0; i < WIDE * TALL; i++) h.data[i] = (float)suite_below(&r, 65536);
    fresh_path(path, ".png");
    CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_OK);
    check_parts(path, PLAIN);
    free(h.data);
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)suite_below(&r, 256);
    for (int k = 0; k < 5; k++) {
        static struct buffer b;
        b.size = 0;
        make_png(&b, &kinds[k], pixels);
        put_file(path, b.bytes, b.size);
        check_parts(path, k < 2 ? PLAIN : k < 4 ? BOSC_HEIGHTS_TERRAIN_RGB : BOSC_HEIGHTS_TERRARIUM);
    }
    unlink(path);
}

/* Text longer than one read, with comments and numbers across the borders. */
static size_t put_text(char *text)
{
    size_t size = (size_t)sprintf(text, "P2 # %0900d\n%d %d\n60000\n", 0, WIDE, TALL);
    for (int i = 0; i < WIDE * TALL; i++) {
        size += (size_t)sprintf(text + size, "%d", i % 7919 * 7);
        size += (size_t)sprintf(text + size, i % 1000 == 0 ? "#%0100d\n" : i % 13 ? " " : "\n", i);
    }
    return size;
}

static void plain_files(void)
{
    static const char *const heads[] = {"P5 800 700 255\n", "P5\n# 1\n800 700\n65535 "};
    struct suite_random r = {9};
    char path[PATH_ROOM], *bytes = suite_alloc(1 << 23);
    bosc_io_error error = {""};
    /* 1. PGMs: text, then bytes and words. */
    fresh_path(path, ".pgm");
    put_file(path, bytes, put_text(bytes));
    check_parts(path, PLAIN);
    for (int k = 0; k < 2; k++) {
        const size_t head = strlen(heads[k]), count = (size_t)(WIDE * TALL * (k + 1));
        memcpy(bytes, heads[k], head);
        for (size_t i = 0; i < count; i++) bytes[head + i] = (char)suite_below(&r, 255);
        put_file(path, bytes, head + count);
        check_parts(path, PLAIN);
    }
    unlink(path);
    /* 2. An ASCII grid larger than the head of a file that is read at first. */
    fresh_path(path, ".asc");
    size_t size = (size_t)sprintf(bytes, "ncols %d\nnrows %d\nxllcorner 0\nyllcorner 0\ncellsize 1\n", WIDE, TALL);
    for (int i = 0; i < WIDE * TALL; i++)
        size += (size_t)sprintf(bytes + size, i % WIDE ? " %.2f" : "\r\n%.2f", i % 7919 * 0.25 - 300);
    put_file(path, bytes, size);
    check_parts(path, PLAIN);
    unlink(path);
    /* 3. An .hgt file. */
    fresh_path(path, ".hgt");
    for (int i = 0; i < 801 * 801 * 2; i++) bytes[i] = (char)suite_below(&r, 127);
    put_file(path, bytes, 801 * 801 * 2);
    check_parts(path, PLAIN);
    unlink(path);
    /* 4. Compressed files of each format. */
    static const char *const packed[] = {".tif.gz", ".pgm.gz", ".png.gz", ".npy.gz"};
    float z[20 * 30];
    for (int i = 0; i < 600; i++) z[i] = (float)(i * 17 % 200);
    for (int k = 0; k < 4; k++) {
        const bosc_heights h = {.width = 30, .height = 20, .data = z};
        fresh_path(path, packed[k]);
        CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_OK);
        check_parts(path, PLAIN);
        unlink(path);
    }
    free(bytes);
}

/* The file cannot be opened for reading parts, or fails when all of it is read; the message begins with the file's
 * name. */
static void check_no_parts(const char *path, bosc_heights_encoding encoding, bosc_status expected, const char *reason)
{
    bosc_heights_file *file = NULL;
    bosc_io_error error = {""};
    int64_t w = 7, h = 7;
    bosc_status status = bosc_heights_file_open(path, encoding, &file, &w, &h, &error);
    float *values = suite_alloc((size_t)(w * h) * sizeof *values);
    if (status != BOSC_OK) CHECK(!file && w == 7 && h == 7);
    const int failed = status == BOSC_OK ? bosc_heights_file_read(file, 0, 0, h, w, values) : 0;
    const char *text = failed ? bosc_heights_file_message(file) : error.text;
    if (status != (failed ? BOSC_OK : expected) || !suite_begins(text, path) || !strstr(text, reason))
        suite_fail(__FILE__, __LINE__, "%d: \"%s\" lacks \"%s\"", (int)status, text, reason);
    bosc_heights_file_close(file);
    free(values);
}

static void refused_texts(void)
{
    /* Truncated, malformed, and of no known format. */
    static const struct {
        const char *ending, *text, *reason;
    } files[] = {
        {".pgm", "P2 2 2 9 1 2 3     ", ":1: truncated"},
        {".pgm", "P2 2 1 9\n1 x", ":2: no number from 0"},
        {".pgm", "P2 2 1 9 1 10 ", "no number from 0"},
        {".pgm", "P2 2 1 9 1 2 3", "text after the picture"},
        {".pgm", "P5 2 2 255\nabc", "do not fit in 14 bytes"},
        {".pgm", "P5 2 1 255\nabc", "1 bytes follow"},
        {".pgm", "P5 2 1 97\nab", "row 0: 98 is more than the maximum, 97"},
        {".pgm", "P6 2 1 97\nab", "not a .pgm file"},
        {".asc", "ncols 2\nnrows 2\ncellsize 1\n1 2 3  ", ":4: truncated: 3 of 2 x 2 numbers"},
        {".asc", "ncols 2\nnrows 1\ncellsize 1\n1 -9999", "row 0, column 1: no height"},
        {".hgt", "abcde", "5 bytes of 16-bit samples are not a square"},
        {".png", "GIF", "not a PNG"},
        {".tif", "GIF89", "not a TIFF"},
        {".txt", "1 2 3", "the ending is not one of .png, .pgm, .hgt, .asc, .tif, .npy"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[PATH_ROOM];
        fresh_path(path, files[i].ending);
        put_file(path, files[i].text, strlen(files[i].text));
        check_no_parts(path, PLAIN, BOSC_ERR_FORMAT, files[i].reason);
        unlink(path);
    }
}

static void refused_pictures(void)
{
    static const unsigned char pixels[8 * 8 * 4] = {0}, holes[8] = {0, 1, 0, 2, 0x80, 0, 0, 3};
    static const struct png_kind interlaced = {8, 8, 8, 0, 1}, grey = {8, 8, 8, 0, 0}, rgb = {8, 8, 8, 2, 0};
    static struct buffer b;
    char path[PATH_ROOM];
    bosc_heights_file *file = NULL;
    int64_t w, h;
    /* 1. An interlaced PNG; wrong encodings; a truncated PNG. */
    fresh_path(path, ".png");
    make_png(&b, &interlaced, pixels);
    put_file(path, b.bytes, b.size);
    check_no_parts(path, PLAIN, BOSC_ERR_FORMAT, "an interlaced PNG, of which no parts can be read");
    b.size = 0;
    make_png(&b, &grey, pixels);
    put_file(path, b.bytes, b.size);
    check_no_parts(path, BOSC_HEIGHTS_TERRAIN_RGB, BOSC_ERR_FORMAT, "terrain-RGB needs a picture");
    put_file(path, b.bytes, b.size - 20);
    check_no_parts(path, PLAIN, BOSC_ERR_FORMAT, "damaged PNG: ");
    b.size = 0;
    make_png(&b, &rgb, pixels);
    put_file(path, b.bytes, b.size);
    check_no_parts(path, PLAIN, BOSC_ERR_FORMAT, "an RGB picture");
    CHECK_TEXT(bosc_heights_file_open(path, (bosc_heights_encoding)3, &file, &w, &h, error), "encoding");
    unlink(path);
    /* 2. An .hgt file with a missing height. */
    fresh_path(path, ".hgt");
    put_file(path, holes, 8);
    check_no_parts(path, BOSC_HEIGHTS_TERRAIN_RGB, BOSC_ERR_FORMAT, "not a PNG; only a PNG");
    check_no_parts(path, PLAIN, BOSC_ERR_FORMAT, "row 1, column 0: no height");
    unlink(path);
}

static void refused_tiffs(void)
{
    static const struct {
        struct tiff_kind kind;
        const char *reason;
        double kept; /* fraction of the file's bytes that is kept */
    } files[] = {
        {{.mode = "l", .format = U, .bits = 8, .samples = 3, .photometric = PHOTOMETRIC_RGB}, "one band", 1},
        {{.mode = "l", .format = F, .bits = 32, .tile = 16, .left_out = 2}, "a sparse TIFF", 1},
        {{.mode = "l", .format = I, .bits = 16, .no_data = "7"}, "row 0, column 1: no height", 1},
        {{.mode = "l", .format = I, .bits = 16, .no_data = "7", .compression = COMPRESSION_LZW},
         "column 1: no height",
         1},
        {{.mode = "l", .format = F, .bits = 32}, "TIFF: ", 0.5},
        {{.mode = "l", .format = U, .bits = 8, .compression = COMPRESSION_JPEG, .tile = 16}, "compression", 1}};
    static unsigned char bytes[1 << 20];
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        make_tiff(path, &files[k].kind);
        FILE *file = fopen(path, "rb");
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        put_file(path, bytes, (size_t)((double)size * files[k].kept));
        check_no_parts(path, PLAIN, BOSC_ERR_FORMAT, files[k].reason);
    }
    unlink(path);
}

/* Damaged compressed samples are detected when they are read; other parts can still be read. */
static void damaged_block(void)
{
    static const struct tiff_kind kind = {
        .mode = "l", .format = F, .bits = 32, .compression = COMPRESSION_ADOBE_DEFLATE, .rows = 1};
    char path[PATH_ROOM];
    bosc_heights_file *file = NULL;
    bosc_io_error error;
    int64_t w, h;
    float row[W];
    fresh_path(path, ".tif");
    make_tiff(path, &kind);
    TIFF *t = TIFFOpen(path, "r");
    const long at = (long)TIFFGetStrileOffset(t, 5);
    TIFFClose(t);
    FILE *raw = fopen(path, "r+b");
    CHECK(raw && fseek(raw, at, SEEK_SET) == 0 && fwrite("xxxxxx", 1, 6, raw) == 6 && fclose(raw) == 0);
    CHECK_EQ(bosc_heights_file_open(path, PLAIN, &file, &w, &h, &error), BOSC_OK);
    for (int time = 0; time < 2; time++) {
        CHECK_EQ(bosc_heights_file_read(file, 5, 0, 1, W, row), 1);
        CHECK(suite_begins(bosc_heights_file_message(file), path) &&
              strstr(bosc_heights_file_message(file), "damaged TIFF: "));
        CHECK_EQ(bosc_heights_file_read(file, 6, 0, 1, W, row), 0);
        CHECK(row[3] == (float)sample(6 * W + 3));
    }
    bosc_heights_file_close(file);
    unlink(path);
}

#ifdef BOSC_FAULTS
/* A file of 5 rows and columns of each format, compressed and not. */
static void put_small(const char *path, int format)
{
    static const struct tiff_kind kinds[] = {
        {.mode = "l", .format = F, .bits = 32, .width = 5, .height = 5},
        {.mode = "b", .format = F, .bits = 32, .width = 5, .height = 5, .compression = COMPRESSION_LZW, .tile = 16}};
    static const char text[] = "P2 5 5 200 0 7 14 21 28 35 42 49 56 63 70 77 84 91 98 105 112 119 6 13 20 27 34 41 48";
    float z[25];
    bosc_io_error error;
    const bosc_heights h = {.width = 5, .height = 5, .data = z};
    for (int i = 0; i < 25; i++) z[i] = (float)sample(i);
    if (format < 2)
        make_tiff(path, &kinds[format]);
    else if (format == 2)
        put_file(path, text, strlen(text));
    else
        CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_OK);
}

static void faults(void)
{
    static const char *const endings[] = {".tif", ".tif", ".pgm", ".pgm", ".hgt", ".png"};
    for (int format = 0; format < 6; format++)
        for (int64_t k = 0;; k++) {
            char path[PATH_ROOM];
            bosc_io_error error = {""};
            bosc_heights_file *file = NULL;
            int64_t w, h;
            float part[4];
            /* A fresh file for every k; opening it, or reading its last samples, fails. */
            fresh_path(path, endings[format]);
            put_small(path, format);
            bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_READ | BI_FAULT_WRITE, k, false);
            const bosc_status status = bosc_heights_file_open(path, PLAIN, &file, &w, &h, &error);
            const int failed = status == BOSC_OK ? bosc_heights_file_read(file, 3, 3, 2, 2, part) : 0;
            const int64_t passages = bi_fault_passages();
            bi_fault_disarm();
            CHECK(k < 200);
            /* A failure has a message; without one the samples are right. */
            if (status != BOSC_OK) CHECK(!file && error.text[0] && !strstr(error.text, "Success"));
            if (failed) CHECK(*bosc_heights_file_message(file));
            if (status == BOSC_OK && !failed) CHECK(part[0] == (float)sample(18) && part[3] == (float)sample(24));
            bosc_heights_file_close(file);
            unlink(path);
            /* The last k exceeds the number of passages. */
            if (passages > k) continue;
            if (status != BOSC_OK || failed || k < 5)
                suite_fail(__FILE__, __LINE__, "format %d, passage %lld: %s", format, (long long)k, error.text);
            break;
        }
}

/* A failed read of the images behind the first one is reported; otherwise a mask would be passed over. */
static void faults_of_pages(void)
{
    const struct tiff_kind kind = {.mode = "l", .format = F, .bits = 32, .width = WIDE, .height = TALL};
    const struct tiff_kind page = {.format = F, .bits = 32, .width = 2, .height = 1};
    float row[2] = {0};
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    /* 1. Two images; the first is too large to be held in memory. */
    make_tiff(path, &kind);
    TIFF *t = TIFFOpen(path, "a");
    CHECK(t != NULL);
    put_tags(t, &page);
    CHECK(TIFFWriteScanline(t, row, 0, 0) == 1);
    TIFFClose(t);
    /* 2. Opening fails with read k, until there are at most k reads. */
    for (int64_t k = 0;; k++) {
        bosc_io_error error = {""};
        bosc_heights_file *file = NULL;
        int64_t w, h;
        bi_fault_arm(BI_FAULT_READ, k, false);
        const bosc_status status = bosc_heights_file_open(path, PLAIN, &file, &w, &h, &error);
        const int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        bosc_heights_file_close(file);
        CHECK(k < 200);
        if (passages <= k) {
            if (status != BOSC_OK || k < 4)
                suite_fail(__FILE__, __LINE__, "passage %lld: %s", (long long)k, error.text);
            break;
        }
        if (status != BOSC_ERR_IO)
            suite_fail(__FILE__, __LINE__, "passage %lld: %s: %s", (long long)k, bosc_status_name(status), error.text);
    }
    unlink(path);
}

/* If the file system has no unnamed files, a named temporary file is used and unlinked. */
static void named_temporary_file(void)
{
    char path[PATH_ROOM];
    fresh_path(path, ".png");
    put_small(path, 5);
    bi_fault_arm(BI_FAULT_UNNAMED, 0, true);
    check_parts(path, PLAIN);
    bi_fault_disarm();
    unlink(path);
}
#endif

static const struct suite_case suite_cases_io_heights_parts[] = {
    {"TIFFs", NULL, tiffs},
    {"blocks that give way", NULL, evicted_blocks},
    {"pictures", NULL, pictures},
    {"plain files", NULL, plain_files},
    {"texts that are refused", NULL, refused_texts},
    {"pictures that are refused", NULL, refused_pictures},
    {"TIFFs that are refused", NULL, refused_tiffs},
    {"a damaged block", NULL, damaged_block},
#ifdef BOSC_FAULTS
    {"faults at every passage", NULL, faults},
    {"faults of the second image", NULL, faults_of_pages},
    {"named for a moment", NULL, named_temporary_file},
#endif
};
SUITE(io_heights_parts);
