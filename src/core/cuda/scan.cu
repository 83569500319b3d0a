/* Scans, segmented or not, in one pass: a block scans a group of tiles and waits for the prefixes of earlier ones.
 * Plain scans of integers use CUB. */
#include <type_traits>

#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/cub.h"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"

/* BLOCKS: of a multiprocessor. Measured on an H200, 10^8 floats and doubles, inclusive: .376 and .760 ms with groups of
 * 16 KB and four blocks, .395 and .773 with 32 KB and two, .370 and .635 with 32 KB and three. Smaller inputs were not
 * measured. */
enum { THREADS = 256, WARPS = THREADS / 32, GROUP_BYTES = 32 * 1024, BLOCKS = 3 };

/* Division of a group: a thread has a vector of each chunk, and TILE_CHUNKS chunks make a tile. */
template <class T> struct scan_shape {
    static constexpr int GROUP = GROUP_BYTES / (int)sizeof(T) / BI_TILE, EACH = bi_vector_length<T>;
    static constexpr int CHUNK = THREADS * EACH, TILE_CHUNKS = BI_TILE / CHUNK, CHUNKS = GROUP * TILE_CHUNKS;
    static constexpr int ROW_LANES = BI_TILE_ROW / EACH, CHUNK_ROWS = THREADS / ROW_LANES;
    static_assert(BI_TILE_ROW % GROUP == 0, "a group is within a row of tiles");
};

template <class T> struct scan_shared {
    typedef scan_shape<T> shape;
    long long group;
    bi_item<T> row[shape::CHUNKS * shape::CHUNK_ROWS]; /* sums of the rows of 32 elements */
    bi_item<T> last[shape::CHUNKS][WARPS];             /* last result of each warp */
    bi_item<T> tile_prefix[shape::GROUP];              /* inclusive scan up to the tile before */
    bi_item<T> last_before, previous; /* results of the element before the group: within its tile, and in all */
    bi_path_totals<T> own_path, previous_path; /* of the group's row of tiles, and of the row before */
};

/* Totals of tiles; for exclusive scans also the last result of each group within its last tile. */
template <class T> struct scan_state {
    unsigned long long *ticket;
    bi_tile_totals<T> totals, lasts;
};

/* Sklansky's scan of each row of 32: EACH elements a thread, 32 / EACH threads a row. */
template <class P, bool SEGMENTED, int EACH>
static __device__ __forceinline__ void scan_row(bi_item<typename P::value> x[EACH])
{
    constexpr int LANES = BI_TILE_ROW / EACH;
    int lane = (int)(threadIdx.x % 32), within = lane % LANES;
#pragma unroll
    for (int d = 1; d < EACH; d *= 2)
        for (int k = 0; k < EACH; k++)
            if (k & d) x[k] = bi_combine<P>(x[k / d * d - 1], x[k]);
#pragma unroll
    for (int d = 1; d < LANES; d *= 2) {
        bi_item<typename P::value> before = bi_shuffle_item<SEGMENTED>(x[EACH - 1], lane - within + within / d * d - 1);
        if (within & d)
            for (int k = 0; k < EACH; k++) x[k] = bi_combine<P>(before, x[k]);
    }
}

/* Loads the thread's elements of a group; `begin`: the first of them. */
template <class P, bool SEGMENTED>
static __device__ __forceinline__ void load_group(const typename P::element *in, const uint8_t *heads, int64_t begin,
                                                  int64_t n,
                                                  bi_item<typename P::value> x[][bi_vector_length<typename P::element>])
{
    typedef scan_shape<typename P::value> shape;
    bi_vector<typename P::element> raw[shape::CHUNKS];
    bi_load_vectors<shape::CHUNKS>(in, begin, shape::CHUNK, n, typename P::element(), raw);
#pragma unroll
    for (int c = 0; c < shape::CHUNKS; c++)
        for (int k = 0; k < shape::EACH; k++) {
            int64_t i = begin + c * shape::CHUNK + k;
            x[c][k] = {P::to_value(raw[c].of[k]), SEGMENTED && i < n && heads[i] != 0};
        }
}

/* Publishes the totals of the group's tiles, and stores the prefix of each in sh->tile_prefix. If exclusive, the result
 * before the group is stored too. All threads call it; all have `total`. A barrier must follow. */
template <class P, bool SEGMENTED>
static __device__ void await_prefixes(struct scan_shared<typename P::value> *sh,
                                      const scan_state<typename P::value> &state, int64_t tiles, int64_t tile,
                                      bool exclusive, const bi_item<typename P::value> total[])
{
    typedef bi_item<typename P::value> item;
    constexpr int GROUP = scan_shape<typename P::value>::GROUP;
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32), first = (int)(tile % 32);
    const int count = (int)min((int64_t)GROUP, tiles - tile);
    bi_own_tiles<typename P::value> own = {first, count, total[0]}; /* lane first + g has total[g] */
