/* TABLE: the table of all words of a few bits, the vertices in it, and their edges. */
#include "cellgraph/drivers.h"
#include "core/call.h"

bool bi_cellgraph_uses_table(const bosc_ctx *ctx, const bosc_cellgraph_opts *opts, int64_t rows)
{
    const struct bi_cellgraph_costs *t = ctx->ops->cellgraph->costs;
    const int32_t bits = opts->length > BOSC_CELLGRAPH_TABLE_BITS ? INT32_MAX : opts->length * opts->letter_bits;
    if (opts->method == BOSC_CELLGRAPH_TABLE) return true;
    if (opts->method != BOSC_CELLGRAPH_AUTO || bits > BOSC_CELLGRAPH_TABLE_BITS || rows <= t->compare_all) return false;
    const double words = (double)((int64_t)1 << bits), n = (double)rows;
    return words <= t->table_free + t->table_words * n && n <= t->rows_free + t->table_rows * words;
}

/* Most vertices of the table. */
static int64_t most_vertices(int32_t bits, int64_t rows)
{
    const int64_t words = (int64_t)1 << bits;
    return rows < words ? rows : words;
}

int64_t bi_cellgraph_table_bytes(const struct bi_letters *shape, int64_t n, int64_t edges)
{
    /* A vertex: word and id; while rows are grouped, its first row; while edges are found, at most 16 bytes, of its row
     * of edges. A row: its slot. An edge: a key. */
    enum { GROUP_BYTES = 16, VERTEX_BYTES = 8 + 4 + 16, ROW_BYTES = 4, EDGE_BYTES = 4, ALIGNMENT = 4096 };
    const int32_t bits = shape->length * shape->letter_bits;
    return bi_cellgraph_group_count(bits) * GROUP_BYTES + most_vertices(bits, n) * VERTEX_BYTES + n * ROW_BYTES +
           edges * EDGE_BYTES + ALIGNMENT;
}

bosc_status bi_cellgraph_build_table(bosc_ctx *ctx, const struct bi_letters *shape,
                                     const struct bi_cellgraph_rows *rows, struct bi_cellgraph_table *table)
{
    const int32_t bits = shape->length * shape->letter_bits;
    const int64_t groups = bi_cellgraph_group_count(bits), vertices = most_vertices(bits, rows->n);
    *table = (struct bi_cellgraph_table){.shape = *shape, .bits = bits, .rows = *rows, .edges = -1};
    /* 1. Memory. */
    BI_TRY(bi_scratch_of(ctx, groups, 4, &table->present));
    BI_TRY(bi_scratch_of(ctx, groups, 4, &table->ranks));
    BI_TRY(bi_scratch_of(ctx, groups, 8, &table->groups));
    BI_TRY(bi_scratch_of(ctx, vertices, 4, &table->words));
    BI_TRY(bi_scratch_of(ctx, vertices + 1, 4, &table->ids));
    /* 2. Mark the words, rank the groups, and list the words. */
    BI_TRY(ctx->backend->fill(ctx, table->present, 0, (size_t)groups * 4));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_mark_word, bi_cellgraph_items(rows->n), table));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_count_group, groups, table));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, table->ranks, groups, table->ranks));
    const struct bi_cellgraph_ops *ops = ctx->ops->cellgraph;
    return ops->list_words ? ops->list_words(ctx, table, groups)
                           : BI_CELLGRAPH_STEP(ctx, cellgraph_list_words, groups, table);
}

bosc_status bi_cellgraph_find_first_rows(bosc_ctx *ctx, struct bi_cellgraph_table *table)
{
    const int64_t vertices = most_vertices(table->bits, table->rows.n);
    BI_TRY(bi_scratch_of(ctx, table->rows.n, 4, &table->slots));
    BI_TRY(bi_scratch_of(ctx, vertices, 4, &table->first));
    BI_TRY(ctx->backend->fill(ctx, table->first, 0xff, (size_t)vertices * 4));
    return BI_CELLGRAPH_STEP(ctx, cellgraph_first_row, bi_cellgraph_items(table->rows.n), table);
}

bosc_status bi_cellgraph_number_words(bosc_ctx *ctx, const bosc_cellgraph *graph,
                                      const struct bi_cellgraph_table *table)
{
    const struct bi_cellgraph_table_vertices vertices = {*table, graph->blocks[BI_CELLGRAPH_VECTORS].data};
    return BI_CELLGRAPH_STEP(ctx, cellgraph_table_id, graph->vertices, &vertices);
}
