/* Saves a tree over ranks as the bytes of one tree. Rank 0 writes; the other ranks send it their arrays chunk by
 * chunk. */
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"
#include "kdtree/save.h"

enum { CHUNK_BYTES = BI_RANKS_CHUNK_BYTES };

/* A rank's range of the in-order array, and its state of the exchange with rank 0. */
struct tree_writer {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    struct bi_ranks_kdtree_partition partition;
    bosc_status local_status; /* this rank's own status, exchanged at the next agreement */
    struct bi_saver *saver;   /* rank 0 only */
    void *points, *ids;
    uint32_t *inverse, *counts; /* if duplicates are removed */
    void *chunk;                /* rank 0 only */
    int64_t *at;                /* host, (ranks + 1) twice: offsets of sent bytes, and of received bytes */
    int64_t *node_begins;       /* host, (ranks + 1) each: the first node, and the first row, of each rank */
    int64_t *row_begins;
    bool started, done; /* the exchanges have started; have succeeded */
};

/* Sends a chunk of rank r's array, from byte `begin` on, to rank 0, which writes it. A failure of this rank alone stays
 * in w->local_status; a lost rank is returned. */
static bosc_status write_chunk(struct tree_writer *w, int32_t r, const char *array, int64_t begin, int64_t bytes)
{
    const int32_t ranks = w->tree->comm->rank_count, rank = w->tree->comm->rank;
    int64_t *sent = w->at, *received = w->at + ranks + 1;
    BI_TRY(bi_comm_agree(w->ctx, w->tree->comm, w->local_status));
    for (int32_t i = 0; i <= ranks; i++) {
        sent[i] = rank == r && i > 0 ? bytes : 0;
        received[i] = rank == 0 && i > r ? bytes : 0;
    }
    w->local_status =
        bi_comm_all_to_all(w->ctx, w->tree->comm, false, array ? array + begin : NULL, sent, w->chunk, received);
    if (w->local_status == BOSC_OK && rank == 0) w->local_status = bi_save_array(w->saver, w->chunk, (size_t)bytes);
    return w->local_status == BOSC_ERR_COMM ? w->local_status : BOSC_OK;
}

/* Writes an array over all ranks of items of `size` bytes; rank r has those from begins[r] on. */
static bosc_status write_array(struct tree_writer *w, const int64_t *begins, const void *array, size_t size)
{
    for (int32_t r = 0; r < w->tree->comm->rank_count; r++) {
        const int64_t bytes = (begins[r + 1] - begins[r]) * (int64_t)size;
        for (int64_t begin = 0; begin < bytes; begin += CHUNK_BYTES) {
            const int64_t bytes_now = bytes - begin < CHUNK_BYTES ? bytes - begin : CHUNK_BYTES;
            BI_TRY(write_chunk(w, r, array, begin, bytes_now));
        }
    }
    return BOSC_OK;
}

/* Runs on all ranks; on rank 0 within bi_save. */
static bosc_status write_arrays(struct tree_writer *w)
{
    const bosc_kdtree_opts *o = &w->tree->opts;
    w->started = true;
    BI_TRY(write_array(w, w->node_begins, w->points, (size_t)o->dim * bosc_dtype_size(o->dtype)));
    BI_TRY(write_array(w, w->node_begins, w->ids, sizeof(uint32_t)));
    if (o->duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(write_array(w, w->row_begins, w->inverse, sizeof *w->inverse));
        BI_TRY(write_array(w, w->node_begins, w->counts, sizeof *w->counts));
    }
    BI_TRY(bi_comm_agree(w->ctx, w->tree->comm, w->local_status));
    w->done = true;
    return BOSC_OK;
}

/* Called by bi_save on rank 0: the header, then the arrays. */
static bosc_status write_tree(struct bi_saver *s, const void *structure)
{
    struct tree_writer *w = (struct tree_writer *)(uintptr_t)structure;
    w->saver = s;
    BI_IF_OK(w->local_status, bi_kdtree_save_header(s, &w->tree->opts, w->tree->n, w->tree->nodes));
    return write_arrays(w);
}

/* Computes this rank's range of the in-order array, in scratch. */
static bosc_status prepare(struct tree_writer *w)
{
    bosc_ctx *ctx = w->ctx;
    const bosc_ranks_kdtree *tree = w->tree;
    const int64_t n = tree->end - tree->begin;
    BI_TRY(bi_ranks_kdtree_check_representatives(ctx, tree));
    if (tree->n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "tree: %lld points; a saved tree holds less than 2^32 - 1",
                       (long long)tree->n);
    if (tree->comm->rank == 0) BI_TRY(bi_scratch(ctx, CHUNK_BYTES, &w->chunk));
    BI_TRY(bi_scratch_of(ctx, n * tree->opts.dim, bosc_dtype_size(tree->opts.dtype), &w->points));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &w->ids));
    return bi_ranks_kdtree_write_nodes(ctx, tree, w->points, w->ids, false);
}

