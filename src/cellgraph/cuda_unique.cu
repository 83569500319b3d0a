/* Vertices on the device: rows go into a table by their hashes, and each place keeps the first of its equal rows, which
 * are numbered in order. Rows whose hashes agree are compared, so that nothing is left to chance. */
#include "core/cuda/launch.cuh"
#include "cellgraph/cuda.cuh"
#include "cellgraph/driver.h"

enum { THREADS = 256 };
static const uint32_t NO_ROW = UINT32_MAX;

struct unique_args {
    struct bi_cell_rows rows;
    struct bi_cell_shape shape;
    uint64_t *seeds, *hashes;
    uint32_t *table;
    uint32_t slots;
    uint32_t *place;  /* in the table, of each row; then the first of its equals */
    uint32_t *before; /* (rows + 1) whether a row is the first of its equals; then how many first ones are before it */
    uint32_t *vertex_of, *firsts, *multiplicities;
    uint64_t *vertex_hashes, *vectors;
};

/* H of each row, by LANES neighbouring threads. */
template <int LANES> static __global__ void __launch_bounds__(THREADS) kernel_hash(const unique_args a)
{
    const int64_t i = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / LANES;
    const int32_t lane = (int32_t)threadIdx.x % LANES;
    uint64_t h = 0;
    if (i < a.rows.n) {
        const uint64_t *row = a.rows.data + i * a.rows.stride;
        for (int32_t s = lane; s < a.shape.words; s += LANES)
            h += bi_cell_hash(row[s] & bi_cell_mask(&a.shape, s), bi_cell_seed(s));
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) h += __shfl_xor_sync(~0u, h, d);
    if (lane == 0 && i < a.rows.n) a.hashes[i] = h;
    if (i == 0)
        for (int32_t s = lane; s < a.shape.words; s += LANES) a.seeds[s] = bi_cell_seed(s);
}

static __device__ __forceinline__ bool same(const unique_args &a, int64_t i, int64_t j)
{
    const uint64_t *x = a.rows.data + i * a.rows.stride, *y = a.rows.data + j * a.rows.stride;
    for (int32_t s = 0; s < a.shape.words; s++)
        if ((x[s] ^ y[s]) & bi_cell_mask(&a.shape, s)) return false;
    return true;
}

/* A place holds the least of the equal rows that came, any of which is as good to compare with. */
static __global__ void __launch_bounds__(THREADS) kernel_insert(const unique_args a)
{
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i >= a.rows.n) return;
    const uint64_t hash = a.hashes[i];
    uint32_t slot = __umulhi((uint32_t)(hash >> 32), a.slots);
    for (;;) {
        const uint32_t j = atomicCAS(&a.table[slot], NO_ROW, (uint32_t)i);
        if (j == NO_ROW) break;
        if (a.hashes[j] == hash && same(a, i, j)) {
            if ((uint32_t)i < j) atomicMin(&a.table[slot], (uint32_t)i);
            break;
        }
        slot = slot + 1 == a.slots ? 0 : slot + 1;
    }
    a.place[i] = slot;
}

static __global__ void __launch_bounds__(THREADS) kernel_first(const unique_args a)
{
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i > a.rows.n) return;
    uint32_t first = NO_ROW;
    if (i < a.rows.n) a.place[i] = first = a.table[a.place[i]];
    a.before[i] = first == (uint32_t)i;
}

/* Gives each row its vertex, and first rows their place among the vertices, by LANES neighbouring threads. */
template <int LANES> static __global__ void __launch_bounds__(THREADS) kernel_number(const unique_args a)
{
    const int64_t i = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / LANES;
    const int32_t lane = (int32_t)threadIdx.x % LANES;
    if (i >= a.rows.n) return;
    const uint32_t first = a.place[i], vertex = a.before[first];
    if (lane == 0) {
        a.vertex_of[i] = vertex;
        atomicAdd(&a.multiplicities[vertex], 1u);
    }
    if (first != (uint32_t)i) return;
    if (lane == 0) {
        a.firsts[vertex] = first;
        a.vertex_hashes[vertex] = a.hashes[i];
    }
    const uint64_t *row = a.rows.data + i * a.rows.stride;
    uint64_t *to = a.vectors + (int64_t)vertex * a.shape.words;
    for (int32_t s = lane; s < a.shape.words; s += LANES) to[s] = row[s] & bi_cell_mask(&a.shape, s);
}

