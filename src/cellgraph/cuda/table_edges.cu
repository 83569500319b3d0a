/* TABLE on the device: counts the edges by the bits alone; finds the higher neighbours of each vertex, in the order of
 * words; and sorts them into the graph, in the order of vertices. Vertices with consecutive words read consecutive
 * groups, and consecutive vertices write consecutive edges. Only the keys between the two kernels are read at random,
 * a row at a time. */
#include "base/search.h"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "cellgraph/cuda/cellgraph.cuh"

enum {
    COUNT_THREADS = 256,
    FIND_THREADS = 128,
    FIND_BYTES = 46 * 1024, /* of a block's keys: 48 KB, which no kernel must opt in to, less the other arrays */
    BATCH = 6,              /* neighbours whose loads overlap: two letters of two bits, or six of one. Not measured */
    ORDER_ROWS = 256,       /* of a block, a thread each; less than 2^8 + 1, as rows are bytes */
    KEYS_IN_FLIGHT = 4,     /* of a thread that reads rows. Not measured */
    DEGREE_BITS = 10        /* of a vertex's number of higher neighbours: at most 3 * 255 */
};

/* Keys of a block at once, no less than those of a row: eight blocks of ORDER_ROWS threads fit the 228 KB and the 2,048
 * threads of compute capability 9.0. */
#ifdef BI_EMULATE /* small, so that small graphs exceed it */
enum { ORDER_KEYS = 800 };
#else
enum { ORDER_KEYS = 4096 };
#endif

struct table_edges_args {
    struct bi_cellgraph_table table;
    int64_t vertices;
    int32_t neighbours;         /* of a word, present or not */
    int32_t block_rows;         /* of a block that finds neighbours */
    uint32_t *keys;             /* (edges) rows in any order: neighbour << BI_CELLGRAPH_POSITION_BITS | position */
    uint64_t *rows;             /* (vertices) begin of a row in keys << DEGREE_BITS | its length */
    unsigned long long *cursor; /* keys written; 0 before */
    uint64_t *block_edges;      /* edges of each block of ORDER_ROWS vertices; then of earlier blocks */
    uint64_t *edges;
    uint32_t *positions;
    int32_t vertex_bits;
};

/* The next difference of a word from its neighbours: which letter, and its bits. */
struct difference {
    uint32_t bits;
    int32_t letter;
};

/* Returns the difference of words, and advances. */
static __device__ __forceinline__ uint32_t next_difference(const bi_cellgraph_table &t, difference &next)
{
    const uint32_t d = next.bits << next.letter * t.shape.letter_bits;
    next.bits++;
    if (next.bits >> t.shape.letter_bits) {
        next.bits = 1;
        next.letter++;
    }
    return d;
}

/* ---- the number of edges ---- */

/* Moves bit x of a group to x XOR d. */
static __device__ __forceinline__ uint32_t exchange_bits(uint32_t bits, uint32_t d)
{
    if (d & 1) bits = (bits >> 1 & 0x55555555u) | (bits & 0x55555555u) << 1;
    if (d & 2) bits = (bits >> 2 & 0x33333333u) | (bits & 0x33333333u) << 2;
    if (d & 4) bits = (bits >> 4 & 0x0f0f0f0fu) | (bits & 0x0f0f0f0fu) << 4;
    if (d & 8) bits = (bits >> 8 & 0x00ff00ffu) | (bits & 0x00ff00ffu) << 8;
    if (d & 16) bits = bits >> 16 | bits << 16;
    return bits;
}

struct count_shared {
    uint32_t warps[COUNT_THREADS / 32];
};

