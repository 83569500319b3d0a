#include "core/check.h"

#include <string.h>

#include "core/csr_steps.h"

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

bosc_status bi_check_offsets(bosc_ctx *ctx, bi_step_fn ascending, const int64_t *offsets, int64_t m, int64_t room,
                             int64_t **bad, int64_t *total)
{
    int64_t row = INT64_MAX;
    BI_TRY(bi_scratch(ctx, sizeof row, (void **)bad));
    BI_TRY(ctx->backend->copy(ctx, *bad, &row, sizeof row));
    struct bi_ascending rows = {offsets, *bad};
    if (m > 0) BI_TRY(ascending(ctx, m, &rows));
    BI_TRY(bi_read_back(ctx, &row, *bad, sizeof row));
    BI_TRY(bi_read_back(ctx, total, offsets + m, sizeof *total));
    if (m == 0 && *total != 0) row = 0;
    if (row != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: not ascending from 0 at query %lld", (long long)row);
    if (room < *total)
        return bi_fail(ctx, BOSC_ERR_SPACE, "room: %lld entries, but the answer has %lld", (long long)room,
                       (long long)*total);
    if (*total > INT64_MAX / 16)
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: %lld entries are more than memory can hold", (long long)*total);
    return BOSC_OK;
}

bosc_status bi_check_filled(bosc_ctx *ctx, const int64_t *bad)
{
    int64_t row;
    BI_TRY(bi_read_back(ctx, &row, bad, sizeof row));
    if (row == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "offsets: the row of query %lld is not as long as its answer", (long long)row);
}
