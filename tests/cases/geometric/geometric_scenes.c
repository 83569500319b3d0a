/* Scenes with several instances of a model, with models that share points, mirrored and scaled ones, tiny and flat
 * scenes and models; and the memory of tables of many models. */
#include "cases/geometric/geometric_models_data.h"
#include "support/arrays.h"
#include "support/faults.h"

/* Several instances of each model; no two share a point. */
static void instances(bosc_ctx *ctx)
{
    struct found *found = new_found();
    for (int t = 0; t < 4; t++) {
        if (suite_leaves_out()) continue;
        struct suite_random r = {(uint64_t)t + 21};
        struct models *s = new_models(2 + t % 2, t < 2 ? BOSC_GEOMETRIC_SIMILARITY : BOSC_GEOMETRIC_RIGID);
        bool taken[SCENE_MOST] = {false};
        s->opts.instances = 1;
        s->opts.min_fraction = 0.7;
        s->opts.max_bases = 400;
        s->opts.max_trials = 2500;
        make_models(&r, s, 2, 10, 2);
        for (int k = 0; k < 4; k++) place_model(&r, s, k == 3, 6, 0.002, 0);
        bosc_geometric *table = table_of_models(ctx, s);
        find_all(ctx, table, s, MATCHES_MOST, found);
        check_found(s, found, 0.1);
        for (int64_t i = 0; i < found->count * largest_of(s); i++) {
            if (found->ids[i] < 0) continue;
            CHECK(!taken[found->ids[i]]);
            taken[found->ids[i]] = true;
        }
        find_all(ctx, table, s, 2, found); /* no more than are wanted */
        CHECK_EQ(found->count, 2);
        s->opts.instances = 0;
        bosc_geometric_free(table);
        table = table_of_models(ctx, s);
        find_all(ctx, table, s, MATCHES_MOST, found); /* each model once */
        CHECK_EQ(found->count, 2);
        check_order(s, found);
        CHECK(found->matches[0].model != found->matches[1].model);
        bosc_geometric_free(table);
        free(s);
    }
    free_found(found);
}

/* Model 1 has eight points of model 0 and four others, model 2 seven of its own. The scene has all. Without
 * `exclusive` all are found whole; with it model 1 lacks the points of model 0. */
static void shared_points(bosc_ctx *ctx)
{
    struct found *found = new_found();
    for (int exclusive = 0; exclusive < 2; exclusive++) {
        struct suite_random r = {33};
        struct models *s = new_models(2, BOSC_GEOMETRIC_RIGID);
        s->opts.exclusive = exclusive;
        s->opts.min_fraction = 0.3;
        s->opts.tolerance = 0.005;
        /* Models of 14, 12 and 7 points; the first 8 of model 1 are those of model 0. */
        make_models(&r, s, 3, 12, 0);
        s->offsets[1] = 14;
        s->offsets[2] = 26;
        s->offsets[3] = 33;
        for (int i = 0; i < 66; i++) s->points[i] = between(&r, -1, 1);
        memcpy(s->points + 28, s->points, 16 * sizeof *s->points);
        /* The scene: model 0, the four others of model 1, model 2 translated by 9. */
        s->m = 14 + 4 + 7;
        memcpy(s->scene, s->points, 28 * sizeof *s->scene);
        memcpy(s->scene + 28, s->points + 44, 22 * sizeof *s->scene);
        for (int i = 36; i < 50; i++) s->scene[i] += 9;
        bosc_geometric *table = table_of_models(ctx, s);
        find_all(ctx, table, s, 3, found);
        CHECK_EQ(found->count, 3);
        check_order(s, found);
        for (int64_t k = 0; k < 3; k++) {
            const bosc_geometric_match *match = &found->matches[k];
            int64_t whole = size_of(s, match->model);
            check_match(s, match, found->ids + 14 * k);
            CHECK_EQ(match->inliers, exclusive && match->model == 1 ? 4 : whole);
        }
        bosc_geometric_free(table);
        free(s);
    }
    free_found(found);
}

/* All points of model 1 belong to model 0, which has more votes for every basis: model 1 is found after model 0. */
static void nested(bosc_ctx *ctx)
{
    struct found *found = new_found();
    struct suite_random r = {34};
    struct models *s = new_models(2, BOSC_GEOMETRIC_RIGID);
    s->opts.tolerance = 0.005;
    make_models(&r, s, 2, 14, 0);
    s->offsets[2] = 22;
    memcpy(s->points + 28, s->points, 16 * sizeof *s->points);
    place_model(&r, s, 0, 1, 0, 0);
    bosc_geometric *table = table_of_models(ctx, s);
    find_all(ctx, table, s, 2, found);
    CHECK_EQ(found->count, 2);
    for (int64_t k = 0; k < 2; k++) {
        CHECK_EQ(found->matches[k].model, k);
        check_match(s, &found->matches[k], found->ids + 14 * k);
        CHECK_EQ(found->matches[k].inliers, size_of(s, k));
    }
    bosc_geometric_free(table);
    free(s);
    free_found(found);
}

