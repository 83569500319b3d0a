/* Reductions: warps sum tiles, then one block sums the totals by the same tree (core/tiles.h). Scans, segmented or not,
 * in one pass: a block scans a group of tiles and waits for the prefixes of earlier ones. Plain scans of integers use
 * CUB. */
#include <type_traits>

#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/cub.h"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"

/* ---- reductions ---- */

enum { CHUNK = 128, CHUNKS = BI_TILE / CHUNK, FINAL_THREADS = 512 };

/* Sums the tile that begins at `begin` by the aligned tree. A whole warp calls it; lane 0 has the result. */
template <class P, class T, class R>
static __device__ __forceinline__ typename P::value tile_total(const T *in, int64_t begin, int64_t n, R read, T other)
{
    int lane = (int)(threadIdx.x % 32);
    /* 1. Four elements a lane: blocks of 4. Each chunk is 128 contiguous elements. */
    typename P::value sum[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        T x[4];
        bi_load_four(in, begin + c * CHUNK + lane * 4, n, other, x);
        typename P::value v[4];
        for (int k = 0; k < 4; k++) v[k] = begin + c * CHUNK + lane * 4 + k < n ? read(x[k]) : P::identity();
        sum[c] = P::combine(P::combine(v[0], v[1]), P::combine(v[2], v[3]));
    }
    /* 2. Across lanes, the lower lane's block first. */
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
        for (int d = 1; d < 32; d *= 2) {
            typename P::value other_half = __shfl_xor_sync(~0u, sum[c], d);
            sum[c] = lane & d ? P::combine(other_half, sum[c]) : P::combine(sum[c], other_half);
        }
        /* 3. Across chunks. */
#pragma unroll
    for (int d = 1; d < CHUNKS; d *= 2)
        for (int c = 0; c < CHUNKS; c += 2 * d) sum[c] = P::combine(sum[c], sum[c + d]);
    return sum[0];
}

template <class P> struct read_element {
    __device__ typename P::value operator()(typename P::element x) const { return P::to_value(x); }
};
template <class P> struct read_total {
    __device__ typename P::value operator()(typename P::value x) const { return x; }
};

template <class P>
static __global__ void __launch_bounds__(256)
    bi_core_totals(const typename P::element *in, int64_t n, typename P::value *totals)
{
    int64_t tiles = (n + BI_TILE - 1) / BI_TILE, step = (int64_t)gridDim.x * (blockDim.x / 32);
    for (int64_t t = blockIdx.x * (int64_t)(blockDim.x / 32) + threadIdx.x / 32; t < tiles; t += step) {
        typename P::value total = tile_total<P>(in, t * BI_TILE, n, read_element<P>(), typename P::element());
        if (threadIdx.x % 32 == 0) totals[t] = total;
    }
}

/* One block sums `count` totals in rounds of tiles; each round writes behind the last, until one total is left. */
template <class P>
static __global__ void __launch_bounds__(FINAL_THREADS)
    bi_core_total(typename P::value *totals, int64_t count, typename P::element *result)
{
    while (count > 1) {
        int64_t tiles = (count + BI_TILE - 1) / BI_TILE;
        typename P::value *next = totals + count;
        for (int64_t t = threadIdx.x / 32; t < tiles; t += FINAL_THREADS / 32) {
            typename P::value total = tile_total<P>(totals, t * BI_TILE, count, read_total<P>(), typename P::value());
            if (threadIdx.x % 32 == 0) next[t] = total;
        }
        __syncthreads(); /* all warps have written their totals, which the next round reads */
        totals = next;
        count = tiles;
    }
    if (threadIdx.x == 0) *result = count == 0 ? P::empty_result() : P::to_element(totals[0]);
}

struct reduce_call {
    const void *in;
    int64_t n;
    void *result;

    template <class P> bosc_status launch(bosc_ctx *ctx) const
    {
        int64_t tiles = bi_div_up(n, BI_TILE), total_count = 1;
        for (int64_t count = tiles; count > 1; count = bi_div_up(count, BI_TILE)) total_count += count;
        void *totals;
        BI_TRY(bi_scratch(ctx, (size_t)total_count * sizeof(typename P::value), &totals));
        typename P::value *t = (typename P::value *)totals;
        if (n > 0)
            BI_TRY(BI_RUN(ctx, bi_core_totals<P>, bi_grid_size(ctx, tiles * 32, 256), 256, 0,
                          (const typename P::element *)in, n, t));
        return BI_RUN(ctx, bi_core_total<P>, 1, FINAL_THREADS, 0, t, tiles, (typename P::element *)result);
    }
};

