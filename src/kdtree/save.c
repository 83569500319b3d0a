/* Writes trees, the same bytes on every backend, and reads them without trust in the input: arrays grow as bytes
 * arrive, the checksum is verified, then ids are checked. (bosc_kdtree_verify checks the order of the nodes.) */
#include "kdtree/save.h"

#include <string.h>

#include "core/call.h"

/* --- Writing ------------------------------------------------------------------------------------------------------ */

bosc_status bi_kdtree_save_header(struct bi_saver *s, const bosc_kdtree_opts *opts, int64_t n, int64_t nodes)
{
    bool removed = opts->duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    struct bi_kdtree_header h = {.flags = removed ? BI_KDTREE_SAVE_DUPLICATES_REMOVED : 0,
                                 .dtype = (uint32_t)opts->dtype,
                                 .dim = (uint32_t)opts->dim,
                                 .id_bits = (uint32_t)opts->id_bits,
                                 .n = n,
                                 .nodes = nodes};
    return bi_save_header(s, &h, sizeof h, BI_KDTREE_SAVE_MAGIC, BI_KDTREE_SAVE_VERSION);
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

/* --- Reading ------------------------------------------------------------------------------------------------------ */

enum { POINTS, IDS, INVERSE, COUNTS, SEEN, ARRAYS };

struct reader {
    struct bi_loader loader; /* first: see bi_load_structure */
    struct bi_kdtree_header header;
    struct bi_loaded arrays[ARRAYS];
};

static bosc_status fail_malformed(struct reader *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

static bosc_status read_array(struct reader *r, int which, size_t bytes, const char *what)
{
    return bi_load_array(&r->loader, &r->arrays[which], bytes, what);
}

static bosc_status read_header(struct reader *r)
{
    struct bi_kdtree_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_KDTREE_SAVE_MAGIC, BI_KDTREE_SAVE_VERSION));
    if (h->flags > BI_KDTREE_SAVE_DUPLICATES_REMOVED || h->reserved || h->unused)
        return fail_malformed(r, "the header has unknown flags");
    if (h->dtype < BOSC_F32 || h->dtype > BOSC_I64) return fail_malformed(r, "the type of its elements is unknown");
    if (h->dim < 1 || h->dim > 1024) return fail_malformed(r, "its dimension is not in 1 to 1024");
    if (h->id_bits != 32 && h->id_bits != 64) return fail_malformed(r, "its ids have neither 32 nor 64 bits");
    if (h->n < 0 || h->n >= (int64_t)UINT32_MAX || h->nodes < 0 || h->nodes > h->n || (h->n > 0 && h->nodes == 0))
        return fail_malformed(r, "its size is out of range");
    if (!(h->flags & BI_KDTREE_SAVE_DUPLICATES_REMOVED) && h->nodes != h->n) return fail_malformed(r, "it lacks nodes");
    return BOSC_OK;
}

static bosc_status read_arrays(struct reader *r)
{
    const struct bi_kdtree_header *h = &r->header;
    size_t nodes = (size_t)h->nodes, row = (size_t)h->dim * bosc_dtype_size((bosc_dtype)h->dtype);
    bool removed = h->flags & BI_KDTREE_SAVE_DUPLICATES_REMOVED;
    bi_progress_set_total(r->loader.ctx, bi_save_items(nodes * (row + 4) + (removed ? (nodes + (size_t)h->n) * 4 : 0)));
    BI_TRY(read_array(r, POINTS, nodes * row, "points"));
    BI_TRY(read_array(r, IDS, nodes * sizeof(uint32_t), "ids"));
    if (removed) {
        BI_TRY(read_array(r, INVERSE, (size_t)h->n * sizeof(uint32_t), "inverse"));
        BI_TRY(read_array(r, COUNTS, nodes * sizeof(uint32_t), "counts"));
    }
    return bi_load_hash(&r->loader);
}

/* Fails unless ids are in range and distinct. */
static bosc_status check_ids(struct reader *r)
{
    const uint32_t *ids = (const uint32_t *)r->arrays[IDS].data;
    struct bi_loaded *seen = &r->arrays[SEEN];
    BI_TRY(bi_load_reserve(&r->loader, seen, (size_t)r->header.n));
    if (r->header.n) memset(seen->data, 0, (size_t)r->header.n);
    for (int64_t i = 0; i < r->header.nodes; i++) {
        if ((int64_t)ids[i] >= r->header.n) return fail_malformed(r, "an id is out of range");
        if (seen->data[ids[i]]++) return fail_malformed(r, "an id is repeated");
    }
    return BOSC_OK;
}

