/* ESRI's ASCII grids, good and bad: keywords, positions, units, numbers without a height. */
#include <unistd.h>

#include "base/fault.h"
#include "cases/io/heights_data.h"
#include "io/raster/crs.h"
#include "support/paths.h"

#define PLAIN BOSC_HEIGHTS_PLAIN

static const bosc_heights_opts defaults = {.size = sizeof defaults};

static bosc_status parse_text(const char *text, const bosc_heights_opts *opts, bosc_heights *h, bosc_io_error *error)
{
    return parse_heights_opts(BI_HEIGHTS_ASC, opts, text, strlen(text), h, error);
}

static void good(void)
{
    static const float six[6] = {1, 2.5f, -3, 4, 1e-3f, 600};
    static const char *const texts[] = {
        "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n1 2.5 -3\n4 1e-3 600\n",
        /* other orders, cases, blanks and lines; no position, no number for no height */
        "CELLSIZE 10\r\nNROWS\t2\r\nNCols   3\r\n 1 2.5\r\n-3 4\r\n0.001 6e2",
        "ncols 3 nrows 2 cellsize 1e1 +1 2.5 -3.0 4 .001 600\n\n  ",
        "\xef\xbb\xbfncols 3\rnrows 2\rxllcenter 5\ryllcenter 5\rdx 10\rdy 10\rnodata_value nan\r1 2.5 -3\r4 .001 600",
        "ncols 3\nnrows 2\nxllcorner 0\nyllcenter 0\ncellsize 10.000\nNODATA_VALUE 1e39\n1 2.5 -3 4 1e-3 600"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bosc_heights h = {0};
        bosc_io_error error = {""};
        if (parse_text(texts[i], &defaults, &h, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "text %zu: %s", i, error.text);
        CHECK(h.width == 3 && h.height == 2 && h.voids == 0 && memcmp(h.data, six, sizeof six) == 0);
        CHECK(h.spacing == 10 && h.spacing_y == 10 && h.source == BOSC_HEIGHTS_OWN_SPACING && h.degrees == 0);
        CHECK(h.assumed == BOSC_HEIGHTS_ASSUMED_UNIT && h.latitude == 0);
        bosc_heights_free(&h);
    }
}

/* Numbers without a height: the one that the header names, -9999 without it, and nan. */
static void voids(void)
{
    static const struct {
        const char *text;
        int64_t voids;
    } texts[] = {{"ncols 2\nnrows 2\ncellsize 1\n1 -9999 3 nan", 2},
                 {"ncols 2\nnrows 2\ncellsize 1\nNODATA_value -1\n1 -9999 -1.0 -1e0", 2},
                 {"ncols 2\nnrows 2\ncellsize 1\nNODATA_value -3.4028234663852886e+38\n1 -3.402823466385289e38 3 4", 1},
                 {"ncols 2\nnrows 2\ncellsize 1\nNODATA_value nan\n1 NaN -9999 4", 1}};
    const bosc_heights_opts keep = {.size = sizeof keep, .voids = BOSC_HEIGHTS_KEEP_VOIDS};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bosc_heights h = {0};
        bosc_io_error error = {""};
        CHECK_EQ(parse_text(texts[i].text, &keep, &h, &error), BOSC_OK);
        int64_t missing = 0;
        for (int k = 0; k < 4; k++) missing += isnan(h.data[k]);
        CHECK(h.voids == texts[i].voids && missing == h.voids && h.data[0] == 1);
        bosc_heights_free(&h);
    }
}

