/* Georeference of rasters: coordinate systems, units of the map and of heights, places, masks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <boscage/io.h>

#include "base/fault.h"
#include "cases/io/heights_data.h"
#include "cases/io/tiff_data.h"
#include "io/raster/projection.h"
#include "support/paths.h"

#define PLAIN BOSC_HEIGHTS_PLAIN
#define US_FOOT (1200.0 / 3937)
#define DEGREE (BI_METRES_A_DEGREE)

/* ---- systems ---- */

/* Expected facts: with PROJ, and without it where that differs (`bare` set). */
struct facts {
    double spacing, spacing_y, height_unit;
    int assumed;
    const char *crs;
    bool placed;
};

struct system {
    const char *name;
    struct tiff_kind kind;
    struct facts proj, bare;
};

/* Northing of web Mercator at 60 degrees north, less half the raster: the middle of H rows of 20 m. */
#define NORTH_60 (8399737.889818357 + 10.0 * H)

static const struct system systems[] = {
    {"UTM",
     {.scale = {30, 20, 0},
      .tie = {0, 0, 0, 5e5, 5e6, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 32633, 3076, 0, 1, 9001}},
     {30, 20, 0, 0, "EPSG:32633", true},
     {.crs = NULL}},
    {"UTM without a unit",
     {.scale = {30, 20, 0}, .tie = {0, 0, 0, 5e5, 5e6, 0}, .keys = {1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32733}},
     {30, 20, 0, 0, "EPSG:32733", true},
     {.crs = NULL}},
    {"feet of the map, none of heights",
     {.scale = {10, 10, 0},
      .tie = {0, 0, 0, 990000, 200000, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 2263, 3076, 0, 1, 9003}},
     {10 * US_FOOT, 10 * US_FOOT, US_FOOT, BOSC_HEIGHTS_ASSUMED_HEIGHT_UNIT, "EPSG:2263", true},
     {10 * US_FOOT, 10 * US_FOOT, US_FOOT, BOSC_HEIGHTS_ASSUMED_HEIGHT_UNIT | BOSC_HEIGHTS_ASSUMED_SCALE, "EPSG:2263",
      true}},
    {"a compound system without units",
     {.scale = {10, 10, 0},
      .tie = {0, 0, 0, 990000, 200000, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 2263, 4096, 0, 1, 6360}},
     {10 * US_FOOT, 10 * US_FOOT, US_FOOT, 0, "EPSG:2263+6360", true},
     {0, 0, US_FOOT, 0, "EPSG:2263+6360", false}},
    {"metres of the map, feet of heights",
     {.scale = {10, 10, 0}, .tie = {0, 0, 0, 5e5, 5e6, 0}, .keys = {1,     1,    0, 4, 1024, 0,    1, 1, 3072, 0, 1,
                                                                    26910, 3076, 0, 1, 9001, 4096, 0, 1, 8228}},
     {10, 10, 0.3048, 0, "EPSG:26910+8228", true},
     {.crs = NULL}},
    {"a unit of heights",
     {.scale = {10, 10, 0}, .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 9001, 4099, 0, 1, 9002}},
     {10, 10, 0.3048, 0, "", false},
     {.crs = NULL}},
    {"feet of the map, metres of heights",
     {.scale = {10, 10, 0}, .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 9002, 4099, 0, 1, 9001}},
     {3.048, 3.048, 1, 0, "", false},
     {.crs = NULL}},
    {"an angle as the unit of heights",
     {.scale = {10, 10, 0}, .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 9001, 4099, 0, 1, 9102}},
     {10, 10, NAN, 0, "", false},
     {.crs = NULL}},
    {"an angle as the unit of a map",
     {.scale = {10, 10, 0}, .keys = {1, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 9102}},
     {0, 0, 0, 0, "", false},
     {.crs = NULL}},
    {"a length as the unit of degrees",
     {.scale = {10, 10, 0}, .keys = {1, 1, 0, 2, 1024, 0, 1, 2, 2054, 0, 1, 9001}},
     {0, 0, 0, 0, "", false},
     {.crs = NULL}},
    {"the unit of a band",
     {.metadata = "<GDALMetadata><Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">ft</Item></GDALMetadata>"},
     {0, 0, 0.3048, 0, "", false},
     {.crs = NULL}},
    {"an unknown unit of a band",
     {.metadata = "<Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">furlong</Item>"},
     {0, 0, NAN, 0, "", false},
     {.crs = NULL}},
    {"a unit of the map's own",
     {.scale = {10, 20, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 32767, 3077, 34736, 1, 1},
      .doubles = {7, 0.5}},
     {5, 10, 0, 0, "", false},
     {.crs = NULL}},
    {"depths",
     {.scale = {30, 30, 0}, .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 9001, 4096, 0, 1, 5715}},
     {30, 30, -1, 0, "", false},
     {.crs = NULL}},
    {"an unknown system of heights",
     {.scale = {30, 30, 0}, .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 9001, 4096, 0, 1, 1}},
     {30, 30, NAN, 0, "", false},
     {.crs = NULL}},
    {"an unknown system of the map",
     {.scale = {30, 30, 0}, .tie = {0, 0, 0, 5e5, 5e6, 0}, .keys = {1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 1}},
     {0, 0, 0, 0, "EPSG:1", false},
     {.crs = NULL}},
    {"web Mercator at 60 degrees",
     {.scale = {20, 20, 0},
      .tie = {0, 0, 0, 0, NORTH_60, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 3857, 3076, 0, 1, 9001}},
     {10.0251989, 10.0083361, 0, 0, "EPSG:3857", true},
     {.crs = NULL}},
    {"world Mercator at 60 degrees",
     {.scale = {20, 20, 0},
      .tie = {0, 0, 0, 0, 8362698.55 + 10.0 * H, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 3395, 3076, 0, 1, 9001}},
     {10.025194, 10.025194, 0, 0, "EPSG:3395", true},
     {20, 20, 0, BOSC_HEIGHTS_ASSUMED_SCALE, "EPSG:3395", true}},
    {"around the south pole", /* 10 m / .972769 there */
     {.scale = {10, 10, 0},
      .tie = {0, 0, 0, -5.0 * W, 5.0 * H, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 3031, 3076, 0, 1, 9001}},
     {10.2799328, 10.2799328, 0, 0, "EPSG:3031", true},
     {10, 10, 0, BOSC_HEIGHTS_ASSUMED_SCALE, "EPSG:3031", true}},
    {"equidistant cylinder at 60 degrees",
     {.scale = {20, 20, 0},
      .tie = {0, 0, 0, 0, 6679169.447596414 + 10.0 * H, 0},
      .keys = {1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 4087}},
     {10.0251989, 20.0166721, 0, 0, "EPSG:4087", true},
     {0, 0, 0, 0, "EPSG:4087", false}},
    {"a system of its own",
     {.scale = {20, 20, 0},
      .tie = {0, 0, 0, 5, 5, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 32767, 3076, 0, 1, 9001}},
     {20, 20, 0, BOSC_HEIGHTS_ASSUMED_SCALE, "", true},
     {.crs = NULL}},
    {"grads",
     {.scale = {0.01, 0.01, 0}, .keys = {1, 1, 0, 2, 1024, 0, 1, 2, 2054, 0, 1, 9105}},
     {0.009 * DEGREE, 0.009 * DEGREE, 0, BOSC_HEIGHTS_ASSUMED_LATITUDE, "", false},
     {.crs = NULL}},
    {"grads from Paris, by the code alone",
     {.scale = {0.01, 0.01, 0},
      .tie = {0, 0, 0, 1, 0.005 * H, 0},
      .keys = {1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4807}},
     {0.009 * DEGREE, 0.009 * DEGREE, 0, 0, "EPSG:4807", true},
     {0, 0, 0, 0, "EPSG:4807", false}},
    {"the Moon",
     {.scale = {1, 1, 0},
      .tie = {0, 0, 0, 0, H / 2.0, 0},
      .keys = {1, 1, 0, 3, 1024, 0, 1, 2, 2054, 0, 1, 9102, 2057, 34736, 1, 0},
      .doubles = {1737400}},
     {30323.35, 30323.35, 0, 0, "", true},
     {.crs = NULL}},
    {"no model but a geographic system",
     {.scale = {1, 1, 0}, .tie = {0, 0, 0, 0, H / 2.0, 0}, .keys = {1, 1, 0, 1, 2048, 0, 1, 4326}},
     {DEGREE, DEGREE, 0, 0, "EPSG:4326", true},
     {.crs = NULL}},
    {"a geocentric model",
     {.scale = {1, 1, 0}, .keys = {1, 1, 0, 1, 1024, 0, 1, 3}},
     {0, 0, 0, 0, "", false},
     {.crs = NULL}},
};

