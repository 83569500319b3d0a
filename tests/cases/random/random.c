/* Random numbers: Philox's words at their positions, points of the right distribution, rows that depend on their
 * number alone, the same bits on every backend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "base/philox.h"
#include "support/faults.h"

static void bits_are_philox_words(bosc_ctx *ctx)
{
    enum { N = 1003 };
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int64_t n = 0; n < N; n += n < 20 ? 1 : 983) {
            struct array out = array_make(ctx, NULL, (size_t)n * 4, device);
            CHECK_OK(ctx, bosc_random_bits(ctx, 0x123456789abcdef0u, 0xfedcba9876543210u, n, out.p));
            CHECK_OK(ctx, bosc_ctx_sync(ctx));
            const uint32_t *got = array_get(ctx, &out);
            for (int64_t i = 0; i < n; i++) {
                struct bi_philox block = bi_philox_at(0x123456789abcdef0u, 0xfedcba9876543210u, (uint64_t)i / 4);
                CHECK_EQ(got[i], block.v[i % 4]);
            }
            array_free(ctx, &out);
        }
}

static const bosc_random_points_kind kinds[] = {
    BOSC_RANDOM_POINTS_UNIFORM, BOSC_RANDOM_POINTS_NORMAL,    BOSC_RANDOM_POINTS_CLUSTERED, BOSC_RANDOM_POINTS_SPHERE,
    BOSC_RANDOM_POINTS_MIXTURE, BOSC_RANDOM_POINTS_PLANE,     BOSC_RANDOM_POINTS_LINE,      BOSC_RANDOM_POINTS_LIDAR,
    BOSC_RANDOM_POINTS_LATTICE, BOSC_RANDOM_POINTS_HALF_EQUAL};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static const int32_t dims[] = {1, 2, 3, 4, 7, 16, 1024};

/* The context that computes the expected bits: one baseline thread. */
static bosc_ctx *plain_context(void)
{
    bosc_ctx_opts opts = {.size = sizeof opts, .threads = 1, .cpu_level = BOSC_CPU_V1};
    bosc_ctx *ctx = NULL;
    if (bosc_ctx_create(&opts, &ctx) != BOSC_OK) suite_fail(__FILE__, __LINE__, "no context");
    return ctx;
}

static void same_bits(bosc_ctx *ctx)
{
    bosc_ctx *plain = plain_context();
    int64_t n = suite_slow(ctx) ? 20 : 150;
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int k = 0; k < KINDS; k++)
            for (int d = 0; d < 7; d++)
                for (int t = 0; t < 4; t++) {
                    if (suite_leaves_out()) continue;
                    int64_t rows = dims[d] > 100 ? 3 : n;
                    size_t bytes = (size_t)(rows * dims[d]) * bosc_dtype_size(number_types[t]);
                    void *want = suite_alloc(bytes);
                    struct array out = array_make(ctx, NULL, bytes, device);
                    CHECK_OK(plain, bosc_random_points(plain, kinds[k], 42, rows, dims[d], number_types[t], want));
                    CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 42, rows, dims[d], number_types[t], out.p));
                    CHECK_OK(ctx, bosc_ctx_sync(ctx));
                    CHECK(memcmp(array_get(ctx, &out), want, bytes) == 0);
                    array_free(ctx, &out);
                    free(want);
                }
    bosc_ctx_free(plain);
}

/* Hashes of some coordinates, which no later version may change. */
static void golden(bosc_ctx *ctx)
{
    static const uint64_t want[KINDS] = {
        0xb6401f35f231223eu, 0x8a095725514df39au, 0xa05c2f7855041d31u, 0xcf4d743c05d52f71u, 0x582c488ede1614beu,
        0x384210639d9c6d8du, 0x4ec536491a7d6086u, 0x6aca9a127d77d105u, 0x3955000000000000u, 0x4135a812d20a9fc2u};
    for (int k = 0; k < KINDS; k++) {
        double x[30];
        uint64_t hash = 0, u;
        CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 7, 10, 3, BOSC_F64, x));
        for (int i = 0; i < 30; i++) {
            memcpy(&u, &x[i], sizeof u);
            hash = (hash ^ u) * 0x9e3779b97f4a7c15u;
        }
        if (hash != want[k]) suite_fail(__FILE__, __LINE__, "kind %d: 0x%llx", k, (unsigned long long)hash);
    }
}

