/* Memory of distributed cell graphs before it is needed. Which vectors meet on a rank is chance, so that its share of
 * them is bounded with all but certainty only, and where few agree in half of their letters. */
#include "base/elementary.h"
#include "core/blocks.h"
#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"

/* Of groups of up to 64 vertices that go to one rank together, chance brings more than that to a rank less than once in
 * 10^14 builds: it is 8 standard deviations above the mean. */
static int64_t most_met(int64_t total, int32_t ranks)
{
    const double mean = (double)total / ranks;
    const int64_t most = (int64_t)(mean + 64 * bi_sqrt(mean)) + 64;
    return most < total ? most : total;
}

struct sizes {
    int64_t n, total, edges, met;
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
    if (s->total / ranks >= limit || most_met(s->total, ranks) >= limit || (o->id_bits == 32 && s->total >= limit))
        return bi_fail(ctx, BOSC_ERR_LIMIT, "total: %lld rows are more than %d ranks, or ids of %d bits, serve",
                       (long long)s->total, (int)ranks, (int)o->id_bits);
    s->met = most_met(s->total, ranks);
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

/* What several ranks' builds take at most: while vertices are made, and in a pass; a sort of edges takes less. */
static bosc_status size_parts(bosc_ctx *ctx, const bosc_cellgraph_opts *o, const struct sizes *s, int64_t *kept,
                              int64_t *scratch)
{
    enum { SLACK = 1 << 20, /* what requests are rounded up by, and sorts take beside their items */ OF_A_PICK = 80 };
    const bosc_cellgraph_opts local = bi_ranks_cellgraph_local_opts(o), met = bi_ranks_cellgraph_met_opts(o);
    const int64_t row = 8 * bosc_cellgraph_words(o->length, o->letter_bits), sent = s->n * (row + 24);
    size_t bytes[BI_RANKS_CELLGRAPH_BLOCKS];
    int64_t of_local, of_met, alike, unique, pass;
    BI_TRY(bosc_cellgraph_bytes(ctx, &local, s->n, 0, &of_local, &unique));
    BI_TRY(bosc_cellgraph_bytes(ctx, &local, s->met, 0, NULL, &alike));
    BI_TRY(bosc_cellgraph_bytes(ctx, &met, s->met, s->edges, &of_met, &pass));
    size_blocks(o, s->n, s->n, s->edges, bytes);
    *kept = of_local + of_met;
    for (int b = 0; b < BI_RANKS_CELLGRAPH_BLOCKS; b++) *kept += (int64_t)bytes[b];
    const int64_t vertices = 50 * s->n + (row + 48) * s->met + bi_larger(sent, bi_larger(unique, alike));
    pass = 16 * s->n + (row + 8) * s->met + bi_larger(sent, bi_larger(pass, OF_A_PICK * s->edges));
    *scratch = bi_larger(vertices, pass) + SLACK;
    return BOSC_OK;
}

static bosc_status size_build(bosc_ctx *ctx, int32_t ranks, const bosc_cellgraph_opts *o, const struct sizes *s,
                              int64_t *kept, int64_t *scratch)
{
    if (ranks == 1) return bosc_cellgraph_bytes(ctx, o, s->n, s->edges, kept, scratch);
    return size_parts(ctx, o, s, kept, scratch);
}

bosc_status bosc_ranks_cellgraph_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_cellgraph_opts *opts,
                                       int64_t n, int64_t total, int64_t edges, int64_t *kept, int64_t *scratch)
{
    bosc_cellgraph_opts full = {0};
    struct sizes s = {n, total, edges, 0};
    int64_t held, while_building;
    bosc_ctx *says = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(says);
    BI_TRY(bi_comm_check(says, comm));
    BI_TRY(bi_cellgraph_check_opts(says, opts, &full));
    BI_TRY(check_sizes(says, &full, comm->rank_count, &s));
    BI_TRY(size_build(says, comm->rank_count, &full, &s, &held, &while_building));
    if (kept) *kept = held;
    if (scratch) *scratch = while_building;
    return BOSC_OK;
}

/* The graph keeps what it holds. */
static bosc_status take(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct sizes *s)
{
    struct bi_block *blocks[BI_RANKS_CELLGRAPH_BLOCKS];
    size_t bytes[BI_RANKS_CELLGRAPH_BLOCKS], used[BI_RANKS_CELLGRAPH_BLOCKS];
    int64_t kept, scratch;
    void *memory;
    if (!graph->met) return bosc_cellgraph_reserve(ctx, graph->local, s->n, s->edges);
    BI_TRY(size_parts(ctx, &graph->opts, s, &kept, &scratch));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &memory));
    BI_TRY(bosc_cellgraph_reserve(ctx, graph->local, s->n, 0));
    BI_TRY(bosc_cellgraph_reserve(ctx, graph->met, s->met, s->edges));
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
    BI_TRY(bi_ranks_same(ctx, graph->comm, local_status, &(struct bi_ranks_argument){"total", total}, 1));
    return bi_comm_agree(ctx, graph->comm, take(ctx, graph, &s));
}
