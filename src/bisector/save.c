/* Saves pools. */
#include "bisector/save.h"

#include <string.h>

static bosc_status write_bisectors(struct bi_saver *s, const void *structure)
{
    const bosc_bisectors *b = structure;
    struct bi_bisector_header h = {.version = BI_BISECTOR_SAVE_VERSION,
                                   .depth = (uint32_t)b->view.depth,
                                   .root_count = b->view.root_count,
                                   .leaves = b->view.leaves};
    memcpy(h.magic, BI_BISECTOR_SAVE_MAGIC, sizeof h.magic);
    h.hash = bi_xxh3(&h, offsetof(struct bi_bisector_header, hash));
    const size_t roots = (size_t)h.root_count * 3 * sizeof *b->view.roots;
    const size_t leaves = (size_t)h.leaves * sizeof *b->view.nodes;
    bi_progress_set_total(s->ctx, bi_save_items(roots + leaves));
    BI_TRY(bi_save_bytes(s, &h, sizeof h));
    BI_TRY(bi_save_array(s, b->view.roots, roots));
    return bi_save_array(s, b->view.nodes, leaves);
}

bosc_status bosc_bisectors_write(bosc_ctx *ctx, const bosc_bisectors *bisectors, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    return bi_save(ctx, write, user, write_bisectors, bisectors);
}
