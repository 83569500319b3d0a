/* Saves tables, and reads saved ones. No byte of a file is trusted: arrays grow only as far as bytes arrive, the
 * checksum must match, and then every property that look-ups and lists rely on is checked. */
#include "core/call.h"
#include "hash/save.h"
#include "hash/slots.h"

/* CHAINED with 2 functions is saved as before it had others. */
static uint32_t saved_functions(const bosc_hash_opts *o)
{
    const bool is_default = o->layout == BOSC_HASH_CHAINED && o->functions == BI_HASH_CHAINED_FUNCTIONS;
    return is_default && !o->go_left ? 0 : (uint32_t)o->functions;
}

static bosc_status write_header(struct bi_saver *s, const bosc_hash *table)
{
    const bosc_hash_opts *o = &table->opts;
    struct bi_hash_header h = {.layout = (uint32_t)o->layout - BI_HASH_SAVED_LAYOUT,
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
                               .functions = saved_functions(o),
                               .go_left = (uint32_t)o->go_left};
    return bi_save_header(s, &h, sizeof h, BI_HASH_SAVE_MAGIC, BI_HASH_SAVE_VERSION);
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

struct reader {
    struct bi_loader loader; /* first member: bi_load_structure casts */
    struct bi_hash_header header;
    bosc_hash_opts opts;
    struct bi_loaded arrays[BI_HASH_SAVED_BLOCKS];
};

static bosc_status report_malformed(struct reader *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

static bosc_status check_figures(struct reader *r)
{
    const struct bi_hash_header *h = &r->header;
    const int64_t most = (int64_t)UINT32_MAX;
    if (h->keys < 0 || h->keys >= most || h->pairs < h->keys || h->pairs >= most)
        return report_malformed(r, "its number of keys is out of range");
    if (h->extra_probes < 0 || h->extra_probes > INT64_MAX / 4 || h->reseeded > INT32_MAX || h->linear > INT32_MAX)
        return report_malformed(r, "its figures are out of range");
    if (h->partition_bits < 1 || h->partition_bits > 30)
        return report_malformed(r, "its number of partitions is out of range");
    if (h->buckets < 0 || h->buckets > most || (h->buckets == 0 && h->keys > 0))
        return report_malformed(r, "its number of buckets is out of range");
    return BOSC_OK;
}

static bosc_status read_header(struct reader *r)
{
    struct bi_hash_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_HASH_SAVE_MAGIC, BI_HASH_SAVE_VERSION));
    if (h->unused_bits | h->unused) return report_malformed(r, "the header has unknown fields");
    if (h->layout > BOSC_HASH_ORDERED - BI_HASH_SAVED_LAYOUT || h->functions > BOSC_HASH_FUNCTIONS || h->go_left > 1 ||
        h->kind > BOSC_HASH_MULTIMAP || h->key_bits > 128 || h->value_size > 64 || h->duplicates > BOSC_HASH_ERROR ||
        h->value_dtype > BOSC_U8 || h->counted > 1 || h->key_bits == 0 || h->load_factor == 0)
        return report_malformed(r, "its options are unknown");
    return check_figures(r);
}

static bosc_status read_options(struct reader *r)
{
    const struct bi_hash_header *h = &r->header;
    bosc_hash_opts opts = {.size = sizeof opts,
                           .layout = (bosc_hash_layout)(h->layout + BI_HASH_SAVED_LAYOUT),
                           .kind = (bosc_hash_kind)h->kind,
                           .key_bits = (int32_t)h->key_bits,
                           .value_size = (int32_t)h->value_size,
                           .duplicates = (bosc_hash_duplicates)h->duplicates,
                           .value_dtype = (bosc_dtype)h->value_dtype,
                           .load_factor = h->load_factor,
                           .seed = h->seed,
                           .counted = (int32_t)h->counted,
                           .functions = (int32_t)h->functions,
                           .go_left = (int32_t)h->go_left};
    if (bi_hash_check_opts(r->loader.ctx, &opts, &r->opts) != BOSC_OK)
        return report_malformed(r, "its options are unknown");
    return BOSC_OK;
}

/* Reads a block to the table's backend and releases the host's copy. */
static bosc_status read_block(struct reader *r, bosc_hash *table, int b, size_t bytes)
{
    bosc_ctx *ctx = r->loader.ctx;
    static const char *const names[BI_HASH_SAVED_BLOCKS] = {"partitions", "table", "pilots", "values"};
    struct bi_loaded *a = &r->arrays[b];
    BI_TRY(bi_load_padded(&r->loader, a, bytes, names[b]));
    if (bytes == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->blocks[b], bytes));
    BI_TRY(ctx->backend->copy(ctx, table->blocks[b].data, a->data, bytes));
    BI_TRY(ctx->backend->sync(ctx));
    bi_load_release(&r->loader, a);
    return BOSC_OK;
}

