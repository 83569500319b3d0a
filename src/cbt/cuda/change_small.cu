/* Changes small trees on CUDA, and decodes them in passing: each block of 1,024 bits has a warp, which keeps its bits;
 * the warps tell each other what they count, and each of them finds the ranks that it needs. They are the warps of a
 * cluster where the device has clusters and the tree fits one, which meets in less time; or of a grid that runs
 * together. */
#include "cbt/cuda/change_warp.cuh"
#include "cbt/cuda/decode_warp.cuh"
#include "cbt/cuda/grid_exchange.cuh"
#include "core/cuda/cluster.cuh"
#include "core/cuda/cooperative.cuh"

enum {
    CLUSTER_WARPS = 8,
    CLUSTER_MOST = 16 * CLUSTER_WARPS, /* blocks of bits for a cluster */
    /* What a warp publishes: leaves, up to 2^10 of them, and whether the block has changed. */
    CHANGED = 1 << 15,
    LEAVES = CHANGED - 1
};

struct small_args {
    bi_cbt_change a;
    bool apply; /* or else only the sources are wanted */
    unsigned long long *exchange;
};

template <int WARPS, int MOST> struct small_shared {
    bi_cbt_marks marks[WARPS];
    bi_cbt_starts starts[WARPS];
    int64_t ranks[MOST + 1];
    bi_cluster_mail mail;
    __align__(16) uint16_t sent[CLUSTER_WARPS]; /* of this block's warps, to be published to all blocks at once */
    __align__(16) uint16_t published[MOST];     /* by the warp of each block of bits */
};

/* What a warp knows of its block. */
struct small_block {
    int64_t block;
    uint32_t was, is;
    int64_t rank; /* as it was */
    bool touched;
    int n; /* leaves, as it is */
};

/* What the others published. */
struct small_exchanged {
    int64_t rank, leaves; /* before the block, and in all */
    bool changed;
};

/* Changes the bits of a warp's block, which stay where they are; returns what it publishes. */
static __device__ int change_block(const bi_cbt_change &a, small_block *b, bi_cbt_marks *marks)
{
    bi_cbt_commands recorded = {0, 0};
    if (b->touched) recorded = bi_cbt_recorded(a.view, b->block);
    const bi_cbt_lane lane = bi_cbt_lane_of(b->block, b->rank, b->was);
    const uint32_t changes = bi_cbt_changes32(a, lane, recorded, marks);
    b->is = b->was ^ changes;
    b->n = lane.n;
    if (!__any_sync(~0u, changes != 0)) return b->n;
    b->n = (int)bi_warp_sum((uint32_t)__popc(b->is));
    return b->n | CHANGED;
}

static __device__ small_exchanged sum_up(const uint16_t *published, int blocks, int block)
{
    uint32_t before = 0, all = 0, changed = 0;
    for (int i = (int)(threadIdx.x % 32); i < blocks; i += 32) {
        const uint32_t leaves = published[i] & LEAVES;
        changed |= published[i];
        all += leaves;
        before += i < block ? leaves : 0;
    }
    const small_exchanged exchanged = {bi_warp_sum(before), bi_warp_sum(all), __any_sync(~0u, changed & CHANGED) != 0};
    return exchanged;
}

/* log2 of the bits of a leaf that is alone in its block: up to the next block with leaves. */
static __device__ int32_t single_size(const uint16_t *published, int32_t depth, int blocks, int block)
{
    uint32_t next = (uint32_t)blocks;
    for (int i = block + 1 + (int)(threadIdx.x % 32); i < blocks && next == (uint32_t)blocks; i += 32)
        if (published[i] & LEAVES) next = (uint32_t)i;
    next = bi_warp_least(next);
    return depth <= BOSC_CBT_BLOCK_BITS ? depth : BOSC_CBT_BLOCK_BITS + __ffs((int)next - block) - 1;
}

