/* Collisions of meshes against all triangles with all triangles in integers. */
#include <stdlib.h>
#include <string.h>

#include "cases/collision/collision_data.h"
#include "collision/steps/touch.h"

/* The pairs of a handle, as a list, as rows and in its info, equal the expected ones. */
static void check_answers(bosc_ctx *ctx, const bosc_collision *collision, const bosc_collision_opts *o,
                          const int64_t *pairs, int64_t count, int64_t a_count)
{
    size_t width = (size_t)o->id_bits / 8;
    bosc_collision_info info = {.size = sizeof info};
    int64_t found = -1, *offsets = suite_alloc((size_t)(a_count + 1) * sizeof *offsets), at = 0;
    char *list = suite_alloc((size_t)(2 * count + 1) * width), *ids = suite_alloc((size_t)(count + 1) * width);
    CHECK_OK(ctx, bosc_collision_get_info(ctx, collision, &info));
    CHECK_EQ(info.pairs, count);
    CHECK(info.candidates >= count && info.a_count == a_count);
    CHECK_OK(ctx, bosc_collision_pairs(ctx, collision, NULL, 0, &found));
    CHECK_EQ(found, count);
    CHECK_OK(ctx, bosc_collision_pairs(ctx, collision, list, count, &found));
    CHECK_OK(ctx, bosc_collision_rows(ctx, collision, offsets, NULL, 0));
    CHECK_OK(ctx, bosc_collision_rows(ctx, collision, offsets, ids, count));
    CHECK(offsets[0] == 0 && offsets[a_count] == count);
    for (int64_t k = 0; k < count; k++) {
        while (offsets[at + 1] <= k) at++;
        for (int e = 0; e < 2; e++)
            CHECK_EQ(width == 8 ? ((int64_t *)(void *)list)[2 * k + e] : ((uint32_t *)(void *)list)[2 * k + e],
                     pairs[2 * k + e]);
        CHECK_EQ(at, pairs[2 * k]);
        CHECK_EQ(width == 8 ? ((int64_t *)(void *)ids)[k] : ((uint32_t *)(void *)ids)[k], pairs[2 * k + 1]);
    }
    free(offsets);
    free(list);
    free(ids);
}

/* One pair of meshes through one handle: as they are, mapped by a transform, and mapped before. */
static void check_meshes(bosc_ctx *ctx, struct suite_random *r, const struct reference_mesh *a,
                         const struct reference_mesh *b, const bosc_collision_opts *o)
{
    int64_t count = reference_collisions(a, b, NULL), *pairs = suite_alloc((size_t)(2 * count + 1) * sizeof *pairs);
    bosc_collision *collision = NULL;
    reference_collisions(a, b, pairs);
    CHECK_OK(ctx, bosc_collision_create(ctx, o, &collision));
    for (int k = 0; k < 3; k++) {
        int64_t map[3][3];
        collide_unimodular(r, 3 * k, o->dtype == BOSC_F64 ? 45 : 16, map); /* coordinates stay exact */
        int scale = o->dtype == BOSC_F64 ? (int)suite_below(r, 440) - 250 : (int)suite_below(r, 200) - 120;
        double transform[12];
        for (int i = 0; i < 12; i++) transform[i] = i % 4 < 3 ? (double)map[i / 4][i % 4] : ldexp(i, scale);
        if (k == 1) collide_unimodular(r, 0, 0, map);
        bosc_collision_mesh ma = collide_arrays(a, o, map, scale, 3 + (k == 1));
        bosc_collision_mesh mb = collide_arrays(b, o, map, scale, 3);
        if (k == 1) ma.transform = mb.transform = transform;
        CHECK_OK(ctx, bosc_collision_build(ctx, collision, &ma, &mb));
        check_answers(ctx, collision, o, pairs, count, a->triangle_count);
        collide_free_arrays(&ma);
        collide_free_arrays(&mb);
    }
    bosc_collision_free(collision);
    free(pairs);
}

