/* Shards of a k-d tree over ranks: the partition of the in-order array among ranks, moves of rows to the ranks of
 * their shards, the build of a rank's shard from its rows, and the bounding boxes of all shards. */
#include <string.h>

#include "base/bits.h"
#include "core/call.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* ---- the partition ---- */

enum { EXTRA_LEVELS = 3 }; /* shards differ by about an eighth if the number of ranks is no power of two */

struct bi_ranks_kdtree_partition bi_ranks_kdtree_make_partition(int64_t nodes, int32_t rank_count)
{
    const int level = bi_bit_length((uint64_t)rank_count - 1);
    const bool is_power_of_two = (rank_count & (rank_count - 1)) == 0;
    return (struct bi_ranks_kdtree_partition){nodes, rank_count, is_power_of_two ? level : level + EXTRA_LEVELS};
}

int64_t bi_ranks_kdtree_first_subtree(const struct bi_ranks_kdtree_partition *partition, int64_t rank)
{
    const int64_t ranks = partition->rank_count;
    return ((2 * rank << partition->level) + ranks) / (2 * ranks); /* rank / ranks of all, rounded to nearest */
}

struct bi_kdtree_range bi_ranks_kdtree_subtree_range(int64_t nodes, int level, int64_t i)
{
    struct bi_kdtree_range r = {0, nodes};
    for (int bit = level - 1; bit >= 0; bit--) {
        const int64_t mid = bi_kdtree_mid(r);
        if (!(i >> bit & 1))
            r.end = mid;
        else
            r.begin = mid < r.end ? mid + 1 : mid;
    }
    return r;
}

struct bi_kdtree_range bi_ranks_kdtree_part_range(const struct bi_ranks_kdtree_partition *partition, int64_t part)
{
    const int64_t j = part / 2;
    struct bi_kdtree_range subtree = bi_ranks_kdtree_subtree_range(partition->nodes, partition->level, j);
    if (part % 2 == 0) return subtree;
    const bool last = j + 1 == (int64_t)1 << partition->level;
    const int64_t next =
        last ? partition->nodes : bi_ranks_kdtree_subtree_range(partition->nodes, partition->level, j + 1).begin;
    return (struct bi_kdtree_range){subtree.end, next};
}

struct bi_kdtree_range bi_ranks_kdtree_shard_range(const struct bi_ranks_kdtree_partition *partition, int64_t rank)
{
    const int64_t first = bi_ranks_kdtree_first_subtree(partition, rank),
                  next = bi_ranks_kdtree_first_subtree(partition, rank + 1);
    return (struct bi_kdtree_range){bi_ranks_kdtree_part_range(partition, 2 * first).begin,
                                    bi_ranks_kdtree_part_range(partition, 2 * next - 1).end};
}

int64_t bi_ranks_kdtree_max_subtrees(const struct bi_ranks_kdtree_partition *partition)
{
    int64_t max = 0;
    for (int64_t r = 0; r < partition->rank_count; r++) {
        const int64_t count =
            bi_ranks_kdtree_first_subtree(partition, r + 1) - bi_ranks_kdtree_first_subtree(partition, r);
        if (count > max) max = count;
    }
    return max;
}

bosc_status bi_ranks_kdtree_make_dense(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, struct bi_kdtree_rows *rows)
{
    const int64_t dim = tree->opts.dim;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    void *dense;
    if (rows->stride == dim || rows->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rows->n * dim, size, &dense));
    const struct bi_ranks_kdtree_rows gather = {rows->data, dense, NULL, dim, rows->stride, 0, size == 8};
    *rows = (struct bi_kdtree_rows){dense, rows->n, dim};
    return ctx->ops->ranks->steps->kdtree_gather(ctx, rows->n * dim, &gather);
}

struct bi_ranks_kdtree_cuts bi_ranks_kdtree_points_of(const bosc_ranks_kdtree *tree,
                                                      const struct bi_ranks_points *points, const uint64_t *cuts)
{
    return (struct bi_ranks_kdtree_cuts){.rows = points->rows,
                                         .dtype = tree->opts.dtype,
                                         .dim = tree->opts.dim,
                                         .first = points->first,
                                         .ids = points->ids,
                                         .cuts = cuts};
}

struct bi_ranks_kdtree_cuts bi_ranks_kdtree_shard_points(const bosc_ranks_kdtree *tree, const void *rows, int64_t n)
{
    return (struct bi_ranks_kdtree_cuts){.rows = {rows, n, tree->opts.dim},
                                         .dtype = tree->opts.dtype,
                                         .dim = tree->opts.dim,
                                         .by_row = true,
                                         .cuts = tree->cuts.data};
}

