/* Verifies a tree over ranks: each checks its nodes. The ancestors of a node are on its own rank, except the few nodes
 * above the subtrees, which are gathered on all ranks. */
#include <string.h>

#include "base/clock.h"
#include "core/call.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

struct proof {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    struct bi_ranks_kdtree_partition partition;
    int64_t count, subtrees, max_uppers; /* max_uppers: greatest number of nodes above the subtrees on a rank */
    size_t row;                          /* bytes */
    char *rows;                          /* scratch: this rank's nodes, then the node after each subtree */
    int64_t *ids;
};

/* Nodes above the subtrees go through host memory, each as its id and its row. */
static size_t upper_bytes(const struct proof *p) { return sizeof *p->ids + (p->row + 7) / 8 * 8; }

/* Computes this rank's nodes, in scratch with room for the upper nodes. */
static bosc_status write_nodes(struct proof *p)
{
    BI_TRY(bi_scratch(p->ctx, (size_t)(p->count + p->subtrees) * p->row, (void **)&p->rows));
    BI_TRY(bi_scratch_of(p->ctx, p->count + p->subtrees, sizeof *p->ids, &p->ids));
    return bi_ranks_kdtree_write_nodes(p->ctx, p->tree, p->rows, p->ids, true);
}

enum direction { TO_UPPERS, FROM_UPPERS };

/* Copies the nodes after the subtrees of a rank: those of this rank to `uppers`, or from `uppers` to behind this
 * rank's nodes. */
static bosc_status copy_uppers(const struct proof *p, int32_t rank, char *uppers, enum direction direction)
{
    const bool out = direction == TO_UPPERS;
    const int64_t first = bi_ranks_kdtree_first_subtree(&p->partition, rank),
                  next = bi_ranks_kdtree_first_subtree(&p->partition, rank + 1);
    for (int64_t j = first; j < next; j++, uppers += upper_bytes(p)) {
        const struct bi_kdtree_range r = bi_ranks_kdtree_part_range(&p->partition, 2 * j + 1);
        const int64_t at = out ? r.begin - p->tree->begin : p->count + j;
        char *row = p->rows + (size_t)at * p->row, *id = (char *)(p->ids + at), *to = uppers + sizeof *p->ids;
        if (r.begin == r.end) continue;
        BI_TRY(p->ctx->backend->copy(p->ctx, out ? uppers : id, out ? id : uppers, sizeof *p->ids));
        BI_TRY(p->ctx->backend->copy(p->ctx, out ? to : row, out ? row : to, p->row));
    }
    return p->ctx->backend->sync(p->ctx);
}

/* *bad: the smallest of this rank's nodes that is out of order, or INT64_MAX. */
static bosc_status check_nodes(const struct proof *p, int64_t *bad)
{
    const bosc_ranks_kdtree *tree = p->tree;
    struct bi_ranks_kdtree_verify step = {.rows = {p->rows, p->count + p->subtrees, tree->opts.dim},
                                          .ids = p->ids,
                                          .dtype = tree->opts.dtype,
                                          .dim = tree->opts.dim,
                                          .level = p->partition.level,
                                          .begin = tree->begin,
                                          .count = p->count,
                                          .nodes = tree->nodes,
                                          .n = tree->n};
    *bad = INT64_MAX;
    if (p->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(p->ctx, 1, sizeof *bad, &step.bad));
    BI_TRY(p->ctx->backend->copy(p->ctx, step.bad, bad, sizeof *bad));
    BI_TRY(p->ctx->ops->ranks->steps->kdtree_verify(p->ctx, p->count, &step));
    return bi_read_back(p->ctx, bad, step.bad, sizeof *bad);
}

/* Gathers the upper nodes and checks this rank's nodes. *bad: the smallest faulty node of all ranks, or INT64_MAX.
 * uppers: host, of one rank and then of all. */
static bosc_status exchange_and_check(struct proof *p, bosc_status local_status, char *uppers, int64_t *bad)
{
    bosc_comm *comm = p->tree->comm;
    const size_t bytes = (size_t)p->max_uppers * upper_bytes(p);
    BI_IF_OK(local_status, write_nodes(p));
    BI_IF_OK(local_status, copy_uppers(p, comm->rank, uppers, TO_UPPERS));
    BI_TRY(bi_comm_agree(p->ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(p->ctx, comm, uppers, bytes, uppers + bytes));
    for (int32_t r = 0; r < comm->rank_count && local_status == BOSC_OK; r++)
        local_status = copy_uppers(p, r, uppers + (size_t)(r + 1) * bytes, FROM_UPPERS);
    int64_t own = INT64_MAX, *all = comm->gather;
    BI_IF_OK(local_status, check_nodes(p, &own));
    BI_TRY(bi_comm_agree(p->ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(p->ctx, comm, &own, sizeof own, all));
    *bad = INT64_MAX;
    for (int32_t r = 0; r < comm->rank_count; r++) *bad = all[r] < *bad ? all[r] : *bad;
    return BOSC_OK;
}

static bosc_status verify(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status, int64_t *bad)
{
    const int32_t ranks = tree->comm->rank_count;
    struct proof p = {.ctx = ctx,
                      .tree = tree,
                      .partition = bi_ranks_kdtree_make_partition(tree->nodes, ranks),
                      .count = tree->end - tree->begin,
                      .row = (size_t)tree->opts.dim * bosc_dtype_size(tree->opts.dtype)};
    p.subtrees = (int64_t)1 << p.partition.level;
    p.max_uppers = p.subtrees / ranks + 1; /* shares of subtrees are rounded to nearest */
    const size_t bytes = (size_t)(ranks + 1) * (size_t)p.max_uppers * upper_bytes(&p);
    char *uppers = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !uppers) local_status = BOSC_ERR_NOMEM;
    if (uppers) memset(uppers, 0, bytes);
    const bosc_status status = exchange_and_check(&p, local_status, uppers, bad);
    if (status != BOSC_OK) (void)ctx->backend->sync(ctx); /* a queued copy may access the nodes */
    bi_memory_release(&ctx->host, uppers, bytes);
    return status;
}

bosc_status bosc_ranks_kdtree_verify(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t *node)
{
    bosc_status status;
    int64_t bad = INT64_MAX;
    const double begin = bi_now();
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    bi_progress_set_total(ctx, 80 * (double)(tree->end - tree->begin));
    BI_WITH_SCRATCH(ctx, status = verify(ctx, tree, bi_ranks_kdtree_check(ctx, tree), &bad));
    BI_TRY(status);
    double seconds = bi_now() - begin; /* another thread may read the times */
    __atomic_store(&((bosc_ranks_kdtree *)tree)->times.verify, &seconds, __ATOMIC_RELAXED);
    if (bad == INT64_MAX) return BOSC_OK;
    if (node) *node = bad;
    return bi_fail(ctx, BOSC_ERR_DATA, "tree: node %lld of %lld is not on the side of an ancestor where it belongs",
                   (long long)bad, (long long)tree->nodes);
}
