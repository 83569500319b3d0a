/* Reads saved trees. Nothing is believed: the bit field grows by slices that were really read, the checksum decides,
 * and then the bits must be those of a tree. */
#include "cbt/save.h"
#include "core/call.h"

struct reader {
    bosc_ctx *ctx;
    struct bi_loader loader;
    struct bi_cbt_header header;
    struct bi_loaded bits;
};

static bosc_status malformed(struct reader *r, const char *reason) { return bi_load_malformed(&r->loader, reason); }

static bosc_status get_header(struct reader *r, bosc_cbt_opts *full)
{
    struct bi_cbt_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_CBT_SAVE_MAGIC, BI_CBT_SAVE_VERSION));
    if (h->reserved | h->unused[0] | h->unused[1]) return malformed(r, "the header has unknown fields");
    bosc_cbt_opts opts = {.size = sizeof opts,
                          .depth = (int32_t)h->depth,
                          .level = (int32_t)h->level,
                          .layout = (bosc_cbt_layout)h->layout,
                          .id_bits = (int32_t)h->id_bits};
    if (bi_cbt_check_opts(r->ctx, &opts, full) != BOSC_OK || h->id_bits == 0)
        return malformed(r, "its options are unknown");
    if (h->leaves < 1 || h->leaves > (int64_t)1 << h->depth)
        return malformed(r, "its number of leaves is out of range");
    return BOSC_OK;
}

static bosc_status install(struct reader *r, bosc_cbt *tree)
{
    int64_t bad, leaves;
    uint64_t *field;
    size_t bytes = bi_cbt_field_bytes(tree->opts.depth);
    BI_TRY(bi_scratch(r->ctx, bytes, (void **)&field));
    BI_TRY(r->ctx->backend->fill(r->ctx, field, 0, bytes));
    BI_TRY(r->ctx->backend->copy(r->ctx, field, r->bits.data, r->bits.bytes));
    BI_TRY(r->ctx->backend->sync(r->ctx));
    BI_TRY(bi_cbt_find_bad(r->ctx, tree->opts.depth, field, &bad));
    if (bad != INT64_MAX) return malformed(r, "its bits are not those of a tree");
    BI_TRY(bi_cbt_install_bits(r->ctx, tree, field));
    BI_TRY(bi_read_back(r->ctx, &leaves, tree->view.ranks + tree->view.blocks, sizeof leaves));
    return leaves == r->header.leaves ? BOSC_OK : malformed(r, "its number of leaves is wrong");
}

static bosc_status read_tree(struct reader *r, bosc_cbt **tree)
{
    bosc_cbt_opts full;
    bosc_cbt *fresh;
    BI_TRY(get_header(r, &full));
    BI_TRY(bi_load_array(&r->loader, &r->bits, (size_t)bi_cbt_bit_words(full.depth) * 8, "bits"));
    BI_TRY(bi_load_hash(&r->loader));
    BI_TRY(bi_cbt_new(r->ctx, &full, &fresh));
    bosc_status status;
    BI_WITH_SCRATCH(r->ctx, status = install(r, fresh));
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_cbt_free(fresh);
    return status;
}

bosc_status bosc_cbt_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_cbt **tree)
{
    BI_ENTER(ctx);
    if (!read) return bi_fail(ctx, BOSC_ERR_ARG, "read: NULL");
    if (!tree) return bi_fail(ctx, BOSC_ERR_ARG, "tree: NULL");
    struct reader r = {.ctx = ctx};
    BI_TRY(bi_load_begin(ctx, read, user, "saved bisection", &r.loader));
    bosc_status status = read_tree(&r, tree);
    bi_load_release(&r.loader, &r.bits);
    bi_load_end(&r.loader);
    return status;
}
