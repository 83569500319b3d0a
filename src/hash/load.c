/* Reads saved tables. Nothing is believed: arrays grow by slices that were really read, the checksum decides, and then
 * everything that look-ups and lists rely on is checked. */
#include "core/call.h"
#include "hash/save.h"

struct reader {
    bosc_ctx *ctx;
    struct bi_loader loader;
    struct bi_hash_header header;
    struct bi_loaded arrays[BI_HASH_BLOCKS];
};

static bosc_status malformed(struct reader *r, const char *reason) { return bi_load_malformed(&r->loader, reason); }

static bosc_status check_figures(struct reader *r)
{
    const struct bi_hash_header *h = &r->header;
    const int64_t most = (int64_t)UINT32_MAX;
    if (h->keys < 0 || h->keys >= most || h->pairs < h->keys || h->pairs >= most)
        return malformed(r, "its number of keys is out of range");
    if (h->second < 0 || h->second > INT64_MAX / 4 || h->reseeded > INT32_MAX || h->linear > INT32_MAX)
        return malformed(r, "its figures are out of range");
    if (h->part_bits < 1 || h->part_bits > 30) return malformed(r, "its number of parts is out of range");
    if (h->buckets < 0 || h->buckets > most || (h->buckets == 0 && h->keys > 0))
        return malformed(r, "its number of buckets is out of range");
    return BOSC_OK;
}

static bosc_status get_header(struct reader *r)
{
    struct bi_hash_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_HASH_SAVE_MAGIC, BI_HASH_SAVE_VERSION));
    if (h->reserved | h->unused[0] | h->unused[1]) return malformed(r, "the header has unknown fields");
    if (h->layout > BOSC_HASH_FKS || h->kind > BOSC_HASH_MULTIMAP || h->key_bits > 128 || h->value_size > 64 ||
        h->duplicates > BOSC_HASH_ERROR || h->value_dtype > BOSC_U8 || h->counted > 1 || h->key_bits == 0 ||
        h->load == 0)
        return malformed(r, "its options are unknown");
    return check_figures(r);
}

static bosc_status get_options(struct reader *r, bosc_hash_opts *full, const struct bi_hash_layout **layout)
{
    const struct bi_hash_header *h = &r->header;
    bosc_hash_opts opts = {.size = sizeof opts,
                           .layout = (bosc_hash_layout)h->layout,
                           .kind = (bosc_hash_kind)h->kind,
                           .key_bits = (int32_t)h->key_bits,
                           .value_size = (int32_t)h->value_size,
                           .duplicates = (bosc_hash_duplicates)h->duplicates,
                           .value_dtype = (bosc_dtype)h->value_dtype,
                           .load = h->load,
                           .seed = h->seed,
                           .counted = (int32_t)h->counted};
    if (bi_hash_check_opts(r->ctx, &opts, full, layout) != BOSC_OK) return malformed(r, "its options are unknown");
    return BOSC_OK;
}

/* A block of the table's backend gets what was read; the host's memory is given back. */
static bosc_status get_block(struct reader *r, bosc_hash *table, int b, size_t bytes)
{
    static const char *const names[BI_HASH_BLOCKS] = {"parts", "table", "extra", "values"};
    struct bi_loaded *a = &r->arrays[b];
    BI_TRY(bi_load_padded(&r->loader, a, bytes, names[b]));
    if (bytes == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(r->ctx, &table->memory, &table->blocks[b], bytes));
    BI_TRY(r->ctx->backend->copy(r->ctx, table->blocks[b].data, a->data, bytes));
    BI_TRY(r->ctx->backend->sync(r->ctx));
    bi_load_release(&r->loader, a);
    return BOSC_OK;
}