bosc_status bi_cuda_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    struct reduce_call call = {in, n, result};
    BI_RETURN_WITH_SCRATCH(ctx, bi_with_operation(ctx, op, dtype, call));
}

/* ---- scans ---- */

enum { THREADS = BI_TILE / 4, WARPS = THREADS / 32, GROUP = 4 /* tiles that a block takes at once */ };

template <class T> struct scan_shared {
    long long group;
    bi_item<T> row[GROUP][BI_TILE_ROW]; /* sums of the rows of 32 elements */
    bi_item<T> tile_prefix[GROUP];      /* inclusive scan up to the tile before */
    bi_item<T> last[GROUP][WARPS];      /* last result of each warp */
};

/* Totals of tiles, and the last inclusive result of each group, which the next group's exclusive scan starts with. */
template <class T> struct scan_state {
    unsigned long long *ticket;
    bi_tile_totals<T> totals, lasts;
};

/* Sklansky's scan of each row of 32: four elements a thread, eight threads a row. */
template <class P, bool SEGMENTED> static __device__ __forceinline__ void scan_row(bi_item<typename P::value> x[4])
{
    int lane = (int)(threadIdx.x % 32), within = lane % 8;
    x[1] = bi_combine<P>(x[0], x[1]);
    x[3] = bi_combine<P>(x[1], bi_combine<P>(x[2], x[3]));
    x[2] = bi_combine<P>(x[1], x[2]);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        bi_item<typename P::value> before = bi_shuffle_item<SEGMENTED>(x[3], lane - within + ((within >> k) << k) - 1);
        if ((within >> k) & 1)
            for (int j = 0; j < 4; j++) x[j] = bi_combine<P>(before, x[j]);
    }
}

template <class P, bool SEGMENTED>
static __device__ __forceinline__ void load_tile(const typename P::element *in, const uint8_t *heads, int64_t i,
                                                 int64_t n, bi_item<typename P::value> x[4])
{
    typename P::element raw[4];
    bi_load_four(in, i, n, typename P::element(), raw);
    for (int k = 0; k < 4; k++) {
        x[k].value = P::to_value(raw[k]);
        x[k].head = SEGMENTED && i + k < n && heads[i + k] != 0;
    }
}

/* Publishes the totals of the group's tiles and stores the prefix of each tile in sh->tile_prefix. One warp calls
 * it. */
template <class P, bool SEGMENTED>
static __device__ void await_prefixes(struct scan_shared<typename P::value> *sh,
                                      bi_tile_totals<typename P::value> nodes, int64_t tiles, int64_t tile,
                                      const bi_item<typename P::value> total[GROUP])
{
    typedef bi_item<typename P::value> item;
    int lane = (int)threadIdx.x, first = (int)(tile % 32), count = (int)min((int64_t)GROUP, tiles - tile);
    bi_own_tiles<typename P::value> own = {first, count, total[0]}; /* lane first + g has total[g] */
    for (int g = 1; g < GROUP; g++)
        if (lane == first + g) own.total = total[g];
    if (lane >= first && lane < first + count) bi_publish_total(nodes, tile + lane - first, own.total);
    item row = bi_scan_row_of_tiles<P, SEGMENTED>(nodes, tiles, tile + count - 1, own);
    /* The inclusive result of a tile is the prefix of the next one. */
    if (lane >= first && lane + 1 < first + count) sh->tile_prefix[lane - first + 1] = row;
    if (first == 0 && tile > 0) { /* the previous tile is in the previous row of 32 */
        own.count = 0;
        row = bi_scan_row_of_tiles<P, SEGMENTED>(nodes, tiles, tile - 1, own);
    }
    if (tile > 0 && lane == (first + 31) % 32) sh->tile_prefix[0] = row;
}

/* Turns inclusive results into exclusive ones: shifts them by one element. The first element of the group gets the last
 * result of the previous group. */
template <class P, bool SEGMENTED>
static __device__ void shift_to_exclusive(struct scan_shared<typename P::value> *sh,
                                          bi_tile_totals<typename P::value> lasts, int64_t group, unsigned heads,
                                          bi_item<typename P::value> x[GROUP][4])
{
    int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    bi_item<typename P::value> previous[GROUP]; /* result of the element before the thread's first one of a tile */
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        previous[g] = bi_shuffle_item<SEGMENTED>(x[g][3], lane > 0 ? lane - 1 : 0);
        if (lane == 31) sh->last[g][warp] = x[g][3];
    }
    if (threadIdx.x == THREADS - 1) bi_publish_total(lasts, group, x[GROUP - 1][3]);
    __syncthreads(); /* sh->last of all warps is written */
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        if (lane == 0 && warp > 0) previous[g] = sh->last[g][warp - 1];
        if (threadIdx.x == 0 && g > 0) previous[g] = sh->last[g - 1][WARPS - 1];
        if (threadIdx.x == 0 && g == 0 && group > 0) previous[g] = bi_await_total(lasts, group - 1);
        for (int k = 3; k > 0; k--) x[g][k] = x[g][k - 1];
        x[g][0] = previous[g];
        for (int k = 0; k < 4; k++) x[g][k].head = (heads >> (g * 4 + k)) & 1; /* the result of a head is empty */
    }
    if (threadIdx.x == 0 && group == 0) x[0][0].head = true;
}