static bool near(double a, double b) { return (isnan(a) && isnan(b)) || fabs(a - b) <= 2e-6 * fabs(b); }

static void check_facts(const struct system *s, const bosc_heights *h)
{
    const struct facts *f = *bosc_proj_reason() && s->bare.crs ? &s->bare : &s->proj;
    const double unit = f->height_unit == 0 || isnan(f->height_unit) ? 1 : f->height_unit;
    const char *const named = s->kind.metadata && strstr(s->kind.metadata, "furlong") ? "furlong" : "";
    if (strcmp(h->unit_name, named) != 0) suite_fail(__FILE__, __LINE__, "%s: '%s'", s->name, h->unit_name);
    if (!near(h->spacing, f->spacing) || !near(h->spacing_y, f->spacing_y) || !near(h->height_unit, f->height_unit) ||
        h->assumed != f->assumed || strcmp(h->crs, f->crs) != 0 || (h->edges[0] < h->edges[2]) != f->placed)
        suite_fail(__FILE__, __LINE__, "%s: spacings %.17g %.17g, unit %g, assumed %d, \"%s\", placed %d", s->name,
                   h->spacing, h->spacing_y, h->height_unit, h->assumed, h->crs, h->edges[0] < h->edges[2]);
    if (h->spacing == 0) CHECK(h->source != BOSC_HEIGHTS_OWN_SPACING);
    for (int i = 0; h->data && i < W * H; i++)
        CHECK(near((double)h->data[i], (double)(float)((double)sample(i) * unit)));
}

/* Whole files and files by parts give the same facts. */
static void check_systems(void)
{
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        struct tiff_kind kind = systems[k].kind;
        bosc_heights h = {0}, described;
        bosc_heights_file *file = NULL;
        bosc_io_error error = {""};
        int64_t width, height;
        float part[W * H];
        /* 1. The file. */
        kind.mode = "l";
        kind.format = F;
        kind.bits = 32;
        make_tiff(path, &kind);
        /* 2. Read as a whole, described, and read as one part. */
        if (bosc_heights_read(path, PLAIN, &h, &error) ||
            bosc_heights_file_open(path, PLAIN, &file, &width, &height, &error))
            suite_fail(__FILE__, __LINE__, "%s: %s", systems[k].name, error.text);
        check_facts(&systems[k], &h);
        CHECK_EQ(bosc_heights_file_describe(file, &described, &error), BOSC_OK);
        CHECK(described.width == W && described.height == H && described.data == NULL);
        check_facts(&systems[k], &described);
        CHECK_EQ(bosc_heights_file_read(file, 0, 0, H, W, part), 0);
        CHECK(memcmp(part, h.data, sizeof part) == 0);
        bosc_heights_file_close(file);
        bosc_heights_free(&h);
    }
    unlink(path);
}