static void bad(void)
{
    /* 1. Headers, then heights. */
    static const struct malformed malformed[] = {
        {"F:1: ncols is missing", "", 0},
        {"F:1: 'P5' is neither a keyword", "P5 1 1 255 x", 0},
        {"F:1: ncols is missing", "nrows 2\n1 2", 0},
        {"nrows is missing", "ncols 2\n\n1 2", 0},
        {"cellsize is missing", "ncols 2\nnrows 1\n1 2", 0},
        {"cellsize is missing", "ncols 2\nnrows 1\ndx 2\n1 2", 0},
        {"both cellsize and dx", "ncols 2\nnrows 1\ndx 2\ncellsize 2\n1 2", 0},
        {"a corner and a center", "ncols 2\nnrows 1\nxllcorner 2\nxllcenter 2\nyllcenter 1\ncellsize 2\n1 2", 0},
        {"yllcorner or yllcenter is missing", "ncols 2\nnrows 1\nxllcorner 2\ncellsize 2\n1 2", 0},
        {"xllcorner or xllcenter is missing", "ncols 2\nnrows 1\nyllcenter 2\ncellsize 2\n1 2", 0},
        {"F:2: ncols occurs twice", "ncols 2\nncols 2\n", 0},
        {"F:1: truncated: ncols has no value", "ncols", 0},
        {"F:1: ncols: '2x' is not a number", "ncols 2x\n", 0},
        {"F:1: ncols: '1.5' is not a whole number from 1", "ncols 1.5\n", 0},
        {"F:1: ncols: '0' is not a whole number from 1", "ncols 0\n", 0},
        {"F:1: ncols: '-3' is not a whole number from 1", "ncols -3\n", 0},
        {"F:1: nrows: '3e9' is not a whole number from 1", "nrows 3e9\n", 0},
        {"F:1: nrows: 'inf' is not a number", "nrows inf\n", 0},
        {"F:1: cellsize: '0' is not more than 0", "cellsize 0\n", 0},
        {"F:1: dx: '-1' is not more than 0", "dx -1\n", 0},
        {"F:1: cellsize: '30,5' is not a number", "cellsize 30,5\n", 0},
        {"F:1: xllcorner: 'nan' is not a number", "xllcorner nan\n", 0},
        {"F:2: 'byteorder' is neither a keyword", "ncols 2\nbyteorder LSBFIRST\n", 0},
        {"do not fit in", "ncols 100000\nnrows 100000\ncellsize 1\n1 2 3", 0},
        {"do not fit in", "ncols 2147483647\nnrows 2147483647\ncellsize 1\n1 2 3", 0},
        {"do not fit in", "ncols 2\nnrows 2\ncellsize 1\n1 2 3", 0},
        {"F:5: truncated: 3 of 2 x 2 numbers", "ncols 2\nnrows 2\ncellsize 1\n1 2\n33333", 0},
        {"F:5: '3,5' is not a number", "ncols 2\nnrows 2\ncellsize 1\n1 2\n3,5 4", 0},
        {"F:5: 'cellsize' is not a number", "ncols 2\nnrows 2\ncellsize 1\n1 2\ncellsize 4", 0},
        {"F:5: '5' follows 2 x 2 numbers", "ncols 2\nnrows 2\ncellsize 1\n1 2 3 4\n5", 0},
        {"row 0: a height is infinite", "ncols 2\nnrows 1\ncellsize 1\n1 1e39", 0},
        {"row 0: a height is infinite", "ncols 2\nnrows 1\ncellsize 1\n1 -inf", 0},
        {"no sample has a height", "ncols 2\nnrows 1\ncellsize 1\n-9999 -9999", 0},
    };
    /* 2. Each is refused; so is any cut. */
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++)
        check_no_heights(BI_HEIGHTS_ASC, PLAIN, malformed[i].bytes, strlen(malformed[i].bytes), malformed[i].reason);
    check_no_heights(BI_HEIGHTS_ASC, BOSC_HEIGHTS_TERRARIUM, "ncols 1", 7, "not a PNG; only a PNG can hold terrarium");
    static const char text[] = "ncols 3\nnrows 2\nxllcorner 1\nyllcorner 1\ncellsize 10\n1 2 3\n4 5 60\n";
    heights_damaged(BI_HEIGHTS_ASC, PLAIN, text, sizeof text - 1, sizeof text - 3, suite_slow(NULL) ? 17 : 1);
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, strlen(text), file) == strlen(text) && fclose(file) == 0);
}

