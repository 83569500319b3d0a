/* Writes a distributed tree as the bytes of one tree. Rank 0 writes, and gets the arrays of the others slice by
 * slice. */
#include <string.h>

#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"
#include "kdtree/save.h"

enum { SLICE = 1 << 20 };

/* What a rank has of the in-order array, and its end of the way to rank 0. */
struct writing {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    struct bi_ranks_cuts cuts;
    bosc_status local_status; /* of this rank, told in the next exchange */
    struct bi_saver *saver;   /* of rank 0 */
    void *points, *ids;
    uint32_t *inverse, *counts; /* where duplicates are removed */
    void *slice;                /* of rank 0 */
    int64_t *at;                /* host, (ranks + 1) twice: offsets of what goes to rank 0, and of what it gets */
    int64_t *begins;            /* host, (ranks + 1): the first node, and then the first row, of each rank */
    int64_t *starts;
    bool met, done; /* the exchanges were begun, and ended well */
};

/* One slice of rank r's array, at byte `begin` of it, goes to rank 0, which writes it. */
static bosc_status put_slice(struct writing *w, int32_t r, const char *array, int64_t begin, int64_t bytes)
{
    const int32_t ranks = w->tree->comm->rank_count, rank = w->tree->comm->rank;
    int64_t *sent = w->at, *received = w->at + ranks + 1;
    BI_TRY(bi_comm_agree(w->ctx, w->tree->comm, w->local_status));
    for (int32_t i = 0; i <= ranks; i++) {
        sent[i] = rank == r && i > 0 ? bytes : 0;
        received[i] = rank == 0 && i > r ? bytes : 0;
    }
    w->local_status =
        bi_comm_all_to_all(w->ctx, w->tree->comm, false, array ? array + begin : NULL, sent, w->slice, received);
    if (w->local_status == BOSC_OK && rank == 0) w->local_status = bi_save_array(w->saver, w->slice, (size_t)bytes);
    return w->local_status == BOSC_ERR_COMM ? w->local_status : BOSC_OK;
}

/* An array of all ranks whose items have `size` bytes, of which rank r has those from begins[r] on. */
static bosc_status put_array(struct writing *w, const int64_t *begins, const void *array, size_t size)
{
    for (int32_t r = 0; r < w->tree->comm->rank_count; r++) {
        const int64_t bytes = (begins[r + 1] - begins[r]) * (int64_t)size;
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
    BI_TRY(put_array(w, w->begins, w->points, (size_t)o->dim * bosc_dtype_size(o->dtype)));
    BI_TRY(put_array(w, w->begins, w->ids, sizeof(uint32_t)));
    if (o->duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(put_array(w, w->starts, w->inverse, sizeof *w->inverse));
        BI_TRY(put_array(w, w->begins, w->counts, sizeof *w->counts));
    }
    BI_TRY(bi_comm_agree(w->ctx, w->tree->comm, w->local_status));
    w->done = true;
    return BOSC_OK;
}

static bosc_status put_tree(struct bi_saver *s, const void *structure)
{
    struct writing *w = (struct writing *)(uintptr_t)structure;
    w->saver = s;
    if (w->local_status == BOSC_OK)
        w->local_status = bi_kdtree_save_header(s, &w->tree->opts, w->tree->n, w->tree->nodes);
    return put_arrays(w);
}

/* This rank's part of the in-order array, in scratch. */
static bosc_status prepare(struct writing *w)
{
    bosc_ctx *ctx = w->ctx;
    const bosc_ranks_kdtree *tree = w->tree;
    const int64_t n = tree->end - tree->begin;
    BI_TRY(bi_ranks_kdtree_check_firsts(ctx, tree));
    if (tree->n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "tree: %lld points; a saved tree holds less than 2^32 - 1",
                       (long long)tree->n);
    if (tree->comm->rank == 0) BI_TRY(bi_scratch(ctx, SLICE, &w->slice));
    BI_TRY(bi_scratch_of(ctx, n * tree->opts.dim, bosc_dtype_size(tree->opts.dtype), &w->points));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &w->ids));
    return bi_ranks_kdtree_nodes(ctx, tree, w->points, w->ids, false);
}

