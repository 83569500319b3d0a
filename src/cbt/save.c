/* Saves trees. */
#include "cbt/save.h"

#include <string.h>

static bosc_status write_tree(struct bi_saver *s, const void *structure)
{
    const bosc_cbt *tree = structure;
    const bosc_cbt_opts *o = &tree->opts;
    struct bi_cbt_header h = {.version = BI_CBT_SAVE_VERSION,
                              .depth = (uint32_t)o->depth,
                              .level = (uint32_t)o->level,
                              .layout = o->layout,
                              .id_bits = (uint32_t)o->id_bits};
    memcpy(h.magic, BI_CBT_SAVE_MAGIC, sizeof h.magic);
    BI_TRY(bi_cbt_read_leaf_count(s->ctx, tree, &h.leaves));
    h.hash = bi_xxh3(&h, offsetof(struct bi_cbt_header, hash));
    BI_TRY(bi_save_bytes(s, &h, sizeof h));
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
