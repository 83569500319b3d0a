/* Vertices on the device: rows go into a table by their hashes, and each place keeps the first of its equal rows, which
 * are numbered in order. Rows whose hashes agree are compared, so that nothing is left to chance. */
#include "core/cuda/launch.cuh"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"
#include "core/cuda/warp.cuh"
#include "cellgraph/cuda/cellgraph.cuh"
#include "cellgraph/handle.h"

enum {
    THREADS = 256,
    LANES = 8,      /* threads that hash a long row */
    WIDE_WORDS = 4, /* words from which on, and up to which, the join may have segments of half of them */
    MAX_WIDE_WORDS = 8,
    CROWD_SLOTS = 8192,
    CROWD_PROBES = 64,
    SAMPLED = 2048 /* vertices of sampled crowds, about */
};

/* Rows from which on wide segments may pay. */
#ifdef BI_EMULATE
enum { WIDE_ROWS = 100 };
#else
enum { WIDE_ROWS = 1 << 18 };
#endif

struct unique_args {
    struct bi_cellgraph_rows rows;
    struct bi_letters shape;
    uint64_t *seeds, *hashes;
    uint32_t *table; /* the least of equal rows, plus 1, and bits of their hash above it; 0: none */
    uint32_t slots;
    int32_t row_bits;
    uint32_t *place; /* in the table, of each row */
    uint32_t *first; /* of the equals of each row */
    unsigned long long *ticket;
    bi_nodes<uint32_t> nodes; /* of tiles of rows */
    int64_t capacity;         /* of vertices: others are only counted */
    uint32_t *vertex_of, *firsts, *multiplicities;
    uint64_t *vertex_hashes, *vectors;
    uint32_t *crowds;    /* (2 x CROWD_SLOTS) hashes of crowds; (as many) their members; NULL: not asked for */
    uint32_t crowd_mask; /* bits of a hash that are 0 where a crowd is sampled */
    struct bi_cellgraph_unique_result *result;
};

/* H of row i of up to MOST words, the sum of those of its halves; or by LANES neighbouring threads of any number, whose
 * halves are not told apart. */
struct row_hash {
    uint64_t halves[2];
};

template <int MOST> static __device__ __forceinline__ row_hash hash_row(const unique_args &a, int64_t i, int32_t lane)
{
    const uint64_t *row = a.rows.data + i * a.rows.stride;
    uint64_t h = 0, upper = 0;
    if constexpr (MOST > 0) {
#pragma unroll
        for (int32_t s = 0; s < MOST; s++)
            if (s < a.shape.words) {
                const uint64_t own = bi_cellgraph_hash(row[s] & bi_letters_mask(&a.shape, s), bi_cellgraph_seed(s));
                const bool in_upper = s >= (a.shape.words + 1) / 2;
                h += in_upper ? 0 : own;
                upper += in_upper ? own : 0;
            }
    } else {
        for (int32_t s = lane; s < a.shape.words && i < a.rows.n; s += LANES)
            h += bi_cellgraph_hash(row[s] & bi_letters_mask(&a.shape, s), bi_cellgraph_seed(s));
#pragma unroll
        for (int d = LANES / 2; d > 0; d /= 2) h += __shfl_xor_sync(~0u, h, d);
    }
    return {{h, upper}};
}

/* Counts the first row to come of its equals in its crowd, those that agree with it in one half of their words; if that
 * crowd is sampled. */
