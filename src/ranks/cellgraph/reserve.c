/* Memory of cell graphs over ranks, reserved beforehand. Vectors are gathered by a hash, so a rank's share is bounded
 * with high probability only, and only if few of them agree in half of their letters. */
#include "base/elementary.h"
#include "core/blocks.h"
#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"

/* Bounds the vertices gathered on a rank if they come in groups of up to 64: 8 standard deviations above the mean,
 * exceeded less than once in 10^14 builds. */
static int64_t max_gathered(int64_t total, int32_t ranks)
{
    const double mean = (double)total / ranks;
    const int64_t most = (int64_t)(mean + 64 * bi_sqrt(mean)) + 64;
    return most < total ? most : total;
}

struct sizes {
    int64_t n, total, edges, gathered;
};

static bosc_status check_sizes(bosc_ctx *ctx, const bosc_cellgraph_opts *o, int32_t ranks, struct sizes *s)
{
    const int64_t limit = (int64_t)UINT32_MAX;
    if (s->n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)s->n);
    if (s->edges < 0) return bi_fail(ctx, BOSC_ERR_ARG, "edges: %lld is less than 0", (long long)s->edges);
    if (s->n >= limit)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows; a rank has less than 2^32 - 1", (long long)s->n);
    if (s->edges > INT64_MAX / 256)
        return bi_fail(ctx, BOSC_ERR_ARG, "edges: %lld are more than memory can hold", (long long)s->edges);
    if (s->total < s->n)
        return bi_fail(ctx, BOSC_ERR_ARG, "total: %lld is less than n, %lld", (long long)s->total, (long long)s->n);
    if (s->total / ranks >= limit || max_gathered(s->total, ranks) >= limit || (o->id_bits == 32 && s->total >= limit))
        return bi_fail(ctx, BOSC_ERR_LIMIT, "total: %lld rows are more than %d ranks, or ids of %d bits, serve",
                       (long long)s->total, (int)ranks, (int)o->id_bits);
    s->gathered = max_gathered(s->total, ranks);
    return BOSC_OK;
}

static void size_blocks(const bosc_cellgraph_opts *o, int64_t rows, int64_t vertices, int64_t edges,
                        size_t bytes[BI_RANKS_CELLGRAPH_BLOCKS])
{
    for (int b = 0; b < BI_RANKS_CELLGRAPH_BLOCKS; b++) bytes[b] = (size_t)vertices * 8;
    bytes[BI_RANKS_CELLGRAPH_VECTORS] *= (size_t)bosc_cellgraph_words(o->length, o->letter_bits);
    bytes[BI_RANKS_CELLGRAPH_VERTEX_OF] = (size_t)rows * 8;
    bytes[BI_RANKS_CELLGRAPH_HIGHS] = bytes[BI_RANKS_CELLGRAPH_LOWS] = (size_t)edges * 8;
}

/* Computes the memory of a build over several ranks: the larger of the vertices' phase and of a pass of edges; a sort
 * of edges takes less. */
static bosc_status size_over_ranks(bosc_ctx *ctx, const bosc_cellgraph_opts *o, const struct sizes *s, int64_t *kept,
                                   int64_t *scratch)
{
    enum { SLACK = 1 << 20, /* rounding of requests, and space of sorts beside their items */ SELECTION_BYTES = 80 };
    const bosc_cellgraph_opts local = bi_ranks_cellgraph_local_opts(o), gathered = bi_ranks_cellgraph_gathered_opts(o);
    const int64_t row = 8 * bosc_cellgraph_words(o->length, o->letter_bits), sent = s->n * (row + 24);
    size_t bytes[BI_RANKS_CELLGRAPH_BLOCKS];
    int64_t of_local, of_gathered, grouping, unique, pass;
    BI_TRY(bosc_cellgraph_bytes(ctx, &local, s->n, 0, &of_local, &unique));
    BI_TRY(bosc_cellgraph_bytes(ctx, &local, s->gathered, 0, NULL, &grouping));
    BI_TRY(bosc_cellgraph_bytes(ctx, &gathered, s->gathered, s->edges, &of_gathered, &pass));
    size_blocks(o, s->n, s->n, s->edges, bytes);
    *kept = of_local + of_gathered;
    for (int b = 0; b < BI_RANKS_CELLGRAPH_BLOCKS; b++) *kept += (int64_t)bytes[b];
    const int64_t vertices = 50 * s->n + (row + 48) * s->gathered + bi_max_i64(sent, bi_max_i64(unique, grouping));
    pass = 16 * s->n + (row + 8) * s->gathered + bi_max_i64(sent, bi_max_i64(pass, SELECTION_BYTES * s->edges));
    *scratch = bi_max_i64(vertices, pass) + SLACK;
    return BOSC_OK;
}