bosc_status bi_ranks_kdtree_store_ids(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const int64_t *ids, int64_t n)
{
    const struct bi_ranks_resize_ids step = {ids, tree->ids.data, tree->opts.id_bits == 64};
    return n ? ctx->ops->ranks->steps->resize_ids(ctx, n, &step) : BOSC_OK;
}

bosc_status bi_ranks_kdtree_store_cuts(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const uint64_t *cuts, int64_t n,
                                       const struct bi_ranks_kdtree_partition *partition)
{
    const struct bi_ranks_kdtree_local_cuts step = {cuts, tree->opts.dim, tree->ids.data, tree->opts.id_bits == 64,
                                                    n,    tree->cuts.data};
    return ctx->ops->ranks->steps->kdtree_local_cuts(ctx, (int64_t)1 << partition->level, &step);
}

/* ---- rows to ranks, by a bucket for each row ---- */

/* Fills the scatter's order. counts: (rank_count + 1), host. */
static bosc_status order_items(bosc_ctx *ctx, int32_t ranks, const uint32_t *bucket, const uint32_t *rows, int64_t n,
                               uint32_t *order, int64_t *counts)
{
    int64_t *offsets;
    uint32_t *bad /* of a bucket out of range; there is none */, *all;
    for (int32_t r = 0; r < ranks; r++) counts[r] = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, (int64_t)ranks + 1, sizeof *offsets, &offsets));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bad, &bad));
    BI_TRY(ctx->backend->fill(ctx, bad, 0, sizeof *bad));
    if (!rows) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof *all, &all));
        BI_TRY(ctx->backend->core->iota(ctx, 4, all, n));
        rows = all;
    }
    BI_TRY(ctx->backend->core->split(ctx, sizeof *order, rows, bucket, n, ranks, order, offsets, bad));
    BI_TRY(ctx->backend->copy(ctx, counts, offsets, (size_t)(ranks + 1) * sizeof *counts));
    BI_TRY(ctx->backend->sync(ctx));
    for (int32_t r = 0; r < ranks; r++) counts[r] = counts[r + 1] - counts[r];
    return BOSC_OK;
}

static bosc_status allocate_and_order(bosc_ctx *ctx, int32_t ranks, const uint32_t *bucket, const uint32_t *rows,
                                      int64_t n, struct bi_ranks_scatter *scatter, int64_t *counts)
{
    if (!counts) return BOSC_ERR_NOMEM;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *scatter->order, &scatter->order));
    BI_RETURN_WITH_SCRATCH(ctx, order_items(ctx, ranks, bucket, rows, n, scatter->order, counts));
}

bosc_status bi_ranks_kdtree_begin_scatter(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                          const uint32_t *bucket, const uint32_t *rows, int64_t n,
                                          struct bi_ranks_scatter *scatter)
{
    const size_t bytes = (size_t)(comm->rank_count + 1) * sizeof(int64_t);
    int64_t *counts = NULL;
    *scatter = (struct bi_ranks_scatter){.order = NULL};
    if (local_status == BOSC_OK) {
        counts = bi_host_alloc(ctx, bytes);
        local_status = allocate_and_order(ctx, comm->rank_count, bucket, rows, n, scatter, counts);
    }
    bosc_status status = bi_exchange_begin(ctx, comm, local_status, counts, &scatter->x);
    bi_memory_release(&ctx->host, counts, bytes);
    return status;
}

static bosc_status pack_rows(bosc_ctx *ctx, const struct bi_ranks_scatter *scatter, const struct bi_kdtree_rows *rows,
                             int64_t width, size_t size, void **packed)
{
    BI_TRY(bi_scratch_of(ctx, scatter->x.sent * width, size, packed));
    const struct bi_ranks_kdtree_rows gather = {rows->data, *packed, scatter->order, width, rows->stride, 0, size == 8};
    return scatter->x.sent ? ctx->ops->ranks->steps->kdtree_gather(ctx, scatter->x.sent * width, &gather) : BOSC_OK;
}

static bosc_status send_rows(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                             const struct bi_ranks_scatter *scatter, const struct bi_kdtree_rows *rows, int64_t width,
                             size_t size, void *received)
{
    void *packed = NULL;
    BI_IF_OK(local_status, pack_rows(ctx, scatter, rows, width, size, &packed));
    return bi_exchange_items(ctx, comm, local_status, &scatter->x, (size_t)width * size, packed, received);
}

