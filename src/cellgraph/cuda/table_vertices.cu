/* TABLE on the device: lists the words of a table, and numbers its vertices by their first rows. The first rows are
 * words of a second table, in which the rank of a row is its vertex; so no array is scattered. A word is an index
 * of a table's bits: a vector, or a row. Its rank is its number among the present words, in ascending order. */
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "cellgraph/cuda/cellgraph.cuh"
#include "cellgraph/drivers.h"
#include "cellgraph/handle.h"

enum { THREADS = 256, AT_ONCE = 4 /* items of a thread whose loads overlap. Not measured */ };

/* Joins the bits and the ranks of groups, and lists their words: a warp has 32 groups, and writes the words of each
 * together. */
static __global__ void __launch_bounds__(THREADS)
    bi_cellgraph_list_table_words(const bi_cellgraph_table table, int64_t groups)
{
    const int64_t g = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    const uint32_t first_word = (uint32_t)(g - lane) << BI_CELLGRAPH_GROUP_BITS | lane;
    uint32_t bits = 0, rank = 0;
    /* 1. Join the thread's own group. */
    if (g < groups) {
        bits = table.present[g];
        rank = table.ranks[g];
        table.groups[g] = (uint64_t)rank << 32 | bits;
    }
    /* 2. List the words of the groups of the warp. */
#pragma unroll 8
    for (unsigned k = 0; k < 32; k++) {
        const uint32_t its_bits = __shfl_sync(~0u, bits, (int)k), its_rank = __shfl_sync(~0u, rank, (int)k);
        if (its_bits >> lane & 1)
            table.words[its_rank + (uint32_t)__popc(its_bits & bi_lanes_below())] =
                first_word + (k << BI_CELLGRAPH_GROUP_BITS);
    }
}

bosc_status bi_cellgraph_cuda_list_words(bosc_ctx *ctx, const struct bi_cellgraph_table *table, int64_t groups)
{
    return BI_RUN(ctx, bi_cellgraph_list_table_words, (unsigned)bi_div_up(groups, THREADS), THREADS, 0, *table, groups);
}

struct table_vertices_args {
    struct bi_cellgraph_table table;      /* first: 1 + the first row of each rank, so at least 1 */
    struct bi_cellgraph_table first_rows; /* present words: the first rows of the vertices; words: the list of them */
    int64_t vertices;
    uint32_t *vertex_of, *multiplicities;
    uint64_t *vectors;
};

/* Marks the first row of each rank. Threads beyond the last rank have 0 in place of a row. */
static __global__ void __launch_bounds__(THREADS) bi_cellgraph_mark_first_rows(const table_vertices_args a)
{
    const int64_t begin = blockIdx.x * (int64_t)(THREADS * AT_ONCE) + threadIdx.x;
    uint32_t rows[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
        rows[k] = begin + k * THREADS < a.vertices ? a.table.first[begin + k * THREADS] : 0;
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
        if (rows[k] > 0)
            atomicOr(&a.first_rows.present[(rows[k] - 1) >> BI_CELLGRAPH_GROUP_BITS], 1u << ((rows[k] - 1) & 31));
}

/* Number of first rows before a row. */
static __device__ __forceinline__ uint32_t rank_row(const table_vertices_args &a, uint32_t row)
{
    return bi_cellgraph_rank(a.first_rows.groups[row >> BI_CELLGRAPH_GROUP_BITS], row);
}

/* Sets the vertex of each rank; and, in the order of vertices, the words and multiplicities of 1. */
static __global__ void __launch_bounds__(THREADS) bi_cellgraph_number_ranks(const table_vertices_args a)
{
    const int64_t begin = blockIdx.x * (int64_t)(THREADS * AT_ONCE) + threadIdx.x;
    uint32_t rows[AT_ONCE], ids[AT_ONCE];
    uint64_t words[AT_ONCE];
    /* 1. Load the first row of each rank, and the word of the vertex of the same number. */
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        const int64_t i = begin + k * THREADS < a.vertices ? begin + k * THREADS : 0;
        rows[k] = a.table.first[i] - 1;
        words[k] = bi_cellgraph_word(&a.table, a.first_rows.words[i]);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) ids[k] = rank_row(a, rows[k]);
        /* 2. Write. */
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        const int64_t i = begin + k * THREADS;
        if (i >= a.vertices) break;
        a.table.ids[i] = ids[k];
        a.vectors[i] = words[k];
        a.multiplicities[i] = 1;
    }
}

/* Assigns vertices to the rows, and counts multiplicities: rows of a warp with one vertex at once, since some vertices
 * may have most of the rows. Lanes beyond the last row stay for the warp's votes. */
