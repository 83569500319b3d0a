/* World files and their .prj: units, directions, precedence, damage, faults. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <boscage/io.h>

#include "base/fault.h"
#include "io/raster/heights.h"
#include "io/raster/prj.h"
#include "io/raster/world_file.h"
#include "support/paths.h"
#include "support/suite.h"

static void put_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    CHECK(fwrite(text, 1, strlen(text), f) == strlen(text) && fclose(f) == 0);
}

/* Paths of a raster of 3 x 2 samples, of its world file and of its .prj. */
struct names {
    char raster[PATH_ROOM], world[PATH_ROOM], prj[PATH_ROOM];
};

static struct names make_raster(void)
{
    struct names n;
    fresh_path(n.raster, ".pgm");
    const int stem = (int)strlen(n.raster) - 4;
    CHECK(snprintf(n.world, sizeof n.world, "%.*s.pmw", stem, n.raster) < (int)sizeof n.world);
    CHECK(snprintf(n.prj, sizeof n.prj, "%.*s.prj", stem, n.raster) < (int)sizeof n.prj);
    put_text(n.raster, "P2 3 2 9 1 2 3 4 5 6");
    return n;
}

static void remove_files(const struct names *n)
{
    unlink(n->raster);
    unlink(n->world);
    unlink(n->prj);
}

