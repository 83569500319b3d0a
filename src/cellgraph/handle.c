/* The handle of cell graphs: options, blocks, and checks of arguments. */
#include <boscage/trie.h>

#include "cellgraph/handle.h"
#include "core/arena.h"
#include "core/call.h"
#include "core/check.h"

bosc_status bi_cellgraph_check(bosc_ctx *ctx, const bosc_cellgraph *graph)
{
    return bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL);
}

bosc_status bi_cellgraph_check_edges(bosc_ctx *ctx, const bosc_cellgraph *graph)
{
    BI_TRY(bi_cellgraph_check(ctx, graph));
    if (!graph->opts.implied_edges) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "graph: it has implied_edges, which only bosc_cellgraph_path finds");
}

/* Zero pivots mean the naive method. Zero max_bytes, blocks, threads and digit_bits stay: builds choose the values. */
bosc_status bi_cellgraph_check_opts(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but length has no default");
    BI_TRY(bi_read_opts(ctx, "bosc_cellgraph_opts", opts, full, sizeof *full));
    /* 1. Defaults. */
    if (full->letter_bits == 0) full->letter_bits = 1;
    if (full->id_bits == 0) full->id_bits = 64;
    /* 2. Ranges. */
    if (full->length < 1 || full->length > BI_LETTERS_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: length %d is not in 1 to %d", (int)full->length, BI_LETTERS_MAX);
    if (full->letter_bits < 1 || full->letter_bits > 8)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: letter_bits %d is not in 1 to 8", (int)full->letter_bits);
    if (full->method < BOSC_CELLGRAPH_AUTO || full->method > BOSC_CELLGRAPH_TABLE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: method %d is none", (int)full->method);
    if (full->method == BOSC_CELLGRAPH_TABLE && full->length * full->letter_bits > BOSC_CELLGRAPH_TABLE_BITS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: method TABLE, but %d letters of %d bits are more than %d bits",
                       (int)full->length, (int)full->letter_bits, BOSC_CELLGRAPH_TABLE_BITS);
    if (full->pivots < 0 || full->pivots > BI_CELLGRAPH_PIVOTS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: pivots %d is not in 0 to %d", (int)full->pivots, BI_CELLGRAPH_PIVOTS);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    if (full->max_bytes < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_bytes %lld is less than 0", (long long)full->max_bytes);
    if (full->trie_search < BOSC_CELLGRAPH_TRIE_WALK || full->trie_search > BOSC_CELLGRAPH_TRIE_BLOCKS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: trie_search %d is none", (int)full->trie_search);
    if (full->heuristic_search < BOSC_CELLGRAPH_HEURISTIC_ROWS ||
        full->heuristic_search > BOSC_CELLGRAPH_HEURISTIC_BLOCKS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: heuristic_search %d is none", (int)full->heuristic_search);
    if (full->blocks < 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: blocks %d is less than 0", (int)full->blocks);
    if (full->threads < 0 || full->threads > BI_CELLGRAPH_THREADS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: threads %d is not in 0 to %d", (int)full->threads,
                       BI_CELLGRAPH_THREADS);
    if (full->digit_bits < 0 || full->digit_bits > 8 || full->digit_bits % full->letter_bits)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: digit_bits %d is not in 0 to 8, or no multiple of letter_bits %d",
                       (int)full->digit_bits, (int)full->letter_bits);
    if (full->keep_memory != 0 && full->keep_memory != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: keep_memory %d is neither 0 nor 1", (int)full->keep_memory);
    if (full->trie_by_values != 0 && full->trie_by_values != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: trie_by_values %d is neither 0 nor 1", (int)full->trie_by_values);
    if (full->implied_edges != 0 && full->implied_edges != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: implied_edges %d is neither 0 nor 1", (int)full->implied_edges);
    if (full->implied_edges && (full->letter_bits != 1 || full->method != BOSC_CELLGRAPH_AUTO))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: implied_edges needs letters of 1 bit, not %d, and the method AUTO",
                       (int)full->letter_bits);
    if (full->trie_search == BOSC_CELLGRAPH_TRIE_DOBROWOLSKI && !ctx->ops->cellgraph->dobrowolski)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: trie_search DOBROWOLSKI is the CPU backend's alone, not of %s",
                       ctx->backend->name);
    return BOSC_OK;
}

int64_t bosc_cellgraph_words(int32_t length, int32_t letter_bits) { return bi_letters_words(length, letter_bits); }

bosc_status bosc_cellgraph_create(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph **graph)
{
    bosc_cellgraph_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check_opts(ctx, opts, &full));
    if (!graph) return bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
    return BI_NEW_HANDLE(ctx, graph, .opts = full, .method = full.method,
                         .shape = bi_letters_of(full.length, full.letter_bits));
}

void bosc_cellgraph_free(bosc_cellgraph *graph)
{
    if (!graph) return;
    bosc_trie_free(graph->trie);
    for (int b = 0; b < BI_CELLGRAPH_BLOCKS; b++) {
        bi_block_free(&graph->memory, &graph->blocks[b]);
        bi_block_free(&graph->memory, &graph->spare[b]);
    }
    bi_memory_release(&graph->host, graph, sizeof *graph);
}

bosc_status bi_cellgraph_check_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                    int64_t stride, int64_t earlier, struct bi_cellgraph_rows *rows)
{
    int64_t words = graph->shape.words;
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > 0 && !vectors) return bi_fail(ctx, BOSC_ERR_ARG, "vectors: NULL");
    if ((uintptr_t)vectors % sizeof *vectors)
        return bi_fail(ctx, BOSC_ERR_ARG, "vectors: not aligned to their words of 8 bytes");
    if (stride < 0 || (stride > 0 && stride < words))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than the %lld words of a row", (long long)stride,
                       (long long)words);
    *rows = (struct bi_cellgraph_rows){vectors, n, stride ? stride : words};
    if (n >= (int64_t)UINT32_MAX - earlier)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows after %lld; a graph holds less than 2^32 - 1", (long long)n,
                       (long long)earlier);
    if (n > 0 && rows->stride > (INT64_MAX / 8 - words) / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld rows of %lld words are more than memory can hold", (long long)n,
                       (long long)rows->stride);
    return BOSC_OK;
}