/* Scans n > 0 elements; `out` may be `in`. The grid has one block per group of tiles. The ticket and the words of the
 * totals are 0 before. `heads` is read only if SEGMENTED. */
template <class P, bool SEGMENTED>
static __global__ void __launch_bounds__(THREADS)
    bi_core_scan(const typename P::element *in, const uint8_t *heads, int64_t n, typename P::element *out,
                 bool exclusive, scan_state<typename P::value> state)
{
    typedef bi_item<typename P::value> item;
    typedef scan_shared<typename P::value> shared_type;
    BI_SHARED(shared_type, sh);
    /* 1. Get a group of tiles by ticket: blocks of earlier groups already run, so waiting for them ends. */
    if (threadIdx.x == 0) sh.group = (long long)atomicAdd(state.ticket, 1ull);
    __syncthreads();
    int lane = (int)(threadIdx.x % 32), row = (int)(threadIdx.x / 8);
    int64_t group = sh.group, tile = group * GROUP, tiles = (n + BI_TILE - 1) / BI_TILE;
    int64_t begin = tile * BI_TILE + threadIdx.x * 4;
    item x[GROUP][4], total[GROUP];
    /* 2. Load four elements of each tile a thread and scan the rows: eight threads a row. */
    unsigned head_bits = 0;
#pragma unroll
    for (int g = 0; g < GROUP; g++) load_tile<P, SEGMENTED>(in, heads, begin + g * BI_TILE, n, x[g]);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        for (int k = 0; k < 4; k++) head_bits |= (unsigned)x[g][k].head << (g * 4 + k);
        scan_row<P, SEGMENTED>(x[g]);
        if (lane % 8 == 7) sh.row[g][row] = x[g][3];
    }
    __syncthreads(); /* the sums of all rows are in sh.row */
    /* 3. Every warp scans the sums of the rows: totals of tiles, and tile(i) of core/tiles.h. */
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        item rows = bi_warp_scan<P, SEGMENTED>(sh.row[g][lane]);
        item before = bi_shuffle_item<SEGMENTED>(rows, row > 0 ? row - 1 : 0);
        total[g] = bi_shuffle_item<SEGMENTED>(rows, 31);
        if (row > 0)
            for (int k = 0; k < 4; k++) x[g][k] = bi_combine<P>(before, x[g][k]);
    }
    /* 4. One warp awaits the prefixes; the others wait at the barrier for sh.tile_prefix. */
    if (threadIdx.x < 32) await_prefixes<P, SEGMENTED>(&sh, state.totals, tiles, tile, total);
    __syncthreads();
#pragma unroll
    for (int g = 0; g < GROUP; g++)
        if (tile + g > 0 && tile + g < tiles)
            for (int k = 0; k < 4; k++) x[g][k] = bi_combine<P>(sh.tile_prefix[g], x[g][k]);
    /* 5. Shift if exclusive, and store. */
    if (exclusive) shift_to_exclusive<P, SEGMENTED>(&sh, state.lasts, group, head_bits, x);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        typename P::element result[4];
        for (int k = 0; k < 4; k++)
            result[k] = exclusive && x[g][k].head ? P::empty_result() : P::to_element(x[g][k].value);
        bi_store_four(out, begin + g * BI_TILE, n, result);
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
        int64_t tiles = bi_div_up(n, BI_TILE), nodes = bi_tile_total_count(tiles), groups = bi_div_up(tiles, GROUP);
        size_t words = 1 + (size_t)nodes + (size_t)groups;
        void *zeroed, *values = nullptr;
        BI_TRY(bi_scratch(ctx, words * 8, &zeroed));
        if (sizeof(T) > 4) BI_TRY(bi_scratch(ctx, words * sizeof(T), &values));
        BI_TRY(ctx->backend->fill(ctx, zeroed, 0, words * 8));
        unsigned long long *w = (unsigned long long *)zeroed;
        T *v = (T *)values;
        scan_state<T> state = {w, {w + 1, v}, {w + 1 + nodes, v ? v + nodes : v}};
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