static void units(void)
{
    const struct names n = make_raster();
    static const struct {
        const char *world, *prj; /* NULL: no .prj */
        double spacing, spacing_y, latitude;
        int source, degrees, assumed;
        double height_unit; /* 0: none */
    } cases[] = {
        {"30\n0\n0\n-20\n500000\n4600000\n", NULL, 30, 20, 0, BOSC_HEIGHTS_WORLD_FILE, 0, BOSC_HEIGHTS_ASSUMED_UNIT, 0},
        {"30 0 0 -20 0 0", " PROJCS[\"a\",UNIT[\"degree\",.01],UNIT[\"foot\", 0.5 ]]", 15, 10, 0,
         BOSC_HEIGHTS_WORLD_FILE, 0, BOSC_HEIGHTS_ASSUMED_SCALE, 0},
        {"30 0 0 -20 0 0",
         "COMPD_CS[\"a\",PROJCS[\"b\",PROJECTION[\"Transverse_Mercator\"],UNIT[\"m\",1]],VERT_CS[\"c\",UNIT[\"ft\",0.5]"
         "]]",
         30, 20, 0, BOSC_HEIGHTS_WORLD_FILE, 0, 0, 0.5},
        {"30 0 0 -20 5e5 5e6",
         "PROJCS[\"b\",GEOGCS[\"c\",UNIT[\"degree\",0.0174532925],AUTHORITY[\"EPSG\",\"4326\"]],UNIT[\"metre\",1,"
         "AUTHORITY["
         "\"EPSG\",\"9001\"]],AUTHORITY[\"EPSG\",\"32632\"]]",
         30, 20, 0, BOSC_HEIGHTS_WORLD_FILE, 0, 0, 0},
        {"30 0 0 -20 5e5 5e6", "PROJCRS[\"b\",LENGTHUNIT[\"metre\",1],ID[\"EPSG\",32632]]", 30, 20, 0,
         BOSC_HEIGHTS_WORLD_FILE, 0, 0, 0},
        {"20 0 0 -20 0 8399737.889818357", "PROJCS[\"WGS_1984_Web_Mercator_Auxiliary_Sphere\",UNIT[\"Meter\",1.0]]",
         10.025212, 10.00834959, 60, BOSC_HEIGHTS_WORLD_FILE, 0, 0, 0},
        {"1 0 0 -1 5 5", "GEOGCS[\"GCS_Moon\",SPHEROID[\"Moon\",1737400.0,0.0],UNIT[\"Degree\",0.0174532925199433]]",
         30323.35 * 0.996917, 30323.35, 4.5, BOSC_HEIGHTS_WORLD_FILE, 1, 0, 0},
        {"30 0 0 -20 0 0",
         "COMPD_CS[\"a\",GEOGCS[\"b\"],VERT_CS[\"c\",UNIT[\"m\",1],AXIS[\"Depth\",DOWN],AUTHORITY[\"EPSG\",\"5715\"]]]",
         30 * BI_METRES_A_DEGREE * 0.98481, 20 * BI_METRES_A_DEGREE, -10, BOSC_HEIGHTS_WORLD_FILE, 1, 0, -1},
        {"30 0 0 -20 0 0", "LOCAL_CS[\"a\"]", 0, 0, 0, BOSC_HEIGHTS_UNKNOWN_UNIT, 0, 0, 0},
        {"30 0 0 -20 0 0", "", 0, 0, 0, BOSC_HEIGHTS_UNKNOWN_UNIT, 0, 0, 0},
        {"1 0 0 -1 5 60.5", "COMPD_CS[\"a\",GEOGCS[\"b\",UNIT[\"degree\",0.0174532925]],VERT_CS[\"c\",UNIT[\"m\",1]]]",
         BI_METRES_A_DEGREE / 2, BI_METRES_A_DEGREE, 60, BOSC_HEIGHTS_WORLD_FILE, 1, 0, 1},
        {"1 0 0 -1 5 60.5", "GEOGCS[\"a\",UNIT[\"grad\",0.015707963267948967]]", 0.9 * BI_METRES_A_DEGREE * 0.587785,
         0.9 * BI_METRES_A_DEGREE, 54, BOSC_HEIGHTS_WORLD_FILE, 1, 0, 0},
        {"1 0 0 -1 5 60.5",
         "GEOGCRS[\"a\",ELLIPSOID[\"b\",6378137,298.2,LENGTHUNIT[\"metre\",1]],CS[ellipsoidal,3],"
         "ANGLEUNIT[\"degree\",0.0174532925199433],AXIS[\"up\",up,LENGTHUNIT[\"metre\",1]]]",
         BI_METRES_A_DEGREE / 2, BI_METRES_A_DEGREE, 60, BOSC_HEIGHTS_WORLD_FILE, 1, 0, 0},
        {"1 0 0 -1 5 60.5", "GEOGCS[\"a\"]", BI_METRES_A_DEGREE / 2, BI_METRES_A_DEGREE, 60, BOSC_HEIGHTS_WORLD_FILE, 1,
         0, 0},
        {"1 0 0 -1 5 900", "GEOGCS[\"a\"]", BI_METRES_A_DEGREE, BI_METRES_A_DEGREE, 0, BOSC_HEIGHTS_WORLD_FILE, 1,
         BOSC_HEIGHTS_ASSUMED_LATITUDE, 0},
        {"0.01 0 0 -0.01 5 60.005", NULL, BI_METRES_A_DEGREE / 200, BI_METRES_A_DEGREE / 100, 60,
         BOSC_HEIGHTS_WORLD_FILE, 1, BOSC_HEIGHTS_ASSUMED_UNIT, 0},
        {"0.01 0 0 -0.01 5 95", NULL, 0.01, 0.01, 0, BOSC_HEIGHTS_WORLD_FILE, 0, BOSC_HEIGHTS_ASSUMED_UNIT, 0},
        {"0.5 0 0 -0.5 5 60", NULL, 0.5, 0.5, 0, BOSC_HEIGHTS_WORLD_FILE, 0, BOSC_HEIGHTS_ASSUMED_UNIT, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bosc_heights h = {0};
        bosc_io_error error;
        put_text(n.world, cases[i].world);
        if (cases[i].prj) put_text(n.prj, cases[i].prj);
        CHECK_EQ(bosc_heights_read(n.raster, BOSC_HEIGHTS_PLAIN, &h, &error), BOSC_OK);
        if (h.source != cases[i].source || h.degrees != cases[i].degrees || h.assumed != cases[i].assumed ||
            !(fabs(h.spacing - cases[i].spacing) <= 1e-4 * cases[i].spacing) ||
            !(fabs(h.spacing_y - cases[i].spacing_y) <= 1e-6 * cases[i].spacing_y) ||
            !(fabs(h.latitude - cases[i].latitude) <= 2e-4))
            suite_fail(__FILE__, __LINE__, "case %zu: source %d, degrees %d, assumed %d, %.17g %.17g at %.17g", i,
                       h.source, h.degrees, h.assumed, h.spacing, h.spacing_y, h.latitude);
        const double unit = cases[i].height_unit;
        CHECK(h.height_unit == unit);
        for (int k = 0; k < 6; k++) CHECK(h.data[k] == (float)((k + 1) * (unit == 0 ? 1 : unit)));
        bosc_heights_free(&h);
        unlink(n.prj);
    }
    remove_files(&n);
}

/* Rows are returned from the north, columns from the west. */
static void directions(void)
{
    const struct names n = make_raster();
    static const char *const worlds[] = {"2 0 0 2 0 0", "-2 0 0 -2 0 0", "-2 0 0 2 0 0"};
    static const float expected[3][6] = {{4, 5, 6, 1, 2, 3}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}};
    for (int i = 0; i < 3; i++) {
        bosc_heights h = {0};
        bosc_io_error error;
        put_text(n.world, worlds[i]);
        CHECK_EQ(bosc_heights_read(n.raster, BOSC_HEIGHTS_PLAIN, &h, &error), BOSC_OK);
        CHECK(h.spacing == 2 && h.spacing_y == 2);
        for (int k = 0; k < 6; k++) CHECK(h.data[k] == expected[i][k]);
        bosc_heights_free(&h);
    }
    remove_files(&n);
}