void bi_cellgraph_clear(bosc_cellgraph *graph)
{
    graph->n = graph->vertices = graph->edges = graph->compared = 0;
    graph->method = graph->opts.method;
    graph->prepared = false;
    for (int b = 0; b < BI_CELLGRAPH_BLOCKS && graph->exchanged; b++) {
        const struct bi_block block = graph->blocks[b];
        graph->blocks[b] = graph->spare[b];
        graph->spare[b] = block;
    }
    graph->exchanged = false;
}

bosc_status bosc_cellgraph_reset(bosc_ctx *ctx, bosc_cellgraph *graph, int32_t length)
{
    bosc_cellgraph_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check(ctx, graph));
    bosc_cellgraph_opts opts = graph->opts;
    opts.size = sizeof opts;
    opts.length = length;
    BI_TRY(bi_cellgraph_check_opts(ctx, &opts, &full));
    if (graph->opts.length != length) {
        bosc_trie_free(graph->trie);
        graph->trie = NULL;
        graph->trie_bytes = 0;
    }
    graph->opts = full;
    graph->shape = bi_letters_of(full.length, full.letter_bits);
    bi_cellgraph_clear(graph);
    return BOSC_OK;
}

bosc_status bi_cellgraph_reserve_block(bosc_ctx *ctx, bosc_cellgraph *graph, int block, int64_t count, size_t size)
{
    return bi_block_reserve(ctx, &graph->memory, &graph->blocks[block], (size_t)count * size);
}

bosc_status bi_cellgraph_reserve_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t vertices)
{
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_VERTEX_OF, n, 4));
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_REPRESENTATIVES, vertices, 4));
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_MULTIPLICITIES, vertices, 4));
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_HASHES, vertices, 8));
    return bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_VECTORS, vertices, (size_t)graph->shape.words * 8);
}

struct bi_cellgraph_view bi_cellgraph_view_of(const bosc_cellgraph *graph)
{
    return (struct bi_cellgraph_view){graph->shape, graph->vertices, graph->blocks[BI_CELLGRAPH_VECTORS].data,
                                      graph->blocks[BI_CELLGRAPH_HASHES].data, graph->blocks[BI_CELLGRAPH_SEEDS].data};
}

struct bi_cellgraph_edges bi_cellgraph_edges_of(const bosc_cellgraph *graph)
{
    return (struct bi_cellgraph_edges){graph->blocks[BI_CELLGRAPH_EDGES].data,
                                       graph->blocks[BI_CELLGRAPH_POSITIONS].data, graph->edges, graph->vertex_bits};
}

bosc_status bosc_cellgraph_get_info(bosc_ctx *ctx, const bosc_cellgraph *graph, bosc_cellgraph_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check(ctx, graph));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_cellgraph_info));
    bosc_cellgraph_info full = {.n = graph->n,
                                .vertices = graph->vertices,
                                .edges = graph->edges,
                                .words = graph->shape.words,
                                .length = graph->opts.length,
                                .letter_bits = graph->opts.letter_bits,
                                .id_bits = graph->opts.id_bits,
                                .method = graph->method,
                                .compared = graph->compared};
    full.bytes = graph->trie_bytes;
    for (int b = 0; b < BI_CELLGRAPH_BLOCKS; b++)
        full.bytes += (int64_t)(graph->blocks[b].bytes + graph->spare[b].bytes);
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