/* Adds to *edges the number of neighbours of all vertices: 32 words at once. */
static __global__ void __launch_bounds__(COUNT_THREADS)
    bi_cellgraph_count_table_edges(const bi_cellgraph_table table, int64_t groups, int32_t neighbours,
                                   unsigned long long *edges)
{
    BI_SHARED(count_shared, sh);
    uint32_t count = 0, total;
    /* 1. Count the neighbours of the words of the thread's groups. */
    for (int64_t g = blockIdx.x * (int64_t)COUNT_THREADS + threadIdx.x; g < groups;
         g += (int64_t)gridDim.x * COUNT_THREADS) {
        const uint32_t own = table.present[g];
        difference next = {1, 0};
        if (own == 0) continue;
        for (int32_t j = 0; j < neighbours; j += BATCH) {
            uint32_t others[BATCH], bits[BATCH];
#pragma unroll
            for (int b = 0; b < BATCH; b++) {
                const uint32_t d = j + b < neighbours ? next_difference(table, next) : 0;
                bits[b] = d & 31;
                others[b] = j + b < neighbours ? table.present[(uint32_t)g ^ d >> BI_CELLGRAPH_GROUP_BITS] : 0;
            }
#pragma unroll
            for (int b = 0; b < BATCH; b++) count += (uint32_t)__popc(own & exchange_bits(others[b], bits[b]));
        }
    }
    /* 2. Add up the counts of the block. */
    bi_block_exclusive_sum<COUNT_THREADS / 32>(count, sh.warps, &total);
    if (threadIdx.x == 0 && total > 0) atomicAdd(edges, (unsigned long long)total);
}

bosc_status bi_cellgraph_cuda_count_table(bosc_ctx *ctx, const struct bi_cellgraph_table *table,
                                          unsigned long long *edges)
{
    const int64_t groups = bi_cellgraph_group_count(table->bits);
    return BI_RUN(ctx, bi_cellgraph_count_table_edges, bi_grid_size(ctx, groups, COUNT_THREADS), COUNT_THREADS, 0,
                  *table, groups, bi_cellgraph_neighbour_count(&table->shape), edges);
}

/* ---- neighbours, in the order of words ---- */

/* Neighbours of a word whose loads overlap: their words, and the letters in which they differ. */
struct neighbour_batch {
    uint32_t words[BATCH], letters[BATCH];
};

/* Sets the next neighbours; past the last one the word itself. BITS: of a letter, 1 or 2; the batch is of the letters
 * from `letter` on, which then advances. */
template <int BITS>
static __device__ __forceinline__ void next_letters(uint32_t x, int32_t length, int32_t *letter, neighbour_batch *next)
{
    constexpr int DIFFERENCES = (1 << BITS) - 1, LETTERS = BATCH / DIFFERENCES;
    static_assert(DIFFERENCES * LETTERS == BATCH, "whole letters");
#pragma unroll
    for (int l = 0; l < LETTERS; l++) {
        const uint32_t lowest = *letter + l < length ? 1u << (*letter + l) * BITS : 0;
#pragma unroll
        for (int d = 0; d < DIFFERENCES; d++) {
            next->words[l * DIFFERENCES + d] = x ^ lowest * (uint32_t)(d + 1);
            next->letters[l * DIFFERENCES + d] = (uint32_t)(*letter + l);
        }
    }
    *letter += LETTERS;
}

/* Writes the keys of the higher vertices of a batch; returns the place of the next key. */
static __device__ __forceinline__ uint32_t *append_higher(const bi_cellgraph_table &t, const neighbour_batch &batch,
                                                          uint32_t v, uint32_t *to, uint32_t stride)
{
    uint64_t groups[BATCH];
    uint32_t others[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; b++) groups[b] = t.groups[batch.words[b] >> BI_CELLGRAPH_GROUP_BITS];
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
        const uint32_t x = batch.words[b];
        others[b] = bi_cellgraph_is_present(groups[b], x) ? t.ids[bi_cellgraph_rank(groups[b], x)] : 0;
    }
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
        if (others[b] <= v) continue;
        *to = others[b] << BI_CELLGRAPH_POSITION_BITS | batch.letters[b];
        to += stride;
    }
    return to;
}

/* Writes the keys of the higher neighbours of a vertex to keys[0], keys[stride], ...; returns their number. BITS: of a
 * letter; 0: any. */
template <int BITS>
static __device__ __forceinline__ uint32_t find_neighbours(const table_edges_args &a, uint32_t x, uint32_t v,
                                                           uint32_t *keys, uint32_t stride)
{
    uint32_t *to = keys;
    neighbour_batch next;
    if constexpr (BITS > 0) {
        for (int32_t letter = 0; letter < a.table.shape.length;) {
            next_letters<BITS>(x, a.table.shape.length, &letter, &next);
            to = append_higher(a.table, next, v, to, stride);
        }
    } else {
        difference own = {1, 0};
        for (int32_t j = 0; j < a.neighbours; j += BATCH) {
#pragma unroll
            for (int b = 0; b < BATCH; b++) {
                next.letters[b] = (uint32_t)own.letter;
                next.words[b] = j + b < a.neighbours ? x ^ next_difference(a.table, own) : x;
            }
            to = append_higher(a.table, next, v, to, stride);
        }
    }
    return (uint32_t)(to - keys) / stride;
}

