/* Memory of distributed k-d trees before it is needed: how much a build takes at most, and taking it. Where shards lie
 * follows from the number of nodes; more nodes make no shard smaller. */
#include "base/bits.h"
#include "core/blocks.h"
#include "core/call.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/exchange/slices.h"
#include "ranks/steps/steps.h"

/* What bounds a build on one rank. */
struct plan {
    bosc_kdtree_opts opts;
    int32_t rank_count;
    int64_t n, shard; /* points that it has, and that it gets */
    struct bi_ranks_cuts cuts;
};

static bosc_status check_sizes(bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t total)
{
    BI_TRY(bi_kdtree_check_size(ctx, n));
    if (total < n)
        return bi_fail(ctx, BOSC_ERR_ARG, "total: %lld is less than n, %lld", (long long)total, (long long)n);
    if (opts->id_bits == 32 && total >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "total: %lld points; ids of 32 bits name less than 2^32 - 1",
                       (long long)total);
    return BOSC_OK;
}

static bosc_status make_plan(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const bosc_comm *comm, int64_t n,
                             int64_t total, struct plan *p)
{
    BI_TRY(check_sizes(ctx, opts, n, total));
    *p = (struct plan){
        .opts = *opts, .rank_count = comm->rank_count, .n = n, .cuts = bi_ranks_kdtree_cuts(total, comm->rank_count)};
    const struct bi_kdtree_range range = bi_ranks_kdtree_shard(&p->cuts, comm->rank);
    p->shard = range.end - range.begin;
    if (p->shard < (int64_t)UINT32_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "total: %lld points; a rank's %lld are not less than 2^32 - 1",
                   (long long)total, (long long)p->shard);
}

enum { BLOCKS = 5 };

/* Blocks beside the shard's tree. */
static void block_bytes(const struct plan *p, size_t bytes[BLOCKS])
{
    const int64_t parts = bi_ranks_kdtree_most_parts(&p->cuts);
    bytes[0] = (size_t)p->shard * sizeof(int64_t);
    bytes[1] = (size_t)p->shard * sizeof(uint32_t);
    bytes[2] = 2 * (size_t)p->opts.dim * sizeof(uint64_t) * (size_t)p->rank_count;
    bytes[3] = parts > 1 ? (size_t)parts * bytes[2] : 0;
    bytes[4] = p->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE ? (size_t)p->n * sizeof(int64_t) : 0;
}

/* Scratch of a build: its three parts take it one after the other, the selection of medians, the deal, and what comes
 * and becomes the shard. */
static bosc_status build_scratch(bosc_ctx *ctx, const struct plan *p, int64_t *kept, int64_t *scratch)
{
    enum { REQUESTS = 1 << 16 /* what they are rounded up by */ };
    const bosc_kdtree_opts shard = bi_ranks_kdtree_shard_opts(&p->opts);
    const int64_t n = p->n, row = p->opts.dim * (int64_t)bosc_dtype_size(p->opts.dtype), word = sizeof(uint64_t);
    const int64_t subtrees = (int64_t)1 << p->cuts.level, boxes = p->shard / BI_RANKS_BOX_ROWS + 1;
    int64_t tree;
    BI_TRY(bosc_kdtree_bytes(ctx, &shard, p->shard, kept, &tree));
    const int64_t select = n * (4 + word), deal = n * (4 + 16);
    const int64_t install =
        p->shard * row + n * word +
        bi_larger(n * bi_larger(row, word),
                  tree + (3 * boxes + 2 * bi_ranks_kdtree_most_parts(&p->cuts)) * p->opts.dim * word);
    *scratch = n * (row + 4) + bi_ranks_kdtree_counters(p->cuts.level) * word + 3 * subtrees * word +
               bi_larger(select, n * 8 + bi_larger(deal, install)) + REQUESTS;
    return BOSC_OK;
}

bosc_status bosc_ranks_kdtree_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_kdtree_opts *opts, int64_t n,
                                    int64_t total, int64_t *kept, int64_t *scratch)
{
    struct plan p;
    size_t blocks[BLOCKS];
    int64_t tree, while_building;
    bosc_kdtree_opts full;
    bosc_ctx *says = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(says);
    BI_TRY(bi_comm_check(says, comm));
    BI_TRY(bi_ranks_kdtree_check_opts(says, comm, opts, &full));
    BI_TRY(make_plan(says, &full, comm, n, total, &p));
    BI_TRY(build_scratch(says, &p, &tree, &while_building));
    block_bytes(&p, blocks);
    if (kept) *kept = tree + (int64_t)(blocks[0] + blocks[1] + blocks[2] + blocks[3] + blocks[4]);
    if (scratch) *scratch = while_building;
    return BOSC_OK;
}

/* The tree keeps what it holds. */
static bosc_status take(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct plan *p)
{
    struct bi_block *const blocks[BLOCKS] = {&tree->ids, &tree->pieces, &tree->boxes, &tree->parts, &tree->firsts};
    size_t bytes[BLOCKS], used[BLOCKS] = {0};
    int64_t kept, scratch;
    void *memory;
    const int64_t count = tree->end - tree->begin;
    BI_TRY(build_scratch(ctx, p, &kept, &scratch));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &memory));
    BI_TRY(bosc_kdtree_reserve(ctx, tree->shard, p->shard, 0, 0));
    block_bytes(p, bytes);
    used[0] = (size_t)count * sizeof(int64_t);
    used[1] = (size_t)count * sizeof(uint32_t);
    if (tree->boxes.data) used[2] = bytes[2];
    if (tree->parts.data) used[3] = bytes[3];
    if (tree->firsts.data) used[4] = (size_t)tree->given * sizeof(int64_t);
    return bi_blocks_grow(ctx, &tree->memory, blocks, BLOCKS, bytes, used);
}

bosc_status bosc_ranks_kdtree_reserve(bosc_ctx *ctx, bosc_ranks_kdtree *tree, int64_t n, int64_t total)
{
    struct plan p;
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    bosc_status local_status = bi_ranks_kdtree_check(ctx, tree);
    if (local_status == BOSC_OK) local_status = make_plan(ctx, &tree->opts, tree->comm, n, total, &p);
    BI_TRY(bi_ranks_same(ctx, tree->comm, local_status, &(struct bi_ranks_argument){"total", total}, 1));
    return bi_comm_agree(ctx, tree->comm, take(ctx, tree, &p));
}
