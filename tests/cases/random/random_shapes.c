/* Shapes of random data: the property that defines each kind of points, keys and words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "random/steps/keys.h"

static int ascending(const void *x, const void *y)
{
    uint64_t a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    return (a > b) - (a < b);
}

static double *points_of(bosc_ctx *ctx, bosc_random_points_kind kind, int64_t n, int32_t dim)
{
    double *x = suite_alloc((size_t)(n * dim) * sizeof *x);
    CHECK_OK(ctx, bosc_random_points(ctx, kind, 3, n, dim, BOSC_F64, x));
    return x;
}

/* ---- points ---- */

/* Multiples of 1/64 in [0, 1), every one of them. */
static void lattice(bosc_ctx *ctx)
{
    enum { N = 2000, DIM = 3 };
    double *x = points_of(ctx, BOSC_RANDOM_POINTS_LATTICE, N, DIM);
    int seen[64] = {0};
    for (int i = 0; i < N * DIM; i++) {
        CHECK(x[i] >= 0 && x[i] < 1 && x[i] * 64 == floor(x[i] * 64));
        seen[(int)(x[i] * 64)]++;
    }
    for (int k = 0; k < 64; k++) CHECK(seen[k] > 40 && seen[k] < 160);
    free(x);
}

static void planes_and_lines(bosc_ctx *ctx)
{
    enum { N = 300 };
    for (int32_t dim = 1; dim < 5; dim++) {
        double *plane = points_of(ctx, BOSC_RANDOM_POINTS_PLANE, N, dim);
        double *line = points_of(ctx, BOSC_RANDOM_POINTS_LINE, N, dim);
        for (int i = 0; i < N * dim; i++) {
            const int c = i % dim;
            CHECK(plane[i] >= 0 && plane[i] < 1 && line[i] >= 0 && line[i] < 1);
            CHECK((plane[i] == 0) == (c > 0 && c == dim - 1) && (line[i] == 0) == (c > 0));
        }
        free(plane);
        free(line);
    }
}

/* About half of the rows are one point; the others are distinct. */
static void half_equal(bosc_ctx *ctx)
{
    enum { N = 4000 };
    double *x = points_of(ctx, BOSC_RANDOM_POINTS_HALF_EQUAL, N, 1);
    qsort(x, N, sizeof *x, ascending); /* bits of positive numbers ascend as they do */
    int most = 0, run = 0, repeats = 0;
    for (int i = 0; i < N; i++) {
        run = i > 0 && x[i] == x[i - 1] ? run + 1 : 1;
        repeats += run > 1;
        most = run > most ? run : most;
    }
    CHECK(abs(most - N / 2) < 150 && repeats == most - 1);
    free(x);
}

/* Rank r of the clusters has 1 / (r H(1000)) of the rows, within 6 sigma of its centre; H(1000) is 7.48547. */
static void mixture(bosc_ctx *ctx)
{
    enum { N = 20000, FIRST = 2700 };
    double *x = points_of(ctx, BOSC_RANDOM_POINTS_MIXTURE, N, 2);
    /* 1. The centre of the heaviest cluster: the row with the most others within 0.03. */
    int most = 0;
    for (int i = 0; i < 100; i++) {
        int near = 0;
        for (int k = 0; k < N; k++)
            near += fabs(x[2 * k] - x[2 * i]) < 0.03 && fabs(x[2 * k + 1] - x[2 * i + 1]) < 0.03;
        most = near > most ? near : most;
    }
    /* 2. Its share, and at most 900 rows of other clusters there. */
    CHECK(most > FIRST - 200 && most < FIRST + 900);
    free(x);
}