struct find_shared {
    uint32_t warps[FIND_THREADS / 32];
    unsigned long long base;
};

/* Copies the keys of a warp's rows to consecutive words. Lane l writes words l, l + 32, ..., so that the stores of a
 * warp coalesce. count: keys of the thread's own row. to: receives the first key of lane 0's row. The whole warp calls
 * it, after a barrier that completes the rows. */
static __device__ __forceinline__ void copy_rows(const uint32_t *keys, uint32_t stride, uint32_t count, uint32_t *to)
{
    const unsigned lane = threadIdx.x % 32, first_row = threadIdx.x - lane;
    const uint32_t inclusive = bi_warp_inclusive_sum(count), total = __shfl_sync(~0u, inclusive, 31);
    for (uint32_t first = 0; first < total; first += 32) {
        const uint32_t entry = first + lane;
        const unsigned of = bi_find_entry_lane(inclusive, entry);
        const uint32_t k = entry - __shfl_sync(~0u, inclusive - count, of);
        if (entry < total) to[entry] = keys[k * stride + first_row + of];
    }
}

/* Writes the keys of the higher neighbours of each vertex, a thread a vertex, by rank. A block appends its rows to
 * a.keys; their order there does not matter. BITS: of a letter; 0: any. */
template <int BITS>
static __global__ void __launch_bounds__(FIND_THREADS) bi_cellgraph_find_table_rows(const table_edges_args a)
{
    BI_SHARED(find_shared, sh);
    BI_SHARED_DYNAMIC(uint32_t, keys); /* key k of row r is number k * stride + r */
    const uint32_t rows = (uint32_t)a.block_rows, stride = rows | 1;
    const int64_t rank = blockIdx.x * (int64_t)rows + threadIdx.x;
    const bool is_vertex = threadIdx.x < rows && rank < a.vertices;
    uint32_t v = 0, count = 0, total;
    /* 1. Find the neighbours. */
    if (is_vertex) {
        v = a.table.ids[rank];
        count = find_neighbours<BITS>(a, a.table.words[rank], v, keys + threadIdx.x, stride);
    }
    /* 2. Reserve keys for the block. */
    const uint32_t begin = bi_block_exclusive_sum<FIND_THREADS / 32>(count, sh.warps, &total);
    if (threadIdx.x == 0) sh.base = total > 0 ? atomicAdd(a.cursor, (unsigned long long)total) : 0;
    __syncthreads(); /* the base, and the keys of all rows */
    /* 3. Write the rows. */
    if (is_vertex) a.rows[v] = (sh.base + begin) << DEGREE_BITS | count;
    copy_rows(keys, stride, count, a.keys + sh.base + __shfl_sync(~0u, begin, 0));
}

/* ---- edges, in the order of vertices ---- */

struct order_shared {
    uint32_t warps[ORDER_ROWS / 32];
    uint32_t starts[ORDER_ROWS + 1]; /* begins of the rows among the edges of the block */
    uint32_t keys[ORDER_KEYS];
    uint8_t rows[ORDER_KEYS];
};

/* Returns the row of edge e: the last one that begins at or before it. starts (rows + 1). */
static __device__ __forceinline__ uint32_t find_row(const uint32_t *starts, uint32_t rows, uint32_t e)
{
    uint32_t low = 0, high = rows;
    BI_PARTITION_POINT(low, high, middle, starts[middle + 1] <= e);
    return low;
}

/* Length of the row of a vertex; 0 beyond the last one. */
static __device__ __forceinline__ uint32_t row_length(const table_edges_args &a, int64_t v)
{
    return v < a.vertices ? (uint32_t)a.rows[v] & ((1u << DEGREE_BITS) - 1) : 0;
}

struct sum_shared {
    uint32_t warps[ORDER_ROWS / 32];
};

