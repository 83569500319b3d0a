/* Options of readers of heights: bands of TIFFs and PNGs, whole and in parts; voids filled, kept and refused. */
#include <unistd.h>

#include "base/fault.h"
#include "cases/io/heights_data.h"
#include "cases/io/tiff_data.h"
#include "support/paths.h"

static void put_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* Reads a band as a whole and as parts: it must hold sample(i) x scale + offset, BAND_STEP more for each band. */
static void check_band(const char *path, int width, int band, double scale, double offset)
{
    const bosc_heights_opts opts = {.size = sizeof opts, .band = band};
    bosc_heights h = {0};
    bosc_heights_file *file = NULL;
    bosc_io_error error = {""};
    int64_t w = 0, n = 0;
    if (bosc_heights_read_opts(path, &opts, &h, &error) != BOSC_OK ||
        bosc_heights_file_open_opts(path, &opts, &file, &w, &n, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "band %d: %s", band, error.text);
    CHECK(w == width && h.width == w && h.height == n && h.voids == 0);
    float *part = suite_alloc((size_t)(w * n) * sizeof *part);
    for (int64_t rows = 1; rows <= 5; rows += 4) {
        if (bosc_heights_file_read(file, n - rows, 3, rows, w - 3, part))
            suite_fail(__FILE__, __LINE__, "%s", bosc_heights_file_message(file));
        for (int64_t i = 0; i < rows * (w - 3); i++)
            CHECK(part[i] == h.data[(n - rows + i / (w - 3)) * w + 3 + i % (w - 3)]);
    }
    for (int64_t i = 0; i < w * n; i++)
        CHECK(h.data[i] == (float)((double)(sample((int)i) + BAND_STEP * (band ? band - 1 : 0)) * scale + offset));
    free(part);
    bosc_heights_file_close(file);
    bosc_heights_free(&h);
}

static void tiff_bands(void)
{
    /* Interleaved and separate bands, in strips and tiles, compressed or not, of each width of samples. */
    static const struct tiff_kind kinds[] = {
        {.mode = "l", .format = F, .bits = 32, .samples = 2},
        {.mode = "b", .format = I, .bits = 16, .samples = 3, .tile = 16},
        {.mode = "l", .format = U, .bits = 8, .samples = 3, .photometric = PHOTOMETRIC_RGB},
        {.mode = "l8", .format = F, .bits = 64, .samples = 4, .rows = 5, .compression = COMPRESSION_ADOBE_DEFLATE},
        {.mode = "l",
         .format = I,
         .bits = 16,
         .samples = 2,
         .tile = 16,
         .compression = COMPRESSION_LZW,
         .predictor = 2},
        {.mode = "l", .format = F, .bits = 32, .samples = 3, .separate = true},
        {.mode = "b", .format = I, .bits = 16, .samples = 2, .separate = true, .rows = 1},
        {.mode = "l", .format = F, .bits = 64, .samples = 3, .separate = true, .tile = 16},
        {.mode = "b",
         .format = U,
         .bits = 32,
         .samples = 3,
         .separate = true,
         .tile = 16,
         .compression = COMPRESSION_ADOBE_DEFLATE},
        {.mode = "l", .format = U, .bits = 16, .samples = 3, .separate = true, .compression = COMPRESSION_LZW},
    };
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int large = 0; large < 2; large++) {
            struct tiff_kind kind = kinds[k];
            bosc_heights h = {0};
            bosc_io_error error = {""};
            char reason[64];
            if (large) kind.width = 600, kind.height = 500;
            make_tiff(path, &kind);
            for (int band = 1; band <= kind.samples; band++) check_band(path, large ? 600 : W, band, 1, 0);
            /* Without a choice, and beyond the last band. */
            CHECK_EQ(bosc_heights_read_opts(path, NULL, &h, &error), BOSC_ERR_FORMAT);
            snprintf(reason, sizeof reason, "%d bands; heights are one band: choose it (--band N)", kind.samples);
            CHECK(strstr(error.text, reason));
            const bosc_heights_opts beyond = {.size = sizeof beyond, .band = kind.samples + 1};
            CHECK_EQ(bosc_heights_read_opts(path, &beyond, &h, &error), BOSC_ERR_FORMAT);
            snprintf(reason, sizeof reason, "no band %d: the file has %d", kind.samples + 1, kind.samples);
            CHECK(strstr(error.text, reason) && !h.data);
        }
    unlink(path);
}

