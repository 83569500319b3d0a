/* Parts of a mesh: their triangles equal those of the whole, with its vertices and normals to the bit; all tiles
 * together are a closed surface. */
#include "cases/planet/planet_data.h"

enum { W = 64, H = 32 };

/* Part after part, whose corners are found again by their bits alone. */
struct soup {
    double (*corners)[3]; /* 3 a triangle */
    int64_t triangles;
};

static int by_bits(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(double)); }

/* True if the triangles form a sphere when corners of equal bits count as one vertex. */
static bool is_sphere(const struct soup *s, int64_t vertices)
{
    const int64_t n = 3 * s->triangles;
    int64_t unique = 0;
    double(*sorted)[3] = suite_alloc((size_t)n * sizeof *sorted);
    uint32_t *triangles = suite_alloc((size_t)n * sizeof *triangles);
    memcpy(sorted, s->corners, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_bits);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || by_bits(sorted[unique - 1], sorted[i]) != 0) memmove(sorted[unique++], sorted[i], sizeof *sorted);
    for (int64_t i = 0; i < n; i++) {
        const double(*found)[3] = bsearch(s->corners[i], sorted, (size_t)unique, sizeof *sorted, by_bits);
        triangles[i] = (uint32_t)(found - (const double(*)[3])sorted);
    }
    const bool sphere = unique == vertices && reference_mesh_is_sphere(triangles, s->triangles, unique);
    free(sorted);
    free(triangles);
    return sphere;
}

/* The triangles from `first` on are those of the whole mesh; the part has each vertex once. */
static void check_part(bosc_ctx *ctx, const bosc_planet *planet, const struct planet_mesh *whole, int64_t first,
                       int64_t count, struct soup *soup)
{
    int64_t counts[2] = {-1, -1}, used = 0;
    /* 1. Query the sizes, then copy the part. */
    CHECK_OK(ctx, bosc_planet_get_part(ctx, planet, first, count, whole->origin, NULL, NULL, NULL, 0, NULL, 0, counts));
    CHECK(counts[1] == count && counts[0] <= 3 * count && (counts[0] > 2 || count == 0));
    const size_t v = (size_t)counts[0], t = (size_t)count;
    float *vertices = suite_alloc(v * 12 + 1), *normals = suite_alloc(v * 12 + 1);
    double *positions = suite_alloc(v * 24 + 1);
    uint32_t *triangles = suite_alloc(t * 12 + 1), *same = suite_alloc(v * 4 + 1);
    int64_t *back = suite_alloc((size_t)whole->counts[0] * sizeof *back);
    CHECK_OK(ctx, bosc_planet_get_part(ctx, planet, first, count, whole->origin, vertices, positions, normals,
                                       counts[0], triangles, count, counts));
    /* 2. Vertices of the part and of the whole correspond one to one, with equal bits. */
    memset(same, 0xff, v * 4);
    memset(back, 0xff, (size_t)whole->counts[0] * sizeof *back);
    for (int64_t i = 0; i < 3 * count; i++) {
        const uint32_t part = triangles[i], all = whole->triangles[3 * first + i];
        CHECK(part < counts[0]);
        used += same[part] == UINT32_MAX;
        CHECK(same[part] == UINT32_MAX || same[part] == all);
        CHECK(back[all] < 0 || back[all] == part);
        same[part] = all;
        back[all] = part;
        CHECK(memcmp(positions + 3 * (size_t)part, whole->positions + 3 * (size_t)all, 24) == 0);
        CHECK(memcmp(vertices + 3 * (size_t)part, whole->vertices + 3 * (size_t)all, 12) == 0);
        CHECK(memcmp(normals + 3 * (size_t)part, whole->normals + 3 * (size_t)all, 12) == 0);
        if (soup) memcpy(soup->corners[3 * soup->triangles + i], positions + 3 * (size_t)part, 24);
    }
    /* 3. The part has no unused vertex. */
    CHECK_EQ(used, counts[0]);
    if (soup) soup->triangles += count;
    free(vertices);
    free(normals);
    free(positions);
    free(triangles);
    free(same);
    free(back);
}

/* The triangles of tile k of a level lie in it, or begin with it if they are larger. */
static void check_tile(const uint64_t *nodes, const int64_t *first, int32_t level, int64_t k)
{
    for (int64_t t = first[k]; t < first[k + 1]; t++) {
        int32_t of = 0;
        while (nodes[t] >> of >= 16) of++; /* 8 to 15 are the roots */
        const uint64_t tile = of >= level ? nodes[t] >> (of - level) : nodes[t] << (level - of);
        CHECK_EQ(tile, ((uint64_t)8 << level) + (uint64_t)k);
    }
}