/* Adds up the edges of each block of ORDER_ROWS vertices. */
static __global__ void __launch_bounds__(ORDER_ROWS) bi_cellgraph_sum_table_rows(const table_edges_args a)
{
    BI_SHARED(sum_shared, sh);
    uint32_t total;
    bi_block_exclusive_sum<ORDER_ROWS / 32>(row_length(a, blockIdx.x * (int64_t)ORDER_ROWS + threadIdx.x), sh.warps,
                                            &total);
    if (threadIdx.x == 0) a.block_edges[blockIdx.x] = total;
}

/* Reads the keys of rows first to last - 1 of the block. Consecutive lanes read consecutive keys, so that a load
 * touches few cache lines; each thread has several loads in flight. source: index in a.keys of the thread's row. */
static __device__ __forceinline__ void read_keys(const table_edges_args &a, order_shared &sh, uint32_t first,
                                                 uint32_t last, uint64_t source)
{
    const unsigned lane = threadIdx.x % 32, first_row = threadIdx.x - lane;
    const bool has_row = threadIdx.x >= first && threadIdx.x < last;
    const uint32_t count = has_row ? sh.starts[threadIdx.x + 1] - sh.starts[threadIdx.x] : 0,
                   inclusive = bi_warp_inclusive_sum(count), total = __shfl_sync(~0u, inclusive, 31),
                   to = sh.starts[max(first, first_row)] - sh.starts[first];
    /* Entry e of the warp is a.keys[from + e] if this lane owns it. May wrap below 0. */
    const uint64_t from = source - (inclusive - count);
    for (uint32_t begin = 0; begin < total; begin += 32 * KEYS_IN_FLIGHT) {
        uint32_t keys[KEYS_IN_FLIGHT], rows[KEYS_IN_FLIGHT];
#pragma unroll
        for (int k = 0; k < KEYS_IN_FLIGHT; k++) {
            const uint32_t entry = begin + 32 * k + lane;
            const unsigned of = bi_find_entry_lane(inclusive, entry);
            const uint64_t at = entry + (uint64_t)__shfl_sync(~0u, (unsigned long long)from, of);
            rows[k] = first_row + of;
            keys[k] = entry < total ? a.keys[at] : 0;
        }
#pragma unroll
        for (int k = 0; k < KEYS_IN_FLIGHT; k++) {
            const uint32_t entry = begin + 32 * k + lane;
            if (entry >= total) continue;
            sh.keys[to + entry] = keys[k];
            sh.rows[to + entry] = (uint8_t)rows[k];
        }
    }
}

/* Writes edges begin to end - 1 of the block, which are whole rows: before an edge are those of its row with smaller
 * keys. */
static __device__ __forceinline__ void write_edges(const table_edges_args &a, const order_shared &sh, uint32_t begin,
                                                   uint32_t end)
{
    const uint64_t first_edge = a.block_edges[blockIdx.x];
    for (uint32_t e = threadIdx.x; e < end - begin; e += ORDER_ROWS) {
        const uint32_t row = sh.rows[e], key = sh.keys[e];
        uint32_t smaller = 0;
        for (uint32_t k = sh.starts[row] - begin; k < sh.starts[row + 1] - begin; k++) smaller += sh.keys[k] < key;
        const uint64_t to = first_edge + sh.starts[row] + smaller, v = blockIdx.x * (uint64_t)ORDER_ROWS + row;
        a.edges[to] = v << a.vertex_bits | key >> BI_CELLGRAPH_POSITION_BITS;
        a.positions[to] = key & ((1u << BI_CELLGRAPH_POSITION_BITS) - 1);
    }
}