#pragma unroll
    for (int g = 1; g < GROUP; g++)
        if (lane == first + g) own.total = total[g];
    /* 1. Publish, and await the totals of other groups. The tile before the first of a row is in the previous row. */
    if (warp == 0 && lane >= first && lane < first + count)
        bi_publish_total(state.totals, tile + lane - first, own.total);
    const bool has_previous_row = first == 0 && tile > 0;
    if (warp == 0) bi_publish_rows<P, SEGMENTED>(state.totals, tiles, tile + count - 1, own, &sh->own_path);
    bi_await_path(state.totals, tiles, tile + count - 1, warp, WARPS, &sh->own_path);
    if (has_previous_row) {
        /* Warps that read low heights of one path read none of the other. */
        const int reader = (warp + WARPS / 2) % WARPS;
        if (reader == 0) sh->previous_path.of[0][lane] = bi_await_total(state.totals, tile - 32 + lane);
        bi_await_path(state.totals, tiles, tile - 1, reader, WARPS, &sh->previous_path);
    }
    if (exclusive && tile > 0 && threadIdx.x == THREADS - 1)
        sh->last_before = bi_await_total(state.lasts, tile / GROUP - 1);
    __syncthreads(); /* both paths and sh->last_before */
    /* 2. The inclusive result of a tile is the prefix of the next one. */
    item row;
    if (warp == 0) {
        row = bi_scan_row_of_tiles<P, SEGMENTED>(&sh->own_path, tiles, tile + count - 1);
        if (lane >= first && lane + 1 < first + count) sh->tile_prefix[lane - first + 1] = row;
    }
    if (warp == 1 && has_previous_row) row = bi_scan_row_of_tiles<P, SEGMENTED>(&sh->previous_path, tiles, tile - 1);
    if (tile == 0 || warp != (has_previous_row ? 1 : 0)) return;
    if (lane == (first + 31) % 32) sh->tile_prefix[0] = row;
    /* 3. The result before the group: that within its tile, after the prefix of that tile. */
    if (lane == (first + 30) % 32 && exclusive) sh->previous = bi_combine<P>(row, sh->last_before);
}

/* Turns inclusive results into exclusive ones: shifts them by one element. The first element of the group gets the
 * result before the group. */
template <class P, bool SEGMENTED>
static __device__ void shift_to_exclusive(struct scan_shared<typename P::value> *sh, bool is_first, unsigned heads,
                                          bi_item<typename P::value> x[][bi_vector_length<typename P::element>])
{
    typedef scan_shape<typename P::value> shape;
    int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    bi_item<typename P::value> previous[shape::CHUNKS]; /* result of the element before the thread's vector */
#pragma unroll
    for (int c = 0; c < shape::CHUNKS; c++) {
        previous[c] = bi_shuffle_item<SEGMENTED>(x[c][shape::EACH - 1], lane > 0 ? lane - 1 : 0);
        if (lane == 31) sh->last[c][warp] = x[c][shape::EACH - 1];
    }
    __syncthreads(); /* sh->last of all warps is written */
#pragma unroll
    for (int c = 0; c < shape::CHUNKS; c++) {
        if (lane == 0 && warp > 0) previous[c] = sh->last[c][warp - 1];
        if (threadIdx.x == 0 && c > 0) previous[c] = sh->last[c - 1][WARPS - 1];
        if (threadIdx.x == 0 && c == 0 && !is_first) previous[c] = sh->previous;
        for (int k = shape::EACH - 1; k > 0; k--) x[c][k] = x[c][k - 1];
        x[c][0] = previous[c];
        for (int k = 0; k < shape::EACH; k++)
            x[c][k].head = (heads >> (c * shape::EACH + k)) & 1; /* the result of a head is empty */
    }
    if (threadIdx.x == 0 && is_first) x[0][0].head = true;
}

/* Scans n > 0 elements; `out` may be `in`. The grid has one block per group of tiles. The ticket and the words of the
 * totals are 0 before. `heads` is read only if SEGMENTED. */