static __device__ void join_crowd(const unique_args &a, int half, uint64_t hash)
{
    const uint32_t key = (uint32_t)(hash >> 32) | 1;
    uint32_t *keys = a.crowds + half * CROWD_SLOTS, *members = keys + 2 * CROWD_SLOTS, slot = key / 2 % CROWD_SLOTS;
    if ((uint32_t)(hash >> 16) & a.crowd_mask) return;
    atomicAdd(&a.result->sampled[half], 1u);
    for (int probe = 0; probe < CROWD_PROBES; probe++, slot = (slot + 1) % CROWD_SLOTS) {
        const uint32_t other = atomicCAS(&keys[slot], 0u, key);
        if (other != 0 && other != key) continue;
        const uint32_t before = atomicAdd(&members[slot], 1u);
        if (before > 0) atomicAdd(&a.result->pairs[half], before);
        return;
    }
    atomicAdd(&a.result->pairs[half], (uint32_t)CROWD_SLOTS); /* too many are sampled */
}

template <int MOST> static __device__ __forceinline__ bool same(const unique_args &a, int64_t i, int64_t j)
{
    const uint64_t *x = a.rows.data + i * a.rows.stride, *y = a.rows.data + j * a.rows.stride;
    uint64_t differ = 0;
    if constexpr (MOST > 0) {
#pragma unroll
        for (int32_t s = 0; s < MOST; s++)
            if (s < a.shape.words) differ |= (x[s] ^ y[s]) & bi_letters_mask(&a.shape, s);
    } else {
        for (int32_t s = 0; s < a.shape.words && !differ; s++) differ = (x[s] ^ y[s]) & bi_letters_mask(&a.shape, s);
    }
    return differ == 0;
}

/* The bits of a row, plus 1, in the table. */
static __device__ __forceinline__ uint32_t row_mask(const unique_args &a) { return ~(uint32_t)(~0ull << a.row_bits); }

/* A place holds the least of the equal rows that came, any of which is as good to compare with. */
template <int MOST> static __global__ void __launch_bounds__(THREADS) bi_cellgraph_unique_insert(const unique_args a)
{
    const int lanes = MOST > 0 ? 1 : LANES;
    const int64_t i = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / lanes;
    const int32_t lane = (int32_t)threadIdx.x % lanes;
    if (blockIdx.x == 0)
        for (int32_t s = (int32_t)threadIdx.x; s < a.shape.words; s += THREADS) a.seeds[s] = bi_cellgraph_seed(s);
    if (MOST > 0 && i >= a.rows.n) return;
    const row_hash halves = hash_row<MOST>(a, i, lane);
    const uint64_t hash = halves.halves[0] + halves.halves[1];
    if (lane > 0 || i >= a.rows.n) return;
    const uint32_t own = (uint32_t)((hash & UINT32_MAX) << a.row_bits) | (uint32_t)(i + 1);
    uint32_t slot = __umulhi((uint32_t)(hash >> 32), a.slots);
    a.hashes[i] = hash;
    for (;;) {
        const uint32_t other = atomicCAS(&a.table[slot], 0u, own);
        if (other == 0) {
            for (int half = 0; half < 2 && MOST >= WIDE_WORDS && a.crowds; half++)
                join_crowd(a, half, halves.halves[half]);
            break;
        }
        const int64_t j = (int64_t)(other & row_mask(a)) - 1;
        if (((uint64_t)(own ^ other) >> a.row_bits) == 0 && same<MOST>(a, i, j)) {
            if (own < other) atomicMin(&a.table[slot], own);
            break;
        }
        slot = slot + 1 == a.slots ? 0 : slot + 1;
    }
    a.place[i] = slot;
}

/* Of tiles of EACH rows a thread. */
template <int EACH> struct number_shared {
    uint32_t tile, before, warps[EACH][THREADS / 32];
    uint16_t firsts[EACH * THREADS]; /* the first rows of the tile */
};

/* The vertices before this tile of rows, which has `count`. The first warp calls it. */
static __device__ __forceinline__ uint32_t vertices_before(const unique_args &a, uint32_t tile, uint32_t count)
{
    typedef bi_sum_of<uint32_t> sum;
    const int64_t tiles = gridDim.x;
    const bi_own_tiles<uint32_t> own = {(int)(tile % 32), 1, {count, false}};
    if (threadIdx.x == 0) bi_publish(a.nodes, tile, own.total);
    const bi_item<uint32_t> row = bi_row_of_tiles<sum, false>(a.nodes, tiles, tile, own);
    const uint32_t upto = bi_shuffle<false>(row, own.first).value;
    if (threadIdx.x == 0 && tile == tiles - 1) a.result->vertices = upto;
    return upto - count;
}

