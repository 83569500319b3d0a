/* The neighbours of atoms in a sample of a crystal that is periodic in two coordinates. */
#include <boscage/boscage.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 10, N = SIDE * SIDE * SIDE, K = 8 };

static double points[N][3], distances[N][K];
static int64_t ids[N][K];

int main(void)
{
    static const double radii[] = {1, 2, INFINITY};
    const double box[3] = {10, 10, 0};
    int64_t pairs[3];
    bosc_kdtree_opts what = {.size = sizeof what, .dtype = BOSC_F64, .dim = 3};
    bosc_kdtree_query_opts how = {.size = sizeof how, .p = 1, .periods = box, .self = 1, .exclude_self = 1};
    bosc_ctx *ctx = NULL;
    bosc_kdtree *tree = NULL;
    for (int i = 0; i < N; i++) {
        points[i][0] = i % SIDE;
        points[i][1] = i / SIDE % SIDE;
        points[i][2] = i / SIDE / SIDE;
    }

    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_kdtree_create(ctx, &what, &tree);
    if (!status) status = bosc_kdtree_build(ctx, tree, points, N, 0);
    if (!status) status = bosc_kdtree_knn_metric(ctx, tree, NULL, N, 0, 8, &how, ids[0], distances[0]);
    how.self = how.exclude_self = 0; /* pairs have no queries */
    if (!status) status = bosc_kdtree_count_pairs(ctx, tree, tree, radii, 3, &how, NULL, NULL, 1, pairs, NULL);
    if (status) fprintf(stderr, "kdtree_periodic: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    int beside = 0;
    for (int k = 0; k < K && !status; k++) beside += distances[0][k] == 1;
    if (!status) printf("the atom in the corner has %d neighbours at distance 1\n", beside);
    if (!status) printf("%lld of %lld pairs are within 2\n", (long long)pairs[1], (long long)pairs[2]);

    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
