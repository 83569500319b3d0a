/* Vertices on the device. Rows are inserted into a hash table whose slots hold the first of equal rows; these are
 * numbered in order. Rows with equal hashes are compared, so nothing is left to chance. */
#include "core/cuda/launch.cuh"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"
#include "core/cuda/warp.cuh"
#include "cellgraph/cuda/cellgraph.cuh"
#include "cellgraph/handle.h"

enum {
    THREADS = 256,
    LANES = 8,          /* threads that hash a long row */
    MIN_HALF_WORDS = 4, /* words of a row for which the join may have segments of half of them: from */
    MAX_HALF_WORDS = 8, /* to */
    GROUP_SLOTS = 8192, /* of the table of half-word groups: four for each of SAMPLED vertices, so probes are short */
    GROUP_PROBES = 64,  /* 64 full slots in a row: the table is crowded, and the half counts as bad */
    SAMPLED = 2048      /* aimed vertices of sampled groups. Less: a less exact mean; more: more slots. Not measured */
};

/* Rows from which on segments of half the words are considered. Measured on an H200: 44,000 rows lose 7 % by it, 2^20
 * gain up to 25 %, 300,000 16 %; HALF_SPAN_ROWS is between the first and the last. */
#ifdef BI_EMULATE
enum { HALF_SPAN_ROWS = 100 };
#else
enum { HALF_SPAN_ROWS = 1 << 18 };
#endif

struct unique_args {
    struct bi_cellgraph_rows rows;
    struct bi_letters shape;
    uint64_t *seeds, *hashes;
    uint32_t *table; /* representative + 1, below bits of its hash; 0: empty */
    uint32_t slots;
    int32_t row_bits;
    uint32_t *slot;           /* of each row */
    uint32_t *representative; /* of each row */
    unsigned long long *ticket;
    bi_tile_totals<uint32_t> nodes;                     /* of tiles of rows */
    int64_t capacity;                                   /* of vertices; more are only counted */
    uint32_t *vertex_of, *vertex_rows, *multiplicities; /* vertex_rows: the representative of each vertex */
    uint64_t *vertex_hashes, *vectors;
    uint32_t *groups;     /* (2 x GROUP_SLOTS) hashes of half-word groups, then their members; NULL: not counted */
    uint32_t sample_mask; /* zero bits in the hash of a sampled group */
    struct bi_cellgraph_unique_result *result;
};

/* H of a row of up to MAX_WORDS words, in two halves; of longer rows (0) by LANES threads, undivided. */
struct row_hash {
    uint64_t halves[2];
};