/* Finds the first of the equals of each row of a tile; sh.firsts gets the rows that are. Returns how many. */
template <int EACH>
static __device__ __forceinline__ uint32_t find_firsts(const unique_args &a, int64_t begin, number_shared<EACH> &sh)
{
    uint32_t place[EACH], first[EACH], is[EACH], count = 0;
    const int64_t own = begin + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) place[k] = own + k * THREADS < a.rows.n ? a.place[own + k * THREADS] : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) first[k] = (a.table[place[k]] & row_mask(a)) - 1;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = own + k * THREADS;
        if (i < a.rows.n) a.first[i] = first[k];
        is[k] = __ballot_sync(~0u, i < a.rows.n && first[k] == (uint32_t)i);
        if (threadIdx.x % 32 == 0) sh.warps[k][threadIdx.x / 32] = (uint32_t)__popc(is[k]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++)
        for (unsigned w = 0; w < THREADS / 32; w++) {
            if (w == threadIdx.x / 32 && (is[k] >> (threadIdx.x % 32) & 1))
                sh.firsts[count + (uint32_t)__popc(is[k] & bi_lanes_below())] = (uint16_t)(k * THREADS + threadIdx.x);
            count += sh.warps[k][w];
        }
    return count;
}

/* Writes the first rows of a tile beside each other. Some words are asked for at once. */
template <int EACH>
static __device__ __forceinline__ void copy_firsts(const unique_args &a, int64_t begin, const number_shared<EACH> &sh,
                                                   uint32_t count, uint64_t *to)
{
    enum { AT_ONCE = 4 };
    const uint32_t words = (uint32_t)a.shape.words;
    for (uint32_t first = threadIdx.x; first < count * words; first += THREADS * AT_ONCE) {
        uint64_t word[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const uint32_t q = first + k * THREADS, v = q / words, s = q - v * words;
            word[k] = 0;
            if (v < count) word[k] = a.rows.data[(begin + sh.firsts[v]) * a.rows.stride + s];
            word[k] &= bi_letters_mask(&a.shape, (int32_t)s);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (first + k * THREADS < count * words) to[first + k * THREADS] = word[k];
    }
}

/* Numbers the first rows of a tile, which become vertices. */
template <int EACH> static __global__ void __launch_bounds__(THREADS) bi_cellgraph_unique_number(const unique_args a)
{
    typedef number_shared<EACH> shared_type;
    BI_SHARED(shared_type, sh);
    if (threadIdx.x == 0) sh.tile = (uint32_t)atomicAdd(a.ticket, 1ull);
    __syncthreads();
    const int64_t begin = (int64_t)sh.tile * EACH * THREADS;
    const uint32_t count = find_firsts<EACH>(a, begin, sh);
    if (threadIdx.x < 32) {
        const uint32_t before = vertices_before(a, sh.tile, count);
        if (threadIdx.x == 0) sh.before = before;
    }
    __syncthreads();
    const int64_t vertex = sh.before;
    if (vertex + count > a.capacity) return;
    for (uint32_t v = threadIdx.x; v < count; v += THREADS) {
        const int64_t i = begin + sh.firsts[v];
        a.firsts[vertex + v] = (uint32_t)i;
        a.multiplicities[vertex + v] = 1;
        a.vertex_hashes[vertex + v] = a.hashes[i];
        a.vertex_of[i] = (uint32_t)(vertex + v);
    }
    copy_firsts<EACH>(a, begin, sh, count, a.vectors + vertex * a.shape.words);
}

/* The other rows get the vertices of their first ones. */
static __global__ void __launch_bounds__(THREADS) bi_cellgraph_unique_follow(const unique_args a)
{
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i >= a.rows.n || a.result->vertices > a.capacity) return;
    const uint32_t first = a.first[i];
    if (first == (uint32_t)i) return;
    const uint32_t vertex = a.vertex_of[first];
    a.vertex_of[i] = vertex;
    atomicAdd(&a.multiplicities[vertex], 1u);
}

