/* Saves tries, and reads them. Input is not trusted: arrays grow by the bytes actually read, the checksum must match,
 * keys must be in order, and nodes are rebuilt. */
#include "core/call.h"
#include "trie/save.h"

/* ---- writing ---- */

static bosc_status write_trie(struct bi_saver *s, const void *structure)
{
    const bosc_trie *trie = structure;
    const bosc_trie_opts *o = &trie->opts;
    struct bi_trie_header h = {.length = (uint32_t)o->length,
                               .letter_bits = (uint32_t)o->letter_bits,
                               .layout = o->layout,
                               .duplicates = o->duplicates,
                               .value_bits = (uint32_t)o->value_bits,
                               .digit_bits = (uint32_t)o->digit_bits,
                               .keys = trie->keys,
                               .rows = trie->rows};
    size_t bytes[3];
    if (o->digit_bits == bi_trie_widest_digit(o->letter_bits)) h.digit_bits = 0;
    BI_TRY(bi_save_header(s, &h, sizeof h, BI_TRIE_SAVE_MAGIC, BI_TRIE_SAVE_VERSION));
    bi_trie_saved_bytes(trie, bytes);
    bi_progress_set_total(s->ctx, bi_save_items(bytes[0] + bytes[1] + bytes[2]));
    for (int b = 0; b < 3; b++) BI_TRY(bi_save_padded(s, trie->blocks[b].data, bytes[b]));
    return BOSC_OK;
}

bosc_status bosc_trie_write(bosc_ctx *ctx, const bosc_trie *trie, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    return bi_save(ctx, write, user, write_trie, trie);
}

/* ---- reading ---- */

struct reader {
    struct bi_loader loader;
    struct bi_trie_header header;
    bosc_trie_opts opts; /* every field set */
    struct bi_loaded arrays[3];
};

static bosc_status malformed(struct reader *r, const char *reason) { return bi_load_malformed(&r->loader, reason); }

static bosc_status parse_header(void *state)
{
    struct reader *r = state;
    struct bi_trie_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_TRIE_SAVE_MAGIC, BI_TRIE_SAVE_VERSION));
    if (h->unused) return malformed(r, "the header has unknown fields");
    bosc_trie_opts opts = {.size = sizeof opts,
                           .length = (int32_t)h->length,
                           .letter_bits = (int32_t)h->letter_bits,
                           .layout = (bosc_trie_layout)h->layout,
                           .duplicates = (bosc_trie_duplicates)h->duplicates,
                           .value_bits = (int32_t)h->value_bits,
                           .digit_bits = (int32_t)h->digit_bits};
    if (bi_trie_check_opts(r->loader.ctx, &opts, &r->opts) != BOSC_OK || h->letter_bits == 0 || h->value_bits == 0)
        return malformed(r, "its options are unknown");
    if (opts.digit_bits == bi_trie_widest_digit(r->opts.letter_bits)) /* the widest is saved as 0 */
        return malformed(r, "the widest digit has a number");
    if (h->keys < 0 || h->keys > INT32_MAX) return malformed(r, "its number of keys is out of range");
    if (h->rows < h->keys || h->rows >= (int64_t)UINT32_MAX) return malformed(r, "its number of rows is out of range");
    return BOSC_OK;
}

static bosc_status read_block(struct reader *r, bosc_trie *trie, int b, size_t bytes)
{
    static const char *const names[3] = {"keys", "values", "multiplicities"};
    struct bi_loaded *a = &r->arrays[b];
    BI_TRY(bi_load_padded(&r->loader, a, bytes, names[b]));
    if (bytes == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(r->loader.ctx, &trie->memory, &trie->blocks[b], bytes));
    BI_TRY(r->loader.ctx->backend->copy(r->loader.ctx, trie->blocks[b].data, a->data, bytes));
    BI_TRY(r->loader.ctx->backend->sync(r->loader.ctx));
    bi_load_release(&r->loader, a);
    return BOSC_OK;
}

static bosc_status check_keys(struct reader *r, const bosc_trie *trie)
{
    bosc_ctx *ctx = r->loader.ctx;
    struct bi_trie_check check = {trie->shape, trie->blocks[BI_TRIE_KEYS].data, trie->blocks[BI_TRIE_COUNTS].data, NULL,
                                  NULL};
    int64_t rows;
    uint32_t found;
    if (trie->keys == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, trie->keys, 8, &check.counts_64bit));
    BI_TRY(bi_scratch_of(ctx, 1, 4, &check.found));
    BI_TRY(ctx->backend->fill(ctx, check.found, 0, sizeof found));
    BI_TRY(BI_TRIE_STEP(ctx, trie_check_loaded, trie->keys, &check));
    BI_TRY(bi_sum_i64(ctx, check.counts_64bit, trie->keys, &rows));
    BI_TRY(bi_read_back(ctx, &found, check.found, sizeof found));
    if (found & BI_TRIE_BEYOND) return malformed(r, "a key has bits beyond its letters");
    if (found & BI_TRIE_UNORDERED) return malformed(r, "its keys are not in order");
    if (found & BI_TRIE_ROWLESS || rows > trie->rows)
        return malformed(r, "its multiplicities are not those of its rows");
    return BOSC_OK;
}

static bosc_status create_trie(void *state, void **fresh)
{
    struct reader *r = state;
    bosc_trie *trie;
    BI_TRY(bi_trie_new(r->loader.ctx, &r->opts, &trie));
    *fresh = trie;
    return BOSC_OK;
}

static bosc_status read_arrays(void *state, void *fresh)
{
    struct reader *r = state;
    bosc_ctx *ctx = r->loader.ctx;
    bosc_trie *trie = fresh;
    size_t bytes[3];
    trie->keys = r->header.keys;
    trie->rows = r->header.rows;
    bi_trie_saved_bytes(trie, bytes);
    bi_progress_set_total(ctx, bi_save_items(bytes[0] + bytes[1] + bytes[2]));
    for (int b = 0; b < 3; b++) BI_TRY(read_block(r, trie, b, bytes[b]));
    BI_TRY(bi_load_hash(&r->loader));
    BI_TRY_WITH_SCRATCH(ctx, check_keys(r, trie));
    BI_TRY(bi_trie_build_nodes(ctx, trie));
    return ctx->backend->sync(ctx);
}

static void free_trie(void *fresh) { bosc_trie_free(fresh); }

bosc_status bosc_trie_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_trie **trie)
{
    static const struct bi_load_kind kind = {.argument = "trie",
                                             .what = "saved trie",
                                             .parse = parse_header,
                                             .create = create_trie,
                                             .fill = read_arrays,
                                             .free = free_trie};
    struct reader r = {.header = {.version = 0}};
    BI_ENTER(ctx);
    return bi_load_structure(ctx, read, user, &kind, &r, r.arrays, 3, trie);
}