/* Each band has its own scale, offset and unit. */
static void band_scales(void)
{
    static const char metadata[] = "<GDALMetadata><Item name=\"OFFSET\" sample=\"0\" role=\"offset\">-100</Item>"
                                   "<Item name=\"SCALE\" sample=\"1\" role=\"scale\">0.5</Item>"
                                   "<Item name=\"OFFSET\" sample=\"1\" role=\"offset\">7</Item>"
                                   "<Item name=\"UNITTYPE\" sample=\"1\" role=\"unittype\">ft</Item>"
                                   "<Item name=\"SCALE\" role=\"scale\">3</Item></GDALMetadata>";
    const struct tiff_kind kind = {.mode = "l", .format = F, .bits = 32, .samples = 3, .metadata = metadata};
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    make_tiff(path, &kind);
    check_band(path, W, 1, 3, -100);
    check_band(path, W, 2, 0.5 * 0.3048, 7 * 0.3048);
    check_band(path, W, 3, 3, 0);
    unlink(path);
}

static void png_bands(void)
{
    static const struct png_kind kinds[] = {{5, 4, 8, 0, 0},  {5, 4, 16, 0, 0}, {5, 4, 8, 2, 0},
                                            {5, 4, 16, 2, 1}, {5, 4, 8, 4, 0},  {5, 4, 16, 6, 0}};
    static struct buffer b;
    unsigned char pixels[5 * 4 * 8];
    char path[PATH_ROOM];
    bosc_io_error error = {""};
    fresh_path(path, ".png");
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)(i * 37 + 11);
    /* Each kind: its bands, and one beyond. */
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const int bytes = kinds[k].depth / 8, channels = png_bits(&kinds[k]) / kinds[k].depth;
        make_png(&b, &kinds[k], pixels);
        put_file(path, b.bytes, b.size);
        for (int band = 1; band <= channels + 1; band++) {
            const bosc_heights_opts opts = {.size = sizeof opts, .band = band};
            bosc_heights h = {0};
            const bosc_status status = bosc_heights_read_opts(path, &opts, &h, &error);
            if (band > channels) {
                CHECK_EQ(status, BOSC_ERR_FORMAT);
                CHECK(strstr(error.text, "no band ") && !h.data);
                continue;
            }
            CHECK_EQ(status, BOSC_OK);
            for (int i = 0; i < 20; i++) {
                const unsigned char *p = pixels + (i * channels + band - 1) * bytes;
                CHECK(h.data[i] == (float)(bytes == 2 ? p[0] * 256 + p[1] : p[0]));
            }
            bosc_heights_free(&h);
        }
    }
    unlink(path);
}

/* An auxiliary file has values of each band; heights in the colours of several have none of them. */
static void auxiliary_bands(void)
{
    static const char text[] =
        "<PAMDataset><PAMRasterBand band=\"3\"><UnitType/><NoDataValue>85</NoDataValue></PAMRasterBand>"
        "<PAMRasterBand band=\"2\"><Scale>3</Scale><UnitType>ft</UnitType></PAMRasterBand>"
        "</PAMDataset>";
    static const struct png_kind kind = {5, 4, 8, 2, 0};
    static struct buffer b;
    unsigned char pixels[5 * 4 * 3];
    char path[PATH_ROOM], beside[PATH_ROOM + 8];
    fresh_path(path, ".png");
    snprintf(beside, sizeof beside, "%s.aux.xml", path);
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)(i * 37 + 11);
    make_png(&b, &kind, pixels);
    put_file(path, b.bytes, b.size);
    put_file(beside, text, sizeof text - 1);
    for (int band = 0; band <= 3; band++) { /* 0: an encoding */
        const bosc_heights_opts opts = {.size = sizeof opts,
                                        .band = band,
                                        .encoding = band ? BOSC_HEIGHTS_PLAIN : BOSC_HEIGHTS_TERRARIUM,
                                        .voids = BOSC_HEIGHTS_KEEP_VOIDS};
        const double factor = band == 2 ? 3 * 0.3048 : 1;
        bosc_heights h = {0};
        bosc_heights_file *file = NULL;
        bosc_io_error error = {""};
        float part[20];
        int64_t w, n;
        if (bosc_heights_read_opts(path, &opts, &h, &error) != BOSC_OK ||
            bosc_heights_file_open_opts(path, &opts, &file, &w, &n, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "band %d: %s", band, error.text);
        CHECK_EQ(bosc_heights_file_read(file, 0, 0, 4, 5, part), 0);
        CHECK(h.height_unit == (band == 2 ? 0.3048 : 0));
        for (int i = 0; i < 20; i++) {
            const unsigned char *p = pixels + i * 3;
            const double sample = band ? (double)p[band - 1] : -32768 + 256.0 * p[0] + p[1] + p[2] / 256.0;
            const bool is_void = band == 3 && p[2] == 85;
            CHECK(is_void ? isnan(h.data[i]) && isnan(part[i]) : h.data[i] == (float)(sample * factor));
            CHECK(is_void || part[i] == h.data[i]);
        }
        bosc_heights_file_close(file);
        bosc_heights_free(&h);
    }
    unlink(beside);
    unlink(path);
}

