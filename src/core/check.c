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

bosc_status bi_check_size(bosc_ctx *ctx, const char *name, const char *type, size_t size, size_t ours)
{
    if (size >= sizeof(size_t) && size <= ours) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: size %zu is not that of %s", name, size, type);
}

bosc_status bi_take_opts(bosc_ctx *ctx, const char *type, const void *opts, void *full, size_t size)
{
    memset(full, 0, size);
    if (opts) {
        size_t given;
        memcpy(&given, opts, sizeof given);
        BI_TRY(bi_check_size(ctx, "opts", type, given, size));
        memcpy(full, opts, given);
    }
    memcpy(full, &size, sizeof size);
    return BOSC_OK;
}

bosc_status bi_check_aligned(bosc_ctx *ctx, const char *name, const void *array, size_t size)
{
    if ((uintptr_t)array % size == 0) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: not aligned to its elements of %zu bytes", name, size);
}
