/* Scans, segmented or not, in one pass: a block takes a group of tiles, scans their rows, waits for what came before.
 * Plain scans of integers are CUB's. */
#include <type_traits>

#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/cub.h"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"

enum { THREADS = BI_TILE / 4, WARPS = THREADS / 32, GROUP = 4 /* tiles that a block takes at once */ };

template <class T> struct scan_shared {
    long long group;
    bi_item<T> row[GROUP][BI_TILE_ROW], before[GROUP], last[GROUP][WARPS];
};

/* Where the tiles' totals lie, and the last inclusive result of each group for the exclusive scan of the next. */
template <class T> struct scan_state {
    unsigned long long *ticket;
    bi_nodes<T> totals, lasts;
};

/* Sklansky's scan of each row of 32: four elements a thread, eight threads a row. */
template <class P, bool SEGMENTED> static __device__ __forceinline__ void scan_row(bi_item<typename P::value> x[4])
{
    int lane = (int)(threadIdx.x % 32), within = lane % 8;
    x[1] = bi_join<P>(x[0], x[1]);
    x[3] = bi_join<P>(x[1], bi_join<P>(x[2], x[3]));
    x[2] = bi_join<P>(x[1], x[2]);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        bi_item<typename P::value> before = bi_shuffle<SEGMENTED>(x[3], lane - within + ((within >> k) << k) - 1);
        if ((within >> k) & 1)
            for (int j = 0; j < 4; j++) x[j] = bi_join<P>(before, x[j]);
    }
}

template <class P, bool SEGMENTED>
static __device__ __forceinline__ void read_tile(const typename P::element *in, const uint8_t *heads, int64_t i,
                                                 int64_t n, bi_item<typename P::value> x[4])
{
    typename P::element raw[4];
    bi_load_four(in, i, n, typename P::element(), raw);
    for (int k = 0; k < 4; k++) {
        x[k].value = P::read(raw[k]);
        x[k].head = SEGMENTED && i + k < n && heads[i + k] != 0;
    }
}

/* What comes before each tile of the group goes to sh->before. One warp calls it with the totals of its tiles. */
template <class P, bool SEGMENTED>
static __device__ void wait_for_group(struct scan_shared<typename P::value> *sh, bi_nodes<typename P::value> nodes,
                                      int64_t tiles, int64_t tile, const bi_item<typename P::value> total[GROUP])
{
    typedef bi_item<typename P::value> item;
    int lane = (int)threadIdx.x, first = (int)(tile % 32), count = (int)min((int64_t)GROUP, tiles - tile);
    bi_own_tiles<typename P::value> own = {first, count, total[0]};
    for (int g = 1; g < GROUP; g++)
        if (lane == first + g) own.total = total[g];
    if (lane >= first && lane < first + count) bi_publish(nodes, tile + lane - first, own.total);
    item row = bi_row_of_tiles<P, SEGMENTED>(nodes, tiles, tile + count - 1, own);
    if (lane >= first && lane + 1 < first + count) sh->before[lane - first + 1] = row;
    if (first == 0 && tile > 0) { /* the tile before is in the row before */
        own.count = 0;
        row = bi_row_of_tiles<P, SEGMENTED>(nodes, tiles, tile - 1, own);
    }
    if (tile > 0 && lane == (first + 31) % 32) sh->before[0] = row;
}

