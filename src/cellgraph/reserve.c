/* Bytes that cell graphs need, and their reservation. */
#include <boscage/trie.h>

#include "cellgraph/drivers.h"
#include "core/arena.h"
#include "core/call.h"

/* Returns the number of edges that a graph stores. */
static int64_t count_stored(const bosc_cellgraph_opts *o, int64_t edges) { return o->implied_edges ? 0 : edges; }

/* Bytes of the blocks for n vertices and this many stored edges. */
static void size_blocks(const struct bi_letters *shape, int64_t n, int64_t edges, size_t bytes[BI_CELLGRAPH_BLOCKS])
{
    const size_t count = (size_t)n, words = (size_t)shape->words;
    for (int b = 0; b < BI_CELLGRAPH_BLOCKS; b++) bytes[b] = 0;
    bytes[BI_CELLGRAPH_VECTORS] = count * words * 8;
    bytes[BI_CELLGRAPH_HASHES] = count * 8;
    bytes[BI_CELLGRAPH_SEEDS] = words * 8;
    bytes[BI_CELLGRAPH_REPRESENTATIVES] = bytes[BI_CELLGRAPH_MULTIPLICITIES] = bytes[BI_CELLGRAPH_VERTEX_OF] =
        count * 4;
    bytes[BI_CELLGRAPH_EDGES] = (size_t)edges * 8;
    bytes[BI_CELLGRAPH_POSITIONS] = (size_t)edges * 4;
}

/* Scratch of a build: staged rows; vertices, or edges found and sorted; and the arrays of the method. An addition, for
 * which keep_memory reserves too, also copies the old vectors beside staged rows, and saves the new rows' vertices.
 * ZOBRIST, and additions to a graph of TABLE: lists and their sort, LIST_BYTES a vertex. Halves of the join: the same,
 * and the remaining vertices of each level with keys and sort, HALVES_BYTES. */
static int64_t size_scratch(const bosc_ctx *ctx, const bosc_cellgraph_opts *o, const struct bi_letters *shape,
                            int64_t n, int64_t edges)
{
    enum { SLACK = 1 << 20, THREAD_BYTES = 1 << 18, LIST_BYTES = 44, HALVES_BYTES = 144 };
    const int64_t edge_capacity = edges > 2 * n ? edges : 2 * n;
    const struct bi_cellgraph_sizes own = ctx->ops->cellgraph->sizes(ctx, shape, n, o->max_bytes);
    const int64_t rows = 8 * n * shape->words * (o->keep_memory ? 2 : 1) + SLACK + (int64_t)ctx->threads * THREAD_BYTES;
    if (o->implied_edges) return rows + own.unique + 4 * n;
    int64_t method =
                own.join > 12 * edge_capacity + n * HALVES_BYTES ? own.join : 12 * edge_capacity + n * HALVES_BYTES,
            found;
    if (o->method == BOSC_CELLGRAPH_HEURISTIC) method = 4 * n * o->pivots;
    if (o->method == BOSC_CELLGRAPH_ZOBRIST || o->method == BOSC_CELLGRAPH_TABLE) method = n * LIST_BYTES;
    if (o->method == BOSC_CELLGRAPH_TRIE) method = 28 * edge_capacity + n * (24 + 8 * (int64_t)shape->words);
    if (method < 12 * edge_capacity + 4 * n) method = 12 * edge_capacity + 4 * n;
    found = 16 * edge_capacity + method;
    if (bi_cellgraph_uses_table(ctx, o, n)) {
        const int64_t table = own.unique + bi_cellgraph_table_bytes(shape, n, edges);
        if (table > found) found = table;
    }
    return rows + (found > own.unique ? found : own.unique);
}