static void check_tiles(bosc_ctx *ctx, const bosc_planet *planet, int32_t level)
{
    const int64_t tiles = (int64_t)8 << level;
    int64_t *first = suite_alloc((size_t)(tiles + 1) * sizeof *first);
    struct planet_mesh whole = planet_mesh_get(ctx, planet, level % 2 ? (const double[3]){6e6, 1, 2e6} : NULL);
    uint64_t *nodes = suite_alloc((size_t)whole.counts[1] * sizeof *nodes);
    struct soup soup = {suite_alloc((size_t)whole.counts[1] * 3 * sizeof *soup.corners), 0};
    CHECK_OK(ctx, bosc_planet_get_tiles(ctx, planet, level, first, tiles + 1));
    CHECK_OK(ctx, bosc_bisectors_decode(ctx, bosc_planet_get_pool(planet), 0, whole.counts[1], nodes));
    CHECK(first[0] == 0 && first[tiles] == whole.counts[1]);
    for (int64_t k = 0; k < tiles; k++) {
        CHECK(first[k] <= first[k + 1]);
        check_tile(nodes, first, level, k);
        check_part(ctx, planet, &whole, first[k], first[k + 1] - first[k], &soup);
    }
    CHECK(soup.triangles == whole.counts[1] && is_sphere(&soup, whole.counts[0]));
    planet_mesh_release(&whole);
    free(soup.corners);
    free(first);
    free(nodes);
}

static void tiles(bosc_ctx *ctx)
{
    float *heights = planet_heights(W, H, 4);
    const bosc_planet_opts opts = {.size = sizeof opts, .detail_amplitude = 100, .detail_octaves = 2};
    bosc_planet *planet = planet_make(ctx, &opts, heights, W, H);
    bosc_planet_goal goal = {.size = sizeof goal, .error = suite_slow(ctx) ? 400000 : 30000};
    bosc_planet_camera camera = {.fov = 1, .pixels = 60, .width = 640, .height = 480};
    for (int32_t level = 0; level < 4; level++) check_tiles(ctx, planet, level);
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    for (int32_t level = 0; level < (suite_slow(ctx) ? 3 : 6); level++) check_tiles(ctx, planet, level);
    CHECK_OK(ctx, bosc_planet_place(ctx, planet, 47, 8, 1e4, 0, -60, &camera));
    goal = (bosc_planet_goal){.size = sizeof goal, .camera = &camera};
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    for (int32_t level = 1; level < (suite_slow(ctx) ? 2 : 7); level += 2) check_tiles(ctx, planet, level);
    bosc_planet_free(planet);
    free(heights);
}

/* Random runs of triangles, which may also touch in points or be disconnected. */
static void runs(bosc_ctx *ctx)
{
    struct suite_random r = {11};
    float *heights = planet_heights(W, H, 5);
    bosc_planet *planet = planet_make(ctx, NULL, heights, W, H);
    const bosc_planet_goal goal = {.size = sizeof goal, .triangles = suite_slow(ctx) ? 100 : 1500};
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    struct planet_mesh whole = planet_mesh_get(ctx, planet, NULL);
    const int64_t n = whole.counts[1];
    for (int trial = 0; trial < (suite_slow(ctx) ? 20 : 60); trial++) {
        const int64_t first = (int64_t)suite_below(&r, (uint32_t)n),
                      count = trial % 3 ? (int64_t)suite_below(&r, (uint32_t)(n - first + 1)) : trial / 3 % 2;
        check_part(ctx, planet, &whole, first, count, NULL);
    }
    check_part(ctx, planet, &whole, 0, n, NULL);
    check_part(ctx, planet, &whole, n, 0, NULL);
    planet_mesh_release(&whole);
    bosc_planet_free(planet);
    free(heights);
}

