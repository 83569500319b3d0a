/* Writes a distributed tree as the bytes of one tree. Rank 0 writes, and gets the arrays of the others slice by
 * slice. */
#include <string.h>

#include "dist/kdtree.h"
#include "kdtree/save.h"

enum { SLICE = 1 << 20 };

/* What a rank has of the in-order array, and its end of the way to rank 0. */
struct writing {
    bosc_ctx *ctx;
    const bosc_dist_kdtree *tree;
    struct bi_dist_cuts cuts;
    bosc_status mine;       /* of this rank, told in the next exchange */
    struct bi_saver *saver; /* of rank 0 */
    void *points, *ids;
    void *slice;    /* of rank 0 */
    int64_t *at;    /* host, (ranks + 1) twice: offsets of what goes to rank 0, and of what it gets */
    bool met, done; /* the exchanges were begun, and ended well */
};

/* One slice of rank r's array, at byte `begin` of it, goes to rank 0, which writes it. */
static bosc_status put_slice(struct writing *w, int32_t r, const char *array, int64_t begin, int64_t bytes)
{
    const int32_t ranks = w->tree->comm->rank_count, rank = w->tree->comm->rank;
    int64_t *sent = w->at, *received = w->at + ranks + 1;
    BI_TRY(bi_comm_agree(w->ctx, w->tree->comm, w->mine));
    for (int32_t i = 0; i <= ranks; i++) {
        sent[i] = rank == r && i > 0 ? bytes : 0;
        received[i] = rank == 0 && i > r ? bytes : 0;
    }
    w->mine = bi_comm_all_to_all(w->ctx, w->tree->comm, false, array ? array + begin : NULL, sent, w->slice, received);
    if (w->mine == BOSC_OK && rank == 0) w->mine = bi_save_array(w->saver, w->slice, (size_t)bytes);
    return w->mine == BOSC_ERR_COMM ? w->mine : BOSC_OK;
}

/* An array of all ranks whose items have `size` bytes. */
static bosc_status put_array(struct writing *w, const void *array, size_t size)
{
    for (int32_t r = 0; r < w->tree->comm->rank_count; r++) {
        const struct bi_kdtree_range range = bi_dist_kdtree_shard(&w->cuts, r);
        const int64_t bytes = (range.end - range.begin) * (int64_t)size;
        for (int64_t begin = 0; begin < bytes; begin += SLICE) {
            const int64_t part = bytes - begin < SLICE ? bytes - begin : SLICE;
            BI_TRY(put_slice(w, r, array, begin, part));
        }
    }
    return BOSC_OK;
}

/* What all ranks do; on rank 0 within bi_save. */
static bosc_status put_arrays(struct writing *w)
{
    const bosc_kdtree_opts *o = &w->tree->opts;
    w->met = true;
    BI_TRY(put_array(w, w->points, (size_t)o->dim * bosc_dtype_size(o->dtype)));
    BI_TRY(put_array(w, w->ids, sizeof(uint32_t)));
    BI_TRY(bi_comm_agree(w->ctx, w->tree->comm, w->mine));
    w->done = true;
    return BOSC_OK;
}

static bosc_status put_tree(struct bi_saver *s, const void *structure)
{
    struct writing *w = (struct writing *)(uintptr_t)structure;
    w->saver = s;
    if (w->mine == BOSC_OK) w->mine = bi_kdtree_save_header(s, &w->tree->opts, w->tree->n, w->tree->nodes);
    return put_arrays(w);
}

/* This rank's part of the in-order array, in scratch. */
static bosc_status prepare(struct writing *w)
{
    bosc_ctx *ctx = w->ctx;
    const bosc_dist_kdtree *tree = w->tree;
    const int64_t n = tree->end - tree->begin;
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "tree: without duplicates; it cannot be saved, as rows are missing");
    if (tree->n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "tree: %lld points; a saved tree holds less than 2^32 - 1",
                       (long long)tree->n);
    if (tree->comm->rank == 0) BI_TRY(bi_scratch(ctx, SLICE, &w->slice));
    BI_TRY(bi_scratch_of(ctx, n * tree->opts.dim, bosc_dtype_size(tree->opts.dtype), &w->points));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &w->ids));
    return bi_dist_kdtree_nodes(ctx, tree, w->points, w->ids, false);
}

static bosc_status save(struct writing *w, bosc_write_fn write, void *user)
{
    bosc_comm *comm = w->tree->comm;
    if (comm->rank > 0) {
        BI_TRY(put_arrays(w));
        return bi_comm_agree(w->ctx, comm, BOSC_OK); /* with rank 0, which has written the hash */
    }
    const bosc_status status = bi_save(w->ctx, write, user, put_tree, w);
    if (w->met) return w->done ? bi_comm_agree(w->ctx, comm, status) : status;
    w->mine = status; /* the others wait in the first exchange */
    return put_arrays(w);
}

static bosc_status prepare_and_save(struct writing *w, bosc_status mine, bosc_write_fn write, void *user)
{
    const size_t bytes = 2 * (size_t)(w->tree->comm->rank_count + 1) * sizeof *w->at;
    if (mine == BOSC_OK) mine = prepare(w);
    if (mine == BOSC_OK) {
        w->at = bi_host_alloc(w->ctx, bytes);
        mine = w->at ? BOSC_OK : BOSC_ERR_NOMEM;
    }
    bosc_status status = bi_comm_agree(w->ctx, w->tree->comm, mine);
    if (status == BOSC_OK) status = save(w, write, user);
    bi_memory_release(&w->ctx->host, w->at, bytes);
    return status;
}

bosc_status bosc_dist_kdtree_write(bosc_ctx *ctx, const bosc_dist_kdtree *tree, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    const bosc_status mine = bi_dist_kdtree_check(ctx, tree);
    if (!tree) return mine;
    struct writing w = {.ctx = ctx, .tree = tree, .cuts = bi_dist_kdtree_cuts(tree->nodes, tree->comm->rank_count)};
    bi_expect(ctx, 60 * (double)(tree->end - tree->begin));
    BI_RETURN_WITH_SCRATCH(ctx, prepare_and_save(&w, mine, write, user));
}
