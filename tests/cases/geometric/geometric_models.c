/* Tables of many models in two and three dimensions: models in the scene are found at their positions, others are not,
 * as by a reference that tries all bases; the same bits on every configuration. */
#include "cases/geometric/geometric_models_data.h"
#include "reference/geometric_models.h"

static const bosc_geometric_kind kinds[] = {BOSC_GEOMETRIC_SIMILARITY, BOSC_GEOMETRIC_AFFINE, BOSC_GEOMETRIC_RIGID};

static uint64_t hash_found(const struct models *s, const struct found *found)
{
    uint64_t hash = 0xcbf29ce484222325u;
    const unsigned char *bytes[2] = {(const unsigned char *)found->matches, (const unsigned char *)found->ids};
    size_t sizes[2] = {(size_t)found->count * sizeof *found->matches,
                       (size_t)(found->count * largest_of(s)) * sizeof *found->ids};
    for (int part = 0; part < 2; part++)
        for (size_t i = 0; i < sizes[part]; i++) hash = (hash ^ bytes[part][i]) * 0x100000001b3u;
    return hash;
}

/* Small models in small scenes: the search finds the same as trying all bases. */
static void equals_exhaustive_search(bosc_ctx *ctx)
{
    enum { TRIALS = 18, MODELS = 3, LEAST = 6, SIZE = 7 };
    static bosc_geometric_match wanted[TRIALS][MODELS];
    static int64_t wanted_ids[TRIALS][MODELS][SIZE];
    static bool known[TRIALS];
    struct found *found = new_found();
    for (int t = 0; t < TRIALS; t++) {
        if (suite_leaves_out() || ((suite_slow(ctx) || known[t]) && t % 5)) continue;
        struct suite_random r = {(uint64_t)t + 70};
        /* A scene with 0, 1 or 2 of the models, and other points. */
        struct models *s = new_models(2 + t % 2, kinds[t / 2 % 3]);
        s->opts.min_fraction = 0.8;
        s->opts.max_trials = 20000;
        make_models(&r, s, MODELS, SIZE, 0);
        for (int k = 0; k < t % 3; k++) place_model(&r, s, (t + k) % MODELS, 2, 0.003, 12);
        add_others(&r, s, 2, s->m ? 4 - 2 * (t % 2) : 9);
        bosc_geometric *table = table_of_models(ctx, s);
        find_all(ctx, table, s, MODELS, found);
        check_order(s, found);
        int64_t present = 0;
        for (int64_t k = 0; k < MODELS; k++) {
            /* The exhaustive search is slow: its result is kept for later configurations. */
            bosc_geometric_match *want = &wanted[t][k];
            if (!known[t])
                reference_geometric_search(&s->opts, s->points + s->opts.dim * s->offsets[k], SIZE, s->scene, s->m,
                                           LEAST, wanted_ids[t][k], want);
            present += want->inliers >= LEAST;
        }
        known[t] = true;
        /* Ids are equal; error and transform agree but for rounding. */
        CHECK_EQ(found->count, present);
        for (int64_t k = 0; k < found->count; k++) {
            const bosc_geometric_match *match = &found->matches[k], *want = &wanted[t][match->model];
            check_match(s, match, found->ids + k * SIZE);
            CHECK_EQ(match->inliers, want->inliers);
            CHECK(memcmp(found->ids + k * SIZE, wanted_ids[t][match->model], SIZE * sizeof(int64_t)) == 0);
            CHECK(fabs(match->error - want->error) < 1e-7);
            for (int i = 0; i < 12; i++) CHECK(fabs(match->transform[i] - want->transform[i]) < 1e-6);
        }
        bosc_geometric_free(table);
        free(s);
    }
    free_found(found);
}

/* A scene of models of different sizes, some of them among other points; t determines everything. */
static struct models *placed_models(int t, bool small)
{
    struct suite_random r = {(uint64_t)t + 900};
    bosc_geometric_kind kind = kinds[t / 2 % 3];
    int dim = 2 + t % 2, corners = dim + (kind == BOSC_GEOMETRIC_AFFINE);
    struct models *s = new_models(dim, kind);
    s->opts.neighbours = t >= 6 && t < 12 ? 10 : 0;
    s->opts.max_bases = small ? 300 : 1500;
    s->opts.max_trials = small ? 1500 : 6000;
    s->opts.min_fraction = 0.6;
    s->opts.exclusive = t >= 12;
    make_models(&r, s, small ? 3 : 6, small ? 9 : 11, 6);
    double room = corners >= 4 ? 2 : 5;
    int most = corners >= 4 ? 1 : 3;
    for (int k = 0; k < most; k++) place_model(&r, s, (t + 2 * k) % s->count, room, 0.003, t % 4 ? 12 : 0);
    add_others(&r, s, room, corners >= 4 ? 4 : 12);
    return s;
}