static void rows_depend_on_their_number(bosc_ctx *ctx)
{
    enum { DIM = 3, MANY = 200, FEW = 17 };
    float many[MANY * DIM], few[FEW * DIM];
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k] == BOSC_RANDOM_POINTS_LIDAR) continue; /* sorted: a row depends on all */
        CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 1, MANY, DIM, BOSC_F32, many));
        CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 1, FEW, DIM, BOSC_F32, few));
        CHECK(memcmp(many, few, sizeof few) == 0);
        CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 2, FEW, DIM, BOSC_F32, few));
        CHECK(memcmp(many, few, sizeof few) != 0);
    }
}

static void distributions(void)
{
    enum { N = 40000, DIM = 3 };
    bosc_ctx *ctx = plain_context();
    double *x = suite_alloc(N * DIM * sizeof *x);
    for (int k = 0; k < 4; k++) {
        double sum[DIM] = {0}, squares[DIM] = {0}, products = 0;
        CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 11, N, DIM, BOSC_F64, x));
        for (int i = 0; i < N; i++) {
            double length = 0;
            for (int c = 0; c < DIM; c++) {
                double v = x[i * DIM + c];
                sum[c] += v / N;
                squares[c] += v * v / N;
                length += v * v;
                CHECK(isfinite(v));
                if (kinds[k] == BOSC_RANDOM_POINTS_UNIFORM) CHECK(v >= 0 && v < 1);
            }
            products += x[i * DIM] * x[i * DIM + 1] / N;
            if (kinds[k] == BOSC_RANDOM_POINTS_SPHERE) CHECK(fabs(length - 1) < 1e-14);
        }
        static const double mean[4] = {0.5, 0, 0.5, 0}, square[4] = {1.0 / 3, 1, 1.0 / 3, 1.0 / 3};
        double room = kinds[k] == BOSC_RANDOM_POINTS_CLUSTERED ? 0.15 : 0.02; /* 64 centres only */
        for (int c = 0; c < DIM; c++) CHECK(fabs(sum[c] - mean[k]) < room && fabs(squares[c] - square[k]) < 2 * room);
        CHECK(fabs(products - mean[k] * mean[k]) < room);
    }
    free(x);
    bosc_ctx_free(ctx);
}

static void integers(bosc_ctx *ctx)
{
    enum { N = 300, DIM = 2 };
    double x[N * DIM];
    int32_t i32[N * DIM];
    int64_t i64[N * DIM];
    for (int k = 0; k < KINDS; k++) {
        CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 5, N, DIM, BOSC_F64, x));
        CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 5, N, DIM, BOSC_I32, i32));
        CHECK_OK(ctx, bosc_random_points(ctx, kinds[k], 5, N, DIM, BOSC_I64, i64));
        for (int i = 0; i < N * DIM; i++) CHECK(i32[i] == (int32_t)rint(x[i] * 0x1p20) && i64[i] == i32[i]);
    }
}

/* Uniform F32 points are the F64 ones cut to 24 bits; rounded, one might be 1. */
static void cut_uniforms(bosc_ctx *ctx)
{
    enum { N = 100, DIM = 3 };
    double x[N * DIM];
    float y[N * DIM];
    CHECK_OK(ctx, bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 5, N, DIM, BOSC_F64, x));
    CHECK_OK(ctx, bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 5, N, DIM, BOSC_F32, y));
    for (int i = 0; i < N * DIM; i++) CHECK((double)y[i] == floor(x[i] * 0x1p24) * 0x1p-24);
}