/* Edges of cells: from corners, from centres, of rows from the south and columns from the east, in grads from Paris. */
static void check_edges(void)
{
#define GEOGRAPHIC 1, 1, 0, 2, 1024, 0, 1, 2, 1025, 0, 1
    static const struct {
        struct tiff_kind kind;
        double edges[4];
    } files[] = {
        {{.scale = {0.5, 0.25, 0}, .tie = {0, 0, 0, 6, 47, 0}, .keys = {GEOGRAPHIC, 1}},
         {6, 47 - H / 4.0, 6 + W / 2.0, 47}},
        {{.scale = {0.5, 0.25, 0}, .tie = {0, 0, 0, 6, 47, 0}, .keys = {GEOGRAPHIC, 2}},
         {5.75, 47.125 - H / 4.0, 5.75 + W / 2.0, 47.125}},
        {{.scale = {0.5, 0.25, 0}, .tie = {2, 1, 0, 6, 47, 0}, .keys = {GEOGRAPHIC, 1}},
         {5, 47.25 - H / 4.0, 5 + W / 2.0, 47.25}},
        {{.transformation = {-0.5, 0, 0, 6, 0, 0.25, 0, 40, 0, 0, 0, 0, 0, 0, 0, 1}, .keys = {GEOGRAPHIC, 1}},
         {6 - W / 2.0, 40, 6, 40 + H / 4.0}},
        {{.scale = {1, 1, 0},
          .tie = {0, 0, 0, 10, 50, 0},
          .keys = {1, 1, 0, 3, 1024, 0, 1, 2, 2054, 0, 1, 9105, 2061, 34736, 1, 2},
          .doubles = {0, 0, 2.5}},
         {11.25, 45 - H * 0.9, 11.25 + W * 0.9, 45}},
        {{.scale = {30, 20, 0}, .tie = {0, 0, 0, 5e5, 5e6, 0}, .keys = {1, 1, 0, 2, 1024, 0, 1, 1, 1025, 0, 1, 2}},
         {5e5 - 15, 5e6 + 10 - 20 * H, 5e5 - 15 + 30 * W, 5e6 + 10}},
    };
    /* Each file, written and read. */
    char path[PATH_ROOM];
    fresh_path(path, ".tif");
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        bosc_heights h = {0};
        read_tiff(path, files[k].kind, "b", I, 16, k, &h);
        for (int i = 0; i < 4; i++)
            if (!(fabs(h.edges[i] - files[k].edges[i]) <= 1e-9))
                suite_fail(__FILE__, __LINE__, "file %zu: edge %d is %.17g, not %.17g", k, i, h.edges[i],
                           files[k].edges[i]);
        bosc_heights_free(&h);
    }
    unlink(path);
}

/* ---- masks ---- */

/* True if a mask of the cases excludes a sample. */
static bool is_excluded(int i) { return i % W > 3 && i % W < 9 && i / W > 5 && i / W < 12; }

/* Appends a mask to a TIFF, or writes one. excludes: 0: it excludes nothing. */
static void put_mask(const char *path, const char *mode, uint32_t kind, int w, int h, int bits, bool excludes)
{
    unsigned char row[W * 2];
    TIFF *t = TIFFOpen(path, mode);
    CHECK(t != NULL);
    if (kind) TIFFSetField(t, TIFFTAG_SUBFILETYPE, kind);
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, w);
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, h);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC, kind ? PHOTOMETRIC_MASK : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(t, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, 5);
    for (int y = 0; y < h; y++) {
        memset(row, 0, sizeof row);
        for (int x = 0; x < w; x++) {
            const bool valid = !excludes || !is_excluded(y * W + x);
            if (valid && bits == 1) row[x / 8] = (unsigned char)(row[x / 8] | 128 >> x % 8);
            if (valid && bits == 8) row[x] = 255;
        }
        CHECK(TIFFWriteScanline(t, row, (uint32_t)y, 0) == 1);
    }
    TIFFClose(t);
}

static void read_masked(const char *path, int voids, bool mirrored)
{
    bosc_heights h = {0};
    bosc_heights_file *file = NULL;
    bosc_io_error error = {""};
    int64_t width, height;
    if (bosc_heights_read(path, PLAIN, &h, &error)) suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK_EQ(h.voids, voids);
    for (int i = 0; i < W * H; i++) {
        const int at = mirrored ? (H - 1 - i / W) * W + i % W : i;
        if (voids == 0 || !is_excluded(i)) CHECK(h.data[at] == (float)sample(i));
        if (voids && is_excluded(i)) CHECK(h.data[at] >= 0 && h.data[at] < 120); /* between those around it */
    }
    bosc_heights_free(&h);
    /* Kept and refused, then by parts. */
    const bosc_heights_opts keep = {.size = sizeof keep, .voids = BOSC_HEIGHTS_KEEP_VOIDS},
                            refuse = {.size = sizeof refuse, .voids = BOSC_HEIGHTS_REFUSE_VOIDS};
    CHECK_EQ(bosc_heights_read_opts(path, &keep, &h, &error), BOSC_OK);
    CHECK_EQ(h.voids, voids);
    for (int i = 0; i < W * H; i++)
        CHECK(!isnan(h.data[mirrored ? (H - 1 - i / W) * W + i % W : i]) == !(voids && is_excluded(i)));
    bosc_heights_free(&h);
    CHECK_EQ(bosc_heights_read_opts(path, &refuse, &h, &error), voids ? BOSC_ERR_DATA : BOSC_OK);
    bosc_heights_free(&h);
    const bosc_status status = bosc_heights_file_open_opts(path, &keep, &file, &width, &height, &error);
    CHECK_EQ(status, voids ? BOSC_ERR_DATA : BOSC_OK);
    if (voids) CHECK(strstr(error.text, path) && strstr(error.text, "a mask excludes samples"));
    bosc_heights_file_close(file);
}

