/* The driver that makes vertices of rows: a sort by the hashes, and a comparison of the rows that stand together.
 * Should two different rows agree in the bits of their hashes that decided, all is done again with other hashes. */
#include "cellgraph/driver.h"

/* Bits of the hashes that decide, so that rows that differ agree in them once in a few hundred builds. */
static int deciding_bits(int64_t n, int attempt)
{
    int bits = (2 * bi_bit_length((uint64_t)n) + 14) / 8 * 8;
    return attempt > 0 || bits > 64 ? 64 : bits;
}

static bosc_status sort_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, int attempt, struct bi_cell_heads *h)
{
    struct bi_cell_hashes hash = {h->rows, h->shape, graph->blocks[BI_CELL_SEEDS].data, NULL, NULL};
    struct bi_cell_seeds seeds = {(uint64_t)attempt, graph->blocks[BI_CELL_SEEDS].data};
    int64_t n = h->rows.n;
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_cell_scratch(ctx, n, 8, &hash.hashes));
    BI_TRY(bi_cell_scratch(ctx, n, 4, &hash.numbers));
    BI_TRY(BI_CELL_STEP(ctx, cell_seed, h->shape.words, &seeds));
    BI_TRY(BI_CELL_STEP(ctx, cell_hash, n, &hash));
    h->shift = 64 - deciding_bits(n, attempt);
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, hash.hashes, 4, hash.numbers, n, (void *)h->hashes,
                                          (void *)h->order, h->shift, 64));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

static bosc_status find_heads(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cell_heads *h)
{
    enum { ATTEMPTS = 64 };
    int64_t n = h->rows.n;
    uint32_t collided = 1;
    BI_TRY(bi_cell_scratch(ctx, n, 8, &h->hashes));
    BI_TRY(bi_cell_scratch(ctx, n, 4, &h->order));
    BI_TRY(bi_cell_scratch(ctx, n, 1, &h->heads));
    BI_TRY(bi_cell_scratch(ctx, n, 4, &h->groups));
    BI_TRY(bi_cell_scratch(ctx, n, 4, &h->is_first));
    BI_TRY(bi_cell_scratch(ctx, 1, sizeof collided, &h->collided));
    for (int attempt = 0; attempt < ATTEMPTS && collided; attempt++) {
        BI_TRY(ctx->backend->fill(ctx, h->collided, 0, sizeof collided));
        BI_TRY(sort_rows(ctx, graph, attempt, h));
        BI_TRY(BI_CELL_STEP(ctx, cell_head, n, h));
        BI_TRY(bi_read_back(ctx, &collided, h->collided, sizeof collided));
    }
    if (collided) return bi_fail(ctx, BOSC_ERR_INTERNAL, "%d hashes in turn did not tell the vectors apart", ATTEMPTS);
    return BOSC_OK;
}

static bosc_status number_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_heads *h)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = h->rows.n, count, *place;
    uint32_t *places, *starts;
    BI_TRY(bi_cell_scratch(ctx, n, 4, &places));
    BI_TRY(bi_cell_scratch(ctx, n, 4, &starts));
    BI_TRY(bi_cell_scratch(ctx, 1, sizeof count, &place));
    struct bi_cell_iota iota = {places};
    BI_TRY(BI_CELL_STEP(ctx, cell_iota, n, &iota));
    BI_TRY(core->compact(ctx, 4, places, h->heads, n, starts, place));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, h->groups, n, h->groups));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, h->is_first, n, h->is_first));
    BI_TRY(bi_read_back(ctx, &count, place, sizeof count));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_VERTEX_OF, n, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_FIRSTS, count, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_MULTIPLICITIES, count, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_HASHES, count, 8));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_VECTORS, count, (size_t)graph->shape.words * 8));
    struct bi_cell_number number = {.order = h->order,
                                    .groups = h->groups,
                                    .starts = starts,
                                    .before = h->is_first,
                                    .hashes = h->hashes,
                                    .n = n,
                                    .count = count,
                                    .vertex_of = graph->blocks[BI_CELL_VERTEX_OF].data,
                                    .firsts = graph->blocks[BI_CELL_FIRSTS].data,
                                    .multiplicities = graph->blocks[BI_CELL_MULTIPLICITIES].data,
                                    .vertex_hashes = graph->blocks[BI_CELL_HASHES].data};
    struct bi_cell_gather gather = {h->rows, h->shape, number.firsts, graph->blocks[BI_CELL_VECTORS].data};
    BI_TRY(BI_CELL_STEP(ctx, cell_vertex_of, n, &number));
    BI_TRY(BI_CELL_STEP(ctx, cell_vertex, count, &number));
    graph->vertices = count;
    return BI_CELL_STEP(ctx, cell_gather, count, &gather);
}

bosc_status bi_cell_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_rows *rows)
{
    const struct bi_cell_team *team = bi_cell_team_of(ctx);
    struct bi_cell_heads heads = {.rows = *rows, .shape = graph->shape};
    if (team->unique) return team->unique(ctx, graph, rows);
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_SEEDS, graph->shape.words, 8));
    BI_TRY(find_heads(ctx, graph, &heads));
    return number_vertices(ctx, graph, &heads);
}