template <int MOST> static bosc_status insert(bosc_ctx *ctx, const unique_args &a)
{
    const int64_t threads = a.rows.n * (MOST > 0 ? 1 : LANES);
    return BI_RUN(ctx, bi_cellgraph_unique_insert<MOST>, (unsigned)bi_div_up(threads, THREADS), THREADS, 0, a);
}

static bosc_status insert_rows(bosc_ctx *ctx, const unique_args &a)
{
    switch (a.shape.words) {
    case 1: return insert<1>(ctx, a);
    case 2: return insert<2>(ctx, a);
    case 3:
    case 4: return insert<4>(ctx, a);
    default: return a.shape.words <= 8 ? insert<8>(ctx, a) : insert<0>(ctx, a);
    }
}

/* Rows of a thread that numbers them: few while that keeps multiprocessors busy. */
static int64_t each_of(int64_t n) { return n < 1 << 19 ? 1 : 4; }

static int64_t tiles_of(int64_t n) { return bi_div_up(n, each_of(n) * THREADS); }
static size_t node_bytes(int64_t n) { return (size_t)(1 + bi_node_count(tiles_of(n))) * sizeof(unsigned long long); }

/* Vertices that there is room for. */
static int64_t capacity_of(const bosc_cellgraph *graph)
{
    const size_t words = (size_t)graph->shape.words;
    size_t capacity = graph->blocks[BI_CELLGRAPH_VECTORS].bytes / (8 * words);
    if (graph->blocks[BI_CELLGRAPH_HASHES].bytes / 8 < capacity)
        capacity = graph->blocks[BI_CELLGRAPH_HASHES].bytes / 8;
    if (graph->blocks[BI_CELLGRAPH_FIRSTS].bytes / 4 < capacity)
        capacity = graph->blocks[BI_CELLGRAPH_FIRSTS].bytes / 4;
    if (graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].bytes / 4 < capacity)
        capacity = graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].bytes / 4;
    return (int64_t)capacity;
}

/* Makes vertices in the room that there is, and looks at a sample of them if asked; waits for their number. */
static bosc_status make_vertices(bosc_ctx *ctx, const bosc_cellgraph *graph, unique_args &a, bool probe,
                                 bi_cellgraph_unique_result *result)
{
    const int64_t n = a.rows.n;
    a.capacity = capacity_of(graph);
    a.vertex_of = (uint32_t *)graph->blocks[BI_CELLGRAPH_VERTEX_OF].data;
    a.firsts = (uint32_t *)graph->blocks[BI_CELLGRAPH_FIRSTS].data;
    a.multiplicities = (uint32_t *)graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].data;
    a.vertex_hashes = (uint64_t *)graph->blocks[BI_CELLGRAPH_HASHES].data;
    a.vectors = (uint64_t *)graph->blocks[BI_CELLGRAPH_VECTORS].data;
    if (each_of(n) == 1)
        BI_TRY(BI_RUN(ctx, bi_cellgraph_unique_number<1>, (unsigned)tiles_of(n), THREADS, 0, a));
    else
        BI_TRY(BI_RUN(ctx, bi_cellgraph_unique_number<4>, (unsigned)tiles_of(n), THREADS, 0, a));
    BI_TRY(BI_RUN(ctx, bi_cellgraph_unique_follow, (unsigned)bi_div_up(n, THREADS), THREADS, 0, a));
    const bi_cellgraph_view view = bi_cellgraph_view_of(graph);
    if (probe) BI_TRY(bi_cellgraph_cuda_sample(ctx, &view, a.capacity, a.result));
    return bi_read_back(ctx, result, a.result, sizeof *result);
}