/* Formats with one band have band 1 only. */
static void single_bands(void)
{
    static const char *const files[][2] = {
        {".pgm", "P2 2 2 9\n1 2 3 4\n"}, {".hgt", "abcdefgh"}, {".asc", "ncols 2\nnrows 2\ncellsize 1\n1 2 3 4\n"}};
    for (int k = 0; k < 3; k++) {
        char path[PATH_ROOM];
        bosc_heights h = {0};
        bosc_heights_file *file = NULL;
        bosc_io_error error = {""};
        int64_t w, n;
        bosc_heights_opts opts = {.size = sizeof opts, .band = 1};
        fresh_path(path, files[k][0]);
        put_file(path, files[k][1], strlen(files[k][1]));
        CHECK_EQ(bosc_heights_read_opts(path, &opts, &h, &error), BOSC_OK);
        bosc_heights_free(&h);
        opts.band = 2;
        CHECK_EQ(bosc_heights_read_opts(path, &opts, &h, &error), BOSC_ERR_FORMAT);
        CHECK(strstr(error.text, "no band 2: the file has 1"));
        CHECK_EQ(bosc_heights_file_open_opts(path, &opts, &file, &w, &n, &error), BOSC_ERR_FORMAT);
        CHECK(strstr(error.text, "no band 2: the file has 1"));
        unlink(path);
    }
}

/* Filled, kept or refused; a kept raster is filled later with the same heights. */
static void voids(void)
{
    static const float z[6] = {1, NAN, 3, NAN, NAN, 6};
    const bosc_array array = {.dtype = BOSC_F32, .rank = 2, .shape = {2, 3, 1, 1}, .data = (void *)z};
    bosc_heights filled = {0}, kept = {0}, none = {0};
    bosc_heights_opts opts = {.size = sizeof opts};
    bosc_heights_file *file = NULL;
    bosc_io_error error = {""};
    char path[PATH_ROOM];
    float part[6];
    int64_t w, h;
    fresh_path(path, ".npy");
    CHECK_EQ(bosc_npy_write(path, &array, &error), BOSC_OK);
    /* 1. Filled by default; kept as NaN; refused with the first one. */
    CHECK_EQ(bosc_heights_read_opts(path, NULL, &filled, &error), BOSC_OK);
    opts.voids = BOSC_HEIGHTS_KEEP_VOIDS;
    CHECK_EQ(bosc_heights_read_opts(path, &opts, &kept, &error), BOSC_OK);
    CHECK(filled.voids == 3 && kept.voids == 3);
    for (int i = 0; i < 6; i++) CHECK(isfinite(filled.data[i]) && isnan(kept.data[i]) == isnan(z[i]));
    opts.voids = BOSC_HEIGHTS_REFUSE_VOIDS;
    CHECK_EQ(bosc_heights_read_opts(path, &opts, &none, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text, "row 0, column 1: no height; 3 of 6 samples have none") && !none.data);
    /* 2. Filled later. */
    kept.voids = 0;
    CHECK_EQ(bosc_heights_fill(&kept, &error), BOSC_OK);
    CHECK(kept.voids == 3 && memcmp(kept.data, filled.data, sizeof z) == 0);
    CHECK_EQ(bosc_heights_fill(&kept, &error), BOSC_OK);
    CHECK(kept.voids == 0 && memcmp(kept.data, filled.data, sizeof z) == 0);
    /* 3. Parts keep voids on request. */
    opts.voids = BOSC_HEIGHTS_KEEP_VOIDS;
    CHECK_EQ(bosc_heights_file_open_opts(path, &opts, &file, &w, &h, &error), BOSC_OK);
    CHECK_EQ(bosc_heights_file_read(file, 0, 0, 2, 3, part), 0);
    for (int i = 0; i < 6; i++) CHECK(isnan(z[i]) ? isnan(part[i]) : part[i] == z[i]);
    bosc_heights_file_close(file);
    opts.voids = BOSC_HEIGHTS_REFUSE_VOIDS;
    CHECK_EQ(bosc_heights_file_open_opts(path, &opts, &file, &w, &h, &error), BOSC_OK);
    CHECK_EQ(bosc_heights_file_read(file, 0, 0, 2, 3, part), 1);
    CHECK(strstr(bosc_heights_file_message(file), "row 0, column 1: no height"));
    bosc_heights_file_close(file);
    bosc_heights_free(&filled);
    bosc_heights_free(&kept);
    unlink(path);
}