/* From each pose 64 rings: elevations of -25 to 3 degrees, distances below 45 m, angles that ascend and are uniform. */
static void lidar(bosc_ctx *ctx)
{
    enum { LINES = 256, EACH = 40, N = LINES * EACH };
    double *x = points_of(ctx, BOSC_RANDOM_POINTS_LIDAR, N, 3);
    for (int line = 0; line < LINES; line++) {
        const double *p = x + (ptrdiff_t)line * EACH * 3;
        const double degrees = -25 + 28.0 / 63 * (line % 64), slope = tan(degrees / 57.29577951308232);
        /* 1. The pose: the middle of its lowest ring, a circle on the ground, through three of its points. */
        static double px, py;
        if (line % 64 == 0) {
            const double *a = p, *b = p + 3 * 13, *c = p + 3 * 27;
            const double bx = b[0] - a[0], by = b[1] - a[1], cx = c[0] - a[0], cy = c[1] - a[1];
            const double d = 2 * (bx * cy - by * cx), b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
            px = a[0] + (cy * b2 - by * c2) / d;
            py = a[1] + (bx * c2 - cx * b2) / d;
            CHECK(fabs(px) <= 20 && fabs(py) <= 20);
        }
        /* 2. Each point is on the beam: on the ground, or at the wall. Angles ascend. */
        double last = 0, least = 60, greatest = 0;
        for (int i = 0; i < EACH; i++) {
            const double dx = p[3 * i] - px, dy = p[3 * i + 1] - py, z = p[3 * i + 2], far = hypot(dx, dy);
            double turn = atan2(dy, dx);
            if (turn < 0) turn += 6.283185307179586;
            CHECK(turn >= last && fabs(1.7 + far * slope - z) < 1e-9 && z >= 0);
            CHECK(z == 0 ? far < 45 : far >= 20 && far <= 45);
            last = turn;
            least = far < least ? far : least;
            greatest = far > greatest ? far : greatest;
        }
        CHECK(last > 4.5);
        if (degrees > 0) CHECK(greatest - least > 5); /* the walls are no circle */
        if (degrees < -6) CHECK(greatest - least < 1e-9);
    }
    free(x);
}

/* ---- keys ---- */

static uint64_t *keys_of(bosc_ctx *ctx, bosc_random_keys_kind kind, int64_t n, int bits)
{
    uint64_t *keys = suite_alloc((size_t)n * sizeof *keys);
    uint32_t *narrow = suite_alloc((size_t)n * sizeof *narrow);
    CHECK_OK(ctx, bosc_random_keys(ctx, kind, 3, n, bits, bits == 64 ? (void *)keys : narrow));
    for (int64_t i = 0; i < n && bits == 32; i++) keys[i] = narrow[i];
    free(narrow);
    return keys;
}

static void plain_keys(bosc_ctx *ctx)
{
    enum { N = 20000 };
    for (int bits = 32; bits <= 64; bits += 32) {
        uint64_t *distinct = keys_of(ctx, BOSC_RANDOM_KEYS_DISTINCT, N, bits), first = distinct[0];
        uint64_t *sequential = keys_of(ctx, BOSC_RANDOM_KEYS_SEQUENTIAL, N, bits);
        uint64_t *multiples = keys_of(ctx, BOSC_RANDOM_KEYS_MULTIPLES, N, bits);
        uint64_t *equal = keys_of(ctx, BOSC_RANDOM_KEYS_EQUAL, N, bits);
        qsort(distinct, N, sizeof *distinct, ascending);
        for (int i = 0; i < N; i++) {
            CHECK(i == 0 || distinct[i] > distinct[i - 1]);
            CHECK(sequential[i] == (uint64_t)i && equal[i] == first);
            CHECK(multiples[i] == (uint64_t)i << (bits == 32 ? 8 : 32));
        }
        free(distinct);
        free(sequential);
        free(multiples);
        free(equal);
    }
}

/* From 2^24 on, 32-bit multiples have the number's upper bits in their low byte. */
static void large_multiples(void)
{
    const struct bi_random_keys_args args = {.kind = BOSC_RANDOM_KEYS_MULTIPLES};
    const uint64_t range = (uint64_t)1 << 32;
    for (uint64_t i = 0; i < range; i += 0xfffffb)
        CHECK_EQ(bi_random_key(&args, (int64_t)i), i * 256 % range + i / (1 << 24));
}

/* Key r of the distinct ones has 1 / (r H(10^6)) of the keys; H(10^6) is 14.39273. Half of them have ranks to 749. */
static void zipf_keys(bosc_ctx *ctx)
{
    enum { N = 200000, RANKS = 749 };
    uint64_t *keys = keys_of(ctx, BOSC_RANDOM_KEYS_ZIPF, N, 32);
    uint64_t *ranks = keys_of(ctx, BOSC_RANDOM_KEYS_DISTINCT, RANKS, 32);
    static const int some[] = {1, 2, 3, 4, 7, 8, 100, 500};
    qsort(keys, N, sizeof *keys, ascending);
    int64_t first_half = 0;
    for (int r = 1, k = 0; r <= RANKS; r++) {
        int64_t low = 0, high = N, count = 0;
        /* 1. The number of keys of this rank, by a binary search. */
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (keys[middle] < ranks[r - 1])
                low = middle + 1;
            else
                high = middle;
        }
        while (low + count < N && keys[low + count] == ranks[r - 1]) count++;
        /* 2. It is within five sigma of the expected one. */
        first_half += count;
        if (k < 8 && r == some[k]) {
            const double expected = N / (14.39273 * r);
            CHECK(fabs((double)count - expected) < 5 * sqrt(expected));
            k++;
        }
    }
    CHECK(fabs((double)first_half / N - 0.5) < 0.01);
    free(keys);
    free(ranks);
}

