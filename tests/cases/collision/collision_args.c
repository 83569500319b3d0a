/* Collisions: refused arguments, rebuilds without allocation, lifetime beyond their context, graph capture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collision/collision.h"
#include "support/arrays.h"
#include "support/capture.h"
#include "support/faults.h"
#include "cases/collision/collision_data.h"

/* Two triangles that cross. */
static float vertices[] = {0, 0, 0, 4, 0, 0, 0, 4, 0}, others[] = {1, 1, -1, 1, 1, 1, 3, 3, 1};
static const uint32_t triangles[] = {0, 1, 2};

static bosc_collision_mesh one_triangle(int which)
{
    return (bosc_collision_mesh){.size = sizeof(bosc_collision_mesh),
                                 .vertices = which ? others : vertices,
                                 .vertex_count = 3,
                                 .triangles = triangles,
                                 .triangle_count = 1};
}

static void refuses_bad_options(bosc_ctx *ctx)
{
    bosc_collision *collision = NULL;
    bosc_collision_opts o = {.size = sizeof o};
    static const double cells[] = {-1, NAN, INFINITY, -INFINITY, -1e-300};
    static const int types[] = {BOSC_I32, BOSC_I64, BOSC_U8, -1, 99};
    static const int bits[] = {1, 16, 33, 128, -64};
    CHECK_EQ(bosc_collision_create(NULL, &o, &collision), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_collision_create(ctx, &o, NULL), "collision");
    for (int i = 0; i < 5; i++) {
        bosc_collision_opts cell = o, dtype = o, index = o, id = o;
        cell.cell = cells[i];
        dtype.dtype = (bosc_dtype)types[i];
        index.index_bits = id.id_bits = bits[i];
        CHECK_ARG(ctx, bosc_collision_create(ctx, &cell, &collision), "opts: cell");
        CHECK_ARG(ctx, bosc_collision_create(ctx, &dtype, &collision), "opts: dtype");
        CHECK_ARG(ctx, bosc_collision_create(ctx, &index, &collision), "opts: index_bits");
        CHECK_ARG(ctx, bosc_collision_create(ctx, &id, &collision), "opts: id_bits");
    }
    CHECK(collision == NULL);
    bosc_collision_free(NULL);
}

/* The mesh `bad` is refused both as the first and as the second mesh. */
static void refuse(bosc_ctx *ctx, bosc_collision *collision, const bosc_collision_mesh *bad, bosc_status status,
                   const char *text)
{
    const bosc_collision_mesh good = one_triangle(1);
    char message[64];
    for (int which = 0; which < 2; which++) {
        CHECK_STATUS(ctx, bosc_collision_build(ctx, collision, which ? &good : bad, which ? bad : &good), status);
        snprintf(message, sizeof message, "%s: %s", which ? "b" : "a", text);
        if (!suite_begins(bosc_ctx_message(ctx), message)) suite_fail(__FILE__, __LINE__, "%s", bosc_ctx_message(ctx));
    }
}