template <int LANES> static bosc_status hash(bosc_ctx *ctx, const unique_args &a)
{
    return BI_RUN(ctx, kernel_hash<LANES>, (unsigned)bi_div_up(a.rows.n * LANES, THREADS), THREADS, 0, a);
}

template <int LANES> static bosc_status number(bosc_ctx *ctx, const unique_args &a)
{
    return BI_RUN(ctx, kernel_number<LANES>, (unsigned)bi_div_up(a.rows.n * LANES, THREADS), THREADS, 0, a);
}

static bosc_status hash_rows(bosc_ctx *ctx, const unique_args &a)
{
    return a.shape.words == 1 ? hash<1>(ctx, a) : a.shape.words <= 4 ? hash<4>(ctx, a) : hash<8>(ctx, a);
}

static bosc_status number_rows(bosc_ctx *ctx, const unique_args &a)
{
    return a.shape.words == 1 ? number<1>(ctx, a) : a.shape.words <= 4 ? number<4>(ctx, a) : number<8>(ctx, a);
}

/* Counts the vertices, and finds the first of the equals of each row. */
static bosc_status find_first(bosc_ctx *ctx, const unique_args &a, uint32_t *count)
{
    const unsigned blocks = (unsigned)bi_div_up(a.rows.n, THREADS);
    BI_TRY(hash_rows(ctx, a));
    BI_TRY(ctx->backend->fill(ctx, a.table, 0xff, (size_t)a.slots * sizeof(uint32_t)));
    BI_TRY(BI_RUN(ctx, kernel_insert, blocks, THREADS, 0, a));
    BI_TRY(BI_RUN(ctx, kernel_first, (unsigned)bi_div_up(a.rows.n + 1, THREADS), THREADS, 0, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a.before, a.rows.n + 1, a.before));
    return bi_read_back(ctx, count, a.before + a.rows.n, sizeof *count);
}

/* Of a table: many where they stay in the cache, so that the longest search is short. */
static int64_t slots_for(int64_t n)
{
    enum { CACHED = 1 << 21 };
    const int64_t slots = n <= CACHED ? 4 * n : 2 * n;
    return slots < UINT32_MAX ? slots : UINT32_MAX;
}

bosc_status cell_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_rows *rows)
{
    const int64_t n = rows->n, words = graph->shape.words, slots = slots_for(n);
    uint32_t count;
    unique_args a = {};
    a.rows = *rows;
    a.shape = graph->shape;
    a.slots = (uint32_t)slots;
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_SEEDS, words, 8));
    BI_TRY(bi_cell_scratch(ctx, n, 8, &a.hashes));
    BI_TRY(bi_cell_scratch(ctx, slots, 4, &a.table));
    BI_TRY(bi_cell_scratch(ctx, n, 4, &a.place));
    BI_TRY(bi_cell_scratch(ctx, n + 1, 4, &a.before));
    a.seeds = (uint64_t *)graph->blocks[BI_CELL_SEEDS].data;
    BI_TRY(find_first(ctx, a, &count));
    BI_TRY(bi_cell_reserve_vertices(ctx, graph, n, count));
    a.vertex_of = (uint32_t *)graph->blocks[BI_CELL_VERTEX_OF].data;
    a.firsts = (uint32_t *)graph->blocks[BI_CELL_FIRSTS].data;
    a.multiplicities = (uint32_t *)graph->blocks[BI_CELL_MULTIPLICITIES].data;
    a.vertex_hashes = (uint64_t *)graph->blocks[BI_CELL_HASHES].data;
    a.vectors = (uint64_t *)graph->blocks[BI_CELL_VECTORS].data;
    graph->vertices = count;
    BI_TRY(ctx->backend->fill(ctx, a.multiplicities, 0, (size_t)count * 4));
    return number_rows(ctx, a);
}

static struct bi_cell_sizes sizes(const bosc_ctx *ctx, const struct bi_cell_shape *shape, int64_t n, int64_t max_bytes)
{
    (void)shape;
    return {n * 20 + slots_for(n) * 4, cell_join_bytes(ctx, n, max_bytes)};
}

extern "C" const bi_cell_team bi_cell_team_cuda = {sizes,       cell_unique, cell_join, cell_look,
                                                   cell_search, nullptr,     nullptr};