static void arguments(bosc_ctx *ctx)
{
    const float heights[2] = {1, 2};
    const bosc_planet_opts opts = {.size = sizeof opts, .depth = 20};
    bosc_planet *p = planet_make(ctx, &opts, heights, 2, 1), *bare = NULL;
    float out[60];
    double origin[3] = {0, INFINITY, 0};
    uint32_t triangles[60];
    int64_t counts[2] = {7, 7}, first[20] = {5};
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &bare));
#define PART(p, f, n, o, v, vs, t, ts, c) bosc_planet_get_part(ctx, p, f, n, o, v, NULL, NULL, vs, t, ts, c)
    CHECK_EQ(bosc_planet_get_part(NULL, p, 0, 8, NULL, out, NULL, NULL, 6, NULL, 0, counts), BOSC_ERR_ARG);
    CHECK_ARG(ctx, PART(NULL, 0, 8, NULL, out, 6, NULL, 0, counts), "planet");
    CHECK_ARG(ctx, PART(bare, 0, 8, NULL, out, 6, NULL, 0, counts), "planet");
    CHECK_ARG(ctx, PART(p, -1, 8, NULL, out, 6, NULL, 0, counts), "first");
    CHECK_ARG(ctx, PART(p, 9, 0, NULL, out, 6, NULL, 0, counts), "first");
    CHECK_ARG(ctx, PART(p, 0, -1, NULL, out, 6, NULL, 0, counts), "count");
    CHECK_ARG(ctx, PART(p, 1, 8, NULL, out, 6, NULL, 0, counts), "count");
    CHECK_ARG(ctx, PART(p, 8, INT64_MAX, NULL, out, 6, NULL, 0, counts), "count");
    CHECK_ARG(ctx, PART(p, 0, 8, origin, out, 6, NULL, 0, counts), "origin");
    CHECK_ARG(ctx, PART(p, 0, 8, NULL, out, -1, NULL, 0, counts), "vertex_capacity");
    CHECK_ARG(ctx, PART(p, 0, 8, NULL, (float *)((char *)out + 1), 6, NULL, 0, counts), "vertices");
    CHECK_ARG(ctx, PART(p, 0, 8, NULL, NULL, 0, triangles, -1, counts), "triangle_capacity");
    CHECK_ARG(ctx, PART(p, 0, 8, NULL, out, 6, NULL, 0, NULL), "counts");
    CHECK(counts[0] == 7 && counts[1] == 7);
    triangles[0] = 99;
    CHECK_STATUS(ctx, PART(p, 2, 1, NULL, out, 2, triangles, 1, counts), BOSC_ERR_SPACE);
    CHECK(counts[0] == 3 && counts[1] == 1 && triangles[0] == 99);
    CHECK_STATUS(ctx, PART(p, 2, 2, NULL, NULL, 0, triangles, 1, counts), BOSC_ERR_SPACE);
    CHECK(counts[0] == 4 && counts[1] == 2);
    CHECK_EQ(bosc_planet_get_tiles(NULL, p, 0, first, 9), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_get_tiles(ctx, NULL, 0, first, 9), "planet");
    CHECK_ARG(ctx, bosc_planet_get_tiles(ctx, bare, 0, first, 9), "planet");
    CHECK_ARG(ctx, bosc_planet_get_tiles(ctx, p, -1, first, 9), "level");
    CHECK_ARG(ctx, bosc_planet_get_tiles(ctx, p, 21, first, 9), "level");
    CHECK_ARG(ctx, bosc_planet_get_tiles(ctx, p, 0, NULL, 9), "first");
    CHECK_ARG(ctx, bosc_planet_get_tiles(ctx, p, 0, (int64_t *)((char *)first + 4), 9), "first");
    CHECK_ARG(ctx, bosc_planet_get_tiles(ctx, p, 0, first, -1), "first_capacity");
    CHECK_STATUS(ctx, bosc_planet_get_tiles(ctx, p, 0, first, 8), BOSC_ERR_SPACE);
    CHECK_STATUS(ctx, bosc_planet_get_tiles(ctx, p, 20, first, 9), BOSC_ERR_SPACE);
    CHECK_EQ(first[0], 5);
    CHECK_OK(ctx, bosc_planet_get_tiles(ctx, p, 0, first, 9));
    for (int64_t k = 0; k < 9; k++) CHECK_EQ(first[k], k);
    CHECK_OK(ctx, bosc_planet_get_tiles(ctx, p, 1, first, 20)); /* roots belong to the first of two tiles */
    for (int64_t k = 0; k < 17; k++) CHECK_EQ(first[k], (k + 1) / 2);
    bosc_planet_free(p);
    bosc_planet_free(bare);
}

static const struct suite_case suite_cases_planet_parts[] = {
    {"tiles", tiles, NULL}, {"runs", runs, NULL}, {"arguments", arguments, NULL}};
SUITE(planet_parts);