/* The unit of a .prj, in ESRI's words too; degrees where it is missing and the numbers are small. */
static void units(void)
{
    static const struct {
        const char *position, *prj;
        double spacing, spacing_y, latitude;
        int32_t source, degrees, assumed;
        double height_unit; /* 0: none */
    } cases[] = {
        {"xllcorner 500000\nyllcorner 4600000\ncellsize 30", NULL, 30, 30, 0, BOSC_HEIGHTS_OWN_SPACING, 0,
         BOSC_HEIGHTS_ASSUMED_UNIT, 0},
        {"xllcorner 500000\nyllcorner 4600000\ncellsize 30", "Projection    UTM\nUnits         METERS\nZunits NO\n", 30,
         30, 0, BOSC_HEIGHTS_OWN_SPACING, 0, 0, 0},
        {"xllcorner 500000\nyllcorner 4600000\ncellsize 30", "PROJECTION STATEPLANE\r\nUNITS FEET\r\n", 30 * BI_US_FOOT,
         30 * BI_US_FOOT, 0, BOSC_HEIGHTS_OWN_SPACING, 0, BOSC_HEIGHTS_ASSUMED_HEIGHT_UNIT, BI_US_FOOT},
        {"xllcorner 500000\nyllcorner 4600000\ncellsize 30", "Projection STATEPLANE\nZunits 100\nUnits FEET\n",
         30 * BI_US_FOOT, 30 * BI_US_FOOT, 0, BOSC_HEIGHTS_OWN_SPACING, 0, 0, 0.01},
        {"xllcorner 0\nyllcorner 0\ncellsize 30", "Projection LAMBERT\nUnits 100\n", 0.3, 0.3, 0,
         BOSC_HEIGHTS_OWN_SPACING, 0, BOSC_HEIGHTS_ASSUMED_SCALE, 0},
        {"xllcorner 0\nyllcorner 0\ncellsize 30", "Projection LAMBERT\nUnits ELLS\n", 0, 0, 0,
         BOSC_HEIGHTS_UNKNOWN_UNIT, 0, 0, 0},
        {"xllcorner 0\nyllcorner 0\ncellsize 30", "Projection GEOGRAPHIC\nUnits DS\n", 0, 0, 0,
         BOSC_HEIGHTS_UNKNOWN_UNIT, 0, 0, 0},
        {"xllcorner 5\nyllcorner 59\ncellsize 1", "Projection    GEOGRAPHIC\nUnits         DD\nParameters\n",
         BI_METRES_A_DEGREE / 2, BI_METRES_A_DEGREE, 60, BOSC_HEIGHTS_OWN_SPACING, 1, 0, 0},
        {"xllcenter 5\nyllcenter 59.5\ncellsize 1", "GEOGCS[\"a\",UNIT[\"degree\",0.0174532925]]",
         BI_METRES_A_DEGREE / 2, BI_METRES_A_DEGREE, 60, BOSC_HEIGHTS_OWN_SPACING, 1, 0, 0},
        {"xllcorner 5\nyllcorner 59.99\ncellsize 0.01", NULL, BI_METRES_A_DEGREE / 200, BI_METRES_A_DEGREE / 100, 60,
         BOSC_HEIGHTS_OWN_SPACING, 1, BOSC_HEIGHTS_ASSUMED_UNIT, 0},
        {"dx 0.01\ndy 0.02", NULL, 0.01, 0.02, 0, BOSC_HEIGHTS_OWN_SPACING, 0, BOSC_HEIGHTS_ASSUMED_UNIT, 0},
        {"cellsize 1", "Projection GEOGRAPHIC", BI_METRES_A_DEGREE, BI_METRES_A_DEGREE, 0, BOSC_HEIGHTS_OWN_SPACING, 1,
         BOSC_HEIGHTS_ASSUMED_LATITUDE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[PATH_ROOM], prj[PATH_ROOM], text[256];
        bosc_heights h = {0};
        bosc_io_error error = {""};
        /* 1. The grid, and its .prj. */
        fresh_path(path, ".asc");
        snprintf(text, sizeof text, "ncols 3\nnrows 2\n%s\n1 2 3\n4 5 6\n", cases[i].position);
        put_text(path, text);
        memcpy(prj, path, sizeof prj);
        memcpy(prj + strlen(prj) - 4, ".prj", 5);
        if (cases[i].prj) put_text(prj, cases[i].prj);
        /* 2. Its spacings, units and heights. */
        if (bosc_heights_read(path, PLAIN, &h, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "case %zu: %s", i, error.text);
        if (fabs(h.spacing - cases[i].spacing) > 1e-9 * h.spacing || fabs(h.latitude - cases[i].latitude) > 1e-9 ||
            fabs(h.spacing_y - cases[i].spacing_y) > 1e-9 * h.spacing_y || h.source != cases[i].source ||
            h.degrees != cases[i].degrees || h.assumed != cases[i].assumed || h.height_unit != cases[i].height_unit)
            suite_fail(__FILE__, __LINE__, "case %zu: %.17g, %.17g, latitude %g, source %d, degrees %d, assumed %d", i,
                       h.spacing, h.spacing_y, h.latitude, (int)h.source, (int)h.degrees, (int)h.assumed);
        const double unit = cases[i].height_unit == 0 ? 1 : cases[i].height_unit;
        for (int k = 0; k < 6; k++) CHECK(h.data[k] == (float)((k + 1) * unit));
        bosc_heights_free(&h);
        unlink(path);
        if (cases[i].prj) unlink(prj);
    }
}

/* The place by a .prj and by GDAL's auxiliary file, whose values are those of the heights; whole and by parts. */
static void places(void)
{
    static const char grid[] = "ncols 3\nnrows 2\nxllcorner 5\nyllcenter 59.5\ncellsize 1\n1 2 3\n4 -9999 7\n";
    static const char aux[] =
        "<PAMDataset><SRS>GEOGCS[\"WGS 84\",UNIT[\"degree\",0.0174532925199433],AUTHORITY[\"EPSG\","
        "\"4326\"]]</SRS><PAMRasterBand band=\"1\"><NoDataValue>7</NoDataValue><Scale>2</Scale>"
        "<UnitType>ft</UnitType></PAMRasterBand></PAMDataset>";
    const bosc_heights_opts keep = {.size = sizeof keep, .voids = BOSC_HEIGHTS_KEEP_VOIDS};
    char path[PATH_ROOM], beside[PATH_ROOM + 8];
    bosc_heights h = {0}, described;
    bosc_heights_file *file = NULL;
    bosc_io_error error = {""};
    float part[6];
    int64_t width, height;
    fresh_path(path, ".asc");
    snprintf(beside, sizeof beside, "%s.aux.xml", path);
    put_text(path, grid);
    put_text(beside, aux);
    /* 1. The whole grid. */
    if (bosc_heights_read_opts(path, &keep, &h, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK(h.edges[0] == 5 && h.edges[1] == 59 && h.edges[2] == 8 && h.edges[3] == 61 && h.degrees == 1);
    CHECK(strcmp(h.crs, "EPSG:4326") == 0 && h.assumed == 0 && h.source == BOSC_HEIGHTS_OWN_SPACING);
    CHECK(h.height_unit == 0.3048 && h.voids == 2 && isnan(h.data[4]) && isnan(h.data[5]));
    for (int k = 0; k < 4; k++) CHECK(h.data[k] == (float)((k + 1) * 2 * 0.3048));
    /* 2. The same by parts. */
    CHECK_EQ(bosc_heights_file_open_opts(path, &keep, &file, &width, &height, &error), BOSC_OK);
    CHECK_EQ(bosc_heights_file_describe(file, &described, &error), BOSC_OK);
    CHECK(memcmp(described.edges, h.edges, sizeof h.edges) == 0 && strcmp(described.crs, h.crs) == 0);
    CHECK(described.spacing == h.spacing && described.height_unit == h.height_unit && !described.data);
    CHECK_EQ(bosc_heights_file_read(file, 0, 0, 2, 3, part), 0);
    for (int k = 0; k < 6; k++) CHECK(k < 4 ? part[k] == h.data[k] : isnan(part[k]) != 0);
    bosc_heights_file_close(file);
    bosc_heights_free(&h);
    unlink(beside);
    unlink(path);
}

/* No grid is written. */
static void not_written(void)
{
    float z[4] = {0, 1, 2, 3};
    const bosc_heights h = {.width = 2, .height = 2, .data = z};
    CHECK_TEXT(bosc_heights_write("a.asc", &h, error), "path: a.asc does not end in one of .png");
}

#ifdef BOSC_FAULTS
static void faults(void)
{
    static const char text[] = "ncols 2\nnrows 2\ncellsize 1\n1 2 -9999 4";
    check_heights_faults(BI_HEIGHTS_ASC, text, sizeof text - 1);
}
#endif

static const struct suite_case suite_cases_io_heights_asc[] = {
    {"grids", NULL, good},
    {"numbers without a height", NULL, voids},
    {"grids that are refused", NULL, bad},
    {"units", NULL, units},
    {"places", NULL, places},
    {"none is written", NULL, not_written},
#ifdef BOSC_FAULTS
    {"memory runs out", NULL, faults},
#endif
};
SUITE(io_heights_asc);
