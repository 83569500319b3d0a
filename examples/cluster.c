/* A synthetic scan of a yard: posts and barrels on the ground, and stray echoes. DBSCAN separates the points above the
 * ground into objects; the example prints the number of points and the height of some. */
#include <boscage/boscage.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 120000, OBJECTS = 24 };

struct object {
    int64_t points;
    float top;
};

/* Makes the scan from uniform numbers (N x 4): half of it is ground, a hundredth stray echoes. Returns the number of
 * points above the ground, which are kept. */
static int64_t make_scan(const float *uniform, float *points)
{
    int64_t kept = 0;
    for (int i = 0; i < N; i++) {
        const float *u = uniform + 4 * i;
        if (u[0] < 0.5f) continue; /* ground */
        const int k = (int)(u[0] * 1e4f) % OBJECTS;
        const float turn = 6.2831853f * u[1], radius = k % 3 ? 0.15f : 0.6f,
                    height = k % 3 ? 3 + 0.1f * (float)k : 1.2f;
        const int stray = u[3] < 0.02f;
        points[3 * kept] = stray ? 60 * u[1] : 10 * (float)(k % 6) + 5 + radius * cosf(turn);
        points[3 * kept + 1] = stray ? 40 * u[2] : 10 * (float)(k / 6) + 5 + radius * sinf(turn);
        points[3 * kept + 2] = stray ? 500 * u[3] : 0.2f + height * u[2];
        kept++;
    }
    return kept;
}

/* Counts the points of each object, and finds its highest one. */
static void measure_objects(const float *points, const int64_t *labels, int64_t n, struct object *objects)
{
    for (int64_t i = 0; i < n; i++) {
        if (labels[i] < 0) continue;
        struct object *o = &objects[labels[i]];
        o->points++;
        o->top = fmaxf(o->top, points[3 * i + 2]);
    }
}

int main(void)
{
    float *uniform = malloc(sizeof *uniform * 4 * N), *points = malloc(sizeof *points * 3 * N);
    int64_t *labels = malloc(sizeof *labels * N), n = 0;
    struct object *objects = calloc(N, sizeof *objects);
    bosc_ctx *ctx = NULL;
    const bosc_dbscan_opts opts = {.size = sizeof opts, .dim = 3};
    bosc_dbscan_info info = {.size = sizeof info};
    const bosc_hdbscan_opts by_density = {.size = sizeof by_density, .dim = 3, .min_cluster_size = 50};
    bosc_hdbscan_info found = {.size = sizeof found};

    bosc_status status = uniform && points && labels && objects ? bosc_ctx_create(NULL, &ctx) : BOSC_ERR_NOMEM;
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 7, N, 4, BOSC_F32, uniform);
    if (!status) n = make_scan(uniform, points);
    /* Points within 0.3 m of at least 8 points, themselves among them, are core. */
    if (!status) status = bosc_dbscan_compute(ctx, points, n, 0, 0.3, 8, &opts, labels, NULL, &info);
    if (!status) {
        measure_objects(points, labels, n, objects);
        printf("%lld points above the ground: %lld objects, %lld stray echoes\n", (long long)n,
               (long long)info.clusters, (long long)info.noise);
        for (int k = 0; k < 3 && k < info.clusters; k++)
            printf("object %d: %lld points, %.1f m high\n", k, (long long)objects[k].points, objects[k].top);
    }
    /* By density no distance is needed: clusters of at least 50 points. */
    if (!status) status = bosc_hdbscan_compute(ctx, points, n, 0, &by_density, labels, NULL, NULL, &found);
    if (!status)
        printf("by HDBSCAN*: %lld objects, %lld stray echoes\n", (long long)found.clusters, (long long)found.noise);
    else
        fprintf(stderr, "%s: %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    bosc_ctx_free(ctx);
    free(uniform);
    free(points);
    free(labels);
    free(objects);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
