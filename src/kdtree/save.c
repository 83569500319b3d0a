/* Writes trees: the same bytes on every backend. */
#include <string.h>

#include "core/call.h"
#include "kdtree/save.h"

bosc_status bi_kdtree_save_header(struct bi_saver *s, const bosc_kdtree_opts *opts, int64_t n, int64_t nodes)
{
    bool removed = opts->duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    struct bi_kdtree_header h = {.version = BI_KDTREE_SAVE_VERSION,
                                 .flags = removed ? BI_KDTREE_SAVE_DUPLICATES_REMOVED : 0,
                                 .dtype = (uint32_t)opts->dtype,
                                 .dim = (uint32_t)opts->dim,
                                 .id_bits = (uint32_t)opts->id_bits,
                                 .n = n,
                                 .nodes = nodes};
    memcpy(h.magic, BI_KDTREE_SAVE_MAGIC, sizeof h.magic);
    h.hash = bi_xxh3(&h, offsetof(struct bi_kdtree_header, hash));
    return bi_save_bytes(s, &h, sizeof h);
}

static bosc_status save_tree(struct bi_saver *s, const void *structure)
{
    const bosc_kdtree *tree = structure;
    void *points, *ids;
    size_t point_bytes = (size_t)tree->nodes * (size_t)tree->opts.dim * bosc_dtype_size(tree->opts.dtype);
    size_t id_bytes = (size_t)tree->nodes * sizeof(uint32_t);
    bool removed = tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    size_t row_bytes = (size_t)tree->n * sizeof(uint32_t);
    bi_progress_set_total(s->ctx, bi_save_items(point_bytes + id_bytes + (removed ? row_bytes + id_bytes : 0)));
    BI_TRY(bi_scratch(s->ctx, point_bytes, &points));
    BI_TRY(bi_scratch(s->ctx, id_bytes, &ids));
    if (tree->nodes) BI_TRY(tree->ops->fetch(s->ctx, tree, points, ids));
    BI_TRY(bi_kdtree_save_header(s, &tree->opts, tree->n, tree->nodes));
    BI_TRY(bi_save_array(s, points, point_bytes));
    BI_TRY(bi_save_array(s, ids, id_bytes));
    if (removed) {
        BI_TRY(bi_save_array(s, tree->inverse.data, row_bytes));
        BI_TRY(bi_save_array(s, tree->counts.data, id_bytes));
    }
    return BOSC_OK;
}

bosc_status bosc_kdtree_write(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    return bi_save(ctx, write, user, save_tree, tree);
}
