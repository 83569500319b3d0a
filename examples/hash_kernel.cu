/* Looks up keys in a kernel of this program: joins two columns and sums the matches, in one pass. */
#include <boscage/context.h>
#include <boscage/device/hash.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static __global__ void join_sum(bosc_hash_view view, const uint32_t *keys, int64_t n, unsigned long long *sum)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    bosc_hash_word key = {keys[i], 0};
    int64_t slot = bosc_hash_look_up(&view, key);
    if (slot < 0) return;
    atomicAdd(sum, (unsigned long long)*(const uint32_t *)bosc_hash_value_at(&view, slot));
}

int main()
{
    const int64_t n = 1000000, m = 3000000;
    std::vector<uint32_t> keys(n), prices(n), orders(m);
    for (int64_t i = 0; i < n; i++) keys[i] = (uint32_t)(7 * i), prices[i] = (uint32_t)(i % 100);
    for (int64_t i = 0; i < m; i++) orders[i] = (uint32_t)i;

    bosc_ctx *ctx = NULL;
    bosc_hash *table = NULL;
    bosc_hash_view view;
    void *on_device = NULL, *sum = NULL;
    unsigned long long total = 0;
    bosc_ctx_opts where = {};
    where.size = sizeof where;
    where.backend = BOSC_BACKEND_CUDA;
    bosc_hash_opts what = {};
    what.size = sizeof what;
    what.layout = BOSC_HASH_BUCKETED; /* its view is a bosc_hash_view */
    what.value_size = sizeof(uint32_t);

    bosc_status status = bosc_ctx_create(&where, &ctx);
    if (!status) status = bosc_hash_create(ctx, &what, &table);
    if (!status) status = bosc_hash_build(ctx, table, keys.data(), prices.data(), n);
    if (!status) status = bosc_hash_get_view(ctx, table, &view);
    if (!status) status = bosc_ctx_alloc(ctx, m * sizeof(uint32_t), &on_device);
    if (!status) status = bosc_ctx_alloc(ctx, sizeof total, &sum);
    if (!status) status = bosc_ctx_copy(ctx, on_device, orders.data(), m * sizeof(uint32_t));
    if (!status) status = bosc_ctx_copy(ctx, sum, &total, sizeof total);
    if (!status) status = bosc_ctx_sync(ctx); /* the kernel is queued on another stream */
    if (!status) {
        join_sum<<<(unsigned)((m + 255) / 256), 256>>>(view, (const uint32_t *)on_device, m, (unsigned long long *)sum);
        if (cudaDeviceSynchronize() != cudaSuccess) status = BOSC_ERR_DEVICE;
    }
    if (!status) status = bosc_ctx_copy(ctx, &total, sum, sizeof total);
    if (!status) status = bosc_ctx_sync(ctx);
    if (status) fprintf(stderr, "hash_kernel: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    if (!status) printf("sum of the prices: %llu\n", total);

    if (ctx) bosc_ctx_release(ctx, on_device, m * sizeof(uint32_t));
    if (ctx) bosc_ctx_release(ctx, sum, sizeof total);
    bosc_hash_free(table);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