static void check_masks(void)
{
    static const struct tiff_kind kinds[] = {
        {.mode = "l", .format = F, .bits = 32},
        {.mode = "b", .format = I, .bits = 16, .tile = 16, .compression = COMPRESSION_ADOBE_DEFLATE},
        {.mode = "l", .format = F, .bits = 32, .scale = {1, -1, 0}, .tie = {0, 0, 0, 5, 5, 0}}};
    char path[PATH_ROOM], beside[PATH_ROOM + 8];
    fresh_path(path, ".tif");
    snprintf(beside, sizeof beside, "%s.msk", path);
    for (int k = 0; k < 3; k++)
        for (int bits = 1; bits <= 8; bits += 7) {
            /* Inside: a mask that excludes nothing, one that does, and those of overviews, which are left out. */
            make_tiff(path, &kinds[k]);
            put_mask(path, "a", FILETYPE_MASK, W, H, bits, false);
            read_masked(path, 0, k == 2);
            make_tiff(path, &kinds[k]);
            put_mask(path, "a", FILETYPE_REDUCEDIMAGE | FILETYPE_MASK, W, H, bits, true);
            read_masked(path, 0, k == 2);
            make_tiff(path, &kinds[k]);
            put_mask(path, "a", FILETYPE_REDUCEDIMAGE, W / 2, H / 2, 8, true);
            put_mask(path, "a", FILETYPE_MASK, W, H, bits, true);
            read_masked(path, 30, k == 2);
            /* Beside the raster. */
            make_tiff(path, &kinds[k]);
            put_mask(beside, "w", 0, W, H, bits, true);
            read_masked(path, 30, k == 2);
            unlink(beside);
        }
    unlink(path);
}

/* Masks beside rasters of another format; refused masks; files cut off anywhere. */
static void check_other_masks(void)
{
    char path[PATH_ROOM], beside[PATH_ROOM + 8];
    float z[W * H];
    bosc_heights h = {.width = W, .height = H, .data = z}, got = {0};
    bosc_io_error error = {""};
    static unsigned char bytes[1 << 14];
    fresh_path(path, ".npy");
    snprintf(beside, sizeof beside, "%s.msk", path);
    for (int i = 0; i < W * H; i++) z[i] = (float)sample(i);
    CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_OK);
    put_mask(beside, "w", 0, W, H, 8, true);
    read_masked(path, 30, false);
    /* Excluded samples are voids: kept on request, or refused; parts refuse them in any case. */
    bosc_heights_opts opts = {.size = sizeof opts, .voids = BOSC_HEIGHTS_KEEP_VOIDS};
    bosc_heights_file *file = NULL;
    int64_t width, height;
    CHECK_EQ(bosc_heights_read_opts(path, &opts, &got, &error), BOSC_OK);
    for (int i = 0; i < W * H; i++) CHECK(is_excluded(i) ? isnan(got.data[i]) != 0 : got.data[i] == z[i]);
    CHECK_EQ(got.voids, 30);
    bosc_heights_free(&got);
    CHECK_EQ(bosc_heights_file_open_opts(path, &opts, &file, &width, &height, &error), BOSC_ERR_DATA);
    opts.voids = BOSC_HEIGHTS_REFUSE_VOIDS;
    CHECK_EQ(bosc_heights_read_opts(path, &opts, &got, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text, "row 6, column 4: no height; 30 of 399 samples have none") && !got.data);
    /* Cut off: refused, with the name of the mask. */
    FILE *whole = fopen(beside, "rb");
    const size_t size = whole ? fread(bytes, 1, sizeof bytes, whole) : 0;
    CHECK(size > 0 && fclose(whole) == 0);
    for (size_t cut = 0; cut < size; cut += 7) {
        FILE *f = fopen(beside, "wb");
        CHECK(f && fwrite(bytes, 1, cut, f) == cut && fclose(f) == 0);
        if (bosc_heights_read(path, PLAIN, &got, &error) == BOSC_OK)
            bosc_heights_free(&got);
        else
            CHECK(strstr(error.text, ".npy.msk: ") && !got.data);
    }
    put_mask(beside, "w", 0, W - 1, H, 8, true);
    CHECK_EQ(bosc_heights_read(path, PLAIN, &got, &error), BOSC_ERR_FORMAT);
    CHECK(strstr(error.text, ".npy.msk: the mask has another size than the raster"));
    unlink(beside);
    unlink(path);
}

/* ---- auxiliary files ---- */

