/* Clusters of points in the plane: their Euclidean minimum spanning tree without its longest edges, and the same groups
 * as connected components of a graph. See docs/guide/forest.md. */
#include <boscage/boscage.h>

#include <stdio.h>

enum { N = 3000, GROUPS = 3 };

static int fail(bosc_ctx *ctx)
{
    fprintf(stderr, "forest: %s\n", bosc_ctx_message(ctx));
    return 1;
}

/* Three squares of points, far from each other. */
static void make_points(float *xy)
{
    uint32_t state = 1;
    for (int i = 0; i < 2 * N; i++) {
        state = state * 1664525u + 1013904223u;
        xy[i] = (float)(state >> 8) / (1 << 24) + (float)(10 * (i / 2 % GROUPS));
    }
}

int main(void)
{
    static float xy[2 * N], dist2[N - 1], limit = 1;
    static int64_t pairs[N - 1][2], u[N - 1], v[N - 1], forest[N - 1], labels[N], count;
    bosc_ctx *ctx;
    bosc_graph *graph;
    bosc_emst_opts emst = {.size = sizeof emst, .dtype = BOSC_F32, .dim = 2};
    bosc_graph_opts weights = {.size = sizeof weights, .weight = BOSC_F32};
    bosc_msf_opts opts = {.size = sizeof opts, .limit = &limit};
    bosc_msf_info info = {.size = sizeof info};
    make_points(xy);
    if (bosc_ctx_create(NULL, &ctx) != BOSC_OK) return 1;
    if (bosc_emst_compute(ctx, xy, N, 0, &emst, pairs, dist2) != BOSC_OK) return fail(ctx);

    /* The components of the tree's edges of squared length at most `limit`. */
    for (int i = 0; i < N - 1; i++) {
        u[i] = pairs[i][0];
        v[i] = pairs[i][1];
    }
    if (bosc_components_compute_edges(ctx, &weights, &opts, u, v, dist2, N, N - 1, labels, &count) != BOSC_OK)
        return fail(ctx);
    printf("%lld clusters of %d points\n", (long long)count, N);

    /* The tree is its own minimum spanning forest, and that can be proved. */
    if (bosc_graph_create(ctx, &weights, &graph) != BOSC_OK) return fail(ctx);
    if (bosc_graph_build(ctx, graph, u, v, dist2, N, N - 1) != BOSC_OK) return fail(ctx);
    if (bosc_msf_compute(ctx, graph, NULL, forest, NULL, &info) != BOSC_OK) return fail(ctx);
    if (bosc_msf_verify(ctx, graph, NULL, forest, info.edges, NULL) != BOSC_OK) return fail(ctx);
    printf("%lld edges, %lld tree, sum of squared lengths %.3f, proved minimum\n", (long long)info.edges,
           (long long)info.trees, info.weight);
    bosc_graph_free(graph);
    bosc_ctx_free(ctx);
    return 0;
}