static void refuses_bad_meshes(bosc_ctx *ctx)
{
    bosc_collision *collision = NULL;
    bosc_collision_info info = {.size = sizeof info};
    const bosc_collision_mesh a = one_triangle(0), b = one_triangle(1);
    bosc_collision_mesh m = a;
    double transform[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    CHECK_OK(ctx, bosc_collision_create(ctx, NULL, &collision));
    CHECK_OK(ctx, bosc_collision_build(ctx, collision, &a, &b));
    CHECK_EQ(bosc_collision_build(NULL, collision, &a, &b), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_collision_build(ctx, NULL, &a, &b), "collision");
    CHECK_ARG(ctx, bosc_collision_build(ctx, collision, NULL, &b), "a: NULL");
    CHECK_ARG(ctx, bosc_collision_build(ctx, collision, &a, NULL), "b: NULL");
#define REFUSE(field, value, status, text)            \
    do {                                              \
        m = a;                                        \
        m.field = (value);                            \
        refuse(ctx, collision, &m, (status), (text)); \
    } while (0)
    REFUSE(size, 0, BOSC_ERR_ARG, "size");
    REFUSE(size, sizeof m + 8, BOSC_ERR_ARG, "size");
    REFUSE(vertex_count, -1, BOSC_ERR_ARG, "vertex_count");
    REFUSE(vertex_count, (int64_t)1 << 32, BOSC_ERR_LIMIT, "vertex_count");
    REFUSE(triangle_count, INT64_MIN, BOSC_ERR_ARG, "triangle_count");
    REFUSE(triangle_count, UINT32_MAX, BOSC_ERR_LIMIT, "triangle_count");
    REFUSE(vertices, NULL, BOSC_ERR_ARG, "vertices NULL");
    REFUSE(triangles, NULL, BOSC_ERR_ARG, "triangles NULL");
    REFUSE(vertices, (const char *)vertices + 2, BOSC_ERR_ARG, "vertices not aligned");
    REFUSE(triangles, (const char *)triangles + 1, BOSC_ERR_ARG, "triangles not aligned");
    REFUSE(stride, 2, BOSC_ERR_ARG, "stride");
    REFUSE(stride, -3, BOSC_ERR_ARG, "stride");
    REFUSE(stride, INT64_MAX / 2, BOSC_ERR_ARG, "stride");
    REFUSE(vertex_count, 2, BOSC_ERR_DATA, "triangle 0 has a vertex");
    for (int k = 0; k < 6; k += 5) {
        double kept = transform[k];
        transform[k] = k ? NAN : INFINITY;
        REFUSE(transform, transform, BOSC_ERR_ARG, "transform[");
        transform[k] = k ? 1e-90 : 1e80; /* the transformed coordinates are out of range */
        REFUSE(transform, transform, BOSC_ERR_DATA, "vertex ");
        transform[k] = kept;
    }
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        float kept = vertices[7];
        vertices[7] = bad[k];
        refuse(ctx, collision, &a, BOSC_ERR_DATA, "vertex 2 has a coordinate");
        vertices[7] = kept;
    }
    m = a;
    m.triangle_count = (int64_t)UINT32_MAX - 1;
    CHECK_STATUS(ctx, bosc_collision_build(ctx, collision, &m, &b), BOSC_ERR_LIMIT);
    CHECK_OK(ctx, bosc_collision_get_info(ctx, collision, &info)); /* the handle still holds its last build */
    CHECK(info.pairs == 1 && info.a_count == 1 && info.cell > 0);
    CHECK_ARG(ctx, bosc_collision_get_info(ctx, NULL, &info), "collision");
    CHECK_ARG(ctx, bosc_collision_get_info(ctx, collision, NULL), "info: NULL");
    bosc_collision_free(collision);
}