bosc_status bi_ranks_kdtree_scatter_rows(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                         const struct bi_ranks_scatter *scatter, const struct bi_kdtree_rows *rows,
                                         int64_t width, size_t size, void *received)
{
    BI_RETURN_WITH_SCRATCH(ctx, send_rows(ctx, comm, local_status, scatter, rows, width, size, received));
}

/* ---- this rank's boxes, in host memory ---- */

/* Computes this rank's box; an empty one has low > high. */
static bosc_status compute_shard_box(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows, int64_t n,
                                     uint64_t *box)
{
    const int64_t dim = tree->opts.dim;
    for (int64_t c = 0; c < dim; c++) box[c] = UINT64_MAX, box[dim + c] = 0;
    if (n == 0) return BOSC_OK;
    if (tree->comm->rank_count == 1) { /* all queries reach it: any box that has all points serves */
        memset(box, 0, (size_t)dim * sizeof *box);
        memset(box + dim, 0xff, (size_t)dim * sizeof *box);
        return BOSC_OK;
    }
    const struct bi_ranks_kdtree_box all = {{rows, n, dim}, tree->opts.dtype, tree->opts.dim};
    return ctx->ops->ranks->find_box(ctx, &all, box);
}

/* Computes the boxes of the shard's subtrees. */
static bosc_status compute_subtree_boxes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows, int64_t n,
                                         const struct bi_ranks_kdtree_partition *partition, uint64_t *own)
{
    const bosc_kdtree_opts *o = &tree->opts;
    const int64_t words = tree->subtrees_per_shard * 2 * o->dim;
    struct bi_ranks_kdtree_subtree_boxes step = {
        .points = bi_ranks_kdtree_shard_points(tree, rows, n),
        .levels = partition->level,
        .first = (uint32_t)bi_ranks_kdtree_first_subtree(partition, tree->comm->rank)};
    BI_TRY(bi_scratch_of(ctx, words, sizeof *step.boxes, &step.boxes));
    BI_TRY(ctx->backend->fill(ctx, step.boxes, 0xff, (size_t)words * sizeof *own));
    BI_TRY(ctx->ops->ranks->steps->kdtree_subtree_boxes(ctx, n * o->dim, &step));
    BI_TRY(ctx->backend->copy(ctx, own, step.boxes, (size_t)words * sizeof *own));
    BI_TRY(ctx->backend->sync(ctx));
    for (int64_t p = 0; p < tree->subtrees_per_shard; p++)
        for (int64_t c = 0; c < o->dim; c++) own[(2 * p + 1) * o->dim + c] = ~own[(2 * p + 1) * o->dim + c];
    return BOSC_OK;
}

/* ---- all ranks' boxes ---- */

/* Merges the subtree boxes of each rank into one box. */
static void merge_subtree_boxes(const bosc_ranks_kdtree *tree, const uint64_t *subtree_boxes, uint64_t *boxes)
{
    const int64_t dim = tree->opts.dim, width = 2 * dim;
    for (int64_t r = 0; r < tree->comm->rank_count; r++) {
        uint64_t *box = boxes + r * width;
        for (int64_t c = 0; c < dim; c++) box[c] = UINT64_MAX, box[dim + c] = 0;
        for (int64_t p = r * tree->subtrees_per_shard; p < (r + 1) * tree->subtrees_per_shard; p++)
            for (int64_t c = 0; c < dim; c++) {
                const uint64_t low = subtree_boxes[p * width + c], high = subtree_boxes[p * width + dim + c];
                if (low < box[c]) box[c] = low;
                if (high > box[dim + c]) box[dim + c] = high;
            }
    }
}

/* Gathers the boxes. host: room for this rank's boxes, those of all ranks, and one merged box each. */
static bosc_status exchange_boxes(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status, const void *rows,
                                  int64_t n, const struct bi_ranks_kdtree_partition *partition, uint64_t *host)
{
    const int64_t ranks = tree->comm->rank_count, words = 2 * tree->opts.dim, own = tree->subtrees_per_shard * words;
    uint64_t *all = host ? host + own : NULL, *shard_boxes = host ? all + ranks * own : NULL;
    if (local_status == BOSC_OK)
        BI_WITH_SCRATCH(ctx, local_status = tree->subtrees_per_shard > 1
                                                ? compute_subtree_boxes(ctx, tree, rows, n, partition, host)
                                                : compute_shard_box(ctx, tree, rows, n, host));
    BI_TRY(bi_comm_agree(ctx, tree->comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, tree->comm, host, (size_t)own * sizeof *host, all));
    merge_subtree_boxes(tree, all, shard_boxes);
    local_status = ctx->backend->copy(ctx, tree->boxes.data, shard_boxes, (size_t)(ranks * words) * sizeof *host);
    if (local_status == BOSC_OK && tree->subtrees_per_shard > 1)
        local_status = ctx->backend->copy(ctx, tree->subtree_boxes.data, all, (size_t)(ranks * own) * sizeof *host);
    return bi_comm_agree(ctx, tree->comm, local_status == BOSC_OK ? ctx->backend->sync(ctx) : local_status);
}