/* Sorts the rows of ORDER_ROWS vertices into the graph. a.block_edges has the edges of earlier blocks. */
static __global__ void __launch_bounds__(ORDER_ROWS) bi_cellgraph_order_table_rows(const table_edges_args a)
{
    BI_SHARED(order_shared, sh);
    const int64_t v = blockIdx.x * (int64_t)ORDER_ROWS + threadIdx.x;
    const uint64_t source = v < a.vertices ? a.rows[v] >> DEGREE_BITS : 0;
    uint32_t total;
    /* 1. The begins of the rows. */
    sh.starts[threadIdx.x] = bi_block_exclusive_sum<ORDER_ROWS / 32>(row_length(a, v), sh.warps, &total);
    if (threadIdx.x == 0) sh.starts[ORDER_ROWS] = total;
    __syncthreads(); /* starts */
    /* 2. Sort as many rows at once as shared memory holds the keys of. */
    for (uint32_t first = 0, last; first < ORDER_ROWS; first = last) {
        const uint32_t limit = sh.starts[first] + ORDER_KEYS;
        last = limit >= total ? (uint32_t)ORDER_ROWS : find_row(sh.starts, ORDER_ROWS, limit);
        read_keys(a, sh, first, last, source);
        __syncthreads(); /* the keys of all rows */
        write_edges(a, sh, sh.starts[first], sh.starts[last]);
        __syncthreads(); /* the keys are read */
    }
}

/* ---- both ---- */

/* Counts the edges, unless that is done. */
static bosc_status count_edges(bosc_ctx *ctx, struct bi_cellgraph_table *table)
{
    unsigned long long *count, edges;
    if (table->edges >= 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(ctx->backend->fill(ctx, count, 0, sizeof *count));
    BI_TRY(bi_cellgraph_cuda_count_table(ctx, table, count));
    BI_TRY(bi_read_back(ctx, &edges, count, sizeof edges));
    table->edges = (int64_t)(edges / 2);
    return BOSC_OK;
}

/* Vertices of a block that finds neighbours: as many as have room for all. */
static int32_t choose_block_rows(int32_t neighbours)
{
    const int32_t rows = FIND_BYTES / (int32_t)sizeof(uint32_t) / neighbours - 1;
    return rows < FIND_THREADS ? rows : FIND_THREADS;
}

template <int BITS> static bosc_status find_rows(bosc_ctx *ctx, const table_edges_args &a, size_t bytes)
{
    return BI_RUN(ctx, bi_cellgraph_find_table_rows<BITS>, (unsigned)bi_div_up(a.vertices, a.block_rows), FIND_THREADS,
                  bytes, a);
}

bosc_status bi_cellgraph_cuda_table_edges(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_table *table)
{
    table_edges_args a = {};
    BI_TRY(count_edges(ctx, table));
    if (table->edges == 0) return BOSC_OK;
    /* 1. Memory. */
    const int64_t blocks = bi_div_up(graph->vertices, ORDER_ROWS);
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_EDGES, table->edges, 8));
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_POSITIONS, table->edges, 4));
    BI_TRY(bi_scratch_of(ctx, table->edges, 4, &a.keys));
    BI_TRY(bi_scratch_of(ctx, graph->vertices, 8, &a.rows));
    BI_TRY(bi_scratch_of(ctx, blocks, 8, &a.block_edges));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &a.cursor));
    BI_TRY(ctx->backend->fill(ctx, a.cursor, 0, 8));
    a.table = *table;
    a.vertices = graph->vertices;
    a.vertex_bits = graph->vertex_bits;
    a.edges = (uint64_t *)graph->blocks[BI_CELLGRAPH_EDGES].data;
    a.positions = (uint32_t *)graph->blocks[BI_CELLGRAPH_POSITIONS].data;
    a.neighbours = bi_cellgraph_neighbour_count(&table->shape);
    a.block_rows = choose_block_rows(a.neighbours);
    /* 2. Find the neighbours, and sort them into the graph. */
    const size_t bytes = (size_t)a.neighbours * (size_t)(a.block_rows | 1) * sizeof(uint32_t);
    switch (table->shape.letter_bits) {
    case 1: BI_TRY(find_rows<1>(ctx, a, bytes)); break;
    case 2: BI_TRY(find_rows<2>(ctx, a, bytes)); break;
    default: BI_TRY(find_rows<0>(ctx, a, bytes));
    }
    BI_TRY(BI_RUN(ctx, bi_cellgraph_sum_table_rows, (unsigned)blocks, ORDER_ROWS, 0, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U64, a.block_edges, blocks, a.block_edges));
    BI_TRY(BI_RUN(ctx, bi_cellgraph_order_table_rows, (unsigned)blocks, ORDER_ROWS, 0, a));
    graph->edges = table->edges;
    return BOSC_OK;
}