static void refuses_bad_outputs(bosc_ctx *ctx)
{
    bosc_collision *collision = NULL;
    const bosc_collision_mesh a = one_triangle(0), b = one_triangle(1);
    int64_t count = 7, ids[4] = {7, 7, 7, 7}, offsets[2] = {7, 7}, wrong[2] = {0, 0}, large[2] = {0, 5};
    void *odd = (char *)ids + 4;
    CHECK_OK(ctx, bosc_collision_create(ctx, NULL, &collision));
    CHECK_OK(ctx, bosc_collision_pairs(ctx, collision, ids, 0, &count)); /* nothing was built */
    CHECK_EQ(count, 0);
    CHECK_OK(ctx, bosc_collision_rows(ctx, collision, offsets, NULL, 0));
    CHECK_EQ(offsets[0], 0);
    CHECK_OK(ctx, bosc_collision_build(ctx, collision, &a, &b));
    CHECK_EQ(bosc_collision_pairs(NULL, collision, ids, 2, &count), BOSC_ERR_ARG);
    CHECK_EQ(bosc_collision_rows(NULL, collision, offsets, NULL, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_collision_pairs(ctx, NULL, ids, 2, &count), "collision");
    CHECK_ARG(ctx, bosc_collision_rows(ctx, NULL, offsets, NULL, 0), "collision");
    CHECK_ARG(ctx, bosc_collision_pairs(ctx, collision, odd, 2, &count), "pairs");
    CHECK_ARG(ctx, bosc_collision_pairs(ctx, collision, ids, -1, &count), "capacity");
    CHECK_ARG(ctx, bosc_collision_pairs(ctx, collision, ids, 2, NULL), "count");
    CHECK_ARG(ctx, bosc_collision_rows(ctx, collision, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_collision_rows(ctx, collision, odd, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_collision_rows(ctx, collision, large, odd, 5), "ids");
    CHECK_ARG(ctx, bosc_collision_rows(ctx, collision, large, ids, -1), "capacity");
    CHECK_ARG(ctx, bosc_collision_rows(ctx, collision, wrong, ids, 4), "offsets");
    CHECK_STATUS(ctx, bosc_collision_rows(ctx, collision, large, ids, 4), BOSC_ERR_SPACE);
    CHECK_EQ(count, 0);
    CHECK_STATUS(ctx, bosc_collision_pairs(ctx, collision, ids, 0, &count), BOSC_ERR_SPACE);
    CHECK_EQ(count, 1);
    for (int k = 0; k < 4; k++) CHECK_EQ(ids[k], 7);
    collision->memory.device++;
    CHECK_ARG(ctx, bosc_collision_build(ctx, collision, &a, &b), "collision: it is on device");
    CHECK_ARG(ctx, bosc_collision_pairs(ctx, collision, NULL, 0, &count), "collision: it is on device");
    CHECK_ARG(ctx, bosc_collision_rows(ctx, collision, offsets, NULL, 0), "collision: it is on device");
    collision->memory.device--;
    bosc_collision_free(collision);
}

/* Reserve and bytes both refuse the sizes `bad`. */
static void refuse_sizes(bosc_ctx *ctx, bosc_collision *collision, const bosc_collision_sizes *bad, bosc_status status,
                         const char *text)
{
    int64_t kept = 7, scratch = 7;
    for (int which = 0; which < 2; which++) {
        CHECK_STATUS(ctx,
                     which ? bosc_collision_reserve(ctx, collision, bad)
                           : bosc_collision_bytes(ctx, NULL, bad, &kept, &scratch),
                     status);
        if (!suite_begins(bosc_ctx_message(ctx), text)) suite_fail(__FILE__, __LINE__, "%s", bosc_ctx_message(ctx));
    }
    CHECK(kept == 7 && scratch == 7);
}

static void refuses_bad_sizes(bosc_ctx *ctx)
{
    bosc_collision *collision = NULL;
    bosc_collision_opts o = {.size = sizeof o, .index_bits = 5};
    bosc_collision_sizes good = {.size = sizeof good}, bad;
    int64_t kept, scratch, least;
    CHECK_OK(ctx, bosc_collision_create(ctx, NULL, &collision));
    CHECK_EQ(bosc_collision_reserve(NULL, collision, &good), BOSC_ERR_ARG);
    CHECK_EQ(bosc_collision_bytes(NULL, NULL, &good, &kept, &scratch), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_collision_reserve(ctx, NULL, &good), "collision: NULL");
    CHECK_ARG(ctx, bosc_collision_bytes(ctx, &o, &good, &kept, &scratch), "opts: index_bits");
    refuse_sizes(ctx, collision, NULL, BOSC_ERR_ARG, "sizes: NULL");
#define REFUSE_SIZE(field, value, status)                                   \
    do {                                                                    \
        bad = good;                                                         \
        bad.field = (value);                                                \
        refuse_sizes(ctx, collision, &bad, (status), "sizes: " #field " "); \
    } while (0)
    for (size_t size = 0; size <= sizeof good + 8; size++)
        if (size % 8 || size == 0 || size > sizeof good) REFUSE_SIZE(size, size, BOSC_ERR_ARG);
    static const int64_t negative[] = {-1, INT64_MIN}, many[] = {INT64_MAX, INT64_MAX / 256 + 1};
    for (int k = 0; k < 2; k++) {
        REFUSE_SIZE(vertices, negative[k], BOSC_ERR_ARG);
        REFUSE_SIZE(triangles, negative[k], BOSC_ERR_ARG);
        REFUSE_SIZE(near_count, negative[k], BOSC_ERR_ARG);
        REFUSE_SIZE(box_voxels, negative[k], BOSC_ERR_ARG);
        REFUSE_SIZE(entries, negative[k], BOSC_ERR_ARG);
        REFUSE_SIZE(candidates, negative[k], BOSC_ERR_ARG);
        REFUSE_SIZE(pairs, negative[k], BOSC_ERR_ARG);
        REFUSE_SIZE(vertices, k ? INT64_MAX : ((int64_t)1 << 33) - 1, BOSC_ERR_LIMIT);
        REFUSE_SIZE(triangles, k ? INT64_MAX : (int64_t)UINT32_MAX, BOSC_ERR_LIMIT);
        REFUSE_SIZE(candidates, many[k], BOSC_ERR_ARG);
        REFUSE_SIZE(pairs, many[k], BOSC_ERR_ARG);
    }
    collision->memory.device++;
    CHECK_ARG(ctx, bosc_collision_reserve(ctx, collision, &good), "collision: it is on device");
    collision->memory.device--;
    CHECK_OK(ctx, bosc_collision_bytes(ctx, NULL, &good, NULL, NULL));
    CHECK_OK(ctx, bosc_collision_bytes(ctx, NULL, &good, &kept, &least)); /* of an empty frame */
    CHECK(kept == 0 && least > 0);
    bad = (bosc_collision_sizes){.size = sizeof bad,
                                 .vertices = ((int64_t)1 << 33) - 2,
                                 .triangles = (int64_t)UINT32_MAX - 1,
                                 .near_count = INT64_MAX,
                                 .box_voxels = INT64_MAX,
                                 .entries = INT64_MAX,
                                 .candidates = INT64_MAX / 256,
                                 .pairs = INT64_MAX / 256};
    CHECK_OK(ctx, bosc_collision_bytes(ctx, NULL, &bad, &kept, &scratch)); /* the maximum */
    CHECK(kept == 8 * (INT64_MAX / 256) && scratch > 25 * (INT64_MAX / 256) && scratch < 26 * (INT64_MAX / 256));
    bosc_collision_free(collision);
}

/* The reported bytes are at least the bytes an item that the header documents, with copies of host arrays, and little
 * more. */
static void bytes(bosc_ctx *ctx)
{
    enum { N = (1 << 24) + 1, FIELDS = 7 };
    static const int64_t least[FIELDS] = {36, 21, 88, 16, 37, 25, 0}, most[FIELDS] = {37, 22, 90, 17, 38, 26, 0};
    static const int first[FIELDS] = {0, 1, 1, 1, 1, 5, 6}; /* the smallest field that this one needs */
    for (int f = 0; f < FIELDS; f++) {
        bosc_collision_sizes s = {.size = sizeof s};
        int64_t *const fields[FIELDS] = {&s.vertices, &s.triangles,  &s.near_count, &s.box_voxels,
                                         &s.entries,  &s.candidates, &s.pairs};
        int64_t before, kept, scratch;
        for (int k = first[f]; k < f; k++) *fields[k] = N;
        CHECK_OK(ctx, bosc_collision_bytes(ctx, NULL, &s, NULL, &before));
        *fields[f] = N;
        CHECK_OK(ctx, bosc_collision_bytes(ctx, NULL, &s, &kept, &scratch));
        CHECK(scratch - before >= least[f] * N && scratch - before <= most[f] * N);
        CHECK_EQ(kept, f == 6 ? 8 * (int64_t)N : 0);
        if (f < 2 || f > 4) continue;
        *fields[f] = f == 3 ? 32 * (int64_t)N + 65536 : N; /* the most that the previous fields allow */
        CHECK_OK(ctx, bosc_collision_bytes(ctx, NULL, &s, NULL, &before));
        *fields[f] = INT64_MAX;
        CHECK_OK(ctx, bosc_collision_bytes(ctx, NULL, &s, NULL, &scratch));
        CHECK_EQ(scratch, before);
    }
}

/* A reserve keeps the frame that the handle holds; later frames of these sizes then allocate nothing. */
static void reserve(bosc_ctx *ctx)
{
    int64_t live[2], before[2], map[3][3], count[2];
    struct suite_random r = {6};
    bosc_ctx *own = counted_context(ctx, live);
    bosc_collision *collision = NULL;
    bosc_collision_opts o = {.size = sizeof o, .dtype = BOSC_F32, .index_bits = 32};
    bosc_collision_info info[2] = {{.size = sizeof *info}, {.size = sizeof *info}};
    /* 1. A frame of one mesh against itself. */
    collide_unimodular(&r, 0, 0, map);
    struct reference_mesh a = collide_mesh(&r, COLLIDE_SURFACES, 200, false);
    bosc_collision_mesh ma = collide_arrays(&a, &o, map, 0, 3);
    int64_t room = 400 * a.triangle_count;
    int64_t *pairs = suite_alloc((size_t)room * 8), *same = suite_alloc((size_t)room * 8);
    CHECK_OK(own, bosc_collision_create(own, &o, &collision));
    CHECK_OK(own, bosc_collision_build(own, collision, &ma, &ma));
    CHECK_OK(own, bosc_collision_pairs(own, collision, pairs, room / 2, &count[0]));
    CHECK_OK(own, bosc_collision_get_info(own, collision, &info[0]));
    /* 2. After a reserve for larger frames, its pairs and its info are unchanged. */
    bosc_collision_sizes sizes = {.size = sizeof sizes,
                                  .vertices = 2 * ma.vertex_count,
                                  .triangles = 2 * ma.triangle_count,
                                  .near_count = INT64_MAX,
                                  .box_voxels = INT64_MAX,
                                  .entries = INT64_MAX,
                                  .candidates = 3 * info->candidates,
                                  .pairs = 3 * info->pairs};
    CHECK_OK(own, bosc_collision_reserve(own, collision, &sizes));
    CHECK_OK(own, bosc_collision_pairs(own, collision, same, room / 2, &count[1]));
    CHECK_OK(own, bosc_collision_get_info(own, collision, &info[1]));
    CHECK(count[0] == count[1] && count[0] > 0 && memcmp(pairs, same, (size_t)count[0] * 16) == 0);
    CHECK_EQ(info[1].bytes, 24 * count[0]);
    info[1].bytes = info[0].bytes;
    CHECK(memcmp(&info[0], &info[1], sizeof info[0]) == 0);
    /* 3. A smaller reserve, and 20 frames in motion, allocate nothing. */
    memcpy(before, live, sizeof live);
    CHECK_OK(own, bosc_collision_reserve(own, collision, &(bosc_collision_sizes){.size = sizeof sizes}));
    for (int frame = 0; frame < 20; frame++) {
        double transform[12] = {1, 0, 0, frame - 10, 0, 1, 0, 0.5 * frame, 0, 0, 1, 0.25 * frame};
        bosc_collision_mesh mb = ma;
        mb.transform = transform;
        CHECK_OK(own, bosc_collision_build(own, collision, &ma, &mb));
        CHECK_OK(own, bosc_collision_pairs(own, collision, same, room / 2, &count[1]));
        CHECK(live[0] == before[0] && live[1] == before[1]);
    }
    bosc_collision_free(collision);
    bosc_ctx_free(own);
    CHECK(live[0] == 0 && live[1] == 0);
    free(pairs);
    free(same);
    collide_free_arrays(&ma);
    collide_free(&a);
}

/* Frames of two reliefs that move through each other: no frame after the first allocates. The handle outlives its
 * context. */
static void frames(bosc_ctx *ctx)
{
    int64_t live[2], before[2], map[3][3], pairs[2], total = 0;
    struct suite_random r = {5};
    bosc_ctx *own = counted_context(ctx, live);
    bosc_collision *collision = NULL;
    bosc_collision_opts o = {.size = sizeof o, .dtype = BOSC_F32, .index_bits = 32};
    collide_unimodular(&r, 0, 0, map);
    struct reference_mesh a = collide_mesh(&r, COLLIDE_SURFACES, 200, false);
    bosc_collision_mesh ma = collide_arrays(&a, &o, map, 0, 3), mb = ma;
    CHECK_OK(own, bosc_collision_create(own, &o, &collision));
    for (int frame = 0; frame < 5; frame++) { /* the first is the largest: the mesh with itself */
        double transform[12] = {1, 0, 0, frame, 0, 1, 0, 0, 0, 0, 1, 0.25 * frame};
        mb.transform = transform;
        CHECK_OK(own, bosc_collision_build(own, collision, &ma, &mb));
        CHECK_OK(own, bosc_collision_pairs(own, collision, NULL, 0, &pairs[0]));
        total += pairs[0];
        if (frame > 0) CHECK(live[0] == before[0] && live[1] == before[1]);
        memcpy(before, live, sizeof live);
    }
    CHECK(total >= 200);
    bosc_ctx_free(own);
    bosc_collision_free(collision);
    CHECK(live[0] == 0 && live[1] == 0);
    collide_free_arrays(&ma);
    collide_free(&a);
}

/* The list of pairs into an array on the device only queues. */
struct recorded {
    bosc_collision *collision;
    struct array pairs;
    int64_t count;
};

static void list_pairs(bosc_ctx *ctx, void *user)
{
    struct recorded *r = user;
    CHECK_OK(ctx, bosc_collision_pairs(ctx, r->collision, r->pairs.p, 3, &r->count));
}

static void capture(bosc_ctx *ctx)
{
    const bosc_collision_mesh a = one_triangle(0), b = one_triangle(1);
    struct recorded r = {.pairs = array_make(ctx, NULL, 6 * sizeof(int64_t), has_device_memory(ctx))};
    struct capture c;
    CHECK_OK(ctx, bosc_collision_create(ctx, NULL, &r.collision));
    CHECK_OK(ctx, bosc_collision_build(ctx, r.collision, &a, &b));
    capture_open(&c, ctx, list_pairs, &r);
    capture_replay(&c);
    capture_close(&c);
    const int64_t *got = (const int64_t *)array_get(ctx, &r.pairs);
    CHECK(r.count == 1 && got[0] == 0 && got[1] == 0);
    array_free(ctx, &r.pairs);
    bosc_collision_free(r.collision);
}

static const struct suite_case suite_cases_collision_args[] = {
    {"create", refuses_bad_options, NULL},
    {"build", refuses_bad_meshes, NULL},
    {"answers", refuses_bad_outputs, NULL},
    {"sizes", refuses_bad_sizes, NULL},
    {"bytes", bytes, NULL},
    {"reserve", reserve, NULL},
    {"frames", frames, NULL},
    {"capture", capture, NULL},
};
SUITE(collision_args);