static bosc_status narrow_ids(struct tree_writer *w, const int64_t *from, int64_t n, uint32_t *to)
{
    const struct bi_ranks_resize_ids resize = {from, to, false};
    return n ? w->ctx->ops->ranks->steps->resize_ids(w->ctx, n, &resize) : BOSC_OK;
}

static bosc_status find_duplicates(struct tree_writer *w)
{
    const int64_t nodes = w->tree->end - w->tree->begin, rows = w->tree->input_count;
    int64_t *inverse = NULL, *counts = NULL;
    bosc_status local_status = bi_scratch_of(w->ctx, rows, sizeof *inverse, &inverse);
    BI_IF_OK(local_status, bi_scratch_of(w->ctx, nodes, sizeof *counts, &counts));
    BI_TRY(
        bi_ranks_kdtree_find_duplicates(w->ctx, w->tree, local_status, w->ids, false, w->row_begins, inverse, counts));
    w->local_status = narrow_ids(w, inverse, rows, w->inverse);
    BI_IF_OK(w->local_status, narrow_ids(w, counts, nodes, w->counts));
    return BOSC_OK;
}

/* Computes the inverse and the counts, in scratch. */
static bosc_status prepare_duplicates(struct tree_writer *w)
{
    bosc_status local_status = bi_scratch_of(w->ctx, w->tree->input_count, sizeof *w->inverse, &w->inverse);
    BI_IF_OK(local_status, bi_scratch_of(w->ctx, w->tree->end - w->tree->begin, sizeof *w->counts, &w->counts));
    BI_TRY(bi_ranks_kdtree_gather_row_begins(w->ctx, w->tree, local_status, w->row_begins));
    BI_TRY_WITH_SCRATCH(w->ctx, find_duplicates(w));
    return bi_comm_agree(w->ctx, w->tree->comm, w->local_status);
}

/* Rank 0 writes within bi_save; the other ranks only send. */
static bosc_status save_tree(struct tree_writer *w, bosc_write_fn write, void *user)
{
    bosc_comm *comm = w->tree->comm;
    if (comm->rank > 0) {
        BI_TRY(write_arrays(w));
        return bi_comm_agree(w->ctx, comm, BOSC_OK); /* with rank 0, which has written the hash */
    }
    const bosc_status status = bi_save(w->ctx, write, user, write_tree, w);
    if (w->started) return w->done ? bi_comm_agree(w->ctx, comm, status) : status;
    w->local_status = status; /* the others wait in the first exchange */
    return write_arrays(w);
}

/* Allocates the lists, and sets node_begins. */
static bosc_status allocate_lists(struct tree_writer *w, size_t bytes)
{
    const int32_t ranks = w->tree->comm->rank_count;
    w->at = bi_host_alloc(w->ctx, bytes);
    if (!w->at) return BOSC_ERR_NOMEM;
    w->node_begins = w->at + 2 * (ranks + 1);
    w->row_begins = w->node_begins + (ranks + 1);
    for (int32_t r = 0; r < ranks; r++) w->node_begins[r] = bi_ranks_kdtree_shard_range(&w->partition, r).begin;
    w->node_begins[ranks] = w->tree->nodes;
    return BOSC_OK;
}

static bosc_status prepare_and_save(struct tree_writer *w, bosc_status local_status, bosc_write_fn write, void *user)
{
    const size_t bytes = 4 * (size_t)(w->tree->comm->rank_count + 1) * sizeof *w->at;
    BI_IF_OK(local_status, allocate_lists(w, bytes));
    BI_IF_OK(local_status, prepare(w));
    bosc_status status = bi_comm_agree(w->ctx, w->tree->comm, local_status);
    if (status == BOSC_OK && w->tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) status = prepare_duplicates(w);
    BI_IF_OK(status, save_tree(w, write, user));
    (void)w->ctx->backend->sync(w->ctx); /* a queued copy may read the lists */
    bi_memory_release(&w->ctx->host, w->at, bytes);
    return status;
}

bosc_status bosc_ranks_kdtree_write(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    const bosc_status local_status = bi_ranks_kdtree_check(ctx, tree);
    if (!tree) return local_status;
    struct tree_writer w = {
        .ctx = ctx, .tree = tree, .partition = bi_ranks_kdtree_make_partition(tree->nodes, tree->comm->rank_count)};
    bi_progress_set_total(ctx, 60 * (double)(tree->end - tree->begin));
    BI_RETURN_WITH_SCRATCH(ctx, prepare_and_save(&w, local_status, write, user));
}
