/* Fractal relief: the same bits on every backend and in every version, heights that depend on their position alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "support/faults.h"

static const bosc_random_heights_kind kinds[] = {BOSC_RANDOM_HEIGHTS_MOUNTAINS, BOSC_RANDOM_HEIGHTS_HILLS,
                                                 BOSC_RANDOM_HEIGHTS_ISLANDS};

static uint64_t hash_of(const float *z, int n)
{
    uint64_t hash = 0;
    for (int i = 0; i < n; i++) {
        uint32_t u;
        memcpy(&u, &z[i], sizeof u);
        hash = (hash ^ u) * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

static void golden(bosc_ctx *ctx)
{
    enum { W = 23, H = 17 };
    static const uint64_t want[3] = {0x7b7f019143a87c1u, 0x7e9d0064d8877749u, 0x1f76e165fea87b94u};
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int k = 0; k < 3; k++) {
            struct array out = array_make(ctx, NULL, W * H * sizeof(float), device);
            CHECK_OK(ctx, bosc_random_heights(ctx, kinds[k], 5, W, H, out.p));
            CHECK_OK(ctx, bosc_ctx_sync(ctx));
            uint64_t hash = hash_of(array_get(ctx, &out), W * H);
            if (hash != want[k]) suite_fail(__FILE__, __LINE__, "kind %d: 0x%llx", k, (unsigned long long)hash);
            array_free(ctx, &out);
        }
}

static void heights_depend_on_position(bosc_ctx *ctx)
{
    enum { W = 40, H = 9, W2 = 13, H2 = 5 };
    float large[W * H], small[W2 * H2];
    for (int k = 0; k < 3; k++) {
        CHECK_OK(ctx, bosc_random_heights(ctx, kinds[k], 1, W, H, large));
        CHECK_OK(ctx, bosc_random_heights(ctx, kinds[k], 1, W2, H2, small));
        for (int y = 0; y < H2; y++) CHECK(memcmp(small + y * W2, large + y * W, W2 * sizeof(float)) == 0);
        CHECK_OK(ctx, bosc_random_heights(ctx, kinds[k], 2, W2, H2, small));
        if (k != 2) CHECK(memcmp(small, large, W2 * sizeof(float)) != 0);
    }
}

/* Heights are in range, steps between neighbours moderate, and islands are the mountains above sea level. */
static void ranges(void)
{
    enum { SIDE = 200 };
    bosc_ctx *ctx = NULL;
    CHECK_EQ(bosc_ctx_create(NULL, &ctx), BOSC_OK);
    float *z = suite_alloc(SIDE * SIDE * sizeof *z), *sea = suite_alloc(SIDE * SIDE * sizeof *z);
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int k = 0; k < 2; k++) {
            double sum = 0, step = 0, most = 0;
            CHECK_OK(ctx, bosc_random_heights(ctx, kinds[k], seed, SIDE, SIDE, z));
            for (int i = 0; i < SIDE * SIDE; i++) {
                CHECK(z[i] >= 0 && z[i] < 5000);
                sum += z[i];
                most = fmax(most, z[i]);
                if (i % SIDE) step = fmax(step, fabs(z[i] - z[i - 1]));
            }
            CHECK(sum > 0 && most > 300 && step > 1 && step < 200);
            if (k) continue;
            CHECK_OK(ctx, bosc_random_heights(ctx, BOSC_RANDOM_HEIGHTS_ISLANDS, seed, SIDE, SIDE, sea));
            for (int i = 0; i < SIDE * SIDE; i++) CHECK(fabsf(sea[i] - fmaxf(z[i] - 1500, 0)) < 0.001f);
        }
    free(z);
    free(sea);
    bosc_ctx_free(ctx);
}

static void bad_arguments(bosc_ctx *ctx)
{
    float z[4];
    CHECK_EQ(bosc_random_heights(NULL, kinds[0], 0, 2, 2, z), BOSC_ERR_ARG);
    static const int bad_kinds[] = {-1, 3, 99, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        CHECK_ARG(ctx, bosc_random_heights(ctx, (bosc_random_heights_kind)bad_kinds[i], 0, 2, 2, z), "kind");
    static const int64_t negative[] = {-1, -2, INT64_MIN};
    for (int i = 0; i < 3; i++) {
        CHECK_ARG(ctx, bosc_random_heights(ctx, kinds[0], 0, negative[i], 2, z), "width");
        CHECK_ARG(ctx, bosc_random_heights(ctx, kinds[0], 0, 2, negative[i], z), "height");
    }
    CHECK_ARG(ctx, bosc_random_heights(ctx, kinds[0], 0, INT64_MAX, 2, z), "height");
    CHECK_ARG(ctx, bosc_random_heights(ctx, kinds[0], 0, INT64_MAX, 1, z), "height");
    CHECK_ARG(ctx, bosc_random_heights(ctx, kinds[0], 0, (int64_t)1 << 32, (int64_t)1 << 31, z), "height");
    CHECK_ARG(ctx, bosc_random_heights(ctx, kinds[0], 0, 2, 2, NULL), "heights");
    CHECK_ARG(ctx, bosc_random_heights(ctx, kinds[0], 0, 2, 2, (float *)((char *)z + 1)), "heights");
    CHECK_OK(ctx, bosc_random_heights(ctx, kinds[0], 0, 0, 2, NULL));
    CHECK_OK(ctx, bosc_random_heights(ctx, kinds[0], 0, 2, 0, NULL));
}

static float swept[6 * 5];

static bosc_status call(bosc_ctx *ctx, void *user)
{
    (void)user;
    return bosc_random_heights(ctx, BOSC_RANDOM_HEIGHTS_HILLS, 3, 6, 5, swept);
}

static void faults(bosc_ctx *ctx)
{
    struct fault_sweep sweep = {.call = call, .outputs = swept, .output_bytes = sizeof swept};
    fault_sweep(ctx, &sweep);
}

static const struct suite_case suite_cases_relief[] = {
    {"the same bits in every version", golden, NULL},
    {"places stand alone", heights_depend_on_position, NULL},
    {"ranges", NULL, ranges},
    {"bad arguments", bad_arguments, NULL},
    {"faults", faults, NULL},
};
SUITE(relief);