static bosc_status size_build(bosc_ctx *ctx, int32_t ranks, const bosc_cellgraph_opts *o, const struct sizes *s,
                              int64_t *kept, int64_t *scratch)
{
    if (ranks == 1) return bosc_cellgraph_bytes(ctx, o, s->n, s->edges, kept, scratch);
    return size_over_ranks(ctx, o, s, kept, scratch);
}

bosc_status bosc_ranks_cellgraph_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_cellgraph_opts *opts,
                                       int64_t n, int64_t total, int64_t edges, int64_t *kept, int64_t *scratch)
{
    bosc_cellgraph_opts full = {0};
    struct sizes s = {n, total, edges, 0};
    int64_t held, while_building;
    bosc_ctx *mutable_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(mutable_ctx);
    BI_TRY(bi_comm_check(mutable_ctx, comm));
    BI_TRY(bi_cellgraph_check_opts(mutable_ctx, opts, &full));
    BI_TRY(check_sizes(mutable_ctx, &full, comm->rank_count, &s));
    BI_TRY(size_build(mutable_ctx, comm->rank_count, &full, &s, &held, &while_building));
    if (kept) *kept = held;
    if (scratch) *scratch = while_building;
    return BOSC_OK;
}

/* Reserves the memory; the graph's content stays. */
static bosc_status reserve_memory(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct sizes *s)
{
    struct bi_block *blocks[BI_RANKS_CELLGRAPH_BLOCKS];
    size_t bytes[BI_RANKS_CELLGRAPH_BLOCKS], used[BI_RANKS_CELLGRAPH_BLOCKS];
    int64_t kept, scratch;
    void *memory;
    if (!graph->gathered) return bosc_cellgraph_reserve(ctx, graph->local, s->n, s->edges);
    BI_TRY(size_over_ranks(ctx, &graph->opts, s, &kept, &scratch));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &memory));
    BI_TRY(bosc_cellgraph_reserve(ctx, graph->local, s->n, 0));
    BI_TRY(bosc_cellgraph_reserve(ctx, graph->gathered, s->gathered, s->edges));
    for (int b = 0; b < BI_RANKS_CELLGRAPH_BLOCKS; b++) blocks[b] = &graph->blocks[b];
    size_blocks(&graph->opts, s->n, s->n, s->edges, bytes);
    size_blocks(&graph->opts, graph->rows.own, graph->vertices.own, graph->edges.own, used);
    return bi_blocks_grow(ctx, &graph->memory, blocks, BI_RANKS_CELLGRAPH_BLOCKS, bytes, used);
}

bosc_status bosc_ranks_cellgraph_reserve(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int64_t n, int64_t total,
                                         int64_t edges)
{
    struct sizes s = {n, total, edges, 0};
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_cellgraph_check(ctx, graph));
    bosc_status local_status = bi_check_handle(ctx, "graph", &graph->memory);
    if (local_status == BOSC_OK) local_status = check_sizes(ctx, &graph->opts, graph->comm->rank_count, &s);
    BI_TRY(bi_ranks_check_same(ctx, graph->comm, local_status, &(struct bi_ranks_argument){"total", total}, 1));
    return bi_comm_agree(ctx, graph->comm, reserve_memory(ctx, graph, &s));
}
