/* A program that uses an installed libboscage, compiled as C and as C++: builds a tree of a small grid and asks it for
 * the nearest point. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <string.h>

enum { SIDE = 10, N = SIDE * SIDE };

static int failed(const char *what)
{
    fprintf(stderr, "consumer: %s\n", what);
    return 1;
}

/* The id of the point nearest to (7.2, 3.1), or -1. */
static int64_t nearest(bosc_ctx *ctx)
{
    float points[N][2];
    const float query[2] = {7.2f, 3.1f};
    int64_t id = -1;
    bosc_kdtree *tree = NULL;
    bosc_kdtree_opts opts;
    memset(&opts, 0, sizeof opts);
    opts.size = sizeof opts;
    opts.dim = 2;
    for (int i = 0; i < N; i++) {
        points[i][0] = (float)(i % SIDE);
        points[i][1] = (float)(i / SIDE);
    }
    if (bosc_kdtree_create(ctx, &opts, &tree) == BOSC_OK && bosc_kdtree_build(ctx, tree, points, N, 0) == BOSC_OK)
        (void)bosc_kdtree_knn(ctx, tree, query, 1, 0, 1, &id, NULL);
    bosc_kdtree_free(tree);
    return id;
}

int main(void)
{
    bosc_ctx *ctx = NULL;
    if (strcmp(bosc_version(), BOSC_VERSION_STRING) != 0) return failed("library and headers differ");
    if (bosc_ctx_create(NULL, &ctx) != BOSC_OK) return failed("no context");
    int64_t id = nearest(ctx);
    bosc_ctx_free(ctx);
    if (id != 37) return failed("the nearest point is another one");
    if (bosc_device_count() == 0 && bosc_backend_reason(BOSC_BACKEND_CUDA)[0] == '\0')
        return failed("no CUDA device and no reason given");
    printf("boscage %s; CUDA: %s\n", bosc_version(),
           bosc_device_count() > 0 ? "yes" : bosc_backend_reason(BOSC_BACKEND_CUDA));
    return 0;
}
