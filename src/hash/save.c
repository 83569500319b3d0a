/* Saves tables. */
#include <string.h>

#include "core/call.h"
#include "hash/save.h"

static bosc_status write_header(struct bi_saver *s, const bosc_hash *table)
{
    const bosc_hash_opts *o = &table->opts;
    struct bi_hash_header h = {.version = BI_HASH_SAVE_VERSION,
                               .layout = o->layout,
                               .kind = o->kind,
                               .key_bits = (uint32_t)o->key_bits,
                               .value_size = (uint32_t)o->value_size,
                               .duplicates = o->duplicates,
                               .value_dtype = o->value_dtype,
                               .counted = o->counted != 0,
                               .load_factor = o->load_factor,
                               .seed = o->seed,
                               .pairs = table->pairs,
                               .keys = table->keys,
                               .buckets = table->buckets,
                               .extra_probes = table->extra_probes,
                               .reseeded = (uint32_t)table->reseeded,
                               .linear = (uint32_t)table->linear,
                               .partition_bits = (uint32_t)table->shape.partition_bits,
                               .functions = (uint32_t)o->functions};
    memcpy(h.magic, BI_HASH_SAVE_MAGIC, sizeof h.magic);
    h.hash = bi_xxh3(&h, offsetof(struct bi_hash_header, hash));
    return bi_save_bytes(s, &h, sizeof h);
}

static bosc_status write_table(struct bi_saver *s, const void *structure)
{
    const bosc_hash *table = structure;
    size_t bytes[BI_HASH_BLOCKS];
    bi_hash_used_bytes(table, bytes);
    bi_progress_set_total(s->ctx, bi_save_items(bytes[0] + bytes[1] + bytes[2] + bytes[3]));
    BI_TRY(write_header(s, table));
    for (int b = 0; b < BI_HASH_SAVED_BLOCKS; b++) BI_TRY(bi_save_padded(s, table->blocks[b].data, bytes[b]));
    return BOSC_OK;
}

bosc_status bosc_hash_write(bosc_ctx *ctx, const bosc_hash *table, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    return bi_save(ctx, write, user, write_table, table);
}