/* The models are found, with the same bits as in the first configuration. */
static void same_bits_everywhere(bosc_ctx *ctx)
{
    enum { TRIALS = 18 };
    static uint64_t hashes[TRIALS][2];
    struct found *found = new_found();
    for (int t = 0; t < 2 * TRIALS; t++) {
        bool small = t % 2;
        uint64_t *first = &hashes[t / 2][small];
        if (small ? !suite_slow(ctx) && *first : suite_slow(ctx) || (*first && t / 2 % 4)) continue;
        if (suite_leaves_out()) continue;
        struct models *s = placed_models(t / 2, small);
        bosc_geometric *table = table_of_models(ctx, s);
        find_all(ctx, table, s, MATCHES_MOST, found);
        check_found(s, found, 0.1);
        uint64_t hash = hash_found(s, found);
        if (!*first) *first = hash;
        CHECK(hash == *first);
        bosc_geometric_free(table);
        free(s);
    }
    free_found(found);
}

/* A table of one model gives the same result by either build and either search. */
static void one_model_by_either_interface(bosc_ctx *ctx)
{
    struct found *found = new_found();
    for (int t = 0; t < 6; t++) {
        struct suite_random r = {(uint64_t)t + 30};
        struct models *s = new_models(2 + t % 2, kinds[t / 2]);
        int64_t ids[2][40];
        bosc_geometric *tables[2] = {NULL};
        bosc_geometric_match matches[2] = {{.size = sizeof *matches}, {.size = sizeof *matches}};
        bosc_geometric_info info[2] = {{.size = sizeof *info}, {.size = sizeof *info}};
        s->opts.max_bases = 600;
        s->opts.max_trials = 3000;
        s->opts.neighbours = t % 3 == 2 ? 8 : 0;
        make_models(&r, s, 1, 14, 0);
        /* One instance of the model, and three other points. */
        place_model(&r, s, 0, 1, 0.002, 0);
        add_others(&r, s, 2, 3);
        /* Two tables: built as one of several models, and as a single one. */
        tables[0] = table_of_models(ctx, s);
        CHECK_OK(ctx, bosc_geometric_create(ctx, &s->opts, &tables[1]));
        CHECK_OK(ctx, bosc_geometric_build(ctx, tables[1], s->points, 14));
        for (int k = 0; k < 2; k++) {
            CHECK_OK(ctx, bosc_geometric_get_info(ctx, tables[k], &info[k]));
            CHECK_OK(ctx, bosc_geometric_find(ctx, tables[k], s->scene, s->m, ids[k], &matches[k]));
        }
        CHECK(memcmp(&info[0], &info[1], sizeof *info) == 0 && info[0].models == 1 && info[0].largest == 14);
        CHECK(info[0].dim == s->opts.dim && info[0].n == 14);
        CHECK(memcmp(&matches[0], &matches[1], sizeof *matches) == 0 && matches[0].found == 1);
        CHECK(memcmp(ids[0], ids[1], 14 * sizeof **ids) == 0);
        /* The search for several models finds the same match. */
        find_all(ctx, tables[0], s, 3, found);
        check_found(s, found, 0.1);
        CHECK(memcmp(&matches[0], found->matches, sizeof *matches) == 0);
        CHECK(memcmp(ids[0], found->ids, 14 * sizeof **ids) == 0);
        for (int k = 0; k < 2; k++) bosc_geometric_free(tables[k]);
        free(s);
    }
    free_found(found);
}

/* Each of several models has the bases that it has in a table of its own. */
static void same_bases(bosc_ctx *ctx)
{
    for (int t = 0; t < 12; t++) {
        struct suite_random r = {(uint64_t)t + 10};
        struct models *s = new_models(2 + t % 2, kinds[t / 2 % 3]);
        int64_t bases = 0, entries = 0;
        bosc_geometric_info info = {.size = sizeof info};
        s->opts.neighbours = t < 6 ? 0 : 8;
        s->opts.max_bases = 60;
        make_models(&r, s, 4, t < 6 ? 6 : 10, 5);
        bosc_geometric *table = table_of_models(ctx, s), *alone = NULL;
        /* Totals over tables of one model each. */
        for (int64_t k = 0; k < s->count; k++) {
            CHECK_OK(ctx, bosc_geometric_create(ctx, &s->opts, &alone));
            CHECK_OK(ctx, bosc_geometric_build(ctx, alone, s->points + s->opts.dim * s->offsets[k], size_of(s, k)));
            CHECK_OK(ctx, bosc_geometric_get_info(ctx, alone, &info));
            bases += info.bases;
            entries += info.entries;
            bosc_geometric_free(alone);
        }
        CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
        CHECK_EQ(info.models, 4);
        CHECK_EQ(info.n, s->offsets[4]);
        CHECK_EQ(info.bases, bases);
        CHECK_EQ(info.entries, entries);
        bosc_geometric_free(table);
        free(s);
    }
}

