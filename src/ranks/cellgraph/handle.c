/* Handles of cell graphs over ranks: creation, release, information, copies of a rank's part to the caller's arrays,
 * memory reserved beforehand. */
#include "base/elementary.h"
#include "core/arena.h"
#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"
#include "ranks/steps/steps.h"

bosc_status bi_ranks_cellgraph_check(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph)
{
    return graph ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
}

bosc_status bi_ranks_cellgraph_reserve_block(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int block, int64_t count,
                                             size_t size)
{
    return bi_block_reserve(ctx, &graph->memory, &graph->blocks[block], (size_t)count * size);
}

static bosc_status check_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const bosc_cellgraph_opts *o)
{
    const struct bi_ranks_argument shared[] = {
        {"opts: length", o->length},           {"opts: letter_bits", o->letter_bits},
        {"opts: method", o->method},           {"opts: pivots", o->pivots},
        {"opts: id_bits", o->id_bits},         {"opts: heuristic_search", o->heuristic_search},
        {"opts: trie_search", o->trie_search}, {"opts: digit_bits", o->digit_bits}};
    return bi_ranks_check_same(ctx, comm, local_status, shared, 8);
}

/* The graphs of a rank have fewer than 2^32 - 1 rows, whose numbers stay internal. */
bosc_cellgraph_opts bi_ranks_cellgraph_gathered_opts(const bosc_cellgraph_opts *opts)
{
    bosc_cellgraph_opts gathered = *opts;
    gathered.id_bits = 32;
    return gathered;
}

bosc_cellgraph_opts bi_ranks_cellgraph_local_opts(const bosc_cellgraph_opts *opts)
{
    bosc_cellgraph_opts local = bi_ranks_cellgraph_gathered_opts(opts);
    local.method = BOSC_CELLGRAPH_HEURISTIC; /* this method reserves nothing of its own */
    local.pivots = 0;
    return local;
}

static bosc_status create_graphs(bosc_ctx *ctx, bosc_ranks_cellgraph *graph)
{
    const bosc_cellgraph_opts local = bi_ranks_cellgraph_local_opts(&graph->opts),
                              gathered = bi_ranks_cellgraph_gathered_opts(&graph->opts);
    if (graph->comm->rank_count == 1) return bosc_cellgraph_create(ctx, &graph->opts, &graph->local);
    BI_TRY(bosc_cellgraph_create(ctx, &local, &graph->local));
    return bosc_cellgraph_create(ctx, &gathered, &graph->gathered);
}

static bosc_status allocate_graph(bosc_ctx *ctx, bosc_comm *comm, const bosc_cellgraph_opts *opts,
                                  bosc_ranks_cellgraph **graph)
{
    bosc_ranks_cellgraph *fresh;
    BI_TRY(BI_NEW_HANDLE(ctx, &fresh, .comm = comm, .opts = *opts));
    const bosc_status status = create_graphs(ctx, fresh);
    if (status == BOSC_OK)
        *graph = fresh;
    else
        bosc_ranks_cellgraph_free(fresh);
    return status;
}

/* Checks options, and copies them with defaults filled in. */
static bosc_status check_opts(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph_opts *full)
{
    BI_TRY(bi_cellgraph_check_opts(ctx, opts, full));
    return full->implied_edges ? bi_fail(ctx, BOSC_ERR_ARG, "opts: implied_edges is for one context") : BOSC_OK;
}

bosc_status bosc_ranks_cellgraph_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_cellgraph_opts *opts,
                                        bosc_ranks_cellgraph **graph)
{
    bosc_cellgraph_opts full = {0};
    bosc_ranks_cellgraph *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = check_opts(ctx, opts, &full);
    if (local_status == BOSC_OK && !graph) local_status = bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
    BI_TRY(check_same(ctx, comm, local_status, &full));
    const bosc_status status = bi_comm_agree(ctx, comm, allocate_graph(ctx, comm, &full, &fresh));
    if (status == BOSC_OK)
        *graph = fresh;
    else
        bosc_ranks_cellgraph_free(fresh);
    return status;
}

void bosc_ranks_cellgraph_free(bosc_ranks_cellgraph *graph)
{
    if (!graph) return;
    bosc_cellgraph_free(graph->local);
    bosc_cellgraph_free(graph->gathered);
    for (int b = 0; b < BI_RANKS_CELLGRAPH_BLOCKS; b++) bi_block_free(&graph->memory, &graph->blocks[b]);
    bi_memory_release(&graph->host, graph, sizeof *graph);
}

bosc_status bosc_ranks_cellgraph_get_info(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                          bosc_ranks_cellgraph_info *info)
{
    bosc_cellgraph_info local = {.size = sizeof local}, gathered = {.size = sizeof gathered};
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_ranks_cellgraph_info));
    BI_TRY(bosc_cellgraph_get_info(ctx, graph->local, &local));
    if (graph->gathered) BI_TRY(bosc_cellgraph_get_info(ctx, graph->gathered, &gathered));
    bosc_ranks_cellgraph_info full = {.n = graph->rows.all,
                                      .vertices = graph->vertices.all,
                                      .edges = graph->edges.all,
                                      .own_n = graph->rows.own,
                                      .own_vertices = graph->vertices.own,
                                      .own_edges = graph->edges.own,
                                      .first_row = graph->rows.first,
                                      .first_vertex = graph->vertices.first,
                                      .first_edge = graph->edges.first,
                                      .words = local.words,
                                      .length = local.length,
                                      .letter_bits = local.letter_bits,
                                      .id_bits = graph->opts.id_bits,
                                      .bytes = local.bytes + gathered.bytes};
    for (int b = 0; b < BI_RANKS_CELLGRAPH_BLOCKS; b++) full.bytes += (int64_t)graph->blocks[b].bytes;
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