static void damaged(void)
{
    const struct names n = make_raster();
    static const char *const worlds[][2] = {{"", "number 1 of 6"},
                                            {"30 0 0 -30 5", "number 6 of 6"},
                                            {"30,0,0,-30,5,5", "number 1"},
                                            {"30 0 0 -30 5 5x", "number 6"},
                                            {"30 0 0 -30 5 inf", "number 6"},
                                            {"nan 0 0 -30 5 5", "number 1"},
                                            {"0 0 0 -30 5 5", "a cell is 0"},
                                            {"30 0 0 0 5 5", "a cell is 0"},
                                            {"30 0 1 -30 5 5", "rotated"},
                                            {"30 1 0 -30 5 5", "rotated"},
                                            {"1e308 0 0 -1 5 5", "a cell is 0 m or infinite"},
                                            {"1 0 0 -1e-320 5 5", "a cell is 0 m or infinite"}};
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        bosc_heights h = {.width = 77};
        bosc_io_error error;
        put_text(n.world, worlds[i][0]);
        put_text(n.prj, i + 1 < sizeof worlds / sizeof worlds[0] ? "GEOGCS[" : "PROJCS[\"a\",UNIT[\"b\",1e-9]]");
        CHECK_EQ(bosc_heights_read(n.raster, BOSC_HEIGHTS_PLAIN, &h, &error), BOSC_ERR_FORMAT);
        CHECK(strstr(error.text, n.world) && strstr(error.text, worlds[i][1]));
        CHECK(h.width == 77 && !h.data);
    }
    remove_files(&n);
}

/* The unit of a .prj that ends anywhere: bytes behind its end are not read. */
static void cut_prj(void)
{
    static const char text[] =
        "COMPD_CS[\"z\",PROJCS[\"a\",GEOGCS[\"b\",PRIMEM[\"c\",0],UNIT[\"degree\",0.01]],UNIT[\"foot\","
        "0.3048],AUTHORITY[\"EPSG\",\"2263\"]],VERT_CS[\"d\",UNIT[\"e\",0.5]]]";
    for (size_t size = 0; size < sizeof text; size++) {
        struct bi_map map = {0};
        char *copy = suite_alloc(size ? size : 1);
        memcpy(copy, text, size);
        bi_prj_read(copy, size, &map);
        CHECK(map.model != BI_MAP_GEOGRAPHIC && map.unit >= 0 && map.unit < 1);
        if (size + 1 == sizeof text) CHECK(map.unit == 0.3048 && map.code == 2263 && map.height_unit == 0.5);
        free(copy);
    }
    /* The prime meridian: in degrees, or in a unit of its own. */
    static const char *const meridians[] = {
        "GEOGCS[\"a\",PRIMEM[\"b\",2.25,AUTHORITY[\"EPSG\",\"8903\"]],UNIT[\"grad\",0.015707963267948967]]",
        "GEOGCRS[\"a\",PRIMEM[\"b\",2.5,ANGLEUNIT[\"grad\",0.015707963267948967]],ANGLEUNIT[\"degree\",0.01745]]"};
    for (int k = 0; k < 2; k++) {
        struct bi_map map = {0};
        bi_prj_read(meridians[k], strlen(meridians[k]), &map);
        CHECK(fabs(map.meridian - 2.25) < 1e-12);
    }
    static const char words[] = "Projection TRANSVERSE\nZunits 10\nUnits FEET\n";
    for (size_t size = 0; size < sizeof words; size++) {
        struct bi_map map = {0};
        char *copy = suite_alloc(size ? size : 1);
        memcpy(copy, words, size);
        bi_prj_read(copy, size, &map);
        CHECK(map.model != BI_MAP_GEOGRAPHIC && map.unit >= 0 && map.unit <= 1);
        if (size + 1 == sizeof words)
            CHECK(map.unit == BI_US_FOOT && map.height_unit == 0.1 && map.true_scale && !map.text);
        free(copy);
    }
}

#ifdef BOSC_FAULTS
/* Every read and allocation fails once: an error with a message, and nothing is left. */
static void faults(void)
{
    const struct names n = make_raster();
    put_text(n.world, "3 0 0 -3 0 0");
    put_text(n.prj, "PROJCS[\"a\",UNIT[\"foot\",0.5]]");
    for (int64_t k = 0;; k++) {
        bosc_heights h = {0};
        bosc_io_error error = {""};
        bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_READ, k, false);
        const bosc_status status = bosc_heights_read(n.raster, BOSC_HEIGHTS_PLAIN, &h, &error);
        const int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        CHECK(k < 200);
        if (status == BOSC_OK) CHECK(h.spacing == 1.5 && h.data[5] == 6);
        if (status != BOSC_OK) CHECK(error.text[0] && !h.data);
        bosc_heights_free(&h);
        if (status == BOSC_OK && passages <= k) break;
    }
    remove_files(&n);
}
#endif

static const struct suite_case suite_cases_io_world_file[] = {
    {"units", NULL, units},
    {"directions", NULL, directions},
    {"damaged files", NULL, damaged},
    {"a .prj that is cut off", NULL, cut_prj},
#ifdef BOSC_FAULTS
    {"faults at every passage", NULL, faults},
#endif
};
SUITE(io_world_file);