template <int MAX_WORDS>
static __device__ __forceinline__ row_hash hash_row(const unique_args &a, int64_t i, int32_t lane)
{
    const uint64_t *row = a.rows.data + i * a.rows.stride;
    uint64_t h = 0, upper = 0;
    if constexpr (MAX_WORDS > 0) {
#pragma unroll
        for (int32_t s = 0; s < MAX_WORDS; s++)
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

/* If the row's half-word group is sampled (rows that agree in one half of their words), counts the row in it. Called
 * once for each distinct row. */
static __device__ void count_half_group(const unique_args &a, int half, uint64_t hash)
{
    const uint32_t key = (uint32_t)(hash >> 32) | 1; /* not 0, which is an empty slot */
    uint32_t *keys = a.groups + half * GROUP_SLOTS, *members = keys + 2 * GROUP_SLOTS, slot = key / 2 % GROUP_SLOTS;
    if ((uint32_t)(hash >> 16) & a.sample_mask) return;
    atomicAdd(&a.result->sampled[half], 1u);
    for (int probe = 0; probe < GROUP_PROBES; probe++, slot = (slot + 1) % GROUP_SLOTS) {
        const uint32_t other = atomicCAS(&keys[slot], 0u, key);
        if (other != 0 && other != key) continue;
        const uint32_t earlier = atomicAdd(&members[slot], 1u); /* the row pairs with each of them */
        if (earlier > 0) atomicAdd(&a.result->pairs[half], earlier);
        return;
    }
    atomicAdd(&a.result->pairs[half], (uint32_t)GROUP_SLOTS); /* table full: counts as many pairs */
}

/* Compares two rows. */
template <int MAX_WORDS> static __device__ __forceinline__ bool rows_equal(const unique_args &a, int64_t i, int64_t j)
{
    const uint64_t *x = a.rows.data + i * a.rows.stride, *y = a.rows.data + j * a.rows.stride;
    uint64_t differ = 0;
    if constexpr (MAX_WORDS > 0) {
#pragma unroll
        for (int32_t s = 0; s < MAX_WORDS; s++)
            if (s < a.shape.words) differ |= (x[s] ^ y[s]) & bi_letters_mask(&a.shape, s);
    } else {
        for (int32_t s = 0; s < a.shape.words && !differ; s++) differ = (x[s] ^ y[s]) & bi_letters_mask(&a.shape, s);
    }
    return differ == 0;
}

/* Mask of the row number plus 1 in a slot. */
static __device__ __forceinline__ uint32_t row_mask(const unique_args &a) { return ~(uint32_t)(~0ull << a.row_bits); }

/* Inserts each row: sets a.hashes and a.slot; block 0 also sets a.seeds. A slot holds the least row of its equals so
 * far; any of them serves for comparison. The table is 0 before, and has more slots than rows. MAX_WORDS: bound of the
 * words of a row, a thread each; 0: any number, LANES threads a row, which all reach the shuffles. */
template <int MAX_WORDS>
static __global__ void __launch_bounds__(THREADS) bi_cellgraph_unique_insert(const unique_args a)
{
    const int lanes = MAX_WORDS > 0 ? 1 : LANES;
    const int64_t i = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / lanes;
    const int32_t lane = (int32_t)threadIdx.x % lanes;
    if (blockIdx.x == 0)
        for (int32_t s = (int32_t)threadIdx.x; s < a.shape.words; s += THREADS) a.seeds[s] = bi_cellgraph_seed(s);
    if (MAX_WORDS > 0 && i >= a.rows.n) return;
    /* 1. Hash the row; with several lanes the first continues. */
    const row_hash halves = hash_row<MAX_WORDS>(a, i, lane);
    const uint64_t hash = halves.halves[0] + halves.halves[1];
    if (lane > 0 || i >= a.rows.n) return;
    /* The slot's word; of words with equal hash bits the smaller one has the earlier row. */
    const uint32_t own = (uint32_t)((hash & UINT32_MAX) << a.row_bits) | (uint32_t)(i + 1);
    uint32_t slot = __umulhi((uint32_t)(hash >> 32), a.slots);
    a.hashes[i] = hash;
    /* 2. Probe linearly for an empty slot or an equal row. */
    for (;;) {
        const uint32_t other = atomicCAS(&a.table[slot], 0u, own);
        if (other == 0) {
            for (int half = 0; half < 2 && MAX_WORDS >= MIN_HALF_WORDS && a.groups; half++)
                count_half_group(a, half, halves.halves[half]);
            break;
        }
        const int64_t j = (int64_t)(other & row_mask(a)) - 1;
        if (((uint64_t)(own ^ other) >> a.row_bits) == 0 && rows_equal<MAX_WORDS>(a, i, j)) {
            if (own < other) atomicMin(&a.table[slot], own);
            break;
        }
        slot = slot + 1 == a.slots ? 0 : slot + 1;
    }
    a.slot[i] = slot;
}

/* Shared memory for tiles of PER_THREAD rows a thread. */
template <int PER_THREAD> struct numbering_shared {
    uint32_t tile, exclusive_prefix, warps[PER_THREAD][THREADS / 32];
    bi_path_totals<uint32_t> path;
    uint16_t tile_rows[PER_THREAD * THREADS]; /* representatives of the tile, relative to its first row */
};

/* Number of vertices in earlier tiles, by decoupled look-back; this tile has `count`. The first warp calls it. */
static __device__ __forceinline__ uint32_t scan_tiles(const unique_args &a, uint32_t tile, uint32_t count,
                                                      bi_path_totals<uint32_t> *path)
{
    typedef bi_sum_of<uint32_t> sum;
    const int64_t tiles = gridDim.x;
    const bi_own_tiles<uint32_t> own = {(int)(tile % 32), 1, {count, false}};
    if (threadIdx.x == 0) bi_publish_total(a.nodes, tile, own.total);
    bi_publish_rows<sum, false>(a.nodes, tiles, tile, own, path);
    bi_await_path(a.nodes, tiles, tile, 0, 1, path);
    __syncwarp(); /* the path */
    const bi_item<uint32_t> row = bi_scan_row_of_tiles<sum, false>(path, tiles, tile);
    const uint32_t inclusive = bi_shuffle_item<false>(row, own.first).value;
    if (threadIdx.x == 0 && tile == tiles - 1) a.result->vertices = inclusive;
    return inclusive - count;
}

/* Finds the representative of each row of a tile; sh.tile_rows lists the representatives. Returns their number. All
 * threads call it; sh.tile_rows needs a barrier before other threads read it. */
template <int PER_THREAD>
static __device__ __forceinline__ uint32_t find_representatives(const unique_args &a, int64_t begin,
                                                                numbering_shared<PER_THREAD> &sh)
{
    uint32_t slot[PER_THREAD], representative[PER_THREAD], lanes[PER_THREAD], count = 0;
    const int64_t own = begin + threadIdx.x;
    /* 1. Representatives of the thread's rows; all loads overlap. lanes[k]: lanes of the warp whose row is one. */
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) slot[k] = own + k * THREADS < a.rows.n ? a.slot[own + k * THREADS] : 0;
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) representative[k] = (a.table[slot[k]] & row_mask(a)) - 1;
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const int64_t i = own + k * THREADS;
        if (i < a.rows.n) a.representative[i] = representative[k];
        lanes[k] = __ballot_sync(~0u, i < a.rows.n && representative[k] == (uint32_t)i);
        if (threadIdx.x % 32 == 0) sh.warps[k][threadIdx.x / 32] = (uint32_t)__popc(lanes[k]);
    }
    __syncthreads(); /* counts of all warps */
    /* 2. List the representatives in the order of rows. */
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++)
        for (unsigned w = 0; w < THREADS / 32; w++) {
            if (w == threadIdx.x / 32 && (lanes[k] >> (threadIdx.x % 32) & 1))
                sh.tile_rows[count + (uint32_t)__popc(lanes[k] & bi_lanes_below())] =
                    (uint16_t)(k * THREADS + threadIdx.x);
            count += sh.warps[k][w];
        }
    return count;
}