static double dist2(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* Number of bases of a point and two of its second to fourth neighbours with an angle of at least 20 degrees. */
static int64_t count_triples(const double *points, int64_t n, int64_t p)
{
    int64_t near[3] = {0}, count = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t rank = 0;
        for (int64_t j = 0; j < n; j++)
            rank += j != p && dist2(points + 3 * j, points + 3 * p) < dist2(points + 3 * i, points + 3 * p);
        if (i != p && rank >= 1 && rank < 4) near[rank - 1] = i;
    }
    for (int t = 0; t < 9; t++) {
        const double *b = points + 3 * near[t / 3], *c = points + 3 * near[t % 3], *a = points + 3 * p;
        double first = dist2(a, b), second = dist2(a, c), dot = (first + second - dist2(b, c)) / 2;
        count += t / 3 != t % 3 && first * second - dot * dot > 0.117 * first * second;
    }
    return count;
}

/* Flat bases of three neighbours in space are left out. */
static void flat_triples(bosc_ctx *ctx)
{
    struct suite_random r = {17};
    struct models *s = new_models(3, BOSC_GEOMETRIC_SIMILARITY);
    bosc_geometric_info info = {.size = sizeof info};
    int64_t bases = 0;
    s->opts.neighbours = 8;
    s->opts.max_bases = 1000;
    make_models(&r, s, 2, 60, 0);
    bosc_geometric *table = table_of_models(ctx, s);
    for (int64_t i = 0; i < 120; i++) bases += count_triples(s->points + 180 * (i / 60), 60, i % 60);
    CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
    CHECK_EQ(info.bases, bases);
    CHECK(bases > 0 && bases < 120 * 6);
    bosc_geometric_free(table);
    free(s);
}

/* A thousand models; the scene has four of them. */
static void four_of_a_thousand_models(bosc_ctx *ctx)
{
    static bool done[2];
    struct found *found = new_found();
    for (int t = 0; t < 2 && !suite_slow(ctx); t++) {
        if (done[t]) continue; /* they take seconds */
        done[t] = true;
        struct suite_random r = {(uint64_t)t + 5};
        struct models *s = new_models(2 + t, BOSC_GEOMETRIC_SIMILARITY);
        s->opts.min_fraction = 0.7;
        s->opts.max_bases = t ? 0 : 80;
        s->opts.max_trials = t ? 600 : 1500;
        if (t) s->opts.neighbours = 12;
        make_models(&r, s, 1000, 20, 0);
        for (int k = 0; k < 4; k++) place_model(&r, s, 7 + 199 * k, 7, 0.003, 10);
        add_others(&r, s, 7, 40);
        bosc_geometric *table = table_of_models(ctx, s);
        find_all(ctx, table, s, MATCHES_MOST, found);
        check_found(s, found, 0.05);
        bosc_geometric_free(table);
        free(s);
    }
    free_found(found);
}

/* Axes exchanged in turn are a rotation, and all sums are exact: the table has the same bases. The points are spread
 * along a diagonal of two axes, so that any one product left out of their covariance shows. */
static void exchanged_axes(bosc_ctx *ctx)
{
    enum { N = 16 };
    for (int kind = 0; kind < 3; kind++) {
        struct suite_random r = {(uint64_t)kind + 3};
        const bosc_geometric_opts opts = {.size = sizeof opts, .dim = 3, .kind = (bosc_geometric_kind)kind};
        double points[3 * N], turned[3 * N];
        int64_t bases = -1;
        for (int i = 0; i < N; i++) {
            const double a = (double)suite_below(&r, 1000), b = (double)suite_below(&r, 50);
            points[3 * i] = a - b;
            points[3 * i + 1] = (double)suite_below(&r, 60);
            points[3 * i + 2] = a + b;
        }
        for (int turn = 0; turn < 3; turn++) {
            bosc_geometric *table = NULL;
            bosc_geometric_info info = {.size = sizeof info};
            for (int k = 0; k < 3 * N; k++) turned[k] = points[k / 3 * 3 + (k + turn) % 3];
            CHECK_OK(ctx, bosc_geometric_create(ctx, &opts, &table));
            CHECK_OK(ctx, bosc_geometric_build(ctx, table, turned, N));
            CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
            if (turn > 0) CHECK_EQ(info.bases, bases);
            bases = info.bases;
            bosc_geometric_free(table);
        }
    }
}

static const struct suite_case suite_cases_geometric_models[] = {
    {"exchanged axes", exchanged_axes, NULL}, {"plain version", equals_exhaustive_search, NULL},
    {"placed", same_bits_everywhere, NULL},   {"one model", one_model_by_either_interface, NULL},
    {"same bases", same_bases, NULL},         {"thousand", four_of_a_thousand_models, NULL},
    {"flat triples", flat_triples, NULL},
};
SUITE(geometric_models);
