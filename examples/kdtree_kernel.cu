/* Searches a tree in a kernel of this program: each particle of one cloud is pulled to the nearest of another. */
#include <boscage/device/kdtree.h>
#include <boscage/random.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static __global__ void pull(bosc_kdtree_view view, const float *particles, int64_t n, unsigned long long *near)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    double dist2;
    if (i >= n) return;
    if (bosc_kdtree_view_nearest(&view, particles + 3 * i, 0.02 * 0.02, &dist2) >= 0) atomicAdd(near, 1ull);
}

int main()
{
    const int64_t n = 100000;
    const size_t bytes = 3 * n * sizeof(float);
    std::vector<int64_t> ids(n);
    bosc_ctx *ctx = NULL;
    bosc_kdtree *tree = NULL;
    bosc_kdtree_view view;
    void *points = NULL, *particles = NULL, *near = NULL;
    unsigned long long found = 0;
    int64_t expected = 0;
    bosc_ctx_opts where = {};
    where.size = sizeof where;
    where.backend = BOSC_BACKEND_CUDA;
    bosc_kdtree_opts what = {};
    what.size = sizeof what;
    what.dim = 3;

    bosc_status status = bosc_ctx_create(&where, &ctx);
    if (!status) status = bosc_ctx_alloc(ctx, bytes, &points);
    if (!status) status = bosc_ctx_alloc(ctx, bytes, &particles);
    if (!status) status = bosc_ctx_alloc(ctx, sizeof found, &near);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, n, 3, BOSC_F32, points);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 2, n, 3, BOSC_F32, particles);
    if (!status) status = bosc_ctx_copy(ctx, near, &found, sizeof found);
    if (!status) status = bosc_kdtree_create(ctx, &what, &tree);
    if (!status) status = bosc_kdtree_build(ctx, tree, points, n, 0);
    if (!status) status = bosc_kdtree_get_view(ctx, tree, &view);
    if (!status) status = bosc_ctx_sync(ctx); /* the kernel is queued on another stream */
    if (!status) {
        pull<<<(unsigned)((n + 255) / 256), 256>>>(view, (const float *)particles, n, (unsigned long long *)near);
        if (cudaDeviceSynchronize() != cudaSuccess) status = BOSC_ERR_DEVICE;
    }
    if (!status) status = bosc_ctx_copy(ctx, &found, near, sizeof found);
    if (!status) status = bosc_kdtree_knn_within(ctx, tree, particles, n, 0, 1, 0.02, ids.data(), NULL);
    if (!status) status = bosc_ctx_sync(ctx);
    for (int64_t i = 0; i < n && !status; i++) expected += ids[i] >= 0;
    if (status) fprintf(stderr, "kdtree_kernel: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    if (!status) printf("%llu particles are pulled; the library says %lld\n", found, (long long)expected);

    if (ctx) bosc_ctx_release(ctx, points, bytes);
    if (ctx) bosc_ctx_release(ctx, particles, bytes);
    if (ctx) bosc_ctx_release(ctx, near, sizeof found);
    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
    return status || found != (unsigned long long)expected ? EXIT_FAILURE : EXIT_SUCCESS;
}