/* Sizes that pass are counted in 64 bits: 2^32 rows of 8,192 words are 2^48 bytes. */
static bosc_status check_sizes(bosc_ctx *ctx, int64_t n, int64_t edges)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (edges < 0) return bi_fail(ctx, BOSC_ERR_ARG, "edges: %lld is less than 0", (long long)edges);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows; a graph holds less than 2^32 - 1", (long long)n);
    if (edges > INT64_MAX / 256)
        return bi_fail(ctx, BOSC_ERR_ARG, "edges: %lld are more than memory can hold", (long long)edges);
    return BOSC_OK;
}

/* Bytes of the trie of TRIE. */
static bosc_status trie_bytes(bosc_ctx *ctx, const bosc_cellgraph_opts *o, int64_t n, int64_t *kept, int64_t *scratch)
{
    const bosc_trie_opts opts = bi_cellgraph_make_trie_opts(o);
    *kept = *scratch = 0;
    return o->method == BOSC_CELLGRAPH_TRIE ? bosc_trie_bytes(ctx, &opts, n, kept, scratch) : BOSC_OK;
}

bosc_status bosc_cellgraph_bytes(const bosc_ctx *ctx, const bosc_cellgraph_opts *opts, int64_t n, int64_t edges,
                                 int64_t *kept, int64_t *scratch)
{
    bosc_cellgraph_opts full;
    size_t bytes[BI_CELLGRAPH_BLOCKS];
    int64_t sum, of_trie;
    bosc_ctx *message_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(message_ctx);
    BI_TRY(bi_cellgraph_check_opts(message_ctx, opts, &full));
    const struct bi_letters shape = bi_letters_of(full.length, full.letter_bits);
    BI_TRY(check_sizes(message_ctx, n, edges));
    BI_TRY(trie_bytes(message_ctx, &full, n, &sum, &of_trie));
    size_blocks(&shape, n, count_stored(&full, edges), bytes);
    for (int b = 0; b < BI_CELLGRAPH_BLOCKS; b++) sum += (int64_t)bytes[b] * (full.keep_memory ? 2 : 1);
    if (kept) *kept = sum;
    if (scratch) *scratch = size_scratch(ctx, &full, &shape, n, edges) + of_trie;
    return BOSC_OK;
}

/* Grows blocks, keeping their contents; spare ones have none. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_cellgraph *graph, const size_t bytes[BI_CELLGRAPH_BLOCKS])
{
    struct bi_block *blocks[BI_CELLGRAPH_BLOCKS];
    size_t used[BI_CELLGRAPH_BLOCKS];
    size_blocks(&graph->shape, graph->vertices, graph->edges, used);
    used[BI_CELLGRAPH_VERTEX_OF] = (size_t)graph->n * 4;
    for (int b = 0; b < BI_CELLGRAPH_BLOCKS; b++) {
        blocks[b] = &graph->blocks[b];
        if (graph->n == 0) used[b] = 0;
    }
    for (int b = 0; b < BI_CELLGRAPH_BLOCKS && graph->opts.keep_memory; b++)
        BI_TRY(bi_block_reserve(ctx, &graph->memory, &graph->spare[b], bytes[b]));
    return bi_blocks_grow(ctx, &graph->memory, blocks, BI_CELLGRAPH_BLOCKS, bytes, used);
}

bosc_status bosc_cellgraph_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t edges)
{
    size_t bytes[BI_CELLGRAPH_BLOCKS];
    int64_t kept, scratch;
    void *unused;
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check(ctx, graph));
    BI_TRY(check_sizes(ctx, n, edges));
    BI_TRY(trie_bytes(ctx, &graph->opts, n, &kept, &scratch));
    scratch += size_scratch(ctx, &graph->opts, &graph->shape, n, edges);
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &unused));
    if (graph->opts.method == BOSC_CELLGRAPH_TRIE) BI_TRY(bi_cellgraph_trie_reserve(ctx, graph, n));
    size_blocks(&graph->shape, n, count_stored(&graph->opts, edges), bytes);
    return grow_blocks(ctx, graph, bytes);
}