/* The results moved by one place; x[0][0] of a group's first thread comes from the group before. */
template <class P, bool SEGMENTED>
static __device__ void shift(struct scan_shared<typename P::value> *sh, bi_nodes<typename P::value> lasts,
                             int64_t group, unsigned heads, bi_item<typename P::value> x[GROUP][4])
{
    int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    bi_item<typename P::value> before[GROUP];
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        before[g] = bi_shuffle<SEGMENTED>(x[g][3], lane > 0 ? lane - 1 : 0);
        if (lane == 31) sh->last[g][warp] = x[g][3];
    }
    if (threadIdx.x == THREADS - 1) bi_publish(lasts, group, x[GROUP - 1][3]);
    __syncthreads();
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        if (lane == 0 && warp > 0) before[g] = sh->last[g][warp - 1];
        if (threadIdx.x == 0 && g > 0) before[g] = sh->last[g - 1][WARPS - 1];
        if (threadIdx.x == 0 && g == 0 && group > 0) before[g] = bi_await(lasts, group - 1);
        for (int k = 3; k > 0; k--) x[g][k] = x[g][k - 1];
        x[g][0] = before[g];
        for (int k = 0; k < 4; k++) x[g][k].head = (heads >> (g * 4 + k)) & 1; /* here nothing comes before */
    }
    if (threadIdx.x == 0 && group == 0) x[0][0].head = true;
}

template <class P, bool SEGMENTED>
static __global__ void __launch_bounds__(THREADS)
    bi_core_scan(const typename P::element *in, const uint8_t *heads, int64_t n, typename P::element *out,
                 bool exclusive, scan_state<typename P::value> state)
{
    typedef bi_item<typename P::value> item;
    typedef scan_shared<typename P::value> shared_type;
    BI_SHARED(shared_type, sh);
    if (threadIdx.x == 0) sh.group = (long long)atomicAdd(state.ticket, 1ull);
    __syncthreads();
    int lane = (int)(threadIdx.x % 32), row = (int)(threadIdx.x / 8);
    int64_t group = sh.group, tile = group * GROUP, tiles = (n + BI_TILE - 1) / BI_TILE;
    int64_t begin = tile * BI_TILE + threadIdx.x * 4;
    item x[GROUP][4], total[GROUP];
    unsigned head_bits = 0;
#pragma unroll
    for (int g = 0; g < GROUP; g++) read_tile<P, SEGMENTED>(in, heads, begin + g * BI_TILE, n, x[g]);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        for (int k = 0; k < 4; k++) head_bits |= (unsigned)x[g][k].head << (g * 4 + k);
        scan_row<P, SEGMENTED>(x[g]);
        if (lane % 8 == 7) sh.row[g][row] = x[g][3];
    }
    __syncthreads();
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        item rows = bi_warp_scan<P, SEGMENTED>(sh.row[g][lane]);
        item before = bi_shuffle<SEGMENTED>(rows, row > 0 ? row - 1 : 0);
        total[g] = bi_shuffle<SEGMENTED>(rows, 31);
        if (row > 0)
            for (int k = 0; k < 4; k++) x[g][k] = bi_join<P>(before, x[g][k]);
    }
    if (threadIdx.x < 32) wait_for_group<P, SEGMENTED>(&sh, state.totals, tiles, tile, total);
    __syncthreads();
#pragma unroll
    for (int g = 0; g < GROUP; g++)
        if (tile + g > 0 && tile + g < tiles)
            for (int k = 0; k < 4; k++) x[g][k] = bi_join<P>(sh.before[g], x[g][k]);
    if (exclusive) shift<P, SEGMENTED>(&sh, state.lasts, group, head_bits, x);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        typename P::element result[4];
        for (int k = 0; k < 4; k++) result[k] = exclusive && x[g][k].head ? P::nothing() : P::write(x[g][k].value);
        bi_store_four(out, begin + g * BI_TILE, n, result);
    }
}

struct scan_call {
    bosc_scan_kind kind;
    const void *in;
    const uint8_t *heads; /* or NULL */
    int64_t n;
    void *out;

    template <class P> bosc_status run(bosc_ctx *ctx) const
    {
        typedef typename P::value T;
        int64_t tiles = bi_div_up(n, BI_TILE), nodes = bi_node_count(tiles), groups = bi_div_up(tiles, GROUP);
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
            return bi_fail(ctx, BOSC_ERR_INTERNAL, "scan: plain ones of integers are made elsewhere");
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