/* Checks the bytes that counted tables and multimaps store with their keys. */
static bosc_status check_stored(struct reader *r, const bosc_hash *table)
{
    bosc_ctx *ctx = r->loader.ctx;
    void *hashes, *stored;
    int64_t pairs;
    uint32_t bad, *found;
    if (table->keys == 0) return table->pairs ? report_malformed(r, "it has pairs without a key") : BOSC_OK;
    struct bi_hash_check_stored check = {.pairs = table->pairs};
    BI_TRY(bi_hash_list_stored(ctx, table, &hashes, &stored));
    BI_TRY(bi_scratch_of(ctx, table->keys, 8, &check.counts));
    BI_TRY(bi_scratch_of(ctx, 1, 4, &found));
    BI_TRY(ctx->backend->fill(ctx, found, 0, sizeof *found));
    check.stored = bi_hash_stored_of(table, stored);
    check.found = found;
    BI_TRY(BI_HASH_STEP(ctx, check_stored, table->keys, &check));
    BI_TRY(bi_sum_i64(ctx, check.counts, table->keys, &pairs));
    BI_TRY(bi_read_back(ctx, &bad, found, sizeof bad));
    if (bad) return report_malformed(r, "a key's values are not there");
    return pairs == table->pairs ? BOSC_OK : report_malformed(r, "its number of pairs is wrong");
}

static bosc_status check_table(struct reader *r, const bosc_hash *table)
{
    const char *wrong = NULL;
    bool counts = table->opts.counted || table->opts.kind == BOSC_HASH_MULTIMAP;
    if (!counts && table->pairs != table->keys) return report_malformed(r, "its number of pairs is wrong");
    if (table->buckets == 0) return table->pairs ? report_malformed(r, "it has pairs without a key") : BOSC_OK;
    BI_TRY(table->layout->check(r->loader.ctx, table, &wrong));
    if (wrong) return report_malformed(r, wrong);
    return counts ? check_stored(r, table) : BOSC_OK;
}

static bosc_status build_directory(struct reader *r, bosc_hash *table, size_t bytes)
{
    if (bytes == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(r->loader.ctx, &table->memory, &table->blocks[BI_HASH_DIRECTORY], bytes));
    const bosc_hash_slots_view view = bi_hash_slots_view_of(table, table->keys);
    return table->ops->index_slots(r->loader.ctx, &view, bytes / sizeof(uint32_t),
                                   table->blocks[BI_HASH_DIRECTORY].data);
}

static bosc_status read_table(struct reader *r, bosc_hash *table)
{
    const struct bi_hash_header *h = &r->header;
    size_t bytes[BI_HASH_BLOCKS];
    table->pairs = h->pairs;
    table->keys = h->keys;
    table->buckets = h->buckets;
    table->extra_probes = h->extra_probes;
    table->reseeded = (int32_t)h->reseeded;
    table->linear = (int32_t)h->linear;
    if (table->layout != &bi_hash_bucketed_layout) table->layout->plan(&table->opts, h->keys, &table->shape, bytes);
    if (table->layout != &bi_hash_bucketed_layout && h->buckets &&
        table->shape.partition_bits != (int32_t)h->partition_bits)
        return report_malformed(r, "its number of partitions is not that of its keys");
    table->shape.partition_bits = (int32_t)h->partition_bits;
    bi_hash_used_bytes(table, bytes);
    bi_progress_set_total(r->loader.ctx, bi_save_items(bytes[0] + bytes[1] + bytes[2] + bytes[3]));
    for (int b = 0; b < BI_HASH_SAVED_BLOCKS; b++) BI_TRY(read_block(r, table, b, bytes[b]));
    BI_TRY(bi_load_hash(&r->loader));
    BI_TRY(check_table(r, table));
    return build_directory(r, table, bytes[BI_HASH_DIRECTORY]);
}

static bosc_status parse_header(void *state)
{
    BI_TRY(read_header(state));
    return read_options(state);
}

static bosc_status create_table(void *state, void **fresh)
{
    struct reader *r = state;
    bosc_hash *table;
    BI_TRY(bi_hash_new(r->loader.ctx, &r->opts, &table));
    *fresh = table;
    return BOSC_OK;
}

static bosc_status fill_table(void *state, void *fresh) { return read_table(state, fresh); }

static void free_table(void *fresh) { bosc_hash_free(fresh); }

bosc_status bosc_hash_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_hash **table)
{
    static const struct bi_load_kind kind = {"table",      "saved table", parse_header,
                                             create_table, fill_table,    free_table};
    struct reader r = {0};
    BI_ENTER(ctx);
    return bi_load_structure(ctx, read, user, &kind, &r, r.arrays, BI_HASH_SAVED_BLOCKS, table);
}
