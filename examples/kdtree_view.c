/* Thins out a point cloud: a point stays if no earlier kept point is closer than a distance. The answer depends on the
 * points before, so no batch of queries finds it: each point visits its neighbours in a loop of this program. (In CUDA
 * kernels the same functions read a tree on the device: kdtree_kernel.cu.) */
#include <boscage/boscage.h>
#include <boscage/device/kdtree.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 100000 };

int main(void)
{
    float(*points)[3] = malloc(sizeof *points * N);
    unsigned char *stays = calloc(N, 1);
    bosc_ctx *ctx = NULL;
    bosc_kdtree *tree = NULL;
    bosc_kdtree_view view;
    bosc_kdtree_opts what = {.size = sizeof what, .dim = 3};
    const double distance = 0.05;

    bosc_status status = points && stays ? bosc_ctx_create(NULL, &ctx) : BOSC_ERR_NOMEM;
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 7, N, 3, BOSC_F32, points);
    if (!status) status = bosc_kdtree_create(ctx, &what, &tree);
    if (!status) status = bosc_kdtree_build(ctx, tree, points, N, 0);
    if (!status) status = bosc_kdtree_get_view(ctx, tree, &view);
    if (status) fprintf(stderr, "kdtree_view: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    /* A point stays if its walk finds no kept point within the distance. */
    int kept = 0;
    for (int i = 0; i < N && !status; i++) {
        bosc_kdtree_walk walk;
        int64_t node;
        bosc_kdtree_walk_begin(&walk, &view, points[i]);
        do node = bosc_kdtree_walk_within(&walk, distance * distance, NULL);
        while (node >= 0 && !stays[bosc_kdtree_id(&view, node)]);
        stays[i] = node < 0;
        kept += stays[i];
    }
    if (!status) printf("%d of %d points stay, no two closer than %g\n", kept, N, distance);

    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
    free(points);
    free(stays);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