/* Fails unless each row has a node, counts are right, and the id of a node is one of its own rows. */
static bosc_status check_runs(struct reader *r)
{
    const uint32_t *ids = (const uint32_t *)r->arrays[IDS].data;
    const uint32_t *inverse = (const uint32_t *)r->arrays[INVERSE].data;
    uint32_t *counts = (uint32_t *)r->arrays[COUNTS].data;
    for (int64_t i = 0; i < r->header.n; i++) {
        if ((int64_t)inverse[i] >= r->header.nodes) return fail_malformed(r, "a row stands for no node");
        counts[inverse[i]]--;
    }
    for (int64_t i = 0; i < r->header.nodes; i++) {
        if (counts[i] != 0) return fail_malformed(r, "a count is wrong");
        if (inverse[ids[i]] != (uint32_t)i) return fail_malformed(r, "a node is named for another's row");
    }
    for (int64_t i = 0; i < r->header.n; i++) counts[inverse[i]]++;
    return BOSC_OK;
}

static bosc_status copy_to_backend(bosc_ctx *ctx, const struct bi_loaded *a, void **copied)
{
    BI_TRY(bi_scratch(ctx, a->bytes, copied));
    return a->bytes ? ctx->backend->copy(ctx, *copied, a->data, a->bytes) : BOSC_OK;
}

/* Reads the file and checks everything that needs no tree. */
static bosc_status read_tree(void *state)
{
    struct reader *r = state;
    BI_TRY(read_header(r));
    BI_TRY(read_arrays(r));
    BI_TRY(check_ids(r));
    return r->header.flags & BI_KDTREE_SAVE_DUPLICATES_REMOVED ? check_runs(r) : BOSC_OK;
}

static bosc_status create_tree(void *state, void **fresh)
{
    struct reader *r = state;
    const struct bi_kdtree_header *h = &r->header;
    bool removed = h->flags & BI_KDTREE_SAVE_DUPLICATES_REMOVED;
    bosc_kdtree_opts opts = {.size = sizeof opts,
                             .dtype = (bosc_dtype)h->dtype,
                             .dim = (int32_t)h->dim,
                             .duplicates = removed ? BOSC_KDTREE_DUPLICATES_REMOVE : BOSC_KDTREE_DUPLICATES_KEEP,
                             .id_bits = (int32_t)h->id_bits};
    bosc_kdtree *tree;
    BI_TRY(bi_kdtree_new(r->loader.ctx, &opts, &tree));
    *fresh = tree;
    return BOSC_OK;
}

static bosc_status fill_tree(void *state, void *fresh)
{
    struct reader *r = state;
    bosc_kdtree *tree = fresh;
    bosc_ctx *ctx = r->loader.ctx;
    const struct bi_loaded *inverse = &r->arrays[INVERSE], *counts = &r->arrays[COUNTS];
    struct bi_kdtree_rows rows = {.n = r->header.nodes, .stride = tree->opts.dim};
    void *points, *ids;
    bosc_kdtree next;
    /* 1. Copy the nodes to scratch, and make the blocks of the tree. */
    BI_TRY(copy_to_backend(ctx, &r->arrays[POINTS], &points));
    BI_TRY(copy_to_backend(ctx, &r->arrays[IDS], &ids));
    BI_TRY(bi_kdtree_reserve_blocks(ctx, tree, r->header.n, &next));
    bi_kdtree_commit(tree, &next);
    if (rows.n == 0) return BOSC_OK;
    /* 2. Fill them. */
    rows.data = points;
    tree->n = r->header.n;
    tree->nodes = rows.n;
    if (inverse->bytes) BI_TRY(ctx->backend->copy(ctx, tree->inverse.data, inverse->data, inverse->bytes));
    if (counts->bytes) BI_TRY(ctx->backend->copy(ctx, tree->counts.data, counts->data, counts->bytes));
    BI_TRY(bi_kdtree_find_magnitude(ctx, tree, &rows, &tree->magnitude));
    BI_TRY(tree->ops->store(ctx, tree, &rows, NULL, ids));
    BI_TRY(tree->ops->make_index(ctx, tree));
    return ctx->backend->sync(ctx);
}

static void free_tree(void *tree) { bosc_kdtree_free(tree); }

bosc_status bosc_kdtree_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_kdtree **tree)
{
    static const struct bi_load_kind kind = {"tree", "saved tree", read_tree, create_tree, fill_tree, free_tree};
    struct reader r = {0};
    BI_ENTER(ctx);
    return bi_load_structure(ctx, read, user, &kind, &r, r.arrays, ARRAYS, tree);
}
