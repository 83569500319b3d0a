/* The front door of hash tables: options, handles, and what a table tells about itself. */
#include <string.h>

#include "base/bits.h"
#include "core/call.h"
#include "hash/drivers.h"

int64_t bi_hash_alignment(int64_t bytes) { return bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1; }

bosc_status bi_hash_check_table(bosc_ctx *ctx, const bosc_hash *table)
{
    return bi_check_handle(ctx, "table", table ? &table->memory : NULL);
}

bosc_status bi_hash_check_n(bosc_ctx *ctx, const char *name, int64_t n)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", name, (long long)n);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld pairs; a table holds less than 2^32 - 1", name, (long long)n);
    return BOSC_OK;
}

bosc_status bi_hash_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t n, int64_t bytes,
                                int64_t alignment)
{
    if (n > 0 && bytes > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    if (bytes > 0 && n > INT64_MAX / 4 / bytes)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld of %lld bytes are more than memory can hold", name, (long long)n,
                       (long long)bytes);
    if ((uintptr_t)array % (uintptr_t)alignment != 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: not aligned to %lld bytes", name, (long long)alignment);
    return BOSC_OK;
}

static bosc_status check_values(bosc_ctx *ctx, const bosc_hash_opts *o)
{
    if (o->value_size < 0 || o->value_size > 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: value_size %d is not in 0 to 64", (int)o->value_size);
    if (o->duplicates < BOSC_HASH_LAST || o->duplicates > BOSC_HASH_ERROR)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: duplicates %d is none of them", (int)o->duplicates);
    if (o->kind == BOSC_HASH_MULTIMAP && o->duplicates != BOSC_HASH_LAST)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: duplicates %d for a multimap, which keeps all", (int)o->duplicates);
    if (o->kind == BOSC_HASH_MULTIMAP && o->counted)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: counted is for maps; a multimap counts as it is");
    if (o->duplicates != BOSC_HASH_SUM && o->duplicates != BOSC_HASH_MIN) return BOSC_OK;
    if (o->value_dtype < BOSC_F32 || o->value_dtype > BOSC_U64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: value_dtype %d is none that can be added and compared",
                       (int)o->value_dtype);
    if (bosc_dtype_size(o->value_dtype) != (size_t)o->value_size)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: value_size %d is not that of %s", (int)o->value_size,
                       bosc_dtype_name(o->value_dtype));
    return BOSC_OK;
}

static bosc_status check_layout(bosc_ctx *ctx, bosc_hash_opts *o, const struct bi_hash_layout **layout)
{
    if (o->layout < BOSC_HASH_BUCKETED || o->layout > BOSC_HASH_FKS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: layout %d is none", (int)o->layout);
    *layout = o->layout == BOSC_HASH_BUCKETED ? &bi_hash_bucketed : &bi_hash_placed;
    double own = o->layout == BOSC_HASH_HYBRID ? 0.71 : o->layout == BOSC_HASH_FKS ? 0.25 : 0;
    if (o->load == 0) o->load = own > 0 ? own : 0.8;
    if (own > 0 ? o->load == own : o->load >= 0.5 && o->load <= 0.97) return BOSC_OK;
    if (own > 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: load %g, but this layout has its own, %g", o->load, own);
    return bi_fail(ctx, BOSC_ERR_ARG, "opts: load %g is not in 0.5 to 0.97", o->load);
}

bosc_status bi_hash_check_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full,
                               const struct bi_hash_layout **layout)
{
    BI_TRY(bi_take_opts(ctx, "bosc_hash_opts", opts, full, sizeof *full));
    full->counted = full->counted != 0;
    if (full->key_bits == 0) full->key_bits = 32;
    if (full->key_bits != 32 && full->key_bits != 64 && full->key_bits != 128)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: key_bits %d is none of 32, 64, 128", (int)full->key_bits);
    if (full->kind != BOSC_HASH_MAP && full->kind != BOSC_HASH_MULTIMAP)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: kind %d is neither MAP nor MULTIMAP", (int)full->kind);
    if (full->reserved) return bi_fail(ctx, BOSC_ERR_ARG, "opts: reserved is not 0");
    BI_TRY(check_layout(ctx, full, layout));
    return check_values(ctx, full);
}

struct bi_hash_shape bi_hash_shape_of(const bosc_hash_opts *o)
{
    struct bi_hash_shape s = {
        .key_bits = o->key_bits, .key_bytes = o->key_bits / 8, .part_bits = 1, .load = o->load, .seed = o->seed};
    s.value_bytes = o->kind == BOSC_HASH_MULTIMAP ? 8 : o->value_size + (o->counted ? 4 : 0);
    uint64_t pair = (uint64_t)s.key_bytes + (uint64_t)s.value_bytes;
    s.stride = (int32_t)bi_round_up(BOSC_HASH_WIDTH * pair, o->key_bits == 32 ? 4 : 8);
    return s;
}

bosc_status bi_hash_new(bosc_ctx *ctx, const bosc_hash_opts *full, const struct bi_hash_layout *layout,
                        bosc_hash **table)
{
    bosc_hash *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_hash){.ops = ctx->ops->hash,
                         .layout = layout,
                         .memory = ctx->memory,
                         .host = ctx->host,
                         .opts = *full,
                         .shape = bi_hash_shape_of(full)};
    *table = fresh;
    return BOSC_OK;
}

bosc_status bosc_hash_create(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash **table)
{
    bosc_hash_opts full;
    const struct bi_hash_layout *layout = NULL;
    bosc_hash *fresh;
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_opts(ctx, opts, &full, &layout));
    if (!table) return bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
    BI_TRY(bi_hash_new(ctx, &full, layout, &fresh));
    *table = fresh;
    return BOSC_OK;
}

void bosc_hash_free(bosc_hash *table)
{
    if (!table) return;
    bosc_hash nothing = {0};
    struct bi_memory host = table->host;
    bi_hash_drop_blocks(&nothing, table);
    bi_memory_release(&host, table, sizeof *table);
}

bosc_status bosc_hash_get_view(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_view *view)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    if (table->layout != &bi_hash_bucketed)
        return bi_fail(ctx, BOSC_ERR_ARG, "table: of layout %d, but views are of BUCKETED tables",
                       (int)table->opts.layout);
    if (!view) return bi_fail(ctx, BOSC_ERR_ARG, "view: NULL");
    if (table->buckets == 0) return bi_fail(ctx, BOSC_ERR_DATA, "table: nothing has been built in it");
    *view = bi_hash_view(table);
    return BOSC_OK;
}

bosc_status bosc_hash_get_info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    if (!info) return bi_fail(ctx, BOSC_ERR_ARG, "info: NULL");
    BI_TRY(bi_check_size(ctx, "info", "bosc_hash_info", info->size, sizeof *info));
    bosc_hash_info full = {.size = info->size,
                           .pairs = table->pairs,
                           .keys = table->keys,
                           .reseeded = table->reseeded,
                           .linear = table->linear};
    for (int b = 0; b < BI_HASH_BLOCKS; b++) full.bytes += (int64_t)table->blocks[b].bytes;
    if (table->buckets) {
        BI_TRY_WITH_SCRATCH(ctx, table->layout->info(ctx, table, &full));
    }
    full.load = full.places ? (double)full.keys / (double)full.places : 0;
    memcpy(info, &full, info->size);
    return BOSC_OK;
}