static bosc_collision_opts options(struct suite_random *r)
{
    static const double cells[] = {0, 0, 1, 7, 1e-300, 1e300};
    return (bosc_collision_opts){.size = sizeof(bosc_collision_opts),
                                 .dtype = suite_below(r, 2) ? BOSC_F64 : BOSC_F32,
                                 .index_bits = suite_below(r, 2) ? 64 : 32,
                                 .id_bits = suite_below(r, 2) ? 64 : 32,
                                 .cell = cells[suite_below(r, 6)]};
}

static void against_reference(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {0, 1, 2, 9, 30, 48};
    for (int trial = 0; trial < 6 * COLLIDE_KINDS; trial++) {
        struct suite_random r = {(uint64_t)trial};
        enum collision_kind kind = (enum collision_kind)(trial % COLLIDE_KINDS);
        int64_t n = sizes[trial / COLLIDE_KINDS];
        bosc_collision_opts o = options(&r);
        if (suite_leaves_out()) continue;
        struct reference_mesh a = collide_mesh(&r, kind, n, false), b = collide_mesh(&r, kind, n + n / 3, true);
        check_meshes(ctx, &r, &a, &b, &o);
        collide_free(&a);
        collide_free(&b);
    }
}

/* Random pairs of triangles with corners on a small grid: one mesh of one triangle each. */
static void single_triangles(bosc_ctx *ctx)
{
    struct suite_random r = {77};
    bosc_collision *collision = NULL;
    bosc_collision_opts o = {.size = sizeof o, .dtype = BOSC_F64, .index_bits = 64};
    CHECK_OK(ctx, bosc_collision_create(ctx, &o, &collision));
    for (int trial = 0; trial < (suite_slow(ctx) ? 100 : 1500); trial++) {
        int64_t map[3][3], count;
        enum collision_kind kind = trial % 4 == 3 ? COLLIDE_SEGMENTS : COLLIDE_DEGENERATE;
        struct reference_mesh a = collide_mesh(&r, kind, 1, false), b = collide_mesh(&r, kind, 1, true);
        collide_unimodular(&r, trial % 7, 45, map);
        bosc_collision_mesh ma = collide_arrays(&a, &o, map, 0, 3), mb = collide_arrays(&b, &o, map, 0, 3);
        CHECK_OK(ctx, bosc_collision_build(ctx, collision, &ma, &mb));
        CHECK_OK(ctx, bosc_collision_pairs(ctx, collision, NULL, 0, &count));
        CHECK_EQ(count, reference_touch(&a, 0, &b, 0));
        collide_free_arrays(&ma);
        collide_free_arrays(&mb);
        collide_free(&a);
        collide_free(&b);
    }
    bosc_collision_free(collision);
}

/* A determinant of 8 just above its error bound decides, and just below it does not: then the exact sign is needed. The
 * products X and X - 8 have the permanent 2 X - 8; the bound is (7 + 56 u) u times that, so 8 where the permanent is
 * 2^56 / 7 - 64 / 7 = 10293942005418267.4. */
static void error_bound(void)
{
    static const int64_t permanents[] = {10293942005418236, 10293942005418264, 10293942005418270, 10293942005418300};
    for (int k = 0; k < 4; k++) {
        const double x = (double)((permanents[k] + 8) / 2);
        const double a[3] = {x, x - 8, 0}, b[3] = {1, 1, 0}, c[3] = {0, 0, 1}, d[3] = {0, 0, 0};
        double work[BI_COLLISION_WORK];
        struct bi_collision_signs rounded = {NULL, false}, exact = {work, false};
        const int sign = bi_collision_orient3(&rounded, a, b, c, d);
        CHECK_EQ(rounded.undecided, k >= 2);
        CHECK_EQ(sign, k < 2);
        CHECK_EQ(bi_collision_orient3(&exact, a, b, c, d), 1);
    }
}

static const struct suite_case suite_cases_collision[] = {
    {"against the reference", against_reference, NULL},
    {"single triangles", single_triangles, NULL},
    {"error bound", NULL, error_bound},
};
SUITE(collision);