/* The nodes of the warp's block; all share the bits beyond the last leaf. */
template <class N>
static __device__ void give_nodes(const bi_cbt_change &a, const uint16_t *published, const small_block &b,
                                  const small_exchanged &exchanged, const bi_cbt_starts *starts)
{
    const int32_t depth = a.view.depth;
    const int high = (int)min((int64_t)b.n, a.node_capacity - exchanged.rank);
    N *nodes = (N *)a.nodes;
    for (int64_t i = exchanged.leaves + b.block * 32 + threadIdx.x % 32; i < a.node_capacity; i += a.view.blocks * 32)
        nodes[i] = 0;
    if (high <= 0) return;
    nodes += exchanged.rank;
    if (b.n == BI_CBT_BLOCK) {
        bi_cbt_decode_full(depth, b.block, nodes, 0, high);
    } else if (b.n > 1) {
        bi_cbt_decode_mixed(depth, b.block, nodes, 0, high, starts);
    } else {
        const int32_t size = single_size(published, depth, (int)a.view.blocks, (int)b.block);
        if (threadIdx.x % 32 == 0) nodes[0] = (N)bosc_cbt_node((uint64_t)b.block << BOSC_CBT_BLOCK_BITS, size, depth);
    }
}

/* After all have met. */
static __device__ void finish(const small_args &c, const uint16_t *published, const small_block &b,
                              const bi_cbt_starts *starts)
{
    const bosc_cbt_view &v = c.a.view;
    const int lane = (int)(threadIdx.x % 32);
    const int64_t at = b.block * 32 + lane;
    const small_exchanged exchanged = sum_up(published, (int)v.blocks, (int)b.block);
    if (c.apply && c.a.nodes) {
        if (c.a.wide)
            give_nodes<unsigned long long>(c.a, published, b, exchanged, starts);
        else
            give_nodes<uint32_t>(c.a, published, b, exchanged, starts);
    }
    if (c.a.sources) {
        bi_cbt_give_sources(c.a, b.was, b.is, b.rank + bi_cbt_lane_of(b.block, 0, b.was).before,
                            exchanged.rank + bi_cbt_lane_of(b.block, 0, b.is).before);
        for (int64_t i = exchanged.leaves + at; i < c.a.capacity; i += v.blocks * 32) c.a.sources[i] = -1;
    }
    if (!c.apply) return;
    int64_t *ranks = (int64_t *)v.ranks;
    if (b.was != b.is) ((uint32_t *)v.bits)[at] = b.is;
    if (exchanged.changed && lane == 0) ranks[b.block] = exchanged.rank;
    if (exchanged.changed && lane == 0 && b.block == v.blocks - 1) ranks[v.blocks] = exchanged.leaves;
    if (b.touched) {
        ((uint32_t *)v.splits)[at] = 0;
        ((uint32_t *)v.merges)[at] = 0;
        if (lane == 0) v.touched[b.block] = 0;
    }
}

/* Without a cluster the warps tell by words of the tree's. */
template <int WARPS>
static __device__ void await_all(const small_args &c, unsigned long long epoch, uint16_t *published)
{
    for (int i = (int)threadIdx.x; i < c.a.view.blocks; i += WARPS * 32) {
        const unsigned long long word = bi_cbt_await(c.exchange, epoch, i);
        published[i] = (uint16_t)((word & LEAVES) | (word >= BI_CBT_CHANGED ? CHANGED : 0));
    }
    __syncthreads();
    bi_cbt_end_epoch(c.exchange, epoch);
}

/* Within a cluster a block sends what its warps tell, and receives what others do. */
static __device__ void send_all(bi_cluster_mail *mail, const uint16_t *sent, uint16_t *published)
{
    bi_cluster_wait();
    __syncthreads();
    if (threadIdx.x < gridDim.x)
        bi_cluster_send(mail, published + blockIdx.x * CLUSTER_WARPS, threadIdx.x, *(const uint4 *)sent);
}

