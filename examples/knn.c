/* Builds a k-d tree of a million points and finds the three nearest to each of four queries. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000000, DIM = 3, M = 4, K = 3 };

int main(void)
{
    static const float queries[M][DIM] = {{0.5f, 0.5f, 0.5f}, {0, 0, 0}, {1, 0, 1}, {0.25f, 0.75f, 0.5f}};
    int64_t ids[M][K];
    float dist2[M][K];
    float *points = malloc(sizeof(float) * N * DIM);
    bosc_ctx *ctx = NULL;
    bosc_kdtree *tree = NULL;
    bosc_ctx_opts where = {.size = sizeof where, .backend = BOSC_BACKEND_AUTO}; /* CUDA where it is, else the CPU */
    bosc_kdtree_opts what = {.size = sizeof what, .dtype = BOSC_F32, .dim = DIM};

    bosc_status status = points ? bosc_ctx_create(&where, &ctx) : BOSC_ERR_NOMEM;
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, N, DIM, BOSC_F32, points);
    if (!status) status = bosc_kdtree_create(ctx, &what, &tree);
    if (!status) status = bosc_kdtree_build(ctx, tree, points, N, 0); /* again and again: nothing more is allocated */
    if (!status) status = bosc_kdtree_knn(ctx, tree, queries, M, 0, K, ids, dist2);
    if (status) fprintf(stderr, "knn: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    for (int q = 0; q < M && !status; q++)
        for (int k = 0; k < K; k++)
            printf("query %d: point %lld, squared distance %g\n", q, (long long)ids[q][k], (double)dist2[q][k]);

    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
    free(points);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
