/* Cleans a scanned point cloud: points whose neighbours are far away are noise. The tree is then rebuilt in place from
 * the points that stay, and the surface around a probe is listed. */
#include <boscage/boscage.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SURFACE = 20000, NOISE = 200, N = SURFACE + NOISE, DIM = 3, K = 9 /* a point itself and 8 neighbours */ };

static float points[N][DIM], dist2[N][K];
static int64_t ids[N][K];

/* A sheet z = x * y over the unit square, and points anywhere in the cube. */
static bosc_status scan(bosc_ctx *ctx)
{
    bosc_status status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, N, DIM, BOSC_F32, points);
    for (int i = 0; i < SURFACE && !status; i++) points[i][2] = points[i][0] * points[i][1];
    return status;
}

/* Keeps the points whose mean distance to their neighbours is usual; returns their number. */
static int64_t keep_surface(void)
{
    static double mean[N];
    double sum = 0, squares = 0;
    int64_t kept = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 1; k < K; k++) mean[i] += sqrt((double)dist2[i][k]) / (K - 1);
        sum += mean[i];
        squares += mean[i] * mean[i];
    }
    double average = sum / N, deviation = sqrt(squares / N - average * average);
    for (int i = 0; i < N; i++) {
        if (mean[i] > average + 2 * deviation) continue;
        for (int c = 0; c < DIM; c++) points[kept][c] = points[i][c];
        kept++;
    }
    return kept;
}

/* Lists the points near a probe. The first call gives the offsets; the last one is the array size for the second. */
static bosc_status list_near(bosc_ctx *ctx, const bosc_kdtree *tree, const float probe[DIM], double radius)
{
    int64_t offsets[2], *near = NULL;
    bosc_status status = bosc_kdtree_radius(ctx, tree, probe, 1, 0, radius, offsets, NULL, NULL, 0);
    if (status) return status;
    near = malloc((size_t)(offsets[1] + 1) * sizeof *near);
    if (!near) return BOSC_ERR_NOMEM;
    status = bosc_kdtree_radius(ctx, tree, probe, 1, 0, radius, offsets, near, NULL, offsets[1]);
    if (!status) printf("%lld points within %g of the probe\n", (long long)offsets[1], radius);
    free(near);
    return status;
}

int main(void)
{
    static const float probe[DIM] = {0.5f, 0.5f, 0.25f};
    bosc_ctx_opts where = {.size = sizeof where, .backend = BOSC_BACKEND_AUTO}; /* CUDA where it is, else the CPU */
    bosc_kdtree_opts what = {.size = sizeof what, .dtype = BOSC_F32, .dim = DIM};
    bosc_ctx *ctx = NULL;
    bosc_kdtree *tree = NULL;
    int64_t kept = 0;

    bosc_status status = bosc_ctx_create(&where, &ctx);
    if (!status) status = scan(ctx);
    if (!status) status = bosc_kdtree_create(ctx, &what, &tree);
    if (!status) status = bosc_kdtree_build(ctx, tree, points, N, 0);
    if (!status) status = bosc_kdtree_knn_self(ctx, tree, K, ids, dist2);
    if (!status) kept = keep_surface();
    if (!status) status = bosc_kdtree_build(ctx, tree, points, kept, 0); /* in place: nothing is allocated */
    if (!status) printf("%lld of %d points kept\n", (long long)kept, (int)N);
    if (!status) status = list_near(ctx, tree, probe, 0.05);
    if (status) fprintf(stderr, "kdtree: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