/* The table of octaves and the last, partial one: ranks stay in 1 to n, and have their probabilities. */
static void zipf_ranks(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 1000};
    for (int s = 0; s < 8; s++) {
        enum { N = 100000 };
        const struct bi_zipf z = bi_zipf_of(sizes[s]);
        int64_t counts[1001] = {0};
        double sum = 0;
        for (uint64_t i = 0; i < N; i++) {
            const uint32_t r = bi_zipf_rank(&z, 9, 0, i);
            CHECK(r >= 1 && r <= sizes[s]);
            counts[r]++;
        }
        for (uint32_t r = 1; r <= sizes[s]; r++) sum += 1.0 / r;
        CHECK(fabs(bi_harmonic(sizes[s]) - sum) < 1e-10);
        for (uint32_t r = 1; r <= sizes[s]; r++)
            CHECK(fabs((double)counts[r] - N / (sum * r)) < 5 * sqrt(N / (sum * r)) + 1);
    }
}

/* ---- words ---- */

static void words(bosc_ctx *ctx)
{
    enum { N = 3000 };
    static const int shapes[][2] = {{4, 20}, {20, 20}, {12, 4}, {1, 2}, {7, 256}};
    for (int s = 0; s < 5; s++)
        for (int kind = 0; kind < 2; kind++) {
            const int length = shapes[s][0], letters = shapes[s][1];
            uint8_t *w = suite_alloc((size_t)N * (size_t)length), few[7 * 20];
            int64_t counts[256] = {0};
            CHECK_OK(ctx, bosc_random_words(ctx, (bosc_random_words_kind)kind, 3, N, length, letters, w));
            CHECK_OK(ctx, bosc_random_words(ctx, (bosc_random_words_kind)kind, 3, 7, length, letters, few));
            CHECK(memcmp(w, few, 7 * (size_t)length) == 0);
            for (int i = 0; i < N; i++) {
                int different = 0;
                for (int k = 0; k < length; k++) {
                    CHECK(w[i * length + k] < letters);
                    counts[w[i * length + k]]++;
                    if (i > 0) different += w[i * length + k] != w[(i - 1) * length + k];
                }
                if (kind && i % 2) CHECK_EQ(different, 1);
            }
            const double expected = (double)N * length / letters;
            for (int k = 0; k < letters; k++) CHECK(fabs((double)counts[k] - expected) < 7 * sqrt(expected));
            free(w);
        }
}

/* ---- the same bits, and bad arguments ---- */

static void same_bits(bosc_ctx *ctx)
{
    enum { N = 1000, LENGTH = 12 };
    const bosc_ctx_opts opts = {.size = sizeof opts, .threads = 1, .cpu_level = BOSC_CPU_V1};
    bosc_ctx *plain = NULL;
    CHECK_EQ(bosc_ctx_create(&opts, &plain), BOSC_OK);
    for (int device = 0; device <= has_device_memory(ctx); device++) {
        /* 1. Keys. */
        for (int kind = 0; kind < 5; kind++)
            for (int bits = 32; bits <= 64; bits += 32) {
                const size_t bytes = (size_t)(N * bits / 8);
                void *want = suite_alloc(bytes);
                struct array out = array_make(ctx, NULL, bytes, device);
                CHECK_OK(plain, bosc_random_keys(plain, (bosc_random_keys_kind)kind, 42, N, bits, want));
                CHECK_OK(ctx, bosc_random_keys(ctx, (bosc_random_keys_kind)kind, 42, N, bits, out.p));
                CHECK_OK(ctx, bosc_ctx_sync(ctx));
                CHECK(memcmp(array_get(ctx, &out), want, bytes) == 0);
                array_free(ctx, &out);
                free(want);
            }
        /* 2. Words. */
        for (int kind = 0; kind < 2; kind++) {
            uint8_t want[N * LENGTH];
            struct array out = array_make(ctx, NULL, sizeof want, device);
            CHECK_OK(plain, bosc_random_words(plain, (bosc_random_words_kind)kind, 42, N, LENGTH, 4, want));
            CHECK_OK(ctx, bosc_random_words(ctx, (bosc_random_words_kind)kind, 42, N, LENGTH, 4, out.p));
            CHECK_OK(ctx, bosc_ctx_sync(ctx));
            CHECK(memcmp(array_get(ctx, &out), want, sizeof want) == 0);
            array_free(ctx, &out);
        }
    }
    bosc_ctx_free(plain);
}

