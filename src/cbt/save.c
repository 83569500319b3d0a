/* Saves trees, and reads saved ones. Input is untrusted: memory for the bit field grows with the bytes read, the
 * checksum must match, and the bits must encode a tree. */
#include "cbt/save.h"

static bosc_status write_tree(struct bi_saver *s, const void *structure)
{
    const bosc_cbt *tree = structure;
    const bosc_cbt_opts *o = &tree->opts;
    struct bi_cbt_header h = {
        .depth = (uint32_t)o->depth, .level = (uint32_t)o->level, .layout = o->layout, .id_bits = (uint32_t)o->id_bits};
    BI_TRY(bi_cbt_read_leaf_count(s->ctx, tree, &h.leaves));
    BI_TRY(bi_save_header(s, &h, sizeof h, BI_CBT_SAVE_MAGIC, BI_CBT_SAVE_VERSION));
    const size_t bytes = (size_t)bi_cbt_bit_words(o->depth) * 8;
    bi_progress_set_total(s->ctx, bi_save_items(bytes));
    if (!bi_cbt_is_published(tree)) return bi_save_array(s, tree->view.bits, bytes);
    uint64_t *bits;
    BI_TRY(bi_scratch_of(s->ctx, bi_cbt_bit_words(o->depth), 8, &bits));
    BI_TRY(bi_cbt_copy_bits(s->ctx, tree, bits));
    return bi_save_array(s, bits, bytes);
}

bosc_status bosc_cbt_write(bosc_ctx *ctx, const bosc_cbt *tree, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    return bi_save(ctx, write, user, write_tree, tree);
}

/* ---- reading ---- */

struct reader {
    struct bi_loader loader; /* first: see struct bi_load_kind */
    struct bi_cbt_header header;
    bosc_cbt_opts opts;
    struct bi_loaded bits;
};

static bosc_status get_header(struct reader *r)
{
    struct bi_cbt_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_CBT_SAVE_MAGIC, BI_CBT_SAVE_VERSION));
    if (h->reserved | h->unused[0] | h->unused[1])
        return bi_load_malformed(&r->loader, "the header has unknown fields");
    bosc_cbt_opts opts = {.size = sizeof opts,
                          .depth = (int32_t)h->depth,
                          .level = (int32_t)h->level,
                          .layout = (bosc_cbt_layout)h->layout,
                          .id_bits = (int32_t)h->id_bits};
    if (bi_cbt_check_opts(r->loader.ctx, &opts, &r->opts) != BOSC_OK || h->id_bits == 0)
        return bi_load_malformed(&r->loader, "its options are unknown");
    if (h->leaves < 1 || h->leaves > (int64_t)1 << h->depth)
        return bi_load_malformed(&r->loader, "its number of leaves is out of range");
    return BOSC_OK;
}

static bosc_status parse(void *state)
{
    struct reader *r = state;
    BI_TRY(get_header(r));
    bi_progress_set_total(r->loader.ctx, bi_save_items((size_t)bi_cbt_bit_words(r->opts.depth) * 8));
    BI_TRY(bi_load_array(&r->loader, &r->bits, (size_t)bi_cbt_bit_words(r->opts.depth) * 8, "bits"));
    return bi_load_hash(&r->loader);
}

static bosc_status create(void *state, void **fresh)
{
    struct reader *r = state;
    bosc_cbt *tree;
    BI_TRY(bi_cbt_allocate(r->loader.ctx, &r->opts, &tree));
    *fresh = tree;
    return BOSC_OK;
}

static bosc_status fill(void *state, void *fresh)
{
    struct reader *r = state;
    bosc_cbt *tree = fresh;
    bosc_ctx *ctx = r->loader.ctx;
    int64_t invalid, leaves;
    uint64_t *field;
    BI_TRY(bi_scratch_of(ctx, tree->view.blocks, BI_CBT_BLOCK / 8, &field));
    BI_TRY(ctx->backend->fill(ctx, field, 0, bi_cbt_field_bytes(r->opts.depth)));
    BI_TRY(ctx->backend->copy(ctx, field, r->bits.data, r->bits.bytes));
    BI_TRY(ctx->backend->sync(ctx));
    BI_TRY(bi_cbt_find_invalid(ctx, r->opts.depth, field, &invalid));
    if (invalid != INT64_MAX) return bi_load_malformed(&r->loader, "its bits are not those of a tree");
    BI_TRY(bi_cbt_install_bits(ctx, tree, field));
    BI_TRY(bi_cbt_read_leaf_count(ctx, tree, &leaves));
    return leaves == r->header.leaves ? BOSC_OK : bi_load_malformed(&r->loader, "its number of leaves is wrong");
}

static void release(void *fresh) { bosc_cbt_free(fresh); }

bosc_status bosc_cbt_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_cbt **tree)
{
    static const struct bi_load_kind kind = {"tree", "saved bisection", parse, create, fill, release};
    struct reader r = {.header = {.version = 0}};
    BI_ENTER(ctx);
    return bi_load_structure(ctx, read, user, &kind, &r, &r.bits, 1, tree);
}