/* Place, system, no-data value, scale and unit of a .npy, whole and by parts. */
static void check_auxiliary(void)
{
    static const char text[] =
        "<PAMDataset>\n  <SRS dataAxisToSRSAxisMapping=\"2,1\">GEOGCS[&quot;WGS 84&quot;,UNIT[&quot;degree&quot;,"
        "0.0174532925199433],AUTHORITY[&quot;EPSG&quot;,&quot;4326&quot;]]</SRS>\n"
        "  <GeoTransform>  6.0000e+00,  5.0e-01,0, 47, 0, -2.5e-01</GeoTransform>\n"
        "  <PAMRasterBand "
        "band=\"1\"><NoDataValue>7</NoDataValue><UnitType>ft</UnitType><Offset>10</Offset><Scale>2</Scale>"
        "</PAMRasterBand>\n</PAMDataset>\n";
    char path[PATH_ROOM], beside[PATH_ROOM + 8];
    float z[W * H], row[W];
    bosc_heights h = {.width = W, .height = H, .data = z}, got = {0};
    bosc_heights_file *file = NULL;
    bosc_io_error error = {""};
    int64_t width, height;
    fresh_path(path, ".npy");
    snprintf(beside, sizeof beside, "%s.aux.xml", path);
    for (int i = 0; i < W * H; i++) z[i] = (float)sample(i);
    CHECK_EQ(bosc_heights_write(path, &h, &error), BOSC_OK);
    /* 1. Complete, and cut off anywhere. */
    for (size_t size = sizeof text - 1; size > 0; size -= size > 7 ? 7 : size) {
        FILE *f = fopen(beside, "wb");
        CHECK(f && fwrite(text, 1, size, f) == size && fclose(f) == 0);
        if (bosc_heights_read(path, PLAIN, &got, &error) != BOSC_OK) {
            CHECK(size + 1 < sizeof text && strstr(error.text, ".npy.aux.xml: "));
            continue;
        }
        if (size + 1 == sizeof text) {
            CHECK(strcmp(got.crs, "EPSG:4326") == 0 && got.degrees && got.height_unit == 0.3048 && got.voids == 4);
            CHECK(got.edges[0] == 6 && got.edges[1] == 47 - H / 4.0 && got.edges[2] == 6 + W / 2.0 &&
                  got.edges[3] == 47);
            CHECK(near(got.spacing_y, BI_METRES_A_DEGREE / 4) && got.source == BOSC_HEIGHTS_WORLD_FILE &&
                  got.assumed == 0);
            for (int i = 0; i < W * H; i++)
                CHECK(sample(i) == 7 || near((double)got.data[i], (2 * (double)sample(i) + 10) * 0.3048));
            CHECK_EQ(bosc_heights_file_open(path, PLAIN, &file, &width, &height, &error), BOSC_OK);
            CHECK_EQ(bosc_heights_file_read(file, 1, 0, 1, W, row), 0);
            CHECK(memcmp(row, got.data + W, sizeof row) == 0);
            CHECK(bosc_heights_file_read(file, 0, 0, 1, W, row) == 1 &&
                  strstr(bosc_heights_file_message(file), "no height"));
            bosc_heights_file_close(file);
        }
        bosc_heights_free(&got);
    }
    unlink(beside);
    unlink(path);
}

/* ---- the globe ---- */

/* A raster of width x height with bounds, or none (west = east); heights of a function of its own row and column. */
static bosc_heights make_raster(int64_t width, int64_t height, double west, double south, double east, double north)
{
    bosc_heights h = {.width = width, .height = height, .degrees = west < east};
    h.data = malloc((size_t)(width * height) * sizeof *h.data);
    if (!h.data) abort();
    for (int64_t i = 0; i < width * height; i++) h.data[i] = (float)(i / width * 1000 + i % width);
    const double edges[4] = {west, south, east, north};
    memcpy(h.edges, edges, sizeof edges);
    return h;
}

static const bosc_globe_opts sea = {.size = sizeof sea, .has_outside = 1, .outside = -7};

static void check_rotation(void)
{
    static const double wests[] = {-180, 0, 180, -360, 90, -179.999, 0.001};
    static const int shifts[] = {0, 18, 0, 18, 9, 0, 18}; /* columns of 10 degrees */
    bosc_io_error error = {""};
    for (int k = 0; k < 7; k++) {
        bosc_heights h = make_raster(36, 18, wests[k], -90, wests[k] + 360, 90);
        int64_t shift = -1;
        CHECK_EQ(bosc_heights_globe_shift(&h, NULL, &shift, &error), BOSC_OK);
        CHECK_EQ(bosc_heights_to_globe(&h, NULL, &error), BOSC_OK);
        CHECK(h.width == 36 && h.height == 18 && h.edges[0] == -180 && h.edges[3] == 90);
        for (int i = 0; i < 36 * 18; i++) {
            /* The column whose middle is at this longitude. */
            const int column = (i % 36 + (k == 1 || k == 3 || k == 6 ? 18 : k == 4 ? 9 : 0)) % 36;
            CHECK(h.data[i] == (float)(i / 36 * 1000 + column));
        }
        CHECK_EQ(shift, shifts[k]);
        bosc_heights_free(&h);
    }
    /* Without a place: as it is. */
    bosc_heights h = make_raster(4, 2, 0, 0, 0, 0);
    CHECK_EQ(bosc_heights_to_globe(&h, NULL, &error), BOSC_OK);
    CHECK(h.width == 4 && h.data[1] == 1 && h.data[4] == 1000);
    bosc_heights_free(&h);
}

/* Kept voids are moved by a rotation; a raster that must be resampled is refused, and stays as it was. */
static void check_voids(void)
{
    bosc_io_error error = {""};
    bosc_heights h = make_raster(36, 18, 0, -90, 360, 90);
    h.data[36 * 2 + 5] = NAN;
    CHECK_EQ(bosc_heights_to_globe(&h, NULL, &error), BOSC_OK);
    for (int i = 0; i < 36 * 18; i++) CHECK((isnan(h.data[i]) != 0) == (i == 36 * 2 + 23));
    bosc_heights_free(&h);
    for (int projected = 0; projected < 2; projected++) {
        h = projected ? make_raster(20, 10, 6e6, 2e6, 8e6, 3e6) : make_raster(20, 10, 60, 20, 80, 30);
        if (projected) h.degrees = 0, strcpy(h.crs, "EPSG:3857");
        h.data[20 * 3 + 7] = NAN;
        CHECK_EQ(bosc_heights_to_globe(&h, &sea, &error), BOSC_ERR_DATA);
        CHECK(strstr(error.text, "heights: row 3, column 7: no height") && h.width == 20 && h.data[1] == 1);
        CHECK_EQ(bosc_heights_fill(&h, &error), BOSC_OK);
        CHECK_EQ(bosc_heights_to_globe(&h, &sea, &error), BOSC_OK);
        bosc_heights_free(&h);
    }
}

