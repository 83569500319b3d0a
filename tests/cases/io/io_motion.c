/* Motions on disk: bad arguments, faults, and the bytes of the file; tests/cli reads it like a viewer. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fault.h"
#include "support/bytes.h"
#include "support/paths.h"

static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 2}, normals[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
static const uint32_t triangle[3] = {0, 1, 2};
static const double times[3] = {0, 0.5, 2}, rotations[12] = {2, 0, 0, 0, -3, 3, 0, 0, 0, 1e-200, 0, 0};

static bosc_motion make_motion(void)
{
    bosc_mesh mesh = {.vertices = 3, .triangles = 1, .positions = corners, .indices = triangle};
    bosc_motion motion = {.robot = mesh, .obstacle = mesh, .keys = 3, .times = times, .rotations = rotations};
    motion.robot.normals = normals;
    return motion;
}

static void glb(void)
{
    char path[PATH_ROOM];
    unsigned char bytes[8192];
    const float half = (float)sqrt(0.5);
    const float expected[15] = {0, 0.5f, 2, 0, 0, 0, 1, -half, 0, 0, half, -1, 0, 0, 0};
    bosc_motion motion = make_motion();
    bosc_io_error error = {""};
    fresh_path(path, ".glb");
    if (bosc_motion_write(path, &motion, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    unlink(path);
    uint32_t head, body;
    memcpy(&head, bytes + 12, 4);
    memcpy(&body, bytes + 20 + head, 4);
    CHECK(size < sizeof bytes && size == 28 + head + body && body == 2 * 48 + 36 + 5 * 12);
    float keys[15];
    memcpy(keys, bytes + size - sizeof keys, sizeof keys);
    for (int i = 0; i < 15; i++)
        if (!(fabsf(keys[i] - expected[i]) < 1e-6f)) suite_fail(__FILE__, __LINE__, "key %d: %g", i, (double)keys[i]);
    json_t *root = json_loadb((const char *)bytes + 20, head, 0, NULL);
    CHECK(json_array_size(json_object_get(root, "accessors")) == 2 + 3 + 2);
    json_decref(root);
}

static void bad_arguments(void)
{
    const bosc_motion good = make_motion();
    bosc_motion bad;
    char path[PATH_ROOM];
    fresh_path(path, ".glb");
    CHECK_TEXT(bosc_motion_write(NULL, &good, error), "path: NULL");
    CHECK_TEXT(bosc_motion_write("a.ply", &good, error), "path: a.ply does not end in .glb");
    CHECK_TEXT(bosc_motion_write("", &good, error), "path");
    CHECK_TEXT(bosc_motion_write(path, NULL, error), "motion: NULL");
    /* Bodies without vertices, or with wrong indices; bad numbers of keys. */
    bad = good, bad.robot.vertices = 0;
    CHECK_TEXT(bosc_motion_write(path, &bad, error), "robot: 0 vertices");
    bad = good, bad.obstacle.vertices = 2;
    CHECK_TEXT(bosc_motion_write(path, &bad, error), "obstacle: triangle 0 has vertex 2 of 2");
    bad = good, bad.keys = 0;
    CHECK_TEXT(bosc_motion_write(path, &bad, error), "motion: 0 keys");
    bad = good, bad.keys = (int64_t)INT32_MAX + 1;
    CHECK_TEXT(bosc_motion_write(path, &bad, error), "motion: 2147483648 keys");
    bad = good, bad.times = NULL;
    CHECK_TEXT(bosc_motion_write(path, &bad, error), "motion: times is NULL");
    bad = good, bad.rotations = NULL;
    CHECK_TEXT(bosc_motion_write(path, &bad, error), "motion: rotations is NULL");
    /* Times that do not ascend in F32, or are negative or infinite. */
    static const double wrong[][3] = {{-1, 0, 1},    {0, 0, 1},         {0, 1, NAN}, {0, 1, INFINITY},
                                      {0, 1, 1e300}, {0, 1, 1 + 1e-12}, {1, 0.5, 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bad = good, bad.times = wrong[i];
        CHECK_TEXT(bosc_motion_write(path, &bad, error), "motion: time ");
    }
    /* Zero, NaN and infinite rotations. */
    static const double none[][4] = {{0, 0, 0, 0}, {1, NAN, 0, 0}, {INFINITY, 0, 0, 0}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        bad = good, bad.keys = 1, bad.rotations = none[i];
        CHECK_TEXT(bosc_motion_write(path, &bad, error), "motion: rotation 0 is none");
    }
    CHECK(access(path, F_OK) != 0);
}

#ifdef BOSC_FAULTS
static void faults(void)
{
    for (int64_t k = 0;; k++) {
        bosc_motion motion = make_motion();
        bosc_io_error error = {""};
        char path[PATH_ROOM];
        fresh_path(path, ".glb");
        bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_WRITE, k, false);
        bosc_status status = bosc_motion_write(path, &motion, &error);
        bi_fault_disarm();
        CHECK(k < 20 && (status == BOSC_OK) == (access(path, F_OK) == 0));
        unlink(path);
        if (status == BOSC_OK) break;
        CHECK(error.text[0]);
    }
}
#endif

static const struct suite_case suite_cases_io_motion[] = {
    {".glb", NULL, glb},
    {"bad arguments", NULL, bad_arguments},
#ifdef BOSC_FAULTS
    {"faults at every passage", NULL, faults},
#endif
};
SUITE(io_motion);