static void bad_arguments(bosc_ctx *ctx)
{
    float x[8];
    uint32_t words[4];
    CHECK_EQ(bosc_random_bits(NULL, 0, 0, 1, words), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_random_bits(ctx, 0, 0, -1, words), "n");
    CHECK_ARG(ctx, bosc_random_bits(ctx, 0, 0, INT64_MIN, words), "n");
    CHECK_ARG(ctx, bosc_random_bits(ctx, 0, 0, INT64_MAX, words), "n");
    CHECK_ARG(ctx, bosc_random_bits(ctx, 0, 0, INT64_MAX / 4, words), "n");
    CHECK_ARG(ctx, bosc_random_bits(ctx, 0, 0, 4, NULL), "bits");
    CHECK_ARG(ctx, bosc_random_bits(ctx, 0, 0, 1, (uint32_t *)((char *)words + 1)), "bits");
    CHECK_OK(ctx, bosc_random_bits(ctx, 0, 0, 0, NULL));
    CHECK_EQ(bosc_random_points(NULL, kinds[0], 0, 1, 1, BOSC_F32, x), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_random_points(ctx, (bosc_random_points_kind)KINDS, 0, 1, 1, BOSC_F32, x), "kind");
    CHECK_ARG(ctx, bosc_random_points(ctx, (bosc_random_points_kind)-1, 0, 1, 1, BOSC_F32, x), "kind");
    static const int32_t bad_dims[] = {0, -1, 1025, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 5; i++)
        CHECK_ARG(ctx, bosc_random_points(ctx, kinds[0], 0, 1, bad_dims[i], BOSC_F32, x), "dim");
    static const int bad_types[] = {0, -1, BOSC_U32, BOSC_U64, BOSC_U8, 99};
    for (int i = 0; i < 6; i++)
        CHECK_ARG(ctx, bosc_random_points(ctx, kinds[0], 0, 1, 1, (bosc_dtype)bad_types[i], x), "dtype");
    static const int64_t bad_n[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 8 + 1};
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_random_points(ctx, kinds[0], 0, bad_n[i], 2, BOSC_F32, x), "n");
    CHECK_ARG(ctx, bosc_random_points(ctx, kinds[0], 0, 1, 2, BOSC_F32, NULL), "points");
    CHECK_ARG(ctx, bosc_random_points(ctx, kinds[0], 0, 1, 2, BOSC_F32, (char *)x + 2), "points");
    CHECK_OK(ctx, bosc_random_points(ctx, kinds[0], 0, 0, 2, BOSC_F32, NULL));
}

/* One call, its output, and what that must become. */
enum call { CALL_BITS, CALL_POINTS, CALL_LIDAR, CALL_KEYS, CALL_WORDS, CALLS };
struct output {
    enum call call;
    uint32_t words[100], want[100];
};

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct output *out = user;
    switch (out->call) {
    case CALL_POINTS: return bosc_random_points(ctx, BOSC_RANDOM_POINTS_SPHERE, 1, 50, 2, BOSC_F32, out->words);
    case CALL_LIDAR: return bosc_random_points(ctx, BOSC_RANDOM_POINTS_LIDAR, 1, 50, 2, BOSC_F32, out->words);
    case CALL_KEYS: return bosc_random_keys(ctx, BOSC_RANDOM_KEYS_ZIPF, 1, 100, 32, out->words);
    case CALL_WORDS: return bosc_random_words(ctx, BOSC_RANDOM_WORDS_PAIRS, 1, 40, 10, 20, (uint8_t *)out->words);
    default: return bosc_random_bits(ctx, 1, 2, 100, out->words);
    }
}

static void prepare(void *user)
{
    struct output *out = user;
    memset(out->words, 0x77, sizeof out->words);
}

static bool untouched(void *user)
{
    struct output *out = user;
    for (int i = 0; i < 100; i++)
        if (out->words[i] != 0x77777777) return false;
    return true;
}

static bool right(void *user)
{
    struct output *out = user;
    return memcmp(out->words, out->want, sizeof out->want) == 0;
}

static void faults(bosc_ctx *ctx)
{
    static struct output out;
    struct fault_sweep sweep = {.call = call, .prepare = prepare, .untouched = untouched, .right = right, .user = &out};
    for (int k = 0; k < CALLS; k++) {
        out.call = (enum call)k;
        CHECK_OK(ctx, call(ctx, &out));
        memcpy(out.want, out.words, sizeof out.want);
        fault_sweep(ctx, &sweep);
    }
}

static const struct suite_case suite_cases_random[] = {
    {"bits", bits_are_philox_words, NULL},
    {"points of the same bits", same_bits, NULL},
    {"points of every version", golden, NULL},
    {"rows stand alone", rows_depend_on_their_number, NULL},
    {"distributions", NULL, distributions},
    {"integer points", integers, NULL},
    {"uniform points cut", cut_uniforms, NULL},
    {"bad arguments", bad_arguments, NULL},
    {"faults", faults, NULL},
};
SUITE(random);