/* Gathers the boxes of all shards and of their subtrees on all ranks. n: rows of this rank. */
static bosc_status gather_boxes(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                const struct bi_ranks_kdtree_partition *partition, const void *rows, int64_t n)
{
    const int64_t ranks = tree->comm->rank_count, words = 2 * tree->opts.dim;
    tree->subtrees_per_shard = bi_ranks_kdtree_max_subtrees(partition);
    const int64_t words_per_shard = tree->subtrees_per_shard * words;
    const size_t bytes = (size_t)(words_per_shard + ranks * (words_per_shard + words)) * sizeof(uint64_t);
    uint64_t *host = NULL;
    BI_IF_OK(local_status, bi_block_reserve(ctx, &tree->memory, &tree->boxes, (size_t)(ranks * words) * sizeof *host));
    if (local_status == BOSC_OK && tree->subtrees_per_shard > 1)
        local_status = bi_block_reserve(ctx, &tree->memory, &tree->subtree_boxes,
                                        (size_t)(ranks * words_per_shard) * sizeof *host);
    if (local_status == BOSC_OK && !(host = bi_host_alloc(ctx, bytes))) local_status = BOSC_ERR_NOMEM;
    const bosc_status status = exchange_boxes(ctx, tree, local_status, rows, n, partition, host);
    if (status != BOSC_OK) (void)ctx->backend->sync(ctx); /* a queued copy may read `host` */
    bi_memory_release(&ctx->host, host, bytes);
    return status;
}

/* ---- this rank's shard ---- */

bosc_status bi_ranks_kdtree_reserve_shard(bosc_ctx *ctx, bosc_ranks_kdtree *tree, int64_t n,
                                          const struct bi_ranks_kdtree_partition *partition)
{
    tree->n = tree->nodes = tree->begin = tree->end = tree->row_begin = tree->input_count = 0;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->ids, (size_t)n * bi_ranks_kdtree_id_size(&tree->opts)));
    return bi_block_reserve(ctx, &tree->memory, &tree->cuts, bi_ranks_kdtree_cut_bytes(&tree->opts, partition));
}

/* Returns the coordinate that splits a shard first. The levels above have halved the extents of the coordinates before
 * it, so nodes become cubes. */
static int32_t shard_coordinate(const bosc_ranks_kdtree *tree)
{
    int32_t levels = 0;
    while (tree->comm->rank_count >> (levels + 1)) levels++;
    return levels % tree->opts.dim;
}

bosc_status bi_ranks_kdtree_finish_shard(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                         const void *rows, const struct bi_ranks_points *points, int64_t nodes)
{
    const struct bi_ranks_kdtree_partition partition = bi_ranks_kdtree_make_partition(nodes, tree->comm->rank_count);
    const struct bi_kdtree_range range = bi_ranks_kdtree_shard_range(&partition, tree->comm->rank);
    BI_TRY(gather_boxes(ctx, tree, local_status, &partition, rows, range.end - range.begin));
    tree->n = points->total;
    tree->nodes = nodes;
    tree->begin = range.begin;
    tree->end = range.end;
    tree->row_begin = points->first;
    tree->input_count = points->input_count;
    return BOSC_OK;
}

bosc_status bi_ranks_kdtree_build_shard(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                        const void *rows, const struct bi_ranks_points *points, int64_t nodes)
{
    const struct bi_ranks_kdtree_partition partition = bi_ranks_kdtree_make_partition(nodes, tree->comm->rank_count);
    const struct bi_kdtree_range range = bi_ranks_kdtree_shard_range(&partition, tree->comm->rank);
    bi_kdtree_begin_at(tree->shard, shard_coordinate(tree));
    BI_IF_OK(local_status, bosc_kdtree_build(ctx, tree->shard, rows, range.end - range.begin, 0));
    return bi_ranks_kdtree_finish_shard(ctx, tree, local_status, rows, points, nodes);
}
