/* Handles of graphs: options, sizes, memory, info and views. */
#include "core/call.h"
#include "graph/drivers.h"
#include "graph/view.h"

bosc_status bi_graph_check(bosc_ctx *ctx, const bosc_graph *graph)
{
    return bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL);
}

static bosc_status check_fields(bosc_ctx *ctx, const bosc_graph_opts *o)
{
    if ((int)o->weight < BOSC_F32 || o->weight > BOSC_U64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: weight %d is none of U32, I32, F32, U64, I64, F64", (int)o->weight);
    if (o->id_bits != 32 && o->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)o->id_bits);
    if (o->arcs != BOSC_GRAPH_ARCS_ONE && o->arcs != BOSC_GRAPH_ARCS_BOTH)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: arcs %d is neither ONE nor BOTH", (int)o->arcs);
    if ((int)o->parallel < BOSC_GRAPH_PARALLEL_KEEP || o->parallel > BOSC_GRAPH_PARALLEL_FIRST)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: parallel %d is none of KEEP, MIN, SUM, FIRST", (int)o->parallel);
    if ((int)o->nan < BOSC_GRAPH_NAN_REFUSE || o->nan > BOSC_GRAPH_NAN_LAST)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: nan %d is none of REFUSE, DROP, LAST", (int)o->nan);
    return BOSC_OK;
}

bosc_status bi_graph_check_opts(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_graph_opts", opts, full, sizeof *full));
    if (full->weight == 0) full->weight = BOSC_U32;
    if (full->id_bits == 0) full->id_bits = 64;
    return check_fields(ctx, full);
}

bosc_status bi_graph_new(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph **graph)
{
    return BI_NEW_HANDLE(ctx, graph, .opts = *opts, .ids_in_order = true);
}

bosc_status bosc_graph_create(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph **graph)
{
    bosc_graph_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check_opts(ctx, opts, &full));
    if (!graph) return bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
    return bi_graph_new(ctx, &full, graph);
}

void bosc_graph_free(bosc_graph *graph)
{
    if (!graph) return;
    bosc_graph empty = {0};
    bi_graph_abandon(&empty, graph);
    bi_memory_release(&graph->host, graph, sizeof *graph);
}

enum { BLOCKS = 4 };

static void list_blocks(const bosc_graph *graph, struct bi_block list[BLOCKS])
{
    list[0] = graph->offsets;
    list[1] = graph->neighbours;
    list[2] = graph->keys;
    list[3] = graph->edge_ids;
}

void bi_graph_abandon(const bosc_graph *graph, const bosc_graph *next)
{
    struct bi_block kept[BLOCKS], dropped[BLOCKS];
    list_blocks(graph, kept);
    list_blocks(next, dropped);
    for (int k = 0; k < BLOCKS; k++)
        if (dropped[k].data != kept[k].data) bi_block_free(&next->memory, &dropped[k]);
}

void bi_graph_commit(bosc_graph *graph, const bosc_graph *next)
{
    bi_graph_abandon(next, graph);
    *graph = *next;
}

bool bi_graph_needs_64bit(const bosc_graph_opts *opts, int64_t m)
{
    int64_t arcs = opts->arcs == BOSC_GRAPH_ARCS_BOTH ? m : 2 * m;
    return opts->wide || arcs >= (int64_t)UINT32_MAX;
}

static void block_bytes(const bosc_graph_opts *opts, int64_t n, int64_t m, size_t bytes[BLOCKS])
{
    size_t arcs = (size_t)(opts->arcs == BOSC_GRAPH_ARCS_BOTH ? m : 2 * m),
           word = bi_graph_needs_64bit(opts, m) ? 8 : 4;
    bytes[0] = ((size_t)n + 1) * word;
    bytes[1] = arcs * sizeof(uint32_t);
    bytes[2] = arcs * bosc_dtype_size(opts->weight);
    bytes[3] = arcs * word;
}

bosc_status bi_graph_reserve_blocks(bosc_ctx *ctx, const bosc_graph *graph, int64_t n, int64_t m, bosc_graph *next)
{
    size_t bytes[BLOCKS];
    block_bytes(&graph->opts, n, m, bytes);
    struct bi_block *list[BLOCKS] = {&next->offsets, &next->neighbours, &next->keys, &next->edge_ids};
    for (int k = 0; k < BLOCKS; k++) {
        if (bytes[k] <= list[k]->bytes) continue;
        *list[k] = (struct bi_block){0};
        BI_TRY(bi_block_reserve(ctx, &graph->memory, list[k], bytes[k]));
    }
    return BOSC_OK;
}

/* An upper bound of a build's scratch if the arrays are in host memory; each request is rounded up to 256 bytes. */
static int64_t build_scratch(const bosc_graph_opts *opts, int64_t n, int64_t m)
{
    int64_t word = bi_graph_needs_64bit(opts, m) ? 8 : 4, size = (int64_t)bosc_dtype_size(opts->weight);
    int64_t staged = m * (2 * opts->id_bits / 8 + size + 4) + 8 * (n + 1);
    int64_t lists = 5 * m * (8 + word), back = 4 * m * (4 + word), flags = m * (word + 3);
    int64_t parallel = opts->parallel == BOSC_GRAPH_PARALLEL_KEEP ? 0 : m * (3 * size + 3 * word + 2);
    int64_t pairs = opts->arcs == BOSC_GRAPH_ARCS_BOTH ? m * (2 * size + 8 + word) : 0;
    return staged + lists + back + flags + parallel + pairs + (2 * word + 16) * (n + 1) + (1 << 20);
}