template <class P, bool SEGMENTED>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    bi_core_scan(const typename P::element *in, const uint8_t *heads, int64_t n, typename P::element *out,
                 bool exclusive, scan_state<typename P::value> state)
{
    typedef bi_item<typename P::value> item;
    typedef scan_shape<typename P::value> shape;
    typedef scan_shared<typename P::value> shared_type;
    BI_SHARED(shared_type, sh);
    /* 1. Get a group of tiles by ticket: blocks of earlier groups already run, so waiting for them ends. */
    if (threadIdx.x == 0) sh.group = (long long)atomicAdd(state.ticket, 1ull);
    __syncthreads();
    int lane = (int)(threadIdx.x % 32);
    int64_t group = sh.group, tile = group * shape::GROUP, tiles = (n + BI_TILE - 1) / BI_TILE;
    int64_t begin = tile * BI_TILE + threadIdx.x * shape::EACH;
    item x[shape::CHUNKS][shape::EACH], total[shape::GROUP];
    /* 2. Load a vector of each chunk a thread, and scan the rows. */
    unsigned head_bits = 0;
    load_group<P, SEGMENTED>(in, heads, begin, n, x);
#pragma unroll
    for (int c = 0; c < shape::CHUNKS; c++) {
        for (int k = 0; k < shape::EACH; k++) head_bits |= (unsigned)x[c][k].head << (c * shape::EACH + k);
        scan_row<P, SEGMENTED, shape::EACH>(x[c]);
        if (lane % shape::ROW_LANES == shape::ROW_LANES - 1)
            sh.row[c * shape::CHUNK_ROWS + threadIdx.x / shape::ROW_LANES] = x[c][shape::EACH - 1];
    }
    __syncthreads(); /* the sums of all rows are in sh.row */
    /* 3. Every warp scans the sums of the rows: totals of tiles, and tile(i) of core/tiles.h. */
#pragma unroll
    for (int g = 0; g < shape::GROUP; g++) {
        item rows = bi_warp_scan<P, SEGMENTED>(sh.row[g * BI_TILE_ROW + lane]);
        total[g] = bi_shuffle_item<SEGMENTED>(rows, 31);
        for (int c = g * shape::TILE_CHUNKS; c < (g + 1) * shape::TILE_CHUNKS; c++) {
            int row = c % shape::TILE_CHUNKS * shape::CHUNK_ROWS + (int)threadIdx.x / shape::ROW_LANES;
            item before = bi_shuffle_item<SEGMENTED>(rows, row > 0 ? row - 1 : 0);
            if (row > 0)
                for (int k = 0; k < shape::EACH; k++) x[c][k] = bi_combine<P>(before, x[c][k]);
        }
    }
    /* 4. Await the prefixes of the tiles, and add them. */
    if (exclusive && threadIdx.x == THREADS - 1)
        bi_publish_total(state.lasts, group, x[shape::CHUNKS - 1][shape::EACH - 1]);
    await_prefixes<P, SEGMENTED>(&sh, state, tiles, tile, exclusive, total);
    __syncthreads(); /* sh.tile_prefix and sh.previous */
#pragma unroll
    for (int c = 0; c < shape::CHUNKS; c++) {
        const int g = c / shape::TILE_CHUNKS;
        if (tile + g == 0 || tile + g >= tiles) continue;
        for (int k = 0; k < shape::EACH; k++) x[c][k] = bi_combine<P>(sh.tile_prefix[g], x[c][k]);
    }
    /* 5. Shift if exclusive, and store. */
    if (exclusive) shift_to_exclusive<P, SEGMENTED>(&sh, group == 0, head_bits, x);
#pragma unroll
    for (int c = 0; c < shape::CHUNKS; c++) {
        bi_vector<typename P::element> result;
        for (int k = 0; k < shape::EACH; k++)
            result.of[k] = exclusive && x[c][k].head ? P::empty_result() : P::to_element(x[c][k].value);
        bi_store_vector(out, begin + c * shape::CHUNK, n, result);
    }
}

struct scan_call {
    bosc_scan_kind kind;
    const void *in;
    const uint8_t *heads; /* or NULL */
    int64_t n;
    void *out;

    template <class P> bosc_status launch(bosc_ctx *ctx) const
    {
        typedef typename P::value T;
        int64_t tiles = bi_div_up(n, BI_TILE), nodes = bi_tile_total_count(tiles);
        int64_t groups = bi_div_up(tiles, scan_shape<T>::GROUP), total_words = bi_words_of_total<T>;
        size_t bytes = (size_t)((nodes + groups) * total_words + 1) * 8;
        void *zeroed;
        BI_TRY(bi_scratch(ctx, bytes, &zeroed));
        BI_TRY(ctx->backend->fill(ctx, zeroed, 0, bytes));
        unsigned long long *w = (unsigned long long *)zeroed;
        scan_state<T> state = {w + (nodes + groups) * total_words, {w}, {w + nodes * total_words}};
        const typename P::element *from = (const typename P::element *)in;
        typename P::element *to = (typename P::element *)out;
        bool exclusive = kind == BOSC_EXCLUSIVE;
        if (heads)
            return BI_RUN(ctx, (bi_core_scan<P, true>), (unsigned)groups, THREADS, 0, from, heads, n, to, exclusive,
                          state);
        if constexpr (std::is_floating_point<typename P::element>::value)
            return BI_RUN(ctx, (bi_core_scan<P, false>), (unsigned)groups, THREADS, 0, from, heads, n, to, exclusive,
                          state);
        else
            return bi_fail(ctx, BOSC_ERR_INTERNAL, "scan: plain scans of integers are made elsewhere");
    }
};

bosc_status bi_cuda_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                                   const uint8_t *heads, int64_t n, void *out)
{
    if (n == 0) return BOSC_OK;
    struct scan_call call = {kind, in, heads, n, out};
    BI_RETURN_WITH_SCRATCH(ctx, bi_with_operation(ctx, op, dtype, call));
}

bosc_status bi_cuda_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                         void *out)
{
    bool floats = dtype == BOSC_F32 || dtype == BOSC_F64;
    if (!floats && n > 0) return bi_cub_scan(ctx, op, kind, dtype, in, n, out);
    return bi_cuda_scan_segmented(ctx, op, kind, dtype, in, nullptr, n, out);
}
