/* The front door of cell graphs: handles, options, and what every call checks. */
#include <string.h>

#include <boscage/trie.h>

#include "cellgraph/handle.h"
#include "core/blocks.h"
#include "core/call.h"
#include "core/check.h"

bosc_status bi_cell_check(bosc_ctx *ctx, const bosc_cellgraph *graph)
{
    return bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL);
}

bosc_status bi_cell_check_opts(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but length has no default");
    BI_TRY(bi_take_opts(ctx, "bosc_cellgraph_opts", opts, full, sizeof *full));
    if (full->letter_bits == 0) full->letter_bits = 1;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->length < 1 || full->length > BI_CELL_LENGTH)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: length %d is not in 1 to %d", (int)full->length, BI_CELL_LENGTH);
    if (full->letter_bits < 1 || full->letter_bits > 8)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: letter_bits %d is not in 1 to 8", (int)full->letter_bits);
    if (full->method < BOSC_CELL_AUTO || full->method > BOSC_CELL_JOIN)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: method %d is none", (int)full->method);
    if (full->pivots < 0 || full->pivots > BI_CELL_PIVOTS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: pivots %d is not in 0 to %d", (int)full->pivots, BI_CELL_PIVOTS);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    if (full->max_bytes < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_bytes %lld is less than 0", (long long)full->max_bytes);
    if (full->trie_search < BOSC_CELL_TRIE_WALK || full->trie_search > BOSC_CELL_TRIE_DOBROWOLSKI)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: trie_search %d is none", (int)full->trie_search);
    if (full->trie_search == BOSC_CELL_TRIE_DOBROWOLSKI && !ctx->ops->cellgraph->dobrowolski)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: trie_search DOBROWOLSKI is the CPU backend's alone, not of %s",
                       ctx->backend->name);
    return BOSC_OK;
}

struct bi_cell_shape bi_cell_shape_of(int32_t length, int32_t letter_bits)
{
    struct bi_cell_shape s = {.length = length, .letter_bits = letter_bits, .per_word = 64 / letter_bits};
    s.words = (length + s.per_word - 1) / s.per_word;
    s.mask = ~0ull >> (64 - s.per_word * letter_bits);
    for (int32_t j = 0; j < s.per_word; j++) s.lows |= 1ull << j * letter_bits;
    s.last_mask = ~0ull >> (64 - (length - (s.words - 1) * s.per_word) * letter_bits);
    return s;
}

int64_t bosc_cellgraph_words(int32_t length, int32_t letter_bits)
{
    if (length < 1 || length > BI_CELL_LENGTH || letter_bits < 1 || letter_bits > 8) return 0;
    return bi_cell_shape_of(length, letter_bits).words;
}

bosc_status bosc_cellgraph_create(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph **graph)
{
    bosc_cellgraph_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_cell_check_opts(ctx, opts, &full));
    if (!graph) return bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
    bosc_cellgraph *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_cellgraph){.memory = ctx->memory, .host = ctx->host, .opts = full, .method = full.method};
    fresh->shape = bi_cell_shape_of(full.length, full.letter_bits);
    *graph = fresh;
    return BOSC_OK;
}

void bosc_cellgraph_free(bosc_cellgraph *graph)
{
    if (!graph) return;
    struct bi_memory host = graph->host;
    bosc_trie_free(graph->trie);
    for (int b = 0; b < BI_CELL_BLOCKS; b++) bi_block_free(&graph->memory, &graph->blocks[b]);
    bi_memory_release(&host, graph, sizeof *graph);
}

bosc_status bi_cell_check_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                               int64_t stride, int64_t before, struct bi_cell_rows *rows)
{
    int64_t words = graph->shape.words;
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > 0 && !vectors) return bi_fail(ctx, BOSC_ERR_ARG, "vectors: NULL");
    if ((uintptr_t)vectors % sizeof *vectors)
        return bi_fail(ctx, BOSC_ERR_ARG, "vectors: not aligned to their words of 8 bytes");
    if (stride < 0 || (stride > 0 && stride < words))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than the %lld words of a row", (long long)stride,
                       (long long)words);
    *rows = (struct bi_cell_rows){vectors, n, stride ? stride : words};
    if (n >= (int64_t)UINT32_MAX - before)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows after %lld; a graph holds less than 2^32 - 1", (long long)n,
                       (long long)before);
    if (n > 0 && rows->stride > (INT64_MAX / 8 - words) / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld rows of %lld words are more than memory can hold", (long long)n,
                       (long long)rows->stride);
    return BOSC_OK;
}

bosc_status bi_cell_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int block, int64_t count, size_t size)
{
    return bi_block_reserve(ctx, &graph->memory, &graph->blocks[block], (size_t)count * size);
}

bosc_status bi_cell_reserve_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t vertices)
{
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_VERTEX_OF, n, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_FIRSTS, vertices, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_MULTIPLICITIES, vertices, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_HASHES, vertices, 8));
    return bi_cell_reserve(ctx, graph, BI_CELL_VECTORS, vertices, (size_t)graph->shape.words * 8);
}

struct bi_cell_view bi_cell_view_of(const bosc_cellgraph *graph)
{
    return (struct bi_cell_view){graph->shape, graph->vertices, graph->blocks[BI_CELL_VECTORS].data,
                                 graph->blocks[BI_CELL_HASHES].data, graph->blocks[BI_CELL_SEEDS].data};
}

struct bi_cell_edges bi_cell_edges_of(const bosc_cellgraph *graph)
{
    return (struct bi_cell_edges){graph->blocks[BI_CELL_EDGES].data, graph->blocks[BI_CELL_POSITIONS].data,
                                  graph->edges, graph->vertex_bits};
}

bosc_status bosc_cellgraph_get_info(const bosc_cellgraph *graph, bosc_cellgraph_info *info)
{
    if (!graph || !info || info->size < sizeof(size_t) || info->size > sizeof *info) return BOSC_ERR_ARG;
    bosc_cellgraph_info full = {.size = info->size,
                                .n = graph->n,
                                .vertices = graph->vertices,
                                .edges = graph->edges,
                                .words = graph->shape.words,
                                .length = graph->opts.length,
                                .letter_bits = graph->opts.letter_bits,
                                .id_bits = graph->opts.id_bits,
                                .method = graph->method,
                                .compared = graph->compared};
    full.bytes = graph->trie_bytes;
    for (int b = 0; b < BI_CELL_BLOCKS; b++) full.bytes += (int64_t)graph->blocks[b].bytes;
    memcpy(info, &full, info->size);
    return BOSC_OK;
}
