/* Writes trees: the same bytes on every backend. */
#define XXH_INLINE_ALL
#include <string.h>

#include <xxhash.h>

#include "base/fault.h"
#include "kdtree/save.h"

struct writer {
    bosc_ctx *ctx;
    bosc_write_fn write;
    void *user;
    char *slice; /* host memory, BI_KD_SAVE_SLICE bytes */
    XXH3_state_t *hash;
};

static bosc_status put(struct writer *w, const void *bytes, size_t count)
{
    XXH3_64bits_update(w->hash, bytes, count);
    if (bi_fault(BI_FAULT_WRITE) || w->write(w->user, bytes, count) != 0)
        return bi_fail(w->ctx, BOSC_ERR_IO, "write: the caller's function failed");
    return BOSC_OK;
}

/* Backend memory, by slices. */
static bosc_status put_array(struct writer *w, const void *array, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += BI_KD_SAVE_SLICE) {
        size_t part = bytes - at < BI_KD_SAVE_SLICE ? bytes - at : BI_KD_SAVE_SLICE;
        BI_TRY(w->ctx->backend->copy(w->ctx, w->slice, (const char *)array + at, part));
        BI_TRY(w->ctx->backend->sync(w->ctx));
        BI_TRY(put(w, w->slice, part));
    }
    return BOSC_OK;
}

static bosc_status put_header(struct writer *w, const bosc_kdtree *tree)
{
    bool removed = tree->opts.duplicates == BOSC_DUPLICATES_REMOVE;
    struct bi_kd_header h = {.version = BI_KD_SAVE_VERSION,
                             .flags = removed ? BI_KD_SAVE_DUPLICATES_REMOVED : 0,
                             .dtype = (uint32_t)tree->opts.dtype,
                             .dim = (uint32_t)tree->opts.dim,
                             .id_bits = (uint32_t)tree->opts.id_bits,
                             .n = tree->n,
                             .nodes = tree->nodes};
    memcpy(h.magic, BI_KD_SAVE_MAGIC, sizeof h.magic);
    h.hash = XXH3_64bits(&h, offsetof(struct bi_kd_header, hash));
    return put(w, &h, sizeof h);
}

static bosc_status put_tree(struct writer *w, const bosc_kdtree *tree)
{
    void *points, *ids;
    size_t point_bytes = (size_t)tree->nodes * (size_t)tree->opts.dim * bosc_dtype_size(tree->opts.dtype);
    size_t id_bytes = (size_t)tree->nodes * sizeof(uint32_t);
    BI_TRY(bi_scratch(w->ctx, point_bytes, &points));
    BI_TRY(bi_scratch(w->ctx, id_bytes, &ids));
    if (tree->nodes) BI_TRY(tree->ops->fetch(w->ctx, tree, points, ids));
    BI_TRY(put_header(w, tree));
    BI_TRY(put_array(w, points, point_bytes));
    BI_TRY(put_array(w, ids, id_bytes));
    if (tree->opts.duplicates == BOSC_DUPLICATES_REMOVE) {
        BI_TRY(put_array(w, tree->inverse.data, (size_t)tree->n * sizeof(uint32_t)));
        BI_TRY(put_array(w, tree->counts.data, id_bytes));
    }
    XXH64_hash_t hash = XXH3_64bits_digest(w->hash);
    return put(w, &hash, sizeof hash);
}

bosc_status bosc_kdtree_write(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_write_fn write, void *user)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_kd_check_tree(ctx, tree));
    if (!write) return bi_fail(ctx, BOSC_ERR_ARG, "write: NULL");
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    struct writer w = {ctx, write, user, bi_memory_alloc(&ctx->host, BI_KD_SAVE_SLICE), &hash};
    if (!w.slice)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "out of host memory: %d bytes were refused", (int)BI_KD_SAVE_SLICE);
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = put_tree(&w, tree);
    bi_arena_rewind(ctx, mark);
    bi_memory_release(&ctx->host, w.slice, BI_KD_SAVE_SLICE);
    return status;
}