/* Model 1 is model 0 enlarged: only the lengths of rigid bases distinguish them. */
static void rigid_bases_differ_by_length(bosc_ctx *ctx)
{
    struct found *found = new_found();
    for (int dim = 2; dim <= 3; dim++) {
        struct suite_random r = {35};
        struct models *s = new_models(dim, BOSC_GEOMETRIC_RIGID);
        s->opts.max_bases = 400;
        s->opts.min_fraction = 0.7;
        make_models(&r, s, 2, 10, 0);
        for (int i = 0; i < 10 * dim; i++) s->points[10 * dim + i] = 1.3 * s->points[i];
        place_model(&r, s, 1, 1, 0, 0);
        bosc_geometric *table = table_of_models(ctx, s);
        find_all(ctx, table, s, 2, found);
        check_found(s, found, 1e-6);
        bosc_geometric_free(table);
        free(s);
    }
    free_found(found);
}

/* A mirror image is no similarity in 3-D, and one of another size no rigid motion; both are affine. */
static void other_maps(bosc_ctx *ctx)
{
    static const int64_t wanted[3][2] = {{0, 1}, {1, 1}, {0, 0}}; /* by kind: mirrored, scaled */
    struct found *found = new_found();
    for (int t = 0; t < 6; t++) {
        struct suite_random r = {44};
        struct models *s = new_models(3, (bosc_geometric_kind)(t / 2));
        s->opts.min_fraction = 0.7;
        s->opts.max_bases = 400;
        s->opts.max_trials = 1500;
        make_models(&r, s, 2, 9, 0);
        for (int i = 0; i < 27; i++) s->scene[i] = s->points[i] * (t % 2 ? 1.3 : i % 3 == 2 ? -1 : 1);
        s->m = 9;
        bosc_geometric *table = table_of_models(ctx, s);
        find_all(ctx, table, s, 2, found);
        CHECK_EQ(found->count, wanted[t / 2][t % 2]);
        bosc_geometric_free(table);
        free(s);
    }
    free_found(found);
}

/* Scenes without a model: no points, few points, all points in one place. */
static void poor_scenes(bosc_ctx *ctx)
{
    struct found *found = new_found();
    for (int t = 0; t < 6; t++) {
        struct suite_random r = {55};
        struct models *s = new_models(2 + t % 2, (bosc_geometric_kind)(t / 2));
        bosc_geometric_match match = {.size = sizeof match};
        int64_t ids[16];
        s->opts.max_trials = 200;
        s->opts.min_fraction = 0.9;
        s->opts.instances = t % 3 == 0;
        make_models(&r, s, 3, 8, 2);
        bosc_geometric *table = table_of_models(ctx, s);
        add_others(&r, s, 1, 12);
        /* Growing scenes of random points. */
        for (int64_t m = 0; m <= 12; m += m < 6 ? 1 : 6) {
            s->m = m;
            find_all(ctx, table, s, 3, found);
            CHECK_EQ(found->count, 0);
            CHECK_OK(ctx, bosc_geometric_find(ctx, table, s->scene, m, ids, &match));
            CHECK(match.found == 0 && match.inliers <= m && match.model >= 0 && match.model < 3);
            for (int64_t i = 0; i < largest_of(s) && match.votes == 0; i++) CHECK_EQ(ids[i], -1);
        }
        /* All points in one place. */
        for (int i = 0; i < 36; i++) s->scene[i] = 2;
        find_all(ctx, table, s, 3, found);
        CHECK_EQ(found->count, 0);
        bosc_geometric_free(table);
        free(s);
    }
    free_found(found);
}

/* Points in one place, on a line or in a plane make no basis of two, three or four points. The message names the
 * model, and the table keeps its last build. */
static void flat_models(bosc_ctx *ctx)
{
    for (int t = 0; t < 6; t++) {
        struct suite_random r = {66};
        int dim = 2 + t % 2;
        struct models *s = new_models(dim, (bosc_geometric_kind)(t / 2));
        int corners = dim + (s->opts.kind == BOSC_GEOMETRIC_AFFINE);
        bosc_geometric_info info = {.size = sizeof info};
        s->opts.neighbours = t >= 4 ? 8 : 0;
        make_models(&r, s, 3, 12, 0);
        bosc_geometric *table = table_of_models(ctx, s);
        for (int flat = 0; flat < 3; flat++) { /* the dimensions of model 1 */
            double *model = s->points + dim * s->offsets[1];
            for (int i = 0; i < 12; i++) {
                double u = between(&r, -1, 1), v = between(&r, -1, 1);
                for (int k = 0; k < dim; k++)
                    model[dim * i + k] = 1 + k + (flat > 0 ? u * (k + 1) : 0) + (flat > 1 ? v * (k == 0) : 0);
            }
            bool enough = flat + 1 >= corners;
            CHECK_STATUS(ctx, bosc_geometric_build_models(ctx, table, s->points, s->offsets, 3),
                         enough ? BOSC_OK : BOSC_ERR_DATA);
            if (!enough) CHECK(strstr(bosc_ctx_message(ctx), "points: those of model 1"));
            CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
            CHECK(info.models == 3 && info.bases > 0);
        }
        bosc_geometric_free(table);
        free(s);
    }
}