/* The caller's value of samples without a height, beside the file's own; before the scale of an auxiliary file. */
static void no_data(void)
{
    static const char aux[] = "<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>4</NoDataValue><Scale>3</Scale>"
                              "</PAMRasterBand></PAMDataset>";
    static const struct tiff_kind kind = {.mode = "l",
                                          .format = F,
                                          .bits = 32,
                                          .samples = 1,
                                          .width = W,
                                          .height = 6,
                                          .metadata = "<GDALMetadata><Item name=\"SCALE\" sample=\"0\" "
                                                      "role=\"scale\">3</Item></GDALMetadata>"};
    static const struct {
        const char *ending, *text, *beside;
        int first, second; /* samples without a height; -1: none */
        double scale;
    } files[] = {{".pgm", "P2 3 2 9\n1 2 3 4 5 6\n", NULL, 1, -1, 1},
                 {".pgm", "P2 3 2 9\n1 2 3 4 5 6\n", aux, 1, 3, 3},
                 {".asc", "ncols 3\nnrows 2\ncellsize 1\nnodata_value 6\n1 2 3 4 5 6\n", NULL, 1, 5, 1},
                 {".tif", NULL, NULL, 2, -1, 3}};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        char path[PATH_ROOM], beside[PATH_ROOM + 8];
        bosc_heights h = {0};
        bosc_heights_file *file = NULL;
        bosc_io_error error = {""};
        float part[200];
        int64_t w, n;
        const double value = files[k].text ? 2 : (double)sample(2);
        bosc_heights_opts opts = {
            .size = sizeof opts, .voids = BOSC_HEIGHTS_KEEP_VOIDS, .has_no_data = 1, .no_data = value};
        /* 1. Write the file. */
        fresh_path(path, files[k].ending);
        snprintf(beside, sizeof beside, "%s.aux.xml", path);
        if (files[k].text)
            put_file(path, files[k].text, strlen(files[k].text));
        else
            make_tiff(path, &kind);
        if (files[k].beside) put_file(beside, files[k].beside, strlen(files[k].beside));
        /* 2. Read it as a whole and in parts. */
        if (bosc_heights_read_opts(path, &opts, &h, &error) != BOSC_OK ||
            bosc_heights_file_open_opts(path, &opts, &file, &w, &n, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "%s: %s", files[k].ending, error.text);
        CHECK(w * n <= 200);
        CHECK_EQ(bosc_heights_file_read(file, 0, 0, n, w, part), 0);
        CHECK_EQ(h.voids, 1 + (files[k].second >= 0));
        for (int64_t i = 0; i < w * n; i++) {
            const bool is_void = i == files[k].first || i == files[k].second;
            const double z = files[k].text ? (double)(i + 1) : (double)sample((int)i);
            CHECK(is_void ? isnan(h.data[i]) && isnan(part[i]) : h.data[i] == (float)(z * files[k].scale));
            CHECK(is_void || part[i] == h.data[i]);
        }
        bosc_heights_file_close(file);
        bosc_heights_free(&h);
        /* 3. Without the caller's value it is a height. */
        opts.has_no_data = 0;
        CHECK_EQ(bosc_heights_read_opts(path, &opts, &h, &error), BOSC_OK);
        CHECK_EQ(h.voids, files[k].second >= 0);
        bosc_heights_free(&h);
        if (files[k].beside) unlink(beside);
        unlink(path);
    }
}