/* Copies the representatives of a tile densely; LOADS_IN_FLIGHT words are read at once. */
template <int PER_THREAD>
static __device__ __forceinline__ void copy_representatives(const unique_args &a, int64_t begin,
                                                            const numbering_shared<PER_THREAD> &sh, uint32_t count,
                                                            uint64_t *to)
{
    enum { LOADS_IN_FLIGHT = 4 };
    const uint32_t words = (uint32_t)a.shape.words;
    for (uint32_t own = threadIdx.x; own < count * words; own += THREADS * LOADS_IN_FLIGHT) { /* a word of a vertex */
        uint64_t word[LOADS_IN_FLIGHT];
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++) {
            const uint32_t q = own + k * THREADS, v = q / words, s = q - v * words;
            word[k] = 0;
            if (v < count) word[k] = a.rows.data[(begin + sh.tile_rows[v]) * a.rows.stride + s];
            word[k] &= bi_letters_mask(&a.shape, (int32_t)s);
        }
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++)
            if (own + k * THREADS < count * words) to[own + k * THREADS] = word[k];
    }
}

/* Numbers the representatives of a tile as vertices, and copies them. */
template <int PER_THREAD>
static __global__ void __launch_bounds__(THREADS) bi_cellgraph_unique_number(const unique_args a)
{
    typedef numbering_shared<PER_THREAD> shared_type;
    BI_SHARED(shared_type, sh);
    /* 1. Tickets order the tiles, so that earlier ones are running when a tile looks back. */
    if (threadIdx.x == 0) sh.tile = (uint32_t)atomicAdd(a.ticket, 1ull);
    __syncthreads(); /* the ticket */
    const int64_t begin = (int64_t)sh.tile * PER_THREAD * THREADS;
    /* 2. Count the representatives of the tile, then those of earlier tiles. */
    const uint32_t count = find_representatives<PER_THREAD>(a, begin, sh);
    if (threadIdx.x < 32) {
        const uint32_t exclusive_prefix = scan_tiles(a, sh.tile, count, &sh.path);
        if (threadIdx.x == 0) sh.exclusive_prefix = exclusive_prefix;
    }
    __syncthreads(); /* the prefix; sh.tile_rows is complete */
    /* 3. Write the vertices. */
    const int64_t vertex = sh.exclusive_prefix;
    if (vertex + count > a.capacity) return;
    for (uint32_t v = threadIdx.x; v < count; v += THREADS) {
        const int64_t i = begin + sh.tile_rows[v];
        a.vertex_rows[vertex + v] = (uint32_t)i;
        a.multiplicities[vertex + v] = 1;
        a.vertex_hashes[vertex + v] = a.hashes[i];
        a.vertex_of[i] = (uint32_t)(vertex + v);
    }
    copy_representatives<PER_THREAD>(a, begin, sh, count, a.vectors + vertex * a.shape.words);
}

/* Assigns vertices to the other rows, and counts multiplicities: rows of a warp with one vertex at once, since some
 * vertices may have most of the rows. */
