/* Scans, segmented or not, in one pass: a block takes a tile, scans it by rows, waits for what came before. */
#include "core/cuda/collectives.cuh"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"

enum { THREADS = BI_TILE / 4, WARPS = THREADS / 32 };

template <class T> struct scan_shared {
    long long tile;
    bi_item<T> row[BI_TILE_ROW], before, last[WARPS];
};

/* Where the tiles' totals lie, and the last inclusive result of each tile for the exclusive scan of the next. */
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

/* The results moved by one place; x[0] of a tile's first thread comes from the tile before. */
template <class P, bool SEGMENTED>
static __device__ void shift(struct scan_shared<typename P::value> *sh, const scan_state<typename P::value> &state,
                             int64_t tile, const bool head[4], bi_item<typename P::value> x[4])
{
    int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    bi_item<typename P::value> before = bi_shuffle<SEGMENTED>(x[3], lane > 0 ? lane - 1 : 0);
    if (lane == 31) sh->last[warp] = x[3];
    if (threadIdx.x == THREADS - 1) bi_publish(state.lasts, tile, x[3]);
    __syncthreads();
    if (lane == 0 && warp > 0) before = sh->last[warp - 1];
    if (threadIdx.x == 0 && tile > 0) before = bi_await(state.lasts, tile - 1);
    for (int k = 3; k > 0; k--) x[k] = x[k - 1];
    x[0] = before;
    for (int k = 0; k < 4; k++) x[k].head = head[k]; /* here nothing comes before */
    if (threadIdx.x == 0 && tile == 0) x[0].head = true;
}

template <class P, bool SEGMENTED>
static __global__ void __launch_bounds__(THREADS)
    kernel_scan(const typename P::element *in, const uint8_t *heads, int64_t n, typename P::element *out,
                bool exclusive, scan_state<typename P::value> state)
{
    typedef bi_item<typename P::value> item;
    typedef scan_shared<typename P::value> shared_type;
    BI_SHARED(shared_type, sh);
    if (threadIdx.x == 0) sh.tile = (long long)atomicAdd(state.ticket, 1ull);
    __syncthreads();
    int lane = (int)(threadIdx.x % 32), row = (int)(threadIdx.x / 8);
    int64_t tile = sh.tile, i = tile * BI_TILE + threadIdx.x * 4;
    item x[4];
    read_tile<P, SEGMENTED>(in, heads, i, n, x);
    bool head[4] = {x[0].head, x[1].head, x[2].head, x[3].head};
    scan_row<P, SEGMENTED>(x);
    if (lane % 8 == 7) sh.row[row] = x[3];
    __syncthreads();
    item rows = bi_warp_scan<P, SEGMENTED>(sh.row[lane]), before = bi_shuffle<SEGMENTED>(rows, row > 0 ? row - 1 : 0);
    if (row > 0)
        for (int k = 0; k < 4; k++) x[k] = bi_join<P>(before, x[k]);
    if (threadIdx.x < 32) {
        int64_t tiles = (n + BI_TILE - 1) / BI_TILE;
        before = bi_before_tile<P, SEGMENTED>(state.totals, tiles, tile, bi_shuffle<SEGMENTED>(rows, 31));
        if (lane == 0) sh.before = before;
    }
    __syncthreads();
    if (tile > 0)
        for (int k = 0; k < 4; k++) x[k] = bi_join<P>(sh.before, x[k]);
    if (exclusive) shift<P, SEGMENTED>(&sh, state, tile, head, x);
    typename P::element result[4];
    for (int k = 0; k < 4; k++) result[k] = exclusive && x[k].head ? P::nothing() : P::write(x[k].value);
    bi_store_four(out, i, n, result);
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
        int64_t tiles = bi_div_up(n, BI_TILE), nodes = bi_node_count(tiles);
        size_t words = 1 + (size_t)nodes + (size_t)tiles;
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
            return BI_RUN(ctx, (kernel_scan<P, true>), (unsigned)tiles, THREADS, 0, from, heads, n, to, exclusive,
                          state);
        return BI_RUN(ctx, (kernel_scan<P, false>), (unsigned)tiles, THREADS, 0, from, heads, n, to, exclusive, state);
    }
};

bosc_status bi_cuda_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                                   const uint8_t *heads, int64_t n, void *out)
{
    if (n == 0) return BOSC_OK;
    struct scan_call call = {kind, in, heads, n, out};
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = bi_with_operation(ctx, op, dtype, call);
    bi_arena_rewind(ctx, mark);
    return status;
}

bosc_status bi_cuda_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                         void *out)
{
    return bi_cuda_scan_segmented(ctx, op, kind, dtype, in, nullptr, n, out);
}