/* Samples on meridians and on the poles, as models of the climate have them: interpolated at the middles of cells. */
static void check_nodes(void)
{
    bosc_io_error error = {""};
    for (int doubled = 0; doubled < 2; doubled++) {
        /* 0 to 350 or 360 degrees, 90 to -90. */
        const int64_t width = 36 + doubled;
        bosc_heights h = make_raster(width, 19, -5, -95, -5 + 10 * (double)width, 95);
        int64_t shift;
        for (int64_t i = 0; i < width * 19; i++)
            h.data[i] =
                (float)(100 * (i / width) + (i % width > 18 ? 36 - i % width : i % width)); /* even in longitude */
        CHECK_EQ(bosc_heights_globe_shift(&h, NULL, &shift, &error), BOSC_ERR_LIMIT);
        if (bosc_heights_to_globe(&h, NULL, &error)) suite_fail(__FILE__, __LINE__, "%s", error.text);
        CHECK(h.width == 36 && h.height == 18);
        for (int i = 0; i < 36 * 18; i++) {
            const double longitude = i % 36 * 10 - 175, column = fabs(longitude) / 10, row = i / 36 + 0.5;
            if (!near((double)h.data[i], 100 * row + column))
                suite_fail(__FILE__, __LINE__, "sample %d is %g, not %g", i, (double)h.data[i], 100 * row + column);
        }
        bosc_heights_free(&h);
    }
}

static void check_parts(void)
{
    bosc_io_error error = {""};
    /* 1. A part whose cells are the globe's: exact, the rest as stated. */
    bosc_heights h = make_raster(20, 10, 60, 20, 80, 30);
    CHECK_EQ(bosc_heights_to_globe(&h, NULL, &error), BOSC_ERR_DATA);
    CHECK(strstr(error.text,
                 "heights: the raster does not cover the globe: it has no height at longitude -179.5, latitude 89.5"));
    CHECK(h.width == 20 && h.data[19] == 19);
    CHECK_EQ(bosc_heights_to_globe(&h, &sea, &error), BOSC_OK);
    CHECK(h.width == 360 && h.height == 180);
    for (int y = 0; y < 180; y++)
        for (int x = 0; x < 360; x++) {
            const bool inside = x >= 240 && x < 260 && y >= 60 && y < 70;
            CHECK(h.data[y * 360 + x] == (inside ? (float)((y - 60) * 1000 + x - 240) : -7));
        }
    bosc_heights_free(&h);
    /* 2. A part across the antimeridian. */
    h = make_raster(4, 2, 178, 0, 182, 2);
    CHECK_EQ(bosc_heights_to_globe(&h, &sea, &error), BOSC_OK);
    CHECK(h.data[88 * 360 + 358] == 0 && h.data[88 * 360 + 359] == 1 && h.data[88 * 360] == 2 &&
          h.data[88 * 360 + 1] == 3);
    CHECK(h.data[88 * 360 + 2] == -7 && h.data[88 * 360 + 357] == -7);
    bosc_heights_free(&h);
    /* 3. A fine part: cells of two arc minutes, each the mean of the samples in it. */
    h = make_raster(240, 128, 10, 40, 10.5, 40 + 8 / 30.0); /* cells of 1 / 480 degree: 16 x 16 in one of the globe */
    CHECK_EQ(bosc_heights_to_globe(&h, &sea, &error), BOSC_OK);
    CHECK(h.width == 10800 && h.height == 5400);
    for (int64_t k = 0; k < 15 * 8; k++)
        CHECK(near((double)h.data[(1492 + k / 15) * 10800 + 190 * 30 + k % 15],
                   1000 * (16.0 * (double)(k / 15) + 7.5) + 16.0 * (double)(k % 15) + 7.5));
    CHECK(h.data[1491 * 10800 + 5701] == -7 && h.data[1500 * 10800 + 5701] == -7);
    bosc_heights_free(&h);
    /* 4. Bounds that the caller states. */
    static const double bounds[4] = {60, 20, 80, 30};
    bosc_globe_opts opts = sea;
    opts.bounds = bounds;
    h = make_raster(20, 10, 0, 0, 0, 0);
    h.source = BOSC_HEIGHTS_UNKNOWN_UNIT;
    CHECK_EQ(bosc_heights_to_globe(&h, &opts, &error), BOSC_OK);
    CHECK(h.width == 360 && h.data[60 * 360 + 241] == 1 && h.data[0] == -7);
    bosc_heights_free(&h);
}

/* ---- a part in degrees ---- */