static __global__ void __launch_bounds__(THREADS) bi_cellgraph_unique_assign(const unique_args a)
{
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    uint32_t vertex = UINT32_MAX; /* stays so for representatives, which are counted already, and without a row */
    /* 1. Assign the vertex. */
    if (i < a.rows.n && a.result->vertices <= a.capacity) {
        const uint32_t representative = a.representative[i];
        if (representative != (uint32_t)i) {
            vertex = a.vertex_of[representative];
            a.vertex_of[i] = vertex;
        }
    }
    /* 2. The first lane of each vertex counts the rows. */
    const unsigned same = __match_any_sync(~0u, vertex);
    if (vertex != UINT32_MAX && (same & bi_lanes_below()) == 0)
        atomicAdd(&a.multiplicities[vertex], (uint32_t)__popc(same));
}

template <int MAX_WORDS> static bosc_status launch_insert(bosc_ctx *ctx, const unique_args &a)
{
    const int64_t threads = a.rows.n * (MAX_WORDS > 0 ? 1 : LANES);
    return BI_RUN(ctx, bi_cellgraph_unique_insert<MAX_WORDS>, (unsigned)bi_div_up(threads, THREADS), THREADS, 0, a);
}

static bosc_status insert_rows(bosc_ctx *ctx, const unique_args &a)
{
    switch (a.shape.words) {
    case 1: return launch_insert<1>(ctx, a);
    case 2: return launch_insert<2>(ctx, a);
    case 3:
    case 4: return launch_insert<4>(ctx, a);
    default: return a.shape.words <= 8 ? launch_insert<8>(ctx, a) : launch_insert<0>(ctx, a);
    }
}

/* Rows of a thread of the numbering. 2^19 rows, one each, are 2,048 blocks, twice as many as the 132
 * multiprocessors of an H200 hold. With more rows, loads of four overlap. Not measured. */
static int64_t rows_per_thread(int64_t n) { return n < 1 << 19 ? 1 : 4; }

static int64_t tiles_of(int64_t n) { return bi_div_up(n, rows_per_thread(n) * THREADS); }
static size_t node_bytes(int64_t n)
{
    return (size_t)(1 + bi_tile_total_count(tiles_of(n))) * sizeof(unsigned long long);
}

/* Vertices that the graph's blocks hold. */
static int64_t vertex_capacity(const bosc_cellgraph *graph)
{
    const size_t words = (size_t)graph->shape.words;
    size_t capacity = graph->blocks[BI_CELLGRAPH_VECTORS].bytes / (8 * words);
    if (graph->blocks[BI_CELLGRAPH_HASHES].bytes / 8 < capacity)
        capacity = graph->blocks[BI_CELLGRAPH_HASHES].bytes / 8;
    if (graph->blocks[BI_CELLGRAPH_REPRESENTATIVES].bytes / 4 < capacity)
        capacity = graph->blocks[BI_CELLGRAPH_REPRESENTATIVES].bytes / 4;
    if (graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].bytes / 4 < capacity)
        capacity = graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].bytes / 4;
    return (int64_t)capacity;
}

/* Numbers vertices within the capacity, samples them if requested, and waits for their number. */
static bosc_status make_vertices(bosc_ctx *ctx, const bosc_cellgraph *graph, unique_args &a, bool probe,
                                 bi_cellgraph_unique_result *result)
{
    const int64_t n = a.rows.n;
    a.capacity = vertex_capacity(graph);
    a.vertex_of = (uint32_t *)graph->blocks[BI_CELLGRAPH_VERTEX_OF].data;
    a.vertex_rows = (uint32_t *)graph->blocks[BI_CELLGRAPH_REPRESENTATIVES].data;
    a.multiplicities = (uint32_t *)graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].data;
    a.vertex_hashes = (uint64_t *)graph->blocks[BI_CELLGRAPH_HASHES].data;
    a.vectors = (uint64_t *)graph->blocks[BI_CELLGRAPH_VECTORS].data;
    if (rows_per_thread(n) == 1)
        BI_TRY(BI_RUN(ctx, bi_cellgraph_unique_number<1>, (unsigned)tiles_of(n), THREADS, 0, a));
    else
        BI_TRY(BI_RUN(ctx, bi_cellgraph_unique_number<4>, (unsigned)tiles_of(n), THREADS, 0, a));
    BI_TRY(BI_RUN(ctx, bi_cellgraph_unique_assign, (unsigned)bi_div_up(n, THREADS), THREADS, 0, a));
    const bi_cellgraph_view view = bi_cellgraph_view_of(graph);
    if (probe) BI_TRY(bi_cellgraph_cuda_sample(ctx, &view, a.capacity, a.result));
    return bi_read_back(ctx, result, a.result, sizeof *result);
}