static void bad_arguments(void)
{
    float z[4] = {NAN, 1, 2, 3}, nothing[2] = {NAN, NAN}, wild[2] = {NAN, INFINITY};
    bosc_heights h = {.width = 2, .height = 2, .data = z};
    bosc_heights_file *file = NULL;
    bosc_io_error failure = {""};
    int64_t w, n;
    const bosc_heights_opts bad[] = {{.size = 1},
                                     {.size = sizeof bad[0] + 8},
                                     {.size = sizeof bad[0], .has_no_data = 2},
                                     {.size = sizeof bad[0], .has_no_data = 1, .no_data = NAN},
                                     {.size = sizeof bad[0], .voids = (bosc_heights_voids)3},
                                     {.size = sizeof bad[0], .voids = (bosc_heights_voids)-1},
                                     {.size = sizeof bad[0], .band = -1},
                                     {.size = sizeof bad[0], .encoding = BOSC_HEIGHTS_TERRARIUM, .band = 1},
                                     {.size = sizeof bad[0], .encoding = (bosc_heights_encoding)3}};
    static const char *const reasons[] = {"opts: size 1 is not that of bosc_heights_opts",
                                          "opts: size 40 of bosc_heights_opts is a later version's",
                                          "opts: has_no_data: 2 is not 0 or 1",
                                          "opts: no_data: nan is not finite",
                                          "opts: voids: 3",
                                          "opts: voids: -1",
                                          "opts: band: -1",
                                          "opts: band: the enc",
                                          "encoding: 3"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        CHECK_TEXT(bosc_heights_read_opts("a.tif", &bad[k], &h, error), reasons[k]);
        CHECK_TEXT(bosc_heights_file_open_opts("a.tif", &bad[k], &file, &w, &n, error), reasons[k]);
    }
    CHECK(h.data == z && !file);
    /* An older caller's shorter struct has the defaults. */
    const bosc_heights_opts older = {.size = offsetof(bosc_heights_opts, band), .band = -1};
    CHECK_EQ(bosc_heights_read_opts("/nowhere/a.tif", &older, &h, &failure), BOSC_ERR_IO);
    /* Filling: missing arguments, then rasters that cannot be filled and stay as they were. */
    const bosc_heights none[] = {{.width = 0, .height = 2, .data = z},
                                 {.width = 2, .height = -1, .data = z},
                                 {.width = INT64_MAX, .height = 2, .data = z},
                                 {.width = INT64_MAX / 8, .height = 2, .data = z},
                                 {.width = 2, .height = 2}};
    CHECK_TEXT(bosc_heights_fill(NULL, error), "heights: NULL");
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        bosc_heights copy = none[k];
        CHECK_TEXT(bosc_heights_fill(&copy, error), "heights: ");
    }
    bosc_heights two = {.width = 2, .height = 1, .data = nothing};
    CHECK_EQ(bosc_heights_fill(&two, &failure), BOSC_ERR_DATA);
    CHECK(suite_begins(failure.text, "heights: no sample has a height"));
    two.data = wild;
    CHECK_EQ(bosc_heights_fill(&two, &failure), BOSC_ERR_DATA);
    CHECK(suite_begins(failure.text, "heights: row 0: a height is infinite") && isnan(wild[0]));
}

#ifdef BOSC_FAULTS
/* Memory runs out while voids are filled: they stay. */
static void faults(void)
{
    for (int64_t k = 0;; k++) {
        float z[4] = {NAN, 1, 2, 3};
        bosc_heights h = {.width = 2, .height = 2, .data = z};
        bosc_io_error error = {""};
        bi_fault_arm(BI_FAULT_ALLOC, k, false);
        const bosc_status status = bosc_heights_fill(&h, &error);
        const int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        CHECK(k < 100);
        if (status == BOSC_OK) {
            CHECK(k == 2 && passages == 2 && z[0] == 1.5f);
            break;
        }
        CHECK_EQ(status, BOSC_ERR_NOMEM);
        CHECK(suite_begins(error.text, "heights: out of memory") && isnan(z[0]));
    }
}
#endif

static const struct suite_case suite_cases_io_heights_opts[] = {
    {"bands of TIFFs", NULL, tiff_bands},      {"scales of bands", NULL, band_scales},
    {"bands of PNGs", NULL, png_bands},        {"auxiliary files of bands", NULL, auxiliary_bands},
    {"files of one band", NULL, single_bands}, {"voids", NULL, voids},
    {"values of no data", NULL, no_data},      {"bad arguments", NULL, bad_arguments},
#ifdef BOSC_FAULTS
    {"memory runs out", NULL, faults},
#endif
};
SUITE(io_heights_opts);