/* What is kept with the keys of counted tables and multimaps. */
static bosc_status check_kept(struct reader *r, const bosc_hash *table)
{
    bosc_ctx *ctx = r->ctx;
    void *hashes, *kept;
    int64_t *sum, pairs;
    uint32_t bad, *found;
    if (table->keys == 0) return table->pairs ? malformed(r, "it has pairs without a key") : BOSC_OK;
    struct bi_hash_check_kept check = {.pairs = table->pairs};
    BI_TRY(bi_hash_list(ctx, table, &hashes, &kept));
    BI_TRY(bi_hash_scratch(ctx, table->keys, 8, &check.counts));
    BI_TRY(bi_hash_scratch(ctx, 1, 8, &sum));
    BI_TRY(bi_hash_scratch(ctx, 1, 4, &found));
    BI_TRY(ctx->backend->fill(ctx, found, 0, sizeof *found));
    check.kept = bi_hash_kept_of(table, kept);
    check.found = found;
    BI_TRY(BI_HASH_STEP(ctx, check_kept, table->keys, &check));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_I64, check.counts, table->keys, sum));
    BI_TRY(bi_read_back(ctx, &pairs, sum, sizeof pairs));
    BI_TRY(bi_read_back(ctx, &bad, found, sizeof bad));
    if (bad) return malformed(r, "a key's values are not there");
    return pairs == table->pairs ? BOSC_OK : malformed(r, "its number of pairs is wrong");
}

static bosc_status check_table(struct reader *r, const bosc_hash *table)
{
    const char *wrong = NULL;
    bool counts = table->opts.counted || table->opts.kind == BOSC_HASH_MULTIMAP;
    if (!counts && table->pairs != table->keys) return malformed(r, "its number of pairs is wrong");
    if (table->buckets == 0) return table->pairs ? malformed(r, "it has pairs without a key") : BOSC_OK;
    BI_TRY(table->layout->check(r->ctx, table, &wrong));
    if (wrong) return malformed(r, wrong);
    return counts ? check_kept(r, table) : BOSC_OK;
}

static bosc_status get_table(struct reader *r, bosc_hash *table)
{
    const struct bi_hash_header *h = &r->header;
    size_t bytes[BI_HASH_BLOCKS];
    table->pairs = h->pairs;
    table->keys = h->keys;
    table->buckets = h->buckets;
    table->second = h->second;
    table->reseeded = (int32_t)h->reseeded;
    table->linear = (int32_t)h->linear;
    if (table->layout != &bi_hash_bucketed) table->layout->plan(&table->opts, h->keys, &table->shape, bytes);
    if (table->layout != &bi_hash_bucketed && h->buckets && table->shape.part_bits != (int32_t)h->part_bits)
        return malformed(r, "its number of parts is not that of its keys");
    table->shape.part_bits = (int32_t)h->part_bits;
    bi_hash_used(table, bytes);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) BI_TRY(get_block(r, table, b, bytes[b]));
    BI_TRY(bi_load_hash(&r->loader));
    return check_table(r, table);
}

static bosc_status read_table(struct reader *r, bosc_hash **table)
{
    bosc_hash_opts full;
    const struct bi_hash_layout *layout;
    bosc_hash *fresh;
    BI_TRY(get_header(r));
    BI_TRY(get_options(r, &full, &layout));
    BI_TRY(bi_hash_new(r->ctx, &full, layout, &fresh));
    bosc_status status;
    BI_WITH_SCRATCH(r->ctx, status = get_table(r, fresh));
    if (status == BOSC_OK)
        *table = fresh;
    else
        bosc_hash_free(fresh);
    return status;
}

bosc_status bosc_hash_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_hash **table)
{
    BI_ENTER(ctx);
    if (!read) return bi_fail(ctx, BOSC_ERR_ARG, "read: NULL");
    if (!table) return bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
    struct reader r = {.ctx = ctx};
    BI_TRY(bi_load_begin(ctx, read, user, "saved table", &r.loader));
    bosc_status status = read_table(&r, table);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) bi_load_release(&r.loader, &r.arrays[b]);
    bi_load_end(&r.loader);
    return status;
}
