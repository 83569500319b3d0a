/* Scans, segmented or not, in one pass: a block scans a group of tiles and waits for the prefixes of earlier ones.
 * Plain scans of integers use CUB. */
#include <type_traits>

#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/cub.h"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"

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