/* Slots of the table: load factor 1/4 while it stays in the cache, so that probe sequences are short (measured, 44,000
 * rows: 9 us, 1/2 22); else 1/2. */
static int64_t choose_slots(int64_t n)
{
    enum { CACHED = 1 << 21 }; /* rows: 4 * CACHED slots of 4 bytes are 32 MB of the 50 MB of an H200's L2 cache */
    const int64_t slots = n <= CACHED ? 4 * n : 2 * n;
    return slots < UINT32_MAX ? slots : UINT32_MAX;
}

/* Words of a segment of the join: half of them if few vertices agree in the other half. */
static int32_t choose_span(const bosc_cellgraph *graph, int64_t rows, const bi_cellgraph_unique_result &result)
{
    const int32_t words = graph->shape.words;
    bool half_span = words >= MIN_HALF_WORDS && words <= MAX_HALF_WORDS && rows >= HALF_SPAN_ROWS;
    for (int half = 0; half < 2; half++) half_span = half_span && result.pairs[half] <= result.sampled[half];
    return half_span ? (words + 1) / 2 : bi_cellgraph_span(words);
}

/* There is at least one row. stats (host), or NULL: not sampled. Also sets graph->span. With `words`, the bit table of
 * all possible words (table_vertices.cu): sets the vertices and the table's number of edges; stats are not sampled and
 * graph->span keeps its default. After a failure the caller empties the graph. */
bosc_status bi_cellgraph_cuda_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                     struct bi_cellgraph_sample_stats *stats, struct bi_cellgraph_table *words)
{
    const int64_t n = rows->n, slots = choose_slots(n);
    const bool halves = n >= HALF_SPAN_ROWS;
    const size_t slot_bytes = (size_t)bi_div_up(slots, 2) * 8,
                 group_bytes = halves ? 4 * GROUP_SLOTS * sizeof(uint32_t) : 0, table = slot_bytes + group_bytes;
    unsigned char *zeroed;
    bi_cellgraph_unique_result result;
    unique_args a = {};
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_SEEDS, graph->shape.words, 8));
    if (words) return bi_cellgraph_cuda_table_vertices(ctx, graph, words);
    /* 1. Scratch; what must be zero is in one block. */
    a.rows = *rows;
    a.shape = graph->shape;
    a.slots = (uint32_t)slots;
    a.row_bits = bi_bit_length((uint64_t)n);
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_VERTEX_OF, n, 4));
    BI_TRY(bi_scratch_of(ctx, n, 8, &a.hashes));
    BI_TRY(bi_scratch_of(ctx, n, 4, &a.slot));
    BI_TRY(bi_scratch_of(ctx, n, 4, &a.representative));
    BI_TRY(bi_scratch_of(ctx, (int64_t)(table + node_bytes(n) + sizeof result), 1, &zeroed));
    a.seeds = (uint64_t *)graph->blocks[BI_CELLGRAPH_SEEDS].data;
    a.table = (uint32_t *)zeroed;
    a.groups = halves ? (uint32_t *)(zeroed + slot_bytes) : nullptr;
    for (int64_t groups = n / SAMPLED; groups > 1; groups /= 2) a.sample_mask = 2 * a.sample_mask + 1;
    a.ticket = (unsigned long long *)(zeroed + table);
    a.nodes.words = a.ticket + 1;
    a.result = (bi_cellgraph_unique_result *)(zeroed + table + node_bytes(n));
    BI_TRY(ctx->backend->fill(ctx, zeroed, 0, table + node_bytes(n) + sizeof result));
    /* 2. Insert, number; repeat the numbering if the blocks were too small. */
    BI_TRY(insert_rows(ctx, a));
    BI_TRY(make_vertices(ctx, graph, a, stats != nullptr, &result));
    if (result.vertices > a.capacity) {
        BI_TRY(bi_cellgraph_reserve_vertices(ctx, graph, n, result.vertices));
        BI_TRY(ctx->backend->fill(ctx, a.ticket, 0, node_bytes(n)));
        BI_TRY(make_vertices(ctx, graph, a, stats != nullptr, &result));
    }
    /* 3. Results. */
    graph->vertices = result.vertices;
    graph->span = choose_span(graph, n, result);
    if (stats) *stats = result.stats;
    return BOSC_OK;
}

int64_t bi_cellgraph_cuda_unique_bytes(int64_t n)
{
    /* 16 bytes a row: hashes, slot, representative. 1,024: alignment. */
    return n * 16 + choose_slots(n) * 4 + (int64_t)node_bytes(n) + 4 * GROUP_SLOTS * 4 + 1024;
}