/* A planar model in space is found in any orientation. */
static void plane_in_space(bosc_ctx *ctx)
{
    struct found *found = new_found();
    struct suite_random r = {77};
    struct models *s = new_models(3, BOSC_GEOMETRIC_SIMILARITY);
    s->opts.min_fraction = 0.7;
    s->opts.max_bases = 400;
    s->opts.max_trials = 1500;
    make_models(&r, s, 2, 10, 0);
    for (int i = 0; i < 10; i++) s->points[3 * i + 2] = 0.5 * s->points[3 * i] + 1;
    place_model(&r, s, 0, 3, 0, 0);
    add_others(&r, s, 3, 6);
    bosc_geometric *table = table_of_models(ctx, s);
    find_all(ctx, table, s, 2, found);
    check_found(s, found, 1e-6);
    bosc_geometric_free(table);
    free(s);
    free_found(found);
}

/* Builds take at most the reported memory, and none after a reserve; a second build and search allocate nothing. */
static void memory(bosc_ctx *ctx)
{
    struct found *found = new_found();
    for (int t = 0; t < 8; t++) {
        if (suite_leaves_out()) continue;
        struct suite_random r = {88};
        struct models *s = new_models(2 + t % 2, (bosc_geometric_kind)(t / 2 % 3));
        int64_t live[2], kept, scratch, before = 0;
        bosc_ctx *own = counted_context(ctx, live);
        bosc_geometric_info info = {.size = sizeof info};
        bosc_ctx_info held = {.size = sizeof held};
        bosc_geometric *table = NULL;
        s->opts.neighbours = t < 4 ? 0 : 9;
        s->opts.max_bases = 200;
        s->opts.max_trials = 60;
        s->opts.exclusive = 1;
        make_models(&r, s, 5, 12, 5);
        place_model(&r, s, 2, 1, 0, 0);
        CHECK_OK(own, bosc_geometric_bytes_models(own, &s->opts, s->offsets, 5, &kept, &scratch));
        CHECK_OK(own, bosc_geometric_create(own, &s->opts, &table));
        if (t % 4 < 2) CHECK_OK(own, bosc_geometric_reserve_models(own, table, s->offsets, 5));
        CHECK_OK(own, bosc_geometric_get_info(own, table, &info));
        if (t % 4 < 2) CHECK_EQ(info.bytes, kept);
        for (int k = 0; k < 4; k++) { /* a table has two copies of its models in host memory */
            CHECK_OK(own, bosc_geometric_build_models(own, table, s->points, s->offsets, 5));
            if (k > 1) CHECK_EQ(counted_allocations(), before);
            CHECK_OK(own, bosc_geometric_get_info(own, table, &info));
            CHECK_OK(own, bosc_ctx_get_info(own, &held));
            CHECK(info.bytes <= kept && (k > 0 || held.scratch_bytes <= scratch + 65536));
            find_all(own, table, s, 3, found);
            if (k > 1) CHECK_EQ(counted_allocations(), before);
            before = counted_allocations();
        }
        CHECK_OK(own,
                 bosc_geometric_reserve_models(own, table, s->offsets, 3)); /* a smaller reserve keeps the models */
        int64_t count = found->count;
        find_all(own, table, s, 3, found);
        CHECK_EQ(found->count, count);
        bosc_geometric_free(table);
        bosc_ctx_free(own);
        CHECK(live[0] == 0 && live[1] == 0);
        free(s);
    }
    free_found(found);
}

/* Ids of 32 bits equal those of 64. */
static void narrow_ids(bosc_ctx *ctx)
{
    struct found *found = new_found();
    struct suite_random r = {99};
    struct models *s = new_models(2, BOSC_GEOMETRIC_SIMILARITY);
    int64_t wide[64];
    make_models(&r, s, 3, 9, 3);
    for (int k = 0; k < 2; k++) place_model(&r, s, 2 * k, 5, 0, 5);
    for (int bits = 64; bits >= 32; bits -= 32) {
        s->opts.id_bits = bits;
        bosc_geometric *table = table_of_models(ctx, s);
        find_all(ctx, table, s, 3, found);
        CHECK_EQ(found->count, 2);
        for (int64_t i = 0; i < 2 * largest_of(s); i++) {
            if (bits == 64)
                wide[i] = found->ids[i];
            else
                CHECK_EQ(((const uint32_t *)(const void *)found->ids)[i], (uint32_t)wide[i]);
        }
        bosc_geometric_free(table);
    }
    free(s);
    free_found(found);
}

static const struct suite_case suite_cases_geometric_scenes[] = {
    {"instances", instances, NULL},
    {"shared points", shared_points, NULL},
    {"other maps", other_maps, NULL},
    {"nested", nested, NULL},
    {"sizes", rigid_bases_differ_by_length, NULL},
    {"poor scenes", poor_scenes, NULL},
    {"flat models", flat_models, NULL},
    {"plane in space", plane_in_space, NULL},
    {"memory", memory, NULL},
    {"ids of 32 bits", narrow_ids, NULL},
};
SUITE(geometric_scenes);