static bosc_status narrow(struct writing *w, const int64_t *from, int64_t n, uint32_t *to)
{
    const struct bi_ranks_resize_ids resize = {from, to, false};
    return n ? w->ctx->ops->dist->steps->resize_ids(w->ctx, n, &resize) : BOSC_OK;
}

static bosc_status find_duplicates(struct writing *w)
{
    const int64_t nodes = w->tree->end - w->tree->begin, rows = w->tree->given;
    int64_t *inverse = NULL, *counts = NULL;
    bosc_status local_status = bi_scratch_of(w->ctx, rows, sizeof *inverse, &inverse);
    if (local_status == BOSC_OK) local_status = bi_scratch_of(w->ctx, nodes, sizeof *counts, &counts);
    BI_TRY(bi_ranks_kdtree_find_duplicates(w->ctx, w->tree, local_status, w->ids, false, w->starts, inverse, counts));
    w->local_status = narrow(w, inverse, rows, w->inverse);
    if (w->local_status == BOSC_OK) w->local_status = narrow(w, counts, nodes, w->counts);
    return BOSC_OK;
}

/* Of the rows that were removed, in scratch. */
static bosc_status prepare_duplicates(struct writing *w)
{
    bosc_status local_status = bi_scratch_of(w->ctx, w->tree->given, sizeof *w->inverse, &w->inverse);
    if (local_status == BOSC_OK)
        local_status = bi_scratch_of(w->ctx, w->tree->end - w->tree->begin, sizeof *w->counts, &w->counts);
    BI_TRY(bi_ranks_kdtree_share_starts(w->ctx, w->tree, local_status, w->starts));
    BI_TRY_WITH_SCRATCH(w->ctx, find_duplicates(w));
    return bi_comm_agree(w->ctx, w->tree->comm, w->local_status);
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
    w->local_status = status; /* the others wait in the first exchange */
    return put_arrays(w);
}

static bosc_status take_lists(struct writing *w, size_t bytes)
{
    const int32_t ranks = w->tree->comm->rank_count;
    w->at = bi_host_alloc(w->ctx, bytes);
    if (!w->at) return BOSC_ERR_NOMEM;
    w->begins = w->at + 2 * (ranks + 1);
    w->starts = w->begins + (ranks + 1);
    for (int32_t r = 0; r < ranks; r++) w->begins[r] = bi_ranks_kdtree_shard(&w->cuts, r).begin;
    w->begins[ranks] = w->tree->nodes;
    return BOSC_OK;
}

static bosc_status prepare_and_save(struct writing *w, bosc_status local_status, bosc_write_fn write, void *user)
{
    const size_t bytes = 4 * (size_t)(w->tree->comm->rank_count + 1) * sizeof *w->at;
    if (local_status == BOSC_OK) local_status = take_lists(w, bytes);
    if (local_status == BOSC_OK) local_status = prepare(w);
    bosc_status status = bi_comm_agree(w->ctx, w->tree->comm, local_status);
    if (status == BOSC_OK && w->tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) status = prepare_duplicates(w);
    if (status == BOSC_OK) status = save(w, write, user);
    bi_memory_release(&w->ctx->host, w->at, bytes);
    return status;
}

bosc_status bosc_ranks_kdtree_write(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    const bosc_status local_status = bi_ranks_kdtree_check(ctx, tree);
    if (!tree) return local_status;
    struct writing w = {.ctx = ctx, .tree = tree, .cuts = bi_ranks_kdtree_cuts(tree->nodes, tree->comm->rank_count)};
    bi_progress_set_total(ctx, 60 * (double)(tree->end - tree->begin));
    BI_RETURN_WITH_SCRATCH(ctx, prepare_and_save(&w, local_status, write, user));
}