/* Of a table: many where they stay in the cache, so that the longest search is short. */
static int64_t slots_for(int64_t n)
{
    enum { CACHED = 1 << 21 };
    const int64_t slots = n <= CACHED ? 4 * n : 2 * n;
    return slots < UINT32_MAX ? slots : UINT32_MAX;
}

/* Words of a segment of the join: half of them if few vertices agree in the other half. */
static int32_t span_for(const bosc_cellgraph *graph, int64_t rows, const bi_cellgraph_unique_result &result)
{
    const int32_t words = graph->shape.words;
    bool wide = words >= WIDE_WORDS && words <= MAX_WIDE_WORDS && rows >= WIDE_ROWS;
    for (int half = 0; half < 2; half++) wide = wide && result.pairs[half] <= result.sampled[half];
    return wide ? (words + 1) / 2 : bi_cellgraph_span(words);
}

bosc_status bi_cellgraph_cuda_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                     struct bi_cellgraph_sample_stats *stats)
{
    const int64_t n = rows->n, slots = slots_for(n);
    const size_t slot_bytes = (size_t)bi_div_up(slots, 2) * 8,
                 crowd_bytes = n < WIDE_ROWS ? 0 : 4 * CROWD_SLOTS * sizeof(uint32_t), table = slot_bytes + crowd_bytes;
    unsigned char *zeroed;
    bi_cellgraph_unique_result result;
    unique_args a = {};
    a.rows = *rows;
    a.shape = graph->shape;
    a.slots = (uint32_t)slots;
    a.row_bits = bi_bit_length((uint64_t)n);
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_SEEDS, a.shape.words, 8));
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_VERTEX_OF, n, 4));
    BI_TRY(bi_scratch_of(ctx, n, 8, &a.hashes));
    BI_TRY(bi_scratch_of(ctx, n, 4, &a.place));
    BI_TRY(bi_scratch_of(ctx, n, 4, &a.first));
    BI_TRY(bi_scratch_of(ctx, (int64_t)(table + node_bytes(n) + sizeof result), 1, &zeroed));
    a.seeds = (uint64_t *)graph->blocks[BI_CELLGRAPH_SEEDS].data;
    a.table = (uint32_t *)zeroed;
    a.crowds = n < WIDE_ROWS ? nullptr : (uint32_t *)(zeroed + slot_bytes);
    for (int64_t crowds = n / SAMPLED; crowds > 1; crowds /= 2) a.crowd_mask = 2 * a.crowd_mask + 1;
    a.ticket = (unsigned long long *)(zeroed + table);
    a.nodes.words = a.ticket + 1;
    a.result = (bi_cellgraph_unique_result *)(zeroed + table + node_bytes(n));
    BI_TRY(ctx->backend->fill(ctx, zeroed, 0, table + node_bytes(n) + sizeof result));
    BI_TRY(insert_rows(ctx, a));
    BI_TRY(make_vertices(ctx, graph, a, stats != nullptr, &result));
    if (result.vertices > a.capacity) {
        BI_TRY(bi_cellgraph_reserve_vertices(ctx, graph, n, result.vertices));
        BI_TRY(ctx->backend->fill(ctx, a.ticket, 0, node_bytes(n)));
        BI_TRY(make_vertices(ctx, graph, a, stats != nullptr, &result));
    }
    graph->vertices = result.vertices;
    graph->span = span_for(graph, n, result);
    if (stats) *stats = result.stats;
    return BOSC_OK;
}

int64_t bi_cellgraph_cuda_unique_bytes(int64_t n)
{
    return n * 16 + slots_for(n) * 4 + (int64_t)node_bytes(n) + 4 * CROWD_SLOTS * 4 + 1024;
}