/* Rasters in degrees stay, in whole turns; those without a place, or beyond the globe, are refused. */
static void check_degrees(void)
{
    static const double edges[][4] = {{6, 45, 9, 47},    {366, 45, 369, 47}, {-190, 0, -170, 5}, {170, 0, 190, 5},
                                      {0, -90, 360, 90}, {350, 1, 360, 2},   {-360, 1, -350, 2}},
                        places[][4] = {{6, 45, 9, 47},    {6, 45, 9, 47}, {170, 0, 190, 5}, {170, 0, 190, 5},
                                       {0, -90, 360, 90}, {-10, 1, 0, 2}, {0, 1, 10, 2}},
                        bad[][4] = {{6, 45, 6, 47}, {6, 45, 9, 91}, {0, 0, 361, 5}, {6, -91, 9, 0}, {NAN, 1, 2, 3}};
    bosc_io_error error = {""};
    for (int stated = 0; stated < 2; stated++) {
        for (int k = 0; k < 7; k++) {
            bosc_heights h = stated ? make_raster(8, 6, 0, 0, 0, 0)
                                    : make_raster(8, 6, edges[k][0], edges[k][1], edges[k][2], edges[k][3]);
            const bosc_globe_opts opts = {.size = sizeof opts, .bounds = stated ? edges[k] : NULL};
            h.data[9] = NAN; /* kept: nothing is resampled */
            if (bosc_heights_to_degrees(&h, &opts, &error)) suite_fail(__FILE__, __LINE__, "%s", error.text);
            CHECK(h.width == 8 && h.height == 6 && h.data[8] == 1000 && isnan(h.data[9]) && h.degrees == 1);
            CHECK(memcmp(h.edges, places[k], sizeof h.edges) == 0 && h.spacing == 0);
            bosc_heights_free(&h);
        }
        for (int k = 0; k < 5 && stated; k++) {
            bosc_heights h = make_raster(8, 6, 0, 0, 0, 0);
            const bosc_globe_opts opts = {.size = sizeof opts, .bounds = bad[k]};
            CHECK_EQ(bosc_heights_to_degrees(&h, &opts, &error), BOSC_ERR_FORMAT);
            CHECK(h.data[1] == 1 && h.edges[0] == 0);
            bosc_heights_free(&h);
        }
    }
    bosc_heights h = make_raster(8, 6, 0, 0, 0, 0);
    CHECK_EQ(bosc_heights_to_degrees(&h, NULL, &error), BOSC_ERR_FORMAT);
    CHECK(strstr(error.text, "heights: the file does not give the place of the raster"));
    CHECK_EQ(bosc_heights_to_degrees(NULL, NULL, &error), BOSC_ERR_ARG);
    bosc_heights_free(&h);
}

/* A map becomes the box inside it, in cells of its size; its heights are those at the same places. */
static void check_map_in_degrees(void)
{
    static const struct {
        const char *crs;
        double edges[4];
        bool proj;
    } maps[] = {{"EPSG:3857", {1000000, 6000000, 1400000, 6400000}, false},
                {"EPSG:3857", {19900000, -100000, 20200000, 100000}, false},
                {"EPSG:32632", {600000, 5000000, 700000, 5080000}, true}};
    bosc_io_error error = {""};
    for (int k = 0; k < 3; k++) {
        struct bi_projection projection;
        const double *e = maps[k].edges;
        if (maps[k].proj && *bosc_proj_reason()) continue;
        bosc_heights h = make_raster(100, 80, e[0], e[1], e[2], e[3]);
        h.degrees = 0;
        strcpy(h.crs, maps[k].crs);
        for (int i = 0; i < 100 * 80; i++) h.data[i] = (float)(3 * (i % 100) + 7 * (i / 100)); /* a plane */
        if (bosc_heights_to_degrees(&h, NULL, &error)) suite_fail(__FILE__, __LINE__, "%s", error.text);
        CHECK(h.width > 60 && h.width < 130 && h.height > 50 && h.height < 110 && h.degrees == 1);
        CHECK(bi_projection_open(maps[k].crs, &projection));
        for (int64_t y = 0; y < h.height; y++)
            for (int64_t x = 0; x < h.width; x++) {
                double at[2];
                CHECK(bi_projection_to_map(
                    &projection, h.edges[0] + ((double)x + 0.5) / (double)h.width * (h.edges[2] - h.edges[0]),
                    h.edges[3] - ((double)y + 0.5) / (double)h.height * (h.edges[3] - h.edges[1]), at));
                if (at[0] < 0 && e[0] > 0) at[0] += 2 * 20037508.342789244; /* across the antimeridian */
                const double u = (at[0] - e[0]) / (e[2] - e[0]) * 100 - 0.5,
                             v = (e[3] - at[1]) / (e[3] - e[1]) * 80 - 0.5;
                CHECK(u > -0.51 && u < 99.51 && v > -0.51 && v < 79.51);
                if (u > 0 && u < 99 && v > 0 && v < 79)
                    CHECK(fabs((double)h.data[y * h.width + x] - (3 * u + 7 * v)) < 0.01);
            }
        bi_projection_close(&projection);
        bosc_heights_free(&h);
    }
    /* A pole inside the map: no box. */
    bosc_heights h = make_raster(10, 10, -1e6, -1e6, 1e6, 1e6);
    h.degrees = 0;
    strcpy(h.crs, "EPSG:3413");
    CHECK_EQ(bosc_heights_to_degrees(&h, NULL, &error), BOSC_ERR_FORMAT);
    h.data[3] = NAN;
    strcpy(h.crs, "EPSG:3857");
    CHECK_EQ(bosc_heights_to_degrees(&h, NULL, &error), BOSC_ERR_DATA);
    CHECK(h.width == 10 && h.data[1] == 1);
    bosc_heights_free(&h);
}