static __global__ void __launch_bounds__(THREADS) bi_cellgraph_assign_rows(const table_vertices_args a)
{
    const int64_t begin = blockIdx.x * (int64_t)(THREADS * AT_ONCE) + threadIdx.x, n = a.table.rows.n;
    uint32_t ids[AT_ONCE], again[AT_ONCE];
    /* 1. First rows are ranked; others get the vertex of their word. slots: the rank of each row's word. */
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        const int64_t i = begin + k * THREADS;
        const uint32_t row = i < n ? (uint32_t)i : 0;
        const uint64_t group = a.first_rows.groups[row >> BI_CELLGRAPH_GROUP_BITS];
        const bool is_first = bi_cellgraph_is_present(group, row);
        ids[k] = is_first ? bi_cellgraph_rank(group, row) : a.table.ids[a.table.slots[row]];
        again[k] = is_first || i >= n ? UINT32_MAX : ids[k];
    }
    /* 2. Write them; the first lane of each vertex counts its further rows. */
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        if (begin + k * THREADS < n) a.vertex_of[begin + k * THREADS] = ids[k];
        const unsigned same = __match_any_sync(~0u, again[k]);
        if (again[k] != UINT32_MAX && (same & bi_lanes_below()) == 0)
            atomicAdd(&a.multiplicities[again[k]], (uint32_t)__popc(same));
    }
}

/* Lists the first rows in order, as the words of a table. */
static bosc_status rank_first_rows(bosc_ctx *ctx, const table_vertices_args &a)
{
    const int64_t groups = bi_div_up(a.table.rows.n, 32);
    const unsigned blocks = (unsigned)bi_div_up(a.vertices, THREADS * AT_ONCE);
    BI_TRY(ctx->backend->fill(ctx, a.first_rows.present, 0, (size_t)groups * 4));
    BI_TRY(BI_RUN(ctx, bi_cellgraph_mark_first_rows, blocks, THREADS, 0, a));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_count_group, groups, &a.first_rows));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a.first_rows.ranks, groups,
                                    a.first_rows.ranks));
    return bi_cellgraph_cuda_list_words(ctx, &a.first_rows, groups);
}

/* Reads back the numbers of vertices and edges of a table. */
static bosc_status count_table(bosc_ctx *ctx, struct bi_cellgraph_table *table, int64_t *vertices)
{
    struct {
        unsigned long long edges;
        uint64_t group; /* the last one */
    } * result, found;
    const int64_t groups = bi_cellgraph_group_count(table->bits);
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *result, &result));
    BI_TRY(ctx->backend->fill(ctx, result, 0, sizeof *result));
    BI_TRY(bi_cellgraph_cuda_count_table(ctx, table, &result->edges));
    BI_TRY(ctx->backend->copy(ctx, &result->group, table->groups + groups - 1, 8));
    BI_TRY(bi_read_back(ctx, &found, result, sizeof found));
    table->edges = (int64_t)(found.edges / 2); /* each was counted at both ends */
    *vertices = (int64_t)(found.group >> 32) + bi_popcount((uint32_t)found.group);
    return BOSC_OK;
}

bosc_status bi_cellgraph_cuda_table_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_table *table)
{
    const int64_t n = table->rows.n, groups = bi_div_up(n, 32);
    table_vertices_args a = {};
    /* 1. The number of vertices, and memory for them. */
    BI_TRY(count_table(ctx, table, &a.vertices));
    BI_TRY(bi_cellgraph_reserve_vertices(ctx, graph, n, a.vertices));
    BI_TRY(bi_scratch_of(ctx, groups, 4, &a.first_rows.present));
    BI_TRY(bi_scratch_of(ctx, groups, 4, &a.first_rows.ranks));
    BI_TRY(bi_scratch_of(ctx, groups, 8, &a.first_rows.groups));
    a.table = *table;
    a.first_rows.words = (uint32_t *)graph->blocks[BI_CELLGRAPH_REPRESENTATIVES].data;
    a.vertex_of = (uint32_t *)graph->blocks[BI_CELLGRAPH_VERTEX_OF].data;
    a.multiplicities = (uint32_t *)graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].data;
    a.vectors = (uint64_t *)graph->blocks[BI_CELLGRAPH_VECTORS].data;
    /* 2. Number the vertices, then the rows. */
    BI_TRY(rank_first_rows(ctx, a));
    const int64_t each = THREADS * AT_ONCE;
    BI_TRY(BI_RUN(ctx, bi_cellgraph_number_ranks, (unsigned)bi_div_up(a.vertices, each), THREADS, 0, a));
    BI_TRY(BI_RUN(ctx, bi_cellgraph_assign_rows, (unsigned)bi_div_up(n, each), THREADS, 0, a));
    graph->vertices = a.vertices;
    return BOSC_OK;
}