/* ---- copies of vertices and pairs ---- */

/* An output array, and the block that it copies. */
struct output {
    void *to; /* NULL: not requested */
    int block;
    int64_t count;
    bool ids; /* ids of id_bits; else words of 64 bits */
    struct bi_out out;
};

/* Stages an output. All are staged before any is written. */
static bosc_status stage_output(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, struct output *c, bool *staged)
{
    const size_t id_size = (size_t)graph->opts.id_bits / 8;
    if (!c->to || c->count == 0) return BOSC_OK;
    if (c->ids) return bi_stage_out(ctx, c->to, (size_t)c->count * id_size, &c->out, staged);
    *staged |= !ctx->backend->reaches(ctx, c->to);
    return BOSC_OK;
}

static bosc_status write_output(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, const struct output *c)
{
    const void *from = graph->blocks[c->block].data;
    const struct bi_ranks_resize_ids ids = {from, c->out.reachable, graph->opts.id_bits == 64};
    if (!c->to || c->count == 0) return BOSC_OK;
    if (!c->ids) return ctx->backend->copy(ctx, c->to, from, (size_t)c->count * 8);
    BI_TRY(ctx->ops->ranks->steps->resize_ids(ctx, c->count, &ids));
    return bi_stage_back(ctx, &c->out);
}

static bosc_status write_outputs(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, struct output copies[4])
{
    bool staged = false;
    for (int i = 0; i < 4; i++) BI_TRY(stage_output(ctx, graph, &copies[i], &staged));
    for (int i = 0; i < 4; i++) BI_TRY(write_output(ctx, graph, &copies[i]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_ranks_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, uint64_t *vectors,
                                              void *representatives, int64_t *multiplicities, void *vertex_of)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL));
    if (!graph->gathered)
        return bosc_cellgraph_get_vertices(ctx, graph->local, vectors, representatives, multiplicities, vertex_of);
    const size_t id_size = (size_t)graph->opts.id_bits / 8;
    BI_TRY(bi_check_aligned(ctx, "vectors", vectors, sizeof *vectors));
    BI_TRY(bi_check_aligned(ctx, "representatives", representatives, id_size));
    BI_TRY(bi_check_aligned(ctx, "multiplicities", multiplicities, sizeof *multiplicities));
    BI_TRY(bi_check_aligned(ctx, "vertex_of", vertex_of, id_size));
    const int64_t n = graph->vertices.own;
    struct output copies[] = {{vectors, BI_RANKS_CELLGRAPH_VECTORS, n * graph->local->shape.words, false, {0}},
                              {representatives, BI_RANKS_CELLGRAPH_REPRESENTATIVES, n, true, {0}},
                              {multiplicities, BI_RANKS_CELLGRAPH_MULTIPLICITIES, n, false, {0}},
                              {vertex_of, BI_RANKS_CELLGRAPH_VERTEX_OF, graph->rows.own, true, {0}}};
    BI_RETURN_WITH_SCRATCH(ctx, write_outputs(ctx, graph, copies));
}

static bosc_status write_pairs(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *pairs, uint32_t *positions)
{
    const size_t edges = (size_t)graph->edges.own;
    struct bi_ranks_cellgraph_unpack_edges step = {.high_rows = graph->blocks[BI_RANKS_CELLGRAPH_HIGHS].data,
                                                   .low_rows = graph->blocks[BI_RANKS_CELLGRAPH_LOWS].data,
                                                   .first_row = graph->rows.first,
                                                   .is_64bit = graph->opts.id_bits == 64};
    struct bi_out to_pairs, to_positions;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, pairs, pairs ? edges * (step.is_64bit ? 16 : 8) : 0, &to_pairs, &staged));
    BI_TRY(bi_stage_out(ctx, positions, positions ? edges * sizeof *positions : 0, &to_positions, &staged));
    if (pairs) step.pairs = to_pairs.reachable;
    if (positions) step.positions = to_positions.reachable;
    BI_TRY(ctx->ops->ranks->steps->cellgraph_unpack_edges(ctx, graph->edges.own, &step));
    BI_TRY(bi_stage_back(ctx, &to_pairs));
    BI_TRY(bi_stage_back(ctx, &to_positions));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_ranks_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *pairs,
                                           uint32_t *positions)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL));
    if (!graph->gathered) return bosc_cellgraph_get_pairs(ctx, graph->local, pairs, positions);
    BI_TRY(bi_check_aligned(ctx, "pairs", pairs, (size_t)graph->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "positions", positions, sizeof *positions));
    if (graph->edges.own == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, write_pairs(ctx, graph, pairs, positions));
}

/* ---- memory ----
 *
 * Vectors are gathered by a hash, so a rank's share is bounded with high probability only, and only if few of them
 * agree in half of their letters. */

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
    BI_TRY(check_opts(mutable_ctx, opts, &full));
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
    BI_IF_OK(local_status, check_sizes(ctx, &graph->opts, graph->comm->rank_count, &s));
    BI_TRY(bi_ranks_check_same(ctx, graph->comm, local_status, &(struct bi_ranks_argument){"total", total}, 1));
    return bi_comm_agree(ctx, graph->comm, reserve_memory(ctx, graph, &s));
}
