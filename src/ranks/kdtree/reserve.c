/* Memory of k-d trees over ranks, reserved beforehand: the upper bounds of a build, and their allocation. Shard sizes
 * follow from the number of nodes, and never shrink with more nodes. */
#include "base/bits.h"
#include "core/arena.h"
#include "core/call.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/exchange/owned.h"
#include "ranks/exchange/slices.h"
#include "ranks/steps/steps.h"

/* Sizes that bound a build on one rank. */
struct plan {
    bosc_kdtree_opts opts;
    int32_t rank_count;
    int64_t n, shard, total; /* points of its slice, of its shard, and of all ranks */
    struct bi_ranks_kdtree_partition partition;
};

static bosc_status check_sizes(bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t total)
{
    BI_TRY(bi_kdtree_check_size(ctx, n));
    if (total < n)
        return bi_fail(ctx, BOSC_ERR_ARG, "total: %lld is less than n, %lld", (long long)total, (long long)n);
    return bi_ranks_kdtree_check_total(ctx, opts, "total", total);
}

static bosc_status make_plan(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const bosc_comm *comm, int64_t n,
                             int64_t total, struct plan *p)
{
    BI_TRY(check_sizes(ctx, opts, n, total));
    *p = (struct plan){.opts = *opts,
                       .rank_count = comm->rank_count,
                       .n = n,
                       .total = total,
                       .partition = bi_ranks_kdtree_make_partition(total, comm->rank_count)};
    const struct bi_kdtree_range range = bi_ranks_kdtree_shard_range(&p->partition, comm->rank);
    p->shard = range.end - range.begin;
    if (p->shard < (int64_t)UINT32_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "total: %lld points; a rank's %lld are not less than 2^32 - 1",
                   (long long)total, (long long)p->shard);
}

enum { BLOCKS = 5 };

/* Sizes of the blocks beside the shard's tree. */
static void block_bytes(const struct plan *p, size_t bytes[BLOCKS])
{
    const int64_t subtrees = bi_ranks_kdtree_max_subtrees(&p->partition);
    bytes[0] = (size_t)p->shard * bi_ranks_kdtree_id_size(&p->opts);
    bytes[1] = bi_ranks_kdtree_cut_bytes(&p->opts, &p->partition);
    bytes[2] = 2 * (size_t)p->opts.dim * sizeof(uint64_t) * (size_t)p->rank_count;
    bytes[3] = subtrees > 1 ? (size_t)subtrees * bytes[2] : 0;
    bytes[4] = p->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE ? (size_t)p->n * sizeof(int64_t) : 0;
}

/* Scratch of a build. Its phases use it in turn: the selection of the cuts, in which all points may be candidates; and
 * the route of the points with the shard's build. */
static bosc_status build_scratch(bosc_ctx *ctx, const struct plan *p, int64_t *kept, int64_t *scratch)
{
    enum { REQUESTS = 1 << 16 /* upper bound of rounding, over all requests */ };
    const bosc_kdtree_opts shard = bi_ranks_kdtree_shard_opts(&p->opts);
    const int64_t n = p->n, row = p->opts.dim * (int64_t)bosc_dtype_size(p->opts.dtype), word = sizeof(uint64_t);
    const int64_t subtrees = (int64_t)1 << p->partition.level,
                  boxes = ctx->max_threads + bi_ranks_kdtree_max_subtrees(&p->partition);
    int64_t tree;
    BI_TRY(bosc_kdtree_bytes(ctx, &shard, p->shard, kept, &tree));
    const int64_t select = n * (4 + row + word + 4 + 4) + bi_ranks_kdtree_max_counters(p->partition.level) * word,
                  route = n * (4 + row + word) /* with copies to send */ +
                          bi_div_up(n, BI_RANKS_TILE) * p->rank_count * word;
    const int64_t install = p->shard * (row + word) + bi_max_i64(n * word, tree + 2 * boxes * p->opts.dim * word);
    *scratch = 2 * n * row + (p->opts.dim + 4) * 2 * subtrees * word + bi_max_i64(select, route + install) + REQUESTS;
    if (p->opts.full_coordinates) *scratch += p->total * row;
    return BOSC_OK;
}

bosc_status bosc_ranks_kdtree_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_kdtree_opts *opts, int64_t n,
                                    int64_t total, int64_t *kept, int64_t *scratch)
{
    struct plan p;
    size_t blocks[BLOCKS];
    int64_t tree, while_building;
    bosc_kdtree_opts full;
    bosc_ctx *mutable_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(mutable_ctx);
    BI_TRY(bi_comm_check(mutable_ctx, comm));
    BI_TRY(bi_ranks_kdtree_check_opts(mutable_ctx, comm, opts, &full));
    BI_TRY(make_plan(mutable_ctx, &full, comm, n, total, &p));
    BI_TRY(build_scratch(mutable_ctx, &p, &tree, &while_building));
    block_bytes(&p, blocks);
    if (kept) *kept = tree + (int64_t)(blocks[0] + blocks[1] + blocks[2] + blocks[3] + blocks[4]);
    if (scratch) *scratch = while_building;
    return BOSC_OK;
}

/* Reserves the memory; the tree's content stays. */
static bosc_status reserve_memory(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct plan *p)
{
    struct bi_block *const blocks[BLOCKS] = {&tree->ids, &tree->cuts, &tree->boxes, &tree->subtree_boxes,
                                             &tree->representative_ids};
    size_t bytes[BLOCKS], used[BLOCKS] = {0};
    int64_t kept, scratch;
    void *memory;
    const int64_t count = tree->end - tree->begin;
    BI_TRY(build_scratch(ctx, p, &kept, &scratch));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &memory));
    BI_TRY(bosc_kdtree_reserve(ctx, tree->shard, p->shard, 0, 0));
    block_bytes(p, bytes);
    used[0] = (size_t)count * bi_ranks_kdtree_id_size(&p->opts);
    if (tree->cuts.data) used[1] = tree->cuts.bytes < bytes[1] ? tree->cuts.bytes : bytes[1];
    if (tree->boxes.data) used[2] = bytes[2];
    if (tree->subtree_boxes.data) used[3] = bytes[3];
    if (tree->representative_ids.data) used[4] = (size_t)tree->input_count * sizeof(int64_t);
    return bi_blocks_grow(ctx, &tree->memory, blocks, BLOCKS, bytes, used);
}

bosc_status bosc_ranks_kdtree_reserve(bosc_ctx *ctx, bosc_ranks_kdtree *tree, int64_t n, int64_t total)
{
    struct plan p;
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    bosc_status local_status = bi_ranks_kdtree_check(ctx, tree);
    BI_IF_OK(local_status, make_plan(ctx, &tree->opts, tree->comm, n, total, &p));
    BI_TRY(bi_ranks_check_same(ctx, tree->comm, local_status, &(struct bi_ranks_argument){"total", total}, 1));
    return bi_comm_agree(ctx, tree->comm, reserve_memory(ctx, tree, &p));
}