/* Old ranks come to shared memory, and are asked for there: they may be written as soon as all have met. */
template <int WARPS, int MOST, bool CLUSTER>
static __global__ void __launch_bounds__(WARPS * 32) bi_cbt_update_small(const small_args c)
{
    typedef small_shared<WARPS, MOST> shared;
    BI_SHARED(shared, sh);
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    const unsigned long long epoch = CLUSTER ? 0 : bi_cbt_epoch(c.exchange);
    bi_cbt_change a = c.a;
    small_block b = {blockIdx.x * (int64_t)WARPS + warp, 0, 0, 0, false, 0};
    const bool own = b.block < a.view.blocks;
    if (CLUSTER) {
        if (threadIdx.x == 0) bi_cluster_expect(&sh.mail, gridDim.x * sizeof(uint4));
        bi_cluster_arrive();
    }
    if (own) {
        b.was = ((const uint32_t *)a.view.bits)[b.block * 32 + lane];
        b.touched = a.recorded && a.view.touched[b.block];
    }
    for (int i = (int)threadIdx.x; i <= a.view.blocks; i += WARPS * 32) sh.ranks[i] = a.view.ranks[i];
    __syncthreads();
    a.view.ranks = sh.ranks;
    int publishes = 0;
    if (own) {
        b.rank = sh.ranks[b.block];
        publishes = change_block(a, &b, &sh.marks[warp]);
        __syncwarp(); /* all lanes have read what others may write once they hear */
    }
    if (CLUSTER) {
        if (lane == 0) sh.sent[warp % CLUSTER_WARPS] = (uint16_t)publishes;
        send_all(&sh.mail, sh.sent, sh.published);
    } else if (own && lane == 0) {
        bi_cbt_publish(c.exchange, epoch, b.block, (publishes & LEAVES) | (publishes & CHANGED ? BI_CBT_CHANGED : 0));
    }
    if (own && a.nodes && b.n > 1 && b.n < BI_CBT_BLOCK) bi_cbt_find_starts(a.view.depth, b.is, b.n, &sh.starts[warp]);
    if (CLUSTER)
        bi_cluster_receive(&sh.mail);
    else
        await_all<WARPS>(c, epoch, sh.published);
    if (own) finish(c, sh.published, b, &sh.starts[warp]);
}

/* As one cluster. */
static bosc_status run_cluster(bosc_ctx *ctx, const small_args *c, bool *done)
{
    const unsigned need = (unsigned)bi_div_up(c->a.view.blocks, CLUSTER_WARPS), threads = CLUSTER_WARPS * 32;
    const unsigned grid = need < 2 ? 2 : need; /* compute-sanitizer takes one block for no cluster */
    void (*const kernel)(small_args) = bi_cbt_update_small<CLUSTER_WARPS, CLUSTER_MOST, true>;
    if (!bi_cluster_fits(kernel, grid, threads)) return BOSC_OK;
    *done = true;
    BI_CUDA_TRY(ctx, bi_launch_cluster(kernel, grid, threads, ctx->stream, *c));
    return bi_launched(ctx, "bi_cbt_update_small");
}

template <int WARPS> static bosc_status run(bosc_ctx *ctx, const small_args *c, bool *done)
{
    const unsigned grid = (unsigned)bi_div_up(c->a.view.blocks, WARPS);
    unsigned most;
    BI_TRY(bi_cooperative_grid(ctx, bi_cbt_update_small<WARPS, BI_CBT_EXCHANGE_WORDS, false>, WARPS * 32,
                               1024 / (WARPS * 32), &most));
    if (grid > most) return BOSC_OK;
    *done = true;
    return BI_RUN_COOPERATIVE(ctx, (bi_cbt_update_small<WARPS, BI_CBT_EXCHANGE_WORDS, false>), grid, WARPS * 32, *c);
}

bosc_status bi_cbt_cuda_change_small(bosc_ctx *ctx, const bosc_cbt *tree, const bi_cbt_change *a, bool apply,
                                     bool *done)
{
    const small_args c = {*a, apply, (unsigned long long *)tree->exchange.data + 1 + BI_CBT_EXCHANGE_WORDS};
    if (a->view.blocks > BI_CBT_EXCHANGE_WORDS) return BOSC_OK;
    if (a->view.blocks <= CLUSTER_MOST) BI_TRY(run_cluster(ctx, &c, done));
    if (*done) return BOSC_OK;
    if (a->view.blocks <= 256) return run<4>(ctx, &c, done);
    return run<8>(ctx, &c, done);
}