bosc_status bi_graph_check_sizes(bosc_ctx *ctx, const bosc_graph_opts *opts, int64_t n, int64_t m)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (m < 0) return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld is less than 0", (long long)m);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld vertices; a graph has less than 2^32 - 1", (long long)n);
    if (m >= (int64_t)1 << 40)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "m: %lld entries; a graph is made of less than 2^40", (long long)m);
    if (opts->id_bits == 32 && m >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "m: the ids of %lld entries do not fit 32 bits", (long long)m);
    return BOSC_OK;
}

bosc_status bosc_graph_bytes(const bosc_ctx *ctx, const bosc_graph_opts *opts, int64_t n, int64_t m, int64_t *kept,
                             int64_t *scratch)
{
    bosc_graph_opts full;
    bosc_ctx *writable = (bosc_ctx *)ctx; /* only its error message is written */
    BI_ENTER(writable);
    BI_TRY(bi_graph_check_opts(writable, opts, &full));
    BI_TRY(bi_graph_check_sizes(writable, &full, n, m));
    size_t bytes[BLOCKS];
    block_bytes(&full, n, m, bytes);
    if (kept) *kept = (int64_t)(bytes[0] + bytes[1] + bytes[2] + bytes[3]);
    if (scratch) *scratch = build_scratch(&full, n, m);
    return BOSC_OK;
}

/* Copies a graph's contents to the larger blocks of *next. */
static bosc_status move_blocks(bosc_ctx *ctx, const bosc_graph *graph, const bosc_graph *next)
{
    struct bi_block from[BLOCKS], to[BLOCKS];
    size_t arcs = (size_t)graph->arcs, word = graph->is_64bit ? 8 : 4;
    const size_t used[BLOCKS] = {graph->n ? ((size_t)graph->n + 1) * word : 0, arcs * sizeof(uint32_t),
                                 arcs * bosc_dtype_size(graph->opts.weight), arcs * word};
    list_blocks(graph, from);
    list_blocks(next, to);
    for (int k = 0; k < BLOCKS; k++)
        if (from[k].data && from[k].data != to[k].data)
            BI_TRY(ctx->backend->copy(ctx, to[k].data, from[k].data, used[k]));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_graph_reserve(bosc_ctx *ctx, bosc_graph *graph, int64_t n, int64_t m)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    BI_TRY(bi_graph_check_sizes(ctx, &graph->opts, n, m));
    void *scratch;
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)build_scratch(&graph->opts, n, m), &scratch));
    bosc_graph next = *graph;
    bosc_status status = bi_graph_reserve_blocks(ctx, graph, n, m, &next);
    if (status == BOSC_OK) status = move_blocks(ctx, graph, &next);
    if (status == BOSC_OK)
        bi_graph_commit(graph, &next);
    else
        bi_graph_abandon(graph, &next);
    return status;
}

bosc_status bi_graph_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t count, size_t size)
{
    if (count > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    if ((uintptr_t)array % size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %p is not aligned to %zu bytes", name, array, size);
    return BOSC_OK;
}

bosc_status bosc_graph_get_info(bosc_ctx *ctx, const bosc_graph *graph, bosc_graph_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_graph_check(ctx, graph));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_graph_info));
    size_t bytes = graph->offsets.bytes + graph->neighbours.bytes + graph->keys.bytes + graph->edge_ids.bytes;
    bosc_graph_info full = {.n = graph->n,
                            .entries = graph->entries,
                            .m = graph->m,
                            .arcs = graph->arcs,
                            .loops = graph->loops,
                            .parallel = graph->parallel,
                            .isolated = graph->isolated,
                            .least_degree = graph->least_degree,
                            .most_degree = graph->most_degree,
                            .weight = graph->opts.weight,
                            .id_bits = graph->opts.id_bits,
                            .bytes = (int64_t)bytes};
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

struct bi_graph_csr bi_graph_csr_of(const bosc_graph *graph)
{
    return (struct bi_graph_csr){.offsets = graph->offsets.data,
                                 .neighbours = graph->neighbours.data,
                                 .keys = graph->keys.data,
                                 .ids = graph->edge_ids.data,
                                 .is_64bit = graph->is_64bit,
                                 .dtype = graph->opts.weight};
}

bosc_status bi_graph_view_of(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_view *view)
{
    BI_TRY(bi_graph_check(ctx, graph));
    *view = (struct bi_graph_view){.n = graph->n,
                                   .entries = graph->entries,
                                   .m = graph->m,
                                   .arcs = graph->arcs,
                                   .loops = graph->loops,
                                   .parallel = graph->parallel,
                                   .isolated = graph->isolated,
                                   .weight = graph->opts.weight,
                                   .id_bits = graph->opts.id_bits,
                                   .is_64bit = graph->is_64bit,
                                   .offsets = graph->offsets.data,
                                   .edge_ids = graph->edge_ids.data,
                                   .neighbours = graph->neighbours.data,
                                   .keys = graph->keys.data};
    return BOSC_OK;
}
