#include "core/check.h"

#include <string.h>

bosc_status bi_check_handle(bosc_ctx *ctx, const char *name, const struct bi_memory *memory)
{
    if (!memory) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    if (memory->backend != ctx->backend)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: it is in the memory of the %s backend, the context is of %s", name,
                       memory->backend->name, ctx->backend->name);
    if (memory->device != ctx->memory.device)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: it is on device %d, the context on %d", name, (int)memory->device,
                       (int)ctx->memory.device);
    return BOSC_OK;
}

enum { MOST_ADDED = 4096 /* bytes by which a later version's struct may be larger */ };

bool bi_is_struct_size(size_t size, size_t ours)
{
    return size >= sizeof size && size % sizeof size == 0 && size <= ours + MOST_ADDED;
}

bosc_status bi_check_info(bosc_ctx *ctx, const char *name, const char *type, size_t size, size_t ours)
{
    if (bi_is_struct_size(size, ours)) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: size %zu is not that of %s", name, size, type);
}

bosc_status bi_check_size(bosc_ctx *ctx, const char *name, const char *type, size_t size, size_t ours)
{
    BI_TRY(bi_check_info(ctx, name, type, size, ours));
    if (size <= ours) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: size %zu of %s is a later version's; this one knows %zu bytes", name, size,
                   type, ours);
}

void bi_copy_info(void *info, const void *full, size_t ours)
{
    size_t size;
    memcpy(&size, info, sizeof size);
    memcpy(info, full, size < ours ? size : ours);
    if (size > ours) memset((char *)info + ours, 0, size - ours);
    memcpy(info, &size, sizeof size);
}

bosc_status bi_read_opts(bosc_ctx *ctx, const char *type, const void *opts, void *full, size_t size)
{
    memset(full, 0, size);
    if (opts) {
        size_t opts_size;
        memcpy(&opts_size, opts, sizeof opts_size);
        BI_TRY(bi_check_size(ctx, "opts", type, opts_size, size));
        memcpy(full, opts, opts_size);
    }
    memcpy(full, &size, sizeof size);
    return BOSC_OK;
}

bosc_status bi_check_range(bosc_ctx *ctx, int64_t first, int64_t count)
{
    if (first < 0) return bi_fail(ctx, BOSC_ERR_ARG, "first: %lld is less than 0", (long long)first);
    if (first <= INT64_MAX - count) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "first: %lld and %lld more are beyond all numbers", (long long)first,
                   (long long)count);
}

bosc_status bi_check_aligned(bosc_ctx *ctx, const char *name, const void *array, size_t size)
{
    if ((uintptr_t)array % size == 0) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: not aligned to its elements of %zu bytes", name, size);
}

bosc_status bi_check_batch_sizes(bosc_ctx *ctx, const char *holder, int64_t n, int64_t cloud_count)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (cloud_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "cloud_count: %lld is less than 0", (long long)cloud_count);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; a %s holds less than 2^32 - 1", (long long)n, holder);
    if (cloud_count >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "cloud_count: %lld; a %s holds less than 2^32 - 1 clouds",
                       (long long)cloud_count, holder);
    return BOSC_OK;
}

bosc_status bi_check_batch_offsets(bosc_ctx *ctx, const char *name, int64_t cloud_count, int64_t bad, int64_t last,
                                   int64_t n)
{
    if (cloud_count == 0 && last != 0) bad = 0;
    if (bad != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: they do not ascend from 0 at cloud %lld", name, (long long)bad);
    if (last != n)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: they end with %lld, but there are %lld rows", name, (long long)last,
                       (long long)n);
    return BOSC_OK;
}
