/* Saves trees. */
#include "cbt/save.h"

#include <string.h>

static bosc_status put_tree(struct bi_saver *s, const void *structure)
{
    const bosc_cbt *tree = structure;
    const bosc_cbt_opts *o = &tree->opts;
    struct bi_cbt_header h = {.version = BI_CBT_SAVE_VERSION,
                              .depth = (uint32_t)o->depth,
                              .level = (uint32_t)o->level,
                              .layout = o->layout,
                              .id_bits = (uint32_t)o->id_bits};
    memcpy(h.magic, BI_CBT_SAVE_MAGIC, sizeof h.magic);
    BI_TRY(bi_read_back(s->ctx, &h.leaves, tree->view.ranks + tree->view.blocks, sizeof h.leaves));
    h.hash = bi_hash(&h, offsetof(struct bi_cbt_header, hash));
    BI_TRY(bi_save_put(s, &h, sizeof h));
    return bi_save_array(s, tree->view.bits, (size_t)bi_cbt_bit_words(o->depth) * 8);
}

bosc_status bosc_cbt_write(bosc_ctx *ctx, const bosc_cbt *tree, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    return bi_save(ctx, write, user, put_tree, tree);
}
