/* The boxes of the parts of all shards, and queries against them. */
#include "core/call.h"
#include "dist/emst.h"

/* Subtrees of a rank at most. */
static int64_t most_parts(const struct bi_dist_cuts *cuts)
{
    int64_t most = 0;
    for (int64_t r = 0; r < cuts->rank_count; r++) {
        const int64_t count = bi_dist_kdtree_first_subtree(cuts, r + 1) - bi_dist_kdtree_first_subtree(cuts, r);
        if (count > most) most = count;
    }
    return most;
}

/* This rank's boxes, to host memory: (part_count). */
static bosc_status find_parts(const struct bi_dist_emst *e, int64_t first, uint64_t *own)
{
    const bosc_kdtree_opts *o = &e->tree->opts;
    const int64_t words = e->part_count * 2 * o->dim;
    struct bi_dist_emst_parts step = {.rows = {e->rows, e->n, o->dim},
                                      .dtype = o->dtype,
                                      .dim = o->dim,
                                      .pieces = e->tree->pieces.data,
                                      .first = (uint32_t)first};
    BI_TRY(bi_scratch_of(e->ctx, words, sizeof *step.boxes, &step.boxes));
    BI_TRY(e->ctx->backend->fill(e->ctx, step.boxes, 0xff, (size_t)words * sizeof *own));
    BI_TRY(e->steps->emst_parts(e->ctx, e->n * o->dim, &step));
    BI_TRY(e->ctx->backend->copy(e->ctx, own, step.boxes, (size_t)words * sizeof *own));
    BI_TRY(e->ctx->backend->sync(e->ctx));
    for (int64_t p = 0; p < e->part_count; p++)
        for (int64_t c = 0; c < o->dim; c++) own[(2 * p + 1) * o->dim + c] = ~own[(2 * p + 1) * o->dim + c];
    return BOSC_OK;
}

/* host: room for this rank's boxes and those of all. */
static bosc_status share(struct bi_dist_emst *e, bosc_status mine, int64_t first, uint64_t *host)
{
    const int64_t words = e->part_count * 2 * e->tree->opts.dim, ranks = e->comm->rank_count;
    const size_t bytes = (size_t)words * sizeof *host;
    uint64_t *all = host ? host + words : NULL;
    if (mine == BOSC_OK) BI_WITH_SCRATCH(e->ctx, mine = find_parts(e, first, host));
    BI_TRY(bi_comm_agree(e->ctx, e->comm, mine));
    BI_TRY(bi_comm_all_gather(e->ctx, e->comm, host, bytes, all));
    mine = e->ctx->backend->copy(e->ctx, e->parts, all, bytes * (size_t)ranks);
    return bi_comm_agree(e->ctx, e->comm, mine == BOSC_OK ? e->ctx->backend->sync(e->ctx) : mine);
}

bosc_status bi_dist_emst_share_parts(struct bi_dist_emst *e, bosc_status mine)
{
    const struct bi_dist_cuts cuts = bi_dist_kdtree_cuts(e->tree->nodes, e->comm->rank_count);
    const int64_t ranks = e->comm->rank_count;
    e->part_count = most_parts(&cuts);
    const int64_t words = e->part_count * 2 * e->tree->opts.dim;
    const size_t bytes = (size_t)(words * (ranks + 1)) * sizeof *e->parts;
    uint64_t *host = NULL;
    if (mine == BOSC_OK) mine = bi_scratch_of(e->ctx, words * ranks, sizeof *e->parts, &e->parts);
    if (mine == BOSC_OK && !(host = bi_host_alloc(e->ctx, bytes))) mine = BOSC_ERR_NOMEM;
    const bosc_status status = share(e, mine, bi_dist_kdtree_first_subtree(&cuts, e->comm->rank), host);
    bi_memory_release(&e->ctx->host, host, bytes);
    return status;
}

struct bi_dist_kdtree_reach bi_dist_emst_reach_of(const struct bi_dist_emst *e, const void *rows, int64_t n)
{
    struct bi_dist_kdtree_reach reach =
        bi_dist_kdtree_reach_of(e->tree, &(struct bi_kdtree_rows){rows, n, e->tree->opts.dim});
    reach.search = BI_DIST_OTHER;
    reach.own = (uint32_t)e->comm->rank;
    reach.parts = e->parts;
    reach.part_count = e->part_count;
    return reach;
}