/* Maps: web Mercator by its formula, others by PROJ. */
static void check_maps(void)
{
    static const struct {
        const char *crs;
        double edges[4];
        bool proj;
    } maps[] = {
        {"EPSG:3857", {-20037508.342789244, -20037508.342789244, 20037508.342789244, 20037508.342789244}, false},
        {"EPSG:3395", {-20037508.342789244, -15496570.74, 20037508.342789244, 18764656.23}, true},
        {"EPSG:4087+5773", {-20037508.342789244, -10018754.171394622, 20037508.342789244, 10018754.171394622}, true}};
    bosc_io_error error = {""};
    for (int k = 0; k < 3; k++) {
        bosc_heights h = make_raster(64, 64, maps[k].edges[0], maps[k].edges[1], maps[k].edges[2], maps[k].edges[3]);
        h.degrees = 0;
        strcpy(h.crs, maps[k].crs);
        for (int64_t i = 0; i < 64 * 64; i++)
            h.data[i] = (float)(i % 64 * 360.0 / 64 - 180 + 180.0 / 64); /* longitude */
        const bosc_status status = bosc_heights_to_globe(&h, k == 2 ? NULL : &sea, &error);
        if (maps[k].proj && *bosc_proj_reason()) {
            CHECK(status == BOSC_ERR_FORMAT && strstr(error.text, maps[k].crs) &&
                  strstr(error.text, bosc_proj_reason()));
        } else {
            if (status != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s: %s", maps[k].crs, error.text);
            CHECK(h.width == 2 * h.height && h.height >= 32);
            for (int64_t x = 1; x < h.width - 1; x++) {
                const double longitude = ((double)x + 0.5) * 360 / (double)h.width - 180;
                const double z = (double)h.data[h.height / 2 * h.width + x];
                CHECK(fabs(longitude) > 176 || fabs(z - longitude) < 1e-3);
            }
            CHECK(k == 2 || h.data[0] == -7);
        }
        bosc_heights_free(&h);
    }
}

static void check_refusals(void)
{
    static const double bad[][4] = {{0, 0, 0, 10},        {10, 0, 0, 10},   {0, 10, 10, 0},
                                    {0, 0, 10, 96},       {0, -96, 10, 10}, {0, 0, 400, 10},
                                    {0, 0, INFINITY, 10}, {NAN, 0, 1, 10},  {2000, 0, 2010, 1}};
    bosc_io_error error = {""};
    bosc_globe_opts opts = sea;
    bosc_heights h = make_raster(20, 10, 0, 0, 0, 0);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        opts.bounds = bad[k];
        CHECK_EQ(bosc_heights_to_globe(&h, &opts, &error), BOSC_ERR_FORMAT);
        CHECK(strstr(error.text, "no part of a globe") && h.width == 20);
    }
    /* Spacings without a place; a map of no known system. */
    opts = (bosc_globe_opts){.size = sizeof opts, .name = "a.tif"};
    h.source = BOSC_HEIGHTS_OWN_SPACING;
    CHECK_EQ(bosc_heights_to_globe(&h, &opts, &error), BOSC_ERR_FORMAT);
    CHECK(strstr(error.text, "a.tif: ") && strstr(error.text, "not where the raster lies"));
    h.edges[2] = h.edges[3] = 5;
    CHECK_EQ(bosc_heights_to_globe(&h, &opts, &error), BOSC_ERR_FORMAT);
    CHECK(strstr(error.text, "the coordinate system of its map is not known"));
    bosc_heights_free(&h);
}

static void check_arguments(void)
{
    bosc_globe_opts opts = {.size = sizeof opts};
    bosc_heights h = make_raster(20, 10, 0, 0, 0, 0);
    int64_t shift;
    CHECK_TEXT(bosc_heights_to_globe(NULL, &opts, error), "heights");
    CHECK_TEXT(bosc_heights_globe_shift(&h, &opts, NULL, error), "shift");
    CHECK_TEXT(bosc_heights_globe_shift(NULL, &opts, &shift, error), "heights");
    opts.has_outside = 1;
    opts.outside = INFINITY;
    CHECK_TEXT(bosc_heights_to_globe(&h, &opts, error), "opts");
    opts.size = 0;
    CHECK_TEXT(bosc_heights_to_globe(&h, &opts, error), "opts");
    float *data = h.data;
    h.data = NULL;
    h.source = 0;
    CHECK_TEXT(bosc_heights_to_globe(&h, NULL, error), "heights");
    CHECK_TEXT(bosc_heights_file_describe(NULL, &h, error), "file");
    h.data = data;
    bosc_heights_free(&h);
}

#ifdef BOSC_FAULTS
/* Every allocation and read fails once: an error, and heights as they were. */
static void check_faults(void)
{
    for (int kind = 0; kind < 3; kind++)
        for (int64_t k = 0;; k++) {
            bosc_heights h = kind == 0   ? make_raster(36, 18, 0, -90, 360, 90)
                             : kind == 1 ? make_raster(20, 10, 60, 20, 80, 30)
                                         : make_raster(20, 10, 6e6, 2e6, 8e6, 3e6);
            bosc_io_error error = {""};
            const float last = h.data[h.width * h.height - 1];
            if (kind == 2) h.degrees = 0, strcpy(h.crs, "EPSG:3857");
            bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_READ, k, false);
            const bosc_status status = bosc_heights_to_globe(&h, &sea, &error);
            const int64_t passages = bi_fault_passages();
            bi_fault_disarm();
            CHECK(k < 50);
            if (status != BOSC_OK) CHECK(error.text[0] && h.data[h.width * h.height - 1] == last && h.edges[0] != -180);
            bosc_heights_free(&h);
            if (status == BOSC_OK && passages <= k) break;
        }
}
#endif

static const struct suite_case suite_cases_io_georeference[] = {
    {"coordinate systems and units", NULL, check_systems},
    {"edges", NULL, check_edges},
    {"masks of TIFFs", NULL, check_masks},
    {"masks beside rasters", NULL, check_other_masks},
    {"auxiliary files", NULL, check_auxiliary},
    {"columns from another meridian", NULL, check_rotation},
    {"voids", NULL, check_voids},
    {"samples on meridians and poles", NULL, check_nodes},
    {"parts of the globe", NULL, check_parts},
    {"maps", NULL, check_maps},
    {"parts in degrees", NULL, check_degrees},
    {"maps in degrees", NULL, check_map_in_degrees},
    {"refusals", NULL, check_refusals},
    {"arguments", NULL, check_arguments},
#ifdef BOSC_FAULTS
    {"faults at every passage", NULL, check_faults},
#endif
};
SUITE(io_georeference);