/* Hashes of keys and words, which no later version may change. */
static void golden(bosc_ctx *ctx)
{
    static const uint64_t want[7] = {0xc11cc87b9895b83cu, 0x1b5abb0ae71d2d20u, 0xe71d2d2000000000u, 0x60d8c06fcbc5d05fu,
                                     0x9ad221d30405fa28u, 0xb1cef57bea86140cu, 0x9244f200d7f22635u};
    for (int k = 0; k < 7; k++) {
        uint64_t words_of_64[20] = {0}, hash = 0;
        if (k < 5)
            CHECK_OK(ctx, bosc_random_keys(ctx, (bosc_random_keys_kind)k, 7, 20, 64, words_of_64));
        else
            CHECK_OK(ctx,
                     bosc_random_words(ctx, (bosc_random_words_kind)(k - 5), 7, 20, 8, 20, (uint8_t *)words_of_64));
        for (int i = 0; i < 20; i++) hash = (hash ^ words_of_64[i]) * 0x9e3779b97f4a7c15u;
        if (hash != want[k]) suite_fail(__FILE__, __LINE__, "kind %d: 0x%llx", k, (unsigned long long)hash);
    }
}

static void bad_arguments(bosc_ctx *ctx)
{
    uint64_t keys[4];
    uint8_t letters[8];
    CHECK_EQ(bosc_random_keys(NULL, 0, 0, 1, 32, keys), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_random_keys(ctx, (bosc_random_keys_kind)-1, 0, 1, 32, keys), "kind");
    CHECK_ARG(ctx, bosc_random_keys(ctx, (bosc_random_keys_kind)5, 0, 1, 32, keys), "kind");
    CHECK_ARG(ctx, bosc_random_keys(ctx, 0, 0, -1, 32, keys), "n");
    CHECK_ARG(ctx, bosc_random_keys(ctx, 0, 0, INT64_MIN, 32, keys), "n");
    CHECK_STATUS(ctx, bosc_random_keys(ctx, 0, 0, (int64_t)1 << 32, 64, keys), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_random_keys(ctx, 0, 0, 1, 0, keys), "key_bits");
    CHECK_ARG(ctx, bosc_random_keys(ctx, 0, 0, 1, 128, keys), "key_bits");
    CHECK_ARG(ctx, bosc_random_keys(ctx, 0, 0, 1, 32, NULL), "keys");
    CHECK_ARG(ctx, bosc_random_keys(ctx, 0, 0, 1, 64, (char *)keys + 4), "keys");
    CHECK_OK(ctx, bosc_random_keys(ctx, 0, 0, 0, 64, NULL));
    CHECK_EQ(bosc_random_words(NULL, 0, 0, 1, 4, 4, letters), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_random_words(ctx, (bosc_random_words_kind)-1, 0, 1, 4, 4, letters), "kind");
    CHECK_ARG(ctx, bosc_random_words(ctx, (bosc_random_words_kind)2, 0, 1, 4, 4, letters), "kind");
    CHECK_ARG(ctx, bosc_random_words(ctx, 0, 0, -1, 4, 4, letters), "n");
    CHECK_ARG(ctx, bosc_random_words(ctx, 0, 0, INT64_MAX, 4, 4, letters), "n");
    CHECK_ARG(ctx, bosc_random_words(ctx, 0, 0, 1, 0, 4, letters), "length");
    CHECK_ARG(ctx, bosc_random_words(ctx, 0, 0, 1, 65537, 4, letters), "length");
    CHECK_ARG(ctx, bosc_random_words(ctx, 0, 0, 1, 4, 1, letters), "letters");
    CHECK_ARG(ctx, bosc_random_words(ctx, 0, 0, 1, 4, 257, letters), "letters");
    CHECK_ARG(ctx, bosc_random_words(ctx, 0, 0, 1, 4, 4, NULL), "words");
    CHECK_OK(ctx, bosc_random_words(ctx, 0, 0, 0, 4, 4, NULL));
}

static const struct suite_case suite_cases_random_shapes[] = {
    {"lattice", lattice, NULL},
    {"planes and lines", planes_and_lines, NULL},
    {"half equal", half_equal, NULL},
    {"mixture", mixture, NULL},
    {"lidar", lidar, NULL},
    {"keys", plain_keys, NULL},
    {"Zipf keys", zipf_keys, NULL},
    {"Zipf ranks", NULL, zipf_ranks},
    {"large multiples", NULL, large_multiples},
    {"words", words, NULL},
    {"the same bits", same_bits, NULL},
    {"every version", golden, NULL},
    {"bad arguments", bad_arguments, NULL},
};
SUITE(random_shapes);
