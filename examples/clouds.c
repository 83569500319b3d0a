/* One layer of a network on point clouds: of each cloud, centers by farthest point sampling, and the 16 nearest points
 * of each center within a radius. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { CLOUDS = 24, EACH = 2000, N = CLOUDS * EACH, CENTERS = 100, M = CLOUDS * CENTERS, K = 16 };
static const double RADIUS = 0.15;

/* Gathers the centers: they are queries, batched as the clouds are. */
static void gather_centers(const float *points, const int64_t *centers, float *queries)
{
    for (int64_t i = 0; i < M; i++)
        for (int c = 0; c < 3; c++) queries[3 * i + c] = points[3 * centers[i] + c];
}

int main(void)
{
    /* 1. Arrays, and the rows of each cloud. */
    float *points = malloc(sizeof *points * 3 * N), *queries = malloc(sizeof *queries * 3 * M);
    int64_t *centers = malloc(sizeof *centers * M), *groups = malloc(sizeof *groups * M * K);
    int64_t offsets[CLOUDS + 1], sample_offsets[CLOUDS + 1], full = 0;
    bosc_ctx *ctx = NULL;
    bosc_clouds *clouds = NULL;
    bosc_clouds_opts opts = {.size = sizeof opts, .dim = 3, .assume_valid = 1, .max_points = EACH};
    bosc_clouds_queries around = {.size = sizeof around, .points = queries, .count = M, .offsets = sample_offsets};
    for (int c = 0; c <= CLOUDS; c++) {
        offsets[c] = (int64_t)c * EACH;
        sample_offsets[c] = (int64_t)c * CENTERS;
    }

    /* 2. Build, sample, search around the samples. */
    bosc_status status = points && queries && centers && groups ? bosc_ctx_create(NULL, &ctx) : BOSC_ERR_NOMEM;
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, N, 3, BOSC_F32, points);
    if (!status) status = bosc_clouds_create(ctx, &opts, &clouds);
    if (!status) status = bosc_clouds_build(ctx, clouds, points, N, 0, offsets, CLOUDS);
    if (!status) status = bosc_clouds_sample_farthest(ctx, clouds, sample_offsets, M, NULL, centers);
    if (!status) status = bosc_ctx_sync(ctx); /* calls with assume_valid queue */
    if (!status) gather_centers(points, centers, queries);
    if (!status) status = bosc_clouds_knn(ctx, clouds, &around, K, RADIUS, groups, NULL);
    if (!status) status = bosc_ctx_sync(ctx);
    for (int64_t i = 0; i < M && !status; i++) full += groups[i * K + K - 1] >= 0;
    if (!status)
        printf("cloud 1 begins with centers %lld, %lld, %lld\n%lld of %d centers have %d points within %g\n",
               (long long)centers[CENTERS], (long long)centers[CENTERS + 1], (long long)centers[CENTERS + 2],
               (long long)full, M, K, RADIUS);
    if (status) fprintf(stderr, "%s\n", ctx ? bosc_ctx_message(ctx) : bosc_status_text(status));
    bosc_clouds_free(clouds);
    bosc_ctx_free(ctx);
    free(points);
    free(queries);
    free(centers);
    free(groups);
    return status != BOSC_OK;
}
